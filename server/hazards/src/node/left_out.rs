//! Evaluates rules on objects with a missing field as if the field were empty.
//!
//! `size(self.rules) > 0` rejects an empty list, and fails if `rules` is not set. The API server rejects the object in both cases, so the rule needs
//! no change. A missing number does not mean 0, so this does not apply to numbers.

use crd_analyzer_cel::value::Value as Cel;
use crd_analyzer_schema::structural::Structural;
use serde_json::{Map, Value, json};

use super::{Case, CheckedRule, Failed, TRY};
use crate::codes;
use crate::locate::Locator;
use crate::reads::{Step, schema_at};

/// The maximum number of fields that are set to an empty value for one case.
const MAX_FILLED: usize = 4;
/// Non-empty strings without a particular meaning, and without a letter in common.
const PLAIN: [&str; 2] = ["a", "Z9"];

impl CheckedRule<'_, '_> {
    /// Whether the rule also rejects the case if the missing field is empty. The rule then only requires that the field is set.
    pub(super) fn asks_for(&self, locator: &Locator<'_, '_>, case: &Case, failed: &Failed, left: &mut u64) -> bool {
        if failed.site.code != codes::OPTIONAL_FIELD_READ {
            return false;
        }
        let empty = self.with_texts(locator, case, failed, "", left);
        // A rule that also rejects another string depends on the string's content.
        let mut holds = |plain: &str| {
            self.with_texts(locator, case, failed, plain, left)
                .is_some_and(|it| it.holds)
        };
        match empty {
            Some(Answer { holds: false, has_text }) => !has_text || PLAIN.into_iter().all(&mut holds),
            _ => false,
        }
    }

    /// The result of the rule if the missing fields are empty and strings are `text`. `None` if the fields cannot be set, or if the rule still fails.
    fn with_texts(
        &self,
        locator: &Locator<'_, '_>,
        case: &Case,
        failed: &Failed,
        text: &str,
        left: &mut u64,
    ) -> Option<Answer> {
        let program = &self.expression.program;
        let limit = self.node.context.limits().evaluation;
        let mut stored = self.node.stored(&case.sent);
        let mut old = case.old.clone();
        let mut site = failed.site.clone();
        let mut has_text = false;
        for _ in 0..MAX_FILLED {
            let path = site.path.as_deref()?;
            let value = empty(schema_at(self.node.schema, path)?, text)?;
            has_text |= value.is_string();
            let is_filled = fill(&mut stored, path, &value) || old.as_mut().is_some_and(|it| fill(it, path, &value));
            if !is_filled {
                return None;
            }
            let bindings = self.node.bindings(&stored, old.as_ref(), self.is_optional());
            let evaluation = program.eval(&bindings, limit);
            *left = left.saturating_sub(TRY + evaluation.cost);
            let error = match evaluation.result {
                Ok(Cel::Bool(holds)) => return Some(Answer { holds, has_text }),
                Ok(_) => return None,
                Err(error) => error,
            };
            *left = left.saturating_sub(TRY);
            site = locator.site(program, &bindings, limit, &error, old.is_none())?;
        }
        None
    }
}

/// The result of a rule for a value with filled-in fields.
struct Answer {
    holds: bool,
    /// Whether one of the filled-in fields is a string.
    has_text: bool,
}

/// The empty value of a missing field. `None` for numbers, and for strings whose format gives them another type in rules.
fn empty(schema: Structural<'_>, text: &str) -> Option<Value> {
    match schema.r#type() {
        "object" => Some(Value::Object(Map::new())),
        "array" => Some(json!([])),
        "boolean" => Some(json!(false)),
        "string" if schema.props().format.is_empty() => Some(json!(text)),
        _ => None,
    }
}

/// Sets a value at all places where it is missing at a path. Returns whether it was missing at any place.
fn fill(value: &mut Value, path: &[Step], with: &Value) -> bool {
    let Some((step, below)) = path.split_first() else {
        return false;
    };
    match (step, value) {
        (Step::Property(name) | Step::Element(Some(name)), Value::Object(fields)) => match fields.get_mut(name) {
            Some(field) if !(below.is_empty() && field.is_null()) => fill(field, below, with),
            _ if below.is_empty() => {
                fields.insert(name.clone(), with.clone());
                true
            }
            _ => false,
        },
        (Step::Element(None), Value::Object(fields)) => fill_each(fields.values_mut(), below, with),
        (Step::Element(_), Value::Array(items)) => fill_each(items.iter_mut(), below, with),
        _ => false,
    }
}

fn fill_each<'v>(values: impl Iterator<Item = &'v mut Value>, path: &[Step], with: &Value) -> bool {
    let mut is_filled = false;
    for value in values {
        is_filled |= fill(value, path, with);
    }
    is_filled
}
