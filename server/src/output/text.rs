//! Text output: the source with marked places, then the verdict of each Kubernetes version on the document.

use std::{
    borrow::Cow,
    io::{self, Write},
    time::Duration,
};

use crd_analyzer_io::print::{Part, Style, Terminal};
use crd_analyzer_workspace::{
    config::versions::VersionSet,
    findings::finding::{Class, Finding, Severity},
    findings::report::{DocumentReport, HiddenErrors, MergedFinding},
    resource::{ChangeKind, annotated},
};

use super::{
    File, Format, Look, Printer, Summary,
    alike::Alike,
    blocks::{self, Block, Folders},
    counted,
    error_list::ErrorList,
    label_of,
    render::{Diagnostic, LabeledSpan, Note, Renderer, Source},
    test_data::TestDataLog,
};
use crate::input::Unreadable;

pub(super) const FORMAT: Format = Format {
    is_text: true,
    counts_fixes: true,
    ..Format::new("text", |look| Box::new(Text::new(look)))
};

/// The maximum number of diagnostics to print for a document. A file can have as many as it has bytes.
const MOST_FINDINGS: usize = 200;

/// Prints annotated source.
struct Text {
    renderer: Renderer,
    look: Look,
    folders: Folders,
    alike: Alike,
    test_data: TestDataLog,
    errors: ErrorList,
}

/// The name of an object with a blank before it. Empty if the object has no known name.
fn name_after_kind(document: &DocumentReport) -> String {
    match &*document.name {
        "" => String::new(),
        name => format!(" {name}"),
    }
}

impl Text {
    fn new(look: Look) -> Self {
        Self {
            renderer: Renderer::new(look.columns),
            look,
            folders: Folders::default(),
            alike: Alike::default(),
            test_data: TestDataLog::default(),
            errors: ErrorList::default(),
        }
    }

    fn finding(
        &self,
        out: &mut Terminal<'_>,
        file: &File<'_>,
        shown: &MergedFinding,
        asked: VersionSet,
    ) -> io::Result<()> {
        let finding = &shown.finding;
        let style = match (finding.class, finding.severity) {
            (Class::LaterError, _) | (_, Severity::Error) => Style::Error,
            (_, Severity::Warning) => Style::Warning,
            (_, Severity::Information | Severity::Hint) => Style::Hint,
        };
        let note = |word, text| Note { word, text };
        let help = finding.help.iter().map(|it| note("help", Cow::from(it)));
        let server = finding.server_note(self.look.verbose).map(Cow::from);
        let notes = finding.notes.iter().map(Cow::from).chain(server);
        let labels = labels(finding);
        let diagnostic = Diagnostic {
            word: finding.word(),
            style,
            code: Some(finding.code),
            title: &shown.headline(asked),
            places: places(file, finding, &labels),
            notes: help.chain(notes.map(|it| note("note", it))).collect(),
        };
        self.renderer.print(out, &diagnostic)?;
        out.blank()
    }

    /// Prints a custom resource as the newest Kubernetes version stores it.
    fn effective(&self, out: &mut Terminal<'_>, file: &File<'_>, document: &DocumentReport) -> io::Result<()> {
        let found = document.verdicts.iter().rev().find_map(|(version, verdict)| {
            let effective = verdict.resource.as_deref()?;
            Some((version, effective))
        });
        let Some((version, effective)) = found else {
            return Ok(());
        };
        let name = name_after_kind(document);
        let build = effective.build.as_ref();
        let build = build.map_or_else(String::new, |it| format!(", built for {it}"));
        let heading = format!(
            "# {}: {}{name} as Kubernetes {version} reads it{build}",
            file.label, document.kind
        );
        self.renderer.text(out, &heading)?;
        for line in annotated(effective) {
            let style = match line.mark {
                Some(ChangeKind::Defaulted) => Style::Added,
                Some(ChangeKind::Pruned) => Style::Removed,
                Some(ChangeKind::Rewritten) => Style::Changed,
                None => Style::Plain,
            };
            out.parts(&[Part::new(style, line.text)])?;
        }
        out.blank()
    }

    fn verdict(
        &self,
        out: &mut Terminal<'_>,
        file: &File<'_>,
        document: &DocumentReport,
        (errors, hidden): (usize, HiddenErrors),
    ) -> io::Result<()> {
        // No verdict is printed for a partial object, because its author knows that it is incomplete, nor for objects that the API server is expected
        // to reject.
        let is_of_no_interest =
            errors == 0 && (document.in_part || document.has_repeats() || file.report.aside.is_some());
        let Some(rejected) = document.rejected_by().filter(|_| !is_of_no_interest) else {
            return Ok(());
        };
        let is_known = hidden.by_baseline > 0 && hidden.by_configuration + hidden.by_comments + errors == 0;
        if is_known {
            return Ok(());
        }
        let name = name_after_kind(document);
        let accepted = document
            .accepted_by()
            .map_or(String::new(), |accepted| format!(", accepted by {accepted}"));
        let is_named = file.is_version_chosen || document.verdicts.len() > 1;
        let by = if is_named {
            format!(" by Kubernetes {rejected}{accepted}")
        } else {
            String::new()
        };
        let verdict = format!("{}:{name} rejected{by}{}", file.label, counted_errors(errors, hidden));
        self.renderer.text(out, &verdict)?;
        out.blank()
    }
}

/// Describes the number of errors and of hidden errors, as in ` (1 error, 2 suppressed by a comment)`.
fn counted_errors(errors: usize, hidden: HiddenErrors) -> String {
    let mut parts = Vec::new();
    if errors > 0 {
        parts.push(counted(errors, "error"));
    }
    let reasons = [
        (hidden.by_configuration, "by configuration"),
        (hidden.by_comments, "by a comment"),
        (hidden.by_baseline, "by the baseline"),
    ];
    for (count, reason) in reasons.into_iter().filter(|it| it.0 > 0) {
        let what = if parts.is_empty() {
            counted(count, "error")
        } else {
            count.to_string()
        };
        parts.push(format!("{what} suppressed {reason}"));
    }
    if parts.is_empty() {
        return String::new();
    }
    format!(" ({})", parts.join(", "))
}

/// The file names to print for the related places of a finding. `None` for places in the finding's own file.
fn labels(finding: &Finding) -> Vec<Option<String>> {
    let related = finding.related.iter().map(|it| it.file.as_deref().map(label_of));
    related.collect()
}

/// The places of a finding, with the finding's own place first. `labels` comes from [`labels`].
fn places<'a>(file: &'a File<'_>, finding: &'a Finding, labels: &'a [Option<String>]) -> Vec<LabeledSpan<'a>> {
    let own = Source {
        label: file.label,
        text: &file.report.text,
        lines: file.lines(),
    };
    let first = LabeledSpan {
        source: own,
        span: finding.span,
        label: finding.label.as_deref().unwrap_or_default(),
    };
    let related = finding.related.iter().zip(labels).map(|(it, label)| LabeledSpan {
        source: match (&it.file, label) {
            (Some(other), Some(label)) => Source {
                label,
                text: &other.text,
                lines: other.lines(),
            },
            _ => own,
        },
        span: it.span,
        label: &it.message,
    });
    [first].into_iter().chain(related).collect()
}

/// The blocks to print, and the number of blocks that are left out. If there are too many blocks, those with errors are kept.
fn printed(blocks: Vec<Block>) -> (Vec<Block>, usize) {
    let mut printed: Vec<(usize, Block)> = blocks.into_iter().enumerate().collect();
    let left_out = printed.len().saturating_sub(MOST_FINDINGS);
    if left_out > 0 {
        printed.sort_by_key(|(n, it)| (it.shown.finding.severity, *n));
        printed.truncate(MOST_FINDINGS);
        printed.sort_by_key(|it| it.0);
    }
    (printed.into_iter().map(|it| it.1).collect(), left_out)
}

impl Printer for Text {
    fn file(&mut self, out: &mut dyn Write, file: &File<'_>) -> io::Result<()> {
        if !self.look.diagnostics {
            return Ok(());
        }
        self.test_data.add(file);
        let out = &mut Terminal::new(out, self.look.color);
        for finding in &file.findings {
            let shown = MergedFinding {
                finding: finding.clone(),
                versions: VersionSet::all(),
            };
            self.finding(out, file, &shown, VersionSet::all())?;
            self.errors.add(file, finding, &finding.headline);
        }
        let blocks = blocks::of(file);
        let documents = file.documents().zip(&file.hidden).zip(&file.of_copies).zip(blocks);
        for ((((document, shown), hidden), of_copies), blocks) in documents {
            let Some(asked) = document.versions() else { continue };
            let errors = shown.iter().filter(|it| it.finding.class == Class::Error).count();
            let is_repeated = blocks.is_empty() && !(shown.is_empty() && of_copies.is_empty());
            let (printed, left_out) = printed(blocks);
            let mut is_told = false;
            for it in &printed {
                if self.alike.take(file, it) && self.folders.take(file.label, it) {
                    is_told = true;
                    self.finding(out, file, &it.shown, asked)?;
                    self.errors.add(file, &it.shown.finding, &it.shown.headline(asked));
                }
            }
            // The omitted diagnostics are counted in the summary.
            let is_left_out = is_repeated || !printed.is_empty() && !is_told;
            if left_out > 0 {
                let more = format!("and {left_out} more in {} (use -o jsonl for all)", file.label);
                self.renderer.text(out, &more)?;
                out.blank()?;
            }
            let unlisted = document.verdicts.iter().map(|(_, it)| it.left_out).max();
            if let Some(unlisted) = unlisted.filter(|it| *it > 0) {
                let more = format!("and {unlisted} more in {} that are only counted", file.label);
                self.renderer.text(out, &more)?;
                out.blank()?;
            }
            if self.look.summary && !is_left_out {
                self.verdict(out, file, document, (errors, *hidden))?;
            }
            if self.look.effective {
                self.effective(out, file, document)?;
            }
        }
        Ok(())
    }

    fn unreadable(&mut self, out: &mut dyn Write, unreadable: &Unreadable) -> io::Result<()> {
        let out = &mut Terminal::new(out, self.look.color);
        let title = format!("cannot read {}: {}", unreadable.label, unreadable.why);
        self.renderer.title(out, Style::Error, "error", &title)?;
        out.blank()
    }

    fn end(&mut self, out: &mut dyn Write, summary: &Summary, elapsed: Duration) -> io::Result<()> {
        let left_out: Vec<String> = self.alike.lines().into_iter().chain(self.folders.lines()).collect();
        if !left_out.is_empty() {
            let out = &mut Terminal::new(out, self.look.color);
            for line in left_out {
                self.renderer.text(out, &line)?;
            }
            out.blank()?;
        }
        self.test_data
            .print(&mut Terminal::new(out, self.look.color), self.renderer)?;
        if self.look.summary {
            self.errors
                .print(&mut Terminal::new(out, self.look.color), self.renderer)?;
        }
        summary.print(&mut Terminal::new(out, self.look.color), &self.look, elapsed)
    }
}
