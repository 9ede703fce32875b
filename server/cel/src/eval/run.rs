//! Runs the steps of a program (`cel-go` `interpreter/interpretable.go`).

use std::sync::Arc;

use crd_analyzer_budget as budget;

use super::comprehension::Frame;
use super::cost::Tracker;
use super::memory::Need;
use super::plan::{Call, Overloads, StepIdx, StepKind};
use super::{EVALUATION, Evaluation, Observer, Program, Variables, no_such_overload};
use crate::decls::OverloadDecl;
use crate::library::{Body, Cost, EQUALITY, INEQUALITY};
use crate::types::Type;
use crate::value::{ENTRY_BYTES, EvalError, Key, Map, Result, Value, equal};

/// Units of work of one step, without its calls. Some steps have no cost, and a comprehension can run them millions of times.
const STEP_WORK: u64 = 16;

/// One run of a program.
pub(super) struct Run<'r> {
    pub(super) program: &'r Program,
    pub(super) tracker: Tracker,
    pub(super) observer: Option<&'r mut dyn Observer>,
}

struct NoVariables;

impl Variables for NoVariables {
    fn resolve(&self, _: &str) -> Option<Result> {
        None
    }
}

pub(super) fn run<'r>(
    program: &'r Program,
    variables: &dyn Variables,
    limit: Option<u64>,
    observer: Option<&'r mut dyn Observer>,
) -> Evaluation {
    if let Some(unfinished) = program.unfinished {
        return Evaluation {
            result: Err(unfinished.into()),
            cost: 0,
        };
    }
    let mut run = Run {
        program,
        tracker: Tracker::new(program.version, limit, program.ids),
        observer,
    };
    let (result, ended) = budget::within(EVALUATION, || run.exec(program.root, &Frame::root(variables)));
    let result = ended.unfinished.map_or(result, |it| Err(it.into()));
    Evaluation {
        result,
        cost: run.tracker.cost,
    }
}

/// The value of a constant step.
pub(super) fn constant(program: &Program, step: StepIdx) -> Result {
    let mut run = Run {
        program,
        tracker: Tracker::disabled(),
        observer: None,
    };
    run.exec(step, &Frame::root(&NoVariables))
}

impl Run<'_> {
    /// Runs a step and adds its cost.
    pub(super) fn exec(&mut self, step: StepIdx, frame: &Frame<'_>) -> Result {
        crate::stack::grow(|| self.exec_here(step, frame))
    }

    fn exec_here(&mut self, step: StepIdx, frame: &Frame<'_>) -> Result {
        budget::work(STEP_WORK)?;
        let program = self.program;
        let this = program.step(step);
        let result = match &this.kind {
            StepKind::Const(value) => Ok(value.clone()),
            StepKind::Attribute(attribute) => self.resolve(*attribute, frame),
            StepKind::Test(attribute) => self.resolve(*attribute, frame).map(|value| match value {
                Value::Optional(optional) => Value::Bool(optional.is_some()),
                value => value,
            }),
            StepKind::And(terms) => self.logic(terms, false, frame),
            StepKind::Or(terms) => self.logic(terms, true, frame),
            StepKind::Equals(a, b) => self.equality(*a, *b, frame).map(Value::Bool),
            StepKind::NotEquals(a, b) => self.inequality(*a, *b, frame).map(Value::Bool),
            StepKind::NotStrictlyFalse(condition) => match self.exec(*condition, frame) {
                Err(error) if error.is_fatal() => Err(error),
                Ok(Value::Bool(value)) => Ok(Value::Bool(value)),
                _ => Ok(Value::Bool(true)),
            },
            StepKind::Call(call) => self.call(call, frame),
            StepKind::Member { of, set } => self
                .exec(*of, frame)
                .and_then(|value| Ok(Value::Bool(set.contains(&Key::of(&value)?)))),
            StepKind::OptionalOr(a, b) | StepKind::OptionalOrValue(a, b) => {
                let unwrap = matches!(this.kind, StepKind::OptionalOrValue(..));
                match self.exec(*a, frame) {
                    Ok(Value::Optional(Some(value))) if unwrap => (*value).clone().or_failure(),
                    Ok(Value::Optional(Some(value))) => Ok(Value::Optional(Some(value))),
                    Ok(Value::Optional(None)) => self.exec(*b, frame),
                    // Up to 1.36, `optional.or` accepts a value that is not an optional.
                    Ok(_) if self.program.version.number() >= 37 => Err(EvalError::no_such_overload()),
                    other => other,
                }
            }
            StepKind::List(elements) => self.list(elements, frame),
            StepKind::Map(entries) => self.map(entries, frame),
            StepKind::Message { type_name, fields } => self.message(type_name, fields, frame),
            StepKind::Comprehension(comprehension) => self.comprehension(this.id, comprehension, frame),
        };
        if let Some(observer) = &mut self.observer
            && !matches!(this.kind, StepKind::Attribute(_))
        {
            observer.value(this.id, &result);
        }
        if let Err(error) = &result
            && error.is_fatal()
        {
            return result;
        }
        self.observe(step, &result)?;
        result
    }

    fn observe(&mut self, step: StepIdx, result: &Result) -> Result<()> {
        let program = self.program;
        match &program.step(step).kind {
            StepKind::Const(_) | StepKind::Member { .. } | StepKind::OptionalOr(..) | StepKind::OptionalOrValue(..) => {
            }
            StepKind::Attribute(attribute) => self.observe_attribute(*attribute),
            StepKind::Test(attribute) => {
                self.observe_attribute(*attribute);
                if !program.presence_test_has_cost {
                    self.tracker.subtract(1);
                }
            }
            StepKind::And(terms) | StepKind::Or(terms) => {
                self.tracker.drop(terms.iter().map(|term| program.id(*term)));
            }
            StepKind::Equals(a, b) => {
                let ids = [*a, *b].map(|it| program.id(it));
                self.tracker.call(EQUALITY.actual, &ids, result)?;
            }
            StepKind::NotEquals(a, b) => {
                let ids = [*a, *b].map(|it| program.id(it));
                self.tracker.call(INEQUALITY.actual, &ids, result)?;
            }
            StepKind::NotStrictlyFalse(condition) => {
                self.tracker.call(Cost::ONE.actual, &[program.id(*condition)], result)?;
            }
            StepKind::Call(call) => {
                let ids = call.args.iter().map(|it| program.id(*it)).collect::<Vec<_>>();
                self.tracker.call(call.cost, &ids, result)?;
            }
            StepKind::List(elements) => {
                let ids = elements.iter().map(|(e, _)| program.id(*e)).collect::<Vec<_>>();
                self.tracker.list(&ids);
            }
            StepKind::Map(entries) => {
                let ids = entries
                    .iter()
                    .flat_map(|(k, v, _)| [program.id(*k), program.id(*v)])
                    .collect::<Vec<_>>();
                self.tracker.map(&ids);
            }
            StepKind::Message { fields, .. } => {
                let ids = fields.iter().map(|(_, f, _)| program.id(*f)).collect::<Vec<_>>();
                self.tracker.message(&ids);
            }
            StepKind::Comprehension(comprehension) => {
                self.tracker.drop([program.id(comprehension.range)]);
            }
        }
        self.tracker.push(result, program.id(step))
    }

    /// The number of observations so far.
    pub(super) fn mark(&self) -> usize {
        self.observer.as_ref().map_or(0, |it| it.mark())
    }

    /// Tells the observer that the observations between two marks did not affect the result.
    pub(super) fn forget(&mut self, from: usize, to: usize) {
        if let Some(observer) = &mut self.observer {
            observer.forget(from..to);
        }
    }

    /// Evaluates `&&` and `||`: a decisive term takes precedence over errors in other terms.
    fn logic(&mut self, terms: &[StepIdx], decisive: bool, frame: &Frame<'_>) -> Result {
        let mut error = None;
        let first = self.mark();
        for term in terms {
            let begin = self.mark();
            match self.exec(*term, frame) {
                Ok(Value::Bool(value)) if value == decisive => {
                    self.forget(first, begin);
                    return Ok(Value::Bool(decisive));
                }
                Ok(Value::Bool(_)) => {}
                Ok(_) => error = error.or_else(|| Some(EvalError::no_such_overload())),
                Err(fatal) if fatal.is_fatal() => return Err(fatal),
                Err(e) => error = error.or(Some(e)),
            }
        }
        error.map_or(Ok(Value::Bool(!decisive)), Err)
    }

    fn equality(&mut self, a: StepIdx, b: StepIdx, frame: &Frame<'_>) -> Result<bool> {
        let (a, b) = self.both(a, b, frame)?;
        equal(&a, &b)
    }

    fn inequality(&mut self, a: StepIdx, b: StepIdx, frame: &Frame<'_>) -> Result<bool> {
        let (a, b) = self.both(a, b, frame)?;
        match equal(&a, &b) {
            Err(error) if error.is_fatal() => Err(error),
            answer => Ok(!matches!(answer, Ok(true))),
        }
    }

    /// Evaluates both values, even if the first is an error.
    fn both(&mut self, a: StepIdx, b: StepIdx, frame: &Frame<'_>) -> Result<(Value, Value)> {
        let a = self.exec(a, frame);
        if let Err(error) = &a
            && error.is_fatal()
        {
            return Err(error.clone());
        }
        let b = self.exec(b, frame);
        if let Err(error) = &b
            && error.is_fatal()
        {
            return Err(error.clone());
        }
        Ok((a?, b?))
    }

    fn call(&mut self, call: &Call, frame: &Frame<'_>) -> Result {
        let args = if let ([a, b], true) = (&call.args[..], call.binary) {
            let (a, b) = self.both(*a, *b, frame)?;
            vec![a, b]
        } else {
            call.args
                .iter()
                .map(|arg| self.exec(*arg, frame))
                .collect::<Result<Vec<_>>>()?
        };
        let version = self.program.version;
        let work = match &call.overloads {
            Overloads::Known(overload) => overload.work.map_or(Ok(0), |work| work(version, &args))?,
            Overloads::Among(_) => 0,
        };
        let need = Need::of(&call.function, &args);
        self.tracker.afford(work, need, call.cost, &args)?;
        need.spend()?;
        if let Some((pattern, call)) = &call.pattern {
            return call(pattern, &args);
        }
        let candidates = match &call.overloads {
            Overloads::Known(overload) => std::slice::from_ref(overload),
            Overloads::Among(overloads) => overloads,
        };
        match candidates
            .iter()
            .find(|it| call.singleton || takes(it, &args))
            .map(|it| it.body)
        {
            Some(Body::Function(body)) => body(version, &args),
            Some(Body::Step(_) | Body::NeverCalled) => Err(EvalError::no_such_overload()),
            None => Err(no_such_overload(&call.function, &args, version)),
        }
    }

    fn list(&mut self, elements: &[(StepIdx, bool)], frame: &Frame<'_>) -> Result {
        budget::bytes((elements.len() * size_of::<Value>()) as u64)?;
        let mut values = Vec::with_capacity(elements.len());
        for (element, optional) in elements {
            let value = self.exec(*element, frame)?;
            match value {
                value if !optional => values.push(value),
                Value::Optional(Some(value)) => values.push((*value).clone()),
                Value::Optional(None) => {}
                value => {
                    let message = format!("cannot initialize optional list element from non-optional value {value}");
                    return Err(EvalError::new(message));
                }
            }
        }
        Ok(Value::list(values))
    }

    fn map(&mut self, entries: &[(StepIdx, StepIdx, bool)], frame: &Frame<'_>) -> Result {
        budget::bytes(entries.len() as u64 * ENTRY_BYTES)?;
        let mut pairs: Vec<(Value, Value)> = Vec::with_capacity(entries.len());
        for (key, value, optional) in entries {
            let key = self.exec(*key, frame)?;
            let value = self.exec(*value, frame)?;
            match value {
                value if !optional => {
                    Key::of(&key)?;
                    pairs.push((key, value));
                }
                Value::Optional(Some(value)) => {
                    Key::of(&key)?;
                    pairs.push((key, (*value).clone()));
                }
                Value::Optional(None) => {
                    let removed = match Key::of(&key) {
                        // If the map is empty, Go's message is different.
                        Err(error) if pairs.is_empty() => {
                            let message = error.message();
                            let other =
                                message.replace("runtime error: hash of unhashable type ", "hash of unhashable type: ");
                            return Err(EvalError::fatal(other));
                        }
                        removed => removed?,
                    };
                    pairs.retain(|(key, _)| Key::of(key).ok().as_ref() != Some(&removed));
                }
                value => {
                    let message = format!("cannot initialize optional entry '{key}' from non-optional value {value}");
                    return Err(EvalError::new(message));
                }
            }
        }
        Map::new(pairs).map(Value::Map)
    }
}

impl Run<'_> {
    fn message(&mut self, type_name: &str, fields: &[(Arc<str>, StepIdx, bool)], frame: &Frame<'_>) -> Result {
        let mut values: Vec<(Arc<str>, Value)> = Vec::with_capacity(fields.len());
        for (field, value, optional) in fields {
            match self.exec(*value, frame)? {
                value if !optional => values.push((field.clone(), value)),
                Value::Optional(Some(value)) => values.push((field.clone(), (*value).clone())),
                Value::Optional(None) => values.retain(|(name, _)| name != field),
                value => {
                    let message = format!("cannot initialize optional entry '{field}' from non-optional value {value}");
                    return Err(EvalError::new(message));
                }
            }
        }
        super::message::make(type_name, &values, self.program.version)
    }
}

/// Whether an overload accepts these values.
fn takes(overload: &OverloadDecl, args: &[Value]) -> bool {
    overload.params.len() == args.len() && overload.params.iter().zip(args).all(|(ty, value)| is_a(ty, value))
}

/// Whether a value appears to have a type. Only the first entry of a list or map is checked
/// (`cel-go` `types.Type.IsAssignableRuntimeType`).
fn is_a(ty: &Type, value: &Value) -> bool {
    match (ty, value) {
        (Type::Dyn | Type::Any | Type::Param(_) | Type::Var(_), _) => true,
        (Type::Wrapper(of), value) => matches!(value, Value::Null) || is_a(of, value),
        (Type::List(element), Value::List(list)) => list.get(0).is_none_or(|value| is_found_a(element, &value)),
        (Type::Map(types), Value::Map(map)) => map
            .keys()
            .first()
            .is_none_or(|key| is_a(&types[0], key) && is_found_a(&types[1], &map.at(key))),
        (Type::Opaque(opaque), Value::Optional(optional)) => {
            &*opaque.name == crate::types::OPTIONAL
                && match (optional, opaque.params.first()) {
                    (Some(value), Some(of)) => is_a(of, value),
                    _ => true,
                }
        }
        (ty, value) => ty.type_name() == value.type_of().type_name(),
    }
}

/// Like [`is_a`] for an element. An element that is an error matches any type.
fn is_found_a(ty: &Type, value: &Result) -> bool {
    match value {
        Ok(value) => is_a(ty, value),
        Err(_) => matches!(ty, Type::Dyn | Type::Any | Type::Param(_) | Type::Var(_)),
    }
}
