//! `textDocument/onTypeFormatting`: indents a new line.

use std::sync::Arc;

use crd_analyzer_ide::enter;
use lsp_types::{DocumentOnTypeFormattingParams, TextEdit};
use tower_lsp::jsonrpc::Result;

use crate::{request_context, session::Session};

pub(crate) async fn handle(
    session: &Arc<Session>,
    params: DocumentOnTypeFormattingParams,
) -> Result<Option<Vec<TextEdit>>> {
    let at = params.text_document_position;
    let found = request_context::read(
        session,
        &at.text_document.uri,
        // Clients send this request only if the user has turned it on.
        |_| true,
        "the indentation of the line",
        move |request| {
            let (document, offset) = request.document_at(at.position)?;
            let found = enter::indentation(document.tree, offset)?;
            Some(vec![TextEdit {
                range: request.range(found.span),
                new_text: " ".repeat(found.columns),
            }])
        },
    );
    found.await
}
