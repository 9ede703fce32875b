//! `metadata.ownerReferences`.

use crd_analyzer_cel::KubernetesVersion;
use serde_json::Value;

use super::OwnerReference;
use crate::codes;
use crate::field::{Error, Trail, render};
use crate::go::quote;

/// `ValidateOwnerReferences` of `k8s.io/apimachinery/pkg/api/validation`.
pub fn validate_owner_references(
    references: &[OwnerReference],
    at: &Trail<'_>,
    version: KubernetesVersion,
    errors: &mut Vec<Error>,
) {
    let mut first_controller: Option<String> = None;
    for (n, reference) in references.iter().enumerate() {
        if version >= KubernetesVersion::minor(37) {
            validate_reference(reference, &at.index(n), version, errors);
        } else {
            validate_reference(reference, at, version, errors);
        }
        if reference.controller != Some(true) {
            continue;
        }
        let this = format!("{}/{}", reference.kind, reference.name);
        match &first_controller {
            None => first_controller = Some(this),
            Some(first) => errors.push(Error::invalid(
                codes::INVALID_OWNER_REFERENCE,
                at.path(),
                render_references(references, version),
                format!(
                    "Only one reference can have Controller set to true. Found \"true\" in references for {first} and \
                     {this}"
                ),
            )),
        }
    }
}

fn validate_reference(reference: &OwnerReference, at: &Trail<'_>, version: KubernetesVersion, errors: &mut Vec<Error>) {
    let code = codes::INVALID_OWNER_REFERENCE;
    let group_version = parse_group_version(&reference.api_version);
    let (group, api) = group_version.unwrap_or_default();
    if version >= KubernetesVersion::minor(37) {
        let mut require = |name: &str, value: &str| {
            if value.is_empty() {
                errors.push(Error::required(code, at.child(name).path(), "must not be empty"));
            }
        };
        require("apiVersion", &reference.api_version);
        require("kind", &reference.kind);
        require("name", &reference.name);
        require("uid", &reference.uid);
        if !reference.api_version.is_empty() && api.is_empty() {
            errors.push(Error::invalid(
                code,
                at.child("apiVersion").path(),
                quote(&reference.api_version),
                "must be <group>/<version> or <version>",
            ));
        }
    } else {
        let mut demand = |name: &str, value: &str, given: &str, words: String| {
            if value.is_empty() {
                errors.push(Error::invalid(code, at.child(name).path(), quote(given), words));
            }
        };
        let words = |name: &str| {
            if version >= KubernetesVersion::minor(34) {
                "must not be empty".to_owned()
            } else {
                format!("{name} must not be empty")
            }
        };
        demand(
            "apiVersion",
            api,
            &reference.api_version,
            "version must not be empty".to_owned(),
        );
        demand("kind", &reference.kind, &reference.kind, words("kind"));
        demand("name", &reference.name, &reference.name, words("name"));
        demand("uid", &reference.uid, &reference.uid, words("uid"));
    }
    if group.is_empty() && api == "v1" && reference.kind == "Event" {
        errors.push(Error::invalid(
            code,
            at.path(),
            render_reference(reference, version),
            "/v1, Kind=Event is disallowed from being an owner",
        ));
    }
}

/// The group and version of an `apiVersion` (`schema.ParseGroupVersion`); `None` if the text contains more than one slash.
pub(crate) fn parse_group_version(text: &str) -> Option<(&str, &str)> {
    if text == "/" {
        return Some(("", ""));
    }
    match text.split_once('/') {
        None => Some(("", text)),
        Some((_, version)) if version.contains('/') => None,
        Some(parts) => Some(parts),
    }
}

fn render_references(references: &[OwnerReference], version: KubernetesVersion) -> String {
    if render::renders_json(version) {
        let items: Vec<String> = references.iter().map(json).collect();
        return format!("[{}]", items.join(","));
    }
    let items: Vec<String> = references.iter().map(go_literal).collect();
    format!("[]v1.OwnerReference{{{}}}", items.join(", "))
}

fn render_reference(reference: &OwnerReference, version: KubernetesVersion) -> String {
    if render::renders_json(version) {
        json(reference)
    } else {
        go_literal(reference)
    }
}

fn json(reference: &OwnerReference) -> String {
    render::json_struct(json_fields(reference))
}

/// The fields of a reference in the API's JSON form, in the order of their declaration.
fn json_fields(reference: &OwnerReference) -> impl Iterator<Item = (&'static str, Value)> {
    let flag = |flag: Option<bool>| flag.map(Value::from);
    [
        ("apiVersion", Some(reference.api_version.as_str().into())),
        ("kind", Some(reference.kind.as_str().into())),
        ("name", Some(reference.name.as_str().into())),
        ("uid", Some(reference.uid.as_str().into())),
        ("controller", flag(reference.controller)),
        ("blockOwnerDeletion", flag(reference.block_owner_deletion)),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value?)))
}

/// Formats a reference like `%#v`. The API server prints the address of a boolean; this function prints a made-up address.
fn go_literal(reference: &OwnerReference) -> String {
    let pointer = |flag: Option<bool>| if flag.is_some() { "0xc000000000" } else { "nil" };
    format!(
        "v1.OwnerReference{{APIVersion:{}, Kind:{}, Name:{}, UID:{}, Controller:(*bool)({}), \
         BlockOwnerDeletion:(*bool)({})}}",
        quote(&reference.api_version),
        quote(&reference.kind),
        quote(&reference.name),
        quote(&reference.uid),
        pointer(reference.controller),
        pointer(reference.block_owner_deletion),
    )
}
