//! The authorizer (`k8s.io/apiserver/pkg/cel/library`, `Authz`). A rule of a CRD never has a variable of the authorizer's types. The functions are
//! still declared, because the API server's errors then mention overloads instead of undeclared references.

use super::declaration::{Cost, Counted, Function, Library, function, never_called};

/// The authorizer library.
pub(super) const LIBRARY: Library = Library {
    name: "kubernetes.authz",
    subjects: &[FUNCTIONS],
    types: &[],
};

const FUNCTIONS: &[Function] = &[
    function(
        "path",
        "The authorizer for a URL path that is not a resource, such as `/healthz`.",
        Counted::ByName(Cost::ONE),
        &[],
        &[never_called(
            "authorizer_path",
            "kubernetes.authorization.Authorizer.(string) -> kubernetes.authorization.PathCheck",
            Cost::ONE,
        )],
    ),
    function(
        "group",
        "The authorizer for an API group.",
        Counted::ByName(Cost::ONE),
        &[],
        &[never_called(
            "authorizer_group",
            "kubernetes.authorization.Authorizer.(string) -> kubernetes.authorization.GroupCheck",
            Cost::ONE,
        )],
    ),
    function(
        "serviceAccount",
        "The authorizer as a service account.",
        Counted::ByName(Cost::ONE),
        &[],
        &[never_called(
            "authorizer_serviceaccount",
            "kubernetes.authorization.Authorizer.(string, string) -> kubernetes.authorization.Authorizer",
            Cost::ONE,
        )],
    ),
    function(
        "resource",
        "The authorizer for a resource of the group.",
        Counted::ByName(Cost::ONE),
        &[],
        &[never_called(
            "groupcheck_resource",
            "kubernetes.authorization.GroupCheck.(string) -> kubernetes.authorization.ResourceCheck",
            Cost::ONE,
        )],
    ),
    function(
        "subresource",
        "The authorizer for a subresource.",
        Counted::ByName(Cost::ONE),
        &[],
        &[never_called(
            "resourcecheck_subresource",
            "kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck",
            Cost::ONE,
        )],
    ),
    function(
        "namespace",
        "The authorizer in a namespace.",
        Counted::ByName(Cost::ONE),
        &[],
        &[never_called(
            "resourcecheck_namespace",
            "kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck",
            Cost::ONE,
        )],
    ),
    function(
        "name",
        "The authorizer for an object by name.",
        Counted::ByName(Cost::ONE),
        &[],
        &[never_called(
            "resourcecheck_name",
            "kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck",
            Cost::ONE,
        )],
    ),
    function(
        "check",
        "Whether the verb is allowed.",
        Counted::ByName(CHECK),
        &[],
        &[
            never_called(
                "pathcheck_check",
                "kubernetes.authorization.PathCheck.(string) -> kubernetes.authorization.Decision",
                CHECK,
            ),
            never_called(
                "resourcecheck_check",
                "kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.Decision",
                CHECK,
            ),
        ],
    ),
    function(
        "allowed",
        "Whether the check allowed it.",
        Counted::ByName(Cost::ONE),
        &[],
        &[never_called(
            "decision_allowed",
            "kubernetes.authorization.Decision.() -> bool",
            Cost::ONE,
        )],
    ),
    function(
        "reason",
        "The reason for the decision.",
        Counted::ByName(Cost::ONE),
        &[],
        &[never_called(
            "decision_reason",
            "kubernetes.authorization.Decision.() -> string",
            Cost::ONE,
        )],
    ),
    function(
        "errored",
        "Whether the check failed.",
        Counted::ByName(Cost::ONE),
        &[],
        &[never_called(
            "decision_errored",
            "kubernetes.authorization.Decision.() -> bool",
            Cost::ONE,
        )],
    ),
    function(
        "error",
        "The error of the check.",
        Counted::ByName(Cost::ONE),
        &[],
        &[never_called(
            "decision_error",
            "kubernetes.authorization.Decision.() -> string",
            Cost::ONE,
        )],
    ),
];

/// The cost of an authorization check. Three checks exceed the cost limit of an expression.
const CHECK: Cost = Cost::fixed(350_000);
