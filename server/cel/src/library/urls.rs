//! URLs (`k8s.io/apiserver/pkg/cel/library`, `URLs`).

use super::{Function, Library, function, overload};
use crate::cost::calls;

/// The URL library.
pub(super) const LIBRARY: Library = Library {
    name: "kubernetes.urls",
    functions: FUNCTIONS,
    types: &[],
};

const FUNCTIONS: &[Function] = &[
    function("url", "The URL that a string spells; an error if it is none.")
        .examples(&[("url('https://example.com/a').getHost()", "'example.com'")])
        .cost(calls::traverse_argument)
        .overloads(&[overload("string_to_url", "(string) -> kubernetes.URL")]),
    function("isURL", "Whether a string is an absolute URL.")
        .examples(&[("isURL('https://example.com')", "true")])
        .overloads(&[overload("is_url_string", "(string) -> bool")]),
    function("getScheme", "The scheme, empty if there is none.")
        .examples(&[("url('https://example.com:80/a b?k=v').getScheme()", "'https'")])
        .overloads(&[overload("url_get_scheme", "kubernetes.URL.() -> string")]),
    function("getHost", "The host with its port.")
        .examples(&[("url('https://example.com:80/a b?k=v').getHost()", "'example.com:80'")])
        .overloads(&[overload("url_get_host", "kubernetes.URL.() -> string")]),
    function("getHostname", "The host without port.")
        .examples(&[("url('https://example.com:80/a b?k=v').getHostname()", "'example.com'")])
        .overloads(&[overload("url_get_hostname", "kubernetes.URL.() -> string")]),
    function("getPort", "The port, empty if there is none.")
        .examples(&[("url('https://example.com:80/a b?k=v').getPort()", "'80'")])
        .overloads(&[overload("url_get_port", "kubernetes.URL.() -> string")]),
    function("getEscapedPath", "The path, escaped.")
        .examples(&[("url('https://example.com:80/a b?k=v').getEscapedPath()", "'/a%20b'")])
        .overloads(&[overload("url_get_escaped_path", "kubernetes.URL.() -> string")]),
    function("getQuery", "The query as a map from names to lists of values.")
        .examples(&[("url('https://example.com/?k=v').getQuery()", "{'k': ['v']}")])
        .overloads(&[overload(
            "url_get_query",
            "kubernetes.URL.() -> map(string, list(string))",
        )]),
];
