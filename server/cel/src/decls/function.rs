//! Declared functions (`cel-go` `common/decls`).

use std::sync::Arc;

use crate::library::{Actual, Body, Cost, Function, PatternFn, WorkFn};
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
    /// Its declarations in the libraries of the environment; none if no library declares it.
    pub declarations: Vec<&'static Function>,
}

impl FunctionDecl {
    /// Whether one body serves all overloads and checks the types of its operands itself.
    pub(crate) fn is_singleton(&self) -> bool {
        self.declarations.iter().any(|it| it.traits.singleton)
    }

    /// Whether it is bound as a function of any number of operands.
    pub(crate) fn is_variadic(&self) -> bool {
        self.declarations.iter().any(|it| it.traits.variadic)
    }

    /// Whether a call with a constant operand is evaluated when the rule is planned.
    pub(crate) fn is_conversion(&self) -> bool {
        self.declarations.iter().any(|it| it.traits.conversion)
    }

    /// What evaluates a call whose second operand is a constant regular expression.
    pub(crate) fn pattern(&self) -> Option<PatternFn> {
        self.declarations.iter().find_map(|it| it.traits.pattern)
    }

    /// The runtime cost of a call whose overload only its operands determine.
    pub(crate) fn cost_without_overload(&self) -> Actual {
        let declared = self.declarations.first();
        declared.map_or(Actual::Fixed(1), |it| it.counted.without_overload())
    }
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
    /// The type parameters in `result` and `params`. The checker numbers its variables in this order, in which the API server's code finds
    /// them too, though it then takes them in that of a Go map: this is what it does seven times in eight.
    pub type_params: Vec<Arc<str>>,
    /// What a call costs.
    pub cost: Cost,
    /// What evaluates a call.
    pub(crate) body: Body,
    /// The work of a call, where it must be known before the call is evaluated.
    pub(crate) work: Option<WorkFn>,
}

impl OverloadDecl {
    /// An overload that can be checked but not evaluated, from its [`Signature`] as text. A call costs 1.
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
            cost: Cost::ONE,
            body: Body::NeverCalled,
            work: None,
        })
    }
}

fn collect_params(ty: &Type, found: &mut Vec<Arc<str>>) {
    match ty {
        Type::Param(name) if !found.contains(name) => found.push(name.clone()),
        _ => ty.parameters().iter().for_each(|param| collect_params(param, found)),
    }
}
