//! One lint, as data.

use std::ops::Range;

use crd_analyzer_schema::field::{Error, Path};
use serde_json::Value;

use crate::codes;

/// Something that the API server accepts and that its author can hardly have meant.
#[derive(Clone, PartialEq, Debug)]
pub struct Lint {
    /// Where, in the internal form of the CRD.
    pub path: Path,
    /// The part of the string there that is to blame, in bytes; absent if it is all of the value.
    pub bytes: Option<Range<usize>>,
    /// What is wrong.
    pub problem: Problem,
}

/// A keyword that limits a value, and the limit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bound {
    /// `minimum` and so on.
    pub keyword: &'static str,
    /// Its value.
    pub value: f64,
}

/// What is wrong.
#[derive(Clone, PartialEq, Debug)]
pub enum Problem {
    /// A step of a path leads to nothing.
    UnknownPath {
        /// The path belongs to `scale`, else to a printer column.
        is_scale: bool,
        /// The step as it is written.
        step: String,
        /// The value that has no such property, as a path: `spec.hosts[*]`; empty for the root.
        parent: String,
        /// The properties that it has.
        known: Vec<String>,
    },
    /// The values that a column reads are never of the column's type.
    ColumnType {
        /// The column's type.
        column: String,
        /// The property's type.
        property: String,
    },
    /// The values that `scale` reads are never of the type that it needs.
    ScaleType {
        /// The type that it needs.
        wanted: &'static str,
        /// The property's type.
        property: String,
    },
    /// `required` names a property that does not exist.
    UndefinedRequired {
        /// The name.
        name: String,
        /// The properties that exist.
        known: Vec<String>,
        /// It is in `anyOf` or the like, so that some objects may be valid.
        in_junctor: bool,
    },
    /// A name is listed before.
    RepeatedName {
        /// The name.
        name: String,
        /// The list: `shortNames` or `categories`.
        list: &'static str,
    },
    /// There is `status`, but no subresource.
    StatusWithoutSubresource,
    /// The storage version does not have properties of this version.
    LostProperties {
        /// This version.
        version: String,
        /// The version that is stored.
        storage: String,
        /// Properties that the storage version does not have, as paths.
        properties: Vec<String>,
    },
    /// No value is between two bounds.
    ContradictoryBounds {
        /// The lower one.
        low: Bound,
        /// The upper one.
        high: Bound,
    },
    /// No value of the schema can be this.
    ImpossibleEnumValue {
        /// The value.
        value: Value,
        /// Why the API server rejects it.
        error: Box<Error>,
    },
    /// The pattern rejects nothing.
    PatternMatchesEverything,
    /// The pattern rejects everything.
    PatternMatchesNothing,
    /// No version is served.
    NoServedVersion,
    /// Server-side apply takes the list as one value.
    ListWithoutType,
}

impl Problem {
    /// The diagnostic code.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::UnknownPath { is_scale: true, .. } => codes::UNKNOWN_SCALE_PATH,
            Self::UnknownPath { is_scale: false, .. } => codes::UNKNOWN_COLUMN_PATH,
            Self::ColumnType { .. } => codes::COLUMN_TYPE_MISMATCH,
            Self::ScaleType { .. } => codes::SCALE_TYPE_MISMATCH,
            Self::UndefinedRequired { .. } => codes::UNDEFINED_REQUIRED_PROPERTY,
            Self::RepeatedName { .. } => codes::REPEATED_NAME,
            Self::StatusWithoutSubresource => codes::STATUS_WITHOUT_SUBRESOURCE,
            Self::LostProperties { .. } => codes::PROPERTIES_LOST_IN_STORAGE,
            Self::ContradictoryBounds { .. } => codes::CONTRADICTORY_BOUNDS,
            Self::ImpossibleEnumValue { .. } => codes::IMPOSSIBLE_ENUM_VALUE,
            Self::PatternMatchesEverything => codes::PATTERN_MATCHES_EVERYTHING,
            Self::PatternMatchesNothing => codes::PATTERN_MATCHES_NOTHING,
            Self::NoServedVersion => codes::NO_SERVED_VERSION,
            Self::ListWithoutType => codes::LIST_WITHOUT_TYPE,
        }
    }

    /// The problem at a place.
    pub(crate) const fn at(self, path: Path) -> Lint {
        Lint {
            path,
            bytes: None,
            problem: self,
        }
    }
}
