//! Renders a hover as Markdown, or as plain text for clients that do not support Markdown.

use crd_analyzer_syntax::tree::Span;

use crate::markdown::{block, cut, description, escape, shortened};

/// The content of a hover.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hover {
    /// The span that the hover explains.
    pub span: Span,
    /// The blocks of the hover, the most important first.
    pub blocks: Vec<Block>,
}

/// A part of a hover.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Block {
    /// Lines of code in a language (`cel`, `yaml`, `text`).
    Code(&'static str, String),
    /// Markdown that crd-analyzer wrote.
    Text(String),
    /// A description, or other text from a file.
    Quote(String),
    /// The items of a list, in Markdown that crd-analyzer wrote.
    List(Vec<String>),
    /// A horizontal line between two subjects.
    Line,
}

/// The maximum number of items of a list.
const MAX_ITEMS: usize = 100;

/// The maximum length of an item, in bytes. Longer items are cut and lose their markup.
const MAX_ITEM: usize = 3_000;

impl Hover {
    /// The hover as Markdown.
    pub fn markdown(&self) -> String {
        let blocks = self.blocks.iter().filter_map(|it| match it {
            Block::Code(language, text) => Some(block(language, text)),
            Block::Text(text) => Some(text.clone()),
            Block::Quote(text) => Some(description(text)),
            Block::List(items) if items.is_empty() => None,
            Block::List(items) => Some(list(items, item)),
            Block::Line => Some("---".to_owned()),
        });
        blocks.collect::<Vec<_>>().join("\n\n")
    }

    /// The hover as plain text.
    pub fn plain(&self) -> String {
        let blocks = self.blocks.iter().filter_map(|block| match block {
            Block::Code(_, text) => Some(cut(text).into_owned()),
            Block::Text(text) => Some(strip(text)),
            Block::Quote(text) => Some(cut(text).into_owned()),
            Block::List(items) if items.is_empty() => None,
            Block::List(items) => Some(list(items, |it| shortened(&strip(it), MAX_ITEM).into_owned())),
            Block::Line => Some("----".to_owned()),
        });
        blocks.collect::<Vec<_>>().join("\n\n")
    }
}

/// The items of a list, one per line.
fn list(items: &[String], show: impl Fn(&str) -> String) -> String {
    let shown = items.iter().take(MAX_ITEMS);
    let mut lines: Vec<_> = shown.map(|it| format!("- {}", show(it))).collect();
    if items.len() > MAX_ITEMS {
        lines.push(format!("- {} more", items.len() - MAX_ITEMS));
    }
    lines.join("\n")
}

/// An item of a list. An item that is too long loses its Markdown, because cutting it could remove a closing mark.
fn item(text: &str) -> String {
    if text.len() <= MAX_ITEM {
        return text.to_owned();
    }
    escape(&shortened(&strip(text), MAX_ITEM))
}

/// Removes the markup from Markdown that crd-analyzer wrote.
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
    fn marks_are_taken_off() {
        assert_eq!(strip("**a** `*b*` \\*c"), "a *b* *c");
    }

    #[test]
    fn what_is_long_is_cut() {
        let mut items = vec!["x".to_owned(); 100_000];
        items[..2 * MAX_ITEMS].fill("x".repeat(100_000));
        let hover = Hover {
            span: Span::default(),
            blocks: vec![
                Block::Code("cel", "é".repeat(100_000)),
                Block::Quote("*".repeat(100_000)),
                Block::List(items),
            ],
        };
        let most = 2 * (MAX_ITEMS + 4) * MAX_ITEM;
        assert!(hover.markdown().len() < most && hover.plain().len() < most);
        assert!(
            hover.plain().ends_with("- 99900 more"),
            "it says how many are not there"
        );
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
