//! IP addresses (`k8s.io/apiserver/pkg/cel/library`, `IP`).

use super::{Function, Library, function, overload};
use crate::cost::calls;

/// The IP library.
pub(super) const LIBRARY: Library = Library {
    name: "kubernetes.net.ip",
    functions: FUNCTIONS,
    types: &["net.IP"],
};

const FUNCTIONS: &[Function] = &[
    function("ip", "The IP address that a string spells; an error if it is none.")
        .examples(&[("string(ip('127.0.0.1'))", "'127.0.0.1'")])
        .cost(calls::parse)
        .overloads(&[overload("string_to_ip", "(string) -> net.IP")]),
    function(
        "ip.isCanonical",
        "Whether a string is an IP address as it would be printed.",
    )
    .examples(&[("ip.isCanonical('::1')", "true")])
    .cost(calls::parse_twice)
    .overloads(&[overload("ip_is_canonical", "(string) -> bool")]),
    function("isIP", "Whether a string is an IP address.")
        .examples(&[("isIP('127.0.0.1')", "true")])
        .cost(calls::parse)
        .overloads(&[overload("is_ip", "(string) -> bool")]),
    function("string", "The address as text.").overloads(&[overload("ip_to_string", "(net.IP) -> string")]),
    function("family", "4 or 6.")
        .examples(&[("ip('::1').family()", "6")])
        .overloads(&[overload("ip_family", "net.IP.() -> int")]),
    function("isUnspecified", "Whether it is the address that stands for any.")
        .examples(&[("ip('0.0.0.0').isUnspecified()", "true")])
        .overloads(&[overload("ip_is_unspecified", "net.IP.() -> bool")]),
    function("isLoopback", "Whether it is a loopback address.")
        .examples(&[("ip('127.0.0.1').isLoopback()", "true")])
        .overloads(&[overload("ip_is_loopback", "net.IP.() -> bool")]),
    function("isLinkLocalMulticast", "Whether it is a link-local multicast address.")
        .examples(&[("ip('224.0.0.1').isLinkLocalMulticast()", "true")])
        .overloads(&[overload("ip_is_link_local_multicast", "net.IP.() -> bool")]),
    function("isLinkLocalUnicast", "Whether it is a link-local unicast address.")
        .examples(&[("ip('169.254.169.254').isLinkLocalUnicast()", "true")])
        .overloads(&[overload("ip_is_link_local_unicast", "net.IP.() -> bool")]),
    function("isGlobalUnicast", "Whether it is a global unicast address.")
        .examples(&[("ip('192.168.0.1').isGlobalUnicast()", "true")])
        .overloads(&[overload("ip_is_global_unicast", "net.IP.() -> bool")]),
];
