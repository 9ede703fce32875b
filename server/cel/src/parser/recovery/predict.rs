//! Lookahead: finds the alternative of a decision that matches the next tokens, or the token at which no alternative matches any more.
//!
//! This is ANTLR's adaptive prediction (`ParserATNSimulator` of its Go runtime) on our [`Program`]. The prediction first ignores the rules that
//! called the current rule, and caches the results. If more than one alternative remains, it is repeated with the callers.

use std::collections::HashMap;

use crd_analyzer_budget as budget;

use super::network::{Program, StateId, StateKind, Transition};

/// An alternative of a decision, from 1.
type Alt = u8;

/// One or more stacks of return states: an index into [`Predictor::contexts`].
type Context = u32;

/// Budgeted work for following one path through the network.
const CLOSE_WORK: u64 = 32;

/// The empty stack: the start of the parse, or (if callers are ignored) any stack.
const EMPTY: Context = 0;

/// Marks an empty stack in a [`Context`] of several stacks.
const NOWHERE: StateId = StateId::MAX;

/// One possible state of the network after some tokens.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Config {
    state: StateId,
    alt: Alt,
    context: Context,
    /// The minimum precedence of the operator on this path, or 0 if it does not matter.
    precedence: u8,
    /// Whether the path left the rule of the decision.
    outer: bool,
    /// Whether the path left the rule of the decision from a left-recursive rule to the outermost caller of that rule.
    suppressed: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Configs(Vec<Config>);

/// The possible states after some tokens of a decision.
struct DecisionState {
    configs: Configs,
    /// The next state by token kind; absent if it has not been computed yet.
    edges: HashMap<u8, Option<usize>>,
    outcome: Outcome,
}

enum Outcome {
    /// More tokens are needed.
    Undecided,
    /// One alternative remains, if its operator binds strongly enough.
    Decided { alt: Alt, precedence: u8 },
    /// The prediction needs the calling rules.
    Conflict,
}

/// No alternative matches. `ahead` is the offset of the offending token from the decision.
pub(super) struct NoViableAlternative {
    pub(super) ahead: usize,
}

/// Makes decisions and caches them.
pub(super) struct Predictor<'p> {
    program: &'p Program,
    contexts: Vec<Vec<(StateId, Context)>>,
    context_ids: HashMap<Vec<(StateId, Context)>, Context>,
    known: Vec<DecisionState>,
    known_ids: HashMap<(StateId, Configs), usize>,
    /// The start states, by decision and precedence.
    starts: HashMap<(StateId, u8), usize>,
}

/// Options for computing the closure: following all transitions that need no token.
#[derive(Clone, Copy)]
struct Closing {
    /// Whether the calling rules are known.
    full: bool,
    /// Whether to record the precedence of operators, and the current precedence.
    collect: bool,
    precedence: u8,
    /// Whether the end of the expression can be consumed.
    at_end: bool,
    /// The rule of the decision, if it is a left-recursive loop.
    loop_rule: Option<super::network::RuleId>,
}

impl<'p> Predictor<'p> {
    pub(super) fn new(program: &'p Program) -> Self {
        Self {
            program,
            contexts: vec![vec![(NOWHERE, EMPTY)]],
            context_ids: HashMap::new(),
            known: Vec::new(),
            known_ids: HashMap::new(),
            starts: HashMap::new(),
        }
    }

    /// The alternative (from 1) of `decision` that matches the tokens. `callers` are the return states of the rules in progress,
    /// outermost first. `precedence` is the minimum precedence of an operator. `look(n)` is the kind of the n-th token from here.
    pub(super) fn predict(
        &mut self,
        decision: StateId,
        callers: &[StateId],
        precedence: u8,
        mut look: impl FnMut(usize) -> u8,
    ) -> Result<usize, NoViableAlternative> {
        let mut at = self.start(decision, precedence);
        let mut ahead = 0;
        loop {
            let token = look(ahead);
            let Some(next) = self.follow(decision, at, token) else {
                return self
                    .finished(&self.known[at].configs, precedence)
                    .ok_or(NoViableAlternative { ahead });
            };
            match self.known[next].outcome {
                Outcome::Conflict => return self.predict_full(decision, callers, precedence, look),
                Outcome::Decided {
                    alt,
                    precedence: needed,
                } if needed == 0 || needed >= precedence => {
                    return Ok(usize::from(alt));
                }
                Outcome::Decided { .. } => return Err(NoViableAlternative { ahead: 0 }),
                Outcome::Undecided => at = next,
            }
            if token != 0 {
                ahead += 1;
            }
        }
    }

    fn predict_full(
        &mut self,
        decision: StateId,
        callers: &[StateId],
        precedence: u8,
        mut look: impl FnMut(usize) -> u8,
    ) -> Result<usize, NoViableAlternative> {
        let mut context = EMPTY;
        for caller in callers {
            context = self.context(vec![(*caller, context)]);
        }
        let closing = Closing {
            full: true,
            ..self.closing(decision, precedence)
        };
        let mut previous = self.start_configs(decision, context, closing);
        let mut ahead = 0;
        loop {
            let token = look(ahead);
            let Some(reach) = self.reach(&previous, token, true) else {
                return self
                    .finished(&previous, precedence)
                    .ok_or(NoViableAlternative { ahead });
            };
            let unique = unique_alt(&reach).or_else(|| {
                // An alternative wins if it is the first one in every conflict.
                let mut firsts = alternatives_by(&reach, |c| (c.state, c.context))
                    .into_values()
                    .map(u64::trailing_zeros);
                let first = firsts.next()?;
                firsts.all(|f| f == first).then_some(first as Alt)
            });
            if let Some(alt) = unique {
                return Ok(usize::from(alt));
            }
            previous = reach;
            if token != 0 {
                ahead += 1;
            }
        }
    }

    fn closing(&self, decision: StateId, precedence: u8) -> Closing {
        let state = &self.program.states[decision as usize];
        let loop_rule = (state.kind == StateKind::StarEntry { left_recursion: true }).then_some(state.rule);
        Closing {
            full: false,
            collect: true,
            precedence,
            at_end: false,
            loop_rule,
        }
    }

    /// The start state of a decision, before any token.
    fn start(&mut self, decision: StateId, precedence: u8) -> usize {
        let closing = self.closing(decision, precedence);
        // Only a left-recursive loop drops configs by precedence. Other decisions keep the precedence in the config.
        let key = (decision, if closing.loop_rule.is_some() { precedence } else { 0 });
        if let Some(known) = self.starts.get(&key) {
            return *known;
        }
        let mut configs = self.start_configs(decision, EMPTY, closing);
        if closing.loop_rule.is_some() {
            configs = Self::filter_precedence(&configs, precedence);
        }
        let known = self.remember(decision, configs, Outcome::Undecided);
        self.starts.insert(key, known);
        known
    }

    fn remember(&mut self, decision: StateId, configs: Configs, outcome: Outcome) -> usize {
        let key = (decision, configs);
        if let Some(known) = self.known_ids.get(&key) {
            return *known;
        }
        self.known.push(DecisionState {
            configs: key.1.clone(),
            edges: HashMap::new(),
            outcome,
        });
        self.known_ids.insert(key, self.known.len() - 1);
        self.known.len() - 1
    }

    /// The state after one more token.
    fn follow(&mut self, decision: StateId, at: usize, token: u8) -> Option<usize> {
        if let Some(next) = self.known[at].edges.get(&token) {
            return *next;
        }
        let configs = std::mem::take(&mut self.known[at].configs);
        let reach = self.reach(&configs, token, false);
        self.known[at].configs = configs;
        let next = reach.map(|reach| {
            let outcome = match unique_alt(&reach) {
                Some(alt) => {
                    let needs = reach.0.iter().map(|c| c.precedence);
                    // If one config has no minimum precedence, the alternative has none either.
                    let precedence = if needs.clone().any(|p| p == 0) {
                        0
                    } else {
                        needs.max().unwrap_or(0)
                    };
                    Outcome::Decided { alt, precedence }
                }
                None if self.conflicts(&reach) => Outcome::Conflict,
                None => Outcome::Undecided,
            };
            self.remember(decision, reach, outcome)
        });
        self.known[at].edges.insert(token, next);
        next
    }

    /// Whether more tokens cannot resolve the conflict without the calling rules.
    fn conflicts(&self, configs: &Configs) -> bool {
        let is_stop = |c: &Config| self.program.states[c.state as usize].kind == StateKind::RuleStop;
        if configs.0.iter().all(is_stop) {
            return true;
        }
        let several = |alts: &u64| alts.count_ones() > 1;
        // These checks ignore the minimum precedences.
        alternatives_by(configs, |c| (c.state, c.context)).values().any(several)
            && alternatives_by(configs, |c| c.state).values().all(several)
    }

    fn start_configs(&mut self, decision: StateId, context: Context, closing: Closing) -> Configs {
        let mut configs = Configs::default();
        let targets: Vec<_> = self.program.states[decision as usize]
            .transitions
            .iter()
            .map(|t| t.target())
            .collect();
        for (at, state) in targets.into_iter().enumerate() {
            let config = Config {
                state,
                alt: at as Alt + 1,
                context,
                precedence: 0,
                outer: false,
                suppressed: false,
            };
            self.close(config, &mut configs, &mut Vec::new(), closing, 0);
        }
        configs
    }

    /// Filters the configs of a left-recursive loop: keeps continuations whose operator binds strongly enough, and exits that differ from
    /// all continuations.
    fn filter_precedence(configs: &Configs, precedence: u8) -> Configs {
        let mut kept = Vec::new();
        let mut going_on = HashMap::new();
        for config in configs.0.iter().filter(|c| c.alt == 1) {
            if config.precedence == 0 || config.precedence >= precedence {
                going_on.insert(config.state, config.context);
                kept.push(Config {
                    precedence: 0,
                    ..*config
                });
            }
        }
        for config in configs.0.iter().filter(|c| c.alt != 1) {
            if config.suppressed || going_on.get(&config.state) != Some(&config.context) {
                kept.push(*config);
            }
        }
        Configs(kept)
    }

    /// The alternative that could have ended before the token that does not match. Leaving the rule is always valid in this case.
    fn finished(&self, configs: &Configs, precedence: u8) -> Option<usize> {
        let finished = |c: &&Config| {
            let stop = self.program.states[c.state as usize].kind == StateKind::RuleStop;
            c.outer
                || (stop
                    && self.contexts[c.context as usize]
                        .last()
                        .is_some_and(|(s, _)| *s == NOWHERE))
        };
        let valid = |c: &&Config| c.precedence == 0 || c.precedence >= precedence;
        let first = |alts: &mut dyn Iterator<Item = Alt>| alts.min().map(usize::from);
        first(&mut configs.0.iter().filter(valid).filter(finished).map(|c| c.alt))
            .or_else(|| first(&mut configs.0.iter().filter(|c| !valid(c)).filter(finished).map(|c| c.alt)))
    }

    /// The configs after a token, with their closure.
    fn reach(&mut self, configs: &Configs, token: u8, full: bool) -> Option<Configs> {
        let at_end = token == 0;
        let mut moved = Configs::default();
        let mut stopped = Vec::new();
        for config in &configs.0 {
            let state = &self.program.states[config.state as usize];
            if state.kind == StateKind::RuleStop {
                if full || at_end {
                    stopped.push(*config);
                }
                continue;
            }
            for transition in &state.transitions {
                if let Transition::Tokens(set, to) = *transition
                    && set & (1_u64 << token) != 0
                {
                    self.add(&mut moved, Config { state: to, ..*config }, full);
                }
            }
        }
        let enough = stopped.is_empty() && !at_end && unique_alt(&moved).is_some();
        let mut reach = if enough {
            moved
        } else {
            let mut reach = Configs::default();
            let closing = Closing {
                full,
                collect: false,
                precedence: 0,
                at_end,
                loop_rule: None,
            };
            let mut busy = Vec::new();
            for config in moved.0 {
                self.close(config, &mut reach, &mut busy, closing, 0);
            }
            reach
        };
        let is_stop = |c: &Config| self.program.states[c.state as usize].kind == StateKind::RuleStop;
        if at_end {
            reach.0.retain(is_stop);
        }
        if !full || !reach.0.iter().any(is_stop) {
            for config in stopped {
                self.add(&mut reach, config, full);
            }
        }
        (!reach.0.is_empty()).then_some(reach)
    }

    fn add(&mut self, configs: &mut Configs, config: Config, full: bool) {
        let same = |c: &&mut Config| (c.state, c.alt, c.precedence) == (config.state, config.alt, config.precedence);
        match configs.0.iter_mut().find(same) {
            Some(existing) => {
                existing.context = self.merge(existing.context, config.context, !full);
                existing.outer |= config.outer;
                existing.suppressed |= config.suppressed;
            }
            None => configs.0.push(config),
        }
    }

    /// Adds a config and its closure. `depth` is the number of rules entered (and not left) since the start.
    fn close(&mut self, config: Config, configs: &mut Configs, busy: &mut Vec<Config>, closing: Closing, depth: i32) {
        let mut pending = vec![config];
        while let Some(config) = pending.pop() {
            // Errors make lookahead expensive even for a short expression. If the budget is exhausted, its owner discards the result, so parsing
            // can continue here.
            let _ = budget::work(CLOSE_WORK);
            if self.program.states[config.state as usize].kind == StateKind::RuleStop {
                if config.context == EMPTY {
                    if closing.full {
                        self.add(configs, config, true);
                        continue;
                    }
                } else {
                    let returns = self.contexts[config.context as usize].clone();
                    for (state, context) in returns {
                        if state != NOWHERE {
                            pending.push(Config {
                                state,
                                context,
                                suppressed: false,
                                ..config
                            });
                        } else if closing.full {
                            self.add(
                                configs,
                                Config {
                                    context: EMPTY,
                                    ..config
                                },
                                true,
                            );
                        } else {
                            self.close_work(config, configs, busy, closing, depth);
                        }
                    }
                    continue;
                }
            }
            self.close_work(config, configs, busy, closing, depth);
        }
    }

    fn close_work(
        &mut self,
        config: Config,
        configs: &mut Configs,
        busy: &mut Vec<Config>,
        closing: Closing,
        depth: i32,
    ) {
        let program = self.program;
        let state = &program.states[config.state as usize];
        if state.transitions.iter().any(|t| matches!(t, Transition::Tokens(..))) || state.transitions.is_empty() {
            self.add(configs, config, closing.full);
        }
        let skip_first = self.loops_back_anyway(config);
        for transition in state.transitions.iter().skip(usize::from(skip_first)) {
            let mut next = Config {
                state: transition.target(),
                ..config
            };
            let mut depth = depth;
            match *transition {
                Transition::Epsilon(_, outermost) => {
                    if state.kind == StateKind::RuleStop {
                        if closing.loop_rule.is_some() && outermost == closing.loop_rule {
                            next.suppressed = true;
                        }
                        next.outer = true;
                        // Configs do not record how often the path left the rule.
                        if busy.contains(&next) {
                            continue;
                        }
                        busy.push(next);
                        depth -= 1;
                    }
                }
                Transition::Tokens(set, _) => {
                    if !closing.at_end || set & 1 == 0 || busy.contains(&next) {
                        continue;
                    }
                    busy.push(next);
                }
                Transition::Rule { follow, .. } => {
                    next.context = self.context(vec![(follow, config.context)]);
                    if depth >= 0 {
                        depth += 1;
                    }
                }
                Transition::Precedence(needed, _) => {
                    if closing.collect && depth == 0 {
                        if !closing.full {
                            next.precedence = if config.precedence == 0 {
                                needed
                            } else {
                                needed.min(config.precedence)
                            };
                        } else if needed < closing.precedence {
                            continue;
                        }
                    }
                }
            }
            self.close(next, configs, busy, closing, depth);
        }
    }

    /// Whether a left-recursive loop was entered from itself. Continuing in the inner loop is then the same as continuing in the outer loop.
    fn loops_back_anyway(&self, config: Config) -> bool {
        let states = &self.program.states;
        let state = &states[config.state as usize];
        if state.kind != (StateKind::StarEntry { left_recursion: true }) || config.context == EMPTY {
            return false;
        }
        let returns = &self.contexts[config.context as usize];
        returns.iter().all(|(to, _)| {
            *to != NOWHERE
                && states[*to as usize].rule == state.rule
                && states[*to as usize].kind == StateKind::BlockEnd
        })
    }

    fn context(&mut self, mut entries: Vec<(StateId, Context)>) -> Context {
        entries.sort_unstable();
        if let Some(context) = self.context_ids.get(&entries) {
            return *context;
        }
        self.contexts.push(entries.clone());
        let context = self.contexts.len() as Context - 1;
        self.context_ids.insert(entries, context);
        context
    }

    /// Merges two contexts. If `wildcard` is set, the empty stack represents all stacks.
    fn merge(&mut self, a: Context, b: Context, wildcard: bool) -> Context {
        if a == b {
            return a;
        }
        if wildcard && (a == EMPTY || b == EMPTY) {
            return EMPTY;
        }
        let mut merged = self.contexts[a as usize].clone();
        for (state, parent) in self.contexts[b as usize].clone() {
            match merged.iter().position(|(s, _)| *s == state) {
                Some(at) if state != NOWHERE => merged[at].1 = self.merge(merged[at].1, parent, wildcard),
                Some(_) => {}
                None => merged.push((state, parent)),
            }
        }
        self.context(merged)
    }
}

fn unique_alt(configs: &Configs) -> Option<Alt> {
    let alt = configs.0.first()?.alt;
    configs.0.iter().all(|c| c.alt == alt).then_some(alt)
}

/// The sets of alternatives (one bit each) of the configs with the same key.
fn alternatives_by<K: std::hash::Hash + Eq>(configs: &Configs, key: impl Fn(&Config) -> K) -> HashMap<K, u64> {
    let mut map = HashMap::new();
    for config in &configs.0 {
        *map.entry(key(config)).or_default() |= 1 << config.alt;
    }
    map
}
