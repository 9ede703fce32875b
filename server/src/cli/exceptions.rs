//! Allowed exceptions to a compatibility policy, each with a reason and an optional end date (`--exceptions` of `compat` and `check`).

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::{SystemTime, UNIX_EPOCH},
};

use anyhow::Context as _;
use crd_analyzer_compat::{CODES, Change};
use crd_analyzer_io::print::tell;
use crd_analyzer_schema::go;
use crd_analyzer_workspace::eval::read_value;
use serde::Deserialize;
use serde_json::Value;

use super::UsageError;
use crate::{
    input::{self, Source},
    output::compat::{Allowed, short_path},
};

/// The exceptions in a file.
#[derive(Debug, Default)]
pub(super) struct Exceptions {
    known: Vec<Exception>,
    /// For each exception, whether it matches a change of this run.
    used: Vec<AtomicBool>,
    /// The date of the run, as `2027-01-31`.
    today: String,
}

/// An exception. A field that is not set matches every change.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Exception {
    /// The code of the change.
    change: String,
    /// The name of the CRD.
    crd: Option<String>,
    /// The version of the CRD.
    version: Option<String>,
    /// The path of the changed values, as printed: `spec.ports[*].name`.
    path: Option<String>,
    /// The reason why the change is allowed.
    reason: String,
    /// The last day on which the exception applies, as `2027-01-31`.
    until: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    exceptions: Vec<Exception>,
}

impl Exceptions {
    /// Reads a file of exceptions.
    pub(super) fn read(file: &str) -> anyhow::Result<Self> {
        let bytes = input::read(&Source::named(file)).with_context(|| format!("cannot read {file}"))?;
        let wrong = |why: String| UsageError(format!("{file}: {why}"));
        let mut values = read_value(bytes.unwrap_or_default()).map_err(wrong)?;
        let value = match values.len() {
            1 => values.swap_remove(0),
            n => return Err(wrong(format!("{n} documents; one is needed")).into()),
        };
        let known = written(value).map_err(wrong)?;
        Ok(Self {
            used: known.iter().map(|_| AtomicBool::new(false)).collect(),
            known,
            today: date(
                SystemTime::now()
                    .duration_since(UNIX_EPOCH)
                    .map_or(0, |it| it.as_secs()),
            ),
        })
    }

    /// The exception that allows a change of a CRD.
    pub(super) fn find(&self, crd: &str, change: &Change) -> Option<Allowed<'_>> {
        let mut found = None;
        for (exception, used) in self.known.iter().zip(&self.used) {
            if exception.is_about(crd, change) {
                used.store(true, Ordering::Relaxed);
                found = found.or(Some(exception).filter(|it| !self.is_over(it)));
            }
        }
        found.map(|it| Allowed {
            reason: &it.reason,
            until: it.until.as_deref(),
        })
    }

    fn is_over(&self, exception: &Exception) -> bool {
        exception.until.as_ref().is_some_and(|it| *it < self.today)
    }

    /// Prints the exceptions that have expired.
    pub(super) fn tell_ended(&self) {
        for (exception, _) in self.each().filter(|it| it.1) {
            if let Some(until) = exception.until.as_ref().filter(|_| self.is_over(exception)) {
                tell(format_args!(
                    "warning: the exception for {} ended on {until}",
                    exception.what()
                ));
            }
        }
    }

    /// Prints the exceptions that match no change.
    pub(super) fn tell_unused(&self) {
        for (exception, _) in self.each().filter(|it| !it.1) {
            tell(format_args!(
                "note: you can remove the exception for {}: no change matches it",
                exception.what()
            ));
        }
    }

    /// The exceptions. The flag is set if the exception matches a change of this run.
    fn each(&self) -> impl Iterator<Item = (&Exception, bool)> {
        let used = self.used.iter().map(|it| it.load(Ordering::Relaxed));
        self.known.iter().zip(used)
    }
}

impl crd_analyzer_workspace::comparison::breaking::Exceptions for Exceptions {
    fn allows(&self, crd: &str, change: &Change) -> bool {
        self.find(crd, change).is_some()
    }
}

impl Exception {
    fn is_about(&self, crd: &str, change: &Change) -> bool {
        let is = |wanted: &Option<String>, actual: &str| wanted.as_deref().is_none_or(|it| it == actual);
        self.change == change.code
            && is(&self.crd, crd)
            && is(&self.version, change.version.as_deref().unwrap_or_default())
            && is(&self.path, &short_path(&change.path()))
    }

    fn what(&self) -> String {
        let parts = [
            Some(&self.change),
            self.crd.as_ref(),
            self.version.as_ref(),
            self.path.as_ref(),
        ];
        let parts: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
        format!("`{}`", parts.join(" "))
    }
}

fn written(value: Value) -> Result<Vec<Exception>, String> {
    let written: Written = serde_json::from_value(value).map_err(|why| why.to_string())?;
    for exception in &written.exceptions {
        let what = exception.what();
        if !CODES.iter().any(|it| it.0 == exception.change) {
            return Err(format!("the change {what} does not exist"));
        }
        if exception.reason.trim().is_empty() {
            return Err(format!("the exception for {what} does not have a reason"));
        }
        if exception.until.as_ref().is_some_and(|it| !is_date(it)) {
            return Err(format!(
                "`until` of the exception for {what} is not a date such as 2027-01-31"
            ));
        }
    }
    Ok(written.exceptions)
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else {
        return false;
    };
    let number = |text: &str, length: usize, most: u32| {
        let is_number = text.len() == length && text.bytes().all(|it| it.is_ascii_digit());
        is_number && text.parse::<u32>().is_ok_and(|it| (1..=most).contains(&it))
    };
    number(year, 4, 9999) && number(month, 2, 12) && number(day, 2, 31)
}

/// The date in UTC of a time in seconds since 1970.
fn date(seconds: u64) -> String {
    let (year, month, day) = go::date((seconds / 86_400).cast_signed());
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_795_478_399, "2026-11-23"),
            (1_798_761_599, "2026-12-31"),
            (1_798_761_600, "2027-01-01"),
        ] {
            assert_eq!(date(seconds), text);
        }
    }

    #[test]
    fn what_is_wrong_in_a_file_is_told() {
        let check = |exception: Value, words: &str| {
            let error = written(json!({"exceptions": [exception]})).unwrap_err();
            assert!(error.contains(words), "{error}");
        };
        check(json!({"change": "maximum-changed"}), "missing field `reason`");
        check(
            json!({"change": "maximum-changed", "reason": " "}),
            "does not have a reason",
        );
        check(json!({"change": "maximum", "reason": "a"}), "does not exist");
        check(
            json!({"change": "maximum-changed", "reason": "a", "until": "soon"}),
            "not a date",
        );
        check(
            json!({"change": "maximum-changed", "reason": "a", "until": "2027-13-01"}),
            "not a date",
        );
        check(
            json!({"change": "maximum-changed", "reason": "a", "end": "2027-01-01"}),
            "unknown field `end`",
        );
        assert!(written(json!({"exceptions": []})).is_ok());
    }
}
