//! Checks one input of `check`.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_compat::Policy;
use crd_analyzer_ide::fixes::Fix;
use crd_analyzer_io::{
    charts::Charts,
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
    charts::chart::{self, Chart},
    charts::checked::CheckedTemplates,
    comparison::breaking::Compatibility,
    config::Config,
    config::versions::VersionSet,
    filled_in::completed::completed,
    findings::report::FileReport,
    index::Definitions,
    judging::analysis::{Around, Old, Question, Update, Wants, analyze},
    judging::hazards::Search,
    judging::lints::Lints,
    roles::{Aside, Judgement, Use, Uses},
    sources::earlier::Replaced,
};
use rayon::prelude::*;

use super::{
    UsageError,
    definitions::RunCrds,
    earlier::EarlierOfRun,
    exceptions::Exceptions,
    fix,
    made::{MadeOfRun, Making},
};
use crate::{
    input::{self, Input, Source, Unreadable},
    output::Fixable,
};

/// The result for one input.
pub(super) enum Judged {
    Report {
        report: Box<FileReport>,
        /// Whether the file is missing in the older revision.
        is_new: bool,
        /// The fixes, if the output format needs them.
        fixes: Vec<Fix>,
        /// The number of fixes, if the output format shows it.
        fixable: Fixable,
        /// The role of each document in the repository, if the output format shows it.
        roles: Vec<Judgement>,
        /// Whether the file is the base of a kustomization that could not be built completely.
        is_base: bool,
    },
    Unreadable(Unreadable),
    /// A test file of `crd-analyzer test`, which is not checked.
    TestFile,
}

/// Whether an input is a test file of `crd-analyzer test`, which contains errors on purpose.
pub(super) fn is_test_file(input: &Input, bytes: &[u8]) -> bool {
    let is_suite = |text: &str, path: &Path| crd_analyzer_suite::is_suite(path, &text.into());
    input.file().is_some_and(|(path, _)| {
        crd_analyzer_suite::may_be_suite(path) && std::str::from_utf8(bytes).is_ok_and(|text| is_suite(text, path))
    })
}

/// Like [`is_test_file`], for a file that was not read yet.
pub(super) fn is_test_file_on_disk(input: &Input) -> bool {
    let may_be = input
        .file()
        .is_some_and(|(path, _)| crd_analyzer_suite::may_be_suite(path));
    may_be && input::read(&input.source).is_ok_and(|it| is_test_file(input, &it.unwrap_or_default()))
}

/// What the tools of the repository do with an input, without a kustomization that could not be built.
pub(super) fn uses_of(input: &Input, path: &Path, config: &Config, known: &Kustomizations) -> Uses<'static> {
    match input.file() {
        None => Uses::COMPLETED,
        Some((_, access)) => {
            let uses = known.uses(path, &access);
            uses.with_if(Use::Part, config.is_partial(path))
        }
    }
}

/// The optional parts of a result that the output needs.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    /// Whether to return the custom resources as the API server stores them.
    pub(super) effective: bool,
    /// Whether to return the role of each document in the repository.
    pub(super) roles: bool,
    /// Whether to return the fixes.
    pub(super) fixes: bool,
    /// Whether to count the fixes.
    pub(super) fixable: bool,
}

/// The context of a file apart from CRDs: Go types, kustomizations, tests and options.
pub(super) struct Beside {
    /// The Go types. `None` if the manifests are not the files on disk.
    pub(super) go: Option<GoSources>,
    /// The manifests generated from source files.
    pub(super) made: MadeOfRun,
    /// The CRDs that the manifests of source files would replace. `None` without `--old-ref`.
    pub(super) earlier: Option<EarlierOfRun>,
    pub(super) kustomizations: Kustomizations,
    pub(super) charts: Charts,
    pub(super) checked_templates: CheckedTemplates,
    pub(super) go_tests: GoTests,
    pub(super) scripts: Scripts,
    /// The results of the kustomizations among the files. `None` if the files are compared with older versions.
    pub(super) overlays: Option<Overlays>,
    /// See [`Around::requires_crds`].
    pub(super) requires_crds: bool,
    /// Whether to accept named files that cannot be checked.
    pub(super) allows_unchecked: bool,
    /// Whether a person requested the check. `false` for requests of a list, which only ask for the API server's answer.
    pub(super) is_asked: bool,
    /// The policy that changes of CRDs must follow, with `--compat`.
    pub(super) compat: Option<Policy>,
    /// The allowed exceptions to the policy.
    pub(super) exceptions: Exceptions,
    /// Whether errors in test data fail the run in the same way as other errors.
    pub(super) fails_test_data: bool,
}

/// The Helm charts of a run.
struct ChartsOfRun<'a> {
    charts: &'a Charts,
    checked: &'a CheckedTemplates,
    access: Access,
    known: &'a RunCrds,
}

impl chart::Charts for ChartsOfRun<'_> {
    fn of(&self, template: &Path) -> Option<Arc<Chart>> {
        self.charts.of(template, &self.access)
    }

    fn shows(&self, path: &Path) -> bool {
        self.known.is_checked(path)
    }

    fn checked_templates(&self) -> Option<&CheckedTemplates> {
        Some(self.checked)
    }
}

impl Beside {
    /// The context for generating manifests from source files.
    pub(super) fn making<'a>(&'a self, known: &'a RunCrds) -> Making<'a> {
        Making {
            made: &self.made,
            go: self.go.as_ref().filter(|_| self.is_asked),
            known,
        }
    }

    /// What the tools of the repository do with a file.
    pub(super) fn uses(&self, input: &Input, path: &Path, config: &Config) -> Uses<'static> {
        let known = self.known_uses(input, path, config);
        known.with_if(Use::Part, self.is_base(input, path, known))
    }

    /// What the tools of the repository do with a file, without a kustomization that could not be built.
    fn known_uses(&self, input: &Input, path: &Path, config: &Config) -> Uses<'static> {
        if self.is_asked {
            uses_of(input, path, config, &self.kustomizations)
        } else {
            Uses::default()
        }
    }

    /// Whether a file with these known uses contains objects for a kustomization that could not be built.
    fn is_base(&self, input: &Input, path: &Path, known: Uses<'_>) -> bool {
        let is_open = || self.overlays.as_ref().is_some_and(|it| it.is_open(path));
        self.is_asked && input.file().is_some() && !known.has(Use::Part) && is_open()
    }
}

impl Beside {
    /// The reason why errors in a file do not fail the run, if any.
    pub(super) fn aside(&self, input: &Input, path: &Path, report: &FileReport, known: &RunCrds) -> Option<Aside> {
        let (_, access) = input.file().filter(|_| self.is_asked)?;
        let aside = Aside::of(report, path, known.catalog(), &self.tests(&access));
        aside.filter(|it| !(self.fails_test_data && matches!(it, Aside::TestData(_))))
    }

    /// The tests near a file, read with the given access.
    pub(super) fn tests<'a>(&'a self, access: &'a Access) -> NearbyTests<'a> {
        NearbyTests {
            kustomizations: &self.kustomizations,
            go: &self.go_tests,
            scripts: &self.scripts,
            access,
        }
    }
}

/// Builds the kustomizations among the inputs and those in the folders `around`. Each kustomization reads only files that the access of its own folder
/// allows. `flux_files` lists the files that may matter to Flux, if they are known. With `revision`, the inputs are compared with that revision.
pub(super) fn overlays(
    (inputs, around): (&[Input], &[(PathBuf, Disk)]),
    flux_files: Option<&FluxFiles>,
    revision: Option<&Arc<git::Revision>>,
) -> Overlays {
    let earlier = revision.map(|it| Disk::new(Access::Elsewhere(it.clone())));
    let now = flux(inputs, flux_files);
    let manifests = if now.has_kustomizations() {
        let files = inputs.iter().filter_map(|it| Some((it.place().ok()?, it.file()?.1)));
        source_ignore::known_to_flux(files)
    } else {
        Vec::new()
    };
    let manifests: Vec<&Path> = manifests.iter().map(PathBuf::as_path).collect();
    let disk = Disk::new(Access::Named);
    let disks = disks(&now, inputs, &disk);
    let of_file = |file: &Path| disks.get(file).map(|it| it as &dyn Files);
    let of_flux = FluxFolders::new(&now, &manifests, |it| of_file(it.file()), of_file);
    let earlier = earlier.as_ref().map(|it| it as &dyn Files);
    let mut folders = folders(inputs, &disk);
    let known: HashSet<PathBuf> = folders.iter().map(|it| it.0.clone()).collect();
    folders.extend(around.iter().filter(|it| !known.contains(&it.0)).cloned());
    let checked: HashSet<PathBuf> = inputs.iter().filter_map(|it| it.file().and(it.place().ok())).collect();
    let is_checked = |it: &Path| checked.contains(it);
    let overlays = Overlays::since(&folders, Some(&of_flux), earlier, Some(&is_checked));
    let before = if revision.is_none() || now.is_empty() {
        Flux::default()
    } else {
        old_flux(inputs)
    };
    let overlays = overlays.with_old_flux(before);
    match std::env::current_dir() {
        Ok(current) => overlays.named_from(current),
        Err(_) => overlays,
    }
}

/// The file access of each Flux Kustomization among the inputs, by the file of the Kustomization.
fn disks(flux: &Flux, inputs: &[Input], all: &Disk) -> BTreeMap<PathBuf, Disk> {
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
        Some((place, all.with(access)))
    };
    inputs.iter().filter_map(disk).collect()
}

/// The inputs that a kustomization changes, in a run that does not build kustomizations.
pub(super) fn not_built(inputs: &[Input]) -> Vec<&Input> {
    let is_named = |it: &Input| it.file().is_some_and(|(path, _)| is_kustomization(path));
    if !inputs.iter().any(is_named) {
        return Vec::new();
    }
    let overlays = Overlays::new(&folders(inputs, &Disk::new(Access::Named)));
    let changed = overlays.changed_files();
    let is_changed = |it: &&Input| it.file().is_some() && it.place().is_ok_and(|it| changed.contains(it.as_path()));
    inputs.iter().filter(is_changed).collect()
}

/// The folders that contain inputs and a kustomization, each with the files that the kustomization may name.
fn folders(inputs: &[Input], all: &Disk) -> Vec<(PathBuf, Disk)> {
    let (mut folders, mut asked) = (BTreeMap::new(), HashSet::new());
    for input in inputs {
        if let (Some((path, access)), Ok(place)) = (input.file(), input.place())
            && let Some(folder) = place.parent()
            && !folders.contains_key(folder)
        {
            // The file walk skips files without an extension, so files named `kustomization` are searched separately.
            if is_kustomization(path)
                || asked.insert(folder.to_owned())
                    && read::kind(&folder.join(FILE_NAMES[2]), &access).is_ok_and(|it| it.0 == read::Kind::File)
            {
                let access = match access {
                    Access::Within(_) | Access::Elsewhere(_) => access,
                    Access::Named => input::found_in(folder),
                };
                folders.insert(folder.to_owned(), all.with(access));
            }
        }
    }
    folders.into_iter().collect()
}

/// The substitutions of the Flux Kustomizations among the inputs.
fn flux(inputs: &[Input], files: Option<&FluxFiles>) -> Flux {
    let mut flux = Flux::default();
    let may_be = |place: &Path, is_wanted: fn(MayHold) -> bool| files.is_none_or(|it| is_wanted(it.of(place)));
    add_to(&mut flux, inputs, |it| may_be(it, |it| it.kustomizations), Flux::is_in);
    // A Kustomization may get the values of its variables from ConfigMaps.
    if flux.has_kustomizations() {
        add_to(
            &mut flux,
            inputs,
            |it| may_be(it, |it| it.config_maps && !it.kustomizations),
            |text| Flux::may_be_config_map(text) && !Flux::is_in(text),
        );
    }
    flux
}

/// The substitutions of the Flux Kustomizations in the old versions of the inputs.
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

/// Adds the relevant files. `may_be` returns whether a file is worth reading.
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

/// Adds file contents, each with the path of its file.
fn add_texts(flux: &mut Flux, texts: Vec<(PathBuf, String)>) {
    let mut roots = HashMap::new();
    for (place, text) in texts {
        let folder = place.parent().unwrap_or(&place);
        // A Flux source is a repository. Without git, the current folder is treated as its root.
        let root = roots.entry(folder.to_owned()).or_insert_with(|| {
            let current = || std::env::current_dir().unwrap_or_else(|_| folder.to_owned());
            roots::repository(folder).unwrap_or_else(current)
        });
        flux.add(&place, root, &text.into());
    }
}

/// Checks one input.
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
    if is_test_file(input, &text) {
        return Ok(Judged::TestFile);
    }
    let old = match input.old.as_ref().map(input::read).transpose() {
        Ok(old) => old.flatten(),
        // A revision that does not exist is a usage error for the whole run, because it does not exist for any file.
        Err(error) if error.is::<UsageError>() => return Err(error),
        Err(error) => return unreadable(error.context("the previous revision")),
    };
    let paired = match input.definition.as_ref().map(|it| known.paired(it)).transpose() {
        Ok(paired) => paired,
        Err(error) => return unreadable(error.context("its definition")),
    };
    let path = input.place()?;
    // Standard input is usually the output of a tool, with objects of any kind.
    let is_file = matches!(input.source, Source::File(..));
    let charts = input.file().filter(|_| beside.is_asked).map(|it| ChartsOfRun {
        charts: &beside.charts,
        checked: &beside.checked_templates,
        access: it.1,
        known,
    });
    let known_uses = beside.known_uses(input, &path, config);
    let is_base = beside.is_base(input, &path, known_uses);
    let mut question = Question {
        path: Some(&path),
        around: Around {
            definitions: Some(paired.as_deref().map_or(known as &dyn Definitions, |it| it)),
            has_own_crd: paired.is_some(),
            go: beside.go.as_ref().map(|it| it as _),
            markers: Some(&config.markers),
            requires_crds: beside.requires_crds || config.requires_crds,
            overlays: beside.overlays.as_ref().map(|it| it as _),
            charts: charts.as_ref().map(|it| it as _),
        },
        named: input.named && !(beside.allows_unchecked && is_file),
        wants: Wants {
            unchecked: beside.is_asked && input.named && is_file && !beside.allows_unchecked,
            hazards,
            lints,
            effective: wants.effective,
            ..Wants::default()
        },
        update: Update {
            old: old.as_deref().map(|text| Old {
                text,
                is_paired: !matches!(input.old, Some(Source::Git { .. })),
            }),
            earlier: beside.earlier.as_ref().map(|by| Replaced {
                by,
                are_stored: true,
                comparison: None,
            }),
            compatibility: beside.compat.map(|policy| Compatibility {
                policy,
                exceptions: Some(&beside.exceptions),
            }),
            ..Update::default()
        },
        uses: known_uses.with_if(Use::Part, is_base),
        ..Question::new(versions)
    };
    let mut report = analyze(text, &question);
    let access = input.file().filter(|_| beside.is_asked).map(|it| it.1);
    let scripts = OnceCell::new();
    let again = access.and_then(|access| completed(&report, &path, question.uses, (&beside.tests(&access), &scripts)));
    if let Some(uses) = again {
        question.uses = uses;
        report = analyze(report.text.as_bytes().to_vec(), &question);
    }
    // Fixes do not depend on the search for failing values.
    let again = Question {
        wants: Wants {
            hazards: Search::Off,
            ..question.wants
        },
        ..question
    };
    // Fixes apply to the file as written, without the content that other files add.
    report.aside = beside.aside(input, &path, &report, known);
    let making = beside.making(known);
    let counts_fixes = wants.fixable && question.update.old.is_none();
    let mut fixable = if counts_fixes && report.aside.is_none() {
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
    if counts_fixes && report.aside.is_none() && !beside.overlays.as_ref().is_some_and(|it| it.is_patch(&path)) {
        fixable = fix::fixable_of_completed(&report, fixable, config, (&again, &making));
    }
    if let Some((_, access)) = input
        .file()
        .filter(|_| question.uses.has(Use::Expressions) && old.is_none())
    {
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
        is_base,
    })
}
