//! What a person types after `explain`: a kind by one of its names, and a path of fields.

use std::cmp::Ordering;

/// The names of fields behind the name of a kind.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FieldPath(pub Vec<String>);

impl FieldPath {
    /// Reads `spec.hosts[*].name`. A backslash before a dot makes it part of a name, and so do brackets: `labels['a.b']`. Positions in
    /// lists are passed over: the fields of all items are the same.
    pub fn read(written: &str) -> Self {
        let mut names = Vec::new();
        let mut name = String::new();
        let mut rest = written.chars();
        let mut end = |name: &mut String| {
            if !name.is_empty() {
                names.push(std::mem::take(name));
            }
        };
        while let Some(c) = rest.next() {
            match c {
                '.' => end(&mut name),
                '\\' => name.extend(rest.next()),
                '[' => {
                    end(&mut name);
                    let inside: String = rest.by_ref().take_while(|it| *it != ']').collect();
                    let quoted = ['\'', '"']
                        .into_iter()
                        .find_map(|it| inside.strip_prefix(it)?.strip_suffix(it));
                    name.push_str(quoted.unwrap_or_default());
                    end(&mut name);
                }
                c => name.push(c),
            }
        }
        end(&mut name);
        Self(names)
    }
}

/// The version that `kubectl` takes if none is named: the first one of the API server's discovery
/// (`CompareKubeAwareVersionStrings` of `k8s.io/apimachinery/pkg/version`).
pub fn newest_version<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    names.into_iter().max_by(|one, other| by_priority(one, other))
}

fn by_priority(one: &str, other: &str) -> Ordering {
    match (priority(one), priority(other)) {
        // Of names that are no versions the first one of the alphabet.
        (None, None) => other.cmp(one),
        (one, other) => one.cmp(&other),
    }
}

/// The stage (alpha, beta, stable), the major and the minor number.
fn priority(name: &str) -> Option<(u8, u64, u64)> {
    let (major, rest) = number(name.strip_prefix('v')?)?;
    if rest.is_empty() {
        return Some((2, major, 0));
    }
    let stages = [("alpha", 0), ("beta", 1)];
    stages.into_iter().find_map(|(word, stage)| {
        let (minor, rest) = number(rest.strip_prefix(word)?)?;
        rest.is_empty().then_some((stage, major, minor))
    })
}

/// The number that a text begins with, and what follows it.
fn number(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::{FieldPath, newest_version};

    #[track_caller]
    fn check(written: &str, names: &[&str]) {
        assert_eq!(FieldPath::read(written).0, names, "{written}");
    }

    #[test]
    fn reads_paths() {
        check("", &[]);
        check("spec.replicas", &["spec", "replicas"]);
        check(".spec.", &["spec"]);
        check("spec.hosts[*].name", &["spec", "hosts", "name"]);
        check("spec.hosts[0]", &["spec", "hosts"]);
        check(r"spec.a\.b", &["spec", "a.b"]);
        check("spec['a.b'].c", &["spec", "a.b", "c"]);
        check("spec['a", &["spec"]);
    }

    #[test]
    fn takes_the_version_that_discovery_lists_first() {
        let newest = |names: &[&'static str]| newest_version(names.iter().copied());
        assert_eq!(newest(&[]), None);
        assert_eq!(newest(&["v1", "v2beta1", "v1beta2"]), Some("v1"));
        assert_eq!(newest(&["v1alpha9", "v1beta1", "v1beta2"]), Some("v1beta2"));
        assert_eq!(newest(&["v2", "v10"]), Some("v10"));
        assert_eq!(newest(&["foo", "bar"]), Some("bar"));
        assert_eq!(newest(&["foo", "v1alpha1"]), Some("v1alpha1"));
    }
}
