//! The syntax trees of a document's versions, each updated from those of the previous version.

use std::{
    ops::Range,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crd_analyzer_ide::file::{File, Memory};
use crd_analyzer_syntax::lines::LineIndex;
use ropey::Rope;

/// The maximum number of edits to apply one by one. Beyond that, parsing the whole text again is as fast.
const MOST: usize = 32;

/// The syntax trees and line index of a version of a document.
#[derive(Clone, Debug)]
pub(crate) struct Parsed {
    pub(crate) file: File,
    pub(crate) lines: LineIndex,
}

/// A replacement of a byte range.
#[derive(Clone, Debug)]
pub(crate) struct Edit {
    pub(crate) range: Range<usize>,
    pub(crate) text: String,
}

/// The syntax trees of one version of a document, built on first use.
#[derive(Debug, Default)]
pub(crate) struct Version {
    /// The trees. The next version takes them out, so that trees without other users are not copied.
    parsed: Mutex<Option<Arc<Parsed>>>,
    before: Mutex<Option<Before>>,
}

/// An older version, and the edits since.
#[derive(Debug)]
struct Before {
    version: Arc<Version>,
    edits: Vec<Edit>,
}

impl Version {
    /// The next version after some edits. `None` means that the whole text was replaced.
    pub(crate) fn next(self: Arc<Self>, edits: Option<Vec<Edit>>) -> Arc<Self> {
        let Some(edits) = edits else {
            return Arc::default();
        };
        // If this version was never used, build the next one from the version before it.
        let before = lock(&self.before).take();
        let before = match before {
            Some(mut before) => {
                before.edits.extend(edits);
                before
            }
            None => Before { version: self, edits },
        };
        Arc::new(Self {
            parsed: Mutex::default(),
            before: Mutex::new(Some(before).filter(|it| it.edits.len() <= MOST)),
        })
    }

    /// The trees of the version, built once for all callers. `text` is the text of the version.
    pub(crate) fn parsed(&self, text: &Rope, memory: &Arc<Memory>) -> Arc<Parsed> {
        let mut parsed = lock(&self.parsed);
        let make = || {
            let before = lock(&self.before).take();
            let edited = before.and_then(Before::edited);
            Arc::new(edited.unwrap_or_else(|| Parsed::new(text, memory.clone())))
        };
        parsed.get_or_insert_with(make).clone()
    }

    /// The existing trees. If there are none, builds trees for this call and does not keep them.
    pub(crate) fn parsed_for_now(&self, text: &Rope) -> Arc<Parsed> {
        let known = lock(&self.parsed).clone();
        known.unwrap_or_else(|| Arc::new(Parsed::new(text, Arc::default())))
    }

    /// Whether an older version has trees that can be updated, which means that somebody uses this document's trees.
    pub(crate) fn goes_on(&self) -> bool {
        // Does not wait for a thread that is building trees.
        let is_there = |it: &Before| it.version.parsed.try_lock().is_ok_and(|it| it.is_some());
        lock(&self.before).as_ref().is_some_and(is_there)
    }
}

impl Before {
    /// The trees after the edits. `None` if the older version has no trees.
    fn edited(self) -> Option<Parsed> {
        let parsed = lock(&self.version.parsed).take()?;
        // Copies the trees only if somebody still uses those of the older version.
        let mut parsed = Arc::unwrap_or_clone(parsed);
        for edit in self.edits {
            parsed.file.edit(edit.range.clone(), &edit.text);
            parsed.lines.edit(parsed.file.text(), edit.range, edit.text.len());
        }
        Some(parsed)
    }
}

impl Parsed {
    /// A version of a text that is not open in the editor.
    pub(crate) fn of(text: String) -> Self {
        Self::read(text, Arc::default())
    }

    fn new(text: &Rope, memory: Arc<Memory>) -> Self {
        Self::read(String::from(text), memory)
    }

    fn read(text: String, memory: Arc<Memory>) -> Self {
        let lines = LineIndex::new(&text);
        let file = File::new(text, memory);
        Self { file, lines }
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic under the lock is already reported, and missing trees are built again.
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(range: Range<usize>, text: &str) -> Vec<Edit> {
        vec![Edit {
            range,
            text: text.to_owned(),
        }]
    }

    #[track_caller]
    fn check(version: &Arc<Version>, text: &str) -> Arc<Parsed> {
        // `parsed` ignores its text if the trees are updated from another version.
        let parsed = version.parsed(&Rope::from_str("other"), &Arc::default());
        assert_eq!((&**parsed.file.text(), &parsed.lines), (text, &LineIndex::new(text)));
        parsed
    }

    #[test]
    fn versions_go_on_from_what_was_asked_for() {
        let first: Arc<Version> = Arc::default();
        let parsed = first.parsed(&Rope::from_str("a: 1\n"), &Arc::default());
        assert!(!first.goes_on());
        let second = first.next(Some(edit(3..4, "23")));
        assert!(second.goes_on());
        // The second version is never used.
        let third = second.next(Some(edit(0..0, "# x\n")));
        check(&third, "# x\na: 23\n");
        assert_eq!(&**parsed.file.text(), "a: 1\n", "the first version stays as it is");
        let fourth = third.clone().next(Some(edit(0..4, "")));
        check(&fourth, "a: 23\n");
        assert!(lock(&third.parsed).is_none());
        let fifth = fourth.next(None);
        assert!(!fifth.goes_on());
        check(&fifth, "other");
    }

    #[test]
    fn many_edits_are_not_made_up_for() {
        let mut version: Arc<Version> = Arc::default();
        version.parsed(&Rope::from_str("a"), &Arc::default());
        for _ in 0..MOST {
            version = version.next(Some(edit(1..1, "b")));
        }
        assert!(version.goes_on());
        version = version.next(Some(edit(1..1, "b")));
        assert!(!version.goes_on());
        check(&version, "other");
    }
}
