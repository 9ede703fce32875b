//! Go's limits on nested repetitions, the size of the program, the size of the classes, and the depth of the tree.

use super::{Fail, Parser, fail_whole};
use crate::error::ErrorCode;
use crate::tree::{Id, Op};

/// The maximum number of nested levels.
const MAX_HEIGHT: i32 = 1000;
/// The maximum number of instructions: 128 MiB of 40 bytes each.
const MAX_SIZE: i64 = (128 << 20) / 40;
/// The maximum number of class bounds and literal runes: 128 MiB of 4 bytes each.
const MAX_RUNES: usize = (128 << 20) / 4;
/// The maximum number of copies of one part through nested counted repetitions.
const MAX_REPEATS: i32 = 1000;

/// The counters while the tree grows. Sizes and heights are only computed when the tree could be too large.
#[derive(Default)]
pub(super) struct Limits {
    pub(super) runes: usize,
    /// The product of all repetition counts so far; 0 before the first.
    repeats: i64,
    /// The size of each node; 0 if unknown. As in Go, a reused node keeps its size until the next check.
    sizes: Option<Vec<i64>>,
    /// The height of each node; 0 if unknown.
    heights: Option<Vec<i32>>,
}

impl Parser<'_> {
    pub(super) fn check_limits(&mut self, id: Id) -> Result<(), Fail> {
        if self.limits.runes > MAX_RUNES {
            return fail_whole(ErrorCode::Large);
        }
        self.check_size(id)?;
        self.check_height(id)
    }

    fn check_size(&mut self, id: Id) -> Result<(), Fail> {
        if self.limits.sizes.is_none() {
            let node = self.node(id);
            let repeats = self.limits.repeats.max(1);
            let count = match node.op {
                Op::Repeat => i64::from(if node.max == -1 { node.min } else { node.max }).max(1),
                _ => 1,
            };
            let repeats = if count > MAX_SIZE / repeats {
                MAX_SIZE
            } else {
                repeats * count
            };
            self.limits.repeats = repeats;
            if (self.nodes.len() as i64) < MAX_SIZE / repeats {
                return Ok(());
            }
            self.limits.sizes = Some(Vec::new());
            for id in self.stack.clone() {
                self.check_known_size(id)?;
            }
        }
        self.check_known_size(id)
    }

    fn check_known_size(&mut self, id: Id) -> Result<(), Fail> {
        let Some(mut sizes) = self.limits.sizes.take() else {
            return Ok(());
        };
        sizes.resize(self.nodes.len(), 0);
        let size = self.settle(id, &mut sizes, Self::size);
        self.limits.sizes = Some(sizes);
        if size > MAX_SIZE {
            fail_whole(ErrorCode::Large)
        } else {
            Ok(())
        }
    }

    fn size(&self, id: Id, sizes: &mut [i64]) -> i64 {
        let node = self.node(id);
        let mut subs = 0_i64;
        for &sub in &node.subs {
            subs = subs.saturating_add(sizes[sub as usize]);
        }
        let size = match node.op {
            Op::Literal => node.runes.len() as i64,
            Op::Capture | Op::Star => subs.saturating_add(2),
            Op::Plus | Op::Quest => subs.saturating_add(1),
            Op::Concat => subs,
            Op::Alternate => subs.saturating_add((node.subs.len() as i64 - 1).max(0)),
            Op::Repeat if node.max == -1 && node.min == 0 => subs.saturating_add(2),
            Op::Repeat if node.max == -1 => subs.saturating_mul(i64::from(node.min)).saturating_add(1),
            Op::Repeat => subs
                .saturating_mul(i64::from(node.max))
                .saturating_add(i64::from(node.max) - i64::from(node.min)),
            _ => 0,
        };
        size.max(1)
    }

    fn check_height(&mut self, id: Id) -> Result<(), Fail> {
        if self.nodes.len() < MAX_HEIGHT as usize {
            return Ok(());
        }
        if self.limits.heights.is_none() {
            self.limits.heights = Some(Vec::new());
            for id in self.stack.clone() {
                self.check_known_height(id)?;
            }
        }
        self.check_known_height(id)
    }

    fn check_known_height(&mut self, id: Id) -> Result<(), Fail> {
        let Some(mut heights) = self.limits.heights.take() else {
            return Ok(());
        };
        heights.resize(self.nodes.len(), 0);
        let height = self.settle(id, &mut heights, Self::height);
        self.limits.heights = Some(heights);
        if height > MAX_HEIGHT {
            fail_whole(ErrorCode::NestingDepth)
        } else {
            Ok(())
        }
    }

    /// Computes `of` for `id`, after computing it for all nodes inside `id` that are not in `known`. This is not recursive, since a tree that will be
    /// rejected may be deep.
    fn settle<T: Copy + Default + PartialEq>(
        &self,
        id: Id,
        known: &mut [T],
        of: impl Fn(&Self, Id, &mut [T]) -> T,
    ) -> T {
        let mut open = vec![id];
        while let Some(&top) = open.last() {
            let before = open.len();
            open.extend(
                self.node(top)
                    .subs
                    .iter()
                    .filter(|&&sub| known[sub as usize] == T::default()),
            );
            if open.len() == before {
                known[top as usize] = of(self, top, known);
                open.pop();
            }
        }
        known[id as usize]
    }

    fn height(&self, id: Id, heights: &mut [i32]) -> i32 {
        1 + self
            .node(id)
            .subs
            .iter()
            .map(|&sub| heights[sub as usize])
            .max()
            .unwrap_or(0)
    }

    pub(super) fn forget_height(&mut self, id: Id) {
        if let Some(height) = self
            .limits
            .heights
            .as_mut()
            .and_then(|heights| heights.get_mut(id as usize))
        {
            *height = 0;
        }
    }

    /// Whether no part is copied more than 1000 times (`repeatIsValid`).
    pub(super) fn repeat_is_valid(&self, id: Id) -> bool {
        let mut open = vec![(id, MAX_REPEATS)];
        while let Some((id, mut copies)) = open.pop() {
            let node = self.node(id);
            if node.op == Op::Repeat {
                let count = if node.max < 0 { node.min } else { node.max };
                if node.max == 0 {
                    continue;
                }
                if count > copies {
                    return false;
                }
                if count > 0 {
                    copies /= count;
                }
            }
            open.extend(node.subs.iter().map(|&sub| (sub, copies)));
        }
        true
    }
}
