//! The CRDs that open Go files are made into. They are made and judged after a pause in typing; on each key, what was found last is shown where it
//! belongs in the new text.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use crd_analyzer_workspace::{
    analysis::{MOST_FINDINGS, Question},
    generated::{GoSources as _, Module},
    hazards::{Search, are_shown},
    index::{Definitions as _, Index},
    lints::Lints,
    overlay::AsBuilt,
    sources::{go_crds::GoCrds, manifest::Manifest},
};

use crate::{
    documents::Snapshot,
    go_made::{Found, MadeOf, lock},
    session::Session,
    settings::Effective,
    tasks,
    workspace_index::SyncedIndex,
};

impl Session {
    /// What is wrong with the CRDs that the types of an open Go file are made into, as far as that is known. The answer for an earlier text
    /// counts until the user pauses.
    pub(crate) fn found_in_go(self: &Arc<Self>, snapshot: &Snapshot, effective: &Effective) -> Option<Arc<AsBuilt>> {
        let path = snapshot.path().filter(|_| !effective.is_excluded)?;
        let epoch = self.overlays.epoch();
        let found = lock(&self.go_crds.found);
        let known = found.get(&path);
        let is_due = known.is_none_or(|it| it.edition != snapshot.edition || it.epoch != epoch);
        let built = known.map(|it| it.built.clone());
        drop(found);
        if is_due {
            self.make_go_crds_soon();
        }
        built
    }

    /// Makes the CRDs of open Go files again, after a pause in typing.
    pub(crate) fn make_go_crds_soon(self: &Arc<Self>) {
        if !self.go_crds.pause.note() {
            return;
        }
        let session = self.clone();
        tasks::beside(async move {
            while let Some(rest) = session.go_crds.pause.rest() {
                tokio::time::sleep(rest).await;
            }
            let maker = session.clone();
            // A failure is logged.
            let _ = tasks::judging("the making of CRDs", move || maker.judge_go_crds()).await;
        });
    }

    fn judge_go_crds(self: &Arc<Self>) {
        lock(&self.go_crds.found).retain(|path, _| self.documents.is_open_at(path));
        for uri in self.documents.uris() {
            let Some(snapshot) = self.documents.go_file(&uri) else {
                continue;
            };
            let Some(path) = snapshot.path() else { continue };
            let epoch = self.overlays.epoch();
            let is_known = lock(&self.go_crds.found)
                .get(&path)
                .is_some_and(|it| it.edition == snapshot.edition && it.epoch == epoch);
            let effective = self.effective(&snapshot);
            if is_known || effective.is_excluded {
                continue;
            }
            let begin = Instant::now();
            let built = Arc::new(self.judge_go_file(&snapshot, &path, &effective));
            self.trace(|| format!("judged the CRDs of {} in {:.1?}", path.display(), begin.elapsed()));
            let found = Found {
                built: built.clone(),
                edition: snapshot.edition,
                epoch,
            };
            let before = lock(&self.go_crds.found).insert(path, found);
            if before.is_none_or(|it| !built.is_said_by(&it.built)) {
                self.analyze_anew(&uri);
            }
        }
    }

    fn judge_go_file(self: &Arc<Self>, snapshot: &Snapshot, path: &Path, effective: &Effective) -> AsBuilt {
        let text = snapshot.content();
        let Some((crds, _)) = self.go_crds_around(path) else {
            return AsBuilt::of_go(&text, Vec::new());
        };
        let question = Question {
            definitions: Some(&SyncedIndex(self)),
            hazards: if are_shown(&effective.config) {
                Search::All(&self.hazards)
            } else {
                Search::Off
            },
            lints: Lints::of(&effective.config),
            is_completed: true,
            is_edited: true,
            most_findings: MOST_FINDINGS,
            wants_effective: false,
            ..Question::new(effective.versions)
        };
        AsBuilt::of_go(&text, crds.found(path, &question, |_| false))
    }

    /// The CRDs of the repository around a Go file as the open files make them, and the types.
    fn go_crds_around(self: &Arc<Self>, path: &Path) -> Option<(Arc<GoCrds>, Module)> {
        let module = self.go.around(path)?;
        let root = module.root().to_owned();
        let open = self.documents.uris().into_iter().filter_map(|it| {
            let snapshot = self.documents.go_file(&it)?;
            let path = snapshot.path().filter(|it| it.starts_with(&root))?;
            Some((path, snapshot.edition, snapshot.content()))
        });
        let open: Vec<(PathBuf, u64, Arc<str>)> = open.collect();
        let module = module.with(open.iter().map(|it| (it.0.as_path(), &it.2)));
        let editions: HashMap<PathBuf, u64> = open.into_iter().map(|it| (it.0, it.1)).collect();
        let files = SyncedIndex(self);
        self.sync();
        let epoch = self.overlays.epoch();
        // Who comes second waits until the first is done.
        let mut made = lock(&self.go_crds.made);
        let known = made.get(&root).filter(|it| it.epoch == epoch);
        let crds = known.map_or_else(
            || {
                let crds = self.workspace.catalog.with(Index::own_crds);
                let of_repository = crds.iter().filter(|it| it.path.starts_with(&root));
                Arc::new(GoCrds::new(of_repository, files.files(), &module))
            },
            |known| {
                let changed = editions.iter().filter(|it| known.editions.get(it.0) != Some(it.1));
                let closed = known.editions.keys().filter(|it| !editions.contains_key(*it));
                let paths = changed.map(|it| it.0).chain(closed);
                paths.fold(known.crds.clone(), |crds, path| {
                    Arc::new(crds.again(path, files.files(), &module))
                })
            },
        );
        let of = MadeOf {
            epoch,
            editions,
            crds: crds.clone(),
        };
        made.insert(root, of);
        Some((crds, module))
    }

    /// A CRD that has a string which is written at a byte of a Go file, and the byte in the CRD.
    pub(crate) fn go_crd_at(self: &Arc<Self>, path: &Path, offset: u32) -> Option<(Arc<Manifest>, u32)> {
        let (crds, module) = self.go_crds_around(path)?;
        let spot = |it: &Manifest| it.spot(path, offset);
        let written = crds.manifests(path).find_map(|it| Some((it.clone(), spot(it)?)));
        written.or_else(|| {
            let files = SyncedIndex(self);
            let mut begun = crds.begun(path, files.files(), &module);
            begun.find_map(|it| {
                let spot = spot(&it)?;
                Some((Arc::new(it), spot))
            })
        })
    }
}
