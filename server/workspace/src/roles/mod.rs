//! What each file is to its repository, with the evidence: which CRD checks resources, what is a part of something else, what is wrong on purpose.

mod aside;
mod go_tests;
mod names;
mod place;
mod role;
mod version;

pub use aside::Aside;
pub use go_tests::Rejected;
pub(crate) use names::{is_assertion, is_template};
pub use place::{Place, Standing};
pub(crate) use place::{has_placeholders, is_patch};
pub(crate) use role::What;
pub use role::{Judgement, Role};
pub use version::Version;
