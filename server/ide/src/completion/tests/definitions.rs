//! Tests for completion in CRDs.

use crd_analyzer_workspace::{
    config::versions::VersionSet,
    judging::analysis::{Question, analyze},
};

use super::{KubernetesVersion, Offered, check_first, check_none_of};

pub(super) const HEAD: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n";

/// Completion in these lines below `spec:` of a CRD.
pub(super) fn spec(lines: &str) -> Offered {
    at(&format!("{HEAD}metadata:\n  name: widgets.example.com\nspec:\n{lines}"))
}

/// Lines with the indentation of a version's schema.
pub(super) fn indented(lines: &str) -> String {
    lines.lines().flat_map(|it| ["        ", it, "\n"]).collect()
}

/// Completion in these lines of a schema, which have two columns of indentation.
fn schema(lines: &str) -> Offered {
    let lines = indented(lines);
    spec(&format!(
        "  group: example.com\n  versions:\n  - name: v1\n    schema:\n      openAPIV3Schema:\n{lines}"
    ))
}

/// A whole CRD.
pub(super) fn example() -> String {
    format!(
        "{HEAD}metadata:\n  name: widgets.example.com\nspec:\n  group: example.com\n  scope: Namespaced\n  versions:\n  - name: v1\n    \
         additionalPrinterColumns:\n    - {{name: Size, type: integer, jsonPath: .spec.replicas}}\n    schema:\n      openAPIV3Schema:\n{}",
        indented(&format!(
            "{PROPERTIES}    x-kubernetes-validations:\n    - rule: self.replicas > 0\n      message: \"é😀\"\n"
        ))
    )
}

pub(super) fn at(text: &str) -> Offered {
    Offered::new(text, &(), KubernetesVersion::NEWEST)
}

#[test]
fn keys_that_are_missing_come_first() {
    check_first(&at(&format!("{HEAD}$0\n")), &["metadata", "spec"]);
    check_first(&spec("  $0\n"), &["group", "names", "scope", "versions"]);
    check_first(&spec("  group: x\n  $0\n"), &["names", "versions", "scope"]);
    check_first(
        &spec("  group: x\n  versions:\n  - $0\n"),
        &["version …", "required fields", "name", "served", "storage"],
    );
    check_first(&spec("  group: x\n  versions:\n  - name: v1\n    ser$0\n"), &["served"]);
    check_none_of(&spec("  group: x\n  $0\n"), &["group"]);
    check_first(&schema("properties:\n  a:\n    $0\n"), &["type", "string …"]);
    check_first(&schema("properties:\n  a:\n    type: array\n    $0\n"), &["items"]);
    check_first(
        &schema("properties:\n  a:\n    type: string\n    m$0\n"),
        &["maxLength", "minLength"],
    );
}

#[test]
fn a_list_is_begun_with_a_dash() {
    assert_eq!(spec("  versions:\n    $0\n").labels(), ["-"]);
    assert!(
        spec("  versions:\n    $0\n")
            .taken("-")
            .ends_with("  versions:\n    - \n")
    );
}

#[test]
fn only_keys_that_the_server_takes_are_offered() {
    check_none_of(&schema("$0\n"), &["$ref", "definitions", "additionalProperties", "id"]);
    check_none_of(
        &schema("type: object\nproperties: {a: {type: string}}\nanyOf:\n- properties:\n    a:\n      $0\n"),
        &["type", "description", "default", "x-kubernetes-validations", "title"],
    );
    check_first(
        &schema("properties:\n  a:\n    x-kubernetes-int-or-string: true\n    anyOf:\n    - ty$0\n"),
        &["type"],
    );
    let old = format!("{HEAD}status:\n  observed$0\n");
    check_first(&Offered::new(&old, &(), KubernetesVersion::minor(34)), &[]);
    check_first(&at(&old), &["observedGeneration"]);
    assert_eq!(
        Offered::new(&old, &(), KubernetesVersion::minor(34)).labels(),
        Vec::<&str>::new()
    );
}

#[test]
fn what_follows_a_key_is_written_with_it() {
    assert!(spec("  gr$0\n").taken("group").ends_with("spec:\n  group: $0\n"));
    assert!(spec("  $0\n").taken("names").ends_with("spec:\n  names:\n    $0\n"));
    assert!(
        spec("  $0\n")
            .taken("versions")
            .ends_with("spec:\n  versions:\n  - $0\n")
    );
    assert!(spec("  gr$0: x\n").taken("group").ends_with("spec:\n  group: x\n"));
    assert!(
        spec("  versions:\n  - na$0\n")
            .taken("subresources")
            .ends_with("  - subresources:\n      $0\n")
    );
    assert!(
        spec("  names: {pl$0}\n")
            .taken("plural")
            .ends_with("  names: {plural: $0}\n")
    );
    assert!(
        spec("  names: {$0\n")
            .taken("shortNames")
            .ends_with("  names: {shortNames: [$0]\n")
    );
    let json = "{\"apiVersion\": \"apiextensions.k8s.io/v1\", \"kind\": \"CustomResourceDefinition\", $0}";
    assert!(
        at(json)
            .taken("spec")
            .ends_with("\"CustomResourceDefinition\", \"spec\": {$0}}")
    );
    let json = "{\"apiVersion\": \"apiextensions.k8s.io/v1\", \"kind\": \"CustomResourceDefinition\", \"sp$0\": {}}";
    assert!(
        at(json)
            .taken("spec")
            .ends_with("\"CustomResourceDefinition\", \"spec\": {}}")
    );
}

#[test]
fn values_are_those_of_the_field() {
    check_first(&spec("  scope: $0\n"), &["Namespaced", "Cluster"]);
    assert!(spec("  scope: $0\n").taken("Cluster").ends_with("  scope: Cluster\n"));
    assert!(spec("  scope:$0\n").taken("Cluster").ends_with("  scope: Cluster\n"));
    assert!(
        spec("  scope: \"Clu$0\"\n")
            .taken("Cluster")
            .ends_with("  scope: \"Cluster\"\n")
    );
    assert!(
        spec("  scope: 'Clu$0\n")
            .taken("Cluster")
            .ends_with("  scope: 'Cluster'\n")
    );
    assert_eq!(spec("  versions:\n  - served: $0\n").labels(), ["true", "false"]);
    assert_eq!(
        spec("  versions:\n  - storage: true\n  - storage: $0\n").labels(),
        ["false", "true"]
    );
    assert_eq!(schema("type: $0\n").labels(), ["object"]);
    check_first(
        &schema("properties:\n  a:\n    type: $0\n"),
        &["string", "object", "integer"],
    );
    assert_eq!(
        schema("properties:\n  a:\n    type: integer\n    format: $0\n").labels(),
        ["int32", "int64"]
    );
    assert_eq!(
        schema("properties:\n  a:\n    type: boolean\n    default: $0\n").labels(),
        ["true", "false"]
    );
    assert_eq!(
        schema("properties:\n  a:\n    type: string\n    enum: [x, \"1\"]\n    default: $0\n").labels(),
        ["x", "1"]
    );
    let quoted = schema("properties:\n  a:\n    type: string\n    enum: [x, \"1\"]\n    default: $0\n").taken("1");
    assert!(quoted.ends_with("default: '1'\n"), "{quoted}");
    assert_eq!(
        schema("x-kubernetes-validations:\n- reason: FieldValueR$0\n").labels(),
        ["FieldValueRequired"]
    );
    check_first(&spec("  names:\n    kind: Widget\n    listKind: $0\n"), &["WidgetList"]);
    check_first(
        &at(&format!(
            "{HEAD}metadata:\n  name: $0\nspec:\n  group: x.io\n  names: {{plural: as}}\n"
        )),
        &["as.x.io"],
    );
    check_first(&spec("  names:\n    plural: $0\n"), &["widgets"]);
}

const PROPERTIES: &str = "type: object\nproperties:\n  spec:\n    type: object\n    properties:\n      replicas: {type: integer}\n      my-name: {type: string, default: x}\n      list: {type: array, items: {type: string}}\n";

#[test]
fn names_are_those_of_the_properties_in_scope() {
    check_first(
        &schema(&format!("{PROPERTIES}    required: [$0]\n")),
        &["replicas", "list", "my-name"],
    );
    check_first(
        &schema(&format!("{PROPERTIES}    required:\n    - replicas\n    - $0\n")),
        &["list", "my-name"],
    );
    check_first(
        &schema(&format!("{PROPERTIES}    anyOf:\n    - required:\n      - rep$0\n")),
        &["replicas"],
    );
    check_first(
        &schema(&format!("{PROPERTIES}    anyOf:\n    - properties:\n        rep$0\n")),
        &["replicas"],
    );
    check_first(
        &schema("type: object\nrequired: [spec, other]\nproperties:\n  $0\n"),
        &["spec", "other", "apiVersion"],
    );
    let list = "properties:\n  l:\n    type: array\n    items:\n      type: object\n      required: [b]\n      properties:\n        a: {type: string}\n        b: {type: string}\n        c: {type: object}\n    x-kubernetes-list-type: map\n    x-kubernetes-list-map-keys:\n    - $0\n";
    assert_eq!(schema(list).labels(), ["b", "a"]);
}

#[test]
fn paths_are_those_of_the_properties() {
    let version = |lines: &str| {
        let schema = indented(PROPERTIES);
        spec(&format!(
            "  versions:\n  - name: v1\n    schema:\n      openAPIV3Schema:\n{schema}{lines}"
        ))
    };
    assert_eq!(
        version("    selectableFields:\n    - jsonPath: $0\n").labels(),
        [".spec.replicas", ".spec.my-name", ".spec"]
    );
    let column = version("    additionalPrinterColumns:\n    - jsonPath: $0\n");
    check_first(
        &column,
        &[".spec.replicas", ".spec.my-name", ".metadata.creationTimestamp"],
    );
    assert_eq!(
        version("    selectableFields:\n    - jsonPath: .spec.$0\n").labels(),
        [".spec.replicas", ".spec.my-name"]
    );
    assert_eq!(
        version("    subresources:\n      scale:\n        specReplicasPath: .spec.$0\n").labels(),
        [".spec.replicas"]
    );
    check_first(
        &version("    additionalPrinterColumns:\n    - jsonPath: .m$0\n"),
        &[".metadata.creationTimestamp", ".metadata.name"],
    );
    check_first(
        &version("    additionalPrinterColumns:\n    - jsonPath: .metadata.g$0\n"),
        &[".metadata.generateName", ".metadata.generation"],
    );
    check_first(
        &schema("properties:\n  a:\n    anyOf:\n    - type: integer\n    - type: string\n    x$0\n"),
        &["x-kubernetes-int-or-string"],
    );
    let rule = format!("{PROPERTIES}    x-kubernetes-validations:\n    - rule: 'true'\n      fieldPath: $0\n");
    assert_eq!(schema(&rule).labels(), [".replicas", "['my-name']", ".list"]);
    check_first(&schema("properties:\n  name:\n    type: $0\n"), &["string"]);
    check_first(&schema("properties:\n  replicas:\n    type: $0\n"), &["integer"]);
    check_first(&schema("properties:\n  conditions:\n    type: $0\n"), &["array"]);
    let commits = |offered: &Offered| offered.item(".replicas").commit.contains(&'.');
    assert!(!commits(&schema(&rule)), "the first dot of a path takes nothing");
    assert!(commits(&schema(&rule.replace("$0", ".r$0"))));
    let rule = schema(&rule).taken("['my-name']");
    assert!(rule.ends_with("fieldPath: '[''my-name'']'\n"), "{rule}");
}

#[test]
fn columns_lead_to_conditions_and_what_all_objects_have() {
    let column = |path: &str| {
        spec(&format!(
            "  versions:\n  - name: v1\n    schema:\n      openAPIV3Schema:\n        properties:\n          status: {{type: object, properties: \
             {{conditions: {{type: array, items: {{type: object, properties: {{type: {{type: string}}, status: {{type: string}}}}}}}}}}}}\n    \
             additionalPrinterColumns:\n    - jsonPath: {path}\n"
        ))
    };
    let offered = column(".status.$0");
    assert_eq!(
        offered.labels(),
        [".status.conditions[?(@.type==\"Ready\")].status", ".status.conditions"]
    );
    let offered = column("'.status.conditions[?(@.type==''Ready'')].$0'");
    let item = offered.item(".status.conditions[?(@.type=='Ready')].status");
    assert_eq!(item.filter, ".status.conditions[?(@.type==''Ready'')].status");
    let offered = column("'.status.conditions[?(@.t$0");
    assert_eq!(offered.labels(), [".status.conditions[?(@.type"]);
    let unwritten = spec("  versions:\n  - name: v1\n    additionalPrinterColumns:\n    - jsonPath: $0\n");
    check_first(
        &unwritten,
        &[
            ".metadata.creationTimestamp",
            ".metadata.name",
            ".spec",
            ".status",
            ".metadata",
        ],
    );
}

#[test]
fn an_empty_document_becomes_a_definition() {
    let offered = at("$0");
    assert_eq!(
        offered.labels(),
        ["apiVersion", "kind", "metadata", "spec", "CustomResourceDefinition …"]
    );
    let written = filled(&offered.taken("CustomResourceDefinition …"));
    let question = Question::new(VersionSet::all());
    let report = analyze(written.into_bytes(), &question);
    assert_eq!(report.findings, []);
}

#[test]
fn a_column_begins_with_what_is_there() {
    let version = |schema: &str| {
        spec(&format!(
            "  versions:\n  - name: v1\n    schema:\n      openAPIV3Schema: {schema}\n    additionalPrinterColumns:\n    - $0\n"
        ))
    };
    for (schema, expected) in [
        (
            "{type: object}",
            "name: ${1:Age}\n      type: ${2|date,string,integer,boolean,number|}\n      jsonPath: ${3:.metadata.creationTimestamp}",
        ),
        (
            "{type: object, properties: {spec: {type: object, properties: {a: {type: object}, replicas: {type: integer}}}}}",
            "name: ${1:Replicas}\n      type: ${2|integer,string,date,boolean,number|}\n      jsonPath: ${3:.spec.replicas}",
        ),
        (
            "{type: object, properties: {spec: {type: object, properties: {replicas: {type: integer}}}, status: {type: object, properties: {phase: {type: string}}}}}",
            "name: ${1:Phase}\n      type: ${2|string,integer,date,boolean,number|}\n      jsonPath: ${3:.status.phase}",
        ),
    ] {
        let taken = version(schema).taken("column …");
        assert!(taken.contains(expected), "{taken}");
    }
    let scale = spec("  versions:\n  - name: v1\n    subresources:\n      scale:\n        $0\n");
    check_first(&scale, &["required fields"]);
}

/// The text that editors initially insert for the placeholders of a snippet.
fn filled(text: &str) -> String {
    let mut written = String::new();
    for part in text.split("${") {
        let Some((place, rest)) = part.split_once('}').filter(|_| !written.is_empty()) else {
            written.push_str(part);
            continue;
        };
        let first = place.split_once(['|', ':']).expect("a first text").1;
        written.push_str(first.split([',', '|']).next().expect("a choice"));
        written.push_str(rest);
    }
    written.replace("\\$", "$").replace("\\}", "}")
}

#[test]
fn a_new_version_breaks_nothing() {
    for (name, next) in [("v1", "v2"), ("v1beta1", "v1"), ("v1alpha1", "v1beta1")] {
        let offered = spec(&format!(
            "  group: example.com\n  names: {{kind: Widget, plural: widgets}}\n  scope: Namespaced\n  versions:\n  - name: {name} # kept\n    \
             served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n          a: \
             {{type: string, pattern: '^$'}}\n          b:\n            type: string\n            description: |\n              some\n\n                \
             prose\n  - $0\n"
        ));
        let copy = format!("copy of {name} …");
        check_first(&offered, &["version …", &copy]);
        for label in ["version …", &copy, "required fields"] {
            let taken = offered.taken(label);
            let mut written = filled(&taken);
            assert_eq!(written.matches("storage: false").count(), 1, "{label}: {taken}");
            assert!(written.contains(&format!("  - name: {next}")), "{written}");
            if label == "required fields" {
                written.push_str("    schema: {openAPIV3Schema: {type: object}}\n");
            }
            let report = analyze(written.clone().into_bytes(), &Question::new(VersionSet::all()));
            let verdicts = report.documents.iter().flat_map(|it| &it.verdicts);
            let errors: Vec<_> = verdicts.flat_map(|it| it.1.findings()).collect();
            assert_eq!(
                errors,
                Vec::<&crd_analyzer_workspace::findings::finding::Finding>::new(),
                "{written}"
            );
        }
        // Indentation on empty lines does not matter.
        let copied: String = filled(&offered.taken(&copy))
            .lines()
            .flat_map(|it| [it.trim_end(), "\n"])
            .collect();
        let (_, schema) = copied.split_once("schema:").expect("a schema");
        let (schema, after) = schema.split_once("  - name").expect("another version");
        assert!(after.contains(schema.trim_end()), "{copied}");
    }
    // Aliases refer to earlier nodes, so a copy would link the two versions.
    let tied = spec("  versions:\n  - name: v1\n    schema: &tied {}\n  - $0\n");
    check_none_of(&tied, &["copy of v1 …"]);
    let first = spec("  versions:\n  - $0\n").taken("version …");
    assert!(
        first.contains("name: ${1:v1}\n    served: true\n    storage: true\n"),
        "{first}"
    );
}

#[test]
fn the_root_of_a_schema_is_an_object() {
    let offered = schema("$0\n");
    check_first(&offered, &["type", "properties"]);
    check_none_of(&offered, &["list …", "string …", "integer …"]);
    let property = "properties:\n  a:\n    $0\n";
    check_first(&schema(property), &["type", "string …", "integer …", "object …"]);
    check_first(&schema(&property.replace("$0", "i$0")), &["integer …"]);
    check_first(&spec("  names:\n    plural: policies\n    kind: $0\n"), &["Policy"]);
    let status = spec("  versions:\n  - name: v1\n    subresources:\n      st$0\n").taken("status");
    assert!(status.ends_with("      status: {}$0\n"), "{status}");
}

#[test]
fn definitions_in_lists_are_definitions() {
    let list = |lines: &str| {
        let item: String = format!("{HEAD}{lines}")
            .lines()
            .flat_map(|it| ["  ", it, "\n"])
            .collect();
        at(&format!("apiVersion: v1\nkind: List\nitems:\n-{}", &item[1..]))
    };
    let names = list("metadata:\n  name: $0\nspec:\n  group: example.com\n  names: {plural: widgets}\n");
    assert_eq!(names.labels(), ["widgets.example.com"]);
    let column = list(
        "spec:\n  versions:\n  - name: v1\n    additionalPrinterColumns:\n    - jsonPath: .spec.$0\n    schema:\n      openAPIV3Schema:\n        \
         properties: {spec: {type: object, properties: {size: {type: integer}}}}\n",
    );
    assert_eq!(column.labels(), [".spec.size"]);
    let other = list(
        "spec:\n  versions:\n  - name: v1\n    schema: {openAPIV3Schema: {properties: {size: {type: integer}}}}\n  - name: v2\n    \
         schema: {openAPIV3Schema: {properties: {s$0}}}\n",
    );
    check_first(&other, &["size"]);
}

#[test]
fn what_people_write_next_comes_first() {
    let rules = "x-kubernetes-validations:\n";
    check_first(&schema(&format!("{rules}- $0\n")), &["rule …", "message", "rule"]);
    check_first(&schema(&format!("{rules}- r$0\n")), &["rule …", "rule"]);
    check_first(&schema(&format!("{rules}- message: no\n  $0\n")), &["rule"]);
    let property = |text: &str| schema(&format!("properties:\n  a:\n    {text}\n"));
    check_first(
        &property("description: How.\n    format: int64\n    m$0"),
        &["minimum", "maximum"],
    );
    check_first(&property("properties: {}\n    type: $0"), &["object"]);
    check_first(&property("items: {type: string}\n    type: $0"), &["array"]);
    check_first(&property("type: object\n    x-$0"), &["x-kubernetes-validations"]);
}

#[test]
fn nothing_is_offered_where_text_of_the_same_value_follows() {
    let text = |name: &str| format!("{HEAD}metadata:\n  name: {name}\nspec:\n  group: x.io\n  names: {{plural: as}}\n");
    check_first(&at(&text("as$0")), &["as.x.io"]);
    assert_eq!(at(&text("as$0.x.io")).labels(), Vec::<&str>::new());
    assert_eq!(at(&text("'as$0.x.io'")).labels(), Vec::<&str>::new());
    check_first(&at(&text("'as$0'")), &["as.x.io"]);
    // YAML parses all lines as one scalar.
    check_first(&schema("requ$0\n- a\n- b\n"), &["required"]);
}

#[test]
fn what_stands_behind_a_key_counts() {
    check_first(&schema("properties:\n  a:\n    $0: string\n"), &["type"]);
    check_first(
        &schema("properties:\n  a:\n    type: object\n    $0:\n      x:\n        type: string\n"),
        &["properties"],
    );
    check_first(
        &schema("properties:\n  a:\n    type: object\n    $0:\n      type: string\n"),
        &["additionalProperties"],
    );
    check_first(
        &schema("properties:\n  a:\n    type: string\n    $0: Some words of prose.\n"),
        &["description"],
    );
    check_first(
        &schema("properties:\n  a:\n    type: object\n    $0:\n    - rule: self.x\n"),
        &["x-kubernetes-validations"],
    );
    check_first(
        &schema("properties:\n  a:\n    type: string\n    $0: ^a$\n"),
        &["pattern"],
    );
}

#[test]
fn whole_nodes_are_indented_as_the_place_is() {
    let list = schema("properties:\n  a:\n    $0\n").taken("list …");
    assert!(
        list.ends_with("          a:\n            type: array\n            maxItems: ${1:64}\n            items:\n              type: ${2|string,integer,boolean,object|}\n"),
        "{list}"
    );
    let rule = schema("x-kubernetes-validations:\n- $0\n").taken("rule …");
    assert!(
        rule.ends_with("        - rule: ${1:self}\n          message: ${2:must be …}\n"),
        "{rule}"
    );
    let version = spec("  versions: $0\n");
    check_none_of(&version, &["version …"]);
    let missing = spec("  $0\n").taken("required fields");
    assert!(
        missing.ends_with(
            "spec:\n  group: ${1}\n  names:\n    ${2}\n  scope: ${3|Namespaced,Cluster|}\n  versions:\n  - ${4}\n"
        ),
        "{missing}"
    );
}

#[test]
fn a_default_is_written_by_its_own_schema() {
    const FIELDS: &str =
        "type: object\nproperties:\n  mode:\n    type: string\n    enum: [Fast, Safe]\n  size:\n    type: integer\n";
    for keyword in ["default", "example"] {
        check_first(&schema(&format!("{FIELDS}{keyword}:\n  $0\n")), &["mode", "size"]);
        check_first(&schema(&format!("{FIELDS}{keyword}:\n  size: 1\n  m$0\n")), &["mode"]);
        check_first(&schema(&format!("{FIELDS}{keyword}:\n  mode: $0\n")), &["Fast", "Safe"]);
        check_first(&schema(&format!("{FIELDS}{keyword}: {{mode: Fast, $0}}\n")), &["size"]);
    }
    let list = "type: array\nitems:\n  type: object\n  properties:\n    kind:\n      type: string\n";
    check_first(&schema(&format!("{list}default:\n- $0\n")), &["kind"]);
    check_first(&schema(&format!("{list}default:\n- k$0\n")), &["kind"]);
}

#[test]
fn the_version_before_v1_has_keys_of_its_own() {
    let old = |lines: &str| {
        at(&format!(
            "{}spec:\n  group: example.com\n{lines}",
            HEAD.replace("/v1", "/v1beta1")
        ))
    };
    check_first(&old("  val$0\n"), &["validation"]);
    check_first(
        &old("  validation:\n    openAPIV3Schema:\n      type: object\n      pro$0\n"),
        &["properties"],
    );
    check_first(
        &old("  additionalPrinterColumns:\n  - name: Size\n    J$0\n"),
        &["JSONPath"],
    );
    check_first(
        &old("  conversion:\n    strategy: Webhook\n    web$0\n"),
        &["webhookClientConfig"],
    );
    check_none_of(&spec("  $0\n"), &["validation", "version"]);
}

#[test]
fn items_of_a_list_are_definitions_too() {
    let item = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: apiextensions.k8s.io/v1\n  kind: CustomResourceDefinition\n  spec:\n    group: example.com\n";
    check_first(&at(&format!("{item}    sc$0\n")), &["scope"]);
    check_first(
        &at(&format!(
            "{item}    versions:\n    - schema:\n        openAPIV3Schema:\n          ty$0\n"
        )),
        &["type"],
    );
}
