//! Values of `enum` that are never accepted.

use crd_analyzer_diagnostic::{Change, Proposal, Words, text::clip};
use crd_analyzer_schema::{
    JsonSchemaProps,
    field::{Error, Path},
    validation::Validator,
};
use serde_json::Value;

use crate::{Cause, Check, Lint, SchemaAt, Sink, Told};

pub(super) const LINT: Lint = Lint::new(
    "impossible-enum-value",
    "A value of `enum` does not satisfy the other keywords of its schema.",
    include_str!("../../codes/impossible-enum-value.md"),
    Check::Schema(check),
)
.field("enum")
.group("enum");

/// The maximum length of an `enum` to check.
const MOST_VALUES: usize = 1_000;

/// The value of `enum` that the schema never accepts.
#[derive(Debug)]
struct ImpossibleEnumValue {
    value: Value,
    /// The API server's error.
    error: Error,
    /// Whether the value is the only one in `enum`.
    is_only: bool,
    /// All values, if they are strings and were meant for the items of a list.
    of_items: Option<Vec<String>>,
}

/// Finds values of `enum` that the other keywords of the schema reject.
fn check(schema: &SchemaAt<'_>, sink: &mut Sink<'_, '_>) {
    let (props, values) = (schema.props, &schema.props.r#enum);
    if values.is_empty() || values.len() > MOST_VALUES || !is_limited(props) {
        return;
    }
    let text = |it: &Value| it.as_str().map(str::to_owned);
    let of_items: Option<Vec<String>> = values.iter().map(text).collect();
    let mut of_items = of_items.filter(|_| props.r#type == "array" && props.items.is_some());
    // Each value satisfies `enum` itself, so any errors come from other keywords.
    let validator = Validator::new(props, schema.version);
    for (n, value) in values.iter().enumerate() {
        if let Some(error) = validator.validate(&Path::root(), value).into_iter().next() {
            let cause = ImpossibleEnumValue {
                value: value.clone(),
                error,
                is_only: values.len() == 1,
                of_items: of_items.take(),
            };
            let is_of_items = cause.of_items.is_some();
            sink.add(schema.at.child("enum").path().index(n), cause);
            // The other values have the same mistake.
            if is_of_items {
                return;
            }
        }
    }
}

/// Whether the schema restricts its values apart from `enum`. Of the values of objects and lists, only the type is checked, because their schemas are
/// large. A type that does not exist is an error itself, and says nothing about the values.
fn is_limited(schema: &JsonSchemaProps) -> bool {
    match schema.r#type.as_str() {
        "string" if schema.r#enum.iter().all(Value::is_string) => has_limits(schema),
        "string" | "integer" | "number" | "boolean" => true,
        "array" => !schema.r#enum.iter().all(Value::is_array),
        "object" => !schema.r#enum.iter().all(Value::is_object),
        _ => false,
    }
}

/// Whether a schema of strings restricts these strings.
fn has_limits(schema: &JsonSchemaProps) -> bool {
    let junctors = [&schema.all_of, &schema.any_of, &schema.one_of];
    !schema.pattern.is_empty()
        || !schema.format.is_empty()
        || schema.max_length.is_some()
        || schema.min_length.is_some()
        || schema.not.is_some()
        || junctors.into_iter().any(|it| !it.is_empty())
}

impl Cause for ImpossibleEnumValue {
    fn tell(&self, place: &Path) -> Told {
        let value = clip(&self.value.to_string(), 40);
        let words = Words::new(format!("`enum` lists `{value}`, which its own schema rejects"))
            .label("never valid")
            .help(match self.value {
                _ if self.of_items.is_some() => {
                    "move `enum` into `items`, in Go as `+kubebuilder:validation:items:Enum`: it lists values of the items"
                }
                serde_json::Value::Bool(_) => {
                    "put it in quotes if it is a string: YAML reads words such as `on` and `no` as booleans"
                }
                _ => "remove it, or change the keyword that rejects it",
            })
            .note(format!("the API server reports for this value: {}", self.error.body()));
        if let Some(values) = &self.of_items {
            let mut list = place.clone();
            list.pop();
            let mut of_items = list.clone();
            of_items.pop();
            let set = Change::Set(
                of_items.child("items").child("enum"),
                crd_analyzer_diagnostic::Value::List(values.clone()),
            );
            let mut fix = Proposal::new("Move enum into items", set);
            fix.changes.push(Change::Remove(list));
            return Told::from(words).propose(Some(fix));
        }
        let fix = || Proposal::new("Remove the item", Change::Remove(place.clone()));
        Told::from(words).propose((!self.is_only).then(fix))
    }
}
