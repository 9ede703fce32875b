//! Compares our verdicts, error messages and matches with those of Go. A Go program answers through two pipes:
//!
//! ```text
//! cd tests/conformance/goregexp && go build -o /tmp/goregexp . && cd -
//! cargo run --profile fast -p crd-analyzer-goregexp --example goregexp_differential -- /tmp/goregexp 100000 SEED [FILE]
//! ```
//!
//! FILE contains initial patterns for mutations, one per line.

#![allow(clippy::disallowed_methods, reason = "tests run programs and read files")]
#![allow(clippy::print_stdout, reason = "it reports to a person")]

use std::io::{BufRead, BufReader, BufWriter, Write};
use std::process::{Command, Stdio};

use crd_analyzer_goregexp::{GoRegex, check};
use serde_json::{Value, json};

/// Pieces for building patterns.
const PIECES: &[&str] = &[
    "a",
    "b",
    "ab",
    "A",
    "k",
    "s",
    "é",
    "ß",
    "ſ",
    "K",
    "日",
    "😀",
    "0",
    "9",
    "_",
    "-",
    " ",
    "\n",
    "\\n",
    ".",
    "^",
    "$",
    "\\A",
    "\\z",
    "\\Z",
    "\\b",
    "\\B",
    "\\d",
    "\\D",
    "\\w",
    "\\W",
    "\\s",
    "\\S",
    "\\pL",
    "\\PL",
    "\\p{Greek}",
    "\\p{^Lu}",
    "\\p{lowercase_letter}",
    "\\p{Any}",
    "\\p{Assigned}",
    "\\p{ASCII}",
    "\\p{Xx}",
    "\\p{",
    "\\p",
    "\\P{Han}",
    "\\pN",
    "(",
    ")",
    "(?:",
    "(?i)",
    "(?i:",
    "(?s)",
    "(?m)",
    "(?U)",
    "(?-i)",
    "(?i-s:",
    "(?P<n>",
    "(?<n>",
    "(?P<",
    "(?P=n)",
    "(?=",
    "(?!",
    "(?<=",
    "(?",
    "(?-",
    "(?#",
    "(?ims-U:",
    "|",
    "||",
    "*",
    "+",
    "?",
    "*?",
    "+?",
    "??",
    "**",
    "{2}",
    "{2,}",
    "{0,3}",
    "{0}",
    "{1}",
    "{2,1}",
    "{1000}",
    "{1001}",
    "{999999999999}",
    "{,2}",
    "{2,3}?",
    "{",
    "}",
    "{1",
    "{01}",
    "[",
    "]",
    "[a-z]",
    "[^a-z]",
    "[z-a]",
    "[]a]",
    "[^]a]",
    "[a",
    "[[:alpha:]]",
    "[[:^alpha:]]",
    "[[:word:]]",
    "[[:foo:]]",
    "[[:",
    ":]",
    "[\\d-z]",
    "[a-\\d]",
    "[\\pL\\d]",
    "[^\\pL]",
    "[^\\W]",
    "[\\S\\s]",
    "[^\\x00-\\x{10FFFF}]",
    "[-a]",
    "[a-]",
    "[\\]]",
    "[&&a]",
    "[a--b]",
    "[k]",
    "[^k]",
    "[ſ-ƀ]",
    "\\x41",
    "\\x{1F600}",
    "\\x{D800}",
    "\\x{110000}",
    "\\x",
    "\\xg",
    "\\x{",
    "\\x{}",
    "\\101",
    "\\0",
    "\\1",
    "\\8",
    "\\Q",
    "\\E",
    "\\Qa.b\\E",
    "\\C",
    "\\_",
    "\\-",
    "\\é",
    "\\",
    "\\a",
    "\\f",
    "\\t",
    "\\v",
    "\\r",
    "\\e",
    "\\G",
    "\\h",
    "\\R",
    "\\X",
    "\\K",
    "a|b",
    "ab|ac",
    "(a|ab)",
    "(|a)",
    "(a*)*",
    "(a|b*)+",
    "()",
    "(?:)",
    "[^\\n]",
    "\\.",
    "\\/",
    "\\u0041",
    "\u{fffd}",
    "\u{1e943}",
];

/// Characters for building strings.
const CHARS: &[char] = &[
    'a',
    'b',
    'c',
    'A',
    'B',
    'k',
    'K',
    'K',
    's',
    'S',
    'ſ',
    'z',
    '0',
    '7',
    '9',
    '_',
    '-',
    ' ',
    '\n',
    '\t',
    '\r',
    '.',
    'é',
    'É',
    'ß',
    'ẞ',
    'σ',
    'ς',
    'Σ',
    '日',
    '😀',
    '\u{0}',
    '\u{7f}',
    '\u{85}',
    '\u{a0}',
    '\u{2028}',
    '\u{fffd}',
    '\u{10ffff}',
];

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }
}

fn pattern(random: &mut Random, seeds: &[String]) -> String {
    let mut out = String::new();
    if !seeds.is_empty() && random.below(3) == 0 {
        out.clone_from(&seeds[random.below(seeds.len())]);
        for _ in 0..random.below(4) {
            let mut chars: Vec<char> = out.chars().collect();
            let at = random.below(chars.len() + 1);
            match random.below(3) {
                0 if at < chars.len() => drop(chars.remove(at)),
                1 if at < chars.len() => {
                    chars[at] = "()[]{}|*+?\\^$.-a,:<>P10"[random.below(22)..]
                        .chars()
                        .next()
                        .unwrap_or('a');
                }
                _ => {
                    let piece: Vec<char> = PIECES[random.below(PIECES.len())].chars().collect();
                    chars.splice(at..at, piece);
                }
            }
            out = chars.into_iter().collect();
        }
        return out;
    }
    let mut open = 0;
    for _ in 0..=random.below(9) {
        let piece = PIECES[random.below(PIECES.len())];
        out.push_str(piece);
        if piece.starts_with('(') && !piece.ends_with(')') {
            open += 1;
        }
        if open > 0 && random.below(3) == 0 {
            out.push(')');
            open -= 1;
        }
    }
    if random.below(4) > 0 {
        out.push_str(&")".repeat(open));
    }
    out
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let [_, go, count, seed, rest @ ..] = &args[..] else {
        panic!("usage: goregexp_differential GO COUNT SEED [FILE]")
    };
    let count: usize = count.parse().expect("a number");
    let mut random = Random(seed.parse::<u64>().expect("a number") * 2 + 0x9E37_79B9_7F4A_7C15);
    let seeds: Vec<String> = rest.first().map_or_else(Vec::new, |file| {
        std::fs::read_to_string(file)
            .expect("a readable file")
            .lines()
            .map(str::to_owned)
            .collect()
    });

    let cases: Vec<(String, Vec<String>)> = (0..count)
        .map(|_| {
            let pattern = pattern(&mut random, &seeds);
            let texts = (0..6)
                .map(|_| {
                    let mut text: String = (0..random.below(9)).map(|_| CHARS[random.below(CHARS.len())]).collect();
                    if random.below(4) == 0 {
                        let part: String = pattern.chars().filter(|c| c.is_alphanumeric()).take(4).collect();
                        text.insert_str(0, &part);
                    }
                    text
                })
                .collect();
            (pattern, texts)
        })
        .collect();

    let mut child = Command::new(go)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the Go program starts");
    let mut input = BufWriter::new(child.stdin.take().expect("piped"));
    let requests: Vec<String> = cases
        .iter()
        .map(|(pattern, texts)| json!({"pattern": pattern, "texts": texts}).to_string())
        .collect();
    let writer = std::thread::spawn(move || {
        for request in requests {
            writeln!(input, "{request}").expect("the Go program reads");
        }
    });
    let answers = BufReader::new(child.stdout.take().expect("piped"));
    let (mut refused, mut matched, mut differences) = (0, 0, 0);
    for ((pattern, texts), line) in cases.iter().zip(answers.lines()) {
        let answer: Value = serde_json::from_str(&line.expect("a line")).expect("JSON");
        let error = answer["error"].as_str();
        let ours = check(pattern).err();
        let mut report = |what: String| {
            differences += 1;
            if differences <= 30 {
                println!("{pattern:?}: {what}");
            }
        };
        if ours.as_ref().map(ToString::to_string).as_deref() != error {
            report(format!("go {error:?}, ours {ours:?}"));
            continue;
        }
        if error.is_some() {
            refused += 1;
            continue;
        }
        let regex = match GoRegex::new(pattern) {
            Ok(regex) => regex,
            Err(error) => {
                report(format!("does not compile: {error}"));
                continue;
            }
        };
        for (n, text) in texts.iter().enumerate() {
            let bounds = |found: std::ops::Range<usize>| [found.start, found.end];
            let all = regex.find_all(text, usize::MAX).expect("a small pattern");
            let all: Vec<[usize; 2]> = all.into_iter().map(bounds).collect();
            let first = regex.find(text).expect("a small pattern").map(bounds);
            if json!(all) != answer["all"][n] {
                report(format!("on {text:?} go {}, ours {all:?}", answer["all"][n]));
            } else if all.first() != first.as_ref() || regex.is_match(text) != Ok(!all.is_empty()) {
                report(format!("on {text:?} find {first:?}, find_all {all:?}"));
            }
            matched += usize::from(!all.is_empty());
        }
    }
    writer.join().expect("the writer ends");
    child.wait().expect("the Go program ends");
    println!("{count} patterns, {refused} refused, {matched} texts matched, {differences} differences");
    std::process::exit(i32::from(differences > 0));
}
