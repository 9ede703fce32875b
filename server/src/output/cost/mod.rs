//! How costs are printed: one file a format.

mod jsonl;
pub(crate) mod text;

use std::io::{self, Write};

use crd_analyzer_workspace::costs::FileCosts;

use super::format::choose;
use crate::input::Unreadable;

/// Every format.
const ALL: &[&Format] = &[&text::FORMAT, &jsonl::FORMAT];

/// How costs are printed.
#[derive(Debug)]
pub(crate) struct Format {
    /// What people type.
    pub(crate) name: &'static str,
    /// What it is.
    help: &'static str,
    /// It shows one Kubernetes version, and only the most expensive rules if that is wanted.
    pub(crate) is_table: bool,
    /// Prints the costs of a file.
    pub(crate) file: fn(&mut dyn Write, Layout, &str, &FileCosts) -> io::Result<()>,
    /// Prints that a file could not be read, beside what standard error says.
    pub(crate) unreadable: fn(&mut dyn Write, &Unreadable) -> io::Result<()>,
}

choose!(Format, ALL);

/// What tables look like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// How wide they are.
    pub(crate) columns: usize,
    /// The order of their rows.
    pub(crate) order: text::Order,
}
