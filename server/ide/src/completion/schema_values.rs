//! Completion of the values of CRD fields: allowed values, booleans, formats, and defaults that fit the schema.

use crd_analyzer_apiextensions::api::{self, Field, FieldType};
use crd_analyzer_schema::formats;
use crd_analyzer_syntax::{
    paths::Step,
    tree::{NodeId, Tree},
};

use super::{Context, Item, ItemKind, insert, nav};
use crate::{cursor_context::Slot, schema::api_at};

pub(super) fn of_field(context: &Context<'_, '_>, at: &api::At, field: &'static Field) -> Vec<Item> {
    let version = context.request.version;
    let mut items = Vec::new();
    match (&field.ty, field.name) {
        (_, "default" | "example") if !at.is_element => items.extend(of_schema_value(context)),
        (_, "format") if at.ty_is_string() && field.applies_to.contains(&"string") => {
            items.extend(formats_of(context, field));
        }
        (_, "type") if is_root(context) => {
            items.push(value(context, "object", Some("The only type of a resource."), true));
        }
        (_, "type") if at.in_junctor => {
            // The only types allowed here are those of an int-or-string, in this order.
            let only = match context.place.path.as_slice() {
                [.., Step::Index(0), _] => "integer",
                [.., Step::Index(1), _] => "string",
                _ => return items,
            };
            items.push(value(context, only, None, true));
        }
        (FieldType::Boolean, name) => {
            let mut texts = match name {
                "storage" if is_stored_elsewhere(context) => ["false", "true"],
                "nullable" | "served" | "storage" => ["true", "false"],
                "preserveUnknownFields" | "uniqueItems" | "deprecated" => ["false", "true"],
                _ => ["true", "false"],
            }
            .to_vec();
            if let api::Values::Closed(only) = &field.values {
                texts.retain(|it| only.iter().any(|only| only.text == *it));
            }
            items.extend(texts.into_iter().map(|it| value(context, it, None, false)));
        }
        (FieldType::Object(of), _) if of.fields.is_empty() && is_on_line(context) => items.push(empty(context, "{}")),
        _ => {
            let known = field.values.known().iter().filter(|it| it.is_in(version));
            items.extend(known.map(|it| value(context, it.text, Some(it.doc), true)));
        }
    }
    items
}

trait IsString {
    fn ty_is_string(&self) -> bool;
}

impl IsString for api::At {
    fn ty_is_string(&self) -> bool {
        matches!(self.ty, FieldType::String)
    }
}

fn is_on_line(context: &Context<'_, '_>) -> bool {
    matches!(context.place.slot, Slot::Value { .. })
}

fn empty(context: &Context<'_, '_>, text: &str) -> Item {
    let mut item = Item::new(text, ItemKind::Value);
    context.writer.value(&mut item, text, false);
    item
}

pub(super) fn value(context: &Context<'_, '_>, text: &str, doc: Option<&'static str>, is_string: bool) -> Item {
    let mut item = Item::new(text, ItemKind::EnumMember);
    item.documentation = doc.map(Into::into);
    context.writer.value(&mut item, text, is_string);
    item
}

/// The schema that contains the keyword whose value the user is writing.
pub(super) fn schema_of(context: &Context<'_, '_>) -> Option<NodeId> {
    let path = &context.place.path;
    nav::node_at(context.place.tree, &path[..path.len().checked_sub(1)?])
}

fn is_root(context: &Context<'_, '_>) -> bool {
    let path = &context.place.path;
    path.len().checked_sub(2).is_some_and(|it| {
        matches!(&path[it], Step::Key(key) if key == "openAPIV3Schema")
            && api_at(context.place.tree, &path[..=it]).is_some_and(|it| it.is_root_schema)
    })
}

/// Whether another version is the storage version.
fn is_stored_elsewhere(context: &Context<'_, '_>) -> bool {
    let tree = context.place.tree;
    let path = &context.place.path;
    let Some(own) = schema_of(context) else { return false };
    let versions = path.len().checked_sub(2).and_then(|it| nav::node_at(tree, &path[..it]));
    let Some(versions) = versions else { return false };
    tree.items(versions)
        .map(|it| tree.resolve(it))
        .any(|it| it != own && nav::is_true(tree, it, "storage"))
}

/// The formats for the schema's type that the API server knows.
fn formats_of(context: &Context<'_, '_>, field: &'static Field) -> Vec<Item> {
    let tree = context.place.tree;
    let version = context.request.version;
    let schema = schema_of(context);
    let r#type = schema.and_then(|it| nav::text(tree, it, "type")).or_else(|| {
        let path = nav::without_junctors(&context.place.path);
        let outer = nav::node_at(tree, &path[..path.len().checked_sub(1)?])?;
        nav::text(tree, outer, "type")
    });
    let strings: Vec<_> = formats::string_formats(version).collect();
    let fits = |it: &str| match r#type.as_deref() {
        Some("integer") => matches!(it, "int32" | "int64"),
        Some("number") => matches!(it, "float" | "double"),
        Some("string") => strings.contains(&it),
        _ => true,
    };
    let known = field
        .values
        .known()
        .iter()
        .filter(|it| it.is_in(version) && fits(it.text));
    known.map(|it| value(context, it.text, Some(it.doc), true)).collect()
}

/// The values that the schema allows for its own default or example.
fn of_schema_value(context: &Context<'_, '_>) -> Vec<Item> {
    let tree = context.place.tree;
    let Some(schema) = schema_of(context) else {
        return Vec::new();
    };
    let mut items = Vec::new();
    let is_string = nav::text(tree, schema, "type").as_deref() == Some("string");
    if let Some(values) = nav::child(tree, schema, "enum") {
        items.extend(nav::texts(tree, values).map(|it| value(context, &it, None, is_string)));
    }
    if items.is_empty() {
        let literals: &[&str] = match nav::text(tree, schema, "type").as_deref() {
            Some("boolean") => &["true", "false"],
            Some("object") => &["{}"],
            Some("array") => &["[]"],
            Some("integer" | "number") => &["0", "1"],
            Some("string") if context.place.token.style.is_none() => &["\"\""],
            _ => &[],
        };
        items.extend(literals.iter().map(|it| {
            let mut item = Item::new(*it, ItemKind::Value);
            context.writer.value(&mut item, it, false);
            item
        }));
    }
    if items.is_empty() && nav::is_true(tree, schema, "nullable") {
        items.push(empty(context, "null"));
    }
    items
}

/// The source text of a scalar, usable at another place. A string is quoted if YAML would otherwise parse it as something else.
pub(super) fn written(tree: &Tree, node: NodeId, is_string: bool) -> String {
    let text = tree.scalar(node);
    if is_string {
        insert::scalar(&text).into_owned()
    } else {
        text.into_owned()
    }
}
