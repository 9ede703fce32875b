//! CRDs that are generated from the Go types of a repository with their current markers.

mod kinds;
pub(super) mod newer;
mod put;
mod set;
pub(super) mod stale;
mod texts;
mod unknown;
pub(super) mod whole;
pub(super) mod wholes;

use std::sync::Arc;

use crd_analyzer_gosource::Module;

pub use put::{GoCrd, make};

use super::{made::Made, manifest::Manifest};
use crate::index::{CrdText, Files, KnownCrd};

/// The manifest for a CRD that controller-gen wrote, updated from the current types. Calls `module` only if controller-gen wrote the CRD.
pub(super) fn made<'m>(crd: &Arc<KnownCrd>, files: &dyn Files, module: impl FnOnce() -> &'m Module) -> Option<Made> {
    let text = crd.text(files).filter(|it| it.is_readable)?;
    let GoCrd { manifest, is_in_step } = put::with_markers(&text, module, false)?;
    Some(Made::of_crd(manifest, crd.clone(), is_in_step))
}

/// Like [`made()`], but while the user is typing in a marker.
pub(super) fn begun<'m>(crd: &CrdText, module: impl FnOnce() -> &'m Module) -> Option<Manifest> {
    Some(put::with_markers(crd, module, true)?.manifest)
}
