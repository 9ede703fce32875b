//! Validation of values: `pkg/apiserver/validation` of `k8s.io/apiextensions-apiserver` on top of
//! `k8s.io/kube-openapi/pkg/validation/validate`.
//!
//! The API server converts the schema of a CRD into an OpenAPI schema and builds a tree of validators from it. Here the [`Validator`] walks the
//! author's schema directly. It runs the same checks on the same values, hides a failure because of another one in the same cases, and reports
//! failures with the same message once. It also counts the passed checks of each branch of `anyOf` or `oneOf`, because the API server reports the
//! failures of the branch that passed the most checks.
//!
//! If the API server walks a Go map in random order, this crate walks the map in the order of names.

mod compare;
pub(crate) mod correlate;
mod enums;
mod junctor;
mod list;
mod number;
mod object;
mod outcome;
mod text;
mod types;
mod value_path;

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use crd_analyzer_budget as budget;
use crd_analyzer_cel::KubernetesVersion;
use crd_analyzer_goregexp::{GoRegex, GoRegexError};
use serde_json::Value;

use crate::depth;
use crate::field::{Error, Path};
use crate::json_schema::JsonSchemaProps;
use crate::unknown::Known;
use correlate::{Correlated, Memo};
use enums::Enums;
use outcome::Outcome;
use types::Types;
use value_path::ValuePath;

pub use compare::deep_equal;
pub use number::{NumberKeyword, NumberSpan, Numbers, int64};

/// Work units for checking a value against one schema, without its subschemas.
const SCHEMA_WORK: u64 = 150;

/// The API server's conversion of the schema for validation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// `NewSchemaValidator`, for custom resources: int-or-string is a type, and unsupported formats are ignored.
    Definition,
    /// `Structural.ToKubeOpenAPI`, for defaults: int-or-string has no type, and all formats are kept.
    Structural,
}

/// The patterns of schemas, each compiled on first use.
#[derive(Debug, Default)]
pub struct Patterns(RwLock<HashMap<Box<str>, Arc<Pattern>>>);

/// A compiled pattern or its error.
type Pattern = Result<GoRegex, GoRegexError>;

impl Patterns {
    fn get(&self, pattern: &str) -> Arc<Pattern> {
        let patterns = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = patterns.get(pattern) {
            return found.clone();
        }
        drop(patterns);
        let compiled = Arc::new(GoRegex::new(pattern));
        let mut patterns = self.0.write().unwrap_or_else(PoisonError::into_inner);
        patterns.entry(pattern.into()).or_insert(compiled).clone()
    }
}

/// Validates values against one schema on an API server of one Kubernetes version.
#[derive(Debug)]
pub struct Validator<'s> {
    schema: &'s JsonSchemaProps,
    version: KubernetesVersion,
    form: Form,
    patterns: PatternsOf<'s>,
}

/// An error and the schema that caused it.
#[derive(Clone, Debug)]
pub struct ValueError<'s> {
    /// The error.
    pub error: Error,
    /// The schema with the violated keyword: a node of the validator's schema.
    pub schema: &'s JsonSchemaProps,
}

impl<'s> Validator<'s> {
    /// Creates a validator of custom resources (`NewSchemaValidator`). This is cheap, because patterns are only compiled on first use.
    pub fn new(schema: &'s JsonSchemaProps, version: KubernetesVersion) -> Self {
        Self {
            schema,
            version,
            form: Form::Definition,
            patterns: PatternsOf::Own(Patterns::default()),
        }
    }

    /// Like [`Self::new`], with patterns that outlive the validator.
    pub fn with_patterns(schema: &'s JsonSchemaProps, patterns: &'s Patterns, version: KubernetesVersion) -> Self {
        Self {
            patterns: PatternsOf::Shared(patterns),
            ..Self::new(schema, version)
        }
    }

    /// Creates a validator of defaults. The validator uses the API server's structural form of the schema (`NewSchemaValidatorFromOpenAPI` of
    /// `Structural.ToKubeOpenAPI`), which keeps all formats and gives int-or-string no type.
    pub fn of_structural(schema: &'s JsonSchemaProps, version: KubernetesVersion) -> Self {
        Self {
            form: Form::Structural,
            ..Self::new(schema, version)
        }
    }

    /// Returns the errors in `value` (`ValidateCustomResource`). The paths of the errors start with `path`. As on the API server, the path of a
    /// failure of `allOf`, `anyOf`, `oneOf`, `not` or a number format is just `path`.
    pub fn validate(&self, path: &Path, value: &Value) -> Vec<Error> {
        self.validate_node(self.schema, path, value)
    }

    /// Like [`validate`](Self::validate), but with `schema`, which is a node of the validator's schema.
    pub fn validate_node(&self, schema: &'s JsonSchemaProps, path: &Path, value: &Value) -> Vec<Error> {
        let findings = self.findings_of(schema, path, (value, Known::ALL), None);
        findings.into_iter().map(|it| it.error).collect()
    }

    /// Returns the errors in `value` that `old` does not have (`ValidateCustomResourceUpdate` with ratcheting):
    /// failures at or below an unchanged part are not reported.
    ///
    /// Parts are correlated by the names of properties and the keys of `x-kubernetes-list-type: map` lists.
    pub fn validate_update(&self, path: &Path, value: &Value, old: &Value) -> Vec<Error> {
        let findings = self.findings(path, value, Known::ALL, Some(old));
        findings.into_iter().map(|it| it.error).collect()
    }

    /// Like [`validate`](Self::validate) or, if there is an old value, [`validate_update`](Self::validate_update), but also returns the schema of
    /// each error. Unknown parts of the value are not validated.
    pub fn findings(&self, path: &Path, value: &Value, known: Known<'_>, old: Option<&Value>) -> Vec<ValueError<'s>> {
        self.findings_of(self.schema, path, (value, known), old)
    }

    fn findings_of(
        &self,
        schema: &'s JsonSchemaProps,
        path: &Path,
        (value, known): (&Value, Known<'_>),
        old: Option<&Value>,
    ) -> Vec<ValueError<'s>> {
        let run = Run {
            validator: self,
            memo: Memo::default(),
            enums: Enums::default(),
        };
        let correlated = old.map(|old| Correlated {
            schema,
            old,
            new: value,
            known,
        });
        run.schema(schema, (value, known), &ValuePath::Root, correlated, 0)
            .into_findings(path, schema, self.version)
    }

    fn pattern(&self, pattern: &str) -> Arc<Pattern> {
        match &self.patterns {
            PatternsOf::Own(patterns) => patterns.get(pattern),
            PatternsOf::Shared(patterns) => patterns.get(pattern),
        }
    }
}

/// The owner of the patterns that a validator uses.
#[derive(Debug)]
enum PatternsOf<'s> {
    Own(Patterns),
    Shared(&'s Patterns),
}

/// A value and its known parts.
type Given<'v> = (&'v Value, Known<'v>);

/// The state of one validation.
struct Run<'r, 's, 'v> {
    validator: &'r Validator<'s>,
    memo: Memo<'v>,
    enums: Enums<'s>,
}

impl<'s, 'v> Run<'_, 's, 'v> {
    /// Validates the value at `place` (`SchemaValidator.Validate`, `ratchetingValueValidator.Validate`).
    fn schema(
        &self,
        schema: &'s JsonSchemaProps,
        value: Given<'v>,
        place: &ValuePath<'_>,
        correlated: Option<Correlated<'s, 'v>>,
        depth: u32,
    ) -> Outcome<'s, 'v> {
        if depth::is_exhausted() || budget::work(SCHEMA_WORK).is_err() {
            return Outcome::default();
        }
        let mut outcome = self.checks(schema, value, place, correlated, depth);
        outcome.come_from(schema);
        match correlated {
            Some(correlated) if !outcome.is_valid() && self.memo.equal(correlated) => outcome.without_failures(),
            _ => outcome,
        }
    }

    fn checks(
        &self,
        schema: &'s JsonSchemaProps,
        (value, known): Given<'v>,
        place: &ValuePath<'_>,
        correlated: Option<Correlated<'s, 'v>>,
        depth: u32,
    ) -> Outcome<'s, 'v> {
        let types = Types::of(schema, self.validator.form);
        let format = format_of(schema, &types, self.validator.form, self.validator.version);
        if known.is_nothing() {
            let mut outcome = Outcome::not_known();
            if known.has_type() && !(types.is_empty() && format.is_empty()) {
                outcome.merge(types.check(value, format, self.validator.version, place));
            }
            return outcome;
        }
        let mut outcome = Outcome::default();
        if value.is_null() {
            outcome.merge(types.check_null(schema, place));
            outcome.merge(self.check_enum(schema, value, place));
            return outcome;
        }
        if !types.is_empty() || !format.is_empty() {
            outcome.merge(types.check(value, format, self.validator.version, place));
            outcome.matches += 1;
        }
        outcome.merge(self.junctors(schema, (value, known), place, depth));
        outcome.matches += 1;
        match value {
            Value::String(string) => {
                outcome.merge(self.string(schema, string, place));
                outcome.matches += 1;
                if let Some(is_valid) = crate::formats::validates(format, string, self.validator.version) {
                    if !is_valid {
                        outcome.push(text::wrong_format(place, format, string));
                    }
                    outcome.matches += 1;
                }
            }
            Value::Number(number) => {
                outcome.merge(self.number(schema, number, types, format, place));
                outcome.matches += 1;
            }
            Value::Array(items) => {
                outcome.merge(self.list(schema, (items, known), place, correlated, depth));
                outcome.matches += 1;
            }
            Value::Null | Value::Bool(_) | Value::Object(_) => {}
        }
        if known.is_all() {
            outcome.merge(self.check_enum(schema, value, place));
        } else {
            outcome.is_partial |= !schema.r#enum.is_empty();
        }
        outcome.matches += 1;
        if let Value::Object(properties) = value {
            outcome.merge(self.object(schema, (properties, known), place, correlated, depth));
            outcome.matches += 1;
        }
        outcome.matches += 1;
        outcome
    }
}

/// The format for the validation of values; empty without a format.
fn format_of<'s>(schema: &'s JsonSchemaProps, types: &Types<'s>, form: Form, version: KubernetesVersion) -> &'s str {
    let keeps =
        form == Form::Structural || crate::formats::is_enforced(&schema.format, types.single().unwrap_or(""), version);
    if !schema.format.is_empty() && keeps {
        &schema.format
    } else {
        ""
    }
}

#[cfg(test)]
mod tests;
