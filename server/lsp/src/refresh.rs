//! Asks the client to request code lenses and inlay hints again.

use std::sync::Arc;

use crate::{documents::Snapshot, session::Session, tasks, waits};

impl Session {
    /// Asks the client to request the costs of rules again.
    pub(crate) fn refresh_costs(self: &Arc<Self>) {
        let (lenses, hints) = (self.client().refreshes_code_lenses, self.client().refreshes_inlay_hints);
        let session = self.clone();
        if lenses || hints {
            tasks::beside(async move {
                if lenses && let Err(error) = session.remote.code_lens_refresh().await {
                    tracing::warn!("the client did not refresh its lenses: {error}");
                }
                if hints && let Err(error) = session.remote.inlay_hint_refresh().await {
                    tracing::warn!("the client did not refresh its hints: {error}");
                }
            });
        }
    }

    /// Asks the client to request lenses again, after the user has stopped typing.
    pub(crate) fn refresh_lenses_at_rest(self: &Arc<Self>, snapshot: Snapshot) {
        let session = self.clone();
        tasks::beside(async move {
            tokio::time::sleep(waits::LENSES).await;
            if !snapshot.is_stale()
                && let Err(error) = session.remote.code_lens_refresh().await
            {
                tracing::warn!("the client did not refresh its lenses: {error}");
            }
        });
    }
}
