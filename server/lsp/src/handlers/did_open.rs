//! `textDocument/didOpen`

use std::sync::Arc;

use lsp_types::DidOpenTextDocumentParams;

use crate::{from_proto::path_of, session::Session};

pub(crate) fn handle(session: &Arc<Session>, params: DidOpenTextDocumentParams) {
    let uri = params.text_document.uri.clone();
    session.documents.open(params.text_document, session.client().unit);
    session.publish_soon(&uri);
    session.sync_soon();
    session.build_soon(path_of(&uri));
}
