//! The budget that all builds of a run share. Each build gets only a part of what is left, so an expensive build leaves something for the others.

use std::path::Path;

use crd_analyzer_kustomize::{Build, Built, Files, FluxKustomization, LIMITS, Node, Place, Sources, Value, build_with};

use super::{
    as_written::AsWritten,
    built_crds::BuiltCrds,
    objects::{Key, is_judged, key},
};
use crate::builds::flux::is_switched_off;

/// The remaining budget of a run.
pub(super) struct Run {
    work: u64,
    bytes: u64,
    /// The objects as written, for comparison with built ones.
    written: AsWritten,
    /// Whether to remove the objects that a build does not change.
    takes_unchanged: bool,
}

/// The build of a folder.
pub(super) struct BuiltFolder {
    pub(super) build: Build,
    /// The objects that were removed because the build does not change them, so that they are checked as written. `None` if the build was not
    /// searched for them.
    pub(super) unchanged: Option<Vec<Key>>,
    /// The objects in which a label or annotation turns off Flux's substitution.
    pub(super) switched_off: Vec<Place>,
    /// The part of the run's memory budget that the built objects use, in bytes.
    kept: u64,
}

impl Default for Run {
    fn default() -> Self {
        Self {
            work: 1_200_000_000,
            bytes: 112 << 20,
            written: AsWritten::default(),
            takes_unchanged: false,
        }
    }
}

/// The work units for checking an object for a few Kubernetes versions.
const AN_OBJECT: u64 = 40_000;

/// The work units for a Flux Kustomization that its parent changes, in addition to those for its build.
const A_KUSTOMIZATION: u64 = 200_000;

/// The work units for writing and comparing one byte of an object.
const A_BYTE: u64 = 2;

/// The memory for a checked object, in bytes, in addition to its text.
const A_REPORT: u64 = 1 << 10;

/// The maximum size of an object to write out, in bytes. The API server accepts less than a fifth of this.
const LONGEST: u64 = 16 << 20;

impl Run {
    /// The budget of a run that checks only objects that kustomizations change.
    pub(super) fn of_changes() -> Self {
        Self {
            takes_unchanged: true,
            ..Self::default()
        }
    }

    /// Builds a folder with the changes of a Flux Kustomization.
    pub(super) fn build(
        &mut self,
        files: &dyn Files,
        folder: &Path,
        (sources, flux): (&mut Sources, Option<&FluxKustomization>),
    ) -> BuiltFolder {
        self.build_and_see(files, folder, (sources, flux), |_, _| ())
    }

    /// Like [`Self::build`], but first calls `see` with all built objects, before unchanged ones are removed.
    pub(super) fn build_and_see(
        &mut self,
        files: &dyn Files,
        folder: &Path,
        (sources, flux): (&mut Sources, Option<&FluxKustomization>),
        see: impl FnOnce(&mut Self, (&[Built], &Sources)),
    ) -> BuiltFolder {
        let limits = crd_analyzer_budget::Limits {
            work: LIMITS.work.min(self.work),
            bytes: LIMITS.bytes.min(self.bytes),
            ..LIMITS
        };
        let kept_before = sources.kept_bytes();
        let mut built = build_with(files, folder, (limits, sources), flux);
        let kept_bases = sources.kept_bytes() - kept_before;
        self.work -= limits.work.saturating_sub(built.left.work);
        see(self, (built.objects.as_deref().unwrap_or_default(), sources));
        let all = built.objects.as_deref().unwrap_or_default();
        let switched_off = all.iter().filter(|it| is_switched_off(&it.node));
        let switched_off = switched_off.map(|it| it.origin).collect();
        let unchanged = self.take_unchanged(&mut built, sources);
        // If the build has failed, or an object is of a native kind, nothing uses the object's values any longer, so drop them. Keep the bases.
        let objects = built.objects.as_deref_mut().unwrap_or_default();
        let kept = objects.iter_mut().map(|it| {
            if is_judged(&it.node) {
                return it.node.kept_bytes();
            }
            it.node.value = Value::Null { is_written: false };
            0
        });
        let kept = kept.sum::<u64>();
        let spent = limits.bytes.saturating_sub(built.left.bytes);
        let before = self.bytes;
        self.bytes = before.saturating_sub(spent.min(kept + kept_bases));
        BuiltFolder {
            build: built,
            unchanged,
            switched_off,
            kept: (before - self.bytes).saturating_sub(kept_bases),
        }
    }

    /// Returns the memory of a build that is no longer needed to the budget.
    pub(super) fn forget(&mut self, built: &BuiltFolder) {
        self.bytes += built.kept;
    }

    /// Spends the budget for a version of a Flux Kustomization that its parent builds. Returns whether the budget suffices.
    pub(super) fn keeps(&mut self, kustomization: &Node) -> bool {
        match self.bytes.checked_sub(kustomization.kept_bytes()) {
            Some(rest) if self.works(A_KUSTOMIZATION) => {
                self.bytes = rest;
                true
            }
            _ => false,
        }
    }

    /// Removes the objects that are built as written, to make room for others. If CRDs change, their resources stay, because they must be checked
    /// against the new CRDs.
    fn take_unchanged(&mut self, built: &mut Build, sources: &Sources) -> Option<Vec<Key>> {
        let objects = built.objects.as_mut().ok().filter(|_| self.takes_unchanged)?;
        if !BuiltCrds::new(sources, objects).is_empty() {
            return None;
        }
        let mut unchanged = Vec::new();
        objects.retain(|it| {
            let size = sources.tree(it.origin).0.document_span().range().len();
            let is_unchanged = is_judged(&it.node) && self.compares(it, size) && self.is_as_written(sources, it);
            match key(sources, it.origin).filter(|_| is_unchanged) {
                Some(key) => unchanged.push(key),
                None => return true,
            }
            false
        });
        Some(unchanged)
    }

    /// Whether an object is built as it is written.
    pub(super) fn is_as_written(&mut self, sources: &Sources, built: &Built) -> bool {
        self.written.holds(sources, built)
    }

    /// Spends the budget for comparing an object with its source. Returns whether the budget was large enough. `written` is the size of the source
    /// document in bytes.
    pub(super) fn compares(&mut self, built: &Built, written: usize) -> bool {
        let bytes = built.node.written_bytes();
        bytes <= LONGEST.max(4 * written as u64) && self.works(A_BYTE * bytes)
    }

    /// Spends the budget for checking an object whose text is kept. Returns whether the budget was large enough.
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// Overlays of the same base, which has an object of the given group.
    struct Overlays(&'static str);

    impl Files for Overlays {
        fn read(&self, path: &Path) -> Option<Arc<str>> {
            let fields: Vec<String> = (0..100).map(|n| format!("  f{n}: {n}\n")).collect();
            let fields = fields.concat();
            let text = match path.strip_prefix("/r").ok()?.to_str()? {
                "base/kustomization.yaml" => "resources: [a.yaml]\n".to_owned(),
                "base/a.yaml" => format!(
                    "apiVersion: {}/v1\nkind: A\nmetadata: {{name: a}}\nspec:\n{fields}",
                    self.0
                ),
                it if it.ends_with("/kustomization.yaml") => "resources: [../base]\nnamePrefix: a-\n".to_owned(),
                _ => return None,
            };
            Some(text.into())
        }

        fn is_folder(&self, path: &Path) -> bool {
            path.starts_with("/r") && path.extension().is_none()
        }
    }

    /// How many of 100 overlays are built.
    fn built(group: &'static str) -> usize {
        let mut run = Run {
            bytes: 200 << 10,
            ..Run::default()
        };
        let mut sources = Sources::default();
        let folder = |n: usize| Path::new("/r").join(format!("o{n}"));
        let is_built = |n: &usize| {
            run.build(&Overlays(group), &folder(*n), (&mut sources, None))
                .build
                .objects
                .is_ok()
        };
        (0..100).filter(is_built).count()
    }

    #[test]
    fn objects_that_nobody_judges_leave_room_for_others() {
        assert_eq!(built("apps"), 100);
        assert!((2..50).contains(&built("example.com")), "{}", built("example.com"));
    }
}
