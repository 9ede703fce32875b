//! Compares the API server's answers with ours.

use serde_json::{Map, Value};

use super::{
    Request,
    ours::{Answer, Cause},
};
use crate::resources::compare::{is_same, one_refusal_of};

/// The differences, one per line.
pub(super) fn differences(request: &Request, ours: &Answer, theirs: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let code = theirs["code"].as_u64().unwrap_or(0);
    let message = theirs["message"].as_str().unwrap_or_default();
    strict(ours, theirs["strict"].as_str(), &mut found);
    if let Some(ours) = &ours.decode_error {
        let message = without_body(message);
        if code != 400 || one_refusal_of(message) != one_refusal_of(ours) {
            found.push(format!("cannot be read, {code} {message:?}, ours {ours:?}"));
        }
        return found;
    }
    if (code < 300) != ours.is_accepted() {
        found.push(format!(
            "{code} {message}, ours {}",
            if ours.is_accepted() { "accepts" } else { "refuses" }
        ));
    }
    causes(ours, theirs, &mut found);
    if code == 422 && !ours.causes.is_empty() {
        whole_message(ours, message, &mut found);
    }
    if let Some(ours) = &ours.other_error
        && ours != message
    {
        found.push(format!("other error: {code} {message:?}, ours {ours:?}"));
    }
    warnings(ours, theirs, &mut found);
    if let Some(ours) = &ours.stored
        && theirs["object"].is_object()
    {
        let (theirs, ours) = (comparable(request, &theirs["object"]), comparable(request, ours));
        let mut place = String::new();
        if !is_same(&theirs, &ours, &mut place) {
            found.push(format!("stored object: another value at {place}"));
        }
    }
    found
}

/// The message without the hexadecimal dump of the request's first bytes.
fn without_body(message: &str) -> &str {
    let body = message
        .strip_suffix(" ...)")
        .or(message.strip_suffix(')'))
        .and_then(|it| it.rsplit_once(" ("));
    match body {
        Some((before, hex)) if !hex.is_empty() && hex.chars().all(|it| it.is_ascii_hexdigit()) => before,
        _ => message,
    }
}

/// Compares the message about unknown fields and duplicate keys, whose order is random.
fn strict(ours: &Answer, theirs: Option<&str>, found: &mut Vec<String>) {
    let said = theirs
        .and_then(|it| it.split_once("strict decoding error: "))
        .map_or("", |it| it.1);
    if let Some(rest) = leftover(said, &ours.strict) {
        found.push(format!("strict: {said:?}, ours {:?}: {rest}", ours.strict));
    }
}

/// The difference between a comma-separated list and our texts, which may be in any order; `None` if they are the same.
fn leftover(said: &str, ours: &[String]) -> Option<String> {
    let mut rest = said.to_owned();
    let mut sorted: Vec<&String> = ours.iter().collect();
    sorted.sort_by_key(|it| std::cmp::Reverse(it.len()));
    for text in sorted {
        match rest.find(text.as_str()) {
            Some(at) => rest.replace_range(at..at + text.len(), ""),
            None => return Some(format!("{text:?} is missing")),
        }
    }
    (rest != ", ".repeat(ours.len().saturating_sub(1))).then(|| format!("{rest:?} is left"))
}

/// Whether the value is a printed Go struct of the API server, which contains addresses and empty fields.
fn is_struct(cause: &Cause) -> bool {
    let value = cause.value.trim_start_matches('[');
    value.contains("apiextensions.")
        || value.contains("0x")
        || value
            .strip_prefix("{\"")
            .is_some_and(|rest| rest.starts_with(|it: char| it.is_ascii_uppercase()))
}

fn says(cause: &Cause, message: &str) -> bool {
    let message = without_clock(message);
    if let Some(at) = cause.detail.find(": Syntax error: ") {
        // As in the comparison with the oracle, only the position of a syntax error is compared.
        return message.contains(&cause.detail[..at]);
    }
    if is_struct(cause) {
        return message.starts_with(cause.words) && message.ends_with(&cause.detail);
    }
    message == cause.message()
}

fn causes(ours: &Answer, theirs: &Value, found: &mut Vec<String>) {
    let mut rest: Vec<&Cause> = ours.causes.iter().collect();
    for cause in theirs["causes"].as_array().into_iter().flatten() {
        let part = |name: &str| cause[name].as_str().unwrap_or_default();
        let same = rest
            .iter()
            .position(|it| it.reason == part("type") && it.field == part("field") && says(it, part("message")));
        match same {
            Some(at) => {
                rest.remove(at);
            }
            None => found.push(format!(
                "missing {} | {} | {}",
                part("type"),
                part("field"),
                part("message")
            )),
        }
    }
    found.extend(
        rest.iter()
            .map(|it| format!("too much {} | {} | {}", it.reason, it.field, it.message())),
    );
}

/// Compares the message of the whole answer: the object's name, and all causes.
fn whole_message(ours: &Answer, message: &str, found: &mut Vec<String>) {
    // Our name can come from an object whose name the API server does not read.
    let has_name = !ours
        .causes
        .iter()
        .any(|it| it.field == "metadata.name" && it.reason == "FieldValueRequired");
    let name = if has_name { ours.name.as_str() } else { "" };
    let who = format!("{}.{} {name:?} is invalid: ", ours.kind, ours.group);
    let Some(list) = message.strip_prefix(&who) else {
        // The API server appends a random suffix to a generated name.
        if !ours.name.is_empty() {
            found.push(format!("message {message:?} does not begin with {who:?}"));
        }
        return;
    };
    if ours
        .causes
        .iter()
        .any(|it| is_struct(it) || it.detail.contains(": Syntax error: "))
    {
        return;
    }
    let mut texts: Vec<String> = ours
        .causes
        .iter()
        .map(|it| format!("{}: {}", it.field, it.message()))
        .collect();
    // The message contains each text only once.
    texts.sort();
    texts.dedup();
    let list = without_clock(list);
    let list = if texts.len() > 1 {
        list.strip_prefix('[')
            .and_then(|it| it.strip_suffix(']'))
            .unwrap_or(&list)
            .to_owned()
    } else {
        list
    };
    if let Some(rest) = leftover(&list, &texts) {
        found.push(format!("message {list:?}: {rest}"));
    }
}

/// Removes the timestamp in the type name of `self`.
fn without_clock(text: &str) -> String {
    const NAME: &str = "selfType";
    let mut rest = text;
    let mut out = String::new();
    while let Some(at) = rest.find(NAME) {
        let (before, after) = rest.split_at(at + NAME.len());
        out.push_str(before);
        rest = after.trim_start_matches(|it: char| it.is_ascii_digit());
        if rest.len() < after.len() {
            out.push('#');
        }
    }
    out + rest
}

fn warnings(ours: &Answer, theirs: &Value, found: &mut Vec<String>) {
    let mut rest: Vec<&String> = ours.warnings.iter().collect();
    // The API server truncates warnings at the limit, and drops further warnings.
    let is_cut = ours.warnings.iter().map(|it| it.chars().count()).sum::<usize>() > MOST_WARNING_CHARS;
    for said in theirs["warnings"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
    {
        match rest.iter().position(|it| *it == said || is_cut && it.starts_with(said)) {
            Some(at) => {
                rest.remove(at);
            }
            None => found.push(format!("warnings: missing {said}")),
        }
    }
    if !is_cut {
        found.extend(rest.iter().map(|it| format!("warnings: too much {it}")));
    }
}

/// The API server's limit for all warnings of one answer (`k8s.io/apiserver/pkg/endpoints/filters`, `truncateAtTotalRunes`).
const MOST_WARNING_CHARS: usize = 4 * 1024;

/// An object without the fields that the API server generates.
fn comparable(request: &Request, object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(metadata) = object["metadata"].as_object_mut() {
        for name in ["uid", "resourceVersion", "creationTimestamp", "managedFields"] {
            metadata.remove(name);
        }
        if metadata.contains_key("generateName") && request.old.is_none() {
            metadata.remove("name");
        }
    }
    without_empty_metadata(object)
}

fn without_empty_metadata(mut object: Value) -> Value {
    if object["metadata"].as_object().is_some_and(Map::is_empty)
        && let Some(fields) = object.as_object_mut()
    {
        fields.remove("metadata");
    }
    object
}
