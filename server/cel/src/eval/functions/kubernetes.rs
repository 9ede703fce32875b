//! The types that Kubernetes' libraries bring (`k8s.io/apiserver/pkg/cel/library`).

use std::cmp::Ordering;
use std::sync::Arc;

use crd_analyzer_gostd::{
    netip::{Addr, Prefix},
    url::{Url, parse_request_uri},
};

use super::{Binding, overloaded, text};
use crate::KubernetesVersion;
use crate::value::network::{parse_cidr, parse_ip, parse_url};
use crate::value::{EvalError, Format, Map, Opaque, Quantity, Result, Semver, Value};

pub(super) fn binding(function: &str) -> Option<Binding> {
    Some(match function {
        "quantity" => overloaded(|_, args| {
            let quantity = Quantity::parse(text(&args[0])?).map_err(EvalError::new)?;
            Ok(Value::Opaque(Opaque::Quantity(Arc::new(quantity))))
        }),
        "isQuantity" => overloaded(|_, args| Ok(Value::Bool(Quantity::parse(text(&args[0])?).is_ok()))),
        "sign" => overloaded(|_, args| Ok(Value::Int(quantity(&args[0])?.sign()))),
        "asInteger" => overloaded(|_, args| {
            let int = quantity(&args[0])?.as_int();
            int.map(Value::Int)
                .ok_or_else(|| EvalError::new("cannot convert value to integer"))
        }),
        "isInteger" => overloaded(|_, args| Ok(Value::Bool(quantity(&args[0])?.as_int().is_some()))),
        "asApproximateFloat" => overloaded(|_, args| Ok(Value::Double(quantity(&args[0])?.approximate()))),
        "add" => overloaded(|called, args| sum(called.version, args, Quantity::plus)),
        "sub" => overloaded(|called, args| sum(called.version, args, Quantity::minus)),
        "isGreaterThan" => overloaded(|_, args| order(args).map(|order| Value::Bool(order.is_gt()))),
        "isLessThan" => overloaded(|_, args| order(args).map(|order| Value::Bool(order.is_lt()))),
        "compareTo" => overloaded(|_, args| order(args).map(|order| Value::Int(order as i64))),
        "semver" => overloaded(|_, args| {
            let version = semver_of(args)?.map_err(EvalError::new)?;
            Ok(Value::Opaque(Opaque::Semver(Arc::new(version))))
        }),
        "isSemver" => overloaded(|_, args| Ok(Value::Bool(semver_of(args)?.is_ok()))),
        "major" => overloaded(|_, args| Ok(Value::Int(semver(&args[0])?.major as i64))),
        "minor" => overloaded(|_, args| Ok(Value::Int(semver(&args[0])?.minor as i64))),
        "patch" => overloaded(|_, args| Ok(Value::Int(semver(&args[0])?.patch as i64))),
        "ip" => overloaded(|_, args| match &args[0] {
            Value::Opaque(Opaque::Cidr(cidr)) => Ok(Value::Opaque(Opaque::Ip(cidr.addr))),
            other => Ok(Value::Opaque(Opaque::Ip(to_ip(other)?))),
        }),
        "isIP" => overloaded(|_, args| Ok(Value::Bool(parse_ip(text(&args[0])?).is_ok()))),
        "ip.isCanonical" => overloaded(|_, args| {
            let ip = to_ip(&args[0])?;
            Ok(Value::Bool(ip.to_string() == text(&args[0])?))
        }),
        "family" => overloaded(|_, args| Ok(Value::Int(if ip(&args[0])?.bits() == 32 { 4 } else { 6 }))),
        "isUnspecified" => overloaded(|_, args| Ok(Value::Bool(ip(&args[0])?.is_unspecified()))),
        "isLoopback" => overloaded(|_, args| Ok(Value::Bool(ip(&args[0])?.is_loopback()))),
        "isLinkLocalMulticast" => overloaded(|_, args| Ok(Value::Bool(ip(&args[0])?.is_link_local_multicast()))),
        "isLinkLocalUnicast" => overloaded(|_, args| Ok(Value::Bool(ip(&args[0])?.is_link_local_unicast()))),
        "isGlobalUnicast" => overloaded(|_, args| Ok(Value::Bool(ip(&args[0])?.is_global_unicast()))),
        "cidr" => overloaded(|_, args| Ok(Value::Opaque(Opaque::Cidr(to_cidr(&args[0])?)))),
        "isCIDR" => overloaded(|_, args| Ok(Value::Bool(parse_cidr(text(&args[0])?).is_ok()))),
        "containsIP" => overloaded(|_, args| {
            let other = match &args[1] {
                Value::Opaque(Opaque::Ip(ip)) => *ip,
                // What is wrong with the text is lost.
                other => to_ip(other).map_err(|_| EvalError::no_such_overload())?,
            };
            Ok(Value::Bool(cidr(&args[0])?.contains(other)))
        }),
        "containsCIDR" => overloaded(|called, args| {
            let other = match &args[1] {
                Value::Opaque(Opaque::Cidr(cidr)) => *cidr,
                other => to_cidr(other)?,
            };
            let this = cidr(&args[0])?;
            // Until 1.31 the address of the other range had to be the first of this one.
            let contains = if called.version < KubernetesVersion::minor(32) {
                this.masked().addr == other.addr && this.bits <= other.bits
            } else {
                this.bits <= other.bits && this.contains(other.addr)
            };
            Ok(Value::Bool(contains))
        }),
        "prefixLength" => overloaded(|_, args| Ok(Value::Int(i64::from(cidr(&args[0])?.bits)))),
        "masked" => overloaded(|_, args| Ok(Value::Opaque(Opaque::Cidr(cidr(&args[0])?.masked())))),
        "url" => overloaded(|_, args| {
            let url = parse_url(text(&args[0])?)
                .map_err(|e| EvalError::new(format!("URL parse error during conversion from string: {e}")))?;
            Ok(Value::Opaque(Opaque::Url(Arc::new(url))))
        }),
        "isURL" => overloaded(|_, args| Ok(Value::Bool(parse_request_uri(text(&args[0])?).is_ok()))),
        "getScheme" => overloaded(|_, args| Ok(url(&args[0])?.scheme().into())),
        "getHost" => overloaded(|_, args| Ok(lossy(url(&args[0])?.host()))),
        "getHostname" => overloaded(|_, args| Ok(lossy(url(&args[0])?.hostname()))),
        "getPort" => overloaded(|_, args| Ok(lossy(url(&args[0])?.port()))),
        "getEscapedPath" => overloaded(|_, args| Ok(url(&args[0])?.escaped_path().into())),
        "getQuery" => overloaded(|_, args| {
            let query = url(&args[0])?.query().into_iter().map(|(name, values)| {
                let values = values.iter().map(|it| lossy(it)).collect();
                (lossy_text(&name).into(), Value::list(values))
            });
            Ok(Value::Map(Map::of_names(query)))
        }),
        "format.named" => overloaded(|called, args| {
            let format = Format::named(text(&args[0])?).map(|it| format_value(it, called.version));
            Ok(format.map_or(Value::NONE, Value::some))
        }),
        "validate" => overloaded(|_, args| match &args[0] {
            Value::Opaque(Opaque::Format(format) | Opaque::FormatPointer(format)) => {
                let errors = format.validate(text(&args[1])?);
                if errors.is_empty() {
                    return Ok(Value::NONE);
                }
                Ok(Value::some(Value::list(errors.into_iter().map(Value::from).collect())))
            }
            _ => Err(EvalError::no_such_overload()),
        }),
        _ => {
            Format::named(function.strip_prefix("format.")?)?;
            overloaded(|called, _| {
                let format = called.overload.strip_prefix("format.").and_then(Format::named);
                format
                    .map(|it| format_value(it, called.version))
                    .ok_or_else(EvalError::no_such_overload)
            })
        }
    })
}

fn quantity(value: &Value) -> Result<&Quantity> {
    match value {
        Value::Opaque(Opaque::Quantity(quantity)) => Ok(quantity),
        _ => Err(EvalError::no_such_overload()),
    }
}

fn semver(value: &Value) -> Result<&Semver> {
    match value {
        Value::Opaque(Opaque::Semver(version)) => Ok(version),
        _ => Err(EvalError::no_such_overload()),
    }
}

fn ip(value: &Value) -> Result<Addr> {
    match value {
        Value::Opaque(Opaque::Ip(ip)) => Ok(*ip),
        _ => Err(EvalError::no_such_overload()),
    }
}

fn cidr(value: &Value) -> Result<Prefix> {
    match value {
        Value::Opaque(Opaque::Cidr(cidr)) => Ok(*cidr),
        _ => Err(EvalError::no_such_overload()),
    }
}

fn url(value: &Value) -> Result<&Url> {
    match value {
        Value::Opaque(Opaque::Url(url)) => Ok(url),
        _ => Err(EvalError::no_such_overload()),
    }
}

fn to_ip(value: &Value) -> Result<Addr> {
    parse_ip(text(value)?).map_err(EvalError::new)
}

fn to_cidr(value: &Value) -> Result<Prefix> {
    parse_cidr(text(value)?).map_err(|e| {
        EvalError::new(format!(
            "network address parse error during conversion from string: {e}"
        ))
    })
}

/// A string of bytes as Go shows it where it is no UTF-8: each byte that belongs to no character as one replacement character.
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

fn sum(version: KubernetesVersion, args: &[Value], operation: fn(&Quantity, &Quantity, bool) -> Quantity) -> Result {
    let this = quantity(&args[0])?;
    let in_place = version.number() <= 36;
    let sum = match &args[1] {
        Value::Int(number) => operation(this, &Quantity::from_int(*number), in_place),
        other => operation(this, quantity(other)?, in_place),
    };
    Ok(Value::Opaque(Opaque::Quantity(Arc::new(sum))))
}

fn order(args: &[Value]) -> Result<Ordering> {
    match (&args[0], &args[1]) {
        (Value::Opaque(Opaque::Quantity(a)), Value::Opaque(Opaque::Quantity(b))) => Ok(a.compare(b)),
        (Value::Opaque(Opaque::Semver(a)), Value::Opaque(Opaque::Semver(b))) => Ok(a.compare(b)),
        _ => Err(EvalError::no_such_overload()),
    }
}

fn semver_of(args: &[Value]) -> Result<std::result::Result<Semver, String>> {
    let text = text(&args[0])?;
    match args.get(1) {
        None | Some(Value::Bool(false)) => Ok(Semver::parse(text)),
        Some(Value::Bool(true)) => Ok(Semver::parse_normalized(text)),
        Some(_) => Err(EvalError::no_such_overload()),
    }
}

fn format_value(format: &'static Format, version: KubernetesVersion) -> Value {
    Value::Opaque(if version.number() == 31 {
        Opaque::FormatPointer(format)
    } else {
        Opaque::Format(format)
    })
}
