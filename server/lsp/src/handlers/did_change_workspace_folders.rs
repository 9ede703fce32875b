//! `workspace/didChangeWorkspaceFolders`

use std::sync::Arc;

use lsp_types::DidChangeWorkspaceFoldersParams;

use crate::session::Session;

pub(crate) fn handle(session: &Arc<Session>, params: &DidChangeWorkspaceFoldersParams) {
    session.change_folders(&params.event.added, &params.event.removed);
    session.refresh();
    crate::folders::look_through(session);
}
