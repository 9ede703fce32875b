//! `textDocument/prepareRename` and `textDocument/rename`

use std::{collections::HashMap, sync::Arc};

use crd_analyzer_ide::{
    fixes::TextEdit as Edit,
    rename::{Renamable, Renaming, of_file, prepare, rename},
};
use crd_analyzer_io::read;
use lsp_types::{
    DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier, PrepareRenameResponse, RenameParams,
    TextDocumentEdit, TextDocumentPositionParams, TextEdit, Uri, WorkspaceEdit,
};
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};

use crate::{
    documents::Snapshot,
    folders::know_crds,
    request_context::{self, RequestContext},
    session::Session,
    source_context::{self, SourceContext},
    tasks::{Deadline, REQUEST_FAILED},
    to_proto,
    versions::Parsed,
};

/// The name at a position, if it can be renamed.
pub(crate) async fn handle_prepare(
    session: &Arc<Session>,
    at: TextDocumentPositionParams,
) -> Result<Option<PrepareRenameResponse>> {
    let answer = |source: &to_proto::Source<'_>, found: Renamable| PrepareRenameResponse::RangeWithPlaceholder {
        range: to_proto::range(source, found.span),
        placeholder: found.name,
    };
    if let Some(snapshot) = session.documents.source_file(&at.text_document.uri) {
        know_crds(session, &at.text_document.uri).await;
        let prepare = move |request: &SourceContext| {
            let offset = request.snapshot.offset(at.position, request.client().unit);
            let found = request.ask_made(offset, |it, versions| it.prepare_rename(versions.newest()))?;
            Some(answer(&request.source(), found))
        };
        return source_context::read(session, snapshot, |it| it.rename, WHAT, prepare).await;
    }
    let found = request_context::read(
        session,
        &at.text_document.uri,
        |it| it.rename,
        WHAT,
        move |request| {
            let (document, offset) = request.document_at(at.position)?;
            let found = prepare(&document, offset, request.version()).ok()?;
            Some(answer(&request.source(), found))
        },
    );
    found.await
}

const WHAT: &str = "the search for a name";

/// The edits for a new name, in the file and in the workspace's resources.
pub(crate) async fn handle(session: &Arc<Session>, params: RenameParams) -> Result<Option<WorkspaceEdit>> {
    let at = params.text_document_position;
    let new_name = params.new_name;
    let found = if let Some(snapshot) = session.documents.source_file(&at.text_document.uri) {
        know_crds(session, &at.text_document.uri).await;
        let rename = move |request: &SourceContext| {
            let offset = request.snapshot.offset(at.position, request.client().unit);
            let renaming = request.rename(offset, &new_name)?;
            let own = |it: &Renaming| FileEdits::of(&request.snapshot, &request.source(), &it.edits);
            Some(renaming.and_then(|it| everywhere(request.session(), own(&it), &it, &new_name, &request.deadline)))
        };
        source_context::read(session, snapshot, |it| it.rename, WHAT, rename).await?
    } else {
        let rename = move |request: &RequestContext| {
            let (document, offset) = request.document_at(at.position)?;
            let found = rename(
                &document,
                offset,
                &new_name,
                request.version(),
                request.effective.versions,
            );
            Some(found.and_then(|it| {
                // The file may contain resources, too.
                let mut edits = it.edits.clone();
                edits.extend(of_file(&it, request.file(), &new_name)?);
                edits.sort_by_key(|it| it.span.start);
                let own = FileEdits::of(&request.snapshot, &request.source(), &edits);
                everywhere(&request.session, own, &it, &new_name, &request.deadline)
            }))
        };
        request_context::read(session, &at.text_document.uri, |it| it.rename, WHAT, rename).await?
    };
    match found {
        None => Ok(None),
        Some(Ok(files)) => Ok(Some(workspace_edit(files, session.client().versioned_edits))),
        // Clients show this message to the user.
        Some(Err(why)) => Err(Error {
            code: ErrorCode::ServerError(REQUEST_FAILED),
            message: why.into(),
            data: None,
        }),
    }
}

/// The edits of a file, and its version if it is open.
struct FileEdits {
    uri: Uri,
    version: Option<i32>,
    edits: Vec<TextEdit>,
}

impl FileEdits {
    fn of(snapshot: &Snapshot, source: &to_proto::Source<'_>, edits: &[Edit]) -> Self {
        Self {
            uri: snapshot.uri.clone(),
            version: Some(snapshot.version),
            edits: convert(source, edits),
        }
    }
}

/// The edits of all files. `own` has the edits of the file in which the user renames.
fn everywhere(
    session: &Session,
    own: FileEdits,
    renaming: &Renaming,
    new_name: &str,
    deadline: &Deadline,
) -> std::result::Result<Vec<FileEdits>, String> {
    let Some(resources) = &renaming.resources else {
        return Ok(vec![own]);
    };
    let too_long = || "looking for the name in all files takes too long: nothing was renamed".to_owned();
    let own_uri = own.uri.clone();
    let mut files = vec![own];
    for uri in session.documents.uris() {
        if deadline.is_over() {
            return Err(too_long());
        }
        let Some(snapshot) = session.documents.snapshot(&uri).filter(|it| it.uri != own_uri) else {
            continue;
        };
        let parsed = snapshot.parsed_for_now();
        let edits = of_file(renaming, &parsed.file, new_name)?;
        let version = Some(snapshot.version);
        files.extend(edits_of(session, uri, version, &parsed, &edits));
    }
    for path in session.list_files().0 {
        if deadline.is_over() {
            return Err(too_long());
        }
        let Some(uri) = Uri::from_file_path(&path).filter(|it| !session.is_open(it)) else {
            continue;
        };
        let Some(text) = read::found(&path).ok().and_then(|it| String::from_utf8(it).ok()) else {
            continue;
        };
        // Skips most files quickly: those that do not contain the name of the kind.
        if !text.contains(&resources.kind.kind) {
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
