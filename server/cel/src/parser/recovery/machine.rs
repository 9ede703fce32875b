//! The parser as a machine: it executes the steps of the grammar.

use super::super::lexer::{Lexed, Lexer};
use super::super::options::ParseOptions;
use super::super::token::Kind;
use super::super::tree::{Label, Node, Part, Rule, TokenIdx, Tree, TreeIdx};
use super::network::{EPSILON, Kinds, Program, RULES, RuleId, StateId, Step, kinds};
use super::predict::{NoViableAlternative, Predictor};
use crate::ast::{IssueKind, Issues, Limit, Location, Source, SyntaxError};

/// The parser has stopped, and the reason is already reported.
pub(in crate::parser) struct Halted;

/// A rule in progress.
pub(super) struct Frame {
    pub(super) rule: RuleId,
    pub(super) node: TreeIdx,
    /// The next step.
    pub(super) step: usize,
    /// The label of the node in the calling rule's node.
    pub(super) label: Label,
    /// The state of the call and the state to return to; `None` for the first rule.
    pub(super) caller: Option<(StateId, StateId)>,
}

/// The reason why a rule cannot continue.
pub(super) enum Failure {
    /// No alternative matches the tokens from `start` to `offending`.
    NoViable { start: TokenIdx, offending: TokenIdx },
    /// The next token is not one of the expected ones.
    Mismatch { expected: Kinds },
}

/// A failure of a rule, or the end of the parse.
pub(super) enum Broken {
    Failed(Failure),
    Halted,
}

impl From<Halted> for Broken {
    fn from(_: Halted) -> Self {
        Self::Halted
    }
}

/// The state of the parse.
pub(super) struct Machine<'m, 'a> {
    pub(super) program: &'static Program,
    /// The predictor. `None` while it looks at tokens, because it borrows the machine then.
    pub(super) predictor: Option<Predictor<'static>>,
    pub(super) source: &'a Source,
    pub(super) options: &'m ParseOptions,
    pub(super) tree: &'m mut Tree,
    pub(super) issues: &'m mut Issues,
    /// The number of reported syntax errors.
    pub(super) reported: usize,
    pub(super) lexer: Lexer<'a>,
    /// Byte ranges that are part of no token.
    pub(super) skipped: Vec<(u32, u32)>,
    /// The current token.
    pub(super) at: TokenIdx,
    pub(super) frames: Vec<Frame>,
    /// The minimum precedence of operators, for each left-recursive rule in progress.
    pub(super) precedences: Vec<u8>,
    /// The current recursion depth of each rule.
    pub(super) depths: [u32; RULES],
    pub(super) state: StateId,
    pub(super) recovering: bool,
    /// The token of the last error, and the states in which the parser recovered at that token.
    pub(super) last_error: Option<(TokenIdx, Vec<StateId>)>,
    pub(super) recoveries: usize,
}

impl<'m, 'a> Machine<'m, 'a> {
    /// Starts to parse an expression.
    pub(super) fn new(
        program: &'static Program,
        (source, options): (&'a Source, &'m ParseOptions),
        tree: &'m mut Tree,
        issues: &'m mut Issues,
        backticks: bool,
    ) -> Self {
        Self {
            program,
            predictor: Some(Predictor::new(program)),
            source,
            options,
            tree,
            issues,
            reported: 0,
            lexer: Lexer::new(source, backticks),
            skipped: Vec::new(),
            at: 0,
            frames: Vec::new(),
            precedences: vec![0],
            depths: [0; RULES],
            state: 0,
            recovering: false,
            last_error: None,
            recoveries: 0,
        }
    }
}

impl Machine<'_, '_> {
    pub(super) fn run(&mut self) -> Result<TreeIdx, Halted> {
        self.enter(RuleId::Start, 0, Label::E, None)?;
        let root = self.frame().node;
        let program = self.program;
        while let Some(frame) = self.frames.last() {
            let step = frame.step;
            match self.step(&program.steps[step], step) {
                Ok(Some(next)) => self.frame_mut().step = next,
                Ok(None) => {}
                Err(Broken::Halted) => return Err(Halted),
                Err(Broken::Failed(failure)) => {
                    self.report_failure(&failure)?;
                    self.recover()?;
                    self.leave();
                }
            }
        }
        Ok(root)
    }

    pub(super) fn frame(&self) -> &Frame {
        self.frames
            .last()
            .expect("the machine runs only while there are frames")
    }

    pub(super) fn frame_mut(&mut self) -> &mut Frame {
        self.frames
            .last_mut()
            .expect("the machine runs only while there are frames")
    }

    /// Executes a step. Returns the next step, or `None` if another frame continues.
    pub(super) fn step(&mut self, step: &Step, at: usize) -> Result<Option<usize>, Broken> {
        let next = Some(at + 1);
        match *step {
            Step::Match { state, set, label } => {
                self.state = state;
                let token = self.match_token(set)?;
                if let Some(label) = label {
                    self.attach(label, Part::Token(token));
                }
            }
            Step::Call {
                state,
                rule,
                precedence,
                label,
            } => {
                self.state = state;
                self.frame_mut().step = at + 1;
                let super::network::Transition::Rule { follow, .. } =
                    self.program.states[state as usize].transitions[0]
                else {
                    return Ok(next);
                };
                self.enter(rule, precedence, label, Some((state, follow)))?;
                return Ok(None);
            }
            Step::Name(rule) => {
                let node = self.frame().node as usize;
                self.tree.nodes[node].rule = rule;
            }
            Step::Recurse(rule) => {
                let left = self.frame().node;
                self.tree.nodes[left as usize].stop = self.at.saturating_sub(1);
                let (start, stop) = (self.tree.node(left).start, self.at);
                let parts = vec![(Label::E, Part::Node(left))];
                self.frame_mut().node = self.tree.push(Node {
                    rule,
                    start,
                    stop,
                    parts,
                });
            }
            Step::Precedence { state, precedence } => {
                self.state = state;
                if precedence < self.precedence() {
                    let (start, offending) = (self.at, self.at);
                    return Err(Broken::Failed(Failure::NoViable { start, offending }));
                }
            }
            Step::Skip { state, first, to } => {
                self.sync(state)?;
                if !self.starts(first)? {
                    return Ok(Some(to));
                }
            }
            Step::Again { state, first, to } => {
                self.sync(state)?;
                if self.starts(first)? {
                    return Ok(Some(to));
                }
            }
            Step::Sync { state } => self.sync(state)?,
            Step::Choose {
                state,
                decision,
                ref to,
            } => {
                self.sync(state)?;
                let alternative = self.predict(decision)?;
                // The last alternative of an optional or repeated construct continues after the construct.
                return Ok(Some(to.get(alternative - 1).copied().unwrap_or(at + 1)));
            }
            Step::Switch { state, ref to } => {
                self.sync(state)?;
                for (first, step) in to {
                    if self.starts(*first)? {
                        return Ok(Some(*step));
                    }
                }
                let (start, offending) = (self.at, self.at);
                return Err(Broken::Failed(Failure::NoViable { start, offending }));
            }
            Step::Jump(to) => return Ok(Some(to)),
            Step::Return => {
                self.leave();
                return Ok(None);
            }
        }
        Ok(next)
    }

    pub(super) fn enter(
        &mut self,
        rule: RuleId,
        precedence: u8,
        label: Label,
        caller: Option<(StateId, StateId)>,
    ) -> Result<(), Halted> {
        let start = self.current()?;
        if matches!(rule, RuleId::Relation | RuleId::Calc | RuleId::Member) {
            self.precedences.push(precedence);
        }
        self.depths[rule as usize] += 1;
        let limit = self.options.max_recursion_depth;
        if self.depths[rule as usize] > limit {
            let kind = IssueKind::Limit(Limit::GrammarDepth(limit));
            self.issues.report(kind, 0, Location::NONE);
            return Err(Halted);
        }
        let node = self.tree.push(Node {
            rule: Rule::Start,
            start,
            stop: start,
            parts: Vec::new(),
        });
        let step = self.program.entries[rule as usize];
        self.frames.push(Frame {
            rule,
            node,
            step,
            label,
            caller,
        });
        Ok(())
    }

    pub(super) fn leave(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        if matches!(frame.rule, RuleId::Relation | RuleId::Calc | RuleId::Member) {
            self.precedences.pop();
        }
        self.depths[frame.rule as usize] -= 1;
        self.tree.nodes[frame.node as usize].stop = self.at.saturating_sub(1);
        if let Some((state, _)) = frame.caller {
            self.state = state;
            self.attach(frame.label, Part::Node(frame.node));
        }
    }

    pub(super) fn attach(&mut self, label: Label, part: Part) {
        let node = self.frame().node as usize;
        self.tree.nodes[node].parts.push((label, part));
    }

    pub(super) fn precedence(&self) -> u8 {
        self.precedences.last().copied().unwrap_or(0)
    }

    // Tokens.

    /// Reads tokens until `ahead` tokens follow the current one, or to the end.
    pub(super) fn fill(&mut self, ahead: usize) -> Result<(), Halted> {
        let wanted = self.at as usize + ahead;
        while self.tree.tokens.len() <= wanted && self.tree.tokens.last().is_none_or(|t| t.kind != Kind::Eof) {
            match self.lexer.next() {
                Lexed::Token(token) => self.tree.tokens.push(token),
                Lexed::Error { bytes, offset, text } => {
                    self.skipped.push(bytes);
                    self.syntax_error(offset, SyntaxError::Unrecognized { text })?;
                }
            }
        }
        Ok(())
    }

    /// The index of the current token.
    pub(super) fn current(&mut self) -> Result<TokenIdx, Halted> {
        self.fill(0)?;
        Ok(self.at)
    }

    /// The kind of the token at offset `ahead` from the current one.
    pub(super) fn look(&mut self, ahead: usize) -> Result<Kind, Halted> {
        self.fill(ahead)?;
        let at = (self.at as usize + ahead).min(self.tree.tokens.len() - 1);
        Ok(self.tree.tokens[at].kind)
    }

    pub(super) fn consume(&mut self) -> Result<(), Halted> {
        if self.look(0)? != Kind::Eof {
            self.at += 1;
        }
        Ok(())
    }

    /// Whether the current token can come next in a state.
    pub(super) fn starts(&mut self, first: StateId) -> Result<bool, Halted> {
        Ok(self.program.next[first as usize] & kinds(self.look(0)?) != 0)
    }

    pub(super) fn predict(&mut self, decision: StateId) -> Result<usize, Broken> {
        let callers: Vec<_> = self.frames.iter().filter_map(|f| Some(f.caller?.1)).collect();
        let precedence = self.precedence();
        // The predictor cannot stop for errors. A lexer error therefore ends the parse after the prediction.
        let mut predictor = self.predictor.take().unwrap_or_else(|| Predictor::new(self.program));
        let mut halted = false;
        let predicted = predictor.predict(decision, &callers, precedence, |ahead| {
            self.look(ahead).map_or_else(
                |_| {
                    halted = true;
                    Kind::Eof as u8
                },
                |kind| kind as u8,
            )
        });
        self.predictor = Some(predictor);
        if halted {
            return Err(Broken::Halted);
        }
        predicted.map_err(|NoViableAlternative { ahead }| {
            let last = self.tree.tokens.len() - 1;
            let offending = (self.at as usize + ahead).min(last) as TokenIdx;
            Broken::Failed(Failure::NoViable {
                start: self.at,
                offending,
            })
        })
    }

    pub(super) fn match_token(&mut self, set: Kinds) -> Result<TokenIdx, Broken> {
        let token = self.current()?;
        if kinds(self.look(0)?) & set != 0 {
            self.matched();
            self.consume()?;
            return Ok(token);
        }
        self.recover_inline()
    }

    // Expected tokens.

    /// The tokens that can follow a state, including those of the calling rules if the rule can end there.
    pub(super) fn follow(&self, state: StateId) -> Kinds {
        let mut following = self.program.next[state as usize];
        let mut expected = following & !EPSILON;
        for frame in self.frames.iter().rev() {
            let Some((_, follow)) = frame.caller.filter(|_| following & EPSILON != 0) else {
                break;
            };
            following = self.program.next[follow as usize];
            expected |= following & !EPSILON;
        }
        if following & EPSILON != 0 {
            expected |= kinds(Kind::Eof);
        }
        expected
    }

    pub(super) fn expected(&self) -> Kinds {
        self.follow(self.state)
    }

    /// The tokens at which one of the rules in progress can continue.
    pub(super) fn recovery_set(&self) -> Kinds {
        let follows = self
            .frames
            .iter()
            .filter_map(|f| Some(self.program.next[f.caller?.1 as usize]));
        follows.fold(0, |all, next| all | next) & !EPSILON
    }
}
