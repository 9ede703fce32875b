//! Completion of `apiVersion` and `kind`, where each limits the values of the other.

use std::borrow::Cow;

use crd_analyzer_apiextensions::kind::CRD;
use crd_analyzer_syntax::tree::{NodeId, Tree};
use crd_analyzer_workspace::{index::GroupKind, kinds};

use super::{Context, Item, ItemKind, nav};

/// A snippet transform from a plural name to the kind: `policies` to `Policy`, and `widgets` to `Widget`.
const KIND_OF_PLURAL: &str = "${1/^(.)(.*?)(?:(ies)|s)?$/${1:/upcase}$2${3:+y}/}";

/// A whole CRD, for a document without content.
pub(super) fn whole_crd(context: &Context<'_, '_>) -> Option<Item> {
    if !context.request.snippets || !context.writer.can_have_lines() {
        return None;
    }
    let step = context.writer.layout().indent;
    let dash = context.writer.layout().list_indent;
    // The columns of the keys of the version and of its schema.
    let (version, schema) = (step + dash + 2, step + dash + 2 + 2 * step);
    let kind = if context.request.transforms {
        KIND_OF_PLURAL
    } else {
        "Widget"
    };
    let lines = [
        (0, format!("apiVersion: {}", CRD.served().api_version)),
        (0, format!("kind: {}", CRD.name)),
        (0, "metadata:".to_owned()),
        (step, "name: ${1:widgets}.${2:example.com}".to_owned()),
        (0, "spec:".to_owned()),
        (step, "group: ${2:example.com}".to_owned()),
        (step, "scope: ${3:Namespaced}".to_owned()),
        (step, "names:".to_owned()),
        (2 * step, format!("kind: ${{4:{kind}}}")),
        (2 * step, "plural: ${1:widgets}".to_owned()),
        (step, "versions:".to_owned()),
        (step + dash, "- name: ${5:v1alpha1}".to_owned()),
        (version, "served: true".to_owned()),
        (version, "storage: true".to_owned()),
        (version, "subresources:".to_owned()),
        (version + step, "status: {}".to_owned()),
        (version, "schema:".to_owned()),
        (version + step, "openAPIV3Schema:".to_owned()),
        (schema, "type: object".to_owned()),
        (schema, "properties:".to_owned()),
        (schema + step, "spec:".to_owned()),
        (schema + 2 * step, "type: object".to_owned()),
        (schema + 2 * step, "properties:".to_owned()),
        (schema + 3 * step, "${6:size}:".to_owned()),
        (schema + 4 * step, "type: ${7:integer}$0".to_owned()),
        (schema + step, "status:".to_owned()),
        (schema + 2 * step, "type: object".to_owned()),
        (schema + 2 * step, "properties: {}".to_owned()),
    ];
    let mut item = Item::new(format!("{} …", CRD.name), ItemKind::Snippet);
    item.detail = Some("a new kind of resource".to_owned());
    item.documentation = Some("A CRD with one version, a spec and the status subresource.".into());
    context.writer.lines(&mut item, &lines);
    Some(item)
}

/// The `apiVersion` and `kind` of a mapping, as far as it has them.
pub(super) fn written(tree: &Tree, object: NodeId) -> (Option<Cow<'_, str>>, Option<Cow<'_, str>>) {
    (nav::text(tree, object, "apiVersion"), nav::text(tree, object, "kind"))
}

/// Splits an `apiVersion` into group and version.
pub(super) fn group_version(api_version: &str) -> (&str, &str) {
    api_version.split_once('/').unwrap_or(("", api_version))
}

/// The possible values of `apiVersion` for the object's kind.
pub(super) fn api_versions(context: &Context<'_, '_>, object: Option<NodeId>) -> Vec<Item> {
    let tree = context.place.tree;
    let kind = object.and_then(|it| nav::text(tree, it, "kind"));
    let definitions = context.request.definitions;
    let mut texts: Vec<(String, String)> = Vec::new();
    for known in definitions.kinds() {
        if kind.as_ref().is_some_and(|it| *it != known.kind) {
            continue;
        }
        let Some(definition) = definitions.find(&known) else {
            continue;
        };
        for version in definition.versions() {
            texts.push((format!("{}/{version}", known.group), known.kind.clone()));
        }
    }
    texts.sort();
    texts.dedup_by(|one, other| one.0 == other.0);
    for own in kinds::all() {
        if kind.as_ref().is_none_or(|it| it == own.name) {
            texts.push((own.served().api_version.to_owned(), own.name.to_owned()));
        }
    }
    let has_kind = kind.is_some();
    texts
        .into_iter()
        .map(|(text, of)| {
            let mut item = Item::new(text.as_str(), ItemKind::Value);
            item.detail = has_kind.then_some(of);
            context.writer.value(&mut item, &text, true);
            item
        })
        .collect()
}

/// The possible values of `kind` for the object's group and version. If `apiVersion` is missing, the item adds it.
pub(super) fn kind_names(context: &Context<'_, '_>, object: Option<NodeId>) -> Vec<Item> {
    let tree = context.place.tree;
    let api_version = object.and_then(|it| nav::text(tree, it, "apiVersion"));
    let definitions = context.request.definitions;
    let mut kinds = definitions.kinds();
    kinds.sort_by(|one, other| (&one.kind, &one.group).cmp(&(&other.kind, &other.group)));
    let of_api_server = kinds::all().map(|it| GroupKind {
        group: it.group.to_owned(),
        kind: it.name.to_owned(),
    });
    kinds.extend(of_api_server);
    if let Some(written) = &api_version {
        let (group, version) = group_version(written);
        kinds.retain(|it| it.group == group);
        kinds.retain(|it| {
            kinds::all().any(|own| own.name == it.kind && *own.served().api_version == **written)
                || definitions
                    .find(it)
                    .is_some_and(|it| it.versions().iter().any(|it| it == version))
        });
    }
    kinds
        .into_iter()
        .map(|kind| {
            let mut item = Item::new(kind.kind.as_str(), ItemKind::Kind);
            item.detail = Some(kind.group.clone());
            context.writer.value(&mut item, &kind.kind, true);
            item
        })
        .collect()
}
