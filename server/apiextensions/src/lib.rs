//! CustomResourceDefinitions: decoding, defaulting and validation as the API server does them.

pub mod decode;
pub mod defaults;
pub mod internal;
pub mod types;
