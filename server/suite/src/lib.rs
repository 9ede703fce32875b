//! Test suites for CRDs: objects, and the answers that the API server must give to them.
//!
//! [`read()`] parses a suite file, in crd-analyzer's own format or in that of openshift/api. [`run::run`] validates the objects for the given
//! Kubernetes versions and compares the results. [`update::edits`] writes the actual results into the file. This crate does no I/O: [`Suite::wanted`]
//! has the CRDs that a suite needs, and callers provide their texts.

pub mod choose;
pub mod coverage;
pub mod definition;
mod equal;
mod errors;
pub mod init;
mod model;
mod openshift;
mod own;
mod patch;
mod reader;
pub mod rewrite;
mod rules;
pub mod run;
pub mod sample;
mod server;
mod size;
mod touched;
pub mod update;
mod written;
mod yaml;

use std::{path::Path, sync::Arc};

pub use model::{Case, Problem, Suite, Wanted};
pub use written::Written;

use crd_analyzer_budget::{self as budget, Limits};
use crd_analyzer_syntax::{
    read as read_tree,
    tree::{NodeKind, Span, Tree},
};

/// The endings of file names in crd-analyzer's own format.
pub const SUFFIXES: [&str; 2] = [".test.yaml", ".test.yml"];

/// A common ending of file names in openshift/api's format.
const THEIR_SUFFIX: &str = ".testsuite.yaml";

/// The folder of openshift/api that has a subfolder of suites for each CRD.
const THEIR_FOLDER: &str = "tests";

/// The limits for reading the values in a suite. With aliases, they can be much larger than the file.
const READING: Limits = Limits {
    work: Limits::DOCUMENT.work,
    bytes: 32 << 20,
    ..Limits::NONE
};

/// Whether a file may be a suite, judging by its path. [`is_suite`] then checks the content.
pub fn may_be_suite(path: &Path) -> bool {
    let name = path.file_name().map(|it| it.to_string_lossy()).unwrap_or_default();
    let is_named = |suffix: &str| name.ends_with(suffix);
    let folder = path.parent().and_then(Path::parent).and_then(Path::file_name);
    let is_in_their_folder = folder.is_some_and(|it| it == THEIR_FOLDER) && name.ends_with(".yaml");
    SUFFIXES.into_iter().any(is_named) || is_named(THEIR_SUFFIX) || is_in_their_folder
}

/// Whether a file is a suite. Test files of other tools are not suites. A file that is named like a suite but is not valid YAML is treated as one,
/// because otherwise its tests would be skipped without a message.
pub fn is_suite(path: &Path, text: &Arc<str>) -> bool {
    let name = path.file_name().map(|it| it.to_string_lossy()).unwrap_or_default();
    let is_ours = SUFFIXES.iter().any(|it| name.ends_with(it));
    match read_tree(text, Span::new(0, text.len() as u32)) {
        Err(_) => is_ours || name.ends_with(THEIR_SUFFIX),
        Ok(tree) => match kind_of(&tree) {
            Some(Kind::OpenShift) => true,
            Some(Kind::Own) | None if is_ours => {
                let root = tree.root().map(|it| tree.resolve(it));
                let has = |key: &str| root.is_some_and(|it| tree.get(it, key).is_some());
                // The tests of Prometheus' rules have the same name and the key `tests`.
                (has("crd") || has("tests")) && !has("rule_files")
            }
            _ => false,
        },
    }
}

/// Parses a suite. Errors have their positions in the file.
pub fn read(text: &Arc<str>) -> Result<Suite, Vec<Problem>> {
    let whole = Span::new(0, text.len() as u32);
    let tree = match read_tree(text, whole) {
        Ok(tree) => tree,
        Err(error) => {
            return Err(vec![Problem::new(
                error.span,
                format!("this is not YAML: {}", error.message),
            )]);
        }
    };
    let read = || match kind_of(&tree) {
        Some(Kind::OpenShift) => openshift::read(&tree),
        _ => own::read(&tree),
    };
    let (suite, ended) = budget::within(READING, read);
    match ended.unfinished {
        Some(_) => Err(vec![Problem::new(
            tree.root().map_or(whole, |root| reader::first_line(&tree, root)),
            "the suite is too large after its aliases are expanded",
        )]),
        None => suite,
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Own,
    OpenShift,
}

/// The format of a suite. crd-analyzer's own format has one list of tests, openshift/api's format has a list for each action.
fn kind_of(tree: &Tree) -> Option<Kind> {
    let root = tree.resolve(tree.root()?);
    let tests = tree.resolve(tree.get(root, "tests")?);
    match tree.kind(tests) {
        NodeKind::Sequence(_) => Some(Kind::Own),
        NodeKind::Mapping(_) if tree.get(tests, "onCreate").is_some() || tree.get(tests, "onUpdate").is_some() => {
            Some(Kind::OpenShift)
        }
        _ => None,
    }
}
