//! The lines of a template, and the lines around a position in the filled-in text. Each line is scanned only once.

use std::ops::Range;

use super::actions::{Action, Kind, commands};

/// The lines of a template.
pub(super) struct Lines {
    all: Vec<Line>,
    /// The offsets of lines that start an object, such as the line with its kind, in order.
    heads: Vec<usize>,
    /// The offsets of lines that separate documents, in order.
    separators: Vec<usize>,
}

/// A line, without its line break.
struct Line {
    range: Range<usize>,
    /// The part of the line that is not blank, without comments of the template before and after it.
    written: Range<usize>,
}

impl Lines {
    pub(super) fn of(text: &str, actions: &[Action]) -> Self {
        let mut all = Vec::new();
        let mut heads = Vec::new();
        let mut separators = Vec::new();
        let mut start = 0;
        for line in text.split('\n') {
            let written = start + line.len() - line.trim_start().len();
            all.push(Line {
                range: start..start + line.len(),
                written: written..written + line.trim().len(),
            });
            if line.starts_with("apiVersion:") || line.starts_with("kind:") {
                heads.push(start);
            } else if line.starts_with("---") {
                separators.push(start);
            }
            start += line.len() + 1;
        }
        let mut lines = Self { all, heads, separators };
        lines.leave_out_comments(text, actions);
        lines
    }

    /// Shortens the written parts of lines by the actions at their start and end that print nothing, such as the comment in
    /// `{{ end }}{{/* of the list */}}`. A line with only such actions keeps them.
    fn leave_out_comments(&mut self, text: &str, actions: &[Action]) {
        let leaves_lines = |it: &&Action| it.kind == Kind::Nothing && !it.trims_after(text);
        for action in actions.iter().filter(leaves_lines) {
            let last = self.at(action.span.end);
            let written = &mut self.all[last].written;
            let rest = text[action.span.end.min(written.end)..written.end].trim_start().len();
            if action.span.start <= written.start && rest > 0 {
                written.start = written.end - rest;
            }
        }
        for action in actions.iter().rev().filter(leaves_lines) {
            let first = self.at(action.span.start);
            let written = &mut self.all[first].written;
            let rest = text[written.start..action.span.start.max(written.start)]
                .trim_end()
                .len();
            if written.end <= action.span.end && rest > 0 {
                written.end = written.start + rest;
            }
        }
    }

    /// The index of the line that contains an offset.
    fn at(&self, offset: usize) -> usize {
        self.all.partition_point(|it| it.range.end < offset)
    }

    /// Extends a range to whole lines, without the last line break.
    pub(super) fn around(&self, range: &Range<usize>) -> Range<usize> {
        self.all[self.at(range.start)].range.start..self.all[self.at(range.end)].range.end
    }

    /// Whether the lines that a range touches contain only the range and blanks.
    pub(super) fn is_alone(&self, range: &Range<usize>) -> bool {
        let (first, last) = (&self.all[self.at(range.start)], &self.all[self.at(range.end)]);
        range.start <= first.written.start && last.written.end <= range.end
    }

    /// The range of a value that an action prints. If the action starts a new line directly after a colon or the dash of an item, as in
    /// `a:{{ .b | nindent 2 }}`, the range lacks the first character, because YAML needs a blank there if both are in one line.
    pub(super) fn without_break(&self, text: &str, action: &Action) -> Range<usize> {
        let range = action.span.clone();
        let line = &self.all[self.at(range.start)];
        let before = &text[line.written.start.min(range.start)..range.start];
        let is_item = before.ends_with('-') && before.trim_start_matches(['-', ' ']).is_empty();
        if (before.ends_with(':') || is_item) && starts_line(action.code(text)) {
            range.start + 1..range.end
        } else {
            range
        }
    }

    /// Whether a range of a line is the value of a key or an item, written without quotes.
    pub(super) fn is_value(&self, text: &str, range: &Range<usize>) -> bool {
        let line = &self.all[self.at(range.start)];
        text[line.range.start..range.start].ends_with(' ') && self.is_after_key(text, range)
    }

    /// Whether a range of a line has all of the line after a key or the dash of an item, except a comment.
    fn is_after_key(&self, text: &str, range: &Range<usize>) -> bool {
        let (first, last) = (self.at(range.start), self.at(range.end));
        let line = &self.all[first];
        let before = &text[line.range.start..range.start];
        let after = text[range.end..self.all[last].written.end.max(range.end)].trim_start();
        let written = before.trim_start_matches([' ', '-']);
        let is_key = |it: &str| {
            it.strip_suffix(':')
                .is_some_and(|it| !it.contains(['{', ':', '"', '\'', '[', '#']))
        };
        first == last
            && (written.is_empty() && before.contains('-') || is_key(written.trim_end()))
            && (after.is_empty() || after.starts_with('#'))
    }

    /// The column of the key whose value is in a range of a line, or of the last dash if the value is an item. `None` if the range is not a value. The
    /// range may lack the first character of the action, see [`Self::without_break`].
    pub(super) fn key_column(&self, text: &str, range: &Range<usize>) -> Option<usize> {
        let start = range.start - usize::from(text[..range.start].ends_with('{'));
        if !self.is_after_key(text, &(start..range.end)) {
            return None;
        }
        let written = text[self.all[self.at(start)].range.start..start].trim_end();
        let indent = indent(written);
        Some(indent + depth_of_key(&written[indent..]))
    }

    /// The number of lines before an offset that separate documents.
    pub(super) fn document(&self, offset: usize) -> usize {
        self.separators.partition_point(|it| *it < offset)
    }

    /// The document that contains an offset, from its separator to the next one.
    pub(super) fn document_around(&self, offset: usize) -> Range<usize> {
        let next = self.separators.partition_point(|it| *it <= offset);
        let start = next.checked_sub(1).map_or(0, |it| self.separators[it]);
        let end = self.all.last().map_or(0, |it| it.range.end);
        start..self.separators.get(next).copied().unwrap_or(end)
    }

    /// Whether a range contains a line that starts an object.
    pub(super) fn has_head(&self, range: Range<usize>) -> bool {
        let first = self.heads.partition_point(|it| *it < range.start);
        self.heads.get(first).is_some_and(|it| *it < range.end)
    }

    /// The shapes of the lines around each line, taken from the part of the text that is already filled in.
    pub(super) fn around_of<'l>(&'l self, made: &[u8], filler: &'l str) -> Around<'l> {
        let mut after = Vec::with_capacity(self.all.len());
        let mut next = None;
        for line in self.all.iter().rev() {
            next = Shape::of(made, line).or(next);
            after.push(next);
        }
        after.reverse();
        Around {
            lines: &self.all,
            after,
            before: Vec::new(),
            seen: 0,
            filler,
        }
    }
}

/// The relevant properties of a line that is neither blank nor only a comment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// The number of leading blanks.
    pub(super) indent: usize,
    pub(super) is_separator: bool,
    pub(super) is_item: bool,
    /// Whether the line ends with a colon or a dash, so that its value is on the lines below.
    pub(super) awaits_value: bool,
    /// Whether the line is a filled-in value.
    pub(super) is_filled: bool,
    /// If the line ends with the header of a block scalar: the scalar's text must be indented deeper than this column.
    begins_text: Option<usize>,
    /// Whether the line belongs to the text of a block scalar.
    is_text: bool,
    /// If the line ends with a key whose value is on the lines below: the key's column.
    awaiting_key: Option<usize>,
    /// Whether the line is an item of a list that begins at the column of the list's key.
    pub(super) is_at_key: bool,
}

impl Shape {
    fn of(made: &[u8], line: &Line) -> Option<Self> {
        Self::of_line(std::str::from_utf8(&made[line.range.clone()]).ok()?)
    }

    pub(super) fn of_line(line: &str) -> Option<Self> {
        let written = without_comment(line.trim());
        (!written.is_empty()).then(|| Self {
            indent: indent(line),
            is_separator: line.starts_with("---"),
            is_item: written.starts_with("- ") || written == "-",
            awaits_value: written.ends_with(':') || written == "-",
            is_filled: false,
            begins_text: begins_text(written).then(|| indent(line) + depth_of_key(written)),
            is_text: false,
            awaiting_key: written.ends_with(':').then(|| indent(line) + depth_of_key(written)),
            is_at_key: false,
        })
    }

    /// If the line ends with the header of a block scalar: the column than which the scalar's text must be indented deeper.
    pub(super) fn text_column(self) -> Option<usize> {
        self.begins_text
    }

    /// Whether the next line belongs to the text of a block scalar if it starts at `column`, which is at least this line's column.
    pub(super) fn is_text_at(self, column: usize) -> bool {
        self.is_text || self.begins_text.is_some_and(|it| it < column)
    }
}

/// Whether an action prints a line break first.
fn starts_line(code: &str) -> bool {
    let last = commands(code).and_then(|it| it.last().copied());
    last.is_some_and(|it| it.starts_with("nindent "))
}

/// A line without its comment.
fn without_comment(written: &str) -> &str {
    if written.starts_with('#') {
        return "";
    }
    match written.split_once(" #") {
        // The number sign may be in quotes, and then starts no comment.
        Some((before, _)) if !before.contains(['"', '\'']) => before.trim_end(),
        _ => written,
    }
}

/// The column of the last key in a line. In `- - a: |`, this is the column of `a`. If an item has no key, as in `- - |`, it is the column of the last
/// dash.
fn depth_of_key(written: &str) -> usize {
    let mut depth = 0;
    while let Some(item) = written[depth..].strip_prefix("- ") {
        if item.starts_with(['|', '>']) {
            break;
        }
        depth += 2;
    }
    depth
}

/// Whether a line ends with the header of a block scalar, as in `a: |` or `- >-2`.
fn begins_text(written: &str) -> bool {
    let header = written.trim_end_matches(|it: char| it.is_ascii_digit() || "+-".contains(it));
    let before = header.strip_suffix(['|', '>']);
    before.is_some_and(|it| it.ends_with(": ") || it.ends_with("- "))
}

/// The lines around a position that only moves forward.
pub(super) struct Around<'l> {
    lines: &'l [Line],
    /// The shape of each line. A blank line has the shape of the next line that is not blank. Filled-in text is not included.
    after: Vec<Option<Shape>>,
    /// The lines above the position, each indented deeper than the one before it. Other lines do not matter.
    before: Vec<Shape>,
    /// The number of lines above the position.
    seen: usize,
    /// The text with which filled-in values start.
    filler: &'l str,
}

impl Around<'_> {
    /// Moves the position to the start of a line.
    pub(super) fn advance(&mut self, made: &[u8], place: usize) {
        while let Some(line) = self.lines.get(self.seen).filter(|it| it.range.start < place) {
            if let Some(mut shape) = Shape::of(made, line) {
                while let Some(above) = self.before.pop_if(|it| it.indent >= shape.indent) {
                    let is_key = !above.is_item && above.awaits_value;
                    shape.is_at_key |= shape.is_item && above.indent == shape.indent && (is_key || above.is_at_key);
                }
                let written = made[line.range.clone()].trim_ascii();
                shape.is_filled = written == self.filler.as_bytes();
                if let Some(above) = self.before.last_mut() {
                    // The key of the list is the first one of an item, as in `- a:`.
                    let is_below = above.awaits_value && above.awaiting_key == Some(shape.indent);
                    shape.is_at_key |= shape.is_item && is_below;
                    shape.is_text = above.is_text_at(shape.indent);
                    above.awaits_value = false;
                }
                self.before.push(shape);
            }
            self.seen += 1;
        }
    }

    /// The nearest line above that starts at or before a column.
    pub(super) fn before(&self, column: usize) -> Option<Shape> {
        let found = self.before.partition_point(|it| it.indent <= column);
        found.checked_sub(1).map(|it| self.before[it])
    }

    /// The next line that starts after an offset.
    pub(super) fn after(&self, end: usize) -> Option<Shape> {
        let line = self.lines.partition_point(|it| it.range.end < end);
        self.after.get(line + 1).copied().flatten()
    }
}

pub(super) fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}
