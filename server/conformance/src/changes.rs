//! Lists the changes between two Kubernetes minor versions: all differences between the answers of the two API servers, for the corpus and for
//! mutants of it.
//!
//! crd-analyzer's own model is not used. Work on a new version starts with this list, which names the tables or files to extend.

use std::{collections::BTreeMap, process::Command};

use fastrand::Rng;
use serde_json::{Value, json};

use crate::{choice, crds, peers};

/// List the changes from one Kubernetes minor version to another.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The new Kubernetes version, such as `1.38`.
    #[arg(value_name = "VERSION", value_parser = choice::minor)]
    minor: u8,
    /// The version to compare with. Without it, the one before.
    #[arg(long, value_name = "VERSION", value_parser = choice::minor)]
    against: Option<u8>,
    /// The number of mutants to compare, in addition to the corpus.
    #[arg(long, default_value_t = 5_000)]
    mutants: usize,
    /// The seed of the mutants; random by default.
    #[arg(long)]
    seed: Option<u64>,
}

/// Answers with the same difference.
#[derive(Default)]
struct Group {
    count: usize,
    example: String,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    let against = args.against.unwrap_or(args.minor - 1);
    let (old, new) = (peers::oracle(against)?, peers::oracle(args.minor)?);
    let corpus = peers::corpus()?;
    let files = peers::definitions(&corpus)?;
    let seed = args.seed.unwrap_or_else(|| Rng::new().u64(..));
    let mut requests: Vec<String> = files
        .iter()
        .map(|it| json!({"id": it, "file": it}).to_string())
        .collect();
    requests.extend(crds::mutant_requests(&corpus, &files, args.mutants, seed)?);
    let mut groups: BTreeMap<(&'static str, String), Group> = BTreeMap::new();
    let mut asked = 0;
    for (command, part) in [("crd", &requests[..]), ("cost", &requests[..files.len()])] {
        for batch in part.chunks(400) {
            let ask = |oracle| {
                let mut program = Command::new(oracle);
                peers::ask_lines(program.args([command, "-list", "-"]).current_dir(&corpus), batch)
            };
            let (before, after) = (ask(&old)?, ask(&new)?);
            anyhow::ensure!(before.len() == after.len(), "the two versions find different documents");
            asked += before.len();
            for (before, after) in before.iter().zip(&after) {
                let file = after["file"].as_str().unwrap_or_default();
                for (place, what) in changes(command, before, after) {
                    let group = groups.entry((place, what)).or_default();
                    group.count += 1;
                    if group.example.is_empty() {
                        file.clone_into(&mut group.example);
                    }
                }
            }
        }
    }
    println!("{asked} answers of 1.{against} and 1.{}, seed {seed}", args.minor);
    let mut place = "";
    for ((at, what), group) in &groups {
        if *at != place {
            place = at;
            println!("\nto extend: {place}");
        }
        println!("  {:5}  {what}\n         first: {}", group.count, group.example);
    }
    if groups.is_empty() {
        println!("no difference");
    }
    Ok(true)
}

/// The differences between two answers to one request, and the files in this repository that describe them.
fn changes(command: &str, before: &Value, after: &Value) -> Vec<(&'static str, String)> {
    if command == "cost" {
        let numbers = ["cost", "expr_cost", "cardinality", "message_expression_cost", "total"];
        let other = numbers.into_iter().filter(|it| before[*it] != after[*it]);
        return other
            .map(|it| ("server/cel/src/cost/", format!("other `{it}` of a rule")))
            .collect();
    }
    let (before, after) = (said(before), said(after));
    let only = |these: &[String], those: &[String], sign: &str| {
        let mut those = those.to_vec();
        let mut found = Vec::new();
        for text in these {
            match those.iter().position(|it| it == text) {
                Some(at) => drop(those.swap_remove(at)),
                None => found.push((place(text), format!("{sign} {text}"))),
            }
        }
        found
    };
    let mut found = only(&before, &after, "-");
    found.extend(only(&after, &before, "+"));
    found
}

/// The messages of an answer without names and values, so that equal changes of a message are grouped.
fn said(answer: &Value) -> Vec<String> {
    let mut all = Vec::new();
    if let Some(text) = answer["decode_error"].as_str() {
        all.push(format!("decode: {text}"));
    }
    let texts = |key: &str| answer[key].as_array().cloned().unwrap_or_default();
    all.extend(
        texts("strict")
            .iter()
            .filter_map(Value::as_str)
            .map(|it| format!("strict: {it}")),
    );
    all.extend(
        texts("warnings")
            .iter()
            .filter_map(Value::as_str)
            .map(|it| format!("warning: {it}")),
    );
    for error in texts("errors") {
        let part = |key: &str| error[key].as_str().unwrap_or_default().to_owned();
        let field = part("field");
        let field = field.rsplit('.').next().unwrap_or_default();
        all.push(format!("{}: {field}: {}", part("type"), part("detail")));
    }
    if answer["panic"].is_string() {
        all.push("the API server crashes".to_owned());
    }
    all.iter().map(|it| without_values(it)).collect()
}

/// The first line of a text, with quoted parts replaced by `…` and numbers by `N`.
fn without_values(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let mut plain = String::new();
    let mut open = None;
    for char in line.chars() {
        match (open, char) {
            (Some(quote), it) if it == quote => {
                open = None;
                plain.push('…');
                plain.push(it);
            }
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => {
                open = Some(char);
                plain.push(char);
            }
            (None, it) if it.is_ascii_digit() => {
                if !plain.ends_with('N') {
                    plain.push('N');
                }
            }
            (None, it) => plain.push(it),
        }
    }
    plain
}

/// The table or folder that describes the subject of a message.
fn place(text: &str) -> &'static str {
    let places = [
        ("unrecognized format", "server/schema/src/formats/"),
        (
            "undeclared reference",
            "server/cel/src/library/ (the `since` of a function)",
        ),
        (
            "no matching overload",
            "server/cel/src/library/ (the `since` of an overload)",
        ),
        (
            "compilation failed",
            "server/cel/src/checker/ and server/cel/src/parser/",
        ),
        ("budget", "server/cel/src/cost/"),
        ("cost", "server/cel/src/cost/"),
        (
            "strict: unknown field",
            "server/apiextensions/src/api/ (the `since` of a field)",
        ),
        ("decode:", "server/apiextensions/src/decode/"),
        ("strict:", "server/apiextensions/src/decode/"),
        ("warning:", "server/apiextensions/src/warnings/"),
    ];
    let found = places.iter().find(|(part, _)| text.contains(part));
    found.map_or("server/apiextensions/src/validation/ and server/schema/src/", |it| it.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_change_of_words_is_one() {
        let answer = |detail: &str| json!({"errors": [{"type": "FieldValueInvalid", "field": "spec.a[3].rule", "detail": detail}]});
        let found = changes("crd", &answer("undeclared reference to 'ip' (in 12)"), &answer("x"));
        let library = "server/cel/src/library/ (the `since` of a function)";
        let other = "server/apiextensions/src/validation/ and server/schema/src/";
        assert_eq!(
            found,
            [
                (
                    library,
                    "- FieldValueInvalid: rule: undeclared reference to '…' (in N)".to_owned()
                ),
                (other, "+ FieldValueInvalid: rule: x".to_owned()),
            ]
        );
        assert_eq!(changes("crd", &answer("a 'b' 1"), &answer("a 'c' 2")), []);
    }
}
