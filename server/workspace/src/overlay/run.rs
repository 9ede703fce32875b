//! What the builds of one run spend together. Each build has a part of it, so one that needs too much leaves something to the others.

use std::path::Path;

use crd_analyzer_kustomize::{Build, Built, Files, FluxKustomization, LIMITS, Sources, build_with};

/// What a run may still spend.
pub(super) struct Run {
    work: u64,
    bytes: u64,
}

impl Default for Run {
    fn default() -> Self {
        Self {
            work: 600_000_000,
            bytes: 112 << 20,
        }
    }
}

/// Work for an object that is judged, by a few Kubernetes versions.
const AN_OBJECT: u64 = 40_000;

/// Work for a byte of an object that is written out and compared.
const A_BYTE: u64 = 2;

/// Bytes of an object that is judged beside its text.
const A_REPORT: u64 = 1 << 10;

/// The longest object that is written out, in bytes. The API server takes none that is a fifth as long.
const LONGEST: u64 = 16 << 20;

impl Run {
    /// Builds a folder with what a Kustomization of Flux adds.
    pub(super) fn build(
        &mut self,
        files: &dyn Files,
        folder: &Path,
        (sources, flux): (&mut Sources, Option<&FluxKustomization>),
    ) -> Build {
        let limits = crd_analyzer_budget::Limits {
            work: LIMITS.work.min(self.work),
            bytes: LIMITS.bytes.min(self.bytes),
            ..LIMITS
        };
        let built = build_with(files, folder, (limits, sources), flux);
        self.work -= limits.work.saturating_sub(built.left.work);
        // What a build that failed has made is gone.
        if built.objects.is_ok() {
            self.bytes -= limits.bytes.saturating_sub(built.left.bytes);
        }
        built
    }

    /// Spends what it takes to compare an object with its source, for as long as that takes. `written`: the size in bytes of the document that it comes from.
    pub(super) fn compares(&mut self, built: &Built, written: usize) -> bool {
        let bytes = built.node.written_bytes();
        bytes <= LONGEST.max(4 * written as u64) && self.works(A_BYTE * bytes)
    }

    /// Spends what it takes to judge an object, whose text is kept.
    pub(super) fn judges(&mut self, built: &Built) -> bool {
        let bytes = 2 * built.node.written_bytes() + A_REPORT;
        match self.bytes.checked_sub(bytes) {
            Some(rest) if self.works(AN_OBJECT) => {
                self.bytes = rest;
                true
            }
            _ => false,
        }
    }

    fn works(&mut self, work: u64) -> bool {
        let rest = self.work.checked_sub(work);
        self.work = rest.unwrap_or(0);
        rest.is_some()
    }
}
