//! The row of Go: the CRDs that controller-gen makes of types with markers.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_gosource::{Module, check::place};
use crd_analyzer_syntax::tree::Span;

use super::{
    Row, Unit, World,
    change::{Change, Written},
    go_crds,
    made::Made,
    manifest::{Manifest, Place},
};
use crate::{
    documents::source::SourceText,
    documents::text::Text,
    sources::generated::{GoSources, Origin},
    sources::go_file,
};

/// Go.
pub(super) const ROW: Row = Row {
    name: "Go",
    is_of: go_file::is_go,
    report: go_file::report,
    silence: go_file::silence,
    may_be_made: place::may_be_at,
    unit: |path, _, world| Some(Box::new(Types::of(path, world)?)),
};

/// The types of a Go module, and the CRDs that were made of them before.
struct Types<'w> {
    root: PathBuf,
    module: Arc<Module>,
    world: &'w dyn World,
}

impl<'w> Types<'w> {
    fn of(path: &Path, world: &'w dyn World) -> Option<Self> {
        let module = world.go()?.around(path)?;
        let root = module.root().to_owned();
        let mut open = world.open(&root);
        open.retain(|it| go_file::is_go(&it.0));
        // What is read of the module is kept for the next file.
        let module = if open.is_empty() {
            module
        } else {
            Arc::new(module.with(open.iter().map(|it| (it.0.as_path(), &it.1))))
        };
        Some(Self { root, module, world })
    }
}

/// The module, wherever it is asked for.
struct One(Arc<Module>);

impl GoSources for One {
    fn around(&self, _: &Path) -> Option<Arc<Module>> {
        Some(self.0.clone())
    }
}

impl Unit for Types<'_> {
    fn root(&self) -> &Path {
        &self.root
    }

    fn make(&self) -> Vec<Made> {
        let crds = self.world.crds();
        let of_module = crds.iter().filter(|it| it.path.starts_with(&self.root));
        let made = of_module.filter_map(|it| go_crds::made(it, self.world.files(), &self.module));
        made.collect()
    }

    fn again(&self, before: &[Made], file: &Path) -> Vec<Made> {
        let made = before.iter().filter_map(|it| {
            if it.manifest().is_made_of(file) {
                go_crds::made(it.crd()?, self.world.files(), &self.module)
            } else {
                Some(it.clone())
            }
        });
        made.collect()
    }

    fn write(&self, made: &Made, change: &Change) -> Option<Written> {
        let text = Text::whole(made.manifest().text.clone());
        let tree = text.read(*text.documents().documents.first()?).ok()?;
        let module = One(self.module.clone());
        let origin = Origin::of(&tree, Some(&made.manifest().path), Some(&module))?;
        let (file, span, text) = origin.write(&change.path, change.to.as_ref())?;
        let place = Place {
            file: Arc::new(SourceText::new(file.path.clone(), file.text.clone())),
            span: Span::new(span.start as u32, span.end as u32),
        };
        Some((place, text))
    }

    fn begun(&self, made: &Made) -> Option<Manifest> {
        let text = made.crd()?.text(self.world.files())?;
        go_crds::begun(&text, &self.module)
    }
}
