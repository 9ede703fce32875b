//! The standard functions of CEL (`cel-go` `common/stdlib`). The standard macros are in [`parser::macros`](crate::parser::macros).

mod arithmetic;
mod collections;
mod comparison;
mod conversion;
mod logic;
mod strings;
mod time;

pub(super) use arithmetic::add;
pub(crate) use collections::IN_LIST;
pub(super) use collections::SELECTION;
pub(crate) use comparison::{EQUALITY, INEQUALITY};
pub(super) use conversion::as_string;

use super::declaration::Library;

/// The library that every environment has.
pub(super) const LIBRARY: Library = Library {
    name: "standard",
    subjects: &[
        logic::FUNCTIONS,
        comparison::FUNCTIONS,
        arithmetic::FUNCTIONS,
        collections::FUNCTIONS,
        conversion::FUNCTIONS,
        strings::FUNCTIONS,
        time::FUNCTIONS,
    ],
    types: &[],
};
