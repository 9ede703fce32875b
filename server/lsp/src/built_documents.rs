//! The objects that kustomizations and Flux build from open files. crd-analyzer builds and checks them after a pause in typing. Until then, it shows
//! the previous diagnostics of the built objects, moved to where they belong in the new text.

use std::{
    collections::{BTreeSet, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use crd_analyzer_io::{read::Access, roots::Roots, source_ignore};
use crd_analyzer_workspace::{
    builds::overlay::{AsBuilt, Files, FluxFolders, Overlays},
    index::{GroupKind, Index},
    judging::analysis::Around,
    judging::hazards::Search,
};

use crate::{
    analysis,
    documents::Snapshot,
    overlays::{Builders, Found, SessionFiles, State},
    session::Session,
    settings::Effective,
    tasks, waits,
    workspace_index::SyncedIndex,
};

impl Session {
    /// Records the kustomizations after a scan of the workspace folders. Returns the kinds whose built CRDs have changed.
    pub(crate) fn start_building(self: &Arc<Self>, found: &Found) -> BTreeSet<GroupKind> {
        let folders = self.folders();
        let files = SessionFiles::new(&self.documents, &folders);
        self.overlays.start(found, &self.workspace.flux_files, &files);
        let kinds = self.build_crds(None);
        let open = self.documents.uris();
        self.build_soon(open.iter().filter_map(crate::from_proto::path_of));
        kinds
    }

    /// Rebuilds the open files that depend on changed ones, after a pause in typing.
    pub(crate) fn build_soon(self: &Arc<Self>, changed: impl IntoIterator<Item = PathBuf>) {
        if !self.overlays.note(changed) {
            return;
        }
        let session = self.clone();
        tasks::beside(async move {
            while let Some(rest) = session.overlays.pause.rest(waits::PAUSE) {
                tokio::time::sleep(rest).await;
            }
            let _only = session.overlays.building.lock().await;
            let builder = session.clone();
            // Errors are already logged.
            let _ = tasks::after_pause("the build of kustomizations", move || builder.build_changed()).await;
        });
    }

    fn build_changed(self: &Arc<Self>) {
        let folders = self.folders();
        let settings = self.settings();
        let mut changed = self.overlays.take_changed();
        changed.retain(|it| !settings.for_file(Some(it), &folders).is_excluded);
        drop(settings);
        let files = SessionFiles::new(&self.documents, &folders);
        let is_other = self.overlays.read(&changed, &self.workspace.flux_files, &files);
        // The files that the user is editing come first.
        let edited: HashSet<PathBuf> = changed
            .iter()
            .filter(|it| self.documents.is_open_at(it))
            .cloned()
            .collect();
        self.build_open(|path, edition| {
            edited.contains(path) && self.overlays.is_due(path, edition, (&changed, is_other))
        });
        let kinds = self.build_crds(if is_other { None } else { Some(&changed) });
        self.crds_changed(&kinds);
        self.overlays.retain(|it| self.documents.is_open_at(it));
        if self.features().workspace_diagnostics {
            self.forget_scanned(&changed, is_other);
        }
        let nothing = HashSet::new();
        self.build_open(|path, edition| {
            let since = if edited.contains(path) {
                (&nothing, false)
            } else {
                (&changed, is_other)
            };
            self.overlays.is_due(path, edition, since)
        });
    }

    /// Builds the open files that are due, and shows their diagnostics.
    fn build_open(self: &Arc<Self>, is_due: impl Fn(&Path, u64) -> bool) {
        for uri in self.documents.uris() {
            let Some(snapshot) = self.documents.snapshot(&uri) else {
                continue;
            };
            let Some(path) = snapshot.path() else { continue };
            if !is_due(&path, snapshot.edition) {
                continue;
            }
            let effective = self.effective(&snapshot);
            let stamp = (snapshot.edition, self.overlays.epoch());
            let builders = self.overlays.builders(&path).filter(|_| !effective.is_excluded);
            let search = Search::All(&self.hazards);
            let built = builders.and_then(|it| self.build(&path, &snapshot.content(), &effective, &it, search));
            if self.overlays.keep(&path, built.map(Arc::new), stamp) {
                for uri in self.documents.uris_at(&path) {
                    self.analyze_anew(&uri);
                }
            }
        }
    }

    /// The built objects of an open file, if they are known. Until the user pauses, the result for an earlier text remains valid.
    pub(crate) fn as_built(self: &Arc<Self>, snapshot: &Snapshot, effective: &Effective) -> Option<Arc<AsBuilt>> {
        let path = snapshot.path().filter(|_| !effective.is_excluded)?;
        match self.overlays.of(&path, snapshot.edition) {
            State::Unknown => None,
            State::Known { built, is_due } => {
                if is_due {
                    self.build_soon([path]);
                }
                Some(built)
            }
            State::Due(builders) => {
                let epoch = self.overlays.epoch();
                let search = Search::Remembered(&self.hazards);
                let built = Arc::new(self.build(&path, &snapshot.content(), effective, &builders, search)?);
                // Hazards are searched for later.
                self.overlays
                    .keep(&path, Some(built.clone()), (snapshot.edition, epoch.wrapping_sub(1)));
                self.build_soon([path]);
                Some(built)
            }
        }
    }

    /// Builds the objects of a file with this text.
    pub(crate) fn build(
        self: &Arc<Self>,
        path: &Path,
        text: &Arc<str>,
        effective: &Effective,
        builders: &Builders,
        search: Search<'_>,
    ) -> Option<AsBuilt> {
        let begin = Instant::now();
        let folders = self.folders();
        // Uses the given text, because an edit may change the open document in the meantime.
        let files = SessionFiles::new(&self.documents, &folders).with(path, text);
        let overlays = self.overlays_of(builders, &[path], &files);
        if files.is_over() {
            tracing::warn!(
                "crd-analyzer does not build {}: its kustomizations read too many files",
                path.display()
            );
            return None;
        }
        let definitions = SyncedIndex(self);
        let around = Around {
            go: Some(&self.go),
            overlays: Some(&overlays),
            ..Around::crds(&definitions)
        };
        let question = analysis::question(path, effective, around, search);
        let built = AsBuilt::new(&overlays, path, text, &question).with_written(&question);
        self.trace(|| format!("built the objects of {} in {:.1?}", path.display(), begin.elapsed()));
        Some(built)
    }

    /// Calls `ask` with the kustomizations and Flux Kustomizations that build a file, with this text of the file. `None` if nothing builds the file.
    pub(crate) fn ask_builds<T>(&self, path: &Path, text: &Arc<str>, ask: impl FnOnce(&Overlays) -> T) -> Option<T> {
        let builders = self.overlays.builders(path)?;
        let folders = self.folders();
        let files = SessionFiles::new(&self.documents, &folders).with(path, text);
        let overlays = self.overlays_of(&builders, &[path], &files);
        (!files.is_over()).then(|| ask(&overlays))
    }

    /// The results of building some files with kustomizations and Flux.
    pub(crate) fn overlays_of(&self, builders: &Builders, of: &[&Path], files: &SessionFiles<'_>) -> Overlays {
        let folders: Vec<_> = builders.folders.iter().map(|it| (it.clone(), files)).collect();
        let manifests = if builders.flux.has_kustomizations() {
            let roots = Roots::new(self.folders().iter().map(PathBuf::as_path));
            let access = Access::Within(Arc::new(roots));
            let all = self.workspace.manifests().into_iter();
            source_ignore::known_to_flux(all.map(|it| (it, access.clone())))
        } else {
            Vec::new()
        };
        let manifests: Vec<&Path> = manifests.iter().map(PathBuf::as_path).collect();
        let all = files as &dyn Files;
        let of_flux = FluxFolders::new(
            &builders.flux,
            &manifests,
            |it| builders.has(it, of).then_some(all),
            |_| Some(all),
        );
        let is_checked = |it: &Path| self.shows(it);
        Overlays::since(&folders, Some(&of_flux), None, Some(&is_checked))
    }

    /// Whether the editor shows the errors of a file: it is open, or all files of the workspace are checked.
    fn shows(&self, path: &Path) -> bool {
        let folders = self.folders();
        let settings = self.settings();
        let is_in = || settings.features.workspace_diagnostics && folders.iter().any(|it| path.starts_with(it));
        (self.documents.is_open_at(path) || is_in()) && !settings.for_file(Some(path), &folders).is_excluded
    }

    /// Builds the CRDs that kustomizations change, because resources in all folders are checked against them. `changed` has the files changed since
    /// the last build, or `None` if unknown. Returns the kinds whose CRDs are different now.
    pub(crate) fn build_crds(&self, changed: Option<&HashSet<PathBuf>>) -> BTreeSet<GroupKind> {
        let crds = self.workspace.catalog.with(Index::edited_crds);
        let crds: Vec<&Path> = crds.iter().map(|it| &**it).collect();
        let folders = self.folders();
        let files = SessionFiles::new(&self.documents, &folders);
        let Some(builders) = self.overlays.builders_of_crds(&crds, changed, &files) else {
            return BTreeSet::new();
        };
        let begin = Instant::now();
        let overlays = self.overlays_of(&builders, &crds, &files);
        let built = if files.is_over() {
            tracing::warn!("crd-analyzer does not build CRDs: their kustomizations read too many files");
            Vec::new()
        } else {
            overlays.changed_crds()
        };
        let asked = overlays.files().cloned().collect();
        self.overlays.keep_crds(builders.folders, asked, &files);
        let kinds = self.workspace.catalog.change(|index| index.set_built(&built));
        tracing::info!("built {} changed CRDs in {:.1?}", built.len(), begin.elapsed());
        kinds
    }
}
