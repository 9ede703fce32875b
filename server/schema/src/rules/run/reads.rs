//! Finds the values that a failed rule read, by running the rule again.
//!
//! The lists and objects of a value are identified by their memory addresses. So the path of a value is found even if the rule reaches the value
//! through the variable of a comprehension or through another list.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use crd_analyzer_budget as budget;
use crd_analyzer_cel::eval::{Observer, Program, Variables};
use crd_analyzer_cel::value::Result as CelResult;

use super::data::{Data, Entries};
use crate::field::{Path, Segment};

/// The maximum number of recorded reads in one run.
const MOST_READS: usize = 20_000;

/// The maximum number of paths for one rule.
const MOST_PATHS: usize = 100;

/// The cost limit for running a rule again, in cost units. Rules that cost more return no paths.
const COST_LIMIT: u64 = 200_000;

thread_local! {
    static READS: RefCell<Option<Vec<Read>>> = const { RefCell::new(None) };
}

/// A lookup of an entry or item. The entry or item may be missing.
struct Read {
    /// The memory address of the collection.
    of: usize,
    part: Segment,
}

fn note(of: usize, part: impl FnOnce() -> Segment) {
    READS.with_borrow_mut(|reads| {
        if let Some(reads) = reads.as_mut().filter(|it| it.len() < MOST_READS) {
            reads.push(Read { of, part: part() });
        }
    });
}

/// Records a lookup of an entry of an object.
pub(super) fn note_field(entries: &Arc<Entries>, name: &str) {
    note(address_of_entries(entries), || Segment::Field(name.to_owned()));
}

/// Records a lookup of an item of a list.
pub(super) fn note_item(items: &Arc<[Data]>, index: usize) {
    note(address_of_items(items), || Segment::Index(index));
}

fn address_of_entries(entries: &Arc<Entries>) -> usize {
    Arc::as_ptr(entries).addr()
}

fn address_of_items(items: &Arc<[Data]>) -> usize {
    Arc::as_ptr(items).cast::<Data>().addr()
}

/// Drops the reads that did not affect the result.
struct Deciding;

impl Observer for Deciding {
    fn value(&mut self, _: i64, _: &CelResult) {}

    fn enter(&mut self, _: i64) {}

    fn iteration(&mut self, _: &[(&Arc<str>, &CelResult)]) {}

    fn end_iterations(&mut self) {}

    fn leave(&mut self) {}

    fn mark(&self) -> usize {
        READS.with_borrow(|reads| reads.as_ref().map_or(0, Vec::len))
    }

    fn forget(&mut self, observed: Range<usize>) {
        READS.with_borrow_mut(|reads| {
            if let Some(reads) = reads.as_mut().filter(|it| observed.end <= it.len()) {
                reads.drain(observed);
            }
        });
    }
}

/// The paths of the values that a rule reads inside `self`, in the order of the reads. `path` is the path of `self`. Each path is listed once, and
/// paths that only lead to other paths are left out.
pub(super) fn of(program: &Program, variables: &dyn Variables, value: &Data, path: &Path) -> Vec<Path> {
    let before = READS.replace(Some(Vec::new()));
    let evaluation = budget::apart(|| program.eval_observed(variables, Some(COST_LIMIT), &mut Deciding));
    let reads = READS.replace(before).unwrap_or_default();
    let is_cut_off = evaluation.result.is_err_and(|it| it.is_fatal());
    if is_cut_off || reads.is_empty() {
        return Vec::new();
    }
    let wanted: HashSet<usize> = reads.iter().map(|it| it.of).collect();
    let mut places = HashMap::new();
    find(value, &mut path.clone(), &wanted, &mut places);
    let mut seen = HashSet::new();
    let paths = reads
        .into_iter()
        .filter_map(|it| Some(places.get(&it.of)?.with(it.part)));
    let paths: Vec<Path> = paths.filter(|it| seen.insert(it.clone())).collect();
    let mut leading: HashSet<&[Segment]> = HashSet::new();
    for path in &paths {
        let segments = path.segments();
        leading.extend((0..segments.len()).map(|end| &segments[..end]));
    }
    let is_last = |it: &&Path| !leading.contains(it.segments());
    paths.iter().filter(is_last).take(MOST_PATHS).cloned().collect()
}

/// Finds the paths of collections by their memory addresses.
fn find(value: &Data, path: &mut Path, wanted: &HashSet<usize>, places: &mut HashMap<usize, Path>) {
    let mut take = |address: usize, path: &Path| {
        if wanted.contains(&address) {
            places.entry(address).or_insert_with(|| path.clone());
        }
    };
    match value {
        Data::Map(entries) => {
            take(address_of_entries(entries), path);
            for (name, value) in entries.iter() {
                path.push(Segment::Field(name.to_string()));
                find(value, path, wanted, places);
                path.pop();
            }
        }
        Data::List(items) => {
            take(address_of_items(items), path);
            for (n, item) in items.iter().enumerate() {
                path.push(Segment::Index(n));
                find(item, path, wanted, places);
                path.pop();
            }
        }
        _ => {}
    }
}
