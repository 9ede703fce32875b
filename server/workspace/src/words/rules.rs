//! Words for validation rules: errors in a rule itself, and errors that a rule reports about a value.

use crd_analyzer_apiextensions::codes as api_codes;
use crd_analyzer_schema::{codes, field::Cause};
use crd_analyzer_syntax::json::Json;

use super::{
    About, Words,
    meant::meant,
    name::{self, SchemaPlace},
    text::{clip, code, either, written},
};
use crate::costs::grouped;

/// The tag of the value that an error is about, as it is written.
fn tag(about: &About<'_>) -> Option<String> {
    let (tree, value) = about.tree.zip(about.value())?;
    let written = tree.properties(value.node)?.tag?;
    Some(tree.text()[written.range()].to_owned())
}

pub(super) fn words(about: &About<'_>) -> Option<Words> {
    let words = match about.code {
        codes::RULE_FAILED => failed(about)?,
        codes::RULE_EVALUATION => evaluation(about)?,
        codes::RULE_BUDGET_EXCEEDED => Words::new(format!(
            "running the rules on {} costs more than the API server allows",
            name::value(about.path)
        ))
        .label("too expensive to check")
        .help("make the value smaller, or add `maxItems` and `maxLength` to the schema")
        .in_go("make the value smaller, or add `+kubebuilder:validation:MaxItems` and `MaxLength` to the fields"),
        api_codes::EMPTY_RULE if let Some(tag) = tag(about) => {
            Words::new(format!("the rule is empty: YAML reads {} as a tag", code(&tag)))
                .label("empty")
                .help("put the whole rule in quotes")
        }
        api_codes::EMPTY_RULE => Words::new("a validation rule has no `rule`")
            .label("`rule` is missing here")
            .help("add `rule` with a CEL expression, such as `rule: self.minReplicas <= self.replicas`")
            .in_go("write a CEL expression, such as `rule=\"self.minReplicas <= self.replicas\"`"),
        api_codes::EMPTY_MESSAGE => Words::new(format!("{} of a rule is empty", code(about.last())))
            .label("empty")
            .help(format!("write a message, or remove {}", code(about.last()))),
        api_codes::MULTILINE_MESSAGE => Words::new("the `message` of a rule must be one line")
            .label("has a line break")
            .help("write the message on one line"),
        api_codes::MISSING_MESSAGE => Words::new("a rule of several lines needs a `message`")
            .label("`message` is missing here")
            .help("add `message` to the rule, or write the rule on one line (`rule: >-`)")
            .in_go("add `message=\"…\"` to the marker, or write the rule on one line"),
        api_codes::UNKNOWN_REASON => {
            let found = about.value().and_then(Json::as_str).unwrap_or_default();
            let allowed = match about.cause {
                Some(Cause::Allowed(allowed)) => allowed.as_slice(),
                _ => &[],
            };
            let words = Words::new(format!("{} is not a reason of a rule", code(found)));
            match meant(found, allowed.iter().map(String::as_str)) {
                Some(near) => words.did_you_mean(found, near),
                None => words.label("not a reason").help(format!("write {}", either(allowed))),
            }
        }
        api_codes::INVALID_FIELD_PATH => field_path(about),
        api_codes::RULE_TYPES => Words::new("the API server cannot derive CEL types from this schema")
            .label("no CEL types")
            .help("fix the schema around the rules")
            .quote(),
        api_codes::RULE_COST_OVER_LIMIT => cost(about, "this rule", "its limit")?,
        api_codes::MESSAGE_COST_OVER_LIMIT => cost(about, "this message expression", "its limit")?,
        api_codes::TOTAL_RULE_COST_OVER_LIMIT => match about.cause {
            Some(Cause::Cost { .. }) => cost(about, "all rules of this schema together", "their limit")?,
            _ => Words::new("this rule contributes to a total cost over the limit")
                .label("one of the most expensive rules"),
        },
        api_codes::UNCORRELATABLE_OLD_SELF => {
            let list = match about.cause {
                Some(Cause::Elsewhere(path)) => SchemaPlace::of(path).unwrap_or_default().noun(),
                _ => "a list".to_owned(),
            };
            Words::new(format!("`oldSelf` does not work inside {list}"))
                .label("no old value to compare with")
                .help("set `x-kubernetes-list-type: map` on the list, or move the rule above the list")
                .in_go("add `+listType=map` and `+listMapKey` to the list, or move the rule above the list")
        }
        api_codes::OPTIONAL_OLD_SELF_UNUSED => {
            Words::new("`optionalOldSelf` is set, but the rule does not use `oldSelf`")
                .label("the rule has no `oldSelf`")
                .help("remove `optionalOldSelf`")
        }
        _ => return None,
    };
    Some(words)
}

fn failed(about: &About<'_>) -> Option<Words> {
    let Some(Cause::Rule { rule, message, .. }) = about.cause else {
        return None;
    };
    let subject = name::value(about.path);
    let rule = clip(rule, 160);
    Some(
        match message {
            Some(message) => Words::new(format!("{subject}: {message}")),
            None => Words::new(format!("{subject} fails the rule `{}`", clip(&rule, 60))),
        }
        .label("the rule fails here")
        .help(format!("change the value so that the rule holds: `{rule}`")),
    )
}

fn evaluation(about: &About<'_>) -> Option<Words> {
    let Some(Cause::Rule { rule, error, .. }) = about.cause else {
        return None;
    };
    let error = error.as_deref().unwrap_or_default();
    Some(
        Words::new(format!(
            "a rule of {} ends in an error: {error}",
            name::value(about.path)
        ))
        .label("the rule ends in an error")
        .help(format!(
            "change the value, or guard what the rule reads with `has(…)`: `{}`",
            clip(rule, 160)
        )),
    )
}

fn field_path(about: &About<'_>) -> Words {
    let found = about.value().map(written).unwrap_or_default();
    let found = code(found.trim_matches('"'));
    match about.cause {
        Some(Cause::Empty) => Words::new("`fieldPath` of a rule is empty")
            .label("empty")
            .help("write a path such as `.replicas`, or remove `fieldPath`"),
        Some(Cause::LineBreak) => Words::new("`fieldPath` of a rule must be one line")
            .label("has a line break")
            .help("write the path on one line"),
        Some(Cause::NotFound(name)) => {
            let words = Words::new(format!("`fieldPath` {found} leads to no property"));
            // The properties of the schema that contains the rule.
            let properties = about
                .around(3)
                .and_then(|it| it.get("properties")?.members())
                .unwrap_or_default();
            match meant(name, properties.iter().map(|it| it.key.as_ref())) {
                Some(near) => words.did_you_mean(name, near),
                None => words
                    .label("no such property")
                    .help("write the path of a property of this schema, such as `.replicas`"),
            }
        }
        _ => Words::new(format!("`fieldPath` {found} is not a path of properties"))
            .label("not a path")
            .help("write names with dots, such as `.spec.replicas`; in brackets, names in single quotes"),
    }
}

fn cost(about: &About<'_>, what: &str, limit_words: &str) -> Option<Words> {
    let Some(Cause::Cost { cost, limit }) = about.cause else {
        return None;
    };
    let factor = *cost as f64 / *limit as f64;
    let how_much = if factor > 100.0 {
        format!("more than 100 times {limit_words}")
    } else if factor >= 1.1 {
        format!("{factor:.1} times {limit_words}")
    } else {
        format!(
            "{} cost units, over {limit_words} of {}",
            grouped(*cost),
            grouped(*limit)
        )
    };
    let verb = if what.starts_with("all") { "cost" } else { "costs" };
    Some(Words::new(format!("{what} {verb} {how_much}")))
}
