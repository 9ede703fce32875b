//! Draws random sentences and comments, to be read by a person who has not seen the code.
//!
//! The same seed draws the same sentences from the same files, so that a review can be repeated.

mod markdown;
mod rust;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context as _;

use crd_analyzer_conformance::peers;

/// Crates that users do not run.
const CHORES: &[&str] = &["xtask/", "fuzz/", "fixtures/"];

/// Code whose strings are verbatim messages of the API server or of Go's libraries.
const WORDS_OF_OTHERS: &[&str] = &[
    "admission/src/validation",
    "apiextensions/src/decode",
    "apiextensions/src/validation",
    "cel/src/ast",
    "cel/src/eval",
    "cel/src/value",
    "goregexp/",
    "schema/src/field",
    "schema/src/rules/run",
    "schema/src/validation",
    "syntax/src/reader",
];

/// Draw random sentences that users read, or comments.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The number of sentences.
    #[arg(long, default_value_t = 200)]
    count: usize,
    /// The seed; random by default.
    #[arg(long)]
    seed: Option<u64>,
    /// Draw comments instead, each with the code below it.
    #[arg(long)]
    comments: bool,
    /// Draw only from files whose path contains this.
    #[arg(long, default_value = "")]
    path: String,
}

/// A piece of prose with its line.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Read {
    line: usize,
    text: String,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    let seed = args.seed.unwrap_or_else(|| fastrand::u64(..));
    let all = if args.comments { comments()? } else { sentences()? };
    let mut all: Vec<(String, Read)> = all.into_iter().filter(|it| it.0.contains(&args.path)).collect();
    let total = all.len();
    fastrand::Rng::with_seed(seed).shuffle(&mut all);
    for (n, (path, read)) in all.iter().take(args.count).enumerate() {
        println!("{}. {path}:{}\n{}\n", n + 1, read.line, read.text);
    }
    let what = if args.comments { "comments" } else { "sentences" };
    println!("{} of {total} {what}, seed {seed}", args.count.min(total));
    Ok(true)
}

/// Sentences that users read, without duplicates.
fn sentences() -> anyhow::Result<Vec<(String, Read)>> {
    let mut found = BTreeMap::new();
    for (path, text) in files(&["md", "rs", "json", "tsv"])? {
        let read = match Path::new(&path).extension().and_then(|it| it.to_str()) {
            Some("md") if is_page(&path) => {
                let sentences = markdown::sentences(&text).into_iter();
                sentences.filter(|it| !is_head(&it.text)).collect()
            }
            Some("rs") if is_program(&path) => rust::messages(&text, path.starts_with("server/src/cli/")),
            Some("json") if path == "editors/vscode/package.json" => descriptions(&text),
            Some("tsv") if path.ends_with("check/about.tsv") => cells(&text),
            _ => Vec::new(),
        };
        for read in read {
            found.entry(read.text.clone()).or_insert((path.clone(), read));
        }
    }
    Ok(found.into_values().collect())
}

/// Comments of the code, tests included.
fn comments() -> anyhow::Result<Vec<(String, Read)>> {
    let mut found = Vec::new();
    for (path, text) in files(&["rs"])? {
        found.extend(rust::comments(&text).into_iter().map(|read| (path.clone(), read)));
    }
    Ok(found)
}

/// Whether a file is a page for users: the guide without its design notes, rule pages, and pages about editors.
fn is_page(path: &str) -> bool {
    path == "README.md"
        || path == "SECURITY.md"
        || (path.starts_with("docs/") && !path.starts_with("docs/design/") && path != "docs/SUMMARY.md")
        || path.starts_with("editors/")
        || (path.contains("/codes/") && !path.ends_with("codes/README.md"))
}

/// Whether a sentence is in the header of all rule pages.
fn is_head(sentence: &str) -> bool {
    [
        "Related: ",
        "Kubernetes: ",
        "Kubebuilder marker: ",
        "Severity: ",
        "Suppress one: ",
    ]
    .iter()
    .any(|it| sentence.starts_with(it))
}

/// Whether a file contains strings that users read and that are written by this project.
fn is_program(path: &str) -> bool {
    let is_other = CHORES
        .iter()
        .chain(WORDS_OF_OTHERS)
        .any(|it| path.starts_with(&format!("server/{it}")));
    let is_test = path.contains("/tests/") || path.ends_with("tests.rs") || path.ends_with("/test.rs");
    path.starts_with("server/") && !is_other && !is_test
}

/// Descriptions of settings and commands.
fn descriptions(text: &str) -> Vec<Read> {
    let mut found = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let Some((key, value)) = line
            .split_once("escription\": \"")
            .or_else(|| line.split_once("\"title\": \""))
        else {
            continue;
        };
        let is_text = key.ends_with('d') || key.ends_with('D') || !key.contains('"');
        let value = value
            .split("\" }")
            .next()
            .unwrap_or_default()
            .trim_end_matches(['"', ',']);
        if is_text {
            found.extend(markdown::split(&value.replace("\\\"", "\""), n + 1));
        }
    }
    found
}

/// Sentences of a table with a tab between cells.
fn cells(text: &str) -> Vec<Read> {
    let rows = text.lines().enumerate();
    rows.flat_map(|(n, line)| line.split('\t').flat_map(move |cell| markdown::split(cell, n + 1)))
        .collect()
}

/// The files of the repository with these extensions, by path.
fn files(extensions: &[&str]) -> anyhow::Result<Vec<(String, String)>> {
    let root = peers::root();
    let skipped = ["target", "node_modules", ".git", "out", "packaging"];
    let (mut folders, mut found): (Vec<PathBuf>, _) = (vec![root.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).with_context(|| format!("reading {}", folder.display()))?;
        for entry in entries {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            let extension = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
            if kind.is_dir() && !skipped.iter().any(|it| entry.file_name() == *it) {
                folders.push(path);
            } else if kind.is_file() && extensions.contains(&extension) {
                let name = path.strip_prefix(&root)?.to_string_lossy().replace('\\', "/");
                let text = fs::read_to_string(&path).with_context(|| format!("reading {name}"))?;
                found.push((name, text));
            }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_users_read() {
        let sentences = sentences().expect("files");
        let has = |path: &str| sentences.iter().any(|it| it.0.starts_with(path));
        for path in [
            "README.md",
            "docs/check.md",
            "editors/vscode/package.json",
            "server/src/cli/check",
            "server/schema/codes/",
            "server/workspace/src/words/",
            "server/gosource/src/check/about.tsv",
        ] {
            assert!(has(path), "{path}");
        }
        assert!(sentences.len() > 3000, "{}", sentences.len());
        assert!(sentences.iter().all(|it| !it.0.contains("design/")));
    }

    #[test]
    fn finds_comments() {
        let comments = comments().expect("files");
        assert!(comments.len() > 5000, "{}", comments.len());
    }

    #[test]
    fn descriptions_are_sentences() {
        let text = "  \"markdownDescription\": \"The *first* one. The second one of them.\",\n  \"type\": \"string\"\n";
        let texts: Vec<String> = descriptions(text).into_iter().map(|it| it.text).collect();
        assert_eq!(texts, ["The *first* one.", "The second one of them."]);
    }
}
