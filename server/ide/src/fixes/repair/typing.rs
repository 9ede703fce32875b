//! Quick fixes for missing or misspelt types, and for list map keys.

use crd_analyzer_diagnostic::other_types::other_type;
use crd_analyzer_syntax::tree::{NodeId, Tree};
use crd_analyzer_workspace::words::meant::{TYPES, meant, meant_type, type_of_format};

use super::{
    super::{
        TextEdit,
        edits::{Value, add_item, moves, remove_entry, set_scalar},
    },
    At, Repair, junctor,
};
use crate::schema::{child, is_true, text};

/// The type that all keywords of a schema imply, if they agree.
pub(super) fn guess(tree: &Tree, node: NodeId) -> Option<&'static str> {
    let has = |keys: &[&str]| keys.iter().any(|it| child(tree, node, it).is_some());
    let format = text(tree, node, "format");
    let mut types = Vec::new();
    if has(&[
        "properties",
        "additionalProperties",
        "required",
        "maxProperties",
        "minProperties",
        "x-kubernetes-embedded-resource",
        "x-kubernetes-map-type",
    ]) {
        types.push("object");
    }
    if has(&[
        "items",
        "maxItems",
        "minItems",
        "x-kubernetes-list-type",
        "x-kubernetes-list-map-keys",
    ]) {
        types.push("array");
    }
    let is_whole = matches!(format.as_deref(), Some("int32" | "int64"));
    let is_number = matches!(format.as_deref(), Some("float" | "double"));
    if has(&["maxLength", "minLength", "pattern"]) || format.is_some() && !is_whole && !is_number {
        types.push("string");
    }
    if is_whole {
        types.push("integer");
    } else if is_number {
        types.push("number");
    } else if has(&["maximum", "minimum", "multipleOf"]) {
        let whole = ["maximum", "minimum", "multipleOf"]
            .iter()
            .filter_map(|it| text(tree, node, it));
        let is_whole = whole.into_iter().all(|it| it.parse::<i64>().is_ok());
        types.push(if is_whole { "integer" } else { "number" });
    }
    if types.is_empty() {
        let values = child(tree, node, "enum").into_iter().flat_map(|it| tree.items(it));
        let all: Vec<_> = values
            .chain(child(tree, node, "default"))
            .map(|it| type_of(tree, it))
            .collect();
        let first = *all.first()?;
        return all.iter().all(|it| *it == first).then_some(first).flatten();
    }
    match types.as_slice() {
        [one] => Some(one),
        _ => None,
    }
}

/// The type of a value, judged by its source text.
pub(super) fn type_of(tree: &Tree, node: NodeId) -> Option<&'static str> {
    use crd_analyzer_syntax::json::JsonValue;
    let json = crd_analyzer_syntax::read_json_of(tree, node).ok()?;
    Some(match json.root()?.value {
        JsonValue::Null => return None,
        JsonValue::Bool(_) => "boolean",
        JsonValue::Int(_) | JsonValue::Uint(_) => "integer",
        JsonValue::Float(_) => "number",
        JsonValue::String(_) => "string",
        JsonValue::Array(_) => "array",
        JsonValue::Object(_) => "object",
    })
}

/// The schema that lacks a keyword: the schema at the place of the problem or, if the value is missing, the node of the missing value.
fn about(at: &At<'_>) -> Option<NodeId> {
    if at.tree.is_absent(at.node) {
        return Some(at.node);
    }
    at.schema()
}

pub(super) fn missing(at: &At<'_>, found: &mut Vec<Repair>) {
    let Some(node) = about(at) else { return };
    let tree = at.tree;
    if let Some(repair) = junctor::int_or_string(at, node) {
        found.push(repair);
        return;
    }
    // If `type` is empty, the key exists and must not be added.
    let written = tree.entry(node, "type");
    let misspelt = tree.entries(node).find(|it| {
        let is_near = || meant(&tree.scalar(it.key), ["type"]).is_some();
        TYPES.contains(&&*tree.scalar(it.value)) && is_near()
    });
    if let Some(entry) = misspelt.filter(|_| written.is_none()) {
        let title = format!("Change {} to type", tree.scalar(entry.key));
        found.extend(Repair::one(title, set_scalar(tree, entry.key, "type")).map(Repair::safe));
        return;
    }
    let mut add = |ty: &str| {
        let edit = match written {
            Some(entry) => set_scalar(tree, entry.value, ty),
            None => at.insert(node, "type", &Value::text_of(ty)),
        };
        found.extend(Repair::one(format!("Add type: {ty}"), edit));
    };
    if let Some(ty) = guess(tree, node) {
        add(ty);
        if let Some(last) = found.last_mut() {
            last.safe = written.is_none();
        }
        return;
    }
    for ty in ["string", "object", "integer", "boolean"] {
        add(ty);
    }
    if written.is_none() {
        let key = "x-kubernetes-preserve-unknown-fields";
        let edit = at.insert(node, key, &Value::Bool(true));
        found.extend(Repair::one(format!("Add {key}: true"), edit));
    }
}

pub(super) fn set(at: &At<'_>, ty: &str) -> Option<Repair> {
    let node = at.schema()?;
    let edit = match at.tree.entry(node, "type") {
        Some(entry) => set_scalar(at.tree, entry.value, ty),
        None => at.insert(node, "type", &Value::text_of(ty)),
    };
    Repair::one(format!("Set type: {ty}"), edit)
}

pub(super) fn missing_items(at: &At<'_>, found: &mut Vec<Repair>) {
    let Some(node) = at.schema() else { return };
    for ty in ["string", "object", "integer"] {
        let items = Value::Map(vec![("type".to_owned(), Value::text_of(ty))]);
        let edit = at.insert(node, "items", &items);
        found.extend(Repair::one(format!("Add items of type {ty}"), edit));
    }
}

pub(super) fn unknown(at: &At<'_>, found: &mut Vec<Repair>) {
    if !at.tree.is_scalar(at.node) {
        return;
    }
    let written = at.tree.scalar(at.node);
    if let Some(ty) = type_of_format(&written) {
        let repair = type_and_keyword(at, &written, ty, "format", &written);
        found.extend(repair.map(Repair::safe));
        return;
    }
    if let Some(other) = other_type(&written) {
        found.extend(match &other.beside {
            Some((key, value)) => type_and_keyword(at, &written, other.r#type, key, value),
            None => Repair::one(
                format!("Change {written} to {}", other.r#type),
                set_scalar(at.tree, at.node, other.r#type),
            ),
        });
        return;
    }
    let Some(ty) = meant_type(&written) else { return };
    let edit = set_scalar(at.tree, at.node, ty);
    found.extend(Repair::one(format!("Change {written} to {ty}"), edit).map(Repair::safe));
}

/// Writes a type, and the keyword that says the rest of what was in its place.
fn type_and_keyword(at: &At<'_>, written: &str, ty: &str, key: &str, value: &str) -> Option<Repair> {
    let (own, schema) = at.entry.zip(at.mapping())?;
    let set = set_scalar(at.tree, own.value, ty)?;
    let add = match at.tree.entry(schema, key) {
        Some(other) if at.tree.is_scalar(other.value) => Some(set_scalar(at.tree, other.value, value)?),
        // A schema that is already there says more.
        Some(_) => None,
        None => Some(moves::add_after(at.tree, schema, own, &format!("{key}: {value}"))?),
    };
    let title = match add {
        Some(_) => format!("Change {written} to {ty}, and add {key}: {value}"),
        None => format!("Change {written} to {ty}"),
    };
    Some(Repair::new(title, std::iter::once(set).chain(add).collect()))
}

/// Converts `required: true` in a property, as in other description languages, to an entry in the list of required properties around it.
pub(super) fn required_flag(at: &At<'_>, found: &mut Vec<Repair>) {
    let tree = at.tree;
    let flag = at
        .entry
        .filter(|it| tree.scalar(it.key) == "required" && type_of(tree, it.value) == Some("boolean"));
    let Some((flag, property)) = flag.zip(at.mapping()) else {
        return;
    };
    let Some(remove) = remove_entry(tree, property, flag) else {
        return;
    };
    if tree.scalar(flag.value) != "true" {
        found.push(Repair::new("Remove required", vec![remove]).safe());
        return;
    }
    let around = tree
        .entry_of(property)
        .and_then(|it| Some((it.key, tree.entry_of(tree.parent(it.key)?)?)));
    let Some((name, properties)) = around.filter(|it| tree.scalar(it.1.key) == "properties") else {
        return;
    };
    let Some(schema) = tree.parent(properties.key) else {
        return;
    };
    let name = tree.scalar(name);
    if is_required(tree, schema, &name) {
        found.push(Repair::new("Remove required", vec![remove]).safe());
    } else if let Some(add) = require(at, schema, &name) {
        found.push(Repair::new(format!("Add {name} to required"), vec![remove, add]).safe());
    }
}

/// Whether a schema requires a property.
fn is_required(tree: &Tree, schema: NodeId, name: &str) -> bool {
    let required = child(tree, schema, "required");
    required.is_some_and(|list| tree.items(list).any(|it| tree.scalar(it) == name))
}

/// The edit that adds a property to the required ones of a schema.
fn require(at: &At<'_>, schema: NodeId, name: &str) -> Option<TextEdit> {
    match child(at.tree, schema, "required") {
        Some(list) => add_item(at.tree, list, name),
        None => at.insert(schema, "required", &Value::List(vec![name.to_owned()])),
    }
}

/// Adds list map keys to `required`, if they are not required and have no default.
pub(super) fn require_keys(at: &At<'_>, found: &mut Vec<Repair>) {
    let tree = at.tree;
    let around = std::iter::once(at.node).chain(tree.ancestors(at.node));
    let list = around
        .into_iter()
        .find(|it| child(tree, *it, "x-kubernetes-list-map-keys").is_some());
    let Some((keys, items)) = list.and_then(|it| {
        Some((
            child(tree, it, "x-kubernetes-list-map-keys")?,
            child(tree, it, "items")?,
        ))
    }) else {
        return;
    };
    let has_default = |key: &str| {
        let property = child(tree, items, "properties").and_then(|it| child(tree, it, key));
        property.is_some_and(|it| child(tree, it, "default").is_some())
    };
    for key in tree.items(keys) {
        let key = tree.scalar(key);
        if is_required(tree, items, &key) || has_default(&key) {
            continue;
        }
        let edit = require(at, items, &key);
        found.extend(Repair::one(format!("Add {key} to required"), edit).map(Repair::safe));
    }
}

/// The maximum number of properties to offer as list map keys.
const MOST_KEYS: usize = 4;

/// Declares the required scalars of a list's items as its list map keys.
pub(super) fn name_keys(at: &At<'_>, found: &mut Vec<Repair>) {
    let tree = at.tree;
    let Some(list) = at.schema() else { return };
    let Some(items) = child(tree, list, "items") else {
        return;
    };
    let is_key = |property: NodeId| {
        let ty = text(tree, property, "type");
        matches!(ty.as_deref(), Some("string" | "integer" | "boolean" | "number"))
            && !is_true(tree, property, "nullable")
    };
    let keys = |name: &str| at.insert(list, "x-kubernetes-list-map-keys", &Value::List(vec![name.to_owned()]));
    let required = child(tree, items, "required");
    let names: Vec<_> = required
        .into_iter()
        .flat_map(|it| tree.items(it))
        .map(|it| tree.scalar(it))
        .collect();
    for name in &names {
        let property = child(tree, items, "properties").and_then(|it| child(tree, it, name));
        if property.is_some_and(is_key) {
            found.extend(Repair::one(format!("Identify items by {name}"), keys(name)));
        }
    }
    if !found.is_empty() {
        return;
    }
    // A key must be required or have a default.
    let properties = child(tree, items, "properties")
        .into_iter()
        .flat_map(|it| tree.entries(it));
    let scalars = properties.filter(|it| is_key(tree.resolve(it.value)));
    for entry in scalars.take(MOST_KEYS) {
        let name = tree.scalar(entry.key);
        if let (Some(keys), Some(require)) = (keys(&name), require(at, items, &name)) {
            found.push(Repair::new(
                format!("Identify items by {name}, and require it"),
                vec![keys, require],
            ));
        }
    }
}
