//! URLs (`k8s.io/apiserver/pkg/cel/library`, `URLs`).

use std::sync::Arc;

use crd_analyzer_gostd::url::{Url, parse_request_uri};

use super::costs::{STRING, traversal};
use super::declaration::{Cost, Counted, Function, Library, Spelling, cost, function, overload};
use super::operands::text;
use crate::value::network::parse_url;
use crate::value::{EvalError, Map, Opaque, Result, Value};

/// The URL library.
pub(super) const LIBRARY: Library = Library {
    name: "kubernetes.urls",
    subjects: &[FUNCTIONS],
    types: &[],
};

const FUNCTIONS: &[Function] = &[
    function(
        "url",
        "Parses a URL; an error if the string is not one.",
        Counted::ByName(PARSE_URL),
        &[("url('https://example.com/a').getHost()", "'example.com'")],
        &[overload(
            "string_to_url",
            "(string) -> kubernetes.URL",
            PARSE_URL,
            |_, args| {
                let url = parse_url(text(&args[0])?)
                    .map_err(|e| EvalError::new(format!("URL parse error during conversion from string: {e}")))?;
                Ok(Value::Opaque(Opaque::Url(Arc::new(url))))
            },
        )],
    )
    .guard("isURL")
    .spelling(Spelling::Url)
    .function_rank(1),
    function(
        "isURL",
        "Whether a string is an absolute URL.",
        Counted::ByOverload,
        &[("isURL('https://example.com')", "true")],
        &[overload("is_url_string", "(string) -> bool", Cost::ONE, |_, args| {
            Ok(Value::Bool(parse_request_uri(text(&args[0])?).is_ok()))
        })],
    )
    .total()
    .spelling(Spelling::Url)
    .function_rank(1),
    function(
        "getScheme",
        "The scheme, empty if there is none.",
        Counted::ByName(Cost::ONE),
        &[("url('https://example.com:80/a b?k=v').getScheme()", "'https'")],
        &[overload(
            "url_get_scheme",
            "kubernetes.URL.() -> string",
            Cost::ONE,
            |_, args| Ok(url(&args[0])?.scheme().into()),
        )],
    ),
    function(
        "getHost",
        "The host with its port.",
        Counted::ByName(Cost::ONE),
        &[("url('https://example.com:80/a b?k=v').getHost()", "'example.com:80'")],
        &[overload(
            "url_get_host",
            "kubernetes.URL.() -> string",
            Cost::ONE,
            |_, args| Ok(lossy(url(&args[0])?.host())),
        )],
    ),
    function(
        "getHostname",
        "The host without port.",
        Counted::ByName(Cost::ONE),
        &[("url('https://example.com:80/a b?k=v').getHostname()", "'example.com'")],
        &[overload(
            "url_get_hostname",
            "kubernetes.URL.() -> string",
            Cost::ONE,
            |_, args| Ok(lossy(url(&args[0])?.hostname())),
        )],
    ),
    function(
        "getPort",
        "The port, empty if there is none.",
        Counted::ByName(Cost::ONE),
        &[("url('https://example.com:80/a b?k=v').getPort()", "'80'")],
        &[overload(
            "url_get_port",
            "kubernetes.URL.() -> string",
            Cost::ONE,
            |_, args| Ok(lossy(url(&args[0])?.port())),
        )],
    ),
    function(
        "getEscapedPath",
        "The path, escaped.",
        Counted::ByName(Cost::ONE),
        &[("url('https://example.com:80/a b?k=v').getEscapedPath()", "'/a%20b'")],
        &[overload(
            "url_get_escaped_path",
            "kubernetes.URL.() -> string",
            Cost::ONE,
            |_, args| Ok(url(&args[0])?.escaped_path().into()),
        )],
    ),
    function(
        "getQuery",
        "The query as a map from names to lists of values.",
        Counted::ByName(Cost::ONE),
        &[("url('https://example.com/?k=v').getQuery()", "{'k': ['v']}")],
        &[overload(
            "url_get_query",
            "kubernetes.URL.() -> map(string, list(string))",
            Cost::ONE,
            |_, args| {
                let query = url(&args[0])?.query().into_iter().map(|(name, values)| {
                    let values = values.iter().map(|it| lossy(it)).collect();
                    (lossy_text(&name).into(), Value::list(values))
                });
                Ok(Value::Map(Map::of_names(query)))
            },
        )],
    ),
];

/// The cost of reading the argument once. The size of the result is known since 1.32.
const PARSE_URL: Cost = cost(
    |coster, call| {
        let size = coster.library_size(call.args.first()?);
        let cost = size.times_factor(STRING);
        Some(if coster.features().version.number() >= 32 {
            call.gives(cost, size)
        } else {
            call.costs(cost)
        })
    },
    |call| Ok(traversal(call.size(0) as f64)),
);

fn url(value: &Value) -> Result<&Url> {
    match value {
        Value::Opaque(Opaque::Url(url)) => Ok(url),
        _ => Err(EvalError::no_such_overload()),
    }
}

/// Decodes bytes like Go: one replacement character for each byte that is not part of a UTF-8 character.
fn lossy_text(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    out
}

fn lossy(bytes: &[u8]) -> Value {
    lossy_text(bytes).into()
}
