//! `textDocument/completion`: what can be written at a place.

use std::sync::Arc;

use crd_analyzer_ide::completion::{Completions, Request, complete};
use crd_analyzer_syntax::{edit, tree::Span};
use lsp_types::{CompletionContext, CompletionList, CompletionParams, CompletionResponse, CompletionTriggerKind};
use serde_json::json;
use tower_lsp::jsonrpc::Result;

use crate::{known::Known, reading, reading::Reading, session::Session};

pub(crate) async fn handle(session: &Arc<Session>, params: CompletionParams) -> Result<Option<CompletionResponse>> {
    let at = params.text_document_position;
    let after_blank = is_after_blank(params.context.as_ref());
    let found = reading::read(
        session,
        &at.text_document.uri,
        |it| it.completion,
        "the search for what can be written",
        move |reading| {
            let offset = reading.offset(at.position);
            // Whoever types blanks before a key has asked for nothing yet.
            if after_blank && !follows_something(reading.file().text(), offset) {
                return None;
            }
            let found = find(reading, offset)?;
            let uri = reading.snapshot.uri.as_str();
            let version = reading.snapshot.version;
            let data = |number| json!([uri, version, offset, number]);
            Some(CompletionList {
                // Only paths go on: all else is filtered by the client.
                is_incomplete: found.is_incomplete,
                items: reading.client().completing.items(&reading.source(), &found, data),
            })
        },
    );
    Ok(found.await?.map(CompletionResponse::List))
}

/// What can be written at a byte.
pub(super) fn find(reading: &Reading, offset: u32) -> Option<Completions> {
    let file = reading.file();
    let document = file.document_at(offset);
    let empty;
    let tree = if let Some(document) = &document {
        document.tree
    } else {
        empty = edit::read(file.text(), Span::new(offset, offset)).tree;
        &empty
    };
    let versions = reading.effective.versions;
    let definitions = Known {
        session: &reading.session,
        near: reading.snapshot.path(),
    };
    complete(&Request {
        tree,
        document: document.as_ref(),
        offset,
        // What is offered is known to all.
        version: versions.iter().next().unwrap_or(versions.newest()),
        snippets: reading.client().completing.snippets,
        definitions: &definitions,
    })
}

/// Whether the client asks because a blank was typed.
fn is_after_blank(context: Option<&CompletionContext>) -> bool {
    context.is_some_and(|it| {
        it.trigger_kind == CompletionTriggerKind::TRIGGER_CHARACTER && it.trigger_character.as_deref() == Some(" ")
    })
}

/// Whether something stands before a byte in its line.
fn follows_something(text: &str, offset: u32) -> bool {
    let before = text.get(..offset as usize).unwrap_or_default();
    let line = before.rsplit(['\n', '\r']).next().unwrap_or_default();
    !line.trim().is_empty()
}
