//! Editor features in plain types.
