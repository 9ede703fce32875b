//! Checks the answers of `compat` for pairs of CRDs against the API server's own code: real pairs of releases, mutants of the corpus,
//! and small random schemas.
//!
//! Witnesses are replayed: one side has to accept the witness, and the other side has to treat it as `compat` claims. For changes that are reported
//! as compatible, random objects are generated around the change. If one side accepts such an object, the other side must accept and keep it.

mod mutate;
mod objects;
mod olm;
mod replay;
mod search;
mod small;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use crd_analyzer_apiextensions::strategy::Stored;
use crd_analyzer_compat::{Answer, Change, Direction, Subject, Summary, compare};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::read_json;
use crd_analyzer_syntax::split::{read_document, split};
use fastrand::Rng;
use serde_json::Value;

use crate::choice::{Choice, Printed, Versions, on_a_large_stack};
use crate::peers;

/// Pairs of releases, of CRDs of the corpus and mutants of them, or of small random schemas.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// What is compared.
    #[arg(value_enum, default_value_t)]
    question: Question,
    /// Compare this many pairs of a CRD of the corpus and its mutant, instead of pairs of releases.
    #[arg(long, value_name = "COUNT")]
    mutants: Option<usize>,
    /// Compare this many pairs of small random schemas, instead of pairs of releases.
    #[arg(long, value_name = "COUNT", conflicts_with = "mutants")]
    small: Option<usize>,
    /// Random objects for each pair and direction.
    #[arg(long, default_value_t = 40)]
    tries: usize,
    #[command(flatten)]
    versions: Versions,
    #[command(flatten)]
    choice: Choice,
    #[command(flatten)]
    printed: Printed,
}

/// What is compared of a pair.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Question {
    /// Witnesses are replayed, and random objects are tried on what is called compatible
    #[default]
    Changes,
    /// What happens to objects of the corpus and to random ones (`compat --objects`)
    Objects,
    /// What `compat --policy olm` refuses, against crdify's own code
    Olm,
}

/// Two versions of a CRD file.
pub(crate) struct Pair {
    id: String,
    old: Arc<str>,
    new: Arc<str>,
}

/// The number of pairs that are compared before the oracle runs.
const BATCH: usize = 40;

pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    on_a_large_stack(|| run_here(args))
}

fn run_here(args: &Args) -> anyhow::Result<bool> {
    let seed = args.choice.seed();
    let mut clean = true;
    for minor in args.versions.minors()? {
        let mut rng = Rng::with_seed(seed.wrapping_add(u64::from(minor)));
        let pairs = match (args.small, args.mutants) {
            (Some(count), _) => small::pairs(count, KubernetesVersion::minor(minor), &mut rng),
            (None, Some(count)) => mutate::pairs(&peers::corpus()?, count, &args.choice, &mut rng)?,
            (None, None) => released(&args.choice.only)?,
        };
        match args.question {
            Question::Changes => {}
            Question::Objects => {
                clean &= objects::run(args, minor, &pairs, &mut rng)?;
                continue;
            }
            Question::Olm => {
                clean &= olm::run(args, minor, &pairs)?;
                continue;
            }
        }
        let oracle = peers::oracle(minor)?;
        let mut tally = Tally::default();
        for batch in pairs.chunks(BATCH) {
            check(args, &oracle, minor, batch, &mut rng, &mut tally)?;
        }
        tally.print(minor);
        clean &= tally.false_answers == 0;
    }
    println!("seed {seed}");
    Ok(clean)
}

/// The pairs of releases, from `$CRD_ANALYZER_RELEASES` or from `releases` next to the corpus.
fn released(only: &str) -> anyhow::Result<Vec<Pair>> {
    let folder = match std::env::var_os("CRD_ANALYZER_RELEASES") {
        Some(folder) => PathBuf::from(folder),
        None => peers::corpus()?.join("../releases"),
    };
    let index = folder.join("index.jsonl");
    let text = std::fs::read_to_string(&index).with_context(|| format!("no {}", index.display()))?;
    let mut pairs = Vec::new();
    for line in text.lines() {
        let entry: Value = serde_json::from_str(line)?;
        let read = |name: &str| -> anyhow::Result<(String, Arc<str>)> {
            let path = entry[name].as_str().unwrap_or_default().to_owned();
            let text = std::fs::read_to_string(folder.join(&path))?;
            Ok((path, text.into()))
        };
        let ((_, old), (id, new)) = (read("old")?, read("new")?);
        if id.contains(only) {
            pairs.push(Pair { id, old, new });
        }
    }
    Ok(pairs)
}

/// The first CRD in a text.
pub(crate) fn subject(text: &Arc<str>, version: KubernetesVersion) -> Option<Subject> {
    let documents = split(text).documents.into_iter();
    let mut found = documents.filter_map(|document| {
        let tree = read_document(text, document, &[]).ok()?;
        let json = read_json(&tree).ok()?;
        Stored::establish(&json, version)
    });
    Some(Subject::new(found.next()?, version))
}

/// One result of `compat`.
pub(crate) struct Claim<'a> {
    pub(crate) pair: usize,
    pub(crate) change: &'a Change,
    pub(crate) direction: Direction,
    pub(crate) answer: &'a Answer,
}

fn check(
    args: &Args,
    oracle: &Path,
    minor: u8,
    pairs: &[Pair],
    rng: &mut Rng,
    tally: &mut Tally,
) -> anyhow::Result<()> {
    let version = KubernetesVersion::minor(minor);
    let mut compared = Vec::new();
    for pair in pairs {
        let (Some(old), Some(new)) = (subject(&pair.old, version), subject(&pair.new, version)) else {
            compared.push(Vec::new());
            continue;
        };
        let started = std::time::Instant::now();
        let changes = compare(&old, &new);
        let took = started.elapsed().as_secs_f64();
        if took > tally.slowest.0 {
            tally.slowest = (took, pair.id.clone(), changes.len());
        }
        compared.push(changes);
    }
    let claims = compared.iter().enumerate().flat_map(|(pair, changes)| {
        changes.iter().flat_map(move |change| {
            change.each().map(move |(direction, answer)| Claim {
                pair,
                change,
                direction,
                answer,
            })
        })
    });
    let claims: Vec<Claim<'_>> = claims.collect();
    tally.pairs += pairs.len();
    for claim in &claims {
        tally.count(claim);
    }
    let mut wrong = replay::wrong(oracle, pairs, &claims, tally)?;
    wrong.extend(search::wrong(oracle, version, pairs, &compared, args, rng, tally)?);
    for it in wrong {
        tally.false_answers += 1;
        if tally.false_answers <= args.printed.show {
            println!("1.{minor} {it}");
        }
    }
    Ok(())
}

/// The counts of the results.
#[derive(Default)]
pub(crate) struct Tally {
    pairs: usize,
    false_answers: usize,
    /// The numbers of replayed witnesses, and of witnesses about an effect that the oracle does not print.
    pub(crate) replayed: usize,
    pub(crate) unprinted: usize,
    /// The number of pairs that an API server of this version rejects, so that nothing was replayed.
    pub(crate) refused: usize,
    /// The numbers of objects generated around compatible changes, and of those objects that one side accepted.
    pub(crate) made: usize,
    pub(crate) accepted: usize,
    by_code: BTreeMap<(&'static str, &'static str), Summary>,
    slowest: (f64, String, usize),
}

impl Tally {
    fn count(&mut self, claim: &Claim<'_>) {
        let key = (claim.change.code, claim.direction.name());
        self.by_code.entry(key).or_default().count(claim.answer);
    }

    fn print(&self, minor: u8) {
        println!("| change | direction | breaks | compatible | tolerated | unknown |");
        println!("|-|-|-|-|-|-|");
        let mut all = Summary::default();
        for ((code, direction), it) in &self.by_code {
            println!(
                "| {code} | {direction} | {} | {} | {} | {} |",
                it.breaks, it.compatible, it.tolerated, it.unknown
            );
            all.breaks += it.breaks;
            all.compatible += it.compatible;
            all.tolerated += it.tolerated;
            all.unknown += it.unknown;
        }
        let (seconds, id, changes) = &self.slowest;
        println!(
            "1.{minor}: {} pairs ({} refused), {} breaks, {} compatible ({} tolerated), {} unknown ({:.1} %); \
             {} witnesses replayed, {} not printed by the oracle; {} objects made, {} accepted; {} false; \
             slowest {seconds:.2} s, {changes} changes ({id})",
            self.pairs,
            self.refused,
            all.breaks,
            all.compatible,
            all.tolerated,
            all.unknown,
            100.0 * all.unknown as f64 / (all.breaks + all.compatible + all.unknown).max(1) as f64,
            self.replayed,
            self.unprinted,
            self.made,
            self.accepted,
            self.false_answers
        );
    }
}
