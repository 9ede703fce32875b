//! Checks the code that writes files: each caller of the module for writing must have a row in the table of `docs/security.md`, and each row must
//! have a caller.
#![allow(clippy::disallowed_methods, reason = "reads the files that it judges")]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// The files that write, each with its commands in the table.
const WRITERS: &[(&str, &[&str])] = &[
    (
        "server/io/src/git/snapshot.rs",
        &[
            "check --old-ref",
            "check --ref",
            "check --since",
            "compat REVISION:FILE",
            "crds add REVISION:PATH",
            "doctor",
            "lsp",
        ],
    ),
    ("server/lsp/src/cluster.rs", &["lsp"]),
    ("server/lsp/src/pages.rs", &["lsp"]),
    ("server/lsp/src/samples.rs", &["lsp"]),
    ("server/src/cli/baseline.rs", &["check --update-baseline"]),
    ("server/src/cli/crds/add.rs", &["crds add"]),
    ("server/src/cli/docs.rs", &["docs --output-dir"]),
    ("server/src/cli/doctor/bundle.rs", &["doctor --bundle --output"]),
    ("server/src/cli/fix.rs", &["check --fix"]),
    ("server/src/cli/generate.rs", &["generate crd --output-dir"]),
    ("server/src/cli/init.rs", &["init --write"]),
    ("server/src/cli/test/init.rs", &["test --init"]),
    ("server/src/cli/test/update.rs", &["test --update"]),
    ("server/src/output/json_schema.rs", &["schema --output-dir"]),
    (
        "server/src/output/several.rs",
        &["check --output FORMAT=FILE", "check --output-file"],
    ),
];

/// The module for writing.
const DOOR: &str = "server/io/src/write";

/// Crates that are not part of the program.
const TOOLS: &[&str] = &["conformance", "fixtures", "fuzz", "xtask"];

/// Functions that change the disk without the module for writing.
const DIRECT: &[&str] = &[
    "fs::write(",
    "create_dir(",
    "create_dir_all(",
    "File::create",
    "create_new(",
    ".write(true)",
    ".append(true)",
    "fs::rename(",
    "fs::copy(",
    "hard_link(",
    "fs::symlink(",
    " symlink(",
    "remove_file(",
    "remove_dir",
    "set_permissions(",
    "tempfile::",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The source files of the program without tests, by their path from the root.
fn sources() -> Vec<(String, String)> {
    let root = root();
    let mut found = Vec::new();
    let mut folders = vec![root.join("server")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.strip_prefix(&root).expect("below the root").display().to_string();
            let is_tool = TOOLS.iter().any(|it| name == format!("server/{it}"));
            if path.is_dir() && !is_tool && !["tests", "benches", "examples"].iter().any(|it| path.ends_with(it)) {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") && !name.ends_with("/tests.rs") {
                found.push((name, read(&path)));
            }
        }
    }
    found.sort();
    assert!(found.len() > 300, "{} files", found.len());
    found
}

/// The public functions and types of the module for writing that write.
fn names_of_the_door() -> Vec<String> {
    let mut names = vec!["CacheFolder".to_owned(), "OutputFolder".to_owned()];
    let text = read(&root().join(DOOR).join("mod.rs"));
    let functions = text.lines().filter_map(|it| it.strip_prefix("pub fn "));
    names.extend(
        functions
            .filter_map(|it| it.split(['(', '<']).next())
            .map(str::to_owned),
    );
    assert!(names.len() > 3, "{names:?}");
    names
}

/// Whether a source file changes the disk.
fn writes(text: &str, names: &[String]) -> bool {
    let code = text.split("\nmod tests {").next().unwrap_or_default();
    let code: Vec<&str> = code.lines().filter(|it| !it.trim_start().starts_with("//")).collect();
    let code = code.join("\n");
    let is_named = |behind: &str| {
        let list = match behind.strip_prefix('{') {
            Some(list) => list.split('}').next().unwrap_or_default(),
            None => behind
                .split(|it: char| !it.is_alphanumeric() && it != '_')
                .next()
                .unwrap_or_default(),
        };
        let mut words = list.split(|it: char| !it.is_alphanumeric() && it != '_');
        words.any(|word| names.iter().any(|it| it == word))
    };
    let uses_door = code.match_indices("write::").any(|(at, of)| {
        let before = code[..at].chars().next_back();
        !before.is_some_and(|it| it.is_alphanumeric() || it == '_') && is_named(&code[at + of.len()..])
    });
    uses_door || DIRECT.iter().any(|it| code.contains(it))
}

/// The commands in the first column of the table of writers.
fn commands_of_the_page() -> BTreeSet<String> {
    let page = read(&root().join("docs/security.md"));
    let table = page.split("\n### Write\n").nth(1).expect("the section");
    let rows = table.lines().skip_while(|it| *it != "| command | writes |").skip(2);
    let rows = rows.take_while(|it| it.starts_with('|'));
    let cells = rows.filter_map(|it| it.split('|').nth(1));
    let commands = cells.flat_map(|it| it.split(", "));
    commands.map(|it| it.trim().trim_matches('`').to_owned()).collect()
}

#[test]
fn who_writes_is_on_the_page() {
    let names = names_of_the_door();
    let sources = sources();
    let found = sources
        .iter()
        .filter(|it| !it.0.starts_with(DOOR) && writes(&it.1, &names));
    let found: BTreeSet<&str> = found.map(|it| it.0.as_str()).collect();
    let known: BTreeSet<&str> = WRITERS.iter().map(|it| it.0).collect();
    assert_eq!(
        found, known,
        "who writes needs a row in docs/security.md, and is listed here"
    );
    let commands = WRITERS.iter().flat_map(|it| it.1);
    let commands: BTreeSet<String> = commands.map(|it| (*it).to_owned()).collect();
    assert_eq!(commands_of_the_page(), commands);
}

#[test]
fn a_new_writer_is_noticed() {
    let names = names_of_the_door();
    for text in [
        "write::put(path, text, replaceable)",
        "use crd_analyzer_io::write::create;",
        "use crd_analyzer_io::{read, write::{Unwritten, replace}};",
        "write::OutputFolder::open(folder)",
        "let cache = write::CacheFolder::new(path);",
        "std::fs::write(path, text)",
        "fs::create_dir_all(path)",
        "let file = tempfile::tempfile()?;",
    ] {
        assert!(writes(text, &names), "{text}");
    }
    for text in [
        "use crd_analyzer_io::write::Unwritten;",
        "use crd_analyzer_io::write::{Replaceable, Unwritten};",
        "rewrite::replace(text)",
        "// fs::write(path, text)",
        "fn a() {}\n#[cfg(test)]\nmod tests { fn b() { fs::write(path, text) } }",
    ] {
        assert!(!writes(text, &names), "{text}");
    }
}
