//! The variables (`${NAME}`) that Flux substitutes in the objects that it builds, as in `github.com/fluxcd/pkg/envsubst`: the syntax with its errors,
//! and the values of expressions such as `${NAME:=default}` or `${NAME/old/new}`.

mod expand;
mod functions;
mod parser;
mod pattern;
mod scanner;

pub use expand::Value;
pub use parser::{BadSubstitution, Cause, Node, Template, Variable, parse};

#[cfg(test)]
mod tests;
