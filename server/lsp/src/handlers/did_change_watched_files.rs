//! `workspace/didChangeWatchedFiles`

use std::sync::Arc;

use lsp_types::DidChangeWatchedFilesParams;

use crate::session::Session;

/// Configurations are read anew for each analysis; it is enough to make those anew.
pub(crate) fn handle(session: &Arc<Session>, params: &DidChangeWatchedFilesParams) {
    if !params.changes.is_empty() {
        session.refresh();
    }
}
