//! Evaluates variables and selections from them (`cel-go` `interpreter/attributes.go`).

use super::comprehension::Frame;
use super::plan::{AttrIdx, Base, Qualifier, QualifierKind};
use super::run::Run;
use crate::KubernetesVersion;
use crate::value::{ErrorKind, EvalError, List, MapValue, Opaque, Result, Value};

/// The outcome of a selection: a value, or an error as a value. `None` if the selected entry is absent and its absence is not an error.
type Selected = Result<Option<Result>>;

/// Since this Kubernetes version, a selection from a variable whose value is an error ends with that error.
const ERRORS_END_SINCE: KubernetesVersion = KubernetesVersion::minor(31);
/// Since this Kubernetes version, a selection from an optional uses its CEL value. Older versions use the Go value inside it.
const OPTIONALS_ARE_VALUES_SINCE: KubernetesVersion = KubernetesVersion::minor(37);

/// Converts the Go value inside a value back to a CEL value (`ref.Val.Value`). The result has no schema.
fn as_native(value: &Value) -> Result {
    let unsupported = |go_type: &str, printed: &dyn std::fmt::Display| {
        let message = format!("unsupported conversion to ref.Val: ({go_type}){printed}");
        Err(EvalError::new(message))
    };
    match value {
        // The sum of two lists is a slice of its elements' Go values.
        Value::List(list) if list.is_sum() => {
            let elements = list
                .iter()
                .map(|element| element.and_then(|element| as_native(&element)));
            List::of_results(elements).map(Value::List)
        }
        Value::List(list) => Ok(Value::List(list.native())),
        Value::Map(map) => Ok(map
            .as_foreign()
            .and_then(MapValue::native)
            .unwrap_or_else(|| value.clone())),
        Value::Type(ty) => Ok(Value::string(ty.type_name())),
        Value::Optional(Some(inner)) => as_native(inner),
        Value::Optional(None) => Ok(Value::Null),
        Value::Opaque(Opaque::Quantity(it)) => unsupported("*resource.Quantity", &it),
        Value::Opaque(Opaque::Ip(it)) => unsupported("netip.Addr", &it),
        Value::Opaque(Opaque::Cidr(it)) => unsupported("netip.Prefix", &it),
        Value::Opaque(Opaque::Url(it)) => unsupported("*url.URL", &it),
        Value::Opaque(Opaque::Semver(it)) => unsupported("semver.Version", &it),
        Value::Raw(_) => value
            .clone()
            .or_failure()
            .or_else(|error| unsupported("*errors.errorString", &error)),
        value => Ok(value.clone()),
    }
}

impl Run<'_> {
    pub(super) fn resolve(&mut self, attribute: AttrIdx, frame: &Frame<'_>) -> Result {
        self.find(attribute, frame)?
    }

    /// The value of an attribute. The outer result is the error of a failed lookup; the inner one can be an error as a value, such as a list
    /// element.
    fn find(&mut self, attribute: AttrIdx, frame: &Frame<'_>) -> Result<Result> {
        let found = self.find_unobserved(attribute, frame);
        if let Some(observer) = &mut self.observer {
            let value = found.clone().and_then(|value| value);
            observer.value(self.program.attribute_id(attribute), &value);
        }
        found
    }

    fn find_unobserved(&mut self, attribute: AttrIdx, frame: &Frame<'_>) -> Result<Result> {
        let program = self.program;
        let attr = program.attribute(attribute);
        let base = match &attr.base {
            Base::Conditional {
                condition,
                truthy,
                falsy,
            } => {
                return match self.exec(*condition, frame)? {
                    Value::Bool(true) => self.find(*truthy, frame),
                    Value::Bool(false) => self.find(*falsy, frame),
                    _ => Err(EvalError::no_such_overload()),
                };
            }
            Base::Variable(name) => match self.variable(name, frame) {
                // Older API servers continue and select from the error.
                Some(Err(error)) if program.version >= ERRORS_END_SINCE || error.is_fatal() => return Err(error),
                Some(value) => value,
                None => return Err(EvalError::new(format!("no such attribute(s): {name}"))),
            },
            Base::Step(step) => Ok(self.exec(*step, frame)?),
        };
        self.qualify(base, &attr.qualifiers, frame)
    }

    fn qualify(&mut self, base: Result, qualifiers: &[Qualifier], frame: &Frame<'_>) -> Result<Result> {
        let (mut value, mut optional) = match base {
            Ok(Value::Optional(None)) => return Ok(Ok(Value::NONE)),
            Ok(Value::Optional(Some(value))) if self.program.version < OPTIONALS_ARE_VALUES_SINCE => {
                (as_native(&value), true)
            }
            base if qualifiers.is_empty() => return Ok(base),
            Ok(Value::Optional(Some(value))) => ((*value).clone().or_failure(), true),
            value => (value, false),
        };
        for qualifier in qualifiers {
            optional |= qualifier.optional;
            match self.apply(qualifier, &value, optional, frame)? {
                Some(selected) => value = selected,
                None => return Ok(Ok(Value::NONE)),
            }
        }
        if optional {
            return match value {
                Err(error) if error.is_fatal() => Err(error),
                value => Ok(Ok(Value::some(value.unwrap_or_else(Value::failure)))),
            };
        }
        Ok(value)
    }

    /// Applies a qualifier, and adds its cost.
    fn apply(&mut self, qualifier: &Qualifier, value: &Result, optional: bool, frame: &Frame<'_>) -> Selected {
        let select = |key: &Value, optional| match value {
            Ok(value) => select(value, key, optional),
            Err(error) => Err(error.clone()),
        };
        let selected = match &qualifier.kind {
            QualifierKind::Const(key) => select(key, optional),
            QualifierKind::TestOnly(key) => {
                let present = select(key, true).map(|selected| selected.is_some());
                present.map(|present| {
                    if optional {
                        present.then_some(Ok(Value::Bool(true)))
                    } else {
                        Some(Ok(Value::Bool(present)))
                    }
                })
            }
            QualifierKind::Attribute(key) | QualifierKind::Computed(key) => match self.find(*key, frame) {
                Ok(Ok(key)) if is_key(&key) => select(&key, optional),
                Ok(Ok(key)) => Err(EvalError::new(format!("invalid qualifier type: {}", key.go_type()))),
                Ok(Err(error)) if !error.is_fatal() => Err(EvalError::new("invalid qualifier type: *types.Err")),
                Ok(Err(error)) | Err(error) => Err(error),
            },
        };
        if let Err(error) = &selected
            && error.is_fatal()
        {
            return selected;
        }
        let observed = match &selected {
            Ok(Some(value)) => value.clone(),
            Ok(None) => return Ok(None),
            // A failed optional selection is not observed.
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

    /// Adds the cost of a variable or conditional, without its selections.
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
                program.id(condition),
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

/// The entry of a value with this key. `None` if the entry is absent and `optional` is set.
fn select(value: &Value, key: &Value, optional: bool) -> Selected {
    match value {
        Value::Map(map) => match map.find(key)? {
            Some(found) => Ok(Some(Ok(found))),
            None if optional => Ok(None),
            None => Err(EvalError::no_such_key(key)),
        },
        Value::List(list) => {
            let index = List::index(key)?;
            match usize::try_from(index).ok().filter(|index| *index < list.len()) {
                Some(_) => Ok(Some(list.at(key))),
                None if optional => Ok(None),
                None => Err(EvalError::of(
                    ErrorKind::NoSuchIndex,
                    format!("index out of bounds: {key}"),
                )),
            }
        }
        Value::Opaque(opaque @ (Opaque::Empty | Opaque::Entry(_))) => {
            let field = match (opaque, key) {
                (Opaque::Entry(entry), Value::String(name)) if **name == *"key" => {
                    (!optional || !entry.0.is_empty()).then(|| Value::String(entry.0.clone()))
                }
                (Opaque::Entry(entry), Value::String(name)) if **name == *"value" => match &entry.1 {
                    None if !optional => Some(Value::Null),
                    value => value.clone(),
                },
                _ => return Err(EvalError::new(format!("no such field '{key}'"))),
            };
            Ok(field.map(Ok))
        }
        _ if optional => Ok(None),
        _ => Err(EvalError::no_such_key(key)),
    }
}
