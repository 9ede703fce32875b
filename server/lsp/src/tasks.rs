//! Work off the reader's thread, and panics kept inside the request that met them.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tower_lsp::jsonrpc::{Error, ErrorCode, Result};

use crate::workers;

/// Runs work on a thread that may block. A panic in it is logged and becomes the request's error; the session goes on.
pub(crate) async fn blocking<T: Send + 'static>(
    what: &'static str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        tracing::error!("{what} failed: {error}");
        failed(what)
    })
}

/// The same for work that judges a document: see [`workers`].
pub(crate) async fn judging<T: Send + 'static>(
    what: &'static str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    workers::judge(work).await.ok_or_else(|| {
        tracing::error!("{what} failed");
        failed(what)
    })
}

fn failed(what: &str) -> Error {
    Error {
        code: ErrorCode::InternalError,
        message: format!("{what} failed").into(),
        data: None,
    }
}

/// Lets work go on beside the reader, which must not wait for it. Does nothing where there is no runtime to do it.
pub(crate) fn beside(work: impl Future<Output = ()> + Send + 'static) {
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        runtime.spawn(work);
    }
}

/// Runs work that changes the session at once. A panic in it is logged.
pub(crate) fn guarded(what: &'static str, work: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(work)).is_err() {
        tracing::error!("{what} failed");
    }
}

/// The answer to a request whose document has changed since: the client should ask again.
pub(crate) fn stale() -> Error {
    Error {
        code: ErrorCode::ServerError(-32802),
        message: "the document has changed since".into(),
        data: Some(serde_json::json!({ "retriggerRequest": true })),
    }
}
