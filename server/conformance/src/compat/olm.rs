//! Compares the changes that `--policy olm` rejects with crdify's own code, configured like the Operator Lifecycle Manager.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::{Command, Stdio};

use anyhow::Context as _;
use crd_analyzer_compat::{Policy, compare, olm_refusals};
use crd_analyzer_schema::KubernetesVersion;
use serde_json::{Value, json};

use super::{Args, Pair, subject};
use crate::peers;

/// Compares each pair. Returns whether all results are the same.
pub(super) fn run(args: &Args, minor: u8, pairs: &[Pair]) -> anyhow::Result<bool> {
    let answers = ask(pairs)?;
    let version = KubernetesVersion::minor(minor);
    let (mut compared, mut unread, mut differing) = (0, 0, 0);
    // The key is OLM's verdict and the answer of the policy `writers`.
    let mut table = BTreeMap::<(bool, &str), usize>::new();
    for (pair, theirs) in pairs.iter().zip(&answers) {
        let subjects = subject(&pair.old, version).zip(subject(&pair.new, version));
        let (Some((old, new)), None) = (subjects, theirs["error"].as_str()) else {
            unread += 1;
            continue;
        };
        compared += 1;
        let mut ours: Vec<[String; 3]> = olm_refusals(&old, &new)
            .into_iter()
            .map(|it| [it.version.unwrap_or_default(), it.property, it.check.to_owned()])
            .collect();
        let mut theirs: Vec<[String; 3]> = serde_json::from_value(theirs["refused"].clone()).unwrap_or_default();
        ours.sort();
        theirs.sort();
        if ours != theirs {
            differing += 1;
            if differing <= args.printed.show {
                println!("{}:\n  ours   {ours:?}\n  theirs {theirs:?}", pair.id);
            }
        }
        let verdict = Policy::Writers.verdict(&compare(&old, &new));
        *table.entry((!theirs.is_empty(), verdict.name())).or_default() += 1;
    }
    println!(
        "1.{minor}: {compared} pairs compared with crdify, {differing} differ, {unread} could not be read by both"
    );
    for ((is_refused, verdict), count) in table {
        let olm = if is_refused { "refused" } else { "accepted" };
        println!("  {olm} by OLM, {verdict} for stored objects and writers: {count}");
    }
    anyhow::ensure!(compared > 0, "no pair was compared");
    Ok(differing == 0)
}

fn ask(pairs: &[Pair]) -> anyhow::Result<Vec<Value>> {
    let program = peers::go_program("olm")?;
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut stdin = child.stdin.take().context("a pipe")?;
    let questions: Vec<String> = pairs
        .iter()
        .map(|it| json!({"old": &*it.old, "new": &*it.new}).to_string())
        .collect();
    let writer = std::thread::spawn(move || questions.iter().try_for_each(|it| writeln!(stdin, "{it}")));
    let output = child.wait_with_output()?;
    anyhow::ensure!(output.status.success(), "the program that asks crdify failed");
    writer.join().map_err(|_| anyhow::anyhow!("writing panicked"))??;
    let lines = String::from_utf8(output.stdout)?;
    let answers = lines.lines().map(serde_json::from_str).collect::<Result<Vec<_>, _>>()?;
    anyhow::ensure!(answers.len() == pairs.len(), "an answer is missing");
    Ok(answers)
}
