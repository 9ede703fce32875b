//! How long work waits after an edit: the table of all waits of a session.

use std::time::Duration;

/// Edits that come this soon after each other are judged together: clients send some at once. A single keystroke does not wait.
pub(crate) const TOGETHER: Duration = Duration::from_millis(5);

/// Documents that depend on a CRD, after an edit of the CRD. Edits in between need only one analysis.
pub(crate) const DEPENDENTS: Duration = Duration::from_millis(20);

/// A pause in typing: what is built of several files is judged, hazards are searched for, and changes since a revision are compared.
pub(crate) const PAUSE: Duration = Duration::from_millis(150);

/// What source files are made into is made and judged with the key that changes it if that took less the last time; else after a pause.
pub(crate) const AT_ONCE: Duration = Duration::from_millis(if cfg!(debug_assertions) { 500 } else { 50 });

/// A longer pause: the objects of the workspace are checked by a CRD that somebody edits. Lenses show it later still.
pub(crate) const OBJECTS: Duration = Duration::from_millis(500);

/// An unfinished entry is marked: the next key is late by then.
pub(crate) const UNFINISHED: Duration = Duration::from_millis(800);

/// Lenses may come and go again. Each takes a line of its own in most editors, and moves the lines below it.
pub(crate) const LENSES: Duration = Duration::from_secs(2);
