//! The Code Quality report for GitLab CI: a JSON array with an issue for each diagnostic.

use std::{
    io::{self, Write},
    time::Duration,
};

use crd_analyzer_io::escape;
use crd_analyzer_workspace::findings::finding::{AFTER_FIXING, Class, Finding, Severity};
use serde::Serialize;

use super::{File, Format, Printer, Summary, aside::in_test_data, fingerprint::Fingerprints, jsonl::write_line};
use crate::input::Unreadable;

pub(super) const FORMAT: Format = Format {
    has_fingerprints: true,
    ..Format::new("gitlab", |_| Box::new(Gitlab::default()))
};

/// Collects the issues and prints the array after the last file.
#[derive(Default)]
struct Gitlab {
    issues: Vec<Issue>,
    /// The fingerprints, which differ from file to file.
    prints: Fingerprints,
}

/// A diagnostic in GitLab's format.
#[derive(Serialize)]
struct Issue {
    description: String,
    check_name: String,
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
    end: u32,
}

/// A file path as GitLab expects it: relative to the root of the repository.
fn path(label: &str) -> String {
    let label = label.strip_prefix("./").unwrap_or(label);
    escape::line(label).into_owned()
}

/// The GitLab severity. Errors of the API server are critical; GitLab has no word for a hint.
const fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "critical",
        Severity::Warning => "minor",
        Severity::Information | Severity::Hint => "info",
    }
}

impl Gitlab {
    fn add(&mut self, file: &File<'_>, finding: &Finding, (severity, headline): (&'static str, &str), print: &str) {
        let description = match finding.class {
            Class::LaterError => format!("{AFTER_FIXING}: {headline}"),
            Class::Error | Class::Warning | Class::Hint => headline.to_owned(),
        };
        let help = finding.help.iter().map(|it| format!(". Help: {it}"));
        let description = [description].into_iter().chain(help).collect::<String>();
        let path = path(file.label);
        let begin = file.position(finding.span.start).0;
        self.issues.push(Issue {
            description: escape::line(&description).into_owned(),
            check_name: finding.code.to_owned(),
            fingerprint: self.prints.of_parts(&[&path, print]),
            severity,
            location: Location {
                path,
                lines: Lines {
                    begin,
                    end: file.position(finding.span.end).0.max(begin),
                },
            },
        });
    }
}

impl Printer for Gitlab {
    fn file(&mut self, _: &mut dyn Write, file: &File<'_>) -> io::Result<()> {
        let Some(prints) = &file.fingerprints else {
            return Ok(());
        };
        for (finding, print) in file.findings.iter().zip(&prints.of_file) {
            self.add(file, finding, (severity(finding.severity), &finding.headline), print);
        }
        for ((document, shown), prints) in file.documents().zip(&prints.of_documents) {
            let Some(asked) = document.versions() else { continue };
            for (it, print) in shown.iter().zip(prints) {
                let told = (severity(it.finding.severity), &*it.headline(asked));
                self.add(file, &it.finding, told, print);
            }
        }
        let mut others = prints.others.clone();
        for it in file.test_data() {
            let print = others.of(it.document, it.finding, &file.report.text, file.lines());
            self.add(file, it.finding, ("info", &in_test_data(&it.headline)), &print);
        }
        Ok(())
    }

    fn unreadable(&mut self, _: &mut dyn Write, unreadable: &Unreadable) -> io::Result<()> {
        let path = path(&unreadable.label);
        self.issues.push(Issue {
            description: escape::line(&format!("cannot be read: {}", unreadable.why)).into_owned(),
            check_name: "unreadable".to_owned(),
            fingerprint: self.prints.of_parts(&[&path, "unreadable"]),
            severity: "blocker",
            location: Location {
                path,
                lines: Lines { begin: 1, end: 1 },
            },
        });
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write, _: &Summary, _: Duration) -> io::Result<()> {
        write_line(out, &std::mem::take(&mut self.issues))
    }
}
