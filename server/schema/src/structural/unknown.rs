//! The paths of unknown fields (`UnknownFieldPathOptions` of the package).

use std::fmt::Write as _;

use crd_analyzer_budget as budget;

use crate::field::{FINDING_BYTES, Room};

/// Collects the dotted paths of unknown fields, such as `spec.ports[0].nme`, unless it is turned off.
#[derive(Debug, Default)]
pub struct UnknownFields {
    at: String,
    found: Option<Vec<String>>,
    /// The memory left for the paths.
    room: Room,
}

/// The position of a walk before the walk enters a field or an item.
#[derive(Clone, Copy, Debug)]
pub struct Mark(usize);

impl UnknownFields {
    /// Creates a collector that is turned off.
    pub fn ignored() -> Self {
        Self::default()
    }

    /// Creates a collector of paths.
    pub fn tracked() -> Self {
        Self {
            found: Some(Vec::new()),
            ..Self::default()
        }
    }

    /// Whether the walk is at the root.
    pub fn is_at_root(&self) -> bool {
        self.at.is_empty()
    }

    /// Steps into the field `name`.
    pub fn enter(&mut self, name: &str) -> Mark {
        let mark = Mark(self.at.len());
        if self.found.is_some() {
            if !self.at.is_empty() {
                self.at.push('.');
            }
            self.at.push_str(name);
        }
        mark
    }

    /// Steps into the item `index`.
    pub fn enter_index(&mut self, index: usize) -> Mark {
        let mark = Mark(self.at.len());
        if self.found.is_some() {
            let _ = write!(self.at, "[{index}]");
        }
        mark
    }

    /// Returns to the position of `mark`.
    pub fn leave(&mut self, mark: Mark) {
        self.at.truncate(mark.0);
    }

    /// Records the unknown field `name` at the current position.
    pub fn record(&mut self, name: &str) {
        if self.found.is_none() {
            return;
        }
        if !self.room.is_left() {
            budget::leave_out(1);
            return;
        }
        self.room.take(FINDING_BYTES + 2 * self.at.len() + name.len());
        let mark = self.enter(name);
        if let Some(found) = &mut self.found {
            found.push(self.at.clone());
        }
        self.leave(mark);
    }

    /// Adds paths that were found elsewhere.
    pub fn extend(&mut self, paths: impl IntoIterator<Item = String>) {
        if let Some(found) = &mut self.found {
            found.extend(paths);
        }
    }

    /// The paths, sorted.
    pub fn into_paths(self) -> Vec<String> {
        let mut paths = self.found.unwrap_or_default();
        paths.sort_unstable();
        paths
    }
}
