//! `textDocument/didChange`

use std::sync::Arc;

use lsp_types::DidChangeTextDocumentParams;

use crate::{from_proto::path_of, session::Session};

pub(crate) fn handle(session: &Arc<Session>, params: DidChangeTextDocumentParams) {
    let document = params.text_document;
    let unit = session.client().unit;
    if session
        .documents
        .change(&document.uri, document.version, params.content_changes, unit)
    {
        session.publish_soon(&document.uri);
        session.template_changed(&document.uri);
        session.sync_soon();
        session.build_soon(path_of(&document.uri));
    } else {
        tracing::debug!("a change of a document that is not open: {}", document.uri.as_str());
    }
}
