//! Quotes and escapes inserted text for the YAML scalar around an expression.

use crd_analyzer_syntax::tree::{ScalarStyle, Span};

use super::super::{Context, Item, insert};
use crate::fixes::TextEdit;

/// The scalar that contains an expression.
pub(super) struct Quoting<'c, 'a> {
    context: &'c Context<'c, 'a>,
}

impl<'c, 'a> Quoting<'c, 'a> {
    pub(super) fn new(context: &'c Context<'c, 'a>) -> Self {
        Self { context }
    }

    /// The quote for CEL strings that needs no escape in this YAML scalar.
    pub(super) fn inner_quote(&self) -> char {
        match self.context.place.token.style {
            Some(ScalarStyle::SingleQuoted) => '"',
            _ => '\'',
        }
    }

    /// Escapes the text that an item inserts. If a plain scalar would no longer be valid, puts it in quotes.
    pub(super) fn apply(&self, item: &mut Item, replace: Span) {
        let token = &self.context.place.token;
        match token.style {
            Some(ScalarStyle::SingleQuoted) => self.rewrite(item, |it| it.replace('\'', "''")),
            Some(ScalarStyle::DoubleQuoted) => self.rewrite(item, insert::escape_double),
            Some(ScalarStyle::Plain) => self.plain(item, replace),
            None => self.absent(item),
            Some(ScalarStyle::Literal | ScalarStyle::Folded) => {}
        }
    }

    fn rewrite(&self, item: &mut Item, rewrite: impl Fn(&str) -> String) {
        item.text = rewrite(&item.text);
        item.filter = rewrite(&item.filter);
        item.snippet = item.snippet.as_deref().map(&rewrite);
        for edit in &mut item.edits {
            edit.new_text = rewrite(&edit.new_text);
        }
        let _ = self;
    }

    /// Whether a plain scalar cannot contain a text.
    fn breaks_plain(&self, text: &str) -> bool {
        let in_flow = self.context.place.is_flow;
        text.contains(": ") || text.contains(" #") || in_flow && text.contains([',', '[', ']', '{', '}'])
    }

    fn plain(&self, item: &mut Item, replace: Span) {
        let place = self.context.place;
        let span = place.token.span;
        let source = &place.tree.text()[span.range()];
        let begins = span.start == replace.start && item.edits.is_empty();
        let written = expanded(item.snippet.as_deref().unwrap_or(&item.text));
        let needs = self.breaks_plain(&written)
            || source.starts_with('!')
            || begins && written.starts_with(['\'', '"', '!', '[', '{', '-', '`', '&', '*']);
        if !needs || source.contains(['\n', '\r']) {
            return;
        }
        // Put the whole scalar in single quotes.
        self.rewrite(item, |it| it.replace('\'', "''"));
        let mut edits = vec![TextEdit {
            span: Span::new(span.start, span.start),
            new_text: "'".to_owned(),
        }];
        for (at, _) in source.match_indices('\'') {
            let at = span.start + at as u32;
            if at < replace.start || at >= replace.end {
                edits.push(TextEdit {
                    span: Span::new(at, at),
                    new_text: "'".to_owned(),
                });
            }
        }
        if replace.end < span.end {
            edits.push(TextEdit {
                span: Span::new(span.end, span.end),
                new_text: "'".to_owned(),
            });
        } else {
            item.text.push('\'');
            if let Some(snippet) = &mut item.snippet {
                snippet.push('\'');
            }
        }
        // Merge the edits that touch the item's own position into the item.
        edits.append(&mut item.edits);
        let (own, mut others): (Vec<_>, Vec<_>) = edits.into_iter().partition(|it| it.span.start == replace.start);
        let before: String = own.into_iter().map(|it| it.new_text).collect();
        if !before.is_empty() {
            item.text.insert_str(0, &before);
            if let Some(snippet) = &mut item.snippet {
                snippet.insert_str(0, &before);
            }
        }
        others.sort_by_key(|it| it.span.start);
        item.edits = others;
    }

    fn absent(&self, item: &mut Item) {
        let before = &self.context.place.tree.text()[..self.context.place.offset as usize];
        let blank = if before.ends_with(':') { " " } else { "" };
        let written = expanded(item.snippet.as_deref().unwrap_or(&item.text));
        let is_json = self.context.place.is_json();
        let needs = is_json || self.breaks_plain(&written) || written.starts_with(['\'', '"', '!', '[', '{', '`']);
        let wrap = |it: &String| {
            if is_json {
                format!("{blank}\"{}\"", insert::escape_double(it))
            } else if needs {
                format!("{blank}'{}'", it.replace('\'', "''"))
            } else {
                format!("{blank}{it}")
            }
        };
        for text in item.snippet.iter_mut().chain([&mut item.text]) {
            *text = wrap(text);
        }
    }
}

/// The text that an editor inserts for a snippet, with the placeholders' default values.
fn expanded(snippet: &str) -> String {
    let mut text = String::new();
    let mut rest = snippet;
    while let Some(at) = rest.find('$') {
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(inner) = rest.strip_prefix('{') {
            let end = inner.find('}').unwrap_or(inner.len());
            text.push_str(inner[..end].split_once(':').map_or("", |it| it.1));
            rest = inner.get(end + 1..).unwrap_or("");
        } else {
            rest = rest.trim_start_matches(|it: char| it.is_ascii_digit());
        }
    }
    text.push_str(rest);
    text
}
