//! Keeps the last changes of a document, so that a change that arrives late can be applied in the right order.
//!
//! Helix up to 25.01 sends changes from separate tasks, and under load one overtakes another: version 7 arrives before version 6. If they were
//! applied in order of arrival, the server's text would differ from the user's from then on.

use std::collections::VecDeque;

use crd_analyzer_syntax::lines::ColumnUnit;
use lsp_types::TextDocumentContentChangeEvent;
use ropey::Rope;

use crate::{from_proto, versions::Edit};

/// The maximum number of changes to keep. A person types fewer than that while a message is on its way.
const KEPT: usize = 8;

/// The maximum size of the changes to keep, in bytes. Typing produces small changes, and larger ones don't follow each other fast enough to overtake.
const KEPT_BYTES: usize = 64 << 10;

/// The last changes, in the order of their versions.
#[derive(Debug)]
pub(crate) struct Recent {
    /// The version before the first of the changes.
    first: i32,
    changes: VecDeque<Change>,
}

#[derive(Debug)]
struct Change {
    version: i32,
    /// The text before the change.
    before: Rope,
    edits: Vec<TextDocumentContentChangeEvent>,
}

impl Recent {
    /// Starts with a document that is opened in this version.
    pub(crate) fn new(version: i32) -> Self {
        Self {
            first: version,
            changes: VecDeque::new(),
        }
    }

    /// Applies a change. Returns the new text and the byte edits that turn `text` into it. A late change is inserted before newer ones; the edits
    /// are then `None`.
    pub(crate) fn take(
        &mut self,
        text: &Rope,
        version: i32,
        edits: Vec<TextDocumentContentChangeEvent>,
        unit: ColumnUnit,
    ) -> (Rope, Option<Vec<Edit>>) {
        if version <= self.first {
            // The change is older than all kept changes, or the client restarted its numbering. Either way, it can only be applied last.
            *self = Self::new(version.saturating_sub(1));
        }
        let at = self.changes.partition_point(|it| it.version <= version);
        let before = self.changes.get(at).map_or(text, |it| &it.before).clone();
        let (mut text, mut made) = applied(&before, &edits, unit);
        for later in self.changes.range_mut(at..) {
            later.before = text.clone();
            (text, _) = applied(&text, &later.edits, unit);
            made = None;
        }
        let change = Change { version, before, edits };
        self.changes.insert(at, change);
        while (self.changes.len() > KEPT || self.bytes() > KEPT_BYTES)
            && let Some(oldest) = self.changes.pop_front()
        {
            self.first = oldest.version;
        }
        (text, made)
    }
}

impl Recent {
    /// The size of the changes in bytes, without the texts before them.
    fn bytes(&self) -> usize {
        let edits = self.changes.iter().flat_map(|it| &it.edits);
        edits
            .map(|it| it.text.len() + size_of::<TextDocumentContentChangeEvent>())
            .sum()
    }
}

/// Applies edits, each to the result of the previous one. Also returns them as byte edits, unless one of them replaces the whole text.
fn applied(text: &Rope, edits: &[TextDocumentContentChangeEvent], unit: ColumnUnit) -> (Rope, Option<Vec<Edit>>) {
    let mut text = text.clone();
    let mut made = Some(Vec::new());
    for edit in edits {
        if let Some(range) = edit.range {
            let range = from_proto::range(&text, range, unit);
            if let Some(made) = &mut made {
                made.push(Edit {
                    range: text.char_to_byte(range.start)..text.char_to_byte(range.end),
                    text: edit.text.clone(),
                });
            }
            text.remove(range.clone());
            text.insert(range.start, &edit.text);
        } else {
            text = Rope::from_str(&edit.text);
            made = None;
        }
    }
    (text, made)
}

#[cfg(test)]
mod tests {
    use lsp_types::{Position, Range};

    use super::*;

    #[test]
    fn changes_that_come_late_are_put_where_they_belong() {
        // Type `self.` at the end, one letter at a time, with four notifications in every possible order.
        let typed: Vec<_> = "self.".chars().collect();
        let edit = |column: usize| TextDocumentContentChangeEvent {
            range: Some(Range::new(
                Position::new(0, column as u32),
                Position::new(0, column as u32),
            )),
            range_length: None,
            text: typed[column].to_string(),
        };
        for order in [[1, 2, 3, 4], [2, 1, 4, 3], [4, 3, 2, 1], [3, 4, 1, 2], [1, 4, 2, 3]] {
            let mut recent = Recent::new(0);
            let (mut text, _) = recent.take(&Rope::new(), 1, vec![edit(0)], ColumnUnit::Utf16);
            for column in order {
                (text, _) = recent.take(&text, column as i32 + 1, vec![edit(column)], ColumnUnit::Utf16);
            }
            assert_eq!(text.to_string(), "self.", "{order:?}");
        }
    }

    #[test]
    fn only_the_last_are_kept() {
        let mut recent = Recent::new(0);
        let mut text = Rope::from_str("x");
        let whole = |text: &str| TextDocumentContentChangeEvent {
            range: None,
            range_length: None,
            text: text.to_owned(),
        };
        for version in 1..30 {
            (text, _) = recent.take(&text, version, vec![whole(&version.to_string())], ColumnUnit::Utf8);
        }
        assert_eq!((text.to_string(), recent.changes.len()), ("29".to_owned(), KEPT));
        // A client that restarts its numbering.
        for version in [1, 2, 2] {
            (text, _) = recent.take(&text, version, vec![whole(&version.to_string())], ColumnUnit::Utf8);
            assert_eq!(text.to_string(), version.to_string());
        }
    }
}
