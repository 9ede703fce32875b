//! The grammar of CEL as a transition network, and as a program.
//!
//! ANTLR generates `cel-go`'s parser from `parser/gen/CEL.g4`. The error messages depend on the network that ANTLR builds from the grammar (the
//! expected tokens of a state, and where and how it looks ahead). The network here therefore has the same states for the same constructs. [`Program`]
//! holds both: states for prediction and expected tokens, steps for the parse.

use super::super::token::Kind;
use super::super::tree::{Label, Rule};

/// A state of the network.
pub(super) type StateId = u16;

/// A set of token kinds, one bit per kind.
pub(super) type Kinds = u64;

/// A bit in a set of kinds: the end of the rule can be reached without a token.
pub(super) const EPSILON: Kinds = 1 << 63;

/// A set of one kind.
pub(super) const fn kinds(kind: Kind) -> Kinds {
    1 << kind as u8
}

/// The rules of the grammar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum RuleId {
    Start,
    Expr,
    ConditionalOr,
    ConditionalAnd,
    Relation,
    Calc,
    Unary,
    Member,
    Primary,
    ExprList,
    ListInit,
    FieldInitializerList,
    OptField,
    MapInitializerList,
    EscapeIdent,
    OptExpr,
    Literal,
}

/// The number of rules.
pub(super) const RULES: usize = RuleId::Literal as usize + 1;

/// The role of a state in error recovery and prediction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StateKind {
    Basic,
    /// The start of alternatives, or of something optional or repeated.
    BlockStart,
    BlockEnd,
    /// The start of a repetition (zero or more). The flag is set for the repetition that replaces left recursion.
    StarEntry {
        left_recursion: bool,
    },
    /// The jump back of a repetition (zero or more).
    StarBack,
    /// The jump back of a repetition (one or more).
    PlusBack,
    RuleStop,
}

/// A transition to another state.
#[derive(Clone, Copy, Debug)]
pub(super) enum Transition {
    /// Consumes no token. The rule is set if the transition leaves a left-recursive rule that was called from outside.
    Epsilon(StateId, Option<RuleId>),
    /// Consumes one of these tokens.
    Tokens(Kinds, StateId),
    /// Calls a rule: its first state, and the state to return to.
    Rule { start: StateId, follow: StateId },
    /// Consumes no token. The transition is only possible if the operator binds strongly enough.
    Precedence(u8, StateId),
}

impl Transition {
    pub(super) fn target(self) -> StateId {
        match self {
            Self::Epsilon(to, _) | Self::Tokens(_, to) | Self::Precedence(_, to) => to,
            Self::Rule { start, .. } => start,
        }
    }
}

/// A state with its transitions, in the order of the alternatives.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) kind: StateKind,
    pub(super) rule: RuleId,
    pub(super) transitions: Vec<Transition>,
}

/// One step of the parse. `state` is the corresponding state of the network.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Consumes a token.
    Match {
        state: StateId,
        set: Kinds,
        label: Option<Label>,
    },
    /// Calls a rule.
    Call {
        state: StateId,
        rule: RuleId,
        precedence: u8,
        label: Label,
    },
    /// Sets the rule of the node.
    Name(Rule),
    /// Starts a node whose left operand is the current node.
    Recurse(Rule),
    /// The step continues only if the operator binds strongly enough.
    Precedence {
        state: StateId,
        precedence: u8,
    },
    /// Checks the next token, and jumps to `to` if that token cannot start the next construct.
    Skip {
        state: StateId,
        first: StateId,
        to: usize,
    },
    /// Checks the next token, and jumps back to `to` if that token can start another repetition.
    Again {
        state: StateId,
        first: StateId,
        to: usize,
    },
    /// The step only checks the next token.
    Sync {
        state: StateId,
    },
    /// Chooses an alternative by looking ahead as far as needed.
    Choose {
        state: StateId,
        decision: StateId,
        to: Vec<usize>,
    },
    /// Chooses an alternative by the next token.
    Switch {
        state: StateId,
        to: Vec<(StateId, usize)>,
    },
    Jump(usize),
    Return,
}

/// The network and its program.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) states: Vec<State>,
    pub(super) steps: Vec<Step>,
    /// For each state, the tokens that can come next within the rule.
    pub(super) next: Vec<Kinds>,
    /// The first step of each rule.
    pub(super) entries: [usize; RULES],
}

pub(super) const ALL_RULES: [RuleId; RULES] = [
    RuleId::Start,
    RuleId::Expr,
    RuleId::ConditionalOr,
    RuleId::ConditionalAnd,
    RuleId::Relation,
    RuleId::Calc,
    RuleId::Unary,
    RuleId::Member,
    RuleId::Primary,
    RuleId::ExprList,
    RuleId::ListInit,
    RuleId::FieldInitializerList,
    RuleId::OptField,
    RuleId::MapInitializerList,
    RuleId::EscapeIdent,
    RuleId::OptExpr,
    RuleId::Literal,
];

impl Program {
    /// The first state of a rule.
    pub(super) fn start_of(rule: RuleId) -> StateId {
        StateId::from(rule as u8)
    }

    /// The last state of a rule.
    pub(super) fn stop_of(rule: RuleId) -> StateId {
        StateId::from(rule as u8) + RULES as StateId
    }

    /// Removes states that only lead to the next one, except before the end of a rule. ANTLR does the same between the elements of an alternative and
    /// at its end (`ParserATNFactory.elemList`, `TailEpsilonRemover`). The removal matters because paths that meet in the same state are the same
    /// from there on, which ends a prediction.
    pub(super) fn skip_empty_states(&mut self) {
        let past = |states: &[State], to: StateId| match states[to as usize] {
            State {
                kind: StateKind::Basic,
                ref transitions,
                ..
            } => match transitions[..] {
                [Transition::Epsilon(next, _)] if states[next as usize].kind != StateKind::RuleStop => next,
                _ => to,
            },
            _ => to,
        };
        for state in 0..self.states.len() {
            if self.states[state].kind != StateKind::Basic {
                continue;
            }
            let [transition] = self.states[state].transitions[..] else {
                continue;
            };
            let shorter = match transition {
                Transition::Tokens(set, to) => Transition::Tokens(set, past(&self.states, to)),
                Transition::Rule { start, follow } => Transition::Rule {
                    start,
                    follow: past(&self.states, follow),
                },
                _ => continue,
            };
            self.states[state].transitions[0] = shorter;
        }
    }

    /// Adds transitions from the end of each rule to all states after a call of it.
    pub(super) fn link_rule_ends(&mut self) {
        for state in 0..self.states.len() {
            for at in 0..self.states[state].transitions.len() {
                let Transition::Rule { start, follow } = self.states[state].transitions[at] else {
                    continue;
                };
                let rule = ALL_RULES[start as usize];
                let left_recursive = matches!(rule, RuleId::Relation | RuleId::Calc | RuleId::Member);
                let outermost = (left_recursive && self.states[state].rule != rule).then_some(rule);
                let stop = Self::stop_of(rule) as usize;
                self.states[stop]
                    .transitions
                    .push(Transition::Epsilon(follow, outermost));
            }
        }
    }

    pub(super) fn compute_next(&mut self) {
        let mut next: Vec<Kinds> = vec![0; self.states.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for (at, state) in self.states.iter().enumerate() {
                let mut tokens = next[at];
                if state.kind == StateKind::RuleStop {
                    tokens |= EPSILON;
                } else {
                    for transition in &state.transitions {
                        tokens |= match *transition {
                            Transition::Tokens(set, _) => set,
                            other => next[other.target() as usize],
                        };
                    }
                }
                changed |= tokens != next[at];
                next[at] = tokens;
            }
        }
        self.next = next;
    }
}
