//! How what became of expressions is printed: one file a format.

pub(crate) mod json;
pub(crate) mod text;
