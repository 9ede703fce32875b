//! Editor features in plain types, independent of the language server protocol.

pub mod cel;
pub mod chart_values;
pub mod completion;
pub mod cost;
pub mod cursor_context;
pub mod enter;
pub mod file;
pub mod fixes;
pub mod folding;
mod go;
pub mod highlight;
pub mod hover;
pub mod kind;
pub mod language;
pub mod lens;
pub mod links;
pub mod made;
pub mod manifest;
pub mod markdown;
pub mod property;
pub mod rename;
pub mod schema;
pub mod selection;
pub mod semantic;
pub mod signature;
pub mod symbols;
mod write;
