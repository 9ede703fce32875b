//! Makes the CRDs that controller-gen makes of Go types with markers, without Go.
//!
//! It follows `pkg/crd` of `sigs.k8s.io/controller-tools`, release 0.16 to 0.23: types become schemas that point to each other (`types.rs`), markers
//! change them (`apply.rs`), what they point to is put in (`flatten.rs`), and kinds become CRDs (`crd.rs`). This crate does no I/O: a [`Sources`] finds
//! and reads packages.

mod apply;
mod built;
mod crd;
mod describe;
mod documentation;
mod flatten;
mod ids;
mod kinds;
mod known;
mod modules;
pub mod node;
mod packages;
mod plural;
mod reach;
mod schema;
mod settled;
mod tags;
mod types;
mod values;
mod version;
mod written;
pub mod yaml;

pub use crd::{Crd, Generated, Generator, generate};
pub use modules::{Modules, Outside};
pub use packages::Sources;
pub use settled::settled;
pub use types::{Reason, Refused};

use crd_analyzer_gosource::check::catalog::Release;
use values::Reading;

/// The options of controller-gen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The release.
    pub release: Release,
    /// Floating-point numbers are allowed (`allowDangerousTypes`).
    pub allows_dangerous_types: bool,
    /// Fields that are not exported are left out (`ignoreUnexportedFields`).
    pub leaves_out_unexported: bool,
    /// Metadata of embedded objects is described (`generateEmbeddedObjectMeta`).
    pub has_embedded_metadata: bool,
    /// The most bytes of a description (`maxDescLen`); negative numbers do not limit it.
    pub max_description: Option<i64>,
    /// What `spec.preserveUnknownFields` is set to (`deprecatedV1beta1CompatibilityPreserveUnknownFields`).
    pub preserves_unknown_fields: Option<bool>,
    /// Types that many use are known where their sources are not on this machine, but for their descriptions.
    pub may_lack_descriptions: bool,
    /// Somebody types: a string without an end is one, too.
    pub are_begun: bool,
    /// Nothing is made of a package with a marker that cannot be read, as controller-gen does it. Else the marker is left out.
    pub is_strict: bool,
    /// Markers with different names are taken in the order opposite to that of their names. controller-gen takes those of one priority in an order
    /// that changes from run to run; see [`settled`](crate::settled()).
    pub is_backward: bool,
}

impl Options {
    /// Those of a call of controller-gen without options.
    pub fn of(release: Release) -> Self {
        Self {
            release,
            allows_dangerous_types: false,
            leaves_out_unexported: false,
            has_embedded_metadata: false,
            max_description: None,
            preserves_unknown_fields: None,
            may_lack_descriptions: false,
            are_begun: false,
            is_strict: true,
            is_backward: false,
        }
    }

    fn reading(&self) -> Reading {
        Reading {
            release: self.release,
            are_begun: self.are_begun,
            is_strict: self.is_strict,
        }
    }
}
