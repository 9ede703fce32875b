//! Explains why a finding is not shown where its cause is written, and finds the other places that cause it.
//!
//! The API server names one field for each error. The mistake may be in another field. For example, a name must match two other fields, and a default
//! must match the keywords next to it.

use std::collections::HashSet;

use crd_analyzer_apiextensions::{
    codes,
    internal::Hoisted,
    places::{self, LocatedField},
};
use crd_analyzer_schema::{
    codes as schema_codes,
    field::{Error, Path, Segment},
};
use crd_analyzer_syntax::{
    json::{Json, JsonValue},
    tree::{NodeId, Tree},
};

/// The reason why the error is shown at `place`, if the cause may be at another place.
pub(crate) fn reason(error: &Error, place: &LocatedField, tree: &Tree) -> Option<String> {
    if place.missing {
        return Some(format!("{} is missing; this is the closest place", place.path));
    }
    if let Some(reason) = of_code(error.code) {
        return Some(reason.to_owned());
    }
    let in_default = error
        .path
        .segments()
        .iter()
        .any(|it| matches!(it, Segment::Field(name) if name == "default"));
    if in_default {
        return Some("a default must satisfy the whole schema of its property".to_owned());
    }
    let in_rule = error
        .path
        .segments()
        .iter()
        .any(|it| matches!(it, Segment::Field(name) if name == "x-kubernetes-validations"));
    if in_rule {
        return Some("the types and the limits of a schema decide whether its rule is valid".to_owned());
    }
    if !tree.is_scalar(place.value) {
        return Some(format!(
            "the diagnostic is about {} as a whole, so it is shown at the key",
            place.path
        ));
    }
    None
}

/// The reason for codes that need a specific text.
fn of_code(code: &str) -> Option<&'static str> {
    match code {
        schema_codes::INVALID_METADATA_NAME => Some("the name of a CRD consists of spec.names.plural and spec.group"),
        codes::STORAGE_VERSION_COUNT => Some("exactly one of all versions is the storage version"),
        codes::LIST_KIND_EQUALS_KIND => Some("the kind of the list is compared with the kind"),
        codes::WEBHOOK_WITHOUT_STRATEGY => Some("it depends on the conversion strategy"),
        codes::INVALID_DEPRECATION_WARNING => Some("it depends on whether the version is deprecated"),
        codes::MISSING_WEBHOOK | codes::INVALID_WEBHOOK_SERVICE => {
            Some("the API server checks the parts of a webhook's configuration together")
        }
        schema_codes::NON_STRUCTURAL_JUNCTOR => Some(
            "`allOf`, `anyOf`, `oneOf` and `not` can set a type only in the exact forms of x-kubernetes-int-or-string",
        ),
        _ => None,
    }
}

/// The keyword that makes the API server check an error's `type`: the number of levels above the error, and the keyword.
fn demanding(code: &str) -> Option<(usize, &'static str)> {
    match code {
        codes::LIST_TYPE_WITHOUT_ARRAY => Some((1, "x-kubernetes-list-type")),
        codes::MAP_TYPE_WITHOUT_OBJECT => Some((1, "x-kubernetes-map-type")),
        schema_codes::EMBEDDED_RESOURCE_TYPE => Some((1, "x-kubernetes-embedded-resource")),
        schema_codes::MISSING_ITEMS => Some((1, "type")),
        // The error is at the type of one of the `properties` of the embedded resource.
        schema_codes::TYPE_META_TYPE | schema_codes::METADATA_TYPE => Some((3, "x-kubernetes-embedded-resource")),
        _ => None,
    }
}

/// The part of `spec.versions` that is one too many: the second version of a name, or the second storage version. The API server reports both for the
/// whole list, whose first line may be far away.
pub(crate) fn one_too_many(error: &Error, root: &Json<'_>) -> Option<NodeId> {
    let versions = || root.get("spec").and_then(|it| it.get("versions")).and_then(Json::items);
    match error.code {
        codes::DUPLICATE_VERSION_NAME => {
            let mut seen = HashSet::new();
            let mut names = versions()?.iter().filter_map(|it| it.get("name"));
            names
                .find(|it| it.as_str().is_some_and(|name| !seen.insert(name)))
                .map(|it| it.node)
        }
        // What is stored follows from the storage versions while the CRD has no status.
        codes::STORED_VERSIONS if root.get("status").is_some() => None,
        codes::STORAGE_VERSION_COUNT | codes::STORED_VERSIONS => {
            let stored = versions()?.iter().filter_map(|it| it.get("storage"));
            stored
                .filter(|it| it.value == JsonValue::Bool(true))
                .nth(1)
                .map(|it| it.node)
        }
        _ => None,
    }
}

/// Other nodes that cause an error, each with a description.
pub(crate) fn deciding<'j>(error: &Error, root: &'j Json<'j>, hoisted: Hoisted) -> Vec<(NodeId, &'static str)> {
    if let Some((levels, keyword)) = demanding(error.code) {
        let above = error.path.segments().len().saturating_sub(levels);
        let mut path = Path::default();
        error.path.segments()[..above]
            .iter()
            .for_each(|it| path.push(it.clone()));
        let found = places::find(root, hoisted, &path.child(keyword));
        let written = found.into_iter().filter(|it| !it.missing);
        return written.map(|it| (it.key.unwrap_or(it.value), keyword)).collect();
    }
    let at = |path: &[&str]| {
        path.iter()
            .try_fold(root, |json, key| json.get(key))
            .map(|json| json.node)
    };
    match error.code {
        schema_codes::INVALID_METADATA_NAME if error.path == Path::of(["metadata", "name"]) => {
            let parts = [
                (&["spec", "names", "plural"][..], "the plural"),
                (&["spec", "group"], "the group"),
            ];
            parts
                .into_iter()
                .filter_map(|(path, what)| Some((at(path)?, what)))
                .collect()
        }
        codes::STORAGE_VERSION_COUNT => {
            let versions = root.get("spec").and_then(|spec| spec.get("versions"));
            let versions = versions.map(|versions| &versions.value);
            let Some(JsonValue::Array(versions)) = versions else {
                return Vec::new();
            };
            versions
                .iter()
                .filter_map(|version| version.get("storage"))
                .filter(|it| it.value == JsonValue::Bool(true))
                .map(|it| (it.node, "another storage version"))
                .collect()
        }
        codes::DUPLICATE_VERSION_NAME => {
            let second = one_too_many(error, root);
            let versions = root.get("spec").and_then(|it| it.get("versions")).and_then(Json::items);
            let mut names = versions.unwrap_or_default().iter().filter_map(|it| it.get("name"));
            let twice = names.clone().find(|it| Some(it.node) == second).and_then(Json::as_str);
            let first = names.find(|it| it.as_str().is_some() && it.as_str() == twice);
            first
                .map(|it| (it.node, "the first version of this name"))
                .into_iter()
                .collect()
        }
        codes::LIST_KIND_EQUALS_KIND => at(&["spec", "names", "kind"])
            .map(|node| (node, "the kind"))
            .into_iter()
            .collect(),
        codes::WEBHOOK_WITHOUT_STRATEGY => at(&["spec", "conversion", "strategy"])
            .map(|node| (node, "the strategy"))
            .into_iter()
            .collect(),
        _ => Vec::new(),
    }
}
