//! What a change of a CRD does: to objects that are stored, to those who write objects, and to those who read them.
//!
//! Each change gets an answer for each direction. *Breaks* comes with a witness, an object that was run through both CRDs. *Compatible*
//! comes with a proof. Where neither is found, the answer is *unknown*, and never one of the others.
//!
//! This crate knows no YAML and no positions: CRDs go in, changes with field paths come out. The same input has the same answer:
//! limits count work, not time, and random objects come from a seed.

mod answer;
mod change;
pub mod codes;
mod definition;
mod diff;
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

pub use answer::{Answer, Direction, Effect, Witness};
pub use change::{CODES, Change, Summary};
pub use fate::{Fate, Happening, NotStored, fate_of};
pub use objects::Objects;
pub use olm::{OlmRefusal, olm_refusals};
pub use policy::{Policy, Verdict};
pub use subject::Subject;
pub use words::{paragraph, shown_object};

/// What may be spent on comparing two CRDs.
const WORK: Limits = Limits {
    work: 400_000_000,
    bytes: u64::MAX,
    ..Limits::DOCUMENT
};

/// The changes from one CRD to another, first those of the CRD as a whole, then those of each version.
///
/// Both must be CRDs of the same Kubernetes version.
pub fn compare(old: &Subject, new: &Subject) -> Vec<Change> {
    compare_while(old, new, &|| true).unwrap_or_default()
}

/// The same as long as `goes_on` says so, which is asked between two changes. `None`: it said no.
pub fn compare_while(old: &Subject, new: &Subject, goes_on: &dyn Fn() -> bool) -> Option<Vec<Change>> {
    let compared = || {
        let mut changes = definition::changes(old, new);
        changes.extend(schema::changes(old, new, goes_on)?);
        Some(changes)
    };
    budget::within(WORK, compared).0
}

/// What it does that a CRD is not there any more.
pub fn removed(old: &Subject) -> Vec<Change> {
    budget::within(WORK, || definition::removed(old)).0
}

/// What it does that a CRD is there now.
pub fn added(new: &Subject) -> Vec<Change> {
    budget::within(WORK, || definition::added(new)).0
}
