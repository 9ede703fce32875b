//! The API server's answers to complete requests.

use std::sync::Arc;

use crd_analyzer_schema::{KubernetesVersion, depth};
use crd_analyzer_syntax::tree::Span;
use crd_analyzer_syntax::{read, read_json};

use super::{CrdVerdict, Stored, Unjudged, judge_create, judge_update};

fn with<T>(text: &str, look: impl FnOnce(&crd_analyzer_syntax::json::JsonDoc<'_>) -> T) -> T {
    let tree = read(&Arc::from(text), Span::new(0, text.len() as u32)).unwrap();
    look(&read_json(&tree).unwrap())
}

fn create(text: &str, minor: u8) -> CrdVerdict {
    with(text, |it| judge_create(it, KubernetesVersion::minor(minor), None))
}

fn update(text: &str, old: &str, minor: u8) -> CrdVerdict {
    let version = KubernetesVersion::minor(minor);
    let old = with(old, |it| Stored::establish(it, version)).unwrap();
    with(text, |it| judge_update(it, &old, version, None))
}

/// A CRD with this schema for `spec`.
fn definition(spec: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: foos.example.com}}
spec:
  group: example.com
  scope: Namespaced
  names: {{plural: foos, kind: Foo}}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {spec}
"
    )
}

#[track_caller]
fn check_decode_error(text: &str, minor: u8, expected: &str) {
    let verdict = create(text, minor);
    assert_eq!(verdict.decode_error.map(|it| it.text).as_deref(), Some(expected));
}

#[track_caller]
fn check_strict(text: &str, minor: u8, expected: &[&str]) {
    let verdict = create(text, minor);
    assert_eq!(verdict.decode_error, None);
    assert_eq!(
        verdict.strict.iter().map(|it| it.text.as_str()).collect::<Vec<_>>(),
        expected
    );
}

#[track_caller]
fn check_warnings(verdict: &CrdVerdict, expected: &[&str]) {
    assert_eq!(verdict.errors, []);
    assert_eq!(
        verdict.warnings.iter().map(|it| it.text.as_str()).collect::<Vec<_>>(),
        expected
    );
}

#[test]
fn wrong_types_are_told_in_the_words_of_the_decoder() {
    let head = "CustomResourceDefinition in version \"v1\" cannot be handled as a CustomResourceDefinition: ";
    let wrong = "json: cannot unmarshal string into Go struct field";
    let schema = "JSONSchemaProps.spec.versions.schema.openAPIV3Schema";
    check_decode_error(
        &definition("{minLength: x}"),
        37,
        &format!("{head}{wrong} {schema}.properties.minLength of type int64"),
    );
    let below_items = definition("{items: {minLength: x}}");
    check_decode_error(
        &below_items,
        37,
        &format!("{head}{wrong} {schema}.properties.items.minLength of type int64"),
    );
    check_decode_error(
        &below_items,
        34,
        &format!("{head}{wrong} {schema}.properties.items of type int64"),
    );
    let number = definition("{maxItems: 18446744073709551615, maxLength: x}");
    check_decode_error(
        &number,
        37,
        &format!(
            "{head}json: cannot unmarshal number 18446744073709551615 into Go struct field {schema}.properties.maxItems of type int64"
        ),
    );
    let stops = definition("{additionalProperties: 5, maxItems: x}");
    check_decode_error(&stops, 37, &format!("{head}boolean or JSON schema expected"));
    // An error in a type with its own decoding ends decoding and takes precedence over recorded errors.
    let later = definition("{maxItems: x, x-kubernetes-list-type: 1, properties: {a: {items: {type: 5}}}}");
    check_decode_error(
        &later,
        37,
        &format!(
            "{head}json: cannot unmarshal number into Go struct field {schema}.properties.properties.items.type of type string"
        ),
    );
}

#[test]
fn the_type_of_the_object_is_read_first() {
    let nothing = "the object provided is unrecognized (must be of type CustomResourceDefinition): ";
    check_decode_error(
        "apiVersion: a/b/c\n",
        37,
        &format!("{nothing}unexpected GroupVersion string: a/b/c"),
    );
    check_decode_error(
        "KIND: [x]\n",
        37,
        &format!(
            "{nothing}couldn't get version/kind; json parse error: json: cannot unmarshal array into Go struct field .kind of type string"
        ),
    );
    check_decode_error(
        "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\n",
        37,
        r#"no matches for kind "CustomResourceDefinition" in version "apiextensions.k8s.io/v1beta1""#,
    );
    check_decode_error(
        "apiVersion: apps/v1\n",
        30,
        r#"CustomResourceDefinition in version "v1" cannot be handled as a CustomResourceDefinition: no kind "CustomResourceDefinition" is registered for version "apps/v1" in scheme "pkg/runtime/scheme.go:100""#,
    );
    assert_eq!(
        create("null", 37)
            .errors
            .first()
            .map(|it| it.path.to_string())
            .as_deref(),
        Some("metadata.name")
    );
}

#[test]
fn unknown_fields_are_refused_by_path_and_dropped_below_items() {
    let text = definition("{type: object, minlength: 1, properties: {a.b: {Type: string, items: {foo: 1}}}}");
    let spec = "spec.versions[0].schema.openAPIV3Schema.properties.spec";
    let unknown = |path: &str| format!("unknown field \"{spec}.{path}\"");
    check_strict(&text, 37, &[&unknown("minlength"), &unknown("properties.a.b.Type")]);
    let dropped: Vec<String> = create(&text, 37).dropped.into_iter().map(|it| it.path).collect();
    assert_eq!(dropped, [format!("{spec}.properties.a.b.items.foo")]);
    let many = definition(&format!(
        "{{{}}}",
        (0..150).map(|it| format!("f{it:03}: 1")).collect::<Vec<_>>().join(", ")
    ));
    assert_eq!(create(&many, 37).strict.len(), 100);
    check_strict(
        "status: {observedGeneration: 1}",
        34,
        &[r#"unknown field "status.observedGeneration""#],
    );
    check_strict("status: {observedGeneration: 1}", 35, &[]);
    check_strict(
        "a: 1\na: 2\n",
        37,
        &[
            "yaml: unmarshal errors:\n  line 2: key \"a\" already set in map",
            "unknown field \"a\"",
        ],
    );
}

#[test]
fn warnings_follow_the_minor_and_on_update_what_is_new() {
    let text = definition(
        "{type: object, properties: {a: {type: string, format: k8s-short-name}, b: {type: integer, format: int8}, \
         c: {type: array, x-kubernetes-list-type: set, items: {type: object, x-kubernetes-map-type: atomic}}}}",
    );
    let set = "x-kubernetes-list-type: set for items of type \"object\" is not supported by server-side apply or CEL validation rules";
    check_warnings(&create(&text, 33), &[]);
    check_warnings(&create(&text, 34), &["unrecognized format \"k8s-short-name\""]);
    check_warnings(&create(&text, 35), &[]);
    check_warnings(&create(&text, 36), &["unrecognized format \"int8\""]);
    check_warnings(&create(&text, 37), &["unrecognized format \"int8\"", set]);
    check_warnings(&update(&text, &text, 37), &[]);
    check_warnings(
        &update(&text, &definition("{type: object}"), 37),
        &["unrecognized format \"int8\"", set],
    );
}

#[test]
fn metadata_is_the_servers_on_create_and_kept_on_update() {
    let text = definition("{type: object}");
    let generated = text.replace("{name: foos.example.com}", "{generateName: foo-}");
    let details: Vec<String> = create(&generated, 37).errors.into_iter().map(|it| it.detail).collect();
    assert_eq!(details, ["must be spec.names.plural+\".\"+spec.group"; 2]);
    let wiped = text.replace(
        "{name: foos.example.com}",
        "{name: foos.example.com, namespace: x, uid: u1, deletionTimestamp: '2024-01-01T00:00:00Z'}",
    );
    assert!(create(&wiped, 37).is_accepted_strictly());
    let fields: Vec<String> = update(&wiped, &text, 37)
        .errors
        .iter()
        .map(|it| it.path.to_string())
        .collect();
    assert_eq!(fields, ["metadata.deletionTimestamp"; 2]);
}

#[test]
fn what_is_too_deep_is_not_judged_and_does_no_harm() {
    let nested = |levels: usize| {
        let open = "{type: object, properties: {a: ".repeat(levels);
        definition(&format!("{open}{{type: string}}{}", "}}".repeat(levels)))
    };
    assert!(create(&nested(depth::ALWAYS - 3), 37).is_accepted_strictly());
    let items = "{type: array, items: ".repeat(depth::ALWAYS - 3);
    let lists = definition(&format!("{items}{{type: string}}{}", "}".repeat(depth::ALWAYS - 3)));
    assert!(create(&lists, 37).is_accepted_strictly());
    for levels in [depth::ALWAYS + 10, 4000] {
        assert!(matches!(
            create(&nested(levels), 37).unjudged,
            Some(Unjudged::TooDeep { .. })
        ));
    }
    let value = definition(&format!(
        "{{type: object, default: {}{}}}",
        "[".repeat(4000),
        "]".repeat(4000)
    ));
    assert!(matches!(create(&value, 37).unjudged, Some(Unjudged::TooDeep { .. })));
}

#[test]
fn with_room_schemas_are_followed_as_deep_as_json_may_nest() {
    let judged = |levels: usize, open: &'static str, close: &'static str| {
        let work = move || {
            let schema = format!("{}{{type: string}}{}", open.repeat(levels), close.repeat(levels));
            let verdict = create(&definition(&schema), 37);
            (
                verdict.unjudged.is_none(),
                verdict.is_accepted_strictly(),
                verdict.decode_error.map(|it| it.text),
            )
        };
        let thread = std::thread::Builder::new().stack_size(depth::STACK_BYTES);
        thread.spawn(work).unwrap().join().unwrap()
    };
    let properties = ("{type: object, properties: {a: ", "}}");
    assert_eq!(judged(2_000, properties.0, properties.1), (true, true, None));
    let (is_judged, is_accepted, error) = judged(4_998, properties.0, properties.1);
    assert!(is_judged && !is_accepted);
    let expected = "the object provided is unrecognized (must be of type CustomResourceDefinition): couldn't get version/kind; \
                    json parse error: invalid character '{' exceeded max depth";
    assert_eq!(error.as_deref(), Some(expected));
}
