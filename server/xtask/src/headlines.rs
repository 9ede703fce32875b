//! Measures the number of rows that diagnostic messages take in an editor's list, for mutants of real CRDs and custom resources, in the form that is
//! sent to VS Code.

use std::{collections::HashMap, path::PathBuf, sync::Arc};

use crd_analyzer_syntax::split::{read_document, split};
use fastrand::Rng;
use serde_json::{Value, json};

use crd_analyzer_conformance::{mutate::mutate, peers};

use crate::{
    completion::corpus::{Corpus, File},
    session::EditorSession,
    typing,
};

/// The maximum length of a headline, in characters.
const MOST: usize = 100;

/// Check the messages for mutants of the corpus.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The number of mutants.
    #[arg(long, default_value_t = 4000)]
    mutants: usize,
    /// The seed; random by default.
    #[arg(long)]
    seed: Option<u64>,
    /// The number of most frequent messages to check.
    #[arg(long, default_value_t = 400)]
    most_frequent: usize,
    /// Print at most this many messages that are too long.
    #[arg(long, default_value_t = 40)]
    show: usize,
    /// Use files up to this size in bytes.
    #[arg(long, default_value_t = 60_000)]
    max_size: usize,
    /// The language server to use, instead of building one.
    #[arg(long)]
    server: Option<PathBuf>,
}

/// Messages that differ only in names and numbers.
#[derive(Default)]
struct Group {
    count: usize,
    /// The length of the longest first row, in characters.
    characters: usize,
    rows: usize,
    longest: String,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    let seed = args.seed.unwrap_or_else(|| fastrand::u64(..));
    let mut rng = Rng::with_seed(seed);
    let corpus = Corpus::load(args.max_size)?;
    let server = match &args.server {
        Some(path) => path.clone(),
        None => peers::analyzer()?,
    };
    let (mut session, _) = EditorSession::start_as(&server, &peers::corpus()?, typing::client())?;
    let mut groups: HashMap<String, Group> = HashMap::new();
    let (mut made, mut all) = (0, 0);
    while made < args.mutants {
        let files = if rng.u8(..3) > 0 {
            &corpus.definitions
        } else {
            &corpus.objects
        };
        let Some(text) = rng
            .choice(files)
            .and_then(|it| mutant(it, &mut rng).map(|text| (it, text)))
        else {
            continue;
        };
        made += 1;
        let (file, text) = text;
        // The CRD of a resource is found in the folder with the same name.
        let near = file.path.to_string_lossy().replace("/crs/", "/crds/");
        let uri = format!("file://{near}.{made}.yaml");
        for found in diagnostics(&mut session, &uri, &text)? {
            all += 1;
            let message = found["message"].as_str().unwrap_or_default();
            let group = groups
                .entry(format!("{} {}", found["code"], template(message)))
                .or_default();
            group.count += 1;
            group.rows = group.rows.max(message.lines().count());
            let characters = message.lines().next().unwrap_or_default().chars().count();
            if characters > group.characters {
                group.characters = characters;
                group.longest = format!("{}: {message}", found["code"]);
            }
        }
    }
    session.end()?;
    let mut groups: Vec<Group> = groups.into_values().collect();
    groups.sort_by(|one, other| (other.count, &one.longest).cmp(&(one.count, &other.longest)));
    groups.truncate(args.most_frequent);
    let counted: usize = groups.iter().map(|it| it.count).sum();
    let (long, short): (Vec<_>, Vec<_>) = groups.into_iter().partition(|it| it.characters > MOST || it.rows > 1);
    for it in long.iter().take(args.show) {
        println!(
            "{} times, up to {} characters and {} rows: {}",
            it.count, it.characters, it.rows, it.longest
        );
    }
    println!(
        "{made} mutants with {all} diagnostics; the {} most frequent messages have {counted} of them: {} take one row of at most {MOST} \
         characters, {} take more; seed {seed}",
        long.len() + short.len(),
        short.len(),
        long.len()
    );
    Ok(long.is_empty())
}

fn mutant(file: &File, rng: &mut Rng) -> Option<String> {
    let text: Arc<str> = file.text.clone();
    let cut = split(&text);
    let document = *rng.choice(&cut.documents)?;
    let tree = read_document(&text, document, &[]).ok()?;
    Some(mutate(&tree, rng)?.text)
}

fn diagnostics(session: &mut EditorSession, uri: &str, text: &str) -> anyhow::Result<Vec<Value>> {
    let document = json!({ "uri": uri, "languageId": "yaml", "version": 0, "text": text });
    session.notify("textDocument/didOpen", &json!({ "textDocument": document }))?;
    let id = json!({ "textDocument": { "uri": uri } });
    let report = session.request("textDocument/diagnostic", &id)?;
    session.notify("textDocument/didClose", &id)?;
    Ok(report["items"].as_array().cloned().unwrap_or_default())
}

/// A message without names and numbers.
fn template(message: &str) -> String {
    let mut is_name = false;
    let mut kept = String::new();
    for char in message.chars() {
        if char == '`' {
            is_name = !is_name;
        }
        if !is_name && !char.is_ascii_digit() {
            kept.push(char);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_that_differ_in_names_and_numbers_are_one() {
        assert_eq!(template("`a.b` has 12 of `c`"), template("`x` has 3 of `y z`"));
        assert_ne!(template("`a` has 1"), template("`a` is 1"));
    }
}
