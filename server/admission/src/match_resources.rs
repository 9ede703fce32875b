//! `spec.matchConstraints`: rules and selectors (`validateMatchResources`).

use std::collections::HashSet;

use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_schema::field::{Error, Path, Trail, render};
use crd_analyzer_schema::go::quote;
use crd_analyzer_schema::metadata::{
    names::{label_value, path_segment, qualified_name},
    validate_labels,
};

use crate::codes::{POLICY_DUPLICATE, POLICY_INVALID_VALUE, POLICY_MISSING_FIELD};
use crate::strings::{named, named_list, unsupported};
use crate::view::View;

const MATCH_POLICIES: &[&str] = &["Equivalent", "Exact"];
const OPERATIONS: &[&str] = &["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const SCOPES: &[&str] = &["*", "Cluster", "Namespaced"];

pub(crate) fn validate(resources: View<'_>, at: &Path, version: KubernetesVersion, errors: &mut Vec<Error>) {
    // Defaulting sets the policy and the selectors if they are missing.
    if let Some(policy) = resources.pointer("matchPolicy") {
        errors.extend(unsupported(at.child("matchPolicy"), policy, MATCH_POLICIES, version));
    }
    for name in ["namespaceSelector", "objectSelector"] {
        if let Some(selector) = resources.structure(name) {
            label_selector(selector, &at.child(name), version, errors);
        }
    }
    for name in ["resourceRules", "excludeResourceRules"] {
        for (n, rule) in resources.structures(name).enumerate() {
            named_rule(rule, &at.child(name).index(n), version, errors);
        }
    }
}

/// `ValidateLabelSelector` of `k8s.io/apimachinery/pkg/apis/meta/v1/validation`.
fn label_selector(selector: View<'_>, at: &Path, version: KubernetesVersion, errors: &mut Vec<Error>) {
    let labels = selector.entries("matchLabels");
    validate_labels(&labels, &Trail::new(at).child("matchLabels"), version, errors);
    for (n, requirement) in selector.structures("matchExpressions").enumerate() {
        let at = at.child("matchExpressions").index(n);
        let (operator, values) = (requirement.text("operator"), requirement.texts("values"));
        let at_values = at.child("values");
        match operator {
            "In" | "NotIn" if values.is_empty() => errors.push(Error::required(
                POLICY_MISSING_FIELD,
                at_values.clone(),
                "must be specified when `operator` is 'In' or 'NotIn'",
            )),
            "Exists" | "DoesNotExist" if !values.is_empty() => errors.push(Error::forbidden(
                POLICY_INVALID_VALUE,
                at_values.clone(),
                "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
            )),
            "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
            _ => errors.push(Error::invalid(
                POLICY_INVALID_VALUE,
                at.child("operator"),
                named(operator, version),
                "not a valid selector operator",
            )),
        }
        let key = requirement.text("key");
        for detail in qualified_name(key, version) {
            errors.push(Error::invalid(
                POLICY_INVALID_VALUE,
                at.child("key"),
                quote(key),
                detail,
            ));
        }
        for (n, value) in values.iter().enumerate() {
            for detail in label_value(value, version) {
                let at = at_values.index(n);
                errors.push(Error::invalid(POLICY_INVALID_VALUE, at, quote(value), detail));
            }
        }
    }
}

/// `validateNamedRuleWithOperations`, `validateRuleWithOperations`
fn named_rule(rule: View<'_>, at: &Path, version: KubernetesVersion, errors: &mut Vec<Error>) {
    let mut names = HashSet::new();
    for (n, name) in rule.texts("resourceNames").into_iter().enumerate() {
        let at = at.child("resourceNames").index(n);
        for detail in path_segment(name, false) {
            errors.push(Error::invalid(POLICY_INVALID_VALUE, at.clone(), quote(name), detail));
        }
        if !names.insert(name) {
            errors.push(Error::duplicate(POLICY_DUPLICATE, at, quote(name)));
        }
    }
    let (operations, at_operations) = (rule.texts("operations"), at.child("operations"));
    if operations.is_empty() {
        errors.push(Error::required(POLICY_MISSING_FIELD, at_operations.clone(), ""));
    }
    if operations.len() > 1 && operations.contains(&"*") {
        errors.push(Error::invalid(
            POLICY_INVALID_VALUE,
            at_operations.clone(),
            named_list(&operations, "admissionregistration.OperationType", version),
            "if '*' is present, must not specify other operations",
        ));
    }
    for (n, operation) in operations.iter().enumerate() {
        errors.extend(unsupported(at_operations.index(n), operation, OPERATIONS, version));
    }
    what(rule, at, version, errors);
}

/// `validateRule`
fn what(rule: View<'_>, at: &Path, version: KubernetesVersion, errors: &mut Vec<Error>) {
    for (name, nouns) in [("apiGroups", "API groups"), ("apiVersions", "API versions")] {
        let (texts, at) = (rule.texts(name), at.child(name));
        if texts.is_empty() {
            errors.push(Error::required(POLICY_MISSING_FIELD, at.clone(), ""));
        }
        if texts.len() > 1 && texts.contains(&"*") {
            errors.push(Error::invalid(
                POLICY_INVALID_VALUE,
                at.clone(),
                render::string_list(&texts, version),
                format!("if '*' is present, must not specify other {nouns}"),
            ));
        }
        // An empty string is the core group in `apiGroups`, but invalid in `apiVersions`.
        let unnamed = texts
            .iter()
            .enumerate()
            .filter(|it| name == "apiVersions" && it.1.is_empty());
        errors.extend(unnamed.map(|(n, _)| Error::required(POLICY_MISSING_FIELD, at.index(n), "")));
    }
    plurals(&rule.texts("resources"), &at.child("resources"), version, errors);
    if let Some(scope) = rule.pointer("scope") {
        errors.extend(unsupported(at.child("scope"), scope, SCOPES, version));
    }
}

/// `validateResources`
fn plurals(resources: &[&str], at: &Path, version: KubernetesVersion, errors: &mut Vec<Error>) {
    if resources.is_empty() {
        errors.push(Error::required(POLICY_MISSING_FIELD, at.clone(), ""));
    }
    let mut with_all_subresources = HashSet::new();
    let mut subresources_of_all = HashSet::new();
    // The API server only keeps the information whether the last entry without a slash was a resource.
    let mut ends_with_resource = false;
    for (n, &resource) in resources.iter().enumerate() {
        let at = at.index(n);
        if resource.is_empty() {
            errors.push(Error::required(POLICY_MISSING_FIELD, at, ""));
            continue;
        }
        let Some((of, subresource)) = resource.split_once('/') else {
            ends_with_resource = resource != "*";
            continue;
        };
        let invalid = |detail| Error::invalid(POLICY_INVALID_VALUE, at.clone(), quote(resource), detail);
        if with_all_subresources.contains(of) {
            let detail = format!("if '{of}/*' is present, must not specify {resource}");
            errors.push(invalid(detail));
        }
        if subresources_of_all.contains(subresource) {
            let detail = format!("if '*/{subresource}' is present, must not specify {resource}");
            errors.push(invalid(detail));
        }
        if subresource == "*" {
            with_all_subresources.insert(of);
        }
        if of == "*" {
            subresources_of_all.insert(subresource);
        }
    }
    let all = |detail| {
        let value = render::string_list(resources, version);
        Error::invalid(POLICY_INVALID_VALUE, at.clone(), value, detail)
    };
    if resources.len() > 1 && resources.contains(&"*/*") {
        errors.push(all("if '*/*' is present, must not specify other resources"));
    }
    if resources.contains(&"*") && ends_with_resource {
        errors.push(all(
            "if '*' is present, must not specify other resources without subresources",
        ));
    }
}
