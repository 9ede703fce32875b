//! `initialized`: asks the client to watch files and to say when settings change, if it can, and for its settings.

use std::sync::Arc;

use lsp_types::{
    DidChangeWatchedFilesRegistrationOptions, FileSystemWatcher, GlobPattern, Registration,
    notification::{DidChangeConfiguration, DidChangeWatchedFiles, Notification},
};
use serde_json::json;

use super::did_change_configuration;
use crate::{cluster, names::NAME, session::Session, tasks};

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
                watch("**/*.{yaml,yml,json}".to_owned()),
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
    // The answers come through the reader, which must not wait for them.
    if !registrations.is_empty() {
        let remote = session.remote.clone();
        tasks::beside(async move {
            if let Err(error) = remote.register_capability(registrations).await {
                tracing::warn!("the client watches nothing: {error}");
            }
        });
    }
    crate::folders::look_through(session);
    cluster::read(session, false);
    if client.answers_configuration {
        did_change_configuration::fetch(session);
    }
}
