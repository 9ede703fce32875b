//! Parses a changed document again, but only around the change, up to the point where the parser is in the same state as before the change.

use std::ops::Range;

use super::TolerantTree;
use super::memo::{Memo, Segment, State};
use super::reader::{self, Reader};
use crate::text::Text;
use crate::tree::{NO_PARENT, NodeData, NodeId, NodeKind, Properties, Rebuilt, Span, Tree, TreeBuilder};

/// A change of a text. All fields are byte offsets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub(super) start: u32,
    /// The end of the replaced range in the old text.
    pub(super) old_end: u32,
    /// The end of the replacement in the new text.
    pub(super) new_end: u32,
}

impl Change {
    /// The position in the new text of an offset after the change.
    pub(super) fn behind(self, at: u32) -> u32 {
        at.wrapping_add(self.new_end).wrapping_sub(self.old_end)
    }
}

/// Moves positions in the old text to the new text.
#[derive(Clone, Copy, Debug)]
struct Shift {
    change: Change,
    /// The first position that moves. For a pure insertion, this is either the position of the change or the next position, because a token that
    /// ended at the change may or may not have grown.
    from: u32,
}

impl Shift {
    fn place(self, at: u32) -> u32 {
        if at >= self.from { self.change.behind(at) } else { at }
    }

    fn span(self, span: Span) -> Span {
        Span::new(self.place(span.start), self.place(span.end))
    }

    /// Whether the byte at this position was removed.
    fn is_gone(self, at: u32) -> bool {
        self.change.start < at && at < self.change.old_end
    }
}

/// Searches for the point after which the old result is still valid.
pub(super) struct Resync<'m> {
    change: Change,
    old: &'m Memo,
    /// The first node that is parsed again.
    first: u32,
    /// The next segment to compare.
    next: usize,
    from_start: bool,
    met: Option<Met>,
}

/// The point after which the old result is still valid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Met {
    /// The first segment that is still valid.
    segment: usize,
    shift: Shift,
    /// For each kind of quote that does not occur in the rest of the text: whether such a quote is open at this point. The rest of the text does not
    /// depend on it.
    unclosed: [Option<u32>; 2],
}

impl Resync<'_> {
    /// Whether the parser is at the start of a segment, in the same state as in the old text.
    pub(super) fn is_met(&mut self, reader: &Reader<'_>) -> bool {
        while let Some(segment) = self.old.segments.get(self.next) {
            let at = segment.start.at;
            if at >= self.change.old_end && self.change.behind(at) as usize >= reader.at {
                if self.change.behind(at) as usize > reader.at {
                    return false;
                }
                self.met = self.meet(segment, reader);
                self.next += 1;
                return self.met.is_some();
            }
            self.next += 1;
        }
        false
    }

    /// The point after which the old result is valid. `None` if the state at the segment's start differs from the parser's state.
    fn meet(&self, segment: &Segment, reader: &Reader<'_>) -> Option<Met> {
        let has_same_prologue = reader.is_explicit == self.old.is_explicit && reader.handles.is_empty();
        if self.from_start && !has_same_prologue || !segment.start.is_as_deep_as(reader) {
            return None;
        }
        let open = reader.tree.open();
        let is_same = |(&old, &new): (&u32, &u32)| old == new || old >= self.first && new >= self.first;
        if segment.open.len() != open.len() || !segment.open.iter().zip(open).all(is_same) {
            return None;
        }
        let change = self.change;
        let inserts = change.start == change.old_end;
        let shifts = [
            Some(change.old_end),
            (inserts && segment.start.at > change.start).then_some(change.start + 1),
        ];
        let now = State::of(reader);
        let unclosed = segment.start.indifferent_quotes(&now, &reader.bytes[reader.at..]);
        let shift = shifts
            .into_iter()
            .flatten()
            .map(|from| Shift { change, from })
            .find(|shift| {
                let mut was = segment.start.clone();
                was.set_unclosed(unclosed);
                let mut is_whole = true;
                was.move_by(&mut |at| {
                    is_whole &= !shift.is_gone(at);
                    shift.place(at)
                });
                is_whole && was == now && segment.start.column() == now.column()
            })?;
        Some(Met {
            segment: self.next,
            shift,
            unclosed,
        })
    }
}

/// Updates a document after a change in it. `text` is the new text, and `span` is the span of the document in the new text.
pub(super) fn reread(mut old: TolerantTree, text: &Text, span: Span, change: Change) -> TolerantTree {
    let is_seen = |it: &Segment| it.seen > change.start;
    let Some(first) = old.memo.segments.iter().position(is_seen) else {
        // The change is after the end of the document.
        old.tree.text = text.clone();
        old.tree.span = span;
        return old;
    };
    let all = old.memo.segments.len();
    let is_bounded = old.memo.used(all) < reader::budget(old.tree.span);
    if !is_bounded || old.memo.has_handles {
        return reader::read(text, span);
    }
    let begin = &old.memo.segments[first];
    let first_node = if first == 0 { 0 } else { begin.nodes };
    let kept = std::mem::take(&mut old.tree.nodes);
    let open = begin.open.to_vec();
    let builder = TreeBuilder::resume(text.clone(), span, kept, first_node, open);
    let mut reader = Reader::new(text, span, builder);
    if first > 0 {
        begin.start.restore(&mut reader);
        reader.is_explicit = old.memo.is_explicit;
        reader.lookahead = reader.lookahead.saturating_sub(old.memo.used(first));
        reader.begin_segment();
    }
    let mut resync = Resync {
        change,
        old: &old.memo,
        first: first_node,
        next: first + 1,
        from_start: first == 0,
        met: None,
    };
    reader.document(Some(&mut resync));
    let met = resync.met;
    let segments = std::mem::take(&mut reader.segments);
    let fresh = Memo::of(&mut reader, segments);
    let rebuilt = reader.tree.into_parts();
    let mut join = Join {
        first: first_node,
        old_comments: begin.comments as usize,
        rest: met.map(|it| Rest::new(&old.memo.segments[it.segment], it, &rebuilt, first_node)),
    };
    join.apply(&mut old, first, rebuilt, fresh);
    old.tree.text = text.clone();
    old.tree.span = span;
    let all = old.memo.segments.len();
    if old.memo.used(all) >= reader::budget(span) {
        return reader::read(text, span);
    }
    old.is_broken = old.memo.settle(&mut old.tree);
    old
}

/// The part of the old tree after the text that was parsed again. This part stays valid.
struct Rest {
    shift: Shift,
    /// The first old segment of this part.
    segment: usize,
    unclosed: [Option<u32>; 2],
    /// The index of the first node of this part in the old tree, and its index in the new tree.
    old: u32,
    new: u32,
    /// The index of the first comment of this part in the old tree.
    comments: usize,
    /// The nodes that are open at the start of this part: index in the old tree, index in the new tree.
    open: Vec<(u32, u32)>,
}

impl Rest {
    fn new(segment: &Segment, met: Met, rebuilt: &Rebuilt, first: u32) -> Self {
        Self {
            shift: met.shift,
            segment: met.segment,
            unclosed: met.unclosed,
            old: segment.nodes,
            new: first + rebuilt.fresh.nodes.len() as u32,
            comments: segment.comments as usize,
            open: segment.open.iter().copied().zip(rebuilt.open.iter().copied()).collect(),
        }
    }

    /// The new index of an old node, which is either in this part or open at the start of this part.
    fn node(&self, old: u32) -> u32 {
        if old >= self.old {
            return old - self.old + self.new;
        }
        let found = self.open.binary_search_by_key(&old, |it| it.0);
        found.map_or(old, |at| self.open[at].1)
    }

    /// The ends of the nodes that are open at the start of this part, computed from the old tree.
    fn ends(&self, kept: &[NodeData]) -> Vec<(u32, u32, u32)> {
        let end = |&(old, new): &(u32, u32)| {
            let data = &kept[old as usize];
            (new, self.shift.place(data.span.end), data.extra - self.old + self.new)
        };
        self.open.iter().map(end).collect()
    }

    /// Moves the nodes of this part.
    fn shift_nodes(&self, nodes: &mut [NodeData]) {
        let renames = self.old != self.new || self.open.iter().any(|it| it.0 != it.1);
        for data in nodes {
            data.span = self.shift.span(data.span);
            if renames {
                if data.parent != NO_PARENT {
                    data.parent = self.node(data.parent);
                }
                if matches!(
                    data.kind,
                    NodeKind::Mapping(_) | NodeKind::Sequence(_) | NodeKind::Error
                ) {
                    data.extra = data.extra - self.old + self.new;
                }
            }
        }
    }
}

/// Joins three parts: the nodes before the change, the nodes that were parsed again, and the rest of the old tree.
struct Join {
    first: u32,
    old_comments: usize,
    rest: Option<Rest>,
}

impl Join {
    fn apply(&mut self, old: &mut TolerantTree, first_segment: usize, rebuilt: Rebuilt, fresh: Memo) {
        let tree = &mut old.tree;
        self.nodes(tree, rebuilt.kept, rebuilt.fresh.nodes);
        self.properties(&mut tree.properties, rebuilt.fresh.properties);
        let added = rebuilt.fresh.comments.len();
        self.comments(&mut tree.comments, rebuilt.fresh.comments);
        self.aliases(&mut old.memo.aliases, fresh.aliases);
        let mut segments = fresh.segments;
        for segment in &mut segments {
            segment.comments += self.old_comments as u32;
        }
        let from = self.rest.as_ref().map_or(old.memo.segments.len(), |it| it.segment);
        let comments = self.old_comments + added;
        let range = first_segment..from;
        self.replace(&mut old.memo.segments, range, segments, |rest, segment| {
            segment.start.move_by(&mut |at| rest.shift.place(at));
            segment.start.set_unclosed(rest.unclosed);
            segment.seen = rest.shift.place(segment.seen);
            segment.comments = segment.comments - rest.comments as u32 + comments as u32;
            segment.nodes = rest.node(segment.nodes);
            for node in &mut segment.open {
                *node = rest.node(*node);
            }
        });
        old.memo.is_explicit = fresh.is_explicit;
        old.memo.has_handles = fresh.has_handles;
    }

    fn nodes(&self, tree: &mut Tree, mut kept: Vec<NodeData>, fresh: Vec<NodeData>) {
        let first = self.first as usize;
        if let Some(rest) = &self.rest {
            let ends = rest.ends(&kept);
            kept.splice(first..rest.old as usize, fresh);
            for (node, end, extra) in ends {
                let data = &mut kept[node as usize];
                data.span.end = end;
                data.extra = extra;
            }
            rest.shift_nodes(&mut kept[rest.new as usize..]);
        } else {
            kept.truncate(first);
            kept.extend(fresh);
        }
        tree.nodes = kept;
        tree.forget_siblings();
    }

    fn properties(&self, kept: &mut Vec<(NodeId, Properties)>, fresh: Vec<(NodeId, Properties)>) {
        let range = self.range_of(kept, |it| it.0);
        self.replace(kept, range, fresh, |rest, (node, properties)| {
            node.0 = rest.node(node.0);
            for span in properties.anchor.iter_mut().chain(&mut properties.tag) {
                *span = rest.shift.span(*span);
            }
        });
    }

    fn comments(&self, kept: &mut Vec<Span>, fresh: Vec<Span>) {
        let to = self.rest.as_ref().map_or(kept.len(), |it| it.comments);
        self.replace(kept, self.old_comments..to, fresh, |rest, span| {
            *span = rest.shift.span(*span);
        });
    }

    fn aliases(&self, kept: &mut Vec<NodeId>, fresh: Vec<NodeId>) {
        let range = self.range_of(kept, |it| *it);
        self.replace(kept, range, fresh, |rest, node| node.0 = rest.node(node.0));
    }

    /// The range of the nodes that were parsed again in a list that is sorted by node.
    fn range_of<T>(&self, kept: &[T], node_of: impl Fn(&T) -> NodeId) -> Range<usize> {
        let at = |node: u32| kept.partition_point(|it| node_of(it).0 < node);
        at(self.first)..self.rest.as_ref().map_or(kept.len(), |it| at(it.old))
    }

    /// Replaces the items in the edited range by the newly parsed items, and shifts the items after them.
    fn replace<T>(&self, kept: &mut Vec<T>, range: Range<usize>, fresh: Vec<T>, moved: impl Fn(&Rest, &mut T)) {
        let behind = range.start + fresh.len();
        kept.splice(range, fresh);
        if let Some(rest) = &self.rest {
            for it in &mut kept[behind..] {
                moved(rest, it);
            }
        }
    }
}

/// Moves a document that comes after a change.
pub(super) fn move_behind(reading: &mut TolerantTree, change: Change) {
    let shift = Shift {
        change,
        from: change.old_end,
    };
    let tree = &mut reading.tree;
    tree.span = shift.span(tree.span);
    for data in &mut tree.nodes {
        data.span = shift.span(data.span);
    }
    for span in &mut tree.comments {
        *span = shift.span(*span);
    }
    for (_, properties) in &mut tree.properties {
        for span in properties.anchor.iter_mut().chain(&mut properties.tag) {
            *span = shift.span(*span);
        }
    }
    for segment in &mut reading.memo.segments {
        segment.start.move_by(&mut |at| shift.place(at));
        segment.seen = shift.place(segment.seen);
    }
}
