//! Address ranges (`k8s.io/apiserver/pkg/cel/library`, `CIDR`).

use crd_analyzer_gostd::netip::Prefix;

use super::costs::{PARSE, STRING, traversal};
use super::declaration::{CallRecord, Cost, Counted, Function, Library, Spelling, cost, function, overload};
use super::ip;
use super::operands::text;
use super::standard::as_string;
use crate::KubernetesVersion;
use crate::cost::{Call, CostEstimate, Coster, SizeEstimate};
use crate::value::network::parse_cidr;
use crate::value::{EvalError, Opaque, Result, Value};

/// The CIDR library.
pub(super) const LIBRARY: Library = Library {
    name: "kubernetes.net.cidr",
    subjects: &[FUNCTIONS],
    types: &["net.CIDR"],
};

const FUNCTIONS: &[Function] = &[
    function(
        "cidr",
        "Parses an address range; an error if the string is not one.",
        Counted::ByName(PARSE),
        &[("string(cidr('192.168.0.0/16'))", "'192.168.0.0/16'")],
        &[overload("string_to_cidr", "(string) -> net.CIDR", PARSE, |_, args| {
            Ok(Value::Opaque(Opaque::Cidr(parse(&args[0])?)))
        })],
    )
    .guard("isCIDR")
    .spelling(Spelling::Network)
    .function_rank(1),
    function(
        "isCIDR",
        "Whether a string is an address range.",
        Counted::ByName(PARSE),
        &[("isCIDR('192.168.0.0/16')", "true")],
        &[overload("is_cidr", "(string) -> bool", PARSE, |_, args| {
            Ok(Value::Bool(parse_cidr(text(&args[0])?).is_ok()))
        })],
    )
    .total()
    .spelling(Spelling::Network)
    .function_rank(1),
    function(
        "containsIP",
        "Whether the range contains the address.",
        Counted::ByName(CONTAINS_IP),
        &[("cidr('192.168.0.0/24').containsIP('192.168.0.1')", "true")],
        &[
            overload(
                "cidr_contains_ip_string",
                "net.CIDR.(string) -> bool",
                CONTAINS_IP_TEXT,
                contains_ip,
            ),
            overload(
                "cidr_contains_ip_ip",
                "net.CIDR.(net.IP) -> bool",
                CONTAINS_IP,
                contains_ip,
            ),
        ],
    )
    .spelling(Spelling::Address),
    function(
        "containsCIDR",
        "Whether the range contains the other range.",
        Counted::ByName(CONTAINS_CIDR),
        &[("cidr('192.168.0.0/16').containsCIDR('192.168.10.0/24')", "true")],
        &[
            overload(
                "cidr_contains_cidr_string",
                "net.CIDR.(string) -> bool",
                CONTAINS_CIDR_TEXT,
                contains_cidr,
            ),
            overload(
                "cidr_contains_cidr",
                "net.CIDR.(net.CIDR) -> bool",
                CONTAINS_CIDR,
                contains_cidr,
            ),
        ],
    )
    .spelling(Spelling::Network),
    function(
        "ip",
        "The address of the range.",
        // The cost depends on the function's name, because the function that parses an address is also called `ip`. Kubernetes distinguishes the two
        // only if the overload is known.
        Counted::ByName(PARSE),
        &[("string(cidr('192.168.0.1/24').ip())", "'192.168.0.1'")],
        &[overload("cidr_ip", "net.CIDR.() -> net.IP", Cost::ONE, |_, args| {
            Ok(Value::Opaque(Opaque::Ip(cidr(&args[0])?.addr)))
        })],
    ),
    function(
        "prefixLength",
        "The number of bits of the prefix.",
        Counted::ByName(Cost::ONE),
        &[("cidr('192.168.0.0/24').prefixLength()", "24")],
        &[overload(
            "cidr_prefix_length",
            "net.CIDR.() -> int",
            Cost::ONE,
            |_, args| Ok(Value::Int(i64::from(cidr(&args[0])?.bits))),
        )],
    ),
    function(
        "masked",
        "The range with the bits past its prefix cleared.",
        Counted::ByName(Cost::ONE),
        &[("string(cidr('192.168.0.1/24').masked())", "'192.168.0.0/24'")],
        &[overload(
            "cidr_masked",
            "net.CIDR.() -> net.CIDR",
            Cost::ONE,
            |_, args| Ok(Value::Opaque(Opaque::Cidr(cidr(&args[0])?.masked()))),
        )],
    ),
    function(
        "string",
        "The range as a string.",
        Counted::ByOverload,
        &[("string(cidr('10.0.0.0/8'))", "'10.0.0.0/8'")],
        &[overload(
            "cidr_to_string",
            "(net.CIDR) -> string",
            Cost::ONE,
            |_, args| as_string(&args[0]),
        )],
    ),
];

/// The cost of comparing addresses.
const CONTAINS_IP: Cost = cost(|_, call| Some(call.costs(compared())), |call| Ok(contains_cost(call)));

/// The cost of comparing addresses and parsing one of them.
const CONTAINS_IP_TEXT: Cost = cost(
    |coster, call| Some(call.costs(compared().plus(parsed(coster, call)?))),
    |call| Ok(contains_cost(call) + traversal(call.size(1) as f64)),
);

/// The cost of comparing addresses and masking one of them.
const CONTAINS_CIDR: Cost = cost(
    |_, call| Some(call.costs(compared().plus(masked()))),
    |call| Ok(contains_cost(call) + masked_cost(call)),
);

/// The cost of comparing addresses, masking one of them and parsing the range.
const CONTAINS_CIDR_TEXT: Cost = cost(
    |coster, call| Some(call.costs(compared().plus(masked()).plus(parsed(coster, call)?))),
    |call| Ok(contains_cost(call) + masked_cost(call) + traversal(call.size(1) as f64)),
);

/// The size of an address in bytes.
const ADDRESS: SizeEstimate = SizeEstimate { min: 4, max: 16 };

fn compared() -> CostEstimate {
    ADDRESS.plus(ADDRESS).times_factor(STRING)
}

fn masked() -> CostEstimate {
    ADDRESS.times_factor(STRING).plus(CostEstimate::fixed(1))
}

fn parsed(coster: &Coster<'_>, call: &Call<'_>) -> Option<CostEstimate> {
    Some(coster.library_size(call.args.first()?).times_factor(STRING))
}

fn contains_cost(call: &CallRecord<'_>) -> u64 {
    traversal((call.size(0) * 2) as f64)
}

fn masked_cost(call: &CallRecord<'_>) -> u64 {
    traversal(call.size(0) as f64) + 1
}

fn cidr(value: &Value) -> Result<Prefix> {
    match value {
        Value::Opaque(Opaque::Cidr(cidr)) => Ok(*cidr),
        _ => Err(EvalError::no_such_overload()),
    }
}

fn parse(value: &Value) -> Result<Prefix> {
    parse_cidr(text(value)?).map_err(|e| {
        EvalError::new(format!(
            "network address parse error during conversion from string: {e}"
        ))
    })
}

fn contains_ip(_: KubernetesVersion, args: &[Value]) -> Result {
    let other = match &args[1] {
        Value::Opaque(Opaque::Ip(ip)) => *ip,
        // The API server does not report what is wrong with the string.
        other => ip::parse(other).map_err(|_| EvalError::no_such_overload())?,
    };
    Ok(Value::Bool(cidr(&args[0])?.contains(other)))
}

fn contains_cidr(version: KubernetesVersion, args: &[Value]) -> Result {
    let other = match &args[1] {
        Value::Opaque(Opaque::Cidr(cidr)) => *cidr,
        other => parse(other)?,
    };
    let this = cidr(&args[0])?;
    // Up to 1.31, the other range had to start at the first address of this range.
    let contains = if version < KubernetesVersion::minor(32) {
        this.masked().addr == other.addr && this.bits <= other.bits
    } else {
        this.bits <= other.bits && this.contains(other.addr)
    };
    Ok(Value::Bool(contains))
}
