//! Files that no API server reads and that are checked here: one row a kind of file.

use std::path::Path;

use crate::{
    config::{check::check, is_config},
    findings::report::FileReport,
};

/// A kind of files.
#[derive(Debug)]
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// Whether a file is of it.
    is_of: fn(&Path) -> bool,
    /// What is wrong with its text.
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

/// The row of the file at a path. `None`: it has objects, or nothing is known of it.
pub fn of(path: &Path) -> Option<&'static Row> {
    ROWS.into_iter().find(|it| (it.is_of)(path))
}
