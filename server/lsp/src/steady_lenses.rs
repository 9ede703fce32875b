//! Keeps code lenses in place while the user types. In most editors a lens takes a line of its own, so adding or removing one moves the lines below
//! it, including the one being typed in.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops,
    sync::{Mutex, MutexGuard, PoisonError},
};

use lsp_types::{CodeLens, Command, Position, Range};

/// The lenses of a document that the client currently shows.
#[derive(Debug, Default)]
pub(crate) struct SteadyLenses(Mutex<Option<Vec<Shown>>>);

#[derive(Debug)]
struct Shown {
    /// The byte offset of the lens in the current text.
    start: usize,
    title: String,
}

impl SteadyLenses {
    /// Adjusts the positions after an edit of the text.
    pub(crate) fn edited(&self, range: &ops::Range<usize>, inserted: usize) {
        let Some(shown) = &mut *self.lock() else { return };
        shown.retain(|it| it.start <= range.start || it.start >= range.end);
        for it in shown.iter_mut().filter(|it| it.start >= range.end) {
            it.start = it.start - range.len() + inserted;
        }
    }

    /// Forgets the lenses, because the whole text was replaced.
    pub(crate) fn forget(&self) {
        *self.lock() = None;
    }

    /// The lenses to send while the user types, and whether they differ from `found`. `start` returns the byte offset of a lens, `place` the position
    /// of a byte offset.
    pub(crate) fn apply(
        &self,
        found: Vec<CodeLens>,
        is_typed: bool,
        start: impl Fn(&CodeLens) -> usize,
        place: impl Fn(usize) -> Position,
    ) -> (Vec<CodeLens>, bool) {
        let mut known = self.lock();
        let mut answer = found;
        let mut is_other = false;
        if is_typed && let Some(shown) = &*known {
            let mut lines: BTreeMap<u32, (Position, &Shown)> = shown
                .iter()
                .map(|it| (place(it.start), it))
                .map(|it| (it.0.line, it))
                .collect();
            let count = answer.len();
            answer.retain(|it| lines.contains_key(&it.range.start.line));
            let kept: BTreeSet<u32> = answer.iter().map(|it| it.range.start.line).collect();
            lines.retain(|it, _| !kept.contains(it));
            is_other = answer.len() < count || !lines.is_empty();
            answer.extend(lines.into_values().map(|(place, it)| gone(place, &it.title)));
            answer.sort_by_key(|it| it.range.start);
        }
        let shown = answer.iter().map(|it| Shown {
            start: start(it),
            title: it.command.as_ref().map(|it| it.title.clone()).unwrap_or_default(),
        });
        *known = Some(shown.collect());
        (answer, is_other)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Vec<Shown>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A lens that no longer applies, but stays until the user pauses. A click on it does nothing.
fn gone(place: Position, title: &str) -> CodeLens {
    CodeLens {
        range: Range::new(place, place),
        command: Some(Command {
            title: title.to_owned(),
            ..Command::default()
        }),
        data: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Applies lenses to a text in which each line has ten bytes, so that the line number determines the offset.
    fn answer(lenses: &SteadyLenses, lines: &[(u32, &str)], is_typed: bool) -> (Vec<(u32, String)>, bool) {
        let lens = |(line, title): &(u32, &str)| CodeLens {
            range: Range::new(Position::new(*line, 0), Position::new(*line, 3)),
            ..gone(Position::new(*line, 0), title)
        };
        let found = lines.iter().map(lens).collect();
        let start = |it: &CodeLens| it.range.start.line as usize * 10;
        let (answer, is_other) = lenses.apply(found, is_typed, start, |byte| {
            Position::new(byte as u32 / 10, byte as u32 % 10)
        });
        let titles = answer
            .into_iter()
            .map(|it| (it.range.start.line, it.command.expect("a title").title));
        (titles.collect(), is_other)
    }

    fn titles(of: &[(u32, &str)]) -> Vec<(u32, String)> {
        of.iter().map(|it| (it.0, it.1.to_owned())).collect()
    }

    #[test]
    fn lenses_neither_come_nor_go_while_somebody_types() {
        let lenses = SteadyLenses::default();
        let first = [(1, "a"), (4, "b")];
        assert_eq!(
            answer(&lenses, &first, true),
            (titles(&first), false),
            "nothing was shown"
        );
        // The user types a line between the lenses. Afterwards one lens has a new title, one no longer applies, and one is new.
        lenses.edited(&(25..25), 10);
        let now = [(1, "c"), (3, "new")];
        assert_eq!(answer(&lenses, &now, true), (titles(&[(1, "c"), (5, "b")]), true));
        assert_eq!(answer(&lenses, &now, true), (titles(&[(1, "c"), (5, "b")]), true));
        assert_eq!(answer(&lenses, &now, false), (titles(&now), false));
        assert_eq!(answer(&lenses, &now, true), (titles(&now), false));
    }

    #[test]
    fn a_lens_goes_with_its_line() {
        let lenses = SteadyLenses::default();
        answer(&lenses, &[(1, "a"), (4, "b")], false);
        lenses.edited(&(5..15), 0);
        assert_eq!(answer(&lenses, &[(3, "b")], true), (titles(&[(3, "b")]), false));
        lenses.forget();
        assert_eq!(answer(&lenses, &[(7, "c")], true), (titles(&[(7, "c")]), false));
    }
}
