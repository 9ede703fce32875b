//! What a build has made.

use std::path::PathBuf;

use crate::{
    node::{Node, Place},
    problem::Problem,
    sources::Sources,
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
    /// A field whose objects are made by a program: a chart or a plugin.
    Made(&'static str),
}

/// What a kustomization builds.
#[derive(Debug)]
pub struct Build {
    /// The objects in the order in which they are built; `Err` says why there are none.
    pub objects: std::result::Result<Vec<Built>, Problem>,
    /// Where the values come from.
    pub sources: Sources,
    /// What is named and not read, each with the place that names it. The objects are those of the others.
    pub unread: Vec<(Unread, Place)>,
    /// The folders of the kustomizations that the build has read, its own included.
    pub folders: Vec<PathBuf>,
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
}
