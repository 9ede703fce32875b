//! Values of one type as values of another (`cel-go` `common/types`, the methods `ConvertToType`).

use super::{Binding, overloaded, singleton};
use crate::types::Type;
use crate::validators::parse_duration;
use crate::value::{Duration, EvalError, Opaque, Result, Timestamp, Value, double_g, double_to_int, double_to_uint};

pub(super) fn binding(function: &str) -> Option<Binding> {
    Some(match function {
        "type" => singleton(|_, args| Ok(Value::Type(args[0].type_of()))),
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

/// A double as Go's `strconv.ParseFloat` reads it: with underscores nowhere, hexadecimal with a binary exponent, and too large ones not.
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
    if let Some(hex) = lower.strip_prefix("0x") {
        let (mantissa, exponent) = hex.split_once('p')?;
        let exponent: i32 = exponent.parse().ok()?;
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}");
        if digits.is_empty() || digits.len() > 15 {
            return None;
        }
        let value = u64::from_str_radix(&digits, 16).ok()? as f64;
        let value = value * 2_f64.powi(exponent.saturating_sub(4 * fraction.len() as i32));
        return value.is_finite().then_some(sign * value);
    }
    if !rest.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    rest.parse::<f64>().ok().filter(|v| v.is_finite()).map(|v| sign * v)
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
            .map(Value::Timestamp)
            .ok_or_else(|| cannot(value, &Type::Timestamp)),
        _ => Err(cannot(value, &Type::Timestamp)),
    }
}
