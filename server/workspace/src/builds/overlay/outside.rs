//! Hints about kustomizations that name files outside their folders.

use std::collections::HashSet;

use crd_analyzer_kustomize::{Build, Place};
use crd_analyzer_syntax::tree::Span;

use crate::{
    codes,
    findings::finding::{Class, Finding},
    words,
};

/// The files of all builds that are outside the folders of their kustomizations. kustomize refuses them unless its load restrictor is off, and nothing in
/// the repository tells whether it is.
#[derive(Default)]
pub(super) struct OutsideOfRun {
    /// The indices of the builds that Flux makes. Flux turns the load restrictor off.
    by_flux: HashSet<usize>,
    /// The documents of the kustomizations that were reported.
    told: HashSet<u32>,
}

impl OutsideOfRun {
    /// Nothing is reported of the builds with the indices `by_flux`.
    pub(super) fn of(by_flux: impl Iterator<Item = usize>) -> Self {
        Self {
            by_flux: by_flux.collect(),
            told: HashSet::new(),
        }
    }

    /// A hint for each kustomization of a build, at the first file that it names.
    pub(super) fn findings(&mut self, number: usize, build: &Build) -> Vec<(Place, Finding)> {
        if self.by_flux.contains(&number) {
            return Vec::new();
        }
        let outside = build.outside.iter();
        let first = outside.filter(|it| self.told.insert(it.1.document));
        first.map(|(path, place)| (*place, told(path))).collect()
    }
}

fn told(path: &str) -> Finding {
    let path = words::clip_path(path, 40);
    let headline = format!("kustomize refuses `{path}`: it is not in or below the folder of the kustomization");
    let mut finding = Finding::new(Class::Hint, codes::KUSTOMIZE_FAILURE, Span::default(), headline);
    finding.label = Some("outside the folder".to_owned());
    finding.help = vec!["name a folder with a kustomization instead of the file".to_owned()];
    let note = "`--load-restrictor LoadRestrictionsNone` allows it, and so does Flux";
    finding.notes.push(note.to_owned());
    finding
}
