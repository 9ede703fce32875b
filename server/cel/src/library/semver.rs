//! Semantic versions (`k8s.io/apiserver/pkg/cel/library`, `SemverLib`, version 1).

use std::cmp::Ordering;
use std::sync::Arc;

use super::costs::PARSE;
use super::declaration::{Cost, Counted, Function, Library, Spelling, function, overload};
use super::operands::text;
use crate::KubernetesVersion;
use crate::value::{EvalError, Opaque, Result, Semver, Value};

/// The semver library.
pub(super) const LIBRARY: Library = Library {
    name: "kubernetes.semver",
    subjects: &[FUNCTIONS],
    types: &[],
};

const FUNCTIONS: &[Function] = &[
    function(
        "semver",
        "Parses a semantic version; with true, it reads v1.2 as 1.2.0.",
        Counted::ByName(PARSE),
        &[("semver('1.2.3').major()", "1"), ("semver('v1.2', true).patch()", "0")],
        &[
            overload("string_to_semver", "(string) -> kubernetes.Semver", PARSE, make),
            overload(
                "string_bool_to_semver",
                "(string, bool) -> kubernetes.Semver",
                PARSE,
                make,
            ),
        ],
    )
    .guard("isSemver")
    .spelling(Spelling::Version),
    function(
        "isSemver",
        "Whether a string is a semantic version; with true, forms such as v1.2 are accepted.",
        Counted::ByName(PARSE),
        &[("isSemver('1.0.0')", "true"), ("isSemver('v1.0', true)", "true")],
        &[
            overload("is_semver_string", "(string) -> bool", PARSE, is_semver),
            overload("is_semver_string_bool", "(string, bool) -> bool", PARSE, is_semver),
        ],
    )
    .total()
    .spelling(Spelling::Version),
    function(
        "isGreaterThan",
        "Whether it comes after the other.",
        Counted::ByName(Cost::ONE),
        &[("semver('1.1.0').isGreaterThan(semver('1.0.9'))", "true")],
        &[overload(
            "semver_is_greater_than",
            "kubernetes.Semver.(kubernetes.Semver) -> bool",
            Cost::ONE,
            |_, args| Ok(Value::Bool(order(args)?.is_gt())),
        )],
    ),
    function(
        "isLessThan",
        "Whether it comes before the other.",
        Counted::ByName(Cost::ONE),
        &[("semver('1.0.0').isLessThan(semver('1.2.0'))", "true")],
        &[overload(
            "semver_is_less_than",
            "kubernetes.Semver.(kubernetes.Semver) -> bool",
            Cost::ONE,
            |_, args| Ok(Value::Bool(order(args)?.is_lt())),
        )],
    ),
    function(
        "compareTo",
        "-1, 0 or 1 as it comes before, is or comes after the other.",
        Counted::ByName(Cost::ONE),
        &[("semver('1.0.0').compareTo(semver('1.0.0'))", "0")],
        &[overload(
            "semver_compare_to",
            "kubernetes.Semver.(kubernetes.Semver) -> int",
            Cost::ONE,
            |_, args| Ok(Value::Int(order(args)? as i64)),
        )],
    ),
    function(
        "major",
        "The first number.",
        Counted::ByName(Cost::ONE),
        &[("semver('1.2.3').major()", "1")],
        &[overload(
            "semver_major",
            "kubernetes.Semver.() -> int",
            Cost::ONE,
            |_, args| Ok(Value::Int(semver(&args[0])?.major as i64)),
        )],
    ),
    function(
        "minor",
        "The second number.",
        Counted::ByName(Cost::ONE),
        &[("semver('1.2.3').minor()", "2")],
        &[overload(
            "semver_minor",
            "kubernetes.Semver.() -> int",
            Cost::ONE,
            |_, args| Ok(Value::Int(semver(&args[0])?.minor as i64)),
        )],
    ),
    function(
        "patch",
        "The third number.",
        Counted::ByName(Cost::ONE),
        &[("semver('1.2.3').patch()", "3")],
        &[overload(
            "semver_patch",
            "kubernetes.Semver.() -> int",
            Cost::ONE,
            |_, args| Ok(Value::Int(semver(&args[0])?.patch as i64)),
        )],
    ),
];

fn semver(value: &Value) -> Result<&Semver> {
    match value {
        Value::Opaque(Opaque::Semver(version)) => Ok(version),
        _ => Err(EvalError::no_such_overload()),
    }
}

fn make(_: KubernetesVersion, args: &[Value]) -> Result {
    let version = parse(args)?.map_err(EvalError::new)?;
    Ok(Value::Opaque(Opaque::Semver(Arc::new(version))))
}

fn is_semver(_: KubernetesVersion, args: &[Value]) -> Result {
    Ok(Value::Bool(parse(args)?.is_ok()))
}

fn parse(args: &[Value]) -> Result<std::result::Result<Semver, String>> {
    let text = text(&args[0])?;
    match args.get(1) {
        None | Some(Value::Bool(false)) => Ok(Semver::parse(text)),
        Some(Value::Bool(true)) => Ok(Semver::parse_normalized(text)),
        Some(_) => Err(EvalError::no_such_overload()),
    }
}

fn order(args: &[Value]) -> Result<Ordering> {
    Ok(semver(&args[0])?.compare(semver(&args[1])?))
}
