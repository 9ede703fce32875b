//! How long work waits after an edit.

use std::time::Duration;

/// Edits that arrive within this time are analyzed together, because some clients send several at once. A single keystroke is analyzed without a
/// wait.
pub(crate) const TOGETHER: Duration = Duration::from_millis(5);

/// The delay before documents that depend on an edited CRD are analyzed. Several edits then need only one analysis.
pub(crate) const DEPENDENTS: Duration = Duration::from_millis(20);

/// The pause in typing before objects of several files are built, hazards are searched for, and changes since a revision are compared.
pub(crate) const PAUSE: Duration = Duration::from_millis(150);

/// The manifests of a source file are generated and checked with each keystroke if that took less than this the last time, otherwise after a pause.
pub(crate) const AT_ONCE: Duration = Duration::from_millis(if cfg!(debug_assertions) { 1_000 } else { 100 });

/// The pause before workspace objects are checked against a CRD that the user is editing. It is longer because lenses show the result later anyway.
pub(crate) const OBJECTS: Duration = Duration::from_millis(500);

/// The pause before the error in an unfinished entry is shown: by then, the user has probably stopped typing.
pub(crate) const UNFINISHED: Duration = Duration::from_millis(800);

/// The time between two searches for changed files, if the client does not watch files.
pub(crate) const DISK: Duration = Duration::from_secs(2);

/// The pause before code lenses are added or removed. In most editors, each takes a line of its own and moves the lines below it.
pub(crate) const LENSES: Duration = Duration::from_secs(2);
