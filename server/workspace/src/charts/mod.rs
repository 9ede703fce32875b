//! Helm charts: the templates that they define, and the texts that result if includes are replaced by what they include.
//!
//! Nothing is rendered. A template with its includes replaced is a template again, whose actions are unknown as in any other template. The result
//! remembers where each of its parts is written, so that diagnostics are shown there.

pub(crate) mod back;
pub mod chart;
pub mod checked;
mod computed;
pub(crate) mod failure;
pub(crate) mod helpers;
mod ignored;
mod include;
pub mod metadata;
pub(crate) mod misspelt;
pub mod parsed;
pub(crate) mod printed;
pub(crate) mod put;
mod reads;
#[cfg(test)]
mod tests;
pub mod value_at;
pub mod values;
