//! `'%s'.format([x])` (`cel-go` `ext/formatting.go`).

use crd_analyzer_budget as budget;

use crate::KubernetesVersion;
use crate::go::quote;
use crate::library::standard::as_string;
use crate::types::OLD_OPTIONAL;
use crate::validators::read_clause;
use crate::value::{EvalError, List, Result, Value};

const DEFAULT_PRECISION: usize = 6;
/// The maximum precision. Any further digit is zero, and more padding makes no sense.
const MAX_PRECISION: usize = 1_000_000;

pub(super) fn format(version: KubernetesVersion, format: &str, args: &List) -> Result {
    let mut out = String::new();
    let mut rest = format;
    let mut next = 0;
    let failed = |message| EvalError::of_format(message, version);
    while let Some((literal, after)) = rest.split_once('%') {
        out.push_str(literal);
        if let Some(after) = after.strip_prefix('%') {
            out.push('%');
            rest = after;
            continue;
        }
        let Some(arg) = args.get(next) else {
            return Err(EvalError::new(format!("index {next} out of range")));
        };
        next += 1;
        if after.is_empty() {
            return Err(EvalError::new("unexpected end of string"));
        }
        let clause = read_clause(after.as_bytes())
            .map_err(|problem| failed(format!("could not parse formatting clause: {}", problem.server_words())))?;
        rest = &after[after.len() - clause.rest.len()..];
        let precision = clause.precision.unwrap_or(DEFAULT_PRECISION);
        if precision > MAX_PRECISION {
            // Exhaust the byte budget, so that the evaluation ends.
            budget::bytes(u64::MAX)?;
        }
        let arg = arg.unwrap_or_else(Value::failure);
        let formatted = match clause.letter {
            b's' => string(&arg),
            b'd' => decimal(&arg),
            b'f' => fixed(&arg, precision),
            b'e' => scientific(version, &arg, precision),
            b'b' => binary(&arg),
            b'x' | b'X' => hex(&arg, clause.letter == b'X'),
            _ => octal(&arg),
        };
        match formatted {
            Ok(text) => {
                budget::bytes(text.len() as u64)?;
                out.push_str(&text);
            }
            Err(crash) if crash == NO_KEY => return Err(EvalError::fatal(crash)),
            Err(message) => {
                let message = with_old_name(&message, version);
                return Err(failed(format!("error during formatting: {message}")));
            }
        }
    }
    out.push_str(rest);
    Ok(out.into())
}

/// Replaces the type name at the end of a message: the first API servers with optionals used another name for them.
fn with_old_name(message: &str, version: KubernetesVersion) -> String {
    match message.strip_suffix(" optional_type") {
        Some(before) if version < KubernetesVersion::minor(31) => format!("{before} {OLD_OPTIONAL}"),
        _ => message.to_owned(),
    }
}

/// The API server's error when it looks up the type of a missing key.
const NO_KEY: &str = "internal error: runtime error: invalid memory address or nil pointer dereference";

type Formatted = std::result::Result<String, String>;

fn mismatch(clause: &str, arg: &Value) -> String {
    format!("{clause}, was given {}", arg.type_name())
}

fn string(arg: &Value) -> Formatted {
    match arg {
        Value::List(list) => format_list(list),
        Value::Map(_) => format_map(arg),
        Value::Null => Ok("null".to_owned()),
        Value::Bool(_)
        | Value::Int(_)
        | Value::Uint(_)
        | Value::Double(_)
        | Value::String(_)
        | Value::Bytes(_)
        | Value::Duration(_)
        | Value::Timestamp(_)
        | Value::Type(_) => match as_string(arg) {
            Ok(Value::String(text)) => Ok(text.to_string()),
            Ok(other) => Ok(other.to_string()),
            Err(error) => Err(format!(
                "could not convert argument {} to string",
                quote(error.message())
            )),
        },
        _ => Err(mismatch(
            "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
            arg,
        )),
    }
}

/// Formats a value within a list or map.
fn nested(arg: &Value) -> Formatted {
    if budget::bytes(8 + arg.text_bytes()).is_err() {
        return Ok(String::new());
    }
    match arg {
        Value::String(text) => Ok(quote(text)),
        Value::Bytes(_) => string(arg).map(|text| format!("b{}", quote(&text))),
        Value::Double(d) if d.is_finite() => Ok(format!("{d:.DEFAULT_PRECISION$}")),
        Value::Double(d) => Ok(quote(if d.is_nan() {
            "NaN"
        } else if *d > 0.0 {
            "+Inf"
        } else {
            "-Inf"
        })),
        Value::Timestamp(time) => Ok(format!("timestamp({})", quote(&time.to_cel_string()))),
        Value::Duration(duration) => Ok(format!("duration({})", quote(&duration.to_cel_string()))),
        Value::Optional(_) | Value::Opaque(_) | Value::Raw(_) => {
            Err(format!("no formatting function for {}", arg.type_name()))
        }
        _ => string(arg),
    }
}

fn format_list(list: &List) -> Formatted {
    let mut parts = Vec::with_capacity(list.len());
    for element in list.iter() {
        parts.push(nested(&element.unwrap_or_else(Value::failure))?);
    }
    Ok(format!("[{}]", parts.join(", ")))
}

fn format_map(arg: &Value) -> Formatted {
    let Value::Map(map) = arg else { return Ok(String::new()) };
    let mut parts = Vec::with_capacity(map.len());
    for key in map.keys() {
        if matches!((&key, map.as_foreign()), (Value::Null, Some(_))) {
            return Err(NO_KEY.to_owned());
        }
        if !matches!(key, Value::String(_) | Value::Bool(_) | Value::Int(_) | Value::Uint(_)) {
            return Err(format!(
                "no formatting function for map key of type {}",
                key.type_name()
            ));
        }
        let value = match map.find(&key) {
            Ok(Some(value)) => value,
            Ok(None) => return Err(format!("could not find key: {}", quote(&key.to_string()))),
            Err(error) => Value::failure(error),
        };
        parts.push((nested(&key)?, nested(&value)?));
    }
    parts.sort();
    let parts: Vec<_> = parts.into_iter().map(|(key, value)| format!("{key}:{value}")).collect();
    Ok(format!("{{{}}}", parts.join(", ")))
}

fn decimal(arg: &Value) -> Formatted {
    match arg {
        Value::Int(_) | Value::Uint(_) => Ok(arg.to_string()),
        _ => Err(mismatch("decimal clause can only be used on integers", arg)),
    }
}

fn double(arg: &Value, clause: &str) -> std::result::Result<f64, String> {
    match arg {
        // Negative zero loses its sign.
        Value::Double(d) => Ok(d + 0.0),
        Value::String(text) if &**text == "NaN" => Ok(f64::NAN),
        Value::String(text) if &**text == "Infinity" => Ok(f64::INFINITY),
        Value::String(text) if &**text == "-Infinity" => Ok(f64::NEG_INFINITY),
        _ => Err(mismatch(clause, arg)),
    }
}

/// Infinities and NaN, as the API server formats them for English.
fn not_finite(value: f64) -> Option<&'static str> {
    match value {
        v if v.is_nan() => Some("NaN"),
        f64::INFINITY => Some("∞"),
        f64::NEG_INFINITY => Some("-∞"),
        _ => None,
    }
}

fn fixed(arg: &Value, precision: usize) -> Formatted {
    let value = double(arg, "fixed-point clause can only be used on doubles")?;
    if let Some(text) = not_finite(value) {
        return Ok(text.to_owned());
    }
    // No double has more digits than this.
    let digits = precision.min(1_100);
    let text = format!("{value:.digits$}") + &"0".repeat(precision - digits);
    let (sign, digits) = text.strip_prefix('-').map_or(("", &*text), |digits| ("-", digits));
    let (whole, fraction) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut grouped = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    Ok(format!("{sign}{grouped}{fraction}"))
}

/// Formats in scientific notation. The API server uses the precision as the width.
fn scientific(version: KubernetesVersion, arg: &Value, width: usize) -> Formatted {
    let value = double(arg, "scientific clause can only be used on doubles")?;
    if let Some(text) = not_finite(value) {
        return Ok(padded(text, width));
    }
    let text = format!("{value:.DEFAULT_PRECISION$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, digits) = exponent
        .strip_prefix('-')
        .map_or(("", exponent), |digits| ("⁻", digits));
    let superscript = |c: char| match c {
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        c => char::from_u32(0x2070 + c.to_digit(10).unwrap_or(0)).unwrap_or(c),
    };
    let exponent: String = format!("{digits:0>2}").chars().map(superscript).collect();
    // The API server's language data for English changed.
    let space = if version.number() < 33 { "\u{202f}" } else { "" };
    Ok(padded(&format!("{mantissa}{space}×{space}10{sign}{exponent}"), width))
}

fn padded(text: &str, width: usize) -> String {
    " ".repeat(width.saturating_sub(text.chars().count())) + text
}

fn signed(value: i64, digits: impl Fn(u64) -> String) -> String {
    format!("{}{}", if value < 0 { "-" } else { "" }, digits(value.unsigned_abs()))
}

fn binary(arg: &Value) -> Formatted {
    match arg {
        Value::Int(i) => Ok(signed(*i, |v| format!("{v:b}"))),
        Value::Uint(u) => Ok(format!("{u:b}")),
        Value::Bool(b) => Ok(u8::from(*b).to_string()),
        _ => Err(mismatch("only integers and bools can be formatted as binary", arg)),
    }
}

fn hex(arg: &Value, upper: bool) -> Formatted {
    let bytes = |bytes: &[u8]| {
        let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0');
        bytes
            .iter()
            .flat_map(|b| [digit(b >> 4), digit(b & 15)])
            .collect::<String>()
    };
    let text = match arg {
        Value::Int(i) => signed(*i, |v| format!("{v:x}")),
        Value::Uint(u) => format!("{u:x}"),
        Value::String(text) => bytes(text.as_bytes()),
        Value::Bytes(b) => bytes(b),
        _ => {
            return Err(mismatch(
                "only integers, byte buffers, and strings can be formatted as hex",
                arg,
            ));
        }
    };
    Ok(if upper { text.to_uppercase() } else { text })
}

fn octal(arg: &Value) -> Formatted {
    match arg {
        Value::Int(i) => Ok(signed(*i, |v| format!("{v:o}"))),
        Value::Uint(u) => Ok(format!("{u:o}")),
        _ => Err(mismatch("octal clause can only be used on integers", arg)),
    }
}
