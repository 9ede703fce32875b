//! Which values a rule read when it did not hold, found by running it again.
//!
//! The lists and objects of a value are told apart by where they lie in memory, so that a value that comes through a variable of a fold, or
//! out of another list, still has its path.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use crd_analyzer_budget as budget;
use crd_analyzer_cel::eval::{Observer, Program, Variables};
use crd_analyzer_cel::value::Result as CelResult;

use super::data::{Data, Entries};
use crate::field::{Path, Segment};

/// Reads of one run that are noted.
const MOST_READS: usize = 20_000;

/// Paths that one rule tells.
const MOST_PATHS: usize = 100;

/// What running a rule again may cost, in cost units. Rules that cost more tell no reads.
const COST_LIMIT: u64 = 200_000;

thread_local! {
    static READS: RefCell<Option<Vec<Read>>> = const { RefCell::new(None) };
}

/// An entry or item that was asked for, whether it is there or not.
struct Read {
    /// Where the collection lies in memory.
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

/// Notes that somebody asks for an entry of an object.
pub(super) fn note_field(entries: &Arc<Entries>, name: &str) {
    note(address_of_entries(entries), || Segment::Field(name.to_owned()));
}

/// Notes that somebody asks for an item of a list.
pub(super) fn note_item(items: &Arc<[Data]>, index: usize) {
    note(address_of_items(items), || Segment::Index(index));
}

fn address_of_entries(entries: &Arc<Entries>) -> usize {
    Arc::as_ptr(entries).addr()
}

fn address_of_items(items: &Arc<[Data]>) -> usize {
    Arc::as_ptr(items).cast::<Data>().addr()
}

/// Drops what decided nothing.
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

/// The paths of what a rule reads of `self`, which is the value at `path`, in the order in which it decides: each once, without those that
/// only lead to others.
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

/// Finds the paths of collections by where these lie.
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
