//! Resource quantities (`k8s.io/apiserver/pkg/cel/library`, `Quantity`).

use std::cmp::Ordering;
use std::sync::Arc;

use super::costs::PARSE;
use super::declaration::{Cost, Counted, Function, Library, Spelling, function, overload};
use super::operands::text;
use crate::KubernetesVersion;
use crate::value::{EvalError, Opaque, Quantity, Result, Value};

/// The quantity library.
pub(super) const LIBRARY: Library = Library {
    name: "kubernetes.quantity",
    subjects: &[FUNCTIONS],
    types: &[],
};

const FUNCTIONS: &[Function] = &[
    function(
        "quantity",
        "Parses a quantity; an error if the string is not one.",
        Counted::ByName(PARSE),
        &[("quantity('1k') == quantity('1000')", "true")],
        &[overload(
            "string_to_quantity",
            "(string) -> kubernetes.Quantity",
            PARSE,
            |_, args| {
                let quantity = Quantity::parse(text(&args[0])?).map_err(EvalError::new)?;
                Ok(Value::Opaque(Opaque::Quantity(Arc::new(quantity))))
            },
        )],
    )
    .guard("isQuantity")
    .spelling(Spelling::Quantity)
    .function_rank(1),
    function(
        "isQuantity",
        "Whether a string is a quantity.",
        Counted::ByName(PARSE),
        &[("isQuantity('1.3Gi')", "true")],
        &[overload("is_quantity_string", "(string) -> bool", PARSE, |_, args| {
            Ok(Value::Bool(Quantity::parse(text(&args[0])?).is_ok()))
        })],
    )
    .total()
    .spelling(Spelling::Quantity)
    .function_rank(1),
    function(
        "sign",
        "1, 0 or -1.",
        Counted::ByName(Cost::ONE),
        &[("sign(quantity('-1'))", "-1")],
        &[overload(
            "quantity_sign",
            "(kubernetes.Quantity) -> int",
            Cost::ONE,
            |_, args| Ok(Value::Int(quantity(&args[0])?.sign())),
        )],
    ),
    function(
        "isGreaterThan",
        "Whether it is greater than the other.",
        Counted::ByName(Cost::ONE),
        &[("quantity('1k').isGreaterThan(quantity('1'))", "true")],
        &[overload(
            "quantity_is_greater_than",
            "kubernetes.Quantity.(kubernetes.Quantity) -> bool",
            Cost::ONE,
            |_, args| Ok(Value::Bool(order(args)?.is_gt())),
        )],
    )
    .method_rank(2),
    function(
        "isLessThan",
        "Whether it is less than the other.",
        Counted::ByName(Cost::ONE),
        &[("quantity('1').isLessThan(quantity('1k'))", "true")],
        &[overload(
            "quantity_is_less_than",
            "kubernetes.Quantity.(kubernetes.Quantity) -> bool",
            Cost::ONE,
            |_, args| Ok(Value::Bool(order(args)?.is_lt())),
        )],
    ),
    function(
        "compareTo",
        "-1, 0 or 1 as it is less than, equal to or greater than the other.",
        Counted::ByName(Cost::ONE),
        &[("quantity('1k').compareTo(quantity('1'))", "1")],
        &[overload(
            "quantity_compare_to",
            "kubernetes.Quantity.(kubernetes.Quantity) -> int",
            Cost::ONE,
            |_, args| Ok(Value::Int(order(args)? as i64)),
        )],
    )
    .method_rank(1),
    function(
        "asApproximateFloat",
        "The quantity as a double, which may lose digits.",
        Counted::ByName(Cost::ONE),
        &[("quantity('1.5').asApproximateFloat()", "1.5")],
        &[overload(
            "quantity_get_float",
            "kubernetes.Quantity.() -> double",
            Cost::ONE,
            |_, args| Ok(Value::Double(quantity(&args[0])?.approximate())),
        )],
    ),
    function(
        "asInteger",
        "The quantity as an int; an error if it does not fit.",
        Counted::ByName(Cost::ONE),
        &[("quantity('1k').asInteger()", "1000")],
        &[overload(
            "quantity_get_int",
            "kubernetes.Quantity.() -> int",
            Cost::ONE,
            |_, args| {
                let int = quantity(&args[0])?.as_int();
                int.map(Value::Int)
                    .ok_or_else(|| EvalError::new("cannot convert value to integer"))
            },
        )],
    ),
    function(
        "isInteger",
        "Whether asInteger succeeds.",
        Counted::ByName(Cost::ONE),
        &[("quantity('1.5').isInteger()", "false")],
        &[overload(
            "quantity_is_integer",
            "kubernetes.Quantity.() -> bool",
            Cost::ONE,
            |_, args| Ok(Value::Bool(quantity(&args[0])?.as_int().is_some())),
        )],
    ),
    function(
        "add",
        "The sum with another quantity or an int.",
        Counted::ByName(Cost::ONE),
        &[("quantity('1k').add(5) == quantity('1005')", "true")],
        &[
            overload(
                "quantity_add",
                "kubernetes.Quantity.(kubernetes.Quantity) -> kubernetes.Quantity",
                Cost::ONE,
                add,
            ),
            overload(
                "quantity_add_int",
                "kubernetes.Quantity.(int) -> kubernetes.Quantity",
                Cost::ONE,
                add,
            ),
        ],
    ),
    function(
        "sub",
        "The difference to another quantity or an int.",
        Counted::ByName(Cost::ONE),
        &[("quantity('1k').sub(5) == quantity('995')", "true")],
        &[
            overload(
                "quantity_sub",
                "kubernetes.Quantity.(kubernetes.Quantity) -> kubernetes.Quantity",
                Cost::ONE,
                sub,
            ),
            overload(
                "quantity_sub_int",
                "kubernetes.Quantity.(int) -> kubernetes.Quantity",
                Cost::ONE,
                sub,
            ),
        ],
    ),
];

fn quantity(value: &Value) -> Result<&Quantity> {
    match value {
        Value::Opaque(Opaque::Quantity(quantity)) => Ok(quantity),
        _ => Err(EvalError::no_such_overload()),
    }
}

fn order(args: &[Value]) -> Result<Ordering> {
    Ok(quantity(&args[0])?.compare(quantity(&args[1])?))
}

fn add(version: KubernetesVersion, args: &[Value]) -> Result {
    sum(version, args, Quantity::plus)
}

fn sub(version: KubernetesVersion, args: &[Value]) -> Result {
    sum(version, args, Quantity::minus)
}

fn sum(version: KubernetesVersion, args: &[Value], operation: fn(&Quantity, &Quantity, bool) -> Quantity) -> Result {
    let this = quantity(&args[0])?;
    let in_place = version.number() <= 36;
    let sum = match &args[1] {
        Value::Int(number) => operation(this, &Quantity::from_int(*number), in_place),
        other => operation(this, quantity(other)?, in_place),
    };
    Ok(Value::Opaque(Opaque::Quantity(Arc::new(sum))))
}
