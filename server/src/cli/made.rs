//! The manifests that are generated from source files, once in a run.

use std::{
    cell::LazyCell,
    collections::{BTreeSet, HashMap, HashSet},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use crd_analyzer_ide::made::SourceFile;
use crd_analyzer_io::go::GoSources;
use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::{
    codes::STALE_CRD,
    config::Config,
    findings::finding::{Class, Finding},
    findings::report::FileReport,
    index::{Definitions as _, Files, GroupKind, KnownCrd},
    judging::analysis::Question,
    sources::generated,
    sources::{self, MissingPackages, Row, Unit, WithText, World, made::Manifests},
};

use super::definitions::RunCrds;

/// The language of a unit, and its folder or file.
type UnitKey = (&'static str, PathBuf);

/// The generated manifests of each unit.
#[derive(Default)]
pub(super) struct MadeOfRun {
    units: Mutex<HashMap<UnitKey, Arc<UnitOfRun>>>,
    kinds: Mutex<Kinds>,
    /// The files that contain the repository's own CRDs.
    own: OnceLock<HashSet<Arc<Path>>>,
}

/// What is generated from a unit.
#[derive(Default)]
struct UnitOfRun {
    made: OnceLock<Manifests>,
    missing: OnceLock<Vec<MissingPackages>>,
}

impl UnitOfRun {
    /// The manifests of the unit, compared with the CRDs of the repository. The first caller generates them.
    fn manifests(&self, unit: &dyn Unit) -> &Manifests {
        self.made.get_or_init(|| {
            let made = Manifests::new(unit);
            made.compare(unit);
            made
        })
    }

    fn missing(&self, unit: &dyn Unit) -> &[MissingPackages] {
        self.missing.get_or_init(|| unit.missing())
    }
}

/// The kinds that the source files of a run declare.
#[derive(Clone, Default)]
pub(super) struct Kinds {
    /// The CRDs that were checked in their generated form, because the files of the run do not contain them.
    pub(super) crds: BTreeSet<String>,
    /// The kinds without a CRD, each with the name of its folder.
    pub(super) without_crd: BTreeSet<String>,
    /// The kinds whose CRD in the repository was not generated from their types, each with the name of its folder.
    pub(super) not_generated: BTreeSet<String>,
    /// Those of `crds` that need types that are not on this machine.
    pub(super) in_part: BTreeSet<String>,
    /// The packages that the kinds need and that are not on this machine.
    pub(super) missing: BTreeSet<MissingPackages>,
}

impl MadeOfRun {
    /// Adds the problems of the generated manifests that come from a file to the report about the file.
    pub(super) fn complete(
        &self,
        path: &Path,
        report: &mut FileReport,
        config: &Config,
        (question, go, known): (&Question<'_>, &GoSources, &RunCrds),
    ) {
        let world = Run { go, known };
        let Some(row) = sources::of(path) else {
            // This check reads all packages, so it is skipped if the configuration hides the diagnostic.
            if tells_older(config) {
                self.in_crd(path, &report.text.clone(), &world, |made, _| {
                    made.tell_older((path, report), question);
                });
            }
            return;
        };
        let Some(unit) = (row.unit)(path, &report.text, &world) else {
            return;
        };
        let of_unit = self.of(row, &*unit);
        let made = of_unit.manifests(&*unit);
        let mut kinds = self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
        let is_told = |it: &Arc<KnownCrd>| known.is_checked(&it.path);
        let checked = made.kinds(path).filter(|it| !it.1.is_some_and(is_told));
        let checked: Vec<&GroupKind> = checked.map(|it| it.0).collect();
        let name = |it: &GroupKind| format!("{}/{}", it.group, it.kind);
        kinds.crds.extend(checked.iter().map(|it| name(it)));
        let in_part: Vec<&GroupKind> = made.in_part(path).filter(|it| checked.contains(it)).collect();
        kinds.in_part.extend(in_part.iter().map(|it| name(it)));
        let folder = path.parent().and_then(Path::file_name).unwrap_or_default().display();
        let has_crd = |kind: &String| made.kinds(path).any(|it| it.0.kind == *kind);
        let not_made = unit.kinds(path).into_iter().filter(|it| !has_crd(it));
        let crds = LazyCell::new(|| world.crds());
        // A script may have changed the case of the kind.
        let is_found = |kind: &String| crds.iter().any(|it| it.defines.kind.eq_ignore_ascii_case(kind));
        let (found, without): (Vec<String>, Vec<String>) = not_made.partition(is_found);
        let named = |kind: &String| format!("{folder}.{kind}");
        kinds.not_generated.extend(found.iter().map(named));
        kinds.without_crd.extend(without.iter().map(named));
        drop(kinds);
        if !(without.is_empty() && in_part.is_empty()) {
            // This generates the CRDs again, so do not hold the lock.
            let missing = of_unit.missing(&*unit).to_vec();
            let mut kinds = self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
            kinds.missing.extend(missing);
        }
        let shows = |code| shows(config, code);
        made.complete(row, (path, report), (question, |it| known.is_checked(it), &shows));
    }

    /// Calls `ask` for a CRD of the repository. The arguments include the manifests generated from source files.
    fn in_crd(&self, path: &Path, text: &Arc<str>, world: &Run<'_>, mut ask: impl FnMut(&Manifests, &dyn Unit)) {
        for row in sources::rows().filter(|it| (it.may_have_made)(text)) {
            let own = || world.crds().iter().map(|it| it.path.clone()).collect();
            if !self.own.get_or_init(own).contains(path) {
                return;
            }
            if let Some(unit) = (row.unit)(path, text, world) {
                ask(self.of(row, &*unit).manifests(&*unit), &*unit);
            }
        }
    }

    /// The kinds of the files that were checked.
    pub(super) fn kinds(&self) -> Kinds {
        self.kinds.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The packages that the kinds of a source file's unit need and that are not on this machine.
    pub(super) fn missing(&self, path: &Path, (go, known): (&GoSources, &RunCrds)) -> Vec<MissingPackages> {
        let world = Run { go, known };
        let unit = sources::of(path).and_then(|row| Some((row, (row.unit)(path, &"".into(), &world)?)));
        unit.map_or_else(Vec::new, |(row, unit)| self.of(row, &*unit).missing(&*unit).to_vec())
    }

    fn of(&self, row: &Row, unit: &dyn Unit) -> Arc<UnitOfRun> {
        let mut all = self.units.lock().unwrap_or_else(PoisonError::into_inner);
        all.entry((row.name, unit.root().to_owned())).or_default().clone()
    }
}

/// Whether the configuration shows the diagnostic for a CRD that is older than its source.
pub(super) fn tells_older(config: &Config) -> bool {
    shows(config, STALE_CRD)
}

/// Whether the configuration shows the diagnostics with a code.
fn shows(config: &Config, code: &'static str) -> bool {
    config
        .apply(Finding::new(Class::Hint, code, Span::default(), ""))
        .is_some()
}

/// The context for generating manifests from the files of a run.
#[derive(Clone, Copy)]
pub(super) struct Making<'a> {
    /// The manifests generated so far.
    pub(super) made: &'a MadeOfRun,
    /// The Go types. `None` if the files are not the files on disk.
    pub(super) go: Option<&'a GoSources>,
    /// The CRDs of the run.
    pub(super) known: &'a RunCrds,
}

impl Making<'_> {
    /// Generates an outdated CRD again. `None` if the CRD is up to date.
    pub(super) fn rewritten(&self, path: &Path, text: &Arc<str>) -> Option<String> {
        let world = Run {
            go: self.go?,
            known: self.known,
        };
        let mut rewritten = None;
        let ask =
            |made: &Manifests, unit: &dyn Unit| rewritten = rewritten.take().or_else(|| made.rewritten(path, unit));
        self.made.in_crd(path, text, &world, ask);
        rewritten
    }

    /// Asks for fixes of problems in the manifests generated from a source file. `is_edited` is set if the text differs from the file on disk. `None`
    /// if no manifests are generated from the file.
    pub(super) fn ask<T>(
        &self,
        (path, text, is_edited): (&Path, &Arc<str>, bool),
        question: &Question<'_>,
        ask: impl FnOnce(&SourceFile<'_>, &FileReport) -> T,
    ) -> Option<T> {
        let row = sources::of(path)?;
        let world = Run {
            go: self.go?,
            known: self.known,
        };
        let edited = WithText {
            world: &world,
            path,
            text,
        };
        let mut unit = (row.unit)(path, text, &world)?;
        let on_disk = self.made.of(row, &*unit);
        let mut made = on_disk.manifests(&*unit);
        let again;
        if is_edited {
            unit = (row.unit)(path, text, &edited)?;
            again = made.again(&[path], &*unit);
            again.compare(&*unit);
            made = &again;
        }
        let mut report = (row.report)(text, path, question);
        made.complete(
            row,
            (path, &mut report),
            (question, |it: &Path| self.known.is_checked(it), &|_| false),
        );
        let judge = |text: &Arc<str>| {
            let world = WithText {
                world: &world,
                path,
                text,
            };
            Some(sources::judge(row, (path, text), &world, Some(made), question))
        };
        let file = SourceFile {
            path,
            text,
            unit: &*unit,
            manifests: made,
            question,
            judge: &judge,
            goes_on: &|| true,
        };
        Some(ask(&file, &report))
    }
}

/// The files of a run, without an editor's unsaved changes.
struct Run<'a> {
    go: &'a GoSources,
    known: &'a RunCrds,
}

impl World for Run<'_> {
    fn go(&self) -> Option<&dyn generated::GoSources> {
        Some(self.go)
    }

    fn crds(&self) -> Vec<Arc<KnownCrd>> {
        self.known.own_crds()
    }

    fn files(&self) -> &dyn Files {
        self.known.files()
    }

    fn open(&self, _: &Path) -> Vec<(PathBuf, Arc<str>)> {
        Vec::new()
    }
}
