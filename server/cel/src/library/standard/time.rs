//! Parts of times and durations (`cel-go` `common/stdlib`, `common/types/{timestamp,duration}.go`).

use std::sync::LazyLock;

use crd_analyzer_budget as budget;
use jiff::tz::TimeZoneDatabase;

use crate::KubernetesVersion;
use crate::library::declaration::{Cost, Counted, Function, Spelling, function, overload};
use crate::value::{EvalError, Result, Timestamp, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    function(
        "getFullYear",
        "The year, in UTC or the given time zone.",
        Counted::ByOverload,
        &[("timestamp('2023-07-14T10:30:45.123Z').getFullYear()", "2023")],
        &[
            overload("timestamp_to_year", "timestamp.() -> int", Cost::ONE, year),
            overload(
                "timestamp_to_year_with_tz",
                "timestamp.(string) -> int",
                Cost::ONE,
                year,
            ),
        ],
    )
    .spelling(Spelling::Zone),
    function(
        "getMonth",
        "The month from 0, in UTC or the given time zone.",
        Counted::ByOverload,
        &[("timestamp('2023-07-14T10:30:45.123Z').getMonth()", "6")],
        &[
            overload("timestamp_to_month", "timestamp.() -> int", Cost::ONE, month),
            overload(
                "timestamp_to_month_with_tz",
                "timestamp.(string) -> int",
                Cost::ONE,
                month,
            ),
        ],
    )
    .spelling(Spelling::Zone),
    function(
        "getDayOfYear",
        "The day of the year from 0, in UTC or the given time zone.",
        Counted::ByOverload,
        &[("timestamp('2023-07-14T10:30:45.123Z').getDayOfYear()", "194")],
        &[
            overload(
                "timestamp_to_day_of_year",
                "timestamp.() -> int",
                Cost::ONE,
                day_of_year,
            ),
            overload(
                "timestamp_to_day_of_year_with_tz",
                "timestamp.(string) -> int",
                Cost::ONE,
                day_of_year,
            ),
        ],
    )
    .spelling(Spelling::Zone),
    function(
        "getDayOfMonth",
        "The day of the month from 0, in UTC or the given time zone.",
        Counted::ByOverload,
        &[("timestamp('2023-07-14T10:30:45.123Z').getDayOfMonth()", "13")],
        &[
            overload(
                "timestamp_to_day_of_month",
                "timestamp.() -> int",
                Cost::ONE,
                day_of_month,
            ),
            overload(
                "timestamp_to_day_of_month_with_tz",
                "timestamp.(string) -> int",
                Cost::ONE,
                day_of_month,
            ),
        ],
    )
    .spelling(Spelling::Zone),
    function(
        "getDate",
        "The day of the month from 1, in UTC or the given time zone.",
        Counted::ByOverload,
        &[("timestamp('2023-07-14T10:30:45.123Z').getDate()", "14")],
        &[
            overload(
                "timestamp_to_day_of_month_1_based",
                "timestamp.() -> int",
                Cost::ONE,
                date,
            ),
            overload(
                "timestamp_to_day_of_month_1_based_with_tz",
                "timestamp.(string) -> int",
                Cost::ONE,
                date,
            ),
        ],
    )
    .spelling(Spelling::Zone),
    function(
        "getDayOfWeek",
        "The day of the week from 0 for Sunday, in UTC or the given time zone.",
        Counted::ByOverload,
        &[("timestamp('2023-07-14T10:30:45.123Z').getDayOfWeek()", "5")],
        &[
            overload(
                "timestamp_to_day_of_week",
                "timestamp.() -> int",
                Cost::ONE,
                day_of_week,
            ),
            overload(
                "timestamp_to_day_of_week_with_tz",
                "timestamp.(string) -> int",
                Cost::ONE,
                day_of_week,
            ),
        ],
    )
    .spelling(Spelling::Zone),
    function(
        "getHours",
        "The hour of a time, in UTC or the given time zone; of a duration, its whole hours.",
        Counted::ByOverload,
        &[("timestamp('2023-07-14T10:30:45.123Z').getHours()", "10")],
        &[
            overload("timestamp_to_hours", "timestamp.() -> int", Cost::ONE, hours),
            overload(
                "timestamp_to_hours_with_tz",
                "timestamp.(string) -> int",
                Cost::ONE,
                hours,
            ),
            overload("duration_to_hours", "duration.() -> int", Cost::ONE, hours),
        ],
    )
    .spelling(Spelling::Zone),
    function(
        "getMinutes",
        "The minute of a time, in UTC or the given time zone; of a duration, its whole minutes.",
        Counted::ByOverload,
        &[("timestamp('2023-07-14T10:30:45.123Z').getMinutes()", "30")],
        &[
            overload("timestamp_to_minutes", "timestamp.() -> int", Cost::ONE, minutes),
            overload(
                "timestamp_to_minutes_with_tz",
                "timestamp.(string) -> int",
                Cost::ONE,
                minutes,
            ),
            overload("duration_to_minutes", "duration.() -> int", Cost::ONE, minutes),
        ],
    )
    .spelling(Spelling::Zone),
    function(
        "getSeconds",
        "The second of a time; of a duration, its whole seconds.",
        Counted::ByOverload,
        &[("timestamp('2023-07-14T10:30:45.123Z').getSeconds()", "45")],
        &[
            overload("timestamp_to_seconds", "timestamp.() -> int", Cost::ONE, seconds),
            overload(
                "timestamp_to_seconds_tz",
                "timestamp.(string) -> int",
                Cost::ONE,
                seconds,
            ),
            overload("duration_to_seconds", "duration.() -> int", Cost::ONE, seconds),
        ],
    )
    .spelling(Spelling::Zone),
    function(
        "getMilliseconds",
        "The milliseconds of a time or duration past its last whole second.",
        Counted::ByOverload,
        &[("timestamp('2023-07-14T10:30:45.123Z').getMilliseconds()", "123")],
        &[
            overload(
                "timestamp_to_milliseconds",
                "timestamp.() -> int",
                Cost::ONE,
                milliseconds,
            ),
            overload(
                "timestamp_to_milliseconds_with_tz",
                "timestamp.(string) -> int",
                Cost::ONE,
                milliseconds,
            ),
            overload(
                "duration_to_milliseconds",
                "duration.() -> int",
                Cost::ONE,
                milliseconds,
            ),
        ],
    )
    .spelling(Spelling::Zone),
];

fn year(version: KubernetesVersion, args: &[Value]) -> Result {
    part(version, args, |time, offset| time.civil(offset).year)
}

fn month(version: KubernetesVersion, args: &[Value]) -> Result {
    part(version, args, |time, offset| time.civil(offset).month - 1)
}

fn day_of_year(version: KubernetesVersion, args: &[Value]) -> Result {
    part(version, args, |time, offset| time.civil(offset).day_of_year - 1)
}

fn day_of_month(version: KubernetesVersion, args: &[Value]) -> Result {
    part(version, args, |time, offset| time.civil(offset).day - 1)
}

fn date(version: KubernetesVersion, args: &[Value]) -> Result {
    part(version, args, |time, offset| time.civil(offset).day)
}

fn day_of_week(version: KubernetesVersion, args: &[Value]) -> Result {
    part(version, args, |time, offset| time.civil(offset).weekday)
}

fn hours(version: KubernetesVersion, args: &[Value]) -> Result {
    match &args[0] {
        Value::Duration(duration) => Ok(Value::Int(duration.hours())),
        _ => part(version, args, |time, offset| time.civil(offset).hour),
    }
}

fn minutes(version: KubernetesVersion, args: &[Value]) -> Result {
    match &args[0] {
        Value::Duration(duration) => Ok(Value::Int(duration.minutes())),
        _ => part(version, args, |time, offset| time.civil(offset).minute),
    }
}

fn seconds(version: KubernetesVersion, args: &[Value]) -> Result {
    match &args[0] {
        Value::Duration(duration) => Ok(Value::Int(duration.seconds())),
        _ => part(version, args, |time, offset| time.civil(offset).second),
    }
}

fn milliseconds(version: KubernetesVersion, args: &[Value]) -> Result {
    match &args[0] {
        Value::Duration(duration) => Ok(Value::Int(duration.milliseconds())),
        _ => part(version, args, |time, _| i64::from(time.nanos / 1_000_000)),
    }
}

/// A part of a time, in UTC or in the time zone given by the second operand.
fn part(version: KubernetesVersion, args: &[Value], part: fn(Timestamp, i64) -> i64) -> Result {
    let Value::Timestamp(time) = &args[0] else {
        return Err(EvalError::no_such_overload());
    };
    let offset = match args.get(1) {
        None => 0,
        Some(Value::String(zone)) => offset(version, zone, *time)?,
        Some(_) => return Err(EvalError::no_such_overload()),
    };
    Ok(Value::Int(part(*time, offset)))
}

/// Units of work of a search through all time zone names.
const ZONE_WORK: u64 = 4_000;

static ZONES: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

/// The offset of a time zone in seconds east of UTC. The zone is an offset (`-02:30`) or a name.
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
    // Wrap around as in Go, where the intermediate duration is in nanoseconds.
    Ok(total.wrapping_mul(60_000_000_000) / 1_000_000_000)
}

/// The offset of a named time zone (Go's `time.LoadLocation`) at the second `time`, from the bundled database. An API server uses the database in its
/// container image.
fn named_offset(version: KubernetesVersion, zone: &str, time: Timestamp) -> Result<i64> {
    if ["", "UTC", "Local"].contains(&zone) {
        return Ok(0);
    }
    if zone.contains("..") || zone.starts_with(['/', '\\']) {
        return Err(EvalError::new("time: invalid location name"));
    }
    budget::work(ZONE_WORK)?;
    // The folder `posix` of the database contains all zones a second time, without leap seconds.
    let zone_file = zone.strip_prefix("posix/").unwrap_or(zone);
    let folder = zone_file.trim_end_matches('/');
    let is_in_folder = |name: &str| name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    if ZONES.available().any(|name| is_in_folder(name.as_str())) {
        return Err(EvalError::new("is a directory"));
    }
    let found = ZONES.get(zone_file).ok();
    // Zone names are file names, so they are case-sensitive.
    let Some(found) = found.filter(|it| it.iana_name() == Some(zone_file)) else {
        return Err(EvalError::of_format(format!("unknown time zone {zone}"), version));
    };
    let known = time
        .seconds
        .clamp(jiff::Timestamp::MIN.as_second(), jiff::Timestamp::MAX.as_second());
    let offset = jiff::Timestamp::from_second(known).map(|at| found.to_offset(at));
    Ok(offset.map_or(0, |it| it.seconds().into()))
}
