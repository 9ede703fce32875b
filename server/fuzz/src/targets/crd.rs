//! CRDs from end to end: verdicts, hazards, costs and quick fixes, for any Kubernetes version.

use std::sync::Arc;

use crd_analyzer_ide::fixes::{self, Problem};
use crd_analyzer_syntax::{
    edit::known_difference,
    split::{Document, read_document, split},
    tree::Span,
};
use crd_analyzer_workspace::{
    comparison::revision::Revision,
    config::Config,
    config::versions::VersionSet,
    costs::FileCosts,
    findings::report::FileReport,
    judging::analysis::{Old, Question, Update, Wants, analyze},
    judging::hazards::{Memory, Search},
};

use crate::{
    Target, dictionary,
    input::{Input, input},
    spans::assert_in,
};

pub(super) const TARGET: Target = Target {
    name: "crd",
    run,
    seeds: |cases| {
        let alone = cases.definitions.iter().enumerate();
        let alone = alone.map(|(n, it)| input(&[0, n as u8], &[it]));
        let updates = cases.updates.iter().enumerate();
        let updates = updates.map(|(n, (old, new))| input(&[0, n as u8 | UPDATE], &[new, old]));
        alone.chain(updates).collect()
    },
    words: || {
        let mut words = dictionary::definition();
        words.extend(dictionary::expression());
        words
    },
};

const NAMED: u8 = 1;
const HAZARDS: u8 = 2;
const COSTS: u8 = 4;
const FIXES: u8 = 8;
const ALL_AT_ONCE: u8 = 16;
const TWO_VERSIONS: u8 = 32;
const UPDATE: u8 = 64;
const PAIRED: u8 = 128;

fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let version = input.version();
    let flags = input.number();
    let has = |flag: u8| flags & flag != 0;
    let (text, old) = (input.part(), input.part());
    let mut versions = VersionSet::one(version);
    if has(TWO_VERSIONS) {
        versions = versions.union(VersionSet::default());
    }
    let memory = Memory::default();
    let revision = (!has(UPDATE) && !old.is_empty()).then(|| Revision::new("HEAD", old));
    let question = Question {
        named: has(NAMED),
        update: Update {
            revision: revision.as_ref(),
            old: has(UPDATE).then_some(Old {
                text: old,
                is_paired: has(PAIRED),
            }),
            ..Update::default()
        },
        wants: Wants {
            hazards: if has(HAZARDS) {
                Search::All(&memory)
            } else {
                Search::Off
            },
            costs: has(COSTS),
            ..Wants::default()
        },
        ..Question::new(versions)
    };
    let report = analyze(text.to_vec(), &question);
    assert_sound(&report);
    if has(FIXES | ALL_AT_ONCE) {
        let judge = |text: &str| analyze(text.as_bytes().to_vec(), &question);
        fix(&report, flags, versions, &judge);
    }
}

/// Checks that the spans of all findings are in the text.
pub(super) fn assert_sound(report: &FileReport) {
    let text = &report.text;
    let verdicts = report.documents.iter().flat_map(|it| &it.verdicts);
    let findings = verdicts.flat_map(|it| it.1.findings()).chain(&report.findings);
    for finding in findings {
        assert_in(text, finding.span);
        assert!(!finding.headline.is_empty(), "{} says nothing", finding.code);
        for related in finding.related.iter().filter(|it| it.file.is_none()) {
            assert_in(text, related.span);
        }
        let _ = finding.server_note(true);
    }
    let config = Config::default();
    for document in &report.documents {
        assert_in(text, document.span);
    }
    let shown = report.merged_findings(&config);
    for shown in shown.iter().flatten() {
        let _ = shown.versions.to_string();
    }
    let _ = report.worst(&shown);
}

/// Checks that a readable text stays readable after quick fixes.
fn fix(report: &FileReport, flags: u8, versions: VersionSet, judge: &dyn Fn(&str) -> FileReport) {
    let judge = &|text: &str| Some(judge(text));
    let text = &report.text;
    let shown = report
        .documents
        .iter()
        .flat_map(|it| it.merged_findings(&Config::default()));
    let problems: Vec<Problem> = shown.map(|it| Problem::from(&it.finding)).take(12).collect();
    let whole = Span::new(0, text.len() as u32);
    let could_read = is_read_whole(text);
    let check = |edits: &[fixes::TextEdit], what: &str| {
        let edited = fixes::apply(text, edits);
        let edited = edited.unwrap_or_else(|| panic!("{what}: the edits do not fit {text:?}: {edits:?}"));
        assert!(!could_read || can_read(&edited), "{what} of {text:?} leaves {edited:?}");
    };
    for fix in fixes::fixes(text, problems.iter().cloned(), whole) {
        check(&fix.edits, &fix.title);
    }
    if flags & FIXES != 0 {
        for fix in fixes::repairs(text, problems.iter().cloned(), whole, &(), judge) {
            check(&fix.edits, &fix.title);
        }
        let costs = FileCosts {
            text: text.clone(),
            documents: report.costs.clone().into(),
        };
        for cost in crd_analyzer_ide::lens::costs(&costs) {
            assert_in(text, cost.span);
        }
        for fix in crd_analyzer_ide::lens::fixes(&costs, problems.iter().cloned(), whole, versions, &|| true) {
            check(&fix.edits, &fix.title);
        }
    }
    if flags & ALL_AT_ONCE != 0
        && let Some((edits, _)) = fixes::repair_all(text, problems.iter().cloned(), &(), judge)
    {
        check(&edits, "all repairs");
    }
}

/// Whether go-yaml reads the whole text. After a fix, a document may contain content after its root that go-yaml does not read.
fn is_read_whole(text: &str) -> bool {
    let text: Arc<str> = text.into();
    let known = |it: &Document| read_document(&text, *it, &[]).is_ok_and(|tree| known_difference(&tree).is_none());
    split(&text).documents.iter().all(known) && can_read(&text)
}

fn can_read(text: &str) -> bool {
    let text: Arc<str> = text.into();
    let cut = split(&text);
    cut.error.is_none() && cut.documents.iter().all(|it| read_document(&text, *it, &[]).is_ok())
}
