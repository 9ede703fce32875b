//! Finds versions of releases in the names of files and folders.

use std::fmt;

/// A release version that was found in a name, such as `v1.15.0.yaml`, `widgets-0.86.0` or `release-1.12`. Newer versions compare as greater.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Version {
    numbers: [u32; 3],
    /// Whether this is a final release. It compares as greater than its release candidates.
    is_final: bool,
    /// The part for a release candidate, such as `rc.1`. Empty for a final release.
    candidate: String,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.numbers;
        write!(f, "{major}.{minor}.{patch}")?;
        if self.is_final {
            return Ok(());
        }
        write!(f, "-{}", self.candidate)
    }
}

/// Words that precede the version of something else, such as Go or Kubernetes.
const OF_OTHERS: &[&str] = &["go", "k8s", "kind", "kube", "kubernetes", "ocp", "openshift", "python"];

/// The starts of names of pre-release versions.
const CANDIDATES: &[&str] = &["alpha", "beta", "dev", "pre", "rc", "snapshot"];

impl Version {
    /// The version in the name of a folder, or in the name of a file without its extension.
    pub(crate) fn in_name(name: &str) -> Option<Self> {
        let mut before = "";
        let mut rest = name;
        loop {
            let (word, after) = match rest.find(['-', '_', '@', '+']) {
                Some(at) => (&rest[..at], &rest[at + 1..]),
                None => (rest, ""),
            };
            if let Some(numbers) = numbers(word).filter(|_| !OF_OTHERS.contains(&before)) {
                let candidate = after.split(['-', '_', '@', '+']).next().unwrap_or_default();
                let is_final = !CANDIDATES.iter().any(|it| candidate.starts_with(it));
                return Some(Self {
                    numbers,
                    is_final,
                    candidate: if is_final { String::new() } else { candidate.to_owned() },
                });
            }
            if after.is_empty() {
                return None;
            }
            (before, rest) = (word, after);
        }
    }
}

/// The numbers in `1.2`, `v1.2.3` or `1.2.x`. Versions with a single number, such as `v1`, are API versions.
fn numbers(word: &str) -> Option<[u32; 3]> {
    let word = word.strip_prefix('v').unwrap_or(word);
    let mut numbers = [0; 3];
    let mut count = 0;
    for part in word.split('.') {
        let is_any = count > 0 && part == "x";
        let number = if is_any { u32::MAX } else { number(part)? };
        *numbers.get_mut(count)? = number;
        count += 1;
    }
    (count > 1).then_some(numbers)
}

fn number(part: &str) -> Option<u32> {
    let is_number = !part.is_empty() && part.len() < 6 && part.bytes().all(|it| it.is_ascii_digit());
    is_number.then(|| part.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_in_names() {
        for (name, expected) in [
            ("v1.15.0", Some("1.15.0")),
            ("x-v0.86.0", Some("0.86.0")),
            ("release-1.12", Some("1.12.0")),
            ("widgets_1.2.3-rc.1", Some("1.2.3-rc.1")),
            ("1.2.3-rc1", Some("1.2.3-rc1")),
            ("1.2.3-crds", Some("1.2.3")),
            ("v1", None),
            ("v1beta1", None),
            ("0000_50_widgets", None),
            ("example.com_widgets", None),
            ("k8s-1.25", None),
            ("10.0.0.1", None),
            ("1.2.3.4", None),
            ("", None),
        ] {
            let found = Version::in_name(name).map(|it| it.to_string());
            assert_eq!(found.as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn the_newest_is_the_greatest() {
        let of = |name: &str| Version::in_name(name).expect("a version");
        let sorted = [
            "0.9.9",
            "1.2.0-alpha.1",
            "1.2.0-rc.1",
            "1.2.0",
            "1.10",
            "v1.30.0",
            "1.x.0",
        ];
        for pair in sorted.windows(2).take(5) {
            assert!(of(pair[0]) < of(pair[1]), "{pair:?}");
        }
    }
}
