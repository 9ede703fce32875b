//! Words for keywords that CRDs do not allow in schemas, or do not allow at their place.

use crd_analyzer_apiextensions::codes;
use crd_analyzer_diagnostic::other_types::other_type;
use crd_analyzer_schema::field::{Cause, Segment};
use crd_analyzer_syntax::json::Json;

use super::{
    About, Words,
    meant::{meant_type, type_of_format},
    misspelt_key,
    name::SchemaPlace,
    text::{code, either, written},
};

pub(super) fn words(about: &About<'_>) -> Option<Words> {
    let place = SchemaPlace::of(about.path);
    let noun = place
        .as_ref()
        .map_or_else(|| "the schema".to_owned(), SchemaPlace::noun);
    let words = match about.code {
        codes::UNKNOWN_TYPE => unknown_type(about),
        codes::NULL_TYPE => Words::new(format!("{noun} cannot have the type `null`"))
            .label("not a type of CRDs")
            .help("set the type of the other values, and add `nullable: true`")
            .in_go("set the type of the other values, and add `+nullable`"),
        codes::NULLABLE_ROOT => Words::new("the root of a schema cannot be nullable")
            .label("not allowed at the root")
            .help("remove `nullable`")
            .in_go("remove `+nullable`"),
        codes::KEYWORD_AT_ROOT_WITH_STATUS => keyword_at_root(about),
        codes::UNSUPPORTED_KEYWORD => {
            let keyword = code(about.last());
            let words = Words::new(format!("{keyword} is not supported in CRDs")).label("not supported");
            match about.last() {
                "$ref" => words.help("replace `$ref` by the schema that it names"),
                "definitions" => words.help("remove `definitions`, and write each schema where it is used"),
                "patternProperties" => words.help("use `additionalProperties`, and a CEL rule for the names"),
                "dependencies" => words.help("remove `dependencies`, and write a CEL rule with `has(…)`"),
                _ => words.help(format!("remove {keyword}")),
            }
        }
        codes::NOT_STRUCTURAL => Words::new("the schema is not structural")
            .label("not structural")
            .help("remove what the API server names below")
            .quote(),
        codes::FORBIDDEN_DEFAULT => {
            let words = Words::new(format!("{noun} cannot have a default")).label("no default allowed here");
            let is_top = about.up(1) == "metadata" || about.up(1) == "apiVersion" || about.up(1) == "kind";
            let words = words.help("remove `default`");
            if is_top {
                words.note("`apiVersion`, `kind` and `metadata` of a resource have no defaults")
            } else {
                words
            }
        }
        codes::UNIQUE_ITEMS => Words::new(format!("list {} cannot use `uniqueItems`", place_name(place.as_ref())))
            .label("not allowed in CRDs")
            .help("replace it with `x-kubernetes-list-type: set`")
            .in_go("replace it with `+listType=set`"),
        codes::PROPERTIES_AND_ADDITIONAL_PROPERTIES => {
            let parent = SchemaPlace::of(&super::name::parent(about.path)).unwrap_or_default();
            Words::new(format!(
                "`properties` and `additionalProperties` cannot both be set for {}",
                parent.noun()
            ))
            .label("`properties` is set, too")
            .help("remove one of them: `properties` for known names, `additionalProperties` for any name")
        }
        codes::ITEMS_LIST => Words::new(format!(
            "`items` of {} must be one schema, not a list of schemas",
            parent_name(about)
        ))
        .label("this is a list")
        .help("write one schema for all items: `items: {type: …}`"),
        codes::RESOURCE_IN_METADATA => Words::new("`metadata` cannot contain an embedded resource")
            .label("not allowed inside `metadata`")
            .help("remove `x-kubernetes-embedded-resource`")
            .in_go("remove `+kubebuilder:validation:EmbeddedResource`"),
        codes::PRUNED_UNKNOWN_FIELDS => Words::new("`x-kubernetes-preserve-unknown-fields` can only be `true`")
            .label("must be `true` or absent")
            .help("remove `x-kubernetes-preserve-unknown-fields`"),
        codes::MISSING_SCHEMA => missing_schema(about),
        codes::SERVER_PANIC => {
            Words::new("the API server crashes on this, and answers with an internal error (HTTP 500)")
                .label("crashes the API server")
                .help("remove this, or fix the errors around it")
                .quote()
        }
        _ => return None,
    };
    Some(words)
}

fn place_name(place: Option<&SchemaPlace>) -> String {
    place.map_or_else(String::new, SchemaPlace::name)
}

fn parent_name(about: &About<'_>) -> String {
    SchemaPlace::of(&super::name::parent(about.path))
        .unwrap_or_default()
        .name()
}

fn unknown_type(about: &About<'_>) -> Words {
    let found = about.value().map(written).unwrap_or_default();
    let found = found.trim_matches('"');
    let words = Words::new(format!("`{found}` is not a type"));
    if let Some(ty) = type_of_format(found) {
        return words
            .label("a format")
            .help(format!("write `type: {ty}` and `format: {found}`"))
            .in_go(format!(
                "write `+kubebuilder:validation:Type={ty}` and `+kubebuilder:validation:Format={found}`"
            ));
    }
    if let Some(other) = other_type(found) {
        let words = words.label("not a type of CRDs");
        return match other.entry() {
            Some(entry) => words.help(format!("write `type: {}` and `{entry}`", other.r#type)),
            None => words.help(format!("write `type: {}`", other.r#type)),
        };
    }
    if found == "null" {
        return words
            .label("not a type of CRDs")
            .help("set the type of the other values, and add `nullable: true`")
            .in_go("set the type of the other values, and add `+nullable`");
    }
    match (about.value().and_then(Json::as_str).and_then(meant_type), about.cause) {
        (Some(near), _) => words.did_you_mean(found, near),
        (None, Some(Cause::Allowed(types))) => words.label("not a type").help(format!("write {}", either(types))),
        (None, _) => words
            .label("not a type")
            .help("write `object`, `string`, `integer`, `boolean`, `array` or `number`"),
    }
}

fn missing_schema(about: &About<'_>) -> Words {
    let steps = about.path.segments();
    let at = steps.iter().position(|it| matches!(it, Segment::Index(_)));
    let version = at.and_then(|at| super::at(about.root, &steps[..=at]));
    let name = version.and_then(|it| it.get("name")?.as_str());
    let name = name.map_or_else(|| "a version".to_owned(), |it| format!("version {}", code(it)));
    let words = Words::new(format!("{name} has no schema")).label("`schema.openAPIV3Schema` is missing");
    if version.is_some_and(|it| it.get("openAPIV3Schema").is_some()) {
        return words.help("put `openAPIV3Schema` below a key `schema`, and indent it");
    }
    if version.is_some_and(|it| it.get("validation").is_some() && it.get("schema").is_none()) {
        return words.help("change `validation` to `schema`");
    }
    match misspelt_key(version.and_then(|it| it.get("schema")), "openAPIV3Schema") {
        Some(near) => words.help(format!("change {} to `openAPIV3Schema`", code(near))),
        None => {
            words.help("add `schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}`")
        }
    }
}

/// Words for the first keyword at the root of a schema that is not allowed there if the status subresource is enabled.
fn keyword_at_root(about: &About<'_>) -> Words {
    const ALLOWED: [&str; 24] = [
        "description",
        "type",
        "format",
        "title",
        "maximum",
        "exclusiveMaximum",
        "minimum",
        "exclusiveMinimum",
        "maxLength",
        "minLength",
        "pattern",
        "maxItems",
        "minItems",
        "uniqueItems",
        "multipleOf",
        "required",
        "items",
        "properties",
        "externalDocs",
        "example",
        "x-kubernetes-preserve-unknown-fields",
        "x-kubernetes-validations",
        "$schema",
        "id",
    ];
    if about.last() == "type" {
        return Words::new("with the status subresource, the root of the schema must be of type `object`")
            .label("must be `object`")
            .help("set `type: object`");
    }
    let members = about.value().and_then(Json::members).unwrap_or_default();
    let keyword = members
        .iter()
        .map(|it| it.key.as_ref())
        .find(|it| !ALLOWED.contains(it));
    let keyword = keyword.map_or_else(|| "this keyword".to_owned(), code);
    Words::new(format!(
        "with the status subresource, the root of the schema cannot have {keyword}"
    ))
    .label(format!("{keyword} is not allowed here"))
    .help(format!("remove {keyword}, or move it into a property such as `spec`"))
}
