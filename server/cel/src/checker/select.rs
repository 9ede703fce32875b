//! Type checking of names and field selections (`checkIdent`, `checkSelect`, `checkOptSelect`).

use super::scope::Resolved;
use super::{Checker, Reference};
use crate::ast::operators::OPT_SELECT;
use crate::ast::{Ast, ExprKind, Internal, IssueKind, Literal, NodeId, OptionalSelection};
use crate::types::Type;

impl Checker<'_> {
    pub(super) fn check_ident(&mut self, node: NodeId, name: &str) {
        let Some(found) = self.scopes.resolve(name) else {
            self.set_type(node, Type::Error);
            self.report_undeclared(node, name);
            return;
        };
        self.set_ident(node, found);
    }

    fn set_ident(&mut self, node: NodeId, found: Resolved) {
        self.set_type(node, found.ty);
        self.set_reference(
            node,
            Reference::Ident {
                name: found.name.clone(),
                constant: found.constant,
            },
        );
        self.ast.node_mut(node).kind = ExprKind::Ident(found.name);
    }

    pub(super) fn check_select(&mut self, node: NodeId) {
        if let Some(found) = qualified_name(&self.ast, node).and_then(|parts| self.scopes.resolve_qualified(&parts)) {
            self.set_ident(node, found);
            return;
        }
        let ExprKind::Select {
            operand,
            field,
            test_only,
        } = &self.ast[node].kind
        else {
            return;
        };
        let (operand, field, test_only) = (*operand, field.clone(), *test_only);
        let mut result = self.check_field(node, operand, &field, false);
        if test_only {
            result = Type::Bool;
        }
        let result = self.mapping.substitute(&result, false);
        self.set_type(node, result);
    }

    /// The type of a field of `operand`.
    pub(super) fn check_field(&mut self, node: NodeId, operand: NodeId, field: &str, optional: bool) -> Type {
        self.check(operand);
        let operand_type = self.mapping.substitute(&self.type_of(operand), false);
        let (target, is_optional) = match operand_type.optional_of() {
            Some(inner) => (inner.clone(), true),
            None => (operand_type, false),
        };
        let result = match &target {
            Type::Map(types) => types[1].clone(),
            Type::Struct(name) => self.field_type(self.ast[node].id, name, field).unwrap_or(Type::Error),
            Type::Param(_) | Type::Var(_) => {
                self.mapping.is_assignable(&Type::Dyn, &target);
                Type::Dyn
            }
            other => {
                if !other.is_dyn_or_error() {
                    let of = self.printed(other);
                    self.report(node, IssueKind::NoFields { of });
                }
                Type::Dyn
            }
        };
        if is_optional || optional {
            Type::optional(result)
        } else {
            result
        }
    }

    pub(super) fn field_type(&mut self, id: i64, struct_name: &str, field: &str) -> Option<Type> {
        let types = self.scopes.context.types();
        if types.find_struct_type(struct_name).is_none() {
            let name = struct_name.to_owned();
            self.report_id(id, IssueKind::Internal(Internal::UnknownType { name }));
            return None;
        }
        let found = types.find_field_type(struct_name, field);
        if found.is_none() {
            let kind = IssueKind::UndefinedField {
                field: field.to_owned(),
                of: struct_name.to_owned(),
            };
            self.report_id(id, kind);
        }
        found
    }

    pub(super) fn check_optional_select(&mut self, node: NodeId, target: Option<NodeId>, args: &[NodeId]) {
        let version = self.scopes.context.environment().features().version;
        let &[operand, field] = args else {
            if version.number() >= 34 {
                self.report_signature(node, target.is_some(), args.len());
            }
            return;
        };
        if target.is_some() && version.number() >= 34 {
            self.report_signature(node, true, args.len());
            return;
        }
        let ExprKind::Literal(Literal::String(name)) = &self.ast[field].kind else {
            let printed = format!("{:?}", self.ast[field].kind);
            self.report(
                field,
                IssueKind::OptionalSelection(OptionalSelection::Field { printed }),
            );
            return;
        };
        let name = name.clone();
        let result = self.check_field(node, operand, &name, true);
        let result = self.mapping.substitute(&result, false);
        self.set_type(node, result);
        if let Some(overload) = self
            .scopes
            .function(OPT_SELECT)
            .and_then(|function| function.overloads.first())
        {
            self.set_reference(node, Reference::Function(vec![overload.clone()]));
        }
    }

    fn report_signature(&mut self, node: NodeId, is_method: bool, count: usize) {
        let problem = OptionalSelection::Signature { is_method, count };
        self.report(node, IssueKind::OptionalSelection(problem));
    }
}

/// The parts of a dotted name, if the node is one: an identifier with field selections, but without a presence test.
pub(super) fn qualified_name(ast: &Ast, node: NodeId) -> Option<Vec<&str>> {
    let mut parts = Vec::new();
    let mut at = node;
    loop {
        match &ast[at].kind {
            ExprKind::Ident(name) => {
                parts.push(&**name);
                parts.reverse();
                return Some(parts);
            }
            ExprKind::Select {
                operand,
                field,
                test_only: false,
            } => {
                parts.push(&**field);
                at = *operand;
            }
            _ => return None,
        }
    }
}
