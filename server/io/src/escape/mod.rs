//! Escapes untrusted text for display, with one function per output medium.
//!
//! File names, keys, values, messages of CRD authors and output of other programs are not trusted. Without escaping, such text could move the cursor
//! of a terminal, reverse the direction of other text, hide itself, start a new line, or contain a command for the CI system that reads the log.
//! Invisible characters are shown as escapes in Rust's syntax, such as `\u{1b}`.

mod github;
mod json;
mod tap;

use std::borrow::Cow;

pub use github::{data as github_data, property as github_property};
pub use json::json;
pub use tap::description as tap_description;

/// Whether a character is invisible, or changes how other characters are displayed. These are control characters, direction marks, zero-width
/// characters, blank letters, tags and other selectors, and noncharacters.
pub const fn is_hidden(c: char) -> bool {
    matches!(c,
        // control characters (C0, DEL and C1)
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        // soft hyphen, grapheme joiner, Arabic letter mark, Hangul fillers, Khmer inherent vowels, Mongolian selectors
        | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        // zero-width characters, direction marks, line and paragraph separators, embeddings, overrides, isolates
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        // fillers, variation selectors except those for text and emoji, byte order mark, annotations
        | '\u{3164}' | '\u{fe00}'..='\u{fe0d}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        // shorthand and musical format controls, tags and more selectors
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
        // noncharacters
        | '\u{fdd0}'..='\u{fdef}'
    ) || c as u32 & 0xfffe == 0xfffe
}

/// Escapes a text that must fit on one line, including its line breaks and tabs.
pub fn line(text: &str) -> Cow<'_, str> {
    escaped(text, |_| false)
}

/// Escapes a text that must fit on one line, but keeps its tabs.
pub(crate) fn line_with_tabs(text: &str) -> Cow<'_, str> {
    escaped(text, |c| c == '\t')
}

/// Escapes a text of several lines. Keeps line breaks (LF, CRLF) and tabs.
pub fn text(text: &str) -> Cow<'_, str> {
    let text = without_carriage_returns(text);
    match text {
        Cow::Borrowed(text) => escaped(text, |c| matches!(c, '\n' | '\t')),
        Cow::Owned(text) => Cow::Owned(escaped(&text, |c| matches!(c, '\n' | '\t')).into_owned()),
    }
}

fn without_carriage_returns(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") {
        text.replace("\r\n", "\n").into()
    } else {
        text.into()
    }
}

/// The escaped form of an invisible character.
pub fn visible_char(c: char) -> String {
    match c {
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        c => format!("\\u{{{:x}}}", c as u32),
    }
}

fn escaped(text: &str, stays: impl Fn(char) -> bool) -> Cow<'_, str> {
    if is_harmless(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for piece in pieces(text, stays) {
        match piece {
            Piece::Plain(plain) => out.push_str(plain),
            Piece::Hidden(c, _) => out.push_str(&visible_char(c)),
        }
    }
    if out == text {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(out)
    }
}

/// Whether a text is printable ASCII and cannot contain a command for a CI system.
fn is_harmless(text: &str) -> bool {
    text.bytes().all(|it| matches!(it, b' '..=b'~')) && !text.contains("##")
}

/// A part of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Piece<'t> {
    /// Text that is shown unchanged.
    Plain(&'t str),
    /// A character that is shown as an escape, and its offset.
    Hidden(char, usize),
}

/// Splits a text into pieces. `stays` returns which hidden characters to keep unchanged.
pub(crate) fn pieces(text: &str, stays: impl Fn(char) -> bool) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        let start = rest;
        let found = text[start..]
            .char_indices()
            .find(|&(at, c)| is_hidden(c) && !stays(c) || c == '[' && opens_command(&text[..start + at]));
        match found {
            None if start == text.len() => None,
            None => {
                rest = text.len();
                Some(Piece::Plain(&text[start..]))
            }
            Some((0, c)) => {
                rest = start + c.len_utf8();
                Some(Piece::Hidden(c, start))
            }
            Some((at, _)) => {
                rest = start + at;
                Some(Piece::Plain(&text[start..rest]))
            }
        }
    })
}

/// Whether the character at a byte offset of a line is shown as an escape.
pub fn is_escaped(line: &str, at: usize, c: char) -> bool {
    is_hidden(c) || c == '[' && opens_command(&line[..at])
}

/// Whether a `[` after this text starts a command of Azure Pipelines, of TeamCity, or of GitHub Actions in its older form. Such commands can be
/// anywhere in a line, as in `##[error]` or `##vso[task.complete]`.
fn opens_command(before: &str) -> bool {
    const LONGEST_NAME: usize = 16;
    let name = before
        .bytes()
        .rev()
        .take(LONGEST_NAME)
        .take_while(u8::is_ascii_alphabetic)
        .count();
    before[..before.len() - name].ends_with("##")
}

/// The offset of the two colons that make a line a workflow command of GitHub Actions, as in `::error::text`. Blanks may precede them.
pub(crate) fn workflow_command(line: &str) -> Option<usize> {
    let command = line.trim_start();
    // `:::` does not start a command, because the name of a command has no colon.
    let is_command = command.starts_with("::") && !command.starts_with(":::");
    is_command.then(|| line.len() - command.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::escape::samples;

    #[test]
    fn what_cannot_be_seen_is_shown() {
        assert_eq!(line("a\u{1b}[31mb\u{9b}1m"), "a\\u{1b}[31mb\\u{9b}1m");
        assert_eq!(line("two\nlines\r\n\tend"), "two\\nlines\\r\\n\\tend");
        assert_eq!(
            line("nimda\u{202e}\u{2066}\u{200d}\u{e0041}"),
            "nimda\\u{202e}\\u{2066}\\u{200d}\\u{e0041}"
        );
        assert_eq!(
            line("\u{2028}\u{2029}\u{feff}\u{ffff}\u{ad}"),
            "\\u{2028}\\u{2029}\\u{feff}\\u{ffff}\\u{ad}"
        );
        assert_eq!(text("a\r\nb\tc\rd\u{7f}"), "a\nb\tc\\rd\\u{7f}");
    }

    #[test]
    fn what_can_be_seen_stays() {
        for plain in [
            "",
            "ordinary # text [1] ## heading",
            "größe 値 😀 e\u{301} ❤\u{fe0f}",
            "C:\\path \\u{1b}",
        ] {
            assert!(matches!(line(plain), Cow::Borrowed(same) if same == plain), "{plain}");
        }
    }

    #[test]
    fn commands_of_other_systems_are_none() {
        assert_eq!(line("x ##[error]y"), "x ##\\u{5b}error]y");
        assert_eq!(
            line("##vso[task.complete result=Failed;]"),
            "##vso\\u{5b}task.complete result=Failed;]"
        );
        assert_eq!(line("##teamcity[a]"), "##teamcity\\u{5b}a]");
        assert_eq!(line("###[a]"), "###\\u{5b}a]");
        assert_eq!(line("## [a] #[b]"), "## [a] #[b]");
    }

    #[test]
    fn workflow_commands_are_known() {
        assert_eq!(workflow_command("::error::x"), Some(0));
        assert_eq!(workflow_command(" \u{a0}::warning file=a::x"), Some(3));
        assert_eq!(workflow_command("  ::: a.yaml:1:2"), None);
        assert_eq!(workflow_command("a ::error::"), None);
    }

    #[test]
    fn nothing_hidden_comes_out_of_random_text() {
        for text in samples::random(20_000) {
            let shown = line(&text);
            assert!(
                !shown.contains(is_hidden) && !shown.contains("##["),
                "{text:?} is shown as {shown:?}"
            );
            assert_eq!(line(&shown), shown, "once is enough");
            let shown = super::text(&text);
            assert!(
                !shown.contains(|c| is_hidden(c) && c != '\n' && c != '\t'),
                "{text:?} is shown as {shown:?}"
            );
        }
    }
}

/// Sample texts for property tests.
#[cfg(test)]
pub(crate) mod samples {
    const PIECES: &[&str] = &[
        "##[",
        "##",
        "vso[",
        "::error",
        "::",
        "%0A",
        "%",
        "\r\n",
        "\n",
        "\r",
        "\t",
        "\u{1b}[2J",
        "\u{9b}",
        "\u{202e}",
        "\u{2066}",
        "\u{200d}",
        "\u{e0001}",
        "\u{2028}",
        "\u{feff}",
        "\u{fffe}",
        "\u{ffff}",
        "\u{10ffff}",
        "\0",
        "\u{7f}",
        "\\",
        "#",
        ":",
        ",",
        "<",
        "&",
        "]]>",
        "\"",
        "'",
        " ",
        "a",
        "é",
        "値",
        "😀",
        "not ok",
        "  ---",
        "\\u{1b}",
    ];

    /// Random texts. They are the same in every run.
    pub(crate) fn random(count: usize) -> impl Iterator<Item = String> {
        let mut random = fastrand::Rng::with_seed(12);
        (0..count).map(move |_| {
            let pieces = random.usize(..12);
            let piece = |_| match random.u8(..3) {
                0 => random.char(..).to_string(),
                _ => PIECES[random.usize(..PIECES.len())].to_owned(),
            };
            (0..pieces).map(piece).collect()
        })
    }
}
