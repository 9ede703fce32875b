//! What features of markers in Go files need: the newest version of a file, and what holds for it.

use std::sync::Arc;

use crd_analyzer_ide::{go, made::Made};
use crd_analyzer_syntax::lines::LineIndex;
use crd_analyzer_workspace::{go_file::Markers, versions::VersionSet};
use tower_lsp::jsonrpc::Result;

use crate::{
    capabilities::Client,
    documents::Snapshot,
    session::Session,
    settings::{Effective, Features},
    tasks, to_proto,
};

/// A version of a Go file that is read for a request.
pub(crate) struct GoContext {
    pub(crate) snapshot: Snapshot,
    pub(crate) text: Arc<str>,
    pub(crate) markers: Markers,
    versions: VersionSet,
    session: Arc<Session>,
    lines: LineIndex,
}

/// What is known of the markers of a document, if it is a Go file.
pub(crate) fn markers(session: &Arc<Session>, snapshot: &Snapshot) -> Option<Markers> {
    snapshot
        .is_go()
        .then(|| known(session, snapshot, &session.effective(snapshot)))
}

fn known(session: &Session, snapshot: &Snapshot, effective: &Effective) -> Markers {
    let path = snapshot.path().unwrap_or_default();
    Markers::of(&path, Some(&session.go), Some(&effective.config.markers))
}

/// Answers from the newest version of a Go file, on a thread that may be blocked. `None`: the file is excluded, or the feature is switched
/// off.
pub(crate) async fn read<T: Send + 'static>(
    session: &Arc<Session>,
    snapshot: Snapshot,
    feature: fn(&Features) -> bool,
    what: &'static str,
    answer: impl FnOnce(&GoContext) -> Option<T> + Send + 'static,
) -> Result<Option<T>> {
    if !feature(&session.features()) {
        return Ok(None);
    }
    let session = session.clone();
    let found = tasks::answering(what, move |_| {
        if snapshot.is_stale() {
            return None;
        }
        let effective = session.effective(&snapshot);
        if effective.is_excluded {
            return Some(None);
        }
        let text = snapshot.content();
        let context = GoContext {
            markers: known(&session, &snapshot, &effective),
            versions: effective.versions,
            lines: LineIndex::new(&text),
            text,
            session,
            snapshot,
        };
        let answer = answer(&context);
        (!context.snapshot.is_stale()).then_some(answer)
    });
    found.await?.ok_or_else(tasks::stale)
}

impl GoContext {
    /// Asks about the CRD that an expression at a byte is made into, if there is one.
    pub(crate) fn ask_crd<T>(&self, offset: u32, ask: impl FnOnce(&Made<'_>, VersionSet) -> Option<T>) -> Option<T> {
        let path = self.snapshot.path()?;
        // Most of a Go file is code.
        if !go::may_be_marker(&self.text, offset as usize) {
            return None;
        }
        let (manifest, spot) = self.session.go_crd_at(&path, offset)?;
        let made = Made::new(&manifest, Arc::default(), &path, spot);
        ask(&made, self.versions)
    }

    /// What the client can do.
    pub(crate) fn client(&self) -> &Client {
        self.session.client()
    }

    /// The text that places count in.
    pub(crate) fn source(&self) -> to_proto::Source<'_> {
        to_proto::Source {
            uri: &self.snapshot.uri,
            text: &self.text,
            lines: &self.lines,
            client: self.client(),
        }
    }
}
