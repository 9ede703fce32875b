//! `textDocument/didClose`

use std::sync::Arc;

use lsp_types::DidCloseTextDocumentParams;

use crate::{from_proto::path_of, session::Session};

pub(crate) fn handle(session: &Arc<Session>, params: DidCloseTextDocumentParams) {
    if session.documents.close(&params.text_document.uri) {
        session.trees.forget(&params.text_document.uri);
        session.token_lists.forget(&params.text_document.uri);
        session.build_soon(path_of(&params.text_document.uri));
        session.unpublish(params.text_document.uri);
        session.sync_soon();
    }
}
