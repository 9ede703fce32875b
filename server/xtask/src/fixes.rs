//! Applies the offered quick fixes to mutants of real CRDs, and checks the results.

use std::{collections::BTreeMap, sync::Arc};

use crd_analyzer_ide::fixes::{Problem, apply, repair_all, repairs};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::{
    split::{read_document, split},
    tree::Span,
};
use crd_analyzer_workspace::{
    config::Config,
    config::versions::VersionSet,
    findings::finding::Class,
    findings::report::FileReport,
    judging::analysis::{Question, Wants, analyze},
    judging::hazards::{Memory, Search, codes},
};
use fastrand::Rng;

use crd_analyzer_conformance::{
    mutate::mutate,
    peers::{self, definitions},
};

/// Check the quick fixes of mutants of the corpus.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The number of mutants.
    #[arg(long, default_value_t = 5000)]
    mutants: usize,
    /// The seed; random by default. It is printed, so that a run can be repeated.
    #[arg(long)]
    seed: Option<u64>,
    /// Print at most this many failures.
    #[arg(long, default_value_t = 5)]
    show: usize,
    /// Skip files larger than this, in bytes, because each quick fix is checked individually.
    #[arg(long, default_value_t = 400_000)]
    max_size: usize,
}

/// The number of errors for each message of the API server. Messages are more specific than codes.
type Errors = BTreeMap<String, usize>;

pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    let corpus = peers::corpus()?;
    let seed = args.seed.unwrap_or_else(|| Rng::new().u64(..));
    let mut rng = Rng::with_seed(seed);
    let files = definitions(&corpus)?;
    let hazards = Memory::default();
    let judge = |text: &str| {
        let question = Question {
            wants: Wants {
                hazards: Search::All(&hazards),
                ..Wants::default()
            },
            ..Question::new(VersionSet::one(KubernetesVersion::NEWEST))
        };
        analyze(text.as_bytes().to_vec(), &question)
    };
    let (mut made, mut wrong, mut with_fix, mut offered, mut at_once) = (0, 0, 0, 0, 0);
    let mut failures: Vec<String> = Vec::new();
    let mut without: BTreeMap<&'static str, usize> = BTreeMap::new();
    while made < args.mutants {
        let name = &files[rng.usize(..files.len())];
        let Ok(text) = std::fs::read_to_string(corpus.join(name)) else {
            continue;
        };
        if text.len() > args.max_size {
            continue;
        }
        let text: Arc<str> = text.into();
        let cut = split(&text);
        if cut.documents.is_empty() {
            continue;
        }
        let document = cut.documents[rng.usize(..cut.documents.len())];
        let Ok(tree) = read_document(&text, document, &[]) else {
            continue;
        };
        let Some(mutant) = mutate(&tree, &mut rng) else {
            continue;
        };
        made += 1;
        let report = judge(&mutant.text);
        if *report.text != *mutant.text {
            continue;
        }
        let shown = report
            .documents
            .iter()
            .flat_map(|it| it.merged_findings(&Config::default()));
        let problems: Vec<_> = shown
            .filter(|it| it.finding.class == Class::Error || codes::ALL.iter().any(|code| code.0 == it.finding.code))
            .map(|it| Problem::from(&it.finding))
            .collect();
        if problems.is_empty() {
            continue;
        }
        wrong += 1;
        let whole = Span::new(0, mutant.text.len() as u32);
        let found = repairs(&report.text, problems.iter().cloned(), whole, &(), &|it| {
            Some(judge(it))
        });
        with_fix += usize::from(!found.is_empty());
        for problem in problems
            .iter()
            .filter(|it| !found.iter().any(|fix| fix.problem == **it))
        {
            *without.entry(problem.code).or_default() += 1;
        }
        offered += found.len();
        for fix in &found {
            let edited = apply(&mutant.text, &fix.edits);
            let why = edited.map_or(Some("the edits do not fit".to_owned()), |it| {
                objection(&report, &judge(&it), fix.problem.code)
            });
            failures.extend(why.map(|why| format!("{name} ({}): {}: {why}", mutant.what, fix.title)));
        }
        if let Some((edits, all)) = repair_all(&report.text, problems.iter().cloned(), &(), &|it| Some(judge(it))) {
            at_once += all.len();
            let edited = apply(&mutant.text, &edits);
            let why = edited.map_or(Some("the edits do not fit".to_owned()), |it| {
                let after = judge(&it);
                all.iter().find_map(|fix| objection(&report, &after, fix.problem.code))
            });
            failures.extend(why.map(|why| format!("{name} ({}): all at once: {why}", mutant.what)));
        }
    }
    for failure in failures.iter().take(args.show) {
        println!("{failure}");
    }
    let mut rare: Vec<_> = without.into_iter().collect();
    rare.sort_by_key(|it| std::cmp::Reverse(it.1));
    let rare: Vec<_> = rare
        .iter()
        .take(12)
        .map(|(code, count)| format!("{code} {count}"))
        .collect();
    println!("errors without repair: {}", rare.join(", "));
    println!(
        "{made} mutants, {wrong} with errors, {with_fix} of them with repairs; {offered} repairs offered and {at_once} applied at once, {} failures; seed {seed}",
        failures.len()
    );
    Ok(failures.is_empty())
}

/// The problem with a quick fix: its finding is still there, or a new error has appeared.
fn objection(before: &FileReport, after: &FileReport, code: &'static str) -> Option<String> {
    let count = |report: &FileReport| {
        let verdicts = report.documents.iter().flat_map(|it| &it.verdicts);
        verdicts
            .flat_map(|it| it.1.findings())
            .filter(|it| it.code == code)
            .count()
    };
    if count(after) >= count(before) {
        return Some(format!("{code} stays"));
    }
    let errors = |report: &FileReport| {
        let mut errors = Errors::new();
        let verdicts = report.documents.iter().flat_map(|it| &it.verdicts);
        for finding in verdicts.flat_map(|it| it.1.findings()) {
            if matches!(finding.class, Class::Error | Class::LaterError) && !finding.suppressed {
                *errors.entry(finding.code.to_owned()).or_default() += 1;
            }
        }
        errors
    };
    let old = errors(before);
    let new = errors(after);
    let more = new
        .iter()
        .find(|(code, count)| old.get(*code).is_none_or(|it| it < *count));
    more.map(|(code, _)| format!("{code} is new"))
}
