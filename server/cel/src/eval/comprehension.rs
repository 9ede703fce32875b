//! Evaluates comprehensions and their variables (`cel-go` `interpreter/interpretable.go`, `folder`).

use std::cell::RefCell;

use super::Variables;
use super::plan::{ComprehensionPlan, StepKind};
use super::run::Run;
use crate::KubernetesVersion;
use crate::value::{EvalError, List, Map, Result, Value};

/// Since this Kubernetes version, an accumulator is initialized when it is first used.
const STARTS_LATE_SINCE: KubernetesVersion = KubernetesVersion::minor(32);

/// Since this Kubernetes version, an error in the range is kept as the result, even with two variables.
const KEEPS_ERRORS_SINCE: KubernetesVersion = KubernetesVersion::minor(33);

/// The variables in the scope of an expression.
pub(super) struct Frame<'f> {
    scope: Scope<'f>,
}

enum Scope<'f> {
    Root(&'f dyn Variables),
    Comprehension {
        parent: &'f Frame<'f>,
        comprehension: &'f ComprehensionPlan,
        state: RefCell<State>,
    },
}

#[derive(Default)]
struct State {
    /// The accumulator; `None` until it is first used.
    accu: Option<Result>,
    iter: Option<Result>,
    iter2: Option<Result>,
    /// Whether the iterations are over. Then only the accumulator is visible, for the result.
    done: bool,
    /// Whether the accumulator is a list or map that grows in place.
    growing: bool,
}

impl<'f> Frame<'f> {
    pub(super) fn root(variables: &'f dyn Variables) -> Self {
        Self {
            scope: Scope::Root(variables),
        }
    }

    fn with<T>(&self, change: impl FnOnce(&mut State) -> T) -> Option<T> {
        match &self.scope {
            Scope::Comprehension { state, .. } => Some(change(&mut state.borrow_mut())),
            Scope::Root(_) => None,
        }
    }
}

impl Run<'_> {
    /// The value of a variable; `None` if that variable does not exist.
    pub(super) fn variable(&mut self, name: &str, frame: &Frame<'_>) -> Option<Result> {
        let mut frame = frame;
        // A leading dot skips the variables of comprehensions.
        let global = name.strip_prefix('.');
        loop {
            match &frame.scope {
                Scope::Root(variables) if global.is_some() => {
                    return global.and_then(|name| variables.resolve(name));
                }
                Scope::Comprehension { parent, .. } if global.is_some() => frame = parent,
                Scope::Root(variables) => return variables.resolve(name),
                Scope::Comprehension {
                    parent,
                    comprehension,
                    state,
                } => {
                    if *name == *comprehension.accu_var {
                        let accu = state.borrow().accu.clone();
                        return Some(match accu {
                            Some(accu) => accu,
                            None => self.start(comprehension, parent, state),
                        });
                    }
                    let state = state.borrow();
                    if !state.done {
                        if *name == *comprehension.iter_var {
                            return state.iter.clone();
                        }
                        if comprehension.iter_var2.as_deref() == Some(name) {
                            return state.iter2.clone();
                        }
                    }
                    frame = parent;
                }
            }
        }
    }

    /// The initial value of an accumulator. An empty list or map grows in place, because all comprehensions that build a list or map start with one.
    fn start(&mut self, comprehension: &ComprehensionPlan, parent: &Frame<'_>, state: &RefCell<State>) -> Result {
        let init = self.exec(comprehension.accu, parent);
        let mut state = state.borrow_mut();
        let init = match init {
            Ok(Value::List(list)) if list.is_empty() => {
                state.growing = true;
                Ok(Value::List(List::growing()))
            }
            Ok(Value::Map(map)) if map.is_empty() => {
                state.growing = true;
                Ok(Value::Map(Map::growing()))
            }
            init => init,
        };
        state.accu = Some(init.clone());
        init
    }

    pub(super) fn comprehension(&mut self, id: i64, comprehension: &ComprehensionPlan, frame: &Frame<'_>) -> Result {
        let two = comprehension.iter_var2.is_some();
        let range = match self.exec(comprehension.range, frame) {
            // The first API servers with two variables discard the original error.
            Err(error) if two && !error.is_fatal() && self.program.version < KEEPS_ERRORS_SINCE => {
                return Err(EvalError::new("unsupported comprehension range type: *types.Err"));
            }
            range => range?,
        };
        if let Some(observer) = &mut self.observer {
            observer.enter(id);
        }
        let result = self.iterations(range, comprehension, frame);
        if let Some(observer) = &mut self.observer {
            observer.leave();
        }
        result
    }

    fn iterations(&mut self, range: Value, comprehension: &ComprehensionPlan, frame: &Frame<'_>) -> Result {
        let inner = Frame {
            scope: Scope::Comprehension {
                parent: frame,
                comprehension,
                state: RefCell::default(),
            },
        };
        let two = comprehension.iter_var2.is_some();
        if self.program.version < STARTS_LATE_SINCE
            && matches!(range, Value::List(_) | Value::Map(_))
            && let Scope::Comprehension { state, .. } = &inner.scope
            && let Err(fatal) = self.start(comprehension, frame, state)
            && fatal.is_fatal()
        {
            return Err(fatal);
        }
        let first = self.mark();
        // The mark from before the latest entry, to forget what was observed during that entry.
        let mut last = first;
        match range {
            Value::List(list) => {
                let mut elements = list.iter().enumerate();
                loop {
                    let begin = self.mark();
                    let Some((at, element)) = elements.next() else { break };
                    let entry = if two {
                        (Ok(Value::Int(at as i64)), Some(element))
                    } else {
                        (element, None)
                    };
                    if !self.iteration(comprehension, &inner, entry)? {
                        self.forget(begin, self.mark());
                        break;
                    }
                    last = begin;
                }
            }
            Value::Map(map) => {
                for key in map.keys() {
                    let begin = self.mark();
                    let value = two.then(|| map.at(&key));
                    if !self.iteration(comprehension, &inner, (Ok(key), value))? {
                        self.forget(begin, self.mark());
                        break;
                    }
                    last = begin;
                }
            }
            other if two => {
                return Err(EvalError::new(format!(
                    "unsupported comprehension range type: {}",
                    other.go_type()
                )));
            }
            other => {
                return Err(EvalError::new(format!(
                    "got '{}', expected iterable type",
                    other.go_type()
                )));
            }
        }
        if self.is_decided_by_last(comprehension, &inner) {
            self.forget(first, last);
        }
        inner.with(|state| state.done = true);
        if let Some(observer) = &mut self.observer {
            observer.end_iterations();
        }
        let result = self.exec(comprehension.result, &inner)?;
        Ok(match (inner.with(|state| state.growing), result) {
            (Some(true), Value::List(list)) => Value::List(list.frozen()),
            (Some(true), Value::Map(map)) => Value::Map(map.frozen()),
            (_, result) => result,
        })
    }

    /// Whether the latest entry alone decided the result: `all` is false for this entry, or `exists` is true.
    fn is_decided_by_last(&self, comprehension: &ComprehensionPlan, inner: &Frame<'_>) -> bool {
        let decisive = match self.program.step(comprehension.step).kind {
            StepKind::And(_) => false,
            StepKind::Or(_) => true,
            _ => return false,
        };
        let is_decisive = |state: &mut State| matches!(&state.accu, Some(Ok(Value::Bool(it))) if *it == decisive);
        self.observer.is_some() && inner.with(is_decisive) == Some(true)
    }

    /// Evaluates one entry of the range. Returns whether to continue.
    fn iteration(
        &mut self,
        comprehension: &ComprehensionPlan,
        inner: &Frame<'_>,
        entry: (Result, Option<Result>),
    ) -> Result<bool> {
        inner.with(|state| {
            state.iter = Some(entry.0);
            state.iter2 = entry.1;
        });
        let condition = self.exec(comprehension.condition, inner);
        match condition {
            Ok(Value::Bool(false)) => return Ok(false),
            Err(fatal) if fatal.is_fatal() => return Err(fatal),
            _ => {}
        }
        if let Some(observer) = &mut self.observer {
            inner.with(|state| {
                let entries = [
                    (&comprehension.iter_var, state.iter.as_ref()),
                    (
                        comprehension.iter_var2.as_ref().unwrap_or(&comprehension.iter_var),
                        state.iter2.as_ref(),
                    ),
                ];
                let entries = entries.into_iter().filter_map(|(name, value)| Some((name, value?)));
                observer.iteration(&entries.collect::<Vec<_>>());
            });
        }
        let accu = self.exec(comprehension.step, inner);
        if let Err(fatal) = &accu
            && fatal.is_fatal()
        {
            return accu.map(|_| true);
        }
        inner.with(|state| state.accu = Some(accu));
        Ok(true)
    }
}
