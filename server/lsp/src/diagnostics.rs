//! Diagnostics for clients that do not pull them. They are published with the version of the document, after a burst of edits, and an older list
//! never replaces a newer one.

use std::{
    collections::{HashSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use lsp_types::Uri;

use crate::{documents::Snapshot, session::Session, tasks, waits};

/// Documents to analyze again because something outside them changed. Their queue is separate, so that the document in which the user is typing never
/// waits for them.
#[derive(Debug, Default)]
pub(crate) struct Waiting(Mutex<Queue>);

#[derive(Debug, Default)]
struct Queue {
    /// The documents in order of arrival, without duplicates.
    uris: VecDeque<Uri>,
    known: HashSet<Uri>,
    /// Whether a worker is running.
    is_worked_on: bool,
}

impl Waiting {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds documents to the queue. Returns `true` if no worker is running and the caller must start one.
    fn add(&self, uris: Vec<Uri>) -> bool {
        let mut queue = self.lock();
        for uri in uris {
            if queue.known.insert(uri.clone()) {
                queue.uris.push_back(uri);
            }
        }
        !std::mem::replace(&mut queue.is_worked_on, true)
    }

    /// The next document in the queue. `None` tells the worker to stop.
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
    /// Publishes the diagnostics of documents, one after the other. Does nothing for clients that pull diagnostics.
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

    /// Publishes the diagnostics of a document after a burst of edits. Does nothing for clients that pull diagnostics.
    pub(crate) fn publish_soon(self: &Arc<Self>, uri: &Uri) {
        if self.client().pulls_diagnostics {
            return;
        }
        let Some(snapshot) = self.documents.snapshot(uri) else {
            return;
        };
        let session = self.clone();
        tasks::beside(async move {
            // This also combines edits that arrive during an analysis, because only one version of a document is analyzed at a time.
            if snapshot.since_previous.is_some_and(|it| it < waits::TOGETHER) {
                tokio::time::sleep(waits::TOGETHER).await;
            }
            session.publish(&snapshot).await;
        });
    }

    /// Publishes the diagnostics of a version of a document, if it is still the newest.
    async fn publish(self: &Arc<Self>, snapshot: &Snapshot) {
        let _only = snapshot.worked_on.lock().await;
        if !self.documents.is_current(snapshot) {
            return;
        }
        // Outdated: a newer run follows. Failed: the error is logged, and there is nothing to publish.
        let Ok(analysis) = self.analysis(snapshot).await else {
            return;
        };
        let _turn = self.publishing.lock().await;
        if self.documents.is_current(snapshot) {
            let list = analysis.diagnostics.clone();
            // Optional in LSP: clients that do not support it ignore it.
            let version = Some(snapshot.version);
            let uri = snapshot.uri.clone();
            self.remote.publish_diagnostics(uri, list, version).await;
        }
    }

    /// Clears the diagnostics of a closed document.
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
