//! The texts of files, their documents, and the kind and name of each document.

pub(crate) mod crd_documents;
pub(crate) mod head;
pub mod last_trees;
pub mod object_documents;
pub(crate) mod skeleton;
pub mod source;
pub mod spans;
pub(crate) mod text;
