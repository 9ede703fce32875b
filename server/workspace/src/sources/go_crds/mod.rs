//! The CRDs that the Go types of a repository are made into, as their markers are now.

mod kinds;
mod put;
mod set;
pub(super) mod stale;
pub(super) mod whole;

use std::sync::Arc;

use crd_analyzer_gosource::Module;

pub use put::{GoCrd, make};

use super::{made::Made, manifest::Manifest};
use crate::index::{CrdText, Files, KnownCrd};

/// A CRD that controller-gen wrote, as the types make it. `module` is asked for if controller-gen wrote it.
pub(super) fn made<'m>(crd: &Arc<KnownCrd>, files: &dyn Files, module: impl FnOnce() -> &'m Module) -> Option<Made> {
    let text = crd.text(files).filter(|it| it.is_readable)?;
    let GoCrd { manifest, is_in_step } = put::with_markers(&text, module, false)?;
    Some(Made::of_crd(manifest, crd.clone(), is_in_step))
}

/// The same where somebody is still typing a marker.
pub(super) fn begun<'m>(crd: &CrdText, module: impl FnOnce() -> &'m Module) -> Option<Manifest> {
    Some(put::with_markers(crd, module, true)?.manifest)
}
