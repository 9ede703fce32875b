//! Bases that several builds of a run share. A base is kept when it is built for the second time, and later builds reuse it.

use std::{
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{changes::Changes, kustomization::Var, node::Place, resource::Resources, spec::Config};

/// The objects of the kustomizations that were read so far.
#[derive(Clone, Default, Debug)]
pub(crate) struct Accumulated {
    pub(crate) resources: Resources,
    pub(crate) config: Config,
    pub(crate) vars: Vec<Var>,
}

/// The state of a base.
#[derive(Debug)]
pub(crate) enum Base {
    /// The base was built once. Most bases have only one overlay.
    Seen,
    /// The base was built twice, so its result is kept.
    Kept(Arc<Kept>),
    /// The base cannot be kept, because a part of it is not read or not supported.
    Alone,
}

/// A built base, and everything that its build recorded.
#[derive(Debug)]
pub(crate) struct Kept {
    /// See [`Files::identity`](crate::Files::identity).
    pub(crate) files: usize,
    pub(crate) accumulated: Accumulated,
    pub(crate) texts: Vec<(Arc<Path>, Option<Arc<str>>)>,
    /// The folders of the base's kustomizations, each with its range of `resources`.
    pub(crate) folders: Vec<(PathBuf, Range<usize>)>,
    pub(crate) resources: Vec<PathBuf>,
    pub(crate) taken: Vec<Place>,
    pub(crate) patches: Vec<PathBuf>,
    pub(crate) changes: Changes,
}

impl Kept {
    /// The total size of the base's objects, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let objects = self.accumulated.resources.list();
        objects.iter().map(|it| it.node.kept_bytes()).sum()
    }
}
