//! For each lint, one CRD with the problem, and one that looks similar but is intended.

use crd_analyzer_apiextensions::{
    internal::Hoisted,
    types::{
        ColumnDefinition, Conversion, CustomResourceDefinition, Names, SubresourceScale, Subresources, Validation,
        Version,
    },
};
use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion, SchemaOrArray};
use serde_json::json;

use super::{ALL, Lint, find};

fn of_type(r#type: &str) -> JsonSchemaProps {
    JsonSchemaProps {
        r#type: r#type.to_owned(),
        ..JsonSchemaProps::default()
    }
}

fn object(properties: &[(&str, JsonSchemaProps)]) -> JsonSchemaProps {
    let mut schema = of_type("object");
    schema.properties = properties
        .iter()
        .map(|(name, schema)| ((*name).to_owned(), schema.clone()))
        .collect();
    schema.properties.sort_by(|one, other| one.0.cmp(&other.0));
    schema
}

fn list(items: JsonSchemaProps) -> JsonSchemaProps {
    let mut schema = of_type("array");
    schema.items = Some(Box::new(SchemaOrArray {
        schema: Some(Box::new(items)),
        json_schemas: Vec::new(),
    }));
    schema
}

fn version(name: &str, schema: JsonSchemaProps) -> Version {
    Version {
        name: name.to_owned(),
        served: true,
        schema: Some(Validation {
            open_api_v3_schema: Some(schema),
        }),
        ..Version::default()
    }
}

fn of(versions: Vec<Version>) -> CustomResourceDefinition {
    let mut crd = CustomResourceDefinition::default();
    crd.spec.versions = versions;
    if let Some(first) = crd.spec.versions.first_mut() {
        first.storage = true;
    }
    crd
}

fn column(r#type: &str, json_path: &str) -> ColumnDefinition {
    ColumnDefinition {
        name: "A".to_owned(),
        r#type: r#type.to_owned(),
        json_path: json_path.to_owned(),
        ..ColumnDefinition::default()
    }
}

#[track_caller]
fn check(crd: &CustomResourceDefinition, expected: &[&str]) {
    check_with(crd, false, expected);
}

#[track_caller]
fn check_with(crd: &CustomResourceDefinition, with_rare: bool, expected: &[&str]) {
    let lints = ALL.iter().filter(|it| with_rare || !it.is_off);
    let found = find(crd, Hoisted::default(), KubernetesVersion::NEWEST, lints, 100);
    let found: Vec<String> = found.iter().map(|it| format!("{} {}", it.lint.code, it.path)).collect();
    assert_eq!(found, expected);
}

#[track_caller]
fn check_columns(columns: &[ColumnDefinition], expected: &[&str]) {
    let spec = object(&[
        ("replicas", of_type("integer")),
        (
            "free",
            JsonSchemaProps {
                x_preserve_unknown_fields: Some(true),
                ..of_type("object")
            },
        ),
        ("hosts", list(object(&[("name", of_type("string"))]))),
    ]);
    let mut version = version("v1", object(&[("spec", spec)]));
    version.additional_printer_columns = Some(columns.to_vec());
    check(&of(vec![version]), expected);
}

#[test]
fn columns() {
    check_columns(
        &[
            column("integer", ".spec.replica"),
            column("boolean", ".spec.replicas"),
            column("string", ".status.phase"),
            column("date", ".metadata.creationTimestmp"),
            column("string", ".spec.hosts[0].nam"),
            column("string", ".spec.hosts.name"),
        ],
        &[
            "unknown-column-path spec.versions[0].additionalPrinterColumns[0].jsonPath",
            "unknown-column-path spec.versions[0].additionalPrinterColumns[2].jsonPath",
            "unknown-column-path spec.versions[0].additionalPrinterColumns[3].jsonPath",
            "unknown-column-path spec.versions[0].additionalPrinterColumns[4].jsonPath",
            "unknown-column-path spec.versions[0].additionalPrinterColumns[5].jsonPath",
            "column-type-mismatch spec.versions[0].additionalPrinterColumns[1].type",
        ],
    );
    check_columns(
        &[
            column("number", ".spec.replicas"),
            column("string", ".spec.replicas"),
            column("string", ".spec.free.whatever"),
            column("string", ".spec.hosts[*].name"),
            column("date", ".metadata.creationTimestamp"),
            column("string", ".metadata.labels.app"),
            column("string", ".kind"),
            column("string", ".spec..name"),
            column("string", ".spec['replicas'"),
        ],
        &[],
    );
}

#[test]
fn scale() {
    let status = object(&[("replicas", of_type("string"))]);
    let mut version = version("v1", object(&[("spec", of_type("object")), ("status", status)]));
    version.subresources = Some(Subresources {
        status: Some(()),
        scale: Some(SubresourceScale {
            spec_replicas_path: ".spec.replicas".to_owned(),
            status_replicas_path: ".status.replicas".to_owned(),
            label_selector_path: None,
        }),
    });
    check(
        &of(vec![version]),
        &[
            "unknown-scale-path spec.versions[0].subresources.scale.specReplicasPath",
            "scale-type-mismatch spec.versions[0].subresources.scale.statusReplicasPath",
        ],
    );
}

#[test]
fn names() {
    let mut crd = of(vec![version("v1", of_type("object"))]);
    crd.spec.names = Names {
        plural: "backups".to_owned(),
        singular: "backup".to_owned(),
        short_names: ["bk", "backup", "bk"].map(str::to_owned).to_vec(),
        categories: ["all", "bk", "all"].map(str::to_owned).to_vec(),
        ..Names::default()
    };
    check(
        &crd,
        &[
            "repeated-name spec.names.shortNames[2]",
            "repeated-name spec.names.categories[2]",
        ],
    );
}

#[test]
fn versions() {
    let narrow = object(&[("spec", object(&[("a", of_type("string"))]))]);
    let wide = object(&[("spec", object(&[("a", of_type("string")), ("b", of_type("string"))]))]);
    let two = of(vec![version("v1", narrow.clone()), version("v2", wide.clone())]);
    check(&two, &["properties-lost-in-storage spec.versions[1].name"]);
    let mut converted = two.clone();
    converted.spec.conversion = Some(Conversion {
        strategy: "Webhook".to_owned(),
        ..Conversion::default()
    });
    check(&converted, &[]);
    check(&of(vec![version("v2", wide), version("v1", narrow.clone())]), &[]);
    let mut unserved = of(vec![version("v1", narrow)]);
    unserved.spec.versions[0].served = false;
    check(&unserved, &["no-served-version spec.versions"]);
    let status = object(&[("status", object(&[("phase", of_type("string"))]))]);
    let mut with_status = of(vec![version("v1", status)]);
    check(&with_status, &[]);
    check_with(
        &with_status,
        true,
        &["status-without-subresource spec.versions[0].schema.openAPIV3Schema.properties[status]"],
    );
    with_status.spec.versions[0].subresources = Some(Subresources {
        status: Some(()),
        scale: None,
    });
    check_with(&with_status, true, &[]);
}

#[track_caller]
fn check_schema(schema: JsonSchemaProps, expected: &[&str]) {
    let crd = of(vec![version("v1", object(&[("spec", schema)]))]);
    let at = "spec.versions[0].schema.openAPIV3Schema.properties[spec]";
    let expected: Vec<String> = expected
        .iter()
        .map(|it| it.split_once(' ').map(|(code, rest)| format!("{code} {at}{rest}")))
        .map(Option::unwrap_or_default)
        .collect();
    check(&crd, &expected.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn required() {
    let mut schema = object(&[("name", of_type("string"))]);
    schema.required = vec!["name".to_owned(), "nam".to_owned()];
    check_schema(schema.clone(), &["undefined-required-property .required[1]"]);
    let mut open = schema.clone();
    open.x_preserve_unknown_fields = Some(true);
    check_schema(open, &[]);
    let mut outer = object(&[("name", of_type("string"))]);
    outer.any_of = vec![JsonSchemaProps {
        required: vec!["nam".to_owned()],
        ..JsonSchemaProps::default()
    }];
    check_schema(outer, &["undefined-required-property .anyOf[0].required[0]"]);
}

#[test]
fn values() {
    let mut number = of_type("integer");
    number.minimum = Some(5.0);
    number.maximum = Some(3.0);
    check_schema(number.clone(), &["contradictory-bounds .minimum"]);
    number.maximum = Some(5.0);
    check_schema(number.clone(), &[]);
    number.exclusive_maximum = true;
    check_schema(number, &["contradictory-bounds .minimum"]);
    let mut steps = of_type("number");
    for (factor, expected) in [(0.0, 1), (-2.0, 1), (0.5, 0)] {
        steps.multiple_of = Some(factor);
        check_schema(steps.clone(), &["contradictory-bounds .multipleOf"][..expected]);
    }
    let mut names = list(of_type("string"));
    names.min_items = Some(0);
    names.max_items = Some(-1);
    check_schema(names.clone(), &["contradictory-bounds .maxItems"]);
    names.max_items = Some(0);
    check_schema(names, &[]);
    let mut text = of_type("string");
    text.r#enum = vec![json!("a"), json!(1), json!("long")];
    text.max_length = Some(2);
    check_schema(
        text.clone(),
        &["impossible-enum-value .enum[1]", "impossible-enum-value .enum[2]"],
    );
    // A type that does not exist is an error itself.
    text.r#type = "strin".to_owned();
    text.max_length = None;
    check_schema(text, &[]);
    let mut pattern = of_type("string");
    pattern.pattern = "[a-z]*".to_owned();
    check_schema(pattern.clone(), &["pattern-matches-everything .pattern"]);
    pattern.pattern = "^.*".to_owned();
    check_schema(pattern.clone(), &[]);
    pattern.pattern = "$a".to_owned();
    check_schema(pattern.clone(), &["pattern-matches-nothing .pattern"]);
    pattern.pattern = "^[a-z]*$".to_owned();
    check_schema(pattern, &[]);
}

#[test]
fn lists_without_a_type_are_told_if_somebody_asks() {
    let crd = of(vec![version("v1", object(&[("spec", list(of_type("string")))]))]);
    check(&crd, &[]);
    check_with(
        &crd,
        true,
        &["list-without-type spec.versions[0].schema.openAPIV3Schema.properties[spec]"],
    );
}

#[test]
fn what_few_people_want_does_not_take_the_room_of_the_others() {
    let mut number = of_type("integer");
    number.minimum = Some(5.0);
    number.maximum = Some(3.0);
    let properties = object(&[("a", list(of_type("string"))), ("b", number)]);
    let crd = of(vec![version("v1", object(&[("spec", properties)]))]);
    let found = |lints: &[Lint], most| {
        let found = find(&crd, Hoisted::default(), KubernetesVersion::NEWEST, lints, most);
        found.iter().map(|it| it.lint.code).collect::<Vec<_>>()
    };
    assert_eq!(found(ALL, 1), ["contradictory-bounds"]);
    assert_eq!(found(ALL, 2), ["contradictory-bounds", "list-without-type"]);
    assert!(found(&[], 2).is_empty());
}

#[test]
fn a_column_without_a_path_gets_no_type() {
    let titles = |json_path: &str| {
        let mut version = version("v1", object(&[("a", of_type("boolean"))]));
        version.additional_printer_columns = Some(vec![column("integer", json_path)]);
        let crd = of(vec![version]);
        let found = find(&crd, Hoisted::default(), KubernetesVersion::NEWEST, ALL, 100);
        assert_eq!(found.len(), 1);
        let told = found[0].cause.tell(&found[0].path);
        told.proposals.into_iter().map(|it| it.title).collect::<Vec<_>>()
    };
    assert_eq!(titles(".a"), ["Change the type to boolean"]);
    assert!(titles("").is_empty());
}
