//! The unknown values of a CRD: a tool fills them in before the CRD is sent. They are removed, and the parts that depend on them are not checked.

use crd_analyzer_apiextensions::codes as server_codes;
use crd_analyzer_schema::depth;
use crd_analyzer_syntax::{
    json::{Json, JsonDoc, JsonValue},
    tree::{NodeId, Tree},
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

/// The unknown values of a CRD.
#[derive(Default, Debug)]
pub(crate) struct UnknownParts {
    /// The part of the CRD that they belong to.
    pub(crate) taken: Taken,
    /// The unknown fields of conversion, as the API server names them.
    conversion: Vec<String>,
}

impl UnknownParts {
    /// Removes the errors that may be caused only by the unknown values.
    pub(crate) fn apply(&self, verdict: &mut DocumentVerdict) {
        let is_unknown = |it: &Finding| {
            let field = match &it.server {
                Some(ServerSays::Cause { field, .. }) => field.as_str(),
                _ => "",
            };
            let is_of_schema =
                || field.contains("x-kubernetes-validations") || it.code == server_codes::TOTAL_RULE_COST_OVER_LIMIT;
            self.conversion.iter().any(|it| may_decide(it, field)) || self.taken == Taken::Schema && is_of_schema()
        };
        verdict.retain(|it| !is_unknown(it));
    }

    /// Records that the user who installs the CRD fills in the missing fields of the conversion webhook's service.
    pub(crate) fn add_service(&mut self, json: &JsonDoc<'_>) {
        let path = ["spec", "conversion", "webhook", "clientConfig", "service"];
        let service = path
            .iter()
            .try_fold(json.root(), |at, key| Some(at?.get(key)))
            .flatten();
        let Some(service) = service else { return };
        for key in ["name", "namespace"].into_iter().filter(|it| service.get(it).is_none()) {
            let path = [path.as_slice(), &[key]].concat();
            self.conversion.extend(conversion_fields(&path));
            self.taken = self.taken.max(Taken::Conversion);
        }
    }
}

/// The fields of conversion, as the API server names them.
const CONVERSION: &str = "spec.conversion";
const CLIENT_CONFIG: &str = "spec.conversion.webhookClientConfig";
const REVIEW_VERSIONS: &str = "spec.conversion.conversionReviewVersions";

/// The fields of conversion that a value at a path of keys decides, as the API server names them.
fn conversion_fields(path: &[impl AsRef<str>]) -> Vec<String> {
    let names: Vec<&str> = path.iter().map(AsRef::as_ref).collect();
    let service = |field: &str| format!("{CLIENT_CONFIG}.service.{field}");
    let all = match names.as_slice() {
        // The strategy decides which of the other fields are required, and which are forbidden.
        ["spec", "conversion"] | ["spec", "conversion", "strategy"] => vec![CONVERSION],
        ["spec", "conversion", "webhook"] => vec![CLIENT_CONFIG, REVIEW_VERSIONS],
        ["spec", "conversion", "webhook", "conversionReviewVersions", ..] => vec![REVIEW_VERSIONS],
        // The API server reports a missing name at `namespace`, and a missing namespace at `name`.
        ["spec", "conversion", "webhook", "clientConfig", "service", "name"] => return vec![service("namespace")],
        ["spec", "conversion", "webhook", "clientConfig", "service", "namespace"] => return vec![service("name")],
        ["spec", "conversion", "webhook", "clientConfig", rest @ ..] => {
            let names = [&[CLIENT_CONFIG], rest].concat();
            return vec![names.join(".")];
        }
        _ => Vec::new(),
    };
    all.into_iter().map(str::to_owned).collect()
}

/// Whether an unknown field of conversion may decide an error about a field: one of the two contains the other.
fn may_decide(unknown: &str, field: &str) -> bool {
    let has = |outer: &str, inner: &str| {
        let rest = inner.strip_prefix(outer);
        rest.is_some_and(|it| it.is_empty() || it.starts_with(['.', '[']))
    };
    // The API server requires `url` or `service`, whatever the certificates are.
    let is_of_certificates = unknown.strip_prefix(CLIENT_CONFIG) == Some(".caBundle");
    let contains_it = has(CONVERSION, field) && has(field, unknown);
    has(unknown, field) || contains_it && !(is_of_certificates && field == CLIENT_CONFIG)
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

/// Whether a value is only a placeholder, such as `{{caBundle}}`, `${CA_BUNDLE}` or `$(CA_BUNDLE)`.
fn is_placeholder(written: &str) -> bool {
    let written = written.trim();
    [("{{", "}}"), ("${", "}"), ("$(", ")")]
        .iter()
        .any(|(begin, end)| written.starts_with(begin) && written.ends_with(end))
}

/// Removes the unknown values. `filled` has the places at which the actions of a template were filled in.
pub(crate) fn take(json: &mut JsonDoc<'_>, tree: &Tree, filled: Option<&Places>) -> UnknownParts {
    if json.depth() > depth::limit() {
        return UnknownParts::default();
    }
    if filled.is_some() {
        // Two actions may be filled in with the same text although they print different keys.
        json.forget_duplicates();
    }
    let mut taking = Taking {
        tree,
        filled,
        found: UnknownParts::default(),
    };
    if let Some(root) = json.root_mut() {
        taking.below(root, &mut Vec::new());
    }
    taking.found
}

struct Taking<'t> {
    tree: &'t Tree,
    filled: Option<&'t Places>,
    found: UnknownParts,
}

impl Taking<'_> {
    fn below(&mut self, json: &mut Json<'_>, path: &mut Vec<String>) {
        if self.is_added_to(json.node) {
            // A key that no author has written stands for all keys that the action prints.
            path.push(String::new());
            self.add_entry(path, Some(Place::Value), json.node);
            path.pop();
        }
        match &mut json.value {
            JsonValue::Object(members) => members.retain_mut(|member| {
                path.push(member.key.to_string());
                let key = self.place(member.key_node);
                let stays = key.is_none() && self.stays(&mut member.value, path);
                if !stays {
                    self.add_entry(path, key, member.value.node);
                }
                path.pop();
                stays
            }),
            JsonValue::Array(items) => items.retain_mut(|item| {
                let stays = self.stays(item, path);
                if !stays {
                    self.found.taken = self.found.taken.max(of_item(path));
                    self.add_conversion(path, item.node);
                }
                stays
            }),
            _ => {}
        }
    }

    fn place(&self, node: NodeId) -> Option<Place> {
        self.filled.and_then(|it| it.at(self.tree.span(node)))
    }

    /// Whether an action of a template prints more entries or items into an object or list.
    fn is_added_to(&self, node: NodeId) -> bool {
        let start = self.tree.span(node).start;
        self.filled
            .is_some_and(|it| !self.tree.is_scalar(node) && it.adds_to(start))
    }

    /// Records an unknown entry. If it replaces a block whose keys are written, the keys decide what it belongs to.
    fn add_entry(&mut self, path: &[String], key: Option<Place>, value: NodeId) {
        let (_, object) = path.split_last().unwrap_or((&String::new(), &[]));
        let keys = match (self.filled, key) {
            (Some(filled), Some(Place::Fields(fields))) => filled.fields(fields),
            _ => &[],
        };
        if keys.is_empty() {
            self.found.taken = self.found.taken.max(of_path(path));
            // A key that is unknown may be any key of the object.
            self.add_conversion(if key.is_some() { object } else { path }, value);
        }
        for key in keys {
            let path = [object, std::slice::from_ref(key)].concat();
            self.found.taken = self.found.taken.max(of_path(&path));
            self.add_conversion(&path, value);
        }
    }

    /// Records an unknown value if it is in the configuration of conversion.
    fn add_conversion(&mut self, path: &[String], value: NodeId) {
        self.found.conversion.extend(conversion_fields(path));
        let place = self.tree.is_scalar(value).then(|| self.place(value)).flatten();
        if let (Some(Place::ValueOrEntries | Place::ItemsOrEntries), Some((_, object))) = (place, path.split_last()) {
            self.found.conversion.extend(conversion_fields(object));
        }
    }

    /// Removes the unknown values below a value. Returns whether the value itself is known.
    fn stays(&mut self, json: &mut Json<'_>, path: &mut Vec<String>) -> bool {
        if self.tree.is_scalar(json.node) && self.place(json.node).is_some() {
            return false;
        }
        if matches!(json.value, JsonValue::Array(_)) && self.is_added_to(json.node) {
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
        (taken.taken, json.root().unwrap().to_value().to_string())
    }

    #[test]
    fn an_unknown_value_decides_only_errors_about_what_contains_it() {
        let fields = |path: &str| conversion_fields(&path.split('.').map(str::to_owned).collect::<Vec<_>>());
        for (unknown, field, expected) in [
            (
                "clientConfig.service.namespace",
                "webhookClientConfig.service.name",
                true,
            ),
            (
                "clientConfig.service.namespace",
                "webhookClientConfig.service.namespace",
                false,
            ),
            (
                "clientConfig.service.name",
                "webhookClientConfig.service.namespace",
                true,
            ),
            ("clientConfig.service.namespace", "webhookClientConfig", true),
            ("clientConfig.service.namespace", "conversionReviewVersions", false),
            ("clientConfig.caBundle", "webhookClientConfig", false),
            ("clientConfig.caBundle", "webhookClientConfig.caBundle", true),
            ("clientConfig", "webhookClientConfig.service.namespace", true),
            ("conversionReviewVersions", "conversionReviewVersions[0]", true),
        ] {
            let found = fields(&format!("spec.conversion.webhook.{unknown}"));
            let field = format!("spec.conversion.{field}");
            let decides = found.iter().any(|it| may_decide(it, &field));
            assert_eq!(decides, expected, "{unknown} and {field}");
        }
        assert_eq!(fields("spec.conversion.strategy"), [CONVERSION]);
        assert_eq!(fields("spec.conversion.webhook"), [CLIENT_CONFIG, REVIEW_VERSIONS]);
        assert!(fields("spec.names").is_empty());
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
