//! Compares what we make of random texts with variables with what Flux's own code makes of them.

use std::{collections::BTreeMap, process::Command};

use anyhow::bail;
use crd_analyzer_envsubst::{Cause, Value, parse};
use fastrand::Rng;
use serde_json::json;

use crate::peers;

#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The number of texts to generate.
    #[arg(long, default_value_t = 20_000)]
    made: usize,

    /// The seed; random by default. It is printed.
    #[arg(long)]
    seed: Option<u64>,
}

/// What texts are made of. Operators and their arguments follow each other often enough by chance.
const PARTS: [&str; 44] = [
    "${", "}", "$", "$$", "{", "A", "B", "EMPTY", "NONE", "_1", "#", "##", "%", "%%", "/", "//", "/#", "/%", ":=",
    ":-", ":?", ":+", "=", "-", ":", ":1", ":-2", ":1:3", "^", "^^", ",", ",,", "*", "?", "[a-c]", "[^x", "\\", "\\/",
    "a", "Bc", " ", "\n", "é", "日",
];

/// Expressions that have no mistake, to which the parts above are added.
const WHOLE: [&str; 16] = [
    "${A}",
    "${B:=x}",
    "${NONE:-${A}}",
    "${A^^}",
    "${B,}",
    "${A/b/c}",
    "${B//a/}",
    "${A#*a}",
    "${A##*a}",
    "${A%b*}",
    "${B%%?}",
    "${A:1}",
    "${B:1:2}",
    "${#A}",
    "${EMPTY=y}",
    "${NONE}",
];

/// The values of the variables.
fn variables(random: &mut Rng) -> BTreeMap<&'static str, String> {
    let texts = ["aXbXc", "abcabc", "a.b/c", "Zz", "éa", "x y", "3", "*a", "true", "a\\b"];
    let mut any = || texts[random.usize(..texts.len())].to_owned();
    BTreeMap::from([("A", any()), ("B", any()), ("_1", any()), ("EMPTY", String::new())])
}

fn text(random: &mut Rng) -> String {
    let mut text = String::new();
    for _ in 0..random.usize(1..5) {
        match random.u8(..4) {
            0 => text.push_str(WHOLE[random.usize(..WHOLE.len())]),
            1 => {
                // A whole expression with a part in the middle.
                let whole = WHOLE[random.usize(..WHOLE.len())];
                let at = random.usize(..=whole.len());
                text.push_str(&whole[..at]);
                text.push_str(PARTS[random.usize(..PARTS.len())]);
                text.push_str(&whole[at..]);
            }
            _ => {
                for _ in 0..random.usize(1..6) {
                    text.push_str(PARTS[random.usize(..PARTS.len())]);
                }
            }
        }
    }
    text
}

/// Our text, or the words of the error. `None` if we say that it is unknown.
fn ours(text: &str, variables: &BTreeMap<&str, String>) -> Option<Result<String, String>> {
    let value = |name: &str| variables.get(name).map_or(Value::Undefined, |it| Value::Known(it));
    let template = match parse(text) {
        Ok(template) => template,
        Err(bad) if bad.cause == Cause::NotFollowed => return None,
        Err(bad) => return Some(Err(bad.cause.to_string())),
    };
    let undefined = template
        .variables()
        .into_iter()
        .find(|it| !it.has_default() && value(&it.name) == Value::Undefined);
    match undefined {
        Some(it) => Some(Err(format!("variable not set (strict mode): {:?}", it.name))),
        None => template
            .nodes
            .iter()
            .map(|it| it.expand(&value))
            .collect::<Option<_>>()
            .map(Ok),
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    let oracle = peers::go_program("flux")?;
    let seed = args.seed.unwrap_or_else(|| fastrand::u64(..));
    let mut random = Rng::with_seed(seed);
    let made: Vec<_> = (0..args.made)
        .map(|_| (text(&mut random), variables(&mut random)))
        .collect();
    let requests = made
        .iter()
        .map(|(text, variables)| json!({"text": text, "variables": variables}).to_string());
    let answers = peers::ask_lines(&mut Command::new(oracle), &requests.collect::<Vec<_>>())?;
    if answers.len() != made.len() {
        bail!("{} answers to {} texts", answers.len(), made.len());
    }
    let (mut differences, mut unknown, mut failed) = (0, 0, 0);
    for ((text, variables), answer) in made.iter().zip(&answers) {
        let theirs = match answer["error"].as_str() {
            Some(error) => Err(error.to_owned()),
            None => Ok(answer["text"].as_str().unwrap_or_default().to_owned()),
        };
        failed += usize::from(theirs.is_err());
        match ours(text, variables) {
            None => unknown += 1,
            Some(ours) if ours == theirs => {}
            Some(ours) => {
                differences += 1;
                println!("{text:?} with {variables:?}: Flux says {theirs:?}, we say {ours:?}");
            }
        }
    }
    println!(
        "{differences} differences on {} texts (seed {seed}); Flux refuses {failed}, {unknown} are unknown to us",
        made.len()
    );
    // A comparison of texts that are nearly all refused, or nearly all unknown, would show nothing.
    Ok(differences == 0 && unknown * 10 <= made.len() && failed * 10 <= made.len() * 9)
}
