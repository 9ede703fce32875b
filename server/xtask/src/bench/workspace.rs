//! Benchmarks the corpus as one workspace: the time until its objects are indexed, and until a resource reflects a change of its CRD.

use std::{
    process::Command,
    time::{Duration, Instant},
};

use anyhow::Context as _;

use super::{Bench, process::measure};
use crate::session::EditorSession;

/// A CRD of the corpus and one of its resources.
const DEFINITION: &str = "crds/kyverno__kyverno/clusterpolicies.kyverno.io.yaml";
const RESOURCE: &str = "crs/CrunchyData__postgres-operator/clusterpolicy.service_links.yaml";

pub(super) fn run(bench: &Bench) -> anyhow::Result<()> {
    let mut best: Option<(Duration, u64)> = None;
    for _ in 0..bench.runs {
        let start = Instant::now();
        let (session, _) = EditorSession::start_in(&bench.analyzer, &bench.corpus)?;
        let took = start.elapsed();
        let peak = super::process::peak_kib(session.pid());
        session.end()?;
        if best.is_none_or(|it| took < it.0) {
            best = Some((took, peak));
        }
    }
    let (took, peak) = best.context("at least one run")?;
    println!(
        "workspace of {} definitions: from the start of the process until all is known {:>8.3} s {peak:>7} KiB",
        bench.files.len(),
        took.as_secs_f64(),
    );
    let (mut session, _) = EditorSession::start_in(&bench.analyzer, &bench.corpus)?;
    let [definition, resource] = [DEFINITION, RESOURCE].map(|it| bench.corpus.join(it));
    let uri = |path: &std::path::Path| format!("file://{}", path.display());
    let [crd, cr] = [uri(&definition), uri(&resource)];
    let text = std::fs::read_to_string(&definition)?;
    let key = "openAPIV3Schema:";
    let (line, written) = text
        .lines()
        .enumerate()
        .find(|(_, it)| it.trim() == key)
        .context("the definition has a schema")?;
    let rule = format!(
        "{}  x-kubernetes-validations: [{{rule: 'false'}}]\n",
        written.replace(key, "")
    );
    session.open(&crd, &text)?;
    session.open(&cr, &std::fs::read_to_string(&resource)?)?;
    let mut times = Vec::new();
    for version in 1..=u64::try_from(bench.runs)? * 4 {
        let start = Instant::now();
        // Alternately adds and removes a rule that is never true. The diagnostics have to change, because unchanged diagnostics are not sent again.
        if version % 2 == 1 {
            session.edit(&crd, version, line + 1, [0, 0], &rule)?;
        } else {
            session.edit(&crd, version, line + 1, [0, rule.len() - 1], "")?;
        }
        let own = start.elapsed();
        session.next(&cr, 0)?;
        times.push((start.elapsed(), own));
    }
    times.sort_unstable();
    let (all, own) = times[times.len() / 2];
    println!(
        "edit of a definition until its resource is judged {:>8.3} s, itself {:>8.3} s",
        all.as_secs_f64(),
        own.as_secs_f64(),
    );
    session.end()?;
    let mut check = Command::new(&bench.analyzer);
    check
        .args(["check", "--no-config", "--output", "jsonl", "."])
        .current_dir(&bench.corpus);
    let run = measure(&mut check, bench.runs)?;
    println!(
        "check of all definitions and resources {:>8.3} s {:>7} KiB",
        run.time.as_secs_f64(),
        run.peak_kib
    );
    Ok(())
}
