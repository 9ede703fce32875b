//! Compares our answers with the API server's: over the corpus, or over mutants of it.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use anyhow::Context as _;
use crd_analyzer_fixtures::answers::{Scope, differences, has_no_previous};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::tree::Span;
use fastrand::Rng;
use serde_json::{Value, json};

use crate::{
    converted,
    mutate::{self, Words, forge, mutate_with},
    peers, policies, published, rules,
};

/// Differential runs against the API server's own code.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Minors to compare: `37`, `30,37` or `30..37`.
    #[arg(long, default_value_t = KubernetesVersion::NEWEST.number().to_string())]
    pub(crate) minors: String,
    /// Compare custom resources by CRDs of the corpus.
    #[arg(long)]
    pub(crate) cr: bool,
    /// With `--cr`: update the status subresource.
    #[arg(long)]
    pub(crate) status: bool,
    /// Compare this many mutants of the corpus instead of the corpus itself.
    #[arg(long)]
    pub(crate) mutants: Option<usize>,
    /// Compare this many CEL rules a Kubernetes version instead: generated ones, and mutants of those of the corpus where it is available.
    #[arg(long, conflicts_with = "mutants")]
    cel: Option<usize>,
    /// Compare the rules in this file instead: the requests that `--keep` wrote, one a line. With `--cr` requests about custom resources:
    /// `id`, `crd_text`, `text`, `old_text` and `status`.
    #[arg(long, conflicts_with_all = ["mutants", "cel"])]
    pub(crate) replay: Option<PathBuf>,
    /// Send this many requests to the real API server on loopback instead: creations and updates of CRDs and custom resources.
    #[arg(long, value_name = "N", conflicts_with_all = ["mutants", "cel", "replay", "cr", "status", "update"])]
    pub(crate) server: Option<usize>,
    /// The seed of mutants and rules; a fresh one if absent.
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Ask the update question: from the original to the mutant, and back.
    #[arg(long)]
    pub(crate) update: bool,
    /// Compare the schemas that are published in OpenAPI.
    #[arg(long, conflicts_with_all = ["cr", "cel", "replay", "update"])]
    publish: bool,
    /// Check what `compat` says of pairs of releases, or of CRDs of the corpus and mutants of them.
    #[arg(long, conflicts_with_all = ["cr", "cel", "replay", "update", "publish"])]
    pub(crate) compat: bool,
    /// With `--compat`: compare what `--policy olm` refuses with crdify.
    #[arg(long, requires = "compat")]
    pub(crate) olm: bool,
    /// With `--compat`: compare what becomes of objects of the corpus and of random ones.
    #[arg(long, requires = "compat", conflicts_with = "olm")]
    pub(crate) objects: bool,
    /// With `--compat`: check pairs of so many small random schemas instead.
    #[arg(long, value_name = "N", requires = "compat", conflicts_with = "mutants")]
    pub(crate) small: Option<usize>,
    /// With `--compat`: random objects for each pair and direction.
    #[arg(long, default_value_t = 40)]
    pub(crate) tries: usize,
    /// Compare the answers about the ValidatingAdmissionPolicies in this folder, or about mutants of them.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["cr", "cel", "replay", "update", "publish", "compat", "signs"])]
    pub(crate) policies: Option<PathBuf>,
    /// Compare what is made of this many random answers of conversion webhooks.
    #[arg(long, value_name = "N", conflicts_with_all = ["cr", "cel", "replay", "update", "publish", "mutants", "compat"])]
    convert: Option<usize>,
    /// Leave out what needs the CEL compiler.
    #[arg(long)]
    without_cel: bool,
    /// Mutate only CRDs up to this size in bytes.
    #[arg(long, default_value_t = 60_000)]
    pub(crate) max_size: u64,
    /// Mutate only files whose path contains this.
    #[arg(long, default_value = "")]
    pub(crate) only: String,
    /// Write into each mutant a sign that once said that a value is not known, instead of a random edit. With `--cr` beside random edits.
    #[arg(long, requires = "mutants")]
    pub(crate) signs: bool,
    /// Edits a mutant.
    #[arg(long, default_value_t = 1)]
    pub(crate) edits: usize,
    /// Print at most this many differing requests.
    #[arg(long, default_value_t = 20)]
    pub(crate) show: usize,
    /// Write the differing texts into this folder.
    #[arg(long)]
    pub(crate) keep: Option<PathBuf>,
}

/// One request and where its text was edited.
struct Case {
    request: String,
    text: Option<String>,
    edit: Option<std::ops::Range<usize>>,
    /// The file that it was made from.
    origin: String,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    if args.cel.is_some() || (args.replay.is_some() && !args.cr) {
        let plan = rules::Plan {
            count: args.cel.unwrap_or(0),
            replay: args.replay.as_deref(),
            seed: args.seed.unwrap_or_else(|| Rng::new().u64(..)),
            show: args.show,
            keep: args.keep.as_deref(),
        };
        return rules::run(&plan, &minors(&args.minors)?);
    }
    let seed = args.seed.unwrap_or_else(|| Rng::new().u64(..));
    if let Some(count) = args.convert {
        let mut clean = true;
        for minor in minors(&args.minors)? {
            clean &= converted::compare(minor, count, seed, args.show)?;
        }
        return Ok(clean);
    }
    let analyzer = peers::analyzer()?;
    let (corpus, files, words) = if let Some(folder) = &args.policies {
        let folder = folder
            .canonicalize()
            .with_context(|| format!("no folder {}", folder.display()))?;
        let files = policies::files(&folder)?;
        (folder, files, &policies::WORDS)
    } else {
        let corpus = peers::corpus()?;
        let files = peers::definitions(&corpus)?;
        (corpus, files, &mutate::CRDS)
    };
    let cases = match args.mutants {
        None => files
            .iter()
            .map(|file| {
                (
                    file.clone(),
                    Case {
                        request: file.clone(),
                        text: None,
                        edit: None,
                        origin: file.clone(),
                    },
                )
            })
            .collect(),
        Some(count) => {
            let plan = Mutants {
                count,
                seed,
                max_size: args.max_size,
                only: &args.only,
                edits: args.edits,
                update: args.update,
                signs: args.signs,
                words,
            };
            mutants(&corpus, &files, &plan)?
        }
    };
    let mut clean = true;
    for minor in minors(&args.minors)? {
        clean &= if args.publish {
            let requests: Vec<&str> = cases.values().map(|it| it.request.as_str()).collect();
            published::compare(&corpus, &analyzer, minor, &requests, args.show)?
        } else {
            compare(args, &corpus, &analyzer, minor, &cases)?
        };
    }
    if args.mutants.is_some() {
        println!("seed {seed}");
    }
    Ok(clean)
}

pub(crate) fn minors(text: &str) -> anyhow::Result<Vec<u8>> {
    if let Some((first, last)) = text.split_once("..") {
        return Ok((first.parse()?..=last.parse()?).collect());
    }
    text.split(',')
        .map(|minor| minor.parse().context("minors are numbers such as 37"))
        .collect()
}

/// Which mutants of the corpus are made; the fields are those of [`Args`].
struct Mutants<'a> {
    count: usize,
    seed: u64,
    max_size: u64,
    only: &'a str,
    edits: usize,
    update: bool,
    signs: bool,
    words: &'static Words,
}

/// Requests about this many mutants of the corpus, each with one edit.
pub(crate) fn mutant_requests(corpus: &Path, files: &[String], count: usize, seed: u64) -> anyhow::Result<Vec<String>> {
    let plan = Mutants {
        count,
        seed,
        max_size: 60_000,
        only: "",
        edits: 1,
        update: false,
        signs: false,
        words: &mutate::CRDS,
    };
    let cases = mutants(corpus, files, &plan)?;
    Ok(cases.into_values().map(|it| it.request).collect())
}

fn mutants(corpus: &Path, files: &[String], plan: &Mutants<'_>) -> anyhow::Result<BTreeMap<String, Case>> {
    let args = plan;
    let count = plan.count;
    let mut rng = Rng::with_seed(plan.seed);
    let mut texts: BTreeMap<&str, Arc<str>> = BTreeMap::new();
    for file in files {
        let path = corpus.join(file);
        if !file.contains(args.only) {
            continue;
        }
        if std::fs::metadata(&path)?.len() <= args.max_size
            && let Ok(text) = std::fs::read_to_string(path)
        {
            texts.insert(file, text.into());
        }
    }
    anyhow::ensure!(
        !texts.is_empty(),
        "no file of the corpus is small enough and fits --only"
    );
    // Patches are small and of few kinds: most mutants are made from whole CRDs.
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
        for _ in 0..args.edits {
            let span = Span::new(0, text.len() as u32);
            let Ok(tree) = crd_analyzer_syntax::read(&text, span) else {
                break;
            };
            let mutant = if args.signs {
                forge(&tree, &mut rng)
            } else {
                mutate_with(plan.words, &tree, &mut rng)
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
        let (new, old) = if !args.update {
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
        let edit = edit.filter(|_| args.edits == 1 && !args.update);
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
    args: &Args,
    corpus: &Path,
    analyzer: &Path,
    minor: u8,
    cases: &BTreeMap<String, Case>,
) -> anyhow::Result<bool> {
    let (oracle, question) = if args.policies.is_some() {
        (policies::oracle(minor)?, "policy")
    } else {
        (peers::oracle(minor)?, "crd")
    };
    let scope = Scope {
        without_cel: args.without_cel,
        bad_values: true,
    };
    let (mut answers, mut differing, mut far, mut rejected) = (0, 0, 0, 0);
    let mut away_by_code: BTreeMap<String, usize> = BTreeMap::new();
    let labels: Vec<&String> = cases.keys().collect();
    for batch in labels.chunks(400) {
        let requests: Vec<String> = batch.iter().map(|label| cases[*label].request.clone()).collect();
        let theirs = peers::ask(
            Command::new(&oracle).args([question, "-list", "-"]).current_dir(corpus),
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
                    .current_dir(corpus),
                requests,
            )
        };
        let mut ours = ask_us(&requests)?;
        if args.policies.is_some() {
            // Mutants may be of other kinds, which the other program does not answer for.
            ours.retain(|_, it| it["kind"] == policies::KIND);
        }
        let origins: BTreeSet<String> = batch.iter().map(|label| cases[*label].origin.clone()).collect();
        let before = if args.mutants.is_some() {
            ask_us(&origins.into_iter().collect::<Vec<_>>())?
        } else {
            BTreeMap::new()
        };
        let mut keys: Vec<&(String, u64)> = theirs.keys().chain(ours.keys()).collect();
        keys.sort();
        keys.dedup();
        // Where the object to replace is none, the oracle answers once for the request, whatever its documents.
        keys.retain(|key| !theirs.get(&(key.0.clone(), 0)).is_some_and(has_no_previous));
        for key in keys {
            answers += 1;
            let (their, our) = (theirs.get(key), ours.get(key));
            rejected += usize::from(their.is_some_and(|answer| answer["accepted_strict"] == false));
            let found = differences(their, our, scope);
            let case = cases.get(&key.0);
            if !found.is_empty() {
                differing += 1;
                if differing <= args.show {
                    println!("1.{minor} {} [{}]", key.0, key.1);
                    println!("    {}", found.join("\n    "));
                }
                if let (Some(folder), Some(text)) = (&args.keep, case.and_then(|case| case.text.as_ref())) {
                    std::fs::create_dir_all(folder)?;
                    std::fs::write(folder.join(format!("{minor}-{}.yaml", &key.0[..6])), text)?;
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
                if !away.is_empty() && far <= args.show {
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

/// Findings whose range and related ranges do not touch the edit, and that do not say why.
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
