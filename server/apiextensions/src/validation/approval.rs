//! The approval annotation required for groups of the Kubernetes community (`validateAPIApproval`,
//! `pkg/apihelpers`, `GetAPIApprovalState`).

use crd_analyzer_gostd::url;
use crd_analyzer_schema::field::{Error, Path};

use super::report::invalid_string;
use crate::codes;
use crate::types::CustomResourceDefinition;

const ANNOTATION: &str = "api-approved.kubernetes.io";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Approval {
    Invalid,
    Approved,
    Bypassed,
    Missing,
}

/// Checks the annotation of a CRD whose group is `k8s.io`, `kubernetes.io` or a subdomain; an update may keep an
/// invalid annotation.
pub(super) fn approval_error(new: &CustomResourceDefinition, old: Option<&CustomResourceDefinition>) -> Option<Error> {
    if !is_protected(&new.spec.group) {
        return None;
    }
    let approval = approval_of(new);
    if old.is_some_and(|old| approval_of(old) == approval) {
        return None;
    }
    let path = || Path::of(["metadata", "annotations"]).key(ANNOTATION);
    let more = "see https://github.com/kubernetes/enhancements/pull/1111";
    match approval {
        Approval::Approved | Approval::Bypassed => None,
        Approval::Missing => {
            let detail = format!("protected groups must have approval annotation \"{ANNOTATION}\", {more}");
            Some(Error::required(codes::MISSING_API_APPROVAL, path(), detail))
        }
        Approval::Invalid => {
            let detail = format!(
                "protected groups must have approval annotation \"{ANNOTATION}\" with either a URL or a reason \
                 starting with \"unapproved\", {more}"
            );
            Some(invalid_string(
                codes::INVALID_API_APPROVAL,
                path(),
                annotation(new),
                detail,
            ))
        }
    }
}

fn is_protected(group: &str) -> bool {
    ["k8s.io", "kubernetes.io"].iter().any(|domain| {
        let sub = group.strip_suffix(domain);
        sub.is_some_and(|sub| sub.is_empty() || sub.ends_with('.'))
    })
}

fn annotation(definition: &CustomResourceDefinition) -> &str {
    definition.metadata.annotation(ANNOTATION).unwrap_or_default()
}

fn approval_of(definition: &CustomResourceDefinition) -> Approval {
    let text = annotation(definition);
    if text.is_empty() {
        Approval::Missing
    } else if text.starts_with("unapproved") {
        Approval::Bypassed
    } else if url::parse_request_uri(text).is_ok_and(|url| !url.host().is_empty() && !url.scheme().is_empty()) {
        Approval::Approved
    } else {
        Approval::Invalid
    }
}
