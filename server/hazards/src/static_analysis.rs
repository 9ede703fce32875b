//! The possible results of a rule for all values that its schema accepts, derived from the bounds of the schema.
//!
//! Every part of an expression has a set of possible values. This set is never too small, because an unknown part may have any value and may fail. So
//! the reported facts are true for all values.

mod abstract_value;
mod case_split;

use std::ops::Range;
use std::sync::Arc;

use crd_analyzer_cel::Context;
use crd_analyzer_cel::ast::{Ast, Comprehension, ExprKind, Literal, NodeId, Source, operators};
use crd_analyzer_cel::checker::Checked;
use crd_analyzer_cel::decls::Role;
use crd_analyzer_cel::library::declarations;
use crd_analyzer_cel::parser::Extents;
use crd_analyzer_cel::types::unescape;
use crd_analyzer_schema::structural::Structural;

use crate::codes;
use abstract_value::{AbstractValue, Bools, Span, compare, compare_same, is_in, of_schema};
use case_split::Supposed;

/// The maximum depth of an expression. Deeper parts may have any value.
const MAX_DEPTH: usize = 200;

/// A result that is the same for every value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StaticResult {
    /// The rule is true.
    Always,
    /// The rule is false or fails.
    Never,
}

impl StaticResult {
    pub(crate) const fn code(self) -> &'static str {
        match self {
            Self::Always => codes::ALWAYS_TRUE_RULE,
            Self::Never => codes::UNSATISFIABLE_RULE,
        }
    }
}

/// The result of a rule for every value that its schema accepts, if the result is always the same.
pub(crate) fn of(checked: &Checked, schema: Structural<'_>, context: &Context) -> Option<StaticResult> {
    let mut reasoning = Reasoning {
        ast: &checked.ast,
        schema,
        context,
        old: None,
        variables: Vec::new(),
        present: Vec::new(),
        supposed: Vec::new(),
    };
    let result = reasoning.by_cases(checked.ast.root()?);
    let bools = result.known.bools();
    if !bools.can_be_true {
        Some(StaticResult::Never)
    } else if !bools.can_be_false && !result.fails {
        Some(StaticResult::Always)
    } else {
        None
    }
}

/// Whether the rule may fail with an error for a value that its schema accepts, as far as static analysis can tell.
///
/// This assumes that the schema accepts the old value. A stored value can be older than the schema, so no other result relies on this assumption.
pub(crate) fn may_fail(checked: &Checked, schema: Structural<'_>, context: &Context, is_old_optional: bool) -> bool {
    let mut reasoning = Reasoning {
        ast: &checked.ast,
        schema,
        context,
        old: (!is_old_optional).then_some(schema),
        variables: Vec::new(),
        present: Vec::new(),
        supposed: Vec::new(),
    };
    checked.ast.root().is_none_or(|root| reasoning.part(root, 0).fails)
}

/// The byte ranges of the terms of a rule that must all be true and do not read the old value.
pub(crate) fn independent_terms(checked: &Checked, text: &str, context: &Context) -> Vec<Range<usize>> {
    let ast = &checked.ast;
    let extents = Extents::new(&Source::new(text)).all(ast);
    let mut terms = Vec::new();
    let mut waiting: Vec<NodeId> = ast.root().into_iter().collect();
    while let Some(node) = waiting.pop() {
        match &ast[node].kind {
            ExprKind::Call { function, args, .. } if **function == *operators::LOGICAL_AND => waiting.extend(args),
            _ => terms.push(node),
        }
    }
    if terms.len() < 2 {
        return Vec::new();
    }
    terms.retain(|it| !mentions(ast, *it, context, Role::OldValue));
    let mut bytes: Vec<_> = terms
        .iter()
        .filter_map(|it| extents.get(&ast[*it].id).cloned())
        .collect();
    bytes.sort_by_key(|it| it.start);
    bytes
}

fn mentions(ast: &Ast, node: NodeId, context: &Context, role: Role) -> bool {
    let mut waiting = vec![node];
    while let Some(node) = waiting.pop() {
        if matches!(&ast[node].kind, ExprKind::Ident(it) if context.role(it) == Some(role)) {
            return true;
        }
        waiting.extend(ast.children(node));
    }
    false
}

/// The possible results of a part.
#[derive(Clone, Debug)]
struct Outcome<'s> {
    known: AbstractValue<'s>,
    /// Whether the part may fail with an error.
    fails: bool,
}

impl<'s> Outcome<'s> {
    const ANYTHING: Self = Self {
        known: AbstractValue::Anything,
        fails: true,
    };

    fn sure(known: AbstractValue<'s>) -> Self {
        Self { known, fails: false }
    }

    /// Whether the part may be an error, or a value other than a boolean.
    fn can_fail_as_bool(&self) -> bool {
        self.fails || matches!(self.known, AbstractValue::Anything)
    }

    fn bools(can_be_true: bool, can_be_false: bool, fails: bool) -> Self {
        let known = AbstractValue::Bool(Bools {
            can_be_true,
            can_be_false,
        });
        Self { known, fails }
    }
}

struct Reasoning<'a, 's> {
    ast: &'a Ast,
    schema: Structural<'s>,
    context: &'a Context,
    /// The schema of the old value, if known.
    old: Option<Structural<'s>>,
    variables: Vec<(Arc<str>, Outcome<'s>)>,
    /// The fields that are known to be present because a condition tests them.
    present: Vec<FieldPath>,
    /// The assumptions about fields in the case that is being analyzed.
    supposed: Vec<Supposed<'s>>,
}

/// The path of a field: the variable and the names of the selected fields.
type FieldPath = (Root, Vec<Arc<str>>);

/// The start of a field path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Root {
    This,
    Old,
    /// A variable, by its index in the list of known variables.
    Variable(usize),
}

impl<'s> Reasoning<'_, 's> {
    fn part(&mut self, node: NodeId, depth: usize) -> Outcome<'s> {
        if depth > MAX_DEPTH {
            return Outcome::ANYTHING;
        }
        let depth = depth + 1;
        match &self.ast[node].kind {
            ExprKind::Literal(literal) => Outcome::sure(match literal {
                Literal::Bool(flag) => AbstractValue::Bool(Bools {
                    can_be_true: *flag,
                    can_be_false: !*flag,
                }),
                Literal::Int(int) => AbstractValue::Int(Span::one(i128::from(*int))),
                Literal::Double(double) => AbstractValue::Double(*double, *double),
                Literal::String(text) => AbstractValue::literal(text),
                _ => AbstractValue::Anything,
            }),
            ExprKind::Ident(name) => match self.variables.iter().rev().find(|it| it.0 == *name) {
                Some((_, outcome)) => outcome.clone(),
                None => match self.context.role(name) {
                    Some(Role::Value) => {
                        let supposed = self.supposed(node).and_then(|it| it.known.clone());
                        Outcome::sure(supposed.unwrap_or_else(|| of_schema(self.schema)))
                    }
                    Some(Role::OldValue) => Outcome::sure(self.old.map_or(AbstractValue::Anything, of_schema)),
                    Some(Role::Other) | None => Outcome::ANYTHING,
                },
            },
            ExprKind::Select {
                operand,
                field,
                test_only,
            } => {
                let outcome = self.part(*operand, depth);
                let is_asked_for = !test_only && self.path(node).is_some_and(|it| self.present.contains(&it));
                let supposed = self.supposed(node);
                let is_present = supposed.and_then(|it| it.is_present);
                let known = supposed.and_then(|it| it.known.clone());
                let outcome = select(&outcome, field, *test_only, is_asked_for || is_present == Some(true));
                match (is_present, known) {
                    (Some(flag), _) if *test_only => Outcome::bools(flag, !flag, outcome.fails),
                    (_, Some(known)) if !test_only => Outcome { known, ..outcome },
                    _ => outcome,
                }
            }
            ExprKind::Call { function, target, args } => {
                let parts: Vec<NodeId> = target.iter().chain(args).copied().collect();
                match (&**function, &parts[..]) {
                    (operators::LOGICAL_AND, [a, b]) => self.both(*a, *b, true, depth),
                    (operators::LOGICAL_OR, [a, b]) => not(&self.both(*a, *b, false, depth)),
                    (operators::CONDITIONAL, [condition, then, other]) => self.either(*condition, *then, *other, depth),
                    _ => self.call(function, &parts, depth),
                }
            }
            ExprKind::Comprehension(fold) => self.fold(node, fold, depth),
            ExprKind::List { elements, .. } => {
                let outcomes: Vec<_> = elements.iter().map(|it| self.part(*it, depth)).collect();
                let fails = outcomes.iter().any(|it| it.fails);
                Outcome {
                    known: AbstractValue::Written(outcomes.into_iter().map(|it| it.known).collect()),
                    fails,
                }
            }
            ExprKind::Unspecified | ExprKind::Map { .. } | ExprKind::Struct { .. } => Outcome::ANYTHING,
        }
    }

    /// `a && b`, or `!a && !b` if `value` is false. The second term only matters if the first term has this value.
    fn both(&mut self, a: NodeId, b: NodeId, value: bool, depth: usize) -> Outcome<'s> {
        let negated = |it: Outcome<'s>| if value { it } else { not(&it) };
        let first = self.part(a, depth);
        let known = self.present.len();
        if !first.can_fail_as_bool() {
            self.suppose(a, value, depth);
        }
        let second = self.part(b, depth);
        self.present.truncate(known);
        and(&negated(first), &negated(second))
    }

    fn either(&mut self, condition: NodeId, then: NodeId, other: NodeId, depth: usize) -> Outcome<'s> {
        let which = self.part(condition, depth);
        let known = self.present.len();
        self.suppose(condition, true, depth);
        let then = self.part(then, depth);
        self.present.truncate(known);
        self.suppose(condition, false, depth);
        let other = self.part(other, depth);
        self.present.truncate(known);
        let bools = which.known.bools();
        let fails = bools.can_be_true && then.fails || bools.can_be_false && other.fails;
        Outcome {
            known: match (bools.can_be_true, bools.can_be_false) {
                (true, false) => then.known,
                (false, true) => other.known,
                _ => then.known.or(&other.known),
            },
            fails: fails || which.can_fail_as_bool(),
        }
    }

    /// Records the fields that are present if a condition has this value.
    fn suppose(&mut self, condition: NodeId, value: bool, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        match &self.ast[condition].kind {
            ExprKind::Select { test_only: true, .. } if value => self.present.extend(self.path(condition)),
            ExprKind::Call { function, args, .. } => match (&**function, &args[..]) {
                (operators::LOGICAL_NOT, [inner]) => self.suppose(*inner, !value, depth + 1),
                (operators::LOGICAL_AND, [a, b]) if value => {
                    self.suppose(*a, value, depth + 1);
                    self.suppose(*b, value, depth + 1);
                }
                (operators::LOGICAL_OR, [a, b]) if !value => {
                    self.suppose(*a, value, depth + 1);
                    self.suppose(*b, value, depth + 1);
                }
                _ => {}
            },
            _ => {}
        }
    }

    /// The assumption about the field that a part reads.
    fn supposed(&self, node: NodeId) -> Option<&Supposed<'s>> {
        if self.supposed.is_empty() {
            return None;
        }
        let path = self.path(node)?;
        self.supposed.iter().find(|it| it.path == path)
    }

    /// The path of a selection, if it selects a field of a variable.
    fn path(&self, node: NodeId) -> Option<FieldPath> {
        let mut names = Vec::new();
        let mut at = node;
        for _ in 0..MAX_DEPTH {
            match &self.ast[at].kind {
                ExprKind::Select { operand, field, .. } => {
                    names.push(field.clone());
                    at = *operand;
                }
                ExprKind::Ident(name) => {
                    let bound = self.variables.iter().rposition(|it| it.0 == *name);
                    let root = match bound {
                        Some(position) => Root::Variable(position),
                        None => match self.context.role(name)? {
                            Role::Value => Root::This,
                            Role::OldValue => Root::Old,
                            Role::Other => return None,
                        },
                    };
                    names.reverse();
                    return Some((root, names));
                }
                _ => return None,
            }
        }
        None
    }

    fn call(&mut self, function: &str, parts: &[NodeId], depth: usize) -> Outcome<'s> {
        let outcomes: Vec<_> = parts.iter().map(|it| self.part(*it, depth)).collect();
        // The function may not accept a value of unknown type.
        let is_equality = matches!(function, operators::EQUALS | operators::NOT_EQUALS);
        let fails = outcomes
            .iter()
            .any(|it| it.fails || !is_equality && matches!(it.known, AbstractValue::Anything));
        match (function, &outcomes[..]) {
            (operators::LOGICAL_NOT, [a]) => not(a),
            (operators::NOT_STRICTLY_FALSE, [_]) => Outcome::bools(true, true, false),
            ("size", [of]) => Outcome {
                known: of.known.size().map_or(AbstractValue::Anything, AbstractValue::Int),
                fails,
            },
            (
                operators::EQUALS
                | operators::NOT_EQUALS
                | operators::LESS
                | operators::LESS_EQUALS
                | operators::GREATER
                | operators::GREATER_EQUALS,
                [a, b],
            ) => {
                let is_same = self.path(parts[0]).is_some_and(|it| self.path(parts[1]) == Some(it));
                let bools = match &a.known {
                    AbstractValue::Int(_) | AbstractValue::Text(..) | AbstractValue::Bool(_) if is_same => {
                        compare_same(function)
                    }
                    _ => compare(function, &a.known, &b.known),
                };
                Outcome::bools(bools.can_be_true, bools.can_be_false, fails)
            }
            (operators::IN, [value, list]) => {
                let bools = is_in(&value.known, &list.known);
                Outcome::bools(bools.can_be_true, bools.can_be_false, fails)
            }
            (operators::ADD | operators::SUBTRACT | operators::MULTIPLY, [a, b]) => {
                let (AbstractValue::Int(a), AbstractValue::Int(b)) = (&a.known, &b.known) else {
                    return Outcome::ANYTHING;
                };
                let (span, overflows) = Span::computed(function, *a, *b);
                Outcome {
                    known: AbstractValue::Int(span),
                    fails: fails || overflows,
                }
            }
            (_, operands) if is_total_predicate(function, operands) => Outcome::bools(true, true, fails),
            _ => Outcome::ANYTHING,
        }
    }

    fn fold(&mut self, node: NodeId, fold: &Comprehension, depth: usize) -> Outcome<'s> {
        let Some(call) = self.ast.macro_call(self.ast[node].id) else {
            return Outcome::ANYTHING;
        };
        let ExprKind::Call { function, .. } = &self.ast[call].kind else {
            return Outcome::ANYTHING;
        };
        let known = self.variables.len();
        if **function == *"bind" {
            let value = self.part(fold.accu_init, depth);
            self.variables.push((fold.accu_var.clone(), value));
            let result = self.part(fold.result, depth);
            self.variables.truncate(known);
            // `bind` always computes the value, so if the value fails, the whole expression fails.
            return Outcome { fails: true, ..result };
        }
        let range = self.part(fold.iter_range, depth);
        let Some(size) = range.known.size() else {
            return Outcome::ANYTHING;
        };
        if fold.iter_var2.is_some() {
            return Outcome::ANYTHING;
        }
        let predicate = match &self.ast[fold.loop_step].kind {
            ExprKind::Call {
                function: step, args, ..
            } => match (&**function, &**step, &args[..]) {
                ("all", operators::LOGICAL_AND, [_, predicate]) | ("exists", operators::LOGICAL_OR, [_, predicate]) => {
                    *predicate
                }
                ("filter", operators::CONDITIONAL, [_, _, _]) => {
                    return Outcome {
                        known: range.known.with_size(Span {
                            least: 0,
                            most: size.most,
                        }),
                        // The loop condition is not analyzed, so the comprehension may fail.
                        fails: true,
                    };
                }
                _ => return Outcome::ANYTHING,
            },
            _ => return Outcome::ANYTHING,
        };
        let element = range.known.element();
        self.variables.push((fold.iter_var.clone(), Outcome::sure(element)));
        // The predicate cannot use the accumulator.
        let each = self.part(predicate, depth);
        self.variables.truncate(known);
        let bools = each.known.bools();
        let (can_be_empty, has_some) = (size.least <= 0, size.most > 0);
        let fails = range.fails || has_some && each.can_fail_as_bool();
        if **function == *"all" {
            Outcome::bools(can_be_empty || bools.can_be_true, has_some && bools.can_be_false, fails)
        } else {
            Outcome::bools(has_some && bools.can_be_true, can_be_empty || bools.can_be_false, fails)
        }
    }
}

/// Whether a function is a predicate that never fails for operands of its types. Literal patterns are valid, because the rule has compiled.
fn is_total_predicate(function: &str, operands: &[Outcome<'_>]) -> bool {
    let has_literal_pattern = || matches!(operands, [_, pattern] if matches!(&pattern.known, AbstractValue::Text(Some(texts), _) if texts.len() == 1));
    let declarations = declarations(function);
    !declarations.is_empty()
        && declarations
            .iter()
            .all(|it| it.is_predicate() && it.traits.total && (it.traits.pattern.is_none() || has_literal_pattern()))
}

fn not<'s>(it: &Outcome<'_>) -> Outcome<'s> {
    let bools = it.known.bools();
    Outcome::bools(bools.can_be_false, bools.can_be_true, it.can_fail_as_bool())
}

/// The result of `a && b`. A false operand hides an error in the other operand.
fn and<'s>(a: &Outcome<'_>, b: &Outcome<'_>) -> Outcome<'s> {
    let (x, y) = (a.known.bools(), b.known.bools());
    let (a_fails, b_fails) = (a.can_fail_as_bool(), b.can_fail_as_bool());
    let fails = a_fails && (y.can_be_true || b_fails) || b_fails && (x.can_be_true || a_fails);
    Outcome::bools(x.can_be_true && y.can_be_true, x.can_be_false || y.can_be_false, fails)
}

fn select<'s>(operand: &Outcome<'s>, field: &str, test_only: bool, is_asked_for: bool) -> Outcome<'s> {
    let AbstractValue::Object(schema) = &operand.known else {
        return Outcome::ANYTHING;
    };
    let name = unescape(field).unwrap_or(field.into());
    let Some(property) = schema.property(&name) else {
        return Outcome::ANYTHING;
    };
    if property.props().is_never() {
        return if test_only {
            Outcome::bools(false, true, operand.fails)
        } else {
            Outcome::ANYTHING
        };
    }
    let is_sure = schema.props().required.iter().any(|it| **it == *name) || property.default_value().is_some();
    let is_sure = is_sure && !property.nullable();
    if test_only {
        return Outcome::bools(true, !is_sure, operand.fails);
    }
    Outcome {
        known: of_schema(property),
        fails: operand.fails || !is_sure && !is_asked_for,
    }
}
