//! Our answers, in the form of the oracle's `eval`.

use anyhow::Context as _;
use crd_analyzer_apiextensions::decode::{Written, decode};
use crd_analyzer_cel::decls::ExpressionSet;
use crd_analyzer_cel::value::Value as Cel;
use crd_analyzer_schema::field::Path;
use crd_analyzer_schema::rules::run::{Bindings, PER_CALL_LIMIT, Place, RUNTIME_BUDGET, Validator};
use crd_analyzer_schema::rules::{CompiledRule, NodeTypes, compile};
use crd_analyzer_schema::structural::Structural;
use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion};
use crd_analyzer_syntax::tree::Span;
use serde_json::{Value, json};

/// A schema from its JSON, by way of a definition around it.
pub(super) fn schema_of(schema: &Value, version: KubernetesVersion) -> anyhow::Result<JsonSchemaProps> {
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "spec": {"versions": [{"name": "v1", "schema": {"openAPIV3Schema": schema}}]},
    });
    let text = definition.to_string().into();
    let span = Span::new(0, definition.to_string().len() as u32);
    let tree = crd_analyzer_syntax::read(&text, span).map_err(|error| anyhow::anyhow!("{error:?}"))?;
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

/// Compiles, prices and runs the rule of a request.
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
    let types = NodeTypes::new(schema, root, version).context("the schema has no CEL type")?;
    let set = if request["stored"] == true {
        ExpressionSet::Stored
    } else {
        ExpressionSet::New
    };
    let mut compiled = compile(&types, &props.x_validations, version, |_, _| set);
    let compiled = compiled.pop().context("one rule")?;
    let message = compiled.message.as_ref();
    let mut answer = json!({
        "crashes": compiled.error.as_ref().is_some_and(|it| it.crashes)
            || message.is_some_and(|it| it.as_ref().is_err_and(|it| it.crashes)),
        "compile_error": compiled.error.as_ref().map(|it| &it.detail),
        "cost_estimate": compiled.rule.as_ref().map_or(0, |it| it.max_cost),
        "max_cardinality": compiled.max_cardinality,
        "uses_old_self": compiled.uses_old_self,
        "message_expression_cost": message.and_then(|it| it.as_ref().ok()).map_or(0, |it| it.max_cost),
        "message_expression_error": message.and_then(|it| it.as_ref().err()).map(|it| &it.detail),
    });
    if compiled.rule.is_some() && request.get("self").is_some() {
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

fn run(
    compiled: &CompiledRule,
    schema: Structural<'_>,
    request: &Value,
    version: KubernetesVersion,
    answer: &mut Value,
) {
    let Some(rule) = &compiled.rule else { return };
    let place = Place::new(schema, false, version);
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
