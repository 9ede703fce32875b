//! `textDocument/inlayHint`: what rules cost, at the end of their first line, for clients that show no lenses.

use std::sync::Arc;

use crd_analyzer_ide::lens::{self, Cost};
use crd_analyzer_syntax::tree::Span;
use lsp_types::{InlayHint, InlayHintLabel, InlayHintParams, InlayHintTooltip};
use tower_lsp::jsonrpc::Result;

use crate::{
    reading::{self, Reading},
    session::Session,
};

pub(crate) async fn handle(session: &Arc<Session>, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
    // What is shown above a rule is not shown in its line as well.
    if session.client().code_lens && session.features().code_lens {
        return Ok(None);
    }
    let found = reading::read_costs(
        session,
        &params.text_document.uri,
        |it| it.inlay_hints,
        move |reading| {
            let asked = Span::new(reading.offset(params.range.start), reading.offset(params.range.end));
            let costs = lens::costs(&reading.snapshot.costs(reading.version()));
            let hints = costs.iter().map(|it| (line_end(reading, it), it));
            let hints = hints.filter(|(at, _)| (asked.start..=asked.end).contains(at));
            let hints: Vec<_> = hints.map(|(at, it)| convert(reading, at, it)).collect();
            (!hints.is_empty()).then_some(hints)
        },
    );
    found.await
}

/// The end of the line that the cost's place begins in.
fn line_end(reading: &Reading, cost: &Cost) -> u32 {
    let text = reading.source().text;
    let start = cost.span.start as usize;
    let end = text.get(start..).and_then(|it| it.find(['\r', '\n']));
    end.map_or(text.len(), |at| start + at) as u32
}

fn convert(reading: &Reading, at: u32, cost: &Cost) -> InlayHint {
    InlayHint {
        position: reading.range(Span::new(at, at)).start,
        label: InlayHintLabel::String(cost.title.clone()),
        kind: None,
        text_edits: None,
        tooltip: cost.remedy.clone().map(InlayHintTooltip::String),
        padding_left: Some(true),
        padding_right: None,
        data: None,
    }
}
