//! The list of errors that text output repeats at the end if many other diagnostics follow an error.

use std::io;

use crd_analyzer_io::print::Terminal;
use crd_analyzer_workspace::findings::finding::{Class, Finding, Severity};

use super::{File, render::Renderer};

/// The number of other diagnostics after the first error that make errors hard to find.
const MANY: usize = 8;

/// The maximum number of errors to list. The rest are counted.
const MOST: usize = 10;

/// The printed errors so far, and the number of other diagnostics after the first one.
#[derive(Default, Debug)]
pub(super) struct ErrorList {
    count: usize,
    /// The first errors, as `file:line:column: [code] headline`.
    first: Vec<String>,
    others: usize,
}

impl ErrorList {
    /// Adds a printed diagnostic.
    pub(super) fn add(&mut self, file: &File<'_>, finding: &Finding, headline: &str) {
        // What the API server reports only after other errors are fixed is counted separately.
        if finding.class == Class::LaterError || finding.severity != Severity::Error {
            self.others += usize::from(self.count > 0);
            return;
        }
        self.count += 1;
        if self.first.len() < MOST {
            let (line, column) = file.position(finding.span.start);
            let place = format!("{}:{line}:{column}", file.label);
            self.first.push(format!("{place}: [{}] {headline}", finding.code));
        }
    }

    /// Prints the list, if errors are hard to find without it.
    pub(super) fn print(&self, out: &mut Terminal<'_>, renderer: Renderer) -> io::Result<()> {
        if self.others < MANY {
            return Ok(());
        }
        let title = match self.count {
            1 => "1 of these diagnostics is an error:".to_owned(),
            count => format!("{count} of these diagnostics are errors:"),
        };
        renderer.text(out, &title)?;
        for it in &self.first {
            renderer.indented(out, "  ", "    ", it)?;
        }
        if self.count > self.first.len() {
            renderer.text(out, &format!("  and {} more", self.count - self.first.len()))?;
        }
        out.blank()
    }
}
