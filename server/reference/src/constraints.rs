//! The constraints of a schema that `kubectl explain` does not print: keywords and validation rules.

use std::fmt;

use crd_analyzer_cel::{
    ast::Source,
    parser::{TokenClass, tokens},
    types::escape,
};
use crd_analyzer_schema::go;
use serde_json::{Value, json};

use crate::schema::{Below, Keywords, all_of, find, inner, reference, resolved, text};

/// Keywords that are shown elsewhere: by `kubectl explain`, as rules, or as fields.
const SHOWN_OTHERWISE: &[&str] = &[
    "$ref",
    "additionalProperties",
    "description",
    "enum",
    "example",
    "externalDocs",
    "items",
    "properties",
    "required",
    "title",
    "type",
    "x-kubernetes-group-version-kind",
    "x-kubernetes-validations",
];

/// The values of a field to which a constraint applies: the value itself, or each list item or map value inside it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Scope(Vec<Below>);

impl Scope {
    /// Whether the constraint applies to the value of the field itself.
    pub fn is_whole(&self) -> bool {
        self.0.is_empty()
    }
}

/// Formats the scope, for example `each item of each value`.
impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, below) in self.0.iter().rev().enumerate() {
            f.write_str(if n > 0 { " of " } else { "" })?;
            f.write_str(match below {
                Below::Items => "each item",
                Below::Values => "each value",
            })?;
        }
        Ok(())
    }
}

/// A keyword with its value.
#[derive(Clone, PartialEq, Debug)]
pub struct Constraint {
    /// The values to which the keyword applies.
    pub scope: Scope,
    /// The keyword, as published.
    pub keyword: String,
    /// The value of the keyword as JSON on one line. A string has no quotes.
    pub value: String,
}

/// A validation rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    /// The values to which the rule applies.
    pub scope: Scope,
    /// The expression.
    pub expression: String,
    /// The API server's message if the rule fails: `message` or, if it is absent, the expression that computes the message.
    pub message: Option<Message>,
    /// `fieldPath`: the field that the API server names if the rule fails.
    pub field_path: Option<String>,
    /// Whether the rule uses the value before an update (`oldSelf`).
    pub is_transition: bool,
    /// `optionalOldSelf`: whether the rule also runs on creation, without an old value.
    pub is_run_on_create: bool,
}

/// The message of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Message {
    /// A fixed string.
    Text(String),
    /// An expression that computes the message.
    Expression(String),
}

/// The keywords of a field. The keywords of the field's own value come first.
pub fn constraints(schema: &Value) -> Vec<Constraint> {
    let mut found = Vec::new();
    each_scope(schema, &mut |scope, schema| {
        for (keyword, value) in schema {
            let is_reference = keyword == "allOf" && all_of(schema).any(|it| reference(it).is_some());
            let is_spelled_out = keyword == "anyOf" && *value == json!([{"type": "integer"}, {"type": "string"}]);
            let is_shown = SHOWN_OTHERWISE.contains(&keyword.as_str()) || is_reference;
            if is_shown || is_spelled_out && schema.contains_key("x-kubernetes-int-or-string") {
                continue;
            }
            found.push(Constraint {
                scope: scope.clone(),
                keyword: keyword.clone(),
                value: one_line(value),
            });
        }
        // `kubectl explain` prints only the enum of the field itself.
        if let Some(values) = schema.get("enum").filter(|_| !scope.is_whole()) {
            found.push(Constraint {
                scope: scope.clone(),
                keyword: "enum".to_owned(),
                value: one_line(values),
            });
        }
    });
    found
}

/// The validation rules of a field.
pub fn rules_of(schema: &Value) -> Vec<Rule> {
    let mut found = Vec::new();
    each_scope(schema, &mut |scope, schema| {
        let rules = schema.get("x-kubernetes-validations").and_then(Value::as_array);
        let rules = rules.into_iter().flatten().filter_map(Value::as_object);
        found.extend(rules.map(|it| rule(scope, it)));
    });
    found
}

/// The rules of the surrounding objects that are about the field at a path, because they read the field through `self` or name it in `fieldPath`.
/// Each rule comes with the number of path elements that lead to its object.
pub fn rules_about(root: &Value, path: &[impl AsRef<str>]) -> Vec<(usize, Rule)> {
    let mut found = Vec::new();
    for depth in 0..path.len() {
        let Some(around) = find(root, &path[..depth]) else {
            break;
        };
        let rest: Vec<&str> = path[depth..].iter().map(AsRef::as_ref).collect();
        let rules = rules_of(around).into_iter();
        found.extend(rules.filter(|it| it.is_about(&rest)).map(|it| (depth, it)));
    }
    found
}

impl Rule {
    /// The time when the rule runs, if the rule does not run on every write of its value.
    pub fn when(&self) -> Option<&'static str> {
        match (self.is_transition, self.is_run_on_create) {
            (false, _) => None,
            (true, false) => Some("runs on updates only, when there is an old value"),
            (true, true) => Some("also runs without an old value: `optionalOldSelf`"),
        }
    }

    /// Whether the rule is about the field at a path inside the rule's value.
    fn is_about(&self, path: &[&str]) -> bool {
        let named = self.field_path.as_deref();
        if named.is_some_and(|it| it.trim_start_matches('.') == path.join(".")) {
            return true;
        }
        let source = Source::new(&*self.expression);
        let written: Vec<&str> = tokens(&source)
            .into_iter()
            .filter(|it| it.class != TokenClass::Comment)
            .map(|it| it.text(&self.expression))
            .collect();
        let mut wanted = vec!["self".to_owned()];
        for name in path {
            let Some(name) = escape(name) else { return false };
            wanted.extend([".".to_owned(), name.into_owned()]);
        }
        written.windows(wanted.len()).any(|it| it == wanted)
    }
}

/// Calls `take` with the schema of a field, then with those of its list items and map values.
fn each_scope<'s>(schema: &'s Value, take: &mut dyn FnMut(&Scope, &'s Keywords)) {
    let mut scope = Scope::default();
    let mut next = schema.as_object();
    while let Some(schema) = next {
        // The published schemas do not include the constraints on `metadata`.
        let schema = resolved(schema);
        take(&scope, schema);
        next = if let Some(items) = inner(schema, "items") {
            scope.0.push(Below::Items);
            Some(items)
        } else {
            scope.0.push(Below::Values);
            inner(schema, "additionalProperties")
        };
    }
}

fn rule(scope: &Scope, rule: &Keywords) -> Rule {
    let expression = text(rule, "rule").unwrap_or_default().to_owned();
    let message = text(rule, "message").map(|it| Message::Text(it.to_owned()));
    let source = Source::new(&*expression);
    let is_transition = tokens(&source)
        .into_iter()
        .any(|it| it.class == TokenClass::Identifier && it.text(&expression) == "oldSelf");
    Rule {
        scope: scope.clone(),
        message: message.or_else(|| text(rule, "messageExpression").map(|it| Message::Expression(it.to_owned()))),
        field_path: text(rule, "fieldPath").map(str::to_owned),
        is_transition,
        is_run_on_create: rule.get("optionalOldSelf") == Some(&Value::Bool(true)),
        expression,
    }
}

/// A value on one line: strings unchanged, other values as JSON. A whole number has no decimal point, as in Go.
pub(crate) fn one_line(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => go::json_float(number.as_f64().unwrap_or_default()),
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{constraints, rules_about, rules_of};

    fn schema() -> Value {
        json!({"type": "object", "properties": {"spec": {
            "type": "object",
            "x-kubernetes-validations": [
                {"rule": "self.a <= self.b.c", "message": "too large"},
                {"rule": "self . b.c > 1 // self.d"},
                {"rule": "size(self) > 0", "fieldPath": ".b.c", "messageExpression": "'x'"},
                {"rule": "self.__namespace__ == oldSelf.b", "optionalOldSelf": true},
            ],
            "properties": {
                "a": {"type": "integer", "minimum": 1, "default": 2},
                "b": {"type": "object", "properties": {"c": {"type": "integer"}}},
                "d": {"type": "array", "maxItems": 3, "items": {"type": "string", "maxLength": 5, "enum": ["a"],
                    "x-kubernetes-validations": [{"rule": "self != ''"}]}},
                "namespace": {"type": "string"},
            },
        }}})
    }

    #[test]
    fn keywords_are_those_that_kubectl_leaves_out() {
        let schema = schema();
        let found = constraints(&schema["properties"]["spec"]["properties"]["d"]);
        let found: Vec<String> = found
            .iter()
            .map(|it| format!("{}|{}|{}", it.scope, it.keyword, it.value))
            .collect();
        assert_eq!(
            found,
            ["|maxItems|3", "each item|maxLength|5", "each item|enum|[\"a\"]"]
        );
        let rules = rules_of(&schema["properties"]["spec"]["properties"]["d"]);
        assert_eq!(rules.len(), 1);
        assert_eq!(rules[0].scope.to_string(), "each item");
    }

    #[track_caller]
    fn about(path: &[&str], expected: &[&str]) {
        let schema = schema();
        let found = rules_about(&schema, path);
        let found: Vec<&str> = found.iter().map(|it| it.1.expression.as_str()).collect();
        assert_eq!(found, expected, "{path:?}");
    }

    #[test]
    fn rules_around_a_field_are_found_by_what_they_read() {
        about(&["spec"], &[]);
        about(&["spec", "a"], &["self.a <= self.b.c"]);
        about(
            &["spec", "b", "c"],
            &["self.a <= self.b.c", "self . b.c > 1 // self.d", "size(self) > 0"],
        );
        about(&["spec", "d"], &[]);
        about(&["spec", "namespace"], &["self.__namespace__ == oldSelf.b"]);
    }

    #[test]
    fn old_values_are_read_by_transition_rules() {
        let schema = schema();
        let rules = rules_of(&schema["properties"]["spec"]);
        let transitions: Vec<bool> = rules.iter().map(|it| it.is_transition).collect();
        assert_eq!(transitions, [false, false, false, true]);
        assert!(rules[3].is_run_on_create);
    }
}
