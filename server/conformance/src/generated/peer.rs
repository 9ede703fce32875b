//! What controller-gen's own code makes of packages, and whether it is what we make of them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, ensure};
use crd_analyzer_generator::{Modules, Options, Reason, Refused, generate, yaml};
use serde::Deserialize;
use similar::TextDiff;

use super::recorded;
use crate::peers;

/// CRDs as YAML, by file name.
type Crds = BTreeMap<String, String>;

/// Our own result for one package.
pub(super) struct Ours {
    pub(super) crds: Crds,
    /// The texts of what is rejected.
    pub(super) refused: Vec<String>,
    /// The lines of fields and types that are rejected.
    lines: BTreeSet<usize>,
    /// The types that were not found.
    pub(super) missing: Vec<String>,
}

impl Ours {
    /// The result for the package in a folder of a module.
    pub(super) fn of(folder: &Path, modules: &Modules, options: &Options) -> Self {
        let packages: Vec<String> = modules.path_of(folder).into_iter().collect();
        let made = generate(&packages, modules, options, Some("(devel)"));
        let crd = |it: &crd_analyzer_generator::Crd| {
            let text = yaml::written(&it.object.to_json());
            // controller-gen has created the file when it finds that it cannot write the CRD.
            let is_cut = it.is_refused && made.refused.iter().any(|it| it.reason == Reason::Text);
            let text = if is_cut { String::new() } else { format!("---\n{text}") };
            // Names may contain slashes, and Go removes those that follow another.
            let file: PathBuf = Path::new(&it.file).components().collect();
            (file.to_string_lossy().into_owned(), text)
        };
        let refused = made.refused.iter().filter_map(|it| {
            // That a kind has no stored version is told of any of its packages.
            let is_of_any = matches!(it.reason, Reason::Versions | Reason::Unserved);
            let origin = it
                .origin
                .as_ref()
                .filter(|it| is_of_any || it.file.starts_with(folder))?;
            let text = fs::read_to_string(&origin.file).ok()?;
            Some(format!("{:?}: {}", it.reason, text.get(origin.span.clone())?))
        });
        let line = |it: &Refused| {
            let origin = it.origin.as_ref().filter(|it| it.file.starts_with(folder))?;
            let text = fs::read_to_string(&origin.file).ok()?;
            is_of_type(it.reason).then(|| text[..origin.span.start].matches('\n').count() + 1)
        };
        let lines = made.refused.iter().filter_map(line).collect();
        let mut missing = made.missing.clone();
        if made.is_over {
            missing.push("the rest".to_owned());
        }
        Self {
            crds: made.crds.iter().map(crd).collect(),
            refused: refused.collect(),
            lines,
            missing,
        }
    }
}

/// Whether the error is about a type alone, and its place is that of the field or type.
const fn is_of_type(reason: Reason) -> bool {
    matches!(
        reason,
        Reason::Interface
            | Reason::NamelessStruct
            | Reason::Type
            | Reason::Tag
            | Reason::Embedded
            | Reason::Float
            | Reason::Key
    )
}

/// The begin of the messages of controller-gen about a type alone.
const OF_TYPES: [&str; 8] = [
    "encountered struct field",
    "interface type is not supported",
    "cannot generate schema for",
    "unsupported ",
    "map keys must be",
    "not a supported map value",
    "inline struct types",
    "found float",
];

fn is_about_type(message: &str) -> bool {
    OF_TYPES.iter().any(|it| message.starts_with(it))
}

/// What Go's parser and type checker say of a package.
#[derive(Deserialize, Debug)]
struct Checked {
    name: String,
    types: Vec<String>,
}

/// What controller-gen says of a package.
#[derive(Deserialize, Debug)]
struct Said {
    refused: Vec<String>,
    /// The place of each of them, such as `/m/types.go:3:2`. Empty if it has none.
    places: Vec<String>,
    crash: Option<String>,
}

/// The result of controller-gen for one package.
pub(super) struct Theirs {
    /// The errors of Go's parser and type checker.
    pub(super) types: Vec<String>,
    /// The reasons why controller-gen rejects the package.
    pub(super) refused: Vec<String>,
    /// The lines of the fields and types that it rejects. `None` if something else is wrong with the package.
    lines: Option<BTreeSet<usize>>,
    /// The CRDs of each run.
    runs: Vec<Crds>,
}

impl Theirs {
    /// Takes what Go's type checker says for a reason to reject the package.
    pub(super) fn refuse_types(&mut self) {
        self.refused.append(&mut self.types);
    }

    /// The number of fields and types whose lines are compared.
    pub(super) fn places(&self) -> usize {
        self.lines.as_ref().map_or(0, BTreeSet::len)
    }

    /// Whether both results contain the same CRDs, in one of the runs, and both reject something or nothing, with types on the same lines.
    pub(super) fn is_like(&self, ours: &Ours) -> bool {
        let are_same_lines = self.lines.as_ref().is_none_or(|it| *it == ours.lines);
        self.refused.is_empty() == ours.refused.is_empty() && are_same_lines && self.runs.contains(&ours.crds)
    }

    /// Prints the differences between our result and this one, in at most `show` lines.
    pub(super) fn print(&self, label: &str, ours: &Ours, show: usize) {
        println!(
            "{label}: refused {}, by us {}",
            !self.refused.is_empty(),
            !ours.refused.is_empty()
        );
        for reason in self.refused.iter().take(3) {
            println!("  controller-gen: {:.300}", reason.replace('\n', " "));
        }
        for text in ours.refused.iter().take(3) {
            println!("  ours: {text}");
        }
        if let Some(lines) = self.lines.as_ref().filter(|it| **it != ours.lines) {
            println!("  types on the lines {lines:?}, by us {:?}", ours.lines);
        }
        if !ours.missing.is_empty() {
            println!("  not known: {}", ours.missing.join(", "));
        }
        let Some(theirs) = self.runs.first() else { return };
        for file in theirs.keys().filter(|it| !ours.crds.contains_key(*it)) {
            println!("  {file} is missing");
        }
        for (file, own) in &ours.crds {
            let Some(expected) = theirs.get(file) else {
                println!("  {file} is more");
                continue;
            };
            let difference = TextDiff::from_lines(expected, own)
                .unified_diff()
                .context_radius(3)
                .to_string();
            for line in difference.lines().take(show) {
                println!("  {line}");
            }
        }
    }
}

/// controller-gen's own code, to be run on the packages of a module. Each package is taken alone.
pub(super) struct Peer<'a> {
    program: PathBuf,
    folder: &'a Path,
    /// The options of the marker `crd`.
    options: &'a str,
    out: PathBuf,
}

impl<'a> Peer<'a> {
    /// The module is in `folder` or above. `out` is a folder for the output.
    pub(super) fn new(folder: &'a Path, options: &'a str, out: PathBuf) -> anyhow::Result<Self> {
        Ok(Self {
            program: peers::go_program("go-crds")?,
            folder,
            options,
            out,
        })
    }

    /// The results for packages with these import paths, by the names of their folders, which have to be different. Makes the CRDs `runs` times.
    pub(super) fn answers(&self, packages: &[String], runs: usize) -> anyhow::Result<BTreeMap<String, Theirs>> {
        if self.out.exists() {
            fs::remove_dir_all(&self.out)?;
        }
        fs::create_dir_all(&self.out)?;
        let mut answers = BTreeMap::new();
        let mut left = packages.to_vec();
        while !left.is_empty() {
            let crashed = self.ask(&left, runs, &mut answers)?;
            let is_answered = |it: &String| it.rsplit('/').next().is_some_and(|it| answers.contains_key(it));
            left.retain(|it| !is_answered(it));
            ensure!(
                crashed || left.is_empty(),
                "controller-gen does not answer for {left:?}"
            );
        }
        Ok(answers)
    }

    /// Adds the results for packages, up to one at which the program ends because its stack overflows. Returns whether there is one.
    fn ask(&self, packages: &[String], runs: usize, answers: &mut BTreeMap<String, Theirs>) -> anyhow::Result<bool> {
        let is_vendored = self.folder.join("vendor").is_dir();
        let output = Command::new(&self.program)
            .args(["-each", self.options, "-runs", &runs.to_string()])
            .args([self.folder, &self.out])
            .args(packages)
            .env("GOFLAGS", if is_vendored { "-mod=vendor" } else { "-mod=mod" })
            .env("GOWORK", "off")
            .output()?;
        let mut begun = None;
        for line in String::from_utf8(output.stdout)?.lines() {
            let Some(Checked { name, types }) = begun.take() else {
                begun = Some(serde_json::from_str(line)?);
                continue;
            };
            let Said {
                mut refused,
                places,
                crash,
            } = serde_json::from_str(line)?;
            let of_types = refused.iter().zip(&places).filter(|it| is_about_type(it.0));
            let lines = of_types
                .filter_map(|it| it.1.rsplit(':').nth(1)?.parse().ok())
                .collect();
            let lines = (types.is_empty() && crash.is_none()).then_some(lines);
            refused.extend(crash);
            let runs: Result<Vec<Crds>, _> = (0..runs)
                .map(|it| crds(&self.out.join(it.to_string()).join(&name)))
                .collect();
            let runs = runs?;
            let theirs = Theirs {
                types,
                refused,
                lines,
                runs,
            };
            answers.insert(name, theirs);
        }
        if output.status.success() {
            return Ok(false);
        }
        let errors = String::from_utf8_lossy(&output.stderr);
        let begun = begun.filter(|_| errors.contains("stack overflow"));
        let Checked { name, types } = begun.with_context(|| format!("controller-gen: {errors}"))?;
        let theirs = Theirs {
            types,
            refused: vec!["its stack overflows".to_owned()],
            lines: None,
            runs: vec![crds(&self.out.join("0").join(&name))?],
        };
        answers.insert(name, theirs);
        Ok(true)
    }
}

/// The CRDs in a folder. Names of kinds and groups may contain slashes.
fn crds(folder: &Path) -> anyhow::Result<Crds> {
    let mut files = Vec::new();
    recorded::list(folder, folder, &mut files)?;
    let crd = |it: String| Ok((it.clone(), fs::read_to_string(folder.join(it))?));
    files.into_iter().map(crd).collect()
}
