//! Finds the part of an expression where an evaluation failed, and the kind of the error.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use crd_analyzer_cel::Context;
use crd_analyzer_cel::ast::{Ast, ExprKind, Literal, NodeId, Source, operators};
use crd_analyzer_cel::checker::Checked;
use crd_analyzer_cel::decls::Role;
use crd_analyzer_cel::eval::{Observer, Program, Variables};
use crd_analyzer_cel::parser::Extents;
use crd_analyzer_cel::types::{Type, unescape};
use crd_analyzer_cel::value::{ErrorKind, EvalError, Result as CelResult};
use crd_analyzer_schema::structural::Structural;

use crate::codes;
use crate::reads::{Places, Step, schema_at};

/// The place of an evaluation error, and its reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Site {
    pub(crate) code: &'static str,
    /// The byte range of the part that caused the error.
    pub(crate) bytes: Range<usize>,
    /// The missing field or key, or the source text of the part.
    pub(crate) subject: String,
    /// The path of the missing field.
    pub(crate) path: Option<Vec<Step>>,
}

/// A step of a selection at which nothing is found.
struct Missing<'l> {
    code: &'static str,
    /// The byte range up to and including the step.
    bytes: Range<usize>,
    /// The path of the field that may be absent.
    path: Option<&'l [Step]>,
}

/// Finds the places where an expression fails.
pub(crate) struct Locator<'e, 's> {
    checked: &'e Checked,
    text: &'e str,
    schema: Structural<'s>,
    context: &'e Context,
    extents: HashMap<i64, Range<usize>>,
    nodes: HashMap<i64, NodeId>,
    selections: std::collections::BTreeMap<i64, Vec<Step>>,
}

/// Records the failed parts.
#[derive(Default)]
struct Failures(Vec<(i64, EvalError)>);

impl Observer for Failures {
    fn value(&mut self, id: i64, result: &CelResult) {
        if let Err(error) = result
            && self.0.len() < 1_000
        {
            self.0.push((id, error.clone()));
        }
    }
    fn enter(&mut self, _: i64) {}
    fn iteration(&mut self, _: &[(&Arc<str>, &CelResult)]) {}
    fn end_iterations(&mut self) {}
    fn leave(&mut self) {}
}

impl<'e, 's> Locator<'e, 's> {
    pub(crate) fn new(checked: &'e Checked, text: &'e str, schema: Structural<'s>, context: &'e Context) -> Self {
        let ast = &checked.ast;
        let mut places = Places::new(ast, schema, context);
        if let Some(root) = ast.root() {
            places.visit(root, 0);
        }
        let mut nodes = HashMap::new();
        for (node, expression) in ast.nodes() {
            nodes.entry(expression.id).or_insert(node);
        }
        Self {
            checked,
            text,
            schema,
            context,
            extents: Extents::new(&Source::new(text)).all(ast),
            nodes,
            selections: places.selections,
        }
    }

    /// Runs the expression again and returns the place where it failed with this error.
    pub(crate) fn site(
        &self,
        program: &Program,
        variables: &dyn Variables,
        limit: Option<u64>,
        error: &EvalError,
        is_created: bool,
    ) -> Option<Site> {
        let mut failures = Failures::default();
        program.eval_observed(variables, limit, &mut failures);
        let to_blame = failures.0.iter().filter(|it| it.1 == *error);
        let extent = |id: &i64| Some((*id, self.extents.get(id)?.clone()));
        let (id, bytes) = to_blame
            .filter_map(|(id, _)| extent(id))
            .min_by_key(|(_, bytes)| (bytes.len(), bytes.start))?;
        let node = *self.nodes.get(&id)?;
        Some(self.classify(node, bytes, error, is_created))
    }

    fn classify(&self, node: NodeId, bytes: Range<usize>, error: &EvalError, is_created: bool) -> Site {
        let ast = &self.checked.ast;
        let site = |code, bytes: Range<usize>, subject: Option<&str>| {
            let written = self.text.get(bytes.clone()).unwrap_or_default();
            let subject = subject.map_or_else(
                || written.split_whitespace().collect::<Vec<_>>().join(" "),
                str::to_owned,
            );
            Site {
                code,
                bytes,
                subject,
                path: None,
            }
        };
        let own = |code| site(code, bytes.clone(), None);
        match error.kind() {
            ErrorKind::NoSuchKey => {
                let key = error.missing_key().unwrap_or_default();
                match self.missing(node, key) {
                    Some(Missing { code, bytes, path }) => Site {
                        path: path.map(<[_]>::to_vec),
                        ..site(code, bytes, Some(key))
                    },
                    None => own(codes::RULE_CAN_FAIL),
                }
            }
            ErrorKind::NoSuchIndex => {
                let list = self.links(node).into_iter().find(|it| self.is_list_index(*it));
                let at = list.and_then(|it| self.extents.get(&ast[it].id));
                at.map_or_else(
                    || own(codes::RULE_CAN_FAIL),
                    |bytes| site(codes::UNGUARDED_INDEX, bytes.clone(), None),
                )
            }
            ErrorKind::DivisionByZero => {
                if let ExprKind::Call { args, .. } = &ast[node].kind
                    && let Some(divisor) = args.get(1).and_then(|it| self.extents.get(&ast[*it].id))
                {
                    let divisor = self.text.get(divisor.clone()).unwrap_or_default().to_owned();
                    return site(codes::DIVISION_BY_ZERO, bytes, Some(&divisor));
                }
                own(codes::DIVISION_BY_ZERO)
            }
            ErrorKind::Overflow => own(codes::INTEGER_OVERFLOW),
            ErrorKind::NoValue => {
                let old = self.context.variable_of(Role::OldValue);
                let written = self.text.get(bytes.clone());
                let is_old = old.zip(written).is_some_and(|(old, it)| it.contains(&*old.name));
                own(if is_old && is_created {
                    codes::OLD_SELF_ON_CREATE
                } else if is_old {
                    codes::RULE_CAN_FAIL
                } else {
                    codes::OPTIONAL_FIELD_READ
                })
            }
            ErrorKind::Other => own(codes::RULE_CAN_FAIL),
        }
    }

    /// The steps of a selection, the first one first.
    fn links(&self, node: NodeId) -> Vec<NodeId> {
        let ast = &self.checked.ast;
        let mut links = Vec::new();
        let mut next = Some(node);
        while let Some(node) = next {
            next = match &ast[node].kind {
                ExprKind::Select { operand, .. } => Some(*operand),
                ExprKind::Call { function, args, .. } if is_index(function) => args.first().copied(),
                _ => break,
            };
            links.push(node);
        }
        links.reverse();
        links
    }

    fn is_list_index(&self, node: NodeId) -> bool {
        match &self.checked.ast[node].kind {
            ExprKind::Call { function, args, .. } if is_index(function) => args
                .first()
                .is_some_and(|it| matches!(self.checked.type_of(*it), Type::List(_))),
            _ => false,
        }
    }

    /// The step at which nothing is found.
    fn missing(&self, node: NodeId, key: &str) -> Option<Missing<'_>> {
        let ast = &self.checked.ast;
        let links = self.links(node);
        let of_map = |bytes| Missing {
            code: codes::ABSENT_MAP_KEY,
            bytes,
            path: None,
        };
        let named = links.iter().filter(|it| names(ast, **it, key));
        let of = |node: NodeId| Some((node, self.selections.get(&ast[node].id)?));
        for link in named.clone() {
            let Some((node, path)) = of(*link) else { continue };
            let Some((last, above)) = path.split_last() else {
                continue;
            };
            let bytes = self.extents.get(&ast[node].id)?.clone();
            match last {
                Step::Element(_) => return Some(of_map(bytes)),
                Step::Property(name) => {
                    let parent = schema_at(self.schema, above)?;
                    if !parent.props().required.contains(name) {
                        return Some(Missing {
                            code: codes::OPTIONAL_FIELD_READ,
                            bytes,
                            path: Some(path),
                        });
                    }
                }
            }
        }
        let by_value = links.iter().find(|it| match &ast[**it].kind {
            ExprKind::Call { args, .. } => {
                let is_literal = args
                    .get(1)
                    .is_some_and(|it| matches!(ast[*it].kind, ExprKind::Literal(_)));
                !is_literal && !self.is_list_index(**it)
            }
            _ => false,
        });
        let link = named.clone().next().or(by_value)?;
        let bytes = self.extents.get(&ast[*link].id)?.clone();
        Some(of_map(bytes))
    }
}

fn is_index(function: &str) -> bool {
    function == operators::INDEX
}

/// Whether a step selects a key, which may be escaped in the expression.
fn names(ast: &Ast, node: NodeId, key: &str) -> bool {
    match &ast[node].kind {
        ExprKind::Select { field, .. } => **field == *key || unescape(field).is_some_and(|it| it == key),
        ExprKind::Call { args, .. } => args
            .get(1)
            .is_some_and(|it| matches!(&ast[*it].kind, ExprKind::Literal(Literal::String(text)) if **text == *key)),
        _ => false,
    }
}
