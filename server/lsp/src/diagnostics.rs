//! Diagnostics for clients that do not ask for them: sent with their version, after the last of quick edits, never an older list after
//! a newer one.

use std::{
    collections::{HashSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use lsp_types::Uri;

use crate::{documents::Snapshot, session::Session, tasks, waits};

/// Documents that are to be judged again because something that they depend on has changed. They wait here and not with those who judge, so that
/// a document that somebody types in need not wait for all of them.
#[derive(Debug, Default)]
pub(crate) struct Waiting(Mutex<Queue>);

#[derive(Debug, Default)]
struct Queue {
    /// In the order in which they came, each once.
    uris: VecDeque<Uri>,
    known: HashSet<Uri>,
    /// Somebody works on them.
    is_worked_on: bool,
}

impl Waiting {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds documents to the queue. True if no worker is running, so the caller must start one.
    fn add(&self, uris: Vec<Uri>) -> bool {
        let mut queue = self.lock();
        for uri in uris {
            if queue.known.insert(uri.clone()) {
                queue.uris.push_back(uri);
            }
        }
        !std::mem::replace(&mut queue.is_worked_on, true)
    }

    /// The next document of the queue. `None` ends the worker.
    fn next(&self) -> Option<Uri> {
        let mut queue = self.lock();
        let next = queue.uris.pop_front();
        match &next {
            Some(uri) => {
                queue.known.remove(uri);
            }
            None => queue.is_worked_on = false,
        }
        next
    }
}

impl Session {
    /// Sends what is known about documents, one after the other. Does nothing for clients that ask themselves.
    pub(crate) fn publish_one_by_one(self: &Arc<Self>, uris: Vec<Uri>) {
        if self.client().pulls_diagnostics || !self.waiting.add(uris) {
            return;
        }
        let session = self.clone();
        tasks::beside(async move {
            while let Some(uri) = session.waiting.next() {
                if let Some(snapshot) = session.documents.snapshot(&uri) {
                    session.publish(&snapshot).await;
                }
            }
        });
    }

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
            // Quick edits are also taken together by working on one version of a document at a time.
            if snapshot.since_previous.is_some_and(|it| it < waits::TOGETHER) {
                tokio::time::sleep(waits::TOGETHER).await;
            }
            session.publish(&snapshot).await;
        });
    }

    /// Sends what is known about a version of a document, if it is still the one that counts.
    async fn publish(self: &Arc<Self>, snapshot: &Snapshot) {
        let _only = snapshot.worked_on.lock().await;
        if !self.documents.is_current(snapshot) {
            return;
        }
        // Stale, or failed and logged: then a newer run will come, or there is nothing to send.
        let Ok(analysis) = self.analysis(snapshot).await else {
            return;
        };
        let _turn = self.publishing.lock().await;
        if self.documents.is_current(snapshot) {
            let list = analysis.diagnostics.clone();
            // Optional in the protocol: who does not know it passes over it.
            let version = Some(snapshot.version);
            let uri = snapshot.uri.clone();
            self.remote.publish_diagnostics(uri, list, version).await;
        }
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
