//! The effects of a change of a CRD on stored objects, on clients that write objects, and on clients that read them.
//!
//! Each change gets an answer for each direction. *Breaks* comes with a witness, an object that was checked against both CRDs. *Compatible*
//! comes with a proof. If neither is found, the answer is *unknown*.
//!
//! This crate does not depend on YAML or text positions: its input are CRDs, and its output are changes with field paths. The same input always gives
//! the same answer, because limits count work, not time, and random objects come from a seed.

mod answer;
mod blame;
mod change;
pub mod codes;
mod definition;
mod diff;
mod examples;
mod fate;
mod implied;
mod make;
mod objects;
mod olm;
mod pair;
mod policy;
mod pool;
mod proof;
mod replay;
mod rules;
mod schema;
mod scope;
mod search;
mod steps;
mod subject;
mod subresources;
#[cfg(test)]
mod tests;
mod words;

use crd_analyzer_budget::{self as budget, Limits};

pub use answer::{Answer, Direction, Effect, Example, Witness};
pub use change::{CODES, Change, Summary, missing_in_older};
pub use examples::{RuleExamples, examples_of_rule};
pub use fate::{Fate, Happening, NotStored, fate_of, fate_of_known};
pub use objects::Objects;
pub use olm::{OlmRefusal, olm_refusals};
pub use policy::{Policy, Verdict};
pub use subject::Subject;
pub use words::{paragraph, shown_object};

/// The work limit for comparing two CRDs.
const WORK: Limits = Limits {
    work: 400_000_000,
    bytes: u64::MAX,
    ..Limits::DOCUMENT
};

/// The changes from one CRD to another: first the changes of the CRD as a whole, then the changes of each version.
///
/// Both must be CRDs for the same Kubernetes version.
pub fn compare(old: &Subject, new: &Subject) -> Vec<Change> {
    compare_while(old, new, &|| true).unwrap_or_default()
}

/// Like [`compare`], but stops and returns `None` when `goes_on` returns false. `goes_on` is called between two changes.
pub fn compare_while(old: &Subject, new: &Subject, goes_on: &dyn Fn() -> bool) -> Option<Vec<Change>> {
    let compared = || {
        let mut changes = definition::changes(old, new);
        changes.extend(schema::changes(old, new, goes_on)?);
        Some(changes)
    };
    budget::within(WORK, compared).0
}

/// The effects of the removal of a CRD.
pub fn removed(old: &Subject) -> Vec<Change> {
    budget::within(WORK, || definition::removed(old)).0
}

/// The effects of a new CRD.
pub fn added(new: &Subject) -> Vec<Change> {
    budget::within(WORK, || definition::added(new)).0
}
