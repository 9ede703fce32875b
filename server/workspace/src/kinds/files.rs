//! Files that crd-analyzer checks although the API server does not read them, as a table with one row for each kind of file.

use std::path::Path;

use crate::{
    config::{check::check, is_config},
    findings::report::FileReport,
};

/// A kind of file.
#[derive(Debug)]
pub struct Row {
    /// The name of the kind of file.
    pub name: &'static str,
    /// Whether a path is the path of such a file.
    is_of: fn(&Path) -> bool,
    /// Checks the text of such a file.
    pub judge: fn(Vec<u8>) -> FileReport,
}

/// The configuration file, `.crd-analyzer.yaml`.
pub static CONFIGURATION: Row = Row {
    name: "configuration",
    is_of: is_config,
    judge: check,
};

/// The table of kinds of files.
static ROWS: [&Row; 1] = [&CONFIGURATION];

/// The table row for the file at a path. `None` if the file contains objects, or is of an unknown kind.
pub fn of(path: &Path) -> Option<&'static Row> {
    ROWS.into_iter().find(|it| (it.is_of)(path))
}
