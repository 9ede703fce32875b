//! The row of Go: the CRDs that controller-gen makes of types with markers.

use std::{
    cell::OnceCell,
    collections::HashMap,
    path::{Path, PathBuf},
    rc::Rc,
    sync::Arc,
};

use crd_analyzer_generator::Modules;
use crd_analyzer_gosource::{
    Module,
    check::{Types as GoTypes, edited::Edited, place},
};
use crd_analyzer_syntax::{read_json_of, tree::Span};

use super::{
    Row, Unit, World,
    change::{Change, Written},
    go_crds::{
        self,
        whole::{Newer, Whole},
    },
    made::Made,
    manifest::{Manifest, Moves, Place},
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

    /// What makes whole CRDs in each of the modules.
    fn wholes<'m>(&self, modules: &'m [(Arc<Modules>, Vec<String>)]) -> Vec<Whole<'m>> {
        let whole =
            |(modules, packages): &'m (Arc<Modules>, Vec<String>)| Whole::new(modules, packages, self.module(), false);
        modules.iter().map(whole).collect()
    }

    /// What is made of a CRD that controller-gen wrote, as the types are now. `whole`: what the types make whole, and whether they may have other fields.
    fn of_crd(&self, crd: &Arc<KnownCrd>, whole: Option<(&mut Whole<'_>, bool)>) -> Option<Made> {
        let files = self.world.files();
        let made = go_crds::made(crd, files, || self.module())?;
        let Some((whole, may_be_whole)) = whole else {
            return Some(made);
        };
        let newer = if may_be_whole {
            whole.newer(&made, crd)
        } else {
            Newer::default()
        };
        let may_be_stale = crd.is_current() && (may_be_whole || !made.is_in_step());
        let stale = may_be_stale.then(|| whole.stale(crd, (&self.root, files))).flatten();
        let made = newer
            .manifest
            .map_or(made, |it| Made::of_crd(it, crd.clone(), false).whole());
        Some(made.older(stale, newer.may_be))
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
    fn all(
        &self,
        wholes: &mut [Whole<'_>],
        is_wanted: impl Fn(&GroupKind) -> bool,
        may_be_whole: impl Fn(&GroupKind) -> bool,
    ) -> Vec<Made> {
        let crds = self.world.crds();
        let mut made = Vec::new();
        let mut found: Vec<GroupKind> = Vec::new();
        for whole in wholes {
            for of in &*whole.kinds() {
                let of_kind: Vec<&Arc<KnownCrd>> = crds.iter().filter(|it| it.defines == *of).collect();
                if is_wanted(of) {
                    let of_module = of_kind.iter().filter(|it| it.path.starts_with(&self.root));
                    let mut whole_of = |it: &Arc<KnownCrd>| self.of_crd(it, Some((&mut *whole, may_be_whole(of))));
                    made.extend(of_module.filter_map(|it| whole_of(it)));
                    if of_kind.is_empty() {
                        made.extend(whole.new_crd(of).map(|it| Made::of_kind(it, of.clone())));
                    }
                }
                found.push(of.clone());
            }
        }
        // Others are of types that are not known whole.
        let others = crds
            .iter()
            .filter(|it| it.path.starts_with(&self.root) && !found.contains(&it.defines) && is_wanted(&it.defines));
        made.extend(others.filter_map(|it| self.of_crd(it, None)));
        made
    }

    /// What was made before a file has changed: what stays, with its places as they are now, and what is to be made again.
    fn sorted_out(&self, before: &[Made], file: &Path, wholes: &mut [Whole<'_>]) -> SortedOut {
        let mut edits = Edits::new(self.module(), file);
        let text = before.iter().find_map(|it| it.manifest().text_of(file));
        let (mut kept, mut changed) = (Vec::new(), Vec::new());
        for made in before {
            let edit = made.manifest().text_of(file).or(text).and_then(|it| edits.since(it));
            let mut of_kind = wholes.iter_mut().filter_map(|it| {
                let kind = made.kind().filter(|kind| it.kinds().contains(kind))?;
                Some((it, kind))
            });
            // Of a kind that is not known whole, only what the file has a part in may change.
            let same = match (edit, of_kind.next()) {
                (Some(edit), Some(first)) => {
                    let folder = file.parent().unwrap_or(file);
                    let reaches =
                        |(whole, kind): (&mut Whole<'_>, &GroupKind)| whole.reaches(kind, (folder, &edit.changed));
                    let is_reached = reaches(first) || of_kind.any(reaches);
                    if is_reached {
                        None
                    } else {
                        made.moved(&edits.moves(edit.clone()))
                    }
                }
                _ => (!made.manifest().is_made_of(file)).then(|| made.clone()),
            };
            match same {
                Some(same) => kept.push(same),
                None => changed.push(made.clone()),
            }
        }
        SortedOut {
            kept,
            changed,
            has_other_fields: edits.have_other_fields(),
        }
    }

    /// Puts manifests into the order in which they are made when all are made.
    fn sort(&self, made: &mut [Made], wholes: &mut [Whole<'_>]) {
        let kinds: Vec<GroupKind> = wholes.iter_mut().flat_map(|it| it.kinds().to_vec()).collect();
        let crds = self.world.crds();
        let crds: HashMap<&Path, usize> = crds.iter().enumerate().map(|it| (&*it.1.path, it.0)).collect();
        made.sort_by_key(|it| {
            let kind = kinds.iter().position(|kind| it.kind() == Some(kind));
            (kind.unwrap_or(kinds.len()), crds.get(&*it.manifest().path).copied())
        });
    }
}

/// What was made before a file has changed.
struct SortedOut {
    kept: Vec<Made>,
    /// What is to be made again.
    changed: Vec<Made>,
    /// The types of the file may have other fields than before.
    has_other_fields: bool,
}

/// The edits of a file since manifests were made of it.
struct Edits<'m> {
    module: &'m Module,
    now: Arc<SourceText>,
    types: Option<Arc<GoTypes>>,
    /// By the text before: mostly all manifests are made of one.
    since: Vec<(Arc<str>, Option<Rc<Edited>>)>,
    have_same_fields: bool,
}

impl<'m> Edits<'m> {
    fn new(module: &'m Module, file: &Path) -> Self {
        let types = module.types(file);
        let text = types.as_ref().map_or_else(|| "".into(), |it| it.text.clone());
        Self {
            module,
            now: Arc::new(SourceText::new(file.into(), text)),
            types,
            since: Vec::new(),
            have_same_fields: true,
        }
    }

    /// Whether one of them may have changed fields of types.
    fn have_other_fields(&self) -> bool {
        self.since.is_empty() || !self.have_same_fields || self.since.iter().any(|it| it.1.is_none())
    }

    /// The edit since a text. `None`: something else than types has changed.
    fn since(&mut self, text: &Arc<str>) -> Option<Rc<Edited>> {
        let at = self.since.iter().position(|it| it.0 == *text).unwrap_or_else(|| {
            let before = self.module.types_of(&self.now.path, text);
            let edited = before.zip(self.types.as_ref()).and_then(|(before, types)| {
                self.have_same_fields &= before.fields() == types.fields();
                Edited::between(&before, types)
            });
            self.since.push((text.clone(), edited.map(Rc::new)));
            self.since.len() - 1
        });
        self.since[at].1.clone()
    }

    fn moves(&self, edit: Rc<Edited>) -> Moves {
        let moved = move |span: Span| {
            let now = edit.moved(&span.range())?;
            Some(Span::new(now.start as u32, now.end as u32))
        };
        Moves {
            file: self.now.clone(),
            moved: Box::new(moved),
        }
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
        let modules = self.modules();
        self.all(&mut self.wholes(&modules), |_| true, |_| true)
    }

    fn again(&self, before: &[Made], file: &Path) -> Vec<Made> {
        let modules = self.modules();
        let mut wholes = self.wholes(&modules);
        let SortedOut {
            mut kept,
            changed,
            has_other_fields,
        } = self.sorted_out(before, file, &mut wholes);
        let is_of = |made: &[Made], kind: &GroupKind| made.iter().any(|it| it.kind() == Some(kind));
        // A kind is made again with all its CRDs.
        kept.retain(|it| !it.kind().is_some_and(|it| is_of(&changed, it)));
        // Kinds of which nothing was made before may be known now, if the file declares them.
        let declared = self.module().kinds(file);
        let is_wanted =
            |kind: &GroupKind| is_of(&changed, kind) || declared.contains(&kind.kind) && !is_of(&kept, kind);
        // Only other fields make the CRD another one than markers do.
        let may_be_whole = |kind: &GroupKind| {
            let mut of_kind = changed.iter().filter(|it| it.kind() == Some(kind)).peekable();
            has_other_fields || of_kind.peek().is_none() || of_kind.any(Made::may_be_whole)
        };
        let mut made = self.all(&mut wholes, is_wanted, may_be_whole);
        made.append(&mut kept);
        self.sort(&mut made, &mut wholes);
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
            whole.new_crd(of)
        })
    }
}
