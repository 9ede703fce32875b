//! Kubernetes versions: which answers are asked for, and since when a fact holds.

use std::fmt;

/// A Kubernetes version, `1.N`. One value of this type runs through everything that depends on the API server's version.
///
/// Facts that changed between Kubernetes versions are data with a `since` (and, rarely, an `until`) of this type, or one comparison
/// at the place where the API server's code changed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct KubernetesVersion(u8);

impl KubernetesVersion {
    /// The oldest Kubernetes version whose answers are known.
    pub const OLDEST: Self = Self(30);
    /// The newest Kubernetes version whose answers are known, and the one asked for when nothing else is said.
    pub const NEWEST: Self = Self(37);

    /// The Kubernetes version `1.{minor}`, whether or not its server's answers are known (libraries may be older than any server we answer for).
    pub const fn minor(minor: u8) -> Self {
        Self(minor)
    }

    /// The number after `1.`.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// All Kubernetes versions whose answers are known, oldest first.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> {
        (Self::OLDEST.0..=Self::NEWEST.0).map(Self)
    }

    /// The Kubernetes version that an API server of this one compiles *new* CEL expressions for: the one before
    /// (`k8s.io/apiserver/pkg/cel/environment`, `DefaultCompatibilityVersion`).
    #[must_use]
    pub const fn compatibility(self) -> Self {
        Self(self.0 - 1)
    }
}

impl Default for KubernetesVersion {
    fn default() -> Self {
        Self::NEWEST
    }
}

impl fmt::Display for KubernetesVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1.{}", self.0)
    }
}
