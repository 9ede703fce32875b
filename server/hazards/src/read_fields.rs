//! The fields of the value that an expression reads. A search may overlook a field (`reads`); this list is complete.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crd_analyzer_cel::Context;
use crd_analyzer_cel::ast::{Ast, ExprKind, NodeId};
use crd_analyzer_cel::decls::Role;
use crd_analyzer_cel::types::unescape;

/// The fields that a rule reads of a value. The rule also needs the type of the value itself, even if it reads no field.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReadFields {
    /// Whether the rule may read everything inside the value.
    pub is_whole: bool,
    /// The fields that the rule selects by name. A key of a map may look like a field.
    pub fields: BTreeMap<String, Self>,
}

impl ReadFields {
    /// The fields that an expression reads of the value and of the old value.
    pub(crate) fn of(ast: &Ast, context: &Context) -> Self {
        let mut found = Self::default();
        let mut waiting: Vec<NodeId> = ast.root().into_iter().collect();
        while let Some(node) = waiting.pop() {
            let Some(names) = selected(ast, context, node) else {
                waiting.extend(ast.children(node));
                continue;
            };
            let last = names
                .into_iter()
                .fold(&mut found, |it, name| it.fields.entry(name).or_default());
            // The test whether a field exists looks at its type, but not inside it.
            last.is_whole |= !matches!(ast[node].kind, ExprKind::Select { test_only: true, .. });
        }
        found
    }
}

/// The names of the fields on the way from the value to the part that an expression selects. `None` if the expression is not such a selection.
fn selected(ast: &Ast, context: &Context, node: NodeId) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut at = node;
    loop {
        match &ast[at].kind {
            ExprKind::Select {
                operand,
                field,
                test_only,
            } if at == node || !test_only => {
                names.push(unescape(field).map_or_else(|| field.to_string(), Cow::into_owned));
                at = *operand;
            }
            ExprKind::Ident(name) => {
                let role = context.role(name.trim_start_matches('.'))?;
                names.reverse();
                return matches!(role, Role::Value | Role::OldValue).then_some(names);
            }
            _ => return None,
        }
    }
}
