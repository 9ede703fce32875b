//! Structural schemas and what the API server does with values under them.
//!
//! This crate knows no YAML and no positions: values (`serde_json::Value`, in which an integer that fits `i64` is one
//! and every other number is an `f64`, as `sigs.k8s.io/json` decodes) go in, findings with structured field paths come out.

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
