//! The context of requests for source files: the newest version of a file, and its settings.

use std::sync::Arc;

use crd_analyzer_ide::{
    language::{self, Language},
    lens::Cost,
    made::{Made, RenamedName, SourceFile},
    rename::{Renamable, Renaming},
};
use crd_analyzer_syntax::{lines::LineIndex, tree::Span};
use crd_analyzer_workspace::{config::versions::VersionSet, judging::analysis::Around, sources::Row};
use tower_lsp::jsonrpc;

use crate::{
    capabilities::Client,
    documents::Snapshot,
    made_manifests::Extent,
    session::Session,
    settings::{Effective, Features},
    tasks::{self, Deadline},
    to_proto,
};

/// The context of a request that reads a version of a source file.
pub(crate) struct SourceContext {
    pub(crate) snapshot: Snapshot,
    pub(crate) text: Arc<str>,
    pub(crate) language: Option<Box<dyn Language>>,
    row: &'static Row,
    effective: Effective,
    /// The time at which to stop and answer with the results so far.
    pub(crate) deadline: Deadline,
    session: Arc<Session>,
    lines: LineIndex,
}

/// The language of a document that manifests are generated from. `None` for other documents.
pub(crate) fn language(session: &Session, snapshot: &Snapshot, effective: &Effective) -> Option<Box<dyn Language>> {
    let around = Around {
        go: Some(&session.go),
        markers: Some(&effective.config.markers),
        ..Around::default()
    };
    language::of(&snapshot.path()?, around)
}

/// Answers from the newest version of a source file, on a thread that may block. `None` if the file is excluded, or the feature is turned off.
pub(crate) async fn read<T: Send + 'static>(
    session: &Arc<Session>,
    snapshot: Snapshot,
    feature: fn(&Features) -> bool,
    what: &'static str,
    answer: impl FnOnce(&SourceContext) -> Option<T> + Send + 'static,
) -> jsonrpc::Result<Option<T>> {
    if !feature(&session.features()) {
        return Ok(None);
    }
    let session = session.clone();
    let found = tasks::answering(what, move |deadline| {
        if snapshot.is_stale() {
            return None;
        }
        let effective = session.effective(&snapshot);
        if effective.is_excluded {
            return Some(None);
        }
        let text = snapshot.content();
        let context = SourceContext {
            language: language(&session, &snapshot, &effective),
            row: snapshot.source()?,
            effective,
            deadline: deadline.clone(),
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

impl SourceContext {
    /// If a manifest contains the string at a byte offset, calls a function with that manifest.
    pub(crate) fn ask_made<T>(&self, offset: u32, ask: impl FnOnce(&Made<'_>, VersionSet) -> Option<T>) -> Option<T> {
        let path = self.snapshot.path()?;
        if !(self.row.may_be_made)(&self.text, offset as usize) {
            return None;
        }
        let (manifest, spot) = self.session.made_at((self.row, &path, &self.text), offset)?;
        let made = Made::new(&manifest, Arc::default(), &path, spot);
        ask(&made, self.effective.versions)
    }

    /// Renames the name at a byte offset of a string. `None` if no manifest contains the string. The error is the reason why the name cannot be
    /// renamed.
    pub(crate) fn rename(&self, offset: u32, new_name: &str) -> Option<Result<Renaming, String>> {
        if !(self.row.may_be_made)(&self.text, offset as usize) {
            return None;
        }
        let version = self.effective.versions.newest();
        let rename = |file: &SourceFile<'_>| file.rename((offset, new_name), self.row.name, version);
        let of = (&self.snapshot, &self.effective);
        self.session.ask_source(Extent::File, of, &self.deadline, rename)?
    }

    /// The name at a byte offset that manifests take over, if it can be renamed.
    pub(crate) fn prepare_name(&self, offset: u32) -> Option<Renamable> {
        if !(self.row.may_be_name)(&self.text, offset as usize) {
            return None;
        }
        let of = (&self.snapshot, &self.effective);
        self.session
            .ask_source(Extent::Unit, of, &self.deadline, |file| file.prepare_name(offset))?
    }

    /// Renames the name or property at a byte offset in the source files and in the CRDs. `None` if no manifest takes over a name from there. The
    /// error is the reason why the name cannot be renamed.
    pub(crate) fn rename_name(&self, offset: u32, new_name: &str) -> Option<Result<RenamedName, String>> {
        let at = offset as usize;
        if !(self.row.may_be_name)(&self.text, at) && !(self.row.may_be_made)(&self.text, at) {
            return None;
        }
        let of = (&self.snapshot, &self.effective);
        self.session.ask_source(Extent::Unit, of, &self.deadline, |file| {
            file.rename_name((offset, new_name))
        })?
    }

    /// The cost estimates of the rules in the file, for the newest Kubernetes version in the settings.
    pub(crate) fn costs(&self) -> Vec<Cost> {
        self.session
            .costs_of_made(&self.snapshot, self.effective.versions.newest())
    }

    /// The spans of the rules in the file.
    pub(crate) fn rules(&self) -> Vec<Span> {
        self.session
            .rules_of_made(&self.snapshot, self.effective.versions.newest())
    }

    /// The state of the connection to the client.
    pub(crate) fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// The capabilities of the client.
    pub(crate) fn client(&self) -> &Client {
        self.session.client()
    }

    /// The text that spans refer to.
    pub(crate) fn source(&self) -> to_proto::Source<'_> {
        to_proto::Source {
            uri: &self.snapshot.uri,
            text: &self.text,
            lines: &self.lines,
            client: self.client(),
        }
    }
}
