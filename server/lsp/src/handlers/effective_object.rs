//! `crd-analyzer/effectiveObject`, an LSP extension: the custom resource at a position as the API server stores it.

use std::{fmt::Write as _, path::Path, sync::Arc};

use crd_analyzer_io::escape;
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_workspace::{
    builds::overlay::Overlays,
    findings::report::DocumentReport,
    judging::analysis::{Around, MOST_FINDINGS, Question, Wants, analyze},
    resource::{ChangeKind, Line, annotated},
};
use lsp_types::{Position, TextDocumentIdentifier, TextDocumentPositionParams};
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Result};

use crate::{
    display_text, request_context, request_context::RequestContext, session::Session, to_proto,
    workspace_index::SyncedIndex,
};

/// The name of the request. Its parameters are a position and, in `overlay`, the name of a build from an earlier answer. The answer is null if the
/// object does not exist, else `{title, kubernetes, text, marks: [{line, kind}], overlay, overlays, places: [{line, location}]}`: the object as YAML,
/// the lines that are `defaulted`, `dropped` or `rewritten`, the name of the shown build and of all builds, and the locations of lines that come from
/// other files.
pub(crate) const METHOD: &str = "crd-analyzer/effectiveObject";

/// The name, in an answer, for the object as it is written, before any build.
const AS_WRITTEN: &str = "as written";

pub(crate) async fn handle(session: &Arc<Session>, params: Value) -> Result<Value> {
    // Without a position, the request is for the first object.
    let at = serde_json::from_value(params.clone()).or_else(|_| {
        serde_json::from_value::<TextDocumentIdentifier>(params["textDocument"].clone()).map(|text_document| {
            TextDocumentPositionParams {
                text_document,
                position: Position::default(),
            }
        })
    });
    let at: TextDocumentPositionParams = at.map_err(|error| Error::invalid_params(error.to_string()))?;
    let overlay = params["overlay"].as_str().map(str::to_owned);
    let found = request_context::read(
        session,
        &at.text_document.uri,
        |_| true,
        "the effective object",
        move |request| find(request, request.offset(at.position), overlay.as_deref()),
    );
    Ok(found.await?.unwrap_or_default())
}

fn find(request: &RequestContext, offset: u32, overlay: Option<&str>) -> Option<Value> {
    let definitions = SyncedIndex(&request.session);
    let path = crate::from_proto::place_of(&request.snapshot.uri);
    let question = Question {
        path: Some(&path),
        around: Around::crds(&definitions),
        wants: Wants {
            most_findings: MOST_FINDINGS,
            ..Wants::default()
        },
        ..Question::new(request.effective.versions)
    };
    let report = analyze(request.file().text().as_bytes().to_vec(), &question);
    let at = report
        .documents
        .iter()
        .find(|document| document.span.start <= offset && offset <= document.span.end);
    let is_read = |it: &&DocumentReport| it.verdicts.last().is_some_and(|it| it.1.resource.is_some());
    let document = at.into_iter().chain(report.documents.iter().filter(is_read)).next()?;
    let built = |overlays: &Overlays| {
        let builds = overlays.builds_of(&path, (document.index, document.item));
        let chosen = match overlay {
            Some(name) => builds.iter().find(|it| it.name == name),
            None => builds.first(),
        };
        let stored = chosen.and_then(|it| Some((it.name.clone(), overlays.stored(it, &question)?)));
        let mut names: Vec<String> = builds.iter().map(|it| it.name.clone()).collect();
        if builds.iter().any(|it| it.is_origin) {
            names.push(AS_WRITTEN.to_owned());
        }
        (names, stored)
    };
    let built = request.session.ask_builds(&path, &request.snapshot.content(), built);
    let (names, stored) = built.unwrap_or_default();
    if let Some((name, stored)) = stored {
        let title = format!("{} {}", stored.kind, stored.name);
        return Some(answer(
            request,
            (&title, stored.kubernetes),
            stored.lines,
            Some((&name, &stored.origin)),
            &names,
        ));
    }
    let document = Some(document)
        .filter(is_read)
        .or_else(|| report.documents.iter().find(is_read))?;
    let (version, verdict) = document.verdicts.last()?;
    let lines = annotated(verdict.resource.as_deref()?);
    let title = format!("{} {}", document.kind, document.name);
    Some(answer(request, (&title, *version), lines, None, &names))
}

/// The answer. `built` is the build of the object, and the file that contains all of it.
fn answer(
    request: &RequestContext,
    (title, kubernetes): (&str, KubernetesVersion),
    mut lines: Vec<Line>,
    built: Option<(&str, &Path)>,
    names: &[String],
) -> Value {
    let left_out = bounded(&mut lines);
    let marks = lines.iter().enumerate().filter_map(|(line, it)| {
        let kind = match it.mark? {
            ChangeKind::Defaulted => "defaulted",
            ChangeKind::Pruned => "dropped",
            ChangeKind::Rewritten => "rewritten",
        };
        Some(json!({ "line": line, "kind": kind }))
    });
    let marks: Vec<_> = marks.collect();
    let folders = request.session.folders();
    let mut places = Vec::new();
    let mut text = String::new();
    for (line, it) in lines.iter().enumerate() {
        text.push_str(&it.text);
        let elsewhere = it
            .decided
            .as_ref()
            .filter(|it| built.is_some_and(|built| *it.file.path != *built.1));
        if let Some(decided) = elsewhere {
            let _ = write!(text, "  # {}", display_text::path(&decided.file.path, &folders));
            let location = to_proto::in_file(&decided.file, decided.origin, request.client());
            places.extend(location.map(|it| json!({ "line": line, "location": it })));
        }
        text.push('\n');
    }
    if left_out > 0 {
        let _ = writeln!(text, "# {left_out} more lines are not shown");
    }
    json!({
        "title": display_text::line(title),
        "kubernetes": kubernetes.to_string(),
        "marks": marks,
        "overlay": built.map(|it| display_text::line(it.0)),
        "overlays": names.iter().map(|it| display_text::line(it)).collect::<Vec<_>>(),
        "places": places,
        // `display_text` must not cut this, because `MAX_BYTES` already limits it.
        "text": escape::text(&text),
    })
}

/// The maximum size of an effective object to show, in bytes. The API server stores at most 3 MB, but defaults may add more.
const MAX_BYTES: usize = 4 << 20;

/// Removes the lines beyond the size limit, and returns their number.
fn bounded(lines: &mut Vec<Line>) -> usize {
    let mut bytes = 0;
    let fits = |it: &Line| {
        bytes += it.text.len() + 1;
        bytes <= MAX_BYTES
    };
    let shown = lines.iter().map(fits).take_while(|it| *it).count();
    lines.split_off(shown).len()
}
