//! Structural schemas and the API server's validation, defaulting and pruning of values.
//!
//! This crate contains no code for YAML or source positions. Its input is `serde_json::Value`, where numbers are `i64` if they are integers that fit
//! and `f64` otherwise, as `sigs.k8s.io/json` decodes them. Its output is errors with structured field paths.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests read tables and a corpus"))]

pub mod cel_types;
pub mod codes;
pub mod defaulting;
pub mod depth;
#[cfg(test)]
mod depth_tests;
pub mod field;
pub mod field_path;
pub mod formats;
pub mod go;
mod json_schema;
pub mod list_type;
pub mod metadata;
pub mod objectmeta;
pub mod pruning;
pub mod rules;
pub mod structural;
#[cfg(test)]
mod testing;
pub mod type_mismatch;
pub mod unknown;
pub mod validation;

pub use crd_analyzer_cel::KubernetesVersion;
pub use json_schema::{
    EmptyKeywords, ExternalDocumentation, JsonSchemaProps, Rare, RareKeywords, SchemaMap, SchemaOrArray, SchemaOrBool,
    SchemaOrStringArray, ValidationRule,
};
