//! `anyOf`, `oneOf`, `allOf`, `not`, `dependencies` (`schemaPropsValidator`). Ratcheting does not apply inside these keywords.

use serde_json::Value;

use super::outcome::{Failure, Outcome};
use super::value_path::ValuePath;
use super::{Given, Run};
use crate::codes;
use crate::field::Cause;
use crate::go::quote;
use crate::json_schema::JsonSchemaProps;

impl<'s, 'v> Run<'_, 's, 'v> {
    pub(super) fn junctors(
        &self,
        schema: &'s JsonSchemaProps,
        value: Given<'v>,
        place: &ValuePath<'_>,
        depth: u32,
    ) -> Outcome<'s, 'v> {
        let mut outcome = Outcome::default();
        if !schema.any_of.is_empty() {
            self.any_of(&schema.any_of, value, place, depth, &mut outcome);
        }
        if !schema.one_of.is_empty() {
            self.one_of(&schema.one_of, value, place, depth, &mut outcome);
        }
        if !schema.all_of.is_empty() {
            self.all_of(&schema.all_of, value, place, depth, &mut outcome);
        }
        if let Some(not) = &schema.not {
            let result = self.schema(not, value, place, None, depth + 1);
            outcome.is_partial |= result.is_partial;
            if result.is_valid() && !result.is_partial {
                outcome.push(about(place, codes::NOT_MISMATCH, "must not validate the schema (not)"));
            }
        }
        if let (Value::Object(properties), known) = value {
            for (name, dependency) in &schema.dependencies {
                if !properties.contains_key(name) {
                    continue;
                }
                if let Some(schema) = &dependency.schema {
                    outcome.merge(self.schema(schema, value, &ValuePath::Member(place, name), None, depth + 1));
                    continue;
                }
                for other in dependency
                    .property
                    .iter()
                    .filter(|other| !properties.contains_key(*other) && !known.has_more())
                {
                    outcome.push(about(
                        place,
                        codes::MISSING_DEPENDENCY,
                        &format!("has a dependency on {other}"),
                    ));
                }
            }
        }
        outcome.matches += 1;
        outcome
    }

    /// Returns the result of the first branch that matches, or otherwise the result of the best branch that fails.
    fn any_of(
        &self,
        branches: &'s [JsonSchemaProps],
        value: Given<'v>,
        place: &ValuePath<'_>,
        depth: u32,
        outcome: &mut Outcome<'s, 'v>,
    ) {
        let mut best: Option<Outcome<'s, 'v>> = None;
        for branch in branches {
            let result = self.schema(branch, value, place, None, depth + 1);
            if result.is_valid() {
                outcome.merge(result);
                return;
            }
            if best.as_ref().is_none_or(|best| result.matches > best.matches) {
                best = Some(result);
            }
        }
        outcome.push(about(
            place,
            codes::ANY_OF_MISMATCH,
            "must validate at least one schema (anyOf)",
        ));
        if let Some(best) = best {
            outcome.merge(best);
        }
    }

    fn one_of(
        &self,
        branches: &'s [JsonSchemaProps],
        value: Given<'v>,
        place: &ValuePath<'_>,
        depth: u32,
        outcome: &mut Outcome<'s, 'v>,
    ) {
        let mut best: Option<Outcome<'s, 'v>> = None;
        let mut first: Option<Outcome<'s, 'v>> = None;
        let mut fitting = 0_usize;
        let mut may_fit = 0_usize;
        for branch in branches {
            let result = self.schema(branch, value, place, None, depth + 1);
            if result.is_valid() && result.is_partial {
                may_fit += 1;
            } else if result.is_valid() {
                fitting += 1;
                best = None;
                first.get_or_insert(result);
            } else if fitting == 0 && best.as_ref().is_none_or(|best| result.matches > best.matches) {
                best = Some(result);
            }
        }
        if fitting == 1 {
            if let Some(first) = first {
                outcome.merge(first);
            }
            outcome.is_partial |= may_fit > 0;
            return;
        }
        if fitting == 0 && may_fit > 0 {
            outcome.is_partial = true;
            return;
        }
        let found = match fitting {
            0 => "Found none valid".to_owned(),
            n => format!("Found {n} valid alternatives"),
        };
        let what = format!("must validate one and only one schema (oneOf). {found}");
        outcome.push(Failure {
            cause: Some(Box::new(Cause::Matches(fitting))),
            ..about(place, codes::ONE_OF_MISMATCH, &what)
        });
        if let Some(best) = best {
            outcome.merge(best);
        }
    }

    fn all_of(
        &self,
        branches: &'s [JsonSchemaProps],
        value: Given<'v>,
        place: &ValuePath<'_>,
        depth: u32,
        outcome: &mut Outcome<'s, 'v>,
    ) {
        let mut fitting = 0;
        for branch in branches {
            let result = self.schema(branch, value, place, None, depth + 1);
            fitting += usize::from(result.is_valid());
            outcome.merge(result);
        }
        if fitting < branches.len() {
            let none = if fitting == 0 { ". None validated" } else { "" };
            let what = format!("must validate all the schemas (allOf){none}");
            outcome.push(about(place, codes::ALL_OF_MISMATCH, &what));
        }
    }
}

/// A failure that is reported at the root and contains its path in the message.
fn about<'s, 'v>(place: &ValuePath<'_>, code: &'static str, what: &str) -> Failure<'s, 'v> {
    let name = place.name();
    Failure::of_whole(code, format!("{} {what}", quote(&name.text)), name)
}
