//! What each file is to its repository, with the evidence: which CRD checks resources, what is a part of something else, what is wrong on purpose.

mod place;
mod version;

pub(crate) use place::is_patch;
pub use place::{Place, Standing};
pub use version::Version;
