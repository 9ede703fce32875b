//! Checks that every error on the page of a diagnostic code has a quick fix. If there can be none, the code must say why.

mod resources;

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
    codes::{self, HasFix},
    config::versions::VersionSet,
    config::{Config, Level},
    costs::price,
    documents::source::SourceText,
    findings::finding::{Class, Severity},
    findings::report::FileReport,
    index::{Catalog, CrdText, Definitions, Files, GroupKind, MemoryFiles, NewFile, Origin, objects},
    judging::analysis::{Around, Old, Question, Update, Wants, analyze},
    judging::hazards::{Memory, Search},
    judging::lints::Lints,
    roles::Uses,
};

/// The CRDs for the resources on a page.
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
    fn find(&self, kind: &GroupKind) -> Option<Arc<CrdText>> {
        let found = self.0.with(|index| index.find(kind, Path::new("/cr.yaml")))?;
        self.0.text(&found.definition)
    }

    fn kinds(&self) -> Vec<GroupKind> {
        self.0
            .with(|index| index.definitions().map(|it| it.defines.clone()).collect())
    }
}

/// A finding in a code block of a page.
struct Shown {
    code: &'static str,
    is_error: bool,
    severity: &'static str,
    /// The help texts.
    help: Vec<String>,
    /// The fixes of the finding. Editors preselect the first one.
    fixes: Vec<Offered>,
}

/// An offered fix.
#[derive(Debug)]
struct Offered {
    title: String,
    is_preferred: bool,
    /// Whether the fix removes text that the author wrote.
    removes: bool,
    /// The text that the fix inserts.
    writes: String,
    /// The text of the file after the fix.
    edited: String,
}

fn shown((block, asked): (&Block, Option<VersionSet>), old: Option<&Block>, defined: Option<&Defined>) -> Vec<Shown> {
    let of_page = || {
        block.versions.as_ref().map_or_else(
            || VersionSet::one(VersionSet::all().newest()),
            |versions| versions.parse().expect("minors"),
        )
    };
    let versions = asked.unwrap_or_else(of_page);
    let memory = Memory::default();
    let judge = |text: &str| -> FileReport {
        let question = Question {
            named: true,
            update: Update {
                old: old.map(|it| Old {
                    text: it.fixture.text.as_bytes(),
                    is_paired: true,
                }),
                ..Update::default()
            },
            around: Around {
                definitions: defined.map(|it| &it.0 as &dyn Definitions),
                ..Around::default()
            },
            wants: Wants {
                hazards: Search::All(&memory),
                lints: Lints::All,
                ..Wants::default()
            },
            uses: Uses::COMPLETED,
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
        let (span, asked) = (problem.span, || [problem.clone()]);
        let look = |text: &str| Some(judge(text));
        let mut found = fixes::repairs(&report.text, asked(), span, definitions, &look);
        let others = fixes::fixes(&report.text, asked(), span);
        found.extend(others.into_iter().filter(|it| it.kind != FixKind::Ignore));
        if lens::is_about_cost(problem.code) {
            let costs = price(block.fixture.text.clone().into_bytes(), versions, true);
            found.extend(lens::fixes(&costs, asked(), span, versions, &|| true));
        }
        let offered = found.into_iter().map(|it| Offered {
            is_preferred: it.preferred,
            removes: it.removes(&report.text),
            edited: fixes::apply(&report.text, &it.edits).expect("the edits fit"),
            writes: it
                .edits
                .iter()
                .map(|it| it.new_text.as_str())
                .collect::<Vec<_>>()
                .join("\n"),
            title: it.title,
        });
        let mut offered: Vec<_> = offered.collect();
        let declare = |_: &SourceText, text: &str| look(text);
        for it in fixes::declarations(&report.text, asked(), span, definitions, &declare) {
            let at = offered.iter().position(|it| it.removes).unwrap_or(offered.len());
            let declaration = Offered {
                is_preferred: false,
                removes: false,
                edited: report.text.to_string(),
                writes: it.edits.iter().map(|it| it.new_text.as_str()).collect(),
                title: it.title,
            };
            offered.insert(at, declaration);
        }
        offered
    };
    found
        .map(|it| Shown {
            code: it.code,
            is_error: matches!(it.class, Class::Error | Class::LaterError),
            // A finding of ours may be a warning.
            severity: match it.severity {
                Severity::Warning => "warning",
                _ => it.class.severity().word(),
            },
            fixes: fixes_of(Problem::from(&it)),
            help: it.help.clone(),
        })
        .collect()
}

/// The facts about a code, as its page shows them.
#[derive(Default)]
struct Row {
    is_error: bool,
    severities: BTreeSet<&'static str>,
    fixes: BTreeSet<String>,
    /// Whether one of its fixes may be applied without asking.
    has_safe_fix: bool,
}

/// The findings in the blocks of a page.
fn found_in(page: &str) -> Vec<Shown> {
    found_by(page, None)
}

/// The findings in the code blocks of a page, for the given Kubernetes versions or, without them, for the versions of the page.
fn found_by(page: &str, versions: Option<VersionSet>) -> Vec<Shown> {
    let (mut old, mut defined) = (None, None);
    let mut all = Vec::new();
    for block in &blocks(page) {
        match block.shape {
            Shape::Old => old = Some(block.clone()),
            Shape::Go => {}
            Shape::Resource if defined.is_none() => {}
            Shape::Resource => all.extend(shown((block, versions), old.take().as_ref(), defined.as_ref())),
            Shape::Documents => {
                let before = old.take();
                defined = Some(Defined::new(block, before.as_ref()));
                all.extend(shown((block, versions), before.as_ref(), None));
            }
        }
    }
    all
}

fn table() -> BTreeMap<&'static str, Row> {
    let mut table: BTreeMap<&'static str, Row> = BTreeMap::new();
    for code in codes::all() {
        for it in found_in(code.page) {
            let row = table.entry(it.code).or_default();
            row.is_error |= it.is_error;
            // An error that the API server reports only after others are fixed is still an error.
            row.severities.insert(if it.is_error { "error" } else { it.severity });
            row.has_safe_fix |= it.fixes.iter().any(|it| it.is_preferred);
            row.fixes.extend(it.fixes.into_iter().map(|it| it.title));
        }
    }
    table
}

/// A fix that is in the wrong order, if there is one. It removes text, but precedes a fix that keeps the text, or is preferred to it.
fn misplaced(fixes: &[Offered]) -> Option<&Offered> {
    let keeps = |it: &Offered| !it.removes;
    let last_kept = fixes.iter().rposition(keeps)?;
    let mut before = fixes.iter().take(last_kept).filter(|it| it.removes);
    before
        .next()
        .or_else(|| fixes.iter().find(|it| it.removes && it.is_preferred))
}

#[test]
fn nothing_that_is_written_goes_where_a_fix_keeps_it() {
    let mut both = 0;
    for code in codes::all() {
        for it in found_in(code.page) {
            assert!(
                misplaced(&it.fixes).is_none(),
                "{} on the page of {}: {:?}",
                it.code,
                code.name,
                it.fixes
            );
            both += usize::from(it.fixes.iter().any(|it| it.removes) && it.fixes.iter().any(|it| !it.removes));
        }
    }
    println!("{both} diagnostics with fixes of both kinds");
    assert!(both > 10, "{both}");
}

/// Codes whose help has more than the fixes on their pages: it depends on the author's intent, contains an example, or uses other words.
const MORE_HELP_THAN_FIXES: [&str; 85] = [
    "all-of-mismatch",
    "any-of-mismatch",
    "contradictory-bounds",
    "default-unknown-field",
    "division-by-zero",
    "duplicate-key",
    "embedded-resource-additional-properties",
    "format-mismatch",
    "granular-set-items",
    "integer-overflow",
    "invalid-annotation",
    "invalid-ca-bundle",
    "invalid-field-path",
    "invalid-finalizer",
    "invalid-group",
    "invalid-label",
    "invalid-list-map-items",
    "invalid-list-map-key",
    "invalid-metadata-name",
    "invalid-metadata-namespace",
    "invalid-owner-reference",
    "invalid-pattern",
    "invalid-review-version",
    "invalid-selectable-field",
    "invalid-webhook-service",
    "invalid-webhook-url",
    "items-list",
    "keyword-at-root-with-status",
    "list-map-keys-without-map",
    "list-type-without-array",
    "malformed-suppression",
    "metadata-decode",
    "metadata-restriction",
    "missing-column-field",
    "missing-message",
    "missing-property",
    "missing-resource-name",
    "missing-review-versions",
    "missing-schema",
    "missing-webhook",
    "no-matching-overload",
    "no-served-version",
    "not-mismatch",
    "null-type",
    "number-too-large",
    "number-too-small",
    "old-self-on-create",
    "one-of-mismatch",
    "optional-list-map-key",
    "pattern-matches-everything",
    "pattern-matches-nothing",
    "pattern-mismatch",
    "policy-duplicate",
    "policy-invalid-value",
    "policy-missing-field",
    "properties-lost-in-storage",
    "ratcheted-rule",
    "root-additional-properties",
    "rule-evaluation",
    "rule-failed",
    "rule-result-type",
    "rule-type-error",
    "scale-path-elsewhere",
    "scale-type-mismatch",
    "selectable-field-without-schema",
    "set-of-objects",
    "several-crds",
    "status-without-subresource",
    "storage-version-count",
    "stored-object-invalid",
    "stored-object-refused",
    "stored-versions",
    "suppression-without-reason",
    "type-meta",
    "uncorrelatable-old-self",
    "undeclared-reference",
    "unguarded-index",
    "unique-items",
    "unknown-column-format",
    "unknown-kind",
    "unknown-scale-path",
    "unknown-type",
    "unrecognized-format",
    "unsupported-keyword",
    "wrong-type",
];

/// The words in backquotes that a help text tells users to type, without words that depend on the place.
fn promised(alternative: &str) -> Vec<String> {
    let codes = alternative.split('`').skip(1).step_by(2);
    codes
        .map(|it| plain(it.trim_end_matches(" …").trim_end_matches(" ||")))
        .collect()
}

/// A text without quotes.
fn plain(text: &str) -> String {
    text.chars().filter(|it| !matches!(it, '"' | '\'' | '`')).collect()
}

#[test]
fn fixes_do_what_help_says() {
    let mut broken: BTreeMap<&'static str, BTreeSet<String>> = BTreeMap::new();
    let mut kept = 0;
    for code in codes::all() {
        for it in found_in(code.page) {
            // What to write in Go, instead of the help above it, has its fix in the Go file.
            let of_yaml = it.help.iter().filter(|it| !it.starts_with("in Go: "));
            for alternative in of_yaml.flat_map(|it| it.split(", or ")) {
                let promised = promised(alternative);
                let does = |fix: &Offered| {
                    let text = plain(&format!("{} {}", fix.title, fix.writes));
                    promised.iter().any(|it| text.contains(it.as_str()))
                        || fix.removes && ["remove", "keep one"].iter().any(|it| alternative.starts_with(it))
                };
                if promised.is_empty() || it.fixes.iter().any(does) {
                    kept += 1;
                } else {
                    broken.entry(it.code).or_default().insert(alternative.to_owned());
                }
            }
        }
    }
    let unknown = broken.iter().filter(|it| !MORE_HELP_THAN_FIXES.contains(it.0));
    let unknown: Vec<_> = unknown.collect();
    assert!(
        unknown.is_empty(),
        "help says what no fix does: add a fix in `server/ide/src/fixes/repair/`, or the code to the list: {unknown:?}"
    );
    let mended = MORE_HELP_THAN_FIXES.iter().filter(|it| !broken.contains_key(*it));
    assert_eq!(
        mended.collect::<Vec<_>>(),
        Vec::<&&str>::new(),
        "take these codes from the list"
    );
    println!("{kept} sentences of help have a fix");
}

#[test]
fn every_error_has_a_fix_or_says_why_none_can_be_known() {
    let mut wrong = Vec::new();
    let table = table();
    let lints: Vec<&str> = crd_analyzer_workspace::judging::lints::ALL
        .iter()
        .map(|it| it.code)
        .collect();
    for code in codes::all() {
        let Some(row) = table.get(code.name) else { continue };
        match (row.fixes.is_empty(), code.without_fix) {
            (true, None) if row.is_error || lints.contains(&code.name) => {
                wrong.push(format!(
                    "`{}` has no fix: add one in `server/ide/src/fixes/repair/` (of a lint in its file), or `no_fix` with the reason",
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
        ("missing-list-map-keys", "Identify items by host, and require it"),
        ("invalid-pattern", "Write the condition as a rule"),
        ("unused-suppression", "Remove the comment"),
        ("unknown-column-path", "Change replica to replicas"),
        ("unknown-scale-path", "Add count to the schema"),
        ("optional-field-read", "List minReplicas in required"),
        ("undefined-required-property", "Change host to hosts"),
        ("repeated-name", "Remove the item"),
        ("unserved-version", "Change v9 to v1"),
        ("unknown-kind", "Change Widgets to Widget"),
    ] {
        let fixes = &table[code].fixes;
        assert!(fixes.contains(fix), "{code}: {fixes:?}");
    }
}

/// The facts in the table agree with the examples on the pages, because the lists on the pages are generated from the table.
#[test]
fn facts_are_what_the_pages_show() {
    let mut wrong = Vec::new();
    for (code, row) in table() {
        let facts = codes::find(code).and_then(|it| it.facts()).expect("a row of the table");
        let fix = match (row.fixes.is_empty(), row.has_safe_fix) {
            // The pages are checked without a revision: the tests of the language server have these fixes.
            (true, _) if facts.fix == HasFix::Restored => HasFix::Restored,
            (true, _) => HasFix::No,
            (false, false) => HasFix::Offered,
            (false, true) => HasFix::Safe,
        };
        let severities: Vec<_> = row.severities.into_iter().collect();
        if severities != [facts.severity] || fix != facts.fix {
            wrong.push(format!(
                "{code}: {severities:?} and {fix:?}, but the table has {facts:?}"
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "change the rows of lints, or server/workspace/src/codes/facts.tsv:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn versions_are_those_that_give_the_diagnostic() {
    for code in codes::all() {
        let Some(versions) = code.facts().and_then(|it| it.versions) else {
            continue;
        };
        for version in VersionSet::all().iter() {
            let found = found_by(code.page, Some(VersionSet::one(version)));
            let is_found = found.iter().any(|it| it.code == code.name);
            assert_eq!(is_found, versions.contains(version), "{} by {version}", code.name);
        }
    }
}
