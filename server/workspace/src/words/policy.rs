//! Words for errors in the API server's policies: fields that are missing, unknown or malformed.

use crd_analyzer_admission::codes;
use crd_analyzer_schema::field::{Cause, Segment};
use crd_analyzer_syntax::json::Json;

use super::{
    About, Words,
    meant::meant,
    name::{self, shown},
    text::{code, either, written},
};

pub(super) fn words(about: &About<'_>) -> Option<Words> {
    Some(match about.code {
        codes::POLICY_MISSING_FIELD => missing(about),
        codes::POLICY_UNKNOWN_VALUE => unknown_value(about),
        codes::POLICY_INVALID_VALUE => invalid(about),
        codes::POLICY_DUPLICATE => {
            let found = code(about.value().and_then(Json::as_str).unwrap_or_default());
            Words::new(format!("{found} is used twice as {}", code(field(about))))
                .label("used a second time")
                .help(format!(
                    "rename one of the two, or remove it: {} must be unique",
                    code(field(about))
                ))
        }
        codes::DEPRECATED_POLICY_VERSION => Words::new("this version of the policy API is deprecated")
            .label("deprecated")
            .help("change `apiVersion` to `admissionregistration.k8s.io/v1`")
            .quote(),
        _ => return None,
    })
}

/// The name of the field. For an item, the name of the list.
fn field<'a>(about: &About<'a>) -> &'a str {
    match about.last() {
        "" => about.up(1),
        name => name,
    }
}

/// The path of the object that contains the field.
fn parent(about: &About<'_>) -> String {
    shown(&name::parent(about.path).to_string())
}

fn missing(about: &About<'_>) -> Words {
    let name = code(about.last());
    if about.value().is_some() {
        let whole = shown(&about.path.to_string());
        return Words::new(format!("{whole} is empty"))
            .label("empty")
            .help(format!("write a value for {}", code(field(about))));
    }
    let help = match about.last() {
        "validations" | "auditAnnotations" => {
            return Words::new("the policy checks nothing: it has neither `validations` nor `auditAnnotations`")
                .label("checks nothing")
                .help("add an entry with an `expression` to `validations`");
        }
        "matchConstraints" | "resourceRules" => {
            "say which requests the policy checks: add `resourceRules` with `apiGroups`, `apiVersions`, `operations` and `resources`"
                .to_owned()
        }
        "values" => "add `values` with at least one value, or change `operator` to `Exists` or `DoesNotExist`".to_owned(),
        _ => format!("add {name}"),
    };
    Words::new(format!("{} has no {name}", parent(about)))
        .label(format!("{name} is missing here"))
        .help(help)
}

fn unknown_value(about: &About<'_>) -> Words {
    let found = about.value().map(written).unwrap_or_default();
    let found = found.trim_matches('"');
    let allowed = match about.cause {
        Some(Cause::Allowed(allowed)) => allowed.as_slice(),
        _ => &[],
    };
    let words = Words::new(format!("{} is not a value of {}", code(found), code(field(about))));
    match meant(found, allowed.iter().map(String::as_str)) {
        Some(near) => words.did_you_mean(found, near),
        None => words
            .label("not a known value")
            .help(format!("write {}", either(allowed))),
    }
}

fn invalid(about: &About<'_>) -> Words {
    let help = match field(about) {
        "operations" | "apiGroups" | "apiVersions" | "resources" if about.last().is_empty() => {
            "remove this entry, or the wildcard that includes it"
        }
        "operations" | "apiGroups" | "apiVersions" | "resources" => "keep only the wildcard, or only the other entries",
        "matchConditions" => "keep at most 64 conditions: join some of them with `&&`",
        "auditAnnotations" => "keep at most 20 annotations",
        "message" => "write the message on one line, or remove it",
        "messageExpression" => "write an expression that gives a string, or remove it",
        "valueExpression" => "shorten the expression: move parts of it into `variables`",
        "operator" => "write `In`, `NotIn`, `Exists` or `DoesNotExist`",
        "values" if about.last() == "values" => "remove `values`, or change `operator` to `In` or `NotIn`",
        "name" if matches!(about.path.segments().get(1), Some(Segment::Field(list)) if list == "variables") => {
            "use a CEL identifier: letters, digits and `_`, not a digit first, and not a reserved word of CEL"
        }
        "name" if about.path.segments().len() == 2 => "use another name",
        "name" | "key" => "use letters, digits, `-`, `_` and `.`, at most 63 characters",
        "apiVersion" => "write `group/version`, or `v1` for the core group",
        _ => "follow the API server's message below",
    };
    Words::new(format!("{} is not valid", shown(&about.path.to_string())))
        .label("not valid")
        .help(help)
        .quote()
}
