//! Tests of `schema`, which prints the schemas that the API server publishes.

use serde_json::{Value, json};

use crate::{Sandbox, definition};

/// A CRD whose `spec` contains all keywords that publication changes.
fn sandbox() -> Sandbox {
    Sandbox::new(&[(
        "crd.yaml",
        &definition(
            "              type: object
              required: [port, note]
              properties:
                port: {x-kubernetes-int-or-string: true, default: 80}
                note: {type: string, nullable: true, maxLength: 10}
                template:
                  type: object
                  x-kubernetes-embedded-resource: true
                  properties: {spec: {type: object, minProperties: 1}}
",
        ),
    )])
}

fn document(arguments: &[&str]) -> Value {
    let outcome = sandbox().run(&[&["schema", "crd.yaml"], arguments].concat());
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    serde_json::from_str(&outcome.stdout).expect("JSON")
}

#[test]
fn publishes_what_the_edition_can_say() {
    let third = document(&[]);
    let schema = &third["components"]["schemas"]["com.example.v1.Widget"];
    assert_eq!(
        schema["x-kubernetes-group-version-kind"],
        json!([{"group": "example.com", "version": "v1", "kind": "Widget"}])
    );
    assert_eq!(schema["properties"]["kind"]["type"], "string");
    let reference = "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
    assert_eq!(schema["properties"]["metadata"]["allOf"], json!([{"$ref": reference}]));
    let spec = &schema["properties"]["spec"];
    assert_eq!(
        spec["properties"]["port"],
        json!({"x-kubernetes-int-or-string": true, "default": 80, "anyOf": [{"type": "integer"}, {"type": "string"}]})
    );
    assert_eq!(
        spec["properties"]["note"],
        json!({"type": "string", "nullable": true, "maxLength": 10})
    );
    assert_eq!(spec["required"], json!(["port", "note"]));
    assert_eq!(
        spec["properties"]["template"]["required"],
        json!(["kind", "apiVersion"])
    );

    let second = document(&["--format", "openapi-v2"]);
    let spec = &second["definitions"]["com.example.v1.Widget"]["properties"]["spec"];
    assert_eq!(spec["properties"]["port"], json!({"x-kubernetes-int-or-string": true}));
    assert_eq!(spec["properties"]["note"], json!({"maxLength": 10}));
    assert_eq!(spec["required"], json!(["port"]));
    let metadata = &spec["properties"]["template"]["properties"]["metadata"];
    assert_eq!(
        metadata["$ref"],
        "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
    );
}

#[test]
fn prints_a_line_for_each_version_of_kubernetes() {
    let outcome = sandbox().run(&[
        "schema",
        "crd.yaml",
        "--output",
        "jsonl",
        "--kubernetes-version",
        "1.30..1.31",
    ]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let lines: Vec<Value> = outcome
        .stdout
        .lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect();
    let versions: Vec<&Value> = lines.iter().map(|it| &it["k8s"]).collect();
    assert_eq!(versions, ["1.30", "1.31"]);
    for line in &lines {
        assert_eq!((&line["file"], &line["version"]), (&json!("crd.yaml"), &json!("v1")));
        assert!(line["v3"].is_object() && line["v2"].is_object(), "{line}");
    }
}

#[test]
fn explains_why_nothing_is_published() {
    let bad = Sandbox::new(&[
        ("bad.yaml", &definition("              type: strnig\n")),
        ("good.yaml", &definition("              type: string\n")),
    ]);
    let rejected = bad.run(&["schema", "bad.yaml"]);
    assert_eq!(rejected.code, Some(1));
    assert!(rejected.stderr.contains("rejects it"), "{}", rejected.stderr);
    let unserved = bad.run(&["schema", "good.yaml", "--version", "v9"]);
    assert_eq!(unserved.code, Some(1));
    assert!(
        unserved.stderr.contains("no CRD here has a served version `v9`"),
        "{}",
        unserved.stderr
    );
    assert_eq!(bad.run(&["schema", "absent.yaml"]).code, Some(3));
    assert_eq!(
        bad.run(&["schema", "good.yaml", "--kubernetes-version", "1.30..1.31"])
            .code,
        Some(2)
    );
}

#[test]
fn a_json_schema_is_no_stricter_than_the_api_server() {
    let schema = document(&["--format", "json-schema"]);
    assert_eq!(schema["$schema"], "http://json-schema.org/draft-07/schema#");
    assert_eq!(schema["required"], json!(["apiVersion", "kind", "metadata"]));
    assert_eq!(schema["properties"]["apiVersion"]["enum"], json!(["example.com/v1"]));
    assert_eq!(schema["properties"]["kind"]["enum"], json!(["Widget"]));
    let spec = &schema["properties"]["spec"];
    // The API server removes null before validation, and a default replaces it.
    assert_eq!(spec["properties"]["port"]["type"], json!(["number", "string", "null"]));
    assert_eq!(spec["required"], json!(["note"]));
    assert_eq!(spec["additionalProperties"], Value::Null);
    let template = &spec["properties"]["template"];
    assert_eq!(template["required"], json!(["apiVersion", "kind"]));
    assert_eq!(template["properties"]["metadata"], json!({"type": ["object", "null"]}));
    assert_eq!(schema["properties"]["metadata"], json!({"type": "object"}));

    let strict = document(&["--format", "json-schema", "--strict"]);
    assert_eq!(strict["properties"]["spec"]["additionalProperties"], false);
    assert_eq!(strict["properties"]["metadata"]["additionalProperties"], Value::Null);
}

#[test]
fn a_json_schema_can_do_without_lists_of_types() {
    let schema = document(&["--format", "json-schema", "--single-types"]);
    let port = &schema["properties"]["spec"]["properties"]["port"];
    assert_eq!(port["type"], Value::Null);
    assert_eq!(port["anyOf"], json!([{"type": "number"}, {"type": "string"}]));
    let outcome = sandbox().run(&["schema", "crd.yaml", "--single-types"]);
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stderr.contains("--format json-schema"), "{}", outcome.stderr);
}

/// Keywords of `spec`, and the corresponding keywords of the JSON Schema.
#[test]
fn a_json_schema_says_only_what_holds_for_every_object_that_is_created() {
    for (written, key, expected) in [
        ("type: number, minimum: 1.5", "minimum", json!(1)),
        ("type: number, minimum: -1.5", "minimum", json!(-1.5)),
        ("type: number, maximum: 1.5", "maximum", json!(1.5)),
        ("type: number, maximum: -1.5", "maximum", json!(-1)),
        (
            "type: number, minimum: 1.5, exclusiveMinimum: true",
            "exclusiveMinimum",
            json!(1.5),
        ),
        (
            "type: number, maximum: -1.5, exclusiveMaximum: true",
            "exclusiveMaximum",
            json!(-1.5),
        ),
        ("type: number, maximum: 1e20", "maximum", Value::Null),
        // Null is removed. A required field is then missing, unless it has a default or its null is kept.
        (
            "type: object, required: [a, b, c], properties: {a: {type: string}, b: {type: string, default: x}, \
             c: {type: string, nullable: true}}",
            "properties",
            json!({"a": {"type": "string"}, "b": {"type": ["string", "null"], "default": "x"}, "c": {"type": ["string", "null"]}}),
        ),
        ("type: number, minimum: 2", "minimum", json!(2)),
        // The API server truncates 1.5 to 1, and converts 97 to the character `a`.
        ("type: number, enum: [1]", "enum", Value::Null),
        ("type: number, enum: [1.5]", "enum", json!([1.5, null])),
        ("type: integer, enum: [1]", "enum", json!([1, null])),
        ("type: integer, enum: [a]", "enum", Value::Null),
        ("x-kubernetes-int-or-string: true, enum: [a]", "enum", Value::Null),
        // The API server accepts 1.0000000001 as 1.
        ("x-kubernetes-int-or-string: true, enum: [ab, 1]", "enum", Value::Null),
        (
            "x-kubernetes-int-or-string: true, enum: [ab]",
            "enum",
            json!(["ab", null]),
        ),
        ("type: string, enum: [a]", "enum", json!(["a", null])),
        // An enum lists each value once.
        (
            "type: string, nullable: true, enum: [null, a]",
            "enum",
            json!([null, "a"]),
        ),
        (
            "type: integer, enum: [1, 1.0, 2, 0, -0.0]",
            "enum",
            json!([1, 2, 0, null]),
        ),
        ("type: object, minProperties: -1", "minProperties", json!(0)),
        // A list cannot have at most -1 items, so this `not` accepts every list.
        (
            "type: array, items: {type: string}, not: {maxItems: -1}",
            "anyOf",
            Value::Null,
        ),
        ("type: string, not: {maxLength: -1}", "anyOf", Value::Null),
    ] {
        let sandbox = Sandbox::new(&[("crd.yaml", &definition(&format!("              {{{written}}}\n")))]);
        let outcome = sandbox.run(&["schema", "crd.yaml", "--format", "json-schema"]);
        assert_eq!(outcome.code, Some(0), "{written}: {}", outcome.stderr);
        let schema: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
        assert_eq!(schema["properties"]["spec"][key], expected, "{written}");
    }
    // A list preserves unknown fields of its items and of nested lists, but not of objects in their properties.
    let items = "{type: object, properties: {b: {type: object}}}";
    let list =
        format!("{{type: array, items: {{type: array, items: {items}}}, x-kubernetes-preserve-unknown-fields: true}}");
    let sandbox = Sandbox::new(&[("crd.yaml", &definition(&format!("              {list}\n")))]);
    let outcome = sandbox.run(&["schema", "crd.yaml", "--format", "json-schema", "--strict"]);
    let schema: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    let items = &schema["properties"]["spec"]["items"]["items"];
    assert_eq!(items["additionalProperties"], Value::Null);
    assert_eq!(items["properties"]["b"]["additionalProperties"], false);
}

#[test]
fn json_schemas_are_written_where_validators_look_for_them() {
    let sandbox = sandbox();
    let args = [
        "schema",
        "--format",
        "json-schema",
        "--output-dir",
        "schemas",
        "crd.yaml",
    ];
    for _ in 0..2 {
        let outcome = sandbox.run(&args);
        assert_eq!(
            (outcome.code, outcome.stdout.as_str()),
            (Some(0), ""),
            "{}",
            outcome.stderr
        );
    }
    let schema: Value = serde_json::from_str(
        &std::fs::read_to_string(sandbox.path().join("schemas/example.com/widget_v1.json")).expect("the file"),
    )
    .expect("JSON");
    assert_eq!(schema, document(&["--format", "json-schema"]));

    let several = definition("              type: object\n");
    let more = several.replace(
        "    - name: v1\n",
        "    - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}\n    - name: v1\n",
    );
    sandbox.write("two.yaml", &more);
    let outcome = sandbox.run(&["schema", "--format", "json-schema", "two.yaml"]);
    assert_eq!(outcome.code, Some(2), "{}", outcome.stdout);
    assert!(
        outcome.stderr.contains("name one with `--version`"),
        "{}",
        outcome.stderr
    );
    let outcome = sandbox.run(&["schema", "--format", "json-schema", "--version", "v2", "two.yaml"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let outcome = sandbox.run(&["schema", "--strict", "crd.yaml"]);
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stderr.contains("--format json-schema"), "{}", outcome.stderr);
}

#[test]
fn kustomize_merges_lists_by_the_file() {
    let crd = definition(
        "              type: object
              properties:
                ports:
                  type: array
                  x-kubernetes-list-type: map
                  x-kubernetes-list-map-keys: [port]
                  items:
                    type: object
                    required: [port]
                    properties: {port: {type: integer}, note: {type: string, maxLength: 3}}
                tags: {type: array, x-kubernetes-list-type: set, items: {type: string}}
                notes: {type: array, items: {type: string}}
",
    );
    let other = json!({"definitions": {
        "other": {"x-kubernetes-group-version-kind": [{"group": "example.com", "version": "v1", "kind": "Widget"}]},
        "pod": {"x-kubernetes-group-version-kind": [{"group": "", "version": "v1", "kind": "Pod"}]},
    }});
    let head = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\n";
    let sandbox = Sandbox::new(&[
        ("crd.yaml", &crd),
        ("other.json", &other.to_string()),
        ("broken.json", "[]"),
        (
            "o/kustomization.yaml",
            "resources: [w.yaml]\npatches: [path: p.yaml]\nopenapi: {path: schema.json}\n",
        ),
        (
            "o/w.yaml",
            &format!("{head}spec: {{ports: [{{port: 1, note: long}}]}}\n"),
        ),
        (
            "o/p.yaml",
            &format!("{head}spec: {{ports: [{{port: 1, note: one}}, {{port: 2, note: second}}]}}\n"),
        ),
    ]);
    let format = ["schema", "crd.yaml", "--format", "kustomize"];
    let alone = sandbox.run(&format);
    assert_eq!(alone.code, Some(0));
    assert!(
        alone
            .stderr
            .contains("note: kustomize takes this file instead of its own schemas")
    );
    let file: Value = serde_json::from_str(&alone.stdout).expect("JSON");
    let spec = &file["definitions"]["com.example.v1.Widget"]["properties"]["spec"]["properties"];
    assert_eq!(spec["ports"]["x-kubernetes-patch-strategy"], "merge");
    assert_eq!(spec["ports"]["x-kubernetes-patch-merge-key"], "port");
    assert_eq!(spec["tags"]["x-kubernetes-patch-strategy"], "merge");
    assert_eq!(spec["notes"], json!({"type": "array", "items": {"type": "string"}}));
    let merged = sandbox.run(&[&format[..], &["--merge-into", "other.json"]].concat());
    assert_eq!((merged.code, &*merged.stderr), (Some(0), ""));
    let file: Value = serde_json::from_str(&merged.stdout).expect("JSON");
    let kinds = |name: &str| {
        file["definitions"][name]["x-kubernetes-group-version-kind"]
            .as_array()
            .map(Vec::len)
    };
    assert_eq!(
        [kinds("other"), kinds("pod"), kinds("com.example.v1.Widget")],
        [Some(0), Some(1), Some(1)]
    );
    let broken = sandbox.run(&[&format[..], &["--merge-into", "broken.json"]].concat());
    assert_eq!(
        (broken.code, &*broken.stderr),
        (Some(3), "broken.json: it is not a JSON object\n")
    );
    assert_eq!(
        sandbox.run(&["schema", "crd.yaml", "--merge-into", "other.json"]).code,
        Some(2)
    );
    // The overlay is built with the OpenAPI file. So the note of the existing item becomes shorter, and only the note of the new item is too long.
    std::fs::write(sandbox.path().join("o/schema.json"), &alone.stdout).expect("a file");
    let checked = sandbox.run(&["check", "."]);
    assert_eq!(
        checked.stdout.matches("string-too-long").count(),
        1,
        "{}",
        checked.stdout
    );
    assert!(checked.stdout.contains("spec.ports[1].note"), "{}", checked.stdout);
}

#[test]
fn parts_of_crds_are_not_published() {
    let part = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: widgets.example.com\n  \
                annotations: {a: b}\n";
    let sandbox = Sandbox::new(&[
        ("config/crd/bases/a.yaml", &definition("              type: object\n")),
        ("config/crd/patches/a.yaml", part),
    ]);
    let outcome = sandbox.run(&["schema", "."]);
    outcome.expect(0, &["Widget"]);
    assert!(!outcome.stderr.contains("rejects"), "{outcome:?}");
    sandbox.run(&["docs", ".", "--output-dir", "out"]).expect(0, &[]);
    sandbox
        .run(&["schema", "config/crd/patches/a.yaml"])
        .expect(1, &["rejects"]);
}
