//! The locations of the API server's fields in a manifest.

use std::sync::Arc;

use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_schema::field::{Path, Segment};
use crd_analyzer_syntax::tree::Span;
use crd_analyzer_syntax::{read, read_json};

use super::find;
use crate::strategy::judge_create;

/// Parses `spec.validation.x[0].properties[a]`; a number in brackets is an index, anything else a key.
fn path(text: &str) -> Path {
    let mut path = Path::root();
    for part in text.split_inclusive(']').flat_map(|it| it.split_inclusive('.')) {
        let part = part.trim_end_matches('.');
        let (name, bracket) = part
            .split_once('[')
            .map_or((part, None), |(name, rest)| (name, rest.strip_suffix(']')));
        if !name.is_empty() {
            path.push(Segment::Field(name.to_owned()));
        }
        if let Some(inner) = bracket {
            path.push(
                inner
                    .parse()
                    .map_or_else(|_| Segment::Key(inner.to_owned()), Segment::Index),
            );
        }
    }
    path
}

/// Checks the locations of a path: each has the displayed path, and the text of the key and the value.
#[track_caller]
fn check(text: &str, internal: &str, expected: &[(&str, Option<&str>, &str)]) {
    let tree = read(&Arc::from(text), Span::new(0, text.len() as u32)).unwrap();
    let json = read_json(&tree).unwrap();
    let hoisted = judge_create(&json, KubernetesVersion::NEWEST, None)
        .definition
        .unwrap()
        .hoisted;
    let places = find(json.root().unwrap(), hoisted, &path(internal));
    let found: Vec<(String, Option<&str>, &str)> = places
        .iter()
        .map(|it| {
            let value = tree.source(it.value).lines().next().unwrap_or_default();
            (it.path.to_string(), it.key.map(|key| tree.source(key)), value)
        })
        .collect();
    let expected: Vec<_> = expected
        .iter()
        .map(|(path, key, value)| ((*path).to_owned(), *key, *value))
        .collect();
    assert_eq!(found, expected);
}

const SHARED: &str = "\
spec:
  names: {kind: foo}
  conversion:
    webhook:
      clientConfig: {url: https://a}
      conversionReviewVersions: [v1]
  versions:
  - name: v2
    schema: {openAPIV3Schema: {type: object, properties: {a: {maxLength: 2}}}}
    additionalPrinterColumns: [{jsonPath: a}]
    subresources: {scale: {specReplicasPath: .x}}
  - name: v1
    schema: {openAPIV3Schema: {type: object, properties: {a: {maxLength: 2.0}}}}
    additionalPrinterColumns: [{jsonPath: a}]
    subresources: {scale: {specReplicasPath: .y}}
";

#[test]
fn what_versions_share_has_a_place_in_each() {
    let schema = |index: usize| format!("spec.versions[{index}].schema.openAPIV3Schema.properties[a].maxLength");
    check(
        SHARED,
        "spec.validation.openAPIV3Schema.properties[a].maxLength",
        &[
            (&schema(0), Some("maxLength"), "2"),
            (&schema(1), Some("maxLength"), "2.0"),
        ],
    );
    let column = |index: usize| format!("spec.versions[{index}].additionalPrinterColumns[0].jsonPath");
    check(
        SHARED,
        "spec.additionalPrinterColumns[0].JSONPath",
        &[(&column(0), Some("jsonPath"), "a"), (&column(1), Some("jsonPath"), "a")],
    );
    check(
        SHARED,
        "spec.versions[1].subresources.scale.specReplicasPath",
        &[(
            "spec.versions[1].subresources.scale.specReplicasPath",
            Some("specReplicasPath"),
            ".y",
        )],
    );
}

#[test]
fn fields_with_other_names_are_found() {
    check(
        SHARED,
        "spec.conversion.webhookClientConfig.url",
        &[("spec.conversion.webhook.clientConfig.url", Some("url"), "https://a")],
    );
    check(
        SHARED,
        "spec.conversion.conversionReviewVersions[0]",
        &[("spec.conversion.webhook.conversionReviewVersions[0]", None, "v1")],
    );
    check(SHARED, "spec.version", &[("spec.versions[0].name", Some("name"), "v2")]);
    check(
        SHARED,
        "status.storedVersions",
        &[("spec.versions", Some("versions"), "- name: v2")],
    );
    check(
        SHARED,
        "spec.names.singular",
        &[("spec.names.kind", Some("kind"), "foo")],
    );
}

#[test]
fn what_is_missing_stands_where_it_should_be() {
    check(
        SHARED,
        "spec.names.plural",
        &[("spec.names.plural", Some("names"), "{kind: foo}")],
    );
    check(SHARED, "metadata.name", &[("metadata.name", None, "spec:")]);
    let one_lacks = SHARED.replacen("    subresources: {scale: {specReplicasPath: .x}}\n", "", 1);
    check(
        &one_lacks,
        "spec.versions[0].subresources.status",
        &[("spec.versions[0].subresources.status", None, "name: v2")],
    );
    let aliased = "spec: {versions: [{name: a, schema: &s {openAPIV3Schema: {type: x}}}, {name: b, schema: *s}]}";
    check(
        aliased,
        "spec.validation.openAPIV3Schema.type",
        &[("spec.versions[0].schema.openAPIV3Schema.type", Some("type"), "x")],
    );
}
