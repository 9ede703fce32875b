//! Declared functions (`cel-go` `common/decls`).

use std::sync::Arc;

use crate::library::{Actual, Body, Cost, Function, PatternFn, WorkFn};
use crate::types::{Signature, SignatureError, Type};

/// A function with its overloads.
#[derive(Clone, Debug)]
pub struct FunctionDecl {
    /// The name of the function.
    pub name: Arc<str>,
    /// A one-sentence description; empty if there is none.
    pub doc: &'static str,
    /// The overloads, in the order in which the checker tries them.
    pub overloads: Vec<Arc<OverloadDecl>>,
    /// The declarations of the function in the environment's libraries; empty if no library declares it.
    pub declarations: Vec<&'static Function>,
}

impl FunctionDecl {
    /// Whether a single body serves all overloads and checks the operand types itself.
    pub(crate) fn is_singleton(&self) -> bool {
        self.declarations.iter().any(|it| it.traits.singleton)
    }

    /// Whether the body accepts any number of operands.
    pub(crate) fn is_variadic(&self) -> bool {
        self.declarations.iter().any(|it| it.traits.variadic)
    }

    /// Whether a call with a constant operand is evaluated during planning.
    pub(crate) fn is_conversion(&self) -> bool {
        self.declarations.iter().any(|it| it.traits.conversion)
    }

    /// The evaluator for calls whose second operand is a constant regular expression.
    pub(crate) fn pattern(&self) -> Option<PatternFn> {
        self.declarations.iter().find_map(|it| it.traits.pattern)
    }

    /// The runtime cost of a call whose overload is only known from the values of its operands.
    pub(crate) fn cost_without_overload(&self) -> Actual {
        let declared = self.declarations.first();
        declared.map_or(Actual::Fixed(1), |it| it.counted.without_overload())
    }
}

/// One overload of a function.
#[derive(Clone, Debug)]
pub struct OverloadDecl {
    /// The name of the overload.
    pub id: Arc<str>,
    /// Whether the overload is a method, called on a target.
    pub member: bool,
    /// The parameter types, the target first.
    pub params: Vec<Type>,
    /// The result type.
    pub result: Type,
    /// The type parameters in `result` and `params`. The checker numbers its variables in this order. The API server also finds them in this order,
    /// but then iterates over a Go map, which keeps the order seven times in eight.
    pub type_params: Vec<Arc<str>>,
    /// The cost of a call.
    pub cost: Cost,
    /// The evaluator of a call.
    pub(crate) body: Body,
    /// The work of a call, if it must be known before the call is evaluated.
    pub(crate) work: Option<WorkFn>,
}

impl OverloadDecl {
    /// An overload from its [`Signature`], for type checking only: it cannot be evaluated. A call costs 1.
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
