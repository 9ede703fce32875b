//! The sections of `doctor` about the folder: its CRDs, custom resources and Go types, found in the same way as by `check`.

use std::{cmp::Reverse, collections::BTreeSet, path::Path, sync::Arc};

use crd_analyzer_io::{charts::Charts, go::GoSources, go_tests::GoTests, kustomize::Kustomizations, scripts::Scripts};
use crd_analyzer_workspace::{
    builds::overlay::Overlays,
    charts::checked::CheckedTemplates,
    index::{Definitions as _, GroupKind, KnownCrd},
    judging::hazards::Search,
    judging::lints::Lints,
    roles::{Judgement, Role},
    sources::{MissingPackages, generated::declaring_file},
};
use serde_json::{Value, json};

use crate::{
    cli::{
        definitions::RunCrds,
        exceptions::Exceptions,
        judge::{Beside, Judged, Wanted, judge, overlays},
        made::MadeOfRun,
        manifests::{BATCH, Settings, on_pool},
        neighbours::Neighbours,
    },
    input::{Collected, Unreadable},
    output::{
        File, Summary, counted,
        doctor::{Line, Section, State},
        label_of_path, listed, missing_packages,
    },
};

/// The maximum number of kinds to list in a sentence. The rest are counted.
const MOST_KINDS: usize = 5;

/// The maximum number of files to list for each role. The rest are counted.
const MOST_FILES: usize = 3;

/// A CRD and the file that contains it.
struct Crd {
    name: String,
    kind: String,
    file: String,
    role: Judgement,
    is_built: bool,
    known: Arc<KnownCrd>,
}

/// The sections about files.
pub(super) fn sections(folder: &Path, collected: Collected, settings: &Settings) -> anyhow::Result<Vec<Section>> {
    let mut configs = settings.configs()?;
    let Collected {
        mut inputs,
        unreadable: mut problems,
        ..
    } = collected;
    let found = inputs.len();
    configs.leave_out(&mut inputs)?;
    let mut summary = Summary::default();
    summary.not_checked.excluded = found - inputs.len();
    let known = match RunCrds::of_inputs(&inputs, &mut configs) {
        Ok(known) => known.with_neighbours(Neighbours::of(&inputs, &[folder.to_owned()], settings.configs()?)),
        // A path in `crds` does not exist.
        Err(error) => {
            let line = Line::new(State::Broken, format!("{error:#}")).help("change `crds` in the configuration");
            return Ok(vec![Section {
                name: "crds",
                title: "CRDs",
                lines: vec![line],
                facts: Value::Null,
            }]);
        }
    };
    let overlays = overlays((&inputs, &[]), Some(known.flux_files()), None);
    known.add_built(&overlays);
    let beside = beside(overlays);
    let mut judged_since = 0;
    configs.each(
        &inputs,
        |input, config| {
            let versions = config.kubernetes_versions.unwrap_or_default();
            judge(
                input,
                (versions, config),
                &known,
                (Search::Off, Lints::Off),
                &beside,
                ONLY_DIAGNOSTICS,
            )
        },
        |input, config, judged| {
            judged_since += 1;
            if judged_since == BATCH {
                judged_since = 0;
                known.release();
            }
            match judged {
                Judged::TestFile => summary.not_checked.tests += 1,
                Judged::Report { report, is_base, .. } => {
                    let mut file = File::new(&input.label, &report, config, &[]);
                    file.is_base = is_base;
                    summary.add(&file);
                }
                Judged::Unreadable(why) => problems.push(why),
            }
            Ok(())
        },
    )?;
    let crds = crds(&known);
    let go = on_pool(|| go_types(&crds, &known, &beside));
    Ok(vec![
        files(summary.files, &problems, &summary),
        of_crds(&crds),
        resources(&summary),
        go,
    ])
}

/// The context in which `check` checks files if it has no options.
pub(super) fn beside(overlays: Overlays) -> Beside {
    Beside {
        made: MadeOfRun::default(),
        earlier: None,
        go: Some(GoSources::default()),
        kustomizations: Kustomizations::default(),
        charts: Charts::default(),
        checked_templates: CheckedTemplates::default(),
        go_tests: GoTests::default(),
        scripts: Scripts::default(),
        overlays: Some(overlays),
        requires_crds: false,
        allows_unchecked: false,
        is_asked: true,
        compat: None,
        exceptions: Exceptions::default(),
        fails_test_data: false,
    }
}

/// Requests only diagnostics, and no fixes or stored objects.
pub(super) const ONLY_DIAGNOSTICS: Wanted = Wanted {
    effective: false,
    roles: false,
    fixes: false,
    fixable: false,
};

/// The section about the files, with the results of `check`.
fn files(count: usize, problems: &[Unreadable], summary: &Summary) -> Section {
    let mut lines = Vec::new();
    let with_crds = match summary.definitions {
        0 => String::new(),
        crds => format!(", with {}", counted(crds, "CRD")),
    };
    let text = format!(
        "{} {} checked{with_crds}",
        counted(count, "YAML or JSON file"),
        are(count)
    );
    if count == 0 {
        lines.push(Line::new(State::Note, "this folder has no YAML or JSON file"));
    } else {
        lines.push(Line::new(State::Good, text));
    }
    if !problems.is_empty() {
        let text = format!(
            "{} cannot be read, so `check` exits with 3",
            counted(problems.len(), "path")
        );
        lines.push(Line {
            items: problems.iter().map(|it| format!("{}: {}", it.label, it.why)).collect(),
            ..Line::new(State::Broken, text)
                .help("make them readable, or name them under `exclude` in the configuration")
        });
    }
    if summary.errors > 0 {
        let text = format!("`check` reports {}", counted(summary.errors, "error"));
        lines.push(Line::new(State::Note, text).help("run `crd-analyzer check`"));
    }
    Section {
        name: "files",
        title: "Files",
        lines,
        facts: json!({
            "count": count,
            "unreadable": problems.iter().map(|it| json!({"file": it.label, "why": it.why})).collect::<Vec<_>>(),
            "errors": summary.errors,
            "warnings": summary.warnings,
        }),
    }
}

fn are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

/// All CRDs, with the sources of truth first.
fn crds(known: &RunCrds) -> Vec<Crd> {
    let mut all: Vec<Crd> = Vec::new();
    for it in known.all() {
        all.push(Crd {
            name: it.name.clone(),
            kind: it.defines.kind.clone(),
            file: label_of_path(it.written_path()),
            role: Judgement::of_known(&it),
            is_built: it.built_from().is_some(),
            known: it,
        });
    }
    all.sort_by_key(|it| (it.role.role != Role::SourceOfTruth, it.name.clone()));
    all
}

/// A role and its reason, the names of its CRDs, and their files.
type OfRole<'c> = ((String, &'c str), BTreeSet<&'c str>, Vec<String>);

fn of_crds(crds: &[Crd]) -> Section {
    // The CRDs are sorted, so the sources of truth stay first in each role.
    let mut by_role: Vec<OfRole<'_>> = Vec::new();
    for it in crds {
        let role = (it.role.role.to_string(), it.role.reason.as_str());
        match by_role.iter_mut().find(|it| it.0 == role) {
            Some((_, names, files)) => {
                names.insert(&it.name);
                if !files.contains(&it.file) {
                    files.push(it.file.clone());
                }
            }
            None => by_role.push((role, BTreeSet::from([&*it.name]), vec![it.file.clone()])),
        }
    }
    let lines = if crds.is_empty() {
        let help = "name CRDs with `crd-analyzer check --crd PATH`, or with `crds` in `.crd-analyzer.yaml`";
        vec![Line::new(State::Note, "this folder has no CRD").help(help)]
    } else {
        let item = |((role, reason), names, files): &OfRole<'_>| {
            let named = listed(files.iter().map(String::as_str), MOST_FILES, "file");
            format!("{role} ({reason}), {}: {named}", counted(names.len(), "CRD"))
        };
        vec![Line {
            items: by_role.iter().map(item).collect(),
            ..Line::new(
                State::Good,
                format!("{} with a kind {} found", counted(crds.len(), "CRD"), are(crds.len())),
            )
        }]
    };
    let fact = |it: &Crd| {
        json!({
            "name": it.name,
            "group": it.known.defines.group,
            "kind": it.kind,
            "file": it.file,
            "role": it.role.role.to_string(),
            "reason": it.role.reason,
            "is_built": it.is_built,
        })
    };
    Section {
        name: "crds",
        title: "CRDs",
        lines,
        facts: crds.iter().map(fact).collect(),
    }
}

fn resources(summary: &Summary) -> Section {
    let unknown: usize = summary.unknown.values().sum();
    let mut lines = Vec::new();
    if summary.resources > 0 {
        let in_part = if summary.in_part > 0 {
            format!(", {} of them in part", summary.in_part)
        } else {
            String::new()
        };
        let text = format!(
            "{} {} checked by a CRD{in_part}",
            counted(summary.resources, "custom resource"),
            are(summary.resources)
        );
        lines.push(Line::new(State::Good, text));
    } else if unknown == 0 {
        lines.push(Line::new(State::Good, "this folder has no custom resource"));
    }
    if unknown > 0 {
        let mut kinds: Vec<_> = summary.unknown.iter().collect();
        kinds.sort_by_key(|&(kind, count)| (Reverse(*count), kind));
        let named = |(kind, count): (&GroupKind, &usize)| format!("{} of {} ({count})", kind.kind, kind.group);
        let kinds: Vec<String> = kinds.into_iter().map(named).collect();
        let kinds = listed(kinds.iter().map(String::as_str), MOST_KINDS, "kind");
        let text = format!(
            "{} {} not checked, because no CRD was found: {kinds}",
            counted(unknown, "custom resource"),
            are(unknown)
        );
        let help = "add their CRDs to the repository with `crd-analyzer crds add`, add `--crd PATH` to `check`, list the CRDs under `crds` in `.crd-analyzer.yaml`, or use `--from-cluster`";
        let state = if summary.resources == 0 {
            State::Idle
        } else {
            State::Note
        };
        lines.push(Line::new(state, text).help(help));
    }
    if let Some(words) = summary.not_checked.words() {
        lines.push(Line::new(State::Note, words));
    }
    let kind = |(kind, count): (&GroupKind, &usize)| json!({"group": kind.group, "kind": kind.kind, "count": count});
    Section {
        name: "resources",
        title: "Custom resources",
        lines,
        facts: json!({
            "checked": summary.resources,
            "in_part": summary.in_part,
            "without_crd": summary.unknown.iter().map(kind).collect::<Vec<_>>(),
            "not_checked": summary.not_checked.json(),
        }),
    }
}

/// The Go types from which CRDs are generated.
fn go_types(crds: &[Crd], known: &RunCrds, beside: &Beside) -> Section {
    let sources = beside.go.as_ref();
    let mut absent: BTreeSet<MissingPackages> = BTreeSet::new();
    let (mut items, mut facts) = (Vec::new(), Vec::new());
    // A repository may have a CRD in several files.
    let (mut here, mut missing) = (BTreeSet::new(), BTreeSet::new());
    for crd in crds
        .iter()
        .filter(|it| it.role.role == Role::SourceOfTruth && !it.is_built)
    {
        let text = crd.known.text(known.files());
        let file = text
            .zip(sources)
            .and_then(|(text, sources)| declaring_file(&text, sources));
        if let Some(file) = file {
            absent.extend(
                sources
                    .map(|it| beside.made.missing(&file, (it, known)))
                    .unwrap_or_default(),
            );
            let file = label_of_path(&file);
            let item = format!("{} in {file}", crd.kind);
            if !items.contains(&item) {
                items.push(item);
            }
            if here.insert(&*crd.name) {
                facts.push(json!({"crd": crd.name, "kind": crd.kind, "file": file}));
            }
        } else {
            missing.insert(&*crd.name);
        }
    }
    let (count, missing) = (here.len(), missing.difference(&here).count());
    let line = match (count, missing) {
        (0, _) => Line::new(State::Good, "no Go type of these CRDs is in the repository"),
        (count, 0) => Line::new(
            State::Good,
            format!("{} {} here as a Go type", counted(count, "CRD"), are(count)),
        ),
        (count, missing) => Line::new(
            State::Good,
            format!(
                "{} {} here as a Go type, {missing} {} not",
                counted(count, "CRD"),
                are(count),
                are(missing)
            ),
        ),
    };
    let not_checked = absent
        .iter()
        .map(|it| Line::new(State::Note, format!("Not checked: {}", missing_packages::words(it))));
    Section {
        name: "go",
        title: "Go types",
        lines: [Line { items, ..line }].into_iter().chain(not_checked).collect(),
        facts: Value::Array(facts),
    }
}
