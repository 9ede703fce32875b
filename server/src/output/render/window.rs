//! The visible part of a source line: the marks, and as much around them as fits.

use crd_analyzer_io::escape;

use super::wrap::{width, width_of};

/// The text that replaces a tab.
const TAB: &str = "    ";

/// The text that replaces the cut part of a line.
const CUT: &str = "…";

/// A marked range of a line, in bytes from the start of the line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Marked {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The preferred width of the mark's label, in columns.
    pub(super) label: usize,
}

/// The visible part of a line.
#[derive(Debug)]
pub(super) struct Window {
    pub(super) text: String,
    /// The byte offset and column of each visible character, and of the end.
    columns: Vec<(usize, usize)>,
}

impl Window {
    /// The columns of the visible part of a range, at least one.
    pub(super) fn columns(&self, start: usize, end: usize) -> (usize, usize) {
        let column = |byte: usize| {
            let at = self.columns.partition_point(|it| it.0 < byte);
            self.columns.get(at).or(self.columns.last()).map_or(0, |it| it.1)
        };
        let start = column(start);
        (start, column(end).max(start + 1))
    }
}

/// Passes the text shown for a character to `put`, and returns its width in columns.
fn shown(line: &str, at: usize, c: char, put: impl FnOnce(&str)) -> usize {
    if c == '\t' {
        put(TAB);
        TAB.len()
    } else if escape::is_escaped(line, at, c) {
        let shown = escape::visible_char(c);
        put(&shown);
        shown.len()
    } else {
        put(c.encode_utf8(&mut [0; 4]));
        width_of(c)
    }
}

/// The maximum number of characters to examine for each column. Without a maximum, many characters without a width would take long.
const CHARACTERS_A_COLUMN: usize = 4;

/// The width of a part of a line in columns, counted up to `most`.
fn columns_of(line: &str, start: usize, end: usize, most: usize) -> usize {
    let characters = line[start..end].char_indices().map(|(at, c)| (start + at, c));
    count(line, characters, most)
}

/// The number of columns before a byte offset, counted up to `most`.
fn columns_before(line: &str, end: usize, most: usize) -> usize {
    count(line, line[..end].char_indices().rev(), most)
}

fn count(line: &str, mut characters: impl Iterator<Item = (usize, char)>, most: usize) -> usize {
    let mut columns = 0;
    for (at, c) in characters.by_ref().take(CHARACTERS_A_COLUMN * most) {
        columns += shown(line, at, c, |_| {});
        if columns >= most {
            return most;
        }
    }
    if characters.next().is_some() { most } else { columns }
}

/// The number of bytes before a byte offset that fit into the given number of columns.
fn bytes_before(line: &str, end: usize, room: usize) -> usize {
    let mut columns = 0;
    let mut from = end;
    let characters = line[..end].char_indices().rev();
    for (at, c) in characters.take(CHARACTERS_A_COLUMN * room) {
        columns += shown(line, at, c, |_| {});
        if columns > room {
            break;
        }
        from = at;
    }
    end - from
}

/// Groups the marks of a line, sorted by start, so that each group fits into one window. `room` is the width of a window in columns.
pub(super) fn groups<'m, M>(line: &str, marks: &'m [M], room: usize, marked: impl Fn(&M) -> Marked) -> Vec<&'m [M]> {
    let mut groups = Vec::new();
    let mut first = 0;
    for n in 1..=marks.len() {
        let fits = marks.get(n).is_some_and(|it| {
            let (from, it) = (marked(&marks[first]), marked(it));
            columns_of(line, from.start, it.start, room) + it.label.min(room / 3) < room * 2 / 3
        });
        if !fits {
            groups.push(&marks[first..n]);
            first = n;
        }
    }
    groups
}

/// The window of a line around a group of marks, at most `room` columns wide.
pub(super) fn around(line: &str, marks: &[Marked], room: usize) -> Window {
    let start = marks.first().map_or(0, |it| it.start.min(line.len()));
    let from = first_shown(line, start, marks, room);
    let mut window = Window {
        text: String::new(),
        columns: Vec::new(),
    };
    let mut column = 0;
    if from > 0 {
        window.text.push_str(CUT);
        column = width(CUT);
    }
    let shown_at_most = CHARACTERS_A_COLUMN * room;
    for (n, (at, c)) in line[from..].char_indices().enumerate() {
        let (at, text) = (from + at, &mut window.text);
        let before = text.len();
        let columns = shown(line, at, c, |it| text.push_str(it));
        let behind = at + c.len_utf8();
        // The last column is reserved for the ellipsis if the rest of the line does not fit.
        let is_full =
            column + columns > room || column + columns == room && columns_of(line, behind, line.len(), 1) > 0;
        window.columns.push((at, column));
        if is_full || n == shown_at_most {
            text.truncate(before);
            text.push_str(CUT);
            return window;
        }
        column += columns;
    }
    window.columns.push((line.len(), column));
    window
}

/// The offset of the first visible byte of a line.
fn first_shown(line: &str, start: usize, marks: &[Marked], room: usize) -> usize {
    // The number of columns from the first mark on that are needed for the marks and for the labels beside or below them.
    let needed = marks.iter().map(|it| {
        let begins = columns_of(line, start, it.start.clamp(start, line.len()), room);
        let ends = columns_of(line, start, it.end.clamp(start, line.len()), room).max(begins + 1);
        let labelled = ends + 1 + it.label;
        let right = if it.label > 0 && labelled <= room * 3 / 4 {
            labelled
        } else {
            ends
        };
        right.max(begins + it.label.min(room / 2))
    });
    let most = room * 7 / 8;
    let needed = needed.max().unwrap_or(0).min(most);
    let before = columns_before(line, start, room + 1);
    let behind = columns_of(line, start, line.len(), room);
    if before + needed.max(behind) <= room {
        return 0;
    }
    // Some of the text after the marks is shown as well.
    let kept = behind.min(needed + room / 4).clamp(needed, most.max(needed));
    if before + kept <= room {
        return 0;
    }
    let from = start - bytes_before(line, start, (room - kept).saturating_sub(width(CUT)));
    // If only one character were cut, an ellipsis would not save space.
    if columns_of(line, 0, from, 2) <= 1 { 0 } else { from }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(line: &str, what: &str, label: usize) -> Marked {
        let start = line.find(what).expect("it is there");
        Marked {
            start,
            end: start + what.len(),
            label,
        }
    }

    #[track_caller]
    fn check(line: &str, what: &str, label: usize, room: usize, expected: &str) {
        let mark = marked(line, what, label);
        let window = around(line, &[mark], room);
        let (start, end) = window.columns(mark.start, mark.end);
        let underlined = format!("{}\n{}{}", window.text, " ".repeat(start), "^".repeat(end - start));
        assert_eq!(underlined, expected, "{line:?}");
        assert!(width(&window.text) <= room);
    }

    #[test]
    fn what_fits_stays_whole() {
        check("  rule: self.a", "self.a", 0, 20, "  rule: self.a\n        ^^^^^^");
        check("", "", 0, 20, "\n^");
        check("ab", "ab", 0, 2, "ab\n^^");
    }

    #[test]
    fn long_lines_are_cut_around_the_mark() {
        let line = "0123456789 ".repeat(9) + "here" + &" 9876543210".repeat(9);
        check(
            &line,
            "here",
            0,
            30,
            "…456789 0123456789 here 98765…\n                   ^^^^",
        );
        check(
            &line,
            "0123456789 0",
            0,
            30,
            "0123456789 0123456789 0123456…\n^^^^^^^^^^^^",
        );
        check("x: 0123456789", "x", 0, 8, "x: 0123…\n^");
        check("0123456789: x", "x", 0, 8, "…6789: x\n       ^");
    }

    #[test]
    fn a_label_gets_room() {
        let line = "0123456789 ".repeat(4) + "here";
        check(&line, "here", 0, 48, &format!("{line}\n{}^^^^", " ".repeat(44)));
        check(
            &line,
            "here",
            20,
            48,
            "…0123456789 0123456789 here\n                       ^^^^",
        );
    }

    #[test]
    fn what_cannot_be_seen_is_shown_and_counted() {
        check("a\tb\u{1b}c: x", "x", 0, 40, "a    b\\u{1b}c: x\n               ^");
        check("値段: x", "x", 0, 40, "値段: x\n      ^");
        check("値段: x", "値", 0, 40, "値段: x\n^^");
    }

    #[test]
    fn marks_that_are_far_from_each_other_have_windows_of_their_own() {
        let line = format!("a{}b{}c", " ".repeat(10), " ".repeat(1_000));
        let marks = ["a", "b", "c"].map(|it| marked(&line, it, 5));
        let found = groups(&line, &marks, 60, |it| *it);
        assert_eq!(found.iter().map(|it| it.len()).collect::<Vec<_>>(), [2, 1]);
    }

    #[test]
    fn no_window_is_too_wide() {
        let mut random = fastrand::Rng::with_seed(3);
        let pieces = [
            "a",
            "\t",
            "値",
            "e\u{301}",
            "\u{202e}",
            "😀",
            "x: ",
            "❤\u{fe0f}",
            "##[",
            "\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}",
        ];
        for _ in 0..20_000 {
            let line: String = (0..random.usize(..80))
                .map(|_| pieces[random.usize(..pieces.len())])
                .collect();
            let at = |random: &mut fastrand::Rng| line.floor_char_boundary(random.usize(..=line.len()));
            let (one, other) = (at(&mut random), at(&mut random));
            let mark = Marked {
                start: one.min(other),
                end: one.max(other),
                label: random.usize(..40),
            };
            let room = random.usize(12..60);
            let window = around(&line, &[mark], room);
            let (start, end) = window.columns(mark.start, mark.end);
            assert!(width(&window.text) <= room, "{room}: {window:?} of {line:?}");
            assert!(
                start < end && end <= room,
                "{start}..{end} of {room}: {window:?} of {line:?}"
            );
            assert_eq!(escape::line(&window.text), window.text, "nothing is left to be escaped");
        }
    }
}
