//! The part of an analysis that waits until the user pauses: hazards of rules, and the effects of changes since a revision.

use std::sync::Arc;

use crd_analyzer_workspace::{
    comparison::revision::Revision,
    comparison::since_revision::{Comparison, KnownChanges},
};

use crate::{
    analysis::Analysis, documents::Snapshot, session::Session, settings::Effective, since_revision::SinceRevision,
    tasks, waits,
};

impl Session {
    /// The revision and the options for comparing a version. If there is nothing to compare with, drops the changes that were known.
    pub(crate) fn comparison(
        self: &Arc<Self>,
        snapshot: &Snapshot,
        effective: &Effective,
        replaces: Option<&Arc<Revision>>,
    ) -> Option<(Arc<Revision>, Comparison)> {
        // Source files are compared by the manifests that are generated from them.
        if snapshot.source().is_some() {
            return None;
        }
        let policy = self.settings().compat_policy.filter(|_| !effective.is_excluded);
        let replaces = replaces.filter(|it| !it.is(&snapshot.content()));
        let found = replaces.zip(policy).map(|(revision, policy)| {
            let kubernetes = effective.versions.newest();
            (revision.clone(), Comparison { kubernetes, policy })
        });
        if found.is_none() && !snapshot.changes.known.is_empty() {
            self.set_changes(snapshot, SinceRevision::default());
        }
        found
    }

    /// Stores the changes of a version since a revision, and refreshes the code lenses that show them.
    pub(crate) fn set_changes(self: &Arc<Self>, snapshot: &Snapshot, changes: SinceRevision) -> bool {
        let are_others = !changes.known.versions().eq(snapshot.changes.known.versions());
        let is_current = self.documents.set_changes(snapshot, changes);
        if is_current && are_others && self.client().refreshes_code_lenses {
            if snapshot.is_typed() {
                self.refresh_lenses_at_rest(snapshot.clone());
            } else {
                self.refresh_costs();
            }
        }
        is_current
    }

    /// After a pause in typing, searches for hazards, then compares with a revision, and shows the results. Errors and warnings are already shown by
    /// then.
    pub(crate) fn look_further(self: &Arc<Self>, snapshot: Snapshot, comparison: Option<(Arc<Revision>, Comparison)>) {
        let session = self.clone();
        tasks::beside(async move {
            tokio::time::sleep(waits::PAUSE).await;
            let _only = session.searching.lock().await;
            session.look_for_hazards(&snapshot).await;
            if let Some((revision, by)) = comparison {
                session.compare(&snapshot, revision, by).await;
            }
        });
    }

    async fn look_for_hazards(self: &Arc<Self>, snapshot: &Snapshot) {
        let Some(now) = self.newest(snapshot) else {
            return;
        };
        let Ok(before) = self.analysis(&now).await else {
            return;
        };
        if !before.is_unfinished() {
            return;
        }
        let (searcher, searched) = (self.clone(), snapshot.clone());
        let search = move || before.with_hazards(&searched.uri, searcher.client(), &searcher.hazards, &searcher.go);
        let Ok(Some(after)) = tasks::judging("the search for hazards", search).await else {
            return;
        };
        self.show_fuller(snapshot, after);
    }

    /// Compares a version with a revision. The next edit cancels the comparison.
    async fn compare(self: &Arc<Self>, snapshot: &Snapshot, revision: Arc<Revision>, by: Comparison) {
        let Some(now) = self.newest(snapshot) else {
            return;
        };
        let (before, compared, against) = (now.changes.clone(), snapshot.clone(), revision.clone());
        let compare = move || {
            if before.is_of(compared.edition, &against, by) {
                return Some(before.known.clone());
            }
            let goes_on = || !compared.is_stale();
            KnownChanges::find(&compared.content(), &against, by, &before.known, &goes_on)
        };
        let Ok(Some(known)) = tasks::judging("the comparison with a revision", compare).await else {
            return;
        };
        let changes = SinceRevision::new(known.clone(), snapshot.edition, revision, by);
        if !self.set_changes(&now, changes) {
            return;
        }
        let Ok(before) = self.analysis(&now).await else {
            return;
        };
        let (teller, told) = (self.clone(), snapshot.clone());
        let tell = move || before.with_changes(&told.uri, teller.client(), &known, &teller.go);
        if let Ok(Some(after)) = tasks::judging("the comparison with a revision", tell).await {
            self.show_fuller(snapshot, after);
        }
    }

    /// Shows a more complete analysis of a version. It includes the error in an unfinished entry if that is already shown.
    fn show_fuller(self: &Arc<Self>, snapshot: &Snapshot, fuller: Analysis) {
        self.replace_analysis(snapshot, |now| {
            if now.is_typed_in() {
                fuller
            } else {
                fuller.with_unfinished()
            }
        });
    }
}
