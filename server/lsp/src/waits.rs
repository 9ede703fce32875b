//! How long work waits after an edit.

use std::time::Duration;

/// Edits within this time are analyzed together, because some clients send several at once. A single keystroke does not wait.
pub(crate) const TOGETHER: Duration = Duration::from_millis(5);

/// The delay before documents that depend on an edited CRD are analyzed. Several edits then need only one analysis.
pub(crate) const DEPENDENTS: Duration = Duration::from_millis(20);

/// The pause in typing before objects of several files are built, hazards are searched for, and changes since a revision are compared.
pub(crate) const PAUSE: Duration = Duration::from_millis(150);

/// What source files are made into is made and judged with the key that changes it if that took less the last time; else after a pause.
pub(crate) const AT_ONCE: Duration = Duration::from_millis(if cfg!(debug_assertions) { 1_000 } else { 100 });

/// A longer pause: the objects of the workspace are checked by a CRD that somebody edits. Lenses show it later still.
pub(crate) const OBJECTS: Duration = Duration::from_millis(500);

/// The pause before the error in an unfinished entry is shown: by then, the user has probably stopped typing.
pub(crate) const UNFINISHED: Duration = Duration::from_millis(800);

/// The pause before code lenses are added or removed. In most editors, each takes a line of its own and moves the lines below it.
pub(crate) const LENSES: Duration = Duration::from_secs(2);
