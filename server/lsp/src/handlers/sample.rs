//! Test files in which a user tries a rule: the results beside the objects and in hovers, the command that opens such a file, and the command that
//! turns an example into a test.

use std::{collections::HashMap, fmt::Write as _, path::Path, sync::Arc};

use crd_analyzer_ide::lens;
use crd_analyzer_io::read;
use crd_analyzer_suite::sample::{Added, CaseResult, path_beside};
use crd_analyzer_syntax::{lines::LineIndex, tree::Span};
use lsp_types::{
    CodeActionOrCommand, CodeLens, Command, CreateFile, DocumentChangeOperation, DocumentChanges, InlayHint,
    InlayHintLabel, MessageType, OneOf, OptionalVersionedTextDocumentIdentifier, Range, ResourceOp, ShowDocumentParams,
    TextDocumentEdit, TextEdit, Uri, WorkspaceEdit,
};
use serde::Deserialize;
use serde_json::json;
use tower_lsp::jsonrpc::{Error, Result};

use crate::{
    display_text,
    documents::Snapshot,
    limits,
    names::{MAKE_TEST, TRY_RULE},
    request_context::RequestContext,
    samples::Sample,
    session::Session,
    tasks, to_proto,
};

/// The argument of a command: the place of a change, a constraint, a rule or a test.
#[derive(Deserialize)]
pub(crate) struct Place {
    pub(crate) uri: Uri,
    pub(crate) range: Range,
}

/// The maximum length of a line of results, in characters.
const WIDTH: usize = 160;
/// The last column at which results are aligned.
const MOST_COLUMN: usize = 60;

/// The results for the objects of a document. `None` if the document does not try a rule. The error tells why the rule cannot be tried, and where.
fn results(request: &RequestContext) -> Option<std::result::Result<Vec<CaseResult>, (Span, String)>> {
    let sample = Sample::read(&request.snapshot)?;
    let trial = request.session.trial(&sample);
    Some(
        trial
            .map(|it| it.results(&sample.suite))
            .map_err(|why| (sample.suite.wanted.span(), why)),
    )
}

/// The results as inlay hints: the API server's answer after the request of a test, and the steps of the rule after the value that it validates.
pub(crate) fn hints(request: &RequestContext, asked: Span) -> Option<Vec<InlayHint>> {
    let results = match results(request)? {
        Ok(results) => results,
        Err((span, why)) => return Some(vec![hint(request, line_of(request, span.start), &why)]),
    };
    let mut hints = Vec::new();
    for result in results {
        let answered = line_of(request, result.request.start);
        hints.push((answered, result.answer.clone()));
        let sites = &result.sites;
        for (n, site) in sites.iter().enumerate() {
            let first = line_of(request, site.span.start);
            let text = &request.source().text[site.span.range()];
            let last = line_of(request, site.span.start + text.trim_end().len() as u32);
            let next = sites.get(n + 1).map(|it| line_of(request, it.span.start));
            let last = next.map_or(last, |next| last.min(next.saturating_sub(1))).max(first);
            // The whole object begins on the line of the answer.
            let first = if first == answered { last.min(first + 1) } else { first };
            hints.extend(column(request, first..=last, &site.lines));
        }
    }
    let is_asked = |line: u32| {
        let end = request.source().lines.line_end(request.source().text, line);
        (asked.start..=asked.end).contains(&end)
    };
    let hints = hints.into_iter().filter(|it| is_asked(it.0)).take(limits::ANSWERS);
    Some(hints.map(|(line, text)| hint(request, line, &text)).collect())
}

/// Assigns the lines of results to lines of the document, aligned in one column. The last line shows all results that remain.
fn column(request: &RequestContext, lines: std::ops::RangeInclusive<u32>, results: &[String]) -> Vec<(u32, String)> {
    let source = request.source();
    let width = |line: u32| {
        let (start, end) = (source.lines.line_start(line), source.lines.line_end(source.text, line));
        source.text[start as usize..end as usize].chars().count()
    };
    let (first, last) = (*lines.start(), *lines.end());
    let room = (last - first + 1) as usize;
    let used = results.len().min(room) as u32;
    let column = (first..first + used)
        .map(width)
        .max()
        .unwrap_or_default()
        .min(MOST_COLUMN);
    let mut placed = Vec::new();
    for (n, line) in (first..first + used).enumerate() {
        let is_last = n + 1 == used as usize;
        let text = if is_last && results.len() > room {
            let rest = results[n..].iter().map(|it| it.trim_start_matches(BRANCHES));
            rest.collect::<Vec<_>>().join(" · ")
        } else {
            results[n].clone()
        };
        let blanks = column.saturating_sub(width(line));
        placed.push((line, format!("{}{text}", " ".repeat(blanks))));
    }
    placed
}

/// The characters that draw branches, see [`crd_analyzer_workspace::eval::steps`].
const BRANCHES: [char; 5] = ['├', '└', '─', '│', ' '];

fn line_of(request: &RequestContext, offset: u32) -> u32 {
    request.source().lines.line_of(offset)
}

fn hint(request: &RequestContext, line: u32, text: &str) -> InlayHint {
    let end = request.source().lines.line_end(request.source().text, line);
    let mut shown: String = text.chars().take(WIDTH).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    InlayHint {
        position: request.range(Span::new(end, end)).start,
        label: InlayHintLabel::String(display_text::line(&shown)),
        kind: None,
        text_edits: None,
        tooltip: None,
        padding_left: Some(true),
        padding_right: None,
        data: None,
    }
}

/// All results for the test at an offset, and the span of the test. `None` if the document does not try a rule, or has no test at the offset.
pub(crate) fn hover(request: &RequestContext, offset: u32) -> Option<(String, Span)> {
    let results = results(request)?.ok()?;
    let is_in = |it: &Span| it.start <= offset && offset <= it.end;
    let mut results = results.into_iter();
    let found = results.find(|it| [&it.name, &it.request, &it.object].into_iter().any(is_in))?;
    let mut text = found.answer;
    for site in found.sites {
        text.push_str("\n\n");
        let place = if site.path.is_empty() { "the object" } else { &site.path };
        let _ = write!(text, "{place}: {}", site.lines.join("\n"));
    }
    Some((text, found.name))
}

/// The lenses of a document in which the user tries a rule. Each turns an example into a test.
pub(crate) fn lenses(request: &RequestContext) -> Vec<CodeLens> {
    let client = request.client();
    if !client.applies_edits {
        return Vec::new();
    }
    let Some(sample) = Sample::read(&request.snapshot) else {
        return Vec::new();
    };
    let places = sample.suite.cases.iter().map(|it| request.range(it.span));
    let lens = |range: Range| CodeLens {
        range,
        command: Some(make_test(&request.snapshot.uri, range)),
        data: None,
    };
    places.map(lens).collect()
}

/// The command that turns the example at a range into a test.
pub(crate) fn make_test(uri: &Uri, range: Range) -> Command {
    Command {
        title: "Make a test of this".to_owned(),
        command: MAKE_TEST.to_owned(),
        arguments: Some(vec![json!({ "uri": uri, "range": range })]),
    }
}

/// The command that tries the rule at a range.
pub(crate) fn try_rule(uri: &Uri, range: Range) -> Command {
    Command {
        title: "Try this rule".to_owned(),
        command: TRY_RULE.to_owned(),
        arguments: Some(vec![json!({ "uri": uri, "range": range })]),
    }
}

/// Whether to offer the commands as code actions, because the client shows no lenses.
pub(crate) fn are_actions(session: &Session) -> bool {
    let (client, features) = (session.client(), session.features());
    client.shows_documents && !(client.code_lens && features.code_lens)
}

/// The commands for the examples and rules that touch a span of a document.
pub(crate) fn actions(session: &Arc<Session>, snapshot: &Snapshot, span: Span) -> Vec<CodeActionOrCommand> {
    let touches = |it: &Span| it.start <= span.end && span.start <= it.end;
    let text = snapshot.content();
    let source = to_proto::Source {
        uri: &snapshot.uri,
        text: &text,
        lines: &LineIndex::new(&text),
        client: session.client(),
    };
    let examples = Sample::read(snapshot).filter(|_| session.client().applies_edits);
    let examples = examples.iter().flat_map(|it| &it.suite.cases).map(|it| it.span);
    let tests = examples
        .filter(touches)
        .map(|it| make_test(&snapshot.uri, to_proto::range(&source, it)));
    let version = session.effective(snapshot).versions.newest();
    let rules = match (snapshot.source(), &session.cache) {
        (_, None) => Vec::new(),
        (Some(_), _) => session.rules_of_made(snapshot, version),
        (None, _) => lens::rules(&snapshot.costs(version)),
    };
    let rules = rules
        .into_iter()
        .filter(touches)
        .map(|it| try_rule(&snapshot.uri, to_proto::range(&source, it)));
    tests.chain(rules).map(CodeActionOrCommand::Command).collect()
}

/// Opens a test file in which the user can try the rule at a place.
pub(crate) async fn open(session: &Arc<Session>, place: Place) -> Result<()> {
    let Some(snapshot) = session.documents.snapshot(&place.uri) else {
        return Err(Error::invalid_params("the document is not open"));
    };
    session.first_look.ended().await;
    let worker = session.clone();
    let found = tasks::answering("the search for examples", move |_| {
        let offset = |it| snapshot.offset(it, worker.client().unit);
        let span = Span::new(offset(place.range.start), offset(place.range.end));
        worker.write_sample(&snapshot, span)
    });
    let found = found.await?;
    show(session, found.map(|path| (path, None)));
    Ok(())
}

/// Adds the example at a place to the test file of its CRD.
pub(crate) async fn add(session: &Arc<Session>, place: Place) -> Result<()> {
    let worker = session.clone();
    let found = tasks::answering("the making of a test", move |_| edit(&worker, &place)).await?;
    let session = session.clone();
    tasks::beside(async move {
        let (path, edit, range) = match found {
            Ok(found) => found,
            Err(why) => return session.remote.show_message(MessageType::INFO, why).await,
        };
        match session.remote.apply_edit(edit).await {
            Ok(answer) if answer.applied => show(&session, Ok((path, Some(range)))),
            Ok(_) => {}
            Err(error) => tracing::warn!("the client did not apply an edit: {error}"),
        }
    });
    Ok(())
}

type Made = (std::path::PathBuf, WorkspaceEdit, Range);

fn edit(session: &Arc<Session>, place: &Place) -> std::result::Result<Made, String> {
    let snapshot = session
        .documents
        .snapshot(&place.uri)
        .ok_or("the document is not open")?;
    let sample = Sample::read(&snapshot).ok_or("the document is not a test file that tries a rule")?;
    let offset = |it| snapshot.offset(it, session.client().unit);
    let span = Span::new(offset(place.range.start), offset(place.range.end));
    let case = sample
        .suite
        .case_at(span)
        .ok_or("crd-analyzer finds no test at this place")?;
    let crd = session
        .tested_file(&sample)
        .ok_or("the CRD is in no file of the workspace")?;
    let name = crd.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let found = session
        .crd_of(&sample.crd, &sample.rule.crd)
        .ok_or("the CRD cannot be read")?;
    let path = path_beside(&crd);
    let is_of_workspace = session.folders().iter().any(|it| path.starts_with(it));
    if !is_of_workspace {
        return Err(format!("{} is not in a workspace folder", path.display()));
    }
    let open = session.documents.at(&path);
    let old: Option<Arc<str>> = match &open {
        Some(open) => Some(open.content()),
        None if read::exists(&path) => {
            let bytes = read::found(&path).map_err(|why| format!("{}: {why}", path.display()))?;
            let text = String::from_utf8(bytes).map_err(|_| format!("{} is not UTF-8", path.display()))?;
            Some(text.into())
        }
        None => None,
    };
    let client = session.client();
    if old.is_none() && !client.creates_files {
        return Err(format!(
            "this editor does not create files for a language server: create an empty file {}",
            path.display()
        ));
    }
    let target = old.as_ref().filter(|it| !it.trim().is_empty());
    let kubernetes = session.version_at(&crd);
    let added = sample.suite.add_to(case, (target, &name), &found, kubernetes)?;
    let uri = open.as_ref().map(|it| it.uri.clone());
    let uri = uri
        .or_else(|| Uri::from_file_path(&path))
        .ok_or("the file has no URI")?;
    let version = open.as_ref().map(|it| it.version);
    let (edit, range) = converted(session, (&uri, version), (old.as_ref(), target.is_some()), &added);
    Ok((path, edit, range))
}

/// The edit of the test file, and the range of the new test's name.
fn converted(
    session: &Session,
    (uri, version): (&Uri, Option<i32>),
    (old, is_continued): (Option<&Arc<str>>, bool),
    added: &Added,
) -> (WorkspaceEdit, Range) {
    let client = session.client();
    let range = |text: &str, span: Span| {
        let source = to_proto::Source {
            uri,
            text,
            lines: &LineIndex::new(text),
            client,
        };
        to_proto::range(&source, span)
    };
    // The name is not selected: editors would scroll to the end of a long one.
    let name = range(&added.text, Span::new(added.name.start, added.name.start));
    let before = old.map_or("", |it| &**it);
    let edit = if is_continued {
        TextEdit::new(range(before, added.edit.span), added.edit.text.clone())
    } else {
        TextEdit::new(range(before, Span::new(0, before.len() as u32)), added.text.to_string())
    };
    if old.is_some() && !client.versioned_edits {
        let changes = Some(HashMap::from([(uri.clone(), vec![edit])]));
        return (
            WorkspaceEdit {
                changes,
                ..WorkspaceEdit::default()
            },
            name,
        );
    }
    let create = CreateFile {
        uri: uri.clone(),
        options: None,
        annotation_id: None,
    };
    let create = old
        .is_none()
        .then_some(DocumentChangeOperation::Op(ResourceOp::Create(create)));
    let edit = DocumentChangeOperation::Edit(TextDocumentEdit {
        text_document: OptionalVersionedTextDocumentIdentifier {
            uri: uri.clone(),
            version,
        },
        edits: vec![OneOf::Left(edit)],
    });
    let changes = create.into_iter().chain([edit]).collect();
    let edit = WorkspaceEdit {
        document_changes: Some(DocumentChanges::Operations(changes)),
        ..WorkspaceEdit::default()
    };
    (edit, name)
}

/// Shows a file, or a message that tells why it cannot be shown.
fn show(session: &Arc<Session>, found: std::result::Result<(std::path::PathBuf, Option<Range>), String>) {
    let session = session.clone();
    tasks::beside(async move {
        let (path, selection) = match found {
            Ok(found) => found,
            Err(why) => return session.remote.show_message(MessageType::INFO, why).await,
        };
        let uri = Uri::from_file_path(&path).filter(|_| session.client().shows_documents);
        let Some(uri) = uri else {
            let message = format!("the file is {}", Path::new(&path).display());
            return session.remote.show_message(MessageType::INFO, message).await;
        };
        let shown = ShowDocumentParams {
            uri,
            external: None,
            take_focus: Some(true),
            selection,
        };
        if let Err(error) = session.remote.show_document(shown).await {
            tracing::warn!("the client did not show a file: {error}");
        }
    });
}
