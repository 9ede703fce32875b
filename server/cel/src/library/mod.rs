//! The functions of CEL in Kubernetes, each declared once: what it takes and gives, what it does, what it costs.
//!
//! The checker, the cost estimate, the evaluator, completion, hover and signature help all read these declarations. One file a library,
//! as the server's environment is put together from (`k8s.io/apiserver/pkg/cel/environment`, `baseOpts`). Macros are the parser's:
//! [`parser::macros`](crate::parser::macros).

mod authz;
mod authz_selectors;
mod cidr;
mod format;
mod ip;
mod lists;
mod lists_includes;
mod lists_k8s;
mod optional;
mod quantity;
mod regex;
mod semver;
mod sets;
mod standard;
mod strings;
#[cfg(test)]
mod tests;
mod two_variables;
mod urls;

use crate::cost::EstimateFn;

/// A set of functions that is enabled as a whole.
#[derive(Clone, Copy, Debug)]
pub struct Library {
    /// What it is called.
    pub name: &'static str,
    /// Its functions.
    pub functions: &'static [Function],
    /// The types whose names it makes values.
    pub types: &'static [&'static str],
}

/// A function, method or operator.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// The name in the tree: that of an operator has underscores for its operands.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub doc: &'static str,
    /// Expressions with it, each with what it gives.
    pub examples: &'static [(&'static str, &'static str)],
    /// What it takes and gives.
    pub overloads: &'static [Overload],
    /// The estimated cost of a call of those overloads that do not say otherwise; `None`: 1.
    pub cost: Option<EstimateFn>,
}

/// One way to call a function.
#[derive(Clone, Copy, Debug)]
pub struct Overload {
    /// The name of the overload.
    pub id: &'static str,
    /// What it takes and gives, see [`Signature`](crate::types::Signature).
    pub signature: &'static str,
    /// The minor whose server was the first to have it in this library; 0 from the first.
    pub since: u8,
    /// The minor whose server no longer had it; 255 if all have.
    pub until: u8,
    /// The estimated cost of a call, if it is another than the function's.
    pub cost: Option<EstimateFn>,
}

const fn function(name: &'static str, doc: &'static str) -> Function {
    Function {
        name,
        doc,
        examples: &[],
        overloads: &[],
        cost: None,
    }
}

const fn overload(id: &'static str, signature: &'static str) -> Overload {
    Overload {
        id,
        signature,
        since: 0,
        until: u8::MAX,
        cost: None,
    }
}

impl Function {
    const fn examples(mut self, examples: &'static [(&'static str, &'static str)]) -> Self {
        self.examples = examples;
        self
    }

    const fn overloads(mut self, overloads: &'static [Overload]) -> Self {
        self.overloads = overloads;
        self
    }

    const fn cost(mut self, cost: EstimateFn) -> Self {
        self.cost = Some(cost);
        self
    }
}

impl Overload {
    const fn since(mut self, minor: u8) -> Self {
        self.since = minor;
        self
    }

    const fn until(mut self, minor: u8) -> Self {
        self.until = minor;
        self
    }

    const fn cost(mut self, cost: EstimateFn) -> Self {
        self.cost = Some(cost);
        self
    }
}

/// A library and the compatibility versions that have it.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The library.
    pub library: Library,
    /// The first minor.
    pub introduced: u8,
    /// The first minor that no longer has it. A server whose *code* does not know of the removal yet still has it for stored expressions.
    pub removed: Option<u8>,
}

const fn entry(library: Library, introduced: u8) -> Entry {
    Entry {
        library,
        introduced,
        removed: None,
    }
}

/// All libraries in the order in which the server adds them (`environment/base.go`): overloads of one function that come from several
/// libraries stand in this order.
pub const LIBRARIES: &[Entry] = &[
    entry(standard::LIBRARY, 0),
    entry(urls::LIBRARY, 0),
    entry(regex::LIBRARY, 0),
    Entry {
        library: lists_k8s::LIBRARY,
        introduced: 0,
        removed: Some(37),
    },
    entry(authz::LIBRARY, 27),
    entry(optional::LIBRARY, 28),
    entry(quantity::LIBRARY, 28),
    entry(strings::LIBRARY, 29),
    entry(sets::LIBRARY, 29),
    entry(ip::LIBRARY, 30),
    entry(cidr::LIBRARY, 30),
    entry(format::LIBRARY, 31),
    entry(authz_selectors::LIBRARY, 31),
    entry(two_variables::LIBRARY, 32),
    entry(semver::LIBRARY, 33),
    entry(lists::LIBRARY, 34),
    entry(lists_k8s::LIBRARY, 37),
    entry(lists_includes::LIBRARY, 37),
];
