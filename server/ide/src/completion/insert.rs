//! Formats keys and values that completion inserts at the cursor.

use std::borrow::Cow;

use crd_analyzer_syntax::tree::{ScalarStyle, Span};

use super::{Item, escape_snippet};
use crate::cursor_context::{CursorContext, Layout, Slot};

/// What completion inserts after a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    /// A value on the same line.
    Scalar,
    /// A quoted string on the same line.
    Text,
    /// An empty mapping, `{}`.
    Empty,
    /// A mapping.
    Mapping,
    /// A list of scalars.
    List,
    /// A list of mappings.
    ListOfMappings,
}

/// Writes text in the style of the YAML around the cursor.
pub(super) struct Writer<'p, 't> {
    pub(super) place: &'p CursorContext<'t>,
    layout: Layout,
    is_json: bool,
    /// The number of columns from the indentation of the cursor's line to the column of keys.
    column: usize,
}

impl<'p, 't> Writer<'p, 't> {
    pub(super) fn new(place: &'p CursorContext<'t>) -> Self {
        let text = place.tree.text();
        let start = text[..place.offset as usize].rfind(['\n', '\r']).map_or(0, |it| it + 1);
        let line = &text[start..];
        let own = line.len() - line.trim_start_matches([' ', '\t']).len();
        let token = place.token.span.start as usize;
        let written = (start + own).min(token);
        Self {
            place,
            layout: Layout::of(place.tree),
            is_json: place.is_json(),
            // A dash precedes the key on its line.
            column: token.saturating_sub(written),
        }
    }

    /// The span that an item replaces, and the part of it before the cursor.
    pub(super) fn spans(&self) -> (Span, Span) {
        let span = self.inner_span();
        let text = self.place.tree.text();
        let line_end = text[self.place.offset as usize..]
            .find(['\n', '\r'])
            .map_or(text.len(), |it| self.place.offset as usize + it) as u32;
        let line_start = text[..self.place.offset as usize]
            .rfind(['\n', '\r'])
            .map_or(0, |it| it + 1) as u32;
        let replace = Span::new(span.start.max(line_start), span.end.min(line_end));
        (replace, Span::new(replace.start, self.place.offset))
    }

    /// The part of the token that an item replaces. In a quoted string, the text between the quotes.
    fn inner_span(&self) -> Span {
        let token = &self.place.token;
        match token.style {
            Some(ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted) => {
                let end = if token.is_open {
                    token.span.end
                } else {
                    token.span.end - 1
                };
                let start = token.span.start + 1;
                // Without a closing quote, the token may extend over the text after it on the line.
                let end = if token.is_open { self.place.offset } else { end };
                Span::new(start.min(end), end)
            }
            _ => token.span,
        }
    }

    /// Whether text on the same line follows the cursor, so that inserted text would join it. A word alone on its line starts a key, even if YAML
    /// parses the lines below as part of the same value.
    pub(super) fn is_before_text(&self) -> bool {
        let is_value = matches!(self.place.slot, Slot::Value { .. });
        let (replaced, _) = self.spans();
        is_value && self.place.token.style.is_some() && self.place.offset < replaced.end
    }

    fn quote(&self) -> Option<char> {
        match self.place.token.style {
            Some(ScalarStyle::SingleQuoted) => Some('\''),
            Some(ScalarStyle::DoubleQuoted) => Some('"'),
            _ => None,
        }
    }

    /// Formats a string to replace the token at the cursor, which may already have quotes.
    fn text(&self, text: &str, is_string: bool) -> String {
        let close = if self.place.token.is_open { self.quote() } else { None };
        let mut written = match self.quote() {
            Some(quote) => in_quotes(text, quote),
            None if self.is_json && is_string => format!("\"{}\"", escape_double(text)),
            None if self.is_json => text.to_owned(),
            None if is_string && needs_quotes(text, self.place.is_flow) => format!("'{}'", text.replace('\'', "''")),
            None => text.to_owned(),
        };
        written.extend(close);
        written
    }

    /// Makes the text that editors filter by equal to the text inside the quotes.
    fn compare_as_typed(&self, item: &mut Item) {
        if let Some(quote) = self.quote() {
            item.filter = in_quotes(&item.filter, quote);
        }
    }

    /// Makes an item insert a key and the text after it.
    pub(super) fn key(&self, item: &mut Item, name: &str, shape: Shape) {
        let key = self.text(name, true);
        self.compare_as_typed(item);
        let has_colon = matches!(self.place.slot, Slot::Key { has_colon: true, .. });
        let dash = if matches!(self.place.slot, Slot::Dash { .. }) {
            "- "
        } else {
            ""
        };
        if has_colon {
            item.text = key;
            return;
        }
        let escaped = escape_snippet(&key);
        if self.place.is_flow {
            item.text = format!("{key}: ");
            let behind = match shape {
                Shape::Scalar => "$0",
                Shape::Text if self.is_json => "\"$0\"",
                Shape::Text => "$0",
                Shape::Empty => "{}$0",
                Shape::Mapping => "{$0}",
                Shape::List => "[$0]",
                Shape::ListOfMappings => "[{$0}]",
            };
            item.snippet = Some(format!("{escaped}: {behind}"));
            item.asks_again = matches!(shape, Shape::Scalar);
            return;
        }
        let column = self.column + dash.len();
        let nested = |columns: usize| " ".repeat(column + columns);
        let (behind, text_behind) = match shape {
            Shape::Scalar | Shape::Text => (" $0".to_owned(), " "),
            Shape::Empty => (" {}$0".to_owned(), " {}"),
            Shape::Mapping => (format!("\n{}$0", nested(self.layout.indent)), ""),
            Shape::List | Shape::ListOfMappings => (format!("\n{}- $0", nested(self.layout.list_indent)), ""),
        };
        item.text = format!("{dash}{key}:{text_behind}");
        item.snippet = Some(format!("{dash}{escaped}:{behind}"));
        item.asks_again = shape != Shape::Empty;
    }

    /// Makes an item insert a scalar. `is_string`: whether YAML must parse it as a string.
    pub(super) fn value(&self, item: &mut Item, text: &str, is_string: bool) {
        let written = self.text(text, is_string);
        self.compare_as_typed(item);
        let before = self.before_value();
        item.text = format!("{before}{written}");
    }

    /// The blank or dash to insert before a value.
    fn before_value(&self) -> &'static str {
        if matches!(self.place.slot, Slot::Dash { .. }) {
            return "- ";
        }
        let before = &self.place.tree.text()[..self.place.token.span.start as usize];
        if self.place.token.style.is_none() && before.ends_with(':') {
            " "
        } else {
            ""
        }
    }

    /// Whether an item can insert several lines at the cursor.
    pub(super) fn can_have_lines(&self) -> bool {
        !self.place.is_flow && self.quote().is_none()
    }

    /// Makes an item insert lines. The number of each line is its indentation relative to the keys around it.
    pub(super) fn lines(&self, item: &mut Item, lines: &[(usize, String)]) {
        let dash = if matches!(self.place.slot, Slot::Dash { .. }) {
            "- "
        } else {
            ""
        };
        // If the cursor is after a key, the lines start on the next line, below the key.
        let behind_key = matches!(self.place.slot, Slot::Value { on_own_line: false, .. });
        let base = if behind_key {
            self.key_column() + self.layout.indent
        } else {
            self.column + dash.len()
        };
        let mut written = String::new();
        for (number, (indent, line)) in lines.iter().enumerate() {
            if number > 0 || behind_key {
                written.push('\n');
                written.push_str(&" ".repeat(base + indent));
            } else {
                written.push_str(dash);
            }
            written.push_str(line);
        }
        item.snippet = Some(written);
    }

    /// The number of columns from the line's indentation to the key before the cursor.
    fn key_column(&self) -> usize {
        let text = self.place.tree.text();
        let before = &text[..self.place.offset as usize];
        let start = before.rfind(['\n', '\r']).map_or(0, |it| it + 1);
        let line = &before[start..];
        let content = line.trim_start_matches([' ', '\t']);
        content.len() - content.trim_start_matches(['-', ' ']).len()
    }

    /// The document's indentation style.
    pub(super) fn layout(&self) -> Layout {
        self.layout
    }
}

/// Escapes a string for the given quotes.
fn in_quotes(text: &str, quote: char) -> String {
    if quote == '"' {
        escape_double(text)
    } else {
        text.replace('\'', "''")
    }
}

/// Escapes a string for double quotes.
pub(super) fn escape_double(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '"' | '\\' => {
                escaped.push('\\');
                escaped.push(char);
            }
            '\n' => escaped.push_str("\\n"),
            '\t' => escaped.push_str("\\t"),
            '\r' => escaped.push_str("\\r"),
            _ => escaped.push(char),
        }
    }
    escaped
}

/// Formats a string as a scalar.
pub(super) fn scalar(text: &str) -> Cow<'_, str> {
    if text.contains(['\n', '\r', '\t']) {
        Cow::Owned(format!("\"{}\"", escape_double(text)))
    } else if needs_quotes(text, true) {
        Cow::Owned(format!("'{}'", text.replace('\'', "''")))
    } else {
        Cow::Borrowed(text)
    }
}

/// Whether YAML would not parse a string without quotes as the same string.
pub(super) fn needs_quotes(text: &str, in_flow: bool) -> bool {
    let Some(first) = text.chars().next() else { return true };
    let is_indicator = matches!(
        first,
        '!' | '&' | '*' | '?' | '|' | '>' | '@' | '`' | '%' | '#' | '\'' | '"' | '{' | '}' | '[' | ']' | ','
    );
    let is_lone = matches!(first, '-' | ':' | '?') && text[1..].chars().next().is_none_or(|it| it == ' ');
    is_indicator
        || is_lone
        || text.starts_with(' ')
        || text.ends_with([' ', ':'])
        || text.contains(": ")
        || text.contains(" #")
        || text.contains(['\n', '\r', '\t'])
        || in_flow && text.contains([',', '[', ']', '{', '}'])
        || !crd_analyzer_syntax::is_plain_text(text)
}
