//! Compares the schemas that `crd-analyzer schema` prints with those that the API server publishes.

use std::{collections::BTreeMap, path::Path, process::Command};

use serde_json::{Map, Value};

use crate::{
    choice::{Choice, Printed, Versions},
    crds::{self, Mutants},
    mutate, peers,
};

/// The schemas of CRDs of the corpus, or of mutants of them.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Compare this many mutants of the corpus instead of the corpus itself.
    #[arg(long, value_name = "COUNT")]
    mutants: Option<usize>,
    #[command(flatten)]
    versions: Versions,
    #[command(flatten)]
    choice: Choice,
    #[command(flatten)]
    printed: Printed,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    let corpus = peers::corpus()?;
    let files = peers::definitions(&corpus)?;
    let wanted = args.mutants.map(|count| Mutants {
        count,
        choice: &args.choice,
        is_update: false,
        signs: false,
        words: &mutate::CRDS,
    });
    let (cases, seed) = crds::cases(&corpus, &files, wanted.as_ref())?;
    let requests: Vec<&str> = cases.values().map(|it| it.request.as_str()).collect();
    let analyzer = peers::analyzer()?;
    let mut clean = true;
    for minor in args.versions.minors()? {
        clean &= compare(&corpus, &analyzer, minor, &requests, args.printed.show)?;
    }
    if let Some(seed) = seed {
        println!("seed {seed}");
    }
    Ok(clean)
}

/// The answers about one version of a CRD, by the request's label, the document, and the version.
type Answers = BTreeMap<(String, u64, String), Value>;

/// The number of requests per batch.
const BATCH: usize = 200;

/// Whether both programs agree on every published version of every CRD.
fn compare(corpus: &Path, analyzer: &Path, minor: u8, requests: &[&str], show: usize) -> anyhow::Result<bool> {
    let oracle = peers::oracle(minor)?;
    let kubernetes = format!("1.{minor}");
    let ours = [
        "schema",
        "--output",
        "jsonl",
        "--no-config",
        "--kubernetes-version",
        &kubernetes,
        "--list",
        "-",
    ];
    let (mut count, mut differing) = (0, 0);
    for batch in requests.chunks(BATCH) {
        let batch: Vec<String> = batch.iter().map(|it| (*it).to_owned()).collect();
        let ask = |program: &Path, arguments: &[&str]| -> anyhow::Result<Answers> {
            let mut command = Command::new(program);
            command
                .args(arguments)
                .current_dir(corpus)
                .stderr(std::process::Stdio::null());
            Ok(by_version(peers::ask_lines(&mut command, &batch)?))
        };
        let theirs = ask(&oracle, &["publish", "-list", "-"])?;
        let ours = ask(analyzer, &ours)?;
        anyhow::ensure!(
            !theirs.is_empty(),
            "the oracle of 1.{minor} publishes nothing of {} requests",
            batch.len()
        );
        for key in theirs.keys().chain(ours.keys().filter(|it| !theirs.contains_key(it))) {
            count += 1;
            let found = difference(theirs.get(key), ours.get(key));
            let Some(found) = found else { continue };
            differing += 1;
            if differing <= show {
                println!("1.{minor} {} [{}] {}: {found}", key.0, key.1, key.2);
            }
        }
    }
    println!("1.{minor}: {count} published versions, {differing} differ");
    Ok(differing == 0)
}

fn by_version(answers: Vec<Value>) -> Answers {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let published = answers.into_iter().filter(|it| it.get("version").is_some());
    published
        .map(|it| {
            (
                (text(&it["file"]), it["doc"].as_u64().unwrap_or(0), text(&it["version"])),
                it,
            )
        })
        .collect()
}

/// The first difference between two answers.
fn difference(theirs: Option<&Value>, ours: Option<&Value>) -> Option<String> {
    let (Some(theirs), Some(ours)) = (theirs, ours) else {
        let who = if ours.is_some() {
            "crd-analyzer"
        } else {
            "the API server"
        };
        return Some(format!("only {who} publishes it"));
    };
    ["v3", "v2"].into_iter().find_map(|edition| {
        let place = first_difference(&theirs[edition], &ours[edition])?;
        Some(format!("{edition}{place}"))
    })
}

/// The first difference between two JSON values. Numbers are compared by value.
fn first_difference(theirs: &Value, ours: &Value) -> Option<String> {
    let end = || Some(format!(": {theirs} is {ours} here"));
    match (theirs, ours) {
        (Value::Object(a), Value::Object(b)) => in_objects(a, b),
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let mut pairs = a.iter().zip(b).enumerate();
            pairs.find_map(|(index, (a, b))| Some(format!("/{index}{}", first_difference(a, b)?)))
        }
        (Value::Number(a), Value::Number(b)) if a.as_f64() == b.as_f64() => None,
        _ if theirs == ours => None,
        _ => end(),
    }
}

fn in_objects(theirs: &Map<String, Value>, ours: &Map<String, Value>) -> Option<String> {
    let extra = ours.keys().filter(|it| !theirs.contains_key(*it));
    theirs.keys().chain(extra).find_map(|key| {
        let below = match (theirs.get(key), ours.get(key)) {
            (Some(a), Some(b)) => first_difference(a, b)?,
            (None, _) => ": only here".to_owned(),
            (_, None) => ": missing here".to_owned(),
        };
        Some(format!("/{key}{below}"))
    })
}
