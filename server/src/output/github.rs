//! Workflow commands of GitHub Actions, which annotate the changed files of a pull request.

use std::{
    io::{self, Write},
    time::Duration,
};

use crd_analyzer_workspace::finding::{Finding, Severity};

use super::{File, Printer, Summary};
use crate::input::Unreadable;

/// Prints workflow commands.
pub(super) struct Github;

/// Escapes the text of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a command's property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

fn annotation(out: &mut dyn Write, file: &File<'_>, finding: &Finding) -> io::Result<()> {
    let command = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information | Severity::Hint => "notice",
    };
    let (line, column) = file.lines().line_column(&file.report.text, finding.span.start);
    let (end_line, end_column) = file.lines().line_column(&file.report.text, finding.span.end);
    let mut message = finding.message.clone();
    if let Some(server) = finding
        .server
        .as_ref()
        .filter(|it| it.is_noted_beside(&finding.message))
    {
        message = format!("{message}\nthe server says: {}", server.message());
    }
    for more in finding.notes.iter().chain(&finding.help) {
        message = format!("{message}\n{more}");
    }
    // The columns of a range count only where it ends on the line it begins on.
    let columns = if end_line == line {
        format!(",col={},endColumn={}", column + 1, end_column + 1)
    } else {
        String::new()
    };
    writeln!(
        out,
        "::{command} file={},line={},endLine={}{columns},title={}::{}",
        property(file.label),
        line + 1,
        end_line + 1,
        property(finding.code),
        data(&message)
    )
}

impl Printer for Github {
    fn file(&mut self, out: &mut dyn Write, file: &File<'_>) -> io::Result<()> {
        for document in &file.report.documents {
            for shown in document.shown(file.config) {
                annotation(out, file, &shown.finding)?;
            }
        }
        file.report
            .findings
            .iter()
            .try_for_each(|finding| annotation(out, file, finding))
    }

    fn unreadable(&mut self, out: &mut dyn Write, unreadable: &Unreadable) -> io::Result<()> {
        writeln!(
            out,
            "::error file={},title=unreadable::{}",
            property(&unreadable.label),
            data(&unreadable.why)
        )
    }

    fn end(&mut self, _: &mut dyn Write, _: &Summary, _: Duration) -> io::Result<()> {
        Ok(())
    }
}
