//! Extracts comments and strings from Rust code. A simple scanner is enough, because the code compiles.

use super::{Read, markdown};

/// The number of code lines shown below a comment.
const BELOW: usize = 3;

/// The minimum number of words in a message. Shorter strings are identifiers or keys.
const WORDS: usize = 4;

/// The comments, each with the first lines of the code below. Consecutive comment lines are one comment.
pub(super) fn comments(text: &str) -> Vec<Read> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let is_comment = |n: usize| lines.get(n).is_some_and(|it| it.starts_with("//"));
    let mut found = Vec::new();
    let mut n = 0;
    while n < lines.len() {
        let begins = n;
        while is_comment(n) {
            n += 1;
        }
        if begins < n {
            let below = lines[n..].iter().filter(|it| !it.is_empty()).take(BELOW);
            let all: Vec<String> = lines[begins..n]
                .iter()
                .map(|it| format!("  {it}"))
                .chain(below.map(|it| format!("      {it}")))
                .collect();
            found.push(Read {
                line: begins + 1,
                text: all.join("\n"),
            });
        }
        n += 1;
    }
    found
}

/// Strings that are sentences, and doc comments that are command line help.
pub(super) fn messages(text: &str, is_command_line: bool) -> Vec<Read> {
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let mut found = Vec::new();
    for (at, string) in strings(code) {
        let before = code[..at].trim_end();
        let is_internal =
            before.ends_with("expect(") || before.ends_with("reason =") || before.ends_with("deprecated =");
        if !is_internal && is_prose(&string) {
            let line = 1 + code[..at].matches('\n').count();
            for sentence in markdown::split(&string.replace("\\n", " "), line) {
                found.push(sentence);
            }
        }
    }
    if is_command_line {
        found.extend(help(code));
    }
    found
}

/// The doc comments of subcommands, options and their values. They are on the types that clap parses.
fn help(code: &str) -> Vec<Read> {
    let mut found = Vec::new();
    let (mut paragraph, mut begins) = (String::new(), 0);
    let mut is_parsed = false;
    for (n, written) in code.lines().enumerate() {
        let line = written.trim();
        is_parsed = match line.strip_prefix("#[derive(") {
            Some(derived) => ["Args", "Parser", "Subcommand", "ValueEnum"]
                .iter()
                .any(|it| derived.contains(it)),
            None => is_parsed && !written.starts_with('}'),
        };
        if let Some(words) = line.strip_prefix("///") {
            if paragraph.is_empty() {
                begins = n + 1;
            }
            paragraph.push_str(words);
        } else if !line.starts_with("#[") && !paragraph.is_empty() {
            let paragraph = std::mem::take(&mut paragraph);
            if is_parsed {
                found.extend(markdown::split(paragraph.trim(), begins));
            }
        }
    }
    found
}

fn is_prose(string: &str) -> bool {
    let words = string
        .split_whitespace()
        .filter(|it| it.chars().any(char::is_alphabetic));
    let letters = string.chars().filter(|it| it.is_alphabetic() || *it == ' ').count();
    words.count() >= WORDS && letters * 10 >= string.chars().count() * 7
}

/// The strings with their offsets. Escapes are not decoded.
fn strings(code: &str) -> Vec<(usize, String)> {
    let bytes = code.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let rest = &code[at..];
        at += match byte {
            b'/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            b'\'' => character(rest),
            b'r' if rest[1..].trim_start_matches('#').starts_with('"') && !is_name(bytes, at) => {
                let hashes = rest[1..].len() - rest[1..].trim_start_matches('#').len();
                let (begins, end) = (hashes + 2, format!("\"{}", "#".repeat(hashes)));
                let length = rest[begins..].find(&end).unwrap_or(rest.len() - begins);
                found.push((at, rest[begins..begins + length].to_owned()));
                (begins + length + end.len()).min(rest.len())
            }
            b'"' => {
                let length = length_of_string(rest);
                let string = &rest[1..length.max(2) - 1];
                found.push((at, without_continuations(string)));
                length
            }
            _ => rest.chars().next().map_or(1, char::len_utf8),
        };
    }
    found
}

fn is_name(bytes: &[u8], at: usize) -> bool {
    at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_')
}

/// The length of a character literal, or of the quote at the start of a lifetime.
fn character(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    match chars.next() {
        Some((_, '\\')) => rest[2..]
            .find('\'')
            .map_or(1, |it| it + if rest.starts_with("'\\''") { 4 } else { 3 }),
        Some(_) => chars.next().filter(|it| it.1 == '\'').map_or(1, |it| it.0 + 1),
        None => 1,
    }
}

fn length_of_string(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    while let Some((at, it)) = chars.next() {
        match it {
            '\\' => _ = chars.next(),
            '"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// Joins the lines of a multi-line string, removing the backslashes.
fn without_continuations(string: &str) -> String {
    let mut joined = String::new();
    for (n, part) in string.split("\\\n").enumerate() {
        joined.push_str(if n > 0 { part.trim_start() } else { part });
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(code: &str, expected: &[&str]) {
        let found: Vec<String> = messages(code, true).into_iter().map(|it| it.text).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn finds_messages() {
        check(r#"let a = "the value is not a list";"#, &["the value is not a list"]);
        check(
            "let a = \"the value is \\\n    not a list\";",
            &["the value is not a list"],
        );
        check(
            "let a = r#\"the \"value\" is not a list\"#;",
            &["the \"value\" is not a list"],
        );
        check(
            r#"f('"', '\'', "the value is not a list")"#,
            &["the value is not a list"],
        );
        check(
            r#"fn f<'a>(a: &'a str) { "the value is not a list" }"#,
            &["the value is not a list"],
        );
    }

    #[test]
    fn leaves_out_what_nobody_reads() {
        check(r#"x.expect("the value is a list")"#, &[]);
        check(r#"let a = "spec.versions[0]";"#, &[]);
        check("// \"the value is not a list\"", &[]);
        check(
            "#[cfg(test)]\nmod tests {\n  const A: &str = \"the value is not a list\";\n}",
            &[],
        );
    }

    #[test]
    fn finds_help() {
        check(
            "#[derive(clap::Args)]\nstruct A {\n    /// The paths to check.\n    #[arg(long)]\n    paths: Vec<String>,\n}",
            &["The paths to check."],
        );
        check(
            "struct A {\n    /// The paths to check.\n    paths: Vec<String>,\n}",
            &[],
        );
    }

    #[test]
    fn comments_have_the_code_below_them() {
        let found = comments("fn f() {\n    // Why it is\n    // so.\n    let a = 1;\n}\n");
        let texts: Vec<(usize, &str)> = found.iter().map(|it| (it.line, it.text.as_str())).collect();
        assert_eq!(texts, [(2, "  // Why it is\n  // so.\n      let a = 1;\n      }")]);
    }
}
