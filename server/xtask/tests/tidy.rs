//! Checks the rules of `server/ARCHITECTURE.md` that are visible in the files: dependencies, access to the outside world, and the form of
//! source files.
#![allow(clippy::disallowed_methods, reason = "reads the files that it judges")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// The crates of this project that each crate may depend on, in addition to [`TEST_SUPPORT`] in its tests. `crd-analyzer` is the program.
const LAYERS: &[(&str, &[&str])] = &[
    ("syntax", &[]),
    ("budget", &[]),
    ("goregexp", &["budget"]),
    ("gostd", &[]),
    ("envsubst", &["budget", "goregexp"]),
    ("gotemplate", &["budget", "goregexp", "gostd"]),
    ("gosource", &["gostd"]),
    ("generator", &["budget", "gosource", "syntax"]),
    ("kustomize", &["budget", "goregexp", "syntax"]),
    ("fixtures", &[]),
    ("cel", &["budget", "goregexp", "gostd"]),
    ("schema", &["budget", "cel", "goregexp", "gostd"]),
    ("diagnostic", &["budget", "schema"]),
    ("hazards", &["budget", "cel", "schema"]),
    ("apiextensions", &["budget", "gostd", "schema", "syntax"]),
    ("admission", &["apiextensions", "budget", "cel", "schema", "syntax"]),
    ("lints", &["apiextensions", "diagnostic", "goregexp", "schema"]),
    ("resource", &["apiextensions", "budget", "schema", "syntax"]),
    (
        "compat",
        &[
            "apiextensions",
            "budget",
            "goregexp",
            "hazards",
            "resource",
            "schema",
            "syntax",
        ],
    ),
    ("conversion", &["apiextensions", "compat", "resource", "schema"]),
    (
        "workspace",
        &[
            "admission",
            "apiextensions",
            "budget",
            "cel",
            "compat",
            "diagnostic",
            "envsubst",
            "generator",
            "goregexp",
            "gosource",
            "gotemplate",
            "hazards",
            "kustomize",
            "lints",
            "resource",
            "schema",
            "syntax",
        ],
    ),
    (
        "ide",
        &[
            "apiextensions",
            "budget",
            "cel",
            "diagnostic",
            "resource",
            "gosource",
            "schema",
            "syntax",
            "workspace",
        ],
    ),
    (
        "suite",
        &[
            "apiextensions",
            "budget",
            "compat",
            "resource",
            "schema",
            "syntax",
            "workspace",
        ],
    ),
    ("publish", &["apiextensions", "goregexp", "schema"]),
    ("reference", &["apiextensions", "cel", "publish", "schema"]),
    (
        "io",
        &["generator", "gosource", "kustomize", "suite", "syntax", "workspace"],
    ),
    ("cluster", &["io"]),
    (
        "lsp",
        &["cluster", "ide", "io", "schema", "suite", "syntax", "workspace"],
    ),
    (
        "crd-analyzer",
        &[
            "cluster",
            "compat",
            "conversion",
            "generator",
            "gosource",
            "ide",
            "io",
            "lsp",
            "publish",
            "reference",
            "resource",
            "schema",
            "suite",
            "syntax",
            "workspace",
        ],
    ),
    (
        "fuzz",
        &[
            "apiextensions",
            "budget",
            "cel",
            "compat",
            "fixtures",
            "goregexp",
            "gosource",
            "gostd",
            "gotemplate",
            "ide",
            "io",
            "kustomize",
            "lsp",
            "publish",
            "reference",
            "schema",
            "suite",
            "syntax",
            "workspace",
        ],
    ),
    (
        "conformance",
        &[
            "apiextensions",
            "cel",
            "compat",
            "conversion",
            "envsubst",
            "fixtures",
            "generator",
            "gosource",
            "gotemplate",
            "kustomize",
            "publish",
            "reference",
            "resource",
            "schema",
            "syntax",
            "workspace",
        ],
    ),
    (
        "xtask",
        &[
            "apiextensions",
            "cel",
            "conformance",
            "fixtures",
            "ide",
            "schema",
            "syntax",
            "workspace",
        ],
    ),
];

const TEST_SUPPORT: &str = "fixtures";

/// The crates and modules that may do I/O, read clocks and the environment, and start threads and programs.
const IMPURE: &[&str] = &[
    "crd-analyzer",
    "cluster",
    "conformance",
    "fixtures",
    "fuzz",
    "io",
    "lsp",
    "xtask",
];

/// Libraries with access to the outside world, and the crates that may use them.
const WORLDLY: &[(&str, &[&str])] = &[
    ("lsp-types", &["lsp"]),
    ("tower-lsp", &["lsp"]),
    ("tokio", &["fuzz", "lsp"]),
    ("ropey", &["lsp"]),
    ("ignore", &["io"]),
    ("rayon", &["crd-analyzer"]),
    ("clap", &["conformance", "crd-analyzer", "xtask"]),
    ("anyhow", &["conformance", "crd-analyzer", "xtask"]),
    ("anstream", &["crd-analyzer"]),
    ("tree-sitter", &["gosource", "syntax", "xtask"]),
    ("tree-sitter-go", &["gosource"]),
    ("tree-sitter-yaml", &["syntax", "xtask"]),
];

/// Modules of the program that may write bytes: printers of formats with their own escaping. Text for people goes through `io::print`, which escapes
/// the text.
const FORMAT_PRINTERS: &[&str] = &[
    "server/src/output/eval/json.rs",
    "server/src/output/github.rs",
    "server/src/output/json.rs",
    "server/src/output/jsonl.rs",
    "server/src/output/junit.rs",
    "server/src/output/script.rs",
    "server/src/output/tap.rs",
    "server/src/output/test/junit.rs",
    "server/src/output/test/tap.rs",
];

/// Lines that write output for a second time, which was therefore already escaped.
const PRINTED_BEFORE: &[(&str, &str)] = &[("server/src/cli/eval.rs", "out.write_all(block)?;")];

/// The maximum number of lines in a source file, without the `mod tests` at its end.
const MAX_LINES: usize = 600;

/// Files that may be larger, each with the reason.
const LARGE: &[(&str, &str)] = &[
    ("server/goregexp/src/tables.rs", "generated from Go's tables"),
    (
        "server/cel/src/parser/visit.rs",
        "one walk over the grammar, a rule a method",
    ),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder of a crate.
fn folder(name: &str) -> PathBuf {
    if name == "crd-analyzer" {
        root()
    } else {
        root().join("server").join(name)
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The names in the tables of a manifest for which `is_meant` is true.
fn names_in(manifest: &str, is_meant: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let mut inside = false;
    let mut names = BTreeSet::new();
    for line in manifest.lines() {
        if let Some(table) = line.strip_prefix('[') {
            inside = is_meant(table.trim_end_matches(']'));
        } else if inside && let Some(end) = line.find(['.', ' ', '=']) {
            names.insert(line[..end].to_owned());
        }
    }
    names
}

/// The dependencies of a crate, and those of its tests.
fn dependencies(name: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let manifest = read(&folder(name).join("Cargo.toml"));
    let built =
        |table: &str| table == "dependencies" || table.ends_with(".dependencies") && !table.starts_with("workspace");
    (
        names_in(&manifest, built),
        names_in(&manifest, |table| table.ends_with("dev-dependencies")),
    )
}

/// Our own crates among the dependencies.
fn ours(names: &BTreeSet<String>) -> BTreeSet<&str> {
    names.iter().filter_map(|it| it.strip_prefix("crd-analyzer-")).collect()
}

/// All our Rust files, by their path from the root.
fn sources() -> BTreeMap<String, String> {
    let root = root();
    let mut found = BTreeMap::new();
    let mut folders = vec![root.join("server"), root.join("tests")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() && !path.ends_with("target") {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                let name = path.strip_prefix(&root).expect("below the root").to_string_lossy();
                found.insert(name.replace('\\', "/"), read(&path));
            }
        }
    }
    assert!(found.len() > 300, "{} files", found.len());
    found
}

/// The crate of a source file. `None` if the file belongs to the tests of a crate.
fn crate_of(path: &str) -> Option<&str> {
    let rest = path.strip_prefix("server/")?;
    if rest.starts_with("src/") {
        return Some("crd-analyzer");
    }
    let (name, rest) = rest.split_once('/')?;
    rest.starts_with("src/").then_some(name)
}

#[test]
fn every_crate_is_on_the_map() {
    let architecture = read(&root().join("server/ARCHITECTURE.md"));
    let mut crates: BTreeSet<String> = BTreeSet::from(["crd-analyzer".to_owned()]);
    for entry in fs::read_dir(root().join("server")).expect("the folder of crates") {
        let path = entry.expect("a crate").path();
        if path.join("Cargo.toml").is_file() {
            crates.insert(path.file_name().expect("a name").to_string_lossy().into_owned());
        }
    }
    let known: BTreeSet<String> = LAYERS.iter().map(|it| it.0.to_owned()).collect();
    assert_eq!(crates, known);
    for name in crates.iter().filter(|it| *it != "crd-analyzer") {
        assert!(
            architecture.contains(&format!("| `{name}` |")),
            "{name} is not in ARCHITECTURE.md"
        );
    }
}

/// `cargo test` must run the tests of every crate, and the aliases must find only one program of each name.
#[test]
fn every_crate_is_tested_by_default() {
    let manifest: toml::Table = read(&root().join("Cargo.toml")).parse().expect("a manifest");
    let list = |name: &str| -> Vec<String> {
        let names = manifest["workspace"][name].as_array().expect("a list");
        names.iter().map(|it| it.as_str().expect("a path").to_owned()).collect()
    };
    let mut expected = list("members");
    expected.insert(0, ".".to_owned());
    assert_eq!(list("default-members"), expected);
}

/// Looking for examples in the comments of a crate takes a second or more, so only crates that have some are searched.
#[test]
fn examples_in_comments_are_tested() {
    let mut with_examples = BTreeSet::new();
    for (path, text) in sources() {
        let is_example = |line: &str| {
            let fence = line
                .trim_start()
                .strip_prefix("///")
                .or_else(|| line.strip_prefix("//!"));
            fence.is_some_and(|it| matches!(it.trim(), "```" | "```rust"))
        };
        if let Some(name) = crate_of(&path).filter(|_| text.lines().any(is_example)) {
            with_examples.insert(name.to_owned());
        }
    }
    for (name, _) in LAYERS.iter().filter(|it| folder(it.0).join("src/lib.rs").is_file()) {
        let manifest: toml::Table = read(&folder(name).join("Cargo.toml")).parse().expect("a manifest");
        let setting = manifest.get("lib").and_then(|it| it.get("doctest"));
        let are_tested = setting.and_then(toml::Value::as_bool) != Some(false);
        assert_eq!(are_tested, with_examples.contains(*name), "`doctest` of {name}");
    }
}

#[test]
fn dependencies_point_one_way() {
    for &(name, allowed) in LAYERS {
        let (built, tested) = dependencies(name);
        for dependency in ours(&built) {
            assert!(allowed.contains(&dependency), "{name} must not depend on {dependency}");
        }
        let layer = |name: &str| LAYERS.iter().position(|it| it.0 == name);
        for dependency in ours(&tested) {
            // A test may use all lower layers.
            let is_allowed = dependency == TEST_SUPPORT || layer(dependency) < layer(name);
            assert!(is_allowed, "tests of {name} must not depend on {dependency}");
        }
        for allowed in allowed {
            let below = LAYERS.iter().position(|it| it.0 == *allowed);
            assert!(
                below < LAYERS.iter().position(|it| it.0 == name),
                "{allowed} is not below {name}"
            );
        }
    }
}

#[test]
fn libraries_that_bring_the_world_stay_where_they_belong() {
    for &(name, _) in LAYERS {
        let (built, tested) = dependencies(name);
        for (library, allowed) in WORLDLY {
            let uses = built.contains(*library) || tested.contains(*library);
            assert!(!uses || allowed.contains(&name), "{name} must not use {library}");
        }
    }
    for (path, text) in sources() {
        let names_protocol = text.contains("lsp_types::") || text.contains("tower_lsp::");
        let is_here = path.ends_with("tests/tidy.rs");
        assert!(
            !names_protocol || is_here || path.starts_with("server/lsp/"),
            "{path} names the protocol"
        );
    }
}

#[test]
fn only_who_may_touches_the_world() {
    assert!(read(&root().join("clippy.toml")).contains("\ndisallowed-methods = ["));
    for &(name, _) in LAYERS {
        // A configuration in a crate would replace the one at the root.
        let own = ["clippy.toml", ".clippy.toml"].map(|it| folder(name).join(it));
        assert!(
            name == "crd-analyzer" || own.iter().all(|it| !it.exists()),
            "{name} has a clippy.toml"
        );
    }
    for (path, text) in sources() {
        let Some(name) = crate_of(&path).filter(|it| !IMPURE.contains(it)) else {
            continue;
        };
        for line in text.lines().filter(|it| it.contains("clippy::disallowed_methods")) {
            assert!(
                line.starts_with("#![cfg_attr(test, allow("),
                "{path}: {name} must stay pure\n{line}"
            );
        }
    }
}

#[test]
fn a_file_says_first_what_it_is_about() {
    for (path, text) in sources() {
        assert!(text.starts_with("//! "), "{path} does not begin with `//!`");
    }
}

#[test]
fn files_have_one_subject() {
    let sources = sources();
    for (path, text) in &sources {
        let code = text
            .find("\n#[cfg(test)]\nmod tests {")
            .map_or(text.as_str(), |at| &text[..at]);
        let lines = code.lines().count();
        let is_exception = LARGE.iter().any(|it| it.0 == path);
        if is_exception {
            assert!(lines > MAX_LINES, "{path} is no exception any more");
        } else {
            assert!(lines <= MAX_LINES, "{path} has {lines} lines: more than one subject?");
        }
    }
    for (path, reason) in LARGE {
        assert!(
            sources.contains_key(*path) && !reason.is_empty(),
            "{path} does not exist"
        );
    }
}

/// Whether a line of code writes to something other than a string.
fn writes_bytes(line: &str) -> bool {
    let formats = line.contains("write!(") || line.contains("writeln!(");
    // Writing to a string cannot fail, so such calls ignore the result.
    line.contains(".write_all(")
        || line.contains(".write_fmt(")
        || formats && !line.contains("let _ = ") && !line.contains("!(f,")
}

#[test]
fn only_printers_of_a_format_write_bytes() {
    let sources = sources();
    for (path, text) in sources.iter().filter(|it| crate_of(it.0) == Some("crd-analyzer")) {
        let code = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let mut written = code.lines().filter(|it| writes_bytes(it));
        if FORMAT_PRINTERS.contains(&path.as_str()) {
            assert!(written.next().is_some(), "{path} does not write bytes any more");
            continue;
        }
        let is_known = |line: &str| PRINTED_BEFORE.contains(&(path, line.trim()));
        let unknown: Vec<_> = written.filter(|it| !is_known(it)).collect();
        assert!(unknown.is_empty(), "{path} must print through `io::print`: {unknown:?}");
    }
    for path in FORMAT_PRINTERS.iter().chain(PRINTED_BEFORE.iter().map(|it| &it.0)) {
        assert!(sources.contains_key(*path), "there is no {path}");
    }
    for lint in ["print_stdout", "print_stderr"] {
        let table = read(&root().join("Cargo.toml"));
        assert!(table.contains(&format!("\n{lint} = ")), "{lint} is not looked for");
    }
}

#[test]
fn nobody_writes_unsafe_code() {
    let table = read(&root().join("Cargo.toml"));
    assert!(table.contains("\nunsafe_code = \"forbid\"\n"));
    for &(name, _) in LAYERS {
        let manifest = read(&folder(name).join("Cargo.toml"));
        assert!(
            manifest.contains("[lints]\nworkspace = true"),
            "{name} has its own lints"
        );
    }
}
