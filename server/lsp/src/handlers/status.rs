//! `crd-analyzer/status`, an LSP extension: the state of a document for the status bar of an editor.

use std::sync::Arc;

use crd_analyzer_ide::completion;
use crd_analyzer_syntax::lines::LineIndex;
use crd_analyzer_workspace::{
    index::{Definitions as _, Origin, native, objects},
    roles::Judgement,
};
use lsp_types::TextDocumentIdentifier;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Result};

use crate::{
    display_text,
    request_context::{self, RequestContext},
    session::Session,
    settings::Effective,
    workspace_index::{NearbyIndex, SyncedIndex},
};

/// The name of the request. The parameter is a document. The answer is null if it is not open, else `{kubernetes, definitions, fromCluster, isKnown,
/// objects}`: the Kubernetes versions to check for, the number of known CRDs, the number of those from the cluster, whether the document is a CRD or
/// a resource of a known CRD, and its first objects as `{kind, name, line, role, reason, checkedBy}`. `checkedBy` is null if nothing checks the
/// object, else `{file, reason}`.
pub(crate) const METHOD: &str = "crd-analyzer/status";

/// The maximum number of objects in an answer.
const MOST_OBJECTS: usize = 100;

pub(crate) async fn handle(session: &Arc<Session>, params: Value) -> Result<Value> {
    let document: TextDocumentIdentifier = serde_json::from_value(params["textDocument"].clone())
        .map_err(|error| Error::invalid_params(error.to_string()))?;
    if let Some(file) = session.documents.source_file(&document.uri) {
        // The objects that are made of a source file are in other files.
        return Ok(answer(session, &session.effective(&file), false, &[]));
    }
    let found = request_context::read(
        session,
        &document.uri,
        |_| true,
        "the status",
        |request| {
            let known = NearbyIndex {
                session: &request.session,
                near: request.snapshot.path(),
            };
            let is_known = request
                .file()
                .documents()
                .any(|it| completion::is_known(it.tree, &known));
            let objects = objects_of(request);
            Some(answer(&request.session, &request.effective, is_known, &objects))
        },
    );
    Ok(found.await?.unwrap_or_default())
}

fn answer(session: &Session, effective: &Effective, is_known: bool, objects: &[Value]) -> Value {
    let (definitions, of_cluster) = session.workspace.catalog.with(|index| {
        let of_cluster = index.definitions().filter(|it| it.origin == Origin::Cluster).count();
        (index.definitions().count(), of_cluster)
    });
    json!({
        "kubernetes": effective.versions.to_string(),
        "definitions": definitions,
        "fromCluster": of_cluster,
        "isKnown": is_known,
        "objects": objects,
    })
}

/// The roles of the first objects of a file, and the CRDs that check them.
fn objects_of(request: &RequestContext) -> Vec<Value> {
    let session = &request.session;
    let Some(path) = request.snapshot.path() else {
        return Vec::new();
    };
    let (settings, folders) = (session.settings(), session.folders());
    let asides = session.asides(&settings, &folders);
    let text = request.snapshot.content();
    let aside = asides.of_text(&path, &text);
    let lines = LineIndex::new(&text);
    let definitions = SyncedIndex(session);
    let objects = objects::objects_of(&text).into_iter().take(MOST_OBJECTS);
    let told = objects.filter_map(|object| {
        let kind = object.group_kind()?;
        let catalog = &session.workspace.catalog;
        let role = catalog.with(|index| Judgement::of_object(index, &path, &object, aside.as_ref()));
        let found = if native::is_native(&kind.group) {
            None
        } else {
            definitions.find(&kind, &path)
        };
        let checked_by = found.map(|it| {
            let file = it.definition.written_path();
            let below = folders.iter().find_map(|folder| file.strip_prefix(folder).ok());
            let file = below.unwrap_or(file).display().to_string();
            json!({ "file": display_text::line(&file), "reason": display_text::line(&it.reason()) })
        });
        let line = lines.line_of(object.document.span.start);
        Some(json!({
            "kind": display_text::line(&object.written.kind),
            "name": display_text::line(&object.written.name),
            "line": line,
            "role": role.role.to_string(),
            "reason": display_text::line(&role.reason),
            "checkedBy": checked_by,
        }))
    });
    told.collect()
}
