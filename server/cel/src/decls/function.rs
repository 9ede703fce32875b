//! Declared functions (`cel-go` `common/decls`).

use std::sync::Arc;

use crate::cost::EstimateFn;
use crate::types::{Signature, SignatureError, Type};

/// A function with its overloads.
#[derive(Clone, Debug)]
pub struct FunctionDecl {
    /// The name.
    pub name: Arc<str>,
    /// What it does, in a sentence; empty if nothing is said.
    pub doc: &'static str,
    /// The overloads, in the order in which the checker tries them.
    pub overloads: Vec<Arc<OverloadDecl>>,
}

/// One way to call a function.
#[derive(Clone, Debug)]
pub struct OverloadDecl {
    /// The name of the overload.
    pub id: Arc<str>,
    /// Whether it is called on a target.
    pub member: bool,
    /// The parameters, the target first.
    pub params: Vec<Type>,
    /// The result.
    pub result: Type,
    /// The type parameters in `result` and `params`. The checker numbers its variables in this order, in which the server's code finds
    /// them too, though it then takes them in that of a Go map: this is what it does seven times in eight.
    pub type_params: Vec<Arc<str>>,
    /// The estimated cost of a call; `None`: 1.
    pub cost: Option<EstimateFn>,
}

impl OverloadDecl {
    /// An overload from its [`Signature`] as text.
    pub fn parse(id: impl Into<Arc<str>>, signature: &str) -> Result<Self, SignatureError> {
        let Signature { member, params, result } = signature.parse()?;
        let mut type_params = Vec::new();
        for ty in std::iter::once(&result).chain(&params) {
            collect_params(ty, &mut type_params);
        }
        Ok(Self {
            id: id.into(),
            member,
            params,
            result,
            type_params,
            cost: None,
        })
    }
}

fn collect_params(ty: &Type, found: &mut Vec<Arc<str>>) {
    match ty {
        Type::Param(name) if !found.contains(name) => found.push(name.clone()),
        _ => ty.parameters().iter().for_each(|param| collect_params(param, found)),
    }
}
