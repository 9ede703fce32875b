//! Errors that follow from a misspelt field of a custom resource.

use crd_analyzer_schema::{
    codes::MISSING_PROPERTY,
    field::{self, Segment},
};

use crate::{findings::finding::Finding, words};

/// An unknown field, and the property that the author probably meant.
pub(super) struct Misspelt {
    /// The path of the object that contains the field.
    pub(super) parent: field::Path,
    /// The name as it is written.
    pub(super) name: String,
    /// The name of the property.
    pub(super) meant: String,
}

/// If a required field is missing because it is misspelt, or if a rule reads it, makes the help say to correct the name.
pub(super) fn say_misspelt(finding: &mut Finding, error: &field::Error, misspelt: &[Misspelt]) {
    let path = error.place();
    let is_cause = |it: &&Misspelt| match error.cause() {
        Some(field::Cause::Rule { rule, .. }) => it.parent == *path && reads(rule, &it.meant),
        _ if error.code == MISSING_PROPERTY => {
            let last = path.segments().last();
            let is_last = matches!(last, Some(Segment::Field(name) | Segment::Key(name)) if *name == it.meant);
            is_last && it.parent == words::name::parent(path)
        }
        _ => false,
    };
    if let Some(it) = misspelt.iter().find(is_cause) {
        finding.help = words::Words::new("").did_you_mean(&it.name, &it.meant).help;
    }
}

/// Whether a rule may read a field of its object.
fn reads(rule: &str, field: &str) -> bool {
    let is_of_name = |it: char| it.is_alphanumeric() || it == '_';
    rule.match_indices(field).any(|(at, _)| {
        let (before, after) = (&rule[..at], &rule[at + field.len()..]);
        before.ends_with('.') && !after.starts_with(is_of_name)
    })
}
