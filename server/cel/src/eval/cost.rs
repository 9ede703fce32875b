//! The runtime cost of an expression (`cel-go` `interpreter/runtimecost.go`). The declarations of functions contain the cost of a call.
//!
//! The API server finds the arguments of a call on a stack of values with expression ids. Expressions of a macro can share an id, so the API server
//! does not always find the values that were passed. This module keeps the same stack.

use std::num::NonZeroU32;

use super::memory::Need;
use crate::KubernetesVersion;
use crate::library::{Actual, CallRecord};
use crate::value::{EvalError, Result, Value};

const LIST_CREATE: u64 = 10;
const MAP_CREATE: u64 = 30;
const MESSAGE_CREATE: u64 = 40;

/// A position on the stack, from 1.
type StackIndex = Option<NonZeroU32>;

/// A value on the stack.
struct Observed {
    value: Result,
    id: i64,
    /// The previous position with the same id.
    before: StackIndex,
}

/// The accumulated cost and the stack.
pub(super) struct Tracker {
    pub(super) cost: u64,
    limit: Option<u64>,
    version: KubernetesVersion,
    stack: Vec<Observed>,
    /// The latest stack position of each id.
    places: Vec<StackIndex>,
    /// Whether costs are tracked. Costs are not tracked while constants are folded.
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

    /// Creates a tracker that tracks no costs.
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

    /// Subtracts from the cost.
    pub(super) fn subtract(&mut self, cost: u64) {
        if self.enabled {
            // Like the API server, wrap around below zero.
            self.cost = self.cost.wrapping_sub(cost);
        }
    }

    /// Pushes a value, and ends the evaluation if the cost limit is exceeded.
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

    /// Removes the values of these expressions, and all values above them, from the stack.
    pub(super) fn drop(&mut self, ids: impl IntoIterator<Item = i64>) {
        for id in ids {
            if let Some(place) = self.place(id) {
                self.truncate(place);
            }
        }
    }

    /// Removes the values of these expressions from the stack (the last one is on top) and returns them. `None` if a value is missing.
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

    /// Ends the evaluation before a call that needs much work or memory and would exceed the limit. The API server ends it after the call. Most
    /// results are the same, because the cost of most calls does not depend on the result of the call.
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

    /// Adds the cost of an evaluated call.
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

    /// Adds the cost of a new list.
    pub(super) fn list(&mut self, elements: &[i64]) {
        if self.enabled {
            self.drop_args(elements);
            self.add(LIST_CREATE);
        }
    }

    /// Adds the cost of a new message.
    pub(super) fn message(&mut self, fields: &[i64]) {
        if self.enabled {
            self.drop_args(fields);
            self.add(MESSAGE_CREATE);
        }
    }

    /// Adds the cost of a new map.
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
