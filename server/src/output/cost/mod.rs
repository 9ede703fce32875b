//! How costs are printed: one file a format.

pub(crate) mod jsonl;
pub(crate) mod text;

use std::fmt::Write as _;

use crd_analyzer_schema::rules::SchemaStep;

/// Where in a value a bound belongs, from the value on: `hosts[*].name`; empty for the value itself.
fn below(path: &[SchemaStep]) -> String {
    let mut out = String::new();
    for step in path {
        match step {
            SchemaStep::Property(name) if out.is_empty() => out.push_str(name),
            SchemaStep::Property(name) => drop(write!(out, ".{name}")),
            SchemaStep::Items | SchemaStep::Values => out.push_str("[*]"),
        }
    }
    out
}
