//! Generates the CRDs that controller-gen generates from Go types with kubebuilder markers, without Go.
//!
//! It follows `pkg/crd` of `sigs.k8s.io/controller-tools`, releases 0.16 to 0.23. It creates schemas from types (`types.rs`), applies markers to them
//! (`apply.rs`), resolves the references between them (`flatten.rs`), and creates CRDs from kinds (`crd.rs`). This crate does no I/O: a [`Sources`]
//! finds and reads packages.

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
mod refused;
mod schema;
mod settled;
mod tags;
mod types;
mod undeclared;
mod unusable;
mod values;
mod version;
mod writable;
mod written;
pub mod yaml;

pub use crd::{Crd, Generated, Generator, generate};
pub use modules::{Modules, Outside};
pub use packages::Sources;
pub use reach::Reach;
pub use refused::{Reason, Refused};
pub use settled::settled;

use crd_analyzer_gosource::{
    check::catalog::Release,
    crd_options::{CrdOptions, Value},
};
use values::Reading;

/// The options of controller-gen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The release of controller-gen.
    pub release: Release,
    /// Whether to allow floating-point numbers (`allowDangerousTypes`).
    pub allows_dangerous_types: bool,
    /// Whether to skip fields that are not exported (`ignoreUnexportedFields`).
    pub leaves_out_unexported: bool,
    /// Whether to describe the metadata of embedded objects (`generateEmbeddedObjectMeta`).
    pub has_embedded_metadata: bool,
    /// The maximum length of a description in bytes (`maxDescLen`). Negative numbers mean no limit.
    pub max_description: Option<i64>,
    /// The value for `spec.preserveUnknownFields` (`deprecatedV1beta1CompatibilityPreserveUnknownFields`).
    pub preserves_unknown_fields: Option<bool>,
    /// Whether to use built-in schemas for common types whose source files are not on this machine. These schemas lack descriptions.
    pub may_lack_descriptions: bool,
    /// Whether the user is typing. If so, unfinished strings are accepted.
    pub are_begun: bool,
    /// Whether an invalid marker makes its whole package unusable, as in controller-gen, and a floating-point number has no type if it is not allowed.
    /// If not, only the marker is ignored, and the number is described.
    pub is_strict: bool,
    /// Whether to apply markers with different names in reverse order of their names. If they have the same priority, controller-gen applies them in
    /// an order that may differ each time, see [`settled`](crate::settled()).
    pub is_backward: bool,
}

/// The names of the options that change CRDs.
const NAMES: [&str; 5] = [
    "allowDangerousTypes",
    "ignoreUnexportedFields",
    "generateEmbeddedObjectMeta",
    "maxDescLen",
    "deprecatedV1beta1CompatibilityPreserveUnknownFields",
];

impl Options {
    /// The options that controller-gen uses if it gets no arguments.
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

    /// Sets an option by its name in commands, such as `maxDescLen`. Returns whether controller-gen has the option and accepts the value.
    pub fn set(&mut self, name: &str, value: &str) -> bool {
        let is = || value.parse::<bool>().ok();
        let is_taken = match name {
            "allowDangerousTypes" => is().map(|it| self.allows_dangerous_types = it),
            "ignoreUnexportedFields" => is().map(|it| self.leaves_out_unexported = it),
            "generateEmbeddedObjectMeta" => is().map(|it| self.has_embedded_metadata = it),
            "maxDescLen" => value.parse().ok().map(|it| self.max_description = Some(it)),
            "deprecatedV1beta1CompatibilityPreserveUnknownFields" => {
                is().map(|it| self.preserves_unknown_fields = Some(it))
            }
            "crdVersions" => Some(()),
            _ => None,
        };
        is_taken.is_some()
    }

    /// Sets the options that a project sets in its commands. Options that are unknown there stay as they are.
    pub fn set_as_in(&mut self, project: &CrdOptions) {
        for name in NAMES {
            if let Value::Given(value) = project.get(name) {
                self.set(name, value);
            }
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
