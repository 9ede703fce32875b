//! Completion in resources whose CRD is known.

mod required;
pub(crate) mod view;
pub(super) mod whole;

use std::sync::Arc;

use crd_analyzer_apiextensions::api::{self, FieldType, PathStep, Presence};
use crd_analyzer_syntax::{
    paths::{Step, nearest_key},
    tree::{NodeId, NodeKind, Tree},
};
use crd_analyzer_workspace::index::{CrdText, GroupKind};
use view::View;

use super::{
    Context, Definitions, Item, ItemKind, definition, habits, head,
    insert::Shape,
    nav, property_names,
    rank::{Expected, Keys},
    schema_values,
};
use crate::{cursor_context::Slot, manifest::object_at};

pub(super) fn complete(context: &Context<'_, '_>) -> Option<Vec<Item>> {
    let tree = context.place.tree;
    let path = &context.place.path;
    let (object, path) = object_at(tree, path);
    let (api_version, kind) = object.map_or((None, None), |it| head::written(tree, it));
    let is_new = tree.root().is_none() || context.place.path.is_empty() && context.place.siblings().is_empty();
    // Offer nothing in files that are not manifests.
    if api_version.is_none() && kind.is_none() && !is_new && !is_manifest(tree, object) {
        return None;
    }
    let is_value = !matches!(context.place.slot, Slot::Key { .. });
    match path {
        [Step::Key(key)] if key == "apiVersion" && is_value => return Some(head::api_versions(context, object)),
        [Step::Key(key)] if key == "kind" && is_value => return Some(head::kind_names(context, object)),
        [Step::Key(key), rest @ ..] if key == "metadata" => return Some(metadata(context, rest)),
        _ => {}
    }
    let known = object.and_then(|it| crd_of(tree, it, context.request.definitions));
    let Some((definition, version)) = known else {
        let mut items = (path.is_empty() && !is_value || is_new).then(|| head_keys(context))?;
        if is_new {
            items.extend(whole::resources(context));
            items.extend(head::whole_crd(context));
        }
        return Some(items);
    };
    let root = definition.schema(&version)?;
    let schema = &definition.tree;
    let view = View::root(schema, schema.resolve(root.node)).follow(path)?;
    Some(at_view(context, &view))
}

/// The CRD of an object, and the version of the object.
pub(super) fn crd_of(tree: &Tree, object: NodeId, definitions: &dyn Definitions) -> Option<(Arc<CrdText>, String)> {
    let (api_version, kind) = head::written(tree, object);
    let api_version = api_version?;
    let (group, version) = head::group_version(&api_version);
    let kind = GroupKind {
        group: group.to_owned(),
        kind: kind?.into_owned(),
    };
    Some((definitions.find(&kind)?, version.to_owned()))
}

/// The CRD of the object that contains a path, the version of the object, and the path inside it.
pub(crate) fn defined<'p, 't>(
    tree: &Tree,
    path: &'p [Step<'t>],
    definitions: &dyn Definitions,
) -> Option<(Arc<CrdText>, String, &'p [Step<'t>])> {
    let (object, path) = object_at(tree, path);
    let (definition, version) = crd_of(tree, object?, definitions)?;
    Some((definition, version, path))
}

/// Whether a document has the shape of a manifest, even without a kind.
fn is_manifest(tree: &Tree, object: Option<NodeId>) -> bool {
    object.is_some_and(|it| {
        ["apiVersion", "kind"]
            .iter()
            .any(|key| nav::child(tree, it, key).is_some())
    })
}

/// The keys that every manifest has.
fn head_keys(context: &Context<'_, '_>) -> Vec<Item> {
    let known = Keys::new(context.place);
    let keys = [
        ("apiVersion", "group and version", Shape::Text),
        ("kind", "what the manifest describes", Shape::Text),
        ("metadata", "name, labels and annotations", Shape::Mapping),
        ("spec", "what is wanted", Shape::Mapping),
    ];
    let absent = keys.into_iter().filter(|(key, ..)| !known.has(key));
    absent
        .map(|(key, detail, shape)| {
            let mut item = Item::new(key, ItemKind::Key);
            item.detail = Some(detail.to_owned());
            context.writer.key(&mut item, key, shape);
            item
        })
        .collect()
}

/// The fields of `metadata`, which are the same for all kinds.
fn metadata(context: &Context<'_, '_>, path: &[Step<'_>]) -> Vec<Item> {
    let steps = path.iter().map(|step| match step {
        Step::Key(key) => PathStep::Key(key),
        Step::Index(_) => PathStep::Item,
    });
    let Some(at) = api::at(&api::V1, std::iter::once(PathStep::Key("metadata")).chain(steps)) else {
        return Vec::new();
    };
    let mut items = Vec::new();
    let takes_keys = !matches!(context.place.slot, Slot::Value { on_own_line: false, .. });
    if let FieldType::Object(structure) = at.ty
        && takes_keys
    {
        let known = Keys::new(context.place);
        let mut fields: Vec<_> = structure
            .fields
            .iter()
            .enumerate()
            .filter(|(_, it)| !known.has(it.name) && it.presence != Presence::Refused)
            .map(|(index, field)| {
                let expected = match field.ty {
                    FieldType::Object(_) | FieldType::Map(_) => Expected::Mapping,
                    FieldType::List(_) => Expected::List,
                    FieldType::Boolean => Expected::Boolean,
                    FieldType::Integer => Expected::Number,
                    _ => Expected::Anything,
                };
                let by_server = i32::from(field.presence == Presence::Server) * 400;
                (
                    index as i32 + by_server + known.value_penalty(&expected) + known.order_penalty(field.name) / 10,
                    field,
                )
            })
            .collect();
        fields.sort_by_key(|it| it.0);
        items.extend(fields.into_iter().map(|(_, field)| {
            let mut item = Item::new(field.name, ItemKind::Key);
            item.detail = Some(field.ty.display());
            item.documentation = Some(field.doc.into());
            item.note = (field.presence == Presence::Server).then(|| "set by the API server".to_owned());
            context.writer.key(&mut item, field.name, definition::shape(field));
            item
        }));
    }
    if let (Slot::Value { .. }, FieldType::Boolean) = (context.place.slot, at.ty) {
        items.extend(["true", "false"].map(|it| schema_values::value(context, it, None, false)));
    }
    if let (Slot::Value { .. }, Some(field)) = (context.place.slot, at.field) {
        items.extend(
            field
                .values
                .known()
                .iter()
                .map(|it| schema_values::value(context, it.text, Some(it.doc), true)),
        );
    }
    items
}

pub(super) fn at_view(context: &Context<'_, '_>, view: &View<'_>) -> Vec<Item> {
    match context.place.slot {
        Slot::Key { list, .. } => {
            let mut items = keys(context, view, false);
            items.extend(list.and_then(|it| definition::another_item(context, it)));
            items
        }
        Slot::Dash { .. } => {
            let mut items = values(context, view);
            items.extend(keys(context, view, false));
            items
        }
        Slot::Value { on_own_line, .. } => {
            let mut items = values(context, view);
            if on_own_line {
                // If a key could also be written here, offer `{}` last.
                let mut keys_first = keys(context, view, false);
                if let Some(item) = view.item() {
                    keys_first.extend(keys(context, &item, true));
                }
                items.splice(0..0, keys_first);
            } else if context.place.token.style.is_none() {
                items.extend(required::snippet(context, view, false));
            }
            items
        }
    }
}

/// The bonus of a key that always follows the previous one in resources. It is smaller than the bonus of a required key.
const HABIT: f64 = 300.0;

/// The fields of an object. `with_dash` means that the object is the first item of an empty list.
fn keys(context: &Context<'_, '_>, view: &View<'_>, with_dash: bool) -> Vec<Item> {
    let known = Keys::new(context.place);
    let required = view.required();
    let parent = nearest_key(&context.place.path).unwrap_or_default();
    let mut ranked = Vec::new();
    for (index, (name, field)) in view.fields().into_iter().enumerate() {
        if known.has(&name) {
            continue;
        }
        let is_required = required.contains(&name) && !field.has("default");
        let mut penalty = index as i32 + known.order_penalty(&name) + known.value_penalty(&field.expected());
        if is_required {
            penalty -= 1000;
        }
        // `apiVersion`, `kind` and `metadata` have their own order.
        if known.value.is_none() && !matches!(&*name, "apiVersion" | "kind" | "metadata") {
            penalty -= (HABIT * habits::share_in_resource(parent, &known.before, &name)) as i32;
        }
        penalty += field.penalty_of(&name) + view.head_penalty(&name);
        ranked.push((penalty, name, field, is_required));
    }
    ranked.sort_by_key(|it| it.0);
    let mut items = resources(context, view, &known);
    for (_, name, field, is_required) in ranked {
        let mut item = Item::new(name.as_ref(), ItemKind::Key);
        item.detail = Some(field.display());
        item.documentation = field.documentation();
        item.note = is_required
            .then(|| "required".to_owned())
            .or_else(|| field.default_text().map(|it| format!("default {it}")));
        context.writer.key(&mut item, &name, field.shape());
        item.asks_again &= field.is_followed();
        if with_dash {
            add_dash(&mut item);
        }
        items.push(item);
    }
    if known.value.is_none() {
        items.extend(required::snippet(context, view, with_dash));
    }
    items
}

/// The names of compute resources such as `cpu`, if the field is a map of their quantities. The schema of such a map does not list them.
fn resources(context: &Context<'_, '_>, view: &View<'_>, known: &Keys<'_>) -> Vec<Item> {
    let is_map = matches!(context.place.path.last(), Some(Step::Key(key)) if matches!(&**key, "limits" | "requests"));
    if !is_map || !view.is_map_of_quantities() {
        return Vec::new();
    }
    let absent = ["cpu", "memory", "ephemeral-storage"]
        .into_iter()
        .filter(|it| !known.has(it));
    absent
        .map(|name| {
            let mut item = Item::new(name, ItemKind::Key);
            item.detail = Some("quantity".to_owned());
            context.writer.key(&mut item, name, Shape::Scalar);
            item
        })
        .collect()
}

fn add_dash(item: &mut Item) {
    item.text.insert_str(0, "- ");
    if let Some(snippet) = &mut item.snippet {
        *snippet = format!("- {}", snippet.replace('\n', "\n  "));
    }
}

/// The suggested values of a schema.
fn values(context: &Context<'_, '_>, view: &View<'_>) -> Vec<Item> {
    let tree = view.tree;
    let is_string = view.is_string();
    let default = view.default_value();
    let mut items: Vec<Item> = Vec::new();
    let mut add = |text: &str, is_string: bool, kind: ItemKind| {
        if items.iter().any(|it: &Item| it.label == text) {
            return;
        }
        let mut item = Item::new(text, kind);
        context.writer.value(&mut item, text, is_string);
        items.push(item);
    };
    for value in view.enum_values() {
        let text = tree.scalar(value);
        let is_text = is_string
            || matches!(tree.kind(value), NodeKind::Scalar(style) if style != crd_analyzer_syntax::tree::ScalarStyle::Plain);
        add(&text, is_text, ItemKind::EnumMember);
    }
    match view.ty() {
        Some("boolean") => ["true", "false"]
            .iter()
            .for_each(|it| add(it, false, ItemKind::EnumMember)),
        Some("object") if context.place.token.style.is_none() => add("{}", false, ItemKind::Value),
        Some("array") if context.place.token.style.is_none() => add("[]", false, ItemKind::Value),
        _ => {}
    }
    if let Some(default) = default.filter(|it| tree.is_scalar(*it)) {
        add(&tree.scalar(default), is_string, ItemKind::Value);
    }
    if view.is_true("nullable") && context.place.token.style.is_none() {
        add("null", false, ItemKind::Value);
    }
    if let Some(default) = default.filter(|it| tree.is_scalar(*it)) {
        let text = tree.scalar(default);
        if let Some(at) = items.iter().position(|it| it.label == text) {
            let mut item = items.remove(at);
            item.note = Some("default".to_owned());
            item.preselect = true;
            items.insert(0, item);
        }
    }
    items
}

/// A short form of a schema's type.
fn display(tree: &Tree, schema: NodeId) -> String {
    property_names::display_type(tree, schema)
}
