//! One input of `check`, judged.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_compat::Policy;
use crd_analyzer_ide::fixes::Fix;
use crd_analyzer_io::{
    git,
    go::GoSources,
    go_tests::GoTests,
    kustomize::{Disk, Kustomizations},
    nearby_tests::NearbyTests,
    read::{self, Access},
    roots,
    scripts::Scripts,
    source_ignore,
};
use crd_analyzer_workspace::{
    builds::flux::{Flux, FluxFiles, MayHold, TEXT_BYTES},
    builds::kustomize::FILE_NAMES,
    builds::overlay::{Files, FluxFolders, Overlays, is_kustomization},
    comparison::breaking::Compatibility,
    config::Config,
    config::versions::VersionSet,
    filled_in::completed::completed,
    findings::report::FileReport,
    index::Definitions,
    judging::analysis::{Old, Question, analyze},
    judging::hazards::Search,
    judging::lints::Lints,
    roles::{Aside, Judgement},
};
use rayon::prelude::*;

use super::{
    UsageError,
    definitions::RunCrds,
    exceptions::Exceptions,
    fix,
    made::{MadeOfRun, Making},
};
use crate::{
    input::{self, Input, Source, Unreadable},
    output::Fixable,
};

/// What became of one input.
pub(super) enum Judged {
    Report {
        report: Box<FileReport>,
        /// The revision to compare with does not have the file.
        is_new: bool,
        /// Fixes, if the output format needs them.
        fixes: Vec<Fix>,
        /// What fixes would do, if the output format says so.
        fixable: Fixable,
        /// What each document is to the repository, if the output format says so.
        roles: Vec<Judgement>,
        /// The file is the base of a kustomization that could not be built to the end.
        is_base: bool,
    },
    Unreadable(Unreadable),
    /// The file is one that `crd-analyzer test` runs.
    TestFile,
}

/// Whether a file is one that `crd-analyzer test` runs: what is in it is wrong on purpose.
fn is_test_file(path: &Path, bytes: &[u8]) -> bool {
    crd_analyzer_suite::may_be_suite(path)
        && std::str::from_utf8(bytes).is_ok_and(|text| crd_analyzer_suite::is_suite(path, &text.into()))
}

/// What is wanted of the fixes of a file.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    /// What an API server makes of custom resources.
    pub(super) effective: bool,
    /// What each document is to the repository.
    pub(super) roles: bool,
    /// The fixes.
    pub(super) fixes: bool,
    /// Their number.
    pub(super) fixable: bool,
}

/// What files are judged by, besides CRDs.
pub(super) struct Beside {
    /// Go types; `None` if the manifests are not those on disk.
    pub(super) go: Option<GoSources>,
    /// The manifests that source files are made into.
    pub(super) made: MadeOfRun,
    pub(super) kustomizations: Kustomizations,
    pub(super) go_tests: GoTests,
    pub(super) scripts: Scripts,
    /// What the kustomizations among the files build; `None` where files are compared with older ones.
    pub(super) overlays: Option<Overlays>,
    /// See [`Question::requires_crds`].
    pub(super) requires_crds: bool,
    /// What is named and cannot be checked is accepted.
    pub(super) allows_unchecked: bool,
    /// A person asks about files. Requests of a list are questions to a server.
    pub(super) is_asked: bool,
    /// What the changes of CRDs must not do, if that is asked.
    pub(super) compat: Option<Policy>,
    /// Which of the changes are allowed.
    pub(super) exceptions: Exceptions,
    /// Data that only tests read fails the run like any file.
    pub(super) fails_test_data: bool,
}

impl Beside {
    /// How manifests are made of source files.
    pub(super) fn making<'a>(&'a self, known: &'a RunCrds) -> Making<'a> {
        Making {
            made: &self.made,
            go: self.go.as_ref().filter(|_| self.is_asked),
            known,
        }
    }

    /// Whether a file holds parts of objects.
    pub(super) fn is_part(&self, input: &Input, path: &Path, config: &Config) -> bool {
        self.is_patch(input, path, config) || self.is_base(input, path, config)
    }

    /// Whether a file holds parts of objects that something else completes.
    fn is_patch(&self, input: &Input, path: &Path, config: &Config) -> bool {
        self.is_asked
            && input
                .file()
                .is_some_and(|(_, access)| config.is_partial(path) || self.kustomizations.is_part(path, &access))
    }

    /// Whether a file holds whole objects, which something completes that could not be built.
    fn is_base(&self, input: &Input, path: &Path, config: &Config) -> bool {
        let is_open = || self.overlays.as_ref().is_some_and(|it| it.is_open(path));
        self.is_asked && input.file().is_some() && is_open() && !self.is_patch(input, path, config)
    }
}

impl Beside {
    /// Why the errors of a file do not fail the run, if they do not.
    pub(super) fn aside(&self, input: &Input, path: &Path, report: &FileReport, known: &RunCrds) -> Option<Aside> {
        let (_, access) = input.file().filter(|_| self.is_asked)?;
        let aside = Aside::of(report, path, known.catalog(), &self.tests(&access));
        aside.filter(|it| !(self.fails_test_data && matches!(it, Aside::TestData(_))))
    }

    /// What tests say of a file that is read like this.
    pub(super) fn tests<'a>(&'a self, access: &'a Access) -> NearbyTests<'a> {
        NearbyTests {
            kustomizations: &self.kustomizations,
            go: &self.go_tests,
            scripts: &self.scripts,
            access,
        }
    }

    /// Whether a test of chainsaw uses a file.
    fn has_expressions(&self, input: &Input, path: &Path) -> bool {
        let access = input.file().filter(|_| self.is_asked).map(|it| it.1);
        access.is_some_and(|access| self.kustomizations.is_of_chainsaw(path, &access))
    }
}

/// What the kustomizations among the inputs build, each from the files that its own folder gives access to.
/// `flux_files`: which of them may say something to Flux, if they were looked into. `revision`: the earlier files, if the question is one about
/// updates.
pub(super) fn overlays(
    inputs: &[Input],
    flux_files: Option<&FluxFiles>,
    revision: Option<&Arc<git::Revision>>,
) -> Overlays {
    let earlier = revision.map(|it| Disk {
        access: Access::Elsewhere(it.clone()),
    });
    let now = flux(inputs, flux_files);
    let manifests = if now.has_kustomizations() {
        let files = inputs.iter().filter_map(|it| Some((it.place().ok()?, it.file()?.1)));
        source_ignore::known_to_flux(files)
    } else {
        Vec::new()
    };
    let manifests: Vec<&Path> = manifests.iter().map(PathBuf::as_path).collect();
    let disks = disks(&now, inputs);
    let around = |file: &Path| disks.get(file).map(|it| it as &dyn Files);
    let of_flux = FluxFolders::new(&now, &manifests, |it| around(it.file), around);
    let earlier = earlier.as_ref().map(|it| it as &dyn Files);
    let overlays = Overlays::since(&folders(inputs), Some(&of_flux), earlier);
    let before = if revision.is_none() || now.is_empty() {
        Flux::default()
    } else {
        old_flux(inputs)
    };
    overlays.with_flux(Arc::new(now)).with_old_flux(before)
}

/// How the files are read that the Kustomizations of Flux among the inputs may name, by the files of the Kustomizations.
fn disks(flux: &Flux, inputs: &[Input]) -> BTreeMap<PathBuf, Disk> {
    let wanted: BTreeSet<&Path> = flux.files().collect();
    if wanted.is_empty() {
        return BTreeMap::new();
    }
    let disk = |input: &Input| {
        let (_, access) = input.file()?;
        let place = input.place().ok().filter(|it| wanted.contains(it.as_path()))?;
        let access = match access {
            Access::Within(_) | Access::Elsewhere(_) => access,
            Access::Named => input::found_in(place.parent()?),
        };
        Some((place, Disk { access }))
    };
    inputs.iter().filter_map(disk).collect()
}

/// The inputs that the kustomizations among them change, where these are not built.
pub(super) fn not_built(inputs: &[Input]) -> Vec<&Input> {
    let is_named = |it: &Input| it.file().is_some_and(|(path, _)| is_kustomization(path));
    if !inputs.iter().any(is_named) {
        return Vec::new();
    }
    let overlays = Overlays::new(&folders(inputs));
    let changed = overlays.changed_files();
    let is_changed = |it: &&Input| it.file().is_some() && it.place().is_ok_and(|it| changed.contains(it.as_path()));
    inputs.iter().filter(is_changed).collect()
}

/// The folders with a kustomization among the inputs, each with the files that the kustomization may name.
fn folders(inputs: &[Input]) -> Vec<(PathBuf, Disk)> {
    let (mut folders, mut asked) = (BTreeMap::new(), HashSet::new());
    for input in inputs {
        if let (Some((path, access)), Ok(place)) = (input.file(), input.place())
            && let Some(folder) = place.parent()
            && !folders.contains_key(folder)
        {
            // The walk leaves out files without an ending.
            if is_kustomization(path)
                || asked.insert(folder.to_owned())
                    && read::kind(&folder.join(FILE_NAMES[2]), &access).is_ok_and(|it| it.0 == read::Kind::File)
            {
                let access = match access {
                    Access::Within(_) | Access::Elsewhere(_) => access,
                    Access::Named => input::found_in(folder),
                };
                folders.insert(folder.to_owned(), Disk { access });
            }
        }
    }
    folders.into_iter().collect()
}

/// What the Kustomizations of Flux among the inputs substitute.
fn flux(inputs: &[Input], files: Option<&FluxFiles>) -> Flux {
    let mut flux = Flux::default();
    let may_be = |place: &Path, is_wanted: fn(MayHold) -> bool| files.is_none_or(|it| is_wanted(it.of(place)));
    add_to(&mut flux, inputs, |it| may_be(it, |it| it.kustomizations), Flux::is_in);
    if !flux.is_empty() {
        add_to(
            &mut flux,
            inputs,
            |it| may_be(it, |it| it.config_maps && !it.kustomizations),
            |text| Flux::may_be_config_map(text) && !Flux::is_in(text),
        );
    }
    flux
}

/// What the Kustomizations of Flux substituted in what the inputs replace.
fn old_flux(inputs: &[Input]) -> Flux {
    let read = |input: &Input| {
        let text = input::read(input.old.as_ref()?).ok()??;
        let text = String::from_utf8(text)
            .ok()
            .filter(|it| it.len() as u64 <= TEXT_BYTES)?;
        Some((input.place().ok()?, text))
    };
    let mut flux = Flux::default();
    let is_wanted = |it: &(PathBuf, String)| Flux::is_in(&it.1) || Flux::may_be_config_map(&it.1);
    let all: Vec<_> = inputs.par_iter().filter_map(read).filter(is_wanted).collect();
    add_texts(&mut flux, all);
    flux
}

/// Adds what the files hold whose text is of interest. `may_be`: whether a file is worth reading.
fn add_to(
    flux: &mut Flux,
    inputs: &[Input],
    may_be: impl Fn(&Path) -> bool + Sync,
    is_wanted: impl Fn(&str) -> bool + Sync,
) {
    let read = |input: &Input| {
        let (path, access) = input.file()?;
        let place = input.place().ok()?;
        if !may_be(&place) || !read::can_be_read_again(&place, &access) {
            return None;
        }
        let text = read::text(path, &access, TEXT_BYTES).ok()?;
        is_wanted(&text).then_some((place, text))
    };
    add_texts(flux, inputs.par_iter().filter_map(read).collect());
}

/// Adds what texts say, each with the path of its file.
fn add_texts(flux: &mut Flux, texts: Vec<(PathBuf, String)>) {
    let mut roots = HashMap::new();
    for (place, text) in texts {
        let folder = place.parent().unwrap_or(&place);
        // Sources of Flux are repositories. Who works without git stands where the repository would begin.
        let root = roots.entry(folder.to_owned()).or_insert_with(|| {
            let current = || std::env::current_dir().unwrap_or_else(|_| folder.to_owned());
            roots::repository(folder).unwrap_or_else(current)
        });
        flux.add(&place, root, &text.into());
    }
}

/// Judges one input.
pub(super) fn judge(
    input: &Input,
    (versions, config): (VersionSet, &Config),
    known: &RunCrds,
    (hazards, lints): (Search<'_>, Lints),
    beside: &Beside,
    wants: Wanted,
) -> anyhow::Result<Judged> {
    let unreadable = |error: anyhow::Error| Ok(Judged::Unreadable(input.unreadable(&error)));
    let text = match input::read(&input.source) {
        Ok(text) => text.unwrap_or_default(),
        Err(error) => return unreadable(error),
    };
    if input.file().is_some_and(|(path, _)| is_test_file(path, &text)) {
        return Ok(Judged::TestFile);
    }
    let old = match input.old.as_ref().map(input::read).transpose() {
        Ok(old) => old.flatten(),
        // A revision that does not exist is the caller's mistake, and the same for every file.
        Err(error) if error.is::<UsageError>() => return Err(error),
        Err(error) => return unreadable(error.context("the previous revision")),
    };
    let paired = match input.definition.as_ref().map(|it| known.paired(it)).transpose() {
        Ok(paired) => paired,
        Err(error) => return unreadable(error.context("its definition")),
    };
    let path = input.place()?;
    // Standard input is what a tool prints: all sorts of objects.
    let is_file = matches!(input.source, Source::File(..));
    let question = Question {
        path: Some(&path),
        definitions: Some(paired.as_deref().map_or(known as &dyn Definitions, |it| it)),
        has_own_crd: paired.is_some(),
        named: input.named && !(beside.allows_unchecked && is_file),
        fails_unchecked: beside.is_asked && input.named && is_file && !beside.allows_unchecked,
        old: old.as_deref().map(|text| Old {
            text,
            is_paired: !matches!(input.old, Some(Source::Git { .. })),
        }),
        go: beside.go.as_ref().map(|it| it as _),
        markers: Some(&config.markers),
        hazards,
        lints,
        requires_crds: beside.requires_crds || config.requires_crds,
        is_completed: beside.is_asked,
        is_part: beside.is_part(input, &path, config),
        has_expressions: beside.has_expressions(input, &path),
        compatibility: beside.compat.map(|policy| Compatibility {
            policy,
            exceptions: Some(&beside.exceptions),
        }),
        overlays: beside.overlays.as_ref().map(|it| it as _),
        wants_effective: wants.effective,
        ..Question::new(versions)
    };
    let mut report = analyze(text, &question);
    let access = input.file().filter(|_| beside.is_asked).map(|it| it.1);
    let again = access.and_then(|access| completed(&report, &path, &question, &beside.tests(&access)));
    let question = again.unwrap_or(question);
    if again.is_some() {
        report = analyze(report.text.as_bytes().to_vec(), &question);
    }
    // Of what needs a search nothing is repaired.
    let again = Question {
        hazards: Search::Off,
        ..question
    };
    // Repairs are those of the file as it is written.
    report.aside = beside.aside(input, &path, &report, known);
    let making = beside.making(known);
    let fixable = if wants.fixable && question.old.is_none() && report.aside.is_none() {
        fix::fixable(&report, config, (&again, Some(&making)))
    } else {
        Fixable::default()
    };
    if let Some(overlays) = &beside.overlays {
        overlays.complete(&path, &mut report, &question);
        report.aside = beside.aside(input, &path, &report, known);
    }
    if let Some(go) = beside.go.as_ref().filter(|_| beside.is_asked) {
        beside.made.complete(&path, &mut report, config, (&question, go, known));
    }
    if let Some((_, access)) = input.file().filter(|_| question.has_expressions && old.is_none()) {
        report.look_for_expected_error(&path, &beside.tests(&access));
    }
    let fixes = if wants.fixes && report.aside.is_none() {
        fix::offered(&report, config, (&again, Some(&making)))
    } else {
        Vec::new()
    };
    let has_roles = wants.roles && beside.is_asked && input.file().is_some();
    let roles = known.catalog().with(|index| {
        let documents = report.documents.iter().filter(|_| has_roles);
        let role = |it| Judgement::of_document(index, &path, it, report.aside.as_ref());
        documents.map(role).collect()
    });
    Ok(Judged::Report {
        roles,
        is_new: old.is_none() && matches!(input.old, Some(Source::Git { .. })),
        report: Box::new(report),
        fixes,
        fixable,
        is_base: beside.is_base(input, &path, config),
    })
}
