//! The runtime cost of an expression (`cel-go` `interpreter/runtimecost.go`). The declarations of functions say what a call costs.
//!
//! The API server finds the arguments of a call on a stack of values with the ids of expressions. Expressions of a macro can share an id,
//! so what is found there is not always what was passed; this keeps the same stack.

use std::num::NonZeroU32;

use super::memory::Need;
use crate::KubernetesVersion;
use crate::library::{Actual, CallRecord};
use crate::value::{EvalError, Result, Value};

const LIST_CREATE: u64 = 10;
const MAP_CREATE: u64 = 30;
const MESSAGE_CREATE: u64 = 40;

/// A place on the stack, counted from 1.
type StackIndex = Option<NonZeroU32>;

/// A value on the stack.
struct Observed {
    value: Result,
    id: i64,
    /// Where the same id is before.
    before: StackIndex,
}

/// The cost so far.
pub(super) struct Tracker {
    pub(super) cost: u64,
    limit: Option<u64>,
    version: KubernetesVersion,
    stack: Vec<Observed>,
    /// Where on the stack an id is at last, by id.
    places: Vec<StackIndex>,
    /// Constants are folded without being observed.
    enabled: bool,
}

impl Tracker {
    pub(super) fn new(version: KubernetesVersion, limit: Option<u64>, ids: usize) -> Self {
        Self {
            cost: 0,
            limit,
            version,
            stack: Vec::new(),
            places: vec![None; ids],
            enabled: true,
        }
    }

    /// One that counts nothing.
    pub(super) fn disabled() -> Self {
        Self {
            cost: 0,
            limit: None,
            version: KubernetesVersion::NEWEST,
            stack: Vec::new(),
            places: Vec::new(),
            enabled: false,
        }
    }

    /// Adds to the cost.
    pub(super) fn add(&mut self, cost: u64) {
        if self.enabled {
            self.cost = self.cost.saturating_add(cost);
        }
    }

    /// Takes something back.
    pub(super) fn subtract(&mut self, cost: u64) {
        if self.enabled {
            // The API server, too, falls below nothing to the greatest number.
            self.cost = self.cost.wrapping_sub(cost);
        }
    }

    /// Puts a value on the stack, and ends the evaluation if it has become too expensive.
    pub(super) fn push(&mut self, value: &Result, id: i64) -> Result<()> {
        if !self.enabled {
            return Ok(());
        }
        let place = NonZeroU32::new(self.stack.len() as u32 + 1);
        let last = usize::try_from(id).ok().and_then(|id| self.places.get_mut(id));
        let before = last.and_then(|last| std::mem::replace(last, place));
        self.stack.push(Observed {
            value: value.clone(),
            id,
            before,
        });
        if self.limit.is_some_and(|limit| self.cost > limit) {
            return Err(too_expensive());
        }
        Ok(())
    }

    fn place(&self, id: i64) -> Option<usize> {
        let place = (*self.places.get(usize::try_from(id).ok()?)?)?;
        Some(place.get() as usize - 1)
    }

    fn truncate(&mut self, len: usize) {
        while self.stack.len() > len {
            let Some(Observed { id, before, .. }) = self.stack.pop() else {
                return;
            };
            if let Some(last) = usize::try_from(id).ok().and_then(|id| self.places.get_mut(id)) {
                *last = before;
            }
        }
    }

    /// Takes the values of these expressions and all above them from the stack.
    pub(super) fn drop(&mut self, ids: impl IntoIterator<Item = i64>) {
        for id in ids {
            if let Some(place) = self.place(id) {
                self.truncate(place);
            }
        }
    }

    /// The values of these expressions (the last one first on the stack), which are taken from it. `None` if one is missing.
    fn drop_args(&mut self, ids: &[i64]) -> Option<Vec<Result>> {
        let mut values = Vec::with_capacity(ids.len());
        for id in ids.iter().rev() {
            let place = self.place(*id)?;
            values.push(self.stack[place].value.clone());
            self.truncate(place);
        }
        values.reverse();
        Some(values)
    }

    /// Ends the evaluation if a call would exceed the limit and takes much work or memory, rather than after all that work. What most
    /// calls cost does not depend on their value.
    pub(super) fn afford(&mut self, work: u64, need: Need, cost: Actual, operands: &[Value]) -> Result<()> {
        let Some(limit) = self.limit.filter(|_| self.enabled) else {
            return Ok(());
        };
        if work <= limit && need.fits() {
            return Ok(());
        }
        let operands: Vec<Result> = operands.iter().cloned().map(Ok).collect();
        let cost = cost.of(&CallRecord {
            version: self.version,
            operands: &operands,
            result: &Ok(Value::Null),
        })?;
        let cost = cost.max(work);
        if self.cost.saturating_add(cost) <= limit {
            return Ok(());
        }
        self.add(cost);
        Err(too_expensive())
    }

    /// A call was evaluated.
    pub(super) fn call(&mut self, cost: Actual, operands: &[i64], result: &Result) -> Result<()> {
        if !self.enabled {
            return Ok(());
        }
        if let Some(operands) = self.drop_args(operands) {
            self.add(cost.of(&CallRecord {
                version: self.version,
                operands: &operands,
                result,
            })?);
        }
        Ok(())
    }

    /// A list was made.
    pub(super) fn list(&mut self, elements: &[i64]) {
        if self.enabled {
            self.drop_args(elements);
            self.add(LIST_CREATE);
        }
    }

    /// A message was made.
    pub(super) fn message(&mut self, fields: &[i64]) {
        if self.enabled {
            self.drop_args(fields);
            self.add(MESSAGE_CREATE);
        }
    }

    /// A map was made.
    pub(super) fn map(&mut self, entries: &[i64]) {
        if self.enabled {
            self.drop_args(entries);
            self.add(MAP_CREATE);
        }
    }
}

fn too_expensive() -> EvalError {
    EvalError::fatal("operation cancelled: actual cost limit exceeded")
}
