//! Lints: what the API server accepts of a CRD, and what its author can hardly have meant.
//!
//! This crate knows no YAML and no positions: a CRD goes in, findings with field paths come out. It says what is wrong as data; the
//! words are made where the place in the file is known. Nothing here is a verdict.

mod bounds;
pub mod codes;
mod columns;
mod conversion;
mod enums;
mod lint;
mod list_types;
mod names;
mod patterns;
mod required;
mod scale;
mod schema_walk;
mod status;
#[cfg(test)]
mod tests;
mod value_path;
mod versions;

use crd_analyzer_apiextensions::{internal::Hoisted, types::CustomResourceDefinition};
use crd_analyzer_schema::KubernetesVersion;

pub use lint::{Bound, Lint, Problem};

/// The lints of a CRD, `most` of them. `hoisted`: what its conversion to the internal form moved; `version`: the Kubernetes version
/// that judges values; `with_rare`: also those of [`codes::OFF_BY_DEFAULT`].
pub fn find(
    definition: &CustomResourceDefinition,
    hoisted: Hoisted,
    version: KubernetesVersion,
    with_rare: bool,
    most: usize,
) -> Vec<Lint> {
    let versions = versions::of(&definition.spec, hoisted);
    let mut found = Vec::new();
    names::find(&definition.spec, &mut found);
    versions::find(&definition.spec, &mut found);
    columns::find(&versions, &mut found);
    scale::find(&versions, &mut found);
    conversion::find(&definition.spec, &versions, &mut found);
    if with_rare {
        status::find(&versions, &mut found);
    }
    schema_walk::find(&versions, version, with_rare, most, &mut found);
    found.truncate(most);
    found
}
