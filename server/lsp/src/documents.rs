//! The newest version of each document that is open in the client.

use std::{
    collections::{BTreeSet, HashMap, VecDeque},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use crd_analyzer_ide::file::Memory;
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::lines::ColumnUnit;
use crd_analyzer_workspace::{
    config::versions::VersionSet,
    costs::{self, DocumentCosts, FileCosts},
    sources,
};
use lsp_types::{TextDocumentContentChangeEvent, TextDocumentItem, Uri};
use ropey::Rope;
use tokio::sync::OnceCell;

use crate::{
    analysis::Analysis,
    content::Content,
    failing_objects::FailingObjects,
    from_proto::{self, path_of, place_of},
    late_changes::Recent,
    since_revision::SinceRevision,
    steady::{NEAR, SteadyErrors},
    steady_lenses::SteadyLenses,
    versions::{Parsed, Version},
    waits,
};

/// An open document.
#[derive(Debug)]
struct Document {
    /// The newest version.
    now: Snapshot,
    /// The document's path, or its URI if it is not a file, see [`place_of`].
    place: Arc<Path>,
    /// The last changes, in case an earlier change arrives late.
    recent: Recent,
}

/// One version of a document.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    pub(crate) uri: Uri,
    /// The version number of the client.
    pub(crate) version: i32,
    /// Our own version number, unique across documents. Work on a version compares it with `newest`, and stops if they differ.
    pub(crate) edition: u64,
    pub(crate) text: Rope,
    /// The end of the last edit, where the user is typing, as a byte offset. `None` before the first edit.
    pub(crate) cursor: Option<u32>,
    /// The errors shown so far.
    pub(crate) errors: Arc<SteadyErrors>,
    /// The code lenses that the client shows.
    pub(crate) lenses: Arc<SteadyLenses>,
    /// The objects that violate the constraints of the document's CRDs.
    pub(crate) failing: Arc<FailingObjects>,
    /// The known changes since a revision.
    pub(crate) changes: Arc<SinceRevision>,
    /// The time of the last change.
    changed: Instant,
    /// The time between the previous version and this one.
    pub(crate) since_previous: Option<Duration>,
    /// The analysis of this version, computed once for all callers.
    pub(crate) analysis: Arc<OnceCell<Arc<Analysis>>>,
    /// Locked while diagnostics of a version are computed and published.
    pub(crate) worked_on: Arc<tokio::sync::Mutex<()>>,
    /// The edition of the newest version.
    newest: Arc<AtomicU64>,
    /// The syntax trees of this version, built on first use.
    trees: Arc<Version>,
    content: Arc<Content>,
    /// The cost estimates of the document's rules, computed on first use.
    costs: Arc<OnceLock<Arc<[DocumentCosts]>>>,
    /// What features keep from one version to the next.
    memory: Arc<Memory>,
}

impl Snapshot {
    /// Whether the document has changed, or is no longer open.
    pub(crate) fn is_stale(&self) -> bool {
        self.newest.load(Ordering::Acquire) != self.edition
    }

    /// Whether the user is typing in the document. If so, lenses should not move.
    pub(crate) fn is_typed(&self) -> bool {
        self.cursor.is_some() && self.changed.elapsed() < waits::LENSES
    }

    /// The version with its syntax trees, built once for all callers. Building can take long, so call it on a thread that may block. It does not wait
    /// for an analysis.
    pub(crate) fn parsed(&self) -> Arc<Parsed> {
        self.trees.parsed(&self.text, &self.memory)
    }

    /// Like [`Self::parsed`], but does not keep newly built trees. For callers that look at many documents once.
    pub(crate) fn parsed_for_now(&self) -> Arc<Parsed> {
        self.trees.parsed_for_now(&self.text)
    }

    /// The text as one string, which concurrent users share.
    pub(crate) fn content(&self) -> Arc<str> {
        self.content.of(&self.text)
    }

    /// If an earlier version has syntax trees, updates them to this version, so that the next call has fewer edits to apply.
    pub(crate) fn refresh_tree(&self) {
        if self.trees.goes_on() && !self.is_stale() {
            self.parsed();
        }
    }

    /// The cost estimates of the rules for a Kubernetes version. Takes them from the analysis if possible, otherwise computes them once for all
    /// callers. This can take long, so call it on a thread that may block.
    pub(crate) fn costs(&self, version: KubernetesVersion) -> FileCosts {
        let known = self.analysis.get().and_then(|it| it.costs.clone());
        let documents = known.unwrap_or_else(|| {
            let price =
                || costs::price(String::from(&self.text).into_bytes(), VersionSet::one(version), false).documents;
            self.costs.get_or_init(price).clone()
        });
        // Without rules, the text is not needed, so do not keep a second copy.
        let text = if documents.is_empty() {
            "".into()
        } else {
            self.content()
        };
        FileCosts { text, documents }
    }

    /// The byte offset of an LSP position.
    pub(crate) fn offset(&self, position: lsp_types::Position, unit: ColumnUnit) -> u32 {
        self.text.char_to_byte(from_proto::position(&self.text, position, unit)) as u32
    }

    /// The language of the file, if manifests are generated from it.
    pub(crate) fn source(&self) -> Option<&'static sources::Row> {
        sources::of(&self.path()?)
    }

    /// The path of the document, if it is a file.
    pub(crate) fn path(&self) -> Option<PathBuf> {
        path_of(&self.uri)
    }
}

/// The edition of a closed document.
const CLOSED: u64 = u64::MAX;

/// All open documents, by URI as the client writes it.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    open: Mutex<Open>,
    /// Changes of documents that are not open yet, in order of arrival. Lock it only while holding the lock of `open`.
    early: Mutex<VecDeque<Early>>,
    editions: AtomicU64,
}

#[derive(Debug, Default)]
struct Open {
    documents: HashMap<String, Document>,
    /// The URIs of each path. An editor may open one file under several URIs.
    places: HashMap<Arc<Path>, BTreeSet<String>>,
    /// The paths of documents opened, changed or closed since the last call of `take_changed`.
    changed: BTreeSet<Arc<Path>>,
}

/// A change that arrived before its document was opened. Helix sends such changes for files that a rename opens.
#[derive(Debug)]
struct Early {
    uri: Uri,
    version: i32,
    changes: Vec<TextDocumentContentChangeEvent>,
}

/// The maximum number of early changes to keep. The oldest are dropped.
const MAX_EARLY: usize = 100;

/// The maximum total size of the text in early changes, in bytes.
const MAX_EARLY_BYTES: usize = 1 << 20;

impl Documents {
    /// Opens a document, or reopens an open one. Then applies changes that arrived early, if their versions follow the document's version.
    pub(crate) fn open(&self, item: TextDocumentItem, unit: ColumnUnit) {
        let mut open = self.lock();
        let text = Rope::from_str(&item.text);
        let edition = self.next_edition();
        let mut document = Document {
            place: place_of(&item.uri).into(),
            recent: Recent::new(item.version),
            now: Snapshot {
                failing: Arc::new(FailingObjects::new(text.clone())),
                text,
                cursor: None,
                errors: Arc::default(),
                lenses: Arc::default(),
                changes: Arc::default(),
                changed: Instant::now(),
                since_previous: None,
                version: item.version,
                edition,
                newest: Arc::new(AtomicU64::new(edition)),
                analysis: Arc::default(),
                trees: Arc::default(),
                content: Arc::default(),
                costs: Arc::default(),
                memory: Arc::default(),
                worked_on: Arc::default(),
                uri: item.uri,
            },
        };
        let mut waiting = self.lock_early();
        let (early, others): (VecDeque<_>, VecDeque<_>) = waiting.drain(..).partition(|it| it.uri == document.now.uri);
        *waiting = others;
        for change in early {
            if change.version == document.now.version + 1 {
                self.apply(&mut document, change.version, change.changes, unit);
            }
        }
        let (name, place) = (document.now.uri.to_string(), document.place.clone());
        open.places.entry(place.clone()).or_default().insert(name.clone());
        open.changed.insert(place);
        if let Some(old) = open.documents.insert(name, document) {
            old.now.newest.store(CLOSED, Ordering::Release);
        }
    }

    /// Applies the changes of a notification in order, even if notifications arrive out of order. Returns `false` and keeps the changes if the
    /// document is not open.
    pub(crate) fn change(
        &self,
        uri: &Uri,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        unit: ColumnUnit,
    ) -> bool {
        let mut open = self.lock();
        let Open { documents, changed, .. } = &mut *open;
        let Some(document) = documents.get_mut(uri.as_str()) else {
            let mut waiting = self.lock_early();
            waiting.push_back(Early {
                uri: uri.clone(),
                version,
                changes,
            });
            let mut bytes: usize = waiting.iter().map(|it| bytes_of(&it.changes)).sum();
            while waiting.len() > MAX_EARLY || bytes > MAX_EARLY_BYTES {
                let oldest = waiting.pop_front();
                bytes -= oldest.map_or(bytes, |it| bytes_of(&it.changes));
            }
            return false;
        };
        self.apply(document, version, changes, unit);
        changed.insert(document.place.clone());
        true
    }

    fn apply(
        &self,
        document: &mut Document,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        unit: ColumnUnit,
    ) {
        let line_of = |text: &Rope, offset: usize| text.byte_to_line(offset.min(text.len_bytes()));
        let line_before = document.now.cursor.map(|it| line_of(&document.now.text, it as usize));
        let (text, edits) = document.recent.take(&document.now.text, version, changes, unit);
        let now = &mut document.now;
        now.text = text;
        if let Some(edits) = &edits {
            let changes = Arc::make_mut(&mut now.changes);
            for edit in edits {
                now.lenses.edited(&edit.range, edit.text.len());
                now.failing.edited(&edit.range, edit.text.len());
                changes.edited(&edit.range, edit.text.len());
            }
        } else {
            now.lenses.forget();
            now.failing.forget();
            now.changes = Arc::default();
        }
        let last = edits.as_ref().and_then(|it| it.last());
        now.cursor = last.map(|it| (it.range.start + it.text.len()) as u32);
        let line = last.map(|it| line_of(&now.text, it.range.start));
        let is_near = line_before
            .zip(line)
            .is_some_and(|(before, now)| before.abs_diff(now) <= NEAR);
        if !is_near {
            now.errors.moved();
        }
        now.trees = std::mem::take(&mut now.trees).next(edits);
        now.since_previous = Some(now.changed.elapsed());
        now.changed = Instant::now();
        now.analysis = Arc::default();
        now.content = Arc::default();
        now.costs = Arc::default();
        now.version = now.version.max(version);
        now.edition = self.next_edition();
        now.newest.store(now.edition, Ordering::Release);
    }

    /// Removes a document. Returns `false` if it was not open.
    pub(crate) fn close(&self, uri: &Uri) -> bool {
        let mut open = self.lock();
        let closed = open.documents.remove(uri.as_str());
        self.lock_early().retain(|it| it.uri != *uri);
        let Some(document) = closed else {
            return false;
        };
        document.now.newest.store(CLOSED, Ordering::Release);
        if let Some(there) = open.places.get_mut(&document.place) {
            there.remove(uri.as_str());
            if there.is_empty() {
                open.places.remove(&document.place);
            }
        }
        open.changed.insert(document.place);
        true
    }

    /// Whether a document is open.
    pub(crate) fn is_open(&self, uri: &Uri) -> bool {
        self.lock().documents.contains_key(uri.as_str())
    }

    /// The newest version of a document.
    pub(crate) fn snapshot(&self, uri: &Uri) -> Option<Snapshot> {
        self.lock().documents.get(uri.as_str()).map(|it| it.now.clone())
    }

    /// The newest version of a document if it contains manifests, for features that read YAML.
    pub(crate) fn manifest(&self, uri: &Uri) -> Option<Snapshot> {
        self.snapshot(uri).filter(|it| it.source().is_none())
    }

    /// The newest version of a document if it is a source file that manifests are generated from.
    pub(crate) fn source_file(&self, uri: &Uri) -> Option<Snapshot> {
        self.snapshot(uri).filter(|it| it.source().is_some())
    }

    /// Whether a document has not changed or been analyzed again since the snapshot.
    pub(crate) fn is_current(&self, snapshot: &Snapshot) -> bool {
        let now = self.snapshot(&snapshot.uri);
        now.is_some_and(|it| it.version == snapshot.version && Arc::ptr_eq(&it.analysis, &snapshot.analysis))
    }

    /// The paths of documents opened, changed or closed since the last call, in a stable order.
    pub(crate) fn take_changed(&self) -> BTreeSet<Arc<Path>> {
        std::mem::take(&mut self.lock().changed)
    }

    /// The URIs of the open documents with a path.
    pub(crate) fn uris_at(&self, place: &Path) -> Vec<Uri> {
        let open = self.lock();
        let names = open.places.get(place).into_iter().flatten();
        names
            .filter_map(|it| open.documents.get(it).map(|it| it.now.uri.clone()))
            .collect()
    }

    /// The open document with a path. If there are several, the one that changed last.
    pub(crate) fn at(&self, place: &Path) -> Option<Snapshot> {
        let open = self.lock();
        let names = open.places.get(place)?.iter();
        let documents = names.filter_map(|it| open.documents.get(it));
        let last = documents.max_by_key(|it| it.now.edition)?;
        Some(last.now.clone())
    }

    /// Whether a document with this path is open.
    pub(crate) fn is_open_at(&self, place: &Path) -> bool {
        self.lock().places.contains_key(place)
    }

    /// Forgets the analysis of a document, because something that it depends on has changed.
    pub(crate) fn forget_analysis(&self, uri: &Uri) {
        if let Some(document) = self.lock().documents.get_mut(uri.as_str()) {
            document.now.analysis = Arc::default();
        }
    }

    /// Replaces the analysis of a version with a more complete one. Returns `false` if the document has changed or was analyzed again.
    pub(crate) fn set_analysis(&self, snapshot: &Snapshot, analysis: Arc<Analysis>) -> bool {
        let mut open = self.lock();
        let Some(Document { now, .. }) = open.documents.get_mut(snapshot.uri.as_str()) else {
            return false;
        };
        let is_current = now.version == snapshot.version && Arc::ptr_eq(&now.analysis, &snapshot.analysis);
        if is_current {
            now.analysis = Arc::new(OnceCell::new_with(Some(analysis)));
        }
        is_current
    }

    /// Stores the known changes of a version. Returns `false` if the document has changed.
    pub(crate) fn set_changes(&self, snapshot: &Snapshot, changes: SinceRevision) -> bool {
        let mut open = self.lock();
        let document = open.documents.get_mut(snapshot.uri.as_str());
        let document = document.filter(|it| it.now.edition == snapshot.edition);
        let Some(document) = document else {
            return false;
        };
        document.now.changes = Arc::new(changes);
        true
    }

    /// The URIs of all open documents, in a stable order.
    pub(crate) fn uris(&self) -> Vec<Uri> {
        let mut uris: Vec<_> = self.lock().documents.values().map(|it| it.now.uri.clone()).collect();
        uris.sort();
        uris
    }

    /// Forgets all analyses, because something that they depend on has changed.
    pub(crate) fn forget_analyses(&self) {
        for document in self.lock().documents.values_mut() {
            document.now.analysis = Arc::default();
            document.now.costs = Arc::default();
        }
    }

    fn next_edition(&self) -> u64 {
        self.editions.fetch_add(1, Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        // A panic under the lock is already reported, and the documents are still usable.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_early(&self) -> MutexGuard<'_, VecDeque<Early>> {
        self.early.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn bytes_of(changes: &[TextDocumentContentChangeEvent]) -> usize {
    changes.iter().map(|it| it.text.len()).sum()
}

#[cfg(test)]
mod tests {
    use crd_analyzer_syntax::lines::LineIndex;
    use lsp_types::{Position, Range};

    use super::*;

    fn edit(line: u32, from: u32, to: u32, text: &str) -> TextDocumentContentChangeEvent {
        TextDocumentContentChangeEvent {
            range: Some(Range::new(Position::new(line, from), Position::new(line, to))),
            range_length: None,
            text: text.to_owned(),
        }
    }

    #[test]
    fn changes_of_one_notification_build_on_each_other() {
        let documents = Documents::default();
        let uri: Uri = "file:///a.yaml".parse().unwrap();
        documents.open(
            TextDocumentItem::new(uri.clone(), "yaml".to_owned(), 1, "a: 😀b\r\nc: 1\n".to_owned()),
            ColumnUnit::Utf16,
        );
        let first = documents.snapshot(&uri).unwrap();
        let changes = vec![edit(0, 5, 6, "x\ny"), edit(1, 1, 1, "z"), edit(2, 0, 1, "d")];
        assert!(documents.change(&uri, 2, changes, ColumnUnit::Utf16));
        let second = documents.snapshot(&uri).unwrap();
        assert_eq!(second.text.to_string(), "a: 😀x\nyz\r\nd: 1\n");
        assert!(first.is_stale() && !second.is_stale());
        assert_eq!(
            first.text.to_string(),
            "a: 😀b\r\nc: 1\n",
            "an older snapshot stays what it was"
        );
        let whole = TextDocumentContentChangeEvent {
            range: None,
            range_length: None,
            text: "new".to_owned(),
        };
        assert!(documents.change(&uri, 3, vec![whole, edit(0, 0, 99, "")], ColumnUnit::Utf16));
        assert_eq!(documents.snapshot(&uri).unwrap().text.len_bytes(), 0);
        let third = documents.snapshot(&uri).unwrap();
        assert!(documents.close(&uri) && !documents.close(&uri) && third.is_stale());
        assert!(!documents.change(&uri, 4, Vec::new(), ColumnUnit::Utf16));
    }

    #[test]
    fn changes_before_the_opening_are_applied_if_they_go_on_from_it() {
        let documents = Documents::default();
        let text_after = |version: i32| {
            let uri: Uri = "file:///a.yaml".parse().unwrap();
            assert!(!documents.change(&uri, 1, vec![edit(0, 0, 1, "b")], ColumnUnit::Utf16));
            assert!(!documents.change(&uri, 2, vec![edit(0, 1, 1, "c")], ColumnUnit::Utf16));
            let item = TextDocumentItem::new(uri.clone(), "yaml".to_owned(), version, "a: 1\n".to_owned());
            documents.open(item, ColumnUnit::Utf16);
            let now = documents.snapshot(&uri).unwrap();
            documents.close(&uri);
            (now.text.to_string(), now.version)
        };
        assert_eq!(text_after(0), ("bc: 1\n".to_owned(), 2));
        assert_eq!(text_after(1), ("ac: 1\n".to_owned(), 2));
        assert_eq!(text_after(7), ("a: 1\n".to_owned(), 7), "they were of another opening");
    }

    /// Applies random edits to a document and to a plain string, and compares the two. The line index converts the string's positions.
    #[test]
    fn random_edits_agree_with_a_plain_text() {
        const PIECES: [&str; 9] = ["a", "bc", "é", "😀", "\n", "\r\n", "\r", "\u{2028}", ""];
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut below = move |bound: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % bound as u64) as usize
        };
        let uri: Uri = "file:///a.yaml".parse().unwrap();
        for round in 0..300 {
            let unit = [ColumnUnit::Utf8, ColumnUnit::Utf16, ColumnUnit::Utf32][round % 3];
            let mut text: String = (0..below(30)).map(|_| PIECES[below(PIECES.len())]).collect();
            let documents = Documents::default();
            documents.open(
                TextDocumentItem::new(uri.clone(), "yaml".to_owned(), 0, text.clone()),
                ColumnUnit::Utf16,
            );
            for version in 1..20 {
                let insert: String = (0..below(4)).map(|_| PIECES[below(PIECES.len())]).collect();
                let mut place = || Position::new(below(12) as u32, below(12) as u32);
                let (one, two) = (place(), place());
                let range = Range::new(one.min(two), one.max(two));
                let lines = LineIndex::new(&text);
                let at = |it: Position| lines.offset(&text, it.line, it.character, unit) as usize;
                let bytes = at(range.start)..at(range.end);
                let change = TextDocumentContentChangeEvent {
                    range: Some(range),
                    range_length: None,
                    text: insert.clone(),
                };
                assert!(documents.change(&uri, version, vec![change], unit));
                let before = text.clone();
                text.replace_range(bytes, &insert);
                let now = documents.snapshot(&uri).unwrap().text.to_string();
                assert_eq!(now, text, "{range:?} in {unit:?} of {before:?}");
            }
        }
    }
}
