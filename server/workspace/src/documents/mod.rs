//! The texts of files, the documents in them, and what each says it is.

pub(crate) mod crd_documents;
pub(crate) mod head;
pub mod last_trees;
pub mod object_documents;
pub(crate) mod skeleton;
pub mod source;
pub mod spans;
pub(crate) mod text;
