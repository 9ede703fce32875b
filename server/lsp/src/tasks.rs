//! Runs work outside the thread that reads messages. A panic affects only the request that caused it.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::sync::oneshot;
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};

use crate::workers;

// The runtime takes work in a box: for each other type, the compiler would translate the runtime's code again, which takes seconds for all of them.
type Work = Box<dyn FnOnce() + Send>;
type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Runs work on a thread that may block. A panic is logged and becomes an error of the request, and the language server continues.
pub(crate) async fn blocking<T: Send + 'static>(
    what: &'static str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    let (sender, mut result) = oneshot::channel();
    let work: Work = Box::new(move || drop(sender.send(work())));
    let ended = tokio::task::spawn_blocking(work).await;
    result.try_recv().map_err(|_| {
        tracing::error!("{what} failed: {ended:?}");
        failed(what)
    })
}

/// The time limit of a request. When it is reached, the answer is partial or an error, and editors ask again. Debug builds allow ten times as long.
const PATIENCE: Duration = Duration::from_secs(if cfg!(debug_assertions) { 100 } else { 10 });

/// The extra time that a request has after its limit, to return the results so far.
const GRACE: Duration = Duration::from_secs(5);

/// The time limit of a request, and whether the client still waits for the answer.
#[derive(Clone, Debug)]
pub(crate) struct Deadline {
    until: Instant,
    dropped: Arc<AtomicBool>,
}

/// Cancels the work when it is dropped together with the request.
struct Asker(Arc<AtomicBool>);

impl Drop for Asker {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

impl Deadline {
    fn begin(patience: Duration) -> (Self, Asker) {
        let dropped: Arc<AtomicBool> = Arc::default();
        let deadline = Self {
            until: Instant::now() + patience,
            dropped: dropped.clone(),
        };
        (deadline, Asker(dropped))
    }

    /// Whether to stop and return the results so far. Check this between steps that take long.
    pub(crate) fn is_over(&self) -> bool {
        self.dropped.load(Ordering::Acquire) || self.until <= Instant::now()
    }
}

/// Like [`blocking`], for a request. The work can check the deadline. If the work does not stop in time, the answer is an error.
pub(crate) async fn answering<T: Send + 'static>(
    what: &'static str,
    work: impl FnOnce(&Deadline) -> T + Send + 'static,
) -> Result<T> {
    answering_within(PATIENCE, what, work).await
}

async fn answering_within<T: Send + 'static>(
    patience: Duration,
    what: &'static str,
    work: impl FnOnce(&Deadline) -> T + Send + 'static,
) -> Result<T> {
    let (deadline, _asker) = Deadline::begin(patience);
    let answer = blocking(what, move || {
        let answer = work(&deadline);
        if !deadline.dropped.load(Ordering::Acquire) && deadline.is_over() {
            tracing::warn!("{what} stopped after {patience:?}: the answer is not complete");
        }
        answer
    });
    within(patience + GRACE, what, answer).await
}

/// Runs work that continues even if its request is cancelled.
pub(crate) async fn alone<T: Send + 'static>(work: impl Future<Output = Result<T>> + Send + 'static) -> Result<T> {
    let (sender, mut result) = oneshot::channel();
    let work: Task = Box::pin(async move { drop(sender.send(work.await)) });
    let ended = tokio::spawn(work).await;
    result.try_recv().unwrap_or_else(|_| {
        tracing::error!("work on a document failed: {ended:?}");
        Err(failed("work on a document"))
    })
}

/// Waits for an answer up to the time limit of a request.
pub(crate) async fn patiently<T>(what: &'static str, answer: impl Future<Output = Result<T>>) -> Result<T> {
    within(PATIENCE, what, answer).await
}

async fn within<T>(patience: Duration, what: &'static str, answer: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::time::timeout(patience, answer).await.unwrap_or_else(|_| {
        tracing::warn!("{what} took more than {patience:?}: the request has no answer");
        Err(Error {
            code: ErrorCode::ServerError(REQUEST_FAILED),
            message: format!("{what} took too long").into(),
            data: None,
        })
    })
}

/// The LSP error code `RequestFailed`.
pub(crate) const REQUEST_FAILED: i64 = -32803;

/// Like [`blocking`], for the analysis of a document, see [`workers`].
pub(crate) async fn judging<T: Send + 'static>(
    what: &'static str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    done(what, workers::judge(work).await)
}

/// Like [`judging`], for work that starts after a pause in typing. It does not delay the analysis of a keystroke.
pub(crate) async fn after_pause<T: Send + 'static>(
    what: &'static str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    done(what, workers::after_pause(work).await)
}

/// Like [`judging`], for long work. It runs on its own thread, one task at a time, so that no document waits for it.
pub(crate) async fn in_background<T: Send + 'static>(
    what: &'static str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    done(what, workers::in_background(work).await)
}

/// The result of work on another thread. `None` means that the work has panicked, which is logged.
fn done<T>(what: &'static str, result: Option<T>) -> Result<T> {
    result.ok_or_else(|| {
        tracing::error!("{what} failed");
        failed(what)
    })
}

/// Runs work on an analysis thread, after the analysis that it is running.
pub(crate) fn after_judging(work: impl FnOnce() + Send + 'static) {
    workers::later(work);
}

fn failed(what: &str) -> Error {
    Error {
        code: ErrorCode::InternalError,
        message: format!("{what} failed").into(),
        data: None,
    }
}

/// Runs work in the background, so that the task that reads messages need not wait. Does nothing outside a runtime.
pub(crate) fn beside(work: impl Future<Output = ()> + Send + 'static) {
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        let work: Task = Box::pin(work);
        runtime.spawn(work);
    }
}

/// Runs work that changes the session before it returns. A panic is logged.
pub(crate) fn guarded(what: &'static str, work: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(work)).is_err() {
        tracing::error!("{what} failed");
    }
}

/// `ServerCancelled` of the protocol.
const STALE: ErrorCode = ErrorCode::ServerError(-32802);

/// Whether an error is [`stale`].
pub(crate) fn is_stale(error: &Error) -> bool {
    error.code == STALE
}

/// The error for a request whose document has changed in the meantime. The client should ask again.
pub(crate) fn stale() -> Error {
    Error {
        code: STALE,
        message: "the document has changed since".into(),
        data: Some(serde_json::json!({ "retriggerRequest": true })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_takes_too_long_gives_what_there_is() {
        let short = Duration::from_millis(50);
        let count = answering_within(short, "counting", |deadline| {
            let mut count = 0;
            while !deadline.is_over() {
                std::thread::sleep(Duration::from_millis(5));
                count += 1;
            }
            count
        });
        assert!((1..=11).contains(&count.await.expect("an answer")));
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        let hangs = within(short, "hanging", blocking("hanging", move || receiver.recv().is_ok()));
        let error = hangs.await.expect_err("no answer");
        assert_eq!(error.code, ErrorCode::ServerError(REQUEST_FAILED));
        drop(sender);
    }

    #[tokio::test]
    async fn who_is_not_waited_for_stops() {
        let (sender, receiver) = std::sync::mpsc::channel();
        let work = answering_within(Duration::from_mins(1), "waiting", move |deadline| {
            while !deadline.is_over() {
                std::thread::sleep(Duration::from_millis(1));
            }
            sender.send(()).expect("somebody looks");
        });
        let cancelled = tokio::time::timeout(Duration::from_millis(20), work).await;
        assert!(cancelled.is_err());
        receiver.recv_timeout(Duration::from_secs(30)).expect("it stops");
    }
}
