//! Variables that one Kustomization does not define, although others that build the same object do. So the mistake is in the Kustomization, and not in
//! the object.

use std::{
    cell::LazyCell,
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
    rc::Rc,
};

use crd_analyzer_kustomize::{Place, Sources};

use super::Overlays;
use crate::{findings::finding::Finding, judging::substitution};

/// The maximum number of variables to report for a Kustomization.
const MOST: usize = 20;

/// The maximum number of names to look up in all Kustomizations.
const MOST_LOOKUPS: usize = 500_000;

/// The names of the variables without a default in each object.
#[derive(Default)]
struct Used(HashMap<Place, Rc<BTreeSet<String>>>);

impl Used {
    fn in_object(&mut self, place: Place, sources: &Sources) -> Rc<BTreeSet<String>> {
        let find = || {
            let (tree, node) = sources.tree(place);
            Rc::new(substitution::names(tree, node))
        };
        self.0.entry(place).or_insert_with(find).clone()
    }
}

/// The errors of the Kustomizations, with their files.
pub(super) fn findings(overlays: &Overlays) -> Vec<(PathBuf, Finding)> {
    let Overlays {
        flux, takers, sources, ..
    } = overlays;
    let mut in_folder: HashMap<&Path, Vec<usize>> = HashMap::new();
    for (number, folder) in flux.substituting() {
        in_folder.entry(folder).or_default().push(number);
    }
    let mut used = Used::default();
    let mut lookups = 0;
    let mut found = Vec::new();
    if flux.is_empty() {
        return found;
    }
    let builds = overlays.builds.iter().zip(&overlays.folders).zip(&overlays.patching);
    for ((build, folder), by) in builds.filter(|it| takers.is_certain(it.0.1)) {
        let numbers = match by {
            Some(by) => vec![by.number],
            None => in_folder.get(folder.as_path()).cloned().unwrap_or_default(),
        };
        for number in numbers {
            let Some(own) = flux.variables_of(Some(number), folder) else {
                continue;
            };
            let Some((file, span)) = flux.variables_at(number) else {
                continue;
            };
            let mut told = BTreeSet::new();
            for &place in &build.taken {
                let (path, index) = sources.document(place);
                if takers.is_off(path, index as usize) {
                    continue;
                }
                let names = used.in_object(place, sources);
                lookups += 1 + names.len();
                if lookups > MOST_LOOKUPS {
                    return found;
                }
                let all = LazyCell::new(|| flux.variables(&takers.places_of(path)));
                // If no Kustomization defines the variable, the error is in the object.
                let is_defined = |name: &str| all.as_ref().is_some_and(|it| !it.is_undefined(name));
                for name in names.iter() {
                    if own.is_undefined(name) && told.len() < MOST && is_defined(name) && told.insert(name.clone()) {
                        found.push((file.clone(), substitution::without_value(name, *span, path)));
                    }
                }
            }
        }
    }
    found
}
