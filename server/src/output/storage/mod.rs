//! The output of `storage`, with one file for each format.

mod json;
mod text;

use std::io::{self, Write};

use crd_analyzer_workspace::comparison::stored_versions::StoragePlan;

use super::format::choose;

/// All formats.
const ALL: &[&Format] = &[&text::FORMAT, &json::FORMAT];

/// An output format.
#[derive(Debug)]
pub(crate) struct Format {
    /// The name to type on the command line.
    name: &'static str,
    /// The help text.
    help: &'static str,
    /// Prints plans. The number is the line width for text output, in columns.
    pub(crate) print: fn(&mut dyn Write, usize, &[Planned]) -> io::Result<()>,
}

choose!(Format, ALL);

/// The storage plan of a CRD.
pub(crate) struct Planned {
    /// The name of the CRD.
    pub(crate) name: String,
    pub(crate) plan: StoragePlan,
}
