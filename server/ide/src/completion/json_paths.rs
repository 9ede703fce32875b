//! Completion of field paths in printer columns, selectable fields, `scale` and rules, one step at a time.

use crate::markdown::Documentation;
use crd_analyzer_apiextensions::api::{Field, OBJECT_META};
use crd_analyzer_syntax::{
    paths::Step,
    tree::{NodeId, ScalarStyle, Tree},
};

use super::{Context, Item, ItemKind, nav, property_names};
use crate::cursor_context::Slot;

/// The fields that a path may select.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wants {
    /// Any field, even inside a list.
    Column,
    /// A string, boolean or integer outside of lists.
    Selectable,
    /// An integer below `.spec`.
    SpecReplicas,
    /// An integer below `.status`.
    StatusReplicas,
    /// A string below `.spec` or `.status`.
    Selector,
    /// Any field outside of lists. Names that cannot follow a dot are in brackets.
    FieldPath,
}

/// Whether the value at a place is a path.
pub(super) fn is_path(context: &Context<'_, '_>) -> bool {
    let names = [
        "jsonPath",
        "specReplicasPath",
        "statusReplicasPath",
        "labelSelectorPath",
        "fieldPath",
    ];
    matches!(context.place.path.last(), Some(Step::Key(key)) if names.contains(&&**key))
        && matches!(context.place.slot, Slot::Value { .. })
}

pub(super) fn complete(context: &Context<'_, '_>, field: &Field) -> Vec<Item> {
    let path = &context.place.path;
    let parent = match path.len().checked_sub(3).map(|it| &path[it]) {
        Some(Step::Key(key)) => &**key,
        _ => "",
    };
    let wants = match (field.name, parent) {
        ("jsonPath", "selectableFields") => Wants::Selectable,
        ("jsonPath", _) => Wants::Column,
        ("specReplicasPath", _) => Wants::SpecReplicas,
        ("statusReplicasPath", _) => Wants::StatusReplicas,
        ("labelSelectorPath", _) => Wants::Selector,
        _ => Wants::FieldPath,
    };
    let tree = context.place.tree;
    let root = if wants == Wants::FieldPath {
        property_names::schema_of_rule(context)
    } else {
        schema_of_version(context)
    };
    if root.is_none() && wants == Wants::FieldPath {
        return Vec::new();
    }
    let Some((base, at)) = follow(tree, root, &context.place.token.prefix, wants) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (name, schema) in properties(tree, at, base.is_empty() && wants != Wants::FieldPath) {
        let fit = schema.map_or(StepMatch::Leads, |it| fit(tree, it, wants));
        let allowed = match (wants, base.as_str()) {
            (Wants::SpecReplicas, "") => name == "spec",
            (Wants::StatusReplicas, "") => name == "status",
            (Wants::Selector, "") => matches!(name.as_str(), "spec" | "status"),
            (Wants::Selectable, "") => !matches!(name.as_str(), "metadata" | "apiVersion" | "kind"),
            _ => true,
        };
        if fit == StepMatch::No || !allowed {
            continue;
        }
        let mut text = base.clone();
        push(&mut text, &name, wants);
        let mut item = Item::new(text.as_str(), ItemKind::Value);
        item.detail = Some(schema.map_or_else(|| "object".to_owned(), |it| property_names::display_type(tree, it)));
        item.documentation = schema
            .and_then(|it| nav::text(tree, it, "description"))
            .map(|it| Documentation::Theirs(it.into_owned()));
        item.asks_again = fit == StepMatch::Leads;
        // The first dot only starts the path. It must not accept an item.
        if !context.place.token.prefix.is_empty() {
            item.commit = &['.'];
        }
        context.writer.value(&mut item, &text, true);
        if wants == Wants::Column && schema.is_some_and(|it| are_conditions(tree, it)) {
            found.push((fit, condition(context, &text)));
        }
        let rank = match name.as_str() {
            "apiVersion" | "kind" if base.is_empty() => StepMatch::Constant,
            "type" if base.ends_with("[?(@") => StepMatch::TellsApart,
            _ => fit,
        };
        found.push((rank, item));
    }
    if wants == Wants::Column && matches!(base.as_str(), "" | ".metadata") {
        let of_use = |it: &&Field| !base.is_empty() || matches!(it.name, "creationTimestamp" | "name");
        let mut fields: Vec<_> = OBJECT_META.fields.iter().filter(of_use).collect();
        fields.sort_by_key(|it| match it.name {
            "creationTimestamp" => 0,
            // `kubectl get` always shows the name in the first column.
            "name" => 2,
            _ => 1,
        });
        for field in fields {
            let text = format!(".metadata.{}", field.name);
            let mut item = Item::new(text.as_str(), ItemKind::Value);
            item.detail = Some(field.ty.display());
            item.documentation = Some(field.doc.into());
            context.writer.value(&mut item, &text, true);
            found.push((StepMatch::Value, item));
        }
    }
    found.sort_by_key(|it| it.0);
    let mut items: Vec<Item> = found.into_iter().map(|it| it.1).collect();
    if base.is_empty() {
        // Complete paths come before the first steps of paths.
        let whole = whole_paths(tree, root, wants).into_iter().map(|(path, schema)| {
            let mut item = Item::new(path.as_str(), ItemKind::Value);
            item.detail = Some(property_names::display_type(tree, schema));
            let description = nav::text(tree, schema, "description");
            item.documentation = description.map(|it| Documentation::Theirs(it.into_owned()));
            context.writer.value(&mut item, &path, true);
            item
        });
        items.splice(0..0, whole);
    }
    items
}

/// Whether a schema describes Kubernetes conditions: a list of objects with a type and a status.
fn are_conditions(tree: &Tree, schema: NodeId) -> bool {
    let item = nav::child(tree, schema, "items").and_then(|it| nav::child(tree, it, "properties"));
    item.is_some_and(|it| ["type", "status"].iter().all(|key| nav::child(tree, it, key).is_some()))
}

/// An item for the path to the status of the condition that most kinds have.
fn condition(context: &Context<'_, '_>, list: &str) -> Item {
    let quote = if context.place.token.style == Some(ScalarStyle::DoubleQuoted) {
        '\''
    } else {
        '"'
    };
    let text = format!("{list}[?(@.type=={quote}Ready{quote})].status");
    let mut item = Item::new(text.as_str(), ItemKind::Value);
    item.detail = Some("string".to_owned());
    item.documentation = Some("The status of one of the conditions: `True`, `False` or `Unknown`.".into());
    context.writer.value(&mut item, &text, true);
    item
}

/// The most likely first column: a condition, or a scalar of the status or the spec. Returns its name, type and path.
pub(super) fn first_column(context: &Context<'_, '_>) -> Option<(String, &'static str, String)> {
    let tree = context.place.tree;
    let root = schema_of_version(context)?;
    let column = |parent: &str| {
        let schema = nav::child(tree, nav::child(tree, root, "properties")?, parent)?;
        let fields = properties(tree, Some(schema), false);
        let mut fields = fields.iter().filter_map(|it| Some((it.0.as_str(), it.1?)));
        fields.find_map(|(name, schema)| {
            let mut path = format!(".{parent}");
            push(&mut path, name, Wants::Column);
            if are_conditions(tree, schema) {
                path.push_str("[?(@.type==\"Ready\")].status");
                return Some(("Ready".to_owned(), "string", path));
            }
            let ty = column_type(tree, schema)?;
            let is_word = name.bytes().all(|it| it.is_ascii_alphanumeric());
            is_word.then(|| (name[..1].to_ascii_uppercase() + &name[1..], ty, path))
        })
    };
    column("status").or_else(|| column("spec"))
}

/// The maximum number of steps in a complete path that is offered.
const MAX_STEPS: usize = 3;

/// The maximum number of complete paths that are offered.
const MOST_WHOLE: usize = 8;

/// The maximum number of fields to search for complete paths.
const MOST_LOOKED_AT: usize = 500;

/// Complete paths from the root of a resource to the wanted fields, shortest first, each with its schema.
fn whole_paths(tree: &Tree, root: Option<NodeId>, wants: Wants) -> Vec<(String, NodeId)> {
    let parents: &[&str] = match wants {
        Wants::SpecReplicas => &["spec"],
        Wants::StatusReplicas => &["status"],
        Wants::Selector | Wants::Column => &["status", "spec"],
        Wants::Selectable => &["spec", "status"],
        Wants::FieldPath => &[],
    };
    let properties_of = root.and_then(|it| nav::child(tree, it, "properties"));
    let parents = parents.iter().filter_map(|parent| {
        let schema = nav::child(tree, properties_of?, parent)?;
        Some((format!(".{parent}"), schema))
    });
    let mut level: Vec<(String, NodeId)> = parents.collect();
    let (mut found, mut looked_at) = (Vec::new(), 0);
    for _ in 1..MAX_STEPS {
        let mut next = Vec::new();
        for (base, schema) in &level {
            for (name, schema) in properties(tree, Some(*schema), false) {
                looked_at += 1;
                if looked_at > MOST_LOOKED_AT || found.len() == MOST_WHOLE {
                    return found;
                }
                let Some(schema) = schema else { continue };
                let mut path = base.clone();
                push(&mut path, &name, wants);
                match fit(tree, schema, wants) {
                    StepMatch::Value if wants != Wants::Column || column_type(tree, schema).is_some() => {
                        found.push((path, schema));
                    }
                    StepMatch::Leads => next.push((path, schema)),
                    _ => {}
                }
            }
        }
        level = next;
    }
    found
}

/// The type of a column that shows a scalar.
fn column_type(tree: &Tree, schema: NodeId) -> Option<&'static str> {
    let ty = nav::text(tree, schema, "type")?;
    let is_time = ty == "string" && nav::text(tree, schema, "format").is_some_and(|it| it == "date-time");
    if is_time {
        return Some("date");
    }
    let types = ["string", "integer", "boolean", "number"];
    types.into_iter().find(|it| *it == ty)
}

/// Columns for the scalars of the status and the spec: the name, the type and the path of each.
pub(super) fn columns(context: &Context<'_, '_>) -> Vec<(String, &'static str, String)> {
    let tree = context.place.tree;
    let paths = whole_paths(tree, schema_of_version(context), Wants::Column).into_iter();
    let columns = paths.filter_map(|(path, schema)| {
        let name = path
            .rsplit('.')
            .next()
            .filter(|it| it.bytes().all(|it| it.is_ascii_alphanumeric()))?;
        let name = name.get(..1)?.to_ascii_uppercase() + &name[1..];
        Some((name, column_type(tree, schema)?, path))
    });
    columns.collect()
}

/// The possible paths for a field of the scale subresource, the usual name first.
pub(super) fn scale_paths(context: &Context<'_, '_>, field: &str) -> Vec<String> {
    let wants = match field {
        "specReplicasPath" => Wants::SpecReplicas,
        "statusReplicasPath" => Wants::StatusReplicas,
        _ => Wants::Selector,
    };
    let found = whole_paths(context.place.tree, schema_of_version(context), wants);
    let mut paths: Vec<String> = found.into_iter().map(|it| it.0).collect();
    paths.sort_by_key(|it| !it.ends_with(".replicas"));
    paths
}

/// The schema of the version that contains the path.
fn schema_of_version(context: &Context<'_, '_>) -> Option<NodeId> {
    let tree = context.place.tree;
    let path = context.object().1;
    let [Step::Key(_), Step::Key(_), Step::Index(_), ..] = path else {
        return None;
    };
    let version = context.in_object(&path[..3])?;
    nav::child(tree, nav::child(tree, version, "schema")?, "openAPIV3Schema")
}

/// Follows the complete steps of the typed path. Returns their text and the schema that they lead to.
fn follow(tree: &Tree, root: Option<NodeId>, typed: &str, wants: Wants) -> Option<(String, Option<NodeId>)> {
    let end = typed
        .rfind(['.', ']'])
        .map_or(0, |it| if typed[it..].starts_with(']') { it + 1 } else { it });
    let mut schema = root;
    let mut rest = &typed[..end];
    let mut is_metadata = false;
    while !rest.is_empty() {
        let (name, after) = if let Some(dotted) = rest.strip_prefix('.') {
            let end = dotted.find(['.', '[']).unwrap_or(dotted.len());
            (&dotted[..end], &dotted[end..])
        } else if let Some(inner) = rest.strip_prefix("['") {
            let end = inner.find("']")?;
            (&inner[..end], &inner[end + 2..])
        } else {
            if wants != Wants::Column {
                return None;
            }
            schema = schema.and_then(|it| nav::child(tree, it, "items"));
            rest = match rest.find(']') {
                Some(close) => &rest[close + 1..],
                // The filter on the items is still incomplete.
                None if rest == "[?(@" => "",
                None => return None,
            };
            continue;
        };
        is_metadata |= name == "metadata" && rest.len() == end;
        schema = schema
            .and_then(|it| nav::child(tree, it, "properties"))
            .and_then(|it| nav::child(tree, it, name));
        if schema.is_none() && !is_metadata {
            return None;
        }
        rest = after;
    }
    Some((typed[..end].to_owned(), schema))
}

/// The fields of a schema. `with_metadata`: whether it is the schema of a resource.
fn properties(tree: &Tree, schema: Option<NodeId>, with_metadata: bool) -> Vec<(String, Option<NodeId>)> {
    let properties = schema.and_then(|it| nav::child(tree, it, "properties"));
    let own = properties.into_iter().flat_map(|it| nav::entries(tree, it));
    let mut found: Vec<_> = own.map(|(name, node)| (name.into_owned(), Some(node))).collect();
    // Without a schema, offer the usual fields.
    let usual: &[_] = match (with_metadata, schema) {
        (true, None) => &["spec", "status", "metadata"],
        (true, Some(_)) => &["metadata"],
        (false, _) => &[],
    };
    for name in usual {
        if !found.iter().any(|it| it.0 == *name) {
            found.push(((*name).to_owned(), None));
        }
    }
    found
}

/// How well a step matches the wanted field.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum StepMatch {
    /// The field identifies an item of a list.
    TellsApart,
    /// The field is one of the wanted fields.
    Value,
    /// The wanted fields are further down.
    Leads,
    /// The value of the field is the same in all objects.
    Constant,
    /// The step is not useful.
    No,
}

fn fit(tree: &Tree, schema: NodeId, wants: Wants) -> StepMatch {
    let ty = nav::text(tree, schema, "type").unwrap_or_default();
    match (wants, &*ty) {
        (
            Wants::Column | Wants::Selectable | Wants::SpecReplicas | Wants::StatusReplicas | Wants::Selector,
            "object",
        ) => {
            if nav::child(tree, schema, "properties").is_some() {
                StepMatch::Leads
            } else {
                StepMatch::No
            }
        }
        (Wants::FieldPath | Wants::Column, _) => StepMatch::Value,
        (Wants::Selectable, "string" | "boolean" | "integer") => StepMatch::Value,
        (Wants::SpecReplicas | Wants::StatusReplicas, "integer") => StepMatch::Value,
        (Wants::Selector, "string") => StepMatch::Value,
        _ => StepMatch::No,
    }
}

/// Adds a step to a path.
fn push(path: &mut String, name: &str, wants: Wants) {
    let is_word = name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_')
        && !name.starts_with(|it: char| it.is_ascii_digit());
    if is_word || wants != Wants::FieldPath && !name.contains(['.', '\'', '/']) {
        path.push('.');
        path.push_str(name);
    } else {
        path.push_str("['");
        path.push_str(&name.replace('\\', "\\\\").replace('\'', "\\'"));
        path.push_str("']");
    }
}
