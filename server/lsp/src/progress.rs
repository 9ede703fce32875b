//! Work-done progress, for clients that show it.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use lsp_types::ProgressToken;
use std::time::Duration;
use tower_lsp::{Bounded, NotCancellable, OngoingProgress};

use crate::{names::NAME, session::Session, tasks};

/// The minimum number of files for which to show progress.
pub(crate) const MANY: usize = 100;

/// The interval between progress reports.
const STEP: Duration = Duration::from_millis(250);

/// The counter for progress tokens, which must be unique.
static SCANS: AtomicUsize = AtomicUsize::new(0);

/// A progress report that ends when it is dropped.
pub(crate) struct ProgressGuard(Option<OngoingProgress<Bounded, NotCancellable>>);

impl Drop for ProgressGuard {
    fn drop(&mut self) {
        if let Some(progress) = self.0.take() {
            tasks::beside(progress.finish());
        }
    }
}

/// Starts a progress report with the client's token or a new one. `None` if the client does not support progress.
pub(crate) async fn begin(session: &Arc<Session>, token: Option<ProgressToken>, title: &str) -> Option<ProgressGuard> {
    let token = match token {
        Some(token) => token,
        None if session.client().shows_progress => {
            let number = SCANS.fetch_add(1, Ordering::Relaxed);
            let token = ProgressToken::String(format!("{NAME}/scan/{number}"));
            session.remote.create_work_done_progress(token.clone()).await.ok()?;
            token
        }
        None => return None,
    };
    let progress = session.remote.progress(token, title).with_percentage(0).begin().await;
    Some(ProgressGuard(Some(progress)))
}

/// Waits for work to finish, and meanwhile reports how many of `all` files are done.
pub(crate) async fn watch<T>(
    progress: Option<&ProgressGuard>,
    all: usize,
    done: &AtomicUsize,
    work: impl Future<Output = T>,
) -> T {
    tokio::pin!(work);
    loop {
        tokio::select! {
            found = &mut work => return found,
            () = tokio::time::sleep(STEP) => {
                if let Some(progress) = progress.and_then(|it| it.0.as_ref()) {
                    let done = done.load(Ordering::Relaxed);
                    progress.report_with_message(format!("{done} of {all} files"), (done * 100 / all.max(1)) as u32).await;
                }
            }
        }
    }
}
