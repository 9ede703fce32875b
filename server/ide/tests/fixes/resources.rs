//! Fixes in custom resources.

use super::{Shown, found_in, misplaced};

/// The findings in a resource with these lines after its metadata.
fn found_with(schema: &str, lines: &str) -> Vec<Shown> {
    found_in(&format!(
        "```yaml schema\n{schema}```\n```yaml resource\napiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: a}}\n{lines}\n```\n"
    ))
}

/// The finding about an unknown field in a resource with these lines.
fn unknown_field(schema: &str, lines: &str) -> Shown {
    let mut found = found_with(schema, lines).into_iter();
    found.find(|it| it.code == "unknown-field").expect("an unknown field")
}

/// The titles of the fixes of a finding.
fn titles(found: &Shown) -> Vec<String> {
    found.fixes.iter().map(|it| it.title.clone()).collect()
}

/// A misspelt field in a resource is renamed even if its value is wrong as well.
#[test]
fn a_field_gets_its_name_though_its_value_is_wrong() {
    const DEFINITION: &str = "\
type: object
properties:
  spec:
    type: object
    properties:
      storageGB: {type: integer, minimum: 1, multipleOf: 5}
      mode: {type: string, enum: [Fast, Safe]}
      settings:
        type: object
        required: [size]
        properties: {size: {type: integer}, name: {type: string, maxLength: 2}}
    x-kubernetes-validations:
    - rule: '!has(self.storageGB) || self.storageGB < 100'
";
    for (field, title) in [
        ("storageGb: 5", "Change storageGb to storageGB"),
        ("storageGb: 0", "Change storageGb to storageGB"),
        ("storageGb: -3", "Change storageGb to storageGB"),
        ("storageGb: 200", "Change storageGb to storageGB"),
        ("storageGb: \"5\"", "Change storageGb to storageGB"),
        ("mod: Slow", "Change mod to mode"),
        ("setings: {}", "Change setings to settings"),
        ("setings: {size: 1, nam: abc}", "Change setings to settings"),
        ("setings: {size: 1, name: abc}", "Change setings to settings"),
        ("setings: [1]", "Change setings to settings"),
    ] {
        let found = found_with(DEFINITION, &format!("spec:\n  {field}"));
        let unknown = found
            .iter()
            .find(|it| it.code == "unknown-field")
            .expect("an unknown field");
        let first = unknown.fixes.first();
        assert!(
            first.is_some_and(|it| it.title == title && it.is_preferred),
            "{field}: {:?}",
            unknown.fixes
        );
        assert!(misplaced(&unknown.fixes).is_none(), "{field}: {:?}", unknown.fixes);
    }
}

/// An object without its own required fields would be the next error.
#[test]
fn an_object_is_added_with_its_required_fields() {
    const SCHEMA: &str = "\
type: object
required: [spec]
properties:
  spec:
    type: object
    required: [size, mode, owner]
    properties:
      size: {type: integer, minimum: 3}
      mode: {type: string, default: Fast}
      owner: {type: object, required: [name], properties: {name: {type: string, enum: [a, b]}, id: {type: string}}}
";
    for (written, title) in [
        ("spec:", "Set spec"),
        ("spec: null", "Set spec"),
        ("spec: ~ # later", "Set spec"),
        ("spec: NULL", "Set spec"),
        ("# no spec", "Add spec"),
    ] {
        let found = found_with(SCHEMA, written);
        let missing = found.iter().find(|it| it.code == "missing-property");
        let fixes = &missing.expect("a missing property").fixes;
        let fix = fixes.iter().find(|it| it.title == title);
        let fix = fix.unwrap_or_else(|| panic!("{written}: {fixes:?}"));
        assert!(
            fix.writes.contains("{size: 3, owner: {name: a}}"),
            "{written}: {}",
            fix.writes
        );
    }
}

/// An item has no key, so its findings are shown at its first key, which may have an object as its value.
#[test]
fn an_item_gets_a_required_field() {
    const SCHEMA: &str = "\
type: object
properties:
  spec:
    type: array
    items:
      type: object
      required: [size]
      properties:
        size: {type: integer}
        name: {type: string}
        owner: {type: object, properties: {size: {type: integer}}}
";
    for item in ["name: a", "owner:\n    size: 3", "owner: {}"] {
        let found = found_with(SCHEMA, &format!("spec:\n- {item}"));
        let missing = found.iter().find(|it| it.code == "missing-property");
        let fixes = &missing.expect("a missing property").fixes;
        assert!(fixes.iter().any(|it| it.title == "Add size"), "{item}: {fixes:?}");
    }
}

#[test]
fn a_list_or_an_object_instead_of_a_scalar_is_replaced() {
    const SCHEMA: &str = "\
type: object
properties:
  spec: {type: object, properties: {size: {type: integer, minimum: 3}}}
";
    for (value, titles) in [
        ("[]", ["Replace the value by 3"].as_slice()),
        ("{a: 1}", &["Replace the value by 3"]),
        ("[7]", &["Take the only item out of the list", "Replace the value by 3"]),
        // The item alone would be rejected as well, so its brackets are not removed.
        ("[x]", &["Replace the value by 3"]),
        ("[7, 8]", &["Replace the value by 3"]),
        ("\n  - 7", &[]),
    ] {
        let found = found_with(SCHEMA, &format!("spec:\n  size: {value}"));
        let wrong = found.iter().find(|it| it.code == "wrong-type").expect("a wrong type");
        let offered: Vec<&str> = wrong.fixes.iter().map(|it| it.title.as_str()).collect();
        assert_eq!(offered, titles, "{value}");
        assert!(wrong.fixes.iter().all(|it| !it.is_preferred), "{value}");
    }
}

/// The CRD of another group may have the kind, and its group is not that of CRDs.
#[test]
fn a_misspelt_group_is_changed_to_that_of_the_crd() {
    const PAGE: &str =
        "```yaml schema\ntype: object\n```\n```yaml resource\napiVersion: HEAD\nkind: KIND\nmetadata: {name: a}\n```\n";
    for (api_version, kind, title, help) in [
        (
            "examples.com/v1",
            "Widget",
            "Change examples.com/v1 to example.com/v1",
            "write `apiVersion: example.com/v1`",
        ),
        (
            "example.com/v1",
            "Widgets",
            "Change Widgets to Widget",
            "write `kind: Widget`",
        ),
        (
            "apiextension.k8s.io/v1",
            "CustomResourceDefinition",
            "Change apiextension.k8s.io/v1 to apiextensions.k8s.io/v1",
            "write `apiVersion: apiextensions.k8s.io/v1`",
        ),
    ] {
        let found = found_in(&PAGE.replace("HEAD", api_version).replace("KIND", kind));
        let unknown = found
            .iter()
            .find(|it| it.code == "unknown-kind")
            .expect("an unknown kind");
        let titles: Vec<_> = unknown.fixes.iter().map(|it| it.title.as_str()).collect();
        assert_eq!(
            (titles, unknown.help.clone()),
            (vec![title], vec![help.to_owned()]),
            "{api_version}"
        );
    }
}

/// `scope` of a CRD has two values, but a resource may have a field with the same name.
#[test]
fn values_of_crds_are_not_written_into_resources() {
    const SCHEMA: &str = "\
type: object
properties:
  spec: {type: object, properties: {scope: {type: string, enum: [a, b, c, d, e]}}}
";
    let found = found_with(SCHEMA, "spec: {scope: Namespace}");
    let wrong = found.iter().find(|it| it.code == "not-in-enum").expect("a wrong value");
    assert!(wrong.fixes.is_empty(), "{:?}", wrong.fixes);
}

/// `state` is nearer to `status` than any other field of `spec`.
#[test]
fn a_field_that_is_indented_too_deep_moves_out() {
    const SCHEMA: &str = "\
type: object
properties:
  spec:
    type: object
    properties:
      state: {type: string}
      driver: {type: object, properties: {cores: {type: integer}}}
      executor: {type: object, properties: {cores: {type: integer}}}
  status: {type: object, properties: {ready: {type: boolean}}}
";
    for (written, (field, around), expected) in [
        (
            "spec:\n  state: a\n  status:\n    ready: true",
            ("status", "spec"),
            "spec:\n  state: a\nstatus:\n  ready: true",
        ),
        (
            "spec:\n  driver:\n    cores: 1\n    executor: # one\n      cores: 1\n  state: a",
            ("executor", "driver"),
            "spec:\n  driver:\n    cores: 1\n  executor: # one\n    cores: 1\n  state: a",
        ),
    ] {
        let unknown = unknown_field(SCHEMA, written);
        assert_eq!(
            titles(&unknown),
            [
                format!("Move {field} out of {around}"),
                format!("Add {field} to the CRD"),
                format!("Remove {field}")
            ],
            "{written}"
        );
        assert_eq!(
            unknown.help,
            [format!("move `{field}` out of `{around}`: indent it like `{around}`")]
        );
        let edited = &unknown.fixes[0].edited;
        assert!(edited.trim_end().ends_with(expected), "{edited}");
    }
}

/// The CRD must not get the field a second time, at its root.
#[test]
fn a_field_of_spec_moves_into_spec() {
    const SCHEMA: &str = "\
type: object
properties:
  spec:
    type: object
    properties: {image: {type: string}, size: {type: integer}, ports: {type: array, items: {type: integer}}}
";
    for (written, field, expected) in [
        (
            "spec:\n  size: 1\nimage: a # the image",
            "image",
            "spec:\n  size: 1\n  image: a # the image",
        ),
        ("image: a", "image", "spec:\n  image: a"),
        (
            "# ports\nports: # all\n- 1\n# two\n- 2\nspec:\n    size: 1",
            "ports",
            "spec:\n    size: 1\n    # ports\n    ports: # all\n    - 1\n    # two\n    - 2",
        ),
        ("spec:\nimage: a", "image", "spec:\n  image: a"),
        ("spec: {}\nimage: a", "image", "spec:\n  image: a"),
        (
            "spec: {size: 1} # one\nimage: a",
            "image",
            "spec: {size: 1, image: a} # one",
        ),
        ("image: 5\nspec:\n  size: 1", "image", "spec:\n  size: 1\n  image: 5"),
    ] {
        let unknown = unknown_field(SCHEMA, written);
        assert_eq!(
            titles(&unknown),
            [format!("Move {field} into spec"), format!("Remove {field}")],
            "{written}"
        );
        assert_eq!(
            unknown.help,
            [format!("move `{field}` into `spec`: indent it below `spec:`")]
        );
        let edited = unknown.fixes[0]
            .edited
            .split_once("metadata: {name: a}\n")
            .expect("metadata")
            .1;
        assert_eq!(edited.trim_end(), expected, "{written}");
    }
    let labels = unknown_field(SCHEMA, "labels: {a: b}\nspec: {}");
    assert_eq!(titles(&labels), ["Move labels into metadata", "Remove labels"]);
    let edited = &labels.fixes[0].edited;
    assert!(
        edited.ends_with("metadata: {name: a, labels: {a: b}}\nspec: {}\n"),
        "{edited}"
    );
    let unknown = unknown_field(SCHEMA, "spec: {image: a}\nimage: b");
    assert!(
        unknown.fixes.iter().all(|it| it.title == "Remove image"),
        "{:?}",
        unknown.fixes
    );
}

/// `apiVersion` and `kind` are case-sensitive. A resource is recognized even if they are written in the wrong case.
#[test]
fn the_keys_of_the_type_get_their_case() {
    for (wrong, right) in [("apiversion", "apiVersion"), ("Kind", "kind")] {
        let resource = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\n";
        let written = resource.replace(right, wrong);
        let found = found_in(&format!(
            "```yaml schema\ntype: object\n```\n```yaml resource\n{written}```\n"
        ));
        assert_eq!(found[0].help, [format!("change `{wrong}` to `{right}`")]);
        assert_eq!(found[0].fixes[0].title, format!("Change {wrong} to {right}"));
        assert_eq!(found[0].fixes[0].edited, resource);
    }
}

/// One field is unknown and one is missing, so the unknown one is probably the missing one.
#[test]
fn the_only_unknown_field_gets_the_name_of_the_only_missing_one() {
    const SCHEMA: &str = "\
type: object
properties:
  spec:
    type: object
    required: [headerName, size]
    properties: {headerName: {type: string}, size: {type: integer}, other: {type: string}}
";
    let unknown = |written: &str| unknown_field(SCHEMA, written);
    let found = unknown("spec: {value: a, size: 1}");
    assert_eq!(found.help, ["change `value` to `headerName`"]);
    assert_eq!(found.fixes[0].title, "Rename value to headerName");
    assert!(found.fixes[0].edited.contains("spec: {headerName: a, size: 1}"));
    // The value does not fit, a second field is unknown, or nothing is missing.
    for written in [
        "spec: {value: 5, size: 1}",
        "spec: {value: a, more: b, size: 1}",
        "spec: {value: a, headerName: b, size: 1}",
    ] {
        let found = unknown(written);
        assert!(
            found.help[0].starts_with("remove `value`"),
            "{written}: {:?}",
            found.help
        );
        assert!(
            !found.fixes.iter().any(|it| it.title.starts_with("Rename")),
            "{written}"
        );
    }
    // Both are missing, but only one accepts a string.
    assert_eq!(unknown("spec: {value: a}").fixes[0].title, "Rename value to headerName");
    assert_eq!(
        titles(&unknown("spec: {foo: bar}")),
        ["Add foo to the CRD", "Remove foo"]
    );
}

/// An object of other fields is not meant.
#[test]
fn an_object_gets_the_name_of_one_with_the_same_fields() {
    const SCHEMA: &str = "\
type: object
properties:
  spec:
    type: object
    required: [selector]
    properties:
      selector: {type: object, properties: {matchLabels: {type: object}}}
      other: {type: string}
";
    let found = |written: &str| titles(&unknown_field(SCHEMA, written));
    assert_eq!(found("spec: {pods: {matchLabels: {}}}")[0], "Rename pods to selector");
    assert_eq!(
        found("spec: {metadata: {labels: {}}}"),
        ["Add metadata to the CRD", "Remove metadata"]
    );
}

#[test]
fn the_name_of_an_object_gets_lower_case() {
    const PAGE: &str = "```yaml schema\ntype: object\n```\n```yaml resource\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: My_Shop}\n```\n";
    let found = found_in(PAGE);
    let wrong = found
        .iter()
        .find(|it| it.code == "invalid-metadata-name")
        .expect("a wrong name");
    assert!(wrong.help[0].contains("`my-shop`"), "{:?}", wrong.help);
    assert_eq!(wrong.fixes[0].title, "Change My_Shop to my-shop");
    assert!(wrong.fixes[0].edited.contains("{name: my-shop}"));
}

#[test]
fn labels_are_strings() {
    const SCHEMA: &str = "\
type: object
properties:
  spec: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
";
    for (metadata, expected) in [
        (
            "metadata:\n  labels: {a: one, b: 2, c: true}",
            "{a: one, b: \"2\", c: \"true\"}",
        ),
        ("metadata:\n  annotations:\n    d: 1.50 # kept", "d: \"1.50\" # kept"),
    ] {
        let embedded = format!(
            "spec:\n  apiVersion: v1\n  kind: A\n  {}",
            metadata.replace('\n', "\n  ")
        );
        for page in [
            found_with(SCHEMA, &embedded),
            found_in(&format!(
                "```yaml schema\n{SCHEMA}```\n```yaml resource\napiVersion: example.com/v1\nkind: Widget\n{metadata}\n  name: a\n```\n"
            )),
        ] {
            let fixes: Vec<_> = page.iter().flat_map(|it| &it.fixes).collect();
            assert!(
                fixes.iter().any(|it| it.edited.contains(expected)),
                "{metadata}: {:?} {fixes:?}",
                page.iter().map(|it| it.code).collect::<Vec<_>>()
            );
        }
    }
}
