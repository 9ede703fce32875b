//! The open collections at a position, and the choice of the collection that gets the next token.

/// The part of an entry that a collection still waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pending {
    /// Nothing: the next token starts an entry.
    Nothing,
    /// Root: the document's content.
    Content,
    /// Sequence: the item after a dash; the number is the end of the dash.
    Item(u32),
    /// Mapping: the key after a `?`; the number is the end of the `?`.
    ExplicitKey(u32),
    /// Mapping: the `:` after a key written with `?`; the number is the end of the key.
    ExplicitColon(u32),
    /// Mapping: the `:` after a key in a flow collection.
    Colon(u32),
    /// Mapping: the value after the colon that ends at this byte or, without a colon, after an unfinished key.
    Value {
        at: u32,
        has_colon: bool,
        is_explicit: bool,
    },
}

impl Pending {
    /// Moves the stored offset.
    pub(super) fn move_by(&mut self, place: &mut impl FnMut(u32) -> u32) {
        match self {
            Self::Nothing | Self::Content => {}
            Self::Item(at)
            | Self::ExplicitKey(at)
            | Self::ExplicitColon(at)
            | Self::Colon(at)
            | Self::Value { at, .. } => {
                *at = place(*at);
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FrameKind {
    Root,
    Mapping,
    Sequence,
    /// Contains tokens that could not be placed in the frame below.
    Error,
    FlowMapping,
    FlowSequence,
    /// A single-pair mapping without braces in a flow sequence.
    FlowPair,
}

/// An open collection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Frame {
    pub(super) kind: FrameKind,
    /// The column of the collection's keys or dashes; -1 for the root. For a flow collection, this is the column of the surrounding block collection.
    pub(super) column: i32,
    pub(super) pending: Pending,
}

impl Frame {
    pub(super) fn is_flow(&self) -> bool {
        matches!(
            self.kind,
            FrameKind::FlowMapping | FrameKind::FlowSequence | FrameKind::FlowPair
        )
    }

    /// Whether the frame can get a node as a child now.
    pub(super) fn is_host(&self) -> bool {
        self.kind == FrameKind::Error
            || matches!(
                self.pending,
                Pending::Content | Pending::Item(_) | Pending::ExplicitKey(_) | Pending::Value { .. }
            )
    }

    /// Whether the value or key that this frame waits for may be a sequence at the frame's own column.
    fn takes_indentless(&self) -> bool {
        self.kind == FrameKind::Mapping && matches!(self.pending, Pending::ExplicitKey(_) | Pending::Value { .. })
    }

    /// Whether the node that this frame waits for may be a block scalar whose indicator is at the frame's own column.
    pub(super) fn takes_block_scalar(&self) -> bool {
        self.takes_indentless() || matches!(self.pending, Pending::Item(_))
    }
}

/// The class of a token in block context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    /// `-`
    Dash,
    /// `?`, `:`, or a node that is followed by a colon.
    Key,
    /// A node that is not followed by a colon.
    Node,
    /// `|` or `>`
    BlockScalar,
}

/// The frame that gets a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Target {
    /// The token starts an entry of this frame and is at the frame's column.
    Entry(usize),
    /// The token is the node that this frame waits for. Later frames are closed.
    Host(usize),
    /// The token starts an entry of this frame, although it is at another column.
    Adopted(usize),
    /// The token fits in no frame. It goes into an error node inside this frame.
    Misplaced(usize),
}

/// The target of a token that is the first one on its line. `frames[0]` is the root.
pub(super) fn target(frames: &[Frame], column: i32, class: Class) -> Target {
    let below = frames.iter().rposition(|it| it.column <= column).unwrap_or(0);
    let top = below == frames.len() - 1;
    for at in (1..=below).rev() {
        let frame = &frames[at];
        if frame.column < column {
            break;
        }
        let takes = match class {
            Class::Dash => frame.kind == FrameKind::Sequence || (at == below && frame.takes_indentless()),
            Class::BlockScalar if at == below && frame.takes_block_scalar() => return Target::Host(at),
            Class::Key | Class::Node | Class::BlockScalar => frame.kind == FrameKind::Mapping,
        };
        if takes {
            return if frame.kind == FrameKind::Mapping && class == Class::Dash {
                Target::Host(at)
            } else {
                Target::Entry(at)
            };
        }
    }
    let frame = &frames[below];
    if frame.is_host()
        && (frame.column < column || frame.kind == FrameKind::Error)
        && (top || frame.kind != FrameKind::Root)
    {
        return Target::Host(below);
    }
    let fits = |it: &Frame| match class {
        Class::Dash => it.kind == FrameKind::Sequence,
        Class::Key | Class::Node | Class::BlockScalar => it.kind == FrameKind::Mapping,
    };
    if let Some(above) = frames.get(below + 1) {
        if fits(above) {
            return Target::Adopted(below + 1);
        }
        if below == 0 {
            return Target::Misplaced(1);
        }
    }
    if fits(frame) && frame.column < column {
        return Target::Adopted(below);
    }
    Target::Misplaced(below)
}
