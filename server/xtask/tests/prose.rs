//! Checks documentation, comments and messages for phrases and words that read as if they were translated.
//!
//! A list of phrases cannot judge style: a text without these phrases can still be hard to read. If a test fails, do not just replace one word.
//! Rewrite the sentence: name the person or thing that acts, put one idea into a sentence, and use the standard word of the field.
#![allow(clippy::disallowed_methods, reason = "reads the files that it judges")]

use std::{
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use regex::Regex;

/// A line with this mark may contain any phrase.
const EXEMPT: &str = "prose: ok";

/// Forbidden phrases, each with a pattern for the text after it that makes it acceptable.
const PHRASES: &[(&str, &str)] = &[
    (
        r"\b(is|are|was) no\b",
        r"^ (longer|more|less|different|doubt|match)\b|^$|^[^ ]|^ [^a-z`]",
    ), // prose: ok
    (r"\bof which\b", ""),                                        // prose: ok
    (r"\bgo(es)? without saying\b", ""),                          // prose: ok
    (r"\b(is|are|be) (said|told) (of|about|by|to)\b", ""),        // prose: ok
    (r"\bwhat is (said|told|offered|shown|meant|written)\b", ""), // prose: ok
    (
        r"\b(stands|stood|standing) (in|on|at|above|below|before|behind|beside|for)\b",
        "",
    ), // prose: ok
    (r"\bcomes? to (what|how|[0-9]|the same|nothing|more|less)\b", ""), // prose: ok
    (r"\bis let\b|\bat hand\b|\ball the same\b|\bby itself alone\b", ""), // prose: ok
    (r"\bwho (does|has|wants|names|looks|knows|writes)\b", "^ not "), // prose: ok
    (r"\bin no more than\b|\bas it was sent\b|\bin place of\b", ""), // prose: ok
    (r"\bfrom nothing\b|\bmade anew\b|\banew\b", ""),             // prose: ok
    (r"\bnobody\b|\bnot any ?more\b|\bof (ours|theirs)\b|\bmend(s|ed)?\b", ""), // prose: ok
];

/// Words that have a standard term in user documentation, each with patterns for the text before and after it that make it acceptable.
const WORDS: &[(&str, &str, &str)] = &[
    (r"\b[Dd]efinitions?\b", r"([Gg]o to|type|Go) $", r"^ provider"), // "CRD"
    (r"\bminors?\b", "", r"^ version"),                               // "Kubernetes version"
    (r"\bfolds?\b", "", r"^ (range|ing|marker)"),                     // "comprehension"
    (r"\breader\b", "", ""),                                          // "parser"
    (r"\bsilenc(e|es|ed|ing)\b", "", ""),                             // "suppress"
];

/// The maximum width of a line of Markdown, unless it is a table row or contains a URL.
const COLUMNS: usize = 120;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The paths and contents of all files below the root with this extension.
fn files(extension: &str) -> Vec<(String, String)> {
    let root = root();
    let skipped = ["target", "node_modules", ".git", "out"];
    let mut found = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let entry = entry.expect("an entry");
            let (path, name) = (entry.path(), entry.file_name());
            let kind = entry.file_type().expect("a type");
            if kind.is_dir() && !skipped.iter().any(|it| name == *it) {
                folders.push(path);
            } else if kind.is_file() && path.extension().is_some_and(|it| it == extension) {
                let name = path.strip_prefix(&root).expect("below the root").to_string_lossy();
                found.push((name.replace('\\', "/"), fs::read_to_string(&path).expect("UTF-8")));
            }
        }
    }
    assert!(found.len() > 100, "{} files", found.len());
    found
}

/// The part of a Rust line that people read: a doc comment, or everything after the first quote.
fn prose_of_rust(line: &str) -> Option<&str> {
    let comment = ["///", "//!"].iter().filter_map(|it| line.find(it)).min();
    comment.or_else(|| line.find('"')).map(|at| &line[at..])
}

/// A phrase, and the following text that makes it acceptable.
type Phrase = (Regex, Option<Regex>);

/// The compiled phrases. The first pattern matches any of them, because most lines have none.
static TABLE: LazyLock<(Regex, Vec<Phrase>)> = LazyLock::new(|| {
    let any: Vec<&str> = PHRASES.iter().map(|it| it.0).collect();
    let each = PHRASES.iter().map(|it| (pattern(it.0), exception(it.1)));
    (pattern(&any.join("|")), each.collect())
});

/// Lines of `text` that match a phrase, unless its exception follows.
fn phrases<'t>(text: &'t str, part: impl Fn(&'t str) -> Option<&'t str>) -> Vec<(usize, &'t str)> {
    let (any, each) = &*TABLE;
    let is_bad = |prose: &str| {
        any.is_match(prose)
            && each.iter().any(|(phrase, harmless)| {
                let mut found = phrase.find_iter(prose);
                found.any(|it| {
                    !harmless
                        .as_ref()
                        .is_some_and(|harmless| harmless.is_match(&prose[it.end()..]))
                })
            })
    };
    let lines = text.lines().enumerate().filter(|(_, line)| !line.contains(EXEMPT));
    lines
        .filter(|(_, line)| part(line).is_some_and(is_bad))
        .map(|(n, line)| (n + 1, line))
        .collect()
}

fn pattern(text: &str) -> Regex {
    Regex::new(&format!("(?i){}", text.replace(r"\b", r"(?-u:\b)"))).expect("a pattern")
}

fn exception(text: &str) -> Option<Regex> {
    (!text.is_empty()).then(|| pattern(text))
}

#[track_caller]
fn assert_none(found: &[String]) {
    assert!(found.is_empty(), "rewrite {} lines:\n{}", found.len(), found.join("\n"));
}

#[test]
fn documentation_has_no_translated_phrases() {
    let mut found = Vec::new();
    for (path, text) in files("md") {
        found.extend(
            phrases(&text, Some)
                .iter()
                .map(|(n, line)| format!("{path}:{n}: {line}")),
        );
    }
    assert_none(&found);
}

#[test]
fn comments_and_messages_have_no_translated_phrases() {
    let mut found = Vec::new();
    for (path, text) in files("rs").iter().filter(|it| !it.0.contains("/tests")) {
        let lines = phrases(text, prose_of_rust);
        found.extend(lines.iter().map(|(n, line)| format!("{path}:{n}: {}", line.trim())));
    }
    assert_none(&found);
}

#[test]
fn documentation_uses_the_standard_names() {
    let table: Vec<_> = WORDS
        .iter()
        .map(|it| (pattern(it.0), exception(it.1), exception(it.2)))
        .collect();
    let is_for_users = |path: &str| {
        path == "README.md" || path.starts_with("docs/") || path.contains("/codes/") || path.starts_with("editors/")
    };
    let mut found = Vec::new();
    for (path, text) in files("md").iter().filter(|it| is_for_users(&it.0)) {
        for (n, line) in text.lines().enumerate().filter(|(_, line)| !line.contains(EXEMPT)) {
            let is_bad = table.iter().any(|(word, before, after)| {
                word.find_iter(line).any(|it| {
                    let is_harmless =
                        |exception: &Option<Regex>, text: &str| exception.as_ref().is_some_and(|it| it.is_match(text));
                    !is_harmless(before, &line[..it.start()]) && !is_harmless(after, &line[it.end()..])
                })
            });
            if is_bad {
                found.push(format!("{path}:{}: {line}", n + 1));
            }
        }
    }
    assert_none(&found);
}

#[test]
fn lines_of_markdown_fit_into_the_columns() {
    let mut found = Vec::new();
    for (path, text) in files("md") {
        for (n, line) in text.lines().enumerate() {
            let is_free = line.starts_with('|') || line.contains("https://") || line.contains("http://");
            if !is_free && line.chars().count() > COLUMNS {
                found.push(format!("{path}:{}: {line}", n + 1));
            }
        }
    }
    assert_none(&found);
}

#[test]
fn rule_pages_have_their_sections_in_order() {
    let mut pages = 0;
    for (path, text) in files("md")
        .iter()
        .filter(|it| it.0.contains("/codes/") && !it.0.ends_with("README.md"))
    {
        let sections: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        assert_eq!(sections, ["Fails", "Accepted", "Why", "Fix", "Details"], "{path}");
        pages += 1;
    }
    assert!(pages > 100, "{pages} pages");
}

#[test]
fn finds_phrases_and_their_exceptions() {
    #[track_caller]
    fn check(line: &str, is_bad: bool) {
        assert_eq!(!phrases(line, Some).is_empty(), is_bad, "{line}");
    }
    check("The API group is no domain.", true);
    check("The field is no longer served.", false);
    check("There are no tests.", true);
    check("Users who do not know CEL start here.", false);
    check("`*name` stands for a node.", true);
    check("A line that must stay: it is no domain. (prose: ok)", false);
    assert_eq!(prose_of_rust("    let a = 1; // code"), None);
    assert_eq!(prose_of_rust("    /// A node."), Some("/// A node."));
    assert_eq!(prose_of_rust("    f(\"text\")"), Some("\"text\")"));
}
