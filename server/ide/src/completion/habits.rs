//! Statistics on what people write next, from real manifests (`cargo xtask habits`): keys by the key before them, values by the key before
//! theirs, and types of properties by their names.

use std::{borrow::Cow, collections::HashMap, sync::LazyLock};

use crd_analyzer_syntax::tree::{NodeId, Tree};

use super::nav;

/// The table's name for "no key", which precedes the first key of a mapping.
pub(super) const FIRST: &str = "-";

/// The table's place for types of properties. They are listed by the name of the property.
const TYPE_OF: &str = "type-of";

/// By struct or field of the API, and by the key before: words with their shares.
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

/// The share, from 0 to 1, of a word among the words that come next at a place. `place`: a struct for keys, `struct.field` for values.
pub(super) fn share(place: &str, before: &str, word: &str) -> f64 {
    let known = TABLE.get(&(place, before));
    let found = known.and_then(|it| it.iter().find(|it| it.0 == word));
    found.map_or(0.0, |it| it.1)
}

/// The share, from 0 to 1, of a key among the keys that come next in a custom resource. `parent`: the key of the mapping, or of the list that
/// contains it.
pub(super) fn share_in_resource(parent: &str, before: &str, word: &str) -> f64 {
    share(&format!("/{parent}"), before, word)
}

/// The share, from 0 to 1, of a type among properties of this name. `None` if the name is not in the table.
pub(super) fn share_of_type(property: &str, r#type: &str) -> Option<f64> {
    let is_known = TABLE.contains_key(&(TYPE_OF, property));
    is_known.then(|| share(TYPE_OF, property, r#type))
}

/// A key as the table names it. `type` includes its value.
pub(super) fn name<'t>(tree: &'t Tree, mapping: NodeId, key: &Cow<'t, str>) -> Cow<'t, str> {
    match nav::text(tree, mapping, key).filter(|_| key == "type") {
        Some(value) => format!("type={value}").into(),
        None => key.clone(),
    }
}

/// The key before the one whose value is being written.
pub(super) fn before_value(tree: &Tree, mapping: NodeId, offset: u32) -> Cow<'_, str> {
    let keys = tree.entries(mapping).map(|it| it.key);
    // The last key that begins before the cursor is the value's own key.
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
