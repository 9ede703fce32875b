//! Names that are listed twice.

use std::collections::HashSet;

use crd_analyzer_apiextensions::types::Spec;
use crd_analyzer_schema::field::Path;

use crate::{Lint, Problem};

/// Short names and categories that are listed before.
pub(crate) fn find(spec: &Spec, found: &mut Vec<Lint>) {
    let path = Path::of(["spec", "names"]);
    for (list, names) in [
        ("shortNames", &spec.names.short_names),
        ("categories", &spec.names.categories),
    ] {
        let mut seen = HashSet::new();
        for (n, name) in names.iter().enumerate() {
            if !seen.insert(name) {
                let problem = Problem::RepeatedName {
                    name: name.clone(),
                    list,
                };
                found.push(problem.at(path.child(list).index(n)));
            }
        }
    }
}
