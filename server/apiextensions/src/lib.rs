//! CustomResourceDefinitions: decoding, defaulting and validation as the API server does them.
