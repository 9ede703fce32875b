//! The appearance of text output: its colors, its width, and how detailed it is.

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
    /// Whether to color the output. `NO_COLOR` takes precedence over the variables that force colors.
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

/// The line width of text outside a terminal, unless `COLUMNS` is set.
const COLUMNS: usize = 100;

/// The line width of text: the width of the terminal, otherwise the value of `COLUMNS`.
pub(crate) fn columns(stdout: &io::Stdout) -> usize {
    if stdout.is_terminal()
        && let Some((columns, _)) = terminal_size::terminal_size()
    {
        return columns.0.into();
    }
    let said = std::env::var("COLUMNS").ok().and_then(|it| it.parse().ok());
    said.filter(|it| (1..=1_000).contains(it)).unwrap_or(COLUMNS)
}

/// The appearance and the content of text output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    /// Whether text has colors.
    pub(crate) color: bool,
    /// The line width in columns.
    pub(crate) columns: usize,
    /// Whether to print custom resources in the form that the API server stores.
    pub(crate) effective: bool,
    /// Whether requests come from a list. Each line of output then answers one request.
    pub(crate) is_list: bool,
    /// Whether to print the API server's own message for each error.
    pub(crate) verbose: bool,
    /// Whether to print each diagnostic.
    pub(crate) diagnostics: bool,
    /// Whether to print the number of diagnostics for each code.
    pub(crate) statistics: bool,
    /// Whether to print the totals.
    pub(crate) summary: bool,
    /// The lowest severity that fails the run.
    pub(crate) fails: Severity,
}

impl Look {
    /// The appearance of text that is written to a file.
    pub(crate) fn of_file(self) -> Self {
        Self {
            color: false,
            columns: COLUMNS,
            ..self
        }
    }
}
