//! The verdict reader and the JSON conversion against `sigs.k8s.io/yaml` itself.
//!
//! `tests/conformance/yamljson` is the program that is asked; it is built here if there is a Go toolchain. Texts are those of the corpus
//! (`CRD_ANALYZER_CORPUS`, or `../shared/corpus` beside the repository), and seeded mutants of them and of generated documents.
//! Without Go or corpus a test passes silently, except in CI.
//!
//! `YAML_SEED` and `YAML_MUTANTS` ask for other mutants than the usual ones.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crd_analyzer_syntax::split::{read_document, split};

mod compare;
mod generate;
mod mutate;
mod oracle;
mod random;

use compare::{Case, differences};
use oracle::Oracle;
use random::Random;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn in_ci() -> bool {
    std::env::var_os("CI").is_some()
}

/// The files of the corpus, or none.
fn corpus() -> Vec<PathBuf> {
    let root =
        std::env::var_os("CRD_ANALYZER_CORPUS").map_or_else(|| repository().join("../shared/corpus"), PathBuf::from);
    let beside = repository().join("../../shared/corpus");
    let root = if root.is_dir() { root } else { beside };
    let mut files = Vec::new();
    let mut folders = vec![root.join("crds"), root.join("crs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path)
            } else {
                files.push(path)
            }
        }
    }
    files.sort();
    assert!(!files.is_empty() || !in_ci(), "no corpus");
    files
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable)
        .ok()
        .and_then(|it| it.parse().ok())
        .unwrap_or(default)
}

#[track_caller]
fn expect_none(found: &[String], total: usize) {
    let shown = found.iter().take(10).cloned().collect::<Vec<_>>().join("\n\n");
    assert!(found.is_empty(), "{} of {total} texts differ:\n{shown}", found.len());
}

#[test]
fn every_document_of_the_corpus_reads_as_the_server_reads_it() {
    let Some(mut oracle) = Oracle::start() else { return };
    let mut found = Vec::new();
    let mut total = 0;
    let mut cases = Vec::new();
    for path in corpus() {
        let bytes = std::fs::read(&path).expect("a readable file");
        let text: Arc<str> = String::from_utf8(bytes).expect("the corpus is UTF-8").into();
        for document in split(&text).documents {
            let name = format!("{} document {}", path.display(), document.index);
            let tree = read_document(&text, document, &[]);
            let mut body = text[document.span.range()].replace("\r\n", "\n");
            if !body.ends_with('\n') {
                body.push('\n');
            }
            cases.push(Case {
                name,
                bytes: body.into_bytes(),
                tree: Some(tree),
            });
            total += 1;
        }
        if cases.len() > 100 {
            found.extend(differences(&mut oracle, std::mem::take(&mut cases)));
        }
    }
    found.extend(differences(&mut oracle, cases));
    expect_none(&found, total);
}

#[test]
fn mutants_read_as_the_server_reads_them() {
    let Some(mut oracle) = Oracle::start() else { return };
    let seed = number("YAML_SEED", 1);
    let count = number("YAML_MUTANTS", 10_000);
    let mut random = Random::new(seed);
    let files = corpus();
    let mut found = Vec::new();
    let mut at = 0;
    while at < count {
        let batch = (0..200.min(count - at))
            .map(|it| {
                let text = match random.below(10) {
                    0..5 if !files.is_empty() => mutate::excerpt(&mut random, &files),
                    _ => generate::document(&mut random),
                };
                let times = random.below(5);
                let bytes = (0..times).fold(text.into_bytes(), |bytes, _| mutate::mutate(&mut random, bytes));
                Case {
                    name: format!("seed {seed} mutant {}", at + it),
                    bytes,
                    tree: None,
                }
            })
            .collect();
        at += 200;
        found.extend(differences(&mut oracle, batch));
        if found.len() > 200 {
            break;
        }
    }
    expect_none(&found, at as usize);
}
