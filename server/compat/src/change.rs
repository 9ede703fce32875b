//! Changes: the differences between two CRDs.

use crd_analyzer_schema::field::Path;

use crate::answer::{Answer, Direction};

/// The code for an added property.
pub(crate) const PROPERTY_ADDED: &str = "property-added";
/// The code for a removed property.
pub(crate) const PROPERTY_REMOVED: &str = "property-removed";
/// The code for an added version.
pub(crate) const VERSION_ADDED: &str = "version-added";
/// The code for a removed version.
pub(crate) const VERSION_REMOVED: &str = "version-removed";

/// The codes of all changes, with one sentence each; sorted.
pub const CODES: &[(&str, &str)] = &[
    (
        "additional-properties-changed",
        "`additionalProperties` was added, removed, or switched",
    ),
    ("all-of-changed", "`allOf` changed"),
    ("any-of-changed", "`anyOf` changed"),
    ("categories-changed", "the categories of the kind changed"),
    ("columns-changed", "the columns that `kubectl get` prints changed"),
    ("conversion-changed", "the conversion between versions changed"),
    ("crd-added", "NEW has a CRD that OLD does not have"),
    ("crd-removed", "NEW does not have the CRD"),
    ("default-changed", "a default was added, removed, or changed"),
    ("deprecation-changed", "the deprecation of a version changed"),
    (
        "description-changed",
        "only descriptions, titles, examples or links changed",
    ),
    ("embedded-resource-changed", "`x-kubernetes-embedded-resource` changed"),
    ("enum-changed", "`enum` changed"),
    ("exclusive-maximum-changed", "`exclusiveMaximum` changed"),
    ("exclusive-minimum-changed", "`exclusiveMinimum` changed"),
    ("format-changed", "`format` changed"),
    ("group-changed", "the API group changed"),
    ("items-changed", "`items` was added or removed"),
    ("kind-changed", "the kind changed"),
    ("list-kind-changed", "the kind of lists changed"),
    ("list-type-changed", "`x-kubernetes-list-type` or its keys changed"),
    ("map-type-changed", "`x-kubernetes-map-type` changed"),
    ("max-items-changed", "`maxItems` changed"),
    ("max-length-changed", "`maxLength` changed"),
    ("max-properties-changed", "`maxProperties` changed"),
    ("maximum-changed", "`maximum` changed"),
    ("min-items-changed", "`minItems` changed"),
    ("min-length-changed", "`minLength` changed"),
    ("min-properties-changed", "`minProperties` changed"),
    ("minimum-changed", "`minimum` changed"),
    ("multiple-of-changed", "`multipleOf` changed"),
    ("not-changed", "`not` changed"),
    ("nullable-changed", "`nullable` changed"),
    ("one-of-changed", "`oneOf` changed"),
    ("other-keyword-changed", "a keyword changed that has no code of its own"),
    ("pattern-changed", "`pattern` changed"),
    ("plural-changed", "the plural name changed"),
    (
        "preserve-unknown-fields-changed",
        "unknown fields are now kept, or now pruned",
    ),
    (PROPERTY_ADDED, "a property was added"),
    (PROPERTY_REMOVED, "a property was removed"),
    ("required-added", "a property became required"),
    ("required-removed", "a property is no longer required"),
    ("rule-added", "a validation rule was added"),
    ("rule-changed", "a validation rule was edited"),
    ("rule-message-changed", "only the message of a validation rule changed"),
    ("rule-removed", "a validation rule was removed"),
    ("scale-changed", "the scale subresource changed"),
    ("schema-added", "a version now has a schema"),
    ("schema-removed", "a version no longer has a schema"),
    ("scope-changed", "the scope changed"),
    ("selectable-field-added", "a selectable field was added"),
    ("selectable-field-removed", "a selectable field was removed"),
    ("served-changed", "a version is now served, or no longer served"),
    ("short-names-changed", "the short names changed"),
    ("singular-changed", "the singular name changed"),
    ("status-changed", "the status subresource was added or removed"),
    ("storage-version-changed", "another version is the storage version"),
    ("type-changed", "the type changed"),
    ("unique-items-changed", "`uniqueItems` changed"),
    (
        "unserved-schema-changed",
        "the schema of a version that is not served changed",
    ),
    (VERSION_ADDED, "a version was added"),
    (VERSION_REMOVED, "a version was removed"),
];

/// A difference between two CRDs, and its effects.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    /// The code of the change, one of [`CODES`].
    pub code: &'static str,
    /// The version of the CRD that changed; `None` if the change affects all versions.
    pub version: Option<String>,
    /// The position in OLD's document; `None` if OLD does not contain it.
    pub old_path: Option<Path>,
    /// The position in NEW's document; `None` if NEW does not contain it.
    pub new_path: Option<Path>,
    /// The old and the new value in a few words; may be empty.
    pub what: String,
    /// A sentence that names the changed part, if it is more specific than the sentence of the code.
    pub told: Option<String>,
    /// The effects: one answer per direction, in the order of [`Direction::ALL`].
    pub answers: [Answer; 3],
}

impl Change {
    /// The position in NEW or, if NEW does not contain it, in OLD.
    pub fn path(&self) -> Path {
        let path = self.new_path.as_ref().or(self.old_path.as_ref());
        path.cloned().unwrap_or_default()
    }

    /// Whether a version of the CRD was added or removed as a whole.
    pub fn is_of_version(&self) -> bool {
        [VERSION_ADDED, VERSION_REMOVED].contains(&self.code)
    }

    /// The effect in a direction.
    pub fn answer(&self, direction: Direction) -> &Answer {
        let [stored, writers, readers] = &self.answers;
        match direction {
            Direction::Stored => stored,
            Direction::Writers => writers,
            Direction::Readers => readers,
        }
    }

    /// All answers with their directions.
    pub fn each(&self) -> impl Iterator<Item = (Direction, &Answer)> {
        Direction::ALL.into_iter().zip(&self.answers)
    }

    /// A sentence that describes the change.
    pub fn headline(&self) -> &str {
        let of_code = || {
            let known = CODES.binary_search_by(|it| it.0.cmp(self.code));
            known.map_or("", |at| CODES[at].1)
        };
        self.told.as_deref().unwrap_or_else(of_code)
    }
}

/// The versions and properties that NEW lacks, if NEW seems to be older than OLD: it has none that are new.
pub fn missing_in_older(changes: &[Change]) -> Vec<&Change> {
    let is_new = |it: &Change| [PROPERTY_ADDED, VERSION_ADDED].contains(&it.code);
    if changes.iter().any(is_new) {
        return Vec::new();
    }
    let is_missing = |it: &&Change| [PROPERTY_REMOVED, VERSION_REMOVED].contains(&it.code);
    changes.iter().filter(is_missing).collect()
}

/// The number of answers of each kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// Answers with a witness.
    pub breaks: usize,
    /// Answers with a proof.
    pub compatible: usize,
    /// Compatible answers about stored objects whose values are only tolerated until they change.
    pub tolerated: usize,
    /// Answers with neither a witness nor a proof.
    pub unknown: usize,
}

impl Summary {
    /// Adds an answer.
    pub fn count(&mut self, answer: &Answer) {
        match answer {
            Answer::Breaks { .. } => self.breaks += 1,
            Answer::Compatible { .. } => self.compatible += 1,
            Answer::Unknown { .. } => self.unknown += 1,
        }
        self.tolerated += usize::from(answer.is_tolerated());
    }

    /// Counts all answers of the given changes.
    pub fn of<'c>(changes: impl IntoIterator<Item = &'c Change>) -> Self {
        let mut summary = Self::default();
        let answers = changes.into_iter().flat_map(|it| &it.answers);
        answers.for_each(|it| summary.count(it));
        summary
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted() {
        assert!(CODES.is_sorted_by(|a, b| a.0 < b.0));
    }
}
