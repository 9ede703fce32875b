//! `textDocument/didSave`

use std::sync::Arc;

use crd_analyzer_workspace::config::is_config;
use lsp_types::DidSaveTextDocumentParams;

use crate::{from_proto::path_of, session::Session};

/// Applies a saved configuration at once, even if the client does not watch files.
pub(crate) fn handle(session: &Arc<Session>, params: &DidSaveTextDocumentParams) {
    let path = path_of(&params.text_document.uri);
    if path.is_some_and(|it| is_config(&it)) {
        session.refresh();
        crate::folders::look_through(session);
    }
}
