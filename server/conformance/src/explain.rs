//! Compares our explanations of custom resource fields with the output of `kubectl explain`. Runs kubectl's own code on the document that
//! the API server's own code publishes.

use std::{path::Path, process::Command, sync::Arc};

use anyhow::{Context as _, bail};
use crd_analyzer_apiextensions::strategy::Received;
use crd_analyzer_publish::published;
use crd_analyzer_reference::{Depth, Subject, Unexplained, all_fields, explain};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::{
    read_json,
    split::{read_document, split},
};
use fastrand::Rng;
use serde_json::{Value, json};

use crate::{crds, peers};

#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Use this many files of the corpus; all by default.
    #[arg(long)]
    files: Option<usize>,
    /// Also use this many mutants of CRDs of the corpus.
    #[arg(long, default_value_t = 0)]
    mutants: usize,
    /// The number of random fields per version of a CRD.
    #[arg(long, default_value_t = 8)]
    fields: usize,
    /// The seed; random by default.
    #[arg(long)]
    seed: Option<u64>,
    /// Print at most this many differences.
    #[arg(long, default_value_t = 5)]
    show: usize,
    /// Write the schemas of `metadata` as this Kubernetes version publishes them, without comparing anything.
    #[arg(long)]
    update_metadata: bool,
}

/// A request about one field of a kind.
struct Question {
    path: Vec<String>,
    depth: Depth,
}

/// One version of a CRD, with requests and our answers.
struct Case {
    label: String,
    request: String,
    questions: Vec<Question>,
    answers: Vec<Result<String, Unexplained>>,
}

/// The number of requests per batch.
const BATCH: usize = 200;

pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    let oracle = peers::go_program("explain")?;
    let is_current = compare_metadata(&oracle, args.update_metadata)?;
    if args.update_metadata {
        return Ok(true);
    }
    let corpus = peers::corpus()?;
    let seed = args.seed.unwrap_or_else(|| fastrand::u64(..));
    let mut random = Rng::with_seed(seed);
    let mut files = peers::definitions(&corpus)?;
    let mutants = crds::mutant_requests(&corpus, &files, args.mutants, seed)?;
    if let Some(most) = args.files {
        random.shuffle(&mut files);
        files.truncate(most);
    }
    let mut cases = Vec::new();
    for file in &files {
        if let Ok(text) = std::fs::read_to_string(corpus.join(file)) {
            add_cases(&mut cases, file, &text.into(), args.fields, &mut random);
        }
    }
    for mutant in &mutants {
        let request: Value = serde_json::from_str(mutant)?;
        let text = request["text"].as_str().context("a mutant has a text")?;
        let label = request["id"].as_str().unwrap_or_default();
        add_cases(&mut cases, label, &text.into(), args.fields, &mut random);
    }
    let (mut asked, mut refused, mut differing) = (0, 0, 0);
    for batch in cases.chunks(BATCH) {
        let theirs = ask(&oracle, batch)?;
        for (case, answers) in batch.iter().zip(theirs) {
            for ((question, ours), theirs) in case.questions.iter().zip(&case.answers).zip(&answers) {
                asked += 1;
                refused += usize::from(theirs.is_err());
                let is_same = match (ours, theirs) {
                    (Ok(ours), Ok(theirs)) => ours == theirs,
                    (Err(ours), Err(theirs)) => theirs.contains(&ours.to_string()),
                    _ => false,
                };
                if is_same {
                    continue;
                }
                differing += 1;
                if differing <= args.show {
                    println!("{} {} {:?}", case.label, question.path.join("."), question.depth);
                    show(ours, theirs);
                }
            }
        }
    }
    println!(
        "{} versions of CRDs, {asked} fields explained (kubectl refuses {refused}), {differing} differ (seed {seed})",
        cases.len()
    );
    anyhow::ensure!(asked > refused, "nothing was compared");
    Ok(differing == 0 && is_current)
}

/// Compares our schemas of `metadata` with those that the API server publishes. If `update` is set, writes them instead.
fn compare_metadata(oracle: &Path, update: bool) -> anyhow::Result<bool> {
    let output = Command::new(oracle).arg("metadata").output()?;
    anyhow::ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let path = peers::root().join("server/publish/src/metadata.json");
    if update {
        std::fs::write(&path, &output.stdout)?;
        println!("{}", path.display());
        return Ok(true);
    }
    let ours: Value = serde_json::from_slice(&std::fs::read(&path)?)?;
    let theirs: Value = serde_json::from_slice(&output.stdout)?;
    if ours != theirs {
        println!("{} differs: write it with `--update-metadata`", path.display());
    }
    Ok(ours == theirs)
}

/// Prints the first line that differs.
fn show(ours: &Result<String, Unexplained>, theirs: &Result<String, String>) {
    let lines = |text: &str| text.split('\n').map(str::to_owned).collect::<Vec<_>>();
    let (ours, theirs) = match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => (lines(ours), lines(theirs)),
        (ours, theirs) => (vec![format!("{ours:.200?}")], vec![format!("{theirs:.200?}")]),
    };
    for n in 0..ours.len().max(theirs.len()) {
        if ours.get(n) != theirs.get(n) {
            println!("  line {}", n + 1);
            println!("    ours   {:?}", ours.get(n));
            println!("    theirs {:?}", theirs.get(n));
            break;
        }
    }
}

/// Adds the accepted and served versions of the CRDs in a text.
fn add_cases(cases: &mut Vec<Case>, label: &str, text: &Arc<str>, fields: usize, random: &mut Rng) {
    for document in split(text).documents {
        let Ok(tree) = read_document(text, document, &[]) else {
            continue;
        };
        let Ok(json) = read_json(&tree) else { continue };
        let Some(root) = json.root() else { continue };
        let value = root.to_value();
        if value["kind"] != "CustomResourceDefinition" || value["apiVersion"] != "apiextensions.k8s.io/v1" {
            continue;
        }
        let Ok(received) = Received::new(&json, KubernetesVersion::NEWEST) else {
            continue;
        };
        let verdict = received.judge(None, None);
        if !verdict.is_accepted() {
            continue;
        }
        let Some(definition) = verdict.definition else { continue };
        let spec = &definition.internal.spec;
        for version in published(&definition.internal, KubernetesVersion::NEWEST) {
            let subject = Subject {
                group: &spec.group,
                version: &version.version,
                kind: &spec.names.kind,
                schema: &version.v3,
            };
            let questions = questions(&version.v3, fields, random);
            let asked = questions.iter().map(|it| {
                let (recursive, deepest) = match it.depth {
                    Depth::Fields => (false, 0),
                    Depth::Recursive(deepest) => (true, deepest),
                };
                json!({"path": it.path, "recursive": recursive, "maxDepth": deepest})
            });
            let label = format!("{label} {} {}", spec.names.kind, version.version);
            let request = json!({
                "id": label,
                "crd": value,
                "version": version.version,
                "questions": asked.collect::<Vec<_>>(),
            });
            cases.push(Case {
                request: request.to_string(),
                answers: questions
                    .iter()
                    .map(|it| explain(&subject, &it.path, it.depth))
                    .collect(),
                label,
                questions,
            });
        }
    }
}

/// Requests about the kind and its metadata, fields of the schema, and fields that do not exist.
fn questions(schema: &Value, fields: usize, random: &mut Rng) -> Vec<Question> {
    let question = |path: &[&str], depth| Question {
        path: path.iter().map(|it| (*it).to_owned()).collect(),
        depth,
    };
    let mut asked = vec![
        question(&[], Depth::Fields),
        question(&[], Depth::Recursive(0)),
        question(&[], Depth::Recursive(random.usize(1..4))),
        question(&["apiVersion"], Depth::Fields),
        question(&["metadata"], Depth::Fields),
        question(&["metadata", "ownerReferences"], Depth::Recursive(0)),
        question(&["metadata", "managedFields", "time"], Depth::Fields),
        question(&["metadata", "labels", "nothing"], Depth::Fields),
        question(&["spec", "nothing"], Depth::Fields),
    ];
    let mut all = all_fields(schema);
    random.shuffle(&mut all);
    for (path, _) in all.iter().take(fields) {
        let depth = match random.u8(..4) {
            0 => Depth::Recursive(random.usize(..3)),
            _ => Depth::Fields,
        };
        asked.push(question(path, depth));
    }
    asked
}

/// kubectl's answers to the requests of each case.
fn ask(oracle: &Path, cases: &[Case]) -> anyhow::Result<Vec<Vec<Result<String, String>>>> {
    let requests: Vec<String> = cases.iter().map(|it| it.request.clone()).collect();
    let answers = peers::ask_lines(&mut Command::new(oracle), &requests)?;
    if answers.len() != cases.len() {
        bail!("{} answers to {} requests", answers.len(), cases.len());
    }
    let texts = answers.iter().zip(cases).map(|(answer, case)| {
        if let Some(error) = answer["error"].as_str() {
            bail!("{}: {error}", case.label);
        }
        let of = answer["answers"].as_array().context("answers are a list")?;
        anyhow::ensure!(of.len() == case.questions.len(), "{}: {answer}", case.label);
        let results = of.iter().map(|it| match it["error"].as_str() {
            Some(error) => Err(error.to_owned()),
            None => Ok(it["text"].as_str().unwrap_or_default().to_owned()),
        });
        Ok(results.collect())
    });
    texts.collect()
}
