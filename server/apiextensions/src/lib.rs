//! CustomResourceDefinitions: decoding, defaulting and validation like the API server.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests read tables and a corpus"))]

pub mod api;
pub mod codes;
pub mod decode;
pub mod defaults;
pub mod internal;
pub mod json_path;
pub mod kind;
pub mod places;
pub mod strategy;
pub mod types;
pub mod v1beta1;
pub mod validation;
pub mod warnings;
