//! Kubernetes' test tables for individual functions of the package.

use std::sync::Arc;

use crd_analyzer_fixtures::tables;
use crd_analyzer_schema::field::{Error, Path};
use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion, ValidationRule};
use crd_analyzer_syntax::json::read_json;
use crd_analyzer_syntax::tree::Span;
use serde_json::{Value, json};

use super::cel::{CelContext, TotalCost};
use super::options::{Options, SchemaQuestion};
use super::preexisting::Preexisting;
use super::root_schema::validate_schema;
use super::traverse::has_default;
use super::version::deprecation_warning_errors;
use super::{CelCompiler, CrdErrors, validate_stored_versions, validate_update};
use crate::defaults::set_defaults;
use crate::internal::from_v1;
use crate::types::{CustomResourceDefinition, Status, Validation, v1};

const VERSION: KubernetesVersion = KubernetesVersion::minor(37);

/// The cases of one kind in a test table.
fn cases(name: &str, kind: &str) -> Vec<Value> {
    let cases = tables::cases(name).into_iter();
    cases.filter(|case| case["kind"] == kind).collect()
}

fn decode(definition: &Value) -> v1::CustomResourceDefinition {
    let text: Arc<str> = Arc::from(definition.to_string());
    let tree = crd_analyzer_syntax::read(&text, Span::new(0, text.len() as u32)).expect("it is YAML");
    let document = read_json(&tree).expect("it is JSON");
    match crate::decode::decode(document.root(), VERSION)
        .expect("it decodes")
        .definition
    {
        crate::decode::Written::V1(definition) => *definition,
        crate::decode::Written::V1beta1(_) => panic!("it names v1"),
    }
}

/// A CRD with these versions, without defaulting and conversion.
fn definition(versions: &Value) -> CustomResourceDefinition {
    let decoded = decode(&json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "spec": {"versions": versions},
    }));
    let mut definition = CustomResourceDefinition::default();
    definition.spec.versions = decoded.spec.versions;
    definition
}

fn validation(schema: &Value) -> Validation {
    let definition = definition(&json!([{"name": "v1", "schema": {"openAPIV3Schema": schema}}]));
    let mut versions = definition.spec.versions.into_iter();
    versions
        .next()
        .and_then(|it| it.schema)
        .expect("the version has a schema")
}

/// The errors as `type field: detail`, sorted.
fn lines(errors: &[Error]) -> Vec<String> {
    let mut lines: Vec<String> = errors
        .iter()
        .map(|it| format!("{} {}: {}", it.kind.reason(), it.path, it.detail))
        .collect();
    lines.sort_unstable();
    lines
}

fn expected(errors: &Value) -> Vec<String> {
    let text = |error: &Value, name: &str| error[name].as_str().unwrap_or_default().to_owned();
    let errors = errors.as_array().into_iter().flatten();
    let mut lines: Vec<String> = errors
        .map(|it| format!("{} {}: {}", text(it, "type"), text(it, "field"), text(it, "detail")))
        .collect();
    lines.sort_unstable();
    lines
}

#[test]
#[ignore = "needs the test tables of the Kubernetes and cel-go projects"]
fn schemas_of_the_kubernetes_tables() {
    for case in cases("crd_schema", "crd-schema") {
        let input = &case["input"];
        let option = |name: &str| input["options"][name].as_bool().unwrap_or_default();
        let validation = validation(&input["validation"]["openAPIV3Schema"]);
        let has_default = validation.open_api_v3_schema.as_ref().is_some_and(has_default);
        // The API server always allows defaults, so cases that forbid them are skipped. Cases that run rules on defaults are skipped too.
        let runs_rules = case["actual"]["errors"].to_string().contains("failed rule: ");
        // One test emulates an environment before 1.30.
        let is_older = case["case"].as_str().is_some_and(|it| it.contains("before v1.30"));
        if has_default && !option("allowDefaults") || runs_rules || is_older {
            continue;
        }
        let compiler = CelCompiler::new(VERSION);
        let options = Options {
            require_valid_property_type: option("requireValidPropertyType"),
            require_pruned_defaults: option("requirePrunedDefaults"),
            require_atomic_set_type: option("requireAtomicSetType"),
            require_map_list_keys_map_set_validation: option("requireMapListKeysMapSetValidation"),
            ..Options::create(VERSION, Some(&compiler))
        };
        let question = SchemaQuestion {
            has_status: input["status_subresource"].as_bool().unwrap_or_default(),
            require_structural_schema: option("requireStructuralSchema"),
            suppress_expression_cost: option("suppressPerExpressionCost"),
        };
        let mut findings = CrdErrors::default();
        let path = Path::of(["spec", "validation"]);
        validate_schema(Some(&validation), question, &options, &path, &mut findings);
        assert_eq!(
            lines(&findings.errors),
            expected(&case["actual"]["errors"]),
            "{}",
            case["id"]
        );
    }
}

/// Tests only the update function, with CRDs that v1 can represent exactly.
#[test]
#[ignore = "needs the test tables of the Kubernetes and cel-go projects"]
fn updates_of_the_kubernetes_tables() {
    for case in cases("crd_update", "crd-update") {
        if case["flags"].to_string().contains("not-exact-in-v1") || case["flags"].to_string().contains("options") {
            continue;
        }
        let internal = |name: &str| {
            let mut definition = decode(&case["input"][name]);
            set_defaults(&mut definition);
            from_v1(definition).0
        };
        let compiler = CelCompiler::new(VERSION);
        let findings = validate_update(&internal("crd"), &internal("old_crd"), VERSION, Some(&compiler));
        assert_eq!(
            lines(&findings.errors),
            expected(&case["actual"]["errors"]),
            "{}",
            case["id"]
        );
    }
}

#[test]
#[ignore = "needs the test tables of the Kubernetes and cel-go projects"]
fn deprecation_warnings_of_the_kubernetes_tables() {
    for case in cases("crd_misc", "deprecation-warning") {
        let input = &case["input"];
        // A document cannot represent a missing warning.
        let Some(warning) = input["warning"].as_str() else {
            continue;
        };
        let is_deprecated = input["deprecated"].as_bool().unwrap_or_default();
        let errors = deprecation_warning_errors(is_deprecated, warning);
        let messages: Vec<Value> = errors.into_iter().map(|(detail, ..)| Value::from(detail)).collect();
        assert_eq!(Value::from(messages), case["actual"]["messages"], "{}", case["id"]);
    }
}

#[test]
#[ignore = "needs the test tables of the Kubernetes and cel-go projects"]
fn stored_versions_of_the_kubernetes_tables() {
    for case in cases("crd_misc", "stored-versions") {
        let input = &case["input"];
        let stored = input["stored_versions"].as_array().into_iter().flatten();
        let status = Status {
            stored_versions: stored.filter_map(Value::as_str).map(str::to_owned).collect(),
            ..Status::default()
        };
        let versions = definition(&input["versions"]).spec.versions;
        let mut errors = Vec::new();
        validate_stored_versions(&status, &versions, &Path::of(["status"]), VERSION, &mut errors);
        assert_eq!(lines(&errors), expected(&case["actual"]["errors"]), "{}", case["id"]);
    }
}

/// The cardinality at the end of a chain. Each context borrows its parent, so this function is recursive.
fn last_cardinality<'s>(
    context: &CelContext<'_, 's>,
    rest: &mut dyn Iterator<Item = &'s JsonSchemaProps>,
) -> Option<u64> {
    match rest.next() {
        Some(schema) => last_cardinality(&context.items(schema), rest),
        None => context.max_cardinality(),
    }
}

#[test]
#[ignore = "needs the test tables of the Kubernetes and cel-go projects"]
fn cardinalities_of_the_kubernetes_tables() {
    for case in cases("crd_misc", "max-cardinality") {
        let schemas = case["input"]["schema_chain"].as_array().into_iter().flatten();
        let schemas: Vec<Validation> = schemas.map(validation).collect();
        let then = validation(&case["input"]["then"]);
        let mut rest = schemas
            .iter()
            .chain([&then])
            .filter_map(|it| it.open_api_v3_schema.as_ref());
        let compiler = CelCompiler::new(VERSION);
        let root = CelContext::root(&compiler, rest.next().expect("the chain has a root"));
        let expected = case["expect"]["max_cardinality"].as_u64();
        assert_eq!(last_cardinality(&root, &mut rest), expected, "{}", case["id"]);
    }
}

#[test]
fn the_same_rules_on_other_types_are_compiled_anew() {
    let compiler = CelCompiler::new(VERSION);
    let rules = [ValidationRule {
        rule: "self.x == 'a'".to_owned(),
        ..ValidationRule::default()
    }];
    for (ty, compiles) in [
        ("string", true),
        ("integer", false),
        ("string", true),
        ("integer", false),
    ] {
        let schema = validation(&json!({ "type": "object", "properties": { "x": { "type": ty } } }));
        let schema = schema.open_api_v3_schema.expect("a schema");
        let types = compiler.types(&schema, false).expect("types");
        let compiled = types.compile(&rules, &Preexisting::default()).expect("rules");
        let found: Vec<bool> = compiled.iter().map(|it| it.error.is_none()).collect();
        assert_eq!(found, [compiles], "{ty}");
    }
}

#[test]
#[ignore = "needs the test tables of the Kubernetes and cel-go projects"]
fn total_costs_of_the_kubernetes_tables() {
    for case in cases("crd_misc", "crd-total-cost") {
        let mut total = TotalCost::default();
        for cost in case["input"]["costs"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_u64)
        {
            total.observe(Path::root, cost);
        }
        let (sum, most_expensive) = total.parts();
        assert_eq!(Some(sum), case["expect"]["total"].as_u64(), "{}", case["id"]);
        let expected = case["expect"]["most_expensive"].as_array().into_iter().flatten();
        let expected: Vec<u64> = expected.filter_map(Value::as_u64).collect();
        assert_eq!(most_expensive, expected, "{}", case["id"]);
    }
}
