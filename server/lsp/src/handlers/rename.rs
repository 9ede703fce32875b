//! `textDocument/prepareRename` and `textDocument/rename`

use std::{collections::HashMap, sync::Arc};

use crd_analyzer_ide::{
    fixes::TextEdit as Edit,
    rename::{Renaming, of_file, prepare, rename},
};
use crd_analyzer_syntax::lines::LineIndex;
use lsp_types::{
    DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier, PrepareRenameResponse, RenameParams,
    TextDocumentEdit, TextDocumentPositionParams, TextEdit, Uri, WorkspaceEdit,
};
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};

use crate::{
    reading::{self, Reading},
    session::Session,
    to_proto,
};

/// What is named at a place, if it can be renamed.
pub(crate) async fn handle_prepare(
    session: &Arc<Session>,
    at: TextDocumentPositionParams,
) -> Result<Option<PrepareRenameResponse>> {
    let found = reading::read(
        session,
        &at.text_document.uri,
        |it| it.rename,
        "the search for a name",
        move |reading| {
            let (document, offset) = reading.document_at(at.position)?;
            let found = prepare(&document, offset, reading.version()).ok()?;
            Some(PrepareRenameResponse::RangeWithPlaceholder {
                range: reading.range(found.span),
                placeholder: found.name,
            })
        },
    );
    found.await
}

/// The edits of a new name in the definition and in the workspace's resources.
pub(crate) async fn handle(session: &Arc<Session>, params: RenameParams) -> Result<Option<WorkspaceEdit>> {
    let at = params.text_document_position;
    let found = reading::read(
        session,
        &at.text_document.uri,
        |it| it.rename,
        "the search for a name",
        move |reading| {
            let (document, offset) = reading.document_at(at.position)?;
            let new_name = &params.new_name;
            let renaming = rename(
                &document,
                offset,
                new_name,
                reading.version(),
                reading.effective.versions,
            );
            Some(renaming.and_then(|it| everywhere(reading, &it, new_name)))
        },
    );
    match found.await? {
        None => Ok(None),
        Some(Ok(files)) => Ok(Some(workspace_edit(files, session.client().versioned_edits))),
        // The words are for the user: clients show them.
        Some(Err(why)) => Err(Error {
            code: ErrorCode::ServerError(REQUEST_FAILED),
            message: why.into(),
            data: None,
        }),
    }
}

/// `RequestFailed` of the protocol.
const REQUEST_FAILED: i64 = -32803;

/// The edits of a file; the version if it is open.
struct FileEdits {
    uri: Uri,
    version: Option<i32>,
    edits: Vec<TextEdit>,
}

fn everywhere(reading: &Reading, renaming: &Renaming, new_name: &str) -> std::result::Result<Vec<FileEdits>, String> {
    let session = &reading.session;
    let own = &reading.snapshot.uri;
    let mut files = Vec::new();
    // Resources may stand beside their definition.
    let mut edits = renaming.edits.clone();
    edits.extend(of_file(renaming, &reading.file().text().to_shared(), new_name)?);
    edits.sort_by_key(|it| it.span.start);
    files.push(FileEdits {
        uri: own.clone(),
        version: Some(reading.snapshot.version),
        edits: convert(&reading.source(), &edits),
    });
    let kind = renaming.kind.as_ref().map_or("", |it| it.kind.as_str());
    for uri in session.documents.uris() {
        let Some(snapshot) = session.documents.snapshot(&uri).filter(|it| it.uri != *own) else {
            continue;
        };
        let parsed = snapshot.parsed();
        let edits = of_file(renaming, &parsed.file.text().to_shared(), new_name)?;
        if !edits.is_empty() {
            let source = to_proto::Source {
                uri: &uri,
                text: parsed.file.text(),
                lines: &parsed.lines,
                client: session.client(),
            };
            files.push(FileEdits {
                edits: convert(&source, &edits),
                version: Some(snapshot.version),
                uri,
            });
        }
    }
    for path in session.list_files().0 {
        let Some(uri) = Uri::from_file_path(&path).filter(|it| !session.is_open(it)) else {
            continue;
        };
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        // Cheap for most files: what does not name the kind is none of it.
        if !text.contains(kind) {
            continue;
        }
        let text: Arc<str> = text.into();
        let edits = of_file(renaming, &text, new_name)?;
        if !edits.is_empty() {
            let source = to_proto::Source {
                uri: &uri,
                text: &text,
                lines: &LineIndex::new(&text),
                client: session.client(),
            };
            let edits = convert(&source, &edits);
            files.push(FileEdits {
                uri,
                version: None,
                edits,
            });
        }
    }
    Ok(files)
}

fn convert(source: &to_proto::Source<'_>, edits: &[Edit]) -> Vec<TextEdit> {
    let convert = |it: &Edit| TextEdit {
        range: to_proto::range(source, it.span),
        new_text: it.new_text.clone(),
    };
    edits.iter().map(convert).collect()
}

fn workspace_edit(files: Vec<FileEdits>, versioned: bool) -> WorkspaceEdit {
    if versioned {
        let edits = files.into_iter().map(|it| TextDocumentEdit {
            text_document: OptionalVersionedTextDocumentIdentifier {
                uri: it.uri,
                version: it.version,
            },
            edits: it.edits.into_iter().map(OneOf::Left).collect(),
        });
        return WorkspaceEdit {
            document_changes: Some(DocumentChanges::Edits(edits.collect())),
            ..WorkspaceEdit::default()
        };
    }
    let changes: HashMap<_, _> = files.into_iter().map(|it| (it.uri, it.edits)).collect();
    WorkspaceEdit {
        changes: Some(changes),
        ..WorkspaceEdit::default()
    }
}
