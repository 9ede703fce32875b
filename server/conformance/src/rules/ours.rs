//! Our answers, in the format of the oracle's `eval`.

use std::fmt::Write as _;

use anyhow::Context as _;
use crd_analyzer_apiextensions::decode::{Written, decode};
use crd_analyzer_cel::decls::ExpressionSet;
use crd_analyzer_cel::value::Value as Cel;
use crd_analyzer_schema::cel_types::decl_type;
use crd_analyzer_schema::field::Path;
use crd_analyzer_schema::rules::run::{Bindings, PER_CALL_LIMIT, RUNTIME_BUDGET, Validator, ValueBinder};
use crd_analyzer_schema::rules::{CompiledRule, compile};
use crd_analyzer_schema::structural::Structural;
use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion};
use crd_analyzer_syntax::tree::Span;
use serde_json::{Value, json};

/// Parses a schema from JSON, inside a CRD.
pub(super) fn schema_of(schema: &Value, version: KubernetesVersion) -> anyhow::Result<JsonSchemaProps> {
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "spec": {"versions": [{"name": "v1", "schema": {"openAPIV3Schema": schema}}]},
    });
    let text = in_ascii(&definition);
    let span = Span::new(0, text.len() as u32);
    let tree = crd_analyzer_syntax::read(&text.into(), span).map_err(|error| anyhow::anyhow!("{error:?}"))?;
    let json = crd_analyzer_syntax::json::read_json(&tree).map_err(|error| anyhow::anyhow!("{error:?}"))?;
    let decoded = decode(json.root(), version).map_err(|refused| anyhow::anyhow!("{refused:?}"))?;
    let Written::V1(definition) = decoded.definition else {
        anyhow::bail!("not a definition of v1");
    };
    let version = definition.spec.versions.into_iter().next();
    version
        .and_then(|it| it.schema)
        .and_then(|it| it.open_api_v3_schema)
        .context("no schema")
}

/// A value as YAML in ASCII. Characters outside of ASCII are escaped, because some have to be.
fn in_ascii(value: &Value) -> String {
    let mut text = String::new();
    for c in value.to_string().chars() {
        if (' '..='~').contains(&c) {
            text.push(c);
        } else {
            let _ = write!(text, "\\U{:08x}", u32::from(c));
        }
    }
    text
}

/// The JSON pointers of all schemas inside a schema.
pub(super) fn nodes(schema: &Value, at: &mut String, places: &mut Vec<String>) {
    places.push(at.clone());
    let length = at.len();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let _ = write!(at, "/properties/{}", name.replace('~', "~0").replace('/', "~1"));
        nodes(property, at, places);
        at.truncate(length);
    }
    for keyword in ["items", "additionalProperties"] {
        if schema[keyword].is_object() {
            let _ = write!(at, "/{keyword}");
            nodes(&schema[keyword], at, places);
            at.truncate(length);
        }
    }
}

/// Compiles the rule of a request, estimates its cost and runs it.
pub(super) fn answer(request: &Value, version: KubernetesVersion) -> anyhow::Result<Value> {
    let mut with_rule = request["schema"].clone();
    let mut rule = json!({"rule": request["rule"]});
    for field in ["messageExpression", "optionalOldSelf"] {
        if !request[field].is_null() {
            rule[field] = request[field].clone();
        }
    }
    with_rule["x-kubernetes-validations"] = json!([rule]);
    let props = schema_of(&with_rule, version)?;
    let schema = Structural::assume(&props);
    let root = request["root"] == true;
    let ty = decl_type(schema, root, version).context("the schema has no CEL type")?;
    let set = if request["stored"] == true {
        ExpressionSet::Stored
    } else {
        ExpressionSet::New
    };
    let mut compiled = compile(&ty, &props.x_validations, version, |_, _| set);
    let compiled = compiled.pop().context("one rule")?;
    let message = compiled.message.as_ref();
    let mut answer = json!({
        "crashes": crashes(&compiled),
        "compile_error": compiled.error.as_ref().map(|it| &it.detail),
        "cost_estimate": compiled.max_cost(),
        "max_cardinality": compiled.max_cardinality,
        "uses_old_self": compiled.uses_old_self,
        "message_expression_cost": message.and_then(|it| it.as_ref().ok()).map_or(0, |it| it.max_cost),
        "message_expression_error": message.and_then(|it| it.as_ref().err()).map(|it| &it.detail),
    });
    if compiled.error.is_none() && request.get("self").is_some() {
        if below_crash(&request["schema"], version)? {
            answer["crashes"] = true.into();
        }
        run(&compiled, schema, request, version, &mut answer);
        let old = request.get("oldSelf");
        let validator = Validator::new(schema, root, version);
        let (errors, _) = validator.validate(&Path::of(["self"]), &request["self"], old, RUNTIME_BUDGET);
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        if !errors.is_empty() {
            answer["errors"] = json!(errors);
        }
    }
    Ok(answer)
}

/// Whether a rule in a nested schema crashes the API server, which compiles all rules before it checks a value.
fn below_crash(schema: &Value, version: KubernetesVersion) -> anyhow::Result<bool> {
    let mut places = Vec::new();
    nodes(schema, &mut String::new(), &mut places);
    for place in &places {
        let Some(node) = schema.pointer(place) else { continue };
        let mut rules = vec![(node, &node["x-kubernetes-validations"])];
        // In junctors, the API server only compiles rules in `allOf`, since 1.31.
        for inner in node["allOf"]
            .as_array()
            .filter(|_| version.number() >= 31)
            .into_iter()
            .flatten()
        {
            rules.push((node, &inner["x-kubernetes-validations"]));
            for (name, property) in inner["properties"].as_object().into_iter().flatten() {
                rules.push((&node["properties"][name], &property["x-kubernetes-validations"]));
            }
        }
        for (node, rules) in rules {
            if !rules.is_array() {
                continue;
            }
            let mut alone = node.clone();
            alone["x-kubernetes-validations"] = rules.clone();
            let props = schema_of(&alone, version)?;
            let Some(ty) = decl_type(Structural::assume(&props), false, version) else {
                continue;
            };
            let compiled = compile(&ty, &props.x_validations, version, |_, _| ExpressionSet::Stored);
            if compiled.iter().any(crashes) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

fn crashes(rule: &CompiledRule) -> bool {
    rule.error.as_ref().is_some_and(|it| it.crashes)
        || rule
            .message
            .as_ref()
            .is_some_and(|it| it.as_ref().is_err_and(|it| it.crashes))
}

fn run(
    compiled: &CompiledRule,
    schema: Structural<'_>,
    request: &Value,
    version: KubernetesVersion,
    answer: &mut Value,
) {
    let Some(rule) = &compiled.rule else { return };
    let place = ValueBinder::new(schema, false, version);
    let mut bindings = Bindings::new(place.value(&request["self"]));
    let old = request.get("oldSelf");
    if compiled.uses_old_self {
        let is_optional = request["optionalOldSelf"] == true;
        if is_optional {
            bindings = bindings.with_optional_old(old.filter(|it| !it.is_null()).map(|it| place.value(it)));
        } else if let Some(old) = old {
            bindings = bindings.with_old(Some(place.value(old)));
        } else {
            return;
        }
    }
    let outcome = rule.program.eval(&bindings, Some(PER_CALL_LIMIT));
    answer["actual_cost"] = outcome.cost.into();
    match outcome.result {
        Ok(Cel::Bool(holds)) => {
            answer["result"] = holds.into();
            if let (false, Some(Ok(message))) = (holds, &compiled.message)
                && let Ok(Cel::String(text)) = message.program.eval(&bindings, Some(PER_CALL_LIMIT)).result
            {
                answer["message"] = json!(&*text);
            }
        }
        Ok(_) => {}
        Err(error) => answer["eval_error"] = error.message().into(),
    }
}
