//! `workspace/didChangeConfiguration`

use std::sync::Arc;

use lsp_types::{ConfigurationItem, DidChangeConfigurationParams};

use crate::{cluster, names::NAME, session::Session, tasks};

/// Settings come with the notification, or the notification says that they are to be asked for.
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
            // A client without settings for us says null: what came with `initialize` goes on.
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
