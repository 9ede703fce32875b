//! Answers: the effect of a change on stored objects, writers or readers (the directions).

use std::fmt;

use serde_json::Value;

/// The objects and clients that a change can affect.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Direction {
    /// Stored objects: OLD accepted them, a client reads them, and writes them back unchanged under NEW.
    Stored,
    /// Writers: clients that write objects for OLD and send them to NEW.
    Writers,
    /// Readers: clients that were written for OLD (such as generated clients, or clients after a rollback) and read objects that NEW accepts.
    Readers,
}

impl Direction {
    /// All directions, in the order of the output.
    pub const ALL: [Self; 3] = [Self::Stored, Self::Writers, Self::Readers];

    /// The lower-case name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stored => "stored",
            Self::Writers => "writers",
            Self::Readers => "readers",
        }
    }

    /// The name for users of the CRD that accepted the objects.
    pub(crate) const fn accepting(self) -> &'static str {
        if self.is_backward() { "NEW" } else { "OLD" }
    }

    /// The name for users of the CRD that checks the objects now.
    pub(crate) const fn checking(self) -> &'static str {
        if self.is_backward() { "OLD" } else { "NEW" }
    }

    /// Whether the objects are written for NEW and checked by OLD.
    pub(crate) const fn is_backward(self) -> bool {
        matches!(self, Self::Readers)
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The effect of the other CRD on a witness.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Effect {
    /// The API server rejects the object.
    Refused,
    /// The API server does not serve the object's version or kind.
    Unserved,
    /// The API server drops a part of the object.
    Pruned,
    /// The API server stores another value for a field of the object, or no value.
    Defaulted,
    /// The API server stores a null that it dropped before.
    NullKept,
    /// A field selector can no longer select the object.
    Unselectable,
}

impl Effect {
    /// The lower-case name.
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

/// An object that demonstrates the effect of a change. The object was checked against both CRDs.
#[derive(Clone, PartialEq, Debug)]
pub struct Witness {
    /// The object that a client sends.
    pub object: Value,
    /// The object that the witness replaces, if the witness is an update.
    pub old_object: Option<Value>,
    /// Whether the update goes to the status subresource.
    pub is_status: bool,
    /// The API server's message; empty if the API server does not reject the object.
    pub words: String,
}

/// The effect of a change in one direction.
#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    /// The change breaks something, as the witness demonstrates.
    Breaks {
        /// The effect on the witness.
        effect: Effect,
        /// The witness.
        witness: Witness,
    },
    /// The change breaks nothing, as a proof shows.
    Compatible {
        /// The reason.
        reason: String,
        /// For stored objects: a value that the API server accepts only until an update changes the value, and would reject from a writer.
        tolerated: Option<Witness>,
    },
    /// Neither a witness nor a proof was found.
    Unknown {
        /// The methods that were tried, or the information that is missing.
        reason: String,
    },
}

impl Answer {
    /// The lower-case name.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Breaks { .. } => "breaks",
            Self::Compatible { .. } => "compatible",
            Self::Unknown { .. } => "unknown",
        }
    }

    /// The witness of a break or of a tolerated value.
    pub const fn witness(&self) -> Option<&Witness> {
        match self {
            Self::Breaks { witness, .. } => Some(witness),
            Self::Compatible { tolerated, .. } => tolerated.as_ref(),
            Self::Unknown { .. } => None,
        }
    }

    /// Whether the API server rejects only updates that change the value.
    pub const fn is_tolerated(&self) -> bool {
        matches!(self, Self::Compatible { tolerated: Some(_), .. })
    }

    /// The severity of the answer. If two changes are reported as one, the worse answer is reported.
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

/// A request that creates or updates a custom resource.
#[derive(Clone, PartialEq, Debug)]
pub struct Example {
    /// The new object in the request.
    pub object: Value,
    /// The stored object that the request replaces. `None` if the request creates the object.
    pub old: Option<Value>,
    /// Whether the request updates the status subresource.
    pub is_status: bool,
}
