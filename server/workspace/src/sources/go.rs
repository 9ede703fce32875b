//! The row of Go: the CRDs that controller-gen makes of types with markers.

use std::{
    cell::OnceCell,
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_generator::Modules;
use crd_analyzer_gosource::{Module, check::place};
use crd_analyzer_syntax::{read_json_of, tree::Span};

use super::{
    Row, Unit, World,
    change::{Change, Written},
    go_crds::{self, whole::Whole},
    made::Made,
    manifest::{Manifest, Place},
};
use crate::{
    documents::source::SourceText,
    index::{GroupKind, KnownCrd},
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
    may_have_made: |text| text.contains(go_crds::stale::ANNOTATION),
    unit: |path, _, world| Some(Box::new(Types::of(path, world)?)),
};

/// Packages that are looked into for kinds: more is not the API of one project.
const MAX_PACKAGES: usize = 200;

/// The types of a Go repository, and the CRDs that were made of them before.
struct Types<'w> {
    root: PathBuf,
    on_disk: Arc<Module>,
    /// The files that somebody edits.
    open: OnceCell<Vec<(PathBuf, Arc<str>)>>,
    /// The module with their texts, read when a CRD is made of the types.
    edited: OnceCell<Arc<Module>>,
    world: &'w dyn World,
}

impl<'w> Types<'w> {
    fn of(path: &Path, world: &'w dyn World) -> Option<Self> {
        let on_disk = world.go()?.around(path)?;
        Some(Self {
            root: on_disk.root().to_owned(),
            on_disk,
            open: OnceCell::new(),
            edited: OnceCell::new(),
            world,
        })
    }

    fn open(&self) -> &[(PathBuf, Arc<str>)] {
        self.open.get_or_init(|| {
            let mut open = self.world.open(&self.root);
            open.retain(|it| go_file::is_go(&it.0));
            open
        })
    }

    fn module(&self) -> &Arc<Module> {
        self.edited.get_or_init(|| {
            // What is read of the module is kept for the next file.
            if self.open().is_empty() {
                return self.on_disk.clone();
            }
            Arc::new(self.on_disk.with(self.open().iter().map(|it| (it.0.as_path(), &it.1))))
        })
    }

    /// The Go modules of the repository that have kinds, each with its packages.
    fn modules(&self) -> Vec<(Arc<Modules>, Vec<String>)> {
        let mut all: Vec<(Arc<Modules>, Vec<String>)> = Vec::new();
        for folder in self.module().packages_with_kinds(MAX_PACKAGES) {
            let found = self.world.go().and_then(|it| it.modules(&folder.join("types.go")));
            let Some((modules, path)) = found.and_then(|it| Some((it.clone(), it.path_of(&folder)?))) else {
                continue;
            };
            match all.iter_mut().find(|it| it.0.root() == modules.root()) {
                Some((_, packages)) => packages.push(path),
                None => all.push((modules, vec![path])),
            }
        }
        for (modules, _) in &mut all {
            *modules = Arc::new(modules.with(self.module().clone()));
        }
        all
    }

    /// What is made of a CRD that controller-gen wrote, as the types are now. `whole`: what the types make whole, and whether they may have other fields.
    fn of_crd(&self, crd: &Arc<KnownCrd>, whole: Option<(&mut Whole<'_>, bool)>) -> Option<Made> {
        let files = self.world.files();
        let made = go_crds::made(crd, files, || self.module())?;
        let Some((whole, may_be_whole)) = whole else {
            return Some(made);
        };
        let newer = may_be_whole.then(|| whole.newer(&made, crd)).flatten();
        let may_be_stale = crd.is_current() && (may_be_whole || !made.is_in_step());
        let stale = may_be_stale.then(|| whole.stale(crd, (&self.root, files))).flatten();
        let made = newer.map_or(made, |it| Made::of_crd(it, crd.clone(), false).whole());
        Some(made.older(stale))
    }

    /// The text that controller-gen would write over that of a CRD.
    fn rewritten(&self, crd: &KnownCrd) -> Option<String> {
        let text = crd.text(self.world.files()).filter(|it| it.is_readable)?;
        let before = read_json_of(&text.tree, text.root).ok()?.root()?.to_value();
        let text = &text.source.text;
        let modules = self.modules();
        let mut of_modules = modules.iter().map(|it| (&*it.0, it.1.as_slice()));
        of_modules.find_map(|it| go_crds::stale::rewritten(it, &crd.defines, (text, &before)))
    }

    /// The manifests of the kinds that are wanted: those of CRDs that controller-gen wrote, and those of kinds that are in no CRD of the repository.
    /// `may_be_whole`: the types of the kind may have other fields than its CRD.
    fn all(&self, is_wanted: impl Fn(&GroupKind) -> bool, may_be_whole: impl Fn(&GroupKind) -> bool) -> Vec<Made> {
        let crds = self.world.crds();
        let mut made = Vec::new();
        let mut found: Vec<GroupKind> = Vec::new();
        for (modules, packages) in self.modules() {
            let mut whole = Whole::new(&modules, &packages, self.module(), false);
            for (group, kind) in whole.kinds() {
                let of = GroupKind { group, kind };
                let of_kind: Vec<&Arc<KnownCrd>> = crds.iter().filter(|it| it.defines == of).collect();
                if is_wanted(&of) {
                    let of_module = of_kind.iter().filter(|it| it.path.starts_with(&self.root));
                    let mut whole_of = |it: &Arc<KnownCrd>| self.of_crd(it, Some((&mut whole, may_be_whole(&of))));
                    made.extend(of_module.filter_map(|it| whole_of(it)));
                    if of_kind.is_empty() {
                        made.extend(whole.crd(&of, modules.root()).map(|it| Made::of_kind(it, of.clone())));
                    }
                }
                found.push(of);
            }
        }
        // Others are of types that are not known whole.
        let others = crds
            .iter()
            .filter(|it| it.path.starts_with(&self.root) && !found.contains(&it.defines) && is_wanted(&it.defines));
        made.extend(others.filter_map(|it| self.of_crd(it, None)));
        made
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
        self.all(|_| true, |_| true)
    }

    fn again(&self, before: &[Made], file: &Path) -> Vec<Made> {
        let (of_file, others): (Vec<&Made>, Vec<&Made>) = before.iter().partition(|it| it.manifest().is_made_of(file));
        let is_of = |made: &[&Made], kind: &GroupKind| made.iter().any(|it| it.kind() == Some(kind));
        // Kinds of which nothing was made before may be known now, if the file declares them.
        let declared = self.module().kinds(file);
        let is_wanted =
            |kind: &GroupKind| is_of(&of_file, kind) || declared.contains(&kind.kind) && !is_of(&others, kind);
        let mut made: Vec<Made> = others.iter().map(|it| (*it).clone()).collect();
        // Only other fields make the CRD another one than markers do.
        let fields = |module: &Module| module.types(file).map(|it| it.fields());
        let has_other_fields = fields(&self.on_disk) != fields(self.module());
        let may_be_whole = |kind: &GroupKind| {
            has_other_fields || of_file.iter().any(|it| it.kind() == Some(kind) && it.may_be_whole())
        };
        made.extend(self.all(is_wanted, may_be_whole));
        made
    }

    fn write(&self, made: &Made, change: &Change) -> Option<Written> {
        let tree = made.manifest().tree()?;
        let module = One(self.module().clone());
        let origin = Origin::of(&tree, Some(&made.manifest().path), Some(&module))?;
        let (file, span, text) = origin.write(change)?;
        let place = Place {
            file: Arc::new(SourceText::new(file.path.clone(), file.text.clone())),
            span: Span::new(span.start as u32, span.end as u32),
        };
        Some((place, text))
    }

    fn rewritten(&self, made: &Made) -> Option<String> {
        Self::rewritten(self, made.crd()?)
    }

    fn kinds(&self, file: &Path) -> Vec<String> {
        self.module().kinds(file)
    }

    fn begun(&self, made: &Made) -> Option<Manifest> {
        if let Some(crd) = made.crd() {
            return go_crds::begun(&*crd.text(self.world.files())?, || self.module());
        }
        let of = made.kind()?;
        self.modules().iter().find_map(|(modules, packages)| {
            let mut whole = Whole::new(modules, packages, self.module(), true);
            whole.crd(of, modules.root())
        })
    }
}
