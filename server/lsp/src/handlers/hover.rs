//! `textDocument/hover`

use std::sync::Arc;

use crd_analyzer_ide::{
    chart_values,
    hover::{self, Block, Hover as Found},
    markdown,
};
use lsp_types::{Hover, HoverContents, HoverParams, MarkupContent, MarkupKind, Position};
use tower_lsp::jsonrpc::Result;

use super::sample;
use crate::{
    capabilities::Client, changed_by_overlays, display_text, navigation, request_context,
    request_context::RequestContext, session::Session, source_context, to_proto,
};

pub(crate) async fn handle(session: &Arc<Session>, params: HoverParams) -> Result<Option<Hover>> {
    let at = params.text_document_position_params;
    if let Some(snapshot) = session.documents.source_file(&at.text_document.uri) {
        let answer = move |request: &source_context::SourceContext| {
            let offset = request.snapshot.offset(at.position, request.client().unit);
            let of_expression = request.ask_made(offset, |it, versions| it.hover(versions.newest()));
            let language = request.language.as_ref();
            let found = of_expression.or_else(|| language?.hover(&request.text, offset))?;
            Some(Hover {
                contents: contents(request.client(), &found),
                range: Some(to_proto::range(&request.source(), found.span)),
            })
        };
        return source_context::read(session, snapshot, |it| it.hover, "the hover", answer).await;
    }
    crate::folders::know_crds(session, &at.text_document.uri).await;
    let found = request_context::read(
        session,
        &at.text_document.uri,
        |it| it.hover,
        "the hover",
        move |request| {
            if let Some((results, span)) = sample::hover(request, request.offset(at.position)) {
                return Some(Hover {
                    contents: text(request.client(), &results),
                    range: Some(request.range(span)),
                });
            }
            let of_chart = || {
                let (chart, path) = request.chart()?;
                chart_values::hover(&chart, &path, request.file().text(), request.offset(at.position))
            };
            if let Some(found) = of_chart() {
                return Some(hover_of(request, &found));
            }
            let found = of_manifest(request, at.position)?;
            Some(hover_of(request, &found))
        },
    );
    found.await
}

/// The hover at a position of a manifest or a configuration.
fn of_manifest(request: &RequestContext, position: Position) -> Option<Found> {
    let (document, offset) = request.document_at(position)?;
    if let Some(kind) = request.file_kind() {
        return (kind.hover)(document.tree, offset);
    }
    let own = hover::hover(&document, offset, request.version()).or_else(|| navigation::at(request, position)?.hover());
    with_overlays(own, changed_by_overlays::find(request, offset))
}

fn hover_of(request: &RequestContext, found: &Found) -> Hover {
    Hover {
        contents: contents(request.client(), found),
        range: Some(request.range(found.span)),
    }
}

/// A hover with what overlays make of the value. The hover of a field without a schema has only that.
fn with_overlays(own: Option<Found>, overlays: Option<Found>) -> Option<Found> {
    match (own, overlays) {
        (Some(mut own), Some(overlays)) => {
            own.blocks.push(Block::Line);
            own.blocks.extend(overlays.blocks);
            Some(own)
        }
        (own, overlays) => own.or(overlays),
    }
}

/// Hover contents in a format that the client supports.
fn text(client: &Client, text: &str) -> HoverContents {
    let text = display_text::text(text);
    HoverContents::Markup(if client.hover_markdown {
        MarkupContent {
            kind: MarkupKind::Markdown,
            value: markdown::whole_block("text", &text),
        }
    } else {
        MarkupContent {
            kind: MarkupKind::PlainText,
            value: text,
        }
    })
}

/// The content of a hover in the client's format.
fn contents(client: &Client, found: &Found) -> HoverContents {
    HoverContents::Markup(if client.hover_markdown {
        MarkupContent {
            kind: MarkupKind::Markdown,
            value: display_text::markdown(&found.markdown()),
        }
    } else {
        MarkupContent {
            kind: MarkupKind::PlainText,
            value: display_text::text(&found.plain()),
        }
    })
}
