//! Evaluates requests from lines of JSON, and writes the answers as lines of JSON, in the format of `eval` in ORACLE.

use crd_analyzer_apiextensions::decode::decode_schema;
use crd_analyzer_cel::value::Value as CelValue;
use crd_analyzer_schema::cel_types::decl_type;
use crd_analyzer_schema::field::Path;
use crd_analyzer_schema::rules::run::{PER_CALL_LIMIT, RUNTIME_BUDGET, Validator, ValueBinder};
use crd_analyzer_schema::rules::{ExpressionSet, compile};
use crd_analyzer_schema::structural::Structural;
use crd_analyzer_schema::{KubernetesVersion, ValidationRule};
use crd_analyzer_syntax::read_json;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::documents::text::Text;

#[derive(Deserialize, Default)]
#[serde(default)]
struct Request {
    id: String,
    schema: Value,
    rule: String,
    #[serde(rename = "messageExpression")]
    message_expression: String,
    #[serde(rename = "optionalOldSelf")]
    optional_old_self: Option<bool>,
    stored: bool,
    root: bool,
}

/// The answer to a request.
#[derive(Serialize, Default)]
struct Answer {
    #[serde(skip_serializing_if = "String::is_empty")]
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_error: Option<String>,
    compile_error: Option<String>,
    cost_estimate: u64,
    max_cardinality: u64,
    uses_old_self: bool,
    result: Option<bool>,
    eval_error: Option<String>,
    actual_cost: Option<u64>,
    message_expression_error: Option<String>,
    message_expression_cost: u64,
    message: Option<String>,
    errors: Option<Vec<String>>,
}

/// Answers a line `{"id", "schema", "rule", "messageExpression", "optionalOldSelf", "self", "oldSelf", "stored", "root"}` with a line of JSON. If the
/// request itself is wrong, the error is in `request_error`.
pub fn answer(line: &str, version: KubernetesVersion) -> String {
    let mut answer = Answer::default();
    if let Err(why) = judge(line, version, &mut answer) {
        answer.request_error = Some(why);
    }
    serde_json::to_string(&answer).unwrap_or_default()
}

fn judge(line: &str, version: KubernetesVersion, answer: &mut Answer) -> Result<(), String> {
    let whole: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    // A value of null is different from a missing value.
    let this = whole.get("self").cloned();
    let old = whole.get("oldSelf").cloned();
    let request: Request = serde_json::from_value(whole).map_err(|error| error.to_string())?;
    answer.id.clone_from(&request.id);
    let text = Text::decode(request.schema.to_string().into_bytes());
    let document = text.documents().documents.first();
    let tree = text
        .read(*document.ok_or("no schema")?)
        .map_err(|error| error.message)?;
    let json = read_json(&tree).map_err(|error| error.message)?;
    let mut schema =
        decode_schema(json.root().ok_or("no schema")?, version).map_err(|failure| failure.cause.to_string())?;
    schema.x_validations = vec![ValidationRule {
        rule: request.rule,
        message_expression: request.message_expression,
        optional_old_self: request.optional_old_self,
        ..ValidationRule::default()
    }];
    let structural = Structural::new(&schema).map_err(|error| error.to_string())?;
    let ty = decl_type(structural, request.root, version).ok_or("the schema has no CEL type")?;
    let set = if request.stored {
        ExpressionSet::Stored
    } else {
        ExpressionSet::New
    };
    let compiled = compile(&ty, &schema.x_validations, version, |_, _| set);
    let [compiled] = compiled.as_slice() else {
        return Err(format!("{} rules compiled", compiled.len()));
    };
    answer.cost_estimate = compiled.max_cost();
    answer.max_cardinality = compiled.max_cardinality;
    answer.uses_old_self = compiled.uses_old_self;
    match &compiled.message {
        Some(Ok(message)) => answer.message_expression_cost = message.max_cost,
        Some(Err(error)) => answer.message_expression_error = Some(error.detail.clone()),
        None => {}
    }
    if let Some(error) = &compiled.error {
        answer.compile_error = Some(error.detail.clone());
        return Ok(());
    }
    let Some(this) = this else { return Ok(()) };
    let is_optional = request.optional_old_self == Some(true);
    let can_run = !compiled.uses_old_self || old.is_some() || is_optional;
    if let Some(rule) = compiled.rule.as_ref().filter(|_| can_run) {
        let place = ValueBinder::new(structural, false, version);
        let variables = super::bind(|it| place.value(it), &this, old.as_ref(), is_optional);
        let ran = rule.program.eval(&variables, Some(PER_CALL_LIMIT));
        answer.actual_cost = Some(ran.cost);
        match ran.result {
            Ok(CelValue::Bool(result)) => answer.result = Some(result),
            Ok(_) => {}
            Err(error) => answer.eval_error = Some(error.message().to_owned()),
        }
        if let (Some(Ok(message)), Some(false)) = (&compiled.message, answer.result)
            && let Ok(CelValue::String(text)) = message.program.eval(&variables, Some(PER_CALL_LIMIT)).result
        {
            answer.message = Some(text.to_string());
        }
    }
    let validator = Validator::new(structural, request.root, version);
    let (errors, _) = validator.validate(&Path::of(["self"]), &this, old.as_ref(), RUNTIME_BUDGET);
    let errors: Vec<_> = errors.iter().map(ToString::to_string).collect();
    answer.errors = (!errors.is_empty()).then_some(errors);
    Ok(())
}
