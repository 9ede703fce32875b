//! The output of `cost`, with one file for each format.

mod jsonl;
pub(crate) mod text;

use std::io::{self, Write};

use crd_analyzer_workspace::costs::FileCosts;

use super::format::choose;
use crate::input::Unreadable;

/// All formats.
const ALL: &[&Format] = &[&text::FORMAT, &jsonl::FORMAT];

/// An output format.
#[derive(Debug)]
pub(crate) struct Format {
    /// The name to type on the command line.
    pub(crate) name: &'static str,
    /// The help text.
    help: &'static str,
    /// Whether the format is a table. A table shows one Kubernetes version, and may be limited to the most expensive rules.
    pub(crate) is_table: bool,
    /// Prints the costs of a file.
    pub(crate) file: fn(&mut dyn Write, Layout, &str, &FileCosts) -> io::Result<()>,
    /// Prints that a file could not be read, in addition to the message on standard error.
    pub(crate) unreadable: fn(&mut dyn Write, &Unreadable) -> io::Result<()>,
}

choose!(Format, ALL);

/// The layout of tables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// The width in columns.
    pub(crate) columns: usize,
    /// The order of the rows.
    pub(crate) order: text::Order,
}
