//! `crd-analyzer doctor --bundle`: a small, anonymous reproduction of a diagnostic.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, BufWriter, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_io::{
    print::{Terminal, tell},
    write,
};
use crd_analyzer_syntax::{json::read_json_of, lines::LineIndex};
use crd_analyzer_workspace::{
    codes::OFF_BY_DEFAULT,
    config::selection::{Selection, Selector},
    config::versions::VersionSet,
    index::{Definitions as _, objects},
    judging::hazards::{Memory, Search},
    judging::lints::Lints,
    reproduction::{Located, Replaced, Reproduction, Target, documents_of, located},
};
use serde_json::Value;

use super::{
    Args,
    found::{ONLY_DIAGNOSTICS, beside},
};
use crate::{
    cli::{
        Status, UsageError,
        definitions::{Compared, RunCrds},
        judge::{Judged, judge, overlays},
        manifests::on_pool,
        neighbours::Neighbours,
        version,
    },
    input::{self, Collected, Reading},
    output::{counted, unwritten},
};

/// The maximum number of unchanged strings to list. The rest are counted.
const MOST_KEPT: usize = 20;

/// A file with the diagnostics that `check` reports for it.
struct Checked {
    text: Arc<str>,
    found: Vec<Located>,
    versions: VersionSet,
    known: RunCrds,
}

/// Creates a reproduction, and prints it or writes it to a file.
pub(super) fn make(file: &Path, args: &Args) -> anyhow::Result<Status> {
    let checked = check(file, args)?;
    let lines = LineIndex::new(&checked.text);
    let target = choose(file, &checked.found, &lines, args)?;
    let line = lines.line_of(target.span.start) + 1;
    let (mut reproduction, before) = on_pool(|| gathered(file, &checked, target));
    let replaced = on_pool(|| reproduction.shrink()).map_err(|why| {
        anyhow::anyhow!(
            "no reproduction of `{}` in line {line} of {}: {why}. Copy the lines around it into your report, and replace secret names",
            target.code,
            file.display()
        )
    })?;
    let text = on_pool(|| bundle(&reproduction, args.output.as_deref()));
    if let Some(path) = &args.output {
        write::put(path, text.as_bytes(), args.replacing.replaceable())
            .map_err(|why| anyhow::anyhow!("{}", unwritten(&path.display().to_string(), &why)))?;
    } else {
        let mut out = BufWriter::new(io::stdout());
        Terminal::new(&mut out, false).lines(&text)?;
        out.flush()?;
    }
    said(&reproduction, before, &replaced, args.output.as_deref());
    Ok(Status::Clean)
}

/// Runs `check` on the file.
fn check(file: &Path, args: &Args) -> anyhow::Result<Checked> {
    let paths = [file.to_owned()];
    let Collected { inputs, .. } = input::collect(&paths, &Reading::default())?;
    let [input] = inputs.as_slice() else {
        return Err(UsageError(format!("{}: name one file", file.display())).into());
    };
    let mut configs = args.settings.configs()?;
    if let Some(code) = args.code.as_deref().filter(|it| OFF_BY_DEFAULT.contains(it)) {
        let selected: Selector = code.parse().map_err(UsageError)?;
        configs = configs.with(Selection {
            selected: vec![selected],
            ignored: Vec::new(),
        });
    }
    let config = configs.of(input)?;
    let known = RunCrds::new(&args.definitions, &[(input, config.clone())], Compared::Nothing)?;
    let known = known.with_neighbours(Neighbours::of(&inputs, &paths, args.settings.configs()?));
    let overlays = overlays((&inputs, &[]), Some(known.flux_files()), None);
    known.add_built(&overlays);
    let beside = beside(overlays);
    let versions = args
        .kubernetes_version
        .or(config.kubernetes_versions)
        .unwrap_or_default();
    let hazards = Memory::of_one_run();
    let asked = (Search::All(&hazards), Lints::of(&config));
    let judged = on_pool(|| judge(input, (versions, &config), &known, asked, &beside, ONLY_DIAGNOSTICS))?;
    match judged {
        Judged::Report { report, .. } => Ok(Checked {
            text: report.text.clone(),
            found: located(&report, &config),
            versions,
            known,
        }),
        Judged::Unreadable(why) => Err(anyhow::anyhow!("cannot read {}: {}", why.label, why.why)),
        Judged::TestFile => Err(UsageError(format!(
            "{} is a file of `crd-analyzer test`: name the file with the diagnostic",
            file.display()
        ))
        .into()),
    }
}

/// The diagnostic to reproduce.
fn choose<'f>(file: &Path, found: &'f [Located], lines: &LineIndex, args: &Args) -> anyhow::Result<&'f Located> {
    let line_of = |it: &Located| lines.line_of(it.span.start) + 1;
    let is_meant = |it: &&Located| {
        args.code.as_deref().is_none_or(|code| it.code == code) && args.line.is_none_or(|line| line_of(it) == line)
    };
    let meant: Vec<&Located> = found.iter().filter(is_meant).collect();
    let codes: BTreeSet<&str> = meant.iter().map(|it| it.code).collect();
    if let (Some(first), 1) = (meant.first(), codes.len()) {
        return Ok(first);
    }
    let listed = |all: &mut dyn Iterator<Item = &Located>| {
        let all: BTreeSet<String> = all.map(|it| format!("`{}` in line {}", it.code, line_of(it))).collect();
        all.into_iter().collect::<Vec<_>>().join(", ")
    };
    let file = file.display();
    let why = if found.is_empty() {
        format!("`check` reports nothing about the objects of {file}")
    } else if meant.is_empty() {
        let all = listed(&mut found.iter());
        format!("{file} does not have this diagnostic, but {all}")
    } else {
        let all = listed(&mut meant.iter().copied());
        format!("{file} has several diagnostics: choose one with --code or --line: {all}")
    };
    Err(UsageError(why).into())
}

/// The objects of the file after the CRDs that check them, and the number of lines of all these files.
fn gathered(file: &Path, checked: &Checked, target: &Located) -> (Reproduction, usize) {
    let place = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let (_, objects) = objects(checked.text.as_bytes().to_vec());
    let mut lines = checked.text.lines().count();
    let mut crds: BTreeMap<(PathBuf, String), Value> = BTreeMap::new();
    for object in objects.iter().filter(|it| !it.written.is_crd()) {
        let Some(found) = object.group_kind().and_then(|it| checked.known.find(&it, &place)) else {
            continue;
        };
        let definition = found.definition;
        let Some(text) = definition.text(checked.known.files()) else {
            continue;
        };
        // A CRD in the file itself is already among the objects.
        let is_of_file = *definition.path == *place;
        let key = (definition.path.to_path_buf(), definition.name.clone());
        if !is_of_file
            && !crds.contains_key(&key)
            && let Ok(json) = read_json_of(&text.tree, text.root)
            && let Some(root) = json.root()
        {
            lines += text.source.text.lines().count();
            crds.insert(key, root.to_value());
        }
    }
    let mut documents: Vec<Value> = crds.into_values().collect();
    let mut position = documents.len();
    for (number, document) in documents_of(&checked.text) {
        if number == target.document {
            position = documents.len();
        }
        documents.push(document);
    }
    let reproduction = Reproduction {
        documents,
        target: Target {
            code: target.code,
            document: position,
            path: target.path.clone(),
        },
        versions: checked.versions,
    };
    (reproduction, lines)
}

/// The bundle file: a header with the diagnostic and the version of crd-analyzer, then the objects.
fn bundle(reproduction: &Reproduction, output: Option<&Path>) -> String {
    let Target { code, .. } = reproduction.target;
    let mut head = vec![
        format!("A reproduction of `{code}` at {}.", reproduction.target.shown_path()),
        String::new(),
    ];
    head.push(format!("crd-analyzer {}", version::long().replace('\n', ", ")));
    head.push(format!("Configuration: kubernetesVersion {}", reproduction.versions));
    head.push(format!("Command: {}", command(reproduction, output)));
    head.push("Output:".to_owned());
    head.extend(reproduction.reported().into_iter().map(|it| format!("  {it}")));
    let mut text = String::new();
    for line in head {
        // A message with a line break must not leave the comment.
        let words: Vec<&str> = line.trim_end().split(['\n', '\r']).collect();
        text.push_str(format!("# {}", words.join(" ")).trim_end());
        text.push('\n');
    }
    text + &reproduction.text()
}

fn command(reproduction: &Reproduction, output: Option<&Path>) -> String {
    let file = output
        .and_then(Path::file_name)
        .map_or("bundle.yaml".into(), |it| it.to_string_lossy());
    format!("crd-analyzer check {file} {}", reproduction.options())
}

/// Prints what the reproduction contains, and how to look at it.
fn said(reproduction: &Reproduction, before: usize, replaced: &Replaced, output: Option<&Path>) {
    let Target { code, .. } = reproduction.target;
    tell(format_args!(
        "reproduces `{code}` at {}, with {} instead of {before}",
        reproduction.target.shown_path(),
        counted(reproduction.text().lines().count(), "line"),
    ));
    tell(format_args!(
        "replaced: {} and {}. Comments are removed",
        counted(replaced.names, "name"),
        counted(replaced.values, "string")
    ));
    tell("kept: names of properties, numbers, defaults, enums, patterns and rules");
    if !replaced.kept.is_empty() {
        let shown: Vec<String> = replaced
            .kept
            .iter()
            .take(MOST_KEPT)
            .map(|it| format!("`{it}`"))
            .collect();
        let more = replaced.kept.len().saturating_sub(MOST_KEPT);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        tell(format_args!(
            "kept, because the diagnostic depends on them: {}{more}",
            shown.join(", ")
        ));
    }
    match output {
        Some(path) => tell(format_args!(
            "Look at {} before you send it. `{}` shows the diagnostic.",
            path.display(),
            command(reproduction, output)
        )),
        None => tell("Read the output before you send it. `--output FILE` writes it to a file."),
    }
}
