//! `textDocument/foldingRange`

use std::sync::Arc;

use crd_analyzer_ide::folding::{self, FoldedLines};
use crd_analyzer_syntax::lines::LineIndex;
use lsp_types::{FoldingRange, FoldingRangeKind, FoldingRangeParams};
use tower_lsp::jsonrpc::Result;

use crate::{limits, session::Session, tasks};

pub(crate) async fn handle(session: &Arc<Session>, params: FoldingRangeParams) -> Result<Option<Vec<FoldingRange>>> {
    let Some(snapshot) = session.documents.manifest(&params.text_document.uri) else {
        return Ok(None);
    };
    if !session.features().folding {
        return Ok(None);
    }
    let session = session.clone();
    let work = move |_: &tasks::Deadline| {
        if snapshot.is_stale() {
            return Err(tasks::stale());
        }
        let limit = session.client().max_folds.min(limits::ANSWERS);
        let folds = session.trees.ask(&snapshot.uri, String::from(&snapshot.text), |trees| {
            folding::folds(trees.trees(), &LineIndex::new(trees.text()), limit)
        });
        let folds: Vec<_> = folds.into_iter().map(convert).collect();
        Ok((!folds.is_empty()).then_some(folds))
    };
    tasks::answering("the search for folding ranges", work).await?
}

fn convert(fold: FoldedLines) -> FoldingRange {
    FoldingRange {
        start_line: fold.first,
        end_line: fold.last,
        kind: fold.is_comment.then_some(FoldingRangeKind::Comment),
        ..FoldingRange::default()
    }
}
