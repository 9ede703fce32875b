//! The role of each file in its repository, with the evidence for it. The role decides which CRDs are used to check resources, which files are only
//! parts, and which files are wrong on purpose.

mod aside;
mod go_cluster;
mod go_test;
mod in_tests;
mod names;
mod place;
mod repository;
mod role;
mod scripts;
mod test_data;
pub mod test_steps;
mod uses;
mod vendored;
mod version;

pub use aside::Aside;
pub use go_test::GoTest;
pub(crate) use in_tests::is_of_older_release;
pub(crate) use names::is_assertion;
pub use names::is_markdown;
pub use names::{is_filled_in, is_helpers, is_template};
pub use place::{Place, Standing};
pub(crate) use place::{is_in_tests, is_patch};
pub use repository::{GeneratedInto, Repository, generated_into};
pub(crate) use role::What;
pub use role::{Judgement, Role};
pub use scripts::SetByScripts;
pub use test_data::TestData;
pub use uses::{Use, Uses};
pub use vendored::Vendored;
pub use version::Version;
