//! The grammar of CEL as a transition network, and as the program that walks it.
//!
//! `cel-go`'s parser is made by ANTLR from `parser/gen/CEL.g4`. What it says about a syntax error depends on the shape of the network
//! that ANTLR makes of the grammar (which tokens can follow a state, where it looks ahead and how), so this has the same states for the
//! same constructs. [`Program`] holds both: states for prediction and expected tokens, instructions for the parse.

use super::super::token::Kind;
use super::super::tree::{Label, Rule};

/// A state of the network.
pub(super) type StateId = u16;

/// Tokens, one bit a kind.
pub(super) type Kinds = u64;

/// In a set of tokens: the end of the rule can be reached without any.
pub(super) const EPSILON: Kinds = 1 << 63;

/// One kind as a set.
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

/// How many rules there are.
pub(super) const RULES: usize = RuleId::Literal as usize + 1;

/// What a state is to error recovery and prediction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StateKind {
    Basic,
    /// The start of alternatives or of something optional or repeated.
    BlockStart,
    BlockEnd,
    /// Where a repetition (any number) is entered; the flag is set for the repetition that replaces left recursion.
    StarEntry {
        left_recursion: bool,
    },
    /// Where a repetition goes back.
    StarBack,
    /// Where a repetition (at least one) goes back.
    PlusBack,
    RuleStop,
}

/// A way from one state to another.
#[derive(Clone, Copy, Debug)]
pub(super) enum Transition {
    /// Without a token. From the end of a rule: the rule, if it is left-recursive and was called from outside.
    Epsilon(StateId, Option<RuleId>),
    /// With one of these tokens.
    Tokens(Kinds, StateId),
    /// Through a rule: its first state, and where to go on after it.
    Rule { start: StateId, follow: StateId },
    /// Without a token, if the operator binds strongly enough.
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

/// A state with its ways out, in the order of the alternatives.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) kind: StateKind,
    pub(super) rule: RuleId,
    pub(super) transitions: Vec<Transition>,
}

/// One step of the parse. The state is where the step is, to prediction and recovery.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Takes a token.
    Match {
        state: StateId,
        set: Kinds,
        label: Option<Label>,
    },
    /// Parses a rule.
    Call {
        state: StateId,
        rule: RuleId,
        precedence: u8,
        label: Label,
    },
    /// Says what the node is.
    Name(Rule),
    /// Begins a node whose left operand is the current one.
    Recurse(Rule),
    /// Goes on only if the operator binds strongly enough.
    Precedence {
        state: StateId,
        precedence: u8,
    },
    /// Checks the next token, and goes to `to` if it does not start what follows.
    Skip {
        state: StateId,
        first: StateId,
        to: usize,
    },
    /// Checks the next token, and goes to `to` if it starts what is there.
    Again {
        state: StateId,
        first: StateId,
        to: usize,
    },
    /// Checks the next token only.
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
    /// Which tokens can come next in the rule, by state.
    pub(super) next: Vec<Kinds>,
    /// Where the steps of a rule are.
    pub(super) entries: [usize; RULES],
}

/// The grammar's constructs.
enum G {
    /// A token of a set.
    T(Kinds, Option<Label>),
    /// A rule.
    R(RuleId, u8, Label),
    /// At most once, decided by the next token.
    Opt(Vec<G>),
    /// At most once, decided by looking ahead.
    OptAhead(Vec<G>),
    /// Any number, decided by the next token.
    Star(Vec<G>),
    /// Any number, decided by looking ahead.
    StarAhead(Vec<G>),
    /// At least one, decided by the next token.
    Plus(Vec<G>),
    /// At least one, decided by looking ahead.
    PlusAhead(Vec<G>),
    /// Alternatives, decided by looking ahead.
    Either(Vec<(Rule, Vec<G>)>),
    /// Alternatives, decided by the next token.
    EitherNext(Vec<(Rule, Vec<G>)>),
    /// What replaces left recursion: any number of operators with their precedence.
    Recursion(Vec<(Rule, u8, Vec<G>)>),
}

fn t(kind: Kind) -> G {
    G::T(kinds(kind), None)
}

fn l(kind: Kind, label: Label) -> G {
    G::T(kinds(kind), Some(label))
}

fn set(of: &[Kind], label: Label) -> G {
    G::T(of.iter().map(|k| kinds(*k)).sum(), Some(label))
}

fn r(rule: RuleId, label: Label) -> G {
    G::R(rule, 0, label)
}

/// The grammar. Before names in backticks, a call was a variable with arguments, and a field was a token.
fn grammar(rule: RuleId, escaped_identifiers: bool) -> (Rule, Vec<G>) {
    use Kind as K;
    use Label as L;
    let expr = |label| r(RuleId::Expr, label);
    let args = || G::Opt(vec![r(RuleId::ExprList, L::Args)]);
    let opt = || G::Opt(vec![l(K::QuestionMark, L::Opt)]);
    let leading_dot = || G::Opt(vec![l(K::Dot, L::LeadingDot)]);
    let trailing = || G::Opt(vec![t(K::Comma)]);
    let entries = |rule| G::Opt(vec![r(rule, L::Args)]);
    let chain = |rule, op| vec![r(rule, L::E), G::Star(vec![l(op, L::Op), r(rule, L::E1)])];
    let entry = |key| vec![r(key, L::Key), l(K::Colon, L::Col), expr(L::Value)];
    let entry_list = |key| {
        let mut list = entry(key);
        let mut more = vec![t(K::Comma)];
        more.extend(entry(key));
        list.push(G::StarAhead(more));
        list
    };
    let name = || {
        if escaped_identifiers {
            r(RuleId::EscapeIdent, L::Id)
        } else {
            l(K::Identifier, L::Id)
        }
    };
    match rule {
        RuleId::Start => (Rule::Start, vec![expr(L::E), t(K::Eof)]),
        RuleId::Expr => {
            let rest = vec![
                l(K::QuestionMark, L::Op),
                r(RuleId::ConditionalOr, L::E1),
                t(K::Colon),
                expr(L::E2),
            ];
            (Rule::Expr, vec![r(RuleId::ConditionalOr, L::E), G::Opt(rest)])
        }
        RuleId::ConditionalOr => (Rule::ConditionalOr, chain(RuleId::ConditionalAnd, K::LogicalOr)),
        RuleId::ConditionalAnd => (Rule::ConditionalAnd, chain(RuleId::Relation, K::LogicalAnd)),
        RuleId::Relation => {
            let ops = [
                K::Equals,
                K::NotEquals,
                K::In,
                K::Less,
                K::LessEquals,
                K::GreaterEquals,
                K::Greater,
            ];
            let body = vec![set(&ops, L::Op), G::R(RuleId::Relation, 2, L::E1)];
            (
                Rule::Relation,
                vec![r(RuleId::Calc, L::E), G::Recursion(vec![(Rule::Relation, 1, body)])],
            )
        }
        RuleId::Calc => {
            let product = vec![
                set(&[K::Star, K::Slash, K::Percent], L::Op),
                G::R(RuleId::Calc, 3, L::E1),
            ];
            let sum = vec![set(&[K::Plus, K::Minus], L::Op), G::R(RuleId::Calc, 2, L::E1)];
            let recursion = G::Recursion(vec![(Rule::Calc, 2, product), (Rule::Calc, 1, sum)]);
            (Rule::Calc, vec![r(RuleId::Unary, L::E), recursion])
        }
        RuleId::Unary => {
            let member = || r(RuleId::Member, L::E);
            let alternatives = vec![
                (Rule::MemberExpr, vec![member()]),
                (Rule::LogicalNot, vec![G::Plus(vec![l(K::Exclam, L::Op)]), member()]),
                (Rule::Negate, vec![G::PlusAhead(vec![l(K::Minus, L::Op)]), member()]),
            ];
            (Rule::Unary, vec![G::Either(alternatives)])
        }
        RuleId::Member => {
            let select = vec![l(K::Dot, L::Op), opt(), name()];
            let call = vec![
                t(K::Dot),
                l(K::Identifier, L::Id),
                l(K::LParen, L::Open),
                args(),
                t(K::RParen),
            ];
            let index = vec![l(K::LBracket, L::Op), opt(), expr(L::E1), t(K::RBracket)];
            let recursion = G::Recursion(vec![
                (Rule::Select, 3, select),
                (Rule::MemberCall, 2, call),
                (Rule::Index, 1, index),
            ]);
            (Rule::PrimaryExpr, vec![r(RuleId::Primary, L::E), recursion])
        }
        RuleId::Primary => {
            let ident = || vec![leading_dot(), l(K::Identifier, L::Id)];
            let call = || vec![l(K::LParen, L::Op), args(), t(K::RParen)];
            let mut alternatives = Vec::new();
            if escaped_identifiers {
                alternatives.push((Rule::Ident, ident()));
                alternatives.push((Rule::GlobalCall, ident().into_iter().chain(call()).collect()));
            } else {
                alternatives.push((
                    Rule::GlobalCall,
                    ident().into_iter().chain([G::OptAhead(call())]).collect(),
                ));
            }
            let more_names = G::Star(vec![t(K::Dot), l(K::Identifier, L::Id)]);
            alternatives.extend([
                (Rule::Nested, vec![t(K::LParen), expr(L::E), t(K::RParen)]),
                (
                    Rule::CreateList,
                    vec![
                        l(K::LBracket, L::Op),
                        entries(RuleId::ListInit),
                        trailing(),
                        t(K::RBracket),
                    ],
                ),
                (
                    Rule::CreateStruct,
                    vec![
                        l(K::LBrace, L::Op),
                        entries(RuleId::MapInitializerList),
                        trailing(),
                        t(K::RBrace),
                    ],
                ),
                (
                    Rule::CreateMessage,
                    vec![
                        leading_dot(),
                        l(K::Identifier, L::Id),
                        more_names,
                        l(K::LBrace, L::Op),
                        entries(RuleId::FieldInitializerList),
                        trailing(),
                        t(K::RBrace),
                    ],
                ),
                (Rule::ConstantLiteral, vec![r(RuleId::Literal, L::E)]),
            ]);
            (Rule::Primary, vec![G::Either(alternatives)])
        }
        RuleId::ExprList => (Rule::ExprList, vec![expr(L::E), G::Star(vec![t(K::Comma), expr(L::E)])]),
        RuleId::ListInit => {
            let element = || r(RuleId::OptExpr, L::E);
            (
                Rule::ListInit,
                vec![element(), G::StarAhead(vec![t(K::Comma), element()])],
            )
        }
        RuleId::FieldInitializerList => (Rule::FieldInitializerList, entry_list(RuleId::OptField)),
        RuleId::MapInitializerList => (Rule::MapInitializerList, entry_list(RuleId::OptExpr)),
        RuleId::OptField => (Rule::OptField, vec![opt(), name()]),
        RuleId::EscapeIdent => {
            let alternatives = vec![
                (Rule::SimpleIdentifier, vec![l(K::Identifier, L::Id)]),
                (Rule::EscapedIdentifier, vec![l(K::EscIdentifier, L::Id)]),
            ];
            (Rule::EscapeIdent, vec![G::EitherNext(alternatives)])
        }
        RuleId::OptExpr => (Rule::OptExpr, vec![opt(), expr(L::E)]),
        RuleId::Literal => {
            let sign = || G::Opt(vec![l(K::Minus, L::Sign)]);
            let alternatives = vec![
                (Rule::Int, vec![sign(), l(K::Int, L::Tok)]),
                (Rule::Uint, vec![l(K::Uint, L::Tok)]),
                (Rule::Double, vec![sign(), l(K::Float, L::Tok)]),
                (Rule::String, vec![l(K::String, L::Tok)]),
                (Rule::Bytes, vec![l(K::Bytes, L::Tok)]),
                (Rule::BoolTrue, vec![l(K::True, L::Tok)]),
                (Rule::BoolFalse, vec![l(K::False, L::Tok)]),
                (Rule::Null, vec![l(K::Null, L::Tok)]),
            ];
            (Rule::Literal, vec![G::Either(alternatives)])
        }
    }
}

const ALL_RULES: [RuleId; RULES] = [
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
    /// The grammar with or without names in backticks.
    pub(super) fn new(escaped_identifiers: bool) -> Self {
        let mut program = Self {
            states: Vec::new(),
            steps: Vec::new(),
            next: Vec::new(),
            entries: [0; RULES],
        };
        // The first state of a rule is its number, the last is that plus the number of rules.
        for kind in [StateKind::Basic, StateKind::RuleStop] {
            for rule in ALL_RULES {
                program.states.push(State {
                    kind,
                    rule,
                    transitions: Vec::new(),
                });
            }
        }
        let mut compiler = Compiler {
            program,
            rule: RuleId::Start,
        };
        for rule in ALL_RULES {
            compiler.rule(rule, escaped_identifiers);
        }
        let mut program = compiler.program;
        program.skip_empty_states();
        program.link_rule_ends();
        program.compute_next();
        program
    }

    /// The first state of a rule.
    fn start_of(rule: RuleId) -> StateId {
        StateId::from(rule as u8)
    }

    /// The last state of a rule.
    pub(super) fn stop_of(rule: RuleId) -> StateId {
        StateId::from(rule as u8) + RULES as StateId
    }

    /// Leads past states that only lead on, but for those before the end of a rule, as ANTLR does between the elements of an alternative
    /// and at its end (`ParserATNFactory.elemList`, `TailEpsilonRemover`): ways that come together in the same state are the same way
    /// from there on, and predictions end with that.
    fn skip_empty_states(&mut self) {
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

    /// From the end of each rule to wherever it was called.
    fn link_rule_ends(&mut self) {
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

    fn compute_next(&mut self) {
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

struct Compiler {
    program: Program,
    rule: RuleId,
}

/// The first and last state of a construct.
type Ends = (StateId, StateId);

impl Compiler {
    fn rule(&mut self, rule: RuleId, escaped_identifiers: bool) {
        self.rule = rule;
        self.program.entries[rule as usize] = self.program.steps.len();
        let (name, body) = grammar(rule, escaped_identifiers);
        self.step(Step::Name(name));
        let (first, last) = self.sequence(&body);
        self.epsilon(Program::start_of(rule), first);
        self.epsilon(last, Program::stop_of(rule));
        self.step(Step::Return);
    }

    fn state(&mut self, kind: StateKind) -> StateId {
        self.program.states.push(State {
            kind,
            rule: self.rule,
            transitions: Vec::new(),
        });
        self.program.states.len() as StateId - 1
    }

    fn transition(&mut self, from: StateId, transition: Transition) {
        self.program.states[from as usize].transitions.push(transition);
    }

    fn epsilon(&mut self, from: StateId, to: StateId) {
        self.transition(from, Transition::Epsilon(to, None));
    }

    fn step(&mut self, step: Step) -> usize {
        self.program.steps.push(step);
        self.program.steps.len() - 1
    }

    fn here(&self) -> usize {
        self.program.steps.len()
    }

    /// Fills in where a step goes that was made before that was known.
    fn land(&mut self, step: usize, to: usize) {
        match &mut self.program.steps[step] {
            Step::Jump(target) | Step::Skip { to: target, .. } => *target = to,
            _ => {}
        }
    }

    fn sequence(&mut self, items: &[G]) -> Ends {
        let mut ends: Option<Ends> = None;
        for item in items {
            let (first, last) = self.item(item);
            ends = Some(match ends {
                None => (first, last),
                Some((start, end)) => {
                    self.epsilon(end, first);
                    (start, last)
                }
            });
        }
        ends.expect("no rule of the grammar has an empty part")
    }

    fn item(&mut self, item: &G) -> Ends {
        match item {
            G::T(set, label) => {
                let (from, to) = (self.state(StateKind::Basic), self.state(StateKind::Basic));
                self.transition(from, Transition::Tokens(*set, to));
                self.step(Step::Match {
                    state: from,
                    set: *set,
                    label: *label,
                });
                (from, to)
            }
            G::R(rule, precedence, label) => {
                let (from, to) = (self.state(StateKind::Basic), self.state(StateKind::Basic));
                self.transition(
                    from,
                    Transition::Rule {
                        start: Program::start_of(*rule),
                        follow: to,
                    },
                );
                self.step(Step::Call {
                    state: from,
                    rule: *rule,
                    precedence: *precedence,
                    label: *label,
                });
                (from, to)
            }
            G::Opt(body) => {
                let (start, end) = (self.state(StateKind::BlockStart), self.state(StateKind::BlockEnd));
                let skip = self.step(Step::Skip {
                    state: start,
                    first: 0,
                    to: 0,
                });
                let (first, last) = self.sequence(body);
                let to = self.here();
                self.program.steps[skip] = Step::Skip {
                    state: start,
                    first,
                    to,
                };
                self.epsilon(start, first);
                self.epsilon(start, end);
                self.epsilon(last, end);
                (start, end)
            }
            G::OptAhead(body) => {
                let (start, end) = (self.state(StateKind::BlockStart), self.state(StateKind::BlockEnd));
                let choose = self.step(Step::Sync { state: start });
                let (first, last) = self.sequence(body);
                let to = vec![choose + 1, self.here()];
                self.program.steps[choose] = Step::Choose {
                    state: start,
                    decision: start,
                    to,
                };
                self.epsilon(start, first);
                self.epsilon(start, end);
                self.epsilon(last, end);
                (start, end)
            }
            G::Star(body) => self.star(body, false),
            G::StarAhead(body) => self.star(body, true),
            G::Plus(body) => self.plus(body, false),
            G::PlusAhead(body) => self.plus(body, true),
            G::Either(alternatives) => self.either(alternatives, true),
            G::EitherNext(alternatives) => self.either(alternatives, false),
            G::Recursion(operators) => self.recursion(operators),
        }
    }

    fn star(&mut self, body: &[G], ahead: bool) -> Ends {
        let (start, end) = (self.state(StateKind::BlockStart), self.state(StateKind::BlockEnd));
        let entry = self.state(StateKind::StarEntry { left_recursion: false });
        let (back, exit) = (self.state(StateKind::StarBack), self.state(StateKind::Basic));
        let enter = self.step(Step::Sync { state: entry });
        let (first, last) = self.sequence(body);
        if ahead {
            let out = self.here() + 1;
            let to = vec![enter + 1, out];
            self.step(Step::Choose {
                state: back,
                decision: entry,
                to: to.clone(),
            });
            self.program.steps[enter] = Step::Choose {
                state: entry,
                decision: entry,
                to,
            };
        } else {
            self.step(Step::Again {
                state: back,
                first,
                to: enter + 1,
            });
            let to = self.here();
            self.program.steps[enter] = Step::Skip {
                state: entry,
                first,
                to,
            };
        }
        self.epsilon(start, first);
        self.epsilon(last, end);
        self.epsilon(entry, start);
        self.epsilon(entry, exit);
        self.epsilon(end, back);
        self.epsilon(back, entry);
        (entry, exit)
    }

    fn plus(&mut self, body: &[G], ahead: bool) -> Ends {
        let (start, end) = (self.state(StateKind::BlockStart), self.state(StateKind::BlockEnd));
        let (back, exit) = (self.state(StateKind::PlusBack), self.state(StateKind::Basic));
        let enter = self.step(Step::Sync { state: start });
        let (first, last) = self.sequence(body);
        if ahead {
            let to = vec![enter + 1, self.here() + 1];
            self.step(Step::Choose {
                state: back,
                decision: back,
                to,
            });
        } else {
            self.step(Step::Again {
                state: back,
                first,
                to: enter + 1,
            });
        }
        self.epsilon(start, first);
        self.epsilon(last, end);
        self.epsilon(end, back);
        self.epsilon(back, start);
        self.epsilon(back, exit);
        (start, exit)
    }

    fn either(&mut self, alternatives: &[(Rule, Vec<G>)], ahead: bool) -> Ends {
        let (start, end) = (self.state(StateKind::BlockStart), self.state(StateKind::BlockEnd));
        let choose = self.step(Step::Sync { state: start });
        let mut to = Vec::new();
        let mut jumps = Vec::new();
        for (name, body) in alternatives {
            let entry = self.step(Step::Name(*name));
            let (first, last) = self.sequence(body);
            jumps.push(self.step(Step::Jump(0)));
            to.push((first, entry));
            self.epsilon(start, first);
            self.epsilon(last, end);
        }
        let after = self.here();
        for jump in jumps {
            self.land(jump, after);
        }
        self.program.steps[choose] = if ahead {
            Step::Choose {
                state: start,
                decision: start,
                to: to.into_iter().map(|(_, entry)| entry).collect(),
            }
        } else {
            Step::Switch { state: start, to }
        };
        (start, end)
    }

    fn recursion(&mut self, operators: &[(Rule, u8, Vec<G>)]) -> Ends {
        let (start, end) = (self.state(StateKind::BlockStart), self.state(StateKind::BlockEnd));
        let entry = self.state(StateKind::StarEntry { left_recursion: true });
        let (back, exit) = (self.state(StateKind::StarBack), self.state(StateKind::Basic));
        let enter = self.step(Step::Sync { state: entry });
        let several = operators.len() > 1;
        let choose = several.then(|| self.step(Step::Sync { state: start }));
        let mut to = Vec::new();
        let mut jumps = Vec::new();
        for (name, precedence, body) in operators {
            to.push(self.step(Step::Recurse(*name)));
            let guard = self.state(StateKind::Basic);
            self.step(Step::Precedence {
                state: guard,
                precedence: *precedence,
            });
            let (first, last) = self.sequence(body);
            self.transition(guard, Transition::Precedence(*precedence, first));
            self.epsilon(start, guard);
            self.epsilon(last, end);
            jumps.push(self.step(Step::Jump(0)));
        }
        let again = self.here();
        for jump in jumps {
            self.land(jump, again);
        }
        if let Some(choose) = choose {
            self.program.steps[choose] = Step::Choose {
                state: start,
                decision: start,
                to,
            };
        }
        let ways = vec![enter + 1, again + 1];
        self.step(Step::Choose {
            state: back,
            decision: entry,
            to: ways.clone(),
        });
        self.program.steps[enter] = Step::Choose {
            state: entry,
            decision: entry,
            to: ways,
        };
        self.epsilon(entry, start);
        self.epsilon(entry, exit);
        self.epsilon(end, back);
        self.epsilon(back, entry);
        (entry, exit)
    }
}
