//! Counts the workspace objects that fail the constraints of open CRDs. The check runs after a pause in typing, and the next edit stops it. The
//! result for a file remains valid until something that it depends on changes.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::Path,
    sync::Arc,
    time::Instant,
};

use crd_analyzer_ide::lens::objects::{Failing, Objects};
use crd_analyzer_io::read;
use crd_analyzer_syntax::{lines::LineIndex, tree::Span};
use crd_analyzer_workspace::{
    builds::overlay::{AsBuilt, Overlays},
    comparison::revision::Revision,
    constraints::{self, Written},
    index::{
        Catalog, Definitions, Files, Found, GroupKind, Index, KnownCrd, MemoryFiles, NewFile, Origin, Resource,
        objects_of,
    },
    judging::{analysis::Around, hazards::Search},
    sources::manifest::Manifest,
};
use lsp_types::{Location, Uri};

use crate::{
    analysis::{self, Analysis, Wanted},
    checked_files::{CheckedFile, CheckedObject, FileAndCrd, TextVersion, Version},
    documents::Snapshot,
    failing_objects::FailingPlace,
    limits,
    overlays::{Builders, SessionFiles},
    session::Session,
    tasks, to_proto, waits,
    workspace_index::SyncedIndex,
};

/// The maximum total size, in bytes, of the files to check after one pause. Objects in further files are not checked.
const MOST_BYTES: usize = 32 << 20;

/// The maximum number of failures to list for the objects of one file.
const MOST_FAILURES: usize = 10_000;

/// The CRDs of the workspace, except that `crd` takes precedence over other copies, such as one in the cluster.
struct OnlyCrd<'a> {
    index: &'a SyncedIndex<'a>,
    crd: &'a KnownCrd,
    /// The same CRD as currently generated from source files.
    made: Option<&'a Arc<KnownCrd>>,
}

impl OnlyCrd<'_> {
    /// Whether `known` is this CRD, as written or as a kustomization builds it.
    fn is_it(&self, known: &KnownCrd) -> bool {
        known.written_path() == &*self.crd.path && known.name == self.crd.name
    }

    /// A number that changes when anything except the text of the file can change the result.
    fn epoch(&self, epoch: u64) -> u64 {
        let Some(made) = self.made else { return epoch };
        let mut hasher = DefaultHasher::new();
        (epoch, format!("{:?}", made.fingerprint)).hash(&mut hasher);
        hasher.finish()
    }

    fn with_file(&self, file: &Arc<Path>) -> FileAndCrd {
        (file.clone(), self.crd.path.clone(), self.crd.name.clone())
    }
}

impl Definitions for OnlyCrd<'_> {
    fn find(&self, kind: &GroupKind, near: &Path) -> Option<Found> {
        let mut found = self.index.find(kind, near)?;
        let equal = found.equals.iter().find(|it| self.is_it(it)).cloned();
        if self.is_it(&found.definition) {
            found.equals.clear();
        } else if let Some(equal) = equal {
            found.definition = equal;
            found.equals.clear();
        }
        if let Some(made) = self.made.filter(|_| self.is_it(&found.definition)) {
            found.definition = made.clone();
        }
        Some(found)
    }

    fn meant(&self, kind: &GroupKind) -> Option<GroupKind> {
        self.index.meant(kind)
    }

    fn elsewhere(&self, kind: &GroupKind) -> Option<GroupKind> {
        self.index.elsewhere(kind)
    }

    fn whole(&self, name: &str, path: &Path) -> Option<Arc<KnownCrd>> {
        self.index.whole(name, path)
    }

    fn webhook(&self, resource: &Resource<'_>) -> Option<Arc<str>> {
        self.index.webhook(resource)
    }

    fn files(&self) -> &dyn Files {
        self.index.files()
    }

    fn previous(&self, crd: &KnownCrd) -> Option<Arc<KnownCrd>> {
        self.index.previous(crd)
    }
}

/// The state of one check. It stops as soon as something changes.
struct Run<'s> {
    session: &'s Arc<Session>,
    changes: u64,
    left: usize,
}

impl Run<'_> {
    fn goes_on(&self) -> bool {
        self.session.checked.changes() == self.changes
    }
}

impl Session {
    /// After a pause in typing, recounts the objects that fail constraints of open CRDs.
    pub(crate) fn check_objects_soon(self: &Arc<Self>) {
        let (client, features) = (self.client(), self.features());
        if !(client.code_lens && features.code_lens || client.inlay_hints && features.inlay_hints) {
            return;
        }
        self.checked.changed();
        if !self.checked.pause.note() {
            return;
        }
        let session = self.clone();
        tasks::beside(async move {
            while let Some(rest) = session.checked.pause.rest(waits::OBJECTS) {
                tokio::time::sleep(rest).await;
            }
            let checker = session.clone();
            // Errors are already logged.
            let _ = tasks::in_background("the check of objects", move || checker.check_objects()).await;
        });
    }

    fn check_objects(self: &Arc<Self>) {
        self.sync();
        let mut run = Run {
            session: self,
            changes: self.checked.changes(),
            left: MOST_BYTES,
        };
        let mut visited: HashSet<FileAndCrd> = HashSet::new();
        for uri in self.documents.uris() {
            let Some(snapshot) = self.documents.snapshot(&uri) else {
                continue;
            };
            let edits = snapshot.failing.edits();
            let begin = Instant::now();
            let Some(places) = run.places(&snapshot, &mut visited) else {
                return;
            };
            if snapshot.is_stale() || !snapshot.failing.set(places, edits) {
                continue;
            }
            self.trace(|| format!("checked the objects of {} in {:.1?}", uri.as_str(), begin.elapsed()));
            self.show_lenses_again(snapshot);
        }
        self.checked.retain(&visited);
        let begin = Instant::now();
        let changed = self.find_untested(&|| run.goes_on());
        self.trace(|| format!("looked for rules without tests in {:.1?}", begin.elapsed()));
        for snapshot in changed {
            self.show_lenses_again(snapshot);
        }
    }

    fn show_lenses_again(self: &Arc<Self>, snapshot: Snapshot) {
        if snapshot.is_typed() && self.client().refreshes_code_lenses {
            self.refresh_lenses_at_rest(snapshot);
        } else {
            self.refresh_costs();
        }
    }
}

impl Run<'_> {
    /// The constraints of a document that get a lens. `None` if something has changed during the check.
    fn places(&mut self, snapshot: &Snapshot, visited: &mut HashSet<FileAndCrd>) -> Option<Vec<FailingPlace>> {
        let session = self.session;
        let path = snapshot.path();
        let of_file = |path: &Path| {
            let catalog = &session.workspace.catalog;
            catalog.with(|it| it.definitions_in(path).to_vec())
        };
        let crds = path.as_deref().map(of_file).unwrap_or_default();
        let mut places = Vec::new();
        if session.effective(snapshot).is_excluded {
            return Some(places);
        }
        for crd in crds {
            self.of_crd(snapshot, &crd, visited, &mut places)?;
        }
        if let Some((row, path)) = snapshot.source().zip(path) {
            for manifest in session.made_from((row, &path, &snapshot.content())) {
                self.of_made(&path, &manifest, visited, &mut places)?;
            }
        }
        places.sort_by_key(|it| it.span.start);
        // Several CRDs may be generated from one Go type, and versions of a CRD may share it.
        places.dedup_by(|one, other| (one.span, &one.name) == (other.span, &other.name));
        Some(places)
    }

    fn of_crd(
        &mut self,
        snapshot: &Snapshot,
        crd: &Arc<KnownCrd>,
        visited: &mut HashSet<FileAndCrd>,
        places: &mut Vec<FailingPlace>,
    ) -> Option<()> {
        let session = self.session;
        let index = SyncedIndex(session);
        let text = crd.text(index.files()).filter(|it| it.is_readable);
        // While the CRD's text is unreadable, resources are checked against its last readable text, whose positions don't fit the current one.
        let Some(text) = text.filter(|it| it.source.text == snapshot.content()) else {
            places.extend(snapshot.failing.places());
            return Some(());
        };
        let written = Written::of(&text.tree, text.root);
        let only = OnlyCrd {
            index: &index,
            crd,
            made: None,
        };
        let before = self.before(snapshot, &crd.name);
        places.extend(self.count(&only, written, &before, visited)?);
        Some(())
    }

    /// Like [`Self::of_crd`], for a CRD of the workspace as currently generated from a source file. The parts that differ from the CRD in the
    /// workspace count as edited.
    fn of_made(
        &mut self,
        path: &Path,
        manifest: &Manifest,
        visited: &mut HashSet<FileAndCrd>,
        places: &mut Vec<FailingPlace>,
    ) -> Option<()> {
        let session = self.session;
        let index = SyncedIndex(session);
        let only_made = Catalog::new(MemoryFiles::default());
        only_made.change(|index| {
            index.set(&NewFile {
                path: &manifest.path,
                origin: Origin::Workspace,
                text: &manifest.text,
                objects: &objects_of(&manifest.text),
                keep_text: true,
            })
        });
        let made = only_made.with(|it| it.definitions_in(&manifest.path).first().cloned());
        let Some(made) = made else { return Some(()) };
        let of_workspace = |index: &Index| {
            let mut known = index.definitions_in(&manifest.path).iter();
            known.find(|it| it.name == made.name).cloned()
        };
        let Some(crd) = session.workspace.catalog.with(of_workspace) else {
            return Some(());
        };
        let (now, before) = (made.text(index.files()), crd.text(index.files()));
        let Some(now) = now.filter(|it| it.is_readable) else {
            return Some(());
        };
        let before = before.map_or_else(Written::default, |it| Written::of(&it.tree, it.root));
        let only = OnlyCrd {
            index: &index,
            crd: &crd,
            made: Some(&made),
        };
        let found = self.count(&only, Written::of(&now.tree, now.root), &before, visited)?;
        places.extend(found.into_iter().filter_map(|it| {
            let origin = manifest.origin(it.span).filter(|it| *it.file.path == *path)?;
            Some(FailingPlace {
                span: origin.span,
                whole: origin.span,
                ..it
            })
        }));
        Some(())
    }

    /// The constraints of a CRD that have a lens. `None` if a file has changed in the meantime.
    fn count(
        &mut self,
        only: &OnlyCrd<'_>,
        written: Written,
        before: &Written,
        visited: &mut HashSet<FileAndCrd>,
    ) -> Option<Vec<FailingPlace>> {
        let session = self.session;
        let crd = only.crd;
        let mut places = Vec::new();
        let folders = session.folders();
        let files: Vec<Arc<Path>> = session
            .workspace
            .catalog
            .with(|index| index.files_with(&crd.defines).cloned().collect());
        let decides = |it: &Arc<Path>| only.find(&crd.defines, it).is_some_and(|it| only.is_it(&it.definition));
        let is_of_workspace = |it: &Arc<Path>| folders.iter().any(|folder| it.starts_with(folder));
        let files: Vec<_> = files
            .into_iter()
            .filter(|it| is_of_workspace(it) && decides(it))
            .collect();
        if files.is_empty() {
            return Some(places);
        }
        visited.extend(files.iter().map(|it| only.with_file(it)));
        let (checked, files_not_checked) = self.check(files, only)?;
        let mut objects = Objects {
            files_not_checked,
            ..Objects::default()
        };
        let mut by_place: BTreeMap<(u32, u32), (Failing, Vec<Location>)> = BTreeMap::new();
        let all = checked.iter().flat_map(|it| it.iter());
        for object in all.filter(|it| it.verdict.kind == crd.defines) {
            if object.verdict.is_checked {
                objects.checked += 1;
            } else {
                objects.not_checked += 1;
            }
            let failures = object.verdict.failures.iter().zip(&object.locations);
            let failures = failures.filter(|it| *it.0.file == *crd.path);
            let mut failed: BTreeSet<(u32, u32)> = BTreeSet::new();
            for (failure, location) in failures {
                let place = (failure.decides.start, failure.decides.end);
                let (failing, locations) = by_place.entry(place).or_default();
                locations.push(location.clone());
                if failed.insert(place) {
                    failing.all += 1;
                    failing.aside += usize::from(object.verdict.is_aside);
                }
            }
        }
        let edited = written.edited_since(before);
        for (constraint, is_edited) in written.constraints.into_iter().zip(edited) {
            let place = (constraint.span.start, constraint.span.end);
            let (mut failing, mut locations) = by_place.remove(&place).unwrap_or_default();
            failing.is_edited = is_edited;
            locations.truncate(limits::ANSWERS);
            if failing.is_told(&objects) {
                places.push(FailingPlace {
                    span: constraint.span,
                    whole: constraint.whole,
                    name: constraint.name,
                    failing,
                    objects,
                    locations: locations.into(),
                });
            }
        }
        Some(places)
    }

    /// The constraints of a CRD before the user edited it: in the git revision that it would replace, otherwise in the text that was opened.
    fn before(&self, snapshot: &Snapshot, crd: &str) -> Written {
        let revision = self.session.replaced(snapshot);
        let revision = revision.unwrap_or_else(|| {
            let opened = String::from(&snapshot.failing.opened);
            Arc::new(Revision::new("", opened.as_bytes()))
        });
        let before = revision.crd(crd);
        before.map_or_else(Written::default, |(tree, node)| Written::of(tree, node))
    }

    /// The checked objects in some files, and the number of files that were skipped. `None` if something has changed during the check.
    fn check(&mut self, files: Vec<Arc<Path>>, by: &OnlyCrd<'_>) -> Option<(Vec<Arc<[CheckedObject]>>, usize)> {
        let session = self.session;
        let epoch = by.epoch(session.overlays.epoch());
        let (mut checked, mut left_out) = (Vec::new(), 0);
        let mut built: Vec<(Arc<Path>, Builders, Arc<str>)> = Vec::new();
        for path in files {
            if !self.goes_on() {
                return None;
            }
            let open = session.documents.at(&path);
            // The size is known before reading the file.
            let version = match &open {
                Some(open) => Some((TextVersion::Open(open.edition), open.text.len_bytes())),
                None => read::stamp(&path).map(|it| (TextVersion::OnDisk(it), it.1 as usize)),
            };
            let Some((text, bytes)) = version else { continue };
            let of = Version { text, epoch };
            if let Some(known) = session.checked.get(&by.with_file(&path), &of) {
                checked.push(known);
                continue;
            }
            let Some(left) = self.left.checked_sub(bytes) else {
                left_out += 1;
                continue;
            };
            self.left = left;
            let text = match open {
                Some(open) => open.content(),
                None => match read::found(&path) {
                    Ok(bytes) => String::from_utf8_lossy(&bytes).into(),
                    Err(_) => continue,
                },
            };
            if let Some(builders) = session.overlays.builders(&path) {
                // Don't cache this result: the kustomizations that build the file may change at any time.
                built.push((path, builders, text));
                continue;
            }
            let objects = self.check_file(&path, text, (by, None));
            let file = CheckedFile {
                of,
                objects: objects.clone(),
            };
            session.checked.put(by.with_file(&path), file);
            checked.push(objects);
        }
        if !built.is_empty() {
            left_out += self.check_built(&built, by, &mut checked)?;
        }
        Some((checked, left_out))
    }

    /// Like [`Self::check`], for files that kustomizations and Flux build. Builds each kustomization once for all files. Returns the number of
    /// skipped files.
    fn check_built(
        &self,
        built: &[(Arc<Path>, Builders, Arc<str>)],
        by: &OnlyCrd<'_>,
        checked: &mut Vec<Arc<[CheckedObject]>>,
    ) -> Option<usize> {
        let session = self.session;
        let folders = session.folders();
        let files = SessionFiles::new(&session.documents, &folders);
        let flux = built.first()?.1.flux.clone();
        let builders = Builders {
            folders: built.iter().flat_map(|it| it.1.folders.iter().cloned()).collect(),
            flux,
        };
        let paths: Vec<&Path> = built.iter().map(|it| &*it.0).collect();
        let overlays = session.overlays_of(&builders, &paths, &files);
        if files.is_over() {
            return Some(built.len());
        }
        for (path, _, text) in built {
            if !self.goes_on() {
                return None;
            }
            checked.push(self.check_file(path, text.clone(), (by, Some(&overlays))));
        }
        Some(0)
    }

    fn check_file(
        &self,
        path: &Arc<Path>,
        text: Arc<str>,
        (by, overlays): (&OnlyCrd<'_>, Option<&Overlays>),
    ) -> Arc<[CheckedObject]> {
        let session = self.session;
        let folders = session.folders();
        let settings = session.settings();
        let effective = settings.for_file(Some(path), &folders);
        if effective.is_excluded {
            return Arc::default();
        }
        let Some(uri) = session
            .documents
            .uris_at(path)
            .pop()
            .or_else(|| Uri::from_file_path(path))
        else {
            return Arc::default();
        };
        let built = overlays.map(|overlays| {
            let around = Around {
                go: Some(&session.go),
                overlays: Some(overlays),
                ..Around::crds(by)
            };
            let question = analysis::question(path, &effective, around, Search::Off);
            Arc::new(AsBuilt::new(overlays, path, &text, &question))
        });
        let wanted = Wanted {
            // If the CRD is generated from source files, the places in the CRD itself are needed.
            go: Some(&session.go).filter(|_| by.made.is_none()),
            built: built.as_ref(),
            asides: Some(session.asides(&settings, &folders)),
            ..Wanted::default()
        };
        let report = Analysis::whole_report(&uri, text, &effective, by, &wanted);
        let is_patch = built.as_ref().is_some_and(|it| it.is_patch());
        let verdicts = constraints::verdicts(&report, path, is_patch, &effective.config);
        let lines = LineIndex::new(&report.text);
        let source = to_proto::Source {
            uri: &uri,
            text: &report.text,
            lines: &lines,
            client: session.client(),
        };
        let mut left = MOST_FAILURES;
        let checked = verdicts.into_iter().map(|mut verdict| {
            verdict.failures.truncate(left);
            left -= verdict.failures.len();
            let location = |span: Span| Location::new(uri.clone(), to_proto::range(&source, span));
            let locations = verdict.failures.iter().map(|it| location(it.span)).collect();
            CheckedObject { verdict, locations }
        });
        checked.collect()
    }
}
