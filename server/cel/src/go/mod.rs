//! Visible behavior of Go: how it formats values in messages, and how it sorts.

mod double;
mod sort;
mod verbs;

pub use crd_analyzer_gostd::{is_print, quote};
pub(crate) use double::{double_f, double_g};
pub(crate) use sort::sorted;
pub(crate) use verbs::format_without_arguments;
