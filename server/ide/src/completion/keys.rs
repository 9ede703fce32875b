//! Snippets for whole nodes of a CRD.

use crd_analyzer_apiextensions::{
    api::{self, FieldType, Presence, Struct},
    types::{compare_version_names, next_version_name},
};
use crd_analyzer_syntax::{
    paths::Step,
    tree::{CollectionStyle, NodeId, NodeKind, Tree},
};

use super::{Context, Item, ItemKind, escape_choice, escape_snippet, json_paths, nav, rank::Keys};

/// The maximum size, in bytes, of a version to offer as a copy. Each copy is sent to the client with the list.
const MAX_COPIED: usize = 64 << 10;

/// The other versions of a CRD, besides the one that the user is writing.
struct Others {
    /// The name for a version after the newest one.
    next: String,
    /// Whether one of the other versions is the storage version.
    is_stored: bool,
    /// The versions, by name.
    items: Vec<(String, NodeId)>,
}

impl Others {
    fn of(context: &Context<'_, '_>) -> Self {
        let (tree, path) = (context.place.tree, &context.place.path);
        let list = path.iter().rposition(|it| *it == Step::key("versions"));
        let list = list.and_then(|at| nav::node_at(tree, &path[..=at]));
        let items: Vec<_> = list.into_iter().flat_map(|it| tree.items(it)).collect();
        let items = items.into_iter().map(|it| tree.resolve(it)).filter_map(|it| {
            let name = nav::text(tree, it, "name")?;
            (!name.is_empty()).then(|| (name.into_owned(), it))
        });
        let items: Vec<_> = items.collect();
        Self {
            next: next_version_name(items.iter().map(|it| it.0.as_str())),
            is_stored: items.iter().any(|it| nav::is_true(tree, it.1, "storage")),
            items,
        }
    }

    /// A value for a field of the new version that does not conflict with the other versions.
    fn value(&self, field: &str) -> Option<String> {
        match field {
            "name" => Some(escape_snippet(&self.next)),
            "served" => Some("true".to_owned()),
            "storage" => Some((!self.is_stored).to_string()),
            _ => None,
        }
    }

    /// The name of the newest version, and the lines of a copy of it. `None` if it is too long, or if aliases link it to other versions.
    fn copy(&self, context: &Context<'_, '_>) -> Option<(&str, Vec<(usize, String)>)> {
        let newest = self.items.iter().max_by(|a, b| compare_version_names(&a.0, &b.0));
        let (name, item) = newest?;
        let lines = copied(context.place.tree, *item, &self.next)?;
        Some((name, lines))
    }
}

/// The lines of a copy of a version, with another name and without being the storage version.
fn copied(tree: &Tree, item: NodeId, name: &str) -> Option<Vec<(usize, String)>> {
    if tree.kind(item) != NodeKind::Mapping(CollectionStyle::Block) {
        return None;
    }
    let first = tree.entries(item).next()?;
    let last = tree.entries(item).last()?;
    let start = tree.full_span(first.key).start as usize;
    let end = tree.full_span(last.value).end.max(tree.full_span(last.key).end) as usize;
    let shares = |it: NodeId| tree.anchor(it).is_some() || matches!(tree.kind(it), NodeKind::Alias);
    if end - start > MAX_COPIED || tree.subtree(item).any(shares) {
        return None;
    }
    let text = tree.text();
    let column = start - text[..start].rfind(['\n', '\r']).map_or(0, |it| it + 1);
    // The copy has another name and is not the storage version.
    let mut changes = vec![(
        nav::child(tree, item, "name")?,
        format!("${{1:{}}}", escape_snippet(name)),
    )];
    if let Some(storage) = nav::child(tree, item, "storage") {
        changes.push((storage, "false".to_owned()));
    }
    changes.sort_by_key(|it| tree.span(it.0).start);
    let mut written = String::new();
    let mut from = start;
    for (node, new_text) in changes {
        let span = tree.span(node);
        written += &escape_snippet(text.get(from..span.start as usize)?);
        written += &new_text;
        from = span.end as usize;
    }
    written += &escape_snippet(text.get(from..end)?);
    let lines = written.trim_end().lines().enumerate().map(|(number, line)| {
        let blanks = line.len() - line.trim_start_matches(' ').len();
        let indent = if number == 0 { 0 } else { blanks.saturating_sub(column) };
        (indent, line[blanks..].to_owned())
    });
    Some(lines.collect())
}

/// The maximum number of columns that are offered.
const MOST_COLUMNS: usize = 5;

/// The line for a path of the scale subresource. It is a choice of paths from the schema, or the usual path.
fn scale_path(context: &Context<'_, '_>, field: &str, place: usize, usual: &str) -> String {
    let paths = json_paths::scale_paths(context, field);
    match paths.as_slice() {
        [] => format!("{field}: ${{{place}:{usual}}}"),
        [only] => format!("{field}: ${{{place}:{}}}", escape_snippet(only)),
        several => {
            let choices: Vec<String> = several.iter().map(|it| escape_choice(it)).collect();
            format!("{field}: ${{{place}|{}|}}", choices.join(","))
        }
    }
}

/// The snippets for whole nodes that fit at a position.
pub(super) fn snippets(
    context: &Context<'_, '_>,
    at: &api::At,
    structure: &'static Struct,
    known: &Keys<'_>,
) -> Vec<Item> {
    if !context.request.snippets || !context.writer.can_have_lines() {
        return Vec::new();
    }
    let step = context.writer.layout().indent;
    let dash = context.writer.layout().list_indent;
    let line = |indent: usize, text: &str| (indent, text.to_owned());
    let mut items = Vec::new();
    let mut add = |label: &str, detail: &str, doc: &'static str, lines: Vec<(usize, String)>| {
        let mut item = Item::new(label, ItemKind::Snippet);
        item.detail = Some(detail.to_owned());
        item.documentation = Some(doc.into());
        context.writer.lines(&mut item, &lines);
        items.push(item);
    };
    let is_new = known.present.is_empty();
    if is_new && structure.name == "JSONSchemaProps" {
        if !at.is_root_schema {
            add(
                "string …",
                "a schema with a length",
                "A string with a maximum length, which also limits the CEL cost estimate.",
                vec![line(0, "type: string"), line(0, "maxLength: ${1:253}")],
            );
            add(
                "integer …",
                "a schema with a minimum",
                "A 32-bit integer with a minimum.",
                vec![
                    line(0, "type: integer"),
                    line(0, "format: int32"),
                    line(0, "minimum: ${1:0}"),
                ],
            );
        }
        add(
            "object …",
            "a schema with properties",
            "An object with its fields.",
            vec![
                line(0, "type: object"),
                line(0, "properties:"),
                line(step, "${1:name}:"),
                line(2 * step, "type: ${2|string,integer,boolean,object,array|}"),
            ],
        );
    }
    match structure.name {
        // A resource is always an object.
        "JSONSchemaProps" if is_new && !at.is_root_schema => {
            add(
                "map …",
                "a schema with additionalProperties",
                "A map: any keys, and values of one schema.",
                vec![
                    line(0, "type: object"),
                    line(0, "maxProperties: ${1:64}"),
                    line(0, "additionalProperties:"),
                    line(step, "type: ${2|string,integer,boolean,object|}"),
                ],
            );
            add(
                "list …",
                "a schema with items",
                "A list that server-side apply replaces as a whole.",
                vec![
                    line(0, "type: array"),
                    line(0, "maxItems: ${1:64}"),
                    line(0, "items:"),
                    line(step, "type: ${2|string,integer,boolean,object|}"),
                ],
            );
            add(
                "list-map …",
                "a list whose items have a key",
                "A list of objects that a key identifies: in server-side apply, each item has its own owner.",
                vec![
                    line(0, "type: array"),
                    line(0, "maxItems: ${1:64}"),
                    line(0, "x-kubernetes-list-type: map"),
                    line(0, "x-kubernetes-list-map-keys:"),
                    line(dash, "- ${2:name}"),
                    line(0, "items:"),
                    line(step, "type: object"),
                    line(step, "required:"),
                    line(step + dash, "- ${2:name}"),
                    line(step, "properties:"),
                    line(2 * step, "${2:name}:"),
                    line(3 * step, "type: string"),
                    line(3 * step, "maxLength: ${3:253}"),
                ],
            );
            add(
                "enum …",
                "a schema with values",
                "A string with a list of allowed values.",
                vec![
                    line(0, "type: string"),
                    line(0, "enum:"),
                    line(dash, "- ${1:A}"),
                    line(dash, "- ${2:B}"),
                ],
            );
            add(
                "int-or-string …",
                "an integer or a string",
                "An integer or a string, such as a port or a percentage.",
                vec![
                    line(0, "x-kubernetes-int-or-string: true"),
                    line(0, "anyOf:"),
                    line(dash, "- type: integer"),
                    line(dash, "- type: string"),
                ],
            );
        }
        "ValidationRule" if is_new => add(
            "rule …",
            "a rule with its message",
            "A rule, and the message that users see when it fails.",
            vec![line(0, "rule: ${1:self}"), line(0, "message: ${2:must be …}")],
        ),
        "CustomResourceDefinitionVersion" if is_new => {
            let others = Others::of(context);
            add(
                "version …",
                "a version with its schema",
                "A version that is served, with the status subresource.",
                vec![
                    line(0, &format!("name: ${{1:{}}}", escape_snippet(&others.next))),
                    line(0, "served: true"),
                    line(0, &format!("storage: {}", !others.is_stored)),
                    line(0, "subresources:"),
                    line(step, "status: {}"),
                    line(0, "schema:"),
                    line(step, "openAPIV3Schema:"),
                    line(2 * step, "type: object"),
                    line(2 * step, "properties:"),
                    line(3 * step, "spec:"),
                    line(4 * step, "type: object"),
                    line(4 * step, "properties:"),
                    line(5 * step, "${2:name}:"),
                    line(6 * step, "type: ${3|string,integer,boolean,object,array|}"),
                    line(3 * step, "status:"),
                    line(4 * step, "type: object"),
                    line(4 * step, "properties: {}"),
                ],
            );
            if let Some((name, lines)) = others.copy(context) {
                add(
                    &format!("copy of {name} …"),
                    &format!("a version with the schema of {name}"),
                    "A copy of a version, for you to change.",
                    lines,
                );
            }
        }
        "CustomResourceColumnDefinition" if is_new => {
            // Every resource has a creation time.
            let age = || ("Age".to_owned(), "date", ".metadata.creationTimestamp".to_owned());
            let first = json_paths::first_column(context).unwrap_or_else(age);
            let others = json_paths::columns(context).into_iter().filter(|it| it.2 != first.2);
            let others: Vec<_> = others.take(MOST_COLUMNS - 1).collect();
            let mut add_column = |label: &str, detail: &str, (name, ty, path): (String, &str, String)| {
                let others = ["string", "integer", "date", "boolean", "number"];
                let others: Vec<_> = others.into_iter().filter(|it| *it != ty).collect();
                add(
                    label,
                    detail,
                    "A column with its path.",
                    vec![
                        line(0, &format!("name: ${{1:{}}}", escape_snippet(&name))),
                        line(0, &format!("type: ${{2|{ty},{}|}}", others.join(","))),
                        line(0, &format!("jsonPath: ${{3:{}}}", escape_snippet(&path))),
                    ],
                );
            };
            add_column("column …", "a column of kubectl get", first);
            for column in others {
                let (label, path) = (format!("column {} …", column.0), column.2.clone());
                add_column(&label, &path, column);
            }
        }
        "CustomResourceSubresources" if !known.has("scale") => add(
            "scale …",
            "the scale subresource with its paths",
            "What `kubectl scale` and autoscalers read and set.",
            vec![
                line(0, "scale:"),
                line(step, &scale_path(context, "specReplicasPath", 1, ".spec.replicas")),
                line(step, &scale_path(context, "statusReplicasPath", 2, ".status.replicas")),
            ],
        ),
        // In older versions of the API, the webhook is in another field.
        "CustomResourceConversion" if is_new && structure.fields.iter().any(|it| it.name == "webhook") => add(
            "webhook …",
            "conversion by a webhook",
            "A webhook in the cluster converts between the versions.",
            vec![
                line(0, "strategy: Webhook"),
                line(0, "webhook:"),
                line(step, "conversionReviewVersions:"),
                line(step + dash, "- v1"),
                line(step, "clientConfig:"),
                line(2 * step, "service:"),
                line(3 * step, "namespace: ${1:system}"),
                line(3 * step, "name: ${2:webhook-service}"),
                line(3 * step, "path: ${3:/convert}"),
            ],
        ),
        _ => {}
    }
    let missing: Vec<_> = structure
        .fields
        .iter()
        .filter(|it| it.presence == Presence::Required && !known.has(it.name))
        .collect();
    if missing.len() > 1 && !matches!(structure.name, "CustomResourceDefinition") {
        let is_version = structure.name == "CustomResourceDefinitionVersion";
        let others = is_version.then(|| Others::of(context));
        let mut lines = Vec::new();
        for (number, field) in missing.iter().enumerate() {
            let place = number + 1;
            let values = field.values.known();
            if structure.name == "CustomResourceSubresourceScale" {
                lines.push(line(0, &scale_path(context, field.name, place, "")));
            } else if let Some(written) = others.as_ref().and_then(|it| it.value(field.name)) {
                lines.push(line(0, &format!("{}: ${{{place}:{written}}}", field.name)));
            } else if let FieldType::List(_) = field.ty {
                lines.push(line(0, &format!("{}:", field.name)));
                lines.push(line(dash, &format!("- ${{{place}}}")));
            } else if field.ty.structure().is_some() {
                lines.push(line(0, &format!("{}:", field.name)));
                lines.push(line(step, &format!("${{{place}}}")));
            } else if values.is_empty() {
                lines.push(line(0, &format!("{}: ${{{place}}}", field.name)));
            } else {
                let texts: Vec<_> = values.iter().map(|it| it.text).collect();
                lines.push(line(0, &format!("{}: ${{{place}|{}|}}", field.name, texts.join(","))));
            }
        }
        let names: Vec<_> = missing.iter().map(|it| it.name).collect();
        add(
            "required fields",
            &names.join(", "),
            "All missing required fields.",
            lines,
        );
    }
    items
}
