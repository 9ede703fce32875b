//! Checks the examples on the pages of the diagnostic codes: each must have exactly the findings that its annotations state.
//!
//! With `UPDATE_PAGES=1`, failing examples get the correct annotations. Read the diff before you commit it.
#![allow(clippy::disallowed_methods, reason = "the pages are files")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_fixtures::{Annotation, Block, CRATES, Shape, blocks, codes_index};
use crd_analyzer_gosource::{Folders, Module};
use crd_analyzer_workspace::{
    codes,
    comparison::breaking,
    config::versions::VersionSet,
    config::{Config, Level},
    findings::finding::{Class, Finding, ServerSays},
    index::{Catalog, Definitions, MemoryFiles, NewFile, Origin, objects},
    judging::analysis::{Around, Old, Question, Update, Wants, analyze},
    judging::hazards::{self, Memory, Search},
    judging::lints::{self, Lints},
    roles::Uses,
    sources::generated::GoSources,
    words::MAX_HEADLINE,
};

/// Codes for which no example can be written, so that their pages have no failing example.
const UNSHOWN: &[&str] = &[
    // A `v1` request cannot cause these errors: the fields do not exist in `v1`, or conversion has already merged them.
    "identical-per-version",
    "shared-and-per-version",
    "version-mismatch",
    // CRDs do not support these keywords, so no value can violate them.
    "additional-item",
    "duplicate-item",
    "forbidden-property",
    "missing-dependency",
    // The type of the items is checked before this error.
    "list-map-item-type",
    // This error needs a larger value than fits on a page.
    "rule-budget-exceeded",
    // The API server sets or clears these parts of `metadata` before it validates the object.
    "immutable-metadata",
    "invalid-generation",
    "invalid-managed-fields",
    "missing-resource-version",
    // The example is a configuration file, which is not a manifest.
    "invalid-configuration",
    // The examples are kustomizations, which are not manifests.
    "kustomize-failure",
    "kustomize-not-built",
    "unused-patch",
    // These errors are about Go files together with a CRD, or with what runs controller-gen.
    "go-type-refused",
    "invalid-go",
    "stale-crd",
    // These are about several files of a chart.
    "helm-failure",
    "unknown-chart-value",
    // This error is about files on the command line.
    "not-checked",
    // This error is about a file that a test names.
    "not-rejected",
    // The document would be too large for a page.
    "annotations-too-long",
    "large-manifest",
    "not-finished",
    "too-deep",
    "too-large-to-store",
    // This error is a consequence of other findings, which are shown instead.
    "unchecked-rules",
    // The real mistake is usually in the metadata or in a type, which have their own codes.
    "unreadable-resource",
    // These errors follow other errors, or come from an API server that reports no field.
    "refused",
    "rule-types",
];

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// All pages by their code.
fn pages() -> BTreeMap<String, PathBuf> {
    let mut pages = BTreeMap::new();
    for name in CRATES {
        for entry in fs::read_dir(crates().join(name).join("codes")).expect("the folder of pages") {
            let path = entry.expect("a page").path();
            let code = path.file_stem().expect("a name").to_string_lossy().into_owned();
            if code != "README" {
                assert!(pages.insert(code, path).is_none(), "a page is there twice");
            }
        }
    }
    pages
}

/// A finding in the form in which a page annotates it, with its headline.
struct Found {
    annotation: Annotation,
    finding: Finding,
}

/// The annotation for a finding. Its marks must be on one line, and to the right of the `#` at `first_column`.
fn found(text: &str, finding: &Finding, first_column: usize) -> Found {
    let start = finding.span.start as usize;
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let column = |offset: usize| text[line_start..offset.min(line_end)].chars().count();
    let first = column(start).max(first_column + 1);
    let columns = first..column(finding.span.end as usize).max(first + 1);
    let class = match finding.class {
        Class::Error => "error",
        Class::Warning => "warning",
        Class::LaterError => "later",
        Class::Hint => finding.severity.word(),
    };
    let annotation = Annotation {
        line: text[..start].matches('\n').count(),
        columns,
        class: class.to_owned(),
        code: Some(finding.code.to_owned()),
        message: Some(finding.headline.clone()),
    };
    let finding = finding.clone();
    Found { annotation, finding }
}

/// A CRD on a page, and the CRD that it replaces, if the page shows an update.
#[derive(Clone, Copy)]
struct Defined<'b> {
    now: &'b Block,
    before: Option<&'b Block>,
}

impl Defined<'_> {
    fn catalog(self) -> Catalog {
        let path = Path::new("/crd.yaml");
        let files = |block: &Block| MemoryFiles([(path.to_owned(), block.fixture.text.clone())].into());
        let mut catalog = Catalog::new(files(self.now));
        if let Some(before) = self.before {
            catalog = catalog.compared_with(files(before));
        }
        let (text, objects) = objects(self.now.fixture.text.clone().into_bytes());
        catalog.change(|index| {
            index.set(&NewFile {
                path,
                origin: Origin::Workspace,
                text: &text,
                objects: &objects,
                keep_text: false,
            })
        });
        catalog
    }
}

/// A Go repository that contains only the example.
struct OnePackage;

impl Folders for OnePackage {
    fn list(&self, _: &Path) -> Vec<(String, bool)> {
        vec![("go.mod".to_owned(), false)]
    }

    fn read(&self, _: &Path) -> Option<String> {
        None
    }
}

impl GoSources for OnePackage {
    fn around(&self, _: &Path) -> Option<Arc<Module>> {
        Some(Arc::new(Module::new("/".into(), Arc::new(Self))))
    }
}

fn judge(code: &str, block: &Block, old: Option<&Block>, defined: Option<Defined<'_>>) -> Vec<Found> {
    let versions = block.versions.as_ref().map_or_else(
        || VersionSet::one(VersionSet::all().newest()),
        |versions| versions.parse().expect("minors"),
    );
    let catalog = defined.map(Defined::catalog);
    // On pages about other codes, do not search for hazards.
    let memory = Memory::default();
    let is_hazard = hazards::codes::ALL.iter().any(|it| it.0 == code);
    let lint = lints::ALL.iter().find(|it| it.code == code);
    let is_change = breaking::codes::ALL.iter().any(|it| it.0 == code);
    let question = Question {
        named: true,
        update: Update {
            compatibility: is_change.then_some(breaking::Compatibility {
                policy: breaking::Policy::Writers,
                exceptions: None,
            }),
            old: old.map(|old| Old {
                text: old.fixture.text.as_bytes(),
                is_paired: true,
            }),
            ..Update::default()
        },
        around: Around {
            definitions: catalog.as_ref().map(|it| it as &dyn Definitions),
            go: (block.shape == Shape::Go).then_some(&OnePackage as &dyn GoSources),
            ..Around::default()
        },
        wants: Wants {
            lints: match lint {
                Some(lint) if lint.is_off => Lints::All,
                Some(_) => Lints::Usual,
                None => Lints::Off,
            },
            hazards: if is_hazard { Search::All(&memory) } else { Search::Off },
            ..Wants::default()
        },
        uses: Uses::COMPLETED,
        path: (block.shape == Shape::Go).then_some(Path::new("/types.go")),
        ..Question::new(versions)
    };
    let report = analyze(block.fixture.text.clone().into_bytes(), &question);
    let mut config = Config::default();
    // Pages about hints show those that are off by default, too. A code with another severity keeps it.
    let facts = codes::find(code).and_then(|it| it.facts());
    if facts.is_none_or(|it| it.severity == "hint") {
        config.rules.insert(code.to_owned(), Level::Info);
    }
    let shown = report
        .documents
        .iter()
        .flat_map(|document| document.merged_findings(&config));
    let mut all: Vec<Found> = shown
        .map(|shown| shown.finding)
        .chain(report.findings.clone())
        .map(|finding| found(&report.text, &finding, block.moved.1))
        .collect();
    let place = |it: &Annotation| {
        (
            it.line,
            it.columns.start,
            it.columns.end,
            it.class.clone(),
            it.code.clone(),
        )
    };
    all.sort_by_key(|it| place(&it.annotation));
    all
}

/// Whether each annotation in a block matches exactly one finding, and the other way round.
fn agree(block: &Block, page: &str, found: &[Found]) -> bool {
    let mut left: Vec<&Annotation> = block.fixture.annotations.iter().collect();
    found.iter().all(|found| {
        let is = &found.annotation;
        let at = left.iter().position(|it| {
            let code = it.code.as_deref().unwrap_or(page);
            (it.line, &it.columns, &it.class) == (is.line, &is.columns, &is.class)
                && is.code.as_deref() == Some(code)
                && it.message == is.message
        });
        at.map(|at| left.remove(at)).is_some()
    }) && left.is_empty()
}

/// The text of a block after correcting its annotations.
fn annotated(block: &Block, page: &str, found: &[Found]) -> String {
    let (lines, columns) = block.moved;
    let mut out = String::new();
    for (n, line) in block.fixture.text.lines().enumerate().skip(lines) {
        let _ = writeln!(out, "{}", line.get(columns..).unwrap_or_default());
        for Annotation {
            columns: at,
            class,
            code,
            message,
            ..
        } in found.iter().map(|it| &it.annotation).filter(|it| it.line == n)
        {
            let code = code
                .as_deref()
                .filter(|code| *code != page)
                .map_or(String::new(), |code| format!("[{code}]"));
            let (before, carets) = (" ".repeat(at.start - columns - 1), "^".repeat(at.len()));
            let message = message.as_deref().unwrap_or_default();
            let _ = writeln!(out, "#{before}{carets} {class}{code}: {message}");
        }
    }
    out
}

/// The page with another text in the block that starts on this line. Lines are counted from 1.
fn replaced(page: &str, line: usize, text: &str) -> String {
    let lines: Vec<&str> = page.split_inclusive('\n').collect();
    let length = lines[line..].iter().take_while(|it| it.trim_end() != "```").count();
    [&lines[..line].concat(), text, &lines[line + length..].concat()].concat()
}

/// Problems of style in the text of a finding.
fn ill_spoken(finding: &Finding) -> Vec<String> {
    let Finding {
        headline, help, code, ..
    } = finding;
    let server = finding.server.as_ref().map(ServerSays::message);
    let is_ours = finding.class == Class::Hint;
    let length = headline.chars().count();
    let rules = [
        (length > MAX_HEADLINE, "has a headline of more than 100 characters"),
        (
            headline.trim() != headline || headline.is_empty(),
            "has a headline with blanks at an end, or none",
        ),
        (headline.contains('\n'), "has a headline of several lines"),
        (!is_ours && server.as_ref() == Some(headline), "repeats the API server"),
        (!is_ours && help.is_empty(), "has no help"),
    ];
    let broken = rules.into_iter().filter(|it| it.0);
    broken
        .map(|(_, what)| format!("`{code}` {what}: {headline:?}"))
        .collect()
}

/// Whether a page is about resources.
fn shows_resources(all: &[Block]) -> bool {
    all.iter().any(|it| it.shape == Shape::Resource)
}

/// Checks the examples of a page. Returns the problems.
fn check(code: &str, path: &Path) -> Vec<String> {
    let is_update = std::env::var_os("UPDATE_PAGES").is_some();
    let page = fs::read_to_string(path).expect("a page");
    let mut wrong = Vec::new();
    let mut updated = page.clone();
    let (mut failing, mut accepted, mut old, mut defined) = (0, 0, None, None);
    let all = blocks(&page);
    let mut rewritten = Vec::new();
    for (n, block) in all.iter().enumerate() {
        let found = match block.shape {
            Shape::Old => {
                old = Some(block);
                continue;
            }
            Shape::Resource if defined.is_none() => continue,
            Shape::Resource => judge(code, block, old.take(), defined),
            Shape::Go => judge(code, block, None, None),
            Shape::Documents => {
                let before = old.take();
                defined = Some(Defined { now: block, before });
                judge(code, block, before, None)
            }
        };
        *(if found.is_empty() { &mut accepted } else { &mut failing }) += 1;
        let expected = annotated(block, code, &found);
        if !agree(block, code, &found) {
            if !is_update {
                wrong.push(format!("{code}.md:{} should be\n{expected}", block.line));
            }
            rewritten.push((n, expected.clone()));
        }
        let spoken = found.iter().flat_map(|it| ill_spoken(&it.finding));
        wrong.extend(spoken.map(|it| format!("{code}.md:{} {it}", block.line)));
        let own = |it: &Found| it.annotation.code.as_deref() == Some(code);
        // A CRD may have to be wrong, so that a resource can show the effect.
        let is_shown = found.iter().any(own) || block.shape == Shape::Documents && shows_resources(&all);
        if !found.is_empty() && !is_shown {
            wrong.push(format!("{code}.md:{} does not show {code}\n{expected}", block.line));
        }
    }
    if is_update {
        for (n, text) in rewritten.iter().rev() {
            updated = replaced(&updated, all[*n].line, text);
        }
        fs::write(path, updated).expect("the page is written");
    }
    let is_unshown = UNSHOWN.contains(&code);
    if is_unshown && failing > 0 || !is_unshown && (failing == 0 || accepted == 0) {
        wrong.push(format!(
            "{code}.md has {failing} failing examples and {accepted} accepted ones"
        ));
    }
    wrong
}

#[test]
fn examples_get_the_findings_that_pages_say() {
    let wrong: Vec<String> = pages().iter().flat_map(|(code, path)| check(code, path)).collect();
    assert!(
        wrong.is_empty(),
        "{} examples are wrong. Run `UPDATE_PAGES=1 cargo test -p crd-analyzer-workspace --test pages` to write what they \
         should be, and read it.\n\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let pages = pages();
    let with_page: BTreeSet<&str> = pages.keys().map(String::as_str).collect();
    let codes: BTreeSet<&str> = codes::all().iter().map(|code| code.name).collect();
    assert_eq!(with_page, codes);
    for (code, path) in &pages {
        let page = fs::read_to_string(path).expect("a page");
        assert!(page.starts_with(&format!("# {code}\n\n")), "{code} has another title");
        for part in ["\n## Fails\n", "\n## Accepted\n"] {
            assert_eq!(page.matches(part).count(), 1, "{code}:{part}");
        }
    }
}

#[test]
fn the_index_is_fresh() {
    let index = fs::read_to_string(crates().join("workspace/codes/README.md")).expect("the index");
    let fresh = codes_index(&crates()).expect("the pages");
    assert!(index == fresh, "run `cargo xtask docs`");
}
