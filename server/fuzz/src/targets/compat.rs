//! Changes of a CRD: compares two versions of a CRD.

use std::sync::Arc;

use crd_analyzer_compat::{Direction, compare};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_workspace::comparison::compared::{ComparedCrd, compared};

use super::crd;
use crate::{
    Target,
    input::{Input, input},
    spans::assert_in,
};

pub(super) const TARGET: Target = Target {
    name: "compat",
    run,
    seeds: |cases| {
        let updates = cases.updates.iter().map(|(old, new)| input(&[], &[old, new]));
        let same = cases.definitions.iter().filter(|it| it.len() < 1500);
        updates.chain(same.map(|it| input(&[], &[it, it]))).collect()
    },
    words: crd::TARGET.words,
};

fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let [Some((old_text, old)), Some((new_text, new))] = [input.part(), input.part()].map(only) else {
        return;
    };
    let unchanged = compare(&old.subject, &old.subject);
    assert!(unchanged.is_empty(), "{unchanged:?} from {old_text:?} to itself");
    for change in compare(&old.subject, &new.subject) {
        for (crd, text, path) in [(&old, &old_text, &change.old_path), (&new, &new_text, &change.new_path)] {
            if let Some(span) = path.as_ref().and_then(|it| crd.spans().span(it)) {
                assert_in(text, span);
            }
        }
        for direction in Direction::ALL {
            let _ = change.answer(direction);
        }
    }
    let _ = new.refusal_as_update(&old);
}

/// The CRD in a file, if there is exactly one.
pub(super) fn only(bytes: &[u8]) -> Option<(Arc<str>, ComparedCrd)> {
    let (text, crds) = compared(bytes.to_vec(), true, KubernetesVersion::NEWEST);
    let (_, crd) = crds.into_iter().next()?.answers.into_iter().next()?;
    Some((text, crd.ok()?))
}
