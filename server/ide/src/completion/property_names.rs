//! Completes names that the CRD itself defines: property names in `required`, list map keys and paths, and the CRD's kind.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::markdown::Documentation;
use crd_analyzer_apiextensions::api::{self, Field, FieldType};
use crd_analyzer_syntax::{
    paths::Step,
    tree::{NodeId, Tree},
};

use super::{Context, Item, ItemKind, insert::Shape, json_paths, nav, schema_values::schema_of};
use crate::schema::api_at;

/// The suggested values for a field, from other parts of the CRD.
pub(super) fn of_value(context: &Context<'_, '_>, field: &'static Field) -> Vec<Item> {
    let path = &context.place.path;
    let is_item = matches!(path.last(), Some(Step::Index(_)));
    match field.name {
        "required" if is_item => property_names(context, |_, _| true),
        "x-kubernetes-list-map-keys" if is_item => list_map_keys(context),
        "jsonPath" | "specReplicasPath" | "statusReplicasPath" | "labelSelectorPath" | "fieldPath" => {
            json_paths::complete(context, field)
        }
        "name" | "plural" | "singular" | "listKind" | "kind" | "group" => own_names(context, field.name),
        _ => Vec::new(),
    }
}

/// The suggested keys of a map.
pub(super) fn of_map(context: &Context<'_, '_>, at: &api::At, of: &'static FieldType) -> Vec<Item> {
    let name = at.field.map_or("", |it| it.name);
    if nav::is_schema(of) && name == "properties" {
        return properties(context, at);
    }
    let is_definition_metadata = context.object().1.len() == 2;
    if name == "annotations" && is_definition_metadata {
        let known = [
            (
                "controller-gen.kubebuilder.io/version",
                "The version of controller-gen that generated the manifest.",
            ),
            (
                "api-approved.kubernetes.io",
                "Where the API was approved: needed for groups below `k8s.io` and `kubernetes.io`. A URL, or `unapproved, …`.",
            ),
            (
                "cert-manager.io/inject-ca-from",
                "`<namespace>/<certificate>`: cert-manager fills `caBundle` in.",
            ),
        ];
        let present = context.place.siblings();
        let absent = known.into_iter().filter(|(key, _)| !present.iter().any(|it| it == key));
        return absent
            .map(|(key, doc)| {
                let mut item = Item::new(key, ItemKind::Key);
                item.documentation = Some(doc.into());
                context.writer.key(&mut item, key, Shape::Text);
                item
            })
            .collect();
    }
    Vec::new()
}

/// Names for new properties: those that the schema already refers to, and the usual ones of resources.
fn properties(context: &Context<'_, '_>, at: &api::At) -> Vec<Item> {
    let tree = context.place.tree;
    let path = &context.place.path;
    let present: HashSet<_> = context.place.siblings().into_iter().collect();
    let mut seen = HashSet::new();
    let mut items = Vec::new();
    let mut add = |name: Cow<'_, str>, detail: &str| {
        if present.contains(&name) || !seen.insert(name.clone().into_owned()) {
            return;
        }
        let mut item = Item::new(name.as_ref(), ItemKind::Key);
        item.detail = Some(detail.to_owned());
        context.writer.key(&mut item, &name, Shape::Mapping);
        items.push(item);
    };
    let schema = path.len().checked_sub(1).and_then(|it| nav::node_at(tree, &path[..it]));
    if at.in_junctor {
        let outer = nav::without_junctors(path);
        if let Some(outer) = nav::node_at(tree, &outer) {
            for (name, _) in nav::entries(tree, outer).filter(|it| it.0 != "metadata") {
                add(name, "declared outside");
            }
        }
        return items;
    }
    for keyword in ["required", "x-kubernetes-list-map-keys"] {
        let list = schema.and_then(|it| nav::child(tree, it, keyword));
        for name in list.into_iter().flat_map(|it| nav::texts(tree, it)) {
            add(name, "required");
        }
    }
    if let Some(list) = list_around(tree, path) {
        for name in nav::child(tree, list, "x-kubernetes-list-map-keys")
            .into_iter()
            .flat_map(|it| nav::texts(tree, it))
        {
            add(name, "key of the list");
        }
    }
    for (name, version) in names_in_other_versions(context) {
        add(name, &format!("as in {version}"));
    }
    let is_root =
        path.len() >= 2 && api_at(context.place.tree, &path[..path.len() - 1]).is_some_and(|it| it.is_root_schema);
    if is_root {
        for (name, detail) in [
            ("apiVersion", "of every object"),
            ("kind", "of every object"),
            ("metadata", "of every object"),
            ("spec", "what is wanted"),
            ("status", "what is"),
        ] {
            add(name.into(), detail);
        }
    }
    items
}

/// The schema of the list that contains the properties at a path in its items.
fn list_around(tree: &Tree, path: &[Step<'_>]) -> Option<NodeId> {
    let above = path.len().checked_sub(2)?;
    matches!(&path[above], Step::Key(key) if key == "items")
        .then(|| nav::node_at(tree, &path[..above]))
        .flatten()
}

/// Names of properties at the same path in other versions.
fn names_in_other_versions<'t>(context: &Context<'_, 't>) -> Vec<(Cow<'t, str>, Cow<'t, str>)> {
    let tree = context.place.tree;
    let path = context.object().1;
    let [Step::Key(spec), Step::Key(versions), Step::Index(own), rest @ ..] = path else {
        return Vec::new();
    };
    if spec != "spec" || versions != "versions" {
        return Vec::new();
    }
    let Some(versions) = context.in_object(&path[..2]) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (index, version) in tree.items(versions).enumerate() {
        let place = crd_analyzer_syntax::paths::find_from(tree, tree.resolve(version), rest);
        if index != *own && place.is_found() {
            let name = nav::text(tree, version, "name").unwrap_or_default();
            found.extend(nav::entries(tree, place.node).map(|(key, _)| (key, name.clone())));
        }
    }
    found
}

/// The property names to offer in a list of names such as `required`. They come from the schema that has the list, or from the schema around its
/// `anyOf` and similar keywords.
fn property_names(context: &Context<'_, '_>, fits: impl Fn(&Tree, NodeId) -> bool) -> Vec<Item> {
    let tree = context.place.tree;
    let path = &context.place.path;
    // The path ends with `required[0]`; go up to the schema.
    let Some(above) = path.len().checked_sub(2) else {
        return Vec::new();
    };
    let own = nav::node_at(tree, &path[..above]);
    let outer = nav::node_at(tree, &nav::without_junctors(&path[..above]));
    let mut schemas: Vec<_> = own.into_iter().chain(outer).collect();
    schemas.dedup();
    names(context, &schemas, &path[..=above], fits)
}

fn names(
    context: &Context<'_, '_>,
    schemas: &[NodeId],
    list: &[Step<'_>],
    fits: impl Fn(&Tree, NodeId) -> bool,
) -> Vec<Item> {
    let tree = context.place.tree;
    let list = nav::node_at(tree, list);
    let typed = context.place.token.span;
    let items = list.into_iter().flat_map(|it| tree.items(it));
    let present: HashSet<_> = items
        .filter(|it| tree.span(*it) != typed && tree.is_scalar(*it))
        .map(|it| tree.scalar(it))
        .collect();
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for schema in schemas {
        let Some(properties) = nav::child(tree, *schema, "properties") else {
            continue;
        };
        for (name, property) in nav::entries(tree, properties) {
            if present.contains(&name) || !fits(tree, property) || !seen.insert(name.clone()) {
                continue;
            }
            let mut item = Item::new(name.as_ref(), ItemKind::EnumMember);
            item.detail = Some(display_type(tree, property));
            item.documentation =
                nav::text(tree, property, "description").map(|it| Documentation::Theirs(it.into_owned()));
            context.writer.value(&mut item, &name, true);
            // A property with a default may be missing in a resource even if it is required.
            let has_default = nav::child(tree, property, "default").is_some();
            found.push((has_default, item));
        }
    }
    found.sort_by_key(|it| it.0);
    found.into_iter().map(|it| it.1).collect()
}

fn list_map_keys(context: &Context<'_, '_>) -> Vec<Item> {
    let tree = context.place.tree;
    let path = &context.place.path;
    let Some(above) = path.len().checked_sub(2) else {
        return Vec::new();
    };
    let Some(items) = nav::node_at(tree, &path[..above]).and_then(|it| nav::child(tree, it, "items")) else {
        return Vec::new();
    };
    let is_scalar = |tree: &Tree, property: NodeId| {
        !matches!(nav::text(tree, property, "type").as_deref(), Some("object" | "array"))
    };
    let mut found = names(context, &[items], &path[..=above], is_scalar);
    // Keys of a list map are nearly always required.
    let required: HashSet<_> = nav::child(tree, items, "required")
        .into_iter()
        .flat_map(|it| nav::texts(tree, it))
        .collect();
    found.sort_by_key(|it| !required.contains(it.label.as_str()));
    found
}

/// A short form of a schema's type.
pub(super) fn display_type(tree: &Tree, schema: NodeId) -> String {
    let ty = nav::text(tree, schema, "type");
    match ty.as_deref() {
        Some("array") => {
            let items = nav::child(tree, schema, "items");
            format!(
                "[]{}",
                items.map_or_else(|| "any".to_owned(), |it| display_type(tree, it))
            )
        }
        Some("object") => {
            match nav::child(tree, schema, "additionalProperties").filter(|it| nav::is_mapping(tree, *it)) {
                Some(of) => format!("map[string]{}", display_type(tree, of)),
                None => "object".to_owned(),
            }
        }
        Some(ty) => match nav::text(tree, schema, "format") {
            Some(format) => format!("{ty} ({format})"),
            None => ty.to_owned(),
        },
        None if nav::is_true(tree, schema, "x-kubernetes-int-or-string") => "integer or string".to_owned(),
        None => "any".to_owned(),
    }
}

/// The value for a name of the CRD, derived from its other names.
fn own_names(context: &Context<'_, '_>, field: &str) -> Vec<Item> {
    let tree = context.place.tree;
    let (Some(root), path) = context.object() else {
        return Vec::new();
    };
    let spec = nav::child(tree, root, "spec");
    let of_spec = |key| spec.and_then(|it| nav::text(tree, it, key));
    let names = spec.and_then(|it| nav::child(tree, it, "names"));
    let of_names = |key| names.and_then(|it| nav::text(tree, it, key));
    let parent = match path.len().checked_sub(2).map(|it| &path[it]) {
        Some(Step::Key(key)) => &**key,
        _ => "",
    };
    let own_name = nav::child(tree, root, "metadata").and_then(|it| nav::text(tree, it, "name"));
    let (plural_of_name, group_of_name) = match own_name.as_deref().and_then(|it| it.split_once('.')) {
        Some((plural, group)) => (Some(plural.to_owned()), Some(group.to_owned())),
        None => (None, None),
    };
    let suggested = match (parent, field) {
        ("metadata", "name") if path.len() == 2 => match (of_names("plural"), of_spec("group")) {
            (Some(plural), Some(group)) => Some(format!("{plural}.{group}")),
            _ => None,
        },
        ("spec", "group") => group_of_name,
        ("names", "plural") => plural_of_name.or_else(|| of_names("kind").map(|it| format!("{}s", it.to_lowercase()))),
        ("names", "singular") => of_names("kind").map(|it| it.to_lowercase()),
        ("names", "listKind") => of_names("kind").map(|it| format!("{it}List")),
        ("names", "kind") => of_names("listKind")
            .and_then(|it| it.strip_suffix("List").map(str::to_owned))
            .or_else(|| of_names("plural").map(|it| kind_of(&it)))
            .or_else(|| plural_of_name.map(|it| kind_of(&it))),
        _ => None,
    };
    suggested
        .map(|text| {
            let mut item = Item::new(text.as_str(), ItemKind::Value);
            item.detail = Some("derived from the other names".to_owned());
            item.preselect = true;
            context.writer.value(&mut item, &text, true);
            item
        })
        .into_iter()
        .collect()
}

/// The schema that contains a rule. The path of the rule is the path of its list item.
pub(super) fn schema_of_rule(context: &Context<'_, '_>) -> Option<NodeId> {
    let rule = schema_of(context)?;
    let tree = context.place.tree;
    let list = tree.parent(rule)?;
    tree.parent(list)
}

/// The probable kind for a plural name. The boundaries of words are unknown, so only the first letter becomes a capital.
fn kind_of(plural: &str) -> String {
    let singular = match plural.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None => plural.strip_suffix('s').unwrap_or(plural).to_owned(),
    };
    let mut letters = singular.chars();
    let first = letters.next().map(|it| it.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
