//! `textDocument/documentHighlight`

use std::sync::Arc;

use crd_analyzer_ide::highlight::highlights;
use crd_analyzer_syntax::tree::Span;
use lsp_types::{DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams};
use tower_lsp::jsonrpc::Result;

use crate::{
    limits, request_context,
    session::Session,
    source_context::{self, SourceContext},
    to_proto,
};

const WHAT: &str = "the search for the name";

pub(crate) async fn handle(
    session: &Arc<Session>,
    params: DocumentHighlightParams,
) -> Result<Option<Vec<DocumentHighlight>>> {
    let at = params.text_document_position_params;
    if let Some(snapshot) = session.documents.source_file(&at.text_document.uri) {
        let answer = move |request: &SourceContext| {
            let offset = request.snapshot.offset(at.position, request.client().unit);
            let spans = request.ask_made(offset, |it, versions| Some(it.highlights(versions.newest())))?;
            marked(&request.source(), spans)
        };
        return source_context::read(session, snapshot, |it| it.highlight, WHAT, answer).await;
    }
    let found = request_context::read(
        session,
        &at.text_document.uri,
        |it| it.highlight,
        WHAT,
        move |request| {
            let (document, offset) = request.document_at(at.position)?;
            marked(&request.source(), highlights(&document, offset, request.version()))
        },
    );
    found.await
}

/// Converts spans to highlights. `None` if `spans` is empty.
fn marked(source: &to_proto::Source<'_>, spans: Vec<Span>) -> Option<Vec<DocumentHighlight>> {
    let convert = |span| DocumentHighlight {
        range: to_proto::range(source, span),
        kind: Some(DocumentHighlightKind::TEXT),
    };
    (!spans.is_empty()).then(|| spans.into_iter().take(limits::ANSWERS).map(convert).collect())
}
