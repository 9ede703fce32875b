//! `textDocument/selectionRange`: the ranges to which a selection expands.

use std::sync::Arc;

use crd_analyzer_ide::selection;
use crd_analyzer_syntax::{lines::LineIndex, tree::Span};
use lsp_types::{Range, SelectionRange, SelectionRangeParams};
use tower_lsp::jsonrpc::Result;

use crate::{session::Session, tasks, to_proto};

/// The maximum number of positions to answer in one request. A person sets fewer cursors by hand.
const POSITIONS: usize = 500;

pub(crate) async fn handle(
    session: &Arc<Session>,
    params: SelectionRangeParams,
) -> Result<Option<Vec<SelectionRange>>> {
    let Some(snapshot) = session.documents.manifest(&params.text_document.uri) else {
        return Ok(None);
    };
    if !session.features().selection {
        return Ok(None);
    }
    let session = session.clone();
    let work = move |deadline: &tasks::Deadline| {
        if snapshot.is_stale() {
            return Err(tasks::stale());
        }
        let client = session.client();
        let found = session.trees.ask(&snapshot.uri, String::from(&snapshot.text), |trees| {
            let source = to_proto::Source {
                uri: &snapshot.uri,
                text: trees.text(),
                lines: &LineIndex::new(trees.text()),
                client,
            };
            let answer = |position: lsp_types::Position| {
                let offset = source
                    .lines
                    .offset(source.text, position.line, position.character, client.unit);
                let tree = trees.tree_at(offset);
                let spans = tree.map(|it| selection::spans(&it, offset)).unwrap_or_default();
                (!spans.is_empty()).then_some(nested(&source, &spans, position))
            };
            // The answer needs a range for each position, so use the position itself if nothing else fits.
            let asked = params.positions.iter().enumerate();
            let found = asked.map(|(n, it)| {
                (
                    *it,
                    (n < POSITIONS && !deadline.is_over()).then(|| answer(*it)).flatten(),
                )
            });
            let found: Vec<_> = found.collect();
            let any = found.iter().any(|it| it.1.is_some());
            let itself = |position| SelectionRange {
                range: Range::new(position, position),
                parent: None,
            };
            any.then(|| {
                let whole = found.into_iter();
                whole
                    .map(|(position, it)| it.unwrap_or_else(|| itself(position)))
                    .collect()
            })
        });
        Ok(found)
    };
    tasks::answering("the search for selections", work).await?
}

/// Nests the ranges: each range is the child of the one after it. The first must contain the position.
fn nested(source: &to_proto::Source<'_>, spans: &[Span], position: lsp_types::Position) -> SelectionRange {
    let outermost = None;
    let chain = spans.iter().rev().fold(outermost, |parent, &span| {
        Some(Box::new(SelectionRange {
            range: to_proto::range(source, span),
            parent,
        }))
    });
    chain.map_or_else(
        || SelectionRange {
            range: Range::new(position, position),
            parent: None,
        },
        |it| *it,
    )
}
