//! Answers: what a change does in one direction.

use std::fmt;

use serde_json::Value;

/// Whom a change is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Direction {
    /// Objects that OLD accepted and stored, read and written back without a change under NEW.
    Stored,
    /// Objects that are written for OLD and sent to NEW.
    Writers,
    /// Objects that NEW accepts, read by what knows OLD: generated clients, a rollback.
    Readers,
}

impl Direction {
    /// All directions, in the order in which they are told.
    pub const ALL: [Self; 3] = [Self::Stored, Self::Writers, Self::Readers];

    /// The name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stored => "stored",
            Self::Writers => "writers",
            Self::Readers => "readers",
        }
    }

    /// Whether objects are made for NEW and judged by OLD.
    pub(crate) const fn is_backward(self) -> bool {
        matches!(self, Self::Readers)
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What becomes of a witness under the other CRD.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Effect {
    /// The API server refuses it.
    Refused,
    /// The API server does not serve its version or kind.
    Unserved,
    /// The API server drops a part of it.
    Pruned,
    /// The API server fills in another value, or none.
    Defaulted,
    /// A null is stored, where it was dropped before.
    NullKept,
    /// It can no longer be selected by one of its fields.
    Unselectable,
}

impl Effect {
    /// The name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Unserved => "unserved",
            Self::Pruned => "pruned",
            Self::Defaulted => "defaulted",
            Self::NullKept => "null-kept",
            Self::Unselectable => "unselectable",
        }
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An object that shows what a change does. It was run through both CRDs.
#[derive(Clone, PartialEq, Debug)]
pub struct Witness {
    /// The object, as a client sends it.
    pub object: Value,
    /// The object that it replaces, if it shows an update.
    pub old_object: Option<Value>,
    /// Whether the update is one of the status subresource.
    pub is_status: bool,
    /// What the API server answers, in its own words; empty if it refuses nothing.
    pub words: String,
}

/// What a change does in one direction.
#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    /// The witness shows what goes wrong.
    Breaks {
        /// What becomes of the witness.
        effect: Effect,
        /// The witness.
        witness: Witness,
    },
    /// Nothing goes wrong: it is proved.
    Compatible {
        /// Why.
        reason: String,
        /// For stored objects: a value that the API server accepts only as long as it does not change, and would refuse from a writer.
        tolerated: Option<Witness>,
    },
    /// Neither a witness nor a proof was found.
    Unknown {
        /// What was tried or is missing.
        reason: String,
    },
}

impl Answer {
    /// The name, in lower case.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Breaks { .. } => "breaks",
            Self::Compatible { .. } => "compatible",
            Self::Unknown { .. } => "unknown",
        }
    }

    /// The witness, also that of what is tolerated.
    pub const fn witness(&self) -> Option<&Witness> {
        match self {
            Self::Breaks { witness, .. } => Some(witness),
            Self::Compatible { tolerated, .. } => tolerated.as_ref(),
            Self::Unknown { .. } => None,
        }
    }

    /// Whether only an update that changes the value is refused.
    pub const fn is_tolerated(&self) -> bool {
        matches!(self, Self::Compatible { tolerated: Some(_), .. })
    }

    /// How bad it is: of two changes that are told as one, the worse answer is told.
    pub(crate) const fn rank(&self) -> u8 {
        match self {
            Self::Compatible { tolerated: None, .. } => 0,
            Self::Compatible { tolerated: Some(_), .. } => 1,
            Self::Unknown { .. } => 2,
            Self::Breaks { .. } => 3,
        }
    }

    pub(crate) fn compatible(reason: impl Into<String>) -> Self {
        Self::Compatible {
            reason: reason.into(),
            tolerated: None,
        }
    }

    pub(crate) fn unknown(reason: impl Into<String>) -> Self {
        Self::Unknown { reason: reason.into() }
    }
}
