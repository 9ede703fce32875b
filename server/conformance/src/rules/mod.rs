//! Compares generated rules on random schemas, and mutants of rules from the corpus, with values for their schemas. The comparison covers
//! the verdict, the message and position of errors, both costs, the cardinality, the result, and the errors of a value.

pub(crate) mod compare;
mod constants;
mod expressions;
mod literals;
mod mutants;
mod nested;
mod ours;
mod real;
mod schemas;
pub(crate) mod table;
mod texts;
mod values;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crd_analyzer_cel::decls::{Environment, ExpressionSet};
use crd_analyzer_cel::types::Type;
use crd_analyzer_schema::KubernetesVersion;
use fastrand::Rng;
use serde_json::{Value, json};

use self::compare::{differences, is_syntax_error};
use self::expressions::Expressions;
use self::real::RealRule;
use self::values::Values;
use crate::{
    choice::{Choice, Printed, Versions, on_a_large_stack},
    peers,
};

/// The number of rules per batch for the oracle.
const BATCH: usize = 2000;
/// The number of further attempts for a differing rule, in the first and the second round. Several attempts are needed because some answers depend on
/// the order of a Go map.
const ASK_AGAIN: [usize; 2] = [24, 240];
/// The memory limit of the oracle, in KiB of address space.
const MAX_MEMORY: u64 = 6 << 20;

/// CEL rules made from random schemas, and mutants of the rules of the corpus where it is available.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// How many rules to compare a Kubernetes version.
    #[arg(default_value_t = 5_000)]
    count: usize,
    /// Compare the requests in this file instead, one a line, as `--keep` writes them.
    #[arg(long, value_name = "FILE", conflicts_with = "count")]
    replay: Option<PathBuf>,
    #[command(flatten)]
    versions: Versions,
    #[command(flatten)]
    choice: Choice,
    #[command(flatten)]
    printed: Printed,
}

/// The counts for one Kubernetes version.
#[derive(Default)]
struct Tally {
    rules: usize,
    compiled: usize,
    results: usize,
    errors: usize,
    crashes: usize,
    syntax: usize,
    verbatim: usize,
    varied: usize,
    by_kind: BTreeMap<&'static str, usize>,
}

fn pick<'s>(rng: &mut Rng, choice: &[&'s str]) -> &'s str {
    choice[rng.usize(..choice.len())]
}

/// Compares rules for each Kubernetes version. Each version gets different rules.
pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    let seed = args.choice.seed();
    let real = match peers::corpus() {
        _ if args.replay.is_some() => Vec::new(),
        Ok(corpus) => real::real_rules(&corpus, &crate::peers::definitions(&corpus)?),
        Err(_) => Vec::new(),
    };
    println!("seed {}, {} real rules to make mutants of", seed, real.len());
    let mut clean = true;
    for minor in args.versions.minors()? {
        clean &= one_minor(args, minor, seed, &real)?;
    }
    Ok(clean)
}

fn one_minor(args: &Args, minor: u8, seed: u64, real: &[RealRule]) -> anyhow::Result<bool> {
    let oracle = peers::oracle(minor)?;
    let version = KubernetesVersion::minor(minor);
    let mut rng = Rng::with_seed(seed ^ (u64::from(minor) << 56));
    let mut tally = Tally::default();
    let replayed: Vec<Value> = match &args.replay {
        Some(file) => {
            let text = std::fs::read_to_string(file)?;
            text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?
        }
        None => Vec::new(),
    };
    let total = if args.replay.is_some() {
        replayed.len()
    } else {
        args.count
    };
    while tally.rules < total {
        let count = BATCH.min(total - tally.rules);
        let requests: Vec<Value> = if args.replay.is_some() {
            replayed[tally.rules..tally.rules + count].to_vec()
        } else {
            (0..count)
                .map(|n| request(&mut rng, version, real, tally.rules + n))
                .collect::<anyhow::Result<_>>()?
        };
        let theirs = ask(&oracle, &requests)?;
        let ours: Vec<Value> = on_a_large_stack(|| requests.iter().map(|it| ours::answer(it, version)).collect())?;
        for ((request, theirs), ours) in requests.iter().zip(&theirs).zip(&ours) {
            tally.count(theirs, ours);
            let mut found = differences(theirs, ours);
            if found.is_empty() {
                continue;
            }
            if answers_so(&oracle, request, ours)? {
                tally.varied += 1;
                continue;
            }
            let kind = found[0].0;
            *tally.by_kind.entry(kind).or_default() += 1;
            if tally.by_kind.values().sum::<usize>() <= args.printed.show {
                println!("1.{minor} {}", request["rule"]);
                println!("    {request}");
                for (what, theirs, ours) in found.drain(..) {
                    println!("    {what}\n        theirs {theirs}\n        ours   {ours}");
                }
            }
            let id = request["id"].as_str().unwrap_or_default();
            args.printed.keep(&format!("{minor}-{id}.json"), &request.to_string())?;
        }
        tally.rules += count;
    }
    let differing: usize = tally.by_kind.values().sum();
    println!(
        "1.{minor}: {} rules, {} compile, {} results, {} errors while running, {} crashes of the server, {} answers of it that vary; \
         {} syntax errors, {} of them verbatim; {differing} differ {:?}",
        tally.rules,
        tally.compiled,
        tally.results,
        tally.errors,
        tally.crashes,
        tally.varied,
        tally.syntax,
        tally.verbatim,
        tally.by_kind
    );
    Ok(differing == 0)
}

/// Whether the API server's answer sometimes equals our answer.
fn answers_so(oracle: &Path, request: &Value, ours: &Value) -> anyhow::Result<bool> {
    for times in ASK_AGAIN {
        let again = ask(oracle, &vec![request.clone(); times])?;
        if again.iter().any(|theirs| differences(theirs, ours).is_empty()) {
            return Ok(true);
        }
    }
    Ok(false)
}

pub(crate) fn ask(oracle: &Path, requests: &[Value]) -> anyhow::Result<Vec<Value>> {
    let lines: Vec<String> = requests.iter().map(Value::to_string).collect();
    // The memory is limited, so that a rule that exhausts it does not affect the whole machine.
    let script = format!("ulimit -v {MAX_MEMORY}; exec \"$0\" eval -list -");
    let answers = peers::ask_lines(Command::new("bash").arg("-c").arg(script).arg(oracle), &lines)?;
    anyhow::ensure!(
        answers.len() == requests.len(),
        "{} answers to {} requests",
        answers.len(),
        requests.len()
    );
    Ok(answers)
}

/// A rule with its schema, values and options, in the oracle's format.
fn request(rng: &mut Rng, version: KubernetesVersion, real: &[RealRule], n: usize) -> anyhow::Result<Value> {
    let mut request = if !real.is_empty() && rng.u8(..100) < 40 {
        mutant(rng, real, version)
    } else {
        generated(rng, version)?
    };
    if rng.u8(..8) == 0 {
        nested::add(rng, &mut request, version);
    }
    request["id"] = format!("{n:06}").into();
    let rule = request["rule"].as_str().unwrap_or_default().to_owned();
    let mut values = Values {
        rng,
        texts: &values::texts_of(&rule),
    };
    let this = values.of(&request["schema"]);
    // The API server does not run rules on absent values.
    request["self"] = if this.is_null() {
        values.of(&request["schema"])
    } else {
        this
    };
    let asks_old = rule.contains("oldSelf") || !request["optionalOldSelf"].is_null();
    if asks_old && values.rng.u8(..5) > 0 {
        request["oldSelf"] = if values.rng.u8(..5) == 0 {
            request["self"].clone()
        } else {
            values.of(&request["schema"])
        };
    }
    Ok(request)
}

fn mutant(rng: &mut Rng, real: &[RealRule], version: KubernetesVersion) -> Value {
    let from = &real[rng.usize(..real.len())];
    let other = &real[rng.usize(..real.len())];
    let text_of = |rule: &Value, field: &str| rule[field].as_str().unwrap_or_default().to_owned();
    let (rule, other) = (text_of(&from.rule, "rule"), text_of(&other.rule, "rule"));
    let mut names = mutants::names_of(&rule);
    names.extend(
        from.schema["properties"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|it| it.0.clone()),
    );
    names.extend(mutants::names_of(&other));
    let mut edit = |text: &str| {
        if rng.u8(..12) == 0 {
            text.to_owned()
        } else {
            mutants::mutate(rng, text, &names, &other)
        }
    };
    let rule = edit(&rule);
    let message = text_of(&from.rule, "messageExpression");
    let message = if message.is_empty() { message } else { edit(&message) };
    let mut schema = from.schema.clone();
    if rng.u8(..3) == 0 {
        real::mutate(rng, &mut schema);
        if real::types_of(&schema, from.root, version).is_err() {
            schema = from.schema.clone();
        }
    }
    let mut request = json!({"schema": schema, "root": from.root, "rule": rule});
    if !message.is_empty() {
        request["messageExpression"] = message.into();
    }
    if from.rule["optionalOldSelf"].is_boolean() {
        request["optionalOldSelf"] = from.rule["optionalOldSelf"].clone();
    } else if rng.u8(..20) == 0 {
        request["optionalOldSelf"] = (rng.u8(..5) > 0).into();
    }
    request["stored"] = (rng.u8(..10) < 3).into();
    request
}

fn generated(rng: &mut Rng, version: KubernetesVersion) -> anyhow::Result<Value> {
    let root = rng.u8(..4) == 0;
    let mut schema = if root || rng.u8(..10) < 7 {
        schemas::object(rng, 3)
    } else {
        schemas::schema(rng, 3)
    };
    if root && let Some(properties) = schema["properties"].as_object_mut() {
        schemas::without_type_and_metadata(rng, properties);
        if let Some(keywords) = schema.as_object_mut() {
            keywords.remove("x-kubernetes-embedded-resource");
        }
    }
    let is_stored = rng.u8(..100) < 35;
    // Sometimes, the rule uses functions that do not exist in this API server.
    let known = if rng.u8(..20) == 0 {
        KubernetesVersion::NEWEST
    } else {
        version
    };
    let set = if is_stored {
        ExpressionSet::Stored
    } else {
        ExpressionSet::New
    };
    let Ok(this) = real::types_of(&schema, root, version) else {
        return generated(rng, version);
    };
    let depth = 1 + rng.u8(..5);
    let mut request = json!({"schema": schema, "root": root, "stored": is_stored});
    let is_optional = rng.u8(..100) < 12;
    let has_old = is_optional || rng.u8(..100) < 20;
    let wants_message = rng.u8(..10) == 0;
    let is_broken = rng.u8(..100) < 6;
    let is_soup = rng.u8(..100) < 4;
    let mut expressions = Expressions::new(rng, Environment::of(known, set), &this);
    if has_old {
        let old = expressions.self_type();
        expressions.declare("oldSelf", if is_optional { Type::optional(old) } else { old });
    }
    let mut rule = if is_soup {
        String::new()
    } else {
        expressions.rule(depth)
    };
    if wants_message {
        request["messageExpression"] = expressions.of(&Type::String, depth.min(3)).into();
    }
    if is_soup {
        rule = mutants::soup(rng);
    } else if is_broken {
        rule = mutants::mutate(rng, &rule, &[], &rule);
    }
    request["rule"] = rule.into();
    if is_optional {
        request["optionalOldSelf"] = true.into();
    }
    Ok(request)
}

impl Tally {
    fn count(&mut self, theirs: &Value, ours: &Value) {
        self.crashes += usize::from(!theirs["panic"].is_null());
        self.compiled += usize::from(theirs["compile_error"].is_null() && theirs["panic"].is_null());
        self.results += usize::from(!theirs["result"].is_null());
        self.errors += usize::from(!theirs["eval_error"].is_null());
        for field in ["compile_error", "message_expression_error"] {
            if is_syntax_error(&theirs[field]) {
                self.syntax += 1;
                self.verbatim += usize::from(theirs[field] == ours[field]);
            }
        }
    }
}
