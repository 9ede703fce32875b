//! Durations and timestamps (`cel-go` `common/types/{duration,timestamp,overflow}.go` and the parts of Go's `time` that they use).

use std::cmp::Ordering;
use std::fmt::Write;
use std::sync::atomic::{AtomicU32, Ordering as AtomicOrdering};

use super::{EvalError, Result};

const SECOND: i64 = 1_000_000_000;
const MIN_SECONDS: i64 = -62_135_596_800;
const MAX_SECONDS: i64 = 253_402_300_799;

/// A duration in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Duration(pub i64);

/// A timestamp.
#[derive(Clone, Copy, Debug)]
pub struct Timestamp {
    /// Seconds since 1970.
    pub seconds: i64,
    /// The nanoseconds within the second.
    pub nanos: u32,
    /// The time zone, as seconds east of UTC.
    pub offset: i32,
    /// Identifies Go's time zone object. Timestamps with the same offset but different time zone objects are different map keys.
    zone: u32,
}

/// UTC, and the time zone objects for whole hours that Go caches.
const KEPT_ZONE: u32 = 0;
/// The time zone of the API server itself. Go uses it for every time with an offset of zero.
const LOCAL_ZONE: u32 = 1;

impl Duration {
    /// The sum of both durations.
    pub fn plus(self, other: Self) -> Result<Self> {
        self.0
            .checked_add(other.0)
            .map(Self)
            .ok_or_else(EvalError::int_overflow)
    }

    /// The difference of both durations.
    pub fn minus(self, other: Self) -> Result<Self> {
        self.0
            .checked_sub(other.0)
            .map(Self)
            .ok_or_else(EvalError::int_overflow)
    }

    fn units(self, unit: i64) -> f64 {
        (self.0 / unit) as f64 + (self.0 % unit) as f64 / unit as f64
    }

    /// The number of whole hours in the duration.
    pub fn hours(self) -> i64 {
        self.units(3600 * SECOND) as i64
    }

    /// The number of whole minutes in the duration.
    pub fn minutes(self) -> i64 {
        self.units(60 * SECOND) as i64
    }

    /// The number of whole seconds in the duration.
    pub fn seconds(self) -> i64 {
        self.units(SECOND) as i64
    }

    /// The number of whole milliseconds in the duration.
    pub fn milliseconds(self) -> i64 {
        self.0 / 1_000_000
    }

    /// The result of `string(duration)`, in seconds.
    pub fn to_cel_string(self) -> String {
        format!("{}s", crate::go::double_f(self.units(SECOND)))
    }

    /// The duration as Go's `%v` prints it, in hours, minutes and seconds.
    pub fn go_string(self) -> String {
        let nanos = self.0.unsigned_abs();
        if nanos == 0 {
            return "0s".to_owned();
        }
        let sign = if self.0 < 0 { "-" } else { "" };
        let fraction = |value: u64, unit: u64| {
            let (whole, rest) = (value / unit, value % unit);
            if rest == 0 {
                return whole.to_string();
            }
            let width = unit.ilog10() as usize;
            format!("{whole}.{}", format!("{rest:0width$}").trim_end_matches('0'))
        };
        if nanos < 1_000 {
            return format!("{sign}{nanos}ns");
        }
        if nanos < 1_000_000 {
            return format!("{sign}{}µs", fraction(nanos, 1_000));
        }
        if nanos < 1_000_000_000 {
            return format!("{sign}{}ms", fraction(nanos, 1_000_000));
        }
        let minutes = nanos / (60 * SECOND as u64);
        let seconds = fraction(nanos % (60 * SECOND as u64), SECOND as u64);
        match (minutes / 60, minutes % 60) {
            (0, 0) => format!("{sign}{seconds}s"),
            (0, minutes) => format!("{sign}{minutes}m{seconds}s"),
            (hours, minutes) => format!("{sign}{hours}h{minutes}m{seconds}s"),
        }
    }
}

/// The components of a time in a time zone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Civil {
    pub(crate) year: i64,
    pub(crate) month: i64,
    pub(crate) day: i64,
    pub(crate) day_of_year: i64,
    /// Days since Sunday.
    pub(crate) weekday: i64,
    pub(crate) hour: i64,
    pub(crate) minute: i64,
    pub(crate) second: i64,
}

impl Timestamp {
    /// A time in UTC. Returns an error if it is outside the years 1 to 9999.
    pub fn new(seconds: i64, nanos: u32) -> Result<Self> {
        if (MIN_SECONDS..=MAX_SECONDS).contains(&seconds) {
            Ok(Self::utc(seconds, nanos))
        } else {
            Err(EvalError::new("timestamp overflow"))
        }
    }

    /// A time in UTC, of any year.
    pub fn utc(seconds: i64, nanos: u32) -> Self {
        Self {
            seconds,
            nanos,
            offset: 0,
            zone: KEPT_ZONE,
        }
    }

    /// A time with an offset in seconds. Go creates a new time zone object for each time, except for whole hours from -12 to 14.
    pub fn with_offset(seconds: i64, nanos: u32, offset: i32) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(LOCAL_ZONE + 1);
        let zone = if offset == 0 {
            LOCAL_ZONE
        } else if offset % 3600 == 0 && (-12..=14).contains(&(offset / 3600)) {
            KEPT_ZONE
        } else {
            NEXT.fetch_add(1, AtomicOrdering::Relaxed)
        };
        Self {
            seconds,
            nanos,
            offset,
            zone,
        }
    }

    /// The identity of Go's time zone object.
    pub(super) fn go_zone(&self) -> i64 {
        (i64::from(self.offset) << 32) | i64::from(self.zone)
    }

    /// Parses an RFC 3339 time. `None` if it is invalid; an error if it is outside the years 1 to 9999.
    pub fn parse(text: &str) -> Option<Result<Self>> {
        let (seconds, nanos) = crate::literals::parse_timestamp(text)?;
        Some(Self::new(seconds, nanos).map(|utc| match text.as_bytes() {
            [.., sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
                let two = |a: u8, b: u8| i32::from(a - b'0') * 10 + i32::from(b - b'0');
                let offset = two(*h1, *h2) * 3600 + two(*m1, *m2) * 60;
                Self::with_offset(seconds, nanos, if *sign == b'-' { -offset } else { offset })
            }
            _ => utc,
        }))
    }

    /// Compares the instants, regardless of the time zones.
    pub fn cmp_instant(&self, other: &Self) -> Ordering {
        (self.seconds, self.nanos).cmp(&(other.seconds, other.nanos))
    }

    /// Whether the time is the start of year 1, Go's zero time.
    pub fn is_zero(&self) -> bool {
        self.seconds == MIN_SECONDS && self.nanos == 0
    }

    /// The time plus a duration.
    pub fn plus(self, duration: Duration) -> Result<Self> {
        let mut seconds = self
            .seconds
            .checked_add(duration.0 / SECOND)
            .ok_or_else(EvalError::int_overflow)?;
        let nanos = i64::from(self.nanos) + duration.0 % SECOND;
        seconds = seconds
            .checked_add(nanos.div_euclid(SECOND))
            .ok_or_else(EvalError::int_overflow)?;
        let later = Self::new(seconds, nanos.rem_euclid(SECOND) as u32)?;
        Ok(Self {
            offset: self.offset,
            zone: self.zone,
            ..later
        })
    }

    /// The time minus a duration.
    pub fn minus(self, duration: Duration) -> Result<Self> {
        self.plus(Duration(duration.0.checked_neg().ok_or_else(EvalError::int_overflow)?))
    }

    /// The duration since another time.
    pub fn since(self, other: Self) -> Result<Duration> {
        let seconds = self
            .seconds
            .checked_sub(other.seconds)
            .ok_or_else(EvalError::int_overflow)?;
        let nanos = i64::from(self.nanos) - i64::from(other.nanos);
        let total = seconds.checked_mul(SECOND).and_then(|s| s.checked_add(nanos));
        total.map(Duration).ok_or_else(EvalError::int_overflow)
    }

    /// The components of the time at an offset.
    pub(crate) fn civil(self, offset: i64) -> Civil {
        let local = self.seconds + offset;
        let (days, time) = (local.div_euclid(86_400), local.rem_euclid(86_400));
        // Years start in March, so that the leap day is the last day of a year. They are grouped in eras of 400 years.
        let shifted = days + 719_468;
        let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_march_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let march_month = (5 * day_of_march_year + 2) / 153;
        let day = day_of_march_year - (153 * march_month + 2) / 5 + 1;
        let month = if march_month < 10 {
            march_month + 3
        } else {
            march_month - 9
        };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let before = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334][month as usize - 1];
        Civil {
            year,
            month,
            day,
            day_of_year: before + day + i64::from(leap && month > 2),
            weekday: (days + 4).rem_euclid(7),
            hour: time / 3600,
            minute: time % 3600 / 60,
            second: time % 60,
        }
    }

    fn date_and_time(self, between: char) -> String {
        let c = self.civil(self.offset.into());
        let mut text = format!(
            "{:04}-{:02}-{:02}{between}{:02}:{:02}:{:02}",
            c.year, c.month, c.day, c.hour, c.minute, c.second
        );
        if self.nanos != 0 {
            let _ = write!(text, ".{}", format!("{:09}", self.nanos).trim_end_matches('0'));
        }
        text
    }

    fn zone(self, between: &str) -> String {
        let sign = if self.offset < 0 { '-' } else { '+' };
        let minutes = self.offset.unsigned_abs() / 60;
        format!("{sign}{:02}{between}{:02}", minutes / 60, minutes % 60)
    }

    /// The result of `string(timestamp)`: RFC 3339, with as many fraction digits as needed.
    pub fn to_cel_string(self) -> String {
        let zone = if self.offset == 0 {
            "Z".to_owned()
        } else {
            self.zone(":")
        };
        format!("{}{zone}", self.date_and_time('T'))
    }

    /// The time as Go's `%v` prints it.
    pub fn go_string(self) -> String {
        let zone = self.zone("");
        let name = if self.offset == 0 { "UTC" } else { &zone };
        format!("{} {zone} {name}", self.date_and_time(' '))
    }
}
