//! Ratcheting: a failure of a rule is only a warning if the values that the rule reads are unchanged (`ratchetingOptions`).

use serde_json::Value;

use crate::JsonSchemaProps;
use crate::unknown::Known;
use crate::validation::correlate::{Correlated, Memo};

/// The old values with which a value of the new object is compared.
#[derive(Clone, Copy)]
pub(super) struct Ratchet<'v> {
    /// The value itself with its old value; `None` without an old value.
    current: Option<Correlated<'v, 'v>>,
    /// The surrounding value. If `current` is `None`, this is the closest surrounding value with an old value.
    around: Option<Correlated<'v, 'v>>,
}

impl<'v> Ratchet<'v> {
    /// No comparison, because the object is new.
    pub(super) const NONE: Self = Self {
        current: None,
        around: None,
    };

    pub(super) fn new(schema: &'v JsonSchemaProps, (new, known): (&'v Value, Known<'v>), old: &'v Value) -> Self {
        Self {
            current: Some(Correlated {
                schema,
                old,
                new,
                known,
            }),
            around: None,
        }
    }

    /// Whether the value is unchanged, so that the failure of a rule is only a warning.
    pub(super) fn forgives(self, memo: &Memo<'v>) -> bool {
        self.current.or(self.around).is_some_and(|it| memo.equal(it))
    }

    /// In `allOf` only the surrounding value is compared.
    pub(super) fn all_of(self) -> Self {
        Self { current: None, ..self }
    }

    pub(super) fn key(self, name: &str) -> Self {
        let Some(current) = self.current else {
            return self;
        };
        // The API server converts `apiVersion` and `kind` before the comparison.
        if self.around.is_none() && matches!(name, "apiVersion" | "kind") {
            return Self::NONE;
        }
        Self {
            current: current.property(name),
            around: Some(current),
        }
    }

    pub(super) fn item(self, index: usize, memo: &Memo<'v>) -> Self {
        let Some(current) = self.current else {
            return self;
        };
        Self {
            current: memo.item(current, index),
            around: Some(current),
        }
    }
}
