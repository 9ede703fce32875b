//! For people: the source with the places marked, then what each minor makes of the document.

mod pieces;

use std::{
    io::{self, Write},
    time::Duration,
};

use annotate_snippets::{Group, Level, Renderer};
use crd_analyzer_workspace::{
    finding::{Class, Severity},
    report::{DocumentReport, Shown, Subject},
    resource::{ChangeKind, annotated},
    versions::VersionSet,
};

use super::{File, Printer, Summary, counted};
use crate::input::Unreadable;

const GREEN: &str = "\x1b[32m";
const YELLOW: &str = "\x1b[33m";
const STRUCK: &str = "\x1b[9;31m";
const RESET: &str = "\x1b[0m";

/// Prints annotated source.
pub(super) struct Text {
    renderer: Renderer,
    color: bool,
    effective: bool,
}

impl Text {
    pub(super) fn new(color: bool, effective: bool) -> Self {
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        Self {
            renderer: renderer.term_width(160),
            color,
            effective,
        }
    }

    fn finding(&self, out: &mut dyn Write, file: &File<'_>, shown: &Shown, asked: VersionSet) -> io::Result<()> {
        let finding = &shown.finding;
        let level = match finding.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Information => Level::INFO,
            Severity::Hint => Level::NOTE.with_name("hint"),
        };
        let mut message = finding.message.clone();
        if shown.versions != asked {
            message = format!("{message} (Kubernetes {})", shown.versions);
        }
        if finding.hidden {
            message.push_str(" (shown by the server once the errors above are fixed)");
        }
        let mut group = level
            .primary_title(message)
            .id(finding.code)
            .elements(pieces::of(file, finding));
        if let Some(server) = finding
            .server
            .as_ref()
            .filter(|it| it.is_noted_beside(&finding.message))
        {
            group = group
                .element(Level::NOTE.message(format!("the server says: {}", server.message_beside(&finding.message))));
        }
        for note in &finding.notes {
            group = group.element(Level::NOTE.message(note));
        }
        for help in &finding.help {
            group = group.element(Level::HELP.message(help));
        }
        writeln!(out, "{}\n", self.renderer.render(&[group]))
    }

    /// What the newest minor makes of a custom resource.
    fn effective(&self, out: &mut dyn Write, file: &File<'_>, document: &DocumentReport) -> io::Result<()> {
        let found = document.verdicts.iter().rev().find_map(|(version, verdict)| {
            let effective = verdict.resource.as_deref()?;
            Some((version, effective))
        });
        let Some((version, effective)) = found else {
            return Ok(());
        };
        writeln!(
            out,
            "# {}: {} {} as Kubernetes {version} reads it",
            file.label, document.kind, document.name
        )?;
        for line in annotated(effective) {
            match line.mark.filter(|_| self.color) {
                Some(ChangeKind::Defaulted) => writeln!(out, "{GREEN}{}{RESET}", line.text)?,
                Some(ChangeKind::Pruned) => writeln!(out, "{STRUCK}{}{RESET}", line.text)?,
                Some(ChangeKind::Rewritten) => writeln!(out, "{YELLOW}{}{RESET}", line.text)?,
                None => writeln!(out, "{}", line.text)?,
            }
        }
        writeln!(out)
    }

    fn verdict(out: &mut dyn Write, file: &File<'_>, document: &DocumentReport, errors: usize) -> io::Result<()> {
        // What a server would say of a patch alone is no news to its author.
        let asked = document.subject != Subject::PartialDefinition;
        let Some(rejected) = document.rejected_by().filter(|_| asked) else {
            return Ok(());
        };
        let name = if document.name.is_empty() {
            String::new()
        } else {
            format!(" {}", document.name)
        };
        let accepted = document
            .accepted_by()
            .map_or(String::new(), |accepted| format!(", accepted by {accepted}"));
        writeln!(
            out,
            "{}:{name} rejected by Kubernetes {rejected}{accepted} ({})\n",
            file.label,
            counted(errors, "error")
        )
    }
}

impl Printer for Text {
    fn file(&mut self, out: &mut dyn Write, file: &File<'_>) -> io::Result<()> {
        for finding in &file.report.findings {
            let shown = Shown {
                finding: finding.clone(),
                versions: VersionSet::all(),
            };
            self.finding(out, file, &shown, VersionSet::all())?;
        }
        for document in &file.report.documents {
            let Some(asked) = document.versions() else { continue };
            let mut errors = 0;
            for shown in document.shown(file.config) {
                errors += usize::from(shown.finding.class == Class::Error);
                self.finding(out, file, &shown, asked)?;
            }
            Self::verdict(out, file, document, errors)?;
            if self.effective {
                self.effective(out, file, document)?;
            }
        }
        Ok(())
    }

    fn unreadable(&mut self, out: &mut dyn Write, unreadable: &Unreadable) -> io::Result<()> {
        let group: Group<'_> = Group::with_title(
            Level::ERROR.primary_title(format!("cannot read {}: {}", unreadable.label, unreadable.why)),
        );
        writeln!(out, "{}\n", self.renderer.render(&[group]))
    }

    fn end(&mut self, out: &mut dyn Write, summary: &Summary, elapsed: Duration) -> io::Result<()> {
        let mut parts = vec![
            counted(summary.files, "file"),
            counted(summary.definitions, "CRD"),
            counted(summary.errors, "error"),
            counted(summary.warnings, "warning"),
            counted(summary.hints, "hint"),
        ];
        if summary.resources > 0 {
            parts.insert(2, counted(summary.resources, "CR"));
        }
        if summary.unknown > 0 {
            let (objects, kinds) = if summary.unknown == 1 {
                ("object", "a kind")
            } else {
                ("objects", "kinds")
            };
            writeln!(
                out,
                "{} {objects} of {kinds} that nothing here defines: name their definitions with --crd",
                summary.unknown
            )?;
        }
        if summary.unreadable > 0 {
            parts.push(format!("{} unreadable", summary.unreadable));
        }
        writeln!(out, "{} in {} ms", parts.join(", "), elapsed.as_millis())
    }
}
