//! `textDocument/codeLens`: what rules cost, above them.

use std::sync::Arc;

use crd_analyzer_ide::lens::{self, Cost};
use lsp_types::{CodeLens, CodeLensParams, Command};
use serde_json::json;
use tower_lsp::jsonrpc::Result;

use crate::{
    display_text, limits,
    names::ADD_BOUNDS,
    request_context::{self, RequestContext},
    session::Session,
};

pub(crate) async fn handle(session: &Arc<Session>, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
    let found = request_context::read_costs(
        session,
        &params.text_document.uri,
        |it| it.code_lens,
        |request| {
            let costs = lens::costs(&request.snapshot.costs(request.version()));
            (!costs.is_empty()).then(|| {
                costs
                    .iter()
                    .take(limits::ANSWERS)
                    .map(|it| convert(request, it))
                    .collect()
            })
        },
    );
    found.await
}

fn convert(request: &RequestContext, cost: &Cost) -> CodeLens {
    let mut title = cost.title.clone();
    let mut command = Command::default();
    if let Some(remedy) = &cost.remedy {
        title = format!("{title} · {remedy}");
        // A click writes the bounds, where the client lets it.
        if request.client().applies_edits {
            ADD_BOUNDS.clone_into(&mut command.command);
            let place = json!({
                "uri": request.snapshot.uri,
                "version": request.snapshot.version,
                "start": cost.span.start,
                "end": cost.span.end,
            });
            command.arguments = Some(vec![place]);
        }
    }
    CodeLens {
        range: request.range(cost.span),
        command: Some(Command {
            title: display_text::line(&title),
            ..command
        }),
        data: None,
    }
}
