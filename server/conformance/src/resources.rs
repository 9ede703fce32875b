//! Compares our answers for custom resources with the API server's answers, for the corpus and for objects generated from schemas.

pub(crate) mod answer;
pub(crate) mod compare;
pub(crate) mod generate;
mod rules;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use anyhow::Context as _;
use crd_analyzer_schema::KubernetesVersion;
use fastrand::Rng;
use serde_json::{Value, json};

use crate::choice::{Choice, Printed, Versions, on_a_large_stack};
use crate::peers;
use crate::signs;

/// Custom resources of the corpus, or objects made from the schemas of its CRDs.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Compare this many made objects instead of those of the corpus.
    #[arg(long, value_name = "COUNT")]
    mutants: Option<usize>,
    /// Update objects.
    #[arg(long)]
    update: bool,
    /// Update the status subresource.
    #[arg(long)]
    status: bool,
    /// Write a mark into each made object that an older version of crd-analyzer took for an unknown value, besides random edits.
    #[arg(long, requires = "mutants")]
    signs: bool,
    /// Compare the requests in this file instead, one a line: `id`, `crd_text`, `text`, `old_text` and `status`.
    #[arg(long, value_name = "FILE", conflicts_with = "mutants")]
    replay: Option<PathBuf>,
    #[command(flatten)]
    versions: Versions,
    #[command(flatten)]
    choice: Choice,
    #[command(flatten)]
    printed: Printed,
}

/// One request, in the oracle's format.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) crd: Arc<str>,
    pub(crate) text: String,
    pub(crate) old: Option<String>,
    status: bool,
}

impl Case {
    fn request(&self) -> String {
        let mut request = json!({"id": self.id, "crd_text": &*self.crd, "text": self.text});
        if let Some(old) = &self.old {
            request["old_text"] = json!(old);
        }
        if self.status {
            request["status"] = json!(true);
        }
        request.to_string()
    }
}

/// The project's own fixtures.
pub(crate) fn fixtures(folder: &Path) -> anyhow::Result<Vec<Case>> {
    let mut all = Vec::new();
    for file in std::fs::read_dir(folder)? {
        let path = file?.path();
        if path.extension().is_none_or(|it| it != "yaml") {
            continue;
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let (definition, cases) = crd_analyzer_fixtures::resources::cases(&std::fs::read_to_string(&path)?);
        let crd: Arc<str> = definition.into();
        all.extend(cases.into_iter().map(|case| Case {
            id: format!("{name} {}", case.label),
            crd: Arc::clone(&crd),
            text: case.text,
            old: case.old,
            status: case.is_status,
        }));
    }
    all.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(all)
}

/// The requests in a file, one per line.
fn written(file: &Path) -> anyhow::Result<Vec<Case>> {
    let text = std::fs::read_to_string(file)?;
    let read = |line: &str| {
        let request: Value = serde_json::from_str(line)?;
        let text = |name: &str| request[name].as_str().map(str::to_owned);
        Ok(Case {
            id: text("id").unwrap_or_default(),
            crd: text("crd_text").unwrap_or_default().into(),
            text: text("text").unwrap_or_default(),
            old: text("old_text"),
            status: request["status"] == true,
        })
    };
    text.lines().map(read).collect()
}

pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    on_a_large_stack(|| run_here(args))
}

fn run_here(args: &Args) -> anyhow::Result<bool> {
    let corpus = peers::corpus()?;
    let seed = args.choice.seed();
    let mut clean = true;
    for minor in args.versions.minors()? {
        let cases = match args.mutants {
            _ if args.replay.is_some() => args.replay.as_deref().map_or_else(|| Ok(Vec::new()), written)?,
            None => of_corpus(&corpus, &args.choice.only, args.update || args.status, args.status)?,
            // Each Kubernetes version gets different objects.
            Some(count) => {
                let wanted = Made {
                    count,
                    is_update: args.update,
                    is_status: args.status,
                    only: &args.choice.only,
                    max_size: args.choice.max_size,
                    signs: args.signs,
                };
                made(&corpus, seed.wrapping_add(u64::from(minor)), &wanted)?
            }
        };
        clean &= compare_all(args, minor, &cases)?;
    }
    if args.mutants.is_some() {
        println!("seed {seed}");
    }
    Ok(clean)
}

/// The resources of the corpus with a CRD that is also in the corpus. The file `CRS.tsv` lists them.
pub(crate) fn pairs(corpus: &Path) -> anyhow::Result<Vec<(String, String)>> {
    let golden = corpus.join("../golden/cr.1.37.jsonl");
    let text = std::fs::read_to_string(&golden).with_context(|| format!("no {}", golden.display()))?;
    let mut pairs: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        let answer: Value = serde_json::from_str(line)?;
        let part = |name: &str| answer[name].as_str().unwrap_or_default().to_owned();
        pairs.push((part("crd"), part("cr")));
    }
    pairs.sort();
    pairs.dedup();
    Ok(pairs)
}

/// The resources of the corpus whose path or CRD path contains `only`. With `is_update`, each one replaces itself.
pub(crate) fn of_corpus(corpus: &Path, only: &str, is_update: bool, status: bool) -> anyhow::Result<Vec<Case>> {
    let mut texts = Texts::new(corpus);
    let mut cases = Vec::new();
    for (crd, cr) in pairs(corpus)? {
        if !crd.contains(only) && !cr.contains(only) {
            continue;
        }
        let text = std::fs::read_to_string(corpus.join(&cr))?;
        let old = is_update.then(|| text.clone());
        cases.push(Case {
            id: format!("{cr} by {crd}"),
            crd: texts.get(&crd)?,
            text,
            old,
            status,
        });
    }
    Ok(cases)
}

/// A cache of files.
struct Texts {
    corpus: PathBuf,
    known: BTreeMap<String, Arc<str>>,
}

impl Texts {
    fn new(corpus: &Path) -> Self {
        Self {
            corpus: corpus.to_owned(),
            known: BTreeMap::new(),
        }
    }

    fn get(&mut self, name: &str) -> anyhow::Result<Arc<str>> {
        if let Some(text) = self.known.get(name) {
            return Ok(Arc::clone(text));
        }
        let text: Arc<str> = std::fs::read_to_string(self.corpus.join(name))?.into();
        self.known.insert(name.to_owned(), Arc::clone(&text));
        Ok(text)
    }
}

/// The number of consecutive objects of one CRD.
const IN_A_ROW: usize = 20;

/// Options for generating objects.
pub(crate) struct Made<'a> {
    pub(crate) count: usize,
    /// Whether the objects are updates.
    pub(crate) is_update: bool,
    /// Whether the objects are updates of the status.
    pub(crate) is_status: bool,
    /// Only CRDs whose path contains this text are used.
    pub(crate) only: &'a str,
    /// The maximum size of the CRDs to use, in bytes.
    pub(crate) max_size: u64,
    /// Whether to insert a placeholder that old versions used for unknown values.
    pub(crate) signs: bool,
}

/// Objects with mistakes, generated from the schemas of CRDs or based on objects of the corpus.
pub(crate) fn made(corpus: &Path, seed: u64, args: &Made<'_>) -> anyhow::Result<Vec<Case>> {
    let mut rng = Rng::with_seed(seed);
    let mut texts = Texts::new(corpus);
    let mut real: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (crd, cr) in pairs(corpus)? {
        real.entry(crd).or_default().push(cr);
    }
    let names: Vec<String> = peers::definitions(corpus)?
        .into_iter()
        .filter(|name| name.contains(args.only) && !name.contains(".partial"))
        .filter(|name| std::fs::metadata(corpus.join(name)).is_ok_and(|it| it.len() <= args.max_size))
        .collect();
    anyhow::ensure!(!names.is_empty(), "no definition is small enough and fits --only");
    let mut cases = Vec::new();
    while cases.len() < args.count {
        let name = &names[rng.usize(..names.len())];
        // Some files are not valid UTF-8.
        let Ok(text) = texts.get(name) else {
            continue;
        };
        let Some(mut definition) = generate::Definition::read(&text) else {
            continue;
        };
        let (crd, what) = match rng.u8(..3) {
            0 => (text, "real"),
            edits => (
                Arc::from(rules::change(&mut definition, usize::from(edits) * 2, &mut rng)),
                "changed",
            ),
        };
        // The CRD and its objects contain the same placeholder.
        let sign = args.signs.then(|| signs::text(&mut rng));
        let crd = match &sign {
            Some(sign) if rng.u8(..3) == 0 => definition.forge_schema(sign, &mut rng).into(),
            _ => crd,
        };
        let objects: Vec<Value> = real
            .get(name)
            .into_iter()
            .flatten()
            .filter_map(|it| generate::object_in(&texts.get(it).ok()?, &definition))
            .collect();
        for _ in 0..IN_A_ROW.min(args.count - cases.len()) {
            let base = match objects.get(rng.usize(..objects.len().max(1))) {
                Some(object) if rng.bool() => object.clone(),
                _ => definition.instance(&mut rng),
            };
            let mut edited = |from: &Value, most: usize| {
                let mut object = from.clone();
                for _ in 0..rng.usize(..=most) {
                    definition.edit(&mut object, &mut rng);
                }
                object
            };
            let (new, old) = if args.is_update || args.is_status {
                let old = edited(&base, 3);
                (edited(&old, 3), Some(old))
            } else {
                (edited(&base, 3), None)
            };
            let mut forged = |mut object: Value| {
                if let Some(sign) = &sign {
                    definition.forge(&mut object, sign, &mut rng);
                }
                object
            };
            let (new, old) = (forged(new), old.map(forged));
            cases.push(Case {
                id: format!("{:06} {what} {name}", cases.len()),
                crd: Arc::clone(&crd),
                text: signs::json(&new, &mut rng),
                old: old.as_ref().map(signs::escaped_json),
                status: args.is_status,
            });
        }
    }
    Ok(cases)
}

fn compare_all(args: &Args, minor: u8, cases: &[Case]) -> anyhow::Result<bool> {
    let oracle = peers::oracle(minor)?;
    let mut tally = Tally::default();
    let mut ours = answer::Answerer::new(KubernetesVersion::minor(minor));
    let started = std::time::Instant::now();
    let mut own_time = std::time::Duration::ZERO;
    for batch in cases.chunks(400) {
        let theirs = ask(&oracle, batch)?;
        for case in batch {
            let begun = std::time::Instant::now();
            let our = ours.answer(&case.crd, &case.id, &case.text, case.old.as_deref(), case.status);
            own_time += begun.elapsed();
            compare_case(
                args,
                minor,
                case,
                theirs.get(&case.id).map_or(&[], Vec::as_slice),
                &our,
                &mut tally,
            )?;
        }
    }
    println!(
        "1.{minor}: {} answers, {} by definitions that are refused, {} rejections, {} differ, {} with another cost; {:.1} s, ours {:.1} s",
        tally.answers,
        tally.refused,
        tally.rejected,
        tally.differing,
        tally.costs,
        started.elapsed().as_secs_f64(),
        own_time.as_secs_f64()
    );
    Ok(tally.differing == 0)
}

#[derive(Default)]
struct Tally {
    answers: usize,
    refused: usize,
    rejected: usize,
    differing: usize,
    costs: usize,
}

fn compare_case(
    args: &Args,
    minor: u8,
    case: &Case,
    theirs: &[Value],
    ours: &[Value],
    tally: &mut Tally,
) -> anyhow::Result<()> {
    if theirs.iter().any(|it| it["crd_accepted"] == false) {
        tally.refused += 1;
        return Ok(());
    }
    tally.answers += theirs.len().max(1);
    tally.rejected += theirs.iter().filter(|it| it["accepted_strict"] == false).count();
    let mut found = Vec::new();
    let by_doc = |answers: &[Value], doc: &Value| answers.iter().find(|it| it["doc"] == *doc).cloned();
    for their in theirs {
        let our = by_doc(ours, &their["doc"]);
        found.extend(compare::differences(their, our.as_ref()));
        let cost = |it: &Value| it["cel_cost"].as_i64();
        if let Some(our) = our
            && cost(their).is_some()
            && cost(&our).is_some()
            && cost(their) != cost(&our)
        {
            tally.costs += 1;
            if tally.costs <= args.printed.show {
                println!("1.{minor} {}: cost {:?}, ours {:?}", case.id, cost(their), cost(&our));
                args.printed
                    .keep(&format!("{minor}-cost-{}.json", tally.costs), &case.request())?;
            }
        }
    }
    if ours.len() > theirs.len() {
        found.push(format!(
            "{} answers from crd-analyzer, {} from the oracle",
            ours.len(),
            theirs.len()
        ));
    }
    if found.is_empty() {
        return Ok(());
    }
    tally.differing += 1;
    if tally.differing <= args.printed.show {
        println!("1.{minor} {}", case.id);
        println!("    {}", found.join("\n    "));
    }
    args.printed
        .keep(&format!("{minor}-{}.json", tally.differing), &case.request())
}

/// Sends a batch to the oracle. Returns its answers by request, in document order.
pub(crate) fn ask(oracle: &Path, batch: &[Case]) -> anyhow::Result<BTreeMap<String, Vec<Value>>> {
    let mut child = Command::new(oracle)
        .args(["cr", "-cel-cost", "-list", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut stdin = child.stdin.take().context("a piped child has a standard input")?;
    let text: Vec<String> = batch.iter().map(Case::request).collect();
    let writer = std::thread::spawn(move || stdin.write_all(text.join("\n").as_bytes()));
    let output = child.wait_with_output()?;
    drop(writer.join());
    anyhow::ensure!(output.status.success(), "the oracle ended with {}", output.status);
    let mut answers: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for line in output.stdout.split(|it| *it == b'\n').filter(|it| !it.is_empty()) {
        let answer: Value = serde_json::from_slice(line)?;
        let id = answer["cr"].as_str().or(answer["file"].as_str()).unwrap_or_default();
        answers.entry(id.to_owned()).or_default().push(answer);
    }
    Ok(answers)
}
