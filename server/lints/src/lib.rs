//! Lints: problems in a CRD that the API server accepts, but that its author has hardly intended.
//!
//! This crate does not use YAML or source positions: its input is a CRD, and its output are findings with field paths. Each lint has a file in
//! `table/` with its check, message and fix, a page, and a row in [`ALL`]. Lints never change the API server's answer.

mod crd;
mod found;
mod lint;
mod patterns;
mod schema_walk;
mod table;
#[cfg(test)]
mod tests;
mod value_path;

use crd_analyzer_apiextensions::{internal::Hoisted, types::CustomResourceDefinition};
use crd_analyzer_schema::KubernetesVersion;

pub use crd::{Crd, Version};
pub use found::{Cause, Found, Sink, Told};
pub use lint::{Check, Lint};
pub use schema_walk::SchemaAt;
pub use table::ALL;

/// Returns the findings of these lints in a CRD, at most `most` findings. `hoisted` contains the parts that the conversion to the internal form
/// moved, and `version` is the Kubernetes version of the API server that checks values.
pub fn find<'l>(
    definition: &CustomResourceDefinition,
    hoisted: Hoisted,
    version: KubernetesVersion,
    lints: impl IntoIterator<Item = &'l Lint>,
    most: usize,
) -> Vec<Found<'l>> {
    let crd = Crd::new(&definition.spec, hoisted);
    // Findings of lints that are off by default must not displace the others.
    let (mut usual, mut rare) = (Vec::new(), Vec::new());
    let mut of_schemas = Vec::new();
    for lint in lints {
        match lint.check {
            Check::Crd(check) => {
                let found = if lint.is_off { &mut rare } else { &mut usual };
                check(&crd, &mut Sink::new(lint, found));
            }
            Check::Schema(check) => of_schemas.push((lint, check)),
        }
    }
    schema_walk::find(&crd, version, &of_schemas, most, (&mut usual, &mut rare));
    usual.append(&mut rare);
    usual.truncate(most);
    usual
}
