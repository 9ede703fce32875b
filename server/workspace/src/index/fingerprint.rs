//! What tells texts from each other.

use std::{
    fmt,
    hash::{BuildHasher as _, Hasher as _},
};

use foldhash::quality::FixedState;

/// What tells the text of one document from another: its hash.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(u64, u32);

impl Fingerprint {
    /// Of a text.
    pub fn of(text: &str) -> Self {
        let mut hasher = FixedState::default().build_hasher();
        hasher.write(text.as_bytes());
        Self(hasher.finish(), text.len() as u32)
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}+{}", self.0, self.1)
    }
}
