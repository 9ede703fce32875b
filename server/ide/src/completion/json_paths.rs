//! Paths of fields, for printer columns, selectable fields, `scale` and rules: one step is offered at a time.

use crd_analyzer_apiextensions::api::Field;
use crd_analyzer_syntax::{
    paths::Step,
    tree::{NodeId, Tree},
};

use super::{Context, Item, ItemKind, names, nav};
use crate::place::Slot;

/// What a path may lead to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wants {
    /// Any field, also behind a list.
    Column,
    /// A string, boolean or integer that no list is before.
    Selectable,
    /// An integer below `.spec`.
    SpecReplicas,
    /// An integer below `.status`.
    StatusReplicas,
    /// A string below `.spec` or `.status`.
    Selector,
    /// Any field that no list is before; names in brackets where dots cannot do.
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
        names::schema_of_rule(context)
    } else {
        schema_of_version(context)
    };
    let Some(root) = root else { return Vec::new() };
    let typed = typed(context);
    let Some((base, at)) = follow(tree, root, &typed, wants) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (name, schema) in properties(tree, at, base.is_empty() && wants != Wants::FieldPath) {
        let fit = schema.map_or(Fit::Leads, |it| fit(tree, it, wants));
        let allowed = match (wants, base.as_str()) {
            (Wants::SpecReplicas, "") => name == "spec",
            (Wants::StatusReplicas, "") => name == "status",
            (Wants::Selector, "") => matches!(name.as_str(), "spec" | "status"),
            (Wants::Selectable, "") => !matches!(name.as_str(), "metadata" | "apiVersion" | "kind"),
            _ => true,
        };
        if fit == Fit::No || !allowed {
            continue;
        }
        let mut text = base.clone();
        push(&mut text, &name, wants);
        let mut item = Item::new(text.as_str(), ItemKind::Value);
        item.detail = Some(schema.map_or_else(|| "object".to_owned(), |it| names::display_type(tree, it)));
        item.documentation = schema
            .and_then(|it| nav::text(tree, it, "description"))
            .map(|it| it.into_owned().into());
        item.asks_again = fit == Fit::Leads;
        item.commit = &['.'];
        context.writer.value(&mut item, &text, true);
        found.push((fit, item));
    }
    if wants == Wants::Column && base.is_empty() {
        for (text, detail) in [(".metadata.creationTimestamp", "date"), (".metadata.name", "string")] {
            let mut item = Item::new(text, ItemKind::Value);
            item.detail = Some(detail.to_owned());
            context.writer.value(&mut item, text, true);
            found.push((Fit::Value, item));
        }
    }
    found.sort_by_key(|it| it.0);
    found.into_iter().map(|it| it.1).collect()
}

/// The text before the cursor in the scalar.
fn typed(context: &Context<'_, '_>) -> String {
    context.place.token.prefix.clone()
}

/// The schema of the version that a path is in.
fn schema_of_version(context: &Context<'_, '_>) -> Option<NodeId> {
    let tree = context.place.tree;
    let path = &context.place.path;
    let [Step::Key(_), Step::Key(_), Step::Index(_), ..] = path.as_slice() else {
        return None;
    };
    let version = nav::node_at(tree, &path[..3])?;
    nav::child(tree, nav::child(tree, version, "schema")?, "openAPIV3Schema")
}

/// Where the whole steps of what is typed lead, and their text.
fn follow(tree: &Tree, root: NodeId, typed: &str, wants: Wants) -> Option<(String, Option<NodeId>)> {
    let end = typed
        .rfind(['.', ']'])
        .map_or(0, |it| if typed[it..].starts_with(']') { it + 1 } else { it });
    let mut schema = Some(root);
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
            let close = rest.starts_with('[').then(|| rest.find(']')).flatten()?;
            if wants != Wants::Column {
                return None;
            }
            schema = schema.and_then(|it| nav::child(tree, it, "items"));
            rest = &rest[close + 1..];
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

/// The fields of a schema; `with_metadata`: it is that of a resource.
fn properties(tree: &Tree, schema: Option<NodeId>, with_metadata: bool) -> Vec<(String, Option<NodeId>)> {
    let properties = schema.and_then(|it| nav::child(tree, it, "properties"));
    let own = properties.into_iter().flat_map(|it| nav::entries(tree, it));
    let mut found: Vec<_> = own.map(|(name, node)| (name.into_owned(), Some(node))).collect();
    if with_metadata && !found.iter().any(|it| it.0 == "metadata") {
        found.push(("metadata".to_owned(), None));
    }
    found
}

/// What a step leads to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// A value as it is wanted.
    Value,
    /// More steps.
    Leads,
    /// Nothing of use.
    No,
}

fn fit(tree: &Tree, schema: NodeId, wants: Wants) -> Fit {
    let ty = nav::text(tree, schema, "type").unwrap_or_default();
    match (wants, &*ty) {
        (
            Wants::Column | Wants::Selectable | Wants::SpecReplicas | Wants::StatusReplicas | Wants::Selector,
            "object",
        ) => {
            if nav::child(tree, schema, "properties").is_some() {
                Fit::Leads
            } else {
                Fit::No
            }
        }
        (Wants::FieldPath | Wants::Column, _) => Fit::Value,
        (Wants::Selectable, "string" | "boolean" | "integer") => Fit::Value,
        (Wants::SpecReplicas | Wants::StatusReplicas, "integer") => Fit::Value,
        (Wants::Selector, "string") => Fit::Value,
        _ => Fit::No,
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
