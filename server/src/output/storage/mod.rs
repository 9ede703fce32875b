//! The versions that objects are stored in, and the steps of a migration: one file a format.

mod json;
mod text;

use std::io::{self, Write};

use crd_analyzer_workspace::comparison::stored_versions::StoragePlan;

use super::format::choose;

/// Every format.
const ALL: &[&Format] = &[&text::FORMAT, &json::FORMAT];

/// The output format.
#[derive(Debug)]
pub(crate) struct Format {
    /// What people type.
    name: &'static str,
    /// What it is.
    help: &'static str,
    /// Prints plans, in so many columns if it is for people.
    pub(crate) print: fn(&mut dyn Write, usize, &[Planned]) -> io::Result<()>,
}

choose!(Format, ALL);

/// The plan of one CRD.
pub(crate) struct Planned {
    /// The name of the CRD.
    pub(crate) name: String,
    pub(crate) plan: StoragePlan,
}
