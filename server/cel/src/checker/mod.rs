//! Type checking (`cel-go` `checker`): what every part of an expression is, which overloads its calls mean, and what is wrong with it.

mod scope;
#[cfg(test)]
mod tests;
mod unify;

use std::sync::Arc;

pub use scope::CheckEnv;
use scope::Scopes;
use unify::{Mapping, instantiate, most_general};

use crate::ast::operators::{LOGICAL_AND, LOGICAL_OR, OPT_SELECT};
use crate::ast::{Ast, ExprKind, Issues, Literal, NodeId, Source};
use crate::decls::{FunctionDecl, OverloadDecl};
use crate::types::{Kind, Type};

/// What a name or a call in a checked expression means.
#[derive(Clone, Debug)]
pub enum Reference {
    /// A variable, type or constant.
    Ident {
        /// Its full name.
        name: Arc<str>,
        /// The value of an enum constant.
        constant: Option<i64>,
    },
    /// A function, with the overloads that fit what is known of the arguments.
    Function(Vec<Arc<OverloadDecl>>),
}

/// An expression that has types.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The tree. Names in it are full ones, and a call of a function with a dotted name has no target.
    pub ast: Ast,
    types: Vec<Option<Type>>,
    references: Vec<Option<Reference>>,
}

impl Checked {
    /// The type of the expression with this id; `dyn` for one that was not checked.
    pub fn type_of_id(&self, id: i64) -> &Type {
        usize::try_from(id)
            .ok()
            .and_then(|at| self.types.get(at)?.as_ref())
            .unwrap_or(&Type::Dyn)
    }

    /// The type of a node.
    pub fn type_of(&self, node: NodeId) -> &Type {
        self.type_of_id(self.ast[node].id)
    }

    /// What a node means.
    pub fn reference(&self, node: NodeId) -> Option<&Reference> {
        self.references.get(usize::try_from(self.ast[node].id).ok()?)?.as_ref()
    }

    /// The overloads that a call may mean; none if it is no call.
    pub fn overloads(&self, node: NodeId) -> &[Arc<OverloadDecl>] {
        match self.reference(node) {
            Some(Reference::Function(overloads)) => overloads,
            _ => &[],
        }
    }

    /// The type of the whole expression.
    pub fn output_type(&self) -> &Type {
        self.ast.root().map_or(&Type::Dyn, |root| self.type_of(root))
    }

    /// Whether the expression names this variable.
    pub fn uses_variable(&self, variable: &str) -> bool {
        self.references
            .iter()
            .flatten()
            .any(|reference| matches!(reference, Reference::Ident { name, .. } if **name == *variable))
    }
}

/// Checks an expression. The positions of problems are those of `source`.
pub fn check(ast: Ast, source: &Source, env: CheckEnv<'_>) -> Result<Checked, Issues> {
    let features = *env.environment.features();
    let mut checker = Checker {
        ast,
        source,
        scopes: Scopes::new(env),
        mapping: Mapping::new(features.version.number() >= 31),
        types: Vec::new(),
        references: Vec::new(),
        issues: Issues::new(),
        depth: 0,
    };
    if let Some(root) = checker.ast.root() {
        checker.check(root);
    }
    if !checker.issues.is_empty() {
        return Err(checker.issues);
    }
    let Checker {
        ast,
        mapping,
        mut types,
        references,
        ..
    } = checker;
    for ty in types.iter_mut().flatten() {
        *ty = mapping.substitute(ty, true);
    }
    Ok(Checked { ast, types, references })
}

/// Deeper trees are refused, so that no input overflows the stack. The parser's own limit is far below.
const MAX_DEPTH: usize = 4000;

struct Checker<'a> {
    ast: Ast,
    source: &'a Source,
    scopes: Scopes<'a>,
    mapping: Mapping,
    types: Vec<Option<Type>>,
    references: Vec<Option<Reference>>,
    issues: Issues,
    depth: usize,
}

impl Checker<'_> {
    fn check(&mut self, node: NodeId) {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.report(node, "expression is nested too deep");
            self.set_type(node, Type::Error);
            self.depth -= 1;
            return;
        }
        match &self.ast[node].kind {
            ExprKind::Unspecified => self.report(node, "unexpected unspecified type: expr"),
            ExprKind::Literal(literal) => {
                let ty = match literal {
                    Literal::Null => Type::Null,
                    Literal::Bool(_) => Type::Bool,
                    Literal::Int(_) => Type::Int,
                    Literal::Uint(_) => Type::Uint,
                    Literal::Double(_) => Type::Double,
                    Literal::String(_) => Type::String,
                    Literal::Bytes(_) => Type::Bytes,
                };
                self.set_type(node, ty);
            }
            ExprKind::Ident(name) => {
                let name = name.clone();
                self.check_ident(node, &name);
            }
            ExprKind::Select { .. } => self.check_select(node),
            ExprKind::Call { .. } => self.check_call(node),
            ExprKind::List { .. } => self.check_list(node),
            ExprKind::Map { .. } => self.check_map(node),
            ExprKind::Struct { .. } => self.check_struct(node),
            ExprKind::Comprehension(_) => self.check_comprehension(node),
        }
        self.depth -= 1;
    }

    fn check_ident(&mut self, node: NodeId, name: &str) {
        let Some(found) = self.scopes.resolve(name) else {
            self.set_type(node, Type::Error);
            self.report_undeclared(node, name);
            return;
        };
        self.set_ident(node, found);
    }

    fn set_ident(&mut self, node: NodeId, found: scope::Resolved) {
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

    fn check_select(&mut self, node: NodeId) {
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
    fn check_field(&mut self, node: NodeId, operand: NodeId, field: &str, optional: bool) -> Type {
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
                    let message = format!("type '{}' does not support field selection", self.printed(other));
                    self.report(node, message);
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

    fn field_type(&mut self, id: i64, struct_name: &str, field: &str) -> Option<Type> {
        let types = self.scopes.env.types;
        if types.find_struct_type(struct_name).is_none() {
            self.report_id(id, format!("unexpected failed resolution of '{struct_name}'"));
            return None;
        }
        let found = types.find_field_type(struct_name, field);
        if found.is_none() {
            self.report_id(id, format!("undefined field '{field}'"));
        }
        found
    }

    fn check_optional_select(&mut self, node: NodeId, target: Option<NodeId>, args: &[NodeId]) {
        let version = self.scopes.env.environment.features().version;
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
            let message = format!("unsupported optional field selection: {:?}", self.ast[field].kind);
            self.report(field, message);
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

    fn report_signature(&mut self, node: NodeId, member: bool, count: usize) {
        let member = if member { " member call with" } else { "" };
        self.report(
            node,
            format!("unsupported optional field selection: incorrect signature.{member} argument count: {count}"),
        );
    }

    fn check_call(&mut self, node: NodeId) {
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

    fn resolve_overload(&mut self, node: NodeId, function: &FunctionDecl, target: Option<NodeId>, args: &[NodeId]) {
        match self.find_overload(node, function, target, args) {
            Some((ty, overloads)) => {
                self.set_type(node, ty);
                self.set_reference(node, Reference::Function(overloads));
            }
            None => self.set_type(node, Type::Error),
        }
    }

    fn find_overload(
        &mut self,
        node: NodeId,
        function: &FunctionDecl,
        target: Option<NodeId>,
        args: &[NodeId],
    ) -> Option<(Type, Vec<Arc<OverloadDecl>>)> {
        let arg_types: Vec<Type> = target.iter().chain(args).map(|arg| self.type_of(*arg)).collect();
        let mixed_numbers = self.scopes.env.environment.features().cross_type_numeric_comparisons;
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
            let message = format!(
                "found no matching overload for '{}' applied to '{signature}'",
                function.name
            );
            self.report(node, message);
        }
        result.map(|result| (result, found))
    }

    fn check_logical(&mut self, arg_types: &[Type], args: &[NodeId]) -> bool {
        let mut ok = true;
        for (ty, arg) in arg_types.iter().zip(args) {
            if !self.mapping.is_assignable(ty, &Type::Bool) {
                self.report_mismatch(*arg, &Type::Bool, ty);
                ok = false;
            }
        }
        ok
    }

    fn check_list(&mut self, node: NodeId) {
        let ExprKind::List {
            elements,
            optional_indices,
        } = &self.ast[node].kind
        else {
            return;
        };
        let (elements, optional_indices) = (elements.clone(), optional_indices.clone());
        let mut joined: Option<Type> = None;
        for (at, element) in elements.into_iter().enumerate() {
            self.check(element);
            let mut ty = self.type_of(element);
            if optional_indices.binary_search(&(at as u32)).is_ok() {
                ty = self.unwrap_optional(element, ty);
            }
            joined = Some(self.join(element, joined, ty));
        }
        let element = joined.unwrap_or_else(|| self.mapping.fresh());
        self.set_type(node, Type::list(element));
    }

    fn check_map(&mut self, node: NodeId) {
        let ExprKind::Map { entries } = &self.ast[node].kind else {
            return;
        };
        let entries: Vec<_> = entries
            .iter()
            .map(|entry| (entry.key, entry.value, entry.optional))
            .collect();
        let (mut key_type, mut value_type) = (None, None);
        for (key, value, optional) in entries {
            self.check(key);
            let ty = self.type_of(key);
            key_type = Some(self.join(key, key_type, ty));
            self.check(value);
            let mut ty = self.type_of(value);
            if optional {
                ty = self.unwrap_optional(value, ty);
            }
            value_type = Some(self.join(value, value_type, ty));
        }
        let key = key_type.unwrap_or_else(|| self.mapping.fresh());
        let value = value_type.unwrap_or_else(|| self.mapping.fresh());
        self.set_type(node, Type::map(key, value));
    }

    /// What an optional element, entry or field wraps.
    fn unwrap_optional(&mut self, node: NodeId, ty: Type) -> Type {
        if let Some(inner) = ty.optional_of() {
            return inner.clone();
        }
        if !ty.is_dyn() {
            self.report_mismatch(node, &Type::optional(ty.clone()), &ty);
        }
        ty
    }

    /// The type of elements of which some are `previous` and this one is `current`.
    fn join(&mut self, node: NodeId, previous: Option<Type>, current: Type) -> Type {
        let Some(previous) = previous else { return current };
        if self.mapping.is_assignable(&previous, &current) {
            return most_general(&previous, &current).clone();
        }
        if !self.scopes.env.environment.features().homogeneous_aggregate_literals {
            return Type::Dyn;
        }
        self.report_mismatch(node, &previous, &current);
        Type::Error
    }

    fn check_struct(&mut self, node: NodeId) {
        let ExprKind::Struct { type_name, fields } = &self.ast[node].kind else {
            return;
        };
        let type_name = type_name.clone();
        let fields: Vec<_> = fields
            .iter()
            .map(|field| (field.id, field.name.clone(), field.value, field.optional))
            .collect();
        let Some(found) = self.scopes.resolve_type(&type_name) else {
            self.report_undeclared(node, &type_name);
            self.set_type(node, Type::Error);
            return;
        };
        let mut name = found.name.clone();
        if let ExprKind::Struct { type_name, .. } = &mut self.ast.node_mut(node).kind {
            *type_name = name.clone();
        }
        self.set_reference(
            node,
            Reference::Ident {
                name: name.clone(),
                constant: None,
            },
        );
        let mut result = Type::Error;
        match &found.ty {
            Type::Error => {}
            Type::Type(Some(of)) => {
                if let Some(known) = well_known_name(of) {
                    name = known.into();
                    result = (**of).clone();
                } else if let Type::Struct(of_name) = &**of {
                    name = of_name.clone();
                    result = (**of).clone();
                } else {
                    self.report(node, format!("'{}' is not a message type", of.declared_name()));
                }
            }
            other => self.report(node, format!("'{}' is not a type", other.declared_name())),
        }
        self.set_type(node, result);
        for (id, field, value, optional) in fields {
            self.check(value);
            let field_type = self.field_type(id, &name, &field).unwrap_or(Type::Error);
            let mut value_type = self.type_of(value);
            if optional {
                value_type = self.unwrap_optional(value, value_type);
            }
            if !self.mapping.is_assignable(&field_type, &value_type) {
                let message = format!(
                    "expected type of field '{field}' is '{}' but provided type is '{}'",
                    self.printed(&field_type),
                    self.printed(&value_type)
                );
                self.report_id(id, message);
            }
        }
    }

    fn check_comprehension(&mut self, node: NodeId) {
        let ExprKind::Comprehension(comprehension) = &self.ast[node].kind else {
            return;
        };
        let fold = comprehension.clone();
        self.check(fold.iter_range);
        self.check(fold.accu_init);
        let range = self.mapping.substitute(&self.type_of(fold.iter_range), false);
        let accu = self.type_of(fold.accu_init);
        self.scopes.enter(fold.accu_var.clone(), accu.clone());
        // 1.32 forgot to give the second variable a type where there is no range to take it from.
        let untyped = self.scopes.env.environment.features().version.number() <= 32;
        let second_of = |ty: Type| if untyped { Type::opaque("", Vec::new()) } else { ty };
        let (first, second) = match &range {
            Type::List(element) if fold.iter_var2.is_some() => (Type::Int, (**element).clone()),
            Type::List(element) => ((**element).clone(), Type::Dyn),
            Type::Map(types) => (types[0].clone(), types[1].clone()),
            Type::Dyn | Type::Error | Type::Param(_) | Type::Var(_) => {
                self.mapping.is_assignable(&Type::Dyn, &range);
                (Type::Dyn, second_of(Type::Dyn))
            }
            other => {
                let message = format!(
                    "expression of type '{}' cannot be range of a comprehension (must be list, map, or dynamic)",
                    self.printed(other)
                );
                self.report(fold.iter_range, message);
                (Type::Error, second_of(Type::Error))
            }
        };
        self.scopes.enter(fold.iter_var.clone(), first);
        let mut entered = 1;
        if let Some(second_var) = &fold.iter_var2 {
            self.scopes.enter(second_var.clone(), second);
            entered += 1;
        }
        self.check(fold.loop_condition);
        self.assert_type(fold.loop_condition, &Type::Bool);
        self.check(fold.loop_step);
        self.assert_type(fold.loop_step, &accu);
        self.scopes.leave(entered);
        self.check(fold.result);
        self.scopes.leave(1);
        let result = self.mapping.substitute(&self.type_of(fold.result), false);
        self.set_type(node, result);
    }

    fn assert_type(&mut self, node: NodeId, expected: &Type) {
        let actual = self.type_of(node);
        if !self.mapping.is_assignable(expected, &actual) {
            self.report_mismatch(node, expected, &actual);
        }
    }

    fn type_of(&self, node: NodeId) -> Type {
        let at = usize::try_from(self.ast[node].id).ok();
        at.and_then(|at| self.types.get(at)?.clone()).unwrap_or(Type::Error)
    }

    fn set_type(&mut self, node: NodeId, ty: Type) {
        let id = self.ast[node].id;
        let Ok(at) = usize::try_from(id) else { return };
        if at >= self.types.len() {
            self.types.resize(at + 1, None);
        }
        match &self.types[at] {
            Some(old) if !old.is_exact(&ty) => {
                let message = format!(
                    "incompatible type already exists for expression: ({id}) old:{}, new:{}",
                    self.printed(old),
                    self.printed(&ty)
                );
                self.report(node, message);
            }
            _ => self.types[at] = Some(ty),
        }
    }

    fn set_reference(&mut self, node: NodeId, reference: Reference) {
        let Ok(at) = usize::try_from(self.ast[node].id) else {
            return;
        };
        if at >= self.references.len() {
            self.references.resize(at + 1, None);
        }
        self.references[at] = Some(reference);
    }

    /// A type as this version prints it: the first servers that had optional types called them `optional`.
    fn printed(&self, ty: &Type) -> String {
        let printed = ty.to_string();
        if self.scopes.env.environment.features().version.number() <= 30 {
            return printed.replace("optional_type(", "optional(");
        }
        printed
    }

    fn report(&mut self, node: NodeId, message: impl Into<String>) {
        self.report_id(self.ast[node].id, message);
    }

    fn report_id(&mut self, id: i64, message: impl Into<String>) {
        let location = self.ast.source_info.location(self.source, id);
        self.issues.report(id, location, message);
    }

    fn report_undeclared(&mut self, node: NodeId, name: &str) {
        let message = format!(
            "undeclared reference to '{name}' (in container '{}')",
            self.scopes.env.container.name()
        );
        self.report(node, message);
    }

    fn report_mismatch(&mut self, node: NodeId, expected: &Type, actual: &Type) {
        let message = format!(
            "expected type '{}' but found '{}'",
            self.printed(expected),
            self.printed(actual)
        );
        self.report(node, message);
    }
}

/// The parts of a name with dots, if the node is one: an identifier and fields of it, none of them tested for presence.
fn qualified_name(ast: &Ast, node: NodeId) -> Option<Vec<&str>> {
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

/// Whether an overload compares numbers of different types.
fn is_mixed_comparison(function: &FunctionDecl, overload: &OverloadDecl) -> bool {
    use crate::ast::operators::{GREATER, GREATER_EQUALS, LESS, LESS_EQUALS};
    matches!(&*function.name, LESS | LESS_EQUALS | GREATER | GREATER_EQUALS)
        && overload.params.len() == 2
        && overload.params[0] != overload.params[1]
}

/// The name of the protobuf message that a type stands for, if it does.
fn well_known_name(ty: &Type) -> Option<&'static str> {
    Some(match ty {
        Type::Any => "google.protobuf.Any",
        Type::Timestamp => "google.protobuf.Timestamp",
        Type::Duration => "google.protobuf.Duration",
        Type::Dyn => "google.protobuf.Value",
        Type::Null => "google.protobuf.NullValue",
        Type::List(element) if **element == Type::Dyn => "google.protobuf.ListValue",
        Type::Map(types) if types[0] == Type::String && types[1] == Type::Dyn => "google.protobuf.Struct",
        Type::Wrapper(of) => match of.kind() {
            Kind::Bool => "google.protobuf.BoolValue",
            Kind::Bytes => "google.protobuf.BytesValue",
            Kind::Double => "google.protobuf.DoubleValue",
            Kind::Int => "google.protobuf.Int64Value",
            Kind::String => "google.protobuf.StringValue",
            Kind::Uint => "google.protobuf.UInt64Value",
            _ => return None,
        },
        _ => return None,
    })
}
