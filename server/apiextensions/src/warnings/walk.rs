//! Visits all schemas inside a schema (`SchemaHas` of `pkg/apis/apiextensions/validation`).

use crd_analyzer_schema::JsonSchemaProps;
use crd_analyzer_schema::field::Trail;

/// Visits a schema and every schema inside it, with its path.
pub(super) fn each(schema: &JsonSchemaProps, at: &Trail<'_>, visit: &mut impl FnMut(&JsonSchemaProps, &Trail<'_>)) {
    visit(schema, at);
    let single = [
        ("items", schema.items.as_ref().and_then(|it| it.schema.as_deref())),
        ("not", schema.not.as_deref()),
        (
            "additionalProperties",
            schema
                .additional_properties
                .as_ref()
                .and_then(|it| it.schema.as_deref()),
        ),
        (
            "additionalItems",
            schema.additional_items.as_ref().and_then(|it| it.schema.as_deref()),
        ),
    ];
    for (keyword, below) in single {
        if let Some(below) = below {
            each(below, &at.child(keyword), visit);
        }
    }
    let lists = [
        ("items", schema.items.as_ref().map_or(&[][..], |it| &it.json_schemas)),
        ("allOf", &schema.all_of),
        ("anyOf", &schema.any_of),
        ("oneOf", &schema.one_of),
    ];
    for (keyword, list) in lists {
        for (index, below) in list.iter().enumerate() {
            each(below, &at.child(keyword).index(index), visit);
        }
    }
    let maps = [
        ("properties", &schema.properties),
        ("patternProperties", &schema.pattern_properties),
        ("definitions", &schema.definitions),
    ];
    for (keyword, map) in maps {
        for (key, below) in map {
            each(below, &at.child(keyword).key(key), visit);
        }
    }
    for (key, below) in &schema.dependencies {
        if let Some(below) = &below.schema {
            each(below, &at.child("dependencies").key(key), visit);
        }
    }
}
