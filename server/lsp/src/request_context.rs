//! The context of requests that only read a document: its newest version, its settings, and the conversion of positions.

use std::{
    path::PathBuf,
    sync::{Arc, OnceLock},
};

use crd_analyzer_ide::{
    file::{Document, File},
    kind::{self, FileKind},
};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::{
    charts::chart::{Chart, Charts as _},
    filled_in::yaml_around,
    roles,
};
use lsp_types::{Position, Range, Uri};
use tower_lsp::jsonrpc::Result;

use crate::{
    capabilities::Client,
    documents::Snapshot,
    session::Session,
    settings::{Effective, Features},
    tasks::{self, Deadline},
    to_proto,
    versions::Parsed,
};

/// The context of a request that reads a version of a document.
pub(crate) struct RequestContext {
    pub(crate) session: Arc<Session>,
    pub(crate) snapshot: Snapshot,
    pub(crate) effective: Effective,
    /// The time at which to stop and answer with the results so far.
    pub(crate) deadline: Deadline,
    parsed: Arc<Parsed>,
    /// See [`Self::file_at`].
    template: OnceLock<(u32, Option<File>)>,
}

/// Answers from the newest version of a document, on a thread that may block. Does not wait for the document's diagnostics. `None` if the document is
/// not open or is excluded, or if the feature is turned off.
pub(crate) async fn read<T: Send + 'static>(
    session: &Arc<Session>,
    uri: &Uri,
    feature: fn(&Features) -> bool,
    what: &'static str,
    answer: impl FnOnce(&RequestContext) -> Option<T> + Send + 'static,
) -> Result<Option<T>> {
    if !feature(&session.features()) {
        return Ok(None);
    }
    let Some(snapshot) = session.documents.manifest(uri) else {
        return Ok(None);
    };
    let session = session.clone();
    let found = tasks::answering(what, move |deadline| {
        if snapshot.is_stale() {
            return None;
        }
        let effective = session.effective(&snapshot);
        if effective.is_excluded {
            return Some(None);
        }
        let request = RequestContext {
            parsed: snapshot.parsed(),
            template: OnceLock::new(),
            session,
            snapshot,
            effective,
            deadline: deadline.clone(),
        };
        let answer = answer(&request);
        (!request.snapshot.is_stale()).then_some(answer)
    });
    found.await?.ok_or_else(tasks::stale)
}

/// Like [`read`], for requests that need cost estimates. Waits for a running analysis, because it computes them.
pub(crate) async fn read_costs<T: Send + 'static>(
    session: &Arc<Session>,
    uri: &Uri,
    feature: fn(&Features) -> bool,
    answer: impl FnOnce(&RequestContext) -> Option<T> + Send + 'static,
) -> Result<Option<T>> {
    if feature(&session.features())
        && let Some(snapshot) = session.documents.manifest(uri)
    {
        session.analysis_in_time(&snapshot).await?;
    }
    read(session, uri, feature, "the cost estimate of rules", answer).await
}

impl RequestContext {
    /// The syntax trees of the document.
    pub(crate) fn file(&self) -> &File {
        &self.parsed.file
    }

    /// The syntax trees for a question about a byte offset. In a template, actions such as `{{ .Values.name }}` are not YAML, so these are the trees of
    /// the text with its actions replaced, which has the same offsets. They are built for the first offset of a request. In other files, actions are in
    /// strings.
    pub(crate) fn file_at(&self, offset: u32) -> &File {
        let (read_at, template) = self.template.get_or_init(|| {
            let is_template = |it: &PathBuf| roles::is_template(it) || roles::is_filled_in(it);
            let path = self.snapshot.path().filter(is_template);
            let text = path.and_then(|_| yaml_around(self.file().text(), offset));
            (offset, text.map(|it| File::new(it, Arc::default())))
        });
        let template = template.as_ref().filter(|_| *read_at == offset);
        template.unwrap_or_else(|| self.file())
    }

    /// The kind of the file, if it is a file without objects, such as a configuration.
    pub(crate) fn file_kind(&self) -> Option<&'static FileKind> {
        kind::of_file(&self.snapshot.path()?)
    }

    /// The capabilities of the client.
    pub(crate) fn client(&self) -> &Client {
        self.session.client()
    }

    /// The Kubernetes version for answers that depend on one: the newest version in the settings.
    pub(crate) fn version(&self) -> KubernetesVersion {
        self.effective.versions.newest()
    }

    /// The Helm chart whose template the document is, and the path of the template.
    pub(crate) fn chart(&self) -> Option<(Arc<Chart>, PathBuf)> {
        let path = self.snapshot.path()?;
        Some((self.effective.charts.of(&path)?, path))
    }

    /// The byte offset of an LSP position.
    pub(crate) fn offset(&self, position: Position) -> u32 {
        self.snapshot.offset(position, self.client().unit)
    }

    /// The YAML document at a position, and the byte offset of the position.
    pub(crate) fn document_at(&self, position: Position) -> Option<(Document<'_>, u32)> {
        let offset = self.offset(position);
        Some((self.file_at(offset).document_at(offset)?, offset))
    }

    /// The LSP range of a span.
    pub(crate) fn range(&self, span: Span) -> Range {
        to_proto::range(&self.source(), span)
    }

    /// The text that spans refer to.
    pub(crate) fn source(&self) -> to_proto::Source<'_> {
        to_proto::Source {
            uri: &self.snapshot.uri,
            text: self.parsed.file.text(),
            lines: &self.parsed.lines,
            client: self.client(),
        }
    }
}
