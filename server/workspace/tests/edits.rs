//! Checks that caches do not change answers. After each random edit, the answer must be the same as without caches.
//!
//! `CRD_ANALYZER_EDITS=100..1000` uses these seeds instead of the few that each test run uses.

use std::{ops::Range, path::Path, sync::Arc};

use crd_analyzer_fixtures::{
    own,
    random::{Random, seeds},
};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::{incremental::IncrementalTrees, read_json, split, tree::Tree};
use crd_analyzer_workspace::{
    comparison::revision::Revision,
    config::versions::VersionSet,
    documents::last_trees::LastTrees,
    findings::report::FileReport,
    index::{Catalog, MemoryFiles, NewFile, Origin, objects_of},
    judging::analysis::{Around, Question, Update, Wants, analyze, analyze_and_keep},
    judging::hazards::{Memory, Search},
    judging::typing::{Typing, analyze_typing},
};

/// The seeds of a normal test run.
const SEEDS: Range<u64> = 0..12;

/// The number of edits for each seed.
const EDITS: usize = 12;

/// The maximum length of a text, in bytes. Longer texts would make the test slow.
const MOST_BYTES: usize = 16 << 10;

/// The path of the CRD. The custom resources are in the same folder.
const CRD: &str = "/0.yaml";

/// The caches that are kept between edits.
struct Session {
    catalog: Catalog,
    memory: Memory,
    last_trees: Arc<LastTrees>,
    revision: Revision,
}

impl Session {
    /// Creates empty caches. `committed` is the text of the file in the git revision that it would replace.
    fn new(committed: &str) -> Self {
        Self {
            catalog: Catalog::new(MemoryFiles::default()),
            memory: Memory::default(),
            last_trees: Arc::new(LastTrees::with_json_from(0)),
            revision: Revision::new("HEAD", committed.as_bytes()),
        }
    }

    fn put(&self, path: &str, text: &str) {
        let text: Arc<str> = text.into();
        let file = NewFile {
            path: Path::new(path),
            origin: Origin::Workspace,
            text: &text,
            objects: &objects_of(&text),
            keep_text: true,
        };
        self.catalog.change(|index| index.set(&file));
    }

    fn question<'a>(&'a self, path: &'a str, versions: VersionSet, hazards: Search<'a>) -> Question<'a> {
        Question {
            path: Some(Path::new(path)),
            around: Around::crds(&self.catalog),
            update: Update {
                revision: Some(&self.revision),
                ..Update::default()
            },
            wants: Wants {
                costs: true,
                hazards,
                ..Wants::default()
            },
            ..Question::new(versions)
        }
    }

    /// The answer with all hazards, computed at once.
    fn judge(&self, path: &str, text: &str, versions: VersionSet) -> FileReport {
        analyze(text.into(), &self.question(path, versions, Search::All(&self.memory)))
    }

    /// The answer while the user types at the byte offset `cursor`.
    fn judge_typing(&self, path: &str, text: &str, versions: VersionSet, cursor: Option<u32>) -> FileReport {
        let question = self.question(path, versions, Search::All(&self.memory));
        let typing = Typing {
            cursor,
            last_trees: Some(&self.last_trees),
        };
        analyze_typing(text.into(), &question, typing).0
    }

    /// The answer with only the known hazards, followed by a search for the others.
    fn judge_and_search(&self, path: &str, text: &str, versions: VersionSet) -> FileReport {
        let question = self.question(path, versions, Search::Remembered(&self.memory));
        let (mut report, mut kept) = analyze_and_keep(text.into(), &question);
        kept.search(&mut report, &self.memory, question.path, None);
        report
    }
}

/// Whether every document is YAML that converts to JSON.
fn is_readable(text: &str) -> bool {
    let found = split::split(text);
    let is_readable = |it: &split::Document| {
        let tree = split::read_document(&text.into(), *it, &[]);
        tree.is_ok_and(|it| read_json(&it).is_ok())
    };
    found.error.is_none() && found.documents.iter().all(is_readable)
}

fn check(seed: u64) {
    let mut random = Random::new(seed);
    let mut texts = own::side_by_side(&mut random);
    let at = random.below(texts.len());
    let path = |at: usize| format!("/{at}.yaml");
    let all: Vec<_> = KubernetesVersion::all().collect();
    let versions = VersionSet::one(all[all.len() - 1 - random.below(3)]);
    let committed = texts[at].clone();
    let session = Session::new(&committed);
    let mut trees = IncrementalTrees::new(texts[at].as_str());
    for (at, text) in texts.iter().enumerate() {
        session.put(&path(at), text);
    }
    session.judge(&path(at), &texts[at], versions);
    for number in 0..EDITS {
        // Usually edit the checked file, sometimes the CRD.
        let edited = if random.once_in(4) { 0 } else { at };
        let edit = random.edit(&texts[edited]);
        let before = texts[edited].clone();
        edit.apply(&mut texts[edited]);
        // While a CRD cannot be parsed, its last valid text applies. New caches do not have that text, so skip the comparison.
        let is_lost = edited == 0 && at != 0 && !is_readable(&texts[0]);
        if is_lost || texts[edited].len() > MOST_BYTES {
            texts[edited] = before;
        }
        session.put(&path(edited), &texts[edited]);
        let text = &texts[at];
        let why = || {
            format!(
                "seed {seed}, edit {number}, {edit:?} in {edited}, of {text:?}, CRD {:?}",
                texts[0]
            )
        };
        trees.update(text.as_str());
        let fresh: Vec<Tree> = IncrementalTrees::new(text.as_str()).trees().collect();
        assert_eq!(trees.trees().collect::<Vec<_>>(), fresh, "{}", why());
        let later = session.judge_and_search(&path(at), text, versions);
        let at_once = session.judge(&path(at), text, versions);
        let fresh = Session::new(&committed);
        fresh.put(CRD, &texts[0]);
        fresh.put(&path(at), text);
        let expected = fresh.judge(&path(at), text, versions);
        assert!(later == expected, "{}: {later:#?}\ninstead of {expected:#?}", why());
        let typed = session.judge_typing(&path(at), text, versions, None);
        assert!(typed == expected, "{}: {typed:#?}\ninstead of {expected:#?}", why());
        // While the user types, an entry is left out if it is unfinished or has a value of the wrong type.
        let mut verdicts = expected.documents.iter().flat_map(|it| &it.verdicts);
        if is_readable(text) && verdicts.all(|it| it.1.decode_error.is_none()) {
            let cursor = Some(random.below(text.len() + 1) as u32);
            let typing = session.judge_typing(&path(at), text, versions, cursor);
            assert!(typing == expected, "{}: {typing:#?}\ninstead of {expected:#?}", why());
        }
        assert!(at_once == expected, "{}: {at_once:#?}\ninstead of {expected:#?}", why());
    }
}

#[test]
fn an_answer_does_not_depend_on_what_was_seen_before() {
    for seed in seeds("CRD_ANALYZER_EDITS", SEEDS) {
        check(seed);
    }
}
