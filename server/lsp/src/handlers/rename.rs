//! `textDocument/prepareRename` and `textDocument/rename`

use std::{collections::HashMap, sync::Arc};

use crd_analyzer_ide::{
    fixes::TextEdit as Edit,
    rename::{Renaming, of_file, prepare, rename},
};
use crd_analyzer_io::read;
use lsp_types::{
    DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier, PrepareRenameResponse, RenameParams,
    TextDocumentEdit, TextDocumentPositionParams, TextEdit, Uri, WorkspaceEdit,
};
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};

use crate::{
    request_context::{self, RequestContext},
    session::Session,
    tasks::REQUEST_FAILED,
    to_proto,
    versions::Parsed,
};

/// What is named at a place, if it can be renamed.
pub(crate) async fn handle_prepare(
    session: &Arc<Session>,
    at: TextDocumentPositionParams,
) -> Result<Option<PrepareRenameResponse>> {
    let found = request_context::read(
        session,
        &at.text_document.uri,
        |it| it.rename,
        "the search for a name",
        move |request| {
            let (document, offset) = request.document_at(at.position)?;
            let found = prepare(&document, offset, request.version()).ok()?;
            Some(PrepareRenameResponse::RangeWithPlaceholder {
                range: request.range(found.span),
                placeholder: found.name,
            })
        },
    );
    found.await
}

/// The edits of a new name in the CRD and in the workspace's resources.
pub(crate) async fn handle(session: &Arc<Session>, params: RenameParams) -> Result<Option<WorkspaceEdit>> {
    let at = params.text_document_position;
    let found = request_context::read(
        session,
        &at.text_document.uri,
        |it| it.rename,
        "the search for a name",
        move |request| {
            let (document, offset) = request.document_at(at.position)?;
            let new_name = &params.new_name;
            let renaming = rename(
                &document,
                offset,
                new_name,
                request.version(),
                request.effective.versions,
            );
            Some(renaming.and_then(|it| everywhere(request, &it, new_name)))
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

/// The edits of a file; the version if it is open.
struct FileEdits {
    uri: Uri,
    version: Option<i32>,
    edits: Vec<TextEdit>,
}

fn everywhere(
    request: &RequestContext,
    renaming: &Renaming,
    new_name: &str,
) -> std::result::Result<Vec<FileEdits>, String> {
    let session = &request.session;
    let own = &request.snapshot.uri;
    let mut files = Vec::new();
    // Resources may stand beside their CRD.
    let mut edits = renaming.edits.clone();
    edits.extend(of_file(renaming, request.file(), new_name)?);
    edits.sort_by_key(|it| it.span.start);
    files.push(FileEdits {
        uri: own.clone(),
        version: Some(request.snapshot.version),
        edits: convert(&request.source(), &edits),
    });
    let kind = renaming.kind.as_ref().map_or("", |it| it.kind.as_str());
    let too_long = || "looking for the name in all files takes too long: nothing was renamed".to_owned();
    for uri in session.documents.uris() {
        if request.deadline.is_over() {
            return Err(too_long());
        }
        let Some(snapshot) = session.documents.snapshot(&uri).filter(|it| it.uri != *own) else {
            continue;
        };
        let parsed = snapshot.parsed_for_now();
        let edits = of_file(renaming, &parsed.file, new_name)?;
        let version = Some(snapshot.version);
        files.extend(edits_of(session, uri, version, &parsed, &edits));
    }
    for path in session.list_files().0 {
        if request.deadline.is_over() {
            return Err(too_long());
        }
        let Some(uri) = Uri::from_file_path(&path).filter(|it| !session.is_open(it)) else {
            continue;
        };
        let Some(text) = read::found(&path).ok().and_then(|it| String::from_utf8(it).ok()) else {
            continue;
        };
        // Cheap for most files: what does not name the kind is none of it.
        if !text.contains(kind) {
            continue;
        }
        let parsed = Parsed::of(text);
        let edits = of_file(renaming, &parsed.file, new_name)?;
        files.extend(edits_of(session, uri, None, &parsed, &edits));
    }
    Ok(files)
}

fn edits_of(session: &Session, uri: Uri, version: Option<i32>, parsed: &Parsed, edits: &[Edit]) -> Option<FileEdits> {
    if edits.is_empty() {
        return None;
    }
    let source = to_proto::Source {
        uri: &uri,
        text: parsed.file.text(),
        lines: &parsed.lines,
        client: session.client(),
    };
    let edits = convert(&source, edits);
    Some(FileEdits { uri, version, edits })
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
