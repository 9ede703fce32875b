//! Waits for pauses in typing, after which objects are built and checked.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Waits for a pause in typing, with one task for all edits.
#[derive(Debug, Default)]
pub(crate) struct Pause {
    waiting: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    last: Option<Instant>,
    /// Whether a task is waiting for the pause.
    is_waited_for: bool,
}

impl Pause {
    /// Records an edit. Returns `true` if the caller must start the task that waits for a pause.
    pub(crate) fn note(&self) -> bool {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.last = Some(Instant::now());
        !std::mem::replace(&mut waiting.is_waited_for, true)
    }

    /// The time that is left until the user has paused for `pause`. `None` if the pause is over: the caller must then process the changes.
    pub(crate) fn rest(&self, pause: Duration) -> Option<Duration> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let rest = waiting.last.and_then(|it| pause.checked_sub(it.elapsed()));
        let rest = rest.filter(|it| !it.is_zero());
        waiting.is_waited_for = rest.is_some();
        rest
    }
}
