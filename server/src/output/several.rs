//! The formats of a run, and where each goes.

use std::{
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    str::FromStr,
    time::Duration,
};

use clap::ValueEnum;
use crd_analyzer_io::write::{self, Replaceable};

use super::{
    File, Look, Printer, Summary, concise::Concise, github::Github, gitlab::Gitlab, json::Json, jsonl::Jsonl,
    junit::Junit, sarif::Sarif, tap::Tap, text::Text, unwritten,
};
use crate::{input::Unreadable, status::UsageError};

/// How diagnostics are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Format {
    /// For people: the source with the places marked.
    Text,
    /// One line a diagnostic: `file:line:column: error[code]: headline`.
    Concise,
    /// One JSON document: every answer and a summary.
    Json,
    /// One JSON object a line: a document's answer by one Kubernetes version.
    Jsonl,
    /// Workflow commands of GitHub Actions: annotations on the changed files.
    Github,
    /// The Code Quality report of GitLab CI.
    Gitlab,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// XML as JUnit writes it: a test case a document.
    Junit,
    /// The Test Anything Protocol, version 14: a test a document.
    Tap,
}

impl Format {
    fn printer(self, look: Look) -> Box<dyn Printer> {
        let effective = look.effective;
        match self {
            Self::Text => Box::new(Text::new(look)),
            Self::Concise => Box::new(Concise { look }),
            Self::Json => Box::new(Json::new(effective)),
            Self::Jsonl => Box::new(Jsonl {
                effective,
                is_list: look.is_list,
            }),
            Self::Github => Box::new(Github),
            Self::Gitlab => Box::new(Gitlab::default()),
            Self::Sarif => Box::new(Sarif::default()),
            Self::Junit => Box::new(Junit::new(look)),
            Self::Tap => Box::new(Tap::new(look)),
        }
    }

    /// Whether it says how many diagnostics have fixes.
    pub(crate) fn counts_fixes(self) -> bool {
        matches!(self, Self::Text | Self::Concise | Self::Json)
    }

    /// Whether it has fingerprints.
    pub(crate) fn has_fingerprints(self) -> bool {
        matches!(self, Self::Sarif | Self::Gitlab)
    }

    /// Whether it has repairs, which are looked for only then.
    pub(crate) fn has_fixes(self) -> bool {
        self == Self::Sarif
    }

    /// Whether it says what an API server makes of each custom resource, which is found out only then.
    pub(crate) fn has_resources(self) -> bool {
        matches!(self, Self::Json | Self::Jsonl)
    }

    /// Whether the format is for people. It then includes unreadable files, so standard error need not repeat them.
    fn is_text(self) -> bool {
        matches!(self, Self::Text | Self::Concise)
    }
}

/// A format, and the file that it goes to: `text`, `sarif=out.sarif`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Output {
    pub(crate) format: Format,
    pub(crate) file: Option<PathBuf>,
}

impl FromStr for Output {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, file) = text
            .split_once('=')
            .map_or((text, None), |(name, file)| (name, Some(file)));
        let format = Format::from_str(name, false).map_err(|_| {
            let known = Format::value_variants().iter().filter_map(ValueEnum::to_possible_value);
            let known: Vec<String> = known.map(|it| it.get_name().to_owned()).collect();
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

/// Where a format goes.
enum Sink {
    Stdout(BufWriter<io::Stdout>),
    /// Written when all is known, so that a run that fails leaves the file as it was.
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
    /// Standard output is for people.
    is_read: bool,
}

impl Outputs {
    /// `file`: where the format goes that names no file; standard output if absent. `look` is that of standard output.
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
            is_read |= matches!(sink, Sink::Stdout(_)) && output.format.is_text();
            all.push((output.format.printer(look), sink));
        }
        Ok(Self { all, is_read })
    }

    /// Prints what there is to say about one file.
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

    /// Standard output, if no format uses it.
    pub(crate) fn stdout(&mut self) -> Option<&mut dyn Write> {
        self.all.iter_mut().find_map(|(_, sink)| match sink {
            Sink::Stdout(out) => Some(out as &mut dyn Write),
            Sink::File(..) => None,
        })
    }

    /// Sends what was printed so far.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.all.iter_mut().try_for_each(|(_, sink)| sink.out().flush())
    }

    /// Prints the end, and writes the files. Those that could not be written, each with the reason.
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
