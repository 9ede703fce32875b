//! What came out of validating a value: failures, and how many checks passed.

use std::borrow::Cow;
use std::collections::HashSet;

use crd_analyzer_cel::KubernetesVersion;
use serde_json::Value;

use super::Finding;
use super::place::{Name, Place};
use crate::codes;
use crate::field::{Error, ErrorType, Path, render};
use crate::go::{plain_float, quote};
use crate::json_schema::JsonSchemaProps;

/// A failed check (`k8s.io/kube-openapi/pkg/validation/errors`).
pub(super) struct Failure<'s, 'v> {
    pub(super) code: &'static str,
    /// The words of kube-openapi. Two failures with the same words are one.
    pub(super) message: String,
    /// The place, or none for those failures (of `allOf` and the like) that only name it in their words.
    pub(super) name: Option<Name>,
    pub(super) report: Report<'s, 'v>,
    /// The schema whose keyword failed, once its checks are done.
    pub(super) origin: Option<&'s JsonSchemaProps>,
}

/// How the server turns a failure into a field error.
pub(super) enum Report<'s, 'v> {
    Invalid(Shown<'v>),
    TypeInvalid(Shown<'v>),
    Required,
    NotSupported { value: &'v Value, supported: &'s [Value] },
    TooLong { max: i64 },
    TooMany { actual: i64, max: i64 },
}

/// The value that a message shows.
pub(super) enum Shown<'v> {
    Text(Cow<'v, str>),
    Int(i64),
    Float(f64),
}

impl<'s, 'v> Failure<'s, 'v> {
    /// A failure with the place at the head of its words: `{name} in body {what}`.
    pub(super) fn at(place: &Place<'_>, code: &'static str, what: &str, report: Report<'s, 'v>) -> Self {
        let name = place.name();
        Self {
            code,
            message: format!("{} in body {what}", name.text),
            name: Some(name),
            report,
            origin: None,
        }
    }

    /// A failure that is reported at the root of the validation.
    pub(super) fn of_whole(code: &'static str, message: String) -> Self {
        Self {
            code,
            message,
            name: None,
            report: Report::Invalid(Shown::Text(Cow::Borrowed(""))),
            origin: None,
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
            // The unit is characters, but the words say bytes since 1.32.
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

impl Shown<'_> {
    fn render(&self) -> String {
        match self {
            Self::Text(text) => quote(text),
            Self::Int(int) => int.to_string(),
            Self::Float(float) => plain_float(*float),
        }
    }
}

/// `k8s.io/kube-openapi/pkg/validation/validate.Result`. Warnings are not kept: nothing reads them.
#[derive(Default)]
pub(super) struct Outcome<'s, 'v> {
    failures: Vec<Failure<'s, 'v>>,
    /// The words of the failures, once there are many.
    seen: HashSet<String>,
    /// How many checks passed (`MatchCount`). Wraps around, as the server's would.
    pub(super) matches: u64,
}

/// Up to here the words of a new failure are compared with each of the others.
const FEW: usize = 8;

impl<'s, 'v> Outcome<'s, 'v> {
    /// One check has passed.
    pub(super) fn passed() -> Self {
        Self {
            matches: 1,
            ..Self::default()
        }
    }

    pub(super) const fn is_valid(&self) -> bool {
        self.failures.is_empty()
    }

    /// Adds a failure, unless there is one with the same words (`AddErrors`).
    pub(super) fn push(&mut self, failure: Failure<'s, 'v>) {
        if self.failures.len() < FEW {
            if self.failures.iter().any(|other| other.message == failure.message) {
                return;
            }
        } else {
            if self.seen.is_empty() {
                self.seen
                    .extend(self.failures.iter().map(|other| other.message.clone()));
            }
            if !self.seen.insert(failure.message.clone()) {
                return;
            }
        }
        self.failures.push(failure);
    }

    /// Adds the failures and the count of another outcome (`Merge`).
    pub(super) fn merge(&mut self, other: Self) {
        self.matches = self.matches.wrapping_add(other.matches);
        if self.failures.is_empty() {
            self.failures = other.failures;
            self.seen = other.seen;
            return;
        }
        for failure in other.failures {
            self.push(failure);
        }
    }

    /// The same with its failures forgiven (`MergeAsWarnings`).
    pub(super) fn without_failures(self) -> Self {
        Self {
            matches: self.matches,
            ..Self::default()
        }
    }

    /// Notes for the failures of which it is not yet known that they come from this schema.
    pub(super) fn come_from(&mut self, schema: &'s JsonSchemaProps) {
        for failure in &mut self.failures {
            failure.origin.get_or_insert(schema);
        }
    }

    /// The failures as the server reports them, of a value that `root` is the schema of.
    pub(super) fn into_findings(
        self,
        path: &Path,
        root: &'s JsonSchemaProps,
        version: KubernetesVersion,
    ) -> Vec<Finding<'s>> {
        let finding = |failure: Failure<'s, 'v>| Finding {
            schema: failure.origin.unwrap_or(root),
            error: failure.into_error(path, version),
        };
        self.failures.into_iter().map(finding).collect()
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

/// A value that is not what its schema demands (`errors.InvalidType` with a text): `found` is shown.
pub(super) fn wrong_type<'s, 'v>(place: &Place<'_>, expected: &str, found: &'v str) -> Failure<'s, 'v> {
    let what = format!("must be of type {expected}: {}", quote(found));
    Failure::at(
        place,
        codes::WRONG_TYPE,
        &what,
        Report::TypeInvalid(Shown::Text(Cow::Borrowed(found))),
    )
}
