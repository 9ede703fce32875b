//! Factors out common prefixes of alternatives (`regexp/syntax`, `factor`). This does not change matches, but it affects Go's limits.

use super::{Fail, Parser};
use crate::tree::{Id, Op, Rune, flags};

/// An alternation whose prefixes are being factored out. The rest after a prefix is factored in its own frame. So if each alternative extends the
/// previous one, there are as many frames as alternatives.
struct Frame {
    /// The node of the alternation.
    node: Id,
    /// Whether literal prefixes are already factored out, so that equal first parts are next.
    first_parts: bool,
    subs: Vec<Id>,
    out: Vec<Id>,
    /// The first alternative of the current run with a common prefix, and the next alternative to visit.
    start: usize,
    i: usize,
    /// The common prefix of the run: a node (a literal or any first part), the number of runes of the prefix, and its flags.
    common: (Option<Id>, usize, u8),
    /// The prefix of the alternatives in the frame above.
    prefix: Id,
}

impl Parser<'_> {
    /// Creates an alternation of `subs` with common prefixes factored out (`collapse` with `OpAlternate`).
    pub(super) fn alternation(&mut self, subs: Vec<Id>) -> Result<Id, Fail> {
        let mut frames = vec![self.frame(subs)];
        while let Some(mut frame) = frames.pop() {
            if let Some((prefix, alternatives)) = self.factor(&mut frame)? {
                frame.prefix = prefix;
                frames.push(frame);
                frames.push(self.frame(alternatives));
                continue;
            }
            let subs = self.merge_classes(std::mem::take(&mut frame.subs));
            let subs = self.merge_empty(subs);
            let mut result = frame.node;
            if let [only] = subs[..] {
                self.reuse(frame.node);
                result = only;
            } else {
                self.node_mut(frame.node).subs = subs;
            }
            let Some(parent) = frames.last_mut() else {
                return Ok(result);
            };
            let id = self.new_node(Op::Concat);
            self.node_mut(id).subs = vec![parent.prefix, result];
            parent.out.push(id);
        }
        Ok(self.new_node(Op::NoMatch))
    }

    fn frame(&mut self, subs: Vec<Id>) -> Frame {
        let node = self.new_node(Op::Alternate);
        let subs = self.flatten(subs, Op::Alternate);
        let out = Vec::with_capacity(subs.len());
        Frame {
            node,
            first_parts: false,
            subs,
            out,
            start: 0,
            i: 0,
            common: (None, 0, 0),
            prefix: 0,
        }
    }

    /// Continues a frame up to the next common prefix. Returns the prefix and the rest of each alternative. `None` if no prefix is left; `frame.subs`
    /// then contains the resulting alternatives.
    fn factor(&mut self, frame: &mut Frame) -> Result<Option<(Id, Vec<Id>)>, Fail> {
        loop {
            while frame.i <= frame.subs.len() {
                let i = frame.i;
                frame.i += 1;
                let found = if frame.first_parts {
                    self.first_part_run(frame, i)?
                } else {
                    self.literal_run(frame, i)?
                };
                if found.is_some() {
                    return Ok(found);
                }
            }
            frame.subs = std::mem::take(&mut frame.out);
            if frame.first_parts {
                return Ok(None);
            }
            frame.first_parts = true;
            (frame.start, frame.i, frame.common) = (0, 0, (None, 0, 0));
        }
    }

    /// Finds a literal prefix: `abc|abd` becomes `ab(?:c|d)`.
    fn literal_run(&mut self, frame: &mut Frame, i: usize) -> Result<Option<(Id, Vec<Id>)>, Fail> {
        let mut next = (None, 0, 0);
        if let Some(&sub) = frame.subs.get(i) {
            let literal = self.leading_literal(sub);
            let (len, node_flags) = literal.map_or((0, 0), |id| {
                let node = self.node(id);
                (node.runes.len(), node.flags & flags::FOLD_CASE)
            });
            next = (literal, len, node_flags);
            if node_flags == frame.common.2 {
                let same = self.common(frame.common.0, frame.common.1, literal);
                if same > 0 {
                    frame.common.1 = same;
                    return Ok(None);
                }
            }
        }
        let (from, len, node_flags) = std::mem::replace(&mut frame.common, next);
        let start = std::mem::replace(&mut frame.start, i);
        if i <= start + 1 {
            frame.out.extend_from_slice(&frame.subs[start..i]);
            return Ok(None);
        }
        let id = self.new_node(Op::Literal);
        let runes = from.map_or_else(Vec::new, |from| self.node(from).runes[..len].to_vec());
        let node = self.node_mut(id);
        node.flags = node_flags;
        node.runes = runes;
        for sub in &mut frame.subs[start..i] {
            *sub = self.remove_leading_runes(*sub, len);
            self.check_limits(*sub)?;
        }
        Ok(Some((id, frame.subs[start..i].to_vec())))
    }

    /// Finds equal classes at the start: `[ab]c|[ab]d` becomes `[ab](?:c|d)`.
    fn first_part_run(&mut self, frame: &mut Frame, i: usize) -> Result<Option<(Id, Vec<Id>)>, Fail> {
        let next = frame.subs.get(i).and_then(|&sub| self.leading_part(sub));
        if let (Some(a), Some(b)) = (frame.common.0, next)
            && self.is_fixed_class(a)
            && self.equal_fixed_classes(a, b)
        {
            return Ok(None);
        }
        let (first, ..) = std::mem::replace(&mut frame.common, (next, 0, 0));
        let start = std::mem::replace(&mut frame.start, i);
        let Some(first) = first.filter(|_| i > start + 1) else {
            frame.out.extend_from_slice(&frame.subs[start..i]);
            return Ok(None);
        };
        for (j, sub) in frame.subs[start..i].iter_mut().enumerate() {
            *sub = self.remove_leading_part(*sub, j != 0);
            self.check_limits(*sub)?;
        }
        Ok(Some((first, frame.subs[start..i].to_vec())))
    }

    /// Merges runs of single characters and classes into one class.
    fn merge_classes(&mut self, mut subs: Vec<Id>) -> Vec<Id> {
        let mut out = Vec::with_capacity(subs.len());
        let mut start = 0;
        for i in 0..=subs.len() {
            if i < subs.len() && self.node(subs[i]).is_char_class() {
                continue;
            }
            if i == start + 1 {
                out.push(subs[start]);
            } else if i > start {
                let mut max = start;
                for j in start + 1..i {
                    let (a, b) = (self.node(subs[max]), self.node(subs[j]));
                    if a.op < b.op || (a.op == b.op && a.runes.len() < b.runes.len()) {
                        max = j;
                    }
                }
                subs.swap(start, max);
                for j in start + 1..i {
                    self.merge_class(subs[start], subs[j]);
                    self.reuse(subs[j]);
                }
                self.clean_alternative(subs[start]);
                out.push(subs[start]);
            }
            if i < subs.len() {
                out.push(subs[i]);
            }
            start = i + 1;
        }
        out
    }

    /// Merges runs of empty alternatives into one.
    fn merge_empty(&self, mut subs: Vec<Id>) -> Vec<Id> {
        subs.dedup_by(|a, b| self.node(*a).op == Op::EmptyMatch && self.node(*b).op == Op::EmptyMatch);
        subs
    }

    /// The literal at the start of a node (`leadingString`).
    fn leading_literal(&self, id: Id) -> Option<Id> {
        let node = self.node(id);
        let first = match node.op {
            Op::Concat => *node.subs.first()?,
            _ => id,
        };
        (self.node(first).op == Op::Literal).then_some(first)
    }

    /// The length of the common prefix of two literals, after the first is truncated to `len` runes.
    fn common(&self, a: Option<Id>, len: usize, b: Option<Id>) -> usize {
        let (Some(a), Some(b)) = (a, b) else { return 0 };
        let (a, b): (&[Rune], &[Rune]) = (&self.node(a).runes[..len], &self.node(b).runes);
        a.iter().zip(b).take_while(|(x, y)| x == y).count()
    }

    /// Removes `count` runes from the literal at the start of a node (`removeLeadingString`).
    fn remove_leading_runes(&mut self, id: Id, count: usize) -> Id {
        let node = self.node(id);
        if node.op == Op::Concat && !node.subs.is_empty() {
            let first = node.subs[0];
            self.remove_runes(first, count);
            if self.node(first).op == Op::EmptyMatch {
                self.reuse(first);
                let node = self.node_mut(id);
                node.subs.remove(0);
                if node.subs.is_empty() {
                    node.op = Op::EmptyMatch;
                } else if node.subs.len() == 1 {
                    let only = node.subs[0];
                    self.reuse(id);
                    return only;
                }
            }
            return id;
        }
        self.remove_runes(id, count);
        id
    }

    fn remove_runes(&mut self, id: Id, count: usize) {
        let node = self.node_mut(id);
        if node.op == Op::Literal {
            node.runes.drain(..count.min(node.runes.len()));
            if node.runes.is_empty() {
                node.op = Op::EmptyMatch;
            }
        }
    }

    /// The first part of a node (`leadingRegexp`).
    fn leading_part(&self, id: Id) -> Option<Id> {
        let node = self.node(id);
        let first = match node.op {
            Op::Concat => node.subs.first().copied().unwrap_or(id),
            _ => id,
        };
        (self.node(first).op != Op::EmptyMatch).then_some(first)
    }

    /// Removes the first part of a node (`removeLeadingRegexp`).
    fn remove_leading_part(&mut self, id: Id, reuse: bool) -> Id {
        let node = self.node(id);
        if node.op == Op::Concat && !node.subs.is_empty() {
            if reuse {
                self.reuse(node.subs[0]);
            }
            let node = self.node_mut(id);
            node.subs.remove(0);
            if node.subs.is_empty() {
                node.op = Op::EmptyMatch;
            } else if node.subs.len() == 1 {
                let only = node.subs[0];
                self.reuse(id);
                return only;
            }
            return id;
        }
        if reuse {
            self.reuse(id);
        }
        self.new_node(Op::EmptyMatch)
    }

    /// Whether a node is a class, or a class repeated a fixed number of times. Only such nodes may be factored out.
    fn is_fixed_class(&self, id: Id) -> bool {
        let node = self.node(id);
        node.is_char_class()
            || (node.op == Op::Repeat && node.min == node.max && self.node(node.subs[0]).is_char_class())
    }

    /// `Regexp.Equal` for a node for which [`Self::is_fixed_class`] holds and any other node.
    fn equal_fixed_classes(&self, a: Id, b: Id) -> bool {
        let (a, b) = (self.node(a), self.node(b));
        if a.op != b.op {
            return false;
        }
        match a.op {
            Op::Literal | Op::CharClass => (a.flags ^ b.flags) & flags::FOLD_CASE == 0 && a.runes == b.runes,
            Op::Repeat => {
                (a.flags ^ b.flags) & flags::NON_GREEDY == 0
                    && a.min == b.min
                    && a.max == b.max
                    && self.node(b.subs[0]).is_char_class()
                    && self.equal_fixed_classes(a.subs[0], b.subs[0])
            }
            _ => true,
        }
    }
}
