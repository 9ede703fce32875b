//! The editor features for each kind of document, as a table with one row for each kind. Features use the row and never compare kinds.

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

/// The editor features for one kind of document.
pub struct Kind {
    /// Whether a document is of this kind.
    is_of: fn(&Document<'_>) -> bool,
    /// The hover at an offset, without information from other files.
    pub(crate) hover: fn(&Document<'_>, u32, KubernetesVersion) -> Option<Hover>,
    /// The CEL expressions of a document, in the order of the text.
    pub(crate) expressions: fn(&Document<'_>) -> Vec<CelScalar>,
    /// The outline, without information from other files.
    pub(crate) outline: fn(&Document<'_>) -> Option<Symbol>,
    /// Whether documents of this kind declare properties that resources have.
    pub declares: bool,
    /// Whether a CRD of the repository declares the fields of such documents.
    pub is_declared: bool,
}

/// The table of kinds. The first row that matches a document applies. The last row matches every document.
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
    // Kinds that the API server itself has, listed in the workspace's table.
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
    /// The row for the document's kind.
    pub fn kind(&self) -> &'static Kind {
        let [others @ .., last] = &KINDS;
        others.iter().find(|it| (it.is_of)(self)).unwrap_or(last)
    }
}

/// A kind of file without objects, recognized by its path.
pub struct FileKind {
    /// The name of the file kind in the workspace's table.
    name: &'static str,
    /// The hover at an offset.
    pub hover: fn(&Tree, u32) -> Option<Hover>,
    /// The completion items at a position.
    pub complete: fn(&Request<'_>) -> Option<Completions>,
}

/// The table of file kinds.
static FILES: [FileKind; 1] = [FileKind {
    name: files::CONFIGURATION.name,
    hover: hover::configuration_hover,
    complete: completion::complete_configuration,
}];

/// The row for the file at a path, if it is a kind of file without objects.
pub fn of_file(path: &Path) -> Option<&'static FileKind> {
    let found = files::of(path)?;
    FILES.iter().find(|it| it.name == found.name)
}
