//! The parts of the value that an expression reads, and the constants of the expression. A search varies these parts when it tries values.

use std::collections::BTreeMap;
use std::sync::Arc;

use crd_analyzer_cel::Context;
use crd_analyzer_cel::ast::{Ast, Comprehension, ExprKind, Literal, NodeId, operators};
use crd_analyzer_cel::decls::Role;
use crd_analyzer_cel::library::declarations;
use crd_analyzer_cel::types::unescape;
use crd_analyzer_schema::structural::{AdditionalProperties, Structural};

/// The maximum depth of an expression. Deeper parts are ignored.
const MAX_DEPTH: usize = 300;
/// The maximum number of constants per type.
const MAX_CONSTANTS: usize = 8;

/// The parts of a schema's values that an expression reads.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interest {
    /// The properties that the expression reads.
    pub(crate) properties: BTreeMap<String, Interest>,
    /// The parts that the expression reads of list items or map values.
    pub(crate) element: Option<Box<Interest>>,
    /// The keys of a map that the expression reads.
    pub(crate) keys: Vec<String>,
}

impl Interest {
    fn at(&mut self, path: &[Step]) -> &mut Self {
        path.iter().fold(self, |it, step| match step {
            Step::Property(name) => it.properties.entry(name.clone()).or_default(),
            Step::Element(key) => {
                if let Some(key) = key.as_ref().filter(|key| !it.keys.contains(key)) {
                    it.keys.push(key.clone());
                }
                it.element.get_or_insert_default()
            }
        })
    }

    fn merge(&mut self, other: &Self) {
        for (name, below) in &other.properties {
            self.properties.entry(name.clone()).or_default().merge(below);
        }
        if let Some(below) = &other.element {
            self.element.get_or_insert_default().merge(below);
        }
        for key in other
            .keys
            .iter()
            .filter(|it| !self.keys.contains(it))
            .collect::<Vec<_>>()
        {
            self.keys.push(key.clone());
        }
    }
}

/// A step from a value to a part of it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Step {
    /// The property of this name.
    Property(String),
    /// An item, or the value of a key. The key is set if it is constant.
    Element(Option<String>),
}

/// The parts of the value that an expression reads, and the constants of the expression.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reads {
    pub(crate) interest: Interest,
    pub(crate) texts: Vec<Arc<str>>,
    pub(crate) ints: Vec<i64>,
    pub(crate) doubles: Vec<f64>,
}

impl Reads {
    /// The parts that an expression reads of the values of `schema`.
    pub(crate) fn of(ast: &Ast, schema: Structural<'_>, context: &Context) -> Self {
        let mut places = Places::new(ast, schema, context);
        if let Some(root) = ast.root() {
            places.visit(root, 0);
        }
        places.reads
    }

    /// Whether the expression reads this field of the value.
    pub(crate) fn has(&self, field: &str) -> bool {
        self.interest.properties.contains_key(field)
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.interest.merge(&other.interest);
        for text in &other.texts {
            keep(&mut self.texts, text.clone());
        }
        for int in &other.ints {
            keep(&mut self.ints, *int);
        }
        for double in &other.doubles {
            keep(&mut self.doubles, *double);
        }
    }
}

fn keep<T: PartialEq>(constants: &mut Vec<T>, constant: T) {
    if constants.len() < MAX_CONSTANTS && !constants.contains(&constant) {
        constants.push(constant);
    }
}

/// The relation of a subexpression to the value.
#[derive(Clone, Debug)]
pub(crate) enum Seen {
    /// The subexpression is the part of the value at this path.
    At(Vec<Step>),
    /// The subexpression is a new list, whose items are the parts at this path.
    ListOf(Vec<Step>),
}

/// The schema of a part of a value.
pub(crate) fn schema_at<'s>(schema: Structural<'s>, path: &[Step]) -> Option<Structural<'s>> {
    path.iter().try_fold(schema, |it, step| match step {
        Step::Property(name) => it.property(name),
        Step::Element(_) => it
            .items()
            .or_else(|| it.additional_properties().and_then(AdditionalProperties::schema)),
    })
}

/// Walks an expression and tracks the meaning of its variables.
pub(crate) struct Places<'a, 's> {
    ast: &'a Ast,
    schema: Structural<'s>,
    context: &'a Context,
    variables: Vec<(Arc<str>, Option<Seen>)>,
    reads: Reads,
    /// The path of the selected part of the value, by the id of the selection.
    pub(crate) selections: BTreeMap<i64, Vec<Step>>,
}

impl<'a, 's> Places<'a, 's> {
    pub(crate) fn new(ast: &'a Ast, schema: Structural<'s>, context: &'a Context) -> Self {
        Self {
            ast,
            schema,
            context,
            variables: Vec::new(),
            reads: Reads::default(),
            selections: BTreeMap::new(),
        }
    }

    /// Walks a subexpression, and returns its relation to the value.
    pub(crate) fn visit(&mut self, node: NodeId, depth: usize) -> Option<Seen> {
        if depth > MAX_DEPTH {
            return None;
        }
        let depth = depth + 1;
        match &self.ast[node].kind {
            ExprKind::Literal(literal) => {
                match literal {
                    Literal::Int(int) => keep(&mut self.reads.ints, *int),
                    Literal::Double(double) => keep(&mut self.reads.doubles, *double),
                    Literal::String(text) => keep(&mut self.reads.texts, text.clone()),
                    _ => {}
                }
                None
            }
            ExprKind::Ident(name) => self.variable(name),
            ExprKind::Select { operand, field, .. } => {
                let seen = self.visit(*operand, depth)?;
                self.select(node, seen, field)
            }
            ExprKind::Call { function, target, args } => {
                let mut seen = Vec::with_capacity(args.len() + 1);
                for part in target.iter().chain(args) {
                    seen.push(self.visit(*part, depth));
                }
                let first = seen.into_iter().next().flatten();
                match (&**function, &args[..]) {
                    (operators::INDEX | operators::OPT_INDEX, [_, index]) => Some(self.index(node, first?, *index)),
                    (operators::OPT_SELECT, [_, name]) => match &self.ast[*name].kind {
                        ExprKind::Literal(Literal::String(name)) => self.select(node, first?, &name.clone()),
                        _ => None,
                    },
                    (name, _) if declarations(name).iter().any(|it| it.traits.passes_on) => first,
                    (operators::ADD | operators::CONDITIONAL, _) => first.filter(|_| **function == *operators::ADD),
                    _ => None,
                }
            }
            ExprKind::Comprehension(fold) => self.fold(fold, depth),
            ExprKind::Unspecified | ExprKind::List { .. } | ExprKind::Map { .. } | ExprKind::Struct { .. } => {
                for child in self.ast.children(node) {
                    self.visit(child, depth);
                }
                None
            }
        }
    }

    fn variable(&self, name: &str) -> Option<Seen> {
        let bound = self.variables.iter().rev().find(|(it, _)| **it == *name);
        match bound {
            Some((_, seen)) => seen.clone(),
            None => match self.context.role(name)? {
                Role::Value | Role::OldValue => Some(Seen::At(Vec::new())),
                Role::Other => None,
            },
        }
    }

    fn reach(&mut self, node: NodeId, path: Vec<Step>) -> Seen {
        self.reads.interest.at(&path);
        self.selections.insert(self.ast[node].id, path.clone());
        Seen::At(path)
    }

    fn select(&mut self, node: NodeId, seen: Seen, field: &str) -> Option<Seen> {
        let Seen::At(mut path) = seen else { return None };
        let schema = schema_at(self.schema, &path)?;
        let name = unescape(field).unwrap_or(field.into());
        path.push(
            if schema.property(&name).is_some() || schema.additional_properties().is_none() {
                Step::Property(name.into_owned())
            } else {
                Step::Element(Some(field.to_owned()))
            },
        );
        Some(self.reach(node, path))
    }

    fn index(&mut self, node: NodeId, seen: Seen, index: NodeId) -> Seen {
        match seen {
            Seen::ListOf(path) => Seen::At(path),
            Seen::At(mut path) => {
                let key = match &self.ast[index].kind {
                    ExprKind::Literal(Literal::String(key)) => Some(key.to_string()),
                    _ => None,
                };
                path.push(Step::Element(key));
                self.reach(node, path)
            }
        }
    }

    fn element(&mut self, seen: Option<Seen>) -> Option<Seen> {
        Some(match seen? {
            Seen::ListOf(path) => Seen::At(path),
            Seen::At(mut path) => {
                path.push(Step::Element(None));
                self.reads.interest.at(&path);
                Seen::At(path)
            }
        })
    }

    fn fold(&mut self, fold: &Comprehension, depth: usize) -> Option<Seen> {
        let range = self.visit(fold.iter_range, depth);
        let is_map = matches!(&range, Some(Seen::At(path))
            if schema_at(self.schema, path).is_some_and(|it| it.items().is_none()));
        let element = self.element(range);
        let start = self.visit(fold.accu_init, depth);
        let known = self.variables.len();
        match &fold.iter_var2 {
            Some(second) => {
                self.variables.push((fold.iter_var.clone(), None));
                self.variables.push((second.clone(), element));
            }
            None => self
                .variables
                .push((fold.iter_var.clone(), element.filter(|_| !is_map))),
        }
        self.variables.push((fold.accu_var.clone(), start));
        self.visit(fold.loop_condition, depth);
        self.visit(fold.loop_step, depth);
        let collected = self.collected(fold).and_then(|it| self.visit(it, depth));
        let result = self.visit(fold.result, depth);
        self.variables.truncate(known);
        match collected {
            Some(Seen::At(path)) => Some(Seen::ListOf(path)),
            _ => result,
        }
    }

    /// The element that a list-building comprehension adds: `accumulator + [element]`, possibly under a condition.
    fn collected(&self, fold: &Comprehension) -> Option<NodeId> {
        let mut step = fold.loop_step;
        if let ExprKind::Call { function, args, .. } = &self.ast[step].kind
            && **function == *operators::CONDITIONAL
        {
            step = *args.get(1)?;
        }
        let ExprKind::Call { function, args, .. } = &self.ast[step].kind else {
            return None;
        };
        let (true, [_, added]) = (**function == *operators::ADD, &args[..]) else {
            return None;
        };
        match &self.ast[*added].kind {
            ExprKind::List { elements, .. } => elements.first().copied(),
            _ => None,
        }
    }
}
