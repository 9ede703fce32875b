//! Test suites for definitions: objects, and what a server must answer to them.
//!
//! [`read()`] makes a [`Suite`] of a file's text, in our own format or in that of openshift/api; [`run::run`] asks the servers of some minors
//! and compares; [`update::edits`] writes into the file what came out. This crate does no I/O: who has files finds out what a suite wants
//! ([`Suite::wanted`]) and brings the texts of the definitions.

pub mod choose;
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
pub mod run;
mod server;
pub mod update;
mod yaml;

use std::{path::Path, sync::Arc};

pub use model::{Case, Problem, Suite, Wanted};

use crd_analyzer_syntax::{
    read as read_tree,
    tree::{NodeKind, Span, Tree},
};

/// What the name of a file of our own format ends in.
pub const SUFFIXES: [&str; 2] = [".test.yaml", ".test.yml"];

/// What the name of a file in openshift/api's format often ends in.
const THEIR_SUFFIX: &str = ".testsuite.yaml";

/// The folder below which openshift/api has a folder of suites for each definition.
const THEIR_FOLDER: &str = "tests";

/// Whether a file that was found somewhere may be a suite, by its path. Then [`is_suite`] tells.
pub fn may_be_suite(path: &Path) -> bool {
    let name = path.file_name().map(|it| it.to_string_lossy()).unwrap_or_default();
    let is_named = |suffix: &str| name.ends_with(suffix);
    let folder = path.parent().and_then(Path::parent).and_then(Path::file_name);
    let is_in_their_folder = folder.is_some_and(|it| it == THEIR_FOLDER) && name.ends_with(".yaml");
    SUFFIXES.into_iter().any(is_named) || is_named(THEIR_SUFFIX) || is_in_their_folder
}

/// Whether the text of such a file is a suite: of somebody else's test files nothing is said. One that is named as ours is, and is no YAML,
/// counts as one, or its tests would go missing without a word.
pub fn is_suite(path: &Path, text: &Arc<str>) -> bool {
    let name = path.file_name().map(|it| it.to_string_lossy()).unwrap_or_default();
    let is_ours = SUFFIXES.iter().any(|it| name.ends_with(it));
    match read_tree(text, Span::new(0, text.len() as u32)) {
        Err(_) => is_ours || name.ends_with(THEIR_SUFFIX),
        Ok(tree) => match kind_of(&tree) {
            Some(Kind::OpenShift) => true,
            Some(Kind::Own) | None if is_ours => {
                let root = tree.root().map(|it| tree.resolve(it));
                root.is_some_and(|it| tree.get(it, "crd").is_some() || tree.get(it, "tests").is_some())
            }
            _ => false,
        },
    }
}

/// Reads a suite. What is wrong with it is said where it stands.
pub fn read(text: &Arc<str>) -> Result<Suite, Vec<Problem>> {
    let whole = Span::new(0, text.len() as u32);
    let tree = match read_tree(text, whole) {
        Ok(tree) => tree,
        Err(error) => {
            return Err(vec![Problem::new(
                error.span,
                format!("this is no YAML: {}", error.message),
            )]);
        }
    };
    match kind_of(&tree) {
        Some(Kind::OpenShift) => openshift::read(&tree),
        _ => own::read(&tree),
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Own,
    OpenShift,
}

/// Ours has a list of tests, theirs lists by what is done.
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
