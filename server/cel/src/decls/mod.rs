//! What an expression may name: functions, variables and types, and the sets of them that an API server compiles with.

mod environment;
mod function;

pub use environment::{Container, Environment, ExpressionSet, Features, Role, Variable};
pub use function::{FunctionDecl, OverloadDecl};
