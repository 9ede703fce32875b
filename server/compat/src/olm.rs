//! The updates that the Operator Lifecycle Manager (OLM v1) rejects: its preflight check runs crdify with its own configuration.
//!
//! The source is `pkg/validations` of `sigs.k8s.io/crdify` v0.5.0 and `crdupgradesafety` of operator-controller: changes of descriptions and new
//! values of an `enum` are allowed, and changes without a check of their own are rejected.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crd_analyzer_apiextensions::types::compare_version_names;
use crd_analyzer_budget as budget;
use crd_analyzer_schema::{EmptyKeywords, JsonSchemaProps};
use serde_json::Value;

use crate::WORK;
use crate::subject::Subject;

/// The check that rejects the changes that no other check handles.
const UNHANDLED: &str = "unhandled";

/// A reason why OLM rejects an update of a CRD.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct OlmRefusal {
    /// The version, or two served versions that are compared with each other (`v1alpha1 -> v1`); `None` for a check of the whole CRD.
    pub version: Option<String>,
    /// The property in crdify's notation (`^.spec.replicas`, `^.spec.ports[*]`); empty for a check of the whole CRD.
    pub property: String,
    /// The crdify check, such as `existingFieldRemoval` or `unhandled`.
    pub check: &'static str,
    /// The message of the check.
    pub found: String,
}

/// The reasons why OLM rejects the update of a CRD; empty if OLM accepts the update. Both CRDs are treated as stored in an API server, so the old
/// storage version is in `status.storedVersions`.
///
/// The schemas must not be nested deeper than the thread's stack allows.
pub fn olm_refusals(old: &Subject, new: &Subject) -> Vec<OlmRefusal> {
    let (mut found, _) = budget::within(WORK, || {
        let (before, after) = (versions(old), versions(new));
        let mut found = of_definition(old, new);
        for was in &before {
            let Some(is) = after.iter().find(|it| it.name == was.name) else {
                continue;
            };
            let removed = was.schemas.keys().filter(|it| !is.schemas.contains_key(*it));
            found.extend(removed.map(|it| of_crd("existingFieldRemoval", format!("{}.{it}", is.name))));
            found.extend(of_schemas(was.name, was, is).map(|it| it.refusal));
        }
        // A conversion webhook can make any two versions compatible.
        if !new.has_webhook() {
            let known: BTreeSet<Found> = between_served(before).collect();
            let now = between_served(after).filter(|it| !known.contains(it));
            found.extend(now.map(|it| it.refusal));
        }
        found
    });
    found.sort();
    found.dedup();
    found
}

/// A version with a schema.
struct FlatVersion<'s> {
    name: &'s str,
    is_served: bool,
    schemas: BTreeMap<String, &'s JsonSchemaProps>,
}

fn versions(subject: &Subject) -> Vec<FlatVersion<'_>> {
    let versions = subject.versions().filter_map(|(_, it)| {
        Some(FlatVersion {
            name: &it.name,
            is_served: it.served,
            schemas: flat(subject.spec().schema_of(it)?),
        })
    });
    versions.collect()
}

/// A refusal, and a hash that distinguishes refusals of different schemas that have the same text.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Found {
    refusal: OlmRefusal,
    /// A hash of the values of the keywords in `unhandled`, which the refusal's text does not contain.
    values: u64,
}

fn of_crd(check: &'static str, found: String) -> OlmRefusal {
    OlmRefusal {
        version: None,
        property: String::new(),
        check,
        found,
    }
}

/// The checks `scope` and `storedVersionRemoval`.
fn of_definition(old: &Subject, new: &Subject) -> Vec<OlmRefusal> {
    let mut refusals = Vec::new();
    let (before, after) = (&old.spec().scope, &new.spec().scope);
    if before != after {
        refusals.push(of_crd("scope", format!("{before} → {after}")));
    }
    let stored = old.definition().status.stored_versions.iter();
    let removed = stored.filter(|it| new.version(it).is_none());
    refusals.extend(removed.map(|it| of_crd("storedVersionRemoval", it.clone())));
    refusals
}

/// Compares each served version with each newer one.
fn between_served(mut versions: Vec<FlatVersion<'_>>) -> impl Iterator<Item = Found> {
    versions.retain(|it| it.is_served);
    versions.sort_by(|a, b| compare_version_names(a.name, b.name));
    let mut found = Vec::new();
    for (n, older) in versions.iter().enumerate() {
        for newer in &versions[n + 1..] {
            found.extend(of_schemas(&format!("{} -> {}", older.name, newer.name), older, newer));
        }
    }
    found.into_iter()
}

/// The results of the checks for each property of the old schema. crdify ignores new properties.
fn of_schemas(version: &str, old: &FlatVersion<'_>, new: &FlatVersion<'_>) -> impl Iterator<Item = Found> {
    let nothing = JsonSchemaProps::default();
    let mut all = Vec::new();
    for (property, before) in &old.schemas {
        // The properties inside a property are checked separately.
        let before = own(before);
        let after = own(new.schemas.get(property).copied().unwrap_or(&nothing));
        if before != after {
            all.extend(checks(&before, &after).into_iter().map(|(check, found)| Found {
                values: if check == UNHANDLED { values(&before, &after) } else { 0 },
                refusal: OlmRefusal {
                    version: Some(version.to_owned()),
                    property: property.clone(),
                    check,
                    found,
                },
            }));
        }
    }
    all.into_iter()
}

/// All schemas by the path of their value. If several schemas apply to one value, the last one wins, as in crdify (for `anyOf`, this is the last
/// branch).
fn flat(schema: &JsonSchemaProps) -> BTreeMap<String, &JsonSchemaProps> {
    let mut found = BTreeMap::new();
    walk(schema, "^", &mut found);
    found
}

fn walk<'s>(schema: &'s JsonSchemaProps, at: &str, found: &mut BTreeMap<String, &'s JsonSchemaProps>) {
    if budget::work(1 + at.len() as u64).is_err() {
        return;
    }
    found.insert(at.to_owned(), schema);
    if let Some(items) = &schema.items {
        if let Some(it) = &items.schema {
            walk(it, &format!("{at}[*]"), found);
        }
        for (n, it) in items.json_schemas.iter().enumerate() {
            walk(it, &format!("{at}[{n}]"), found);
        }
    }
    let junctors = schema.all_of.iter().chain(&schema.any_of).chain(&schema.one_of);
    for it in junctors.chain(schema.not.as_deref()) {
        walk(it, at, found);
    }
    for (name, it) in &schema.properties {
        walk(it, &format!("{at}.{name}"), found);
    }
    if let Some(it) = schema.additional_properties.as_ref().and_then(|it| it.schema.as_ref()) {
        walk(it, &format!("{at}[*]"), found);
    }
    for (_, it) in &schema.pattern_properties {
        walk(it, at, found);
    }
    if let Some(it) = schema.additional_items.as_ref().and_then(|it| it.schema.as_ref()) {
        walk(it, at, found);
    }
    for (_, it) in &schema.definitions {
        walk(it, at, found);
    }
    for it in schema.dependencies.iter().filter_map(|it| it.1.schema.as_ref()) {
        walk(it, at, found);
    }
}

/// A schema without its properties, items and description.
fn own(schema: &JsonSchemaProps) -> JsonSchemaProps {
    JsonSchemaProps {
        description: String::new(),
        r#type: schema.r#type.clone(),
        nullable: schema.nullable,
        format: schema.format.clone(),
        default: schema.default.clone(),
        required: schema.required.clone(),
        items: None,
        properties: Vec::new(),
        additional_properties: schema.additional_properties.clone(),
        x_preserve_unknown_fields: schema.x_preserve_unknown_fields,
        x_embedded_resource: schema.x_embedded_resource,
        x_int_or_string: schema.x_int_or_string,
        x_validations: schema.x_validations.clone(),
        empty: schema.empty,
        rare: schema.rare.clone(),
    }
}

/// The checks that reject the change of a schema, with the message of each check.
fn checks(old: &JsonSchemaProps, new: &JsonSchemaProps) -> Vec<(&'static str, String)> {
    let maximum = |older: f64, newer: f64| newer < older;
    let minimum = |older: f64, newer: f64| newer > older;
    let fewer = |older: i64, newer: i64| newer < older;
    let more = |older: i64, newer: i64| newer > older;
    let found = [
        ("default", default(old.default.as_ref(), new.default.as_ref())),
        ("enum", listed(&old.r#enum, &new.r#enum)),
        ("maximum", bound(old.maximum, new.maximum, maximum)),
        ("maxItems", bound(old.max_items, new.max_items, fewer)),
        ("maxLength", bound(old.max_length, new.max_length, fewer)),
        ("maxProperties", bound(old.max_properties, new.max_properties, fewer)),
        ("minimum", bound(old.minimum, new.minimum, minimum)),
        ("minItems", bound(old.min_items, new.min_items, more)),
        ("minLength", bound(old.min_length, new.min_length, more)),
        ("minProperties", bound(old.min_properties, new.min_properties, more)),
        ("required", required(&old.required, &new.required)),
        (
            "type",
            (old.r#type != new.r#type).then(|| format!("{:?} → {:?}", old.r#type, new.r#type)),
        ),
        (UNHANDLED, unhandled(old, new)),
    ];
    let found = found.into_iter();
    found.filter_map(|(check, found)| Some((check, found?))).collect()
}

fn default(old: Option<&Value>, new: Option<&Value>) -> Option<String> {
    match (old, new) {
        (None, Some(new)) => Some(format!("added {new}")),
        (Some(old), None) => Some(format!("removed {old}")),
        (Some(old), Some(new)) if old != new => Some(format!("{old} → {new}")),
        _ => None,
    }
}

fn listed(old: &[Value], new: &[Value]) -> Option<String> {
    let written = |values: &[Value]| values.iter().map(ToString::to_string).collect::<BTreeSet<_>>();
    let (old, new) = (written(old), written(new));
    let list = |values: Vec<&String>| values.into_iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    if old.is_empty() && !new.is_empty() {
        return Some(format!("added {}", list(new.iter().collect())));
    }
    let removed: Vec<_> = old.difference(&new).collect();
    (!removed.is_empty()).then(|| format!("removed {}", list(removed)))
}

fn bound<T: Copy + Display>(old: Option<T>, new: Option<T>, is_narrower: impl Fn(T, T) -> bool) -> Option<String> {
    match (old, new) {
        (None, Some(new)) => Some(format!("added {new}")),
        (Some(old), Some(new)) if is_narrower(old, new) => Some(format!("{old} → {new}")),
        _ => None,
    }
}

fn required(old: &[String], new: &[String]) -> Option<String> {
    let old: BTreeSet<_> = old.iter().collect();
    let added: BTreeSet<_> = new.iter().filter(|it| !old.contains(it)).collect();
    let names = added.into_iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    (!names.is_empty()).then(|| format!("added {names}"))
}

/// The changed keywords that no check handles.
fn unhandled(old: &JsonSchemaProps, new: &JsonSchemaProps) -> Option<String> {
    let differs = |name, is_same: bool| (!is_same).then_some(name);
    let names = [
        differs("id", old.id == new.id),
        differs("$schema", old.schema == new.schema),
        differs("$ref", old.r#ref == new.r#ref),
        differs("nullable", old.nullable == new.nullable),
        differs("format", old.format == new.format),
        differs("title", old.title == new.title),
        differs("exclusiveMaximum", old.exclusive_maximum == new.exclusive_maximum),
        differs("exclusiveMinimum", old.exclusive_minimum == new.exclusive_minimum),
        differs("pattern", old.pattern == new.pattern),
        differs("uniqueItems", old.unique_items == new.unique_items),
        differs("multipleOf", old.multiple_of == new.multiple_of),
        differs("allOf", old.all_of == new.all_of),
        differs("oneOf", old.one_of == new.one_of),
        differs("anyOf", old.any_of == new.any_of),
        differs("not", old.not == new.not),
        differs(
            "additionalProperties",
            old.additional_properties == new.additional_properties,
        ),
        differs("patternProperties", old.pattern_properties == new.pattern_properties),
        differs("dependencies", old.dependencies == new.dependencies),
        differs("additionalItems", old.additional_items == new.additional_items),
        differs("definitions", old.definitions == new.definitions),
        differs("externalDocs", old.external_docs == new.external_docs),
        differs("example", old.example == new.example),
        differs(
            "x-kubernetes-preserve-unknown-fields",
            old.x_preserve_unknown_fields == new.x_preserve_unknown_fields,
        ),
        differs(
            "x-kubernetes-embedded-resource",
            old.x_embedded_resource == new.x_embedded_resource,
        ),
        differs("x-kubernetes-int-or-string", old.x_int_or_string == new.x_int_or_string),
        differs("x-kubernetes-validations", old.x_validations == new.x_validations),
        differs("x-kubernetes-list-map-keys", old.x_list_map_keys == new.x_list_map_keys),
        differs("x-kubernetes-list-type", old.x_list_type == new.x_list_type),
        differs("x-kubernetes-map-type", old.x_map_type == new.x_map_type),
    ];
    let names: Vec<&str> = names.into_iter().flatten().collect();
    (!names.is_empty()).then(|| format!("{} changed", names.join(", ")))
}

/// A hash of a pair of schemas. Two pairs have the same hash if their keywords without a check of their own are the same.
fn values(old: &JsonSchemaProps, new: &JsonSchemaProps) -> u64 {
    let without_checked = |schema: &JsonSchemaProps| {
        let mut rest = own(schema);
        rest.r#type.clear();
        rest.default = None;
        rest.required.clear();
        rest.empty = EmptyKeywords::default();
        if let Some(rare) = rest.rare.get_mut() {
            rare.r#enum.clear();
            (rare.maximum, rare.minimum) = (None, None);
            (rare.max_items, rare.min_items) = (None, None);
            (rare.max_length, rare.min_length) = (None, None);
            (rare.max_properties, rare.min_properties) = (None, None);
        }
        rest
    };
    let mut hasher = DefaultHasher::new();
    format!("{:?}", (without_checked(old), without_checked(new))).hash(&mut hasher);
    hasher.finish()
}
