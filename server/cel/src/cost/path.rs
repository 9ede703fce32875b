//! Field paths of expressions, from a variable down.
//!
//! The API server keeps paths in Go slices. Go appends in place if there is capacity, so two paths with a common beginning can share memory, and the
//! later one overwrites the last steps of the earlier one. The estimates depend on such overwritten paths, so this module reproduces them.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// A path, with the memory that it may share with other paths.
#[derive(Clone, Default, Debug)]
pub(super) struct Path {
    memory: Rc<RefCell<Vec<Arc<str>>>>,
    len: usize,
    capacity: usize,
}

impl Path {
    /// The path of a variable.
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

    /// The path with one more step, like Go's `append`: in the same memory if there is capacity, otherwise in new memory of twice the size.
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

    /// A copy with one more step, in memory of its own.
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

    /// The current steps.
    pub(super) fn steps(&self) -> Vec<Arc<str>> {
        self.memory.borrow()[..self.len].to_vec()
    }

    /// Whether the path starts at one of these variables.
    pub(super) fn starts_at(&self, names: &[&str]) -> bool {
        self.len > 0 && names.contains(&&*self.memory.borrow()[0])
    }

    /// Calls `f` with the steps.
    pub(super) fn with<T>(&self, f: impl FnOnce(&[Arc<str>]) -> T) -> T {
        f(&self.memory.borrow()[..self.len])
    }
}
