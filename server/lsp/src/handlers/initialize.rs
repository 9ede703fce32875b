//! `initialize`: the client's capabilities, workspace folders and settings.

use std::sync::Arc;

use lsp_types::{InitializeParams, InitializeResult, ServerInfo, TraceValue, WorkspaceFolder};

use crate::{capabilities::Client, names::NAME, server_capabilities::server_capabilities, session::Session};

pub(crate) fn handle(session: &Arc<Session>, params: InitializeParams) -> InitializeResult {
    let mut client = Client::new(&params.capabilities, session.cache.as_deref());
    if let Some(options) = &params.initialization_options {
        client.read(options);
    }
    let client = session.set_client(client);
    #[allow(deprecated, reason = "older clients send only the one root")]
    let root = params.root_uri;
    let folders = params.workspace_folders.filter(|it| !it.is_empty()).unwrap_or_else(|| {
        let only = root.map(|uri| WorkspaceFolder {
            uri,
            name: String::new(),
        });
        only.into_iter().collect()
    });
    if let Some(options) = &params.initialization_options {
        session.trust.read(options);
    }
    session.change_folders(&folders, &[]);
    if let Some(options) = params.initialization_options {
        session.set_settings(&options);
    }
    session.set_trace(params.trace.is_some_and(|it| it != TraceValue::Off));
    InitializeResult {
        capabilities: server_capabilities(client, session.features().workspace_diagnostics),
        server_info: Some(ServerInfo {
            name: NAME.to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }),
        offset_encoding: None,
    }
}
