//! `x-kubernetes-preserve-unknown-fields`, and the keywords that control the merging of lists and maps.

use std::collections::HashSet;

use crd_analyzer_schema::JsonSchemaProps;
use crd_analyzer_schema::field::{Cause, Error, Trail};
use crd_analyzer_schema::go::quote;

use super::limits::MAX_ERRORS;
use super::list_map::list_map_errors;
use super::list_set::granular_set_items;
use super::lookup;
use super::options::Options;
use super::report::invalid_string;
use crate::codes;

const LIST_TYPE: &str = "x-kubernetes-list-type";
const LIST_MAP_KEYS: &str = "x-kubernetes-list-map-keys";
const MAP_TYPE: &str = "x-kubernetes-map-type";

/// Checks these keywords of the schema at `at`, in the API server's order.
pub(super) fn validate_list_and_map_keywords(
    schema: &JsonSchemaProps,
    at: &Trail<'_>,
    options: &Options<'_>,
    errors: &mut Vec<Error>,
) {
    if schema.x_preserve_unknown_fields == Some(false) {
        let path = at.child("x-kubernetes-preserve-unknown-fields").path();
        errors.push(Error::invalid(
            codes::PRUNED_UNKNOWN_FIELDS,
            path,
            "false",
            "must be true or undefined",
        ));
    }
    validate_map_type(schema, at, errors);
    validate_list_type(schema, at, options, errors);
    validate_list_map_keys_alone(schema, at, errors);
    if schema.x_list_type.as_deref() == Some("map") {
        validate_list_map(schema, at, options, errors);
    }
    if options.require_map_list_keys_map_set_validation {
        errors.extend(list_map_errors(schema).map(|error| error.error(at)));
    }
}

fn validate_map_type(schema: &JsonSchemaProps, at: &Trail<'_>, errors: &mut Vec<Error>) {
    let Some(map_type) = schema.x_map_type.as_deref() else {
        return;
    };
    if schema.r#type != "object" {
        let detail = "must be object if x-kubernetes-map-type is specified";
        errors.push(wrong_type(codes::MAP_TYPE_WITHOUT_OBJECT, schema, at, detail));
    }
    let supported = ["atomic", "granular"];
    if !supported.contains(&map_type) {
        let path = at.child(MAP_TYPE).path();
        errors.push(Error::not_supported(
            codes::UNKNOWN_MAP_TYPE,
            path,
            quote(map_type),
            &supported,
        ));
    }
}

fn validate_list_type(schema: &JsonSchemaProps, at: &Trail<'_>, options: &Options<'_>, errors: &mut Vec<Error>) {
    let Some(list_type) = schema.x_list_type.as_deref() else {
        return;
    };
    if schema.r#type != "array" {
        let detail = "must be array if x-kubernetes-list-type is specified";
        errors.push(wrong_type(codes::LIST_TYPE_WITHOUT_ARRAY, schema, at, detail));
    } else if options.require_atomic_set_type
        && let Some(keyword) = granular_set_items(schema)
    {
        // The message contains the list type of the items even if their map type is the problem.
        let items = schema.items.as_deref().and_then(|it| it.schema.as_deref());
        let bad_value = options
            .render()
            .string_pointer(items.and_then(|it| it.x_list_type.as_deref()));
        let detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
        let path = at.child("items").child(keyword).path();
        errors.push(Error::invalid(codes::GRANULAR_SET_ITEMS, path, bad_value, detail));
    }
    let supported = ["atomic", "set", "map"];
    if !supported.contains(&list_type) {
        let path = at.child(LIST_TYPE).path();
        errors.push(Error::not_supported(
            codes::UNKNOWN_LIST_TYPE,
            path,
            quote(list_type),
            &supported,
        ));
    }
}

fn wrong_type(code: &'static str, schema: &JsonSchemaProps, at: &Trail<'_>, detail: &str) -> Error {
    let path = at.child("type").path();
    if schema.r#type.is_empty() {
        Error::required(code, path, detail)
    } else {
        invalid_string(code, path, &schema.r#type, detail)
    }
}

fn validate_list_map_keys_alone(schema: &JsonSchemaProps, at: &Trail<'_>, errors: &mut Vec<Error>) {
    if schema.x_list_map_keys.is_empty() {
        return;
    }
    let path = || at.child(LIST_TYPE).path();
    let detail = "must be map if x-kubernetes-list-map-keys is non-empty";
    let code = codes::LIST_MAP_KEYS_WITHOUT_MAP;
    match schema.x_list_type.as_deref() {
        Some("map") => {}
        Some(list_type) => errors.push(invalid_string(code, path(), list_type, detail)),
        None => errors.push(Error::required(code, path(), detail)),
    }
}

fn validate_list_map(schema: &JsonSchemaProps, at: &Trail<'_>, options: &Options<'_>, errors: &mut Vec<Error>) {
    let keys = &schema.x_list_map_keys;
    let keys_path = || at.child(LIST_MAP_KEYS).path();
    if keys.is_empty() {
        let detail = "must not be empty if x-kubernetes-list-type is map";
        errors.push(Error::required(codes::MISSING_LIST_MAP_KEYS, keys_path(), detail));
    }
    let items_at = at.child("items");
    let Some(items) = schema.items.as_deref() else {
        let detail = "must have a schema if x-kubernetes-list-type is map";
        errors.push(Error::required(codes::INVALID_LIST_MAP_ITEMS, items_at.path(), detail));
        return;
    };
    let Some(item) = items.schema.as_deref() else {
        let detail = "must only have a single schema if x-kubernetes-list-type is map";
        let bad_value = options.render().items(items);
        errors.push(Error::invalid(
            codes::INVALID_LIST_MAP_ITEMS,
            items_at.path(),
            bad_value,
            detail,
        ));
        return;
    };
    if item.r#type != "object" {
        let detail = "must be object if parent array's x-kubernetes-list-type is map";
        let path = items_at.child("type").path();
        errors.push(invalid_string(
            codes::INVALID_LIST_MAP_ITEMS,
            path,
            &item.r#type,
            detail,
        ));
        return;
    }
    let bad_keys = || options.render().strings(Some(keys));
    let mut seen = HashSet::new();
    for key in keys.iter().take(MAX_ERRORS) {
        match lookup(&item.properties, key) {
            Some(property) if matches!(property.r#type.as_str(), "array" | "object") => {
                // The message contains the type of the items, not the type of the key.
                let path = items_at.child("properties").key(key).child("type").path();
                let detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
                let error = invalid_string(codes::INVALID_LIST_MAP_KEY, path, &item.r#type, detail);
                errors.push(error.because(Cause::WrongKind));
            }
            Some(_) => {}
            None => {
                let detail = "entries must all be names of item properties";
                let error = Error::invalid(codes::INVALID_LIST_MAP_KEY, keys_path(), bad_keys(), detail);
                errors.push(error.because(Cause::NotFound(key.clone())));
            }
        }
        if !seen.insert(key) {
            let detail = "must not contain duplicate entries";
            let error = Error::invalid(codes::INVALID_LIST_MAP_KEY, keys_path(), bad_keys(), detail);
            errors.push(error.because(Cause::Repeated(key.clone())));
        }
    }
}
