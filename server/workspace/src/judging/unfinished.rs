//! Removes unfinished entries from a text while the user types, so that the rest of the document can be parsed.
//!
//! Removed entries are replaced with blanks, so that all offsets and lines stay the same.

use std::{ops::Range, sync::Arc};

use crd_analyzer_syntax::{reader::ReadError, split::Document};

use crate::documents::text::Text;

/// The maximum number of entries to remove from a document: the entry at the cursor, and others that the user left unfinished.
const MAX_ENTRIES: usize = 4;

/// The maximum number of bytes to parse for finding out which entries to remove.
const MAX_PARSED: usize = 32 << 20;

/// A text without its unfinished entries.
pub(crate) struct Readable {
    pub(crate) text: Text,
    /// The parse error of the original text.
    pub(crate) error: ReadError,
}

/// The text without the entries that make it impossible to parse the document at the cursor. `None` if the document can be parsed, or if no such
/// entries are found.
pub(crate) fn readable(source: &Text, cursor: u32) -> Option<Readable> {
    let holds_cursor = |it: &&Document| it.span.start <= cursor && cursor <= it.span.end;
    let document = *source.documents().documents.iter().find(holds_cursor)?;
    let error = source.check(document).err()?;
    let mut search = Search {
        source,
        document,
        parsed: 0,
        text: source.content.to_string(),
    };
    let text = search.run(cursor as usize, error.span.start as usize)?;
    Some(Readable { text, error })
}

/// The line that contains an offset, without its line break.
pub(crate) fn line_at(text: &str, offset: usize) -> Range<usize> {
    let offset = offset.min(text.len());
    let is_break = |it: u8| it == b'\n' || it == b'\r';
    let bytes = text.as_bytes();
    let start = bytes[..offset]
        .iter()
        .rposition(|it| is_break(*it))
        .map_or(0, |it| it + 1);
    let end = bytes[offset..]
        .iter()
        .position(|it| is_break(*it))
        .map_or(text.len(), |it| offset + it);
    start..end
}

/// The lines of the objects and lists that contain a line, and the first line of its document.
pub(crate) fn lines_of_parents(text: &str, line: &Range<usize>) -> Vec<Range<usize>> {
    let depth = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let is_item = |line: &str| line.trim_start().starts_with("- ");
    let (mut found, mut first) = (Vec::new(), None);
    let mut own = &text[line.clone()];
    let mut at = line.start;
    while at > 0 {
        let line = line_at(text, at - 1);
        at = line.start;
        let written = &text[line.clone()];
        if written.starts_with("---") {
            break;
        }
        if written.trim().is_empty() || written.trim_start().starts_with('#') {
            continue;
        }
        first = Some(line.clone());
        // The items of a list may start at the column of its key.
        let is_list_key = is_item(own) && !is_item(written) && depth(written) == depth(own);
        if depth(written) < depth(own) || is_list_key {
            own = written;
            found.push(line);
        }
    }
    found.extend(first);
    found
}

/// The start of the nearest line above that is less indented than the cursor's line, if that line opens a quoted string that may continue on the
/// cursor's line.
fn line_around(text: &str, cursor: usize) -> Option<usize> {
    let depth = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let mut line = line_at(text, cursor);
    let own = &text[line.clone()];
    // The cursor's indentation on a blank line shows how deep the text will be, so the blank line may continue the line above.
    let mut own = Some(depth(own)).filter(|_| !own.trim().is_empty());
    while line.start > 0 {
        line = line_at(text, line.start - 1);
        let written = &text[line.clone()];
        if written.trim().is_empty() || own.is_some_and(|own| depth(written) >= own) {
            continue;
        }
        if [": '", ": \"", "- '", "- \""].iter().any(|it| written.contains(it)) {
            return Some(line.start);
        }
        // A line that opens no quoted string is a complete entry, or continues a string that was opened above it.
        if own.replace(depth(written)).is_some() {
            return None;
        }
    }
    None
}

/// The ranges that could be removed at a line, smallest first: the value of the line (all lines of a quoted string), the text after its dash, the
/// line, and the line with the more indented lines below it.
pub(crate) fn candidates(text: &str, line: &Range<usize>) -> Vec<Range<usize>> {
    let written = &text[line.clone()];
    let trimmed = written.trim_end();
    let indent = trimmed.len() - trimmed.trim_start().len();
    if trimmed.len() == indent {
        return Vec::new();
    }
    let end = line.start + trimmed.len();
    let below = end_of_block(text, line.end, indent);
    let mut found = Vec::new();
    let mut content = indent;
    while trimmed[content..].starts_with("- ") {
        content += 2 + trimmed[content + 2..].len() - trimmed[content + 2..].trim_start().len();
    }
    if let Some(colon) = end_of_key(&trimmed[content..]) {
        let value = content + colon;
        let value = value + trimmed[value..].len() - trimmed[value..].trim_start().len();
        if value < trimmed.len() {
            found.push(line.start + value..end);
            if below > line.end && trimmed[value..].starts_with(['"', '\'']) {
                found.push(line.start + value..below);
            }
        }
    }
    if content > indent {
        found.push(line.start + content..end);
    }
    found.push(line.start + indent..end);
    if below > line.end {
        found.push(line.start + indent..below);
    }
    found
}

/// The offset of the value, if the line starts with a key.
fn end_of_key(line: &str) -> Option<usize> {
    let quoted = line.chars().next().filter(|it| matches!(it, '"' | '\''));
    let from = match quoted {
        Some(quote) => 2 + line[1..].find(quote)?,
        None => 0,
    };
    let rest = &line[from..];
    let colon = rest
        .match_indices(':')
        .map(|(at, _)| at)
        .find(|at| rest[at + 1..].is_empty() || rest[at + 1..].starts_with([' ', '\t']))?;
    // The colon may be part of a comment, a flow collection or a quoted string.
    (!rest[..colon].contains(['#', '"', '\'', '{', '['])).then_some(from + colon + 1)
}

/// The action of a template, such as `{{ .Values.a }}`, that starts before the cursor on its line: up to its `}}`, or up to the end of the line.
pub(crate) fn action_at(text: &str, cursor: usize) -> Option<Range<usize>> {
    let line = line_at(text, cursor);
    let start = line.start + text.get(line.start..cursor)?.rfind("{{")?;
    let inside = &text[start + 2..line.end];
    let closed = inside.find("}}").map(|it| it + 2);
    let length = closed.into_iter().chain(inside.find("{{")).min();
    Some(start..start + 2 + length.unwrap_or(inside.len()))
}

/// The end of the lines below that are indented deeper.
fn end_of_block(text: &str, line_end: usize, indent: usize) -> usize {
    let (mut at, mut end) = (line_end, line_end);
    while at < text.len() {
        let start = at + 1;
        let line = line_at(text, start.min(text.len()));
        let written = &text[line.clone()];
        let depth = written.len() - written.trim_start_matches(' ').len();
        if !written.trim().is_empty() {
            if depth <= indent {
                break;
            }
            end = line.end;
        }
        if line.end <= at {
            break;
        }
        at = line.end;
    }
    end
}

/// The text after replacing a range with blanks, except for line breaks.
pub(crate) fn blanked(text: &str, range: &Range<usize>) -> String {
    let mut blank = String::with_capacity(text.len());
    blank.push_str(&text[..range.start]);
    let bytes = text[range.clone()].bytes();
    blank.extend(bytes.map(|it| {
        if matches!(it, b'\n' | b'\r') {
            char::from(it)
        } else {
            ' '
        }
    }));
    blank.push_str(&text[range.end..]);
    blank
}

/// How far the parser can read a text.
enum Read {
    /// The parser can read the whole document.
    Whole(Box<Text>),
    /// The parser stops at this byte.
    Until(usize),
    /// The limit [`MAX_PARSED`] is reached.
    TooMuch,
}

struct Search<'a> {
    /// The original text.
    source: &'a Text,
    document: Document,
    /// The number of bytes parsed so far.
    parsed: usize,
    text: String,
}

impl Search<'_> {
    /// Removes entries until the document can be parsed: first at the cursor, then at the positions where the parser stops.
    fn run(&mut self, cursor: usize, error: usize) -> Option<Text> {
        // If the cursor is in a quoted string with several lines, the string must be removed from its start.
        let mut places = vec![cursor];
        places.extend(line_around(&self.text, cursor));
        let mut reached = error;
        for _ in 0..MAX_ENTRIES {
            let mut best: Option<(usize, String)> = None;
            for place in places {
                let line = line_at(&self.text, place);
                for range in candidates(&self.text, &line) {
                    let text: Arc<str> = blanked(&self.text, &range).into();
                    match self.read(&text) {
                        Read::Whole(text) => return Some(*text),
                        Read::Until(at) if best.as_ref().is_none_or(|it| it.0 < at) => {
                            best = Some((at, text.to_string()));
                        }
                        Read::Until(_) => {}
                        Read::TooMuch => return None,
                    }
                }
            }
            let next = match best {
                Some((at, text)) if at > reached => {
                    self.text = text;
                    at
                }
                // If removing entries at the cursor does not help, try the line at which the parser stops, and the line above it.
                _ => reached,
            };
            let line = line_at(&self.text, next);
            let above = self.text[..line.start].trim_end().len();
            places = vec![next, above];
            reached = next;
        }
        None
    }

    fn read(&mut self, text: &Arc<str>) -> Read {
        self.parsed += self.document.span.range().len();
        if self.parsed > MAX_PARSED {
            return Read::TooMuch;
        }
        let text = self.source.with_other_content(text.clone());
        match text.check(self.document) {
            Ok(()) => Read::Whole(text.into()),
            Err(error) => Read::Until(error.span.start as usize),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks which lines change in a text with `|` at the cursor. Removed characters are written as `~`.
    #[track_caller]
    fn check(marked: &str, expected: &[&str]) {
        let cursor = marked.find('|').expect("a cursor");
        let text = marked.replacen('|', "", 1);
        let found = readable(&Text::whole(text.clone().into()), cursor as u32);
        let fresh = found.map_or_else(|| text.clone(), |it| it.text.content.to_string());
        assert_eq!(fresh.len(), text.len());
        let changed: Vec<String> = text
            .lines()
            .zip(fresh.lines())
            .filter(|(old, new)| old != new)
            .map(|(old, new)| {
                let marks = old.chars().zip(new.chars());
                marks.map(|(old, new)| if old == new { old } else { '~' }).collect()
            })
            .collect();
        assert_eq!(changed, expected, "{marked}");
    }

    #[test]
    fn an_unfinished_entry_is_taken_out() {
        check("a:\n  b: 1\n  d|\n  c: 2\n", &["  ~"]);
        check("a:\n  b: 1\n  des|\nc: 2\n", &["  ~~~"]);
        check("a: 1\nb: 'x|\nc: 2\n", &["b: ~~"]);
        check("a: 1\nb: [x, |\nc: {d: 2}\n", &["b: ~~~ "]);
        check("a:\n- b: 1\n- c|\n  d: 2\n", &["- ~"]);
        check("a: 1\nrule: 'self == 'x|'\nc: 2\n", &["rule: ~~~~~ ~~ ~~~"]);
        check("a: 1\n\"b\": \"x|\nc: 2\n", &["\"b\": ~~"]);
        check("a: 1\nb: {|\nc: 2\nd: 3\n", &["b: ~"]);
    }

    #[test]
    fn an_open_text_of_several_lines_is_taken_out() {
        check(
            "a: 1\nrule: 'self == ''x\n  && y|\nb: 2\n",
            &["rule: ~~~~~ ~~ ~~~", "  ~~ ~"],
        );
        for blank in ["|", "  |", "    |"] {
            check(
                &format!("a: 1\nr:\n  rule: 'self == ''x\n{blank}\n  b: 2\nc: it's\n"),
                &["  rule: ~~~~~ ~~ ~~~"],
            );
            check(
                &format!("a: 1\nr:\n  rule: 'self == ''x\n    && y\n{blank}\n  b: 2\nc: it's\n"),
                &["  rule: ~~~~~ ~~ ~~~", "    ~~ ~"],
            );
        }
    }

    #[test]
    fn open_text_of_several_lines_is_taken_out_where_its_item_begins() {
        check("a:\n- \"x\n  [[ ! y\n  z\\|\"\nb: 2\n", &["~ ~~", "  ~~ ~ ~", "  ~~~"]);
    }

    #[test]
    fn what_can_be_read_stays() {
        check("a: 1|\n", &[]);
        check("a:\n  - |\nb: 2\n", &[]);
    }

    #[test]
    fn an_entry_that_was_left_unfinished_is_taken_out_too() {
        check("a: 1\nbroken\nc: 2\nd: 'x|\ne: 3\n", &["~~~~~~", "d: ~~"]);
    }

    #[test]
    fn parents_are_less_indented_lines_above() {
        let text = "x: 0\n---\na: 1\n# b\nc:\n- d: 2\n  e:\n    f: 3\n  g: 4\n  h: 5\n";
        let parents = |of: &str| {
            let line = line_at(text, text.find(of).expect("a line"));
            let lines = lines_of_parents(text, &line).into_iter();
            lines.map(|it| text[it].to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(parents("f: 3"), ["  e:", "- d: 2", "c:", "a: 1"]);
        assert_eq!(parents("h: 5"), ["- d: 2", "c:", "a: 1"]);
        assert_eq!(parents("d: 2"), ["c:", "a: 1"]);
        assert_eq!(parents("a: 1"), [""; 0]);
    }

    #[test]
    fn other_documents_do_not_matter() {
        check("a: [\n---\nb: 1\nc|\nd: 2\n", &["~"]);
    }
}
