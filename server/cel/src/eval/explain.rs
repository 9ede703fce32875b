//! Records the value of each part of an expression in one evaluation.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use super::{Evaluation, Observer, Program, Variables};
use crate::ast::{ExprKind, NodeId, Source, operators};
use crate::checker::Checked;
use crate::parser::{Extents, as_written};
use crate::value::Result;

/// The number of iterations kept from the start of a comprehension.
const FIRST_TURNS: usize = 4;
/// The number of iterations kept from the end of a comprehension, where quantifiers stop.
const LAST_TURNS: usize = 2;
/// The number of values kept from one evaluation.
const MAX_VALUES: usize = 20_000;
/// The maximum depth of the parts shown.
const MAX_DEPTH: usize = 200;

/// A part of an expression.
#[derive(Clone, Debug)]
pub struct Part {
    /// The byte range of the part in the expression.
    pub bytes: Range<usize>,
    /// The value of the part, or `None` if the part was not evaluated.
    pub value: Option<Result>,
    /// The parts of this part, without the obvious ones: constants and the variables of comprehensions.
    pub parts: Vec<Part>,
    /// The iterations, if the part is a comprehension.
    pub iterations: Vec<Iteration>,
    /// The number of omitted iterations, after the first few.
    pub iterations_left_out: usize,
}

/// The variables of a comprehension in one iteration.
pub type Entry = Vec<(Arc<str>, Result)>;

/// One iteration of a comprehension.
#[derive(Clone, Debug)]
pub struct Iteration {
    /// The index of the iteration, from 0.
    pub index: usize,
    /// The variables of the comprehension.
    pub variables: Entry,
    /// The evaluated parts.
    pub parts: Vec<Part>,
}

/// Evaluates an expression and records the values of its parts. `program` should be planned
/// [`without_folding`](Program::without_folding), otherwise constant parts have no value.
pub fn explain(
    checked: &Checked,
    source: &Source,
    program: &Program,
    variables: &dyn Variables,
    limit: Option<u64>,
) -> (Evaluation, Option<Part>) {
    let extents = Extents::new(source).all(&checked.ast);
    let mut recorder = Recorder {
        wanted: extents.keys().copied().collect(),
        frames: vec![Frame::default()],
        comprehensions: Vec::new(),
        values: 0,
    };
    let evaluation = program.eval_observed(variables, limit, &mut recorder);
    let Some(root) = checked.ast.root() else {
        return (evaluation, None);
    };
    let teller = Teller { checked, extents };
    let frame = std::mem::take(&mut recorder.frames[0]);
    let mut part = teller.part(root, &frame, &[], 0);
    if let Some(part) = &mut part {
        // The whole expression may be a constant, and an interrupted evaluation reports no final value.
        part.value = Some(evaluation.result.clone());
    }
    (evaluation, part)
}

/// The values recorded at one level: for the whole expression or for one iteration.
#[derive(Default)]
struct Frame {
    values: HashMap<i64, Result>,
    comprehensions: HashMap<i64, Seen>,
}

/// The recorded iterations of a comprehension.
#[derive(Default)]
struct Seen {
    iterations: Vec<(usize, Entry, Frame)>,
    count: usize,
}

struct Recorder {
    /// The parts that the source text contains (macros add others).
    wanted: HashSet<i64>,
    /// The frames of the running steps, innermost last.
    frames: Vec<Frame>,
    /// The comprehensions that are running, and the current step of each.
    comprehensions: Vec<(i64, Seen, Option<Entry>)>,
    values: usize,
}

impl Observer for Recorder {
    fn value(&mut self, id: i64, result: &Result) {
        if self.values < MAX_VALUES
            && self.wanted.contains(&id)
            && let Some(frame) = self.frames.last_mut()
        {
            self.values += 1;
            frame.values.insert(id, result.clone());
        }
    }

    fn enter(&mut self, comprehension: i64) {
        self.comprehensions.push((comprehension, Seen::default(), None));
    }

    fn iteration(&mut self, variables: &[(&Arc<str>, &Result)]) {
        self.end_iterations();
        let variables = variables
            .iter()
            .map(|(name, value)| (Arc::clone(name), (*value).clone()));
        if let Some(comprehension) = self.comprehensions.last_mut() {
            comprehension.2 = Some(variables.collect());
            self.frames.push(Frame::default());
        }
    }

    fn end_iterations(&mut self) {
        let Some((_, seen, iteration)) = self.comprehensions.last_mut() else {
            return;
        };
        let Some(variables) = iteration.take() else { return };
        let Some(frame) = self.frames.pop() else { return };
        if seen.iterations.len() >= FIRST_TURNS + LAST_TURNS {
            let dropped = seen.iterations.remove(FIRST_TURNS);
            self.values = self.values.saturating_sub(dropped.2.values.len());
        }
        seen.iterations.push((seen.count, variables, frame));
        seen.count += 1;
    }

    fn leave(&mut self) {
        self.end_iterations();
        if let Some((id, seen, _)) = self.comprehensions.pop()
            && let Some(frame) = self.frames.last_mut()
            && self.wanted.contains(&id)
        {
            frame.comprehensions.insert(id, seen);
        }
    }
}

struct Teller<'a> {
    checked: &'a Checked,
    extents: HashMap<i64, Range<usize>>,
}

impl Teller<'_> {
    /// A part with its value in a frame, or `None` if the part is obvious (a constant or a comprehension variable).
    fn part(&self, node: NodeId, frame: &Frame, fold_variables: &[Arc<str>], depth: usize) -> Option<Part> {
        let ast = &self.checked.ast;
        let id = ast[node].id;
        let (kind, _) = as_written(ast, node);
        let says_itself = match kind {
            ExprKind::Ident(name) => fold_variables.contains(name),
            _ => self.is_constant(node, 0),
        };
        if depth > 0 && says_itself || depth > MAX_DEPTH {
            return None;
        }
        let mut part = Part {
            bytes: self.extents.get(&id)?.clone(),
            value: frame.values.get(&id).cloned(),
            parts: Vec::new(),
            iterations: Vec::new(),
            iterations_left_out: 0,
        };
        if part.value.is_some() || depth == 0 {
            self.parts(node, frame, fold_variables, depth, &mut part);
        }
        Some(part)
    }

    fn parts(&self, node: NodeId, frame: &Frame, fold_variables: &[Arc<str>], depth: usize, part: &mut Part) {
        let ast = &self.checked.ast;
        let id = ast[node].id;
        let (kind, children) = as_written(ast, node);
        match kind {
            ExprKind::Select { operand, .. } => self.base(*operand, frame, fold_variables, depth, part),
            ExprKind::Call { function, target, args } => match (&**function, &args[..]) {
                (operators::INDEX | operators::OPT_INDEX, [operand, index]) => {
                    self.base(*operand, frame, fold_variables, depth, part);
                    part.parts.extend(self.part(*index, frame, fold_variables, depth + 1));
                }
                (operators::OPT_SELECT, [operand, _]) => self.base(*operand, frame, fold_variables, depth, part),
                (operators::LOGICAL_AND | operators::LOGICAL_OR, args) => {
                    self.terms(function, args, frame, fold_variables, depth, part);
                }
                ("has", [_]) if ast.macro_call(id).is_some() => {}
                _ if ast.macro_call(id).is_some() => {
                    let target = target.and_then(|it| self.part(it, frame, fold_variables, depth + 1));
                    part.parts.extend(target);
                    match frame.comprehensions.get(&id) {
                        Some(seen) => self.iterations(seen, args, fold_variables, depth, part),
                        None => {
                            for arg in args {
                                let found = self.part(*arg, frame, fold_variables, depth + 1);
                                part.parts.extend(found.filter(|it| it.value.is_some()));
                            }
                        }
                    }
                }
                _ => {
                    for child in children {
                        part.parts.extend(self.part(child, frame, fold_variables, depth + 1));
                    }
                }
            },
            _ => {
                for child in children {
                    part.parts.extend(self.part(child, frame, fold_variables, depth + 1));
                }
            }
        }
    }

    /// Adds the operand of a selection. A variable and the fields selected from it are one part.
    fn base(&self, node: NodeId, frame: &Frame, fold_variables: &[Arc<str>], depth: usize, part: &mut Part) {
        let ast = &self.checked.ast;
        if frame.values.contains_key(&ast[node].id) {
            part.parts.extend(self.part(node, frame, fold_variables, depth + 1));
            return;
        }
        if depth < MAX_DEPTH && ast.macro_call(ast[node].id).is_none() {
            let (kind, _) = as_written(ast, node);
            match kind {
                ExprKind::Select { operand, .. } => self.base(*operand, frame, fold_variables, depth + 1, part),
                ExprKind::Call { function, args, .. }
                    if matches!(
                        &**function,
                        operators::INDEX | operators::OPT_INDEX | operators::OPT_SELECT
                    ) =>
                {
                    self.parts(node, frame, fold_variables, depth + 1, part);
                    debug_assert_eq!(args.len(), 2);
                }
                _ => {}
            }
        }
    }

    /// Adds the terms of a chain such as `a && b && c` to one part.
    fn terms(
        &self,
        function: &str,
        args: &[NodeId],
        frame: &Frame,
        fold_variables: &[Arc<str>],
        depth: usize,
        part: &mut Part,
    ) {
        let ast = &self.checked.ast;
        for arg in args {
            let id = ast[*arg].id;
            let is_macro = ast.macro_call(id).is_some();
            match &ast[*arg].kind {
                ExprKind::Call {
                    function: inner, args, ..
                } if **inner == *function && !is_macro && depth < MAX_DEPTH => {
                    self.terms(function, args, frame, fold_variables, depth + 1, part);
                }
                _ => part.parts.extend(self.part(*arg, frame, fold_variables, depth + 1)),
            }
        }
    }

    fn iterations(&self, seen: &Seen, args: &[NodeId], fold_variables: &[Arc<str>], depth: usize, part: &mut Part) {
        part.iterations_left_out = seen.count - seen.iterations.len();
        for (index, variables, frame) in &seen.iterations {
            let mut names = fold_variables.to_vec();
            names.extend(variables.iter().map(|(name, _)| Arc::clone(name)));
            let parts = args.iter().filter_map(|arg| self.part(*arg, frame, &names, depth + 1));
            part.iterations.push(Iteration {
                index: *index,
                variables: variables.clone(),
                parts: parts.collect(),
            });
        }
    }

    fn is_constant(&self, node: NodeId, depth: usize) -> bool {
        let ast = &self.checked.ast;
        if ast.macro_call(ast[node].id).is_some() || depth > MAX_DEPTH {
            return false;
        }
        match &ast[node].kind {
            ExprKind::Literal(_) => true,
            ExprKind::List { .. } | ExprKind::Map { .. } => {
                ast.children(node).iter().all(|it| self.is_constant(*it, depth + 1))
            }
            _ => false,
        }
    }
}
