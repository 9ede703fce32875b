//! How costs are printed: one file a format.

pub(crate) mod jsonl;
pub(crate) mod text;
