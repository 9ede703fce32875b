//! What templates, variables and tools put into a file before it is sent, and what is then not known of it.

pub mod completed;
pub(crate) mod fill;
pub(crate) mod jinja;
pub(crate) mod patch;
pub(crate) mod placeholders;
pub(crate) mod rendered;
pub(crate) mod unknown;
pub(crate) mod unknown_crd;
pub mod variables;
