//! Finds the Go source of a CRD: the struct field from which a property is generated, and the kubebuilder marker that sets a keyword.
//!
//! This crate does no I/O: a [`Folders`] lists and reads files. It does not parse YAML: callers identify a property by a path of steps.

mod api_folders;
pub mod check;
pub mod crd_options;
mod declaration;
pub mod fit;
mod kinds;
mod last_tree;
pub mod literal;
mod markers;
mod mentions;
mod module;
mod outline;
mod read;
mod said;
mod unclosed;
mod variables;

pub use api_folders::may_have_kinds;
pub use declaration::{Cursor, Declaration, Kind, Site, Sites, Step};
pub use markers::{Marked, ONLY_MARKERS_SET, marker_for};
pub use mentions::Mention;
pub use module::{Folders, Module, is_source, module_name, root_of};
pub use read::{Marker, SourceFile};
pub use said::{Given, KEYS, LISTS, Said, To};
pub use variables::Variables;
