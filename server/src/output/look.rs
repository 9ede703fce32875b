//! How text looks: its colors, its width, and how much it tells.

use std::io::{self, IsTerminal};

use clap::ValueEnum;
use crd_analyzer_workspace::findings::finding::Severity;

/// When text has colors.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum Color {
    /// In a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`; elsewhere if `FORCE_COLOR` or `CLICOLOR_FORCE` is set.
    #[default]
    Auto,
    /// Also in files and pipes.
    Always,
    /// Nowhere.
    Never,
}

impl Color {
    /// Whether what is printed there has colors. `NO_COLOR` counts for more than what forces them.
    pub(crate) fn is_shown(self, out: &impl IsTerminal) -> bool {
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|it| !it.is_empty() && it != "0");
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto if std::env::var_os("NO_COLOR").is_some_and(|it| !it.is_empty()) => false,
            Self::Auto if is_set("FORCE_COLOR") || is_set("CLICOLOR_FORCE") => true,
            Self::Auto => out.is_terminal() && std::env::var_os("TERM").is_none_or(|it| it != "dumb"),
        }
    }
}

/// Columns of text that is not printed in a terminal, unless `COLUMNS` says otherwise.
const COLUMNS: usize = 100;

/// The columns that text is printed in: those of the terminal; else what the variable `COLUMNS` says.
pub(crate) fn columns(stdout: &io::Stdout) -> usize {
    if stdout.is_terminal()
        && let Some((columns, _)) = terminal_size::terminal_size()
    {
        return columns.0.into();
    }
    let said = std::env::var("COLUMNS").ok().and_then(|it| it.parse().ok());
    said.filter(|it| (1..=1_000).contains(it)).unwrap_or(COLUMNS)
}

/// How results look, and what they tell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    /// Text has colors.
    pub(crate) color: bool,
    /// How wide text is.
    pub(crate) columns: usize,
    /// What a server makes of custom resources is printed, too.
    pub(crate) effective: bool,
    /// Requests come from a list: a program asks, and each line answers a request.
    pub(crate) is_list: bool,
    /// The API server's own text is printed with each of its errors.
    pub(crate) verbose: bool,
    /// Each diagnostic is printed.
    pub(crate) diagnostics: bool,
    /// How many there are of each code is printed.
    pub(crate) statistics: bool,
    /// The sums are printed.
    pub(crate) summary: bool,
    /// What makes a test of a document fail.
    pub(crate) fails: Severity,
}

impl Look {
    /// The look of text in a file.
    pub(crate) fn of_file(self) -> Self {
        Self {
            color: false,
            columns: COLUMNS,
            ..self
        }
    }
}
