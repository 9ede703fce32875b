//! Mutants of rules: some tokens are changed, so that many rules still parse and some still compile.

use std::sync::LazyLock;

use crd_analyzer_cel::library::LIBRARIES;
use crd_analyzer_cel::parser::macros::MACROS;
use fastrand::Rng;
use regex::Regex;

use super::pick;

static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    let token =
        r#"\s+|[A-Za-z_][A-Za-z_0-9]*|\d+\.\d+|\d+u?|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|==|!=|<=|>=|&&|\|\||(?s:.)"#;
    Regex::new(token).unwrap_or_else(|_| unreachable!("the pattern is constant"))
});

const PIECES: &[&str] = &[
    "1",
    "1u",
    "1.5",
    "'a'",
    "b\"x\"",
    "true",
    "null",
    "[]",
    "{}",
    "[1]",
    "{\"a\":1}",
    "dyn(1)",
    "self",
    "oldSelf",
    "duration(\"1s\")",
    "timestamp(\"2020-01-01T00:00:00Z\")",
    "size",
    "optional.none()",
    "type(1)",
    "int",
    "x",
    "-1",
    "\"\"",
    "namespace",
    "cidr(\"10.0.0.0/8\")",
    "quantity(\"1\")",
    "e",
    "has",
    ".?",
    "[?",
    "\"%d\"",
    "in",
    "é",
    "'",
    "\"",
    "`a`",
    "//",
    "\\",
    "'''",
    "\u{a0}",
    "$",
    "0x",
    "1e",
    "&",
    "|",
    "=",
    "b'",
    "r\"",
    "\t",
    "\n",
];
const OPERATORS: &[&str] = &[
    "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "&&", "||", " in ", ".", "?", ":", ",", "[", "]", "(",
    ")", "{", "}", "!",
];
const BINARY: &[&str] = &[
    "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "&&", "||", " in ",
];
const LITERALS: &[&str] = &[
    "1",
    "1u",
    "1.5",
    "'a'",
    "b\"x\"",
    "true",
    "null",
    "[]",
    "{}",
    "[1]",
    "{\"a\":1}",
    "dyn(1)",
    "self",
    "oldSelf",
    "duration(\"1s\")",
    "timestamp(\"2020-01-01T00:00:00Z\")",
    "optional.none()",
    "optional.of(\"a\")",
    "type(1)",
    "int",
    "-1",
    "\"\"",
    "cidr(\"10.0.0.0/8\")",
    "quantity(\"1\")",
    "\"%d\"",
    "ip(\"1.1.1.1\")",
    "url(\"http://a/b\")",
    "semver(\"1.2.3\")",
    "[[1],[2]]",
    "format.date()",
    "[optional.of(1)]",
];
const METHODS: &[&str] = &[
    "size()",
    "all(q, q == 1)",
    "exists(q, q)",
    "map(q, q)",
    "filter(q, true)",
    "contains(\"a\")",
    "matches(\"a+\")",
    "startsWith(\"a\")",
    "split(\",\")",
    "join()",
    "replace(\"a\",\"b\")",
    "substring(1)",
    "lowerAscii()",
    "trim()",
    "indexOf(\"a\")",
    "sum()",
    "min()",
    "isSorted()",
    "orValue(1)",
    "hasValue()",
    "value()",
    "or(optional.none())",
    "optMap(q, q)",
    "getHours()",
    "ip()",
    "family()",
    "major()",
    "add(1)",
    "find(\"a\")",
    "findAll(\"a\")",
    "all(i, q, i == q)",
    "transformList(i, q, q)",
    "transformMap(k, q, k)",
    "transformMapEntry(k, q, {q: k})",
    "sortBy(q, q)",
    "sort()",
    "flatten()",
    "distinct()",
    "reverse()",
    "slice(0, 1)",
    "first()",
    "last()",
    "format([1, \"a\"])",
    "charAt(0)",
    "?a",
    "a",
    "name",
    "exists_one(q, q != q)",
    "unwrapOpt()",
    "includes(1)",
    "validate(\"a\")",
    "containsIP(\"1.1.1.1\")",
    "isGlobalUnicast()",
    "getHost()",
    "asInteger()",
    "compareTo(quantity(\"1\"))",
];
/// The names of all functions and macros.
static FUNCTIONS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let functions = LIBRARIES.iter().flat_map(|it| it.library.functions()).map(|it| it.name);
    let mut names: Vec<_> = functions.chain(MACROS.iter().map(|it| it.name)).collect();
    names.retain(|it| is_name(it) && it.chars().all(|c| c.is_ascii_alphanumeric()));
    names.sort_unstable();
    names.dedup();
    names
});

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

fn is_plain_name(token: &str) -> bool {
    is_name(token) && !["in", "true", "false", "null"].contains(&token)
}

/// The names in a rule.
pub(super) fn names_of(rule: &str) -> Vec<String> {
    TOKEN
        .find_iter(rule)
        .map(|it| it.as_str())
        .filter(|it| is_name(it))
        .map(str::to_owned)
        .collect()
}

/// A rule with one to three edits. Edits can use `names` and parts of `other`.
pub(super) fn mutate(rng: &mut Rng, rule: &str, names: &[String], other: &str) -> String {
    let mut tokens: Vec<String> = TOKEN.find_iter(rule).map(|it| it.as_str().to_owned()).collect();
    let is_rough = rng.u8(..5) < 2;
    for _ in 0..[1, 1, 1, 2, 2, 3][rng.usize(..6)] {
        if tokens.is_empty() {
            break;
        }
        if is_rough {
            rough(rng, &mut tokens, names, other);
        } else {
            careful(rng, &mut tokens, names);
        }
    }
    tokens.concat()
}

/// A few random tokens, which are rarely a valid expression.
pub(super) fn soup(rng: &mut Rng) -> String {
    let values = [
        "self", "a", "1", "'a'", "[1]", "{}", "f()", "x.y", "-1", "1u", "has", "true",
    ];
    let marks = [
        ",", ",", ".", "(", ")", "[", "]", "{", "}", "?", ":", "-", "!", "&&", "||", "==", "in", "+", ".?", "[?", "?a",
        "`b`", "<", "*", "%", "a:", "?a:",
    ];
    let mut tokens = Vec::new();
    for _ in 0..=rng.usize(..10) {
        let pool = if rng.u8(..5) < 2 { &values[..] } else { &marks[..] };
        tokens.push(pick(rng, pool));
        if rng.u8(..5) == 0 {
            tokens.push(" ");
        }
    }
    let (open, close) = [
        ("", ""),
        ("[", "]"),
        ("{", "}"),
        ("(", ")"),
        ("f(", ")"),
        ("M{", "}"),
        ("self[", "]"),
        ("self.all(", ")"),
    ][rng.usize(..8)];
    format!("{open}{}{close}", tokens.concat())
}

fn any_name(rng: &mut Rng, names: &[String]) -> String {
    if names.is_empty() {
        "x".to_owned()
    } else {
        names[rng.usize(..names.len())].clone()
    }
}

/// An edit that often breaks the syntax.
fn rough(rng: &mut Rng, tokens: &mut Vec<String>, names: &[String], other: &str) {
    let at = rng.usize(..tokens.len());
    match rng.u8(..20) {
        0..3 => drop(tokens.remove(at)),
        3..6 => pick(rng, PIECES).clone_into(&mut tokens[at]),
        6..9 => pick(rng, OPERATORS).clone_into(&mut tokens[at]),
        9..12 => {
            if let Some(at) = one_of(rng, tokens, |tokens, n| is_name(&tokens[n])) {
                tokens[at] = any_name(rng, names);
            }
        }
        12..14 => {
            let piece = if rng.bool() {
                pick(rng, PIECES)
            } else {
                pick(rng, OPERATORS)
            };
            tokens.insert(at, piece.to_owned());
        }
        14..16 => {
            let with = rng.usize(..tokens.len());
            tokens.swap(at, with);
        }
        16..18 => {
            let others: Vec<&str> = TOKEN.find_iter(other).map(|it| it.as_str()).collect();
            if !others.is_empty() {
                let from = rng.usize(..others.len());
                let count = 1 + rng.usize(..6);
                tokens.splice(at..at, others[from..].iter().take(count).map(|it| (*it).to_owned()));
            }
        }
        _ => {
            let end = (at + 1 + rng.usize(..8)).min(tokens.len());
            let copy = tokens[at..end].to_vec();
            tokens.splice(at..at, copy);
        }
    }
}

/// An edit that often keeps the syntax valid.
fn careful(rng: &mut Rng, tokens: &mut Vec<String>, names: &[String]) {
    match rng.u8(..20) {
        0..4 => {
            if let Some(at) = one_of(rng, tokens, |tokens, n| {
                BINARY.contains(&&*tokens[n]) || tokens[n] == "in"
            }) {
                tokens[at] = format!(" {} ", pick(rng, BINARY));
            }
        }
        4..8 => {
            let is_value = |tokens: &[String], n: usize| {
                tokens[n].starts_with(|c: char| c == '\'' || c == '"' || c.is_ascii_digit())
                    || ["true", "false", "null", "self", "oldSelf"].contains(&&*tokens[n])
            };
            if let Some(at) = one_of(rng, tokens, is_value) {
                pick(rng, LITERALS).clone_into(&mut tokens[at]);
            }
        }
        8..11 => {
            if let Some(at) = one_of(rng, tokens, |tokens, n| is_name(&tokens[n])) {
                tokens[at] = any_name(rng, names);
            }
        }
        11..17 => {
            let ends_value = |tokens: &[String], n: usize| {
                let is_called = tokens.get(n + 1).is_some_and(|next| next == "(");
                (is_plain_name(&tokens[n]) && !is_called)
                    || [")", "]"].contains(&&*tokens[n])
                    || tokens[n].starts_with(['\'', '"'])
            };
            if let Some(at) = one_of(rng, tokens, ends_value) {
                let method = pick(rng, METHODS);
                tokens[at] = format!("{}.{method}", tokens[at]);
            }
        }
        17..19 => {
            let is_called =
                |tokens: &[String], n: usize| is_name(&tokens[n]) && tokens.get(n + 1).is_some_and(|next| next == "(");
            if let Some(at) = one_of(rng, tokens, is_called) {
                pick(rng, &FUNCTIONS).clone_into(&mut tokens[at]);
            }
        }
        _ => {
            tokens.insert(0, "(".to_owned());
            tokens.push(format!(") {} {}", pick(rng, BINARY), pick(rng, LITERALS)));
        }
    }
}

fn one_of(rng: &mut Rng, tokens: &[String], fits: impl Fn(&[String], usize) -> bool) -> Option<usize> {
    let fitting: Vec<usize> = (0..tokens.len()).filter(|n| fits(tokens, *n)).collect();
    (!fitting.is_empty()).then(|| fitting[rng.usize(..fitting.len())])
}
