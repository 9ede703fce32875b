//! `textDocument/hover`

use std::sync::Arc;

use crd_analyzer_ide::hover;
use lsp_types::{Hover, HoverContents, HoverParams, MarkupContent, MarkupKind};
use tower_lsp::jsonrpc::Result;

use crate::{crossing, reading, session::Session};

pub(crate) async fn handle(session: &Arc<Session>, params: HoverParams) -> Result<Option<Hover>> {
    let at = params.text_document_position_params;
    let found = reading::read(
        session,
        &at.text_document.uri,
        |it| it.hover,
        "the hover",
        move |reading| {
            let (document, offset) = reading.document_at(at.position)?;
            let found = hover::hover(&document, offset, reading.version())
                .or_else(|| crossing::at(reading, at.position)?.hover())?;
            let contents = if reading.client().hover_markdown {
                MarkupContent {
                    kind: MarkupKind::Markdown,
                    value: found.markdown(),
                }
            } else {
                MarkupContent {
                    kind: MarkupKind::PlainText,
                    value: found.plain(),
                }
            };
            Some(Hover {
                contents: HoverContents::Markup(contents),
                range: Some(reading.range(found.span)),
            })
        },
    );
    found.await
}
