//! Templates of Helm charts: what a file defines counts in other open templates before it is saved.

use std::sync::Arc;

use crd_analyzer_workspace::roles::is_template;
use lsp_types::Uri;

use crate::{session::Session, tasks, waits};

impl Session {
    /// After a pause in typing, analyzes the other open templates of a chart again if one that defines something has changed.
    pub(crate) fn template_changed(self: &Arc<Self>, uri: &Uri) {
        let Some(snapshot) = self.documents.snapshot(uri) else {
            return;
        };
        let Some(path) = snapshot.path().filter(|it| is_template(it)) else {
            return;
        };
        let session = self.clone();
        tasks::beside(async move {
            tokio::time::sleep(waits::PAUSE).await;
            if !snapshot.is_stale() && snapshot.content().contains("define") {
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
