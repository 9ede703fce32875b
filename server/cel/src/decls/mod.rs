//! The declarations that an expression can use (functions, variables and types), and the environments of the API server.

mod environment;
mod function;

pub use environment::{Container, Environment, ExpressionSet, Features, Role, Variable};
pub use function::{FunctionDecl, OverloadDecl};
