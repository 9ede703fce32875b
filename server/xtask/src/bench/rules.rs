//! Benchmarks the rules of one CRD, without parsing the CRD.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use crd_analyzer_apiextensions::{
    strategy::judge_create,
    validation::{CelCompiler, schema_costs},
};
use crd_analyzer_schema::{KubernetesVersion, depth};
use crd_analyzer_syntax::{read_json, split};

/// Compiles the rules of a CRD in this process and estimates their cost, minus the time for the CRD without rules. The result depends on the build
/// profile.
pub(super) fn run(file: &Path, runs: usize) -> anyhow::Result<()> {
    let text: std::sync::Arc<str> = std::fs::read_to_string(file)?.into();
    let measure = move || -> anyhow::Result<(usize, Duration)> {
        let document = split::split(&text).documents.into_iter().next();
        let document = document.ok_or_else(|| anyhow::anyhow!("no document"))?;
        let tree = split::read_document(&text, document, &[]).map_err(|it| anyhow::anyhow!(it.message))?;
        let json = read_json(&tree).map_err(|it| anyhow::anyhow!(it.message))?;
        let version = KubernetesVersion::NEWEST;
        let (mut without, mut with, mut rules) = (Duration::MAX, Duration::MAX, 0);
        // The first round is slower, because it also builds the CEL environments.
        for _ in 0..=runs * 10 {
            let start = Instant::now();
            drop(judge_create(&json, version, None));
            without = without.min(start.elapsed());
            let start = Instant::now();
            let compiler = CelCompiler::new(version);
            let verdict = judge_create(&json, version, Some(&compiler));
            let definition = verdict.definition.as_ref();
            let costs = definition.map_or_else(Vec::new, |it| {
                schema_costs(&it.internal, &verdict.errors, &verdict.compiled, version)
            });
            rules = costs.iter().map(|it| it.rules.len()).sum();
            drop((costs, verdict));
            with = with.min(start.elapsed());
        }
        Ok((rules, with.saturating_sub(without)))
    };
    let thread = std::thread::Builder::new()
        .stack_size(depth::STACK_BYTES)
        .spawn(measure)?;
    let (rules, took) = thread.join().map_err(|_| anyhow::anyhow!("the thread failed"))??;
    println!(
        "{rules} rules compiled and priced in {:.1} ms",
        took.as_secs_f64() * 1000.0
    );
    Ok(())
}
