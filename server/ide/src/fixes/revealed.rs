//! Values that a fix reveals. The API server does not validate the value of a field with a wrong name, or a value in wrong quotes, so errors in the
//! value appear only after the fix. They were there before, so they are not held against the fix.

use std::collections::HashSet;

use crd_analyzer_syntax::{paths, tree::Span};
use crd_analyzer_workspace::findings::finding::Finding;

use super::{Fix, OF_EXPRESSIONS, TextEdit};
use crate::file::File;

/// The parts of an edited text in which new diagnostics do not count against the fixes.
#[derive(Default)]
pub(super) struct Revealed {
    /// The entries whose values the author wrote, in the order of the text, without overlaps.
    entries: Vec<Span>,
    /// The starts of the keys that contain these entries, where errors about the values may be shown, and of the other errors of fixed expressions.
    around: HashSet<u32>,
    /// The codes and starts of the diagnostics that the fixes must remove.
    own: HashSet<(&'static str, u32)>,
}

impl Revealed {
    /// The parts of a file that fixes reveal. `edits` has the edits of all fixes, in the order of the text.
    pub(super) fn by(file: &File, fixes: &[Fix], edits: &[TextEdit]) -> Self {
        let shift = Shift::new(edits);
        let mut found = Self::default();
        for fix in fixes {
            found
                .own
                .insert((fix.problem.code, shift.moved(fix.problem.span.start)));
            found
                .around
                .extend(fix.problem.others.iter().map(|it| shift.moved(*it)));
            if OF_EXPRESSIONS.contains(&fix.problem.code)
                && let Some(expression) = scalar_at(file, fix.problem.span)
            {
                let (start, end) = (shift.moved(expression.start), shift.moved(expression.end));
                found.entries.push(Span::new(start, end));
            }
            let text = file.text();
            let moved = fix.edits.iter().filter_map(|it| moved(text, &fix.edits, it, &shift));
            found.entries.extend(moved);
            let places: Option<Vec<_>> = fix.edits.iter().map(|it| place(file, it)).collect();
            for (entry, around) in places.into_iter().flatten() {
                if let Some(entry) = entry {
                    let (start, end) = (shift.moved(entry.start), shift.moved(entry.end));
                    found.entries.push(Span::new(start, end));
                }
                found.around.extend(around.into_iter().map(|it| shift.moved(it)));
            }
        }
        found.entries.sort_by_key(|it| it.start);
        found.entries.dedup_by(|next, last| {
            let overlaps = next.start < last.end;
            if overlaps {
                *last = last.join(*next);
            }
            overlaps
        });
        found
    }

    /// Whether a diagnostic of the edited text is about a value that a fix revealed.
    pub(super) fn has(&self, finding: &Finding) -> bool {
        let (start, end) = (finding.span.start, finding.span.end);
        let next = self.entries.partition_point(|it| it.start <= start);
        let is_of_value = next.checked_sub(1).is_some_and(|it| end <= self.entries[it].end);
        (is_of_value || self.around.contains(&start)) && !self.own.contains(&(finding.code, start))
    }
}

/// The scalar that contains a span, such as the expression of a rule. The errors behind its first one are found only when that one is gone.
fn scalar_at(file: &File, span: Span) -> Option<Span> {
    let document = file.document_at(span.start)?;
    let tree = document.tree;
    let node = paths::at(tree, span.start)?.node;
    let scalar = tree.span(node);
    (tree.is_scalar(node) && scalar.start <= span.start && span.end <= scalar.end).then_some(scalar)
}

/// The entry whose value an edit reveals, and the starts of the keys around it. `None` if the edit changes the value itself. If the edit only changes
/// the type of a scalar, the entry is missing, because errors in the scalar are held against the fix.
fn place(file: &File, edit: &TextEdit) -> Option<(Option<Span>, Vec<u32>)> {
    let document = file.document_at(edit.span.start)?;
    let tree = document.tree;
    let entry = tree.entry_of(paths::at(tree, edit.span.start)?.node)?;
    let (key, value) = (tree.span(entry.key), tree.span(entry.value));
    let is_of_key = key.start <= edit.span.start && edit.span.end <= key.end;
    if !is_of_key && !is_same_value(tree.text().get(edit.span.range())?, &edit.new_text) {
        return None;
    }
    let around = tree.ancestors(entry.key).filter_map(|it| tree.entry_of(it));
    let around = around.map(|it| tree.span(it.key).start).collect();
    let is_scalar = !is_of_key && !edit.new_text.starts_with('[');
    let entry = (!is_scalar).then(|| Span::new(key.start, value.end.max(key.end)));
    Some((entry, around))
}

/// Converts offsets in the original text to offsets in the edited text.
struct Shift {
    /// The end of each edit, and by how many bytes the edits so far have changed the length.
    ends: Vec<(u32, i64)>,
}

impl Shift {
    fn new(edits: &[TextEdit]) -> Self {
        let mut sum = 0;
        let ends = edits.iter().map(|it| {
            sum += it.new_text.len() as i64 - i64::from(it.span.end - it.span.start);
            (it.span.end, sum)
        });
        Self { ends: ends.collect() }
    }

    fn moved(&self, at: u32) -> u32 {
        let before = self.ends.partition_point(|it| it.0 <= at);
        let sum = before.checked_sub(1).map_or(0, |it| self.ends[it].1);
        (i64::from(at) + sum) as u32
    }
}

/// Whether two scalars differ only in quotes, brackets and case.
fn is_same_value(before: &str, after: &str) -> bool {
    let letters = |text: &str| -> String {
        let kept = text.chars().filter(|it| !matches!(it, '"' | '\'' | '[' | ']'));
        kept.flat_map(char::to_lowercase).collect()
    };
    let before = letters(before);
    !before.trim().is_empty() && before == letters(after)
}

/// The maximum number of edits of a fix that moves text. The texts of all edits are compared with each other.
const MOST_OF_A_MOVE: usize = 20;

/// Whether a text contains another one, apart from blanks and line breaks.
fn has(text: &str, part: &str) -> bool {
    let solid = |text: &str| text.split_whitespace().collect::<String>();
    solid(text).contains(&solid(part))
}

/// The new place of the text that an edit inserts, if the edits of its fix remove the same text elsewhere or only indent it.
fn moved(text: &str, edits: &[TextEdit], edit: &TextEdit, shift: &Shift) -> Option<Span> {
    if edits.len() > MOST_OF_A_MOVE || edit.new_text.trim().is_empty() {
        return None;
    }
    let is_written = |it: &TextEdit| {
        let is_other = it != edit && it.new_text.is_empty();
        let removed = text.get(it.span.range()).unwrap_or_default();
        let has_lines = is_other || removed.ends_with('\n');
        has_lines && !removed.trim().is_empty() && has(&edit.new_text, removed.trim_matches([',', ' ']))
    };
    let is_moved = edits.iter().any(is_written);
    let end = shift.moved(edit.span.end);
    is_moved.then(|| Span::new(end.saturating_sub(edit.new_text.len() as u32), end))
}

/// Whether the edits only remove text and do not insert it elsewhere.
pub(super) fn is_removal(text: &str, edits: &[TextEdit]) -> bool {
    let is_gone = |it: &TextEdit| {
        let Some(removed) = text.get(it.span.range()) else {
            return false;
        };
        let removed = removed.split(" #").next().unwrap_or_default();
        let removed = removed.trim_matches(|it: char| it.is_whitespace() || matches!(it, ',' | '-'));
        let is_here = |other: &TextEdit| other != it && !other.new_text.is_empty() && has(&other.new_text, removed);
        let is_moved = || edits.len() <= MOST_OF_A_MOVE && edits.iter().any(is_here);
        !removed.is_empty() && matches!(it.new_text.trim(), "" | "{}") && !is_moved()
    };
    edits.iter().any(is_gone)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(start: u32, end: u32, new_text: &str) -> TextEdit {
        TextEdit {
            span: Span::new(start, end),
            new_text: new_text.to_owned(),
        }
    }

    #[test]
    fn quotes_brackets_and_case_are_not_the_value() {
        assert!(is_same_value("\"5\"", "5"));
        assert!(is_same_value("a", "[a]"));
        assert!(is_same_value("primary", "Primary"));
        assert!(!is_same_value("5", "6"));
        assert!(!is_same_value("", "6"));
    }

    #[test]
    fn bytes_move_with_the_edits_before_them() {
        let edits = [edit(0, 2, "abc"), edit(5, 5, "x")];
        let shift = Shift::new(&edits);
        assert_eq!([0, 1, 2, 4, 5, 6].map(|it| shift.moved(it)), [0, 1, 3, 5, 7, 8]);
    }

    #[test]
    fn what_moves_is_not_removed() {
        let text = "a: 1\nb: 2 # kept\n";
        assert!(is_removal(text, &[edit(5, 17, "")]));
        assert!(!is_removal(text, &[edit(0, 0, "b: 2\n"), edit(5, 17, "")]));
        assert!(!is_removal(text, &[edit(0, 1, "c")]));
        assert!(!is_removal(text, &[edit(0, 0, "c: 3\n")]));
    }
}
