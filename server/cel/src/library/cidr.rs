//! Address ranges (`k8s.io/apiserver/pkg/cel/library`, `CIDR`).

use super::{Function, Library, function, overload};
use crate::cost::calls;

/// The CIDR library.
pub(super) const LIBRARY: Library = Library {
    name: "kubernetes.net.cidr",
    functions: FUNCTIONS,
    types: &["net.CIDR"],
};

const FUNCTIONS: &[Function] = &[
    function(
        "cidr",
        "The address range that a string spells; an error if it is none.",
    )
    .examples(&[("string(cidr('192.168.0.0/16'))", "'192.168.0.0/16'")])
    .cost(calls::parse)
    .overloads(&[overload("string_to_cidr", "(string) -> net.CIDR")]),
    function("isCIDR", "Whether a string is an address range.")
        .examples(&[("isCIDR('192.168.0.0/16')", "true")])
        .cost(calls::parse)
        .overloads(&[overload("is_cidr", "(string) -> bool")]),
    function("containsIP", "Whether the range has the address in it.")
        .examples(&[("cidr('192.168.0.0/24').containsIP('192.168.0.1')", "true")])
        .cost(calls::contains_ip)
        .overloads(&[
            overload("cidr_contains_ip_string", "net.CIDR.(string) -> bool"),
            overload("cidr_contains_ip_ip", "net.CIDR.(net.IP) -> bool"),
        ]),
    function("containsCIDR", "Whether the range has the other one in it.")
        .examples(&[("cidr('192.168.0.0/16').containsCIDR('192.168.10.0/24')", "true")])
        .cost(calls::contains_cidr)
        .overloads(&[
            overload("cidr_contains_cidr_string", "net.CIDR.(string) -> bool"),
            overload("cidr_contains_cidr", "net.CIDR.(net.CIDR) -> bool"),
        ]),
    function("ip", "The address of the range.")
        .examples(&[("string(cidr('192.168.0.1/24').ip())", "'192.168.0.1'")])
        .overloads(&[overload("cidr_ip", "net.CIDR.() -> net.IP")]),
    function("prefixLength", "The number of bits of the prefix.")
        .examples(&[("cidr('192.168.0.0/24').prefixLength()", "24")])
        .overloads(&[overload("cidr_prefix_length", "net.CIDR.() -> int")]),
    function("masked", "The range with the bits past its prefix cleared.")
        .examples(&[("string(cidr('192.168.0.1/24').masked())", "'192.168.0.0/24'")])
        .overloads(&[overload("cidr_masked", "net.CIDR.() -> net.CIDR")]),
    function("string", "The range as text.").overloads(&[overload("cidr_to_string", "(net.CIDR) -> string")]),
];
