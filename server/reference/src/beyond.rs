//! Prints the restrictions that the API server checks but `kubectl explain` does not print: keywords and validation rules.

use std::fmt::Write as _;

use serde_json::Value;

use crate::{
    Depth,
    constraints::{Message, Rule, constraints, rules_about, rules_of},
    schema::{all_fields, find},
    wrap::{indent, wrap},
};

/// The width of wrapped messages, the same as for descriptions.
const WIDTH: usize = 76;

/// The keywords and rules of the field at a path, in the style of `kubectl explain`; empty if the field has none. `Depth::Recursive` adds the rules
/// of the fields inside it.
pub fn beyond(root: &Value, path: &[impl AsRef<str>], depth: Depth) -> String {
    let Some(schema) = find(root, path) else {
        return String::new();
    };
    let mut out = String::new();
    let keywords = constraints(schema);
    if !keywords.is_empty() {
        out.push_str("CONSTRAINTS:\n");
    }
    for it in keywords {
        let scope = if it.scope.is_whole() {
            String::new()
        } else {
            format!("{}: ", it.scope)
        };
        let _ = writeln!(out, "{}", indent(&format!("{scope}{}: {}", it.keyword, it.value), 4));
    }
    let names: Vec<&str> = path.iter().map(AsRef::as_ref).collect();
    let mut rules: Vec<(String, Rule)> = rules_of(schema).into_iter().map(|it| (String::new(), it)).collect();
    let around = rules_about(root, path).into_iter();
    rules.extend(around.map(|(depth, rule)| (place(&names[..depth]), rule)));
    if let Depth::Recursive(deepest) = depth {
        for (below, field) in all_fields(schema) {
            if deepest == 0 || below.len() <= deepest {
                let of_field = rules_of(field.schema).into_iter();
                let whole: Vec<&str> = names.iter().copied().chain(below).collect();
                rules.extend(of_field.map(|it| (place(&whole), it)));
            }
        }
    }
    if !rules.is_empty() {
        out.push_str(if out.is_empty() { "RULES:\n" } else { "\nRULES:\n" });
    }
    for (place, rule) in rules {
        add_rule(&mut out, &place, &rule);
    }
    out
}

/// The name of a field whose rules are printed.
fn place(names: &[&str]) -> String {
    if names.is_empty() {
        "the whole object".to_owned()
    } else {
        names.join(".")
    }
}

/// Adds a rule. `place` is the field of the rule, if it is not the explained field itself.
fn add_rule(out: &mut String, place: &str, rule: &Rule) {
    let mut columns = 4;
    match &rule.message {
        Some(Message::Text(text)) => {
            let _ = writeln!(out, "{}", indent(&wrap(text.trim(), WIDTH), columns));
            columns = 6;
        }
        Some(Message::Expression(_)) | None => {}
    }
    let _ = writeln!(out, "{}", indent(rule.expression.trim(), columns));
    let mut notes = Vec::new();
    match (rule.scope.is_whole(), place.is_empty()) {
        (true, true) => {}
        (true, false) => notes.push(format!("rule of {place}")),
        (false, true) => notes.push(format!("rule of {}", rule.scope)),
        (false, false) => notes.push(format!("rule of {} of {place}", rule.scope)),
    }
    if let Some(when) = rule.when() {
        notes.push(when.to_owned());
    }
    if let Some(Message::Expression(text)) = &rule.message {
        notes.push(format!("message: {}", text.trim()));
    }
    for note in notes {
        let _ = writeln!(out, "{}", indent(&format!("({note})"), 6));
    }
}
