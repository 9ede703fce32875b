//! The first look through the workspace's folders: until it ends, the CRDs of resources are not known.

use std::time::Duration;

use tokio::sync::watch;

/// How long a request waits for the first look.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum State {
    #[default]
    NotBegun,
    Begun,
    Ended,
}

/// The first look through the workspace's folders.
#[derive(Debug, Default)]
pub(crate) struct FirstLook(watch::Sender<State>);

impl FirstLook {
    /// A look begins. Only the first one counts.
    pub(crate) fn begin(&self) {
        self.0.send_if_modified(|it| {
            let is_first = *it == State::NotBegun;
            if is_first {
                *it = State::Begun;
            }
            is_first
        });
    }

    /// A look has ended.
    pub(crate) fn end(&self) {
        self.0.send_replace(State::Ended);
    }

    /// Whether the first look has begun and not ended.
    pub(crate) fn is_underway(&self) -> bool {
        *self.0.borrow() == State::Begun
    }

    /// Waits until the first look ends, if it is underway, but not forever.
    pub(crate) async fn ended(&self) {
        let mut state = self.0.subscribe();
        if *state.borrow() != State::Begun {
            return;
        }
        let ended = state.wait_for(|it| *it == State::Ended);
        let _ = tokio::time::timeout(PATIENCE, ended).await;
    }
}
