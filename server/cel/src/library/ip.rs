//! IP addresses (`k8s.io/apiserver/pkg/cel/library`, `IP`).

use crd_analyzer_gostd::netip::Addr;

use super::costs::{PARSE, STRING, traversal};
use super::declaration::{Cost, Counted, Function, Library, Spelling, cost, function, overload};
use super::operands::text;
use super::standard::as_string;
use crate::value::network::parse_ip;
use crate::value::{EvalError, Opaque, Result, Value};

/// The IP library.
pub(super) const LIBRARY: Library = Library {
    name: "kubernetes.net.ip",
    subjects: &[FUNCTIONS],
    types: &["net.IP"],
};

const FUNCTIONS: &[Function] = &[
    function(
        "ip",
        "Parses an IP address; an error if the string is not one.",
        Counted::ByName(PARSE),
        &[("string(ip('127.0.0.1'))", "'127.0.0.1'")],
        &[overload("string_to_ip", "(string) -> net.IP", PARSE, |_, args| {
            Ok(Value::Opaque(Opaque::Ip(parse(&args[0])?)))
        })],
    )
    .guard("isIP")
    .spelling(Spelling::Address)
    .function_rank(1),
    function(
        "ip.isCanonical",
        "Whether a string is an IP address in its canonical form.",
        Counted::ByName(PARSE_AND_PRINT),
        &[("ip.isCanonical('::1')", "true")],
        &[overload(
            "ip_is_canonical",
            "(string) -> bool",
            PARSE_AND_PRINT,
            |_, args| {
                let ip = parse(&args[0])?;
                Ok(Value::Bool(ip.to_string() == text(&args[0])?))
            },
        )],
    )
    .spelling(Spelling::Address),
    function(
        "isIP",
        "Whether a string is an IP address.",
        Counted::ByName(PARSE),
        &[("isIP('127.0.0.1')", "true")],
        &[overload("is_ip", "(string) -> bool", PARSE, |_, args| {
            Ok(Value::Bool(parse_ip(text(&args[0])?).is_ok()))
        })],
    )
    .total()
    .spelling(Spelling::Address)
    .function_rank(1),
    function(
        "string",
        "The address as a string.",
        Counted::ByOverload,
        &[("string(ip('::1'))", "'::1'")],
        &[overload("ip_to_string", "(net.IP) -> string", Cost::ONE, |_, args| {
            as_string(&args[0])
        })],
    ),
    function(
        "family",
        "4 or 6.",
        Counted::ByName(Cost::ONE),
        &[("ip('::1').family()", "6")],
        &[overload("ip_family", "net.IP.() -> int", Cost::ONE, |_, args| {
            Ok(Value::Int(if ip(&args[0])?.bits() == 32 { 4 } else { 6 }))
        })],
    ),
    function(
        "isUnspecified",
        "Whether it is the unspecified address, `0.0.0.0` or `::`.",
        Counted::ByName(Cost::ONE),
        &[("ip('0.0.0.0').isUnspecified()", "true")],
        &[overload(
            "ip_is_unspecified",
            "net.IP.() -> bool",
            Cost::ONE,
            |_, args| Ok(Value::Bool(ip(&args[0])?.is_unspecified())),
        )],
    ),
    function(
        "isLoopback",
        "Whether it is a loopback address.",
        Counted::ByName(Cost::ONE),
        &[("ip('127.0.0.1').isLoopback()", "true")],
        &[overload("ip_is_loopback", "net.IP.() -> bool", Cost::ONE, |_, args| {
            Ok(Value::Bool(ip(&args[0])?.is_loopback()))
        })],
    ),
    function(
        "isLinkLocalMulticast",
        "Whether it is a link-local multicast address.",
        Counted::ByName(Cost::ONE),
        &[("ip('224.0.0.1').isLinkLocalMulticast()", "true")],
        &[overload(
            "ip_is_link_local_multicast",
            "net.IP.() -> bool",
            Cost::ONE,
            |_, args| Ok(Value::Bool(ip(&args[0])?.is_link_local_multicast())),
        )],
    ),
    function(
        "isLinkLocalUnicast",
        "Whether it is a link-local unicast address.",
        Counted::ByName(Cost::ONE),
        &[("ip('169.254.169.254').isLinkLocalUnicast()", "true")],
        &[overload(
            "ip_is_link_local_unicast",
            "net.IP.() -> bool",
            Cost::ONE,
            |_, args| Ok(Value::Bool(ip(&args[0])?.is_link_local_unicast())),
        )],
    ),
    function(
        "isGlobalUnicast",
        "Whether it is a global unicast address.",
        Counted::ByName(Cost::ONE),
        &[("ip('192.168.0.1').isGlobalUnicast()", "true")],
        &[overload(
            "ip_is_global_unicast",
            "net.IP.() -> bool",
            Cost::ONE,
            |_, args| Ok(Value::Bool(ip(&args[0])?.is_global_unicast())),
        )],
    ),
];

/// The cost of parsing, printing and comparing.
const PARSE_AND_PRINT: Cost = cost(
    |coster, call| Some(call.costs(coster.library_size(call.args.first()?).times_factor(2.0 * STRING))),
    |call| Ok(traversal(call.size(0) as f64 * 2.0)),
);

fn ip(value: &Value) -> Result<Addr> {
    match value {
        Value::Opaque(Opaque::Ip(ip)) => Ok(*ip),
        _ => Err(EvalError::no_such_overload()),
    }
}

/// Parses the address in a string.
pub(super) fn parse(value: &Value) -> Result<Addr> {
    parse_ip(text(value)?).map_err(EvalError::new)
}
