//! `workspace/didChangeConfiguration`

use std::sync::Arc;

use lsp_types::{ConfigurationItem, DidChangeConfigurationParams};

use crate::{cluster, names::NAME, session::Session, tasks};

/// The notification contains the settings, or tells the server to request them.
pub(crate) fn handle(session: &Arc<Session>, params: &DidChangeConfigurationParams) {
    if params.settings.is_null() && session.client().answers_configuration {
        return fetch(session);
    }
    session.set_settings(&params.settings);
    session.refresh();
    crate::folders::look_through(session);
    cluster::read(session, false);
}

/// Asks the client for its settings.
pub(crate) fn fetch(session: &Arc<Session>) {
    let session = session.clone();
    tasks::beside(async move {
        let item = ConfigurationItem {
            scope_uri: None,
            section: Some(NAME.to_owned()),
        };
        match session.remote.configuration(vec![item]).await.as_deref() {
            // `null` means that the client has no settings for us: keep those of `initialize`.
            Ok([settings, ..]) if !settings.is_null() => {
                session.set_settings(settings);
                session.refresh();
                crate::folders::look_through(&session);
                cluster::read(&session, false);
            }
            Ok(_) => {}
            Err(error) => tracing::warn!("the client did not send its settings: {error}"),
        }
    });
}
