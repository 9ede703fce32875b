//! Sources: what people write that something else makes manifests of. A manifest knows where each of its parts is written, so that what is
//! wrong with it is told there.

pub mod go_crds;
pub mod judged;
pub mod manifest;
