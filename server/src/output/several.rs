//! The output formats of a run, and the file of each.

use std::{
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    str::FromStr,
    time::Duration,
};

use crd_analyzer_io::write::{self, Replaceable};

use super::{
    File, Look, Printer, Summary,
    format::{self, Format},
    unwritten,
};
use crate::{input::Unreadable, status::UsageError};

/// A format and its output file, as in `text` or `sarif=out.sarif`.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    pub(crate) format: Format,
    pub(crate) file: Option<PathBuf>,
}

impl FromStr for Output {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::of(text, format::ALL)
    }
}

impl Output {
    /// Parses a format of a table and its file.
    pub(super) fn of(text: &str, formats: &[Format]) -> Result<Self, String> {
        let (name, file) = text
            .split_once('=')
            .map_or((text, None), |(name, file)| (name, Some(file)));
        let format = formats.iter().find(|it| it.name == name).copied();
        let format = format.ok_or_else(|| {
            let known: Vec<&str> = formats.iter().map(|it| it.name).collect();
            format!(
                "the format `{name}` does not exist; the formats are {}",
                known.join(", ")
            )
        })?;
        if file == Some("") {
            return Err(format!("`{text}` names no file"));
        }
        Ok(Self {
            format,
            file: file.map(PathBuf::from),
        })
    }
}

/// The destination of a format.
enum Sink {
    Stdout(BufWriter<io::Stdout>),
    /// A file. The file is written at the end, so that a failed run leaves it unchanged.
    File(PathBuf, Vec<u8>),
}

impl Sink {
    fn out(&mut self) -> &mut dyn Write {
        match self {
            Self::Stdout(out) => out,
            Self::File(_, bytes) => bytes,
        }
    }
}

/// All formats of a run.
pub(crate) struct Outputs {
    all: Vec<(Box<dyn Printer>, Sink)>,
    /// Whether standard output is text for people. Such text also lists unreadable files.
    is_read: bool,
}

impl Outputs {
    /// Creates the outputs. `file` is the destination of the format for which no file is given; the default is standard output. `look` applies to
    /// standard output.
    pub(crate) fn new(outputs: &[Output], file: Option<&Path>, look: Look) -> Result<Self, UsageError> {
        let mut unnamed = outputs.iter().filter(|it| it.file.is_none());
        match (unnamed.next(), unnamed.next()) {
            (Some(_), Some(_)) => {
                let why = "several formats would be mixed: give all but one a file, as in `-o text -o sarif=FILE`";
                return Err(UsageError(why.to_owned()));
            }
            (None, _) if file.is_some() => {
                return Err(UsageError("--output-file: every format has a file already".to_owned()));
            }
            _ => {}
        }
        let mut all = Vec::new();
        let mut is_read = false;
        for output in outputs {
            let sink = match output.file.as_deref().or(file) {
                Some(path) => Sink::File(path.to_owned(), Vec::new()),
                None => Sink::Stdout(BufWriter::with_capacity(1 << 16, io::stdout())),
            };
            let look = match &sink {
                Sink::Stdout(_) => look,
                Sink::File(..) => look.of_file(),
            };
            is_read |= matches!(sink, Sink::Stdout(_)) && output.format.is_text;
            all.push(((output.format.printer)(look), sink));
        }
        Ok(Self { all, is_read })
    }

    /// Prints the results for a file.
    pub(crate) fn file(&mut self, file: &File<'_>) -> io::Result<()> {
        let mut all = self.all.iter_mut();
        all.try_for_each(|(printer, sink)| printer.file(sink.out(), file))
    }

    /// Prints that a file could not be read.
    pub(crate) fn unreadable(&mut self, unreadable: &Unreadable) -> io::Result<()> {
        if !self.is_read {
            unreadable.tell();
        }
        let mut all = self.all.iter_mut();
        all.try_for_each(|(printer, sink)| printer.unreadable(sink.out(), unreadable))
    }

    /// Standard output, if no format writes to it.
    pub(crate) fn stdout(&mut self) -> Option<&mut dyn Write> {
        self.all.iter_mut().find_map(|(_, sink)| match sink {
            Sink::Stdout(out) => Some(out as &mut dyn Write),
            Sink::File(..) => None,
        })
    }

    /// Flushes the output so far.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.all.iter_mut().try_for_each(|(_, sink)| sink.out().flush())
    }

    /// Prints the summary, and writes the files. Returns the files that could not be written, with the reasons.
    pub(crate) fn end(
        &mut self,
        summary: &Summary,
        elapsed: Duration,
        replaceable: Replaceable,
    ) -> io::Result<Vec<String>> {
        let mut failed = Vec::new();
        for (printer, sink) in &mut self.all {
            printer.end(sink.out(), summary, elapsed)?;
            match sink {
                Sink::Stdout(out) => out.flush()?,
                Sink::File(path, bytes) => {
                    if let Err(why) = write::put(path, bytes, replaceable) {
                        failed.push(unwritten(&path.display().to_string(), &why));
                    }
                }
            }
        }
        Ok(failed)
    }
}
