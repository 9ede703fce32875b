//! The CRDs that the Go types of a repository are made into, as their markers are now.

mod put;

use std::{path::Path, sync::Arc};

use crd_analyzer_budget::{self as budget, Limits};
use crd_analyzer_gosource::Module;

pub use put::{GoCrd, make};

use super::{
    judged::{self, Judged},
    manifest::Manifest,
};
use crate::{
    go_file,
    index::{Files, KnownDefinition},
    question::Question,
    report::{DocumentReport, FileReport},
};

/// For making the CRDs of a repository: what is more is left as controller-gen wrote it.
const MAKING: Limits = Limits {
    work: 2_000_000_000,
    bytes: 512 << 20,
    ..Limits::NONE
};

/// The CRDs of a Go repository.
#[derive(Debug, Default)]
pub struct GoCrds {
    made: Vec<Made>,
}

/// A CRD that controller-gen wrote, and as the types make it.
#[derive(Clone, Debug)]
struct Made {
    crd: Arc<KnownDefinition>,
    judged: Arc<Judged>,
    is_in_step: bool,
}

impl Made {
    fn new(crd: &Arc<KnownDefinition>, files: &dyn Files, module: &Module) -> Option<Self> {
        let text = crd.text(files).filter(|it| it.is_readable)?;
        let GoCrd { manifest, is_in_step } = make(&text, module)?;
        Some(Self {
            crd: crd.clone(),
            judged: Arc::new(Judged::new(Arc::new(manifest))),
            is_in_step,
        })
    }
}

impl GoCrds {
    /// Of these CRDs, as far as types of the repository are known for them.
    pub fn new<'c>(
        crds: impl IntoIterator<Item = &'c Arc<KnownDefinition>>,
        files: &dyn Files,
        module: &Module,
    ) -> Self {
        let made = crds.into_iter().filter_map(|it| Made::new(it, files, module));
        let (made, _) = budget::within(MAKING, || made.collect());
        Self { made }
    }

    /// The same after a Go file has changed: what the file has no part in stays as it was.
    #[must_use]
    pub fn again(&self, path: &Path, files: &dyn Files, module: &Module) -> Self {
        let made = self.made.iter().filter_map(|it| {
            if it.judged.manifest.is_made_of(path) {
                Made::new(&it.crd, files, module)
            } else {
                Some(it.clone())
            }
        });
        let (made, _) = budget::within(MAKING, || made.collect());
        Self { made }
    }

    /// The CRDs that a Go file has a part in, as its types make them.
    pub fn manifests(&self, path: &Path) -> impl Iterator<Item = &Arc<Manifest>> {
        let manifests = self.made.iter().map(|it| &it.judged.manifest);
        manifests.filter(move |it| it.is_made_of(path))
    }

    /// The CRDs that a Go file has a part in, each as its types make it with this text of the file, also where somebody is still typing a marker.
    pub fn begun<'a>(
        &'a self,
        path: &'a Path,
        files: &'a dyn Files,
        module: &'a Module,
    ) -> impl Iterator<Item = Manifest> + 'a {
        let of_file = self.made.iter().filter(|it| it.judged.manifest.is_made_of(path));
        let texts = of_file.filter_map(|it| it.crd.text(files));
        texts.filter_map(|it| Some(put::make_begun(&it, module)?.manifest))
    }

    /// What is wrong in a Go file with the CRDs that it has a part in. `is_told`: what is wrong with the CRD in a file is told there.
    pub fn found(&self, path: &Path, question: &Question<'_>, is_told: impl Fn(&Path) -> bool) -> Vec<DocumentReport> {
        let of_file = self.made.iter().filter(|it| it.judged.manifest.is_made_of(path));
        let told = of_file.filter(|it| !(it.is_in_step && is_told(&it.crd.path)));
        judged::in_file(told.map(|it| &it.judged), path, question)
    }

    /// Adds that to the report on the file.
    pub fn complete(
        &self,
        path: &Path,
        report: &mut FileReport,
        (question, is_told): (&Question<'_>, impl Fn(&Path) -> bool),
    ) {
        let found = self.found(path, question, is_told);
        if !found.is_empty() {
            report.documents.extend(found);
            go_file::silence(report);
        }
    }
}
