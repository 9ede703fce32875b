//! Markdown for hovers and documentation.
//!
//! Descriptions, names and values come from untrusted files, and editors act on Markdown: they load images and follow links, some of them to
//! commands. So untrusted text is either escaped, or rewritten with only the markup that a description needs.

mod inline;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

/// The maximum number of bytes of a description from a file. Longer ones are cut, because a hover should be short.
const MOST_OF_A_DESCRIPTION: usize = 4_000;

/// The maximum length of inline code.
const MOST_OF_CODE: usize = 200;

/// The maximum length of a code block.
const MOST_OF_A_BLOCK: usize = 2_000;

/// The documentation of a completion item.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Documentation {
    /// Markdown that crd-analyzer wrote.
    Ours(Cow<'static, str>),
    /// Text from a file, such as a description.
    Theirs(String),
}

/// The conversion exists only for text that is part of the program, because that text is trusted.
impl From<&'static str> for Documentation {
    fn from(text: &'static str) -> Self {
        Self::Ours(text.into())
    }
}

impl Documentation {
    /// The documentation as Markdown.
    pub fn markdown(&self) -> Cow<'_, str> {
        match self {
            Self::Ours(text) => Cow::Borrowed(text),
            Self::Theirs(text) => Cow::Owned(description(text)),
        }
    }

    /// The documentation as plain text, for clients that do not support Markdown.
    pub fn plain(&self) -> String {
        match self {
            Self::Ours(text) => {
                let lines = text.lines().filter(|it| !it.starts_with("```"));
                lines
                    .map(|it| it.replace(['`', '*'], ""))
                    .collect::<Vec<_>>()
                    .join("\n")
            }
            Self::Theirs(text) => cut(text).into_owned(),
        }
    }
}

/// The start of a text, if it is long.
pub(crate) fn cut(text: &str) -> Cow<'_, str> {
    shortened(text.trim_end(), MOST_OF_A_DESCRIPTION)
}

/// A text, shortened to the given number of characters.
pub(crate) fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((at, _)) => Cow::Owned(format!("{}…", &text[..at])),
        None => Cow::Borrowed(text),
    }
}

fn longest_run(text: &str, of: char) -> usize {
    text.split(|c| c != of).map(str::len).max().unwrap_or(0)
}

/// Any text as inline code. Cuts long text.
pub(crate) fn code(text: &str) -> String {
    whole_code(&shortened(text, MOST_OF_CODE))
}

/// Any text as inline code.
pub fn whole_code(text: &str) -> String {
    // A line break would end the paragraph, and with it the code.
    let text = text.replace(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'), " ");
    let text = if text.trim().is_empty() { "\u{a0}" } else { &*text };
    let fence = "`".repeat(longest_run(text, '`') + 1);
    let is_padded = text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']);
    let pad = if is_padded { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Any text as a code block. Cuts long text. `language` comes from crd-analyzer.
pub(crate) fn block(language: &str, text: &str) -> String {
    whole_block(language, &shortened(text, MOST_OF_A_BLOCK))
}

/// Any text as a code block. `language` comes from crd-analyzer.
pub fn whole_block(language: &str, text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace(['\r', '\u{2028}', '\u{2029}'], "\n");
    let fence = "`".repeat(longest_run(&text, '`').max(2) + 1);
    format!("{fence}{language}\n{text}\n{fence}")
}

/// Escapes a text on one line, so that Markdown shows it literally.
pub fn escape(text: &str) -> String {
    let text = text.replace(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'), " ");
    let mut out = String::with_capacity(text.len() + 16);
    let mut at = 0;
    while at < text.len() {
        at += inline::push(&mut out, &text, at);
    }
    out
}

/// The start of a description as Markdown, see [`whole_description`].
pub(crate) fn description(text: &str) -> String {
    whole_description(&cut(text))
}

/// A description as Markdown. Paragraphs, lists, headings, code, emphasis and web links are kept; everything else is shown
/// literally.
pub fn whole_description(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut lines = text.lines().map(|it| it.replace('\t', "    ")).peekable();
    let mut above = Above::Nothing;
    while let Some(line) = lines.next() {
        let line = line.trim_end();
        let written = line.trim_start();
        let indent = line.len() - written.len();
        if written.is_empty() {
            above = if matches!(above, Above::List) {
                Above::ListAndNothing
            } else {
                Above::Nothing
            };
            if !out.is_empty() && !out.ends_with("\n\n") {
                out.push('\n');
            }
        } else if let Some(fence) = opening_fence(written) {
            let content = std::iter::from_fn(|| lines.next_if(|it| !closes(it, fence)));
            let content: Vec<String> = content.map(|it| without_indent(&it, indent)).collect();
            lines.next();
            code_block(&mut out, &content.join("\n"));
            above = Above::Nothing;
        } else if indent >= 4 && matches!(above, Above::Nothing) {
            let more = std::iter::from_fn(|| lines.next_if(|it| it.starts_with("    ")));
            let content: Vec<String> = [line.to_owned()]
                .into_iter()
                .chain(more)
                .map(|it| without_indent(&it, 4))
                .collect();
            code_block(&mut out, &content.join("\n"));
            above = Above::Nothing;
        } else {
            let (marker, rest) = marker(written);
            let is_in_list = matches!(above, Above::List | Above::ListAndNothing);
            let indent = if is_in_list { indent.min(8) } else { 0 };
            out.push_str(&" ".repeat(indent));
            out.push_str(&marker);
            out.push_str(&inline::line(rest));
            above = match above {
                _ if !marker.is_empty() && !marker.starts_with('#') => Above::List,
                Above::List => Above::List,
                _ => Above::Text,
            };
            // Two blanks at the end of a line keep the line break.
            out.push_str(if lines.peek().is_some_and(|it| !it.trim().is_empty()) {
                "  \n"
            } else {
                "\n"
            });
        }
    }
    out.trim_matches('\n').trim_end().to_owned()
}

/// The kind of the previous line.
#[derive(Clone, Copy)]
enum Above {
    /// An empty line, or the start of the text.
    Nothing,
    /// Text of a paragraph.
    Text,
    /// An item of a list, or its continuation.
    List,
    /// An empty line after a list item.
    ListAndNothing,
}

/// The fence that opens a code block: its character, and how often it is repeated.
fn opening_fence(line: &str) -> Option<(char, usize)> {
    let fence = ['`', '~']
        .into_iter()
        .find(|it| line.starts_with(&it.to_string().repeat(3)))?;
    let count = line.chars().take_while(|it| *it == fence).count();
    // If backticks are followed by other backticks on the line, they are inline code and not a fence.
    (fence == '~' || !line[count..].contains('`')).then_some((fence, count))
}

fn closes(line: &str, (fence, count): (char, usize)) -> bool {
    let line = line.trim();
    line.len() >= count && line.chars().all(|it| it == fence)
}

fn without_indent(line: &str, most: usize) -> String {
    let indent = line.len() - line.trim_start_matches(' ').len();
    line[indent.min(most)..].to_owned()
}

fn code_block(out: &mut String, content: &str) {
    if !out.is_empty() && !out.ends_with("\n\n") {
        let end = if out.ends_with('\n') { "\n" } else { "\n\n" };
        out.push_str(end);
    }
    out.push_str(&block("text", content));
    out.push_str("\n\n");
}

/// The marker of a list item or heading, rewritten, and the rest of the line.
fn marker(line: &str) -> (String, &str) {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let mark = match line.as_bytes()[digits..].first() {
        Some(b'-' | b'*' | b'+') if digits == 0 => 1,
        Some(b'.' | b')') if (1..10).contains(&digits) => digits + 1,
        Some(b'#') if digits == 0 => line.bytes().take_while(|it| *it == b'#').count(),
        _ => 0,
    };
    let (mark, rest) = line.split_at(mark);
    if mark.is_empty() || mark.len() > 10 || mark.starts_with('#') && mark.len() > 6 || !rest.starts_with(' ') {
        return (String::new(), line);
    }
    let mark = if mark.len() == 1 && !mark.starts_with('#') {
        "-"
    } else {
        mark
    };
    (format!("{mark} "), rest.trim_start())
}
