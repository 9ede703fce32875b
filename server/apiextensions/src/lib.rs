//! CustomResourceDefinitions: decoding, defaulting and validation as the API server does them.

pub mod types;
