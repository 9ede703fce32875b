//! Compares our answers with the API server's for the corpus or for mutants of it.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use crd_analyzer_fixtures::answers::{Scope, differences, has_no_previous};
use crd_analyzer_syntax::tree::Span;
use fastrand::Rng;
use serde_json::{Value, json};

use crate::{
    choice::{Choice, Printed, Versions},
    mutate::{self, Words, forge, mutate_with},
    peers,
};

/// CRDs of the corpus, or mutants of them.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Compare this many mutants of the corpus instead of the corpus itself.
    #[arg(long, value_name = "COUNT")]
    mutants: Option<usize>,
    /// Update CRDs: from the original to the mutant, or back.
    #[arg(long, requires = "mutants")]
    update: bool,
    /// Write a mark into each mutant that an older version of crd-analyzer took for an unknown value, instead of a random edit.
    #[arg(long, requires = "mutants")]
    signs: bool,
    /// Skip everything that needs the CEL compiler.
    #[arg(long)]
    without_cel: bool,
    #[command(flatten)]
    versions: Versions,
    #[command(flatten)]
    choice: Choice,
    #[command(flatten)]
    printed: Printed,
}

/// The settings of a comparison between both programs.
pub(crate) struct Question<'a> {
    /// The folder to which the paths of files are relative.
    pub(crate) folder: &'a Path,
    /// The name of this comparison for the oracle.
    pub(crate) name: &'static str,
    /// The program that answers for a Kubernetes version.
    pub(crate) oracle: fn(u8) -> anyhow::Result<PathBuf>,
    /// The only kind that the oracle supports; `None` for all kinds.
    pub(crate) kind: Option<&'static str>,
    /// The parts that are not compared.
    pub(crate) scope: Scope,
}

/// The files to mutate, and the way to mutate them.
pub(crate) struct Mutants<'a> {
    pub(crate) count: usize,
    pub(crate) choice: &'a Choice,
    pub(crate) is_update: bool,
    pub(crate) signs: bool,
    pub(crate) words: &'static Words,
}

/// One request, and the position of the edit in its text.
pub(crate) struct Case {
    pub(crate) request: String,
    text: Option<String>,
    edit: Option<std::ops::Range<usize>>,
    /// The original file.
    origin: String,
}

/// Requests by their labels.
pub(crate) type Cases = BTreeMap<String, Case>;

pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    let corpus = peers::corpus()?;
    let files = peers::definitions(&corpus)?;
    let wanted = args.mutants.map(|count| Mutants {
        count,
        choice: &args.choice,
        is_update: args.update,
        signs: args.signs,
        words: &mutate::CRDS,
    });
    let question = Question {
        folder: &corpus,
        name: "crd",
        oracle: peers::oracle,
        kind: None,
        scope: Scope {
            without_cel: args.without_cel,
            bad_values: true,
        },
    };
    compare_all(&question, &files, wanted.as_ref(), &args.versions, &args.printed)
}

/// Compares files, or mutants of them, for each Kubernetes version.
pub(crate) fn compare_all(
    question: &Question<'_>,
    files: &[String],
    wanted: Option<&Mutants<'_>>,
    versions: &Versions,
    printed: &Printed,
) -> anyhow::Result<bool> {
    let analyzer = peers::analyzer()?;
    let (cases, seed) = cases(question.folder, files, wanted)?;
    let mut clean = true;
    for minor in versions.minors()? {
        clean &= compare(question, &analyzer, minor, &cases, wanted.is_some(), printed)?;
    }
    if let Some(seed) = seed {
        println!("seed {seed}");
    }
    Ok(clean)
}

/// Requests about files, or about mutants of them with their seed.
pub(crate) fn cases(
    folder: &Path,
    files: &[String],
    wanted: Option<&Mutants<'_>>,
) -> anyhow::Result<(Cases, Option<u64>)> {
    if let Some(wanted) = wanted {
        let seed = wanted.choice.seed();
        return Ok((mutants(folder, files, wanted, seed)?, Some(seed)));
    }
    let case = |file: &String| Case {
        request: file.clone(),
        text: None,
        edit: None,
        origin: file.clone(),
    };
    Ok((files.iter().map(|it| (it.clone(), case(it))).collect(), None))
}

/// Requests about this many mutants of the corpus, each with one edit.
pub(crate) fn mutant_requests(corpus: &Path, files: &[String], count: usize, seed: u64) -> anyhow::Result<Vec<String>> {
    let wanted = Mutants {
        count,
        choice: &Choice::single_edits(seed),
        is_update: false,
        signs: false,
        words: &mutate::CRDS,
    };
    let cases = mutants(corpus, files, &wanted, seed)?;
    Ok(cases.into_values().map(|it| it.request).collect())
}

fn mutants(folder: &Path, files: &[String], wanted: &Mutants<'_>, seed: u64) -> anyhow::Result<Cases> {
    let (choice, count) = (wanted.choice, wanted.count);
    let mut rng = Rng::with_seed(seed);
    let mut texts: BTreeMap<&str, Arc<str>> = BTreeMap::new();
    for file in files {
        let path = folder.join(file);
        if !file.contains(&choice.only) {
            continue;
        }
        if std::fs::metadata(&path)?.len() <= choice.max_size
            && let Ok(text) = std::fs::read_to_string(path)
        {
            texts.insert(file, text.into());
        }
    }
    anyhow::ensure!(
        !texts.is_empty(),
        "no file of the corpus is small enough and fits --only"
    );
    // There are few kinds of patches, and patches are small. So most mutants are mutants of whole CRDs.
    let (patches, whole): (Vec<&str>, Vec<&str>) = texts.keys().copied().partition(|name| name.contains(".partial"));
    let mut cases = BTreeMap::new();
    while cases.len() < count {
        let names = if patches.is_empty() || (!whole.is_empty() && rng.u8(..16) > 0) {
            &whole
        } else {
            &patches
        };
        let name = names[rng.usize(..names.len())];
        let original = &texts[name];
        let mut text = original.clone();
        let mut edit = None;
        let mut what = "";
        for _ in 0..choice.edits {
            let span = Span::new(0, text.len() as u32);
            let Ok(tree) = crd_analyzer_syntax::read(&text, span) else {
                break;
            };
            let mutant = if wanted.signs {
                forge(&tree, &mut rng)
            } else {
                mutate_with(wanted.words, &tree, &mut rng)
            };
            let Some(mutant) = mutant else {
                continue;
            };
            text = mutant.text.into();
            edit = Some(mutant.edit);
            what = mutant.what;
        }
        if edit.is_none() {
            continue;
        }
        let n = cases.len();
        let id = format!("{n:06} {what} {name}");
        let (new, old) = if !wanted.is_update {
            (&text, None)
        } else if rng.bool() {
            (&text, Some(original))
        } else {
            (original, Some(&text))
        };
        let mut request = json!({"id": id, "text": &**new});
        if let Some(old) = old {
            request["old_text"] = json!(&**old);
        }
        let edit = edit.filter(|_| choice.edits == 1 && !wanted.is_update);
        cases.insert(
            id,
            Case {
                request: request.to_string(),
                text: Some(text.to_string()),
                edit,
                origin: name.to_owned(),
            },
        );
    }
    Ok(cases)
}

fn compare(
    question: &Question<'_>,
    analyzer: &Path,
    minor: u8,
    cases: &Cases,
    are_mutants: bool,
    printed: &Printed,
) -> anyhow::Result<bool> {
    let oracle = (question.oracle)(minor)?;
    let (mut answers, mut differing, mut far, mut rejected) = (0, 0, 0, 0);
    let mut away_by_code: BTreeMap<String, usize> = BTreeMap::new();
    let labels: Vec<&String> = cases.keys().collect();
    for batch in labels.chunks(400) {
        let requests: Vec<String> = batch.iter().map(|label| cases[*label].request.clone()).collect();
        let theirs = peers::ask(
            Command::new(&oracle)
                .args([question.name, "-list", "-"])
                .current_dir(question.folder),
            &requests,
        )?;
        let ask_us = |requests: &[String]| {
            peers::ask(
                Command::new(analyzer)
                    .args([
                        "check",
                        "--output",
                        "jsonl",
                        "--no-config",
                        "--kubernetes-version",
                        &format!("1.{minor}"),
                        "--list",
                        "-",
                    ])
                    .current_dir(question.folder),
                requests,
            )
        };
        let mut ours = ask_us(&requests)?;
        // Some mutants have another kind, which the oracle does not support.
        if let Some(kind) = question.kind {
            ours.retain(|_, it| it["kind"] == kind);
        }
        let origins: BTreeSet<String> = batch.iter().map(|label| cases[*label].origin.clone()).collect();
        let before = if are_mutants {
            ask_us(&origins.into_iter().collect::<Vec<_>>())?
        } else {
            BTreeMap::new()
        };
        let mut keys: Vec<&(String, u64)> = theirs.keys().chain(ours.keys()).collect();
        keys.sort();
        keys.dedup();
        // If the object to replace does not exist, the oracle gives one answer for the whole request.
        keys.retain(|key| !theirs.get(&(key.0.clone(), 0)).is_some_and(has_no_previous));
        for key in keys {
            answers += 1;
            let (their, our) = (theirs.get(key), ours.get(key));
            rejected += usize::from(their.is_some_and(|answer| answer["accepted_strict"] == false));
            let found = differences(their, our, question.scope);
            let case = cases.get(&key.0);
            if !found.is_empty() {
                differing += 1;
                if differing <= printed.show {
                    println!("1.{minor} {} [{}]", key.0, key.1);
                    println!("    {}", found.join("\n    "));
                }
                if let Some(text) = case.and_then(|case| case.text.as_ref()) {
                    printed.keep(&format!("{minor}-{}.yaml", &key.0[..6]), text)?;
                }
            }
            if let (Some(edit), Some(our)) = (case.and_then(|case| case.edit.clone()), our) {
                let away = findings_away_from(
                    our,
                    &edit,
                    case.and_then(|case| before.get(&(case.origin.clone(), key.1))),
                );
                for finding in &away {
                    *away_by_code
                        .entry(finding.split(' ').next().unwrap_or_default().to_owned())
                        .or_default() += 1;
                }
                far += usize::from(!away.is_empty());
                if !away.is_empty() && far <= printed.show {
                    println!("1.{minor} {} [{}] edited at {edit:?}, found elsewhere:", key.0, key.1);
                    println!("    {}", away.join("\n    "));
                }
            }
        }
    }
    println!(
        "1.{minor}: {answers} answers, {rejected} rejections, {differing} differ, {far} with a finding away from the edit and no reason"
    );
    if !away_by_code.is_empty() {
        println!("away from the edit, by code: {away_by_code:?}");
    }
    Ok(differing == 0)
}

/// Findings that are not shown near their cause: neither their range nor a related range touches the edit.
fn findings_away_from(answer: &Value, edit: &std::ops::Range<usize>, before: Option<&Value>) -> Vec<String> {
    let same = |a: &Value, b: &Value| {
        ["code", "field", "detail", "text"]
            .iter()
            .all(|part| a[*part] == b[*part])
    };
    let touches = |range: &Value| {
        let offset = |end: &str| range[end]["offset"].as_u64().unwrap_or(0) as usize;
        offset("start") <= edit.end + 1 && edit.start <= offset("end") + 1
    };
    let findings = ["errors", "warnings"]
        .iter()
        .flat_map(|field| answer[*field].as_array().into_iter().flatten());
    findings
        .filter(|finding| {
            let related = finding["related"].as_array().into_iter().flatten();
            !touches(&finding["range"])
                && !related.clone().any(|it| touches(&it["range"]))
                && finding["reason"].is_null()
                && !before.is_some_and(|before| {
                    ["errors", "warnings"]
                        .iter()
                        .flat_map(|field| before[*field].as_array().into_iter().flatten())
                        .any(|old| same(old, finding))
                })
        })
        .map(|finding| format!("{} {}", finding["code"], finding["range"]))
        .collect()
}
