//! The table row for Go: CRDs that controller-gen generates from Go types with markers.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    hash::{DefaultHasher, Hash as _, Hasher as _},
    ops::Range,
    path::Path,
    sync::Arc,
};

use crd_analyzer_generator::Reach;
use crd_analyzer_gosource::{Mention, Module, check::place, literal::Literal};
use crd_analyzer_syntax::{read_json_of, tree::Span};

use super::{
    MissingPackages, Name, Row, Unit,
    change::{Change, Written},
    go_crds::{self, newer::Newer, whole::Whole, wholes::Wholes},
    go_edits::{Before, Edits},
    go_types::Types,
    made::Made,
    manifest::{Manifest, Place},
    one_made::KnownTypes,
    refused::Refused,
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

impl Types<'_> {
    /// Whether controller-gen writes CRDs of this project. In a project whose CRDs all come from elsewhere, a kind without a CRD may be none that users
    /// create.
    fn are_written(&self, crds: &[Arc<KnownCrd>]) -> bool {
        let mut own = crds.iter().filter(|it| it.path.starts_with(&self.root)).peekable();
        own.peek().is_none() || own.any(|it| self.is_written(it))
    }

    /// Whether something shows that the project runs controller-gen.
    fn has_generator(&self, crds: &[Arc<KnownCrd>]) -> bool {
        self.module().controller_gen().is_some() || crds.iter().any(|it| self.is_written(it))
    }

    /// Whether controller-gen wrote a CRD of this project.
    fn is_written(&self, crd: &Arc<KnownCrd>) -> bool {
        let text = crd
            .text(self.world.files())
            .filter(|_| crd.path.starts_with(&self.root));
        text.is_some_and(|it| (ROW.may_have_made)(&it.source.text))
    }

    /// The manifest for a CRD that controller-gen wrote, updated from the current types. `whole` has the generator of complete CRDs if the types may
    /// have other fields than the CRD.
    fn of_crd(&self, crd: &Arc<KnownCrd>, whole: Option<&mut Whole<'_>>) -> Option<Made> {
        let made = go_crds::made(crd, self.world.files(), || self.module())?;
        let newer = whole.map_or_else(Newer::default, |it| it.newer(&made, crd));
        let made = match newer.manifest {
            Some(it) if newer.is_whole => Made::of_crd(it, crd.clone(), false).whole(),
            Some(it) => Made::of_crd(it, crd.clone(), made.is_in_step()),
            None => made,
        };
        Some(made.with_other_fields(newer.may_be).in_part(newer.is_in_part))
    }

    /// The text that controller-gen would write for a CRD if it ran now.
    fn rewritten(&self, crd: &KnownCrd) -> Option<String> {
        let text = crd.text(self.world.files()).filter(|it| it.is_readable)?;
        let before = read_json_of(&text.tree, text.root).ok()?.root()?.to_value();
        let text = &text.source.text;
        let project = self.module().crd_options();
        let modules = self.modules();
        let mut of_modules = modules.iter().map(|it| (&*it.0, it.1.as_slice()));
        of_modules.find_map(|it| go_crds::stale::rewritten(it, (&crd.defines, project), (text, &before)))
    }

    /// The manifests of a kind whose types are known: updates of the CRDs that controller-gen wrote, or a new CRD if the repository has none. `module`
    /// is the folder of the module that declares the kind. `before` has the kind's manifests before the last edit.
    fn of_kind(
        &self,
        (module, of): (&Arc<Path>, &GroupKind),
        crds: &[Arc<KnownCrd>],
        before: &Before<'_>,
        wholes: &mut Wholes<'_>,
    ) -> Vec<Made> {
        let of_kind: Vec<&Arc<KnownCrd>> = crds.iter().filter(|it| it.defines == *of).collect();
        let known = before
            .types()
            .unwrap_or_else(|| Arc::new(KnownTypes::new(module.clone())));
        let mut made = Vec::new();
        let is_whole = before.may_be_whole();
        for crd in of_kind.iter().filter(|it| it.path.starts_with(&self.root)) {
            let whole = if is_whole { wholes.of(module) } else { None };
            // Who edits a file will edit it again.
            let text = crd.text(self.world.files()).filter(|_| before.are_known());
            let json = text.and_then(|it| it.shared_json());
            let Some(it) = self.of_crd(crd, whole) else { continue };
            let it = it.keeping(json);
            let is_to_compare = crd.is_current() && (before.may_be_older() || !it.is_in_step());
            made.push(if is_to_compare { it.compared_later() } else { it });
        }
        if of_kind.is_empty() && self.are_written(crds) {
            let new = wholes
                .of(module)
                .and_then(|it| it.new_crd(of, |name| crds.iter().any(|it| it.name == name)));
            made.extend(new.map(|it| Made::of_kind(it, of.clone())));
            if made.is_empty()
                && let Some(whole) = wholes.of(module)
                && !whole.refused(of).is_empty()
                && (whole.is_marked(of) || self.has_generator(crds))
            {
                made.extend(whole.without_crd(of).map(|it| Made::absent(it, of.clone())));
            }
        }
        let whole = if is_whole && !made.is_empty() {
            wholes.of(module)
        } else {
            None
        };
        let (mut refused, is_marked) = whole.map(|it| (it.refused(of), it.is_marked(of))).unwrap_or_default();
        let has_crd = made.iter().any(|it| it.crd().is_some());
        if !(refused.is_empty() || has_crd || is_marked || self.has_generator(crds)) {
            refused.clear();
        }
        let refused: Arc<[Refused]> = refused.into();
        let of_kind = |it: Made| it.of_types(known.clone()).with_refused(refused.clone());
        made.into_iter().map(of_kind).collect()
    }

    /// The manifests of the wanted kinds. `before` returns the manifests of a kind before the last edit.
    fn all<'b>(
        &self,
        wholes: &mut Wholes<'_>,
        is_wanted: impl Fn(&GroupKind) -> bool,
        before: impl Fn(&GroupKind) -> Before<'b>,
    ) -> Vec<Made> {
        let crds = self.world.crds();
        let kinds = wholes.kinds();
        let mut made = Vec::new();
        for (module, of) in kinds.iter().filter(|it| is_wanted(&it.1)) {
            made.extend(self.of_kind((module, of), &crds, &before(of), wholes));
        }
        // For CRDs of other kinds, the types are not completely known.
        let is_known = |of: &GroupKind| kinds.iter().any(|it| it.1 == *of);
        let others = crds
            .iter()
            .filter(|it| it.path.starts_with(&self.root) && is_wanted(&it.defines) && !is_known(&it.defines));
        made.extend(others.filter_map(|it| self.of_crd(it, None)));
        made
    }

    /// The types of a file's package by which the file can be a part of a CRD: those that it declares, and those of its constants. `None` if the file
    /// may be a part of any CRD of the package.
    fn names_of(&self, file: &Path) -> Option<HashSet<String>> {
        let types = self.module().types(file).filter(|it| it.markers.is_empty())?;
        let constants = types.constants.iter().map(|it| &it.of);
        Some(types.declared.keys().chain(constants).cloned().collect())
    }

    /// The manifests after an edit that changed no field, so that all kinds are the same. `changed` has the affected manifests before the edit.
    fn marked_again(&self, changed: &[Made], wholes: &mut Wholes<'_>) -> Vec<Made> {
        let crds = self.world.crds();
        let mut made = Vec::new();
        let mut seen: HashSet<(&Path, &GroupKind)> = HashSet::new();
        for it in changed {
            match it.types().zip(it.kind()) {
                Some((types, of)) if seen.insert((&types.module, of)) => {
                    let before = Before::marked(changed, of);
                    made.extend(self.of_kind((&types.module, of), &crds, &before, wholes));
                }
                Some(_) => {}
                None => made.extend(it.crd().and_then(|it| self.of_crd(it, None))),
            }
        }
        made
    }

    /// Sorts manifests in the order of [`Self::all`].
    fn sort(&self, made: &mut [Made], wholes: &mut Wholes<'_>) {
        let kinds = wholes.kinds();
        let crds = self.world.crds();
        let crds: HashMap<&Path, usize> = crds.iter().enumerate().map(|it| (&*it.1.path, it.0)).collect();
        made.sort_by_key(|it| {
            let kind = kinds.iter().position(|kind| it.kind() == Some(&kind.1));
            (kind.unwrap_or(kinds.len()), crds.get(&*it.manifest().path).copied())
        });
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
        self.all(&mut Wholes::new(self), |_| true, |_| Before::default())
    }

    fn make_of(&self, file: &Path) -> Vec<Made> {
        let Some(names) = self.names_of(file) else {
            return self.make();
        };
        let folder = file.parent().unwrap_or(file);
        let mut wholes = Wholes::new(self);
        let mut reached: HashMap<GroupKind, (bool, Reach)> = HashMap::new();
        for (module, of) in wholes.kinds() {
            let reach = wholes.reach(&module, &of);
            let has_file = reach.has(folder, &names);
            reached.insert(of, (has_file, reach));
        }
        // The types of the other kinds are not completely known, so each of them may come from the file.
        let is_wanted = |of: &GroupKind| reached.get(of).is_none_or(|it| it.0);
        let made = self.all(&mut wholes, is_wanted, |_| Before::default());
        for it in &made {
            let reach = it.kind().and_then(|it| reached.remove(it));
            if let Some((types, (_, reach))) = it.types().zip(reach) {
                types.reach(|| reach);
            }
        }
        made
    }

    fn part_of(&self, file: &Path) -> u64 {
        let mut hasher = DefaultHasher::new();
        let names = self
            .names_of(file)
            .map(|it| it.into_iter().collect::<BTreeSet<String>>());
        names.hash(&mut hasher);
        hasher.finish()
    }

    fn again(&self, before: &[Made], files: &[&Path]) -> Vec<Made> {
        let mut wholes = Wholes::new(self);
        let edits = Edits::new(self.module(), before, files);
        let declared: Vec<String> = files.iter().flat_map(|it| self.module().kinds(it)).collect();
        let (mut kept, changed) = edits.sorted_out(before, &declared, &mut wholes);
        let is_of = |made: &[Made], kind: &GroupKind| made.iter().any(|it| it.kind() == Some(kind));
        // If one CRD of a kind must be generated again, generate all of them again.
        let is_changed = |it: &mut Made| it.kind().is_some_and(|it| is_of(&changed, it));
        let others: Vec<Made> = kept.extract_if(.., is_changed).collect();
        let changed = [changed, others].concat();
        let is_made = |name: &String| before.iter().any(|it| it.kind().is_some_and(|it| it.kind == *name));
        let are_same_kinds = !edits.have_other_fields() && declared.iter().all(is_made);
        let made = if are_same_kinds {
            self.marked_again(&changed, &mut wholes)
        } else {
            // If one of the files now declares a kind that had no manifest, the kind may be known by now.
            let is_wanted =
                |kind: &GroupKind| is_of(&changed, kind) || declared.contains(&kind.kind) && !is_of(&kept, kind);
            self.all(&mut wholes, is_wanted, |of| edits.before(&changed, of))
        };
        let moves = edits.moves();
        let aged = |it: Made| {
            let path = &it.manifest().path;
            match changed.iter().find(|it| it.manifest().path == *path) {
                Some(earlier) => it.shows_age_of(earlier, &moves),
                None => it,
            }
        };
        let mut made: Vec<Made> = made.into_iter().map(aged).collect();
        made.append(&mut kept);
        if are_same_kinds {
            let numbered = before.iter().enumerate();
            let places: HashMap<&Path, usize> = numbered.map(|it| (&*it.1.manifest().path, it.0)).collect();
            made.sort_by_key(|it| places.get(&*it.manifest().path).copied().unwrap_or(usize::MAX));
        } else {
            self.sort(&mut made, &mut wholes);
        }
        made
    }

    fn compare(&self, made: &[Made]) {
        let mut wholes = Wholes::new(self);
        for made in made {
            let Some((of, types)) = made.kind().zip(made.types()) else {
                continue;
            };
            if made.is_to_compare() {
                let whole = wholes.of(&types.module).zip(made.crd());
                made.compared(whole.and_then(|(whole, crd)| whole.stale(crd, (&self.root, self.world.files()))));
            }
            // The next edit needs it.
            types.reach(|| wholes.reach(&types.module, of));
        }
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

    fn mentions(&self, name: &Name, new_name: &str) -> Result<Vec<(Place, Written)>, String> {
        let declared = (&*name.declared.file.path, &name.declared.span.range());
        let mention = |it: Mention| {
            let file = Arc::new(SourceText::new(it.file.path.clone(), it.file.text.clone()));
            let place = |span: &Range<usize>| Place {
                file: file.clone(),
                span: Span::new(span.start as u32, span.end as u32),
            };
            let written = Literal::written(&it.name, new_name).ok_or_else(|| {
                let marker = it.file.text.get(it.marker.clone()).unwrap_or_default();
                format!("`{new_name}` cannot be written in `{marker}`")
            })?;
            let inner = it.name.place(&it.file.text, 0..name.name.len());
            Ok((place(&it.marker), (place(&inner), written)))
        };
        let mentions = self.module().mentions(declared, &name.name);
        mentions.into_iter().map(mention).collect()
    }

    fn copies(&self, of: &KnownCrd) -> Vec<Arc<KnownCrd>> {
        let mut copies = self.world.copies(of);
        copies.retain(|it| it.path.starts_with(&self.root));
        copies
    }

    fn refuses_name(&self, name: &str) -> Option<String> {
        // `isValidTag` in `encoding/json` of Go, without the quotes and the comma that end a name in a tag.
        let is_valid = |it: char| it.is_alphanumeric() || "!#$%&()*+-./:;<=>?@[]^_{|}~ ".contains(it);
        let is_name = !name.is_empty() && name != "-" && name.chars().all(is_valid);
        (!is_name).then(|| format!("`{name}` cannot be written in a JSON tag of Go"))
    }

    fn missing(&self) -> Vec<MissingPackages> {
        let mut wholes = Wholes::new(self);
        let of_modules = wholes.all().iter_mut().map(|it| MissingPackages {
            module: it.root().to_owned(),
            packages: it.missing(),
        });
        of_modules.filter(|it| !it.packages.is_empty()).collect()
    }

    fn begun(&self, made: &Made) -> Option<Manifest> {
        if let Some(crd) = made.crd() {
            return go_crds::begun(&*crd.text(self.world.files())?, || self.module());
        }
        let of = made.kind()?;
        self.modules().iter().find_map(|(modules, packages)| {
            let mut whole = Whole::new(modules, packages, self.module(), true);
            whole.new_crd(of, |_| false)
        })
    }
}
