//! `textDocument/inlayHint`: for clients without lenses, the cost of each rule and the number of objects that fail a constraint, at the end of its
//! first line. In a test file that tries a rule, the results.

use std::sync::Arc;

use crd_analyzer_ide::lens;
use crd_analyzer_suite as suite;
use crd_analyzer_syntax::tree::Span;
use lsp_types::{InlayHint, InlayHintLabel, InlayHintParams, InlayHintTooltip};
use tower_lsp::jsonrpc::Result;

use super::{code_lens, sample, tests};
use crate::{
    display_text, limits,
    request_context::{self, RequestContext},
    session::Session,
};

pub(crate) async fn handle(session: &Arc<Session>, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
    let asked = params.range;
    let results = request_context::read(
        session,
        &params.text_document.uri,
        |it| it.inlay_hints,
        "the results of a rule",
        move |request| {
            // Most files are not test files.
            let path = request.snapshot.path().filter(|it| suite::may_be_suite(it));
            path?;
            let asked = Span::new(request.offset(asked.start), request.offset(asked.end));
            sample::hints(request, asked)
        },
    );
    if let Some(results) = results.await? {
        return Ok(Some(results));
    }
    // Code lenses already show the costs.
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
            let costs = costs
                .iter()
                .map(|it| (it.span.start, it.title.as_str(), it.remedy.as_deref()));
            let tests = tests::told(&request.session, &request.snapshot);
            let tests = tests.iter().map(|it| (it.span.start, it.words.as_str(), None));
            let untested = request.snapshot.failing.untested();
            let untested = untested.iter().map(|it| (it.span.start, it.words, None));
            let failing: Vec<_> = code_lens::told(&request.snapshot, &request.source()).collect();
            let failing = failing.iter().map(|it| (it.0.span.start, it.1.as_str(), None));
            let hints = failing
                .chain(costs)
                .chain(tests)
                .chain(untested)
                .map(|(at, title, tooltip)| (line_end(request, at), title, tooltip));
            let hints = hints
                .filter(|it| (asked.start..=asked.end).contains(&it.0))
                .take(limits::ANSWERS);
            let hints: Vec<_> = hints.map(|it| convert(request, it)).collect();
            (!hints.is_empty()).then_some(hints)
        },
    );
    found.await
}

/// The end of the line that contains a byte offset.
fn line_end(request: &RequestContext, at: u32) -> u32 {
    let source = request.source();
    source.lines.line_end(source.text, source.lines.line_of(at))
}

fn convert(request: &RequestContext, (at, title, tooltip): (u32, &str, Option<&str>)) -> InlayHint {
    InlayHint {
        position: request.range(Span::new(at, at)).start,
        label: InlayHintLabel::String(display_text::line(title)),
        kind: None,
        text_edits: None,
        tooltip: tooltip.map(display_text::text).map(InlayHintTooltip::String),
        padding_left: Some(true),
        padding_right: None,
        data: None,
    }
}
