//! Actions after a key whose text starts on the next line, above lines of the author: both are entries of the same object, or items of the same list.

use std::ops::Range;

use super::{
    Filling, Replaced,
    lines::{Lines, Shape},
    places::Place,
};

impl Filling {
    /// Replaces each value that only adds entries or items to the lines below it, as in `labels: {{ include "x" . | nindent 4 }}` above `    a: b`, by
    /// blanks. The object or list below is then known to have more.
    pub(super) fn move_below(&mut self, text: &str, lines: &Lines, replaced: &mut Vec<Replaced>) {
        let mut found = Vec::new();
        let mut starts_below = |bytes: &[u8], range: &Range<usize>| {
            let start = start_of_more(bytes, text, lines, range);
            found.extend(start.map(|it| (range.clone(), it)));
            start.is_some()
        };
        self.places
            .retain(|range, place| place != Place::Value || !starts_below(&self.bytes, range));
        replaced.retain(|it| !matches!(it, Replaced::Part(range) if starts_below(&self.bytes, range)));
        for (range, start) in found {
            self.blank(range);
            self.places.push(start..start, Place::More);
        }
    }
}

/// The start of the object or list to which an action adds entries or items. `None` if the action is not the value of a key or item, if the column
/// of its text is not known, or if no lines of the author follow in that column.
fn start_of_more(bytes: &[u8], text: &str, lines: &Lines, range: &Range<usize>) -> Option<usize> {
    let column = printed_column(&text[range.clone()])?;
    let key = lines.key_column(text, range)?;
    let mut at = lines.around(range).end + 1;
    for line in bytes.get(at..)?.split_inclusive(|it| *it == b'\n') {
        if let Some(shape) = Shape::of_line(std::str::from_utf8(line).ok()?) {
            let is_below = key < column || key == column && shape.is_item;
            return (is_below && shape.indent == column && !shape.is_separator).then_some(at + column);
        }
        at += line.len();
    }
    None
}

/// The column in which the text of an action or a block starts on a new line: the argument of `nindent`, which is the same everywhere. `None` if
/// something else is done with the text.
fn printed_column(code: &str) -> Option<usize> {
    let mut found = None;
    for it in code.split("nindent ").skip(1) {
        let rest = it.trim_start_matches(|it: char| it.is_ascii_digit());
        let column: usize = it[..it.len() - rest.len()].parse().ok()?;
        if !rest.trim_start().starts_with("}}") || found.is_some_and(|it| it != column) {
            return None;
        }
        found = Some(column);
    }
    found.filter(|_| !code.ends_with("-}}"))
}

#[cfg(test)]
mod tests {
    use crate::filled_in::fill::fill;

    /// Checks the text that replaces a template, without blanks at the ends of lines, and the lines of its objects that have more.
    #[track_caller]
    fn check(text: &str, expected: &str, more: &[&str]) {
        let filled = fill(text).expect("it has actions");
        let lines = filled.text.lines().map(str::trim_end);
        let written = lines
            .collect::<Vec<_>>()
            .join("\n")
            .replace(filled.places.filler(), "@");
        assert_eq!(written, expected, "of {text:?}");
        let adds_to = |it: &usize| filled.places.adds_to(*it as u32);
        let line = |it: usize| text[it..].lines().next().unwrap_or_default();
        let found: Vec<&str> = (0..text.len()).filter(adds_to).map(line).collect();
        assert_eq!(found, more, "of {text:?}");
    }

    #[test]
    fn a_value_on_the_next_line_is_beside_what_is_written_there() {
        for action in [
            "{{- include \"x\" . | nindent 2 }}",
            "{{ toYaml .x | nindent 2 }}{{/* c */}}",
            "{{- with .x }}{{ toYaml . | nindent 2 }}{{ end }}",
        ] {
            let text = format!("a: {action}\n  # d\n  b: c\nd: e\n");
            check(&text, "a:\n  # d\n  b: c\nd: e", &["b: c"]);
        }
        check("a:{{ .x | nindent 2 }}\n  b: c\n", "a:\n  b: c", &["b: c"]);
        check("- {{ .x | nindent 2 }}\n  b: c\n", "-\n  b: c", &["b: c"]);
        check("- a: {{ .x | nindent 4 }}\n    b: c\n", "- a:\n    b: c", &["b: c"]);
        check("a: {{ .x | nindent 0 }}\n- b\n", "a:\n- b", &["- b"]);
    }

    #[test]
    fn what_goes_on_below_is_known_to_be_in_that_column() {
        for text in [
            "a: {{ .x | nindent 4 }}\n  b: c\n",
            "a: {{ .x | nindent 2 | trim }}\n  b: c\n",
            "a: {{ .x | nindent 2 -}}\n  b: c\n",
            "a: {{ .x | indent 2 }}\n  b: c\n",
            "a: {{ .x | nindent 2 }}\nb: c\n",
            "a: b {{ .x | nindent 2 }}\n  b: c\n",
            "a: {{ .x | nindent 2 }}",
        ] {
            let filled = fill(text).expect("it has actions");
            assert!((0..=text.len() as u32).all(|it| !filled.places.adds_to(it)), "{text}");
        }
    }
}
