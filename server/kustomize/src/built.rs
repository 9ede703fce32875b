//! The result of a build.

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
    /// The place that contains the whole object, before any changes.
    pub origin: Place,
}

/// An input that a kustomization names and that is not read here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unread {
    /// A base that is not on this machine.
    Remote(String),
    /// A file or folder that does not exist. kustomize fails.
    Missing(String),
    /// A file or folder that does not exist, and that a program may make before kustomize runs: see [`Files::is_made`](crate::Files::is_made).
    Awaited(String),
    /// A file or folder that [`Files`](crate::Files) refuses to read, and the reason.
    Refused(String, String),
    /// A field whose objects are made by a program: a chart or a plugin, and the kind of the plugin.
    Made(&'static str, Option<String>),
}

impl Unread {
    /// The kind of a named path that does not exist. `is_made`: whether a program may make it.
    pub(crate) fn of(path: &str, is_made: impl FnOnce() -> bool) -> Self {
        if is_remote(path) {
            Self::Remote(path.to_owned())
        } else if is_made() {
            Self::Awaited(path.to_owned())
        } else {
            Self::Missing(path.to_owned())
        }
    }
}

/// Whether a path that does not exist names a repository or a web page.
pub(crate) fn is_remote(path: &str) -> bool {
    let host = path.split('/').next().unwrap_or_default();
    let is_host = path.contains('/')
        && !host.starts_with('.')
        && host.rsplit_once('.').is_some_and(|(name, end)| {
            !name.is_empty() && end.len() > 1 && end.bytes().all(|it| it.is_ascii_alphabetic())
        });
    path.contains("://") || path.starts_with("git@") || path.starts_with("git::") || path.contains("?ref=") || is_host
}

/// The result of building a kustomization.
#[derive(Debug)]
pub struct Build {
    /// The objects in the order in which they are built, or the reason why there are none.
    pub objects: std::result::Result<Vec<Built>, Problem>,
    /// The files that the build tried to read, whether they exist or not. If one of them changes, the build may change.
    pub files: Vec<Arc<Path>>,
    /// The inputs that are named but not read, each with the place that names it. `objects` does not include them.
    pub unread: Vec<(Unread, Place)>,
    /// The folders of the kustomizations that the build has read, its own first, each with its range of `resources`.
    pub folders: Vec<(PathBuf, Range<usize>)>,
    /// The files that contain resources.
    pub resources: Vec<PathBuf>,
    /// The places of the objects in these files, whether they are built or not.
    pub taken: Vec<Place>,
    /// The files that contain patches.
    pub patches: Vec<PathBuf>,
    /// Whether a kustomization changes values of objects other than their names, namespaces, labels, and annotations.
    pub is_changing: bool,
    /// Whether it is a Component, which is built only as part of a kustomization that names it.
    pub is_component: bool,
    /// Whether the kustomization names or generates objects, so it is meant to be built.
    pub names_objects: bool,
    /// The folders of kustomizations that could not be read, or that name a patch which does not exist. Files in them may be patches.
    pub misread: Vec<PathBuf>,
    /// The rest of the limits that the build has not used.
    pub left: Limits,
}
