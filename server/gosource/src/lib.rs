//! Go sources that definitions are generated from: which field of which type a property comes from, and which kubebuilder marker sets
//! a keyword.
//!
//! This crate does no I/O: a [`Folders`] lists and reads. It knows nothing of YAML; whoever asks names a path in steps.

mod declaration;
mod markers;
mod module;
mod read;

pub use declaration::{Declaration, Kind, Site, Step};
pub use markers::{Marked, marker_for};
pub use module::{Folders, Module, root_of};
pub use read::{Marker, SourceFile};
