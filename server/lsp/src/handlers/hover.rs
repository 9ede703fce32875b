//! `textDocument/hover`

use std::sync::Arc;

use crd_analyzer_ide::hover;
use lsp_types::{Hover, HoverContents, HoverParams, MarkupContent, MarkupKind};
use tower_lsp::jsonrpc::Result;

use crate::{display_text, navigation, request_context, session::Session};

pub(crate) async fn handle(session: &Arc<Session>, params: HoverParams) -> Result<Option<Hover>> {
    let at = params.text_document_position_params;
    crate::folders::know_definitions(session, &at.text_document.uri).await;
    let found = request_context::read(
        session,
        &at.text_document.uri,
        |it| it.hover,
        "the hover",
        move |request| {
            let (document, offset) = request.document_at(at.position)?;
            let found = if request.is_configuration() {
                hover::configuration_hover(document.tree, offset)?
            } else {
                hover::hover(&document, offset, request.version())
                    .or_else(|| navigation::at(request, at.position)?.hover())?
            };
            let contents = if request.client().hover_markdown {
                MarkupContent {
                    kind: MarkupKind::Markdown,
                    value: display_text::markdown(&found.markdown()),
                }
            } else {
                MarkupContent {
                    kind: MarkupKind::PlainText,
                    value: display_text::text(&found.plain()),
                }
            };
            Some(Hover {
                contents: HoverContents::Markup(contents),
                range: Some(request.range(found.span)),
            })
        },
    );
    found.await
}
