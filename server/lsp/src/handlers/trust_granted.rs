//! `crd-analyzer/trustGranted`, an LSP extension: the user now trusts the workspace.

use std::sync::Arc;

use crate::{cluster, session::Session};

/// The name of the method.
pub(crate) const METHOD: &str = "crd-analyzer/trustGranted";

pub(crate) fn handle(session: &Arc<Session>) {
    if session.trust.grant() {
        session.set_reach_of_go();
        session.refresh();
        crate::folders::look_through(session);
        cluster::read(session, false);
    }
}
