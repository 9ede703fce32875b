//! Type conversions (`cel-go` `common/types`, the methods `ConvertToType`).

use crate::KubernetesVersion;
use crate::cost::SizeEstimate;
use crate::go::double_g;
use crate::library::costs::{STRING, traversal};
use crate::library::declaration::{Cost, Counted, Function, Spelling, cost, function, overload};
use crate::types::{OLD_OPTIONAL, Type};
use crate::validators::parse_duration;
use crate::value::{Duration, EvalError, Opaque, Result, Timestamp, Value, double_to_int, double_to_uint};

pub(super) const FUNCTIONS: &[Function] = &[
    function(
        "type",
        "The type of a value.",
        Counted::ByOverload,
        &[("type('a') == string", "true")],
        &[overload("type", "(A) -> type(A)", Cost::ONE, |version, args| {
            Ok(Value::Type(match &args[0] {
                Value::Optional(_) if version < KubernetesVersion::minor(31) => {
                    Type::opaque(OLD_OPTIONAL, vec![Type::Dyn])
                }
                value => value.type_of(),
            }))
        })],
    )
    .singleton()
    .conversion()
    .function_rank(1),
    function(
        "bool",
        "Parses a boolean.",
        Counted::ByOverload,
        &[("bool('true')", "true")],
        &[
            overload("bool_to_bool", "(bool) -> bool", Cost::ONE, to_bool),
            overload("string_to_bool", "(string) -> bool", Cost::ONE, to_bool),
        ],
    )
    .conversion()
    .spelling(Spelling::Number),
    function(
        "bytes",
        "The bytes of a string in UTF-8.",
        Counted::ByOverload,
        &[("bytes('a')", "b'a'")],
        &[
            overload("bytes_to_bytes", "(bytes) -> bytes", Cost::ONE, to_bytes),
            overload("string_to_bytes", "(string) -> bytes", STRING_TO_BYTES, to_bytes),
        ],
    )
    .conversion(),
    function(
        "double",
        "The value as a double.",
        Counted::ByOverload,
        &[("double('1.5')", "1.5"), ("double(2)", "2.0")],
        &[
            overload("double_to_double", "(double) -> double", Cost::ONE, to_double),
            overload("int64_to_double", "(int) -> double", Cost::ONE, to_double),
            overload("string_to_double", "(string) -> double", Cost::ONE, to_double),
            overload("uint64_to_double", "(uint) -> double", Cost::ONE, to_double),
        ],
    )
    .conversion()
    .spelling(Spelling::Number),
    function(
        "duration",
        "Parses a duration such as 1h30m.",
        Counted::ByOverload,
        &[("duration('90m') == duration('1h30m')", "true")],
        &[
            overload("duration_to_duration", "(duration) -> duration", Cost::ONE, to_duration),
            overload("int64_to_duration", "(int) -> duration", Cost::ONE, to_duration).until(37),
            overload("string_to_duration", "(string) -> duration", Cost::ONE, to_duration),
        ],
    )
    .conversion()
    .spelling(Spelling::Duration)
    .function_rank(1),
    function(
        "dyn",
        "The value itself, with its type checked only when the rule runs.",
        Counted::ByOverload,
        &[("dyn(1) == 1", "true")],
        &[overload("to_dyn", "(A) -> dyn", Cost::ONE, |_, args| {
            Ok(args[0].clone())
        })],
    )
    .singleton()
    .conversion()
    .passes_on(),
    function(
        "int",
        "The value as an int; doubles are cut, timestamps count seconds since 1970, durations nanoseconds.",
        Counted::ByOverload,
        &[("int('12')", "12"), ("int(1.9)", "1")],
        &[
            overload("int64_to_int64", "(int) -> int", Cost::ONE, to_int),
            overload("double_to_int64", "(double) -> int", Cost::ONE, to_int),
            overload("duration_to_int64", "(duration) -> int", Cost::ONE, to_int),
            overload("string_to_int64", "(string) -> int", Cost::ONE, to_int),
            overload("timestamp_to_int64", "(timestamp) -> int", Cost::ONE, to_int),
            overload("uint64_to_int64", "(uint) -> int", Cost::ONE, to_int),
        ],
    )
    .conversion()
    .spelling(Spelling::Number)
    .function_rank(1),
    function(
        "string",
        "The value as a string.",
        Counted::ByOverload,
        &[("string(12)", "'12'"), ("string(true)", "'true'")],
        &[
            overload("string_to_string", "(string) -> string", Cost::ONE, to_string),
            overload("bool_to_string", "(bool) -> string", Cost::ONE, to_string),
            overload("bytes_to_string", "(bytes) -> string", BYTES_TO_STRING, to_string),
            overload("double_to_string", "(double) -> string", Cost::ONE, to_string),
            overload("duration_to_string", "(duration) -> string", Cost::ONE, to_string),
            overload("int64_to_string", "(int) -> string", Cost::ONE, to_string),
            overload("timestamp_to_string", "(timestamp) -> string", Cost::ONE, to_string),
            overload("uint64_to_string", "(uint) -> string", Cost::ONE, to_string),
        ],
    )
    .conversion()
    .function_rank(1),
    function(
        "timestamp",
        "Parses an RFC 3339 string, or takes the seconds since 1970.",
        Counted::ByOverload,
        &[("timestamp(0) == timestamp('1970-01-01T00:00:00Z')", "true")],
        &[
            overload(
                "timestamp_to_timestamp",
                "(timestamp) -> timestamp",
                Cost::ONE,
                to_timestamp,
            ),
            overload("int64_to_timestamp", "(int) -> timestamp", Cost::ONE, to_timestamp),
            overload("string_to_timestamp", "(string) -> timestamp", Cost::ONE, to_timestamp),
        ],
    )
    .conversion()
    .spelling(Spelling::Time),
    function(
        "uint",
        "The value as an unsigned int.",
        Counted::ByOverload,
        &[("uint('12')", "12u")],
        &[
            overload("uint64_to_uint64", "(uint) -> uint", Cost::ONE, to_uint),
            overload("double_to_uint64", "(double) -> uint", Cost::ONE, to_uint),
            overload("int64_to_uint64", "(int) -> uint", Cost::ONE, to_uint),
            overload("string_to_uint64", "(string) -> uint", Cost::ONE, to_uint),
        ],
    )
    .conversion()
    .spelling(Spelling::Number),
];

/// The cost of `bytes(string)`. The result has at most four bytes per character.
const STRING_TO_BYTES: Cost = cost(
    |coster, call| {
        let size = coster.size(call.args.first()?);
        Some(call.gives(
            size.times_factor(STRING),
            SizeEstimate {
                min: size.min,
                max: size.max.wrapping_mul(4),
            },
        ))
    },
    |call| Ok(traversal(call.size_of_value(0) as f64)),
);

/// The cost of `string(bytes)`. The result has at least one character per four bytes.
const BYTES_TO_STRING: Cost = cost(
    |coster, call| {
        let size = coster.size(call.args.first()?);
        Some(call.gives(
            size.times_factor(STRING),
            SizeEstimate {
                min: size.min / 4,
                max: size.max,
            },
        ))
    },
    |call| Ok(traversal(call.size_of_value(0) as f64)),
);

fn cannot(value: &Value, to: &Type) -> EvalError {
    EvalError::new(format!(
        "type conversion error from '{}' to '{}'",
        value.type_name(),
        to.type_name()
    ))
}

fn to_bool(_: KubernetesVersion, args: &[Value]) -> Result {
    let value = &args[0];
    match value {
        Value::Bool(_) => Ok(value.clone()),
        Value::String(text) => match &**text {
            "1" | "t" | "T" | "TRUE" | "true" | "True" => Ok(Value::Bool(true)),
            "0" | "f" | "F" | "FALSE" | "false" | "False" => Ok(Value::Bool(false)),
            _ => Err(cannot(value, &Type::Bool)),
        },
        _ => Err(cannot(value, &Type::Bool)),
    }
}

fn to_bytes(_: KubernetesVersion, args: &[Value]) -> Result {
    let value = &args[0];
    match value {
        Value::Bytes(_) => Ok(value.clone()),
        Value::String(text) => Ok(Value::bytes(text.as_bytes())),
        _ => Err(cannot(value, &Type::Bytes)),
    }
}

fn to_double(_: KubernetesVersion, args: &[Value]) -> Result {
    let value = &args[0];
    match value {
        Value::Double(_) => Ok(value.clone()),
        Value::Int(i) => Ok(Value::Double(*i as f64)),
        Value::Uint(u) => Ok(Value::Double(*u as f64)),
        Value::String(text) => crd_analyzer_gostd::parse_float(text)
            .map(Value::Double)
            .ok_or_else(|| cannot(value, &Type::Double)),
        _ => Err(cannot(value, &Type::Double)),
    }
}

fn to_duration(_: KubernetesVersion, args: &[Value]) -> Result {
    let value = &args[0];
    match value {
        Value::Duration(_) => Ok(value.clone()),
        Value::String(text) => parse_duration(text)
            .map(|nanos| Value::Duration(Duration(nanos)))
            .ok_or_else(|| cannot(value, &Type::Duration)),
        _ => Err(cannot(value, &Type::Duration)),
    }
}

fn to_int(_: KubernetesVersion, args: &[Value]) -> Result {
    let value = &args[0];
    let overflow = EvalError::int_overflow;
    match value {
        Value::Int(_) => Ok(value.clone()),
        Value::Uint(u) => i64::try_from(*u).map(Value::Int).map_err(|_| overflow()),
        Value::Double(d) => double_to_int(*d).map(Value::Int).ok_or_else(overflow),
        Value::String(text) => text.parse().map(Value::Int).map_err(|_| cannot(value, &Type::Int)),
        Value::Duration(d) => Ok(Value::Int(d.0)),
        Value::Timestamp(t) => Ok(Value::Int(t.seconds)),
        _ => Err(cannot(value, &Type::Int)),
    }
}

fn to_uint(_: KubernetesVersion, args: &[Value]) -> Result {
    let value = &args[0];
    let overflow = EvalError::uint_overflow;
    match value {
        Value::Uint(_) => Ok(value.clone()),
        Value::Int(i) => u64::try_from(*i).map(Value::Uint).map_err(|_| overflow()),
        Value::Double(d) => double_to_uint(*d).map(Value::Uint).ok_or_else(overflow),
        Value::String(text) if text.starts_with(|c: char| c.is_ascii_digit()) => {
            text.parse().map(Value::Uint).map_err(|_| cannot(value, &Type::Uint))
        }
        _ => Err(cannot(value, &Type::Uint)),
    }
}

fn to_string(_: KubernetesVersion, args: &[Value]) -> Result {
    as_string(&args[0])
}

/// `string(value)`
pub(in crate::library) fn as_string(value: &Value) -> Result {
    Ok(match value {
        Value::String(_) => value.clone(),
        Value::Bool(b) => b.to_string().into(),
        Value::Int(i) => i.to_string().into(),
        Value::Uint(u) => u.to_string().into(),
        Value::Double(d) => double_g(*d).into(),
        Value::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => text.into(),
            Err(_) => return Err(EvalError::new("invalid UTF-8 in bytes, cannot convert to string")),
        },
        Value::Duration(d) => d.to_cel_string().into(),
        Value::Timestamp(t) => t.to_cel_string().into(),
        Value::Null => "null".into(),
        Value::Type(ty) => ty.type_name().into_owned().into(),
        Value::Opaque(opaque @ (Opaque::Ip(_) | Opaque::Cidr(_))) => opaque.to_string().into(),
        _ => return Err(cannot(value, &Type::String)),
    })
}

fn to_timestamp(_: KubernetesVersion, args: &[Value]) -> Result {
    let value = &args[0];
    match value {
        Value::Timestamp(_) => Ok(value.clone()),
        Value::Int(seconds) => Timestamp::new(*seconds, 0).map(Value::Timestamp),
        Value::String(text) => Timestamp::parse(text)
            .ok_or_else(|| cannot(value, &Type::Timestamp))?
            .map(Value::Timestamp),
        _ => Err(cannot(value, &Type::Timestamp)),
    }
}
