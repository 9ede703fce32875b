//! Compares the objects that crd-analyzer builds from kustomizations with those of kustomize's own code, for generated kustomizations and
//! for those of repositories.

mod make;
mod schemas;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
};

use anyhow::{Context as _, bail};
use crd_analyzer_kustomize::{Build, FILE_NAMES, Files, LIMITS, Place, ProblemKind, Sources, Unread, build};
use serde_json::{Value, json};

use crate::peers::{self, root};

#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The number of kustomizations to generate.
    #[arg(long, default_value_t = 2_000)]
    made: usize,

    /// The seed; random by default. It is printed.
    #[arg(long)]
    seed: Option<u64>,

    /// Also build every kustomization below this folder. May be repeated.
    #[arg(long, value_name = "FOLDER")]
    repository: Vec<PathBuf>,

    /// Print the files of each difference.
    #[arg(long)]
    verbose: bool,

    /// Write the table of kustomize's knowledge about built-in kinds, without comparing anything.
    #[arg(long)]
    facts: bool,
}

/// Files in memory, by absolute path.
#[derive(Clone, Default)]
struct Memory(BTreeMap<PathBuf, Arc<str>>);

impl Files for Memory {
    fn read(&self, path: &Path) -> Option<Arc<str>> {
        self.0.get(path).cloned()
    }

    fn is_folder(&self, path: &Path) -> bool {
        let mut below = self.0.range(path.to_owned()..);
        below.any(|(it, _)| it.starts_with(path) && it != path)
    }
}

/// Files on disk. The root is the folder of a repository.
struct Disk<'a>(&'a Path);

impl Disk<'_> {
    fn at(&self, path: &Path) -> PathBuf {
        self.0.join(path.strip_prefix("/").unwrap_or(path))
    }
}

impl Files for Disk<'_> {
    fn read(&self, path: &Path) -> Option<Arc<str>> {
        fs::read_to_string(self.at(path)).ok().map(Into::into)
    }

    fn is_folder(&self, path: &Path) -> bool {
        self.at(path).is_dir()
    }
}

/// A kustomization, its files, and our build of it.
struct Case {
    name: String,
    root: PathBuf,
    files: BTreeMap<PathBuf, Arc<str>>,
    ours: Result<Vec<Value>, (ProblemKind, String)>,
    is_remote: bool,
}

impl Case {
    fn new(name: String, root: &Path, files: &dyn Files) -> Self {
        let mut sources = Sources::default();
        let built = build(files, root, (LIMITS, &mut sources));
        let texts = built
            .files
            .iter()
            .filter_map(|it| Some((it.to_path_buf(), files.read(it)?)));
        Self {
            name,
            root: root.to_owned(),
            files: texts.collect(),
            is_remote: built.unread.iter().any(|it| !is_missing(it)),
            ours: objects(&built, &sources),
        }
    }
}

/// Whether the error means that a file or folder does not exist, which makes kustomize fail.
fn is_missing((unread, _): &(Unread, Place)) -> bool {
    matches!(unread, Unread::Missing(..) | Unread::Awaited(_))
}

fn objects(built: &Build, sources: &Sources) -> Result<Vec<Value>, (ProblemKind, String)> {
    if let (Ok(_), Some((missing, _))) = (&built.objects, built.unread.iter().find(|it| is_missing(it))) {
        return Err((ProblemKind::Missing, format!("{missing:?}")));
    }
    match &built.objects {
        Ok(objects) => Ok(objects.iter().map(|it| plain(it.node.to_json())).collect()),
        Err(problem) => {
            let place = problem.place.map(|it| sources.document(it).0.display().to_string());
            Err((
                problem.kind,
                format!("{}: {}", place.unwrap_or_default(), problem.message),
            ))
        }
    }
}

/// Normalizes numbers for comparison: kustomize prints large integers as floats if it converts them to JSON.
fn plain(value: Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(float) => json!(float),
            None => Value::Number(number),
        },
        Value::Array(items) => items.into_iter().map(plain).collect(),
        Value::Object(members) => members.into_iter().map(|(key, value)| (key, plain(value))).collect(),
        other => other,
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    let oracle = peers::go_program("kustomize")?;
    if args.facts {
        let table = Command::new(&oracle).arg("facts").output()?;
        fs::write(root().join("server/kustomize/src/facts.txt"), table.stdout)?;
        return Ok(true);
    }
    let seed = args.seed.unwrap_or_else(|| fastrand::u64(..));
    let mut random = fastrand::Rng::with_seed(seed);
    let mut cases = Vec::new();
    for kustomized in schemas::cases()? {
        let (name, expected) = (kustomized.name, kustomized.items);
        let files = kustomized.files.into_iter();
        let files = files.map(|(path, text)| (schemas::path(&path), text.into()));
        let case = Case::new(name.to_owned(), Path::new(schemas::FOLDER), &Memory(files.collect()));
        let items = case.ours.as_deref().map(schemas::items).unwrap_or_default();
        if items != expected {
            bail!("{name}: {items:?} items of merged lists, not {expected:?}");
        }
        cases.push(case);
    }
    let fixed = cases.len();
    for n in 0..args.made {
        let files = make::files(&mut random);
        let files = Memory(
            files
                .into_iter()
                .map(|(path, text)| (Path::new("/").join(path), text.into()))
                .collect(),
        );
        cases.push(Case::new(format!("made {n} of seed {seed}"), Path::new("/top"), &files));
    }
    let made = cases.len() - fixed;
    for repository in &args.repository {
        let folder = repository.canonicalize()?;
        let mut folders = BTreeSet::new();
        kustomizations(&folder, &mut folders)?;
        for found in &folders {
            let below = found.strip_prefix(&folder).unwrap_or(found);
            let name = format!("{} {}", repository.display(), below.display());
            cases.push(Case::new(name, &Path::new("/").join(below), &Disk(&folder)));
        }
    }
    println!(
        "{made} made kustomizations (seed {seed}), {} of repositories",
        cases.len() - fixed - made
    );
    compare(&oracle, &cases, args.verbose)
}

fn kustomizations(folder: &Path, found: &mut BTreeSet<PathBuf>) -> anyhow::Result<()> {
    if FILE_NAMES.iter().any(|it| folder.join(it).is_file()) {
        found.insert(folder.to_owned());
    }
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            kustomizations(&entry.path(), found)?;
        }
    }
    Ok(())
}

/// Compares the cases with kustomize, and prints the differences. Returns whether all are equal.
fn compare(oracle: &Path, cases: &[Case], is_verbose: bool) -> anyhow::Result<bool> {
    let asked: Vec<&Case> = cases.iter().filter(|it| !it.is_remote).collect();
    let mut child = Command::new(oracle)
        .arg("build")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut stdin = child.stdin.take().context("the oracle has no input")?;
    let requests: Vec<String> = asked
        .iter()
        .map(|it| {
            let files: BTreeMap<_, &str> = it.files.iter().map(|(path, text)| (path, text.as_ref())).collect();
            json!({"id": it.name, "files": files, "root": it.root}).to_string()
        })
        .collect();
    let writer = std::thread::spawn(move || requests.iter().try_for_each(|it| writeln!(stdin, "{it}")));
    let output = child.wait_with_output()?;
    match writer.join() {
        Ok(written) => written?,
        Err(_) => bail!("the requests could not be written"),
    }
    let text = String::from_utf8(output.stdout)?;
    let answers: Vec<Value> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    if answers.len() != asked.len() {
        bail!("{} answers to {} requests", answers.len(), asked.len());
    }
    let (mut same, mut both_fail, mut differ, mut open) = (0, 0, 0, BTreeMap::<String, usize>::new());
    let mut built = 0;
    for (case, answer) in asked.iter().zip(&answers) {
        let theirs = match answer["error"].as_str() {
            Some(error) => Err(told(error)),
            None => Ok(answer["objects"].as_array().cloned().unwrap_or_default()),
        };
        match (&case.ours, theirs) {
            (Ok(ours), Ok(theirs)) => {
                let theirs: Vec<Value> = theirs.into_iter().map(plain).collect();
                if *ours == theirs || is_sorted(case) && sorted(ours) == sorted(&theirs) {
                    same += 1;
                    built += ours.len();
                    continue;
                }
                differ += 1;
                println!("{}: other objects", case.name);
                for n in 0..ours.len().max(theirs.len()) {
                    if ours.get(n) != theirs.get(n) {
                        println!("  ours   {}", ours.get(n).unwrap_or(&Value::Null));
                        println!("  theirs {}", theirs.get(n).unwrap_or(&Value::Null));
                    }
                }
            }
            (Err((_, ours)), Err(theirs)) => {
                both_fail += 1;
                if is_verbose {
                    println!("both refuse: {ours} | {theirs}");
                }
                continue;
            }
            (Err((ProblemKind::NotSupported, message)), Ok(_)) => {
                let what = message.rsplit(": ").next().unwrap_or_default();
                *open.entry(what.to_owned()).or_default() += 1;
                continue;
            }
            (Err((_, message)), Ok(theirs)) => {
                differ += 1;
                println!(
                    "{}: we fail ({message}), kustomize builds {} objects",
                    case.name,
                    theirs.len()
                );
            }
            (Ok(_), Err(message)) if message.starts_with("panic: ") => {
                *open.entry("kustomize panics".to_owned()).or_default() += 1;
                continue;
            }
            (Ok(ours), Err(message)) => {
                differ += 1;
                println!(
                    "{}: we build {} objects, kustomize fails: {message}",
                    case.name,
                    ours.len()
                );
            }
        }
        if is_verbose {
            for (path, text) in &case.files {
                println!("-- {} --\n{text}", path.display());
            }
        }
    }
    println!("{same} equal ({built} objects), {both_fail} that both refuse, {differ} differences");
    println!(
        "{} with remote bases, charts or plugins, not asked",
        cases.len() - asked.len()
    );
    for (what, count) in open {
        println!("{count} not compared: {what}");
    }
    Ok(differ == 0)
}

/// The most informative line of an error: the last line, unless it prints Go values.
fn told(error: &str) -> String {
    let is_told = |it: &&str| !it.starts_with('&') && !it.trim_matches('-').is_empty();
    error.lines().rfind(is_told).unwrap_or_default().to_owned()
}

/// Whether the kustomization sets its own order.
fn is_sorted(case: &Case) -> bool {
    let mut names = FILE_NAMES.iter().filter_map(|it| case.files.get(&case.root.join(it)));
    names.any(|it| it.contains("sortOptions"))
}

fn sorted(values: &[Value]) -> Vec<String> {
    let mut texts: Vec<String> = values.iter().map(Value::to_string).collect();
    texts.sort();
    texts
}
