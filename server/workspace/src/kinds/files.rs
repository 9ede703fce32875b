//! Files that the API server does not read but that are checked here, one row for each kind of file.

use std::path::Path;

use crate::{
    config::{check::check, is_config},
    findings::report::FileReport,
};

/// A kind of files.
#[derive(Debug)]
pub struct Row {
    /// The name of the kind.
    pub name: &'static str,
    /// Whether a path is that of such a file.
    is_of: fn(&Path) -> bool,
    /// Checks the text of a file.
    pub judge: fn(Vec<u8>) -> FileReport,
}

/// `.crd-analyzer.yaml`.
pub static CONFIGURATION: Row = Row {
    name: "configuration",
    is_of: is_config,
    judge: check,
};

/// The rows.
static ROWS: [&Row; 1] = [&CONFIGURATION];

/// The row for the file at a path. `None` if the file contains objects, or is of an unknown kind.
pub fn of(path: &Path) -> Option<&'static Row> {
    ROWS.into_iter().find(|it| (it.is_of)(path))
}
