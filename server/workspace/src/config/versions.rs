//! Sets of Kubernetes versions.

use std::{fmt, str::FromStr};

use crd_analyzer_schema::KubernetesVersion;

/// A non-empty set of supported Kubernetes versions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct VersionSet(u16);

impl VersionSet {
    /// All supported Kubernetes versions.
    pub fn all() -> Self {
        KubernetesVersion::all().map(Self::one).fold(Self(0), Self::union)
    }

    /// Only this Kubernetes version.
    pub fn one(version: KubernetesVersion) -> Self {
        Self(1 << (version.number() - KubernetesVersion::OLDEST.number()))
    }

    /// The Kubernetes versions of either set.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The Kubernetes versions that are in both sets. `None` if there are none.
    #[must_use]
    pub fn intersection(self, other: Self) -> Option<Self> {
        let both = self.0 & other.0;
        (both != 0).then_some(Self(both))
    }

    /// The Kubernetes versions, oldest first.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = KubernetesVersion> {
        KubernetesVersion::all().filter(move |version| self.contains(*version))
    }

    /// Whether the Kubernetes version is in the set.
    pub fn contains(self, version: KubernetesVersion) -> bool {
        self.0 & Self::one(version).0 != 0
    }

    /// The newest Kubernetes version of the set.
    pub fn newest(self) -> KubernetesVersion {
        self.iter().next_back().unwrap_or_default()
    }

    /// The number of Kubernetes versions.
    pub fn count(self) -> usize {
        self.0.count_ones() as usize
    }
}

impl Default for VersionSet {
    /// A set with only the newest Kubernetes version.
    fn default() -> Self {
        Self::one(KubernetesVersion::NEWEST)
    }
}

impl fmt::Display for VersionSet {
    /// Formats runs of Kubernetes versions: `1.30`, `1.31 to 1.37`, `1.30 and 1.33 to 1.37`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut runs: Vec<(KubernetesVersion, KubernetesVersion)> = Vec::new();
        for version in self.iter() {
            match runs.last_mut() {
                Some((_, last)) if last.number() + 1 == version.number() => *last = version,
                _ => runs.push((version, version)),
            }
        }
        for (n, (first, last)) in runs.iter().enumerate() {
            if n > 0 {
                f.write_str(if n + 1 == runs.len() { " and " } else { ", " })?;
            }
            if first == last {
                write!(f, "{first}")?;
            } else {
                write!(f, "{first} to {last}")?;
            }
        }
        Ok(())
    }
}

/// The reason why a string is not a set of Kubernetes versions.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum VersionError {
    /// The string does not have a form such as `1.31`, `1.30..1.37` or `all`.
    #[error("`{0}` is not a Kubernetes version: write `1.31`, a range `1.30..1.37`, or `all`")]
    Form(String),
    /// The Kubernetes version is not supported.
    #[error("Kubernetes {0} is not known: choose from {oldest} to {newest}", oldest = KubernetesVersion::OLDEST, newest = KubernetesVersion::NEWEST)]
    Unknown(String),
    /// The range ends before it starts.
    #[error("the range `{0}` ends before it begins")]
    Backwards(String),
}

/// Parses one Kubernetes version: `1.31`, `v1.31` or a patch release such as `1.31.4`.
fn one(text: &str) -> Result<KubernetesVersion, VersionError> {
    let form = || VersionError::Form(text.to_owned());
    let mut numbers = text.trim().trim_start_matches('v').split('.');
    let (Some("1"), Some(minor), patch, None) = (numbers.next(), numbers.next(), numbers.next(), numbers.next()) else {
        return Err(form());
    };
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(minor) || patch.is_some_and(|patch| !digits(patch)) {
        return Err(form());
    }
    minor
        .parse()
        .ok()
        .map(KubernetesVersion::minor)
        .filter(|version| (KubernetesVersion::OLDEST..=KubernetesVersion::NEWEST).contains(version))
        .ok_or_else(|| VersionError::Unknown(text.trim().to_owned()))
}

impl FromStr for VersionSet {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.trim() == "all" {
            return Ok(Self::all());
        }
        let Some((first, last)) = text.split_once("..") else {
            return one(text).map(Self::one);
        };
        let of_range = |error| match error {
            VersionError::Form(_) => VersionError::Form(text.to_owned()),
            other => other,
        };
        let (first, last) = (one(first), one(last.trim_start_matches('=')));
        let (first, last) = (first.map_err(of_range)?, last.map_err(of_range)?);
        KubernetesVersion::all()
            .filter(|version| (first..=last).contains(version))
            .map(Self::one)
            .reduce(Self::union)
            .ok_or_else(|| VersionError::Backwards(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        let got = text
            .parse::<VersionSet>()
            .map_or_else(|error| error.to_string(), |set| set.to_string());
        assert_eq!(got, expect, "{text}");
    }

    #[test]
    fn reads_a_minor_a_range_and_all() {
        check("1.31", "1.31");
        check("v1.31.4", "1.31");
        check("1.30..1.32", "1.30 to 1.32");
        check("all", "1.30 to 1.37");
    }

    #[test]
    fn says_what_is_wrong_with_others() {
        check("1.29", "Kubernetes 1.29 is not known: choose from 1.30 to 1.37");
        check("1.300", "Kubernetes 1.300 is not known: choose from 1.30 to 1.37");
        check("1.34..1.31", "the range `1.34..1.31` ends before it begins");
        check(
            "2",
            "`2` is not a Kubernetes version: write `1.31`, a range `1.30..1.37`, or `all`",
        );
    }

    #[test]
    fn half_a_range_is_named_as_it_is_written() {
        check(
            "1.31..",
            "`1.31..` is not a Kubernetes version: write `1.31`, a range `1.30..1.37`, or `all`",
        );
    }

    #[test]
    fn prints_runs() {
        let odd = VersionSet::one(KubernetesVersion::minor(30))
            .union(VersionSet::one(KubernetesVersion::minor(33)))
            .union(VersionSet::one(KubernetesVersion::minor(34)));
        assert_eq!(odd.to_string(), "1.30 and 1.33 to 1.34");
    }
}
