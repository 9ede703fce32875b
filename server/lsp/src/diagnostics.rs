//! Diagnostics for clients that do not ask for them: sent with their version, after the last of quick edits, never an older list after
//! a newer one.

use std::{sync::Arc, time::Duration};

use lsp_types::Uri;

use crate::{session::Session, tasks};

/// The wait after an edit that came this soon after another: what a client sends at once is taken together. A single keystroke does not
/// wait. Quick edits are also taken together by working on one version of a document at a time.
const WAIT: Duration = Duration::from_millis(5);

impl Session {
    /// Sends what is known about a document, the last of quick edits only. Does nothing for clients that ask themselves.
    pub(crate) fn publish_soon(self: &Arc<Self>, uri: &Uri) {
        if self.client().pulls_diagnostics {
            return;
        }
        let Some(snapshot) = self.documents.snapshot(uri) else {
            return;
        };
        let session = self.clone();
        tasks::beside(async move {
            if snapshot.since_previous.is_some_and(|it| it < WAIT) {
                tokio::time::sleep(WAIT).await;
            }
            let _only = snapshot.worked_on.lock().await;
            // Stale, or failed and logged: then a newer run will come, or there is nothing to send.
            let Ok(analysis) = session.analysis(&snapshot).await else {
                return;
            };
            let _turn = session.publishing.lock().await;
            if session.documents.is_current(&snapshot) {
                let list = analysis.diagnostics.clone();
                // Optional in the protocol: who does not know it passes over it.
                let version = Some(snapshot.version);
                session
                    .remote
                    .publish_diagnostics(snapshot.uri.clone(), list, version)
                    .await;
            }
        });
    }

    /// Takes back what was sent about a document that was closed.
    pub(crate) fn unpublish(self: &Arc<Self>, uri: Uri) {
        if self.client().pulls_diagnostics {
            return;
        }
        let session = self.clone();
        tasks::beside(async move {
            let _turn = session.publishing.lock().await;
            if !session.is_open(&uri) {
                session.remote.publish_diagnostics(uri, Vec::new(), None).await;
            }
        });
    }
}
