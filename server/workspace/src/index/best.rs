//! The best CRD of each name, and its copies.

use std::{collections::BTreeMap, sync::Arc};

use super::{Index, KnownCrd, Origin};
use crate::roles::{Standing, is_template};

impl Index {
    /// The best CRD with each name, sorted by name. Only files that the repository's authors, generators or packages wrote are considered.
    pub fn own_crds(&self) -> Vec<Arc<KnownCrd>> {
        self.best(|it| it.origin == Origin::Workspace && it.place.standing <= Standing::Packaged)
    }

    /// The best CRD with each name, sorted by name. Parts of CRDs are left out.
    pub fn best_crds(&self) -> Vec<Arc<KnownCrd>> {
        self.best(KnownCrd::is_whole)
    }

    fn best(&self, is_wanted: impl Fn(&KnownCrd) -> bool) -> Vec<Arc<KnownCrd>> {
        let mut best: BTreeMap<&str, &Arc<KnownCrd>> = BTreeMap::new();
        let rank = |it: &Arc<KnownCrd>| (it.place.standing, is_template(&it.path), it.path.clone());
        for it in self
            .definitions()
            .filter(|it| is_wanted(it) && !self.built.contains(&it.path))
        {
            let best = best.entry(&it.name).or_insert(it);
            if rank(it) < rank(best) {
                *best = it;
            }
        }
        best.into_values().cloned().collect()
    }

    /// The other CRDs with the name of a CRD that its repository keeps in step with it: packages for users, and examples in documentation. Copies of
    /// releases and of other projects are left out.
    pub fn copies(&self, of: &KnownCrd) -> Vec<Arc<KnownCrd>> {
        let is_kept =
            |it: &KnownCrd| it.place.standing <= Standing::Packaged || it.place.standing == Standing::Documentation;
        let is_copy = |it: &&Arc<KnownCrd>| {
            it.name == of.name
                && it.path != of.path
                && it.origin == Origin::Workspace
                && is_kept(it)
                && !self.built.contains(&it.path)
        };
        let mut copies: Vec<_> = self.definitions().filter(is_copy).cloned().collect();
        copies.sort_by(|one, other| one.path.cmp(&other.path));
        copies
    }
}
