//! Name resolution by scope (`cel-go` `checker/env.go`, `scopes.go`).

use std::sync::Arc;

use crate::context::Context;
use crate::decls::FunctionDecl;
use crate::types::Type;

/// A resolved identifier.
pub(super) struct Resolved {
    /// The full name, with a leading dot if a local variable shadows the name.
    pub(super) name: Arc<str>,
    pub(super) ty: Type,
    /// The value, if it is an enum constant.
    pub(super) constant: Option<i64>,
}

/// The environment, and the variables of the enclosing comprehensions.
pub(super) struct Scopes<'a> {
    pub(super) context: &'a Context,
    /// Local variables, innermost last.
    locals: Vec<(Arc<str>, Type)>,
    /// Whether local variables always take precedence over global names (since cel-go 0.29).
    local_first: bool,
}

/// The maximum number of parts in a qualified name. It avoids repeated name lookups for long selections.
const MAX_QUALIFIERS: usize = 16;

impl<'a> Scopes<'a> {
    pub(super) fn new(context: &'a Context) -> Self {
        Self {
            context,
            locals: Vec::new(),
            local_first: context.environment().features().version.number() >= 37,
        }
    }

    /// Declares a local variable. [`Scopes::leave`] removes it.
    pub(super) fn enter(&mut self, name: Arc<str>, ty: Type) {
        self.locals.push((name, ty));
    }

    /// Removes the last `count` local variables.
    pub(super) fn leave(&mut self, count: usize) {
        let left = self.locals.len().saturating_sub(count);
        self.locals.truncate(left);
    }

    fn local(&self, name: &str) -> Option<&Type> {
        self.locals
            .iter()
            .rev()
            .find(|(local, _)| **local == *name)
            .map(|(_, ty)| ty)
    }

    fn global_variable(&self, name: &str) -> Option<Type> {
        let own = self.context.variable(name).map(|variable| &variable.ty);
        own.or_else(|| self.context.environment().variable(name)).cloned()
    }

    fn global(&self, name: &str) -> Option<(Type, Option<i64>)> {
        if let Some(ty) = self
            .global_variable(name)
            .or_else(|| self.context.types().find_struct_type(name))
        {
            return Some((ty, None));
        }
        // `NullValue` is the only enum that every environment declares.
        (name == "google.protobuf.NullValue.NULL_VALUE").then_some((Type::Int, Some(0)))
    }

    /// Resolves a name without dots.
    pub(super) fn resolve(&self, name: &str) -> Option<Resolved> {
        let local = self.local(name.strip_prefix('.').unwrap_or(name));
        if self.local_first {
            if let Some(ty) = local.filter(|_| !name.starts_with('.')) {
                return Some(Resolved {
                    name: name.into(),
                    ty: ty.clone(),
                    constant: None,
                });
            }
            return self.resolve_global(name, local.is_some());
        }
        self.context.container().resolve(name, |candidate| {
            if let Some(ty) = self.local(candidate) {
                return Some(Resolved {
                    name: candidate.into(),
                    ty: ty.clone(),
                    constant: None,
                });
            }
            let (ty, constant) = self.global(candidate)?;
            Some(Resolved {
                name: candidate.into(),
                ty,
                constant,
            })
        })
    }

    fn resolve_global(&self, name: &str, ambiguous: bool) -> Option<Resolved> {
        self.context.container().resolve(name, |candidate| {
            let (ty, constant) = self.global(candidate)?;
            let name = if ambiguous {
                format!(".{candidate}").into()
            } else {
                candidate.into()
            };
            Some(Resolved { name, ty, constant })
        })
    }

    /// Resolves a dotted name, given as its parts.
    pub(super) fn resolve_qualified(&self, parts: &[&str]) -> Option<Resolved> {
        if parts.len() > MAX_QUALIFIERS {
            return None;
        }
        if self.local_first {
            let ambiguous = self.local(parts[0].strip_prefix('.').unwrap_or(parts[0])).is_some();
            if ambiguous && !parts[0].starts_with('.') {
                return None;
            }
            return self.resolve_global(&parts.join("."), ambiguous);
        }
        self.resolve(&parts.join("."))
    }

    /// Resolves the name of a type in a message literal.
    pub(super) fn resolve_type(&self, name: &str) -> Option<Resolved> {
        if !self.local_first {
            return self.resolve(name);
        }
        self.context.container().resolve(name, |candidate| {
            // Types whose names are values take precedence over object types.
            let ty = self
                .context
                .environment()
                .variable(candidate)
                .filter(|ty| matches!(ty, Type::Type(Some(_))))
                .cloned();
            let ty = ty.or_else(|| self.context.types().find_struct_type(candidate))?;
            Some(Resolved {
                name: candidate.into(),
                ty,
                constant: None,
            })
        })
    }

    pub(super) fn function(&self, name: &str) -> Option<&'a FunctionDecl> {
        self.context
            .container()
            .resolve(name, |candidate| self.context.environment().function(candidate))
    }
}
