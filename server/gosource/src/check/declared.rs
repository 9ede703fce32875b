//! Markers that a project declares in its configuration, because its own tools read them.

use std::collections::BTreeSet;

/// The maximum length of a name, in bytes.
const LONGEST: usize = 256;

/// The names of markers that a project declares. A name also covers all names that start with it and a colon.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Declared(BTreeSet<String>);

/// The reason why a string is not the name of a marker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoName {
    /// The string is empty.
    Empty,
    /// The string is longer than the limit.
    Long,
    /// The string contains a blank.
    Blank,
    /// The string contains `=`, which would end a name.
    Value,
}

impl std::fmt::Display for NoName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Empty => "the name of a marker is missing",
            Self::Long => "the name of a marker has at most 256 bytes",
            Self::Blank => "the name of a marker contains no spaces",
            Self::Value => "the name of a marker contains no `=`",
        })
    }
}

/// The name in a string that may start with a plus sign.
pub fn name_in(written: &str) -> Result<&str, NoName> {
    let name = written.strip_prefix('+').unwrap_or(written).trim_end_matches(':');
    if name.is_empty() {
        Err(NoName::Empty)
    } else if name.len() > LONGEST {
        Err(NoName::Long)
    } else if name.contains(|it: char| it.is_whitespace() || it.is_control()) {
        Err(NoName::Blank)
    } else if name.contains('=') {
        Err(NoName::Value)
    } else {
        Ok(name)
    }
}

impl Declared {
    /// Creates a list of markers with these names.
    pub fn new<'n>(written: impl IntoIterator<Item = &'n str>) -> Result<Self, NoName> {
        let names = written.into_iter().map(|it| name_in(it).map(str::to_owned));
        names.collect::<Result<_, _>>().map(Self)
    }

    /// Adds the names of another list.
    pub fn add(&mut self, other: &Self) {
        self.0.extend(other.0.iter().cloned());
    }

    /// Whether the list contains the name, or a shorter name that covers it.
    pub fn covers(&self, name: &str) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let ends = name.match_indices(':').map(|it| it.0).take_while(|it| *it <= LONGEST);
        let above = ends.filter_map(|it| name.get(..it));
        let own = Some(name).filter(|it| it.len() <= LONGEST);
        above.chain(own).any(|it| self.0.contains(it))
    }

    /// The names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_includes_those_below_it() {
        let declared = Declared::new(["+kubebuilder:oneOf", "example:", "a"]).expect("names");
        for name in [
            "kubebuilder:oneOf",
            "kubebuilder:oneOf:",
            "kubebuilder:oneOf:a",
            "example:b:c",
            "a",
        ] {
            assert!(declared.covers(name), "{name}");
        }
        let long = format!("kubebuilder:oneOf{}", "x".repeat(LONGEST));
        for name in ["kubebuilder", "kubebuilder:oneOff", "examples", "b", "", long.as_str()] {
            assert!(!declared.covers(name), "{name}");
        }
        assert!(!Declared::default().covers("a"));
    }

    #[test]
    fn not_every_text_is_a_name() {
        for (written, expected) in [
            ("a:b", Ok("a:b")),
            ("+a", Ok("a")),
            ("", Err(NoName::Empty)),
            ("+:", Err(NoName::Empty)),
            ("a b", Err(NoName::Blank)),
            ("a=b", Err(NoName::Value)),
        ] {
            assert_eq!(name_in(written), expected, "{written}");
        }
        assert_eq!(name_in(&"a".repeat(300)), Err(NoName::Long));
    }
}
