//! The blocks of a template, such as `if` … `end`, and what they do to its text.

use std::{cmp::Reverse, collections::BinaryHeap, ops::Range};

use super::{
    actions::{Action, Kind},
    keys::Keys,
    lines::{Lines, indent},
};

/// The maximum nesting depth of blocks.
const MAX_DEPTH: usize = 64;

/// A block of a template, by the indices of its actions.
pub(super) struct Block {
    pub(super) first: usize,
    /// The actions `else`, in order.
    others: Vec<usize>,
    pub(super) last: usize,
    /// The block around it, and the branch of that block.
    pub(super) around: Option<(usize, usize)>,
}

impl Block {
    /// The number of its branches.
    pub(super) fn branches(&self) -> usize {
        1 + self.others.len()
    }

    /// Whether a branch can print anything but blanks. `false` if it only compares values, sets variables or fails.
    pub(super) fn prints(&self, text: &str, actions: &[Action], branch: usize) -> bool {
        let (before, after) = self.around_branch(branch);
        actions[before..=after].windows(2).any(|it| {
            let between = &text[it[0].span.end..it[1].span.start];
            !between.trim().is_empty()
        }) || actions[before + 1..after]
            .iter()
            .any(|it| matches!(it.kind, Kind::Value | Kind::Define))
    }

    /// The actions before and after a branch.
    fn around_branch(&self, branch: usize) -> (usize, usize) {
        let before = branch.checked_sub(1).map_or(self.first, |it| self.others[it]);
        let after = self.others.get(branch).copied().unwrap_or(self.last);
        (before, after)
    }

    /// The text of a branch.
    pub(super) fn branch(&self, actions: &[Action], branch: usize) -> Range<usize> {
        let (before, after) = self.around_branch(branch);
        actions[before].span.end..actions[after].span.start
    }
}

/// How a block can be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// It is on lines of its own.
    Lines,
    /// It is the value of a key or an item, on one line.
    Value,
    /// It contains the start of an object. Its first branch is read as if it was there.
    Documents,
    /// It is unknown.
    Unknown,
}

impl Form {
    pub(super) fn of(text: &str, actions: &[Action], block: &Block, lines: &Lines) -> Self {
        let (begin, end) = (&actions[block.first], &actions[block.last]);
        let joins = |it: &Action| it.trims_after(text);
        if begin.kind == Kind::Define {
            Self::Unknown
        } else if lines.is_alone(&begin.span) && lines.is_alone(&end.span) {
            if lines.has_head(begin.span.end..end.span.start) {
                Self::Documents
            } else if joins(begin) || joins(end) || !block.others.iter().all(|it| lines.is_alone(&actions[*it].span)) {
                Self::Unknown
            } else {
                Self::Lines
            }
        } else if lines.is_value(text, &(begin.span.start..end.span.end)) {
            Self::Value
        } else {
            Self::Unknown
        }
    }
}

/// A range of the template that becomes an unknown value.
pub(super) enum Replaced {
    /// The lines become an entry, an item or a value. If they are entries whose keys are written, with these.
    Lines(Range<usize>, Option<Keys>),
    /// The text becomes part of a value.
    Part(Range<usize>),
    /// The lines become any number of items that start at this column.
    Items(Range<usize>, usize),
}

impl Replaced {
    pub(super) fn start(&self) -> usize {
        let (Self::Lines(range, _) | Self::Part(range) | Self::Items(range, _)) = self;
        range.start
    }
}

/// The blocks, sorted by start. `None` if they are not balanced or are nested too deeply.
pub(super) fn blocks(actions: &[Action]) -> Option<Vec<Block>> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for (n, action) in actions.iter().enumerate() {
        match action.kind {
            Kind::Begin | Kind::Define => {
                let around = open.last().map(|it: &usize| (*it, blocks[*it].others.len()));
                open.push(blocks.len());
                blocks.push(Block {
                    first: n,
                    others: Vec::new(),
                    last: n,
                    around,
                });
            }
            Kind::End => blocks[open.pop()?].last = n,
            Kind::Else => {
                if let Some(block) = open.last() {
                    blocks[*block].others.push(n);
                }
            }
            Kind::Value | Kind::Nothing => {}
        }
        if open.len() > MAX_DEPTH {
            return None;
        }
    }
    open.is_empty().then_some(blocks)
}

/// The largest end of all ranges that start before an offset. Must be asked for increasing offsets.
#[derive(Default)]
pub(super) struct Covered {
    end: usize,
}

impl Covered {
    pub(super) fn add(&mut self, range: &Range<usize>) {
        self.end = self.end.max(range.end);
    }

    pub(super) fn holds(&self, range: &Range<usize>) -> bool {
        range.end <= self.end
    }
}

/// What blocks do to a text.
#[derive(Default)]
pub(super) struct LeftOut {
    /// The ranges that are removed.
    pub(super) ranges: Vec<Range<usize>>,
    /// The ranges that become unknown.
    pub(super) replaced: Vec<Replaced>,
    /// Where the texts of blocks on lines of their own begin, if they are read.
    pub(super) opened: Vec<usize>,
}

/// The bytes that an item with a filled-in value has at most.
const MOST_OF_ITEM: usize = 6;

/// The column of the items of a list, if a text starts with one.
fn column_of_items(text: &str) -> Option<usize> {
    let is_written = |it: &&str| !it.trim().is_empty() && !it.trim_start().starts_with('#');
    let line = text.lines().find(is_written)?;
    line.trim_start().starts_with("- ").then(|| indent(line))
}

/// What blocks do to a text. `shown` has the branch of each block that is read, if the block is not unknown. `repeats` says whether the text in
/// `range` may be printed several times.
pub(super) fn left_out(
    text: &str,
    actions: &[Action],
    blocks: &[Block],
    lines: &Lines,
    (shown, repeats): (&[Option<usize>], bool),
) -> LeftOut {
    let mut found = LeftOut::default();
    let mut covered = Covered::default();
    // The branches that start later and are left out, sorted so that the first one is on top.
    let mut later: BinaryHeap<Reverse<(usize, usize)>> = BinaryHeap::new();
    for (n, block) in blocks.iter().enumerate() {
        let (begin, end) = (&actions[block.first], &actions[block.last]);
        while let Some(Reverse((start, end))) = later.peek().copied()
            && start <= begin.span.start
        {
            covered.add(&(start..end));
            later.pop();
        }
        let value = begin.span.start..end.span.end;
        if covered.holds(&value) {
            continue;
        }
        let form = Form::of(text, actions, block, lines);
        // A block that contains whole documents includes or omits them. They are checked as if they were included.
        let branch = match form {
            Form::Documents => Some(shown.get(n).copied().flatten().unwrap_or(0)),
            _ => shown.get(n).copied().flatten(),
        };
        if let Some(branch) = branch {
            let kept = block.branch(actions, branch);
            let before = begin.span.end..kept.start;
            let after = kept.end..end.span.start;
            covered.add(&before);
            later.push(Reverse((after.start, after.end)));
            if form == Form::Lines {
                found.opened.push(begin.span.end);
            }
            found
                .ranges
                .extend([before, after].into_iter().filter(|it| !it.is_empty()));
            if repeats && branch == 0 && form == Form::Lines && begin.code(text).starts_with("range") {
                let after = lines.around(&actions[block.others.first().copied().unwrap_or(block.last)].span);
                let items = column_of_items(&text[kept]).filter(|it| it + MOST_OF_ITEM <= after.len());
                // Items after the text leave it the first one.
                found.replaced.push(match items {
                    Some(column) => Replaced::Items(after, column),
                    None => Replaced::Lines(lines.around(&begin.span), None),
                });
            }
            continue;
        }
        let whole = lines.around(&value);
        let prints = || (0..block.branches()).any(|it| block.prints(text, actions, it));
        let taken = if begin.kind == Kind::Define {
            whole
        } else if !prints() {
            value
        } else if lines.is_alone(&begin.span) && lines.is_alone(&end.span) {
            let keys = Keys::of(text, &actions[block.first..=block.last], lines);
            found.replaced.push(Replaced::Lines(whole.clone(), keys));
            whole
        } else {
            // The block is within a line, so it becomes an unknown part of a value.
            found.replaced.push(Replaced::Part(value.clone()));
            value
        };
        covered.add(&taken);
        found.ranges.push(taken);
    }
    found
}
