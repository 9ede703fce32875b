//! Bases that several builds of a run have: a base that was built twice is kept, and the builds that follow take it over.

use std::{
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{kustomization::Var, node::Place, resource::Resources, spec::Config};

/// What the kustomizations that were read have so far.
#[derive(Clone, Default, Debug)]
pub(crate) struct Accumulated {
    pub(crate) resources: Resources,
    pub(crate) config: Config,
    pub(crate) vars: Vec<Var>,
}

/// What became of a base.
#[derive(Debug)]
pub(crate) enum Base {
    /// It was built once: most bases have one overlay.
    Seen,
    /// It was built twice.
    Kept(Arc<Kept>),
    /// It cannot be kept: something in it is not read or not supported.
    Alone,
}

/// A base as it was built, and what the build has noted of it.
#[derive(Debug)]
pub(crate) struct Kept {
    /// See [`Files::identity`](crate::Files::identity).
    pub(crate) files: usize,
    pub(crate) accumulated: Accumulated,
    pub(crate) texts: Vec<(Arc<Path>, Option<Arc<str>>)>,
    /// Ranges of `resources`.
    pub(crate) folders: Vec<(PathBuf, Range<usize>)>,
    pub(crate) resources: Vec<PathBuf>,
    pub(crate) taken: Vec<Place>,
    pub(crate) patches: Vec<PathBuf>,
    pub(crate) is_changing: bool,
}

impl Kept {
    /// The bytes that its objects take.
    pub(crate) fn bytes(&self) -> u64 {
        let objects = self.accumulated.resources.list();
        objects.iter().map(|it| it.node.kept_bytes()).sum()
    }
}
