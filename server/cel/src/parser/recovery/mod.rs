//! The slow parser: for texts with syntax errors, which it reports and recovers from as ANTLR's default error strategy does, so that the
//! messages and the tree that is left are those of `cel-go`.
//!
//! Sources: the Go runtime of ANTLR (`error_strategy.go`, `parser.go`), the parser that it generates for `cel-go`
//! (`parser/gen/cel_parser.go`), and the limits that `cel-go` puts around it (`parser/parser.go`).

mod network;
mod predict;

use std::sync::LazyLock;

use network::{EPSILON, Kinds, Program, RULES, RuleId, StateId, StateKind, Step, kinds};
use predict::{NoViableAlternative, Predictor};

use super::lexer::{Lexed, Lexer};
use super::options::{EscapedIdentifiers, ParseOptions};
use super::token::{Kind, Token};
use super::tree::{Label, Node, Part, Rule, TokenIdx, Tree, TreeIdx};
use crate::ast::{Input, IssueKind, Issues, Limit, Location, Source, SyntaxError};

/// The parse was ended, and what there is to say about that has been said.
pub(super) struct Halted;

static WITH_BACKTICKS: LazyLock<Program> = LazyLock::new(|| Program::new(true));
static WITHOUT_BACKTICKS: LazyLock<Program> = LazyLock::new(|| Program::new(false));

/// Parses the text, reports what is wrong with it, and returns the start node of what could be made of it.
pub(super) fn parse(
    source: &Source,
    options: &ParseOptions,
    tree: &mut Tree,
    issues: &mut Issues,
) -> Result<TreeIdx, Halted> {
    let backticks = options.escaped_identifiers != EscapedIdentifiers::Unknown;
    let program = if backticks {
        &*WITH_BACKTICKS
    } else {
        &*WITHOUT_BACKTICKS
    };
    *tree = Tree::default();
    let mut machine = Machine {
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
    };
    machine.run()
}

/// A rule that is being parsed.
struct Frame {
    rule: RuleId,
    node: TreeIdx,
    /// The step to go on with.
    step: usize,
    /// What the node is to the one of the calling rule.
    label: Label,
    /// Where the calling rule was when it called, and where it goes on; none for the first.
    caller: Option<(StateId, StateId)>,
}

/// Why a rule cannot go on.
enum Failure {
    /// No alternative takes the tokens from one to another.
    NoViable { start: TokenIdx, offending: TokenIdx },
    /// The next token is none of those that can be here.
    Mismatch { expected: Kinds },
}

/// A failure, or the end of everything.
enum Broken {
    Failed(Failure),
    Halted,
}

impl From<Halted> for Broken {
    fn from(_: Halted) -> Self {
        Self::Halted
    }
}

struct Machine<'m, 'a> {
    program: &'static Program,
    /// Taken out while it looks at tokens.
    predictor: Option<Predictor<'static>>,
    source: &'a Source,
    options: &'m ParseOptions,
    tree: &'m mut Tree,
    issues: &'m mut Issues,
    /// How many syntax errors were reported.
    reported: usize,
    lexer: Lexer<'a>,
    /// Bytes that are part of no token.
    skipped: Vec<(u32, u32)>,
    /// The current token.
    at: TokenIdx,
    frames: Vec<Frame>,
    /// How strongly operators must bind, by left-recursive rule that is being parsed.
    precedences: Vec<u8>,
    /// How often each rule is being parsed.
    depths: [u32; RULES],
    state: StateId,
    recovering: bool,
    /// The token at which the last error was, and the states in which it was recovered from there.
    last_error: Option<(TokenIdx, Vec<StateId>)>,
    recoveries: usize,
}

impl Machine<'_, '_> {
    fn run(&mut self) -> Result<TreeIdx, Halted> {
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

    fn frame(&self) -> &Frame {
        self.frames
            .last()
            .expect("the machine runs only while there are frames")
    }

    fn frame_mut(&mut self) -> &mut Frame {
        self.frames
            .last_mut()
            .expect("the machine runs only while there are frames")
    }

    /// Does a step; the next one, or none if that is another frame's.
    fn step(&mut self, step: &Step, at: usize) -> Result<Option<usize>, Broken> {
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
                let network::Transition::Rule { follow, .. } = self.program.states[state as usize].transitions[0]
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
                // The last way out of something optional or repeated is to go on after it.
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

    fn enter(
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

    fn leave(&mut self) {
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

    fn attach(&mut self, label: Label, part: Part) {
        let node = self.frame().node as usize;
        self.tree.nodes[node].parts.push((label, part));
    }

    fn precedence(&self) -> u8 {
        self.precedences.last().copied().unwrap_or(0)
    }

    // Tokens.

    /// Reads tokens until there are `ahead` after the current one, or the end.
    fn fill(&mut self, ahead: usize) -> Result<(), Halted> {
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
    fn current(&mut self) -> Result<TokenIdx, Halted> {
        self.fill(0)?;
        Ok(self.at)
    }

    /// The kind of the token `ahead` of the current one.
    fn look(&mut self, ahead: usize) -> Result<Kind, Halted> {
        self.fill(ahead)?;
        let at = (self.at as usize + ahead).min(self.tree.tokens.len() - 1);
        Ok(self.tree.tokens[at].kind)
    }

    fn consume(&mut self) -> Result<(), Halted> {
        if self.look(0)? != Kind::Eof {
            self.at += 1;
        }
        Ok(())
    }

    /// Whether the current token is one of those that can come next in a state.
    fn starts(&mut self, first: StateId) -> Result<bool, Halted> {
        Ok(self.program.next[first as usize] & kinds(self.look(0)?) != 0)
    }

    fn predict(&mut self, decision: StateId) -> Result<usize, Broken> {
        let callers: Vec<_> = self.frames.iter().filter_map(|f| Some(f.caller?.1)).collect();
        let precedence = self.precedence();
        // The predictor cannot stop for errors, so those that the lexer finds end the parse afterwards.
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

    fn match_token(&mut self, set: Kinds) -> Result<TokenIdx, Broken> {
        let token = self.current()?;
        if kinds(self.look(0)?) & set != 0 {
            self.matched();
            self.consume()?;
            return Ok(token);
        }
        self.recover_inline()
    }

    // What can come next.

    /// The tokens that can come in a state, with those of the calling rules where the rule can end.
    fn follow(&self, state: StateId) -> Kinds {
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

    fn expected(&self) -> Kinds {
        self.follow(self.state)
    }

    /// The tokens at which one of the rules that are being parsed can go on.
    fn recovery_set(&self) -> Kinds {
        let follows = self
            .frames
            .iter()
            .filter_map(|f| Some(self.program.next[f.caller?.1 as usize]));
        follows.fold(0, |all, next| all | next) & !EPSILON
    }

    // Reports.

    fn syntax_error(&mut self, offset: u32, error: SyntaxError) -> Result<(), Halted> {
        self.report(offset, IssueKind::Syntax(error))
    }

    fn syntax_error_at(&mut self, token: TokenIdx, error: SyntaxError) -> Result<(), Halted> {
        self.syntax_error(self.tree.token(token).offset, error)
    }

    fn report(&mut self, offset: u32, kind: IssueKind) -> Result<(), Halted> {
        let location = self.source.location(offset as i32);
        if self.reported >= self.options.error_limit {
            let limit = Limit::SyntaxErrors(self.options.error_limit);
            self.issues.report(IssueKind::Limit(limit), 0, location);
            return Err(Halted);
        }
        self.reported += 1;
        let message = self.options.worded(&kind.server_words());
        self.issues.report_worded(kind, 0, location, message);
        Ok(())
    }

    fn report_failure(&mut self, failure: &Failure) -> Result<(), Halted> {
        if self.recovering {
            return Ok(());
        }
        self.recovering = true;
        match *failure {
            Failure::NoViable { start, offending } => {
                let input = self.input(start, offending);
                // `cel-go` says it differently where the name of a field is a keyword.
                let error = match input.as_deref().and_then(keyword_after_one_character) {
                    Some(keyword) => SyntaxError::Mismatched {
                        found: Input::text(keyword),
                        expected: vec![Kind::Identifier],
                    },
                    None => SyntaxError::NoAlternative {
                        input: input.map_or(Input::End, |it| Input::text(&it)),
                    },
                };
                self.syntax_error_at(offending, error)
            }
            Failure::Mismatch { expected } => {
                let token = self.current()?;
                let error = SyntaxError::Mismatched {
                    found: self.shown(token),
                    expected: tokens_of(expected),
                };
                self.syntax_error_at(token, error)
            }
        }
    }

    fn report_unwanted(&mut self) -> Result<(), Halted> {
        if self.recovering {
            return Ok(());
        }
        self.recovering = true;
        let token = self.current()?;
        let error = SyntaxError::Extraneous {
            found: self.shown(token),
            expected: tokens_of(self.expected()),
        };
        self.syntax_error_at(token, error)
    }

    fn report_missing(&mut self) -> Result<(), Halted> {
        if self.recovering {
            return Ok(());
        }
        self.recovering = true;
        let token = self.current()?;
        let error = SyntaxError::Missing {
            expected: tokens_of(self.expected()),
            before: self.shown(token),
        };
        self.syntax_error_at(token, error)
    }

    /// The text from one token to another, without what is part of no token; `None` for the end.
    fn input(&self, start: TokenIdx, end: TokenIdx) -> Option<String> {
        let (start, end) = (self.tree.token(start), self.tree.token(end));
        if start.kind == Kind::Eof {
            return None;
        }
        let end = if end.kind == Kind::Eof {
            end.bytes.0
        } else {
            end.bytes.1
        };
        let mut from = start.bytes.0;
        let mut input = String::new();
        for skipped in self.skipped.iter().filter(|s| s.0 >= start.bytes.0 && s.1 <= end) {
            input.push_str(&self.source.text()[from as usize..skipped.0 as usize]);
            from = skipped.1;
        }
        input.push_str(&self.source.text()[from as usize..end as usize]);
        Some(input)
    }

    fn shown(&self, token: TokenIdx) -> Input {
        let token = self.tree.token(token);
        if token.kind == Kind::Eof {
            return Input::End;
        }
        Input::text(token.text(self.source.text()))
    }

    // Recovery.

    fn matched(&mut self) {
        self.recovering = false;
        self.last_error = None;
    }

    /// Before something optional, repeated or alternative: whether the next token can be there, and if not, what to do about it.
    fn sync(&mut self, state: StateId) -> Result<(), Broken> {
        self.state = state;
        if self.recovering {
            return Ok(());
        }
        let next = self.program.next[state as usize];
        if next & (EPSILON | kinds(self.look(0)?)) != 0 {
            return Ok(());
        }
        let mut unlimited = usize::MAX;
        match self.program.states[state as usize].kind {
            StateKind::BlockStart | StateKind::StarEntry { .. } => {
                if self.delete_token(&mut unlimited)?.is_none() {
                    return Err(Broken::Failed(Failure::Mismatch {
                        expected: self.expected(),
                    }));
                }
            }
            StateKind::StarBack | StateKind::PlusBack => {
                self.report_unwanted()?;
                let until = self.expected() | self.recovery_set();
                self.skip_until(until, &mut unlimited)?;
            }
            StateKind::Basic | StateKind::BlockEnd | StateKind::RuleStop => {}
        }
        Ok(())
    }

    /// Recovers from a failure of the rule: skips what none of the calling rules can go on with.
    fn recover(&mut self) -> Result<(), Halted> {
        self.count_recovery()?;
        let mut budget = self.options.recovery_lookahead;
        let (at, state) = (self.current()?, self.state);
        if self
            .last_error
            .as_ref()
            .is_some_and(|(token, states)| *token == at && states.contains(&state))
        {
            // The same place again: without skipping something this would never end.
            self.skip_one(&mut budget)?;
        }
        let at = self.current()?;
        match &mut self.last_error {
            Some((token, states)) => {
                *token = at;
                states.push(state);
            }
            None => self.last_error = Some((at, vec![state])),
        }
        self.skip_until(self.recovery_set(), &mut budget)
    }

    /// Recovers from a token that is not the one that must be here: drops it if the next one is right, or invents the right one.
    fn recover_inline(&mut self) -> Result<TokenIdx, Broken> {
        self.count_recovery()?;
        let mut budget = self.options.recovery_lookahead;
        if let Some(token) = self.delete_token(&mut budget)? {
            self.skip_one(&mut budget)?;
            return Ok(token);
        }
        let next = self.program.states[self.state as usize].transitions[0].target();
        if self.follow(next) & kinds(self.look(0)?) != 0 {
            self.report_missing()?;
            return Ok(self.invent()?);
        }
        Err(Broken::Failed(Failure::Mismatch {
            expected: self.expected(),
        }))
    }

    fn count_recovery(&mut self) -> Result<(), Halted> {
        if self.recoveries == self.options.recovery_limit {
            let token = self.current()?;
            let limit = Limit::Recoveries(self.options.recovery_limit);
            let offset = self.tree.token(token).offset;
            self.report(offset, IssueKind::Limit(limit))?;
            return Err(Halted);
        }
        self.recoveries += 1;
        Ok(())
    }

    fn skip_one(&mut self, budget: &mut usize) -> Result<(), Halted> {
        if *budget == 0 {
            let limit = self.options.recovery_lookahead;
            let kind = IssueKind::Limit(Limit::RecoveryTokens(limit));
            self.issues.report(kind, 0, Location::NONE);
            return Err(Halted);
        }
        *budget -= 1;
        self.consume()
    }

    fn skip_until(&mut self, until: Kinds, budget: &mut usize) -> Result<(), Halted> {
        loop {
            let kind = self.look(0)?;
            if kind == Kind::Eof || kinds(kind) & until != 0 {
                return Ok(());
            }
            self.skip_one(budget)?;
        }
    }

    /// Drops the current token if the one after it can be here, and returns that.
    fn delete_token(&mut self, budget: &mut usize) -> Result<Option<TokenIdx>, Halted> {
        if self.expected() & kinds(self.look(1)?) == 0 {
            return Ok(None);
        }
        self.report_unwanted()?;
        self.skip_one(budget)?;
        let token = self.current()?;
        self.matched();
        Ok(Some(token))
    }

    /// A token that is not there, as the first of those that could be.
    fn invent(&mut self) -> Result<TokenIdx, Halted> {
        let expected = self.expected();
        let at = self.current()?;
        let place = if self.look(0)? == Kind::Eof && at > 0 {
            at - 1
        } else {
            at
        };
        let place = self.tree.token(place);
        let kind = Kind::from_number(expected.trailing_zeros() as u8);
        let text = match kind {
            Kind::Eof => "<missing EOF>".to_owned(),
            kind if kind <= Kind::Null => format!("<missing {}>", kind.name()),
            _ => "<missing undefined>".to_owned(),
        };
        let token = Token {
            kind,
            bytes: (place.bytes.0, place.bytes.0),
            offset: place.offset,
            invented: Some(text),
        };
        Ok(self.tree.invent(token))
    }
}

/// A word that is not a name, after one other character.
fn keyword_after_one_character(input: &str) -> Option<&str> {
    let mut chars = input.chars();
    chars.next().filter(|c| *c != '\n')?;
    Some(chars.as_str()).filter(|rest| matches!(*rest, "true" | "false" | "null"))
}

/// The kinds of a set.
fn tokens_of(set: Kinds) -> Vec<Kind> {
    (0..63)
        .filter(|bit| set & (1 << bit) != 0)
        .map(Kind::from_number)
        .collect()
}
