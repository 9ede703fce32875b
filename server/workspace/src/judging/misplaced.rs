//! Recognizes properties that their indentation puts in the wrong place of a schema.

use crd_analyzer_apiextensions::api::{FieldType, OBJECT_META, SCHEMA};
use crd_analyzer_syntax::tree::{Entry, NodeId, NodeKind, Tree};

use crate::words::meant::meant;

/// Where a property belongs that is written among the keywords of a schema.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Belongs {
    /// In `properties` of the schema. `None` if the schema has no `properties` yet.
    Inside(Option<NodeId>),
    /// After this entry, which is the property whose schema it is written in.
    After(Entry),
}

/// The maximum number of entries of a mapping to look at.
const MOST_ENTRIES: usize = 1_000;

/// Where the unknown keyword of a schema belongs, if its value is a schema, so that it is probably a property. `None` if the place already has the
/// property, or if the place is not known.
pub fn property(tree: &Tree, key: NodeId) -> Option<Belongs> {
    let schema = tree.parent(key)?;
    let own = tree.entry_of(key)?;
    let name = tree.scalar(key);
    let lost = lost_schema(tree, schema, own);
    if !lost && !is_schema(tree, own.value) {
        return None;
    }
    let nested = SCHEMA.fields.iter().filter(|it| has_objects(&it.ty)).map(|it| it.name);
    if meant(&name, nested).is_some_and(|it| !has(tree, schema, it)) {
        return None;
    }
    let mut entries = tree.entries(schema).take(MOST_ENTRIES);
    let properties = entries.find(|it| tree.scalar(it.key) == "properties");
    let ty = tree.get(schema, "type").map(|it| tree.scalar(it));
    let may_have_properties = properties.is_some() || ty.as_deref().is_none_or(|it| it == "object");
    if may_have_properties && !lost {
        let value = properties.map(|it| tree.resolve(it.value));
        let has_it = value.is_some_and(|it| has(tree, it, &name));
        return (!has_it).then_some(Belongs::Inside(value));
    }
    let around = property_with(tree, schema)?;
    let properties = tree.parent(around.key)?;
    (!has(tree, properties, &name)).then_some(Belongs::After(around))
}

/// The key of the object that an unknown field at the root of a resource belongs to. `metadata` is the value of that key, and `is_of_spec` tells whether
/// the CRD declares the field in `spec`.
pub fn home(
    tree: &Tree,
    metadata: Option<NodeId>,
    name: &str,
    is_of_spec: impl FnOnce() -> bool,
) -> Option<&'static str> {
    let lacks = metadata.is_none_or(|it| !has(tree, tree.resolve(it), name));
    // Every resource needs a name, so it is first of all the name of the object.
    if name == "name" && lacks {
        return Some("metadata");
    }
    if is_of_spec() {
        return Some("spec");
    }
    let is_of_metadata = lacks && OBJECT_META.fields.iter().any(|it| it.name == name);
    is_of_metadata.then_some("metadata")
}

/// The maximum number of fields between an unknown one and the object that it belongs to.
const MOST_BETWEEN: usize = 50;

/// The field before an unknown one into whose object the unknown field belongs: it is indented too little. `is_declared` tells whether the schema
/// declares a field beside the unknown one, and `has_it` whether the object of a declared field declares the unknown one.
pub fn owner(
    tree: &Tree,
    key: NodeId,
    is_declared: impl Fn(&str) -> bool,
    has_it: impl FnOnce(&str) -> bool,
) -> Option<Entry> {
    let mapping = tree.parent(key)?;
    let before = tree.entries(mapping).take(MOST_ENTRIES).take_while(|it| it.key != key);
    let before: Vec<Entry> = before.collect();
    // The fields between them are indented too little, too.
    let owner = before
        .into_iter()
        .rev()
        .take(MOST_BETWEEN)
        .find(|it| is_declared(&tree.scalar(it.key)))?;
    let value = tree.resolve(owner.value);
    let is_object = matches!(tree.kind(value), NodeKind::Mapping(_)) && !has(tree, value, &tree.scalar(key));
    ((is_object || tree.is_absent(value)) && has_it(&tree.scalar(owner.key))).then_some(owner)
}

/// The field beside an unknown one into whose object the unknown field belongs, because that object lacks it. `requires` tells whether the object of a
/// field requires the unknown one. `None` if several objects do.
pub fn inner(tree: &Tree, key: NodeId, requires: impl Fn(&str) -> bool) -> Option<Entry> {
    let name = tree.scalar(key);
    let lacks = |it: &Entry| {
        let value = tree.resolve(it.value);
        it.key != key && matches!(tree.kind(value), NodeKind::Mapping(_)) && !has(tree, value, &name)
    };
    let beside = tree.entries(tree.parent(key)?).take(MOST_BETWEEN).filter(lacks);
    let mut all = beside.filter(|it| requires(&tree.scalar(it.key)));
    let only = all.next()?;
    all.next().is_none().then_some(only)
}

fn has(tree: &Tree, mapping: NodeId, name: &str) -> bool {
    tree.entries(mapping)
        .take(MOST_ENTRIES)
        .any(|it| tree.scalar(it.key) == name)
}

/// The property whose schema this is.
fn property_with(tree: &Tree, schema: NodeId) -> Option<Entry> {
    let property = tree.entry_of(schema)?;
    let properties = tree.entry_of(tree.parent(property.key)?)?;
    // Below a property with the name `properties` are keywords.
    let name = tree.scalar(property.key);
    let is_keyword = SCHEMA.fields.iter().any(|it| it.name == name && has_objects(&it.ty));
    (tree.scalar(properties.key) == "properties" && !is_keyword).then_some(property)
}

/// Whether a value is a schema: a mapping that has only keywords of schemas.
fn is_schema(tree: &Tree, value: NodeId) -> bool {
    let is_keyword = |entry: Entry| {
        let name = tree.scalar(entry.key);
        SCHEMA.fields.iter().any(|it| it.name == name)
    };
    let mut entries = tree.entries(value).take(SCHEMA.fields.len() + 1).peekable();
    matches!(tree.kind(value), NodeKind::Mapping(_)) && entries.peek().is_some() && entries.all(is_keyword)
}

/// Whether the lines after a key without a value are its schema, although they are indented like the key: they repeat keywords from before the key.
pub fn lost_schema(tree: &Tree, schema: NodeId, own: Entry) -> bool {
    let all: Vec<Entry> = tree.entries(schema).take(MOST_ENTRIES).collect();
    let place = all.iter().position(|it| it.key == own.key);
    let Some((before, after)) = place.map(|it| (&all[..it], &all[it + 1..])) else {
        return false;
    };
    let is_repeated = |it: &Entry| {
        let name = tree.scalar(it.key);
        before.iter().any(|it| tree.scalar(it.key) == name)
    };
    tree.is_absent(own.value) && after.iter().take(SCHEMA.fields.len()).any(is_repeated)
}

/// Whether the values of a keyword are or contain objects.
fn has_objects(ty: &FieldType) -> bool {
    use FieldType::{Any, Boolean, Bytes, Cel, Integer, List, Map, Number, Object, String, Time};
    match ty {
        Object(_) | Map(_) | Any | FieldType::SchemaOrBool | FieldType::SchemaOrList | FieldType::SchemaOrNames => true,
        List(_) | String | Cel | Boolean | Integer | Number | Time | Bytes => false,
    }
}
