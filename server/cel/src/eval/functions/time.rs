//! Parts of times and durations (`cel-go` `common/stdlib`, `common/types/{timestamp,duration}.go`).

use std::sync::LazyLock;

use jiff::tz::TimeZoneDatabase;

use super::{Binding, Called, overloaded};
use crate::KubernetesVersion;
use crate::value::{EvalError, Result, Timestamp, Value};

static ZONES: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

pub(super) fn binding(function: &str) -> Option<Binding> {
    Some(match function {
        "getFullYear" => overloaded(|called, args| part(called, args, |t, o| t.civil(o).year)),
        "getMonth" => overloaded(|called, args| part(called, args, |t, o| t.civil(o).month - 1)),
        "getDayOfYear" => overloaded(|called, args| part(called, args, |t, o| t.civil(o).day_of_year - 1)),
        "getDate" => overloaded(|called, args| part(called, args, |t, o| t.civil(o).day)),
        "getDayOfMonth" => overloaded(|called, args| part(called, args, |t, o| t.civil(o).day - 1)),
        "getDayOfWeek" => overloaded(|called, args| part(called, args, |t, o| t.civil(o).weekday)),
        "getHours" => overloaded(|called, args| match &args[0] {
            Value::Duration(d) => Ok(Value::Int(d.hours())),
            _ => part(called, args, |t, o| t.civil(o).hour),
        }),
        "getMinutes" => overloaded(|called, args| match &args[0] {
            Value::Duration(d) => Ok(Value::Int(d.minutes())),
            _ => part(called, args, |t, o| t.civil(o).minute),
        }),
        "getSeconds" => overloaded(|called, args| match &args[0] {
            Value::Duration(d) => Ok(Value::Int(d.seconds())),
            _ => part(called, args, |t, o| t.civil(o).second),
        }),
        "getMilliseconds" => overloaded(|called, args| match &args[0] {
            Value::Duration(d) => Ok(Value::Int(d.milliseconds())),
            _ => part(called, args, |t, _| i64::from(t.nanos / 1_000_000)),
        }),
        _ => return None,
    })
}

fn part(called: Called<'_>, args: &[Value], part: fn(Timestamp, i64) -> i64) -> Result {
    let Value::Timestamp(time) = &args[0] else {
        return Err(EvalError::no_such_overload());
    };
    let offset = match args.get(1) {
        None => 0,
        Some(Value::String(zone)) => offset(called.version, zone, *time)?,
        Some(_) => return Err(EvalError::no_such_overload()),
    };
    Ok(Value::Int(part(*time, offset)))
}

/// The seconds east of UTC of a zone: an offset (`-02:30`) or a name.
fn offset(version: KubernetesVersion, zone: &str, time: Timestamp) -> Result<i64> {
    let Some((hours, minutes)) = zone.split_once(':') else {
        return named_offset(version, zone, time);
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
            EvalError::of_format(
                format!("strconv.Atoi: parsing {}: {reason}", crate::go::quote(text)),
                version,
            )
        })
    };
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    let hours = hours.wrapping_mul(60);
    let total = if zone.starts_with('-') {
        hours.wrapping_sub(minutes)
    } else {
        hours.wrapping_add(minutes)
    };
    // A duration in nanoseconds on the way.
    Ok(total.wrapping_mul(60_000_000_000) / 1_000_000_000)
}

/// The offset of a zone by its name (Go's `time.LoadLocation`): at the second `time`, in the database that we bring along. A server
/// has that of its image.
fn named_offset(version: KubernetesVersion, zone: &str, time: Timestamp) -> Result<i64> {
    if ["", "UTC", "Local"].contains(&zone) {
        return Ok(0);
    }
    if zone.contains("..") || zone.starts_with(['/', '\\']) {
        return Err(EvalError::new("time: invalid location name"));
    }
    // The database has all zones without leap seconds a second time below this folder.
    let zone_file = zone.strip_prefix("posix/").unwrap_or(zone);
    let folder = zone_file.trim_end_matches('/');
    let is_in_folder = |name: &str| name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    if ZONES.available().any(|name| is_in_folder(name.as_str())) {
        return Err(EvalError::new("is a directory"));
    }
    let found = ZONES.get(zone_file).ok();
    // Names are names of files.
    let Some(found) = found.filter(|it| it.iana_name() == Some(zone_file)) else {
        return Err(EvalError::of_format(format!("unknown time zone {zone}"), version));
    };
    let known = time
        .seconds
        .clamp(jiff::Timestamp::MIN.as_second(), jiff::Timestamp::MAX.as_second());
    let offset = jiff::Timestamp::from_second(known).map(|at| found.to_offset(at));
    Ok(offset.map_or(0, |it| it.seconds().into()))
}
