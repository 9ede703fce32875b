//! Quick fixes for texts that are not YAML. They use only the text around the problem, because the tree of such a text is a guess.

use crd_analyzer_syntax::tree::{Span, Tree};

use super::{
    super::edits::{line_start, put},
    Repair,
};

/// The candidates for a problem at a place.
pub(super) fn repairs(tree: &Tree, problem: Span) -> Vec<Repair> {
    let text = tree.text();
    let start = line_start(text, problem.start as usize);
    let line = Line::at(text, start);
    let above = line.above(text);
    let found = [
        quote_tag(&line),
        quote_value(&line, problem),
        blank_after_colon(text, problem),
        above.as_ref().and_then(|it| indent_like(text, &line, it)),
        colon_after_key(&line),
        above.as_ref().and_then(colon_after_key),
    ];
    found.into_iter().flatten().collect()
}

/// A line of a text, without its line break.
struct Line<'t> {
    start: usize,
    text: &'t str,
}

impl<'t> Line<'t> {
    fn at(text: &'t str, start: usize) -> Self {
        let line = text[start..].lines().next().unwrap_or_default();
        Self { start, text: line }
    }

    /// The line above.
    fn above(&self, text: &'t str) -> Option<Self> {
        let before = text[..self.start].strip_suffix('\n')?;
        let end = before.strip_suffix('\r').unwrap_or(before).len();
        Some(Self::at(text, line_start(text, end)))
    }

    /// The column of the first key, after dashes.
    fn column(&self) -> usize {
        self.text.len() - self.text.trim_start_matches([' ', '-']).len()
    }

    /// The first key and the offset of its value in the line. `None` if the line has no key with a value.
    fn key(&self) -> Option<(&'t str, usize)> {
        let (key, rest) = self.text[self.column()..].split_once(": ")?;
        let value = rest.trim_start();
        let is_key = !key.is_empty() && !key.starts_with(['#', '"', '\'', '{', '[']);
        let has_value = !value.is_empty() && !value.starts_with('#');
        (is_key && has_value).then(|| (key, self.text.len() - value.len()))
    }

    /// The edit that replaces a part of the line from an offset up to a comment, the end of the line, or the end of the brackets around it.
    fn quoted(&self, from: usize) -> Option<Repair> {
        let written = self.text[from..].split(" #").next()?;
        let written = if depth(&self.text[..from]) > 0 {
            inside_brackets(written)
        } else {
            written
        };
        let written = written.trim_end();
        let quoted = format!("'{}'", written.replace('\'', "''"));
        let start = (self.start + from) as u32;
        let edit = put(Span::new(start, start + written.len() as u32), quoted);
        Some(Repair::new("Put the value in quotes", vec![edit]))
    }
}

/// The number of braces and brackets that a text leaves open.
fn depth(text: &str) -> isize {
    let sign = |it: char| match it {
        '{' | '[' => 1,
        '}' | ']' => -1,
        _ => 0,
    };
    text.chars().map(sign).sum()
}

/// The begin of a text up to a comma or a closing bracket that belongs to the brackets around the text.
fn inside_brackets(text: &str) -> &str {
    let mut depth = 0usize;
    for (at, sign) in text.char_indices() {
        match sign {
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ',' if depth == 0 => return &text[..at],
            '}' | ']' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    text
}

/// Quotes a value that starts with `!` and was meant as a string.
fn quote_tag(line: &Line<'_>) -> Option<Repair> {
    let value = line.text.find(": !")? + 2;
    let repair = line.quoted(value)?;
    // A negated call is CEL. A tag may be one of another program.
    let is_cel = line.text[value..].contains('(');
    Some(if is_cel { repair.safe() } else { repair })
}

/// Quotes a value that has a colon in it, or that begins with a character with which values without quotes cannot begin.
fn quote_value(line: &Line<'_>, problem: Span) -> Option<Repair> {
    let (_, value) = line.key()?;
    let is_in_value = problem.start as usize >= line.start + value;
    let is_text = !line.text[value..].starts_with(['"', '\'', '[', '{', '|', '>', '&', '*', '!']);
    (is_in_value && is_text).then(|| line.quoted(value))?
}

/// Writes the missing blank after a colon.
fn blank_after_colon(text: &str, problem: Span) -> Option<Repair> {
    let written = text.get(problem.range())?;
    let colon = written.find(':').filter(|it| *it > 0)?;
    let at = problem.start + colon as u32 + 1;
    let edit = put(Span::new(at, at), " ");
    Some(Repair::new("Write a space after the colon", vec![edit]))
}

/// Indents a key and the lines below it like the key on the line above.
fn indent_like(text: &str, line: &Line<'_>, above: &Line<'_>) -> Option<Repair> {
    let (other, _) = above.key()?;
    let key = line.text.trim_start().split_once(':')?.0;
    let (column, wanted) = (line.column(), above.column());
    if column <= wanted || line.text.trim_start().starts_with(['-', '#']) {
        return None;
    }
    let mut end = line.start;
    let mut new_text = String::new();
    for it in text[line.start..].split_inclusive('\n') {
        let deeper = it.len() - it.trim_start_matches(' ').len();
        let is_blank = it.trim().is_empty();
        if !is_blank && (deeper < column || it.starts_with("---")) {
            break;
        }
        let removed = if is_blank { 0 } else { column - wanted };
        new_text.push_str(&it[removed..]);
        end += it.len();
    }
    let edit = put(Span::new(line.start as u32, end as u32), new_text);
    Some(Repair::new(format!("Indent {key} like {other}"), vec![edit]))
}

/// Writes the missing colon after the first word of a line.
fn colon_after_key(line: &Line<'_>) -> Option<Repair> {
    let written = line.text[line.column()..].trim_end();
    let key = written.split(' ').next().filter(|it| !it.is_empty())?;
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    if written.contains(": ") || !key.chars().all(is_word) {
        return None;
    }
    let at = (line.start + line.column() + key.len()) as u32;
    let edit = put(Span::new(at, at), ":");
    Some(Repair::new(format!("Write a colon after {key}"), vec![edit]))
}
