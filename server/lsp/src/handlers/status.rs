//! `crd-analyzer/status`, of our own: what counts for a document, for the status bar of an editor.

use std::sync::Arc;

use crd_analyzer_ide::completion;
use crd_analyzer_workspace::index::Origin;
use lsp_types::TextDocumentIdentifier;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Result};

use crate::{request_context, session::Session, workspace_index::NearbyIndex};

/// The name of the request. Its parameters name a document; its answer is null where that is not open, else
/// `{kubernetes, definitions, fromCluster, isKnown}`: the Kubernetes versions that it is checked for, how many CRDs are known, how many of them
/// from the cluster, and whether the document is a CRD or a resource of a known one.
pub(crate) const METHOD: &str = "crd-analyzer/status";

pub(crate) async fn handle(session: &Arc<Session>, params: Value) -> Result<Value> {
    let document: TextDocumentIdentifier = serde_json::from_value(params["textDocument"].clone())
        .map_err(|error| Error::invalid_params(error.to_string()))?;
    let found = request_context::read(
        session,
        &document.uri,
        |_| true,
        "the status",
        |request| {
            let (definitions, of_cluster) = request.session.workspace.catalog.with(|index| {
                let of_cluster = index.definitions().filter(|it| it.origin == Origin::Cluster).count();
                (index.definitions().count(), of_cluster)
            });
            let known = NearbyIndex {
                session: &request.session,
                near: request.snapshot.path(),
            };
            let is_known = request
                .file()
                .documents()
                .any(|it| completion::is_known(it.tree, &known));
            Some(json!({
                "kubernetes": request.effective.versions.to_string(),
                "definitions": definitions,
                "fromCluster": of_cluster,
                "isKnown": is_known,
            }))
        },
    );
    Ok(found.await?.unwrap_or_default())
}
