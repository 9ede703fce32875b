//! Values of one type as values of another (`cel-go` `common/types`, the methods `ConvertToType`).

use super::{Binding, overloaded, singleton};
use crate::KubernetesVersion;
use crate::types::{OLD_OPTIONAL, Type};
use crate::validators::parse_duration;
use crate::value::{Duration, EvalError, Opaque, Result, Timestamp, Value, double_g, double_to_int, double_to_uint};

pub(super) fn binding(function: &str) -> Option<Binding> {
    Some(match function {
        "type" => singleton(|called, args| {
            Ok(Value::Type(match &args[0] {
                Value::Optional(_) if called.version < KubernetesVersion::minor(31) => {
                    Type::opaque(OLD_OPTIONAL, vec![Type::Dyn])
                }
                value => value.type_of(),
            }))
        }),
        "dyn" => singleton(|_, args| Ok(args[0].clone())),
        "bool" => overloaded(|_, args| to_bool(&args[0])),
        "bytes" => overloaded(|_, args| to_bytes(&args[0])),
        "double" => overloaded(|_, args| to_double(&args[0])),
        "duration" => overloaded(|_, args| to_duration(&args[0])),
        "int" => overloaded(|_, args| to_int(&args[0])),
        "string" => overloaded(|_, args| to_string(&args[0])),
        "timestamp" => overloaded(|_, args| to_timestamp(&args[0])),
        "uint" => overloaded(|_, args| to_uint(&args[0])),
        _ => return None,
    })
}

fn cannot(value: &Value, to: &Type) -> EvalError {
    EvalError::new(format!(
        "type conversion error from '{}' to '{}'",
        value.type_name(),
        to.type_name()
    ))
}

fn to_bool(value: &Value) -> Result {
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

fn to_bytes(value: &Value) -> Result {
    match value {
        Value::Bytes(_) => Ok(value.clone()),
        Value::String(text) => Ok(Value::bytes(text.as_bytes())),
        _ => Err(cannot(value, &Type::Bytes)),
    }
}

fn to_double(value: &Value) -> Result {
    match value {
        Value::Double(_) => Ok(value.clone()),
        Value::Int(i) => Ok(Value::Double(*i as f64)),
        Value::Uint(u) => Ok(Value::Double(*u as f64)),
        Value::String(text) => parse_double(text)
            .map(Value::Double)
            .ok_or_else(|| cannot(value, &Type::Double)),
        _ => Err(cannot(value, &Type::Double)),
    }
}

/// A double as Go's `strconv.ParseFloat` reads it: with underscores between digits, hexadecimal with a binary exponent, and too large
/// ones not.
fn parse_double(text: &str) -> Option<f64> {
    let (sign, rest) = match text.as_bytes().first()? {
        b'-' => (-1.0, &text[1..]),
        b'+' => (1.0, &text[1..]),
        _ => (1.0, text),
    };
    let lower = rest.to_ascii_lowercase();
    match &*lower {
        "inf" | "infinity" => return Some(sign * f64::INFINITY),
        "nan" => return (rest.len() == text.len()).then_some(f64::NAN),
        _ => {}
    }
    if !underscores_separate_digits(&lower) {
        return None;
    }
    let digits = lower.replace('_', "");
    if let Some(hex) = digits.strip_prefix("0x") {
        return parse_hex_double(hex).map(|value| sign * value);
    }
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    digits.parse::<f64>().ok().filter(|v| v.is_finite()).map(|v| sign * v)
}

/// Whether each underscore of a number in lower case, if there are any, is between digits or behind the prefix of a base.
fn underscores_separate_digits(number: &str) -> bool {
    let (is_hex, digits) = number.strip_prefix("0x").map_or((false, number), |hex| (true, hex));
    let (mut after_digit, mut after_underscore) = (is_hex, false);
    for c in digits.bytes() {
        let is_digit = c.is_ascii_digit() || (is_hex && c.is_ascii_hexdigit());
        if (c == b'_' && !after_digit) || (after_underscore && !is_digit) {
            return false;
        }
        (after_digit, after_underscore) = (is_digit, c == b'_');
    }
    !after_underscore
}

/// The value of a hexadecimal mantissa with a binary exponent, without its prefix; none if it is too large for a double.
fn parse_hex_double(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once('p')?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    if (whole.is_empty() && fraction.is_empty()) || digits.is_empty() || !digits.bytes().all(|c| c.is_ascii_digit()) {
        return None;
    }
    // As far as a double goes, all larger exponents are the same.
    let mut exponent: i64 = if digits.trim_start_matches('0').len() > 5 {
        if exponent.starts_with('-') { -100_000 } else { 100_000 }
    } else {
        exponent.parse().ok()?
    };
    let mut bits: u64 = 0;
    let mut lost = false;
    for (at, c) in whole.chars().chain(fraction.chars()).enumerate() {
        let digit = u64::from(c.to_digit(16)?);
        let is_fraction = at >= whole.len();
        if bits >> 60 == 0 {
            bits = bits << 4 | digit;
            exponent -= if is_fraction { 4 } else { 0 };
        } else {
            lost |= digit != 0;
            exponent += if is_fraction { 0 } else { 4 };
        }
    }
    if bits == 0 {
        return Some(0.0);
    }
    // What is lost only matters to tell a half from more than a half.
    let (mut bits, mut sticky) = (u128::from(bits) << 60, lost);
    exponent -= 60;
    let keep = 53.min(i64::from(128 - bits.leading_zeros()) + exponent + 1074);
    let drop = i64::from(128 - bits.leading_zeros()) - keep;
    if drop > 127 {
        return Some(0.0);
    }
    let half = 1_u128 << (drop - 1);
    sticky |= bits & (half - 1) != 0;
    let is_half = bits & half != 0;
    bits >>= drop;
    if is_half && (sticky || bits & 1 == 1) {
        bits += 1;
    }
    let exponent = exponent + drop;
    let power = |exponent: i64| 2_f64.powi(exponent.clamp(-2000, 2000) as i32);
    let value = if exponent < -1000 {
        bits as f64 * power(exponent + 100) * power(-100)
    } else {
        bits as f64 * power(exponent.min(1000)) * power((exponent - 1000).max(0))
    };
    value.is_finite().then_some(value)
}

fn to_duration(value: &Value) -> Result {
    match value {
        Value::Duration(_) => Ok(value.clone()),
        Value::String(text) => parse_duration(text)
            .map(|nanos| Value::Duration(Duration(nanos)))
            .ok_or_else(|| cannot(value, &Type::Duration)),
        _ => Err(cannot(value, &Type::Duration)),
    }
}

fn to_int(value: &Value) -> Result {
    let overflow = || EvalError::new("integer overflow");
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

fn to_uint(value: &Value) -> Result {
    let overflow = || EvalError::new("unsigned integer overflow");
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

pub(super) fn to_string(value: &Value) -> Result {
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

fn to_timestamp(value: &Value) -> Result {
    match value {
        Value::Timestamp(_) => Ok(value.clone()),
        Value::Int(seconds) => Timestamp::new(*seconds, 0).map(Value::Timestamp),
        Value::String(text) => Timestamp::parse(text)
            .ok_or_else(|| cannot(value, &Type::Timestamp))?
            .map(Value::Timestamp),
        _ => Err(cannot(value, &Type::Timestamp)),
    }
}
