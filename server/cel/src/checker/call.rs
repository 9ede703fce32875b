//! Type checking of calls, and the choice of their overloads (`checkCall`, `resolveOverload`).

use std::sync::Arc;

use super::select::qualified_name;
use super::unify::instantiate;
use super::{Checker, Reference};
use crate::ast::operators::{GREATER, GREATER_EQUALS, LESS, LESS_EQUALS, LOGICAL_AND, LOGICAL_OR, OPT_SELECT};
use crate::ast::{ExprKind, IssueKind, NodeId};
use crate::decls::{FunctionDecl, OverloadDecl};
use crate::types::Type;

impl Checker<'_> {
    pub(super) fn check_call(&mut self, node: NodeId) {
        let ExprKind::Call { function, target, args } = &self.ast[node].kind else {
            return;
        };
        let (function, target, args) = (function.clone(), *target, args.clone());
        if *function == *OPT_SELECT {
            self.check_optional_select(node, target, &args);
            return;
        }
        for arg in &args {
            self.check(*arg);
        }
        let Some(target) = target else {
            let Some(declared) = self.scopes.function(&function) else {
                self.report_undeclared(node, &function);
                self.set_type(node, Type::Error);
                return;
            };
            self.rename_call(node, declared);
            self.resolve_overload(node, declared, None, &args);
            return;
        };
        // `a.b.c()` is either the function `a.b.c` or the method `c` of `a.b`.
        let qualified = qualified_name(&self.ast, target).filter(|parts| parts.len() < 16);
        if let Some(parts) = qualified
            && let Some(declared) = self.scopes.function(&format!("{}.{function}", parts.join(".")))
        {
            self.rename_call(node, declared);
            self.resolve_overload(node, declared, None, &args);
            return;
        }
        self.check(target);
        if let Some(declared) = self.scopes.function(&function) {
            self.resolve_overload(node, declared, Some(target), &args);
            return;
        }
        self.set_type(node, Type::Error);
        self.report_undeclared(node, &function);
    }

    fn rename_call(&mut self, node: NodeId, declared: &FunctionDecl) {
        if let ExprKind::Call { function, target, .. } = &mut self.ast.node_mut(node).kind {
            *function = declared.name.clone();
            *target = None;
        }
    }

    pub(super) fn resolve_overload(
        &mut self,
        node: NodeId,
        function: &FunctionDecl,
        target: Option<NodeId>,
        args: &[NodeId],
    ) {
        match self.find_overload(node, function, target, args) {
            Some((ty, overloads)) => {
                self.set_type(node, ty);
                self.set_reference(node, Reference::Function(overloads));
            }
            None => self.set_type(node, Type::Error),
        }
    }

    pub(super) fn find_overload(
        &mut self,
        node: NodeId,
        function: &FunctionDecl,
        target: Option<NodeId>,
        args: &[NodeId],
    ) -> Option<(Type, Vec<Arc<OverloadDecl>>)> {
        let arg_types: Vec<Type> = target.iter().chain(args).map(|arg| self.type_of(*arg)).collect();
        let mixed_numbers = self
            .scopes
            .context
            .environment()
            .features()
            .cross_type_numeric_comparisons;
        let logical = matches!(&*function.name, LOGICAL_AND | LOGICAL_OR);
        let mut result: Option<Type> = None;
        let mut found = Vec::new();
        for overload in &function.overloads {
            if overload.member != target.is_some() || (!mixed_numbers && is_mixed_comparison(function, overload)) {
                continue;
            }
            if logical {
                return self
                    .check_logical(&arg_types, args)
                    .then(|| (Type::Bool, vec![overload.clone()]));
            }
            let vars: Vec<Type> = overload.type_params.iter().map(|_| self.mapping.fresh()).collect();
            let accepts = if vars.is_empty() {
                self.mapping.is_assignable_list(&arg_types, &overload.params)
            } else {
                let params: Vec<_> = overload
                    .params
                    .iter()
                    .map(|ty| instantiate(ty, &overload.type_params, &vars))
                    .collect();
                self.mapping.is_assignable_list(&arg_types, &params)
            };
            if !accepts {
                continue;
            }
            found.push(overload.clone());
            let returned = self
                .mapping
                .substitute(&instantiate(&overload.result, &overload.type_params, &vars), false);
            match &result {
                None => result = Some(returned),
                Some(first) if !first.is_dyn() && !returned.is_exact(first) => result = Some(Type::Dyn),
                Some(_) => {}
            }
        }
        if result.is_none() {
            let mut printed = arg_types
                .iter()
                .map(|ty| self.printed(&self.mapping.substitute(ty, true)));
            let mut signature = String::new();
            if target.is_some() {
                signature.push_str(&printed.next().unwrap_or_default());
                signature.push('.');
            }
            let rest: Vec<_> = printed.collect();
            signature = format!("{signature}({})", rest.join(", "));
            let kind = IssueKind::NoMatchingOverload {
                function: function.name.to_string(),
                operands: signature,
            };
            self.report(node, kind);
        }
        result.map(|result| (result, found))
    }

    pub(super) fn check_logical(&mut self, arg_types: &[Type], args: &[NodeId]) -> bool {
        let mut ok = true;
        for (ty, arg) in arg_types.iter().zip(args) {
            if !self.mapping.is_assignable(ty, &Type::Bool) {
                self.report_mismatch(*arg, &Type::Bool, ty);
                ok = false;
            }
        }
        ok
    }
}

/// Whether an overload compares numbers of different types.
fn is_mixed_comparison(function: &FunctionDecl, overload: &OverloadDecl) -> bool {
    matches!(&*function.name, LESS | LESS_EQUALS | GREATER | GREATER_EQUALS)
        && overload.params.len() == 2
        && overload.params[0] != overload.params[1]
}
