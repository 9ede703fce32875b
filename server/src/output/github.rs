//! GitHub Actions workflow commands, which annotate the changed files of a pull request.

use std::{
    io::{self, Write},
    time::Duration,
};

use crd_analyzer_io::escape::{github_data as data, github_property as property};
use crd_analyzer_workspace::findings::finding::{AFTER_FIXING, Class, Finding, Severity};

use super::{File, Format, Printer, Summary, aside::IN_TEST_DATA};
use crate::input::Unreadable;

pub(super) const FORMAT: Format = Format::new("github", |_| Box::new(Github));

/// Prints workflow commands.
struct Github;

/// A file path as GitHub expects it: relative to the root of the repository.
fn path(label: &str) -> &str {
    label.strip_prefix("./").unwrap_or(label)
}

/// The command for a diagnostic, by its severity.
const fn command(finding: &Finding) -> &'static str {
    match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information | Severity::Hint => "notice",
    }
}

fn annotation(
    out: &mut dyn Write,
    file: &File<'_>,
    finding: &Finding,
    (command, headline): (&str, &str),
) -> io::Result<()> {
    let (line, column) = file.lines().line_column(&file.report.text, finding.span.start);
    let (end_line, end_column) = file.lines().line_column(&file.report.text, finding.span.end);
    let mut message = match finding.class {
        Class::LaterError => format!("{AFTER_FIXING}: {headline}"),
        Class::Error | Class::Warning | Class::Hint => headline.to_owned(),
    };
    for more in finding
        .help
        .iter()
        .chain(&finding.notes)
        .cloned()
        .chain(finding.server_note(false))
    {
        message = format!("{message}\n{more}");
    }
    // GitHub only uses the columns if the range starts and ends on the same line.
    let columns = if end_line == line {
        format!(",col={},endColumn={}", column + 1, end_column + 1)
    } else {
        String::new()
    };
    writeln!(
        out,
        "::{command} file={},line={},endLine={}{columns},title={}::{}",
        property(path(file.label)),
        line + 1,
        end_line + 1,
        property(finding.code),
        data(&message)
    )
}

impl Printer for Github {
    fn file(&mut self, out: &mut dyn Write, file: &File<'_>) -> io::Result<()> {
        for (document, shown) in file.documents() {
            let Some(asked) = document.versions() else { continue };
            for shown in shown {
                annotation(
                    out,
                    file,
                    &shown.finding,
                    (command(&shown.finding), &shown.headline(asked)),
                )?;
            }
        }
        for it in file.test_data() {
            let headline = format!("{} {IN_TEST_DATA}: {}", it.word(), it.headline);
            annotation(out, file, it.finding, ("notice", &headline))?;
        }
        file.findings
            .iter()
            .try_for_each(|finding| annotation(out, file, finding, (command(finding), &finding.headline)))
    }

    fn unreadable(&mut self, out: &mut dyn Write, unreadable: &Unreadable) -> io::Result<()> {
        writeln!(
            out,
            "::error file={},title=unreadable::{}",
            property(path(&unreadable.label)),
            data(&unreadable.why)
        )
    }

    fn end(&mut self, _: &mut dyn Write, _: &Summary, _: Duration) -> io::Result<()> {
        Ok(())
    }
}
