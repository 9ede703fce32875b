//! `textDocument/inlayHint`: what rules cost, at the end of their first line, for clients that show no lenses.

use std::sync::Arc;

use crd_analyzer_ide::lens::{self, Cost};
use crd_analyzer_syntax::tree::Span;
use lsp_types::{InlayHint, InlayHintLabel, InlayHintParams, InlayHintTooltip};
use tower_lsp::jsonrpc::Result;

use crate::{
    display_text, limits,
    request_context::{self, RequestContext},
    session::Session,
};

pub(crate) async fn handle(session: &Arc<Session>, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
    // What is shown above a rule is not shown in its line as well.
    if session.client().code_lens && session.features().code_lens {
        return Ok(None);
    }
    let found = request_context::read_costs(
        session,
        &params.text_document.uri,
        |it| it.inlay_hints,
        move |request| {
            let asked = Span::new(request.offset(params.range.start), request.offset(params.range.end));
            let costs = lens::costs(&request.snapshot.costs(request.version()));
            let hints = costs.iter().map(|it| (line_end(request, it), it));
            let hints = hints
                .filter(|(at, _)| (asked.start..=asked.end).contains(at))
                .take(limits::ANSWERS);
            let hints: Vec<_> = hints.map(|(at, it)| convert(request, at, it)).collect();
            (!hints.is_empty()).then_some(hints)
        },
    );
    found.await
}

/// The end of the line that the cost's place begins in.
fn line_end(request: &RequestContext, cost: &Cost) -> u32 {
    let source = request.source();
    source
        .lines
        .line_end(source.text, source.lines.line_of(cost.span.start))
}

fn convert(request: &RequestContext, at: u32, cost: &Cost) -> InlayHint {
    InlayHint {
        position: request.range(Span::new(at, at)).start,
        label: InlayHintLabel::String(display_text::line(&cost.title)),
        kind: None,
        text_edits: None,
        tooltip: cost
            .remedy
            .as_deref()
            .map(display_text::text)
            .map(InlayHintTooltip::String),
        padding_left: Some(true),
        padding_right: None,
        data: None,
    }
}
