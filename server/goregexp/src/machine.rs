//! Programs and their execution. All alternatives run side by side (as in Go's `regexp`), so the work can be counted and is at most the length of the
//! text times the length of the program. Compiling takes about as long as parsing. An automaton would be faster for long texts, but its states grow
//! with the text, and most patterns in schemas are matched only a few times with short strings.

use std::collections::HashMap;
use std::mem::size_of;

use crd_analyzer_budget::{self as budget, Unfinished};

use crate::tree::{Id, Op, Rune, Tree, flags};
use crate::unicode::simple_fold;

/// An instruction. Jump targets are indexes of instructions.
#[derive(Clone, Copy, Debug)]
enum Inst {
    Match,
    Char(char),
    /// A character of the class with this index.
    Class(u32),
    Any,
    AnyNotNl,
    /// An assertion, which matches the empty string.
    Assert(Op),
    Jump(u32),
    /// Tries both targets, preferring the first.
    Split(u32, u32),
    Fail,
}

/// The maximum length of a program, in instructions. Typical patterns have a few hundred; Go allows three million.
const MAX_PROGRAM: usize = 250_000;
/// The maximum total number of class bounds in a program. For comparison, the class of all letters has 1,400.
const MAX_BOUNDS: usize = 1_000_000;
/// The number of instructions that one work unit prepares for a run.
const READY_PER_WORK: u64 = 16;

/// A compiled pattern.
#[derive(Debug)]
pub(crate) struct Machine {
    program: Vec<Inst>,
    classes: Vec<Class>,
    /// Whether matches can only start at the beginning of the text.
    is_anchored: bool,
}

/// A class of characters.
#[derive(Debug)]
struct Class {
    /// The set of its ASCII characters, one bit each.
    ascii: u128,
    /// Sorted pairs of inclusive bounds.
    bounds: Vec<Rune>,
}

impl Class {
    fn new(bounds: Vec<Rune>) -> Self {
        let is_in = |rune: &Rune| contains(&bounds, *rune);
        let ascii = (0..128).filter(is_in).fold(0, |bits, rune| bits | 1 << rune);
        Self { ascii, bounds }
    }

    fn contains(&self, c: char) -> bool {
        if c.is_ascii() {
            self.ascii >> (c as u32) & 1 == 1
        } else {
            contains(&self.bounds, c as Rune)
        }
    }
}

/// The state of the compiler.
#[derive(Default)]
struct Making {
    /// Lists of splits and jumps whose target is not known yet.
    lists: Vec<Vec<u32>>,
    /// The indexes of classes, by their bounds.
    classes: HashMap<Vec<Rune>, u32>,
    /// The total number of class bounds.
    bounds: usize,
}

/// A pending step of the compiler.
enum Task {
    Emit(Id),
    /// Set the target of the split at this index to the current position. The boolean is set for a lazy split.
    Land(u32, bool),
    /// Set the targets of all splits in the list with this index.
    LandAll(usize),
    /// Emit a split that may skip the rest, with a target that is added to the list. The boolean is set for a lazy split.
    Leave(usize, bool),
    /// Emit a split that goes back to this index or continues. The boolean is set for a lazy split.
    Loop(u32, bool),
    /// Emit the node and then a split that repeats it. The boolean is set for a lazy split.
    LoopFrom(Id, bool),
    /// Set the targets of all jumps in the list to the end of an alternation.
    LandJumps(usize),
    /// Emit a jump to the end of the alternation, and set the target of the previous alternative's split to the instruction after it.
    NextAlternative(u32, usize),
    /// Emit the alternatives from this index on.
    Alternatives(Id, usize, usize),
}

impl Machine {
    /// Compiles a pattern. Returns an error if the program would be too long.
    pub(crate) fn new(tree: &Tree) -> Result<Self, Unfinished> {
        let mut machine = Self {
            program: Vec::new(),
            classes: Vec::new(),
            is_anchored: false,
        };
        let mut making = Making::default();
        let mut tasks = vec![Task::Emit(tree.root)];
        let mut steps = 0;
        while let Some(task) = tasks.pop() {
            // Nodes that match the empty string take steps, but emit no instructions.
            steps += 1;
            if machine.program.len() > MAX_PROGRAM || making.bounds > MAX_BOUNDS || steps > 4 * MAX_PROGRAM {
                return Err(Unfinished::Bytes);
            }
            let here = machine.program.len() as u32;
            match task {
                Task::Emit(id) => machine.emit(tree, id, &mut tasks, &mut making),
                Task::Land(split, lazy) => machine.program[split as usize] = split_to(split + 1, here, lazy),
                Task::Leave(list, lazy) => {
                    making.lists[list].push(here << 1 | u32::from(lazy));
                    machine.program.push(Inst::Fail);
                }
                Task::LandAll(list) => {
                    for entry in std::mem::take(&mut making.lists[list]) {
                        let split = entry >> 1;
                        machine.program[split as usize] = split_to(split + 1, here, entry & 1 == 1);
                    }
                }
                Task::Loop(body, lazy) => machine.program.push(split_to(body, here + 1, lazy)),
                Task::LoopFrom(sub, lazy) => tasks.extend([Task::Loop(here, lazy), Task::Emit(sub)]),
                Task::LandJumps(list) => {
                    for jump in std::mem::take(&mut making.lists[list]) {
                        machine.program[jump as usize] = Inst::Jump(here);
                    }
                }
                Task::NextAlternative(split, list) => {
                    making.lists[list].push(here);
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
        machine.is_anchored = matches!(machine.program[0], Inst::Assert(Op::BeginText));
        Ok(machine)
    }

    /// The size of the program in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let bounds: usize = self.classes.iter().map(|it| it.bounds.len()).sum();
        self.program.len() * size_of::<Inst>() + self.classes.len() * size_of::<Class>() + bounds * size_of::<Rune>()
    }

    fn emit(&mut self, tree: &Tree, id: Id, tasks: &mut Vec<Task>, making: &mut Making) {
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
                    let mut next = if fold { simple_fold(rune) } else { rune };
                    while next != rune {
                        class.extend([next, next]);
                        next = simple_fold(next);
                    }
                    match char::from_u32(rune as u32) {
                        Some(c) if class.len() == 2 => self.program.push(Inst::Char(c)),
                        _ => self.class(class, making),
                    }
                }
            }
            Op::CharClass => self.class(node.runes.clone(), making),
            Op::AnyCharNotNl => self.program.push(Inst::AnyNotNl),
            Op::AnyChar => self.program.push(Inst::Any),
            Op::BeginLine | Op::EndLine | Op::BeginText | Op::EndText | Op::WordBoundary | Op::NoWordBoundary => {
                self.program.push(Inst::Assert(node.op));
            }
            Op::Capture => tasks.push(Task::Emit(sub)),
            Op::Concat => tasks.extend(node.subs.iter().rev().map(|&sub| Task::Emit(sub))),
            Op::Alternate => {
                making.lists.push(Vec::new());
                let list = making.lists.len() - 1;
                tasks.extend([Task::LandJumps(list), Task::Alternatives(id, 0, list)]);
            }
            Op::Quest => {
                self.program.push(Inst::Fail);
                tasks.extend([Task::Land(here, lazy), Task::Emit(sub)]);
            }
            Op::Plus => tasks.push(Task::LoopFrom(sub, lazy)),
            // This is compiled like `(?:x+)?`, which has the right preference even if x matches the empty string.
            Op::Star => {
                self.program.push(Inst::Fail);
                tasks.extend([Task::Land(here, lazy), Task::LoopFrom(sub, lazy)]);
            }
            Op::Repeat if tree.node(sub).op == Op::EmptyMatch => {}
            Op::Repeat => self.repeat((node.min, node.max), sub, lazy, tasks, making),
        }
    }

    fn repeat(&mut self, (min, max): (i32, i32), sub: Id, lazy: bool, tasks: &mut Vec<Task>, making: &mut Making) {
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
                making.lists.push(Vec::new());
                let list = making.lists.len() - 1;
                for _ in min..max {
                    parts.extend([Task::Leave(list, lazy), Task::Emit(sub)]);
                }
                parts.push(Task::LandAll(list));
            }
        }
        tasks.extend(parts.into_iter().rev());
    }

    fn class(&mut self, mut bounds: Vec<Rune>, making: &mut Making) {
        crate::class::clean(&mut bounds);
        let class = if let Some(class) = making.classes.get(&bounds) {
            *class
        } else {
            let class = self.classes.len() as u32;
            self.classes.push(Class::new(bounds.clone()));
            making.bounds += bounds.len();
            making.classes.insert(bounds, class);
            class
        };
        self.program.push(Inst::Class(class));
    }

    /// The memory for a run, reusable for other texts and positions.
    pub(crate) fn threads(&self) -> Result<Threads, Unfinished> {
        budget::work(self.program.len() as u64 / READY_PER_WORK)?;
        Ok(Threads {
            now: Front::new(self.program.len()),
            next: Front::new(self.program.len()),
            open: Vec::new(),
        })
    }

    /// The leftmost match that starts at or after `from`, as byte offsets in `text`. If `any` is set, this is the first match that ends.
    pub(crate) fn find_at(
        &self,
        threads: &mut Threads,
        text: &str,
        from: usize,
        any: bool,
    ) -> Result<Option<(usize, usize)>, Unfinished> {
        let Threads { now, next, open } = threads;
        now.clear();
        next.clear();
        let mut found = None;
        let mut at = from;
        loop {
            let mut steps = 1;
            if found.is_none() && !(self.is_anchored && at > 0) {
                open.push(0);
                steps += self.follow(now, open, at, text, at);
            } else if now.list.is_empty() {
                break;
            }
            let c = text[at..].chars().next();
            let after = at + c.map_or(0, char::len_utf8);
            for n in 0..now.list.len() {
                let (pc, start) = now.list[n];
                steps += 1;
                let goes_on = match (self.program[pc as usize], c) {
                    (Inst::Match, _) => {
                        found = Some((start, at));
                        if any {
                            return Ok(found);
                        }
                        break;
                    }
                    (Inst::Char(wanted), Some(c)) => c == wanted,
                    (Inst::Any, Some(_)) => true,
                    (Inst::AnyNotNl, Some(c)) => c != '\n',
                    (Inst::Class(class), Some(c)) => self.classes[class as usize].contains(c),
                    _ => false,
                };
                if goes_on {
                    open.push(pc + 1);
                    steps += self.follow(next, open, start, text, after);
                }
            }
            budget::work(steps)?;
            if c.is_none() {
                break;
            }
            std::mem::swap(now, next);
            next.clear();
            at = after;
        }
        Ok(found)
    }

    /// Adds the `open` instructions, and all instructions that can be reached from them without reading a character. Returns the number of visited
    /// instructions.
    fn follow(&self, front: &mut Front, open: &mut Vec<u32>, start: usize, text: &str, at: usize) -> u64 {
        let mut steps = 0;
        while let Some(pc) = open.pop() {
            steps += 1;
            if !front.enter(pc) {
                continue;
            }
            match self.program[pc as usize] {
                Inst::Jump(to) => open.push(to),
                Inst::Split(first, second) => open.extend([second, first]),
                Inst::Assert(op) if holds(op, text, at) => open.push(pc + 1),
                Inst::Assert(_) | Inst::Fail => {}
                _ => front.list.push((pc, start)),
            }
        }
        steps
    }
}

fn split_to(body: u32, on: u32, lazy: bool) -> Inst {
    if lazy {
        Inst::Split(on, body)
    } else {
        Inst::Split(body, on)
    }
}

/// The memory for a run.
#[derive(Debug)]
pub(crate) struct Threads {
    now: Front,
    next: Front,
    /// The instructions to follow. The last one is followed next.
    open: Vec<u32>,
}

/// The instructions that wait for a character, in order of preference, each with the start of its match.
#[derive(Debug)]
struct Front {
    list: Vec<(u32, usize)>,
    /// The round in which each instruction was last entered.
    entered: Vec<u32>,
    round: u32,
}

impl Front {
    fn new(len: usize) -> Self {
        Self {
            list: Vec::new(),
            entered: vec![0; len],
            round: 1,
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

fn contains(class: &[Rune], rune: Rune) -> bool {
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
