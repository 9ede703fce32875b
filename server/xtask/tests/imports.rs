//! Checks that the files of a crate import each other in one direction, except where the code itself is recursive.
//!
//! A file may use its parent, so an import of an enclosing module is ignored.
#![allow(clippy::disallowed_methods, reason = "reads the files that it judges")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use regex::Regex;

/// Groups of files that import each other, each with the reason. All other cycles fail the test.
const RECURSIVE: &[(&str, &[&str], &str)] = &[
    (
        "cel",
        &["eval/comprehension", "eval/plan", "eval/run"],
        "an evaluation runs comprehensions, which evaluate their parts",
    ),
    (
        "cel",
        &["eval/message", "eval/wire"],
        "a message has fields that are messages",
    ),
    (
        "gosource",
        &["declaration", "module"],
        "a field leads to a type of another package, which is read from its module",
    ),
    (
        "hazards",
        &["node", "words"],
        "the words of a hazard come from the rule that has it",
    ),
    (
        "ide",
        &["completion/definition", "completion/resource"],
        "a schema contains values of its type, and a value can be a CRD",
    ),
    (
        "ide",
        &["completion/json_paths", "completion/property_names"],
        "a path consists of names, and a name can be a path",
    ),
    (
        "ide",
        &["fixes/repair/junctor", "fixes/repair/typing"],
        "a type moves out of `anyOf`, and `anyOf` needs a type",
    ),
    (
        "lsp",
        &[
            "cluster",
            "diagnostics",
            "folders",
            "progress",
            "session",
            "workspace_index",
        ],
        "the session starts background work, which reports to the session",
    ),
    (
        "schema",
        &["rules/run/key", "rules/run/list", "rules/run/object", "rules/run/value"],
        "values contain lists, and lists contain values",
    ),
    (
        "syntax",
        &["edit/memo", "edit/reader", "edit/resync"],
        "the editing parser resumes from its own saved states",
    ),
    (
        "syntax",
        &["scalar", "tree", "tree/build"],
        "a tree decodes its scalars when they are read",
    ),
];

static STRINGS: LazyLock<Regex> = LazyLock::new(|| pattern(r#""(\\.|[^"\\])*""#));
static COMMENTS: LazyLock<Regex> = LazyLock::new(|| pattern("//[^\n]*"));
static USES: LazyLock<Regex> = LazyLock::new(|| pattern(r"\buse\s+([^;]+);"));
static INLINE: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(crate|super|self)(::[a-zA-Z_0-9]+)+"));

fn pattern(text: &str) -> Regex {
    Regex::new(&text.replace(r"\b", r"(?-u:\b)")).expect("a pattern")
}

/// Modules of a crate, by their path from its root (empty for the root itself).
type Modules = BTreeMap<Vec<String>, String>;

fn server() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The code of a module without comments, strings and its unit tests.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let text = STRINGS.replace_all(text, "\"\"");
    COMMENTS.replace_all(&text, "").into_owned()
}

fn modules(folder: &Path) -> Modules {
    let mut found = Modules::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                let name = path.strip_prefix(folder).expect("below the folder").with_extension("");
                let mut name: Vec<String> = name.iter().map(|it| it.to_string_lossy().into_owned()).collect();
                if name
                    .last()
                    .is_some_and(|it| ["mod", "lib", "main"].contains(&it.as_str()))
                {
                    name.pop();
                }
                found.insert(name, code(&fs::read_to_string(&path).expect("UTF-8")));
            }
        }
    }
    found
}

/// The paths of a `use` tree.
fn expand(prefix: &[String], tree: &str, paths: &mut Vec<Vec<String>>) {
    let segments = |text: &str| -> Vec<String> {
        let parts = text.split("::").map(str::trim);
        parts.filter(|it| !it.is_empty()).map(str::to_owned).collect()
    };
    let Some((before, inside)) = tree.trim().split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or_default();
        paths.push([prefix, &segments(path)].concat());
        return;
    };
    let prefix = [prefix, &segments(before)].concat();
    let (mut depth, mut start) = (0, 0);
    let inside = inside.trim_end().strip_suffix('}').unwrap_or(inside);
    for (at, letter) in inside.char_indices().chain([(inside.len(), ',')]) {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if !inside[start..at].trim().is_empty() {
                    expand(&prefix, &inside[start..at], paths);
                }
                start = (at + 1).min(inside.len());
            }
            _ => {}
        }
    }
}

/// The modules that a module imports, without its ancestors.
fn imports(name: &[String], text: &str, modules: &Modules) -> BTreeSet<Vec<String>> {
    let mut paths = Vec::new();
    for found in USES.captures_iter(text) {
        expand(&[], &found[1], &mut paths);
    }
    for found in INLINE.find_iter(&USES.replace_all(text, "")) {
        expand(&[], found.as_str(), &mut paths);
    }
    let absolute = |path: Vec<String>| -> Option<Vec<String>> {
        let supers = path.iter().take_while(|it| *it == "super").count();
        match path.first()?.as_str() {
            "crate" => Some(path[1..].to_vec()),
            "self" => Some([name, &path[1..]].concat()),
            "super" => Some([name.get(..name.len().checked_sub(supers)?)?, &path[supers..]].concat()),
            first => {
                let child = [name, &[first.to_owned()]].concat();
                modules.contains_key(&child).then(|| [name, &path[..]].concat())
            }
        }
    };
    let module = |path: Vec<String>| {
        (0..=path.len())
            .rev()
            .map(|n| path[..n].to_vec())
            .find(|it| modules.contains_key(it))
    };
    let found = paths.into_iter().filter_map(absolute).filter_map(module);
    found.filter(|it| !name.starts_with(it)).collect()
}

/// The groups of modules that import each other directly or indirectly.
fn circles(graph: &BTreeMap<Vec<String>, BTreeSet<Vec<String>>>) -> BTreeSet<Vec<String>> {
    let reach = |from: &Vec<String>| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from.clone()]);
        while let Some(next) = open.pop() {
            open.extend(graph[&next].iter().filter(|it| seen.insert((*it).clone())).cloned());
        }
        seen
    };
    let reached: BTreeMap<_, _> = graph.keys().map(|it| (it.clone(), reach(it))).collect();
    let circle = |name: &Vec<String>| {
        let all = reached[name].iter().filter(|it| reached[*it].contains(name));
        all.map(|it| it.join("/")).collect::<Vec<_>>()
    };
    let all = graph.keys().filter(|it| reached[*it].contains(*it)).map(circle);
    all.filter(|it| it.len() > 1).collect()
}

fn circles_of(folder: &Path) -> BTreeSet<Vec<String>> {
    let modules = modules(folder);
    let graph = modules
        .iter()
        .map(|(name, text)| (name.clone(), imports(name, text, &modules)));
    circles(&graph.collect())
}

#[test]
fn files_import_each_other_only_where_the_code_is_recursive() {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(server()).expect("the folder of crates") {
        let path = entry.expect("a crate").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let (name, folder) = if name == "src" {
            ("crd-analyzer".to_owned(), path)
        } else {
            (name, path.join("src"))
        };
        if folder.is_dir() {
            found.extend(circles_of(&folder).into_iter().map(|it| (name.clone(), it)));
        }
    }
    let allowed: BTreeSet<(String, Vec<String>)> = RECURSIVE
        .iter()
        .map(|(name, files, _)| ((*name).to_owned(), files.iter().map(|it| (*it).to_owned()).collect()))
        .collect();
    let new: Vec<_> = found.difference(&allowed).collect();
    assert!(
        new.is_empty(),
        "put what these files share into a file below them: {new:#?}"
    );
    let gone: Vec<_> = allowed.difference(&found).collect();
    assert!(gone.is_empty(), "no circles any longer: {gone:#?}");
}

#[test]
fn finds_the_paths_of_use_trees() {
    let mut paths = Vec::new();
    expand(&[], "crate::{a::{self, B}, c as d, e}", &mut paths);
    let paths: Vec<String> = paths.iter().map(|it| it.join("::")).collect();
    assert_eq!(paths, ["crate::a::self", "crate::a::B", "crate::c", "crate::e"]);
}

#[test]
fn finds_circles() {
    let edges = [("a", vec!["b"]), ("b", vec!["c"]), ("c", vec!["b"]), ("d", vec!["a"])];
    let name = |it: &str| vec![it.to_owned()];
    let graph = edges.map(|(from, to)| (name(from), to.into_iter().map(name).collect()));
    let found = circles(&BTreeMap::from(graph));
    assert_eq!(found, BTreeSet::from([vec!["b".to_owned(), "c".to_owned()]]));
}
