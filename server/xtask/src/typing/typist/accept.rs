//! Accepts items: chooses the items, applies their effect on the text, and corrects the text afterwards.

use crd_analyzer_syntax::common;
use serde_json::json;

use super::{
    super::{
        editor::{Editor, is_word},
        popup::{Item, ItemKind},
        snippet::{Piece, filled, pieces, written},
    },
    Typist, Wanted,
};

impl Typist<'_> {
    /// Accepts the selected item if it is the wanted one. Returns false if no item is accepted.
    pub(super) fn accept(&mut self) -> anyhow::Result<bool> {
        let Some(popup) = &self.popup else { return Ok(false) };
        let (shown, marked) = popup.shown(&self.editor);
        let Some(item) = shown.get(marked).map(|it| (*it).clone()) else {
            self.popup = None;
            return Ok(false);
        };
        if popup.are_words {
            return Ok(false);
        }
        let asked_at = popup.asked_at;
        let line = self.editor.before.len() - self.editor.line().len();
        let Some(from) = (line + item.start()).checked_sub(self.subtree.before.len()) else {
            return Ok(false);
        };
        let rest = self.target[from..].to_owned();
        let is_wanted = Wanted { rest: &rest }.is(&item);
        let read = self.pieces(&item);
        let takes = if item.kind == ItemKind::Snippet {
            filled(&read, &rest).is_some_and(|it| it.1 > self.position() - from)
        } else if read.iter().filter(|it| matches!(it, Piece::Place { .. })).count() > 1 {
            is_wanted && filled(&read, &rest).is_some()
        } else {
            is_wanted && rest.len() > self.position() - from && self.would_help(&item, asked_at)
        };
        if takes {
            self.stats.shown += 1;
            self.take(&item, asked_at)?;
        }
        Ok(takes)
    }

    fn pieces(&self, item: &Item) -> Vec<Piece> {
        if !item.is_snippet {
            return vec![Piece::Text(item.text.clone())];
        }
        let line = self.editor.line();
        pieces(&item.text, line.len() - line.trim_start_matches(' ').len())
    }

    /// Whether the item brings the text closer to the target. An item with additional edits only helps if the target contains these edits.
    pub(super) fn would_help(&self, item: &Item, asked_at: usize) -> bool {
        let (text, back) = written(&self.pieces(item));
        let mut editor = self.editor.clone();
        let edits = item.edits(&editor, asked_at, &text);
        let has_more = edits.len() > 1;
        editor.apply(&edits, back);
        let whole = [self.subtree.before, &self.target].concat();
        editor.before != self.editor.before && (!has_more || whole.starts_with(&editor.before))
    }

    /// Accepts an item, and continues with the resulting text.
    pub(super) fn take(&mut self, item: &Item, asked_at: usize) -> anyhow::Result<()> {
        let read = self.pieces(item);
        self.popup = None;
        self.stats.accepted += 1;
        self.stats.keys += 1;
        let line = self.editor.before.len() - self.editor.line().len();
        let from = line + item.start() - self.subtree.before.len();
        let old = self.editor.text();
        let is_filled_in =
            item.kind == ItemKind::Snippet || read.iter().filter(|it| matches!(it, Piece::Place { .. })).count() > 1;
        if is_filled_in && let Some((places, _)) = filled(&read, &self.target[from..]) {
            return self.fill_in(item, asked_at, &read, &places);
        }
        let (text, back) = written(&read);
        let edits = item.edits(&self.editor, asked_at, &text);
        self.editor.apply(&edits, back);
        self.settle(&item.label);
        self.send(&old)?;
        self.look()?;
        if item.asks_again {
            self.ask(&json!({ "triggerKind": 1 }), true)?;
        }
        Ok(())
    }

    /// Compares the inserted text with the target. Other quotes are fine, whitespace is corrected, and any other difference is damage.
    fn settle(&mut self, label: &str) {
        let start = self.subtree.before.len();
        if !self.editor.after.ends_with(self.subtree.after) || !self.editor.before.starts_with(self.subtree.before) {
            self.damaged("text elsewhere is changed by", label);
            // Typing continues from the expected text.
            let at = self.position().min(self.target.len());
            self.editor = Editor::new(&[self.subtree.before, &self.target[..at]].concat(), self.subtree.after);
            return;
        }
        let written = self.editor.before[start..].to_owned();
        if self.target.starts_with(&written) {
            return;
        }
        let same = common::ahead(written.as_bytes(), self.target.as_bytes());
        let (ours, wanted) = (&written[same..], &self.target[same..]);
        // The value is the same, with other quotes.
        let bare = |it: &str| it.trim_matches(['"', '\'']).replace("''", "'").replace("\\\"", "\"");
        let wanted_line = wanted.split('\n').next().unwrap_or_default();
        let end = wanted_line
            .find([':', ',', ']', '}'])
            .filter(|_| wanted_line.starts_with(['"', '\'']))
            .unwrap_or(wanted_line.len());
        let is_quoted = |it: &str| it.starts_with(['"', '\'']);
        if (is_quoted(ours) || is_quoted(wanted)) && bare(ours.trim_end_matches(": ")) == bare(&wanted_line[..end]) {
            self.target.replace_range(same..same + end, ours.trim_end_matches(": "));
            self.settle_blanks(label);
            return;
        }
        self.settle_blanks(label);
    }

    fn settle_blanks(&mut self, label: &str) {
        let start = self.subtree.before.len();
        let written = self.editor.before[start..].to_owned();
        let same = common::ahead(written.as_bytes(), self.target.as_bytes());
        if same == written.len() {
            return;
        }
        let ours = written[same..].to_owned();
        let wanted: String = self.target[same..].chars().take(20).collect();
        // Between brackets, lines can be broken anywhere.
        let solid = |it: &str| it.replace([' ', '\n'], "");
        if ours.trim_matches([' ', '\n', '-']).is_empty() || solid(&wanted).starts_with(&solid(&ours)) {
            let case = format!("{}: {label} wrote {ours:?}, wanted {wanted:?}", self.describe());
            self.stats.case("corrected", || case);
        } else {
            self.damaged(&format!("{label} should write {wanted:?}, not"), &ours);
        }
        let keys = self.editor.take_back(ours.len());
        self.stats.corrected += keys;
        self.stats.keys += keys;
    }

    /// Fills in the placeholders of a snippet key by key, with Tab between them.
    fn fill_in(
        &mut self,
        item: &Item,
        asked_at: usize,
        read: &[Piece],
        places: &[(u32, String)],
    ) -> anyhow::Result<()> {
        let mut values: Vec<(u32, String)> = Vec::new();
        for piece in read {
            if let Piece::Place { number, has, .. } = piece
                && !values.iter().any(|it| it.0 == *number)
            {
                values.push((*number, has[0].clone()));
            }
        }
        let base = self.editor.clone();
        let show = |values: &[(u32, String)], at: u32| {
            let mut text = String::new();
            let mut cursor = 0;
            for piece in read {
                match piece {
                    Piece::Text(it) => text.push_str(it),
                    Piece::Place { number, .. } => {
                        let value = values.iter().find(|it| it.0 == *number).map_or("", |it| it.1.as_str());
                        text.push_str(value);
                        if *number == at && cursor == 0 {
                            cursor = text.len();
                        }
                    }
                }
            }
            let back = if cursor == 0 { 0 } else { text.len() - cursor };
            (text, back)
        };
        let mut order: Vec<u32> = values.iter().map(|it| it.0).collect();
        order.sort_by_key(|it| if *it == 0 { u32::MAX } else { *it });
        for number in order {
            let wanted = places.iter().find(|it| it.0 == number).map_or("", |it| it.1.as_str());
            let current = values.iter().position(|it| it.0 == number).unwrap_or_default();
            let made = read.iter().find_map(|it| match it {
                Piece::Place {
                    number: of,
                    made: Some(made),
                    ..
                } if *of == number => values.iter().find(|it| it.0 == made.of).map(|it| made.apply(&it.1)),
                _ => None,
            });
            if let Some(made) = made {
                values[current].1 = made;
            }
            let choices = read.iter().find_map(|it| match it {
                Piece::Place { number: of, has, .. } if *of == number => Some(has.len()),
                _ => None,
            });
            let is_choice = choices.is_some_and(|it| it > 1);
            let mut steps = Vec::new();
            if values[current].1 != wanted {
                if is_choice {
                    steps.push(wanted.to_owned());
                } else {
                    steps.extend((1..=wanted.len()).map(|it| wanted[..it].to_owned()));
                }
            }
            for step in steps {
                let old = self.editor.text();
                values[current].1.clone_from(&step);
                let (text, back) = show(&values, number);
                self.editor = base.clone();
                let edits = item.edits(&base, asked_at, &text);
                self.editor.apply(&edits, back);
                self.send(&old)?;
                self.look()?;
                self.stats.keys += 1;
                self.popup = None;
                if step.ends_with(is_word) && !is_choice {
                    self.ask(&json!({ "triggerKind": 1 }), true)?;
                }
            }
            // In a completion list, Tab accepts the selected item before it moves to the next placeholder.
            if let Some(popup) = self.popup.take() {
                let (shown, marked) = popup.shown(&self.editor);
                if let Some(marked) = shown.get(marked).map(|it| (*it).clone()) {
                    self.stats.keys += 1;
                    self.stats.escaped += 1;
                    if self.would_help(&marked, popup.asked_at) {
                        let case = format!("{}: {number} of {}: {}", self.describe(), item.label, marked.label);
                        self.stats.case("escaped", || case);
                        if !popup.are_words {
                            self.damaged("Tab in a place takes", &marked.label);
                        }
                    }
                }
            }
            self.stats.keys += 1;
        }
        let old = self.editor.text();
        let (text, _) = show(&values, 0);
        self.editor = base.clone();
        let edits = item.edits(&base, asked_at, &text);
        self.editor.apply(&edits, 0);
        self.settle(&item.label);
        self.send(&old)?;
        self.look()
    }
}
