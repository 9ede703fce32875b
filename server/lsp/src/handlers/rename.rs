//! `textDocument/prepareRename` and `textDocument/rename`

use std::{collections::HashMap, path::Path, sync::Arc};

use crd_analyzer_ide::{
    file::File,
    fixes::TextEdit as Edit,
    made::RenamedName,
    rename::{InTests, Renamable, Renaming, Resources, prepare, rename},
};
use crd_analyzer_io::read;
use crd_analyzer_suite::definition::Found;
use crd_analyzer_syntax::lines::LineIndex;
use crd_analyzer_workspace::filled_in::yaml_readings;
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
            let in_string = || request.ask_made(offset, |it, versions| it.prepare_rename(versions.newest()));
            let found = request.prepare_name(offset).or_else(in_string)?;
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
            let offset = request.offset(at.position);
            let document = request.file().document_at(offset)?;
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
            if let Some(found) = request.rename_name(offset, &new_name) {
                return Some(found.and_then(|it| of_name(request.session(), &it, &new_name, &request.deadline)));
            }
            let renaming = request.rename(offset, &new_name)?;
            let own = |it: &Renaming| FileEdits::of(&request.snapshot, &request.source(), &it.edits);
            Some(renaming.and_then(|it| {
                let mut files = vec![own(&it)];
                everywhere(
                    request.session(),
                    &mut files,
                    it.resources.as_ref(),
                    &new_name,
                    &request.deadline,
                )?;
                Ok(files)
            }))
        };
        source_context::read(session, snapshot, |it| it.rename, WHAT, rename).await?
    } else {
        let rename = move |request: &RequestContext| {
            let offset = request.offset(at.position);
            let document = request.file().document_at(offset)?;
            let of = (&request.snapshot, &request.effective);
            if let Some(found) = request.session.rename_in_sources(of, (&document, offset), &new_name) {
                return Some(found.and_then(|it| of_name(&request.session, &it, &new_name, &request.deadline)));
            }
            let found = rename(
                &document,
                offset,
                &new_name,
                request.version(),
                request.effective.versions,
            );
            Some(found.and_then(|it| {
                let mut files = vec![FileEdits::of(&request.snapshot, &request.source(), &it.edits)];
                everywhere(
                    &request.session,
                    &mut files,
                    it.resources.as_ref(),
                    &new_name,
                    &request.deadline,
                )?;
                Ok(files)
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

    /// The edits of a file with this text. `None` if the file has no address.
    fn at(session: &Session, path: &Path, text: &str, edits: &[Edit]) -> Option<Self> {
        let open = session.documents.at(path);
        let uri = open.as_ref().map(|it| it.uri.clone());
        let uri = uri.or_else(|| Uri::from_file_path(path))?;
        let source = to_proto::Source {
            uri: &uri,
            text,
            lines: &LineIndex::new(text),
            client: session.client(),
        };
        let edits = convert(&source, edits);
        let version = open.map(|it| it.version);
        Some(Self { uri, version, edits })
    }
}

/// The edits of all files that rename a name which manifests take over from source files. Tells the user that this breaks the API.
fn of_name(
    session: &Arc<Session>,
    renamed: &RenamedName,
    new_name: &str,
    deadline: &Deadline,
) -> std::result::Result<Vec<FileEdits>, String> {
    let mut files = Vec::new();
    for (file, edits) in &renamed.files {
        let open = session.documents.at(&file.path);
        if open.as_ref().is_some_and(|it| it.content() != file.text) {
            return Err(format!(
                "`{}` has changed in the meantime: try again",
                file.path.display()
            ));
        }
        let edits = FileEdits::at(session, &file.path, &file.text, edits);
        files.push(edits.ok_or("a file has no address")?);
    }
    for resources in &renamed.resources {
        everywhere(session, &mut files, Some(resources), new_name, deadline)?;
    }
    let (old_name, kinds) = (&renamed.old_name, renamed.kinds().join(", "));
    session.warn(format!(
        "Renaming `{old_name}` to `{new_name}` breaks the API of {kinds}: the API server drops `{old_name}` from objects that set it"
    ));
    Ok(files)
}

/// Adds the edits of all resources in the workspace, and of the tests of their CRD.
fn everywhere(
    session: &Arc<Session>,
    files: &mut Vec<FileEdits>,
    resources: Option<&Resources>,
    new_name: &str,
    deadline: &Deadline,
) -> std::result::Result<(), String> {
    let Some(resources) = resources else {
        return Ok(());
    };
    let too_long = || "looking for the name in all files takes too long: nothing was renamed".to_owned();
    for uri in session.documents.uris() {
        if deadline.is_over() {
            return Err(too_long());
        }
        let Some(snapshot) = session.documents.manifest(&uri) else {
            continue;
        };
        let parsed = snapshot.parsed_for_now();
        let edits = of_resources(resources, &parsed.file, new_name)?;
        let version = Some(snapshot.version);
        add(files, edits_of(session, uri, version, &parsed, &edits));
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
        let edits = of_resources(resources, &parsed.file, new_name)?;
        add(files, edits_of(session, uri, None, &parsed, &edits));
    }
    for path in session.test_paths() {
        if deadline.is_over() {
            return Err(too_long());
        }
        add(files, in_tests(session, &path, resources, new_name)?);
    }
    Ok(())
}

/// The edits of the resources in a file. The resources of a template are those of its readings.
fn of_resources(resources: &Resources, file: &File, new_name: &str) -> std::result::Result<Vec<Edit>, String> {
    let text = file.text();
    let readings = yaml_readings(text);
    if readings.is_empty() {
        return resources.of_file(file, new_name);
    }
    let mut edits = Vec::new();
    for reading in readings {
        let file = File::new(reading, Arc::default());
        let is_written = |it: &Edit| file.text()[it.span.range()] == text[it.span.range()];
        edits.extend(resources.of_file(&file, new_name)?.into_iter().filter(is_written));
    }
    edits.sort_by_key(|it| (it.span.start, it.span.end));
    edits.dedup();
    Ok(edits)
}

/// The edits of a test file. `None` if nothing changes there.
fn in_tests(
    session: &Arc<Session>,
    path: &Path,
    resources: &Resources,
    new_name: &str,
) -> std::result::Result<Option<FileEdits>, String> {
    let Some(text) = session.test_text(path).filter(|it| it.contains(resources.name())) else {
        return Ok(None);
    };
    let Ok(suite) = session.suite(path, &text) else {
        return Ok(None);
    };
    let tested = session.tested_crds(path, &suite).unwrap_or_default();
    let is_it = |it: &Found| it.kind() == resources.kind.kind && it.group() == resources.kind.group;
    if !tested.iter().flatten().any(is_it) {
        return Ok(None);
    }
    let written = suite.written();
    let of_tests = InTests {
        tree: suite.tree(),
        objects: &written.objects,
        texts: &written.texts,
        paths: &written.paths,
    };
    let edits = resources.of_tests(of_tests, new_name)?;
    let edits = Some(edits).filter(|it| !it.is_empty());
    Ok(edits.and_then(|it| FileEdits::at(session, path, &text, &it)))
}

/// Adds the edits of a file, which may have others already.
fn add(files: &mut Vec<FileEdits>, new: Option<FileEdits>) {
    let Some(new) = new else { return };
    match files.iter_mut().find(|it| it.uri == new.uri) {
        Some(file) => {
            let others = new.edits.into_iter().filter(|it| !file.edits.contains(it));
            let others: Vec<_> = others.collect();
            file.edits.extend(others);
            file.edits.sort_by_key(|it| (it.range.start, it.range.end));
        }
        None => files.push(new),
    }
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
