//! Compares our answers with those of the real API server: sends a sample of requests to an API server on loopback.
//!
//! The oracle runs the API server's code without its surroundings (routes, handlers, storage, controllers). This comparison shows whether the
//! surroundings change an answer.

mod compare;
mod from_cluster;
mod ours;
mod sample;

use std::process::Command;

use crd_analyzer_schema::KubernetesVersion;
use serde_json::{Value, json};

use crate::{
    choice::{Choice, Printed, on_a_large_stack},
    peers,
};

/// Creations and updates of CRDs and custom resources, sent to an API server on loopback.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// How many requests to send.
    count: usize,
    #[command(flatten)]
    choice: Choice,
    #[command(flatten)]
    printed: Printed,
}

/// The Kubernetes version of the linked API server (`tests/conformance/server/go.mod`).
const MINOR: u8 = KubernetesVersion::NEWEST.number();

/// One request.
#[derive(Clone, Debug)]
struct Request {
    id: String,
    /// The CRD, if the request is about a custom resource.
    crd: Option<std::sync::Arc<str>>,
    text: String,
    /// The stored object, if the request is an update.
    old: Option<String>,
    /// Whether the request updates the status subresource.
    status: bool,
}

impl Request {
    fn line(&self) -> String {
        let mut line = json!({"id": self.id, "text": self.text, "status": self.status});
        if let Some(crd) = &self.crd {
            line["crd_text"] = json!(&**crd);
        }
        if let Some(old) = &self.old {
            line["old_text"] = json!(old);
        }
        line.to_string()
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    on_a_large_stack(|| run_here(args))
}

/// The counts of a run.
#[derive(Default)]
struct Tally {
    answers: usize,
    rejected: usize,
    differing: usize,
    skipped: usize,
}

fn run_here(args: &Args) -> anyhow::Result<bool> {
    let seed = args.choice.seed();
    let corpus = peers::corpus()?;
    let requests = sample::requests(&corpus, args.count, seed, &args.choice)?;
    let server = peers::server()?;
    let lines: Vec<String> = requests.iter().map(|it| it.0.line()).collect();
    let started = std::time::Instant::now();
    let answers = peers::ask_lines(Command::new(&server).args(["ask", "-timeout", "30m"]), &lines)?;
    let elapsed = started.elapsed();
    anyhow::ensure!(
        answers.len() == requests.len(),
        "{} answers to {} requests",
        answers.len(),
        requests.len()
    );
    let mut tally = Tally::default();
    for ((request, ours), theirs) in requests.iter().zip(&answers) {
        tell(args, request, ours, theirs, &mut tally)?;
    }
    println!(
        "1.{MINOR} on loopback: {} requests answered, {} refused, {} differ, {} could not be sent; {:.1} s; seed {seed}",
        tally.answers,
        tally.rejected,
        tally.differing,
        tally.skipped,
        elapsed.as_secs_f64()
    );
    // If too many requests are skipped, the comparison is not meaningful.
    anyhow::ensure!(
        tally.skipped * 20 <= requests.len(),
        "too many requests could not be sent"
    );
    let is_same_by_cluster = from_cluster::run(&corpus, &server, seed)?;
    Ok(tally.differing == 0 && is_same_by_cluster)
}

fn tell(args: &Args, request: &Request, ours: &ours::Answer, theirs: &Value, tally: &mut Tally) -> anyhow::Result<()> {
    if let Some(why) = theirs["skipped"].as_str() {
        tally.skipped += 1;
        if tally.skipped <= args.printed.show {
            println!("{} could not be sent: {why}", request.id);
        }
        return keep(args, request, theirs, &format!("skipped-{}", tally.skipped));
    }
    tally.answers += 1;
    tally.rejected += usize::from(theirs["code"].as_u64() >= Some(400) || !theirs["strict"].is_null());
    let found = compare::differences(request, ours, theirs);
    if found.is_empty() {
        return Ok(());
    }
    tally.differing += 1;
    if tally.differing <= args.printed.show {
        println!("{}", request.id);
        println!("    {}", found.join("\n    "));
    }
    keep(args, request, theirs, &format!("server-{}", tally.differing))
}

/// Writes a request and its answer to a file for inspection.
fn keep(args: &Args, request: &Request, theirs: &Value, name: &str) -> anyhow::Result<()> {
    let kept = json!({"request": serde_json::from_str::<Value>(&request.line())?, "answer": theirs});
    args.printed.keep(&format!("{name}.json"), &kept.to_string())
}
