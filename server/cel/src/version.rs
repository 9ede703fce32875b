//! Kubernetes versions.

use std::fmt;

/// A Kubernetes version, `1.N`. Everything that depends on the API server's version uses this type.
///
/// Facts that changed between Kubernetes versions are data with a `since` (and, rarely, an `until`) of this type, or one comparison
/// at the place where the API server's code changed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct KubernetesVersion(u8);

impl KubernetesVersion {
    /// The oldest supported Kubernetes version.
    pub const OLDEST: Self = Self(30);
    /// The newest supported Kubernetes version, which is the default.
    pub const NEWEST: Self = Self(37);

    /// The Kubernetes version `1.{minor}`, which may be unsupported (libraries can be older than any supported API server).
    pub const fn minor(minor: u8) -> Self {
        Self(minor)
    }

    /// The number after `1.`.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// All supported Kubernetes versions, oldest first.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> {
        (Self::OLDEST.0..=Self::NEWEST.0).map(Self)
    }

    /// The Kubernetes version that determines the features in *new* CEL expressions on an API server of this version: the previous version
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
