//! Statistics on what people write next in real manifests, from `cargo xtask habits`. They cover keys by the previous key, values by the key before
//! theirs, and the types of properties by property name.

use std::{borrow::Cow, collections::HashMap, sync::LazyLock};

use crd_analyzer_syntax::tree::{NodeId, Tree};

use super::nav;

/// The name in the table for "no previous key", which applies to the first key of a mapping.
pub(super) const FIRST: &str = "-";

/// The name in the table for statistics on the types of properties, which are listed by property name.
const TYPE_OF: &str = "type-of";

/// The words that come next, with their shares, by struct or field of the API and by the previous key.
type Table = HashMap<(&'static str, &'static str), Vec<(&'static str, f64)>>;

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let lines = include_str!("habits.txt").lines().filter(|it| !it.starts_with('#'));
    lines
        .filter_map(|line| {
            let (place, words) = line.split_once(": ")?;
            let mut words: Vec<_> = words
                .split(' ')
                .collect::<Vec<_>>()
                .chunks_exact(2)
                .map(|it| (it[0], it[1]))
                .collect();
            words.retain(|it| !it.0.is_empty());
            let counted = words.iter().map(|(word, count)| (*word, count.parse().unwrap_or(0.0)));
            let counted: Vec<(&str, f64)> = counted.collect();
            let all: f64 = counted.iter().map(|it| it.1).sum();
            Some((
                place.split_once(' ')?,
                counted.into_iter().map(|it| (it.0, it.1 / all)).collect(),
            ))
        })
        .collect()
});

/// The share, from 0 to 1, of a word among the words that come next. `place` is a struct for keys, and `struct.field` for values.
pub(super) fn share(place: &str, before: &str, word: &str) -> f64 {
    let known = TABLE.get(&(place, before));
    let found = known.and_then(|it| it.iter().find(|it| it.0 == word));
    found.map_or(0.0, |it| it.1)
}

/// The share, from 0 to 1, of a key among the keys that come next in a custom resource. `parent` is the key of the mapping, or of the list that
/// contains the mapping.
pub(super) fn share_in_resource(parent: &str, before: &str, word: &str) -> f64 {
    share(&format!("/{parent}"), before, word)
}

/// The share, from 0 to 1, of a type among properties with this name. `None` if the table does not have the name.
pub(super) fn share_of_type(property: &str, r#type: &str) -> Option<f64> {
    let is_known = TABLE.contains_key(&(TYPE_OF, property));
    is_known.then(|| share(TYPE_OF, property, r#type))
}

/// The name of a key in the table. For `type`, the name includes the value.
pub(super) fn name<'t>(tree: &'t Tree, mapping: NodeId, key: &Cow<'t, str>) -> Cow<'t, str> {
    match nav::text(tree, mapping, key).filter(|_| key == "type") {
        Some(value) => format!("type={value}").into(),
        None => key.clone(),
    }
}

/// The key before the key whose value the user is writing.
pub(super) fn before_value(tree: &Tree, mapping: NodeId, offset: u32) -> Cow<'_, str> {
    let keys = tree.entries(mapping).map(|it| it.key);
    // The last key that starts before the cursor is the key of the value.
    let mut before = keys
        .take_while(|it| tree.span(*it).start < offset)
        .collect::<Vec<_>>()
        .into_iter()
        .rev();
    match before.nth(1) {
        Some(key) => name(tree, mapping, &tree.scalar(key)),
        None => FIRST.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_knows_what_comes_next() {
        assert!(share("JSONSchemaProps.type", "properties", "object") > 0.9);
        assert!(share("ValidationRule", FIRST, "message") > share("ValidationRule", FIRST, "rule"));
        assert!(share("ValidationRule", "message", "rule") > 0.9);
        assert!(share("ValidationRule", "nothing", "rule") <= 0.0);
        assert!(
            share_in_resource("selector", FIRST, "matchLabels")
                > share_in_resource("selector", FIRST, "matchExpressions")
        );
        assert!(share_of_type("replicas", "integer") > Some(0.9));
        assert_eq!(share_of_type("no-such-name", "integer"), None);
        for ((place, before), words) in &*TABLE {
            let all: f64 = words.iter().map(|it| it.1).sum();
            assert!((all - 1.0).abs() < 1e-9, "{place} {before}: {words:?}");
        }
    }
}
