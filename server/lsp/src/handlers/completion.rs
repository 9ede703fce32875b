//! `textDocument/completion`: words and values that can be written at a position.

use std::sync::Arc;

use crd_analyzer_ide::{
    chart_values,
    completion::{self, Completions, Request, complete},
};
use crd_analyzer_syntax::{edit, tree::Span};
use crd_analyzer_workspace::filled_in::is_in_action;
use lsp_types::{
    CompletionContext, CompletionList, CompletionParams, CompletionResponse, CompletionTriggerKind, Position, Range,
    Uri,
};
use serde_json::json;
use tower_lsp::jsonrpc::Result;

use crate::{
    completion_items, documents::Snapshot, limits, request_context, request_context::RequestContext, session::Session,
    source_context, tasks, workspace_index::NearbyIndex,
};

pub(crate) async fn handle(session: &Arc<Session>, params: CompletionParams) -> Result<Option<CompletionResponse>> {
    let at = params.text_document_position;
    let typed = trigger(params.context.as_ref()).unwrap_or_default();
    if let Some(snapshot) = session.documents.source_file(&at.text_document.uri) {
        return of_source(session, snapshot, at.position).await;
    }
    let is_triggered = !typed.is_empty();
    crate::folders::know_crds(session, &at.text_document.uri).await;
    let found = request_context::read(
        session,
        &at.text_document.uri,
        |it| it.completion,
        "the search for completions",
        move |request| {
            let offset = request.offset(at.position);
            let text = request.file().text();
            // Spaces at the start of a line do not request a completion.
            if typed == " " && !follows_something(text, offset) {
                return None;
            }
            // In a rule, a space often precedes an operator or ends the line. Without this check, clients that accept the first item would insert it
            // there.
            if typed == " " && request.file_kind().is_none() && ask(request, offset, completion::is_begun_expression) {
                return None;
            }
            // `a.?b` and `a[?0]` can be completed. In `a ? b : c`, the user has not started the value after `?` yet.
            if typed == "?" && !text[..offset as usize].ends_with(".?") && !text[..offset as usize].ends_with("[?") {
                return None;
            }
            let found = find(request, offset).filter(|it| !it.are_written(text));
            let Some(found) = found else {
                return (!is_triggered).then(|| nothing_fits(request, offset)).flatten();
            };
            let uri = request.snapshot.uri.as_str();
            let version = request.snapshot.version;
            let data = |number| json!([uri, version, offset, number]);
            Some(CompletionList {
                // Ask again if a path may continue or a word is already complete. The client filters all other lists itself.
                is_incomplete: found.is_incomplete || found.have_text(),
                items: request.client().completion.items(&request.source(), &found, data),
            })
        },
    );
    let found = match found.await {
        Err(error) if tasks::is_stale(&error) => {
            let of_later_text = nothing_yet(session, &at.text_document.uri, at.position);
            Some(of_later_text.ok_or(error)?)
        }
        found => found?,
    };
    Ok(found.map(CompletionResponse::List))
}

/// The answer for a text that has changed since the request, for clients that offer words of open files after an error: one item that never matches.
/// The client asks again when the user types more.
fn nothing_yet(session: &Session, uri: &Uri, position: Position) -> Option<CompletionList> {
    let client = session.client();
    let snapshot = session
        .documents
        .manifest(uri)
        .filter(|_| client.completion.keeps_words_away)?;
    let (text, offset) = (snapshot.content(), snapshot.offset(position, client.unit) as usize);
    let line = text.get(..offset)?.rsplit(['\n', '\r']).next()?;
    let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
    // If nothing is typed yet, every item matches.
    let start = u32::try_from(indent).ok().filter(|_| indent < line.len())?;
    Some(CompletionList {
        is_incomplete: true,
        items: vec![completion_items::unmatched(Range::new(
            Position::new(position.line, start),
            position,
        ))],
    })
}

/// Completions in a source file: words of its language, or words of the manifest that a string becomes part of.
async fn of_source(
    session: &Arc<Session>,
    snapshot: Snapshot,
    position: Position,
) -> Result<Option<CompletionResponse>> {
    let what = "the search for completions";
    let found = source_context::read(
        session,
        snapshot,
        |it| it.completion,
        what,
        move |request| {
            let client = request.client();
            let offset = request.snapshot.offset(position, client.unit);
            let snippets = client.completion.snippets;
            let of_expression = || {
                request.ask_made(offset, |it, versions| {
                    let oldest = versions.iter().next().unwrap_or(versions.newest());
                    it.complete(oldest, (snippets, client.completion.transforms))
                })
            };
            let language = request.language.as_ref();
            let of_language = language.and_then(|it| it.complete(&request.text, offset, snippets));
            let mut found = of_language.or_else(of_expression)?;
            narrow(&mut found, &request.text, offset);
            let is_wanted = !found.are_written(&request.text);
            let capabilities = client.completion.at_once();
            is_wanted.then(|| CompletionList {
                is_incomplete: found.have_text(),
                items: capabilities.items(&request.source(), &found, |_| serde_json::Value::Null),
            })
        },
    );
    Ok(found.await?.map(CompletionResponse::List))
}

/// If nothing fits, a list with one item that never matches. It is for clients that would otherwise offer words of open files.
fn nothing_fits(request: &RequestContext, offset: u32) -> Option<CompletionList> {
    let text = request.file().text();
    let start = text[..offset as usize].rfind(['\n', '\r']).map_or(0, |it| it + 1);
    let line = &text[start..offset as usize];
    let start = start + line.len() - line.trim_start().len();
    // If nothing is typed yet, every item matches.
    if !request.client().completion.keeps_words_away || start == offset as usize {
        return None;
    }
    let document = request.file_at(offset).document_at(offset)?;
    let known = completion::is_known(document.tree, &definitions(request));
    known.then(|| CompletionList {
        is_incomplete: false,
        items: vec![completion_items::unmatched(
            request.range(Span::new(start as u32, offset)),
        )],
    })
}

/// The CRDs that apply to a document.
pub(super) fn definitions(request: &RequestContext) -> NearbyIndex<'_> {
    NearbyIndex {
        session: &request.session,
        near: request.snapshot.path(),
    }
}

/// If there are too many items for an answer, removes those that do not start with the typed text. The client asks again when the user types more.
fn narrow(found: &mut Completions, text: &str, offset: u32) {
    if found.items.len() <= limits::ANSWERS {
        return;
    }
    let start = found.replace.start.min(offset) as usize;
    let typed = text.get(start..offset as usize).unwrap_or_default();
    let typed = typed.trim_start_matches(['"', '\'']);
    found.is_incomplete = true;
    found.items.retain(|it| it.filter.starts_with(typed));
    found.items.truncate(limits::ANSWERS);
}

/// The completions at a byte offset.
pub(super) fn find(request: &RequestContext, offset: u32) -> Option<Completions> {
    if let Some((chart, path)) = request.chart() {
        let text = request.file().text();
        if let Some(mut found) = chart_values::complete(&chart, &path, text, offset) {
            narrow(&mut found, text, offset);
            return Some(found);
        }
        if is_in_action(text, offset) {
            return None;
        }
    }
    let complete = request
        .file_kind()
        .map_or(complete as fn(&Request<'_>) -> _, |it| it.complete);
    let mut found = ask(request, offset, complete)?;
    narrow(&mut found, request.file().text(), offset);
    Some(found)
}

/// Calls a function with the completion request for a byte offset.
fn ask<T>(request: &RequestContext, offset: u32, question: impl FnOnce(&Request<'_>) -> T) -> T {
    let file = request.file_at(offset);
    let document = file.document_at(offset);
    let empty;
    let tree = if let Some(document) = &document {
        document.tree
    } else {
        empty = edit::read(file.text(), Span::new(offset, offset)).tree;
        &empty
    };
    let versions = request.effective.versions;
    let definitions = definitions(request);
    question(&Request {
        tree,
        document: document.as_ref(),
        offset,
        // Completion only offers a word if all these versions have it, so the choice of the version does not matter.
        version: versions.iter().next().unwrap_or(versions.newest()),
        snippets: request.client().completion.snippets,
        transforms: request.client().completion.transforms,
        definitions: &definitions,
    })
}

/// The trigger character that caused the request.
fn trigger(context: Option<&CompletionContext>) -> Option<String> {
    let is_trigger = |it: &&CompletionContext| it.trigger_kind == CompletionTriggerKind::TRIGGER_CHARACTER;
    context.filter(is_trigger)?.trigger_character.clone()
}

/// Whether there is text before a byte offset on its line.
fn follows_something(text: &str, offset: u32) -> bool {
    let before = text.get(..offset as usize).unwrap_or_default();
    let line = before.rsplit(['\n', '\r']).next().unwrap_or_default();
    !line.trim().is_empty()
}
