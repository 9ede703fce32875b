//! `crd-analyzer check`: the headless linter.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use crd_analyzer_io::{
    charts::Charts, git, go::GoSources, go_tests::GoTests, kustomize::Kustomizations, print::tell, read,
    scripts::Scripts, walk::Hidden,
};
use crd_analyzer_workspace::{
    charts::checked::CheckedTemplates,
    config::excluded::Excluded,
    config::selection::{Selection, Selector},
    findings::finding::Severity,
    findings::report::FileReport,
    judging::hazards::{Memory, Search, are_shown},
    judging::lints::Lints,
};

mod bases;
mod choices;
mod definitions;
mod left_out;
mod previous;
mod since;
mod told;

use self::{
    choices::{CompatPolicy, FailOn, Show},
    definitions::crds_of,
    previous::Previous,
    told::CheckRun,
};
use super::{
    Replacing, Status, UsageError,
    baseline::Baseline,
    earlier::EarlierOfRun,
    exceptions::Exceptions,
    fix,
    judge::{Beside, Judged, Wanted, judge, not_built, overlays},
    made::{Kinds, MadeOfRun},
    manifests::{BATCH, Manifests},
    why,
};
use crate::{
    input::{self, Collected, Reading},
    output::{self, Color, Look, Output, Outputs, Repeated, Summary},
};

/// Report the errors and warnings of the API server for CRDs and custom resources,
/// without a cluster
///
/// Without a path, crd-analyzer checks the current folder. A Go package pattern such as
/// `./api/...` checks kubebuilder markers.
///
/// Exit codes:
///   0  no diagnostic reaches the severity in --fail-on
///   1  at least one diagnostic reaches it
///   2  the command line is wrong, or there is nothing to check
///   3  a file could not be read or written, or a check was not finished
#[derive(clap::Args, Debug)]
#[command(verbatim_doc_comment, mut_arg("paths", |it| it.default_value(".")))]
#[command(after_help = choices::EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    manifests: Manifests,

    // The help text comes from `output_help`.
    #[arg(help_heading = "Output", short, long, aliases = ["format", "output-format"], value_name = "FORMAT[=FILE]", default_value = "text", help = choices::output_help())]
    output: Vec<Output>,

    /// Write the output to this file instead of standard output.
    #[arg(help_heading = "Output", long, value_name = "FILE", conflicts_with = "diff")]
    output_file: Option<PathBuf>,

    #[command(flatten)]
    replacing: Replacing,

    /// Print only diagnostics, without a summary.
    #[arg(help_heading = "Output", short, long, conflicts_with = "summary")]
    quiet: bool,

    /// Print only the summary.
    #[arg(help_heading = "Output", long)]
    summary: bool,

    /// Print the number of diagnostics of each code instead of the diagnostics.
    #[arg(help_heading = "Output", long)]
    statistics: bool,

    /// Show only diagnostics with these codes: full codes, the first words of codes (`unknown`), or `all`. `all` includes the codes that are
    /// off by default. Separate codes by commas, or repeat the option.
    #[arg(help_heading = "Diagnostics", long, value_name = "CODES", value_delimiter = ',')]
    select: Vec<Selector>,

    /// Hide diagnostics with these codes. If `--select` and `--ignore` both match a code, the longer match wins.
    #[arg(help_heading = "Diagnostics", long, value_name = "CODES", value_delimiter = ',')]
    ignore: Vec<Selector>,

    /// Skip files and folders that match, even if you name them. Globs are relative to the current folder. You can repeat the option.
    #[arg(help_heading = "Files", long, value_name = "GLOB")]
    exclude: Vec<String>,

    /// Also check hidden files and folders that git does not track. Files that git ignores are still skipped.
    #[arg(help_heading = "Files", long)]
    hidden: bool,

    /// Also check the objects in blocks of YAML in Markdown files (`*.md`). Markdown files that you name are checked without this.
    #[arg(help_heading = "Files", long)]
    markdown: bool,

    /// Hide the diagnostics that this file lists. The summary names entries of the file that no longer occur.
    #[arg(help_heading = "Diagnostics", long, value_name = "FILE", conflicts_with_all = ["list", "diff"])]
    baseline: Option<PathBuf>,

    /// Replace the `--baseline` file with the diagnostics of this run.
    #[arg(help_heading = "Diagnostics", long, requires = "baseline")]
    update_baseline: bool,

    /// Treat standard input as the content of this file. The output shows this name, and the configuration of its folder applies.
    #[arg(help_heading = "Files", long, value_name = "FILE")]
    stdin_filename: Option<PathBuf>,

    /// Check the files as they are in this git revision, with the configuration of that revision. `--crd` and `--config` still name files on
    /// disk.
    #[arg(help_heading = "Git and updates", long = "ref", value_name = "REVISION", conflicts_with_all = ["list", "fix", "old"])]
    revision: Option<String>,

    /// Check only the files that have changed since this git revision, and the files that depend on them.
    #[arg(help_heading = "Git and updates", long, value_name = "REVISION", conflicts_with_all = ["list", "fix", "old", "revision", "why"])]
    since: Option<String>,

    /// Check each file as an update of its version in this git revision.
    #[arg(help_heading = "Git and updates", long, value_name = "REVISION", conflicts_with_all = ["old", "list"])]
    old_ref: Option<String>,

    /// Check the manifest as an update of this file. If PATH is a folder, it contains the old files.
    #[arg(help_heading = "Git and updates", long, value_name = "PATH", conflicts_with = "list")]
    old: Option<PathBuf>,

    /// Also report changes of CRDs that break objects or clients, compared with `--old-ref` or `--old`. The policy selects which changes are
    /// forbidden.
    #[arg(
        help_heading = "Git and updates",
        long,
        value_name = "POLICY",
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "writers",
        conflicts_with = "list"
    )]
    compat: Option<CompatPolicy>,

    /// With `--compat`: allow the changes that this file lists. Each has a reason, and may have an end date.
    #[arg(help_heading = "Git and updates", long, value_name = "FILE", requires = "compat")]
    exceptions: Option<String>,

    /// Check custom resources against these CRDs: a file, a folder or a glob. They take precedence over the CRDs in the checked files.
    /// crd-analyzer does not report on them.
    #[arg(help_heading = "CRDs", long = "crd", value_name = "PATH")]
    definitions: Vec<String>,

    /// Instead of checking, print which CRD checks the objects of this file, and why. PATH is where crd-analyzer looks for CRDs.
    #[arg(help_heading = "CRDs", long, value_name = "FILE", conflicts_with_all = ["list", "fix"])]
    why: Option<PathBuf>,

    /// Report an error for each custom resource whose CRD is not found. Same as `requireCrd: true` in the configuration.
    #[arg(help_heading = "CRDs", long)]
    require_crd: bool,

    /// Accept objects that cannot be checked in files that you name: objects of built-in kinds, of kinds without a CRD, and objects without
    /// `apiVersion` or `kind`. Otherwise each is an error.
    #[arg(help_heading = "Files", long)]
    allow_unchecked: bool,

    /// Accept that there is nothing to check. Otherwise the exit code is 2.
    #[arg(help_heading = "Files", long)]
    allow_empty: bool,

    /// Also use the CRDs of a cluster: the one of this kubeconfig context, or of the current context. All other CRDs take precedence. Without
    /// this option, crd-analyzer never contacts a cluster.
    #[arg(help_heading = "CRDs", long, value_name = "CONTEXT", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    from_cluster: Option<String>,

    /// Also print each custom resource as the API server stores it: with defaults, and without unknown fields.
    #[arg(help_heading = "Output", long, value_enum)]
    show: Option<Show>,

    /// Also print the API server's own message for each error.
    #[arg(help_heading = "Output", short, long)]
    verbose: bool,

    /// Apply unambiguous fixes to the files, then check them. `--fix=unsafe` also removes duplicate keys, and keeps the last one of each.
    #[arg(
        help_heading = "Fixes",
        long,
        value_name = "LEVEL",
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "safe",
        conflicts_with_all = ["list", "old_ref", "old"]
    )]
    fix: Option<fix::Level>,

    /// With `--fix`: print the changes, and write nothing. The exit code is 1 if there are changes.
    #[arg(help_heading = "Fixes", long, requires = "fix", conflicts_with = "output")]
    diff: bool,

    /// The lowest severity that makes the exit code 1. Add `test-data` to include diagnostics in test data. Separate values by commas, or
    /// repeat the option.
    #[arg(
        help_heading = "Git and updates",
        help_heading = "Diagnostics",
        help_heading = "CRDs",
        long,
        value_name = "WHAT",
        value_enum,
        default_value = "error",
        value_delimiter = ','
    )]
    fail_on: Vec<FailOn>,
}

impl Args {
    /// The lowest severity that makes the exit code 1.
    fn fails(&self) -> Severity {
        let all = self.fail_on.iter().map(|it| it.severity());
        all.max().unwrap_or(Severity::Error)
    }
}

pub(super) fn run(args: &Args, color: Color) -> anyhow::Result<Status> {
    if args.fix.is_some() {
        // With `--fix`, each file is analyzed before and after the fix, often on different threads.
        crd_analyzer_io::memory::share_freed();
    }
    let start = Instant::now();
    let stdout = io::stdout();
    let look = Look {
        color: color.is_shown(&stdout),
        columns: output::columns(&stdout),
        effective: args.show.is_some(),
        is_list: args.manifests.list.is_some(),
        verbose: args.verbose,
        diagnostics: !args.summary && !args.statistics,
        statistics: args.statistics,
        summary: !args.quiet,
        fails: args.fails(),
    };
    let selection = Selection {
        selected: args.select.clone(),
        ignored: args.ignore.clone(),
    };
    let baseline = args.baseline.as_deref();
    let baseline = baseline.map(|it| Baseline::read(it, args.update_baseline, &selection));
    let baseline = baseline.transpose()?;
    let mut configs = args.manifests.configs()?.with(selection);
    let excluded = Excluded::new("--exclude", &args.exclude, std::env::current_dir()?)
        .map_err(|why| UsageError(why.to_string()))?;
    let stdin = args.stdin_filename.as_deref();
    if stdin.is_some() && !args.manifests.paths.iter().any(|it| it.as_os_str() == "-") {
        let why = "--stdin-filename needs standard input: give `-` as a path";
        return Err(UsageError(why.to_owned()).into());
    }
    let mut session = CheckRun {
        args,
        outputs: Outputs::new(&args.output, args.output_file.as_deref(), look)?,
        summary: Summary {
            new: args.old_ref.as_ref().map(|_| 0),
            ..Summary::default()
        },
        status: Status::Clean,
        seen: 0,
        stdin_without_objects: None,
        repeated: Repeated::default(),
        has_fingerprints: baseline.is_some() || args.output.iter().any(|it| it.format.has_fingerprints),
        baseline,
        unwritten: Vec::new(),
    };
    // Requests on standard input are independent of each other: they share only the CRDs of the command line.
    let is_served = args.manifests.list.as_deref() == Some("-");
    let wants = Wanted {
        effective: args.show.is_some() || args.output.iter().any(|it| it.format.has_resources),
        roles: args.output.iter().any(|it| it.format.has_resources),
        fixes: args.output.iter().any(|it| it.format.has_fixes),
        fixable: !args.quiet && args.manifests.list.is_none() && args.output.iter().any(|it| it.format.counts_fixes),
    };
    let mut known = None;
    let hazards = Memory::of_one_run();
    let mut beside = Beside {
        go: args.revision.is_none().then(GoSources::default),
        made: MadeOfRun::default(),
        earlier: None,
        kustomizations: Kustomizations::default(),
        charts: Charts::default(),
        checked_templates: CheckedTemplates::default(),
        go_tests: GoTests::default(),
        scripts: Scripts::default(),
        overlays: None,
        requires_crds: args.require_crd,
        allows_unchecked: args.allow_unchecked,
        is_asked: args.manifests.list.is_none(),
        compat: args.compat.map(Into::into),
        exceptions: exceptions(args)?,
        fails_test_data: args.fail_on.contains(&FailOn::TestData),
    };
    let revision = resolved("--old-ref", args.old_ref.as_deref(), args)?;
    let checked = resolved("--ref", args.revision.as_deref(), args)?;
    let since = resolved("--since", args.since.as_deref(), args)?;
    beside.earlier = beside
        .go
        .as_ref()
        .zip(revision.as_ref())
        .map(|(go, revision)| EarlierOfRun::new(revision, go));
    let reading = Reading {
        stdin,
        revision: checked.as_ref(),
        hidden: if args.hidden { Hidden::All } else { Hidden::Tracked },
        has_markdown: args.markdown,
        has_packages: true,
        ..Reading::OF_CHECK
    };
    let old_folder = args.old.as_deref().filter(|it| read::is_folder(it));
    let folder = old_folder.map(input::found_in);
    args.manifests.feed(&reading, |collected| {
        let Collected {
            mut inputs,
            mut unreadable,
            hidden,
            go_types,
        } = collected;
        // Test data contains broken links on purpose.
        unreadable.retain(|it| {
            let path = Path::new(&it.label);
            let is_expected = output::is_of_tests(&it.label) && path.is_symlink() && !path.exists();
            if is_expected {
                tell(format_args!(
                    "note: {}, which is test data, is a link that leads nowhere",
                    it.label
                ));
            }
            !is_expected
        });
        let found = inputs.len();
        inputs.retain(|it| !it.place().is_ok_and(|it| excluded.covers(&it)));
        configs.leave_out(&mut inputs)?;
        let not_checked = &mut session.summary.not_checked;
        not_checked.excluded += found - inputs.len();
        let is_excluded = |it: &Path| std::path::absolute(it).is_ok_and(|it| excluded.covers(&it));
        let hidden = hidden.iter().filter(|it| !is_excluded(it));
        not_checked.hidden.extend(hidden.map(|it| input::label(it)));
        not_checked.go = left_out::go_folders(&args.manifests.paths, &go_types);
        let known = match &mut known {
            Some(known) if is_served => known,
            known => {
                let inputs = if is_served { &[] } else { inputs.as_slice() };
                known.insert(crds_of(args, revision.as_ref(), inputs, &mut configs)?)
            }
        };
        let previous = Previous {
            paths: &args.manifests.paths,
            revision: revision.as_ref(),
            old: args.old.as_deref(),
            folder: folder.as_ref(),
        };
        inputs.iter_mut().try_for_each(|input| previous.add_to(input))?;
        let around = known.builders(&inputs);
        if let Some(level) = args.fix {
            session.summary.fixed.get_or_insert_default();
            let by = &*known;
            let patching = overlays((&inputs, &around), None, None);
            configs.each(
                &inputs,
                |input, config| {
                    let place = input.place()?;
                    let asked = fix::Requested {
                        versions: args.manifests.kubernetes_version,
                        level,
                        uses: beside.uses(input, &place, config),
                        is_patch: patching.is_patch(&place),
                    };
                    let is_aside = |it: &FileReport| beside.aside(input, &place, it, by).is_some();
                    let making = beside.making(by);
                    Ok(fix::repair(input, config, &asked, &making, &is_aside))
                },
                |input, _, repaired| session.repaired(input, repaired),
            )?;
            // The fixes may have changed CRDs and Go files.
            known.forget();
            beside.go = beside.go.take().map(|_| GoSources::default());
            beside.made = MadeOfRun::default();
        }
        let known = &*known;
        // Problems of a CRD are reported in the file that people edit, and not again in copies of the CRD. Files named on the command line stay in
        // their order and are not read for this purpose, because a pipe can be read only once.
        let is_found = !is_served && inputs.iter().all(|it| !it.named);
        if is_found {
            known.copies_last(&mut inputs);
        }
        if beside.is_asked && args.old.is_none() {
            let flux_files = is_found.then(|| known.flux_files());
            let mut built = overlays((&inputs, &[]), flux_files, revision.as_ref());
            let mut bases = bases::missing(&inputs, &built);
            bases.retain(|it| !it.place().is_ok_and(|it| excluded.covers(&it)));
            configs.leave_out(&mut bases)?;
            if !(bases.is_empty() && around.is_empty()) {
                bases.iter_mut().try_for_each(|input| previous.add_to(input))?;
                inputs.append(&mut bases);
                built = overlays((&inputs, &around), flux_files, revision.as_ref());
            }
            let current = std::env::current_dir().unwrap_or_default();
            let relative = |it: &Path| it.strip_prefix(&current).unwrap_or(it).display().to_string();
            let failed = built.failed_before().map(relative);
            session.summary.not_built_before.extend(failed);
            known.add_built(&built);
            beside.overlays = Some(built);
        } else if !is_served {
            let names = not_built(&inputs).into_iter().map(|it| it.label.clone());
            session.summary.not_built.extend(names);
        }
        if let (Some(since), Some(built)) = (&since, &beside.overlays) {
            since::leave_out(&mut inputs, &args.manifests.paths, since, (known, built))?;
        }
        if let Some(file) = &args.why {
            let is_json = args.output.iter().any(|it| it.format.has_resources);
            session.seen = 1;
            return why::tell(file, known, &beside, &look, is_json);
        }
        if args.diff {
            for it in unreadable {
                session.status = Status::Failed;
                it.tell();
            }
            if session.status == Status::Clean {
                let files = output::counted(inputs.len(), "file");
                tell(format_args!(
                    "note: `--fix` changes nothing in {files}; `crd-analyzer check` without `--fix` reports what is wrong"
                ));
            }
            return Ok(session.outputs.flush()?);
        }
        let mut judged_since = 0;
        configs.each(
            &inputs,
            |input, config| {
                // A request of a list asks only for the API server's answer.
                let is_asked = args.manifests.list.is_some();
                let search = if !is_asked && are_shown(config) {
                    Search::All(&hazards)
                } else {
                    Search::Off
                };
                let lints = if is_asked { Lints::Off } else { Lints::of(config) };
                let versions = args.manifests.versions(config);
                judge(input, (versions, config), known, (search, lints), &beside, wants)
            },
            |input, config, judged| {
                session.seen += 1;
                judged_since += 1;
                if judged_since == BATCH {
                    judged_since = 0;
                    known.release();
                }
                match judged {
                    Judged::TestFile => {
                        session.summary.not_checked.tests += 1;
                        Ok(())
                    }
                    Judged::Report {
                        report,
                        is_new,
                        fixes,
                        fixable,
                        roles,
                        is_base,
                    } => {
                        session.summary.fixable.add(fixable);
                        if let Some(new) = &mut session.summary.new {
                            *new += usize::from(is_new);
                        }
                        session.report(input, &report, config, (&fixes, &roles, is_base))
                    }
                    Judged::Unreadable(unreadable) => session.unreadable(&unreadable),
                }
            },
        )?;
        session.seen += unreadable.len();
        unreadable.iter().try_for_each(|it| session.unreadable(it))?;
        Ok(session.outputs.flush()?)
    })?;
    if args.diff || args.why.is_some() {
        return Ok(session.status);
    }
    beside.exceptions.tell_ended();
    let Kinds {
        crds,
        without_crd,
        not_generated,
        in_part,
        missing,
    } = beside.made.kinds();
    session.summary.definitions += crds.len();
    session.summary.bases += in_part.len();
    session.summary.not_checked.without_crd = without_crd.into_iter().collect();
    session.summary.not_checked.not_generated = not_generated.into_iter().collect();
    session.summary.not_checked.missing = missing.into_iter().collect();
    if session.seen == 0 && since.is_none() && !args.allow_empty && args.manifests.list.is_none() {
        let what = match session.summary.not_checked.go.join(" ") {
            go if go.is_empty() => {
                "no YAML or JSON file was found, or the configuration excludes all of them".to_owned()
            }
            go => format!("no YAML or JSON file was found; `crd-analyzer check {go}` checks the Go types here"),
        };
        return Err(UsageError(format!("nothing to check: {what}; --allow-empty accepts that")).into());
    }
    if let Some(what) = session.stdin_without_objects.take().filter(|_| !args.allow_empty) {
        return Err(UsageError(format!("nothing to check: {what}; --allow-empty accepts that")).into());
    }
    let replaceable = args.replacing.replaceable();
    if let Some(baseline) = session.baseline.take() {
        let (summary, failed) = baseline.end(replaceable);
        session.summary.baseline = Some(summary);
        session.unwritten.extend(failed);
    }
    session.summary.repeated = std::mem::take(&mut session.repeated.left_out);
    session.summary.of_copies = std::mem::take(&mut session.repeated.of_copies);
    let failed = session.outputs.end(&session.summary, start.elapsed(), replaceable)?;
    session.unwritten.extend(failed);
    if !session.unwritten.is_empty() {
        session.status = Status::Failed;
    }
    for it in &session.unwritten {
        tell(format_args!("error: {it}"));
    }
    Ok(session.status)
}

/// The git revision that an option names. Returns an error if it is not a commit in the repository of every path.
fn resolved(option: &str, name: Option<&str>, args: &Args) -> anyhow::Result<Option<Arc<git::Revision>>> {
    let Some(name) = name else {
        return Ok(None);
    };
    let revision = git::Revision::new(name);
    for path in args.manifests.paths.iter().filter(|it| it.as_os_str() != "-") {
        if let Err(error) = revision.commit(path)
            && error.is_of_the_question()
        {
            return Err(UsageError(format!("{option} {}: {error}", revision.shown_name())).into());
        }
    }
    Ok(Some(Arc::new(revision)))
}

/// The exceptions of `--exceptions`: changes that are allowed although they break something.
fn exceptions(args: &Args) -> anyhow::Result<Exceptions> {
    if args.compat.is_some() && args.old.is_none() && args.old_ref.is_none() {
        let why = "--compat: nothing to compare with; give the old CRDs with --old-ref or --old";
        return Err(UsageError(why.to_owned()).into());
    }
    let read = args.exceptions.as_deref().map(Exceptions::read);
    Ok(read.transpose()?.unwrap_or_default())
}
