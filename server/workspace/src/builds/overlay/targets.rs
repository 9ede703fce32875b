//! Hints about patches and replacements whose targets match no object in any build.

use std::collections::HashSet;

use crd_analyzer_kustomize::{Place, Targeting, Targets, Unmatched};
use crd_analyzer_syntax::tree::Span;

use super::objects::propose;
use crate::{
    codes,
    findings::finding::{Class, Finding},
    words,
};

/// The targets of the patches and replacements in all builds. A kustomization that several others use may have a patch for each of them.
#[derive(Default)]
pub(super) struct TargetsOfRun {
    matched: HashSet<Place>,
    unmatched: Vec<Unmatched>,
}

impl TargetsOfRun {
    /// Adds the targets of a build. If the build does not have all of its objects (`is_whole`), other objects may match.
    pub(super) fn add(&mut self, targets: Targets, is_whole: bool) {
        self.matched.extend(targets.matched);
        if is_whole {
            self.unmatched.extend(targets.unmatched);
        }
    }

    /// A hint for each target that matches no object in any build, with its place.
    pub(super) fn findings(self) -> impl Iterator<Item = (Place, Finding)> {
        let Self { matched, unmatched } = self;
        let unmatched = unmatched.into_iter().filter(move |it| !matched.contains(&it.target));
        unmatched.map(|it| (it.place, told(&it)))
    }
}

fn told(unmatched: &Unmatched) -> Finding {
    let what = match unmatched.of {
        Targeting::Patch => "the patch changes nothing",
        Targeting::Replacement => "the replacement changes nothing here",
    };
    let headline = words::clip(&format!("{what}: {}", unmatched.message), 100);
    let mut finding = Finding::new(Class::Hint, codes::UNUSED_PATCH, Span::default(), headline);
    if let Some(unknown) = &unmatched.unknown {
        propose(&mut finding, unknown);
    }
    finding
}
