//! Changes of a CRD since a revision, in an editor: the findings, their positions after an edit, and quick fixes that restore the old value.

use std::sync::Arc;

use crd_analyzer_ide::fixes::{ComparedText, Problem, apply, restorations};
use crd_analyzer_workspace::{
    comparison::breaking::Policy,
    comparison::revision::Revision,
    comparison::since_revision::{Comparison, KnownChanges},
    config::versions::VersionSet,
    judging::analysis::{Question, analyze},
};

use super::crd;
use crate::{
    Target,
    input::{Input, input},
    spans::assert_in,
};

pub(super) const TARGET: Target = Target {
    name: "changes",
    run,
    seeds: |cases| {
        let updates = cases.updates.iter();
        updates.map(|(old, new)| input(&[1, 0, 4, 0, 9], &[old, new])).collect()
    },
    words: crd::TARGET.words,
};

const POLICIES: [Policy; 3] = [Policy::ApiConventions, Policy::Writers, Policy::Strict];

fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let policy = POLICIES[input.below(POLICIES.len())];
    let (start, removed, inserted) = (input.number(), input.number(), input.number());
    let (part, steps) = (input.number(), input.part());
    let (old, text): (&[u8], Arc<str>) = (steps, input.text());
    let revision = Revision::new("HEAD", old);
    let by = Comparison {
        kubernetes: crd_analyzer_schema::KubernetesVersion::NEWEST,
        policy,
    };
    let find = |text: &str, before: &KnownChanges| {
        let found = KnownChanges::find(text, &revision, by, before, &|| true);
        found.expect("all changes")
    };
    let none = KnownChanges::default();
    let known = find(&text, &none);
    assert_eq!(find(&text, &known), known, "of {text:?}");
    for change in known.changes() {
        assert_in(&text, change.finding.span);
    }
    for version in known.versions() {
        assert_in(&text, version.span);
        version.first.iter().for_each(|it| assert_in(&text, *it));
    }
    if revision.is(&text) {
        assert!(known.is_empty(), "{known:?} from {text:?} to itself");
    }
    // After an edit, no position may be outside the text.
    let start = text.floor_char_boundary(text.len() * usize::from(start) / 256);
    let end = text.ceil_char_boundary((start + usize::from(removed)).min(text.len()));
    let typed = "x".repeat(usize::from(inserted));
    let edited = format!("{}{typed}{}", &text[..start], &text[end..]);
    let mut moved = known.clone();
    moved.edited(&(start..end), typed.len());
    assert!(moved.changes().count() <= known.changes().count());
    for change in moved.changes() {
        assert_in(&edited, change.finding.span);
    }
    // The fixes for one problem. Each fix is applied, and the result is compared again.
    let problems: Vec<Problem> = known.changes().map(|it| Problem::from(&it.finding)).collect();
    let asked = problems.get(usize::from(part) % problems.len().max(1)).cloned();
    let compared = ComparedText {
        revision: &revision,
        by,
        known: &known,
    };
    let judge = |text: &str| Some(analyze(text.as_bytes().to_vec(), &Question::new(VersionSet::default())));
    for fix in restorations(&text, asked, compared, &judge, &|| true) {
        let fixed = apply(&text, &fix.edits).expect("edits that fit");
        let left = find(&fixed, &none).changes().count();
        assert!(left < known.changes().count(), "{} of {text:?}", fix.title);
    }
}
