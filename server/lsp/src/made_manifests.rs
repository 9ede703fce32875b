//! Checks the manifests that are generated from open source files. If that is fast enough, each keystroke generates and checks the manifests of its
//! file. Otherwise the last problems are shown, moved to where they belong in the new text. The search for hazards, the comparison with the CRDs of the
//! repository and the effects on other open files wait for a pause in typing.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use crd_analyzer_ide::{
    file::Document,
    fixes::{Declaration, Fix, Problem, TextEdit},
    lens::Cost,
    made::{self, RenamedName, SourceFile},
};
use crd_analyzer_io::read;
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_suite::definition::definitions;
use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::{
    builds::overlay::AsBuilt,
    codes::STALE_CRD,
    comparison::since_revision::Comparison,
    index::{Definitions as _, Files, Index, KnownCrd},
    judging::analysis::{Around, Question, Update},
    judging::hazards::Search,
    roles::Uses,
    sources::earlier::Replaced,
    sources::generated::GoSources,
    sources::{self, Row, Unit, WithText, World, made::Manifests, manifest::Manifest},
};

use crate::{
    analysis,
    documents::Snapshot,
    earlier::EarlierOfFile,
    made::{Found, MadeOf, lock},
    session::Session,
    settings::Effective,
    side_by_side,
    since_revision::SinceRevision,
    tasks::{self, Deadline},
    waits,
    workspace_index::{NearbyIndex, SyncedIndex},
};

/// Which manifests an answer needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Extent {
    /// Those that come from the file that is asked about.
    File,
    /// All that come from the files of its unit.
    Unit,
}

impl Session {
    /// The known problems in the manifests that are generated from an open source file. If checking takes too long for each keystroke, the result for
    /// an earlier text is used until the user pauses.
    pub(crate) fn found_in_made(self: &Arc<Self>, snapshot: &Snapshot, effective: &Effective) -> Option<Arc<AsBuilt>> {
        let path = snapshot.path().filter(|_| !effective.is_excluded)?;
        let (epoch, editions) = (self.overlays.epoch(), self.editions());
        let known = lock(&self.made.found).get(&path).cloned();
        let is_of_epoch = |it: &Found| it.epoch == epoch;
        let is_of_text = known
            .as_ref()
            .is_some_and(|it| is_of_epoch(it) && it.edition == snapshot.edition);
        let is_whole = |it: &Found| it.editions == editions && !it.is_unfinished;
        let is_due = !(is_of_text && known.as_ref().is_some_and(is_whole));
        let is_new = known.is_none();
        let mut built = known.as_ref().map(|it| it.built.clone());
        if let (Some(known), Some(row), false) = (known, snapshot.source(), is_of_text)
            && is_of_epoch(&known)
            && known.took < waits::AT_ONCE
        {
            built = Some(self.find_in_made((row, snapshot, &path, effective), false).0);
        }
        // Do this last, so that it includes whatever has changed in the meantime.
        if is_due {
            // Nobody types in a file that was just opened, so don't wait for a pause.
            self.make_manifests_after(if is_new { Duration::ZERO } else { waits::PAUSE });
        }
        built
    }

    /// A hash of the editions of all open source files.
    pub(crate) fn editions(&self) -> u64 {
        let mut editions: Vec<u64> = self.open_sources(Path::new("")).map(|it| it.edition).collect();
        editions.sort_unstable();
        let mut hasher = DefaultHasher::new();
        editions.hash(&mut hasher);
        hasher.finish()
    }

    /// Checks the manifests that are generated from an open source file, and stores the problems. `are_all` includes those that take longer to find:
    /// hazards, and CRDs that are older than their source. Returns the problems, and whether they differ from the previous ones.
    fn find_in_made(
        self: &Arc<Self>,
        (row, snapshot, path, effective): (&'static Row, &Snapshot, &Path, &Effective),
        are_all: bool,
    ) -> (Arc<AsBuilt>, bool) {
        let (epoch, editions) = (self.overlays.epoch(), self.editions());
        let earlier = self.earlier.changed();
        let begin = Instant::now();
        let built = Arc::new(self.judge_source(row, snapshot, path, effective, are_all));
        let took = begin.elapsed();
        self.trace(|| format!("checked the manifests of {} in {took:.1?}", path.display()));
        let mut found = lock(&self.made.found);
        let before = found.get(path);
        let is_other = before.is_none_or(|it| !built.is_said_by(&it.built));
        // Keep the result of another thread that has checked a later text.
        if before.is_none_or(|it| it.edition <= snapshot.edition) {
            let new = Found {
                built: built.clone(),
                edition: snapshot.edition,
                epoch,
                editions,
                is_unfinished: !are_all || self.earlier.changed() != earlier,
                took: match before {
                    // The duration is that of a keystroke, without the search for hazards.
                    Some(before) if before.epoch == epoch && before.edition != snapshot.edition => took,
                    Some(before) => before.took,
                    None => Duration::ZERO,
                },
            };
            found.insert(path.to_owned(), new);
        }
        (built, is_other)
    }

    /// Generates the manifests of open source files again, after a pause in typing.
    pub(crate) fn make_manifests_soon(self: &Arc<Self>) {
        self.make_manifests_after(waits::PAUSE);
    }

    fn make_manifests_after(self: &Arc<Self>, pause: Duration) {
        if !self.made.pause.note() {
            return;
        }
        let session = self.clone();
        tasks::beside(async move {
            // Without the CRDs of the workspace, all manifests would have to be generated twice.
            session.first_look.ended().await;
            while let Some(rest) = session.made.pause.rest(pause) {
                tokio::time::sleep(rest).await;
            }
            let maker = session.clone();
            // Errors are already logged.
            let _ = tasks::after_pause("the build of manifests", move || maker.judge_made()).await;
        });
    }

    fn judge_made(self: &Arc<Self>) {
        lock(&self.made.found).retain(|path, _| self.documents.is_open_at(path));
        lock(&self.made.older).retain(|path, _| self.documents.is_open_at(path));
        let is_of_crd = |unit: &Path| lock(&self.made.older).keys().any(|it| it.starts_with(unit));
        lock(&self.made.made).retain(|unit, _| self.open_sources(&unit.1).next().is_some() || is_of_crd(&unit.1));
        for uri in self.documents.uris() {
            let Some(snapshot) = self.documents.source_file(&uri) else {
                self.look_for_older(&uri);
                continue;
            };
            let (Some(path), Some(row)) = (snapshot.path(), snapshot.source()) else {
                continue;
            };
            let (epoch, editions) = (self.overlays.epoch(), self.editions());
            let known = lock(&self.made.found).get(&path).cloned();
            let known = known.filter(|it| (it.edition, it.epoch, it.editions) == (snapshot.edition, epoch, editions));
            let effective = self.effective(&snapshot);
            if effective.is_excluded {
                continue;
            }
            let of = (row, &snapshot, &*path, &effective);
            let mut is_other = false;
            // Show errors first: hazards take longer to find.
            for are_all in [false, true] {
                let is_known = known.as_ref().is_some_and(|it| !(it.is_unfinished && are_all));
                if !is_known && self.find_in_made(of, are_all).1 {
                    is_other = true;
                    self.analyze_anew(&uri);
                }
            }
            if is_other {
                self.refresh_costs();
            }
        }
    }

    fn judge_source(
        self: &Arc<Self>,
        row: &'static Row,
        snapshot: &Snapshot,
        path: &Path,
        effective: &Effective,
        are_all: bool,
    ) -> AsBuilt {
        let text = snapshot.content();
        let index = SyncedIndex(self);
        let earlier = self.earlier_of(snapshot, effective);
        let mut question = self.question_of_source(&index, path, (effective, earlier.as_ref()));
        if let Search::All(memory) = question.wants.hazards
            && !are_all
        {
            question.wants.hazards = Search::Remembered(memory);
        }
        let find = |made: &Manifests, unit: &dyn Unit| {
            if are_all {
                made.compare(unit);
            }
            side_by_side::for_each(&made.to_check(path, &question), |it| {
                it.found(&question);
            });
            let found = made.found(path, &question, |_| false);
            (found, made.refused(path, question.wants.is_edited), made.changes(path))
        };
        let (found, refused, changes) = self
            .with_made(Extent::File, (row, path, &text), find)
            .unwrap_or_default();
        if are_all {
            self.set_changes(snapshot, SinceRevision::of_made(changes));
        }
        if let Some(earlier) = earlier {
            self.look_at_earlier(earlier);
        }
        AsBuilt::of_source(row, &text, found, refused)
    }

    /// The CRDs that the manifests of a source file would replace. `None` if the user has turned the comparison off.
    fn earlier_of<'s>(&'s self, snapshot: &'s Snapshot, effective: &Effective) -> Option<EarlierOfFile<'s>> {
        let settings = self.settings();
        let kubernetes = effective.versions.newest();
        let revision = settings.update_against.clone().filter(|_| self.trust.is_granted())?;
        let comparison = settings.compat_policy.map(|policy| Comparison { kubernetes, policy });
        Some(EarlierOfFile::new(&self.earlier, snapshot, revision, comparison))
    }

    /// Reads the CRDs that are due in the background. If any CRD has changed, checks the open source files again.
    fn look_at_earlier(self: &Arc<Self>, of: EarlierOfFile<'_>) {
        let (revision, due) = of.due();
        if due.is_empty() {
            return;
        }
        let session = self.clone();
        tasks::beside(async move {
            let _only = session.asking.lock().await;
            let asker = session.clone();
            let look = move || asker.earlier.look(&due, &revision, asker.folders(), &asker.go);
            if tasks::judging("the read of a revision", look).await == Ok(true) {
                lock(&session.made.found)
                    .values_mut()
                    .for_each(|it| it.is_unfinished = true);
                session.make_manifests_soon();
            }
        });
    }

    fn question_of_source<'a>(
        &'a self,
        index: &'a SyncedIndex<'a>,
        path: &'a Path,
        (effective, earlier): (&'a Effective, Option<&'a EarlierOfFile<'a>>),
    ) -> Question<'a> {
        Question {
            path: Some(path),
            around: Around {
                go: Some(&self.go),
                markers: Some(&effective.config.markers),
                ..Around::crds(index)
            },
            update: Update {
                earlier: earlier.map(|by| Replaced {
                    by,
                    are_stored: false,
                    comparison: by.comparison,
                }),
                ..Update::default()
            },
            wants: analysis::wants(effective, Search::All(&self.hazards)),
            uses: Uses::COMPLETED,
            ..Question::new(effective.versions)
        }
    }

    /// The fixes in a source file for problems of the manifests generated from it.
    pub(crate) fn repairs_of_made(
        self: &Arc<Self>,
        of: (&Snapshot, &Effective),
        problems: impl Iterator<Item = Problem>,
        range: Span,
        deadline: &Deadline,
    ) -> Vec<Fix> {
        let near = self.near(of.0);
        let repairs = |file: &SourceFile<'_>| file.repairs(problems, range, &near);
        self.ask_source(Extent::File, of, deadline, repairs).unwrap_or_default()
    }

    /// All unambiguous fixes in a source file. `own` has the fixes for problems in the source file itself.
    pub(crate) fn repair_all_of_made(
        self: &Arc<Self>,
        of: (&Snapshot, &Effective),
        problems: impl Iterator<Item = Problem>,
        own: Option<(Vec<TextEdit>, Vec<Fix>)>,
        deadline: &Deadline,
    ) -> Option<(Vec<TextEdit>, Vec<Fix>)> {
        let near = self.near(of.0);
        let repairs = |file: &SourceFile<'_>| file.repair_all(own.clone(), problems, &near);
        self.ask_source(Extent::File, of, deadline, repairs).unwrap_or(own)
    }

    /// The CRDs of the types in a range of a source file that are outdated, generated again.
    pub(crate) fn rewritten_crds(
        self: &Arc<Self>,
        of: (&Snapshot, &Effective),
        problems: impl Iterator<Item = Problem>,
        range: Span,
        deadline: &Deadline,
    ) -> Vec<Declaration> {
        let touches = |it: &Problem| it.span.start <= range.end && range.start <= it.span.end;
        let asked: Vec<Problem> = problems.filter(|it| it.code == STALE_CRD && touches(it)).collect();
        if asked.is_empty() {
            return Vec::new();
        }
        let write = |file: &SourceFile<'_>| {
            file.manifests.compare(file.unit);
            asked.iter().flat_map(|it| file.rewritten(it)).collect()
        };
        self.ask_source(Extent::File, of, deadline, write).unwrap_or_default()
    }

    /// The index of the objects near a document.
    fn near<'s>(self: &'s Arc<Self>, snapshot: &'s Snapshot) -> NearbyIndex<'s> {
        NearbyIndex {
            session: self,
            near: snapshot.path(),
        }
    }

    /// Calls a function with a source file and the manifests that are generated from it. `None` if the file generates none.
    pub(crate) fn ask_source<T>(
        self: &Arc<Self>,
        extent: Extent,
        (snapshot, effective): (&Snapshot, &Effective),
        deadline: &Deadline,
        ask: impl FnOnce(&SourceFile<'_>) -> T,
    ) -> Option<T> {
        let (path, row) = (snapshot.path()?, snapshot.source()?);
        let text = snapshot.content();
        let index = SyncedIndex(self);
        let earlier = self.earlier_of(snapshot, effective);
        let question = self.question_of_source(&index, &path, (effective, earlier.as_ref()));
        let find = |manifests: &Manifests, unit: &dyn Unit| {
            let judge = |text: &Arc<str>| {
                let open = Open(SyncedIndex(self));
                let world = WithText {
                    world: &open,
                    path: &path,
                    text,
                };
                (!deadline.is_over()).then(|| sources::judge(row, (&path, text), &world, Some(manifests), &question))
            };
            ask(&SourceFile {
                path: &path,
                text: &text,
                unit,
                manifests,
                question: &question,
                judge: &judge,
                goes_on: &|| !deadline.is_over(),
            })
        };
        self.with_made(extent, (row, &path, &text), find)
    }

    /// Renames the property at an offset of a CRD in the source files that the CRD is generated from, too. `None` if they don't declare it.
    pub(crate) fn rename_in_sources(
        self: &Arc<Self>,
        (snapshot, effective): (&Snapshot, &Effective),
        (document, offset): (&Document<'_>, u32),
        new_name: &str,
    ) -> Option<Result<RenamedName, String>> {
        let (path, text) = (snapshot.path()?, snapshot.content());
        let row = sources::rows().find(|it| (it.may_have_made)(&text))?;
        let index = SyncedIndex(self);
        let question = self.question_of_source(&index, &path, (effective, None));
        let rename = |manifests: &Manifests, unit: &dyn Unit| {
            let file = SourceFile {
                path: &path,
                text: &text,
                unit,
                manifests,
                question: &question,
                judge: &|_| None,
                goes_on: &|| true,
            };
            file.rename_property(document, offset, new_name)
        };
        self.with_made(Extent::Unit, (row, &path, &text), rename)?
    }

    /// The cost estimates of the rules in a source file.
    pub(crate) fn costs_of_made(self: &Arc<Self>, snapshot: &Snapshot, version: KubernetesVersion) -> Vec<Cost> {
        let (Some(path), Some(row)) = (snapshot.path(), snapshot.source()) else {
            return Vec::new();
        };
        let price = |made: &Manifests, _: &dyn Unit| made::costs(made, &path, version);
        let text = snapshot.content();
        self.with_made(Extent::File, (row, &path, &text), price)
            .unwrap_or_default()
    }

    /// The spans of the rules in a source file.
    pub(crate) fn rules_of_made(self: &Arc<Self>, snapshot: &Snapshot, version: KubernetesVersion) -> Vec<Span> {
        let (Some(path), Some(row)) = (snapshot.path(), snapshot.source()) else {
            return Vec::new();
        };
        let find = |made: &Manifests, _: &dyn Unit| made::rules(made, &path, version);
        let text = snapshot.content();
        self.with_made(Extent::File, (row, &path, &text), find)
            .unwrap_or_default()
    }

    /// Calls a function with the manifests that are generated from a file with this text and from the other open files. `None` if the file generates
    /// none.
    pub(crate) fn with_made<T>(
        self: &Arc<Self>,
        extent: Extent,
        (row, path, text): (&'static Row, &Path, &Arc<str>),
        ask: impl FnOnce(&Manifests, &dyn Unit) -> T,
    ) -> Option<T> {
        let world = Open(SyncedIndex(self));
        let unit = (row.unit)(path, text, &world)?;
        let open = self
            .open_sources(unit.root())
            .filter(|it| it.source().is_some_and(|it| it.name == row.name));
        let editions = open.filter_map(|it| Some((it.path()?, it.edition)));
        let editions: HashMap<PathBuf, u64> = editions.collect();
        self.sync();
        let epoch = self.overlays.epoch();
        let key = (row.name, unit.root().to_owned());
        // Hold the lock while generating, so that a second caller waits for the result instead of generating it again.
        let mut made = lock(&self.made.made);
        let known = made.get(&key).filter(|it| it.epoch == epoch);
        // An edit of another file may change which manifests come from this one.
        let is_alone = editions.keys().all(|it| it == path);
        let only = (extent == Extent::File && is_alone && (row.is_of)(path)).then_some(path);
        let manifests = known.map_or_else(
            || {
                Arc::new(match only {
                    Some(path) => Manifests::of_one(&*unit, path),
                    None => Manifests::new(&*unit),
                })
            },
            |known| {
                let changed = editions.iter().filter(|it| known.editions.get(it.0) != Some(it.1));
                let closed = known.editions.keys().filter(|it| !editions.contains_key(*it));
                let paths: Vec<&Path> = changed.map(|it| it.0).chain(closed).map(PathBuf::as_path).collect();
                if !known.manifests.has_all_of(only) {
                    Arc::new(known.manifests.completed(&*unit))
                } else if paths.is_empty() {
                    known.manifests.clone()
                } else {
                    Arc::new(known.manifests.again(&paths, &*unit))
                }
            },
        );
        let of = MadeOf {
            epoch,
            editions,
            manifests: manifests.clone(),
        };
        let before = made.insert(key, of);
        drop(made);
        // Free it later, so that the diagnostics do not wait for it.
        tasks::after_judging(move || drop(before));
        Some(ask(&manifests, &*unit))
    }

    /// The open source files in a folder, or at a path.
    fn open_sources(&self, below: &Path) -> impl Iterator<Item = Snapshot> {
        let all = self.documents.uris().into_iter();
        let open = all.filter_map(|it| self.documents.source_file(&it));
        open.filter(move |it| it.path().is_some_and(|it| it.starts_with(below)))
    }

    /// The manifests that are generated from a file.
    pub(crate) fn made_from(self: &Arc<Self>, of: (&'static Row, &Path, &Arc<str>)) -> Vec<Arc<Manifest>> {
        let path = of.1;
        let find = |made: &Manifests, _: &dyn Unit| made.manifests(path).cloned().collect();
        self.with_made(Extent::File, of, find).unwrap_or_default()
    }

    /// The text of a CRD that is generated from a source file of the workspace. `None` if no CRD with this name is generated from it.
    pub(crate) fn made_crd(self: &Arc<Self>, row: &'static Row, path: &Path, name: &str) -> Option<Arc<str>> {
        let is_of_workspace = self.folders().iter().any(|it| path.starts_with(it));
        let text: Arc<str> = match self.documents.at(path) {
            Some(open) => open.content(),
            None if is_of_workspace => String::from_utf8(read::found(path).ok()?).ok()?.into(),
            None => return None,
        };
        let is_it = |text: &Arc<str>| definitions("", text).iter().any(|it| it.name == name);
        let find = |made: &Manifests, _: &dyn Unit| {
            let mut texts = made.manifests(path).map(|it| it.text.clone());
            texts.find(is_it)
        };
        self.with_made(Extent::File, (row, path, &text), find)?
    }

    /// The manifest that contains the string at a byte offset of a source file, and the offset in the manifest.
    pub(crate) fn made_at(
        self: &Arc<Self>,
        of: (&'static Row, &Path, &Arc<str>),
        offset: u32,
    ) -> Option<(Arc<Manifest>, u32)> {
        let path = of.1;
        let spot = |it: &Manifest| it.spot(path, offset);
        let find = |made: &Manifests, unit: &dyn Unit| {
            let written = made.manifests(path).find_map(|it| Some((it.clone(), spot(it)?)));
            written.or_else(|| {
                let mut begun = made.begun(path, unit);
                begun.find_map(|it| {
                    let spot = spot(&it)?;
                    Some((Arc::new(it), spot))
                })
            })
        };
        self.with_made(Extent::File, of, find)?
    }
}

/// Gives source languages access to files and CRDs in the language server.
struct Open<'s>(SyncedIndex<'s>);

impl World for Open<'_> {
    fn go(&self) -> Option<&dyn GoSources> {
        Some(&self.0.0.go)
    }

    fn crds(&self) -> Vec<Arc<KnownCrd>> {
        self.0.0.workspace.catalog.with(Index::own_crds)
    }

    fn copies(&self, of: &KnownCrd) -> Vec<Arc<KnownCrd>> {
        self.0.0.workspace.catalog.with(|it| it.copies(of))
    }

    fn files(&self) -> &dyn Files {
        self.0.files()
    }

    fn open(&self, below: &Path) -> Vec<(PathBuf, Arc<str>)> {
        let open = self.0.0.open_sources(below);
        open.filter_map(|it| Some((it.path()?, it.content()))).collect()
    }
}
