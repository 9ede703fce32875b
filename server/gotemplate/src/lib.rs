//! The syntax of Go's templates (`text/template/parse` of Go 1.26): whether Go can parse a text, and if not, its words and the place.
//!
//! Go stops at the first error of a text, and so does this. Nothing is executed.

mod error;
mod lexer;
mod parser;
mod token;

pub use error::{Cause, Error, Open};
pub use parser::{Call, Define, Parsed, parse};

#[cfg(test)]
mod tests;
