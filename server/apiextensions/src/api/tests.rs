//! The tables have the same fields as the decoder.

use std::collections::BTreeSet;

use crd_analyzer_schema::{KubernetesVersion, formats};
use crd_analyzer_syntax::{
    read_json,
    split::{read_document, split},
};

use super::{At, Field, FieldType, PathStep, SCHEMA, Struct, V1, V1BETA1, at};
use crate::decode::decode;

/// All structs below `structure`, each with a path to it.
fn structs(structure: &'static Struct, path: &[String], found: &mut Vec<(&'static Struct, Vec<String>)>) {
    if found
        .iter()
        .any(|it| it.0.name == structure.name && it.1.first() == path.first())
    {
        return;
    }
    found.push((structure, path.to_vec()));
    for field in structure.fields {
        let mut path = [path, &[field.name.to_owned()]].concat();
        let mut ty = &field.ty;
        while let FieldType::List(of) | FieldType::Map(of) = ty {
            path.push(if matches!(ty, FieldType::List(_)) { "0" } else { "x" }.to_owned());
            ty = of;
        }
        // Types with their own decoding are not decoded strictly, so their fields are left out.
        if let FieldType::Object(of) = ty {
            structs(of, &path, found);
        }
    }
}

fn all_structs(version: &'static FieldType) -> Vec<(&'static Struct, Vec<String>)> {
    let mut found = Vec::new();
    let root = at(version, []).expect("the root").ty.structure().expect("a struct");
    structs(root, &[], &mut found);
    found
}

/// Both versions of the API, the served one first.
static API_VERSIONS: [&FieldType; 2] = [&V1, &V1BETA1];

/// The errors of strict decoding for a CRD with a single field.
fn strict_errors(api: &'static FieldType, path: &[String], version: KubernetesVersion) -> Vec<String> {
    let mut value = serde_json::Value::Null;
    for step in path.iter().rev() {
        value = if step == "0" {
            serde_json::json!([value])
        } else {
            serde_json::json!({ step.as_str(): value })
        };
    }
    if std::ptr::eq(api, &raw const V1) {
        value["apiVersion"] = "apiextensions.k8s.io/v1".into();
        value["kind"] = "CustomResourceDefinition".into();
    } else {
        // The decoder uses v1beta1 only if the object has no `kind`.
        value["apiVersion"] = "apiextensions.k8s.io/v1beta1".into();
    }
    let text: std::sync::Arc<str> = value.to_string().into();
    let tree = read_document(&text, split(&text).documents[0], &[]).expect("JSON");
    let json = read_json(&tree).expect("JSON");
    let decoded = decode(json.root(), version).expect("null is a value of everything but items");
    decoded.strict.into_iter().map(|it| it.text).collect()
}

#[test]
fn the_decoder_knows_every_field() {
    let all = API_VERSIONS.into_iter().flat_map(|api| {
        all_structs(api)
            .into_iter()
            .map(move |(structure, path)| (api, structure, path))
    });
    for (api, structure, path) in all {
        let below = |name: &str| [path.as_slice(), &[name.to_owned()]].concat();
        // A v1beta1 object must not have a `kind` in this test.
        let is_said = |it: &&Field| std::ptr::eq(api, &raw const V1) || !(path.is_empty() && it.name == "kind");
        for field in structure.fields.iter().filter(is_said) {
            for version in KubernetesVersion::all() {
                let refused = strict_errors(api, &below(field.name), version);
                assert_eq!(
                    refused.is_empty(),
                    field.is_in(version),
                    "{api:?} {path:?} {} in {version}: {refused:?}",
                    field.name
                );
            }
        }
        let unknown = strict_errors(api, &below("noSuchField"), KubernetesVersion::NEWEST);
        assert_eq!(unknown.len(), 1, "{api:?} {path:?}");
    }
}

#[test]
fn the_tables_have_every_field_of_the_decoder() {
    let known: BTreeSet<&str> = API_VERSIONS
        .into_iter()
        .flat_map(all_structs)
        .flat_map(|it| it.0.fields)
        .map(|it| it.name)
        .collect();
    for source in [
        include_str!("../decode/definition.rs"),
        include_str!("../decode/v1beta1.rs"),
        include_str!("../decode/schema.rs"),
        include_str!("../decode/metadata.rs"),
    ] {
        let arms = source
            .lines()
            .filter_map(|it| it.trim().strip_prefix('"')?.split_once("\" "));
        let arms = arms.filter(|(_, rest)| rest.contains("=>"));
        let names: Vec<_> = arms.map(|it| it.0).collect();
        assert!(names.len() > 10);
        for name in names {
            assert!(known.contains(name), "{name} is not in the tables");
        }
    }
}

#[test]
fn formats_are_those_that_servers_know() {
    let documented = |it: &Field| {
        it.values
            .known()
            .iter()
            .map(|it| (it.text, it.since))
            .collect::<Vec<_>>()
    };
    let documented = documented(SCHEMA.field("format").expect("a keyword"));
    for version in KubernetesVersion::all() {
        for format in formats::string_formats(version) {
            let found = documented.iter().find(|it| it.0 == format);
            assert!(
                found.is_some_and(|it| it.1 <= version.number()),
                "{format} in {version}"
            );
        }
    }
}

#[test]
fn names_are_unique_and_everything_is_documented() {
    for (structure, _) in API_VERSIONS.into_iter().flat_map(all_structs) {
        let names: BTreeSet<_> = structure.fields.iter().map(|it| it.name).collect();
        assert_eq!(names.len(), structure.fields.len(), "{}", structure.name);
        for field in structure.fields {
            assert!(field.doc.ends_with(['.', ')']), "{}.{}", structure.name, field.name);
        }
    }
}

fn find(path: &str) -> Option<At> {
    let steps = path.split('.').filter(|it| !it.is_empty());
    at(
        &V1,
        steps.map(|it| if it == "0" { PathStep::Item } else { PathStep::Key(it) }),
    )
}

#[test]
fn paths_lead_to_fields() {
    let schema = "spec.versions.0.schema.openAPIV3Schema";
    for (path, ty) in [
        ("", "CustomResourceDefinition"),
        ("spec.versions", "[]CustomResourceDefinitionVersion"),
        ("spec.versions.0.storage", "boolean"),
        (schema, "JSONSchemaProps"),
        (&format!("{schema}.properties.spec.items"), "schema or []schema"),
        (&format!("{schema}.properties.spec.items.0.type"), "string"),
        (&format!("{schema}.additionalProperties.anyOf.0.required.0"), "string"),
        (&format!("{schema}.x-kubernetes-validations.0.rule"), "string (CEL)"),
        ("metadata.labels.x", "string"),
    ] {
        assert_eq!(find(path).map(|it| it.ty.display()).as_deref(), Some(ty), "{path}");
    }
    for path in [
        "spec.0",
        "spec.versions.name",
        "spec.nothing",
        "spec.group.x",
        "spec.versions.0.0",
    ] {
        assert!(find(path).is_none(), "{path}");
    }
    assert!(find(schema).is_some_and(|it| it.is_root_schema && !it.in_junctor));
    assert!(
        find(&format!("{schema}.anyOf.0.properties.x"))
            .is_some_and(|it| it.in_junctor && !it.is_root_schema && it.is_element)
    );
}
