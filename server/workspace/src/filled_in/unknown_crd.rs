//! The unknown values of a CRD: a tool fills them in before the CRD is sent. They are removed, and the parts that depend on them are not checked.

use crd_analyzer_apiextensions::codes as server_codes;
use crd_analyzer_schema::depth;
use crd_analyzer_syntax::{
    json::{Json, JsonDoc, JsonValue},
    tree::Tree,
};

use crate::{
    filled_in::fill::{Place, Places},
    findings::finding::{Finding, ServerSays},
    findings::report::DocumentVerdict,
};

/// The part of a CRD from which unknown values were removed. Later variants affect more of the CRD.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) enum Taken {
    /// No values were removed.
    #[default]
    Nothing,
    /// Values were removed from labels or annotations, and nothing else depends on them.
    Marks,
    /// Values were removed from the configuration of conversion.
    Conversion,
    /// Versions were removed, but nothing of the others.
    Versions,
    /// Values were removed from a field that every CRD needs.
    Rest,
    /// Values were removed from a schema. Its rules and their costs depend on them.
    Schema,
}

impl Taken {
    /// Removes the errors that may be caused only by the unknown values.
    pub(crate) fn apply(self, verdict: &mut DocumentVerdict) {
        let in_field = |it: &Finding, part: &str| match &it.server {
            Some(ServerSays::Cause { field, .. }) => field.contains(part),
            _ => false,
        };
        let is_unknown = |it: &Finding| match self {
            Self::Conversion => in_field(it, "spec.conversion"),
            Self::Schema => {
                in_field(it, "x-kubernetes-validations") || it.code == server_codes::TOTAL_RULE_COST_OVER_LIMIT
            }
            _ => false,
        };
        verdict.retain(|it| !is_unknown(it));
    }
}

/// Whether [`take`] would find an unknown value if no template was filled in.
pub(crate) fn has_placeholder(json: &JsonDoc<'_>) -> bool {
    json.depth() <= depth::limit() && json.root().is_some_and(is_in)
}

fn is_in(json: &Json<'_>) -> bool {
    match &json.value {
        JsonValue::Object(members) => members.iter().filter(|it| it.key != SCHEMA).any(|it| is_in(&it.value)),
        JsonValue::Array(items) => items.iter().any(is_in),
        JsonValue::String(written) => is_placeholder(written),
        _ => false,
    }
}

/// The key of a schema. A schema may describe a placeholder in words without containing one.
const SCHEMA: &str = "openAPIV3Schema";

/// Whether the service of the conversion webhook lacks a name or a namespace. The user who installs the CRD fills them in.
pub(crate) fn lacks_service(json: &JsonDoc<'_>) -> bool {
    let path = ["spec", "conversion", "webhook", "clientConfig", "service"];
    let service = path
        .iter()
        .try_fold(json.root(), |at, key| Some(at?.get(key)))
        .flatten();
    service.is_some_and(|it| it.get("name").is_none() || it.get("namespace").is_none())
}

/// Whether a value is only a placeholder, such as `{{caBundle}}`, `${CA_BUNDLE}` or `$(CA_BUNDLE)`.
fn is_placeholder(written: &str) -> bool {
    let written = written.trim();
    [("{{", "}}"), ("${", "}"), ("$(", ")")]
        .iter()
        .any(|(begin, end)| written.starts_with(begin) && written.ends_with(end))
}

/// Removes the unknown values. `filled` has the places at which the actions of a template were filled in.
pub(crate) fn take(json: &mut JsonDoc<'_>, tree: &Tree, filled: Option<&Places>) -> Taken {
    if json.depth() > depth::limit() {
        return Taken::Nothing;
    }
    if filled.is_some() {
        // Two actions may be filled in with the same text although they print different keys.
        json.forget_duplicates();
    }
    let mut taking = Taking {
        tree,
        filled,
        taken: Taken::Nothing,
    };
    if let Some(root) = json.root_mut() {
        taking.below(root, &mut Vec::new());
    }
    taking.taken
}

struct Taking<'t> {
    tree: &'t Tree,
    filled: Option<&'t Places>,
    taken: Taken,
}

impl Taking<'_> {
    fn below(&mut self, json: &mut Json<'_>, path: &mut Vec<String>) {
        match &mut json.value {
            JsonValue::Object(members) => members.retain_mut(|member| {
                path.push(member.key.to_string());
                let key = self.filled.and_then(|it| it.at(self.tree.span(member.key_node)));
                let stays = key.is_none() && self.stays(&mut member.value, path);
                if !stays {
                    self.taken = self.taken.max(self.of_entry(path, key));
                }
                path.pop();
                stays
            }),
            JsonValue::Array(items) => items.retain_mut(|item| {
                let stays = self.stays(item, path);
                if !stays {
                    self.taken = self.taken.max(of_item(path));
                }
                stays
            }),
            _ => {}
        }
    }

    /// The part of a CRD to which an unknown entry belongs. If the entry replaces a block whose keys are written, the keys decide.
    fn of_entry(&self, path: &[String], key: Option<Place>) -> Taken {
        let keys = match (self.filled, key) {
            (Some(filled), Some(Place::Fields(fields))) => filled.fields(fields),
            _ => &[],
        };
        if keys.is_empty() {
            return of_path(path);
        }
        let mut path = path.to_vec();
        path.pop();
        let parts = keys.iter().map(|key| {
            path.push(key.clone());
            let part = of_path(&path);
            path.pop();
            part
        });
        parts.max().unwrap_or_default()
    }

    /// Removes the unknown values below a value. Returns whether the value itself is known.
    fn stays(&mut self, json: &mut Json<'_>, path: &mut Vec<String>) -> bool {
        if self.tree.is_scalar(json.node) && self.filled.is_some_and(|it| it.at(self.tree.span(json.node)).is_some()) {
            return false;
        }
        if let JsonValue::String(written) = &json.value {
            let is_of_schema = path.iter().any(|it| it == SCHEMA);
            return is_of_schema || !is_placeholder(written);
        }
        self.below(json, path);
        true
    }
}

/// The part of a CRD to which the items of the list at a path of keys belong.
fn of_item(list: &[String]) -> Taken {
    if list == ["spec", "versions"] {
        Taken::Versions
    } else {
        of_path(list)
    }
}

/// The part of a CRD to which a path of keys belongs.
fn of_path(path: &[String]) -> Taken {
    let names: Vec<&str> = path.iter().map(String::as_str).take(3).collect();
    match names.as_slice() {
        ["metadata", "name", ..] | ["metadata" | "spec"] => Taken::Rest,
        ["metadata" | "status", ..] => Taken::Marks,
        ["spec", "conversion", ..] => Taken::Conversion,
        _ if path.last().is_some_and(|it| it == "description") => Taken::Nothing,
        _ if path.iter().any(|it| it == SCHEMA) => Taken::Schema,
        _ => Taken::Rest,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crd_analyzer_syntax::{
        read_json,
        split::{read_document, split},
    };

    use super::*;

    fn taken(text: &str) -> (Taken, String) {
        let text: Arc<str> = text.into();
        let tree = read_document(&text, split(&text).documents[0], &[]).unwrap();
        let mut json = read_json(&tree).unwrap();
        let taken = take(&mut json, &tree, None);
        (taken, json.root().unwrap().to_value().to_string())
    }

    #[test]
    fn placeholders_are_taken_out() {
        for (text, expected, rest) in [
            (
                "metadata: {labels: {a: b}}",
                Taken::Nothing,
                r#"{"metadata":{"labels":{"a":"b"}}}"#,
            ),
            (
                "metadata: {labels: {a: '{{ .b }}'}}",
                Taken::Marks,
                r#"{"metadata":{"labels":{}}}"#,
            ),
            (
                "spec: {conversion: {webhook: {clientConfig: {caBundle: '{{caBundle}}', url: a}}}}",
                Taken::Conversion,
                r#"{"spec":{"conversion":{"webhook":{"clientConfig":{"url":"a"}}}}}"#,
            ),
            ("spec: {group: '${GROUP}'}", Taken::Rest, r#"{"spec":{}}"#),
            ("metadata: {name: '$(NAME)'}", Taken::Rest, r#"{"metadata":{}}"#),
            (
                "spec: {group: 'a{{b}}'}",
                Taken::Nothing,
                r#"{"spec":{"group":"a{{b}}"}}"#,
            ),
            (
                "spec: {versions: [{schema: {openAPIV3Schema: {pattern: '${a}'}}}]}",
                Taken::Nothing,
                r#"{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"pattern":"${a}"}}}]}}"#,
            ),
        ] {
            assert_eq!(taken(text), (expected, rest.to_owned()), "{text}");
        }
    }
}
