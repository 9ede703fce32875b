//! Words for schemas that are not structural.

use crd_analyzer_schema::{codes, field::Cause};
use crd_analyzer_syntax::json::{Json, JsonValue};

use super::{
    About, Words,
    meant::meant,
    name::{self, SchemaPlace},
    text::{clip, code},
};

pub(super) fn words(about: &About<'_>) -> Option<Words> {
    let place = SchemaPlace::of(about.path)?;
    let noun = place.noun();
    let words = match about.code {
        codes::MISSING_TYPE => missing_type(about, &place),
        codes::MISSING_ITEMS => Words::new(format!("list {} has no `items`", place_of_parent(about).name()))
            .label("`items` is missing here")
            .help("add `items` with the schema of one item, such as `items: {type: string}`"),
        codes::ROOT_TYPE => Words::new("the schema of a resource must be of type `object`")
            .label("must be `object` at the root")
            .help("set `type: object`"),
        codes::ROOT_ADDITIONAL_PROPERTIES => Words::new("the root of a schema cannot have `additionalProperties`")
            .label("not allowed at the root")
            .help("remove `additionalProperties`, or move it into a property such as `spec`"),
        codes::INT_OR_STRING_CONFLICT => Words::new(format!(
            "{noun} cannot have {} with `x-kubernetes-int-or-string`",
            code(about.last())
        ))
        .label("conflicts with `x-kubernetes-int-or-string`")
        .help(format!("remove {} or `x-kubernetes-int-or-string`", code(about.last())))
        .in_go(format!(
            "remove the marker that sets {}, or `+kubebuilder:validation:XIntOrString`",
            code(about.last())
        )),
        codes::EMBEDDED_RESOURCE_TYPE => Words::new(format!("{noun} embeds a resource, so its type must be `object`"))
            .label("must be `object`")
            .help("set `type: object`"),
        codes::EMBEDDED_RESOURCE_ADDITIONAL_PROPERTIES => {
            let noun = place_of_parent(about).noun();
            Words::new(format!(
                "{noun} embeds a resource, so it cannot have `additionalProperties`"
            ))
            .label("not allowed here")
            .help("remove `additionalProperties`, or set `x-kubernetes-preserve-unknown-fields: true` instead")
            .in_go("use another type than a map, or remove `+kubebuilder:validation:EmbeddedResource`")
        }
        codes::EMBEDDED_RESOURCE_PROPERTIES => Words::new(format!("{noun} embeds a resource, but has no `properties`"))
            .label("`properties` is missing here")
            .help("add `x-kubernetes-preserve-unknown-fields: true` to allow any resource")
            .in_go("add `+kubebuilder:pruning:PreserveUnknownFields` to allow any resource"),
        codes::TYPE_META_TYPE => Words::new(format!("{noun} must be of type `string`"))
            .label("must be `string`")
            .help("set `type: string`"),
        codes::METADATA_TYPE => Words::new(format!("{noun} must be of type `object`"))
            .label("must be `object`")
            .help("set `type: object`"),
        codes::METADATA_RESTRICTION => {
            Words::new("a schema can only restrict `metadata.name` and `metadata.generateName`")
                .label("restricts other metadata")
                .help("write `metadata: {type: object}`, and remove the other keywords")
        }
        codes::METADATA_IN_JUNCTOR => {
            Words::new("a schema inside `allOf`, `anyOf`, `oneOf` or `not` cannot restrict `metadata`")
                .label("not allowed here")
                .help("remove `metadata` here, and restrict `metadata.name` at the root of the schema")
        }
        codes::NON_STRUCTURAL_JUNCTOR => {
            let keyword = about.last();
            let junctor = place.junctor();
            let is_of_two = keyword == "type" && junctor != "not";
            let help = about.around(3).filter(|_| is_of_two).and_then(int_or_string);
            let remove = || {
                let keyword = code(keyword);
                format!("remove {keyword}; it belongs to the schema around `{junctor}`")
            };
            Words::new(format!("{} cannot be set inside `{junctor}`", code(keyword)))
                .label(format!("not allowed inside `{junctor}`"))
                .help(help.map_or_else(remove, str::to_owned))
        }
        codes::INCOMPLETE_JUNCTOR => incomplete_junctor(about, &place),
        codes::INVALID_PATTERN => invalid_pattern(about, &noun),
        _ => return None,
    };
    Some(words)
}

/// The place of the schema around a keyword. Needed for keywords that are steps in the path of a value themselves.
fn place_of_parent(about: &About<'_>) -> SchemaPlace {
    SchemaPlace::of(&name::parent(about.path)).unwrap_or_default()
}

fn missing_type(about: &About<'_>, place: &SchemaPlace) -> Words {
    let words = Words::new(if place.is_root() {
        "the root of the schema has no `type`".to_owned()
    } else {
        let noun = place.noun();
        let has = if noun.starts_with("the items") || noun.starts_with("the values") {
            "have"
        } else {
            "has"
        };
        format!("{noun} {has} no `type`")
    })
    .label("`type` is missing here");
    if let Some(help) = about.around(1).and_then(int_or_string) {
        return words.help(help);
    }
    let Some((guess, why)) = about.around(1).and_then(guess) else {
        return words
            .help("add `type: string`, `object`, `integer`, `boolean`, `array` or `number`")
            .in_go("add `+kubebuilder:validation:Type=object`, or another type");
    };
    words
        .help(format!("add `type: {guess}` (it has `{why}`)"))
        .in_go(format!("add `+kubebuilder:validation:Type={guess}` (it has `{why}`)"))
}

/// Help for a schema that describes an integer or a string in the way of JSON Schema.
fn int_or_string(schema: &Json<'_>) -> Option<&'static str> {
    let is_of_both = |junctor: &str| {
        let clauses = schema.get(junctor).and_then(Json::items).unwrap_or_default();
        let types = clauses.iter().map(|it| it.get("type").and_then(Json::as_str));
        let mut types: Vec<_> = types.collect();
        types.sort_unstable();
        types == [Some("integer"), Some("string")]
    };
    if is_of_both("oneOf") {
        Some("write `x-kubernetes-int-or-string: true` instead of `oneOf`")
    } else {
        is_of_both("anyOf").then_some("add `x-kubernetes-int-or-string: true` beside `anyOf`")
    }
}

/// The type that the keywords of a schema imply, and one of those keywords.
fn guess(schema: &Json<'_>) -> Option<(&'static str, &'static str)> {
    const KEYWORDS: [(&str, &str); 14] = [
        ("properties", "object"),
        ("additionalProperties", "object"),
        ("required", "object"),
        ("maxProperties", "object"),
        ("minProperties", "object"),
        ("x-kubernetes-embedded-resource", "object"),
        ("x-kubernetes-map-type", "object"),
        ("items", "array"),
        ("maxItems", "array"),
        ("minItems", "array"),
        ("x-kubernetes-list-type", "array"),
        ("maxLength", "string"),
        ("minLength", "string"),
        ("pattern", "string"),
    ];
    let mut found = None;
    for (keyword, r#type) in KEYWORDS.iter().filter(|it| schema.get(it.0).is_some()) {
        match found {
            None => found = Some((*r#type, *keyword)),
            Some((other, _)) if other != *r#type => return None,
            Some(_) => {}
        }
    }
    if found.is_some() {
        return found;
    }
    if let Some(format) = schema.get("format").and_then(Json::as_str) {
        let r#type = match format {
            "int32" | "int64" => "integer",
            "float" | "double" => "number",
            _ => "string",
        };
        return Some((r#type, "format"));
    }
    for keyword in ["maximum", "minimum", "multipleOf"] {
        if let Some(bound) = schema.get(keyword) {
            let is_whole = matches!(bound.value, JsonValue::Int(_));
            return Some((if is_whole { "integer" } else { "number" }, keyword));
        }
    }
    let default = schema.get("default").map(|it| (it, "default"));
    let first = schema.get("enum").and_then(|it| Some((it.items()?.first()?, "enum")));
    let (value, keyword) = default.or(first)?;
    let r#type = match &value.value {
        JsonValue::Null => return None,
        JsonValue::Bool(_) => "boolean",
        JsonValue::Int(_) | JsonValue::Uint(_) => "integer",
        JsonValue::Float(_) => "number",
        JsonValue::String(_) => "string",
        JsonValue::Array(_) => "array",
        JsonValue::Object(_) => "object",
    };
    Some((r#type, keyword))
}

fn incomplete_junctor(about: &About<'_>, place: &SchemaPlace) -> Words {
    let junctor = match about.cause {
        Some(Cause::Elsewhere(path)) => SchemaPlace::of(path).map(|it| it.junctor().to_owned()),
        _ => None,
    };
    let junctor = junctor
        .filter(|it| !it.is_empty())
        .unwrap_or_else(|| "anyOf".to_owned());
    let name = place.short();
    if about.up(1) != "properties" {
        return Words::new(format!(
            "`{junctor}` describes {}, which the schema itself does not",
            place.noun()
        ))
        .label("`items` is missing here")
        .help(format!("add `items` with a type to the schema outside `{junctor}`"));
    }
    // The property may exist under a similar name.
    let known = about.around(1).and_then(Json::members).unwrap_or_default();
    let near = meant(about.last(), known.iter().map(|it| it.key.as_ref()));
    let words = Words::new(format!("`{junctor}` mentions {name}, which the schema does not define"))
        .label(format!("{name} is missing here"));
    match near {
        Some(near) => words.help(format!(
            "change {name} in `{junctor}` to `{near}`, or add {name} to `properties` with a type"
        )),
        None => words.help(format!("add {name} with a type to `properties` outside `{junctor}`")),
    }
}

fn invalid_pattern(about: &About<'_>, noun: &str) -> Words {
    let why = match about.cause {
        Some(Cause::Malformed(why)) => why.as_str(),
        _ => "",
    };
    // Go's error ends with a part of the pattern in backquotes.
    let part = about.value().and_then(Json::as_str).unwrap_or_default();
    let looks_around = ["(?=", "(?!", "(?<=", "(?<!"].iter().find(|it| part.contains(**it));
    let words = Words::new(format!(
        "the pattern of {noun} is not a regular expression in Go's syntax"
    ));
    match looks_around.filter(|_| why == "invalid or unsupported Perl syntax") {
        Some(part) => words.label("Go has no look-around").help(format!(
            "Go has no `{part}…)`: write the pattern without it, or use a CEL rule"
        )),
        None => words.label(clip(why, 60)).help(help_for(why)),
    }
}

/// Help for an invalid pattern, by Go's name for the problem.
fn help_for(why: &str) -> String {
    match why {
        "invalid escape sequence" => "write the character without a backslash, or `\\\\` for a backslash",
        "missing closing ]" => "add the missing `]`, or write `\\[` for a bracket",
        "missing closing )" => "add the missing `)`, or write `\\(` for a parenthesis",
        "unexpected )" => "remove the `)`, or write `\\)` for a parenthesis",
        "missing argument to repetition operator" => {
            "put something before `*`, `+`, `?` or `{`, or escape it with a backslash"
        }
        "invalid nested repetition operator" => "put the first repetition in parentheses",
        "invalid repeat count" => "repeat at most 1000 times",
        "invalid character class range" => "put the smaller character first, or escape `-` with a backslash",
        "invalid named capture" => "name the group with letters, digits and `_`: `(?P<name>…)`",
        "trailing backslash at end of expression" => "write `\\\\` for a backslash at the end",
        "expression nests too deeply" | "expression too large" => "make the pattern smaller",
        _ => "rewrite this part in Go's syntax: https://pkg.go.dev/regexp/syntax",
    }
    .to_owned()
}
