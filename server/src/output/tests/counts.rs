//! A format that only tests register. It prints the number of diagnostics of each file.

use std::{
    io::{self, Write},
    time::Duration,
};

use crd_analyzer_io::print::Terminal;

use crate::{
    input::Unreadable,
    output::{File, Format, Printer, Summary},
};

pub(super) const FORMAT: Format = Format::new("counts", |_| Box::new(Counts::default()));

#[derive(Default)]
struct Counts {
    files: usize,
}

impl Printer for Counts {
    fn file(&mut self, out: &mut dyn Write, file: &File<'_>) -> io::Result<()> {
        self.files += 1;
        let count: usize = file.documents().map(|(_, shown)| shown.len()).sum();
        Terminal::new(out, false).line(format_args!("{count} {}", file.label))
    }

    fn unreadable(&mut self, out: &mut dyn Write, unreadable: &Unreadable) -> io::Result<()> {
        Terminal::new(out, false).line(format_args!("? {}", unreadable.label))
    }

    fn end(&mut self, out: &mut dyn Write, _: &Summary, _: Duration) -> io::Result<()> {
        Terminal::new(out, false).line(format_args!("files: {}", self.files))
    }
}
