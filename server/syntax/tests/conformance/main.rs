//! Compares the verdict parser and the JSON conversion with `sigs.k8s.io/yaml` itself.
//!
//! The oracle is the program `tests/conformance/yamljson`, which these tests build if a Go toolchain is installed. The texts are those of the corpus
//! (`CRD_ANALYZER_CORPUS`, or `../shared/corpus` beside the repository), and seeded mutants of them and of generated documents. The tests are ignored
//! by default because they need Go and the corpus.
//!
//! `YAML_SEED` and `YAML_MUTANTS` select other mutants.

#![allow(clippy::disallowed_methods, reason = "tests run programs and read files")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crd_analyzer_fixtures::corpus;
use crd_analyzer_syntax::read_json;
use crd_analyzer_syntax::source::Source;
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
#[ignore = "needs Go and a corpus of real manifests"]
fn every_document_of_the_corpus_reads_as_the_server_reads_it() {
    let mut oracle = Oracle::start();
    let mut found = Vec::new();
    let mut total = 0;
    let mut cases = Vec::new();
    for path in corpus::files("") {
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
#[ignore = "needs Go and a corpus of real manifests"]
fn mutants_read_as_the_server_reads_them() {
    let mut oracle = Oracle::start();
    let seed = number("YAML_SEED", 1);
    let count = number("YAML_MUTANTS", 4_000);
    let mut random = Random::new(seed);
    let files = corpus::files("");
    let mut found = Vec::new();
    let mut at = 0;
    while at < count {
        let batch = (0..200.min(count - at))
            .map(|it| {
                let text = match random.below(12) {
                    10.. => generate::soup(&mut random),
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

#[test]
fn files_are_cut_as_clients_cut_them() {
    let mut oracle = Oracle::start();
    let seed = number("YAML_SEED", 1);
    let count = number("YAML_MUTANTS", 4_000) / 5;
    let mut random = Random::new(seed + 1000);
    let mut files: Vec<Arc<str>> = Vec::new();
    while files.len() < count as usize {
        let mut file = String::new();
        for _ in 0..random.below(4) {
            file += &generate::document(&mut random);
            let separators = [
                "---\n",
                "\n---\n",
                "--- # c\n",
                "---\r\n",
                "---\n---\n",
                "...\n---\n",
                "",
                "--- \t\n",
                "# c\n---\n",
            ];
            file += random.text(&separators);
        }
        let times = random.below(3);
        let bytes = (0..times).fold(file.into_bytes(), |bytes, _| mutate::mutate(&mut random, bytes));
        // The test above covers texts that start with a brace, and CR CR LF is a known difference (see `split`).
        if let Ok(file) = String::from_utf8(bytes)
            && !file.contains("\r\r\n")
            && !file
                .trim_start_matches('\u{FEFF}')
                .trim_start_matches([' ', '\t', '\r', '\n'])
                .starts_with('{')
        {
            files.push(file.into());
        }
    }
    let mut found = Vec::new();
    for batch in files.chunks(200) {
        let answers = oracle.split(batch.iter().map(|it| it.strip_prefix('\u{FEFF}').unwrap_or(it)));
        let mut cases = Vec::new();
        for (file, (bodies, error)) in batch.iter().zip(answers) {
            let ours = split(file);
            let theirs: Vec<_> = (0..).zip(&bodies).filter(|it| has_content(it.1)).collect();
            let same = ours
                .documents
                .iter()
                .map(|it| it.index)
                .eq(theirs.iter().map(|it| it.0));
            if !same || ours.error.map(|it| it.message) != error {
                found.push(format!("cut differs from {bodies:?} {error:?}:\n{file:?}"));
                continue;
            }
            for (document, (_, body)) in ours.documents.into_iter().zip(theirs) {
                let tree = Some(read_document(file, document, &[]));
                cases.push(Case {
                    name: format!("file {file:?}"),
                    bytes: body.clone().into_bytes(),
                    tree,
                });
            }
        }
        found.extend(differences(&mut oracle, cases));
    }
    expect_none(&found, files.len());
}

/// Tests that the documents of a file are those that kubectl reads: UTF-16, consecutive JSON values, and JSON before YAML.
#[test]
#[ignore = "needs Go"]
fn files_are_read_as_kubectl_reads_them() {
    const PARTS: &[&str] = &[
        "{\"a\": 1}",
        "{\"b\": [1, {}]}",
        "{a: 1}",
        "{\n  b: 1\n}",
        "c: 3\n",
        "d: é😀\n",
        "# x\n",
        "---\n",
        "--- # x\n",
        "---",
        "\n",
        " ",
        "...\n",
        "\u{FEFF}",
        "{\"a\": \"é\"}\n---\n",
        "{\"a\": 1}\n{\"b\": 2}\n",
        "e: 5",
        "{\"a\": tru}",
        "-",
        "]",
        "5\n",
    ];
    let mut oracle = Oracle::start();
    let seed = number("YAML_SEED", 1);
    let mut random = Random::new(seed);
    let mut files: Vec<Vec<u8>> = Vec::new();
    for _ in 0..number("YAML_FILES", 4_000) {
        let count = 1 + random.below(5);
        let mut text: String = (0..count).map(|_| random.text(PARTS)).collect();
        if random.one_in(2) {
            text.insert_str(0, "{\"a\": 1}");
        }
        let mut bytes = text.into_bytes();
        if random.one_in(4) {
            bytes = mutate::utf16(&bytes, &mut random);
            match random.below(4) {
                0 => bytes.push(b'x'),
                1 => bytes.truncate(2 + random.below(bytes.len() - 1)),
                2 => bytes.extend([0x3D, 0xD8]),
                _ => {}
            }
        }
        files.push(bytes);
    }
    let mut found = Vec::new();
    for (bytes, (objects, error)) in files.iter().zip(oracle.objects(files.iter().map(Vec::as_slice))) {
        let source = Source::decode(bytes.clone());
        let text: Arc<str> = source.text.as_str().into();
        let cut = split(&text);
        let mut ours: Vec<serde_json::Value> = Vec::new();
        let mut is_refused = cut.error.is_some();
        for document in cut.documents {
            let tree = read_document(&text, document, &source.defects);
            match tree.as_ref().ok().and_then(|it| read_json(it).ok()) {
                Some(json) => ours.extend(
                    json.root()
                        .map(crd_analyzer_syntax::json::Json::to_value)
                        .filter(serde_json::Value::is_object),
                ),
                None => is_refused = true,
            }
            if is_refused {
                break;
            }
        }
        let theirs: Vec<serde_json::Value> = objects
            .iter()
            .filter_map(|it| serde_json::from_str(it).ok())
            .filter(serde_json::Value::is_object)
            .collect();
        // The documents before the error must be the same. A rejected file is rejected as a whole.
        let is_same = if error.is_some() {
            is_refused
        } else {
            !is_refused && ours == theirs
        };
        if !is_same {
            found.push(format!("{text:?}: {ours:?}, kubectl {objects:?} {error:?}"));
        }
    }
    expect_none(&found, files.len());
}

#[test]
fn aliases_are_refused_where_the_server_refuses_them() {
    let mut oracle = Oracle::start();
    let mut random = Random::new(number("YAML_SEED", 1));
    let mut found = Vec::new();
    let total = 60;
    for at in 0..total {
        let width = 1 + random.below(400);
        // The limit is between 99 % aliased nodes in small documents and 400,000 aliased nodes in large documents.
        let aliased = [100, 1_000, 10_000, 380_000, 400_000][random.below(5)] * (90 + random.below(21)) / 100;
        let aliases = 1 + aliased / (width + 1);
        let plain = if random.one_in(2) {
            aliased / 99 * random.below(3)
        } else {
            random.below(1100)
        };
        let mut text = format!("a: &a [{}]\nb: [{}]\n", "x,".repeat(width), "*a,".repeat(aliases));
        let more = "1,".repeat(plain);
        text.extend(["c: [", more.as_str(), "]\n"]);
        if random.one_in(3) {
            text = text
                .replace("*a,", "{<<: [*m, *m]},")
                .replacen("a: &a", "m: &m {k: v, l: w}\na: &a", 1);
        }
        let case = Case {
            name: format!("aliasing {at}"),
            bytes: text.into_bytes(),
            tree: None,
        };
        found.extend(
            differences(&mut oracle, vec![case])
                .into_iter()
                .map(|it| it[..it.len().min(600)].to_owned()),
        );
    }
    expect_none(&found, total);
}

#[test]
fn byte_order_marks_are_passed_over_where_the_server_does_it() {
    let mut oracle = Oracle::start();
    let mut random = Random::new(number("YAML_SEED", 1));
    // The API server's parser looks for a mark at the start of its input buffer, and this buffer moves in pieces of 512 bytes.
    let marks = ["", "\u{FEFF}", "\u{FEFF}\u{FEFF}", " \u{FEFF}", "# \u{FEFF}\n\u{FEFF}"];
    let mut cases = Vec::new();
    for at in 0..600 {
        let mut text = String::new();
        for line in 0..2 + random.below(6) {
            text += random.text(&marks);
            let longest = [20, 600][random.below(2)];
            let key = format!("k{line}: ");
            text += &key;
            text.extend(std::iter::repeat_n('x', random.below(longest)));
            text += random.text(&["\n", "\u{FEFF}\n", "\n\n"]);
        }
        cases.push(Case {
            name: format!("marks {at}"),
            bytes: text.into_bytes(),
            tree: None,
        });
    }
    let total = cases.len();
    expect_none(&differences(&mut oracle, cases), total);
}

/// Whether the clients keep a document of a file.
fn has_content(body: &str) -> bool {
    let lines = body.split('\n').map(str::trim);
    lines
        .into_iter()
        .any(|it| !(it.is_empty() || it.starts_with('#') || it.starts_with("---")))
}
