//! Compares two answers to a request about a rule.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

/// Whether a message is from the API server's parser generator. Such messages need not be verbatim.
pub(crate) fn is_syntax_error(message: &Value) -> bool {
    message.as_str().is_some_and(|it| it.contains("Syntax error:"))
}

/// A message without the parts of Go's expression format that change between runs: addresses (since 1.31), or a second blank, which depends
/// on the build (1.30).
fn without_addresses(message: &Value) -> Value {
    static ADDRESSES: LazyLock<Regex> = LazyLock::new(|| pattern(r"(for expression: )&\{[^\n]*?(\(\d+\) old:)"));
    static MESSAGE: LazyLock<Regex> = LazyLock::new(|| pattern(r"for expression: id:[^\n]*?\(\d+\) old:"));
    let Some(text) = message.as_str() else {
        return Value::Null;
    };
    let text = ADDRESSES.replace_all(text, "$1$2");
    let one_blank = |found: &regex::Captures<'_>| found[0].replace("  ", " ");
    MESSAGE.replace_all(&text, one_blank).into()
}

fn pattern(text: &str) -> Regex {
    Regex::new(text).unwrap_or_else(|_| unreachable!("the pattern is constant"))
}

/// A message without the second blank that protobuf messages have in some builds.
fn without_blanks(message: &Value) -> Value {
    match message.as_str() {
        Some(text) if text.contains("(*dynamicpb.Message)") => text.replace("\"  ", "\" ").into(),
        _ => message.clone(),
    }
}

/// The position of the first error in a message: `1:5`.
fn first_place(message: &Value) -> Option<&str> {
    let after = message.as_str()?.split_once("<input>:")?.1;
    let mut parts = after.splitn(3, ':');
    let len = parts.next()?.len() + 1 + parts.next()?.len();
    after.get(..len)
}

/// The differing field, the API server's value and ours.
pub(crate) type Difference = (&'static str, Value, Value);

/// The differences between the answers. For syntax errors, only the position of the first error has to be the same.
pub(crate) fn differences(theirs: &Value, ours: &Value) -> Vec<Difference> {
    if !theirs["panic"].is_null() {
        return if ours["crashes"] == true {
            Vec::new()
        } else {
            vec![("crash", theirs["panic"].clone(), ours["compile_error"].clone())]
        };
    }
    if ours["crashes"] == true {
        return vec![("crash", Value::Null, ours.clone())];
    }
    let mut found = Vec::new();
    for field in ["compile_error", "message_expression_error"] {
        let (theirs, ours) = (&without_addresses(&theirs[field]), &without_addresses(&ours[field]));
        let same_place =
            || is_syntax_error(theirs) && is_syntax_error(ours) && first_place(theirs) == first_place(ours);
        if theirs != ours && !same_place() {
            found.push((field, theirs.clone(), ours.clone()));
        }
    }
    let numbers = [
        "cost_estimate",
        "max_cardinality",
        "uses_old_self",
        "message_expression_cost",
    ];
    for field in numbers
        .into_iter()
        .chain(["result", "eval_error", "actual_cost", "message"])
    {
        if without_blanks(&theirs[field]) != ours[field] {
            found.push((field, theirs[field].clone(), ours[field].clone()));
        }
    }
    let sorted = |errors: &Value| {
        let mut texts: Vec<String> = errors
            .as_array()
            .into_iter()
            .flatten()
            .map(|it| without_blanks(&without_addresses(it)).to_string())
            .collect();
        texts.sort();
        texts
    };
    if sorted(&theirs["errors"]) != sorted(&ours["errors"]) {
        found.push(("errors", theirs["errors"].clone(), ours["errors"].clone()));
    }
    found
}
