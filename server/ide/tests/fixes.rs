//! Every error on a page of a diagnostic code has a quick fix, or its code says why no fix can be known.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
};

use crd_analyzer_fixtures::{Block, Shape, blocks};
use crd_analyzer_ide::{
    completion,
    fixes::{self, FixKind, Problem},
    lens,
};
use crd_analyzer_workspace::{
    analysis::{Old, Question, analyze},
    codes,
    config::{Config, Level},
    costs::price,
    finding::Class,
    hazards::{Memory, Search},
    index::{Catalog, DefinitionText, Definitions, Files, GroupKind, MemoryFiles, NewFile, Origin, objects},
    lints::Lints,
    report::FileReport,
    versions::VersionSet,
};

/// The CRD of a page's resources.
struct Defined(Catalog);

impl Defined {
    fn new(now: &Block, before: Option<&Block>) -> Self {
        let path = Path::new("/definition.yaml");
        let files = |block: &Block| MemoryFiles([(path.to_owned(), block.fixture.text.clone())].into());
        let mut catalog = Catalog::new(files(now));
        if let Some(before) = before {
            catalog = catalog.compared_with(files(before));
        }
        let (text, objects) = objects(files(now).read(path).expect("the file"));
        catalog.change(|index| {
            index.set(&NewFile {
                path,
                origin: Origin::Workspace,
                text: &text,
                objects: &objects,
                keep_text: true,
            })
        });
        Self(catalog)
    }
}

impl completion::Definitions for Defined {
    fn find(&self, kind: &GroupKind) -> Option<Arc<DefinitionText>> {
        let found = self.0.with(|index| index.find(kind, Path::new("/cr.yaml")))?;
        self.0.text(&found.definition)
    }

    fn kinds(&self) -> Vec<GroupKind> {
        self.0
            .with(|index| index.definitions().map(|it| it.defines.clone()).collect())
    }
}

/// A finding of a block.
struct Shown {
    code: &'static str,
    is_error: bool,
    /// The titles of its fixes.
    fixes: Vec<String>,
}

fn shown(block: &Block, old: Option<&Block>, defined: Option<&Defined>) -> Vec<Shown> {
    let versions = block.versions.as_ref().map_or_else(
        || VersionSet::one(VersionSet::all().newest()),
        |versions| versions.parse().expect("minors"),
    );
    let memory = Memory::default();
    let judge = |text: &str| -> FileReport {
        let question = Question {
            named: true,
            old: old.map(|it| Old {
                text: it.fixture.text.as_bytes(),
                is_paired: true,
            }),
            definitions: defined.map(|it| &it.0 as &dyn Definitions),
            hazards: Search::All(&memory),
            is_completed: true,
            lints: Lints::All,
            ..Question::new(versions)
        };
        analyze(text.as_bytes().to_vec(), &question)
    };
    let report = judge(&block.fixture.text);
    let mut config = Config::default();
    let off = codes::OFF_BY_DEFAULT.iter();
    config.rules.extend(off.map(|it| ((*it).to_owned(), Level::Info)));
    let found = report.documents.iter().flat_map(|it| it.merged_findings(&config));
    let found = found.map(|it| it.finding).chain(report.findings.clone());
    let definitions: &dyn completion::Definitions = match defined {
        Some(defined) => defined,
        None => &(),
    };
    let fixes_of = |problem: Problem| {
        let look = |text: &str| Some(judge(text));
        let mut found = fixes::repairs(&report.text, [problem], problem.span, definitions, &look);
        let others = fixes::fixes(&report.text, [problem], problem.span);
        found.extend(others.into_iter().filter(|it| it.kind != FixKind::Ignore));
        if lens::is_about_cost(problem.code) {
            let costs = price(block.fixture.text.clone().into_bytes(), versions, true);
            found.extend(lens::fixes(&costs, [problem], problem.span, versions, &|| true));
        }
        found.into_iter().map(|it| it.title).collect()
    };
    found
        .map(|it| Shown {
            code: it.code,
            is_error: matches!(it.class, Class::Error | Class::LaterError),
            fixes: fixes_of(Problem::from(&it)),
        })
        .collect()
}

/// What the pages show of a code.
#[derive(Default)]
struct Row {
    is_error: bool,
    fixes: BTreeSet<String>,
}

fn table() -> BTreeMap<&'static str, Row> {
    let mut table: BTreeMap<&'static str, Row> = BTreeMap::new();
    for code in codes::all() {
        let (mut old, mut defined) = (None, None);
        for block in &blocks(code.page) {
            let found = match block.shape {
                Shape::Old => {
                    old = Some(block.clone());
                    continue;
                }
                Shape::Resource if defined.is_none() => continue,
                Shape::Resource => shown(block, old.take().as_ref(), defined.as_ref()),
                Shape::Documents => {
                    let before = old.take();
                    defined = Some(Defined::new(block, before.as_ref()));
                    shown(block, before.as_ref(), None)
                }
            };
            for it in found {
                let row = table.entry(it.code).or_default();
                row.is_error |= it.is_error;
                row.fixes.extend(it.fixes);
            }
        }
    }
    table
}

#[test]
fn every_error_has_a_fix_or_says_why_none_can_be_known() {
    let mut wrong = Vec::new();
    let table = table();
    let lints: Vec<&str> = crd_analyzer_workspace::lints::codes::ALL
        .iter()
        .map(|it| it.0)
        .collect();
    for code in codes::all() {
        let Some(row) = table.get(code.name) else { continue };
        match (row.fixes.is_empty(), code.without_fix) {
            (true, None) if row.is_error || lints.contains(&code.name) => {
                wrong.push(format!(
                    "`{}` has no fix: add one in `server/ide/src/fixes/repair/`, or `no_fix: \"…\"` with the reason in `codes.rs`",
                    code.name
                ));
            }
            (false, Some(why)) => wrong.push(format!(
                "`{}` has fixes, so remove its `no_fix: {why:?}` from `codes.rs`: {:?}",
                code.name, row.fixes
            )),
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let errors = table.values().filter(|it| it.is_error);
    let (with, without): (Vec<_>, Vec<_>) = errors.partition(|it| !it.fixes.is_empty());
    println!("{} codes of errors with a fix, {} without", with.len(), without.len());
}

#[test]
fn rules_and_lists_that_are_wrong_in_one_way_have_more_than_a_suppression() {
    let table = table();
    for (code, fix) in [
        ("always-true-rule", "Remove the rule"),
        ("missing-list-map-keys", "Tell items apart by host, and require it"),
        ("invalid-pattern", "Write the condition as a rule"),
        ("unused-suppression", "Remove the comment"),
        ("unknown-column-path", "Change replica to replicas"),
        ("undefined-required-property", "Change host to hosts"),
        ("repeated-name", "Remove the item"),
        ("unserved-version", "Change v9 to v1"),
        ("unknown-kind", "Change Widgets to Widget"),
    ] {
        let fixes = &table[code].fixes;
        assert!(fixes.contains(fix), "{code}: {fixes:?}");
    }
}
