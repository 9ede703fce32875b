//! The result of validating a value: failures, and the number of passed checks.

use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crd_analyzer_budget as budget;
use crd_analyzer_cel::KubernetesVersion;
use serde_json::Value;

use super::ValueError;
use super::value_path::{Name, ValuePath};
use crate::codes;
use crate::field::{Cause, Error, ErrorType, MAX_FINDING_BYTES, Path, Room, Segment, render};
use crate::go::{plain_float, quote};
use crate::json_schema::JsonSchemaProps;

/// A failed check (`k8s.io/kube-openapi/pkg/validation/errors`).
pub(super) struct Failure<'s, 'v> {
    pub(super) code: &'static str,
    /// The message of kube-openapi. Failures with the same message are merged.
    pub(super) message: String,
    /// The path; `None` for failures (of `allOf` and similar keywords) that only contain the path in their message.
    pub(super) name: Option<Name>,
    pub(super) report: Report<'s, 'v>,
    /// The schema with the violated keyword, set when all checks of the schema are done.
    pub(super) origin: Option<&'s JsonSchemaProps>,
    /// Details that the code and the schema do not determine.
    pub(super) cause: Option<Box<Cause>>,
    /// The path of a failure that only contains the path in its message.
    pub(super) about: Option<Name>,
}

/// How the API server turns a failure into a field error.
pub(super) enum Report<'s, 'v> {
    Invalid(MessageValue<'v>),
    TypeInvalid(MessageValue<'v>),
    Required,
    NotSupported { value: &'v Value, supported: &'s [Value] },
    TooLong { max: i64 },
    TooMany { actual: i64, max: i64 },
}

/// The value in a message.
pub(super) enum MessageValue<'v> {
    Text(Cow<'v, str>),
    Int(i64),
    Float(f64),
}

impl<'s, 'v> Failure<'s, 'v> {
    /// A failure whose message starts with its path: `{name} in body {what}`.
    pub(super) fn at(place: &ValuePath<'_>, code: &'static str, what: &str, report: Report<'s, 'v>) -> Self {
        let name = place.name();
        // Building many long paths is expensive. The walk itself checks whether the budget is exhausted.
        let _ = budget::work(FAILURE_WORK + name.text.len() as u64 / budget::BYTES_PER_WORK);
        Self {
            code,
            message: format!("{} in body {what}", name.text),
            name: Some(name),
            report,
            origin: None,
            cause: None,
            about: None,
        }
    }

    /// A failure that is reported at the root of the validation.
    pub(super) fn of_whole(code: &'static str, message: String, about: Name) -> Self {
        Self {
            code,
            message,
            name: None,
            report: Report::Invalid(MessageValue::Text(Cow::Borrowed(""))),
            origin: None,
            cause: None,
            about: Some(about),
        }
    }

    fn into_error(self, path: &Path, version: KubernetesVersion) -> Error {
        let at = match self.name {
            Some(name) => name.below(path),
            None => path.clone(),
        };
        match self.report {
            Report::Invalid(value) => Error::new(ErrorType::Invalid, self.code, at, value.render(), self.message),
            Report::TypeInvalid(value) => {
                Error::new(ErrorType::TypeInvalid, self.code, at, value.render(), self.message)
            }
            Report::Required => Error::required(self.code, at, ""),
            Report::NotSupported { value, supported } => {
                let supported: Vec<Cow<'_, str>> = supported
                    .iter()
                    .map(|value| match value {
                        Value::String(text) => Cow::Borrowed(text.as_str()),
                        other => Cow::Owned(render::json(other)),
                    })
                    .collect();
                let supported: Vec<&str> = supported.iter().map(AsRef::as_ref).collect();
                Error::not_supported(self.code, at, render::bad_value(value, version), &supported)
            }
            // The limit counts characters, but since 1.32 the message says bytes.
            Report::TooLong { max } if version < KubernetesVersion::minor(32) && max >= 0 => Error::new(
                ErrorType::TooLong,
                self.code,
                at,
                "",
                format!("may not be longer than {max}"),
            ),
            Report::TooLong { max } => match usize::try_from(max) {
                Ok(max) => Error::too_long(self.code, at, max, version),
                Err(_) => Error::new(ErrorType::TooLong, self.code, at, "", "value is too long"),
            },
            Report::TooMany { actual, max } => match usize::try_from(max) {
                Ok(max) => Error::too_many(self.code, at, actual as usize, max, version),
                Err(_) => Error::new(
                    ErrorType::TooMany,
                    self.code,
                    at,
                    actual.to_string(),
                    "has too many items",
                ),
            },
        }
    }
}

impl MessageValue<'_> {
    fn render(&self) -> String {
        match self {
            Self::Text(text) => quote(text),
            Self::Int(int) => int.to_string(),
            Self::Float(float) => plain_float(*float),
        }
    }
}

/// `k8s.io/kube-openapi/pkg/validation/validate.Result`, without warnings, because they are never read.
#[derive(Default)]
pub(super) struct Outcome<'s, 'v> {
    failures: Vec<Failure<'s, 'v>>,
    /// The hashes of the failures' messages, used once there are many failures.
    seen: HashSet<u64>,
    /// The approximate size of the failures in memory, in bytes.
    bytes: usize,
    /// The number of failures that were dropped for lack of room.
    left_out: u64,
    /// The number of passed checks (`MatchCount`). Wraps around, as on the API server.
    pub(super) matches: u64,
    /// Whether unknown parts were not checked. If so, and without failures, it is unknown whether the value is valid.
    pub(super) is_partial: bool,
}

/// Work units for creating the message of a failure.
const FAILURE_WORK: u64 = 100;

/// The limit on the total size of failures, in bytes. The errors made from them need less memory.
const MAX_BYTES: usize = 2 * MAX_FINDING_BYTES;

/// The number of failures up to which a new message is compared with each of them.
const FEW: usize = 8;

impl<'s, 'v> Outcome<'s, 'v> {
    /// The outcome of a passed check.
    pub(super) fn passed() -> Self {
        Self {
            matches: 1,
            ..Self::default()
        }
    }

    /// The outcome for an unknown value, which has no failures.
    pub(super) fn not_known() -> Self {
        Self {
            is_partial: true,
            ..Self::passed()
        }
    }

    pub(super) const fn is_valid(&self) -> bool {
        self.failures.is_empty()
    }

    /// Adds a failure, unless there is already a failure with the same message (`AddErrors`).
    pub(super) fn push(&mut self, failure: Failure<'s, 'v>) {
        if budget::is_stopped() {
            return;
        }
        if !self.failures.is_empty() && self.bytes > MAX_BYTES {
            self.left_out += 1;
            return;
        }
        if self.failures.len() < FEW {
            if self.failures.iter().any(|other| other.message == failure.message) {
                return;
            }
        } else {
            if self.seen.is_empty() {
                self.seen.extend(self.failures.iter().map(Failure::hash));
            }
            if !self.seen.insert(failure.hash()) {
                return;
            }
        }
        self.bytes += failure.bytes();
        self.failures.push(failure);
    }

    /// Adds the failures and passed checks of another outcome (`Merge`).
    pub(super) fn merge(&mut self, other: Self) {
        self.matches = self.matches.wrapping_add(other.matches);
        self.left_out += other.left_out;
        self.is_partial |= other.is_partial;
        if self.failures.is_empty() {
            self.failures = other.failures;
            self.seen = other.seen;
            self.bytes = other.bytes;
            return;
        }
        for failure in other.failures {
            self.push(failure);
        }
    }

    /// Removes the failures (`MergeAsWarnings`).
    pub(super) fn without_failures(self) -> Self {
        Self {
            matches: self.matches,
            is_partial: self.is_partial,
            ..Self::default()
        }
    }

    /// Sets the schema of all failures without a schema.
    pub(super) fn come_from(&mut self, schema: &'s JsonSchemaProps) {
        for failure in &mut self.failures {
            failure.origin.get_or_insert(schema);
        }
    }

    /// Converts the failures to the API server's errors, as long as memory is left for errors. `root` is the schema of the whole value.
    pub(super) fn into_findings(
        self,
        path: &Path,
        root: &'s JsonSchemaProps,
        version: KubernetesVersion,
    ) -> Vec<ValueError<'s>> {
        let finding = |mut failure: Failure<'s, 'v>| {
            let schema = failure.origin.unwrap_or(root);
            let cause = failure.cause.take().map(|it| *it);
            let about = failure.about.take().map(|it| it.below(path));
            let mut error = failure.into_error(path, version);
            let last = error.path.segments().last().and_then(|it| match it {
                Segment::Field(name) | Segment::Key(name) => Some(name.as_str()),
                Segment::Index(_) => None,
            });
            let cause = cause.or_else(|| Cause::of_value(error.code, schema, last));
            if let Some(cause) = cause {
                error = error.because(cause);
            }
            if let Some(about) = about {
                error = error.really_about(about);
            }
            ValueError { error, schema }
        };
        let mut room = Room::default();
        let mut failures = self.failures.into_iter();
        let mut findings = Vec::new();
        while room.is_left()
            && let Some(failure) = failures.next()
        {
            let found = finding(failure);
            room.take(found.error.bytes());
            findings.push(found);
        }
        budget::leave_out(self.left_out + failures.len() as u64);
        findings
    }
}

impl Failure<'_, '_> {
    fn hash(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.message.hash(&mut hasher);
        hasher.finish()
    }

    /// The approximate size in memory, in bytes.
    fn bytes(&self) -> usize {
        let name = self.name.as_ref().map_or(0, |it| it.text.len());
        size_of::<Self>() + self.message.len() + 2 * name
    }
}

impl<'s, 'v> From<Failure<'s, 'v>> for Outcome<'s, 'v> {
    fn from(failure: Failure<'s, 'v>) -> Self {
        Self {
            failures: vec![failure],
            ..Self::default()
        }
    }
}

/// A failure for a value of the wrong type (`errors.InvalidType` with a string); the message shows `found`.
pub(super) fn wrong_type<'s, 'v>(place: &ValuePath<'_>, expected: &str, found: &'v str) -> Failure<'s, 'v> {
    let what = format!("must be of type {expected}: {}", quote(found));
    Failure::at(
        place,
        codes::WRONG_TYPE,
        &what,
        Report::TypeInvalid(MessageValue::Text(Cow::Borrowed(found))),
    )
}
