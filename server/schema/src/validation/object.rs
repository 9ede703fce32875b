//! Objects: `properties`, `required`, `additionalProperties`, `patternProperties`, `minProperties`, `maxProperties`
//! (`objectValidator`).

use std::borrow::Cow;

use crd_analyzer_budget as budget;
use serde_json::{Map, Value};

use super::Run;
use super::correlate::Correlated;
use super::outcome::{Failure, MessageValue, Outcome, Report};
use super::value_path::ValuePath;
use crate::codes;
use crate::json_schema::JsonSchemaProps;
use crate::structural::lookup;
use crate::unknown::Known;

impl<'s, 'v> Run<'_, 's, 'v> {
    pub(super) fn object(
        &self,
        schema: &'s JsonSchemaProps,
        (properties, known): (&'v Map<String, Value>, Known<'v>),
        place: &ValuePath<'_>,
        correlated: Option<Correlated<'s, 'v>>,
        depth: u32,
    ) -> Outcome<'s, 'v> {
        let mut outcome = Outcome::default();
        let is_open = known.has_more();
        count(schema, (properties.len(), is_open), place, &mut outcome);
        outcome.is_partial |= is_open;

        let field = |field_schema: &'s JsonSchemaProps, name: &'v str, value: &'v Value, at: ValuePath<'_>| {
            // Ratcheting does not apply to `apiVersion` and `kind` of the resource.
            let is_type_meta = place.is_root() && (name == "kind" || name == "apiVersion");
            let below = correlated
                .filter(|_| !is_type_meta)
                .and_then(|parent| parent.property(name));
            self.schema(field_schema, (value, known.field(name)), &at, below, depth + 1)
        };
        // The API server validates a field that matches a pattern up to three times and drops the repeated failures. So this code validates the field
        // once and only multiplies the number of passed checks.
        let by_pattern = |name: &'v str, value: &'v Value, outcome: &mut Outcome<'s, 'v>| {
            let mut matches = None;
            for (pattern, pattern_schema) in &schema.pattern_properties {
                if self.matches(pattern, name) {
                    let part = field(pattern_schema, name, value, ValuePath::Member(place, name));
                    matches = Some(part.matches.wrapping_add(matches.unwrap_or(0)));
                    outcome.merge(part);
                }
            }
            matches
        };
        let mut repeated = 0_u64;

        let additional = schema.additional_properties.as_deref();
        let additional_schema = additional.and_then(|additional| additional.schema.as_deref());
        let is_closed = additional.is_some_and(|additional| !additional.allows);
        if is_closed || additional_schema.is_some() || !schema.pattern_properties.is_empty() {
            for (name, value) in properties {
                let is_regular = lookup(&schema.properties, name).is_some();
                let again = if is_regular { 1 } else { 2 };
                if is_closed {
                    let matched = schema
                        .pattern_properties
                        .iter()
                        .any(|(pattern, _)| self.matches(pattern, name));
                    if !is_regular && !matched {
                        outcome.push(forbidden(place, name));
                    }
                } else if let Some(matches) = by_pattern(name, value, &mut outcome) {
                    repeated = repeated.wrapping_add(matches.wrapping_mul(again));
                } else if !is_regular && let Some(additional_schema) = additional_schema {
                    outcome.merge(field(additional_schema, name, value, ValuePath::Member(place, name)));
                }
            }
        }

        for (name, value) in properties {
            if let Some(property) = lookup(&schema.properties, name) {
                outcome.merge(field(property, name, value, ValuePath::Property(place, name)));
            }
        }

        for name in &schema.required {
            if budget::is_stopped() {
                break;
            }
            if !properties.contains_key(name) && !known.may_have(name) {
                let at = ValuePath::Member(place, name);
                let what = "is required";
                outcome.push(Failure::at(&at, codes::MISSING_PROPERTY, what, Report::Required));
            }
        }

        if is_closed {
            for (name, value) in properties {
                let is_regular = lookup(&schema.properties, name).is_some();
                let matches = by_pattern(name, value, &mut outcome).unwrap_or(0);
                repeated = repeated.wrapping_add(if is_regular { 0 } else { matches });
            }
        }
        outcome.matches = outcome.matches.wrapping_add(repeated);
        outcome
    }

    /// Whether a pattern matches. A malformed pattern never matches.
    fn matches(&self, pattern: &'s str, name: &str) -> bool {
        self.validator
            .pattern(pattern)
            .as_ref()
            .as_ref()
            .is_ok_and(|regex| regex.is_match(name).unwrap_or_default())
    }
}

/// Checks the number of properties. `size` contains the number, and whether there may be more properties.
fn count(
    schema: &JsonSchemaProps,
    (size, is_open): (usize, bool),
    place: &ValuePath<'_>,
    outcome: &mut Outcome<'_, '_>,
) {
    let size = i64::try_from(size).unwrap_or(i64::MAX);
    if let Some(min) = schema.min_properties
        && size < min
        && !is_open
    {
        let what = format!("should have at least {min} properties");
        outcome.push(Failure::at(
            place,
            codes::TOO_FEW_PROPERTIES,
            &what,
            Report::Invalid(MessageValue::Int(size)),
        ));
    }
    if let Some(max) = schema.max_properties
        && size > max
    {
        let what = format!("should have at most {max} properties");
        outcome.push(Failure::at(
            place,
            codes::TOO_MANY_PROPERTIES,
            &what,
            Report::TooMany { actual: size, max },
        ));
    }
}

fn forbidden<'s, 'v>(place: &ValuePath<'_>, name: &'v str) -> Failure<'s, 'v> {
    let at = place.name();
    Failure {
        code: codes::FORBIDDEN_PROPERTY,
        message: format!("{}.{name} in body is a forbidden property", at.text),
        name: Some(at),
        report: Report::Invalid(MessageValue::Text(Cow::Borrowed(name))),
        origin: None,
        cause: None,
        about: None,
    }
}
