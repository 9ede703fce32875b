//! A CRD's schema as JSON Schema (draft 7), for editors and validators that have no cluster.
//!
//! The JSON Schema is never stricter than the API server: every object that the API server accepts on creation is valid. An API server changes an
//! object before it validates it: it removes null from fields that are not `nullable`, prunes unknown fields, and sets defaults. A JSON Schema
//! validates the object in its original form. So a keyword is only written if it is correct for the original object, and `$comment` says where the
//! schema is less strict.

use std::collections::HashSet;

use crd_analyzer_apiextensions::types::CustomResourceDefinition;
use crd_analyzer_goregexp::ecma;
use crd_analyzer_schema::{
    JsonSchemaProps, RareKeywords,
    structural::{AdditionalProperties, Structural},
};
use serde_json::{Map, Value, json};

use crate::{Keywords, keywords, single_types};

/// The first number from which `float64` cannot represent all integers. The API server compares numbers in this type.
const FIRST_INEXACT: f64 = 9_007_199_254_740_992.0;

/// The JSON Schema of one version of a CRD.
#[derive(Clone, PartialEq, Debug)]
pub struct JsonSchema {
    /// The API group.
    pub group: String,
    /// The name of the version.
    pub version: String,
    /// The kind.
    pub kind: String,
    /// The schema.
    pub schema: Value,
}

/// The treatment of fields that the CRD does not define in a JSON Schema.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnknownFields {
    /// Unknown fields are valid, as on an API server that prunes them.
    Ignored,
    /// Unknown fields are invalid, as with strict field validation, which `kubectl` requests.
    Refused,
}

/// The form of types in a JSON Schema.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Types {
    /// A list, if a value may have several types. The API server removes null from fields that are not `nullable`, so null is valid in these fields.
    Lists,
    /// A single type in each `type`, for tools that cannot read a list. Null is invalid in fields that are not `nullable`.
    Single,
}

/// The JSON Schemas of the served versions of an accepted CRD, in the CRD's order.
pub fn json_schemas(crd: &CustomResourceDefinition, unknown: UnknownFields, types: Types) -> Vec<JsonSchema> {
    let spec = &crd.spec;
    let writer = Writer { unknown, types };
    let versions = spec.versions.iter().filter(|it| it.served);
    versions
        .map(|version| {
            let schema = spec.schema_of(version);
            let schema = schema.filter(|it| Structural::new(it).is_ok() && spec.preserve_unknown_fields != Some(true));
            let subresources = spec.subresources_of(version);
            let has_status = subresources.is_some_and(|it| it.status.is_some());
            let of = (spec.group.as_str(), version.name.as_str(), spec.names.kind.as_str());
            JsonSchema {
                schema: writer.root(schema, has_status, of),
                group: spec.group.clone(),
                version: version.name.clone(),
                kind: spec.names.kind.clone(),
            }
        })
        .collect()
}

#[derive(Clone, Copy)]
struct Writer {
    unknown: UnknownFields,
    types: Types,
}

/// The effect of a parent schema on a value.
#[derive(Clone, Copy, Default)]
struct Above {
    /// The parent removes null before the value is validated.
    removes_null: bool,
    /// The parent is a list that preserves unknown fields of its items, and the value's own schema preserves them too.
    keeps_unknown: bool,
}

impl Above {
    /// The parent is an object, and the value is one of its fields.
    const FIELD: Self = Self {
        removes_null: true,
        keeps_unknown: false,
    };
}

/// A part of a schema, and whether it accepts exactly the values that the API server accepts.
struct Clause {
    keywords: Keywords,
    is_exact: bool,
}

impl Writer {
    /// The schema of whole resources. `has_status` is set if the status is a subresource.
    fn root(self, schema: Option<&JsonSchemaProps>, has_status: bool, of: (&str, &str, &str)) -> Value {
        let (group, version, kind) = of;
        let mut schema = schema.cloned();
        // The API server drops this status when it creates an object, and does not validate it.
        let status = schema.as_mut().filter(|_| has_status).and_then(|schema| {
            let at = schema.properties.iter().position(|it| it.0 == "status")?;
            Some(schema.properties.remove(at).1)
        });
        let mut out = Keywords::new();
        out.insert("$schema".to_owned(), json!("http://json-schema.org/draft-07/schema#"));
        let schema = schema.as_ref().map(Structural::assume);
        out.extend(schema.map_or_else(|| keywords::typed("object"), |it| self.value(it, Above::default())));
        out.insert(
            "required".to_owned(),
            with_required(&out, &["apiVersion", "kind", "metadata"]),
        );
        let properties = out.entry("properties").or_insert_with(|| json!({}));
        for (name, value) in [("apiVersion", format!("{group}/{version}")), ("kind", kind.to_owned())] {
            properties[name]["type"] = json!("string");
            properties[name]["enum"] = json!([value]);
        }
        add_metadata(properties, &["object"]);
        if let Some(status) = status {
            let comment = "less strict than the API server: a status is validated only in requests to the subresource";
            let mut of_status = Keywords::from_iter([("$comment".to_owned(), json!(comment))]);
            annotations(&status, &mut of_status);
            properties["status"] = of_status.into();
        }
        let mut root = Value::Object(out);
        if self.types == Types::Single {
            single_types::split(&mut root);
        }
        root
    }

    /// The schema of a value.
    fn value(self, schema: Structural<'_>, above: Above) -> Keywords {
        let props = schema.props();
        let mut out = Keywords::new();
        let mut lax: Vec<&str> = Vec::new();
        let allows_null = (above.removes_null && self.types == Types::Lists) || schema.nullable();
        let keeps_unknown = above.keeps_unknown || schema.preserves_unknown_fields();
        annotations(props, &mut out);
        types(schema, allows_null, &mut out);
        if schema.is_int_or_string() {
            lax.push("numbers with a fraction are accepted");
        }
        self.fields(schema, keeps_unknown, &mut out);
        if let Some(items) = schema.items() {
            let of_list = Above {
                // A default also replaces null in a list.
                removes_null: items.default_value().is_some(),
                keeps_unknown,
            };
            out.insert("items".to_owned(), Value::Object(self.value(items, of_list)));
        }
        if !props.format.is_empty() && schema.r#type() == "string" {
            lax.push("formats are not checked");
        }
        if !props.x_validations.is_empty() {
            lax.push("rules are not checked");
        }
        if let Some(rare) = props.rare.get() {
            if !scalars(rare, schema, &mut out) {
                lax.push("a limit or a pattern that JSON Schema cannot express is left out");
            }
            if allows_null
                && let Some(Value::Array(values)) = out.get_mut("enum")
                && !values.contains(&Value::Null)
            {
                values.push(Value::Null);
            }
            if !lists(schema, rare, &mut out) {
                lax.push("a limit below 0 is treated as 0");
            }
            if !properties_count(schema, rare, &mut out) {
                lax.push("the number of properties is not limited");
            }
            let junctors = self.junctors(rare, schema);
            if !junctors.is_exact {
                lax.push("a part of `allOf`, `anyOf`, `oneOf` or `not` is left out, or one of several suffices");
            }
            add_junctors(junctors.keywords, allows_null, &mut out);
        }
        if !lax.is_empty() {
            let comment = format!("less strict than the API server: {}", lax.join("; "));
            out.insert("$comment".to_owned(), json!(comment));
        }
        out
    }

    /// Writes `properties`, `required` and `additionalProperties`.
    fn fields(self, schema: Structural<'_>, keeps_unknown: bool, out: &mut Keywords) {
        let is_embedded = schema.is_embedded_resource();
        if !schema.has_no_properties() || is_embedded {
            let required: HashSet<&str> = schema.props().required.iter().map(String::as_str).collect();
            let of = |(name, property): (&str, Structural<'_>)| {
                // Without null, a required field is missing unless it has a default.
                let is_needed = required.contains(name) && property.default_value().is_none();
                let above = if is_needed { Above::default() } else { Above::FIELD };
                (name.to_owned(), Value::Object(self.value(property, above)))
            };
            let mut properties = Value::Object(schema.properties().map(of).collect());
            if is_embedded {
                for name in ["apiVersion", "kind"] {
                    properties[name]["type"] = json!("string");
                }
                let types: &[&str] = match self.types {
                    Types::Lists => &["object", "null"],
                    Types::Single => &["object"],
                };
                add_metadata(&mut properties, types);
            }
            out.insert("properties".to_owned(), properties);
        }
        // When the API server validates an object, every field with a default exists.
        let has_default = |name: &str| schema.property(name).is_some_and(|it| it.default_value().is_some());
        let required = schema.props().required.iter().filter(|it| !has_default(it));
        let required: Vec<Value> = required.map(|it| json!(it)).collect();
        if !required.is_empty() {
            out.insert("required".to_owned(), required.into());
        }
        if is_embedded {
            out.insert("required".to_owned(), with_required(out, &["apiVersion", "kind"]));
        }
        match schema.additional_properties() {
            Some(AdditionalProperties::Schema(values)) => {
                let values = Value::Object(self.value(values, Above::FIELD));
                out.insert("additionalProperties".to_owned(), values);
            }
            Some(AdditionalProperties::Any(true)) => {}
            _ => {
                let knows_all = schema.r#type() == "object" && !keeps_unknown;
                if knows_all && self.unknown == UnknownFields::Refused {
                    out.insert("additionalProperties".to_owned(), json!(false));
                }
            }
        }
    }

    /// Writes `allOf`, `anyOf`, `oneOf` and `not` of a schema. `outer` is the schema of the same value outside of these keywords.
    fn junctors(self, rare: &RareKeywords, outer: Structural<'_>) -> Clause {
        let mut keywords = Keywords::new();
        let mut is_exact = true;
        let mut all = |clauses: &[JsonSchemaProps]| -> (Vec<Value>, bool) {
            let clauses = clauses.iter().map(|it| self.clause(it, outer));
            let clauses: Vec<Clause> = clauses.collect();
            let are_exact = clauses.iter().all(|it| it.is_exact);
            is_exact &= are_exact;
            (clauses.into_iter().map(|it| it.keywords.into()).collect(), are_exact)
        };
        let (all_of, _) = all(&rare.all_of);
        // The type of the value already contains this information.
        let is_said = outer.is_int_or_string() && is_either_type(&rare.any_of);
        let (any_of, _) = all(if is_said { &[] } else { &rare.any_of });
        let (one_of, is_one) = all(&rare.one_of);
        // If branches accept more values than in the API server, several branches may match where only one matches in the API server.
        let (mut all_of, any_of, one_of) = match (is_one, any_of.is_empty()) {
            (true, _) => (all_of, any_of, one_of),
            (false, true) => (all_of, one_of, Vec::new()),
            (false, false) => {
                let mut all_of = all_of;
                all_of.push(json!({ "anyOf": one_of }));
                (all_of, any_of, Vec::new())
            }
        };
        all_of.retain(|it| it.as_object().is_none_or(|it| !it.is_empty()));
        for (name, clauses) in [("allOf", all_of), ("anyOf", any_of), ("oneOf", one_of)] {
            if !clauses.is_empty() {
                keywords.insert(name.to_owned(), clauses.into());
            }
        }
        if let Some(not) = rare.not.as_deref() {
            let not = self.clause(not, outer);
            is_exact &= not.is_exact;
            if not.is_exact {
                keywords.insert("not".to_owned(), not.keywords.into());
            }
        }
        Clause { keywords, is_exact }
    }

    /// Writes a schema in `allOf`, `anyOf`, `oneOf` or `not`. The result accepts at least the values that the API server accepts.
    fn clause(self, schema: &JsonSchemaProps, outer: Structural<'_>) -> Clause {
        let mut out = Keywords::new();
        // Go and JSON Schema disagree about integers, for example about `1.0`.
        let mut is_exact =
            schema.format.is_empty() && schema.r#type != "integer" && schema.additional_properties.is_none();
        if !schema.r#type.is_empty() {
            let name = if schema.r#type == "integer" && outer.is_int_or_string() {
                NEAR_INTEGER
            } else {
                &schema.r#type
            };
            out.insert("type".to_owned(), json!(name));
        }
        let mut properties = Keywords::new();
        let mut required = Vec::new();
        for name in &schema.required {
            match outer.field(name) {
                Some(field) if field.default_value().is_some() => {}
                Some(field) => {
                    required.push(json!(name));
                    if !field.nullable() {
                        properties.insert(name.clone(), json!({"not": {"type": "null"}}));
                    }
                }
                None => {
                    required.push(json!(name));
                    is_exact &= outer.preserves_unknown_fields();
                }
            }
        }
        for (name, property) in &schema.properties {
            let Some(field) = outer.field(name) else {
                is_exact = false;
                continue;
            };
            let inner = self.clause(property, field);
            is_exact &= inner.is_exact && field.default_value().is_none();
            let mut inner = inner.keywords;
            if !field.nullable() && !properties.contains_key(name) {
                inner = Keywords::from_iter([("anyOf".to_owned(), json!([{"type": "null"}, inner]))]);
            } else if properties.contains_key(name) {
                inner = Keywords::from_iter([("allOf".to_owned(), json!([{"not": {"type": "null"}}, inner]))]);
            }
            properties.insert(name.clone(), inner.into());
        }
        if !required.is_empty() {
            out.insert("required".to_owned(), required.into());
        }
        if !properties.is_empty() {
            out.insert("properties".to_owned(), properties.into());
        }
        if let Some(items) = schema.items.as_ref().and_then(|it| it.schema.as_deref()) {
            let inner = self.clause(items, outer.items().unwrap_or_else(Structural::empty));
            is_exact &= inner.is_exact && outer.items().is_some();
            out.insert("items".to_owned(), inner.keywords.into());
        }
        if let Some(rare) = schema.rare.get() {
            // The regular expressions of Python are different: `$` also matches before a final line break.
            is_exact &= scalars(rare, outer, &mut out) && rare.pattern.is_empty();
            is_exact &= lists(outer, rare, &mut out);
            is_exact &= properties_count(outer, rare, &mut out) && rare.min_properties.is_none();
            let inner = self.junctors(rare, outer);
            is_exact &= inner.is_exact;
            for (name, value) in inner.keywords {
                out.insert(name, value);
            }
        }
        Clause {
            keywords: out,
            is_exact,
        }
    }
}

/// The type for the integers of an int-or-string. An API server accepts numbers that are almost integers, such as `3.0000000001`, and JSON Schema
/// cannot distinguish these numbers from other fractions.
const NEAR_INTEGER: &str = "number";

/// Whether an `anyOf` only says that a value is an integer or a string.
fn is_either_type(any_of: &[JsonSchemaProps]) -> bool {
    let only = |it: &JsonSchemaProps, name: &str| {
        it.r#type == name
            && *it
                == JsonSchemaProps {
                    r#type: name.into(),
                    ..JsonSchemaProps::default()
                }
    };
    matches!(any_of, [one, other] if only(one, "integer") && only(other, "string"))
}

/// Writes the keywords that describe a value and reject nothing.
fn annotations(props: &JsonSchemaProps, out: &mut Keywords) {
    out.extend(keywords::explaining(props));
}

fn types(schema: Structural<'_>, allows_null: bool, out: &mut Keywords) {
    let mut names: Vec<&str> = match schema.r#type() {
        _ if schema.is_int_or_string() => vec![NEAR_INTEGER, "string"],
        "" => return,
        name => vec![name],
    };
    // With a format, an API server accepts every string and every list, unless the type is a number.
    if !schema.props().format.is_empty() && !names.contains(&"integer") && !names.contains(&"number") {
        let more = ["string", "array"].into_iter().filter(|it| !names.contains(it));
        names.extend(more.collect::<Vec<_>>());
    }
    if allows_null {
        names.push("null");
    }
    out.insert("type".to_owned(), one_or_several(&names));
}

/// The value of `type` for these types.
fn one_or_several(types: &[&str]) -> Value {
    match types {
        [name] => json!(name),
        names => json!(names),
    }
}

/// Writes the keywords for scalars. `schema` is the value's schema outside of `allOf`, `anyOf`, `oneOf` and `not`. Returns false if a keyword is left
/// out, or accepts more values than the API server.
fn scalars(rare: &RareKeywords, schema: Structural<'_>, out: &mut Keywords) -> bool {
    let mut is_all = rare.multiple_of.is_none() && rare.max_length.is_none_or(|it| it >= 0);
    for (name, exclusive, bound, excludes) in [
        ("minimum", "exclusiveMinimum", rare.minimum, rare.exclusive_minimum),
        ("maximum", "exclusiveMaximum", rare.maximum, rare.exclusive_maximum),
    ] {
        let Some(bound) = bound else { continue };
        is_all &= bound.fract() == 0.0 && bound.abs() < FIRST_INEXACT;
        if bound.abs() >= FIRST_INEXACT {
            continue;
        }
        // For an integer, the API server truncates the limit to an integer: with `minimum: 1.5` it accepts 1.
        let cuts_outwards = (bound > 0.0) == (name == "minimum");
        let bound = if cuts_outwards && !excludes {
            bound.trunc()
        } else {
            bound
        };
        out.insert(if excludes { exclusive } else { name }.to_owned(), number(bound));
    }
    for (name, length) in [("minLength", rare.min_length), ("maxLength", rare.max_length)] {
        if let Some(length) = length {
            out.insert(name.to_owned(), json!(length.max(0)));
        }
    }
    if !rare.pattern.is_empty() {
        match ecma(&rare.pattern) {
            Some(pattern) => {
                out.insert("pattern".to_owned(), json!(pattern));
            }
            None => is_all = false,
        }
    }
    if !rare.r#enum.is_empty() {
        is_all &= !rare.r#enum.contains(&Value::Null);
        if rare.r#enum.iter().any(|it| stands_for_more(it, schema)) {
            is_all = false;
        } else {
            let mut known = HashSet::new();
            let values = rare.r#enum.iter().filter(|it| known.insert(identity(it)));
            out.insert("enum".to_owned(), values.cloned().collect());
        }
    }
    is_all
}

/// A key that identifies a scalar of an enum. In JSON Schema, `1` and `1.0` are the same number, and so are `0` and `-0.0`.
fn identity(listed: &Value) -> String {
    let float = listed.as_f64().filter(|_| listed.is_f64());
    match float.filter(|it| it.fract() == 0.0 && it.abs() < FIRST_INEXACT) {
        Some(whole) => format!("{:.0}", whole + 0.0),
        None => listed.to_string(),
    }
}

/// Whether an API server also accepts values other than this value of an enum (`enumValidator` converts a value to the type of the listed values).
fn stands_for_more(listed: &Value, schema: Structural<'_>) -> bool {
    let (has_integers, has_fractions) = match schema.r#type() {
        // A fraction that is accepted as an integer equals that integer.
        _ if schema.is_int_or_string() => (true, true),
        "" | "number" => (true, true),
        "integer" => (true, false),
        _ => (false, false),
    };
    match listed {
        // The API server may set the default of a field of the value.
        Value::Array(_) | Value::Object(_) => true,
        // An integer is converted to the character with that code.
        Value::String(text) => has_integers && text.chars().count() == 1,
        // Fractions are truncated, and large integers are converted to floats.
        Value::Number(number) if number.is_i64() => has_fractions,
        Value::Number(number) => number.as_f64().is_none_or(|it| it.abs() >= FIRST_INEXACT),
        Value::Null | Value::Bool(_) => false,
    }
}

/// Writes the keywords for lists. Returns false if a keyword accepts more values than in the API server.
fn lists(schema: Structural<'_>, rare: &RareKeywords, out: &mut Keywords) -> bool {
    for (name, length) in [("minItems", rare.min_items), ("maxItems", rare.max_items)] {
        if let Some(length) = length {
            out.insert(name.to_owned(), json!(length.max(0)));
        }
    }
    let is_set_of_strings = rare.x_list_type.as_deref() == Some("set")
        && schema
            .items()
            .is_some_and(|it| it.r#type() == "string" && !it.nullable());
    if is_set_of_strings {
        out.insert("uniqueItems".to_owned(), json!(true));
    }
    // JSON Schema does not allow negative lengths. In an API server, a negative maximum rejects every list.
    rare.max_items.is_none_or(|it| it >= 0)
}

/// Writes `minProperties` and `maxProperties`, as far as they are correct for the original object, in which null and unknown fields count and
/// defaults do not. Returns false if a keyword is left out.
fn properties_count(schema: Structural<'_>, rare: &RareKeywords, out: &mut Keywords) -> bool {
    let has_defaults = schema.properties().any(|it| it.1.default_value().is_some());
    if let Some(least) = rare.min_properties.filter(|_| !has_defaults) {
        out.insert("minProperties".to_owned(), json!(least.max(0)));
    }
    rare.max_properties.is_none() && (rare.min_properties.is_none() || !has_defaults)
}

/// Adds `allOf`, `anyOf`, `oneOf` and `not`. The API server removes null before it checks them.
fn add_junctors(junctors: Keywords, allows_null: bool, out: &mut Keywords) {
    if junctors.is_empty() {
    } else if allows_null {
        out.insert("anyOf".to_owned(), json!([{"type": "null"}, junctors]));
    } else {
        out.extend(junctors);
    }
}

/// Replaces the schema of `metadata`. The API server validates metadata itself, and only uses the restrictions on names from the CRD.
fn add_metadata(properties: &mut Value, types: &[&str]) {
    let metadata = &mut properties["metadata"];
    let description = metadata["description"].take();
    *metadata = json!({ "type": one_or_several(types) });
    if !description.is_null() {
        metadata["description"] = description;
    }
}

fn with_required(schema: &Map<String, Value>, names: &[&str]) -> Value {
    let mut all: Vec<Value> = schema
        .get("required")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    for name in names {
        if !all.iter().any(|it| it == name) {
            all.push(json!(name));
        }
    }
    all.into()
}

/// A number as a person writes it: integers have no decimal point.
fn number(value: f64) -> Value {
    if value.fract() == 0.0 {
        json!(value as i64)
    } else {
        json!(value)
    }
}
