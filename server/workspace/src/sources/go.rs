//! The table row for Go: CRDs that controller-gen generates from Go types with markers.

use std::{
    cell::{LazyCell, OnceCell},
    collections::HashMap,
    ops::Range,
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
    Name, Row, Unit, World,
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

/// The table row for Go.
pub(super) const ROW: Row = Row {
    name: "Go",
    is_of: go_file::is_go,
    report: go_file::report,
    silence: go_file::silence,
    may_be_made: place::may_be_at,
    may_be_name: place::may_be_in_tag,
    may_have_made: |text| text.contains(go_crds::stale::ANNOTATION),
    unit: |path, _, world| Some(Box::new(Types::of(path, world)?)),
};

/// The maximum number of packages to search for kinds. The API of a project has fewer.
const MAX_PACKAGES: usize = 200;

/// The types of a Go repository, and the CRDs that were generated from them earlier.
struct Types<'w> {
    root: PathBuf,
    on_disk: Arc<Module>,
    /// The files that are open in the editor.
    open: OnceCell<Vec<(PathBuf, Arc<str>)>>,
    /// The module with the texts of the open files. It is read when a CRD is generated.
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
            // If no files are open, use the module from the disk, because it is cached.
            if self.open().is_empty() {
                return self.on_disk.clone();
            }
            Arc::new(self.on_disk.with(self.open().iter().map(|it| (it.0.as_path(), &it.1))))
        })
    }

    /// The Go modules of the repository that declare kinds, each with the packages that declare them.
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

    /// A generator of complete CRDs for each module.
    fn wholes<'m>(&self, modules: &'m [(Arc<Modules>, Vec<String>)]) -> Vec<Whole<'m>> {
        let whole =
            |(modules, packages): &'m (Arc<Modules>, Vec<String>)| Whole::new(modules, packages, self.module(), false);
        modules.iter().map(whole).collect()
    }

    /// Whether controller-gen writes CRDs of this project. In a project whose CRDs all come from elsewhere, a kind without a CRD may be none that users
    /// create.
    fn are_written(&self, crds: &[Arc<KnownCrd>]) -> bool {
        let mut own = crds.iter().filter(|it| it.path.starts_with(&self.root)).peekable();
        let files = self.world.files();
        let is_written = |crd: &Arc<KnownCrd>| crd.text(files).is_some_and(|it| (ROW.may_have_made)(&it.source.text));
        own.peek().is_none() || own.any(is_written)
    }

    /// The manifest for a CRD that controller-gen wrote, updated from the current types. `whole` has the generator of complete CRDs, and whether the
    /// types may have other fields than the CRD.
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

    /// The text that controller-gen would write for a CRD if it ran now.
    fn rewritten(&self, crd: &KnownCrd) -> Option<String> {
        let text = crd.text(self.world.files()).filter(|it| it.is_readable)?;
        let before = read_json_of(&text.tree, text.root).ok()?.root()?.to_value();
        let text = &text.source.text;
        let modules = self.modules();
        let mut of_modules = modules.iter().map(|it| (&*it.0, it.1.as_slice()));
        of_modules.find_map(|it| go_crds::stale::rewritten(it, &crd.defines, (text, &before)))
    }

    /// The manifests of the wanted kinds: updates of CRDs that controller-gen wrote, and new CRDs of kinds that have none in the repository.
    /// `may_be_whole` returns whether the types of a kind may have other fields than its CRD.
    fn all(
        &self,
        wholes: &mut [Whole<'_>],
        is_wanted: impl Fn(&GroupKind) -> bool,
        may_be_whole: impl Fn(&GroupKind) -> bool,
    ) -> Vec<Made> {
        let crds = self.world.crds();
        let are_written = LazyCell::new(|| self.are_written(&crds));
        let mut made = Vec::new();
        let mut found: Vec<GroupKind> = Vec::new();
        for whole in wholes {
            for of in &*whole.kinds() {
                let of_kind: Vec<&Arc<KnownCrd>> = crds.iter().filter(|it| it.defines == *of).collect();
                if is_wanted(of) {
                    let of_module = of_kind.iter().filter(|it| it.path.starts_with(&self.root));
                    let mut whole_of = |it: &Arc<KnownCrd>| self.of_crd(it, Some((&mut *whole, may_be_whole(of))));
                    made.extend(of_module.filter_map(|it| whole_of(it)));
                    if of_kind.is_empty() && *are_written {
                        made.extend(whole.new_crd(of).map(|it| Made::of_kind(it, of.clone())));
                    }
                }
                found.push(of.clone());
            }
        }
        // For CRDs of other kinds, the types are not completely known.
        let others = crds
            .iter()
            .filter(|it| it.path.starts_with(&self.root) && !found.contains(&it.defines) && is_wanted(&it.defines));
        made.extend(others.filter_map(|it| self.of_crd(it, None)));
        made
    }

    /// Sorts manifests in the order of [`Self::all`].
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

/// Divides the manifests that were generated before some files changed. The first list has those that stay the same, with their current places. The
/// second has those that must be generated again.
fn sorted_out(before: &[Made], edits: &[FileEdit], wholes: &mut [Whole<'_>]) -> (Vec<Made>, Vec<Made>) {
    let (mut kept, mut changed) = (Vec::new(), Vec::new());
    for made in before {
        let of_kind = |it: &mut Whole<'_>| made.kind().is_some_and(|kind| it.kinds().contains(kind));
        let is_known = wholes.iter_mut().any(of_kind);
        let mut same = Some(made.clone());
        for edit in edits {
            let manifest = made.manifest();
            let is_of_text = manifest
                .text_of(&edit.now.path)
                .is_none_or(|it| Some(it) == edit.before.as_ref());
            same = match (&edit.types, made.kind()) {
                (Some(types), Some(kind)) if is_known && is_of_text => {
                    let folder = edit.now.path.parent().unwrap_or(&edit.now.path);
                    let mut wholes = wholes
                        .iter_mut()
                        .filter_map(|it| it.kinds().contains(kind).then_some(it));
                    let is_reached = wholes.any(|it| it.reaches(kind, (folder, &types.changed)));
                    let moves = edit.moves(types);
                    same.filter(|_| !is_reached).and_then(|it| it.moved(&moves))
                }
                // If the kind is not completely known, only a change of a file that the manifest comes from can affect it.
                _ => same.filter(|_| !manifest.is_made_of(&edit.now.path)),
            };
        }
        match same {
            Some(same) => kept.push(same),
            None => changed.push(made.clone()),
        }
    }
    (kept, changed)
}

/// The edit of a file since the manifests were generated.
struct FileEdit {
    /// The text before the edit. `None` if no manifest comes from the file.
    before: Option<Arc<str>>,
    /// The text after the edit.
    now: Arc<SourceText>,
    /// The differences between the types before and after the edit. `None` if something other than types has changed.
    types: Option<Rc<Edited>>,
    /// Whether the types may have other fields than before.
    has_other_fields: bool,
}

impl FileEdit {
    fn new(module: &Module, before: &[Made], file: &Path) -> Self {
        let now = module.types(file);
        let text = before.iter().find_map(|it| it.manifest().text_of(file)).cloned();
        let types = text.as_ref().and_then(|it| module.types_of(file, it));
        let edited = match (&types, &now) {
            (Some(before), Some(now)) => Edited::between(before, now),
            (None, Some(now)) if text.is_none() => Some(Edited::of_new(now)),
            _ => None,
        };
        let fields = |it: &Option<Arc<GoTypes>>| it.as_ref().map(|it| it.fields());
        let now_text = now.as_ref().map_or_else(|| "".into(), |it| it.text.clone());
        Self {
            before: text,
            now: Arc::new(SourceText::new(file.into(), now_text)),
            has_other_fields: edited.is_none() || fields(&types) != fields(&now),
            types: edited.map(Rc::new),
        }
    }

    fn moves(&self, types: &Rc<Edited>) -> Moves {
        let types = types.clone();
        let moved = move |span: Span| {
            let now = types.moved(&span.range())?;
            Some(Span::new(now.start as u32, now.end as u32))
        };
        Moves {
            file: self.now.clone(),
            moved: Box::new(moved),
        }
    }
}

/// A source that always returns the same module.
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

    fn again(&self, before: &[Made], files: &[&Path]) -> Vec<Made> {
        let modules = self.modules();
        let mut wholes = self.wholes(&modules);
        let edits = files.iter().map(|it| FileEdit::new(self.module(), before, it));
        let edits: Vec<FileEdit> = edits.collect();
        let (mut kept, changed) = sorted_out(before, &edits, &mut wholes);
        let has_other_fields = edits.iter().any(|it| it.has_other_fields);
        let is_of = |made: &[Made], kind: &GroupKind| made.iter().any(|it| it.kind() == Some(kind));
        // If one CRD of a kind must be generated again, generate all of them again.
        kept.retain(|it| !it.kind().is_some_and(|it| is_of(&changed, it)));
        // If one of the files now declares a kind that had no manifest, the kind may be known by now.
        let declared: Vec<String> = files.iter().flat_map(|it| self.module().kinds(it)).collect();
        let is_wanted =
            |kind: &GroupKind| is_of(&changed, kind) || declared.contains(&kind.kind) && !is_of(&kept, kind);
        // A complete CRD differs from the updated one only if the fields have changed.
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
        let mut kinds = self.module().kinds(file);
        let crds = self.world.crds();
        let has_crd = |kind: &String| crds.iter().any(|it| it.defines.kind == *kind);
        if !kinds.iter().all(has_crd) && !self.are_written(&crds) {
            kinds.retain(has_crd);
        }
        kinds
    }

    fn names(&self, file: &Path) -> Vec<Name> {
        let Some(types) = self.module().types(file) else {
            return Vec::new();
        };
        let text = Arc::new(SourceText::new(file.into(), types.text.clone()));
        let place = |span: &Range<usize>| Place {
            file: text.clone(),
            span: Span::new(span.start as u32, span.end as u32),
        };
        let members = types.members().into_iter().filter_map(|it| {
            // A tag of several fields is the name of each.
            let declared = match it.names.as_slice() {
                [] => &it.of,
                [name] => name,
                _ => return None,
            };
            Some(Name {
                name: it.json.clone()?,
                written: place(it.json_name.as_ref()?),
                declared: place(declared),
            })
        });
        members.collect()
    }

    fn refuses_name(&self, name: &str) -> Option<String> {
        // `isValidTag` in `encoding/json` of Go, without the quotes and the comma that end a name in a tag.
        let is_valid = |it: char| it.is_alphanumeric() || "!#$%&()*+-./:;<=>?@[]^_{|}~ ".contains(it);
        let is_name = !name.is_empty() && name != "-" && name.chars().all(is_valid);
        (!is_name).then(|| format!("`{name}` cannot be written in a JSON tag of Go"))
    }

    fn missing(&self, kinds: &[String]) -> Vec<String> {
        let modules = self.modules();
        let mut wholes = self.wholes(&modules);
        let mut missing: Vec<String> = wholes
            .iter_mut()
            .flat_map(|it| it.missing(|of| kinds.contains(&of.kind)))
            .collect();
        missing.sort_unstable();
        missing.dedup();
        missing
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
