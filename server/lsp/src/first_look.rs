//! The first scan of the workspace folders. Until it ends, the CRDs of resources are unknown.

use std::time::Duration;

use tokio::sync::watch;

/// How long a request waits for the first scan.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum State {
    #[default]
    NotBegun,
    Begun,
    Ended,
}

/// The state of the first scan of the workspace folders.
#[derive(Debug, Default)]
pub(crate) struct FirstLook(watch::Sender<State>);

impl FirstLook {
    /// Marks the start of the first scan. Later calls have no effect.
    pub(crate) fn begin(&self) {
        self.0.send_if_modified(|it| {
            let is_first = *it == State::NotBegun;
            if is_first {
                *it = State::Begun;
            }
            is_first
        });
    }

    /// Marks the end of the first scan.
    pub(crate) fn end(&self) {
        self.0.send_replace(State::Ended);
    }

    /// Whether the first scan is running.
    pub(crate) fn is_underway(&self) -> bool {
        *self.0.borrow() == State::Begun
    }

    /// Waits until the first scan ends, if it is running, up to a time limit.
    pub(crate) async fn ended(&self) {
        let mut state = self.0.subscribe();
        if *state.borrow() != State::Begun {
            return;
        }
        let ended = state.wait_for(|it| *it == State::Ended);
        let _ = tokio::time::timeout(PATIENCE, ended).await;
    }
}
