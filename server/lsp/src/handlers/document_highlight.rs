//! `textDocument/documentHighlight`

use std::sync::Arc;

use crd_analyzer_ide::highlight::highlights;
use lsp_types::{DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams};
use tower_lsp::jsonrpc::Result;

use crate::{limits, request_context, session::Session};

pub(crate) async fn handle(
    session: &Arc<Session>,
    params: DocumentHighlightParams,
) -> Result<Option<Vec<DocumentHighlight>>> {
    let at = params.text_document_position_params;
    let found = request_context::read(
        session,
        &at.text_document.uri,
        |it| it.highlight,
        "the search for the name",
        move |request| {
            let (document, offset) = request.document_at(at.position)?;
            let spans = highlights(&document, offset, request.version());
            let convert = |span| DocumentHighlight {
                range: request.range(span),
                kind: Some(DocumentHighlightKind::TEXT),
            };
            (!spans.is_empty()).then(|| spans.into_iter().take(limits::ANSWERS).map(convert).collect())
        },
    );
    found.await
}
