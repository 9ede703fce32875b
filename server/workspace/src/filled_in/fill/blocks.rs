//! The blocks of a template, such as `if` … `end`, and what they do to its text.

use std::{cmp::Reverse, collections::BinaryHeap, ops::Range};

use super::{
    actions::{Action, Kind},
    lines::Lines,
};

/// The maximum nesting depth of blocks.
const MAX_DEPTH: usize = 64;

/// A block of a template, by the indices of its actions.
pub(super) struct Block {
    first: usize,
    /// The index of the first `else`.
    other: Option<usize>,
    last: usize,
}

/// A range of the template that becomes an unknown value.
pub(super) enum Replaced {
    /// The lines become an entry, an item or a value.
    Lines(Range<usize>),
    /// The text becomes part of a value.
    Part(Range<usize>),
}

impl Replaced {
    pub(super) fn start(&self) -> usize {
        let (Self::Lines(range) | Self::Part(range)) = self;
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
                open.push(blocks.len());
                blocks.push(Block {
                    first: n,
                    other: None,
                    last: n,
                });
            }
            Kind::End => blocks[open.pop()?].last = n,
            Kind::Else => {
                if let Some(block) = open.last() {
                    blocks[*block].other.get_or_insert(n);
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
    /// The texts of the blocks that are shown.
    pub(super) shown: Vec<Range<usize>>,
}

/// What blocks do to a text. `None` if blocks are to be shown, and the objects in the text depend on one of them.
pub(super) fn left_out(
    text: &str,
    actions: &[Action],
    blocks: &[Block],
    lines: &Lines,
    shows_blocks: bool,
) -> Option<LeftOut> {
    let mut found = LeftOut::default();
    let mut covered = Covered::default();
    // The `else` branches that start later, sorted so that the first one is on top.
    let mut branches: BinaryHeap<Reverse<(usize, usize)>> = BinaryHeap::new();
    for block in blocks {
        let (begin, end) = (&actions[block.first], &actions[block.last]);
        while let Some(Reverse((start, end))) = branches.peek().copied()
            && start <= begin.span.start
        {
            covered.add(&(start..end));
            branches.pop();
        }
        let value = begin.span.start..end.span.end;
        if covered.holds(&value) {
            continue;
        }
        let whole = lines.around(&value);
        let taken = if begin.kind == Kind::Define {
            whole
        } else if lines.is_alone(&begin.span) && lines.is_alone(&end.span) {
            // A block that contains whole documents includes or omits them. They are checked as if they were included.
            let has_head = lines.has_head(begin.span.end..end.span.start);
            let other = block.other.map(|it| &actions[it]);
            // Another version of the object may need other fields.
            if has_head && shows_blocks && other.is_some() {
                return None;
            }
            let joins = |it: &Action| it.trims_after(text);
            let can_be_shown = !joins(begin) && !joins(end) && other.is_none_or(|it| lines.is_alone(&it.span));
            let is_shown = shows_blocks && !has_head && can_be_shown;
            if is_shown {
                found
                    .shown
                    .push(begin.span.end..other.map_or(end.span.start, |it| it.span.start));
            }
            if has_head || is_shown {
                if let Some(other) = block.other {
                    let branch = actions[other].span.start..end.span.start;
                    branches.push(Reverse((branch.start, branch.end)));
                    found.ranges.push(branch);
                }
                continue;
            }
            found.replaced.push(Replaced::Lines(whole.clone()));
            whole
        } else {
            // The block is within a line, so it becomes an unknown part of a value.
            found.replaced.push(Replaced::Part(value.clone()));
            value
        };
        covered.add(&taken);
        found.ranges.push(taken);
    }
    Some(found)
}
