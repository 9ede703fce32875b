//! Completion in CRDs.

use crd_analyzer_apiextensions::api::{self, Field, FieldType, Presence, Struct};
use crd_analyzer_syntax::{
    paths::Step,
    tree::{NodeId, Tree},
};

use super::{
    Context, Item, ItemKind, habits,
    insert::Shape,
    keys, nav, property_names,
    rank::{Expected, Keys},
    resource::{self, view::View},
    schema_values,
};
use crate::{
    cursor_context::{CursorContext, Slot},
    schema::api_at,
};

pub(super) fn complete(context: &Context<'_, '_>) -> Option<Vec<Item>> {
    let place = context.place;
    if let Some(view) = given_value(context) {
        return Some(resource::at_view(context, &view));
    }
    let at = api_at(place.tree, &place.path)?;
    match place.slot {
        Slot::Key { list, .. } => {
            let mut items = keys_at(context, &at);
            if let Some(list) = list {
                items.extend(another_item(context, list));
            }
            Some(items)
        }
        Slot::Value { on_own_line, .. } => {
            let mut items = values_at(context, &at);
            if on_own_line {
                items.extend(keys_at(context, &at));
                items.extend(first_item(&at));
            }
            Some(items)
        }
        Slot::Dash { .. } => {
            let mut items = values_at(context, &at);
            items.extend(keys_at(context, &at));
            Some(items)
        }
    }
}

/// The schema of the value at the cursor, if it is part of a default or an example.
fn given_value<'a>(context: &Context<'_, 'a>) -> Option<View<'a>> {
    let CursorContext { tree, path, .. } = context.place;
    let at = path.iter().enumerate().position(|(at, step)| {
        matches!(step, Step::Key(key) if key == "default" || key == "example")
            && api_at(tree, &path[..at]).is_some_and(|it| nav::is_schema(it.ty))
    })?;
    let below = &path[at + 1..];
    // The value itself, on the line of its key, is completed as a value of the field, and not as part of a default.
    if below.is_empty() && matches!(context.place.slot, Slot::Value { on_own_line: false, .. }) {
        return None;
    }
    View::value(tree, nav::node_at(tree, &path[..at])?).follow(below)
}

/// An item that starts a list by adding a dash.
fn first_item(at: &api::At) -> Option<Item> {
    let FieldType::List(of) = at.ty else { return None };
    let mut item = Item::new("-", ItemKind::Value);
    item.detail = Some(format!("an item: {}", of.display()));
    "- ".clone_into(&mut item.text);
    item.asks_again = true;
    Some(item)
}

/// An item that adds a dash for another item, if the list's dashes are in the column of the keys.
pub(super) fn another_item(context: &Context<'_, '_>, list: NodeId) -> Option<Item> {
    let tree = context.place.tree;
    let name = tree.entry_of(list).map(|it| tree.scalar(it.key).into_owned())?;
    let mut item = Item::new("-", ItemKind::Value);
    item.detail = Some(format!("another item of {name}"));
    "- ".clone_into(&mut item.text);
    item.asks_again = true;
    Some(item)
}

/// The keys of the struct or map at a path.
fn keys_at(context: &Context<'_, '_>, at: &api::At) -> Vec<Item> {
    match at.ty {
        FieldType::Map(of) => property_names::of_map(context, at, of),
        ty => match ty.structure().filter(|_| !matches!(ty, FieldType::List(_))) {
            Some(structure) => fields(context, at, structure),
            None => Vec::new(),
        },
    }
}

fn fields(context: &Context<'_, '_>, at: &api::At, structure: &'static Struct) -> Vec<Item> {
    let place = context.place;
    let known = Keys::new(place);
    let schema = nav::is_schema(at.ty).then(|| Schema::of(context, at));
    let mut ranked = Vec::new();
    for (index, field) in structure.fields.iter().enumerate() {
        if known.has(field.name) || !field.is_in(context.request.version) || field.presence == Presence::Refused {
            continue;
        }
        if schema.as_ref().is_some_and(|it| !it.allows(field)) {
            continue;
        }
        let penalty = penalty(structure, field, index, &known, schema.as_ref());
        ranked.push((penalty, field));
    }
    ranked.sort_by_key(|it| it.0);
    let mut items: Vec<_> = ranked.into_iter().map(|(_, field)| key(context, field)).collect();
    if known.value.is_none() {
        let nodes = keys::snippets(context, at, structure, &known);
        let place = place_of_nodes(&items, at, structure, &known);
        items.splice(place..place, nodes);
    }
    items
}

/// The index at which to insert snippets for whole nodes: before the key that people usually write first. If the node already has keys, or the author
/// sorts keys, the snippets come last.
fn place_of_nodes(items: &[Item], at: &api::At, structure: &'static Struct, known: &Keys<'_>) -> usize {
    let first = match structure.name {
        // People rarely write these keys one by one, so the snippet for all of them comes first.
        "CustomResourceDefinitionVersion"
        | "CustomResourceSubresourceScale"
        | "ServiceReference"
        | "ValidationRule"
            if known.present.is_empty() =>
        {
            return 0;
        }
        "CustomResourceConversion" => "strategy",
        "CustomResourceSubresources" => "scale",
        "JSONSchemaProps" if !known.is_sorted() && !at.is_root_schema => "type",
        _ => return items.len(),
    };
    let is_first = known.present.is_empty();
    let place = items.iter().position(|it| is_first && it.label == first);
    // The snippet comes after the key `type`, because no other item starts with these letters.
    place.map_or(items.len(), |it| it + usize::from(first == "type"))
}

fn key(context: &Context<'_, '_>, field: &'static Field) -> Item {
    let mut item = Item::new(field.name, ItemKind::Key);
    item.detail = Some(field.ty.display());
    item.documentation = Some(field.doc.into());
    let mut notes = Vec::new();
    match field.presence {
        Presence::Required => notes.push("required".to_owned()),
        Presence::Server => notes.push("set by the API server".to_owned()),
        Presence::Optional | Presence::Refused => {}
    }
    if field.since > crd_analyzer_schema::KubernetesVersion::OLDEST.number() {
        notes.push(format!("since 1.{}", field.since));
    }
    item.note = (!notes.is_empty()).then(|| notes.join(", "));
    context.writer.key(&mut item, field.name, shape(field));
    item.asks_again &= is_followed(field);
    item
}

/// Whether completion offers values for a field.
fn is_followed(field: &Field) -> bool {
    match &field.ty {
        FieldType::Map(_) => false,
        FieldType::String => {
            !field.values.known().is_empty()
                || matches!(
                    field.name,
                    "name" | "plural" | "singular" | "listKind" | "kind" | "group" | "format" | "jsonPath"
                )
                || field.name.ends_with("Path")
        }
        FieldType::Integer | FieldType::Number => false,
        _ => true,
    }
}

/// The text that completion inserts after the key of a field.
pub(super) fn shape(field: &Field) -> Shape {
    match &field.ty {
        FieldType::String | FieldType::Cel | FieldType::Time | FieldType::Bytes => Shape::Text,
        FieldType::Boolean | FieldType::Integer | FieldType::Number | FieldType::Any => Shape::Scalar,
        FieldType::Object(it) if it.fields.is_empty() => Shape::Empty,
        FieldType::Object(_)
        | FieldType::Map(_)
        | FieldType::SchemaOrBool
        | FieldType::SchemaOrList
        | FieldType::SchemaOrNames => Shape::Mapping,
        FieldType::List(FieldType::Object(_)) => Shape::ListOfMappings,
        FieldType::List(_) => Shape::List,
    }
}

/// The facts about a schema that determine which keywords to offer in it.
struct Schema {
    r#type: String,
    has_type: bool,
    has_structure: bool,
    in_junctor: bool,
    /// Whether the schema is a clause of an `anyOf` or similar keyword that describes an int-or-string.
    spells_int_or_string: bool,
    is_root: bool,
    has_any_type: bool,
    /// Whether the schema has an `anyOf` but no type, so that it may describe an int-or-string.
    may_be_int_or_string: bool,
}

impl Schema {
    fn of(context: &Context<'_, '_>, at: &api::At) -> Self {
        let tree = context.place.tree;
        let own = context.place.mapping();
        let text = |key| own.and_then(|it| nav::text(tree, it, key));
        let is_set = |key| own.is_some_and(|it| nav::is_true(tree, it, key));
        let outer = at
            .in_junctor
            .then(|| nav::node_at(tree, &nav::without_junctors(&context.place.path)))
            .flatten();
        let r#type = text("type").or_else(|| outer.and_then(|it| nav::text(tree, it, "type")));
        let has_key = |key| own.is_some_and(|it| nav::child(tree, it, key).is_some());
        let has_type = r#type.is_some();
        Self {
            has_type,
            r#type: match r#type {
                // A resource is always an object.
                None if at.is_root_schema => "object".to_owned(),
                written => written.unwrap_or_default().into_owned(),
            },
            has_structure: ["properties", "additionalProperties", "items"]
                .iter()
                .any(|it| has_key(it))
                || is_set("x-kubernetes-preserve-unknown-fields"),
            in_junctor: at.in_junctor,
            may_be_int_or_string: !has_type && has_key("anyOf"),
            spells_int_or_string: outer.is_some_and(|it| nav::is_true(tree, it, "x-kubernetes-int-or-string")),
            is_root: at.is_root_schema,
            has_any_type: is_set("x-kubernetes-int-or-string") || is_set("x-kubernetes-preserve-unknown-fields"),
        }
    }

    /// Whether a keyword is allowed in the schema.
    fn allows(&self, field: &Field) -> bool {
        if self.is_root && field.name == "additionalProperties" {
            return false;
        }
        !self.in_junctor || field.in_junctor || field.name == "type" && self.spells_int_or_string
    }

    /// The penalty of a keyword, depending on the schema's type.
    fn penalty(&self, field: &Field) -> i32 {
        if field.name == "type" {
            let is_needed = !self.has_type && !self.has_any_type && !self.in_junctor;
            return if is_needed || self.spells_int_or_string {
                -500
            } else {
                0
            };
        }
        // Other keywords of Kubernetes are mostly written by generators.
        if field.name == "x-kubernetes-validations" && self.has_type {
            return -250;
        }
        if field.name == "x-kubernetes-int-or-string" && self.may_be_int_or_string {
            return -400;
        }
        if self.r#type.is_empty() {
            return 0;
        }
        if !field.applies_to.is_empty() && !field.applies_to.contains(&self.r#type.as_str()) {
            return 300;
        }
        match (self.r#type.as_str(), field.name) {
            ("object", "properties") | ("array", "items") if !self.has_structure && !self.in_junctor => -400,
            ("object", "properties") | ("array", "items") if !self.has_structure => -100,
            // The API server estimates costs with these limits.
            _ if matches!(field.name, "maxLength" | "maxItems" | "maxProperties") => -40,
            _ if !field.applies_to.is_empty() => -10,
            _ => 0,
        }
    }
}

/// The bonus of a key that nearly always follows the previous one. It is larger than the bonus of a required key. Keys of schemas have no usual
/// order, so their bonus is smaller.
const HABIT: f64 = 1_500.0;
const HABIT_IN_SCHEMA: f64 = 450.0;

fn penalty(
    structure: &'static Struct,
    field: &'static Field,
    index: usize,
    known: &Keys<'_>,
    schema: Option<&Schema>,
) -> i32 {
    // If the key already has a value, the form of the value says more than habits.
    let habit = if known.value.is_some() {
        0.0
    } else {
        let weight = if schema.is_some() { HABIT_IN_SCHEMA } else { HABIT };
        weight * habits::share(structure.name, &known.before, field.name)
    };
    let presence = match field.presence {
        Presence::Required => -1000,
        Presence::Optional => 0,
        Presence::Server | Presence::Refused => 400,
    };
    index as i32 - habit as i32
        + presence
        + known.order_penalty(field.name)
        + known.value_penalty(&expected(field))
        + schema.map_or(0, |it| it.penalty(field))
}

/// The expected form of a field's value.
fn expected(field: &'static Field) -> Expected<'static> {
    let is_closed = matches!(field.values, api::Values::Closed(_));
    match &field.ty {
        FieldType::String if is_closed => Expected::OneOf(field.values.known().iter().map(|it| it.text).collect()),
        FieldType::String if field.name == "description" => Expected::Check(prose_penalty),
        FieldType::String if field.name == "format" => {
            Expected::OneOf(field.values.known().iter().map(|it| it.text).collect())
        }
        FieldType::String if field.name == "pattern" => Expected::Check(pattern_penalty),
        FieldType::String | FieldType::Cel | FieldType::Time | FieldType::Bytes => Expected::Text,
        FieldType::Boolean => Expected::Boolean,
        FieldType::Integer | FieldType::Number => Expected::Number,
        FieldType::Any => Expected::Anything,
        FieldType::Object(of) if of.name == api::SCHEMA.name => Expected::Check(schema_penalty),
        FieldType::SchemaOrBool | FieldType::SchemaOrList | FieldType::SchemaOrNames => Expected::Check(schema_penalty),
        FieldType::Map(of) if nav::is_schema(of) => Expected::Check(schemas_penalty),
        FieldType::Object(_) | FieldType::Map(_) => Expected::Mapping,
        FieldType::List(of) if nav::is_schema(of) => Expected::Check(schema_list_penalty),
        FieldType::List(of) => match of {
            FieldType::Object(of) if of.name == api::VALIDATION_RULE.name => Expected::Check(rule_list_penalty),
            FieldType::Object(_) => Expected::Check(mapping_list_penalty),
            _ => Expected::Check(scalar_list_penalty),
        },
    }
}

/// The penalty for a value that is not prose of several words.
fn prose_penalty(tree: &Tree, value: NodeId) -> i32 {
    match () {
        () if !tree.is_scalar(value) => 500,
        () if tree.scalar(value).contains(' ') => -200,
        () => 0,
    }
}

fn pattern_penalty(tree: &Tree, value: NodeId) -> i32 {
    match () {
        () if !tree.is_scalar(value) => 500,
        () if tree.scalar(value).starts_with('^') || tree.scalar(value).ends_with('$') => -300,
        () => 100,
    }
}

/// The penalty for a value that is not a schema.
fn schema_penalty(tree: &Tree, value: NodeId) -> i32 {
    if !nav::is_mapping(tree, value) {
        return 500;
    }
    let is_schema = nav::entries(tree, value).any(|(key, node)| {
        matches!(
            &*key,
            "type"
                | "description"
                | "properties"
                | "items"
                | "format"
                | "required"
                | "anyOf"
                | "x-kubernetes-preserve-unknown-fields"
                | "x-kubernetes-int-or-string"
        ) && !is_schema_mapping(tree, node, &key)
    });
    if is_schema { -100 } else { 100 }
}

/// Whether a key is the name of a property and not a keyword, because its value is a schema.
fn is_schema_mapping(tree: &Tree, node: NodeId, key: &str) -> bool {
    matches!(key, "type" | "description" | "format") && nav::is_mapping(tree, node)
}

/// The penalty for a value that is not a map of schemas.
fn schemas_penalty(tree: &Tree, value: NodeId) -> i32 {
    if !nav::is_mapping(tree, value) {
        return 500;
    }
    let mut entries = nav::entries(tree, value);
    if entries.all(|(_, it)| nav::is_mapping(tree, it)) && schema_penalty(tree, value) > 0 {
        -150
    } else {
        300
    }
}

fn items_of(tree: &Tree, value: NodeId) -> Option<Vec<NodeId>> {
    let is_list = matches!(tree.kind(value), crd_analyzer_syntax::tree::NodeKind::Sequence(_));
    is_list.then(|| tree.items(value).map(|it| tree.resolve(it)).collect())
}

fn schema_list_penalty(tree: &Tree, value: NodeId) -> i32 {
    match items_of(tree, value) {
        None => 500,
        Some(items)
            if items
                .iter()
                .any(|it| nav::child(tree, *it, "rule").is_some() || !nav::is_mapping(tree, *it)) =>
        {
            500
        }
        Some(_) => -50,
    }
}

fn rule_list_penalty(tree: &Tree, value: NodeId) -> i32 {
    match items_of(tree, value) {
        None => 500,
        Some(items) if items.iter().any(|it| nav::child(tree, *it, "rule").is_some()) => -300,
        Some(_) => 200,
    }
}

fn mapping_list_penalty(tree: &Tree, value: NodeId) -> i32 {
    match items_of(tree, value) {
        None => 500,
        Some(items) if items.iter().all(|it| nav::is_mapping(tree, *it)) => -50,
        Some(_) => 300,
    }
}

fn scalar_list_penalty(tree: &Tree, value: NodeId) -> i32 {
    match items_of(tree, value) {
        None => 500,
        Some(items) if items.iter().all(|it| tree.is_scalar(*it)) => -50,
        Some(_) => 300,
    }
}

/// The values to suggest at a path.
fn values_at(context: &Context<'_, '_>, at: &api::At) -> Vec<Item> {
    let Some(field) = at.field else { return Vec::new() };
    let mut items = property_names::of_value(context, field);
    // A list of names has the suggestions at its items, and not at the list itself.
    let is_item = matches!(context.place.path.last(), Some(Step::Index(_)));
    if is_item == matches!(field.ty, FieldType::List(_)) || matches!(field.ty, FieldType::Any) {
        items.extend(schema_values::of_field(context, at, field));
    }
    sort_by_habit(context, field, &mut items);
    items
}

/// The share added to each value, so that values that the statistics lack remain possible.
const LEAST_SHARE: f64 = 0.02;

/// Sorts values by how often people write them after the keys that precede them.
fn sort_by_habit(context: &Context<'_, '_>, field: &Field, items: &mut [Item]) {
    let tree = context.place.tree;
    let path = &context.place.path;
    let Some((Step::Key(_), above)) = path.split_last() else {
        return;
    };
    let structure = api_at(tree, above).and_then(|it| it.ty.structure());
    let Some((structure, mapping)) = structure.zip(nav::node_at(tree, above)) else {
        return;
    };
    let place = format!("{}.{}", structure.name, field.name);
    let before = habits::before_value(tree, mapping, context.place.offset);
    let property = match above {
        [.., Step::Key(properties), Step::Key(name)] if field.name == "type" && properties == "properties" => {
            Some(name)
        }
        _ => None,
    };
    let share = |it: &Item| {
        let by_name = property.and_then(|name| habits::share_of_type(name, &it.label));
        (habits::share(&place, &before, &it.label) + LEAST_SHARE) * (by_name.unwrap_or(1.0) + LEAST_SHARE)
    };
    items.sort_by(|one, other| share(other).total_cmp(&share(one)));
}
