//! Variables and what is selected from them (`cel-go` `interpreter/attributes.go`).

use super::fold::Frame;
use super::plan::{AttrIdx, Base, Qualifier, QualifierKind};
use super::run::Run;
use crate::value::{EvalError, List, Result, Value};

/// What was selected; none if it is not there and that is no error.
type Selected = Result<Option<Value>>;

impl Run<'_> {
    pub(super) fn resolve(&mut self, attribute: AttrIdx, frame: &Frame<'_>) -> Result {
        let result = self.resolve_unobserved(attribute, frame);
        if let Some(observer) = &mut self.observer {
            observer.value(self.program.attribute_id(attribute), &result);
        }
        result
    }

    fn resolve_unobserved(&mut self, attribute: AttrIdx, frame: &Frame<'_>) -> Result {
        let program = self.program;
        let attr = program.attribute(attribute);
        let base = match &attr.base {
            Base::Conditional {
                condition,
                truthy,
                falsy,
            } => {
                return match self.exec(*condition, frame)? {
                    Value::Bool(true) => self.resolve(*truthy, frame),
                    Value::Bool(false) => self.resolve(*falsy, frame),
                    _ => Err(EvalError::no_such_overload()),
                };
            }
            Base::Variable(name) => match self.variable(name, frame) {
                Some(value) => value?,
                None => return Err(EvalError::new(format!("no such attribute(s): {name}"))),
            },
            Base::Step(step) => self.exec(*step, frame)?,
        };
        self.qualify(base, &attr.qualifiers, frame)
    }

    fn qualify(&mut self, base: Value, qualifiers: &[Qualifier], frame: &Frame<'_>) -> Result {
        if qualifiers.is_empty() {
            return Ok(base);
        }
        let (mut value, mut optional) = match base {
            Value::Optional(None) => return Ok(Value::NONE),
            Value::Optional(Some(value)) => ((*value).clone(), true),
            value => (value, false),
        };
        for qualifier in qualifiers {
            optional |= qualifier.optional;
            match self.apply(qualifier, &value, optional, frame)? {
                Some(selected) => value = selected,
                None => return Ok(Value::NONE),
            }
        }
        Ok(if optional { Value::some(value) } else { value })
    }

    /// Selects, and counts what that costs.
    fn apply(&mut self, qualifier: &Qualifier, value: &Value, optional: bool, frame: &Frame<'_>) -> Selected {
        let selected = match &qualifier.kind {
            QualifierKind::Const(key) => select(value, key, optional),
            QualifierKind::TestOnly(key) => {
                let present = select(value, key, true).map(|selected| selected.is_some());
                present.map(|present| {
                    if optional {
                        present.then_some(Value::Bool(true))
                    } else {
                        Some(Value::Bool(present))
                    }
                })
            }
            QualifierKind::Attribute(key) | QualifierKind::Computed(key) => match self.resolve(*key, frame) {
                Ok(key) if is_key(&key) => select(value, &key, optional),
                Ok(key) => Err(EvalError::new(format!("invalid qualifier type: {}", key.go_type()))),
                Err(error) => Err(error),
            },
        };
        if let Err(error) = &selected
            && error.is_fatal()
        {
            return selected;
        }
        let observed = match &selected {
            Ok(Some(value)) => Ok(value.clone()),
            Ok(None) => return Ok(None),
            // A failed attempt to find something optional is not observed.
            Err(_) if optional => return selected,
            Err(error) => Err(error.clone()),
        };
        if let QualifierKind::Computed(key) = &qualifier.kind {
            let id = self.program.attribute_id(*key);
            self.tracker.drop([id]);
        }
        self.tracker.add(1);
        self.tracker.push(&observed, qualifier.id)?;
        selected
    }

    /// What a variable or conditional costs, apart from what is selected.
    pub(super) fn observe_attribute(&mut self, attribute: AttrIdx) {
        let program = self.program;
        if let Base::Conditional {
            condition,
            truthy,
            falsy,
        } = program.attribute(attribute).base
        {
            let ids = [
                program.attribute_id(falsy),
                program.attribute_id(truthy),
                self.id(condition),
            ];
            self.tracker.drop(ids);
        } else {
            self.tracker.drop([program.attribute_id(attribute)]);
            self.tracker.add(1);
        }
    }
}

fn is_key(value: &Value) -> bool {
    matches!(
        value,
        Value::String(_) | Value::Int(_) | Value::Uint(_) | Value::Bool(_) | Value::Double(_)
    )
}

/// The entry of a value with a key; none if there is none and `optional` says that this is no error.
fn select(value: &Value, key: &Value, optional: bool) -> Selected {
    match value {
        Value::Map(map) => match map.find(key)? {
            Some(found) => Ok(Some(found)),
            None if optional => Ok(None),
            None => Err(EvalError::new(format!("no such key: {key}"))),
        },
        Value::List(list) => {
            let index = List::index(key)?;
            match usize::try_from(index).ok().filter(|index| *index < list.len()) {
                Some(_) => list.at(key).map(Some),
                None if optional => Ok(None),
                None => Err(EvalError::new(format!("index out of bounds: {key}"))),
            }
        }
        _ if optional => Ok(None),
        _ => Err(EvalError::new(format!("no such key: {key}"))),
    }
}
