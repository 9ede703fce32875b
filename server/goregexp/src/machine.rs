//! A plain engine for the patterns that the fast one is not made for: those nested so deeply that its compiler would recurse
//! too far, and those whose counted repetitions would cost it too much memory (it spells classes out in bytes, this one
//! does not). It runs all alternatives side by side, so the time is at most the length of the text times that of the program.

use crate::tree::{Id, Op, Rune, Tree, flags};
use crate::unicode::simple_fold;

/// An instruction; targets are indices.
#[derive(Clone, Copy, Debug)]
enum Inst {
    Match,
    /// One of the classes.
    Class(u32),
    Any,
    AnyNotNl,
    /// An assertion: one of the ops that match the empty text.
    Assert(Op),
    Jump(u32),
    /// Both ways, the first preferred.
    Split(u32, u32),
    Fail,
}

/// A compiled pattern.
#[derive(Debug)]
pub(crate) struct Machine {
    program: Vec<Inst>,
    /// Sorted pairs of inclusive bounds.
    classes: Vec<Vec<Rune>>,
}

/// What is left to do while compiling.
enum Task {
    Emit(Id),
    /// Point the split here that was emitted at the index; bool: lazy.
    Land(u32, bool),
    /// Land all splits of the list with this index.
    LandAll(usize),
    /// A split that may leave the pattern for where the list lands.
    Leave(usize, bool),
    /// Back to the index, or on.
    Loop(u32, bool),
    /// The loop for what is emitted between here and the `Repeat`.
    LoopFrom(Id, bool),
    /// Land the jumps of the list here: the end of an alternation.
    LandJumps(usize),
    /// A jump to the end of the alternation, and the split of the alternative before lands here.
    NextAlternative(u32, usize),
    /// The alternatives from this one on.
    Alternatives(Id, usize, usize),
}

impl Machine {
    pub(crate) fn new(tree: &Tree) -> Self {
        let mut machine = Self {
            program: Vec::new(),
            classes: Vec::new(),
        };
        let mut lists: Vec<Vec<u32>> = Vec::new();
        let mut tasks = vec![Task::Emit(tree.root)];
        while let Some(task) = tasks.pop() {
            let here = machine.program.len() as u32;
            match task {
                Task::Emit(id) => machine.emit(tree, id, &mut tasks, &mut lists),
                Task::Land(split, lazy) => machine.program[split as usize] = split_to(split + 1, here, lazy),
                Task::Leave(list, lazy) => {
                    lists[list].push(here << 1 | u32::from(lazy));
                    machine.program.push(Inst::Fail);
                }
                Task::LandAll(list) => {
                    for entry in std::mem::take(&mut lists[list]) {
                        let split = entry >> 1;
                        machine.program[split as usize] = split_to(split + 1, here, entry & 1 == 1);
                    }
                }
                Task::Loop(body, lazy) => machine.program.push(split_to(body, here + 1, lazy)),
                Task::LoopFrom(sub, lazy) => tasks.extend([Task::Loop(here, lazy), Task::Emit(sub)]),
                Task::LandJumps(list) => {
                    for jump in std::mem::take(&mut lists[list]) {
                        machine.program[jump as usize] = Inst::Jump(here);
                    }
                }
                Task::NextAlternative(split, list) => {
                    lists[list].push(here);
                    machine.program.push(Inst::Fail);
                    machine.program[split as usize] = Inst::Split(split + 1, here + 1);
                }
                Task::Alternatives(id, n, list) => {
                    let subs = &tree.node(id).subs;
                    let Some(&sub) = subs.get(n) else { continue };
                    if n + 1 < subs.len() {
                        machine.program.push(Inst::Fail);
                        tasks.extend([
                            Task::Alternatives(id, n + 1, list),
                            Task::NextAlternative(here, list),
                            Task::Emit(sub),
                        ]);
                    } else {
                        tasks.push(Task::Emit(sub));
                    }
                }
            }
        }
        machine.program.push(Inst::Match);
        machine
    }

    fn emit(&mut self, tree: &Tree, id: Id, tasks: &mut Vec<Task>, lists: &mut Vec<Vec<u32>>) {
        let node = tree.node(id);
        let here = self.program.len() as u32;
        let lazy = node.flags & flags::NON_GREEDY != 0;
        let sub = node.subs.first().copied().unwrap_or(id);
        match node.op {
            Op::NoMatch | Op::LeftParen | Op::VerticalBar => self.program.push(Inst::Fail),
            Op::EmptyMatch => {}
            Op::Literal => {
                let fold = node.flags & flags::FOLD_CASE != 0;
                for &rune in &node.runes {
                    let mut class = vec![rune, rune];
                    let mut next = simple_fold(rune);
                    while fold && next != rune {
                        class.extend([next, next]);
                        next = simple_fold(next);
                    }
                    self.class(class);
                }
            }
            Op::CharClass => self.class(node.runes.clone()),
            Op::AnyCharNotNl => self.program.push(Inst::AnyNotNl),
            Op::AnyChar => self.program.push(Inst::Any),
            Op::BeginLine | Op::EndLine | Op::BeginText | Op::EndText | Op::WordBoundary | Op::NoWordBoundary => {
                self.program.push(Inst::Assert(node.op));
            }
            Op::Capture => tasks.push(Task::Emit(sub)),
            Op::Concat => tasks.extend(node.subs.iter().rev().map(|&sub| Task::Emit(sub))),
            Op::Alternate => {
                lists.push(Vec::new());
                let list = lists.len() - 1;
                tasks.extend([Task::LandJumps(list), Task::Alternatives(id, 0, list)]);
            }
            Op::Quest => {
                self.program.push(Inst::Fail);
                tasks.extend([Task::Land(here, lazy), Task::Emit(sub)]);
            }
            Op::Plus => tasks.push(Task::LoopFrom(sub, lazy)),
            // As `(?:x+)?`, which prefers the right way also where x matches the empty text.
            Op::Star => {
                self.program.push(Inst::Fail);
                tasks.extend([Task::Land(here, lazy), Task::LoopFrom(sub, lazy)]);
            }
            Op::Repeat if tree.node(sub).op == Op::EmptyMatch => {}
            Op::Repeat => self.repeat(node.min, node.max, sub, lazy, tasks, lists),
        }
    }

    fn repeat(&mut self, min: i32, max: i32, sub: Id, lazy: bool, tasks: &mut Vec<Task>, lists: &mut Vec<Vec<u32>>) {
        let here = self.program.len() as u32;
        let mut parts = Vec::new();
        if max < 0 {
            if min == 0 {
                self.program.push(Inst::Fail);
                tasks.extend([Task::Land(here, lazy), Task::LoopFrom(sub, lazy)]);
                return;
            }
            parts.extend((1..min).map(|_| Task::Emit(sub)));
            parts.push(Task::LoopFrom(sub, lazy));
        } else {
            parts.extend((0..min).map(|_| Task::Emit(sub)));
            if max > min {
                lists.push(Vec::new());
                let list = lists.len() - 1;
                for _ in min..max {
                    parts.extend([Task::Leave(list, lazy), Task::Emit(sub)]);
                }
                parts.push(Task::LandAll(list));
            }
        }
        tasks.extend(parts.into_iter().rev());
    }

    fn class(&mut self, mut runes: Vec<Rune>) {
        crate::class::clean(&mut runes);
        if self.classes.last() != Some(&runes) {
            self.classes.push(runes);
        }
        self.program.push(Inst::Class((self.classes.len() - 1) as u32));
    }

    /// The leftmost match at or after `from` in bytes of `text`; the first that ends if only `any` is asked for.
    pub(crate) fn find_at(&self, text: &str, from: usize, any: bool) -> Option<(usize, usize)> {
        let mut now = Threads::new(self.program.len());
        let mut next = Threads::new(self.program.len());
        let mut found = None;
        let mut at = from;
        loop {
            if found.is_none() {
                self.follow(&mut now, 0, at, text, at);
            }
            if now.list.is_empty() && found.is_some() {
                break;
            }
            let c = text[at..].chars().next();
            let after = at + c.map_or(0, char::len_utf8);
            for n in 0..now.list.len() {
                let (pc, start) = now.list[n];
                let goes_on = match (self.program[pc as usize], c) {
                    (Inst::Match, _) => {
                        found = Some((start, at));
                        if any {
                            return found;
                        }
                        break;
                    }
                    (Inst::Any, Some(_)) => true,
                    (Inst::AnyNotNl, Some(c)) => c != '\n',
                    (Inst::Class(class), Some(c)) => contains(&self.classes[class as usize], c),
                    _ => false,
                };
                if goes_on {
                    self.follow(&mut next, pc + 1, start, text, after);
                }
            }
            if c.is_none() {
                break;
            }
            std::mem::swap(&mut now, &mut next);
            next.clear();
            at = after;
        }
        found
    }

    /// Adds the instruction `pc` and all that it leads to without reading.
    fn follow(&self, threads: &mut Threads, pc: u32, start: usize, text: &str, at: usize) {
        threads.open.push(pc);
        while let Some(pc) = threads.open.pop() {
            if !threads.enter(pc) {
                continue;
            }
            match self.program[pc as usize] {
                Inst::Jump(to) => threads.open.push(to),
                Inst::Split(first, second) => threads.open.extend([second, first]),
                Inst::Assert(op) if holds(op, text, at) => threads.open.push(pc + 1),
                Inst::Assert(_) | Inst::Fail => {}
                _ => threads.list.push((pc, start)),
            }
        }
    }
}

fn split_to(body: u32, on: u32, lazy: bool) -> Inst {
    if lazy {
        Inst::Split(on, body)
    } else {
        Inst::Split(body, on)
    }
}

/// The instructions that are waiting for a character, most preferred first, and where the match of each began.
struct Threads {
    list: Vec<(u32, usize)>,
    /// For each instruction the round in which it was entered last.
    entered: Vec<u32>,
    round: u32,
    open: Vec<u32>,
}

impl Threads {
    fn new(len: usize) -> Self {
        Self {
            list: Vec::new(),
            entered: vec![0; len],
            round: 1,
            open: Vec::new(),
        }
    }

    fn clear(&mut self) {
        self.list.clear();
        if self.round == u32::MAX {
            self.entered.fill(0);
            self.round = 0;
        }
        self.round += 1;
    }

    fn enter(&mut self, pc: u32) -> bool {
        std::mem::replace(&mut self.entered[pc as usize], self.round) != self.round
    }
}

fn contains(class: &[Rune], c: char) -> bool {
    let rune = c as Rune;
    let n = class.partition_point(|&bound| bound < rune);
    n % 2 == 1 || class.get(n) == Some(&rune)
}

fn holds(op: Op, text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let before = at.checked_sub(1).map(|n| bytes[n]);
    let after = bytes.get(at).copied();
    let is_word = |byte: Option<u8>| byte.is_some_and(|b| b == b'_' || b.is_ascii_alphanumeric());
    match op {
        Op::BeginLine => before.is_none_or(|b| b == b'\n'),
        Op::EndLine => after.is_none_or(|b| b == b'\n'),
        Op::BeginText => before.is_none(),
        Op::EndText => after.is_none(),
        Op::WordBoundary => is_word(before) != is_word(after),
        _ => is_word(before) == is_word(after),
    }
}
