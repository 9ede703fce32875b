//! What a build has made.

use std::{
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_budget::Limits;

use crate::{
    node::{Node, Place},
    problem::Problem,
};

/// An object of a build.
#[derive(Clone, Debug)]
pub struct Built {
    /// The object.
    pub node: Node,
    /// Where the object was written as a whole, before anything changed it.
    pub origin: Place,
}

/// Something that a kustomization names and that is not read here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unread {
    /// A base that is not on this machine.
    Remote(String),
    /// A file or folder that does not exist. Something else may make it before kustomize runs.
    Missing(String),
    /// A file or folder that [`Files`](crate::Files) refuses to read, and why.
    Refused(String, String),
    /// A field whose objects are made by a program: a chart or a plugin, and the kind of the plugin.
    Made(&'static str, Option<String>),
}

impl Unread {
    /// What is named by a path and not there.
    pub(crate) fn of(path: &str) -> Self {
        if is_remote(path) {
            Self::Remote(path.to_owned())
        } else {
            Self::Missing(path.to_owned())
        }
    }
}

/// Whether a path that is not there names a repository or a page.
pub(crate) fn is_remote(path: &str) -> bool {
    let host = path.split('/').next().unwrap_or_default();
    let is_host = path.contains('/')
        && !host.starts_with('.')
        && host.rsplit_once('.').is_some_and(|(name, end)| {
            !name.is_empty() && end.len() > 1 && end.bytes().all(|it| it.is_ascii_alphabetic())
        });
    path.contains("://") || path.starts_with("git@") || path.starts_with("git::") || path.contains("?ref=") || is_host
}

/// What a kustomization builds.
#[derive(Debug)]
pub struct Build {
    /// The objects in the order in which they are built; `Err` says why there are none.
    pub objects: std::result::Result<Vec<Built>, Problem>,
    /// The files that were asked for, whether they are there or not: the build may change when one of them does.
    pub files: Vec<Arc<Path>>,
    /// What is named and not read, each with the place that names it. The objects are those of the others.
    pub unread: Vec<(Unread, Place)>,
    /// The folders of the kustomizations that the build has read, its own first, each with what it takes of `resources`.
    pub folders: Vec<(PathBuf, Range<usize>)>,
    /// The files that hold resources.
    pub resources: Vec<PathBuf>,
    /// Where the objects are that were read from these, whether they are built or not.
    pub taken: Vec<Place>,
    /// The files that hold patches.
    pub patches: Vec<PathBuf>,
    /// Some kustomization changes the values of objects, beside their names, namespaces, labels, and annotations.
    pub is_changing: bool,
    /// It is a Component: only a kustomization that names it builds it.
    pub is_component: bool,
    /// The kustomization names objects, or makes some: it is meant to be built.
    pub names_objects: bool,
    /// The folders of kustomizations that could not be read, or that name a patch which does not exist: files there may be patches.
    pub misread: Vec<PathBuf>,
    /// What it has left of what it might spend.
    pub left: Limits,
}
