//! Bases that several builds of a run share. A base that was built twice is kept, and later builds reuse it.

use std::{
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{kustomization::Var, node::Place, resource::Resources, spec::Config};

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
    /// It was built once. Most bases have only one overlay.
    Seen,
    /// It was built twice and is kept.
    Kept(Arc<Kept>),
    /// It cannot be kept, because a part of it is not read or not supported.
    Alone,
}

/// A built base, and what its build recorded.
#[derive(Debug)]
pub(crate) struct Kept {
    /// See [`Files::identity`](crate::Files::identity).
    pub(crate) files: usize,
    pub(crate) accumulated: Accumulated,
    pub(crate) texts: Vec<(Arc<Path>, Option<Arc<str>>)>,
    /// The folders, each with its range of `resources`.
    pub(crate) folders: Vec<(PathBuf, Range<usize>)>,
    pub(crate) resources: Vec<PathBuf>,
    pub(crate) taken: Vec<Place>,
    pub(crate) patches: Vec<PathBuf>,
    pub(crate) is_changing: bool,
}

impl Kept {
    /// The size in bytes of its objects.
    pub(crate) fn bytes(&self) -> u64 {
        let objects = self.accumulated.resources.list();
        objects.iter().map(|it| it.node.kept_bytes()).sum()
    }
}
