//! `textDocument/documentHighlight`

use std::sync::Arc;

use crd_analyzer_ide::highlight::highlights;
use lsp_types::{DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams};
use tower_lsp::jsonrpc::Result;

use crate::{reading, session::Session};

pub(crate) async fn handle(
    session: &Arc<Session>,
    params: DocumentHighlightParams,
) -> Result<Option<Vec<DocumentHighlight>>> {
    let at = params.text_document_position_params;
    let found = reading::read(
        session,
        &at.text_document.uri,
        |it| it.highlight,
        "the search for what is meant",
        move |reading| {
            let (document, offset) = reading.document_at(at.position)?;
            let spans = highlights(&document, offset, reading.version());
            let convert = |span| DocumentHighlight {
                range: reading.range(span),
                kind: Some(DocumentHighlightKind::TEXT),
            };
            (!spans.is_empty()).then(|| spans.into_iter().map(convert).collect())
        },
    );
    found.await
}
