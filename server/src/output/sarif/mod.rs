//! SARIF 2.1.0 (OASIS) for code scanning: one run, with a rule for each reported code and a result for each finding.

pub(super) mod model;
mod uri;

use std::{
    collections::BTreeMap,
    io::{self, Write},
    time::Duration,
};

use crd_analyzer_ide::fixes::{Fix, FixKind, Problem};
use crd_analyzer_syntax::{lines::LineIndex, tree::Span};
use crd_analyzer_workspace::{
    codes,
    config::versions::VersionSet,
    findings::finding::{Class, Finding, Related, Severity},
    findings::report::{DocumentReport, MergedFinding},
};

use super::{File, Format, Printer, Summary, fingerprint, jsonl::write_line, label_of};
use crate::input::Unreadable;
use model::{
    ArtifactChange, ArtifactLocation, Descriptor, Driver, Fix as SarifFix, Help, Invocation, Level, Location, Log,
    Message, Notification, PhysicalLocation, Properties, Region, Replacement, Run, SarifResult, Suppression, Tool,
};

pub(super) const FORMAT: Format = Format {
    has_fingerprints: true,
    has_fixes: true,
    ..Format::new("sarif", |_| Box::new(Sarif::default()))
};

/// The maximum length of a message, in characters.
const MOST_OF_A_MESSAGE: usize = 10_000;

/// The maximum number of related locations of a result.
const MOST_PLACES: usize = 50;

/// Collects the results, because the rules come before the results in the output.
#[derive(Default)]
struct Sarif {
    results: Vec<SarifResult<Properties>>,
    /// The index of the rule of each code.
    rules: BTreeMap<&'static str, usize>,
    unreadable: Vec<Notification>,
}

/// A finding with the object that it is about.
struct Found<'a> {
    finding: &'a Finding,
    headline: String,
    versions: VersionSet,
    document: Option<&'a DocumentReport>,
    fingerprint: String,
    /// The suppression, if the result is only listed and does not fail a run.
    suppression: Option<Suppression>,
}

impl<'a> Found<'a> {
    /// The result for a displayed diagnostic.
    fn shown(shown: &'a MergedFinding, document: Option<&'a DocumentReport>, fingerprint: String) -> Self {
        let asked = document.and_then(DocumentReport::versions);
        Self {
            finding: &shown.finding,
            headline: shown.headline(asked.unwrap_or(shown.versions)),
            versions: shown.versions,
            document,
            fingerprint,
            suppression: None,
        }
    }
}

impl Sarif {
    fn add(&mut self, file: &File<'_>, found: Found<'_>, fixes: &BTreeMap<u32, Vec<&Fix>>) {
        let finding = found.finding;
        let next = self.rules.len();
        let rule = *self.rules.entry(finding.code).or_insert(next);
        let places = finding.related.iter().take(MOST_PLACES).enumerate();
        let fixes = fixes.get(&finding.span.start).into_iter().flatten();
        let fixes = fixes.filter(|it| it.problem == Problem::from(finding));
        self.results.push(SarifResult {
            rule_id: finding.code,
            rule_index: rule,
            level: level(finding.severity),
            message: message(&found),
            locations: vec![place(file, finding.span)],
            related_locations: places.map(|(n, it)| related(file, n, it)).collect(),
            partial_fingerprints: BTreeMap::from([(fingerprint::NAME, found.fingerprint)]),
            suppressions: found.suppression.into_iter().collect(),
            fixes: fixes.map(|it| fix(file, it)).collect(),
            properties: Properties {
                class: class(finding.class),
                kubernetes_versions: found.versions.iter().map(|it| it.to_string()).collect(),
                object: found.document.filter(|it| !it.name.is_empty()).map(super::name_of),
            },
        });
    }
}

const fn level(severity: Severity) -> Level {
    match severity {
        Severity::Error => Level::Error,
        Severity::Warning => Level::Warning,
        Severity::Information | Severity::Hint => Level::Note,
    }
}

const fn class(class: Class) -> &'static str {
    match class {
        Class::Error => "error",
        Class::LaterError => "error after fixing others",
        Class::Warning => "warning",
        Class::Hint => "hint",
    }
}

/// The message: the headline, the help and the explanation.
fn message(found: &Found<'_>) -> Message {
    let finding = found.finding;
    let mut text = match finding.class {
        Class::LaterError => format!("{} (after fixing the errors before it)", found.headline),
        Class::Error | Class::Warning | Class::Hint => found.headline.clone(),
    };
    let help = finding.help.iter().map(|it| format!("help: {it}"));
    let notes = finding.notes.iter().cloned().chain(finding.server_note(false));
    for more in help.chain(notes.map(|it| format!("note: {it}"))) {
        text = format!("{text}\n{more}");
    }
    Message::new(&text)
}

fn place(file: &File<'_>, span: Span) -> Location {
    Location {
        id: None,
        physical: physical(file.label, file.lines(), &file.report.text, span),
        message: None,
    }
}

fn related(file: &File<'_>, number: usize, related: &Related) -> Location {
    let physical = match &related.file {
        None => physical(file.label, file.lines(), &file.report.text, related.span),
        Some(other) => physical(&label_of(other), other.lines(), &other.text, related.span),
    };
    Location {
        id: Some(number),
        physical,
        message: (!related.message.is_empty()).then(|| Message::new(&related.message)),
    }
}

pub(super) fn physical(label: &str, lines: &LineIndex, text: &str, span: Span) -> PhysicalLocation {
    PhysicalLocation {
        artifact_location: ArtifactLocation::new(label),
        region: region(lines, text, span),
    }
}

fn region(lines: &LineIndex, text: &str, span: Span) -> Region {
    let (start_line, start_column) = lines.line_column(text, span.start);
    let (end_line, end_column) = lines.line_column(text, span.end.max(span.start));
    Region {
        start_line: start_line + 1,
        start_column: start_column + 1,
        end_line: end_line + 1,
        end_column: end_column + 1,
    }
}

fn fix(file: &File<'_>, fix: &Fix) -> SarifFix {
    let replacements = fix.edits.iter().map(|it| Replacement {
        deleted_region: region(file.lines(), &file.report.text, it.span),
        inserted_content: Message {
            text: it.new_text.clone(),
        },
    });
    SarifFix {
        description: Message::new(&fix.title),
        artifact_changes: vec![ArtifactChange {
            artifact_location: ArtifactLocation::new(file.label),
            replacements: replacements.collect(),
        }],
    }
}

/// The SARIF rule of a code.
fn descriptor(name: &'static str) -> Descriptor {
    let code = codes::find(name);
    let summary = code.map_or(name, |it| it.summary);
    Descriptor {
        id: name,
        short_description: Message::new(summary),
        help: Help {
            text: format!("{summary} `crd-analyzer explain {name}` says more."),
            markdown: code.map_or_else(|| summary.to_owned(), |it| it.text()),
        },
    }
}

impl Printer for Sarif {
    fn file(&mut self, _: &mut dyn Write, file: &File<'_>) -> io::Result<()> {
        let Some(prints) = &file.fingerprints else {
            return Ok(());
        };
        let mut others = prints.others.clone();
        let mut fixes: BTreeMap<u32, Vec<&Fix>> = BTreeMap::new();
        for it in file.fixes.iter().filter(|it| it.kind == FixKind::Repair) {
            fixes.entry(it.problem.span.start).or_default().push(it);
        }
        for (finding, print) in file.findings.iter().zip(&prints.of_file) {
            let shown = MergedFinding {
                finding: finding.clone(),
                versions: VersionSet::all(),
            };
            self.add(file, Found::shown(&shown, None, print.clone()), &fixes);
        }
        for ((document, shown), prints) in file.documents().zip(&prints.of_documents) {
            let Some(asked) = document.versions() else { continue };
            for (it, print) in shown.iter().zip(prints) {
                self.add(file, Found::shown(it, Some(document), print.clone()), &fixes);
            }
            // The findings that comments suppress are added for the newest Kubernetes version.
            let newest = document.verdicts.last();
            for finding in newest
                .into_iter()
                .flat_map(|(_, it)| it.findings())
                .filter(|it| document.is_silenced(it))
            {
                let found = Found {
                    finding,
                    headline: finding.headline.clone(),
                    versions: asked,
                    document: Some(document),
                    fingerprint: others.of(Some(document), finding, &file.report.text, file.lines()),
                    suppression: Some(Suppression::in_source()),
                };
                self.add(file, found, &BTreeMap::new());
            }
        }
        for it in file.test_data() {
            let found = Found {
                finding: it.finding,
                fingerprint: others.of(it.document, it.finding, &file.report.text, file.lines()),
                headline: it.headline,
                versions: it.versions,
                document: it.document,
                suppression: Some(Suppression::in_test_data(file.report.aside.as_ref())),
            };
            self.add(file, found, &BTreeMap::new());
        }
        for it in &file.in_baseline {
            let document = it.document.and_then(|n| file.report.documents.get(n));
            let found = Found {
                suppression: Some(Suppression::in_baseline()),
                ..Found::shown(&it.shown, document, it.fingerprint.clone())
            };
            self.add(file, found, &fixes);
        }
        Ok(())
    }

    fn unreadable(&mut self, _: &mut dyn Write, unreadable: &Unreadable) -> io::Result<()> {
        self.unreadable.push(Notification {
            level: Level::Error,
            message: Message::new(&format!("{} cannot be read: {}", unreadable.label, unreadable.why)),
            locations: vec![model::Artifact::new(&unreadable.label)],
        });
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write, _: &Summary, _: Duration) -> io::Result<()> {
        let mut rules: Vec<_> = self.rules.iter().map(|(code, number)| (*number, *code)).collect();
        rules.sort_unstable();
        let rules = rules.into_iter().map(|it| descriptor(it.1)).collect();
        let (results, unreadable) = (std::mem::take(&mut self.results), std::mem::take(&mut self.unreadable));
        write_line(out, &Log::new(run(rules, results, !unreadable.is_empty(), unreadable)))
    }
}

/// The run. `is_incomplete` is set if a file could not be read.
pub(super) fn run<P>(
    rules: Vec<Descriptor>,
    results: Vec<SarifResult<P>>,
    is_incomplete: bool,
    notifications: Vec<Notification>,
) -> Run<P> {
    Run {
        tool: Tool {
            driver: Driver {
                name: "crd-analyzer",
                semantic_version: env!("CARGO_PKG_VERSION"),
                rules,
            },
        },
        invocations: vec![Invocation {
            execution_successful: !is_incomplete,
            tool_execution_notifications: notifications,
        }],
        results,
        column_kind: "unicodeCodePoints",
    }
}
