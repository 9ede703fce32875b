//! Named formats (`k8s.io/apiserver/pkg/cel/library`, `Format`).

use super::{Function, Library, function, overload};
use crate::cost::calls;

/// The format library.
pub(super) const LIBRARY: Library = Library {
    name: "kubernetes.format",
    functions: FUNCTIONS,
    types: &[],
};

const FUNCTIONS: &[Function] = &[
    function("format.named", "The format of this name, if there is one.")
        .examples(&[("format.named('dns1123Label').hasValue()", "true")])
        .overloads(&[overload(
            "format-named",
            "(string) -> optional_type(kubernetes.NamedFormat)",
        )]),
    function("validate", "What is wrong with a string, or none if it has the format.")
        .examples(&[("format.dns1123Label().validate('A').hasValue()", "true")])
        .cost(calls::validate_format)
        .overloads(&[overload(
            "format-validate",
            "kubernetes.NamedFormat.(string) -> optional_type(list(string))",
        )]),
    function("format.dns1123Label", "The format of RFC 1123 labels.")
        .examples(&[("format.dns1123Label().validate('my-label').hasValue()", "false")])
        .overloads(&[overload("format.dns1123Label", "() -> kubernetes.NamedFormat")]),
    function("format.dns1123Subdomain", "The format of RFC 1123 subdomains.")
        .examples(&[(
            "format.dns1123Subdomain().validate('apps.example.com').hasValue()",
            "false",
        )])
        .overloads(&[overload("format.dns1123Subdomain", "() -> kubernetes.NamedFormat")]),
    function("format.dns1035Label", "The format of RFC 1035 labels.")
        .examples(&[("format.dns1035Label().validate('my-label').hasValue()", "false")])
        .overloads(&[overload("format.dns1035Label", "() -> kubernetes.NamedFormat")]),
    function("format.qualifiedName", "The format of qualified names.")
        .examples(&[(
            "format.qualifiedName().validate('example.com/name').hasValue()",
            "false",
        )])
        .overloads(&[overload("format.qualifiedName", "() -> kubernetes.NamedFormat")]),
    function(
        "format.dns1123LabelPrefix",
        "The format of prefixes of RFC 1123 labels.",
    )
    .examples(&[("format.dns1123LabelPrefix().validate('my-label-').hasValue()", "false")])
    .overloads(&[overload("format.dns1123LabelPrefix", "() -> kubernetes.NamedFormat")]),
    function(
        "format.dns1123SubdomainPrefix",
        "The format of prefixes of RFC 1123 subdomains.",
    )
    .examples(&[("format.dns1123SubdomainPrefix().validate('my-').hasValue()", "false")])
    .overloads(&[overload(
        "format.dns1123SubdomainPrefix",
        "() -> kubernetes.NamedFormat",
    )]),
    function(
        "format.dns1035LabelPrefix",
        "The format of prefixes of RFC 1035 labels.",
    )
    .examples(&[("format.dns1035LabelPrefix().validate('my-label-').hasValue()", "false")])
    .overloads(&[overload("format.dns1035LabelPrefix", "() -> kubernetes.NamedFormat")]),
    function("format.labelValue", "The format of label values.")
        .examples(&[("format.labelValue().validate('my-value').hasValue()", "false")])
        .overloads(&[overload("format.labelValue", "() -> kubernetes.NamedFormat")]),
    function("format.uri", "The format of URIs.")
        .examples(&[("format.uri().validate('https://example.com').hasValue()", "false")])
        .overloads(&[overload("format.uri", "() -> kubernetes.NamedFormat")]),
    function("format.uuid", "The format of UUIDs.")
        .examples(&[(
            "format.uuid().validate('123e4567-e89b-12d3-a456-426614174000').hasValue()",
            "false",
        )])
        .overloads(&[overload("format.uuid", "() -> kubernetes.NamedFormat")]),
    function("format.byte", "The format of base64 text.")
        .examples(&[("format.byte().validate('aGVsbG8=').hasValue()", "false")])
        .overloads(&[overload("format.byte", "() -> kubernetes.NamedFormat")]),
    function("format.date", "The format of dates.")
        .examples(&[("format.date().validate('2021-01-01').hasValue()", "false")])
        .overloads(&[overload("format.date", "() -> kubernetes.NamedFormat")]),
    function("format.datetime", "The format of RFC 3339 times.")
        .examples(&[("format.datetime().validate('2021-01-01T00:00:00Z').hasValue()", "false")])
        .overloads(&[overload("format.datetime", "() -> kubernetes.NamedFormat")]),
];
