//! Parts of times and durations (`cel-go` `common/stdlib`, `common/types/{timestamp,duration}.go`).

use super::{Binding, overloaded};
use crate::value::{EvalError, Result, Timestamp, Value};

pub(super) fn binding(function: &str) -> Option<Binding> {
    Some(match function {
        "getFullYear" => overloaded(|_, args| part(args, |t, o| t.civil(o).year)),
        "getMonth" => overloaded(|_, args| part(args, |t, o| t.civil(o).month - 1)),
        "getDayOfYear" => overloaded(|_, args| part(args, |t, o| t.civil(o).day_of_year - 1)),
        "getDate" => overloaded(|_, args| part(args, |t, o| t.civil(o).day)),
        "getDayOfMonth" => overloaded(|_, args| part(args, |t, o| t.civil(o).day - 1)),
        "getDayOfWeek" => overloaded(|_, args| part(args, |t, o| t.civil(o).weekday)),
        "getHours" => overloaded(|_, args| match &args[0] {
            Value::Duration(d) => Ok(Value::Int(d.hours())),
            _ => part(args, |t, o| t.civil(o).hour),
        }),
        "getMinutes" => overloaded(|_, args| match &args[0] {
            Value::Duration(d) => Ok(Value::Int(d.minutes())),
            _ => part(args, |t, o| t.civil(o).minute),
        }),
        "getSeconds" => overloaded(|_, args| match &args[0] {
            Value::Duration(d) => Ok(Value::Int(d.seconds())),
            _ => part(args, |t, o| t.civil(o).second),
        }),
        "getMilliseconds" => overloaded(|_, args| match &args[0] {
            Value::Duration(d) => Ok(Value::Int(d.milliseconds())),
            _ => part(args, |t, _| i64::from(t.nanos / 1_000_000)),
        }),
        _ => return None,
    })
}

fn part(args: &[Value], part: fn(Timestamp, i32) -> i64) -> Result {
    let Value::Timestamp(time) = &args[0] else {
        return Err(EvalError::no_such_overload());
    };
    let offset = match args.get(1) {
        None => 0,
        Some(Value::String(zone)) => offset(zone, *time)?,
        Some(_) => return Err(EvalError::no_such_overload()),
    };
    Ok(Value::Int(part(*time, offset)))
}

/// The seconds east of UTC of a zone: an offset (`-02:30`) or a name.
fn offset(zone: &str, time: Timestamp) -> Result<i32> {
    let Some((hours, minutes)) = zone.split_once(':') else {
        return named_offset(zone, time);
    };
    let number = |text: &str| {
        text.parse::<i64>().map_err(|_| {
            let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
            let numeric = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            let reason = if numeric {
                "value out of range"
            } else {
                "invalid syntax"
            };
            EvalError::new(format!(
                "strconv.Atoi: parsing {}: {reason}",
                crate::value::go_quote(text)
            ))
        })
    };
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    // Any number of minutes is taken.
    let limit = 1_000_000;
    let (hours, minutes) = (hours.clamp(-limit, limit) * 60, minutes.clamp(-limit, limit));
    let total = if zone.starts_with('-') {
        hours - minutes
    } else {
        hours + minutes
    };
    Ok(i32::try_from(total * 60).unwrap_or(i32::MAX))
}

fn named_offset(zone: &str, _: Timestamp) -> Result<i32> {
    match zone {
        "" | "UTC" | "Local" => Ok(0),
        _ => Err(EvalError::new(format!("unknown time zone {zone}"))),
    }
}
