//! Describes markers and their arguments, with one sentence each.

use std::{collections::HashMap, sync::LazyLock};

/// The table of descriptions. The first column is a marker, optionally with a blank and an argument (`=` for an unnamed value). The second column is
/// the field of the CRD that the marker sets, or the allowed values of the argument. The third column is the sentence.
const TABLE: &str = include_str!("about.tsv");

/// The prefix of markers that apply to the items of a list.
const OF_ITEMS: &str = "kubebuilder:validation:items:";

/// The description of a marker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct About {
    /// The field of the CRD that the marker sets; empty if none.
    pub sets: &'static str,
    /// A sentence that describes the marker.
    pub sentence: &'static str,
    /// Whether the marker applies to the items of a list.
    pub is_of_items: bool,
}

/// The description of an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Argument {
    values: &'static str,
    /// A sentence that describes the argument; empty for an unnamed value.
    pub sentence: &'static str,
}

impl Argument {
    /// The allowed values of the argument, if there are only a few.
    pub fn values(self) -> impl Iterator<Item = &'static str> {
        self.values.split(' ').filter(|it| !it.is_empty())
    }
}

type Row = (&'static str, &'static str);

static ALL: LazyLock<HashMap<&'static str, Row>> = LazyLock::new(|| TABLE.lines().filter_map(row).collect());

fn row(line: &'static str) -> Option<(&'static str, Row)> {
    let mut cells = line.split('\t');
    Some((cells.next()?, (cells.next()?, cells.next()?)))
}

/// The marker that has the same effect on a value as this marker has on the items of a list.
fn of_value(name: &str) -> Option<String> {
    let word = name.strip_prefix(OF_ITEMS)?;
    Some(format!("kubebuilder:validation:{word}"))
}

/// The description of a marker.
pub fn marker(name: &str) -> Option<About> {
    let of_value = of_value(name);
    let (sets, sentence) = ALL.get(of_value.as_deref().unwrap_or(name))?;
    let is_of_items = of_value.is_some();
    Some(About {
        sets,
        sentence,
        is_of_items,
    })
}

/// The description of a marker's argument.
pub fn argument(marker: &str, name: &str) -> Argument {
    let of_value = of_value(marker);
    let marker = of_value.as_deref().unwrap_or(marker);
    let name = if name.is_empty() { "=" } else { name };
    let found = ALL.get(format!("{marker} {name}").as_str());
    let (values, sentence) = found.copied().unwrap_or_default();
    Argument { values, sentence }
}

#[cfg(test)]
mod tests {
    use super::super::catalog;
    use super::*;

    #[test]
    fn all_is_described_and_nothing_else() {
        for name in catalog::names() {
            assert!(marker(name).is_some_and(|it| !it.sentence.is_empty()), "{name}");
            let definitions = catalog::definitions(name);
            for it in definitions.iter().flat_map(|it| &it.arguments) {
                let is_named = !it.name.is_empty() && definitions.iter().any(|it| it.arguments.len() > 1);
                let about = argument(name, &it.name);
                assert!(!is_named || !about.sentence.is_empty(), "{name} {}", it.name);
            }
        }
        for (key, _) in TABLE.lines().filter_map(row) {
            let (name, argument) = key.split_once(' ').unwrap_or((key, ""));
            let name_of_argument = argument.trim_start_matches('=');
            let known = catalog::definitions(name);
            let has_argument = |it: &catalog::Definition| it.arguments.iter().any(|it| it.name == name_of_argument);
            assert!(!known.is_empty(), "{key}");
            assert!(argument.is_empty() || known.iter().any(has_argument), "{key}");
        }
        assert_eq!(ALL.len(), TABLE.lines().count(), "a row is there twice");
    }

    #[test]
    fn items_are_described_as_values() {
        let items = marker("kubebuilder:validation:items:MaxLength").expect("a marker");
        assert_eq!((items.sets, items.is_of_items), ("maxLength", true));
        let reasons = argument("kubebuilder:validation:items:XValidation", "reason");
        assert_eq!(reasons.values().count(), 4);
        assert_eq!(argument("listType", "").values().next(), Some("atomic"));
        assert_eq!(argument("groupName", ""), Argument::default());
    }
}
