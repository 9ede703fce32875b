//! Whole nodes of a definition as one item.

use crd_analyzer_apiextensions::api::{self, FieldType, Presence, Struct};

use super::{Context, Item, ItemKind, rank::Keys};

/// Snippets for the written text at a place.
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
                "Text with the most characters that it has, from which CEL costs are estimated.",
                vec![line(0, "type: string"), line(0, "maxLength: ${1:253}")],
            );
            add(
                "integer …",
                "a schema with a minimum",
                "An integer of 32 bits with the smallest value that it has.",
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
        // A resource is nothing else than an object.
        "JSONSchemaProps" if is_new && !at.is_root_schema => {
            add(
                "map …",
                "a schema with additionalProperties",
                "A map from any names to values of one schema.",
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
                "A list that is replaced as a whole.",
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
                "A list of objects that are told apart by a key: each has its own owner in server-side apply.",
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
                "Text out of a few values.",
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
        "CustomResourceDefinitionVersion" if is_new => add(
            "version …",
            "a version with its schema",
            "A version that is served and stored, with the status subresource.",
            vec![
                line(0, "name: ${1:v1}"),
                line(0, "served: true"),
                line(0, "storage: ${2|true,false|}"),
                line(0, "subresources:"),
                line(step, "status: {}"),
                line(0, "schema:"),
                line(step, "openAPIV3Schema:"),
                line(2 * step, "type: object"),
                line(2 * step, "properties:"),
                line(3 * step, "spec:"),
                line(4 * step, "type: object"),
                line(4 * step, "properties:"),
                line(5 * step, "${3:name}:"),
                line(6 * step, "type: ${4|string,integer,boolean,object,array|}"),
                line(3 * step, "status:"),
                line(4 * step, "type: object"),
                line(4 * step, "properties: {}"),
            ],
        ),
        "CustomResourceColumnDefinition" if is_new => add(
            "column …",
            "a column of kubectl get",
            "A column with its path.",
            vec![
                line(0, "name: ${1:Ready}"),
                line(0, "type: ${2|string,integer,date,boolean,number|}"),
                line(0, "jsonPath: ${3:.status.ready}"),
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
        let mut lines = Vec::new();
        for (number, field) in missing.iter().enumerate() {
            let place = number + 1;
            let values = field.values.known();
            if let FieldType::List(_) = field.ty {
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
            "All required fields that are missing.",
            lines,
        );
    }
    items
}
