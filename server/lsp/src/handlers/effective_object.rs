//! `crd-analyzer/effectiveObject`, of our own: what a server makes of the custom resource at a position.

use std::sync::Arc;

use crd_analyzer_workspace::{
    analysis::{Question, analyze},
    resource::{ChangeKind, annotated},
};
use lsp_types::{Position, TextDocumentIdentifier, TextDocumentPositionParams};
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Result};

use crate::{known::InStep, reading, reading::Reading, session::Session};

/// The name of the request. Its parameters are those of a position; its answer is null where there is no such object, else
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
    let found = reading::read(
        session,
        &at.text_document.uri,
        |_| true,
        "the effective object",
        move |reading| find(reading, reading.offset(at.position)),
    );
    Ok(found.await?.unwrap_or_default())
}

fn find(reading: &Reading, offset: u32) -> Option<Value> {
    let definitions = InStep(&reading.session);
    let path = crate::known::path_of(reading.snapshot.uri.as_str());
    let question = Question {
        path: Some(&path),
        definitions: Some(&definitions),
        ..Question::new(reading.effective.versions)
    };
    let report = analyze(reading.file().text().as_bytes().to_vec(), &question);
    let mut all = report.documents.iter().filter_map(|document| {
        let (version, verdict) = document.verdicts.last()?;
        Some((document, version, verdict.resource.as_deref()?))
    });
    let at = all
        .clone()
        .find(|(document, ..)| document.span.start <= offset && offset <= document.span.end);
    let (document, version, effective) = at.or_else(|| all.next())?;
    let lines = annotated(effective);
    let marks = lines.iter().enumerate().filter_map(|(line, it)| {
        let kind = match it.mark? {
            ChangeKind::Defaulted => "defaulted",
            ChangeKind::Pruned => "dropped",
            ChangeKind::Rewritten => "rewritten",
        };
        Some(json!({ "line": line, "kind": kind }))
    });
    let text: String = lines.iter().flat_map(|it| [it.text.as_str(), "\n"]).collect();
    Some(json!({
        "title": format!("{} {}", document.kind, document.name),
        "kubernetes": version.to_string(),
        "marks": marks.collect::<Vec<_>>(),
        "text": text,
    }))
}
