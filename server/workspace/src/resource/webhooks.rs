//! Finds missing fields of an object that a mutating webhook may set before the API server validates the object.
//!
//! Such a webhook reads the object into a Go type and writes it again. Some missing fields are then written with their zero value. Other values that
//! the webhook sets are unknown. So if the zero value of a missing field is valid, it is unknown whether the missing field is an error.

use std::sync::Arc;

use crd_analyzer_resource::{Decider, ResourceVerdict, codes::UNCHECKED_RULES};
use crd_analyzer_schema::codes::MISSING_PROPERTY;
use crd_analyzer_schema::field::Segment;
use crd_analyzer_syntax::paths::Step;

use super::locate::Locate;
use crate::{
    documents::spans,
    findings::finding::{Class, Finding, Severity},
    findings::report::DocumentVerdict,
};

/// The keywords of a schema that may reject the zero value of its type.
const MAY_REFUSE_ZERO: [&str; 11] = [
    "enum",
    "pattern",
    "format",
    "minLength",
    "minimum",
    "maximum",
    "minProperties",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
];

impl Locate<'_> {
    /// Turns errors about missing fields into warnings if the webhook may set the fields. `verdict` was converted from `answer`. Returns whether any
    /// were turned.
    pub(super) fn expect_webhook(
        &self,
        verdict: &mut DocumentVerdict,
        answer: &ResourceVerdict,
        webhook: impl FnOnce() -> Option<Arc<str>>,
    ) -> bool {
        let may_be_set: Vec<bool> = answer
            .errors
            .iter()
            .map(|it| {
                let decider = it.decider.as_ref().filter(|_| it.error.code == MISSING_PROPERTY);
                let name = it.error.path.segments().last();
                decider
                    .zip(name)
                    .is_some_and(|(decider, name)| self.takes_zero(decider, name))
            })
            .collect();
        if !may_be_set.contains(&true) {
            return false;
        }
        let Some(webhook) = webhook() else { return false };
        let mut may_be_set = may_be_set.into_iter();
        let of_webhook = |_: &mut Finding| may_be_set.next() == Some(true);
        let set = verdict.errors.extract_if(.., of_webhook);
        verdict.hints.extend(set.map(|mut it| {
            it.class = Class::Hint;
            it.severity = Severity::Warning;
            it.notes.push(format!(
                "the mutating webhook `{webhook}` may set it before the API server checks the object"
            ));
            it
        }));
        // Rules that need the whole object were not checked, so it is unknown whether they fail.
        if verdict.errors.iter().all(|it| it.code == UNCHECKED_RULES) {
            verdict.errors.clear();
        }
        true
    }

    /// Whether a property's own schema accepts the zero value of the property's type. `decider` is the `required` that contains the property.
    fn takes_zero(&self, decider: &Decider, name: &Segment) -> bool {
        let (Segment::Field(name) | Segment::Key(name)) = name else {
            return false;
        };
        let Some((_, schema)) = decider.path.segments().split_last() else {
            return false;
        };
        let mut steps: Vec<Step<'_>> = spans::steps(schema);
        steps.extend([Step::key("properties"), Step::key(name.as_str())]);
        let tree = &self.definition.tree;
        let place = self.finder.find_from(self.definition.root, &steps);
        if !place.is_found() {
            return false;
        }
        let node = tree.resolve(place.node);
        let has = |key| self.finder.lookup(node, key).is_some();
        let kind = self.finder.lookup(node, "type");
        let kind = kind.map(|it| tree.scalar(tree.resolve(it.value)).into_owned());
        // Go writes null for an empty list, and the API server treats null as missing.
        matches!(
            kind.as_deref(),
            Some("boolean" | "integer" | "number" | "string" | "object")
        ) && !MAY_REFUSE_ZERO.iter().any(|it| has(it))
    }
}
