//! Lints: what the API server accepts of a CRD, and what its author can hardly have meant.
//!
//! This crate knows no YAML and no positions: a CRD goes in, findings with field paths come out. Each lint is a file of `table/` with its
//! check, its words and its fix, a page, and a row of [`ALL`]. Nothing here is a verdict.

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

/// What these lints find in a CRD, `most` of it. `hoisted`: what its conversion to the internal form moved; `version`: the Kubernetes
/// version that checks values.
pub fn find<'l>(
    definition: &CustomResourceDefinition,
    hoisted: Hoisted,
    version: KubernetesVersion,
    lints: impl IntoIterator<Item = &'l Lint>,
    most: usize,
) -> Vec<Found<'l>> {
    let crd = Crd::new(&definition.spec, hoisted);
    // What few people want does not take the room of the others.
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
