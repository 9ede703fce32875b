//! Quantities of resources (`k8s.io/apiserver/pkg/cel/library`, `Quantity`).

use super::{Function, Library, function, overload};
use crate::cost::calls;

/// The quantity library.
pub(super) const LIBRARY: Library = Library {
    name: "kubernetes.quantity",
    functions: FUNCTIONS,
    types: &[],
};

const FUNCTIONS: &[Function] = &[
    function("quantity", "The quantity that a string spells; an error if it is none.")
        .examples(&[("quantity('1k') == quantity('1000')", "true")])
        .cost(calls::parse)
        .overloads(&[overload("string_to_quantity", "(string) -> kubernetes.Quantity")]),
    function("isQuantity", "Whether a string is a quantity.")
        .examples(&[("isQuantity('1.3Gi')", "true")])
        .cost(calls::parse)
        .overloads(&[overload("is_quantity_string", "(string) -> bool")]),
    function("sign", "1, 0 or -1.")
        .examples(&[("sign(quantity('-1'))", "-1")])
        .overloads(&[overload("quantity_sign", "(kubernetes.Quantity) -> int")]),
    function("isGreaterThan", "Whether it is greater than the other.")
        .examples(&[("quantity('1k').isGreaterThan(quantity('1'))", "true")])
        .overloads(&[overload(
            "quantity_is_greater_than",
            "kubernetes.Quantity.(kubernetes.Quantity) -> bool",
        )]),
    function("isLessThan", "Whether it is less than the other.")
        .examples(&[("quantity('1').isLessThan(quantity('1k'))", "true")])
        .overloads(&[overload(
            "quantity_is_less_than",
            "kubernetes.Quantity.(kubernetes.Quantity) -> bool",
        )]),
    function(
        "compareTo",
        "-1, 0 or 1 as it is less than, equal to or greater than the other.",
    )
    .examples(&[("quantity('1k').compareTo(quantity('1'))", "1")])
    .overloads(&[overload(
        "quantity_compare_to",
        "kubernetes.Quantity.(kubernetes.Quantity) -> int",
    )]),
    function("asApproximateFloat", "The quantity as a double, which may lose digits.")
        .examples(&[("quantity('1.5').asApproximateFloat()", "1.5")])
        .overloads(&[overload("quantity_get_float", "kubernetes.Quantity.() -> double")]),
    function("asInteger", "The quantity as an int; an error if it is none.")
        .examples(&[("quantity('1k').asInteger()", "1000")])
        .overloads(&[overload("quantity_get_int", "kubernetes.Quantity.() -> int")]),
    function("isInteger", "Whether asInteger gives no error.")
        .examples(&[("quantity('1.5').isInteger()", "false")])
        .overloads(&[overload("quantity_is_integer", "kubernetes.Quantity.() -> bool")]),
    function("add", "The sum with another quantity or an int.")
        .examples(&[("quantity('1k').add(5) == quantity('1005')", "true")])
        .overloads(&[
            overload(
                "quantity_add",
                "kubernetes.Quantity.(kubernetes.Quantity) -> kubernetes.Quantity",
            ),
            overload("quantity_add_int", "kubernetes.Quantity.(int) -> kubernetes.Quantity"),
        ]),
    function("sub", "The difference to another quantity or an int.")
        .examples(&[("quantity('1k').sub(5) == quantity('995')", "true")])
        .overloads(&[
            overload(
                "quantity_sub",
                "kubernetes.Quantity.(kubernetes.Quantity) -> kubernetes.Quantity",
            ),
            overload("quantity_sub_int", "kubernetes.Quantity.(int) -> kubernetes.Quantity"),
        ]),
];
