//! Type assignability, and the substitutions of an expression's type variables (`cel-go` `checker/types.go`, `mapping.go`).

use std::collections::HashMap;
use std::sync::Arc;

use crd_analyzer_budget as budget;

use crate::types::{Kind, TYPE_WORK, Type};

/// The substitutions of type variables found so far. A failed attempt leaves them unchanged.
#[derive(Debug, Default)]
pub(super) struct Mapping {
    /// Substitutions of free variables, by number.
    vars: Vec<Option<Type>>,
    /// Substitutions of the type parameters of declared variables, by name.
    params: Vec<(Arc<str>, Type)>,
    /// The substitutions that the current attempt has changed, with the previous values, for undoing the attempt.
    trail: Vec<(Type, Option<Type>)>,
    /// Whether the occurs check also searches `type(T)` (since cel-go 0.20).
    search_types: bool,
}

impl Mapping {
    /// Creates a mapping without substitutions.
    pub(super) fn new(search_types: bool) -> Self {
        Self {
            search_types,
            ..Self::default()
        }
    }

    /// Creates a new free variable.
    pub(super) fn fresh(&mut self) -> Type {
        self.vars.push(None);
        Type::Var(self.vars.len() as u32 - 1)
    }

    fn find(&self, ty: &Type) -> Option<&Type> {
        match ty {
            Type::Var(n) => self.vars.get(*n as usize)?.as_ref(),
            Type::Param(name) => self.params.iter().find(|(known, _)| known == name).map(|(_, ty)| ty),
            _ => None,
        }
    }

    fn set(&mut self, from: &Type, to: Option<Type>) -> Option<Type> {
        match from {
            Type::Var(n) => self
                .vars
                .get_mut(*n as usize)
                .and_then(|slot| std::mem::replace(slot, to)),
            Type::Param(name) => {
                let before = self
                    .params
                    .iter()
                    .position(|(known, _)| known == name)
                    .map(|at| self.params.swap_remove(at).1);
                if let Some(to) = to {
                    self.params.push((name.clone(), to));
                }
                before
            }
            _ => None,
        }
    }

    fn add(&mut self, from: &Type, to: Type) {
        let before = self.set(from, Some(to));
        self.trail.push((from.clone(), before));
    }

    /// Whether a value of `from` can be used as `to`. On success, the resulting substitutions are kept.
    pub(super) fn is_assignable(&mut self, from: &Type, to: &Type) -> bool {
        self.attempt(|mapping| mapping.assignable(from, to))
    }

    /// Like [`Self::is_assignable`], for two lists of types of the same length.
    pub(super) fn is_assignable_list(&mut self, from: &[Type], to: &[Type]) -> bool {
        self.attempt(|mapping| mapping.assignable_list(from, to))
    }

    fn attempt(&mut self, try_it: impl FnOnce(&mut Self) -> bool) -> bool {
        self.trail.clear();
        let ok = try_it(self);
        if !ok {
            while let Some((from, before)) = self.trail.pop() {
                self.set(&from, before);
            }
        }
        ok
    }

    fn assignable(&mut self, t1: &Type, t2: &Type) -> bool {
        // Types share parts, so the traversal can be far larger than the types in memory.
        if budget::work(TYPE_WORK).is_err() {
            return true;
        }
        let (kind1, kind2) = (t1.kind(), t2.kind());
        if kind2 == Kind::TypeParam {
            let (valid, has_substitution) = self.is_valid_substitution(t1, t2);
            if valid {
                return true;
            }
            if has_substitution {
                return false;
            }
        }
        if kind1 == Kind::TypeParam {
            return self.is_valid_substitution(t2, t1).0;
        }
        if t1.is_dyn_or_error() || t2.is_dyn_or_error() {
            return true;
        }
        if kind1 == Kind::Null {
            return is_nullable(t2);
        }
        if kind2 == Kind::Null {
            return is_nullable(t1);
        }
        match kind1 {
            Kind::Type => kind2 == Kind::Type,
            Kind::Opaque | Kind::List | Kind::Map => {
                kind1 == kind2
                    && t1.type_name() == t2.type_name()
                    && self.assignable_list(t1.parameters(), t2.parameters())
            }
            _ => t2.is_assignable_from(t1),
        }
    }

    fn assignable_list(&mut self, from: &[Type], to: &[Type]) -> bool {
        from.len() == to.len() && from.iter().zip(to).all(|(from, to)| self.assignable(from, to))
    }

    /// Whether `ty` is a valid substitution for `variable`, and whether `variable` already had a substitution.
    fn is_valid_substitution(&mut self, ty: &Type, variable: &Type) -> (bool, bool) {
        if ty.is_exact(variable) {
            return (true, true);
        }
        if let Some(substitution) = self.find(variable).cloned() {
            if ty.is_exact(&substitution) {
                return (true, true);
            }
            if !self.assignable(ty, &substitution) {
                return (false, true);
            }
            let general = most_general(ty, &substitution).clone();
            if self.not_referenced_in(variable, &general) {
                self.add(variable, general);
            }
            return (true, true);
        }
        if self.not_referenced_in(variable, ty) {
            self.add(variable, ty.clone());
            return (true, false);
        }
        (false, false)
    }

    /// Whether `variable` does not occur in `within`, nor in the substitutions of the variables in `within`.
    fn not_referenced_in(&self, variable: &Type, within: &Type) -> bool {
        if variable.is_exact(within) {
            return false;
        }
        if budget::work(TYPE_WORK).is_err() {
            return true;
        }
        match within.kind() {
            Kind::TypeParam => self
                .find(within)
                .is_none_or(|found| self.not_referenced_in(variable, found)),
            Kind::Type if !self.search_types => true,
            _ => within
                .parameters()
                .iter()
                .all(|param| self.not_referenced_in(variable, param)),
        }
    }

    /// Replaces the type variables in the types of a whole expression. Variables without a substitution become `dyn`.
    pub(super) fn finish<'t>(&self, types: impl Iterator<Item = &'t mut Type>) {
        let mut known = HashMap::new();
        for ty in types {
            *ty = self.finished(ty, &mut known);
        }
    }

    /// Replaces the variables of a type. Builds the type of each variable once and shares it: otherwise, types of nested lists
    /// would take memory quadratic in their depth.
    fn finished(&self, ty: &Type, known: &mut HashMap<Type, Type>) -> Type {
        match ty {
            Type::Var(_) | Type::Param(_) => {
                if let Some(known) = known.get(ty) {
                    return known.clone();
                }
                let found = self.find(ty).map_or(Type::Dyn, |found| self.finished(found, known));
                known.insert(ty.clone(), found.clone());
                found
            }
            Type::List(element) if has_params(ty) => Type::list(self.finished(element, known)),
            Type::Map(types) if has_params(ty) => {
                Type::map(self.finished(&types[0], known), self.finished(&types[1], known))
            }
            _ => self.substitute(ty, true),
        }
    }

    /// The type with its variables substituted. If `to_dyn` is set, variables without a substitution become `dyn`.
    pub(super) fn substitute(&self, ty: &Type, to_dyn: bool) -> Type {
        match ty {
            Type::Var(_) | Type::Param(_) => match self.find(ty) {
                Some(found) => self.substitute(found, to_dyn),
                None if to_dyn => Type::Dyn,
                None => ty.clone(),
            },
            _ if !has_params(ty) => ty.clone(),
            Type::List(element) => Type::list(self.substitute(element, to_dyn)),
            Type::Map(types) => Type::map(self.substitute(&types[0], to_dyn), self.substitute(&types[1], to_dyn)),
            Type::Type(Some(of)) => Type::type_of(self.substitute(of, to_dyn)),
            Type::Opaque(opaque) => Type::opaque(
                opaque.name.clone(),
                opaque
                    .params
                    .iter()
                    .map(|param| self.substitute(param, to_dyn))
                    .collect(),
            ),
            other => other.clone(),
        }
    }
}

fn has_params(ty: &Type) -> bool {
    budget::work(TYPE_WORK).is_ok() && has_params_within(ty)
}

fn has_params_within(ty: &Type) -> bool {
    ty.kind() == Kind::TypeParam || ty.parameters().iter().any(has_params)
}

/// A declared type with its parameters (`names`) replaced by `vars`.
pub(super) fn instantiate(ty: &Type, names: &[Arc<str>], vars: &[Type]) -> Type {
    match ty {
        Type::Param(name) => match names.iter().position(|known| known == name) {
            Some(at) => vars[at].clone(),
            None => ty.clone(),
        },
        _ if !has_params(ty) => ty.clone(),
        Type::List(element) => Type::list(instantiate(element, names, vars)),
        Type::Map(types) => Type::map(instantiate(&types[0], names, vars), instantiate(&types[1], names, vars)),
        Type::Type(Some(of)) => Type::type_of(instantiate(of, names, vars)),
        Type::Opaque(opaque) => Type::opaque(
            opaque.name.clone(),
            opaque
                .params
                .iter()
                .map(|param| instantiate(param, names, vars))
                .collect(),
        ),
        other => other.clone(),
    }
}

fn is_nullable(ty: &Type) -> bool {
    matches!(
        ty.kind(),
        Kind::Opaque | Kind::Struct | Kind::Any | Kind::Duration | Kind::Timestamp
    ) || ty.is_assignable_from(&Type::Null)
}

/// The more general of two compatible types.
pub(super) fn most_general<'a>(t1: &'a Type, t2: &'a Type) -> &'a Type {
    if is_equal_or_less_specific(t1, t2) { t1 } else { t2 }
}

fn is_equal_or_less_specific(t1: &Type, t2: &Type) -> bool {
    if budget::work(TYPE_WORK).is_err() {
        return true;
    }
    let (kind1, kind2) = (t1.kind(), t2.kind());
    if t1.is_dyn() || kind1 == Kind::TypeParam {
        return true;
    }
    if t2.is_dyn() || kind2 == Kind::TypeParam || kind1 != kind2 {
        return false;
    }
    match kind1 {
        Kind::Opaque | Kind::List | Kind::Map => {
            let (params1, params2) = (t1.parameters(), t2.parameters());
            t1.type_name() == t2.type_name()
                && params1.len() == params2.len()
                && params1
                    .iter()
                    .zip(params2)
                    .all(|(t1, t2)| is_equal_or_less_specific(t1, t2))
        }
        Kind::Type => true,
        _ => t1.is_exact(t2),
    }
}
