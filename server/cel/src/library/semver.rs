//! Semantic versions (`k8s.io/apiserver/pkg/cel/library`, `SemverLib`, version 1).

use super::{Function, Library, function, overload};
use crate::cost::calls;

/// The semver library.
pub(super) const LIBRARY: Library = Library {
    name: "kubernetes.semver",
    functions: FUNCTIONS,
    types: &[],
};

const FUNCTIONS: &[Function] = &[
    function(
        "semver",
        "The version that a string spells; with true, v1.2 is read as 1.2.0.",
    )
    .examples(&[("semver('1.2.3').major()", "1"), ("semver('v1.2', true).patch()", "0")])
    .cost(calls::parse)
    .overloads(&[
        overload("string_to_semver", "(string) -> kubernetes.Semver"),
        overload("string_bool_to_semver", "(string, bool) -> kubernetes.Semver"),
    ]),
    function(
        "isSemver",
        "Whether a string is a semantic version; with true, after it was made one.",
    )
    .examples(&[("isSemver('1.0.0')", "true"), ("isSemver('v1.0', true)", "true")])
    .cost(calls::parse)
    .overloads(&[
        overload("is_semver_string", "(string) -> bool"),
        overload("is_semver_string_bool", "(string, bool) -> bool"),
    ]),
    function("isGreaterThan", "Whether it comes after the other.")
        .examples(&[("semver('1.1.0').isGreaterThan(semver('1.0.9'))", "true")])
        .overloads(&[overload(
            "semver_is_greater_than",
            "kubernetes.Semver.(kubernetes.Semver) -> bool",
        )]),
    function("isLessThan", "Whether it comes before the other.")
        .examples(&[("semver('1.0.0').isLessThan(semver('1.2.0'))", "true")])
        .overloads(&[overload(
            "semver_is_less_than",
            "kubernetes.Semver.(kubernetes.Semver) -> bool",
        )]),
    function(
        "compareTo",
        "-1, 0 or 1 as it comes before, is or comes after the other.",
    )
    .examples(&[("semver('1.0.0').compareTo(semver('1.0.0'))", "0")])
    .overloads(&[overload(
        "semver_compare_to",
        "kubernetes.Semver.(kubernetes.Semver) -> int",
    )]),
    function("major", "The first number.")
        .examples(&[("semver('1.2.3').major()", "1")])
        .overloads(&[overload("semver_major", "kubernetes.Semver.() -> int")]),
    function("minor", "The second number.")
        .examples(&[("semver('1.2.3').minor()", "2")])
        .overloads(&[overload("semver_minor", "kubernetes.Semver.() -> int")]),
    function("patch", "The third number.")
        .examples(&[("semver('1.2.3').patch()", "3")])
        .overloads(&[overload("semver_patch", "kubernetes.Semver.() -> int")]),
];
