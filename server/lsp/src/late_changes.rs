//! The last changes of a document, so that one that comes late is put where it belongs.
//!
//! Helix up to 25.01 sends changes from tasks of its own, and under load one overtakes another: version 7 comes before version 6. Applied in
//! the order in which they come, the text would be another than the person's from then on.

use std::collections::VecDeque;

use crd_analyzer_syntax::lines::ColumnUnit;
use lsp_types::TextDocumentContentChangeEvent;
use ropey::Rope;

use crate::{from_proto, versions::Edit};

/// Changes that are kept: more than a person types while a message is on its way.
const KEPT: usize = 8;

/// The same, in bytes of what they insert: changes that are larger than what people type are not typed faster than they are sent.
const KEPT_BYTES: usize = 64 << 10;

/// The last changes, in the order of their versions.
#[derive(Debug)]
pub(crate) struct Recent {
    /// The version that the first of them changed.
    first: i32,
    changes: VecDeque<Change>,
}

#[derive(Debug)]
struct Change {
    version: i32,
    /// The text that it changed.
    before: Rope,
    edits: Vec<TextDocumentContentChangeEvent>,
}

impl Recent {
    /// Of a document that is opened in this version.
    pub(crate) fn new(version: i32) -> Self {
        Self {
            first: version,
            changes: VecDeque::new(),
        }
    }

    /// The text with a change, and the edits that made it of `text`. A change that is older than what is in `text` already goes below that;
    /// then that edits does not exist.
    pub(crate) fn take(
        &mut self,
        text: &Rope,
        version: i32,
        edits: Vec<TextDocumentContentChangeEvent>,
        unit: ColumnUnit,
    ) -> (Rope, Option<Vec<Edit>>) {
        if version <= self.first {
            // Older than all that is known, or a client that counts again: there is only the end.
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
    /// What the changes take, without the texts that they changed.
    fn bytes(&self) -> usize {
        let edits = self.changes.iter().flat_map(|it| &it.edits);
        edits
            .map(|it| it.text.len() + size_of::<TextDocumentContentChangeEvent>())
            .sum()
    }
}

/// A text with edits, each in what the one before it made; and the bytes that they replace, unless one replaces all.
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
        // `self.` typed at the end, letter by letter, in every order of four notifications.
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
        // A client that counts again.
        for version in [1, 2, 2] {
            (text, _) = recent.take(&text, version, vec![whole(&version.to_string())], ColumnUnit::Utf8);
            assert_eq!(text.to_string(), version.to_string());
        }
    }
}
