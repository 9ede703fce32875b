//! Sets of JSON types that a Go type may have.

/// A set of JSON types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Kinds(u8);

impl Kinds {
    /// The set that contains only schemas without a type. The sets below contain one JSON type each.
    pub(super) const NONE: Self = Self(1);
    pub(super) const STRING: Self = Self(2);
    pub(super) const INTEGER: Self = Self(4);
    pub(super) const NUMBER: Self = Self(8);
    pub(super) const BOOLEAN: Self = Self(16);
    pub(super) const ARRAY: Self = Self(32);
    pub(super) const OBJECT: Self = Self(64);
    /// A type that JSON does not have.
    pub(super) const ODD: Self = Self(128);
    /// Any type, because the real one is unknown.
    pub(super) const ALL: Self = Self(255);

    /// The JSON type with this name.
    pub(super) fn named(name: &str) -> Self {
        match name {
            "" => Self::NONE,
            "string" => Self::STRING,
            "integer" => Self::INTEGER,
            "number" => Self::NUMBER,
            "boolean" => Self::BOOLEAN,
            "array" => Self::ARRAY,
            "object" => Self::OBJECT,
            _ => Self::ODD,
        }
    }

    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the two sets have a type in common.
    pub(super) const fn meets(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }
}
