//! `crd-analyzer/trustGranted`, of our own: the user trusts the workspace from now on.

use std::sync::Arc;

use crate::{cluster, session::Session};

/// The method's name.
pub(crate) const METHOD: &str = "crd-analyzer/trustGranted";

pub(crate) fn handle(session: &Arc<Session>) {
    if session.trust.grant() {
        session.set_reach_of_go();
        session.refresh();
        crate::folders::look_through(session);
        cluster::read(session, false);
    }
}
