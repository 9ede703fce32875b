//! `textDocument/codeLens`: what rules cost, above them.

use std::sync::Arc;

use crd_analyzer_ide::lens::{self, Cost};
use lsp_types::{CodeLens, CodeLensParams, Command};
use serde_json::json;
use tower_lsp::jsonrpc::Result;

use crate::{
    capabilities::ADD_BOUNDS,
    reading::{self, Reading},
    session::Session,
};

pub(crate) async fn handle(session: &Arc<Session>, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
    let found = reading::read_costs(
        session,
        &params.text_document.uri,
        |it| it.code_lens,
        |reading| {
            let costs = lens::costs(&reading.snapshot.costs(reading.version()));
            (!costs.is_empty()).then(|| costs.iter().map(|it| convert(reading, it)).collect())
        },
    );
    found.await
}

fn convert(reading: &Reading, cost: &Cost) -> CodeLens {
    let mut title = cost.title.clone();
    let mut command = Command::default();
    if let Some(remedy) = &cost.remedy {
        title = format!("{title} · {remedy}");
        // A click writes the bounds, where the client lets it.
        if reading.client().applies_edits {
            ADD_BOUNDS.clone_into(&mut command.command);
            let place = json!({
                "uri": reading.snapshot.uri,
                "version": reading.snapshot.version,
                "start": cost.span.start,
                "end": cost.span.end,
            });
            command.arguments = Some(vec![place]);
        }
    }
    CodeLens {
        range: reading.range(cost.span),
        command: Some(Command { title, ..command }),
        data: None,
    }
}
