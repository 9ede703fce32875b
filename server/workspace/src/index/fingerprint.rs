//! Fingerprints that distinguish texts.

use std::{
    fmt,
    hash::{BuildHasher as _, Hasher as _},
};

use foldhash::quality::{FixedState, FoldHasher};

/// A hash of a text, and the length of the text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(u64, u32);

impl Fingerprint {
    /// The fingerprint of a text.
    pub fn of(text: &str) -> Self {
        let mut hasher = FixedState::default().build_hasher();
        hasher.write(text.as_bytes());
        Self(hasher.finish(), text.len() as u32)
    }
}

impl Fingerprint {
    /// The fingerprint of a file that a lock lists with this SHA-256 and this size in bytes.
    pub(super) fn locked(sha256: &str, bytes: u32) -> Self {
        let begin = sha256.get(..16).and_then(|it| u64::from_str_radix(it, 16).ok());
        Self(begin.unwrap_or_default(), bytes)
    }

    /// The fingerprint of the data that `give` writes to a hasher.
    pub(super) fn hashed(give: impl FnOnce(&mut FoldHasher<'_>)) -> Self {
        let mut hasher = FixedState::default().build_hasher();
        give(&mut hasher);
        Self(hasher.finish(), 0)
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}+{}", self.0, self.1)
    }
}
