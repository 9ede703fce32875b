//! Parses the arguments of `explain`: a kind by one of its names, and a path of fields.

use crd_analyzer_apiextensions::types::compare_version_names;

/// The names of fields after the name of the kind.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FieldPath(pub Vec<String>);

impl FieldPath {
    /// Parses `spec.hosts[*].name`. A dot is part of a name if a backslash precedes it or if it is in brackets: `labels['a.b']`. List indices are
    /// ignored, because all items have the same fields.
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

/// The version that `kubectl` uses if no version is named: the first version in the API server's discovery.
pub fn newest_version<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    names.into_iter().max_by(|one, other| compare_version_names(one, other))
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
