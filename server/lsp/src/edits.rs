//! Converts edits of documents to the form that the client supports.

use std::collections::HashMap;

use lsp_types::{
    DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier, TextDocumentEdit, TextEdit, Uri, WorkspaceEdit,
};

use crate::{documents::Snapshot, session::Session};

/// The workspace edit for a file, which may be closed. `None` if it changes nothing.
pub(crate) fn edits_of_file(session: &Session, uri: &Uri, edits: Vec<TextEdit>) -> Option<WorkspaceEdit> {
    if edits.is_empty() {
        return None;
    }
    if let Some(open) = session.documents.snapshot(uri) {
        return Some(workspace_edit(&open, session.client().versioned_edits, edits));
    }
    Some(WorkspaceEdit {
        changes: Some(HashMap::from([(uri.clone(), edits)])),
        ..WorkspaceEdit::default()
    })
}

/// A workspace edit of the document. It names the version of the document if the client supports that.
pub(crate) fn workspace_edit(snapshot: &Snapshot, versioned: bool, edits: Vec<TextEdit>) -> WorkspaceEdit {
    let uri = snapshot.uri.clone();
    if versioned {
        let edit = TextDocumentEdit {
            text_document: OptionalVersionedTextDocumentIdentifier {
                uri,
                version: Some(snapshot.version),
            },
            edits: edits.into_iter().map(OneOf::Left).collect(),
        };
        return WorkspaceEdit {
            document_changes: Some(DocumentChanges::Edits(vec![edit])),
            ..WorkspaceEdit::default()
        };
    }
    WorkspaceEdit {
        changes: Some(HashMap::from([(uri, edits)])),
        ..WorkspaceEdit::default()
    }
}
