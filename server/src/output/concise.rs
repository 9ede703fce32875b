//! One line for each diagnostic: `file:line:column: error[code]: headline`, or `error in test data[code]`.

use std::{
    io::{self, Write},
    time::Duration,
};

use crd_analyzer_io::print::{Part, Style, Terminal};
use crd_analyzer_workspace::findings::finding::{Class, Finding, Severity};

use super::{File, Format, Look, Printer, Summary, aside::IN_TEST_DATA, render::wrap::shortened};
use crate::input::Unreadable;

/// The maximum length of a headline, in characters.
const MOST_OF_A_LINE: usize = 1_000;

pub(super) const FORMAT: Format = Format {
    is_text: true,
    counts_fixes: true,
    ..Format::new("concise", |look| Box::new(Concise { look }))
};

/// Prints one line for each diagnostic without wrapping the line, because programs also read these lines.
struct Concise {
    look: Look,
}

fn print(out: &mut Terminal<'_>, file: &File<'_>, finding: &Finding, (word, headline): (&str, &str)) -> io::Result<()> {
    let (line, column) = file.position(finding.span.start);
    let style = match (finding.class, finding.severity) {
        (Class::LaterError, _) | (_, Severity::Error) => Style::Error,
        (_, Severity::Warning) => Style::Warning,
        (_, Severity::Information | Severity::Hint) => Style::Hint,
    };
    out.parts(&[
        Part::new(Style::Bold, format!("{}:{line}:{column}", file.label)),
        Part::plain(": "),
        Part::new(style, format!("{word}[{}]", finding.code)),
        Part::plain(": "),
        Part::plain(shortened(headline, MOST_OF_A_LINE)),
    ])
}

impl Printer for Concise {
    fn file(&mut self, out: &mut dyn Write, file: &File<'_>) -> io::Result<()> {
        if !self.look.diagnostics {
            return Ok(());
        }
        let out = &mut Terminal::new(out, self.look.color);
        for finding in &file.findings {
            print(out, file, finding, (finding.word(), &finding.headline))?;
        }
        for (document, shown) in file.documents() {
            let Some(asked) = document.versions() else { continue };
            for it in shown {
                print(out, file, &it.finding, (it.finding.word(), &it.headline(asked)))?;
            }
        }
        for it in file.test_data() {
            let word = format!("{} {IN_TEST_DATA}", it.word());
            print(out, file, it.finding, (&word, &it.headline))?;
        }
        Ok(())
    }

    fn unreadable(&mut self, out: &mut dyn Write, unreadable: &Unreadable) -> io::Result<()> {
        let out = &mut Terminal::new(out, self.look.color);
        out.line(format_args!(
            "{}: error: cannot be read: {}",
            unreadable.label, unreadable.why
        ))
    }

    fn end(&mut self, out: &mut dyn Write, summary: &Summary, elapsed: Duration) -> io::Result<()> {
        summary.print(&mut Terminal::new(out, self.look.color), &self.look, elapsed)
    }
}
