//! Turns Helm templates into YAML: replaces each action with text of the same length, so that offsets stay valid.
//!
//! If an action is in a value, the value becomes unknown. If an action fills whole lines, they become one unknown entry, and so does a conditional
//! block. The rest is the author's own text and is checked. Replaced text is recognized by its position ([`Places`]), and not by its content.

pub(crate) mod actions;
mod below;
mod blocks;
mod braces;
mod keys;
mod leading;
mod lines;
mod literal;
mod places;
mod readings;

use std::ops::Range;

use actions::{Action, Kind, actions, is_quoted};
use blocks::{Block, Covered, LeftOut, Replaced, blocks, left_out};
pub(crate) use braces::fill_braces;
use keys::Keys;
use leading::long_blank_lines;
use lines::{Lines, Shape, indent};
pub(crate) use literal::{has_no_blocks, is_literal};
pub(crate) use places::{Place, Places, Typed, Written};
pub(crate) use readings::{Readings, fill_around, is_in_action, other_heads, with_blocks};

/// A template in which all actions are replaced.
#[derive(Debug)]
pub(crate) struct Filled {
    /// The text, of the same length as the template.
    pub(crate) text: String,
    /// The places in the text that the author has not written.
    pub(crate) places: Places,
}

impl Filled {
    /// The same text with blanks outside of a range. `None` if the range begins or ends inside a character.
    fn only(mut self, range: Range<usize>) -> Option<Self> {
        let mut bytes = self.text.into_bytes();
        let end = bytes.len();
        blank(&mut bytes[..range.start]);
        blank(&mut bytes[range.end..end]);
        self.text = String::from_utf8(bytes).ok()?;
        Some(self)
    }
}

/// The text with its actions replaced. Blocks are unknown. `None` if the text has no actions, if its blocks are not balanced, or if an action prints
/// something for which room or a column cannot be found.
pub(crate) fn fill(text: &str) -> Option<Filled> {
    let actions = actions(text)?;
    if actions.is_empty() {
        return None;
    }
    let blocks = blocks(&actions)?;
    fill_with(text, (&actions, &blocks, &Lines::of(text, &actions)), Shown::default())
}

/// How blocks are read.
#[derive(Clone, Copy, Default)]
struct Shown<'s> {
    /// The branch of each block that is read. See [`left_out`].
    branches: &'s [Option<usize>],
    /// Whether the text in a `range` may be printed several times.
    repeats: bool,
    /// Whether lines that an action or an unknown block prints are left out, and not replaced. Somebody who edits the template sees only the other lines.
    is_edited: bool,
}

impl<'s> Shown<'s> {
    /// These branches are read, as if their text was printed once.
    fn once(branches: &'s [Option<usize>]) -> Self {
        Self {
            branches,
            ..Self::default()
        }
    }
}

/// Fills in a template.
fn fill_with(text: &str, (actions, blocks, lines): (&[Action], &[Block], &Lines), shown: Shown<'_>) -> Option<Filled> {
    let LeftOut {
        ranges: mut left_out,
        mut replaced,
        opened,
    } = left_out(text, actions, blocks, lines, (shown.branches, shown.repeats));
    if shown.is_edited {
        replaced.retain(|it| matches!(it, Replaced::Part(_)));
    }
    let mut filling = Filling {
        bytes: text.as_bytes().to_vec(),
        places: Places::new(text)?,
    };
    for offset in opened {
        // A text that contains a block is unknown.
        filling.places.push(offset..offset + 1, Place::Value);
    }
    left_out.sort_unstable_by_key(|it| it.start);
    for range in &left_out {
        filling.blank(range.clone());
    }
    let mut covered = Covered::default();
    let mut next = left_out.into_iter().peekable();
    for action in actions {
        while let Some(range) = next.next_if(|it| it.start <= action.span.start) {
            covered.add(&range);
        }
        if covered.holds(&action.span) {
            continue;
        }
        if action.kind != Kind::Value {
            filling.blank(action.span.clone());
        } else if lines.is_alone(&action.span) {
            filling.blank(action.span.clone());
            if !shown.is_edited {
                replaced.push(Replaced::Lines(lines.around(&action.span), None));
            }
        } else {
            let is_quoted = is_quoted(action.code(text));
            let place = if is_quoted {
                Place::Typed(Typed::String)
            } else {
                Place::Value
            };
            filling.blank(action.span.clone());
            filling.put(lines.without_break(text, action), place);
        }
    }
    replaced.sort_unstable_by_key(Replaced::start);
    filling.move_below(text, lines, &mut replaced);
    let filler = filling.places.filler().to_owned();
    let mut around = lines.around_of(&filling.bytes, &filler);
    for it in replaced {
        match it {
            Replaced::Lines(range, keys) => {
                around.advance(&filling.bytes, range.start);
                filling.more(text, &around, range, keys)?;
            }
            Replaced::Part(range) if text[range.clone()].contains('\n') => return None,
            Replaced::Part(range) => filling.put(range, Place::Value),
            Replaced::Items(range, column) => {
                filling.write_into(text, &range, (column, "- ", &filler, ""), Place::Items)?;
            }
        }
    }
    let mut text = String::from_utf8(filling.bytes).ok()?;
    for line in long_blank_lines(&text) {
        // The line may be shorter than the filler.
        let written = if filler.len() <= line.len() {
            filler.as_str()
        } else {
            "x"
        };
        text.replace_range(line.start..line.start + written.len(), written);
        filling
            .places
            .push(line.start..line.start + written.len(), Place::Value);
    }
    filling.places.sort();
    Some(Filled {
        text,
        places: filling.places,
    })
}

/// Replaces a part of a text by blanks, except its line breaks.
fn blank(bytes: &mut [u8]) {
    for byte in bytes {
        if *byte != b'\n' && *byte != b'\r' {
            *byte = b' ';
        }
    }
}

/// A template's text while its actions are being replaced.
struct Filling {
    bytes: Vec<u8>,
    places: Places,
}

impl Filling {
    fn blank(&mut self, range: Range<usize>) {
        blank(&mut self.bytes[range]);
    }

    fn write(&mut self, at: usize, text: &str) {
        self.bytes[at..at + text.len()].copy_from_slice(text.as_bytes());
    }

    /// Fills a range with characters that can start a plain scalar and continue any scalar.
    fn put(&mut self, range: Range<usize>, place: Place) {
        self.bytes[range.clone()].fill(b'x');
        let filler = self.places.filler();
        if range.len() >= filler.len() {
            let filler = filler.to_owned();
            self.write(range.start, &filler);
        }
        self.places.push(range, place);
    }

    /// Writes an unknown entry, item or value into blank lines, in the form that fits the lines around them. `None` if they do not fit, or if the
    /// column is unknown.
    fn more(&mut self, text: &str, around: &lines::Around<'_>, range: Range<usize>, keys: Option<Keys>) -> Option<()> {
        let after = around.after(range.end);
        let (column, content) = match column_of(text, &range)? {
            Column::Said(column, content) => (column, content),
            // The indentation of the lines below is more reliable than the column of the action.
            Column::Written(column) => {
                let deeper = after.filter(|it| it.indent > column && !it.is_separator);
                (deeper.map_or(column, |it| it.indent), None)
            }
        };
        let Some(form) = Form::of(column, content, around.before(column), after) else {
            return Some(());
        };
        if let Some(keys) = keys.filter(|it| form == Form::Entry && it.column == column) {
            // Entries with the same key would be one entry.
            let place = self.places.of_fields(keys.names);
            let name = format!("{}{place}", self.places.filler());
            let is_written = self.write_into(text, &range, (column, "", &name, ": "), Place::Fields(place));
            if is_written.is_some() {
                return is_written;
            }
        }
        let filler = self.places.filler().to_owned();
        let (entry, place) = match form {
            Form::Entry => ((column, "", &*filler, ": "), Place::Value),
            Form::Items => ((column, "- ", &*filler, ""), Place::Items),
            Form::ItemsOrEntries => ((column, "- ", &*filler, ""), Place::ItemsOrEntries),
            Form::Value => ((column, "", &*filler, ""), Place::Value),
            // If it started in the column of the key, it would be another entry.
            Form::ValueOrEntries => ((column + 1, "", &*filler, ""), Place::ValueOrEntries),
        };
        self.write_into(text, &range, entry, place)
    }

    /// Writes an entry, item or value into the first of some blank lines that has room for it at a column. `before` and `after` are around what is
    /// filled in.
    fn write_into(
        &mut self,
        text: &str,
        range: &Range<usize>,
        (column, before, filled_in, after): (usize, &str, &str, &str),
        place: Place,
    ) -> Option<()> {
        let mut at = range.start;
        let length = before.len() + filled_in.len() + after.len();
        for line in text[range.clone()].split_inclusive('\n') {
            let room = line.trim_end_matches(['\n', '\r']).len();
            if room.checked_sub(length).is_some_and(|it| column <= it) {
                let start = at + column + before.len();
                self.write(at + column, before);
                self.write(start, filled_in);
                self.write(start + filled_in.len(), after);
                self.places.push(start..start + filled_in.len(), place);
                return Some(());
            }
            at += line.len();
        }
        None
    }
}

/// What printed lines can be, judging by the lines around them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// Entries of an object.
    Entry,
    /// Items of a list.
    Items,
    /// A value, or a part of a block scalar.
    Value,
    /// The value of the key above, or entries beside that key. The value may be a list whose items start at the column of the key.
    ValueOrEntries,
    /// Items of the list above, or entries beside the list's key.
    ItemsOrEntries,
}

impl Form {
    /// The form of lines that start at a column. `content` is the first line of the block, if the author wrote it. `None` if the lines are between
    /// documents, or part of a value that is already unknown.
    fn of(column: usize, content: Option<Shape>, before: Option<Shape>, after: Option<Shape>) -> Option<Self> {
        let before = before.filter(|it| !it.is_separator);
        if before.is_some_and(|it| it.is_text_at(column)) {
            return Some(Self::Value);
        }
        let after = after.filter(|it| it.indent == column && !it.is_separator);
        let is_entry = content.is_some_and(|it| !it.is_item);
        let is_item = content.or(after).is_some_and(|it| it.is_item);
        match before {
            // The lines belong to the value that is already unknown.
            Some(it) if it.is_filled && it.indent == column => None,
            Some(it) if it.is_item && it.indent == column => Some(if is_item || !it.is_at_key {
                Self::Items
            } else if is_entry {
                Self::Entry
            } else {
                Self::ItemsOrEntries
            }),
            // The first entry of a list item is on the same line as the dash.
            Some(it) if it.indent == column || it.is_item && it.indent + 2 == column => {
                Some(if is_entry || !it.awaits_value {
                    Self::Entry
                } else if is_item {
                    Self::Items
                } else {
                    Self::ValueOrEntries
                })
            }
            _ if after.is_some_and(|it| it.is_item) => Some(Self::Items),
            _ if after.is_some() => Some(Self::Entry),
            Some(it) if it.awaits_value => Some(Self::Value),
            _ => None,
        }
    }
}

/// The column at which printed lines start.
enum Column {
    /// The argument of `nindent`, or the column of the first line in a block. In the second case, the line is included.
    Said(usize, Option<Shape>),
    /// The column of the action itself.
    Written(usize),
}

/// The column at which printed lines start. `None` if nothing determines it.
fn column_of(text: &str, lines: &Range<usize>) -> Option<Column> {
    let written = &text[lines.clone()];
    let first = written.lines().next()?;
    if let Some(at) = first
        .find("indent ")
        .filter(|_| !first.contains("{{- if") && !first.contains("{{- with"))
    {
        let digits: String = first[at + "indent ".len()..]
            .chars()
            .take_while(char::is_ascii_digit)
            .collect();
        return Some(Column::Said(digits.parse().ok()?, None));
    }
    let content = written.lines().find(|it| !it.trim().is_empty() && is_content(it));
    if let Some(line) = content {
        return Some(Column::Said(indent(line), Shape::of_line(line)));
    }
    let inner = written.find("indent ").and_then(|at| {
        let digits: String = written[at + "indent ".len()..]
            .chars()
            .take_while(char::is_ascii_digit)
            .collect();
        digits.parse().ok()
    });
    Some(inner.map_or_else(|| Column::Written(indent(first)), |it| Column::Said(it, None)))
}

/// Whether a line of a block has text of its own. The key of an entry may be an action, as in `{{ $key }}: 1`.
fn is_content(line: &str) -> bool {
    let Some(code) = line.trim_start().strip_prefix("{{") else {
        return true;
    };
    let rest = code.split_once("}}").map(|it| it.1);
    rest.is_some_and(|it| it.starts_with(": ") || it.trim_end() == ":")
}

#[cfg(test)]
mod tests {
    use crd_analyzer_syntax::tree::Span;

    use super::Place;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let filled = super::fill(text).map(|it| {
            assert_eq!(it.text.len(), text.len(), "of {text:?}");
            it.text.replace(it.places.filler(), "@")
        });
        assert_eq!(filled.as_deref(), Some(expected), "of {text:?}");
    }

    #[test]
    fn values() {
        check("name: {{ .x }}-tls\n", "name: @xxxxx-tls\n");
        check(
            "name: \"{{ .x | default \"a\" }}\"\n",
            &format!("name: \"@{}\"\n", "x".repeat(22 - 3)),
        );
        check(
            "a: {{ if .x }}1{{ else }}2{{ end }}\n",
            &format!("a: @{}\n", "x".repeat(32 - 3)),
        );
    }

    #[test]
    fn a_value_on_the_next_line_needs_no_blank_before_it() {
        check(
            "a:{{ .x | nindent 2 }}\n-{{ .y | nindent 2 }}\n- b:{{ .z | nindent 4 }}\n",
            &format!(
                "a: @{}\n- @{}\n- b: @{}\n",
                "x".repeat(20 - 4),
                "x".repeat(20 - 4),
                "x".repeat(20 - 4)
            ),
        );
        // Without a line break, the colon is a part of the value.
        check("a: b:{{ .x | indent 2 }}\n", &format!("a: b:@{}\n", "x".repeat(19 - 3)));
    }

    #[test]
    fn lines() {
        check("{{- $x := 1 }}\na: 1\n", "              \na: 1\n");
        check(
            "a:\n  b: 1\n  {{- toYaml .x | nindent 2 }}\nc: 1\n",
            &format!("a:\n  b: 1\n  @: {}\nc: 1\n", " ".repeat(28 - 5)),
        );
        check(
            "a:\n  {{- toYaml .x | nindent 2 }}\n",
            &format!("a:\n  @{}\n", " ".repeat(28 - 3)),
        );
        check(
            "a:\n  - b\n  {{ toYaml .x }}\n",
            &format!("a:\n  - b\n  - @{}\n", " ".repeat(15 - 5)),
        );
    }

    /// Checks the text that replaces the lines `{{ x }}` between these lines, and its place.
    #[track_caller]
    fn check_form(above: &str, below: &str, expected: &str, expected_place: Place) {
        let lines = format!("{above}{{{{ x }}}}\n{below}");
        let filled = super::fill(&lines).expect("it has actions");
        let written = filled.text.replace(filled.places.filler(), "@");
        let line = written.lines().nth(above.lines().count()).map(str::trim_end);
        assert_eq!(line, Some(expected), "of {lines:?}");
        let start = filled.text.find(filled.places.filler()).expect("it is written") as u32;
        let place = filled.places.at(Span::new(start, start + 3));
        assert_eq!(place, Some(expected_place), "of {lines:?}");
    }

    #[test]
    fn a_list_may_begin_at_the_column_of_its_key() {
        use Place::{Items, ItemsOrEntries, Value, ValueOrEntries};
        check_form("a:\n", "- b\n", "- @", Items);
        check_form("# c:\na: # c\n\n# c\n", "# c\n- b\n", "- @", Items);
        check_form("a:\n", "c: d\n", " @", ValueOrEntries);
        check_form("a:\n", "", " @", ValueOrEntries);
        check_form("a:\n- b\n", "- c\n", "- @", Items);
        check_form("a:\n- b\n", "c: d\n", "- @", ItemsOrEntries);
        check_form("a:\n- b\n- c:\n    d\n", "", "- @", ItemsOrEntries);
        check_form("- b\n", "", "- @", Items);
        check_form("a:\n  b: c\n", "", "@:", Value);
        check_form("a:\n- b:\n    c: d\n", "e: f\n", "- @", ItemsOrEntries);
        check_form("a: b\n", "", "@:", Value);
        let filled = super::fill("- a:\n  - b\n  - c\n  {{ if .x }}\n  d: e\n  {{ end }}\n").expect("it has actions");
        assert!(
            filled.text.contains(&format!("\n  {}0: ", filled.places.filler())),
            "{}",
            filled.text
        );
        check_form("a: b\n", "c: d\n", "@:", Value);
        check_form("a: \"# b:\"\n", "", "@:", Value);
    }

    #[test]
    fn a_block_is_what_is_written_in_it() {
        // Compare only lines that are not blank.
        let filled = |text: &str| {
            let filled = super::fill(text).expect("it has actions");
            let text = filled.text.replace(filled.places.filler(), "@");
            let lines = text.lines().map(str::trim_end).filter(|it| !it.is_empty());
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        let text = "a:\n- b\n{{ if .x }}\nc:\n{{ toYaml .x }}\n{{ end }}\n";
        assert_eq!(filled(text), ["a:", "- b", "@:"]);
        let text = "a:\n{{ range .x }}\n- {{ . }}\n{{ end }}\n";
        assert_eq!(filled(text), ["a:", "- @"]);
        let text = "a:\n  {{ range $k, $v := .x }}\n  {{ $k }}: {{ $v | toYaml | nindent 4 }}\n  {{ end }}\n  b: c\n";
        assert_eq!(filled(text), ["a:", "  @:", "  b: c"]);
        let text = "a:\n  - b:\n    {{ if .x }}\n    c: d\n    {{ end }}\n";
        assert_eq!(filled(text), ["a:", "  - b:", "    @0:"]);
    }

    #[test]
    fn what_goes_on_below_an_action_says_where_it_prints() {
        let text = "a:\n  b: c\n{{ if .x }}\n  {{ tpl .y }}\n{{ end }}\n  d: e\n";
        let expected = format!(
            "a:\n  b: c\n  @: {}\n{}\n{}\n  d: e\n",
            " ".repeat(11 - 7),
            " ".repeat(14),
            " ".repeat(9)
        );
        check(text, &expected);
    }

    #[test]
    fn what_prints_nothing_fills_in_nothing() {
        let check = |text: &str| {
            let filled = super::fill(text).expect("it has actions");
            assert!(
                !filled.text.contains(filled.places.filler()),
                "{:?} of {text:?}",
                filled.text
            );
            let lines = filled.text.lines().filter(|it| !it.trim().is_empty());
            assert_eq!(lines.collect::<Vec<_>>(), ["a:", "  b: c"], "of {text:?}");
        };
        check("a:\n  {{ fail .x }}\n  b: c\n");
        check("a:\n  {{- if .x }}{{ fail \"y\" }}{{- end }}\n  b: c\n");
        check(
            "a:\n  {{- if .x }}\n  {{- if .y }}\n  {{ fail .z }}\n  {{- end }}\n  {{- else }}\n  {{- $x := 1 }}\n  {{- end }}\n  b: c\n",
        );
    }

    #[test]
    fn a_value_is_filled_in_once() {
        check(
            "a:\n  {{ .x | nindent 2 }}\n  {{ .y | nindent 2 }}\nb:\n{{ .z }}\nc: d\n",
            &format!(
                "a:\n  @{}\n  {}\nb:\n @{}\nc: d\n",
                " ".repeat(20 - 3),
                " ".repeat(20),
                " ".repeat(8 - 4)
            ),
        );
    }

    #[test]
    fn what_is_printed_into_a_text_is_a_part_of_it() {
        for header in ["|", ">", "|-", ">+2"] {
            check(
                &format!("a: {header}\n  {{{{ .x }}}}\nb: c\n"),
                &format!("a: {header}\n  @{}\nb: c\n", " ".repeat(8 - 3)),
            );
        }
        let text = "a:\n- b: |\n    c\n  d: e\n  {{ if .x }}\n  f: g\n  {{ end }}\n- - |\n   h\n   {{ .z }}\n";
        let expected = format!(
            "a:\n- b: |\n    c\n  d: e\n  @0: {}\n      \n{}\n- - |\n   h\n   @{}\n",
            " ".repeat(13 - 8),
            " ".repeat(11),
            " ".repeat(8 - 3)
        );
        check(text, &expected);
        let text = "a:\n- |\n    b:\n    {{ .x }}\n    c:\n  d: |\n{{ .y | indent 4 }}\nb: |\nc: d\n{{ .z }}\n";
        let expected = format!(
            "a:\n- |\n    b:\n    @{}\n    c:\n  d: |\n    @{}\nb: |\nc: d\n@: {}\n",
            " ".repeat(8 - 3),
            " ".repeat(19 - 7),
            " ".repeat(8 - 5)
        );
        check(text, &expected);
    }

    #[test]
    fn a_text_does_not_begin_with_long_blank_lines() {
        check(
            "a: |\n  {{- $x := 1 }}\n  b\nc: 1\n",
            &format!("a: |\n  @{}\n  b\nc: 1\n", " ".repeat(14 - 3)),
        );
        check(
            "a: |\n{{ if .x }}\n  b\n{{ end }}\n",
            &format!("a: |\n  @{}\n   \n{}\n", " ".repeat(11 - 5), " ".repeat(9)),
        );
    }

    #[test]
    fn blocks() {
        let text = "{{- if .on }}\napiVersion: v1\nspec:\n  {{- if .a }}\n  a: 1\n  {{- end }}\n  b: 2\n{{- end }}\n";
        let expected = "             \napiVersion: v1\nspec:\n  @0:       \n      \n            \n  b: 2\n          \n";
        check(text, expected);
        assert!(super::fill("{{ if .x }}\n").is_none(), "a block that is not closed");
        assert!(super::fill("a: 1\n").is_none());
    }

    #[test]
    fn what_is_filled_in_is_known_by_its_place() {
        let text = "a: \u{F8FF}{{ .x }}\nb: \"\u{F8FF}\"\nl:\n- c\n{{ toYaml .x }}\n";
        let filled = super::fill(text).expect("it has actions");
        let place = |written: &str| {
            let start = filled.text.find(written).expect("it is written") as u32;
            filled.places.at(Span::new(start, start + written.len() as u32))
        };
        let filler = filled.places.filler();
        assert!(!text.contains(filler));
        assert_eq!(place(&format!("\u{F8FF}{filler}xxxxx")), Some(Place::Value));
        assert_eq!(place("\"\u{F8FF}\""), None);
        let last = filled.text.rfind(filler).expect("it is written") as u32;
        let at = |span| filled.places.at(span);
        assert_eq!(at(Span::new(last, last + 3)), Some(Place::ItemsOrEntries));
        assert_eq!(at(Span::new(last - 2, last + 3)), Some(Place::Value));
        assert_eq!(place("- c"), None);
    }

    #[test]
    fn without_room_the_template_is_not_filled_in() {
        assert!(super::fill("a:\n{{ toYaml .x | nindent 40 }}\n").is_none());
        assert!(super::fill("a:\n{{ toYaml .x | nindent 99999999999999999999 }}\n").is_none());
        assert!(super::fill("a:\n{{ toYaml .x | nindent .y }}\n").is_none());
    }
}
