//! A hover as Markdown, and as plain text for clients that show no other.

use crd_analyzer_syntax::tree::Span;

/// What is shown about a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hover {
    /// What it is about.
    pub span: Span,
    /// What is said, the most important first.
    pub blocks: Vec<Block>,
}

/// A part of a hover.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Block {
    /// Lines of code in a language (`cel`, `yaml`, `text`).
    Code(&'static str, String),
    /// Markdown of ours.
    Text(String),
    /// Text of somebody else, shown as it is.
    Quote(String),
    /// Markdown of ours, as a list.
    List(Vec<String>),
    /// A line between what is about different things.
    Line,
}

/// Longer texts of others are cut: a hover is no place to read a manual.
const MAX_QUOTE: usize = 4_000;

impl Hover {
    /// As Markdown.
    pub fn markdown(&self) -> String {
        let blocks = self.blocks.iter().filter_map(|block| match block {
            Block::Code(language, text) => {
                let fence = "`".repeat(longest_run(text, '`').max(2) + 1);
                Some(format!("{fence}{language}\n{text}\n{fence}"))
            }
            Block::Text(text) => Some(text.clone()),
            Block::Quote(text) => Some(escape(&cut(text))),
            Block::List(items) if items.is_empty() => None,
            Block::List(items) => Some(items.iter().map(|it| format!("- {it}")).collect::<Vec<_>>().join("\n")),
            Block::Line => Some("---".to_owned()),
        });
        blocks.collect::<Vec<_>>().join("\n\n")
    }

    /// As plain text.
    pub fn plain(&self) -> String {
        let blocks = self.blocks.iter().filter_map(|block| match block {
            Block::Code(_, text) => Some(text.clone()),
            Block::Text(text) => Some(strip(text)),
            Block::Quote(text) => Some(cut(text)),
            Block::List(items) if items.is_empty() => None,
            Block::List(items) => Some(
                items
                    .iter()
                    .map(|it| format!("- {}", strip(it)))
                    .collect::<Vec<_>>()
                    .join("\n"),
            ),
            Block::Line => Some("----".to_owned()),
        });
        blocks.collect::<Vec<_>>().join("\n\n")
    }
}

fn longest_run(text: &str, of: char) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == of { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTE) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.trim_end().to_owned(),
    }
}

/// A text of somebody else as Markdown: what would be markup is shown, code in backticks stays code.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 16);
    for line in text.lines() {
        let mut in_code = false;
        let is_balanced = line.matches('`').count().is_multiple_of(2);
        for (at, c) in line.char_indices() {
            match c {
                '`' if is_balanced => in_code = !in_code,
                '`' | '\\' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~' if !in_code => escaped.push('\\'),
                '-' | '+' if at == 0 => {}
                _ => {}
            }
            escaped.push(c);
        }
        // Two blanks keep the line's end.
        escaped.push_str("  \n");
    }
    escaped.trim_end().to_owned()
}

/// Code in Markdown, whatever is in it.
pub(crate) fn code(text: &str) -> String {
    let fence = "`".repeat(longest_run(text, '`') + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Markdown of ours without its marks.
fn strip(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut in_code = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '`' => in_code = !in_code,
            '*' if !in_code => {
                if chars.peek() == Some(&'*') {
                    chars.next();
                }
            }
            '\\' if !in_code => plain.extend(chars.next()),
            c => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_words_are_shown_as_they_are() {
        assert_eq!(escape("a *b* `c_*` <d>\n# e"), "a \\*b\\* `c_*` \\<d\\>  \n\\# e");
        assert_eq!(escape("one ` tick_"), "one \\` tick\\_");
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(strip("**a** `*b*` \\*c"), "a *b* *c");
    }

    #[test]
    fn code_with_fences_stays_code() {
        let hover = Hover {
            span: Span::default(),
            blocks: vec![Block::Code("cel", "a ``` b".to_owned()), Block::List(Vec::new())],
        };
        assert_eq!(hover.markdown(), "````cel\na ``` b\n````");
        assert_eq!(hover.plain(), "a ``` b");
    }
}
