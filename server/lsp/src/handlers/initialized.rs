//! `initialized`: requests the client's settings, and registers for changes of files and settings.

use std::sync::Arc;

use crd_analyzer_io::api_types;
use crd_analyzer_workspace::index::lock;
use lsp_types::{
    CodeActionKind, DidChangeWatchedFilesRegistrationOptions, FileSystemWatcher, GlobPattern, Registration,
    TextDocumentSyncKind,
    notification::{
        DidChangeConfiguration, DidChangeTextDocument, DidChangeWatchedFiles, DidCloseTextDocument,
        DidOpenTextDocument, Notification,
    },
    request::{
        CodeActionRequest, CodeLensRequest, Completion, DocumentDiagnosticRequest, DocumentHighlightRequest,
        HoverRequest, Rename, Request, SignatureHelpRequest,
    },
};
use serde_json::json;

use super::{code_action, did_change_configuration};
use crate::{capabilities::Client, cluster, names::NAME, session::Session, tasks, unwatched};

pub(crate) fn handle(session: &Arc<Session>) {
    let client = session.client();
    let mut registrations = Vec::new();
    if client.registers_watchers {
        let watch = |pattern: String| FileSystemWatcher {
            glob_pattern: GlobPattern::String(pattern),
            kind: None,
        };
        let options = DidChangeWatchedFilesRegistrationOptions {
            watchers: vec![
                watch(format!(
                    "**/{{{}}}",
                    crd_analyzer_workspace::config::FILE_NAMES.join(",")
                )),
                watch("**/*.{yaml,yml,json,tpl}".to_owned()),
                watch(format!("**/{}/{}", lock::FOLDER, lock::FILE_NAME)),
                watch("**/Kustomization".to_owned()),
                watch("**/{*.go,go.mod}".to_owned()),
            ],
        };
        registrations.push(Registration {
            id: DidChangeWatchedFiles::METHOD.to_owned(),
            method: DidChangeWatchedFiles::METHOD.to_owned(),
            register_options: serde_json::to_value(options).ok(),
        });
    }
    if client.registers_configuration {
        registrations.push(Registration {
            id: DidChangeConfiguration::METHOD.to_owned(),
            method: DidChangeConfiguration::METHOD.to_owned(),
            register_options: Some(json!({ "section": NAME })),
        });
    }
    let folders = client.registers_documents.then(|| session.folders());
    let of_go = go_documents(client);
    let remote = session.remote.clone();
    // The task that reads messages also delivers the answers, so it must not wait for them or for the scan of the folders.
    tasks::beside(async move {
        let has_types = move || folders.is_some_and(|it| it.iter().any(|it| api_types::are_in(it)));
        if tasks::blocking("the search for Go types", has_types)
            .await
            .unwrap_or_default()
        {
            registrations.extend(of_go);
        }
        if registrations.is_empty() {
            return;
        }
        if let Err(error) = remote.register_capability(registrations).await {
            tracing::warn!("the client does not watch files: {error}");
        }
    });
    crate::folders::look_through(session);
    unwatched::look(session);
    cluster::read(session, false);
    if client.answers_configuration {
        did_change_configuration::fetch(session);
    }
}

/// Trigger characters: those in a marker after which names, arguments or values can follow, and those in its CEL expressions.
const TRIGGERS: [&str; 5] = ["+", ":", "=", ",", "."];

/// Registers for Go files, but only for features that concern markers. The Go language server provides the others.
fn go_documents(client: &Client) -> Vec<Registration> {
    let of_go = |options: serde_json::Value| {
        let mut all = json!({ "documentSelector": [{ "language": "go", "scheme": "file" }] });
        if let (Some(all), serde_json::Value::Object(options)) = (all.as_object_mut(), options) {
            all.extend(options);
        }
        all
    };
    let registration = |method: &str, options: serde_json::Value| Registration {
        id: format!("{NAME}/go/{method}"),
        method: method.to_owned(),
        register_options: Some(of_go(options)),
    };
    let mut all = vec![
        registration(DidOpenTextDocument::METHOD, json!({})),
        registration(
            DidChangeTextDocument::METHOD,
            json!({ "syncKind": TextDocumentSyncKind::INCREMENTAL }),
        ),
        registration(DidCloseTextDocument::METHOD, json!({})),
    ];
    if client.pulls_diagnostics {
        let options = json!({ "identifier": NAME, "interFileDependencies": false, "workspaceDiagnostics": false });
        all.push(registration(DocumentDiagnosticRequest::METHOD, options));
    }
    if client.registers_completion {
        let options = json!({
            "triggerCharacters": TRIGGERS,
            "resolveProvider": false,
            "completionItem": { "labelDetailsSupport": true },
        });
        all.push(registration(Completion::METHOD, options));
    }
    if client.registers_hover {
        all.push(registration(HoverRequest::METHOD, json!({})));
    }
    if client.registers_signatures {
        let options = json!({ "triggerCharacters": ["(", ","] });
        all.push(registration(SignatureHelpRequest::METHOD, options));
    }
    if client.registers_highlights {
        all.push(registration(DocumentHighlightRequest::METHOD, json!({})));
    }
    // Without `prepareRename`, the client would never ask the Go language server about names that crd-analyzer cannot rename.
    if client.registers_rename && client.prepares_rename {
        all.push(registration(Rename::METHOD, json!({ "prepareProvider": true })));
    }
    if client.registers_lenses {
        all.push(registration(
            CodeLensRequest::METHOD,
            json!({ "resolveProvider": false }),
        ));
    }
    if client.registers_actions && client.code_actions {
        let kinds = [CodeActionKind::QUICKFIX, code_action::fix_all()];
        all.push(registration(
            CodeActionRequest::METHOD,
            json!({ "codeActionKinds": kinds, "resolveProvider": false }),
        ));
    }
    all
}
