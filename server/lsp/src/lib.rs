//! The Language Server Protocol session.
