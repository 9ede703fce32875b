//! Field paths of expressions, from a variable down.
//!
//! The API server keeps them in Go slices and appends to them in place where there is room, so two paths that grew from one may share
//! memory, and the later one overwrites the last steps of the earlier. Estimates depend on that, so it is done here as well.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// A path, with the memory it shares.
#[derive(Clone, Default, Debug)]
pub(super) struct Path {
    memory: Rc<RefCell<Vec<Arc<str>>>>,
    len: usize,
    capacity: usize,
}

impl Path {
    /// A variable.
    pub(super) fn of(variable: Arc<str>) -> Self {
        Self {
            memory: Rc::new(RefCell::new(vec![variable])),
            len: 1,
            capacity: 1,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The path and one step more, as Go's `append`: in place if there is room, else in new memory of twice the size.
    pub(super) fn append(&self, step: Arc<str>) -> Self {
        if self.len < self.capacity {
            let mut memory = self.memory.borrow_mut();
            match memory.get_mut(self.len) {
                Some(slot) => *slot = step,
                None => memory.push(step),
            }
            return Self {
                memory: self.memory.clone(),
                len: self.len + 1,
                capacity: self.capacity,
            };
        }
        let mut steps = self.steps();
        steps.push(step);
        Self {
            memory: Rc::new(RefCell::new(steps)),
            len: self.len + 1,
            capacity: (self.capacity * 2).max(1),
        }
    }

    /// A copy with one step more, which shares nothing.
    pub(super) fn copy_with(&self, step: Arc<str>) -> Self {
        let mut steps = self.steps();
        steps.push(step);
        let len = steps.len();
        Self {
            memory: Rc::new(RefCell::new(steps)),
            len,
            capacity: len,
        }
    }

    /// The steps as they are now.
    pub(super) fn steps(&self) -> Vec<Arc<str>> {
        self.memory.borrow()[..self.len].to_vec()
    }

    /// The variable it starts at.
    pub(super) fn starts_at(&self, names: &[&str]) -> bool {
        self.len > 0 && names.contains(&&*self.memory.borrow()[0])
    }

    /// Calls `f` with the steps.
    pub(super) fn with<T>(&self, f: impl FnOnce(&[Arc<str>]) -> T) -> T {
        f(&self.memory.borrow()[..self.len])
    }
}
