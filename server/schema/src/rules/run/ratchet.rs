//! Which failures of rules are only worth a warning, because nothing that they see has changed (`ratchetingOptions`).

use serde_json::Value;

use crate::JsonSchemaProps;
use crate::unknown::Known;
use crate::validation::correlate::{Correlated, Memo};

/// What a value of the new object is compared with.
#[derive(Clone, Copy)]
pub(super) struct Ratchet<'v> {
    /// The old value, where there is one.
    current: Option<Correlated<'v, 'v>>,
    /// What lies around it; where there is not an old value, the closest around it that has one.
    around: Option<Correlated<'v, 'v>>,
}

impl<'v> Ratchet<'v> {
    /// Nothing is compared: the object is new.
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

    /// Whether nothing changed.
    pub(super) fn forgives(self, memo: &Memo<'v>) -> bool {
        self.current.or(self.around).is_some_and(|it| memo.equal(it))
    }

    /// In `allOf` only what lies around a value counts.
    pub(super) fn all_of(self) -> Self {
        Self { current: None, ..self }
    }

    pub(super) fn key(self, name: &str) -> Self {
        let Some(current) = self.current else {
            return self;
        };
        // The type of the object is converted before anybody compares.
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
