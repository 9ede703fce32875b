//! `textDocument/didClose`

use std::sync::Arc;

use lsp_types::DidCloseTextDocumentParams;

use crate::{charts::may_decide, from_proto::path_of, session::Session};

pub(crate) fn handle(session: &Arc<Session>, params: DidCloseTextDocumentParams) {
    if session.documents.close(&params.text_document.uri) {
        session.trees.forget(&params.text_document.uri);
        session.token_lists.forget(&params.text_document.uri);
        let path = path_of(&params.text_document.uri);
        // Changes that were not saved no longer count.
        if let Some(path) = path.as_deref().filter(|it| may_decide(it)) {
            session.analyze_templates_beside(path);
        }
        session.build_soon(path);
        session.unpublish(params.text_document.uri);
        session.sync_soon();
    }
}
