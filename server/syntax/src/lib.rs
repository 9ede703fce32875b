//! Parses YAML and JSON text into a tree with byte positions, and into the values that Kubernetes reads from it.
//!
//! This crate contains no code about Kubernetes: no kinds, no schemas, no versions.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests read tables and a corpus"))]

mod change;
pub mod common;
pub mod edit;
pub mod edited;
mod go_syntax;
pub mod incremental;
pub mod json;
mod json_stream;
pub mod lines;
pub mod paths;
pub mod reader;
mod resolve;
mod scalar;
pub mod source;
pub mod source_map;
pub mod spliced;
pub mod split;
pub mod template;
pub mod text;
pub mod tree;

pub use go_syntax::float_g;
pub use json::{read_json, read_json_of};
pub use reader::{ReadError, read};

/// Whether go-yaml reads an unquoted word as a string, instead of a number, a boolean or null.
pub fn is_plain_text(word: &str) -> bool {
    matches!(resolve::plain(word), resolve::Resolved::Text)
}

/// Whether go-yaml considers an unquoted word a timestamp. go-yaml's writer quotes such a word.
pub fn is_timestamp(word: &str) -> bool {
    resolve::is_timestamp(word)
}
