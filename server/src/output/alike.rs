//! Diagnostics that are the same in many files, for people who read a log. The first ones are printed in full, and the others are listed at the end.

use std::{
    collections::HashMap,
    hash::{BuildHasher, Hash, RandomState},
};

use crd_analyzer_workspace::findings::report::MergedFinding;

use super::{File, blocks::Block, counted};

/// The number of diagnostics with the same cause that are printed in full. They are often few, and then each is worth its lines.
const MOST_IN_FULL: usize = 3;

/// The maximum number of places to name for each cause.
const MOST_NAMED: usize = 10;

/// The printed diagnostics, by their causes.
#[derive(Default, Debug)]
pub(super) struct Alike {
    hasher: RandomState,
    /// The causes by their hash, because a run may have very many.
    causes: HashMap<u64, Cause>,
}

/// The diagnostics with one cause.
#[derive(Debug)]
struct Cause {
    /// The position among all causes.
    number: usize,
    code: &'static str,
    first: String,
    printed: usize,
    /// The first places that are not printed in full, and their number.
    named: Vec<String>,
    others: usize,
}

impl Alike {
    /// Whether to print a block in full. The others are listed at the end.
    pub(super) fn take(&mut self, file: &File<'_>, block: &Block) -> bool {
        let finding = &block.shown.finding;
        let next = self.causes.len();
        let place = || format!("{}:{}", file.label, file.position(finding.span.start).0);
        let cause = self.causes.entry(self.hasher.hash_one(key(file, &block.shown)));
        let cause = cause.or_insert_with(|| Cause {
            number: next,
            code: finding.code,
            first: place(),
            printed: 0,
            named: Vec::new(),
            others: 0,
        });
        if cause.printed < MOST_IN_FULL {
            cause.printed += 1;
            return true;
        }
        cause.others += 1 + block.repeats;
        if cause.named.len() < MOST_NAMED {
            cause.named.push(place());
        }
        false
    }

    /// The lines about the diagnostics that are not printed in full, one for each cause.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut causes: Vec<&Cause> = self.causes.values().filter(|it| it.others > 0).collect();
        causes.sort_by_key(|it| it.number);
        let line = |it: &Cause| {
            let Cause { code, first, .. } = it;
            let places = counted(it.others, "more place");
            let named = it.named.join(", ");
            let rest = match it.others.saturating_sub(it.named.len()) {
                0 => String::new(),
                rest => format!(" and {}", counted(rest, "other")),
            };
            format!("the same {code} as in {first} in {places}: {named}{rest}")
        };
        causes.into_iter().map(line).collect()
    }
}

/// The properties by which two diagnostics have the same cause. If the marked text is the same, too, the lines around it say nothing new.
fn key<'a>(file: &'a File<'_>, shown: &'a MergedFinding) -> impl Hash + 'a {
    let finding = &shown.finding;
    let words = (
        finding.word(),
        finding.code,
        &finding.headline,
        &finding.help,
        &finding.notes,
    );
    let marked = file.report.text.get(finding.span.range());
    let related = finding.related.iter();
    let related = related.map(|it| (it.file.as_ref().map(|it| &*it.path), it.span.start, &*it.message));
    let related: Vec<_> = related.collect();
    (words, marked, related, shown.versions)
}
