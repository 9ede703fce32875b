//! What a rule says of a field that is left out, if that means that the field is empty.
//!
//! `size(self.rules) > 0` refuses an empty list. It also fails where `rules` is not set. The API server refuses the object either way, and the
//! rule needs no change. A missing number is not 0, so this is not about numbers.

use crd_analyzer_cel::value::Value as Cel;
use crd_analyzer_schema::structural::Structural;
use serde_json::{Map, Value, json};

use super::{Case, CheckedRule, Failed, TRY};
use crate::codes;
use crate::locate::Locator;
use crate::reads::{Step, schema_at};

/// So many fields of one case are filled in, one after the other.
const MAX_FILLED: usize = 4;
/// A text that says nothing but that it is not empty.
const PLAIN: &str = "a";

impl CheckedRule<'_, '_> {
    /// Whether the rule also refuses a case if the field that it misses is empty, so that it only asks for the field.
    pub(super) fn asks_for(&self, locator: &Locator<'_, '_>, case: &Case, failed: &Failed, left: &mut u64) -> bool {
        if failed.site.code != codes::OPTIONAL_FIELD_READ {
            return false;
        }
        let empty = self.with_texts(locator, case, failed, "", left);
        // A rule that refuses some other texts, too, is about what the text says.
        let is_asked = |plain: Option<Answer>| plain.is_some_and(|it| it.holds);
        match empty {
            Some(Answer { holds: false, has_text }) => {
                !has_text || is_asked(self.with_texts(locator, case, failed, PLAIN, left))
            }
            _ => false,
        }
    }

    /// What the rule says if the fields that it misses are empty, and texts are `text`. `None` if they cannot be, or if the rule still fails.
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

/// What a rule says of a value that was completed.
struct Answer {
    holds: bool,
    /// Some of what was filled in are texts.
    has_text: bool,
}

/// What a field is that was left out, for those who take that for empty. `None` for numbers, and for texts that mean something else to rules.
fn empty(schema: Structural<'_>, text: &str) -> Option<Value> {
    match schema.r#type() {
        "object" => Some(Value::Object(Map::new())),
        "array" => Some(json!([])),
        "boolean" => Some(json!(false)),
        "string" if schema.props().format.is_empty() => Some(json!(text)),
        _ => None,
    }
}

/// Puts a value wherever it is missing at a path. Whether that was anywhere.
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
