//! Named formats (`k8s.io/apiserver/pkg/cel/library`, `Format`).

use super::costs::{REGEX, STRING, matching};
use super::declaration::{Cost, Counted, Function, Library, Spelling, cost, function, overload};
use super::operands::text;
use crate::KubernetesVersion;
use crate::value::{EvalError, Format, Opaque, Result, Value};

/// The format library.
pub(super) const LIBRARY: Library = Library {
    name: "kubernetes.format",
    subjects: &[FUNCTIONS],
    types: &[],
};

const FUNCTIONS: &[Function] = &[
    function(
        "format.named",
        "The format of this name, if there is one.",
        Counted::ByName(Cost::ONE),
        &[("format.named('dns1123Label').hasValue()", "true")],
        &[overload(
            "format-named",
            "(string) -> optional_type(kubernetes.NamedFormat)",
            Cost::ONE,
            |version, args| {
                let format = Format::named(text(&args[0])?).map(|it| value(it, version));
                Ok(format.map_or(Value::NONE, Value::some))
            },
        )],
    )
    .spelling(Spelling::FormatName),
    function(
        "validate",
        "What is wrong with a string, or none if it has the format.",
        Counted::ByName(VALIDATE),
        &[("format.dns1123Label().validate('A').hasValue()", "true")],
        &[overload(
            "format-validate",
            "kubernetes.NamedFormat.(string) -> optional_type(list(string))",
            VALIDATE,
            |_, args| {
                let errors = format(&args[0])?.validate(text(&args[1])?);
                if errors.is_empty() {
                    return Ok(Value::NONE);
                }
                Ok(Value::some(Value::list(errors.into_iter().map(Value::from).collect())))
            },
        )],
    )
    .spelling(Spelling::Formatted),
    function(
        "format.dns1123Label",
        "The format of RFC 1123 labels.",
        Counted::ByOverload,
        &[("format.dns1123Label().validate('my-label').hasValue()", "false")],
        &[overload(
            "format.dns1123Label",
            "() -> kubernetes.NamedFormat",
            Cost::ONE,
            |version, _| constant("dns1123Label", version),
        )],
    ),
    function(
        "format.dns1123Subdomain",
        "The format of RFC 1123 subdomains.",
        Counted::ByOverload,
        &[(
            "format.dns1123Subdomain().validate('apps.example.com').hasValue()",
            "false",
        )],
        &[overload(
            "format.dns1123Subdomain",
            "() -> kubernetes.NamedFormat",
            Cost::ONE,
            |version, _| constant("dns1123Subdomain", version),
        )],
    ),
    function(
        "format.dns1035Label",
        "The format of RFC 1035 labels.",
        Counted::ByOverload,
        &[("format.dns1035Label().validate('my-label').hasValue()", "false")],
        &[overload(
            "format.dns1035Label",
            "() -> kubernetes.NamedFormat",
            Cost::ONE,
            |version, _| constant("dns1035Label", version),
        )],
    ),
    function(
        "format.qualifiedName",
        "The format of qualified names.",
        Counted::ByOverload,
        &[(
            "format.qualifiedName().validate('example.com/name').hasValue()",
            "false",
        )],
        &[overload(
            "format.qualifiedName",
            "() -> kubernetes.NamedFormat",
            Cost::ONE,
            |version, _| constant("qualifiedName", version),
        )],
    ),
    function(
        "format.dns1123LabelPrefix",
        "The format of prefixes of RFC 1123 labels.",
        Counted::ByOverload,
        &[("format.dns1123LabelPrefix().validate('my-label-').hasValue()", "false")],
        &[overload(
            "format.dns1123LabelPrefix",
            "() -> kubernetes.NamedFormat",
            Cost::ONE,
            |version, _| constant("dns1123LabelPrefix", version),
        )],
    ),
    function(
        "format.dns1123SubdomainPrefix",
        "The format of prefixes of RFC 1123 subdomains.",
        Counted::ByOverload,
        &[("format.dns1123SubdomainPrefix().validate('my-').hasValue()", "false")],
        &[overload(
            "format.dns1123SubdomainPrefix",
            "() -> kubernetes.NamedFormat",
            Cost::ONE,
            |version, _| constant("dns1123SubdomainPrefix", version),
        )],
    ),
    function(
        "format.dns1035LabelPrefix",
        "The format of prefixes of RFC 1035 labels.",
        Counted::ByOverload,
        &[("format.dns1035LabelPrefix().validate('my-label-').hasValue()", "false")],
        &[overload(
            "format.dns1035LabelPrefix",
            "() -> kubernetes.NamedFormat",
            Cost::ONE,
            |version, _| constant("dns1035LabelPrefix", version),
        )],
    ),
    function(
        "format.labelValue",
        "The format of label values.",
        Counted::ByOverload,
        &[("format.labelValue().validate('my-value').hasValue()", "false")],
        &[overload(
            "format.labelValue",
            "() -> kubernetes.NamedFormat",
            Cost::ONE,
            |version, _| constant("labelValue", version),
        )],
    ),
    function(
        "format.uri",
        "The format of URIs.",
        Counted::ByOverload,
        &[("format.uri().validate('https://example.com').hasValue()", "false")],
        &[overload(
            "format.uri",
            "() -> kubernetes.NamedFormat",
            Cost::ONE,
            |version, _| constant("uri", version),
        )],
    ),
    function(
        "format.uuid",
        "The format of UUIDs.",
        Counted::ByOverload,
        &[(
            "format.uuid().validate('123e4567-e89b-12d3-a456-426614174000').hasValue()",
            "false",
        )],
        &[overload(
            "format.uuid",
            "() -> kubernetes.NamedFormat",
            Cost::ONE,
            |version, _| constant("uuid", version),
        )],
    ),
    function(
        "format.byte",
        "The format of base64 strings.",
        Counted::ByOverload,
        &[("format.byte().validate('aGVsbG8=').hasValue()", "false")],
        &[overload(
            "format.byte",
            "() -> kubernetes.NamedFormat",
            Cost::ONE,
            |version, _| constant("byte", version),
        )],
    ),
    function(
        "format.date",
        "The format of dates.",
        Counted::ByOverload,
        &[("format.date().validate('2021-01-01').hasValue()", "false")],
        &[overload(
            "format.date",
            "() -> kubernetes.NamedFormat",
            Cost::ONE,
            |version, _| constant("date", version),
        )],
    ),
    function(
        "format.datetime",
        "The format of RFC 3339 times.",
        Counted::ByOverload,
        &[("format.datetime().validate('2021-01-01T00:00:00Z').hasValue()", "false")],
        &[overload(
            "format.datetime",
            "() -> kubernetes.NamedFormat",
            Cost::ONE,
            |version, _| constant("datetime", version),
        )],
    ),
];

/// The length of the longest regular expression of a format, in characters, as the API server's estimate assumes.
const MAX_REGEX: f64 = 128.0;

/// The cost of `validate`: matching the string against the regular expression of the format.
const VALIDATE: Cost = cost(
    |coster, call| {
        let size = coster.library_size(call.args.first()?);
        Some(call.costs(size.times_factor(STRING).times_factor(MAX_REGEX * REGEX)))
    },
    |call| {
        Ok(match call.operands.first() {
            Some(Ok(Value::Opaque(Opaque::Format(format) | Opaque::FormatPointer(format)))) => {
                matching(call.size(1), format.max_regex_size)
            }
            _ => 1,
        })
    },
);

fn format(value: &Value) -> Result<&'static Format> {
    match value {
        Value::Opaque(Opaque::Format(format) | Opaque::FormatPointer(format)) => Ok(format),
        _ => Err(EvalError::no_such_overload()),
    }
}

/// The format that a function without operands represents.
fn constant(name: &str, version: KubernetesVersion) -> Result {
    let format = Format::named(name).ok_or_else(EvalError::no_such_overload)?;
    Ok(value(format, version))
}

fn value(format: &'static Format, version: KubernetesVersion) -> Value {
    Value::Opaque(if version.number() == 31 {
        Opaque::FormatPointer(format)
    } else {
        Opaque::Format(format)
    })
}
