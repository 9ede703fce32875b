//! Compiles the constructs of the grammar to states and steps.

use super::super::tree::Rule;
use super::grammar::{G, grammar};
use super::network::{ALL_RULES, Program, RULES, RuleId, State, StateId, StateKind, Step, Transition};

/// Compiles the grammar, with or without names in backticks.
pub(super) fn compile(escaped_identifiers: bool) -> Program {
    let mut program = Program {
        states: Vec::new(),
        steps: Vec::new(),
        next: Vec::new(),
        entries: [0; RULES],
    };
    // The number of a rule is also the number of its first state. The number of its last state is higher by the number of rules.
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

/// Adds the rules of the grammar to a program.
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

    /// Sets the target of a step that was added before the target was known.
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
