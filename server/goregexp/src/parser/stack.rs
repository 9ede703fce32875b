//! The parser's stack: pushing, joining literals, concatenation and alternation.

use super::{Fail, Parser, fail_whole};
use crate::class::{append_class, append_literal, clean};
use crate::error::ErrorCode;
use crate::tree::{Id, MAX_RUNE, Node, Op, Rune, flags};
use crate::unicode::{min_fold, simple_fold};

impl Parser<'_> {
    pub(super) fn node(&self, id: Id) -> &Node {
        &self.nodes[id as usize]
    }

    pub(super) fn node_mut(&mut self, id: Id) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    /// Creates a node, or reuses a free one (`newRegexp`).
    pub(super) fn new_node(&mut self, op: Op) -> Id {
        if let Some(id) = self.free.pop() {
            *self.node_mut(id) = Node::new(op);
            return id;
        }
        self.nodes.push(Node::new(op));
        (self.nodes.len() - 1) as Id
    }

    pub(super) fn reuse(&mut self, id: Id) {
        self.forget_height(id);
        self.free.push(id);
    }

    /// Pushes a node, or merges it with the literals on top if possible (`push`).
    pub(super) fn push(&mut self, id: Id) -> Result<(), Fail> {
        let node = &self.nodes[id as usize];
        let runes = &node.runes;
        let count = runes.len();
        self.limits.runes += count;
        let is_class = node.op == Op::CharClass;
        let folds = |a: Rune, b: Rune| simple_fold(a) == b && simple_fold(b) == a;
        let as_literal = if is_class && count == 2 && runes[0] == runes[1] {
            Some((runes[0], self.flags & !flags::FOLD_CASE))
        } else if is_class
            && (count == 4 && runes[0] == runes[1] && runes[2] == runes[3] && folds(runes[0], runes[2])
                || count == 2 && runes[0] + 1 == runes[1] && folds(runes[0], runes[1]))
        {
            Some((runes[0], self.flags | flags::FOLD_CASE))
        } else {
            None
        };
        if let Some((rune, node_flags)) = as_literal {
            if self.maybe_concat(Some((rune, node_flags))) {
                return Ok(());
            }
            let node = self.node_mut(id);
            node.op = Op::Literal;
            node.runes.truncate(1);
            node.flags = node_flags;
        } else {
            self.maybe_concat(None);
        }
        self.stack.push(id);
        self.check_limits(id)
    }

    /// Joins the two topmost literals. If `next` is given, the freed node is reused to push it. Returns whether `next` was pushed (`maybeConcat`).
    fn maybe_concat(&mut self, next: Option<(Rune, u8)>) -> bool {
        let [.., below, top] = self.stack[..] else { return false };
        let (top_node, below_node) = (self.node(top), self.node(below));
        if top_node.op != Op::Literal
            || below_node.op != Op::Literal
            || (top_node.flags ^ below_node.flags) & flags::FOLD_CASE != 0
        {
            return false;
        }
        let mut runes = std::mem::take(&mut self.node_mut(top).runes);
        self.node_mut(below).runes.append(&mut runes);
        if let Some((rune, node_flags)) = next {
            let top = self.node_mut(top);
            top.runes = vec![rune];
            top.flags = node_flags;
            return true;
        }
        self.stack.pop();
        self.reuse(top);
        false
    }

    pub(super) fn literal(&mut self, rune: Rune) -> Result<(), Fail> {
        let id = self.new_node(Op::Literal);
        let fold = self.flags & flags::FOLD_CASE != 0;
        let node_flags = self.flags;
        let node = self.node_mut(id);
        node.flags = node_flags;
        node.runes = vec![if fold { min_fold(rune) } else { rune }];
        self.push(id)
    }

    pub(super) fn op(&mut self, op: Op) -> Result<Id, Fail> {
        let id = self.new_node(op);
        self.node_mut(id).flags = self.flags;
        self.push(id)?;
        Ok(id)
    }

    /// Opens a group.
    pub(super) fn open(&mut self, cap: u32) -> Result<(), Fail> {
        let id = self.op(Op::LeftParen)?;
        self.node_mut(id).cap = cap;
        Ok(())
    }

    /// Pops the nodes above the topmost pseudo-op.
    fn pop_above_pseudo(&mut self) -> Vec<Id> {
        let start = self
            .stack
            .iter()
            .rposition(|&id| self.node(id).op.is_pseudo())
            .map_or(0, |n| n + 1);
        self.stack.split_off(start)
    }

    pub(super) fn concat(&mut self) -> Result<(), Fail> {
        self.maybe_concat(None);
        let subs = self.pop_above_pseudo();
        let id = if subs.is_empty() {
            self.new_node(Op::EmptyMatch)
        } else {
            self.collapse(subs, Op::Concat)?
        };
        self.push(id)
    }

    pub(super) fn alternate(&mut self) -> Result<(), Fail> {
        let subs = self.pop_above_pseudo();
        if let Some(&last) = subs.last() {
            self.clean_alternative(last);
        }
        let id = if subs.is_empty() {
            self.new_node(Op::NoMatch)
        } else {
            self.collapse(subs, Op::Alternate)?
        };
        self.push(id)
    }

    /// Cleans the class of a complete alternative (`cleanAlt`).
    pub(super) fn clean_alternative(&mut self, id: Id) {
        let node = self.node_mut(id);
        if node.op != Op::CharClass {
            return;
        }
        clean(&mut node.runes);
        let newline = '\n' as Rune;
        let any = match node.runes[..] {
            [0, MAX_RUNE] => Op::AnyChar,
            [0, before, after, MAX_RUNE] if before == newline - 1 && after == newline + 1 => Op::AnyCharNotNl,
            _ => return,
        };
        node.runes = Vec::new();
        node.op = any;
    }

    /// Joins nodes with `op`, a concatenation or an alternation (`collapse`).
    fn collapse(&mut self, subs: Vec<Id>, op: Op) -> Result<Id, Fail> {
        if let [only] = subs[..] {
            return Ok(only);
        }
        if op == Op::Alternate {
            return self.alternation(subs);
        }
        let id = self.new_node(op);
        self.node_mut(id).subs = self.flatten(subs, op);
        Ok(id)
    }

    /// Replaces each node with the operator `op` by its parts.
    pub(super) fn flatten(&mut self, subs: Vec<Id>, op: Op) -> Vec<Id> {
        let mut all = Vec::with_capacity(subs.len());
        for sub in subs {
            if self.node(sub).op == op {
                all.append(&mut self.node_mut(sub).subs);
                self.reuse(sub);
            } else {
                all.push(sub);
            }
        }
        all
    }

    pub(super) fn vertical_bar(&mut self) -> Result<(), Fail> {
        self.concat()?;
        if !self.swap_vertical_bar() {
            self.op(Op::VerticalBar)?;
        }
        Ok(())
    }

    /// Moves the alternative on top below the bar under it, or merges it with the alternative there if both are classes.
    pub(super) fn swap_vertical_bar(&mut self) -> bool {
        let n = self.stack.len();
        if n >= 3 && self.node(self.stack[n - 2]).op == Op::VerticalBar {
            let (mut simple, mut complex) = (self.stack[n - 1], self.stack[n - 3]);
            if self.node(simple).is_char_class() && self.node(complex).is_char_class() {
                if self.node(simple).op > self.node(complex).op {
                    std::mem::swap(&mut simple, &mut complex);
                    self.stack[n - 3] = complex;
                }
                self.merge_class(complex, simple);
                self.reuse(simple);
                self.stack.pop();
                return true;
            }
        }
        if n >= 2 && self.node(self.stack[n - 2]).op == Op::VerticalBar {
            if n >= 3 {
                self.clean_alternative(self.stack[n - 3]);
            }
            self.stack.swap(n - 2, n - 1);
            return true;
        }
        false
    }

    /// Adds the simpler class `from` to `into` (`mergeCharClass`).
    pub(super) fn merge_class(&mut self, into: Id, from: Id) {
        let (from_op, from_flags) = (self.node(from).op, self.node(from).flags);
        let from_runes = std::mem::take(&mut self.node_mut(from).runes);
        let node = self.node_mut(into);
        match node.op {
            Op::AnyCharNotNl => {
                let newline = '\n' as Rune;
                let has_newline = match from_op {
                    Op::Literal => from_runes == [newline],
                    Op::CharClass => from_runes
                        .chunks_exact(2)
                        .any(|pair| pair[0] <= newline && newline <= pair[1]),
                    Op::AnyChar => true,
                    _ => false,
                };
                if has_newline {
                    node.op = Op::AnyChar;
                }
            }
            Op::CharClass if from_op == Op::Literal => append_literal(&mut node.runes, from_runes[0], from_flags),
            Op::CharClass => append_class(&mut node.runes, &from_runes),
            Op::Literal => {
                if from_runes == node.runes && from_flags == node.flags {
                    return;
                }
                node.op = Op::CharClass;
                let rune = node.runes[0];
                node.runes.clear();
                append_literal(&mut node.runes, rune, node.flags);
                append_literal(&mut node.runes, from_runes[0], from_flags);
            }
            _ => {}
        }
    }

    pub(super) fn right_paren(&mut self) -> Result<(), Fail> {
        self.concat()?;
        if self.swap_vertical_bar() {
            self.stack.pop();
        }
        self.alternate()?;
        let [.., open, inner] = self.stack[..] else {
            return fail_whole(ErrorCode::UnexpectedParen);
        };
        self.stack.truncate(self.stack.len() - 2);
        if self.node(open).op != Op::LeftParen {
            return fail_whole(ErrorCode::UnexpectedParen);
        }
        self.flags = self.node(open).flags;
        if self.node(open).cap == 0 {
            self.push(inner)
        } else {
            let node = self.node_mut(open);
            node.op = Op::Capture;
            node.subs = vec![inner];
            self.push(open)
        }
    }
}
