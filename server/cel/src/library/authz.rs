//! The authorizer (`k8s.io/apiserver/pkg/cel/library`, `Authz`). No rule of a definition has a variable of these types; the names are
//! known all the same, so errors speak of overloads and not of undeclared references.

use super::{Function, Library, function, overload};
use crate::cost::calls;

/// The authorizer library.
pub(super) const LIBRARY: Library = Library {
    name: "kubernetes.authz",
    functions: FUNCTIONS,
    types: &[],
};

const FUNCTIONS: &[Function] = &[
    function("path", "The authorizer for a path that is no resource.").overloads(&[overload(
        "authorizer_path",
        "kubernetes.authorization.Authorizer.(string) -> kubernetes.authorization.PathCheck",
    )]),
    function("group", "The authorizer for an API group.").overloads(&[overload(
        "authorizer_group",
        "kubernetes.authorization.Authorizer.(string) -> kubernetes.authorization.GroupCheck",
    )]),
    function("serviceAccount", "The authorizer as a service account.").overloads(&[overload(
        "authorizer_serviceaccount",
        "kubernetes.authorization.Authorizer.(string, string) -> kubernetes.authorization.Authorizer",
    )]),
    function("resource", "The authorizer for a resource of the group.").overloads(&[overload(
        "groupcheck_resource",
        "kubernetes.authorization.GroupCheck.(string) -> kubernetes.authorization.ResourceCheck",
    )]),
    function("subresource", "The authorizer for a subresource.").overloads(&[overload(
        "resourcecheck_subresource",
        "kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck",
    )]),
    function("namespace", "The authorizer in a namespace.").overloads(&[overload(
        "resourcecheck_namespace",
        "kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck",
    )]),
    function("name", "The authorizer for an object by name.").overloads(&[overload(
        "resourcecheck_name",
        "kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck",
    )]),
    function("check", "Whether the verb is allowed.")
        .cost(calls::authorization_check)
        .overloads(&[
            overload(
                "pathcheck_check",
                "kubernetes.authorization.PathCheck.(string) -> kubernetes.authorization.Decision",
            ),
            overload(
                "resourcecheck_check",
                "kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.Decision",
            ),
        ]),
    function("allowed", "Whether the check allowed it.").overloads(&[overload(
        "decision_allowed",
        "kubernetes.authorization.Decision.() -> bool",
    )]),
    function("reason", "Why the check decided so.").overloads(&[overload(
        "decision_reason",
        "kubernetes.authorization.Decision.() -> string",
    )]),
    function("errored", "Whether the check failed.").overloads(&[overload(
        "decision_errored",
        "kubernetes.authorization.Decision.() -> bool",
    )]),
    function("error", "The error of the check.").overloads(&[overload(
        "decision_error",
        "kubernetes.authorization.Decision.() -> string",
    )]),
];
