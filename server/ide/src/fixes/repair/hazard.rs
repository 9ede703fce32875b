//! Guards for rules that can fail. A guard is a condition that first tests whether a value can be used.

use std::{collections::HashMap, ops::Range};

use crd_analyzer_cel::{
    KubernetesVersion,
    ast::{Ast, ExprKind, NodeId, Source, operators},
    library::declarations,
    parser::{Extents, ParseOptions, TokenClass, macros::MACROS, parse},
};
use crd_analyzer_syntax::tree::{NodeKind, ScalarStyle, Span};
use crd_analyzer_workspace::judging::hazards::codes;

use super::{
    super::edits::{Value, add_item, put},
    At, Repair,
};
use crate::{
    cel::{Expression, Meaning, cel_at},
    fixes::TextEdit,
    schema::child,
    write,
};

/// Fixes for a rule that fails on some values because it does not test them first. Fixes that make the rule accept such values come first.
pub(super) fn guards(at: &At<'_>, found: &mut Vec<Repair>) {
    let Some(place) = cel_at(at.document, at.problem.span.start, KubernetesVersion::NEWEST) else {
        return;
    };
    let Some(rule) = Rule::new(&place.expression) else {
        return;
    };
    let Some((id, bytes)) = rule.part(&at.problem) else {
        return;
    };
    for guard in rule.guard(id, &bytes, at.problem.code) {
        let Some(scope) = rule.scope(&bytes) else { continue };
        if let Some(edits) = rule.guarded(&scope, &guard) {
            found.push(Repair::new(
                format!("Guard with {} {} …", guard.text, guard.operator),
                edits,
            ));
        }
    }
    if at.problem.code == codes::OPTIONAL_FIELD_READ {
        found.extend(required(at, &place.expression, &bytes));
    }
}

/// A fix that adds a field to `required`, namely the one that a part of the expression reads.
fn required(at: &At<'_>, expression: &Expression<'_>, part: &Range<usize>) -> Option<Repair> {
    let tree = at.tree;
    let token = expression.tokens.iter().position(|it| it.end as usize == part.end)?;
    let Some(Meaning::Field {
        property: Some(property),
        ..
    }) = expression.meaning(token)
    else {
        return None;
    };
    let key = property.key?;
    let name = tree.scalar(key).into_owned();
    let schema = tree.parent(tree.parent(key)?)?;
    let edit = match child(tree, schema, "required") {
        Some(list) => add_item(tree, list, &name),
        None => at.insert(schema, "required", &Value::List(vec![name.clone()])),
    };
    Repair::one(format!("List {name} in required"), edit)
}

/// A condition to insert before another condition.
struct Guard {
    /// The text of the condition.
    text: String,
    /// The operator between the guard and the condition after it: `||` or `&&`.
    operator: &'static str,
}

/// The part of the expression before which a guard is inserted.
struct Scope {
    bytes: Range<usize>,
    /// The name of the macro, if the part is a comprehension's condition.
    of_fold: Option<String>,
    /// Whether the part needs parentheses after `||`, and whether it needs them after `&&`.
    needs_parentheses: (bool, bool),
}

/// The function that tests whether a call of the given function succeeds.
fn asks(function: &str) -> Option<&'static str> {
    declarations(function).iter().find_map(|it| it.traits.guard)
}

struct Rule<'e, 'd> {
    expression: &'e Expression<'d>,
    ast: Ast,
    extents: HashMap<i64, Range<usize>>,
    nodes: HashMap<i64, NodeId>,
}

impl<'e, 'd> Rule<'e, 'd> {
    fn new(expression: &'e Expression<'d>) -> Option<Self> {
        let source = Source::new(expression.text());
        let newest = KubernetesVersion::NEWEST;
        let parsed = parse(&source, &ParseOptions::kubernetes(newest, newest));
        if !parsed.issues.is_empty() {
            return None;
        }
        let mut nodes = HashMap::new();
        for (node, expression) in parsed.ast.nodes() {
            nodes.entry(expression.id).or_insert(node);
        }
        Some(Self {
            expression,
            extents: Extents::new(&source).all(&parsed.ast),
            ast: parsed.ast,
            nodes,
        })
    }

    /// The part of the expression at which a finding is shown.
    fn part(&self, problem: &crate::fixes::Problem) -> Option<(i64, Range<usize>)> {
        let is_shown = |bytes: &Range<usize>| self.expression.span(bytes.clone()) == problem.span;
        let mut parts: Vec<_> = self.extents.iter().filter(|it| is_shown(it.1)).collect();
        parts.sort_by_key(|it| *it.0);
        let (id, bytes) = parts.into_iter().max_by_key(|it| *it.0)?;
        Some((*id, bytes.clone()))
    }

    fn text(&self, id: i64) -> Option<&str> {
        self.expression.text().get(self.extents.get(&id)?.clone())
    }

    fn text_of(&self, node: NodeId) -> Option<String> {
        let text = self.text(self.ast[node].id)?;
        // Write the guard on one line.
        Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// The guards for a part, the most likely one first.
    fn guard(&self, id: i64, bytes: &Range<usize>, code: &str) -> Vec<Guard> {
        let Some(node) = self.nodes.get(&id) else {
            return Vec::new();
        };
        let (kind, whole) = (&self.ast[*node].kind, self.text_of(*node).unwrap_or_default());
        let either = |positive: String, negative: String| {
            let (or, and) = (
                Guard {
                    text: negative,
                    operator: "||",
                },
                Guard {
                    text: positive,
                    operator: "&&",
                },
            );
            vec![or, and]
        };
        let args = match kind {
            ExprKind::Call { args, .. } => &args[..],
            _ => &[],
        };
        let text = |node: Option<&NodeId>| node.and_then(|it| self.text_of(*it)).unwrap_or_default();
        let (first, second) = (text(args.first()), text(args.get(1)));
        match (code, kind) {
            (codes::OPTIONAL_FIELD_READ | codes::ABSENT_MAP_KEY, ExprKind::Select { test_only: false, .. }) => {
                either(format!("has({whole})"), format!("!has({whole})"))
            }
            (
                codes::OPTIONAL_FIELD_READ | codes::OLD_SELF_ON_CREATE,
                ExprKind::Call {
                    function,
                    target: Some(target),
                    ..
                },
            ) if let Some(asks) = asks(function) => {
                let target = self.text_of(*target).unwrap_or_default();
                either(format!("{target}.{asks}()"), format!("!{target}.{asks}()"))
            }
            (codes::ABSENT_MAP_KEY, ExprKind::Call { function, .. }) if **function == *operators::INDEX => {
                either(format!("{second} in {first}"), format!("!({second} in {first})"))
            }
            (codes::UNGUARDED_INDEX, ExprKind::Call { function, .. }) if **function == *operators::INDEX => either(
                format!("size({first}) > {second}"),
                format!("size({first}) <= {second}"),
            ),
            (codes::DIVISION_BY_ZERO, ExprKind::Call { .. }) => {
                either(format!("{second} != 0"), format!("{second} == 0"))
            }
            (
                codes::RULE_CAN_FAIL,
                ExprKind::Call {
                    function,
                    target: None,
                    args,
                },
            ) if args.len() == 1 => {
                let Some(asks) = asks(function) else {
                    return Vec::new();
                };
                let mut guards = either(format!("{asks}({first})"), format!("!{asks}({first})"));
                // The rule should not accept a value that is not a quantity, so the guard that rejects it comes first.
                guards.reverse();
                guards
            }
            _ => {
                debug_assert!(!bytes.is_empty(), "a part is written somewhere");
                Vec::new()
            }
        }
    }

    /// The scope for a guard. It is the condition of the innermost comprehension whose variable the part uses, otherwise the whole expression.
    fn scope(&self, bytes: &Range<usize>) -> Option<Scope> {
        let text = self.expression.text();
        let mut innermost: Option<(Range<usize>, NodeId, String, bool)> = None;
        for (_, call) in self.ast.macro_calls() {
            let ExprKind::Call { function, args, .. } = &self.ast[*call].kind else {
                continue;
            };
            let (Some(variable), Some(last)) = (args.first(), args.last()) else {
                continue;
            };
            let ExprKind::Ident(variable) = &self.ast[*variable].kind else {
                continue;
            };
            let Some(condition) = self.extents.get(&self.ast[*last].id) else {
                continue;
            };
            let is_inside = condition.start <= bytes.start && bytes.end <= condition.end;
            let is_named = self.names(bytes, variable);
            let is_smaller = innermost.as_ref().is_none_or(|it| condition.len() < it.0.len());
            if is_inside && is_named && is_smaller {
                let is_condition = MACROS
                    .iter()
                    .any(|it| it.name == &**function && it.parameters.len() == args.len() && it.is_predicate());
                innermost = Some((condition.clone(), *last, function.to_string(), is_condition));
            }
        }
        match innermost {
            Some((.., false)) => None,
            Some((condition, node, function, true)) => Some(Scope {
                bytes: condition,
                needs_parentheses: self.needs_parentheses(node),
                of_fold: Some(function),
            }),
            None => {
                let start = text.len() - text.trim_start().len();
                Some(Scope {
                    bytes: start..text.trim_end().len(),
                    needs_parentheses: self.needs_parentheses(self.ast.root()?),
                    of_fold: None,
                })
            }
        }
    }

    /// Whether a part of the expression uses a variable.
    fn names(&self, bytes: &Range<usize>, variable: &str) -> bool {
        let text = self.expression.text();
        let mut after_dot = false;
        for token in &self.expression.tokens {
            let is_inside = bytes.start <= token.start as usize && token.end as usize <= bytes.end;
            if is_inside && !after_dot && token.class == TokenClass::Identifier && token.text(text) == variable {
                return true;
            }
            after_dot = token.class == TokenClass::Dot;
        }
        false
    }

    fn needs_parentheses(&self, node: NodeId) -> (bool, bool) {
        let node = self.nodes.get(&self.ast[node].id).copied().unwrap_or(node);
        match &self.ast[node].kind {
            ExprKind::Call { function, .. } => {
                let is_conditional = **function == *operators::CONDITIONAL;
                (is_conditional, is_conditional || **function == *operators::LOGICAL_OR)
            }
            _ => (false, false),
        }
    }

    /// The edits that insert a guard before a scope.
    fn guarded(&self, scope: &Scope, guard: &Guard) -> Option<Vec<TextEdit>> {
        // In `exists` or `filter`, an element without the value should not match just because the value is missing.
        if guard.operator == "||" && scope.of_fold.as_ref().is_some_and(|it| it != "all") {
            return None;
        }
        let needs = if guard.operator == "||" {
            scope.needs_parentheses.0
        } else {
            scope.needs_parentheses.1
        };
        let (open, close) = if needs { ("(", ")") } else { ("", "") };
        let before = format!("{} {} {open}", guard.text, guard.operator);
        self.surrounded(&scope.bytes, &before, close)
    }

    /// The edits that insert text before and after a part. The text is escaped for the scalar's quotes, or the scalar gets quotes.
    fn surrounded(&self, bytes: &Range<usize>, before: &str, behind: &str) -> Option<Vec<TextEdit>> {
        let Expression { tree, place, .. } = self.expression;
        let scalar = place.scalar;
        let insert = |at: u32, text: String| put(Span::new(at, at), text);
        let at = self.expression.span(bytes.clone());
        let (first, last) = (at.start, at.end);
        let (before, behind) = (write::piece(tree, scalar, before)?, write::piece(tree, scalar, behind)?);
        let whole = tree.span(scalar);
        let is_plain = tree.kind(scalar) == NodeKind::Scalar(ScalarStyle::Plain);
        let begins = before.starts_with(|c: char| c.is_ascii_alphanumeric());
        let mut edits = Vec::new();
        if is_plain && first == whole.start && !begins {
            let quoted = |text: &str| text.replace('\'', "''");
            edits.push(insert(first, format!("'{}", quoted(&before))));
            let source = &tree.text()[whole.range()];
            let quotes = source.match_indices('\'').map(|(at, _)| whole.start + at as u32);
            edits.extend(quotes.map(|at| insert(at, "'".to_owned())));
            edits.push(insert(last, quoted(&behind)));
            edits.push(insert(whole.end, "'".to_owned()));
        } else {
            edits.push(insert(first, before));
            edits.push(insert(last, behind));
        }
        edits.retain(|it| !it.new_text.is_empty());
        Some(edits)
    }
}
