//! `crd-analyzer/effectiveObject`, of our own: what a server makes of the custom resource at a position.

use std::{fmt::Write as _, sync::Arc};

use crd_analyzer_io::escape;
use crd_analyzer_workspace::{
    judging::analysis::{MOST_FINDINGS, Question, analyze},
    resource::{ChangeKind, Line, annotated},
};
use lsp_types::{Position, TextDocumentIdentifier, TextDocumentPositionParams};
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Result};

use crate::{
    display_text, request_context, request_context::RequestContext, session::Session, workspace_index::SyncedIndex,
};

/// The name of the request. Its parameters are those of a position; its answer is null where that object does not exist, else
/// `{title, kubernetes, text, marks: [{line, kind}]}`: the object as YAML, and which lines were `defaulted`, `dropped` or `rewritten`.
pub(crate) const METHOD: &str = "crd-analyzer/effectiveObject";

pub(crate) async fn handle(session: &Arc<Session>, params: Value) -> Result<Value> {
    // Editors send a position or none, which means the first object.
    let at = serde_json::from_value(params.clone()).or_else(|_| {
        serde_json::from_value::<TextDocumentIdentifier>(params["textDocument"].clone()).map(|text_document| {
            TextDocumentPositionParams {
                text_document,
                position: Position::default(),
            }
        })
    });
    let at: TextDocumentPositionParams = at.map_err(|error| Error::invalid_params(error.to_string()))?;
    let found = request_context::read(
        session,
        &at.text_document.uri,
        |_| true,
        "the effective object",
        move |request| find(request, request.offset(at.position)),
    );
    Ok(found.await?.unwrap_or_default())
}

fn find(request: &RequestContext, offset: u32) -> Option<Value> {
    let definitions = SyncedIndex(&request.session);
    let path = crate::from_proto::place_of(&request.snapshot.uri);
    let question = Question {
        path: Some(&path),
        definitions: Some(&definitions),
        most_findings: MOST_FINDINGS,
        ..Question::new(request.effective.versions)
    };
    let report = analyze(request.file().text().as_bytes().to_vec(), &question);
    let mut all = report.documents.iter().filter_map(|document| {
        let (version, verdict) = document.verdicts.last()?;
        Some((document, version, verdict.resource.as_deref()?))
    });
    let at = all
        .clone()
        .find(|(document, ..)| document.span.start <= offset && offset <= document.span.end);
    let (document, version, effective) = at.or_else(|| all.next())?;
    let mut lines = annotated(effective);
    let left_out = bounded(&mut lines);
    let marks = lines.iter().enumerate().filter_map(|(line, it)| {
        let kind = match it.mark? {
            ChangeKind::Defaulted => "defaulted",
            ChangeKind::Pruned => "dropped",
            ChangeKind::Rewritten => "rewritten",
        };
        Some(json!({ "line": line, "kind": kind }))
    });
    let mut text: String = lines.iter().flat_map(|it| [it.text.as_str(), "\n"]).collect();
    if left_out > 0 {
        let _ = writeln!(text, "# {left_out} more lines are not shown");
    }
    Some(json!({
        "title": display_text::line(&format!("{} {}", document.kind, document.name)),
        "kubernetes": version.to_string(),
        "marks": marks.collect::<Vec<_>>(),
        // Not cut: there is a limit of its own.
        "text": escape::text(&text),
    }))
}

/// Bytes of an effective object that are shown: a server takes no object over 3 MB, but fills in what may be more.
const MAX_BYTES: usize = 4 << 20;

/// Takes the lines away that are too much, and returns how many those are.
fn bounded(lines: &mut Vec<Line>) -> usize {
    let mut bytes = 0;
    let fits = |it: &Line| {
        bytes += it.text.len() + 1;
        bytes <= MAX_BYTES
    };
    let shown = lines.iter().map(fits).take_while(|it| *it).count();
    lines.split_off(shown).len()
}
