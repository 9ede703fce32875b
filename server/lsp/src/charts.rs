//! Helm charts: what a file defines, or says about values, counts in other open templates before it is saved.

use std::sync::Arc;

use crd_analyzer_workspace::{charts::values::is_about_values, roles::is_template};
use lsp_types::Uri;

use crate::{session::Session, tasks, waits};

impl Session {
    /// After a pause in typing, analyzes the other open templates of a chart again if a file that they depend on has changed.
    pub(crate) fn template_changed(self: &Arc<Self>, uri: &Uri) {
        let Some(snapshot) = self.documents.snapshot(uri) else {
            return;
        };
        let Some(path) = snapshot.path().filter(|it| may_decide(it)) else {
            return;
        };
        let session = self.clone();
        tasks::beside(async move {
            tokio::time::sleep(waits::PAUSE).await;
            let is_used = || is_about_values(&path) || snapshot.content().contains("define");
            if !snapshot.is_stale() && is_used() {
                session.analyze_templates_beside(&path);
            }
        });
    }

    /// Analyzes the other open templates of a chart again.
    pub(crate) fn analyze_templates_beside(self: &Arc<Self>, path: &std::path::Path) {
        for uri in self.documents.uris() {
            let Some(other) = self.documents.snapshot(&uri) else {
                continue;
            };
            let is_beside = |it: &std::path::Path| it != path && is_template(it);
            if other.path().is_some_and(|it| is_beside(&it)) && self.effective(&other).charts.has(path) {
                self.analyze_anew(&uri);
            }
        }
    }
}

/// Whether templates of a chart may depend on a file.
pub(crate) fn may_decide(path: &std::path::Path) -> bool {
    is_template(path) || is_about_values(path)
}
