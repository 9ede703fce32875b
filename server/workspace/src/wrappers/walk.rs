//! Finds the objects inside a document.

use std::{borrow::Cow, collections::HashSet};

use crd_analyzer_syntax::{
    json::Json,
    paths::{Step, lookup},
    tree::{NodeId, Tree},
};

use super::{Part, Place, Purpose, Row, of};

/// The maximum nesting depth of wrappers. Real documents have at most two levels.
pub const MAX_DEPTH: usize = 8;

/// A value of a document, whichever parser created it.
pub trait Value: Clone {
    /// The value of a key, if this is a mapping that has the key.
    fn get(&self, key: &str) -> Option<Self>;

    /// The items, if this is a list.
    fn items(&self) -> Vec<Self>;

    /// The string, if this is a string.
    fn text(&self) -> Option<Cow<'_, str>>;

    /// The node of the value.
    fn node(&self) -> NodeId;
}

impl Value for &Json<'_> {
    fn get(&self, key: &str) -> Option<Self> {
        Json::get(self, key)
    }

    fn items(&self) -> Vec<Self> {
        Json::items(self).unwrap_or_default().iter().collect()
    }

    fn text(&self) -> Option<Cow<'_, str>> {
        self.as_str().map(Cow::Borrowed)
    }

    fn node(&self) -> NodeId {
        self.node
    }
}

impl Value for (&Tree, NodeId) {
    fn get(&self, key: &str) -> Option<Self> {
        let (tree, node) = *self;
        lookup(tree, node, key).map(|it| (tree, tree.resolve(it.value)))
    }

    fn items(&self) -> Vec<Self> {
        let (tree, node) = *self;
        tree.items(node).map(|it| (tree, tree.resolve(it))).collect()
    }

    fn text(&self) -> Option<Cow<'_, str>> {
        let (tree, node) = *self;
        (tree.is_scalar(node) && !tree.is_absent(node)).then(|| tree.scalar(node))
    }

    fn node(&self) -> NodeId {
        self.1
    }
}

/// An object inside another one.
#[derive(Clone, Debug)]
pub struct Wrapped<V> {
    /// The object inside.
    pub value: V,
    /// The value that is beside the object or contains it.
    pub around: V,
    /// The path from the document to the object.
    pub path: Vec<Step<'static>>,
    /// The table row of the wrapper.
    pub row: &'static Row,
    /// The place in the wrapper at which the object is.
    pub place: &'static Place,
    /// For a string whose content has objects: the path to the objects in the documents of the content.
    rest: &'static [Part],
}

impl<V: Value> Wrapped<V> {
    fn is_text(&self) -> bool {
        !self.rest.is_empty()
    }

    /// Whether clients send only the objects inside this object.
    pub fn is_opened(&self) -> bool {
        row_of(&self.value).is_some_and(|it| it.is_opened) && is_begun(&self.value)
    }
}

impl Wrapped<&Json<'_>> {
    /// The purpose of the object.
    pub fn purpose(&self) -> Purpose {
        let rejection = self.place.rejection;
        let is_rejected = rejection.is_some_and(|it| {
            let beside = Json::get(self.around, it.key);
            beside.is_some_and(|value| (it.is_said)(&value.to_value()))
        });
        if is_rejected {
            Purpose::Rejected
        } else {
            self.place.purpose
        }
    }
}

/// The objects in a document. Objects inside other objects come last. If several aliases refer to a wrapper, it is searched once.
pub fn inside<V: Value>(root: &V) -> Vec<Wrapped<V>> {
    let mut all = all(root);
    all.retain(|it| !it.is_text());
    all
}

/// The strings of a document that contain objects.
pub(crate) fn texts<V: Value>(root: &V) -> Vec<Wrapped<V>> {
    let mut all = all(root);
    all.retain(Wrapped::is_text);
    all
}

/// The objects in a document of a string's content: those at the path of the wrapper, and the objects inside them.
pub(crate) fn in_text<V: Value>(text: &Wrapped<impl Value>, root: &V) -> Vec<Wrapped<V>> {
    let mut found = Vec::new();
    let rest = text.rest.get(1..).unwrap_or_default();
    follow((text.row, text.place), rest, (root, root), &[], &mut found);
    let mut seen = HashSet::new();
    look_into_new(0, &mut seen, &mut found);
    found
}

fn all<V: Value>(root: &V) -> Vec<Wrapped<V>> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    look_into(root, &[], &mut seen, &mut found);
    look_into_new(0, &mut seen, &mut found);
    found
}

/// Searches the found objects, from an index on, for more objects inside them.
fn look_into_new<V: Value>(mut next: usize, seen: &mut HashSet<NodeId>, found: &mut Vec<Wrapped<V>>) {
    for _ in 1..MAX_DEPTH {
        let end = found.len();
        for n in next..end {
            let Wrapped { value, path, .. } = found[n].clone();
            look_into(&value, &path, seen, found);
        }
        next = end;
    }
}

/// Searches a value for objects if it is a wrapper.
fn look_into<V: Value>(value: &V, path: &[Step<'static>], seen: &mut HashSet<NodeId>, found: &mut Vec<Wrapped<V>>) {
    let Some(row) = row_of(value).filter(|_| seen.insert(value.node())) else {
        return;
    };
    for place in row.places {
        follow((row, place), place.path, (value, value), path, found);
    }
}

/// Whether a value has the outermost field of a place for objects, even if that field contains none.
pub fn is_begun<V: Value>(value: &V) -> bool {
    let places = row_of(value).map_or(&[][..], |it| it.places);
    let begins = |part: &Part| matches!(part, Part::Key(key) if value.get(key).is_some());
    places.iter().any(|it| it.path.first().is_some_and(begins))
}

fn row_of<V: Value>(value: &V) -> Option<&'static Row> {
    let (api_version, kind) = (value.get("apiVersion"), value.get("kind")?);
    let api_version = api_version.as_ref().and_then(Value::text).unwrap_or_default();
    of(&api_version, &kind.text()?)
}

/// Follows the rest of a path. `around` is the value that contains `value`.
fn follow<V: Value>(
    (row, place): (&'static Row, &'static Place),
    rest: &'static [Part],
    (value, around): (&V, &V),
    path: &[Step<'static>],
    found: &mut Vec<Wrapped<V>>,
) {
    let Some((part, below)) = rest.split_first().filter(|it| *it.0 != Part::Text) else {
        found.push(Wrapped {
            value: value.clone(),
            around: around.clone(),
            path: path.to_vec(),
            row,
            place,
            rest,
        });
        return;
    };
    let mut step = |child: &V, step: Step<'static>| {
        let path = [path, &[step]].concat();
        follow((row, place), below, (child, value), &path, found);
    };
    let keys: &[&'static str] = match part {
        Part::Key(key) => std::slice::from_ref(key),
        Part::OneOf(keys) => keys,
        Part::Items => {
            for (n, item) in value.items().iter().enumerate() {
                step(item, Step::Index(n));
            }
            return;
        }
        Part::Text => &[],
    };
    for key in keys {
        if let Some(child) = value.get(key) {
            step(&child, Step::key(*key));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crd_analyzer_syntax::{
        paths::display,
        read_json,
        split::{read_document, split},
    };

    use super::*;

    /// Checks the paths of the objects that are found in a document.
    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let text: Arc<str> = text.into();
        let tree = read_document(&text, split(&text).documents[0], &[]).expect("YAML");
        let ways = |it: Vec<Vec<Step<'static>>>| it.iter().map(|it| display(it)).collect::<Vec<_>>();
        let json = read_json(&tree).expect("JSON");
        let of_json = inside(&json.root().expect("a value"));
        let of_json = ways(of_json.into_iter().map(|it| it.path).collect());
        let of_tree = inside(&(&tree, tree.root().expect("a node")));
        let of_tree = ways(of_tree.into_iter().map(|it| it.path).collect());
        assert_eq!(of_json, expected, "{text}");
        assert_eq!(of_tree, expected, "{text}");
    }

    #[test]
    fn lists_have_items() {
        check("kind: List\nitems: [{kind: A}, {kind: B}]\n", &["items[0]", "items[1]"]);
        check("kind: WidgetList\nitems: [{kind: Widget}]\n", &["items[0]"]);
        check("kind: List\nitems: {a: {kind: A}}\n", &[]);
        check("kind: List\nitems: text\n", &[]);
        check("kind: [List]\nitems: [{kind: A}]\n", &[]);
        check("kind: Widget\nitems: [{kind: A}]\n", &[]);
        check("[{kind: A}]\n", &[]);
    }

    #[test]
    fn what_is_inside_of_objects_inside_comes_last() {
        check(
            "kind: List\nitems:\n- {kind: List, items: [{kind: A}]}\n- {kind: B}\n",
            &["items[0]", "items[1]", "items[0].items[0]"],
        );
    }

    #[test]
    fn wrappers_are_looked_into_to_a_depth() {
        let deep = (0..500).fold("{kind: A}".to_owned(), |it, _| format!("{{kind: List, items: [{it}]}}"));
        let text: Arc<str> = deep.into();
        let tree = read_document(&text, split(&text).documents[0], &[]).expect("YAML");
        assert_eq!(inside(&(&tree, tree.root().expect("a node"))).len(), MAX_DEPTH);
    }

    #[test]
    fn aliases_of_wrappers_are_looked_into_once() {
        let lists = (1..40).map(|n| format!("y{n}: &a{n} {{kind: List, items: [*a{0}, *a{0}]}}\n", n - 1));
        let lists: String = lists.collect();
        let text: Arc<str> = format!("kind: List\nx: &a0 {{kind: A}}\n{lists}items: [*a39, *a39]\n").into();
        let tree = read_document(&text, split(&text).documents[0], &[]).expect("YAML");
        assert_eq!(inside(&(&tree, tree.root().expect("a node"))).len(), 2 * MAX_DEPTH);
    }
}
