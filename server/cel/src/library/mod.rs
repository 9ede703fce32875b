//! The CEL functions in Kubernetes. Each one is declared once: its overloads, description, examples, cost and evaluator.
//!
//! The checker, the cost estimate, the evaluator, completion, hover, signature help, the hazard checks and the quick fixes all use
//! these declarations. There is one file per library, split like the API server's environment
//! (`k8s.io/apiserver/pkg/cel/environment`, `baseOpts`). Macros are declared in [`parser::macros`](crate::parser::macros).

mod authz;
mod authz_selectors;
mod cidr;
mod costs;
mod declaration;
mod format;
mod ip;
mod lists;
mod lists_includes;
mod lists_k8s;
mod operands;
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

use std::collections::HashMap;
use std::sync::LazyLock;

pub use declaration::{
    Actual, ActualFn, Body, BodyFn, CallRecord, Cost, Counted, Estimate, Function, Library, MOST_USED, Overload,
    PatternFn, Spelling, Step, Traits, WorkFn,
};
pub(crate) use standard::{EQUALITY, IN_LIST, INEQUALITY};

/// A library and the compatibility versions that have it.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The library.
    pub library: Library,
    /// The first Kubernetes version that has the library.
    pub introduced: u8,
    /// The first Kubernetes version that no longer has the library. An API server whose *code* predates the removal still has it for stored
    /// expressions.
    pub removed: Option<u8>,
}

const fn entry(library: Library, introduced: u8) -> Entry {
    Entry {
        library,
        introduced,
        removed: None,
    }
}

/// All libraries, in the order in which the API server adds them (`environment/base.go`). Overloads of one function from several
/// libraries keep this order.
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

/// The declarations by function name, in the order of the libraries.
static BY_NAME: LazyLock<HashMap<&str, Vec<&'static Function>>> = LazyLock::new(|| {
    let mut by_name: HashMap<&str, Vec<&'static Function>> = HashMap::new();
    for function in LIBRARIES.iter().flat_map(|entry| entry.library.functions()) {
        by_name.entry(function.name).or_default().push(function);
    }
    by_name
});

/// The declarations of a function: several if libraries add overloads to the function of another library, none if the function is not declared.
pub fn declarations(name: &str) -> &'static [&'static Function] {
    BY_NAME.get(name).map_or(&[], Vec::as_slice)
}
