//! The result of a build.

use std::{
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_budget::Limits;

use crate::{
    changes::Changes,
    node::{Node, Place},
    problem::Problem,
    targets::Targets,
};

/// An object of a build.
#[derive(Clone, Debug)]
pub struct Built {
    /// The object as it is built.
    pub node: Node,
    /// The place where the whole object was written, before any changes.
    pub origin: Place,
}

/// An input that a kustomization names but that crd-analyzer does not read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unread {
    /// A remote base, which is not on this machine.
    Remote(String),
    /// A file on the web, from which kustomize generates an object.
    RemoteFile(String),
    /// A file or folder that does not exist, and the paths that differ from it in one part and exist. kustomize fails.
    Missing(String, Vec<Arc<str>>),
    /// A file or folder that does not exist, but that a program may create before kustomize runs: see [`Files::is_made`](crate::Files::is_made).
    Awaited(String),
    /// A file or folder that [`Files`](crate::Files) refuses to read, and the reason.
    Refused(String, String),
    /// A field whose objects a program creates, and the kind of the plugin if it is one.
    Made(&'static str, Option<String>),
}

impl Unread {
    /// Classifies a path that does not exist. `is_made` tells whether a program may create it, and `like` returns similar paths.
    pub(crate) fn of(path: &str, is_made: impl FnOnce() -> bool, like: impl FnOnce() -> Vec<Arc<str>>) -> Self {
        if is_remote(path) {
            Self::Remote(path.to_owned())
        } else if is_made() {
            Self::Awaited(path.to_owned())
        } else {
            Self::Missing(path.to_owned(), like())
        }
    }
}

/// Whether kustomize downloads a file with this path.
pub(crate) fn is_download(path: &str) -> bool {
    let scheme = path.split_once("://").map_or("", |it| it.0);
    ["http", "https"].iter().any(|it| scheme.eq_ignore_ascii_case(it))
}

/// Whether a path without an existing file names a repository or a web page.
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
    /// The built objects in order, or the reason why the build failed.
    pub objects: std::result::Result<Vec<Built>, Problem>,
    /// The files that the build read or tried to read. If one of them changes, the result may change.
    pub files: Vec<Arc<Path>>,
    /// The inputs that are not read, each with the place that names it. Their objects are not in `objects`.
    pub unread: Vec<(Unread, Place)>,
    /// The folders of the kustomizations that the build has read, each with its range of `resources`. The folder of the build itself is first.
    pub folders: Vec<(PathBuf, Range<usize>)>,
    /// The files that contain resources.
    pub resources: Vec<PathBuf>,
    /// The places of the objects in these files, even of those that are not built.
    pub taken: Vec<Place>,
    /// The files that contain patches.
    pub patches: Vec<PathBuf>,
    /// Files that are not in or below the folder of the kustomization that names them, each with the place that names it. kustomize refuses them,
    /// unless its load restrictor is off. Flux turns it off.
    pub outside: Vec<(String, Place)>,
    /// What the targets of patches select.
    pub targets: Targets,
    /// The objects that kustomizations change.
    pub changes: Changes,
    /// Whether the kustomization is a Component, which is built only as part of another kustomization.
    pub is_component: bool,
    /// Whether the kustomization names or generates objects, which means that it is meant to be built.
    pub names_objects: bool,
    /// The folders of kustomizations that could not be read, or that name a patch that does not exist. Files in these folders may be patches.
    pub misread: Vec<PathBuf>,
    /// The limits that are left after the build.
    pub left: Limits,
}
