//! What editors show of a document, by what the document is: one row a kind. Features ask the row, and never compare kinds.

use std::path::Path;

use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::tree::Tree;
use crd_analyzer_workspace::kinds::files;

use crate::{
    cel::{CelScalar, scalars, scalars_of_row},
    completion::{self, Completions, Request},
    file::Document,
    hover::{self, Hover},
    symbols::{self, Symbol},
};

/// A kind of objects.
pub struct Kind {
    /// Whether an object is of it.
    is_of: fn(&Document<'_>) -> bool,
    /// What there is to say about a place, whatever other files say.
    pub(crate) hover: fn(&Document<'_>, u32, KubernetesVersion) -> Option<Hover>,
    /// The expressions, in the order of the text.
    pub(crate) expressions: fn(&Document<'_>) -> Vec<CelScalar>,
    /// The outline, whatever other files say.
    pub(crate) outline: fn(&Document<'_>) -> Option<Symbol>,
    /// Resources have properties that it declares.
    pub declares: bool,
    /// Its fields are those that a CRD of the repository declares.
    pub is_declared: bool,
}

/// The rows. The first that recognises an object counts; the last has all others.
static KINDS: [Kind; 3] = [
    // CRDs.
    Kind {
        is_of: |it| it.is_crd(),
        hover: hover::of_crd,
        expressions: |it| scalars(it.tree),
        outline: symbols::of_crd,
        declares: true,
        is_declared: false,
    },
    // The API server's own kinds in the table of the workspace.
    Kind {
        is_of: |it| it.row().is_some(),
        hover: hover::of_row,
        expressions: |it| it.root.map(|root| scalars_of_row(it.tree, root)).unwrap_or_default(),
        outline: symbols::of_row,
        declares: false,
        is_declared: false,
    },
    // Custom resources, and everything else.
    Kind {
        is_of: |_| true,
        hover: |_, _, _| None,
        expressions: |_| Vec::new(),
        outline: |_| None,
        declares: false,
        is_declared: true,
    },
];

impl Document<'_> {
    /// The row of what it is.
    pub fn kind(&self) -> &'static Kind {
        let [others @ .., last] = &KINDS;
        others.iter().find(|it| (it.is_of)(self)).unwrap_or(last)
    }
}

/// A kind of files without objects, recognised by their path.
pub struct FileKind {
    /// Its name in the workspace's table.
    name: &'static str,
    /// What there is to say about a place.
    pub hover: fn(&Tree, u32) -> Option<Hover>,
    /// What can be written at a place.
    pub complete: fn(&Request<'_>) -> Option<Completions>,
}

/// The rows.
static FILES: [FileKind; 1] = [FileKind {
    name: files::CONFIGURATION.name,
    hover: hover::configuration_hover,
    complete: completion::complete_configuration,
}];

/// The row of the file at a path, if it has no objects.
pub fn of_file(path: &Path) -> Option<&'static FileKind> {
    let found = files::of(path)?;
    FILES.iter().find(|it| it.name == found.name)
}
