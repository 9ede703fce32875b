//! Prints text for people, in a terminal or a log. All such text is printed through this module. It prints lines and not bytes, and escapes the
//! content of each line, so that the content can neither end the line nor be a command.

use std::{
    borrow::Cow,
    fmt::Display,
    io::{self, Write},
};

use crate::escape;

/// The style of a part of a line, if colors are on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Style {
    /// The terminal's default.
    #[default]
    Plain,
    /// The text of a report.
    Bold,
    /// The word `error`, and the position of the error.
    Error,
    /// The word `warning`, and the position of the warning.
    Warning,
    /// The word `hint`, and the position of the hint.
    Hint,
    /// Help.
    Help,
    /// Line numbers, and the frame around lines of source text.
    Frame,
    /// Added text.
    Added,
    /// Changed text.
    Changed,
    /// Removed text.
    Removed,
}

impl Style {
    /// The escape sequence that starts the style. [`RESET`] ends it.
    const fn sequence(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Bold => "\u{1b}[1m",
            Self::Error => "\u{1b}[1;91m",
            Self::Warning => "\u{1b}[1;33m",
            Self::Hint => "\u{1b}[1;96m",
            Self::Help => "\u{1b}[1;92m",
            Self::Frame => "\u{1b}[1;94m",
            Self::Added => "\u{1b}[32m",
            Self::Changed => "\u{1b}[33m",
            Self::Removed => "\u{1b}[9;31m",
        }
    }
}

const RESET: &str = "\u{1b}[0m";

/// A part of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part<'t> {
    /// The style of the part.
    pub style: Style,
    /// The text of the part, before escaping.
    pub text: Cow<'t, str>,
}

impl<'t> Part<'t> {
    /// A part with this style.
    pub fn new(style: Style, text: impl Into<Cow<'t, str>>) -> Self {
        Self {
            style,
            text: text.into(),
        }
    }

    /// A part without a style.
    pub fn plain(text: impl Into<Cow<'t, str>>) -> Self {
        Self::new(Style::Plain, text)
    }
}

/// Prints lines for people.
pub struct Terminal<'w> {
    out: &'w mut dyn Write,
    has_color: bool,
}

impl<'w> Terminal<'w> {
    /// Prints to `out`, with styles if `has_color`.
    pub fn new(out: &'w mut dyn Write, has_color: bool) -> Self {
        Self { out, has_color }
    }

    /// Prints one line.
    pub fn line(&mut self, text: impl Display) -> io::Result<()> {
        self.parts(&[Part::plain(text.to_string())])
    }

    /// Prints an empty line.
    pub fn blank(&mut self) -> io::Result<()> {
        self.out.write_all(b"\n")
    }

    /// Prints a text of several lines, and escapes each line. Use it only for texts in which crd-analyzer has written all line breaks.
    pub fn lines(&mut self, text: &str) -> io::Result<()> {
        text.lines().try_for_each(|it| self.line(it))
    }

    /// Like [`Terminal::lines`], but keeps tabs, for text in columns.
    pub fn columns(&mut self, text: &str) -> io::Result<()> {
        text.split_terminator('\n').try_for_each(|line| {
            self.out
                .write_all(no_command(escape::line_with_tabs(line)).as_bytes())?;
            self.blank()
        })
    }

    /// Prints a patch. Keeps tabs and CRLF, because they are part of the files to be changed.
    pub fn patch(&mut self, patch: &str) -> io::Result<()> {
        for line in patch.split_terminator('\n') {
            let (line, end) = line.strip_suffix('\r').map_or((line, "\n"), |line| (line, "\r\n"));
            self.out
                .write_all(no_command(escape::line_with_tabs(line)).as_bytes())?;
            self.out.write_all(end.as_bytes())?;
        }
        Ok(())
    }

    /// Prints a line of several parts. If the line needs escaping, prints it without styles.
    pub fn parts(&mut self, parts: &[Part<'_>]) -> io::Result<()> {
        let text: Cow<'_, str> = match parts {
            [one] => Cow::Borrowed(&one.text),
            parts => Cow::Owned(parts.iter().map(|it| &*it.text).collect()),
        };
        match harmless(&text) {
            Cow::Owned(escaped) => self.out.write_all(escaped.as_bytes())?,
            Cow::Borrowed(text) if !self.has_color => self.out.write_all(text.as_bytes())?,
            Cow::Borrowed(_) => {
                for Part { style, text } in parts {
                    let reset = if *style == Style::Plain { "" } else { RESET };
                    for it in [style.sequence(), text, reset] {
                        self.out.write_all(it.as_bytes())?;
                    }
                }
            }
        }
        self.blank()
    }
}

/// Escapes a line, and makes sure that it is not a workflow command.
fn harmless(line: &str) -> Cow<'_, str> {
    no_command(escape::line(line))
}

/// If an escaped line would be a workflow command, escapes its first colon as well.
fn no_command(line: Cow<'_, str>) -> Cow<'_, str> {
    match escape::workflow_command(&line) {
        Some(at) => Cow::Owned(format!("{}\\u{{3a}}{}", &line[..at], &line[at + 1..])),
        None => line,
    }
}

/// Prints a line to standard error. Ignores errors, because nothing may be reading it any longer.
pub fn tell(text: impl Display) {
    let mut line = harmless(&text.to_string()).into_owned();
    line.push('\n');
    let _ = io::stderr().lock().write_all(line.as_bytes());
}

/// Standard error as the output of a log. Each write is one event and becomes one line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Log;

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        tell(String::from_utf8_lossy(bytes).trim_end_matches('\n'));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::escape::{is_hidden, samples};

    fn printed(has_color: bool, parts: &[Part<'_>]) -> String {
        let mut out = Vec::new();
        Terminal::new(&mut out, has_color).parts(parts).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_line_stays_a_line() {
        let mut out = Vec::new();
        let mut terminal = Terminal::new(&mut out, false);
        terminal.line("a\n::error::b").unwrap();
        terminal.line("  ::error file=a::b").unwrap();
        terminal.line("  ::: b.yaml:1:1").unwrap();
        terminal.lines("one\n::two\u{1b}").unwrap();
        let expected = "a\\n::error::b\n  \\u{3a}:error file=a::b\n  ::: b.yaml:1:1\none\n\\u{3a}:two\\u{1b}\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn patches_keep_what_files_have() {
        let mut out = Vec::new();
        let patch = "--- a\n+++ a\n@@ -1 +1 @@\n-\ta\r\n+\tb\u{1b}\r\n \t::error::c\n";
        Terminal::new(&mut out, false).patch(patch).unwrap();
        let expected = "--- a\n+++ a\n@@ -1 +1 @@\n-\ta\r\n+\tb\\u{1b}\r\n \t\\u{3a}:error::c\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn columns_keep_tabs() {
        let mut out = Vec::new();
        let text = "a\t<b>\n  c\r\u{1b}\n\n\t::error::d\n";
        Terminal::new(&mut out, false).columns(text).unwrap();
        let expected = "a\t<b>\n  c\\r\\u{1b}\n\n\t\\u{3a}:error::d\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn styles_are_ours_alone() {
        let parts = [
            Part::new(Style::Error, "error"),
            Part::plain(": "),
            Part::new(Style::Bold, "what"),
        ];
        assert_eq!(printed(false, &parts), "error: what\n");
        assert_eq!(
            printed(true, &parts),
            "\u{1b}[1;91merror\u{1b}[0m: \u{1b}[1mwhat\u{1b}[0m\n"
        );
        assert_eq!(printed(true, &[Part::new(Style::Error, "a\u{1b}[0m")]), "a\\u{1b}[0m\n");
        let split = [Part::new(Style::Error, "##"), Part::plain("[error]")];
        assert_eq!(printed(true, &split), "##\\u{5b}error]\n");
    }

    #[test]
    fn random_text_is_one_line_and_no_command() {
        for text in samples::random(20_000) {
            let line = printed(false, &[Part::plain(&*text), Part::new(Style::Bold, &*text)]);
            let line = line.strip_suffix('\n').expect("a line");
            assert!(
                !line.contains(is_hidden) && !line.contains("##["),
                "{text:?} is printed as {line:?}"
            );
            assert!(escape::workflow_command(line).is_none(), "{line:?}");
        }
    }
}
