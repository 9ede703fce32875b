//! Generates complete CRDs from Go types, for kinds without a CRD in the repository, and for kinds whose CRD in the repository has other fields than
//! the types.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet, HashMap},
    path::Path,
    rc::Rc,
    sync::Arc,
};

use crd_analyzer_generator::{
    Crd, Generator, Modules, Options, Reach, Reason, Sources as _,
    node::{Node, Origin, Part},
};
use crd_analyzer_gosource::{Module, check::catalog::Release};
use crd_analyzer_syntax::{json::Json, paths::find, read_json, read_json_of};
use serde_json::Value;

use super::{
    newer::{Newer, has_other_fields, is_newer},
    stale::{self, Difference, Older, Stale, Unsettled},
    texts::{Known, Texts},
    unknown::Fields,
};
use crate::{
    documents::source::SourceText,
    index::{Files, GroupKind, KnownCrd},
    sources::{
        change,
        made::Made,
        manifest::{Manifest, Place, Writing},
        refused::Refused,
    },
    words::{refused_types::Why, stale::What},
};

/// Generates CRDs from the packages of a module.
pub(in crate::sources) struct Whole<'m> {
    modules: &'m Modules,
    packages: &'m [String],
    options: Options,
    /// Whether controller-gen certainly rejects fields that are not exported and have no JSON tag.
    rejects_unexported: bool,
    generator: Generator<'m>,
    kinds: Option<Rc<[GroupKind]>>,
    /// The declarations of the kinds whose package sets no group, by name.
    without_group: Option<Rc<BTreeMap<String, Vec<Origin>>>>,
    /// The generated CRDs so far, because the repository may have several copies of a CRD. `None` if no version of the kind exists.
    made: HashMap<GroupKind, Option<Rc<Generated>>>,
    /// The CRDs that other releases of controller-gen, or other runs, generate.
    others: HashMap<(GroupKind, String), Option<Rc<Unsettled>>>,
    texts: HashMap<Arc<Path>, Arc<SourceText>>,
}

/// A generated CRD.
struct Generated {
    crd: Crd,
    /// Whether some of its types are unknown.
    is_in_part: bool,
    value: OnceCell<Value>,
}

impl Generated {
    fn value(&self) -> &Value {
        self.value.get_or_init(|| self.crd.object.to_json())
    }
}

impl<'m> Whole<'m> {
    /// Creates a generator for the packages with these import paths. `are_begun` means that the user is typing, so that a string may be unterminated.
    pub(in crate::sources) fn new(
        modules: &'m Modules,
        packages: &'m [String],
        module: &Module,
        are_begun: bool,
    ) -> Self {
        let project = module.crd_options();
        let options = Options {
            // Where the project's options for controller-gen are unknown, choose options with which nothing is rejected.
            allows_dangerous_types: project.is_on("allowDangerousTypes") != Some(false),
            has_embedded_metadata: project.is_on("generateEmbeddedObjectMeta") != Some(false),
            leaves_out_unexported: project.is_on("ignoreUnexportedFields") == Some(true),
            may_lack_descriptions: true,
            are_begun,
            is_strict: false,
            ..Options::of(module.controller_gen().unwrap_or(Release::NEWEST))
        };
        let tool = module.controller_gen_version().unwrap_or_default();
        Self {
            modules,
            packages,
            generator: Generator::new(packages, modules, &options, Some(tool)),
            rejects_unexported: project.is_on("ignoreUnexportedFields") == Some(false),
            options,
            kinds: None,
            without_group: None,
            made: HashMap::new(),
            others: HashMap::new(),
            texts: HashMap::new(),
        }
    }

    /// The folder of the module.
    pub(in crate::sources) fn root(&self) -> &'m Path {
        self.modules.root()
    }

    /// The kinds for which controller-gen writes CRDs, sorted.
    pub(in crate::sources) fn kinds(&mut self) -> Rc<[GroupKind]> {
        let without_group = self.without_group();
        let found = self.kinds.get_or_insert_with(|| {
            let mut kinds = self.generator.kinds();
            kinds.retain(|(group, kind)| !group.is_empty() && !self.generator.is_internal(group, kind));
            kinds.extend(without_group.keys().map(|it| (String::new(), it.clone())));
            let kinds = kinds.into_iter();
            kinds.map(|(group, kind)| GroupKind { group, kind }).collect()
        });
        found.clone()
    }

    /// The declarations of the kinds whose package sets no group, by name.
    fn without_group(&mut self) -> Rc<BTreeMap<String, Vec<Origin>>> {
        let found = self.without_group.get_or_insert_with(|| {
            let mut by_name: BTreeMap<String, Vec<Origin>> = BTreeMap::new();
            for (name, origin) in self.generator.without_group() {
                by_name.entry(name).or_default().push(origin);
            }
            Rc::new(by_name)
        });
        found.clone()
    }

    /// Whether markers at the declaration of a kind show that controller-gen is meant to generate its CRD.
    pub(in crate::sources) fn is_marked(&self, of: &GroupKind) -> bool {
        of.group.is_empty() || self.generator.is_marked(&of.group, &of.kind)
    }

    /// The types on which the CRD of a kind may depend.
    pub(in crate::sources) fn reach(&mut self, of: &GroupKind) -> Reach {
        self.generator.reach((&of.group, &of.kind))
    }

    /// The generated CRD for a kind that has no CRD in the repository. `None` if it is not completely known, or if a CRD of the repository has its name:
    /// a script has then changed the kind. Its file is assumed to be in the module's folder, so CRDs near that folder take precedence.
    pub(in crate::sources) fn new_crd(&mut self, of: &GroupKind, is_taken: impl Fn(&str) -> bool) -> Option<Manifest> {
        if of.group.is_empty() || self.is_unserved(of) {
            return None;
        }
        let crd = &self.known(of)?.crd;
        if is_taken(&format!("{}.{}", crd.plural, crd.group)) {
            return None;
        }
        self.manifest(crd, self.modules.root().join(&crd.file).into())
    }

    /// The packages that the kinds need, that are not on this machine, and that belong to other modules. They are sorted.
    pub(in crate::sources) fn missing(&mut self) -> Vec<String> {
        for kind in self.kinds().iter() {
            let _ = self.generated(kind);
        }
        let types = self.generator.missing().iter();
        let packages: BTreeSet<&str> = types.filter_map(|it| Some(it.rsplit_once('.')?.0)).collect();
        // The first part of a module's path is the name of a host.
        let is_of_module = |it: &&str| it.split_once('/').is_some_and(|it| it.0.contains('.'));
        let is_missing = |it: &&str| is_of_module(it) && self.modules.folder_of(it).is_none();
        packages.into_iter().filter(is_missing).map(str::to_owned).collect()
    }

    /// The fields and types of the project for which controller-gen fails when it generates the CRD of a kind.
    pub(in crate::sources) fn refused(&mut self, of: &GroupKind) -> Vec<Refused> {
        let _ = self.known(of);
        let mut found = self.unusable(of);
        for (origin, reason) in self.rejections(of) {
            let place = self.place(&origin);
            let names = || self.generator.names_at(&origin);
            let refused = Refused::new(place, reason, names);
            found.extend(refused.filter(|it| self.is_error(it)));
        }
        found
    }

    /// The reasons why controller-gen writes no usable CRD of a kind, although the markers of the kind ask for one.
    fn unusable(&mut self, of: &GroupKind) -> Vec<Refused> {
        let mut origins = Vec::new();
        if of.group.is_empty() {
            let all = self.without_group();
            let all = all.get(&of.kind).into_iter().flatten();
            origins.extend(all.map(|it| (it.clone(), Why::NoGroup)));
        } else if self.generator.is_marked(&of.group, &of.kind) {
            let skipped = self.generator.skipped(&of.group, &of.kind);
            origins.extend(skipped.map(|it| (it, Why::Skipped)));
        }
        let mut found = Vec::new();
        for (origin, reason) in origins {
            if self.is_own(&origin.file) && self.read(&origin).is_some() {
                found.extend(Refused::new(self.place(&origin), reason, Vec::new));
            }
        }
        found
    }

    /// Whether no version of a kind is served.
    fn is_unserved(&mut self, of: &GroupKind) -> bool {
        let _ = self.known(of);
        self.rejections(of).iter().any(|it| it.1 == Reason::Unserved)
    }

    /// The first place in the project at which controller-gen fails when it generates the CRD of a kind. Unlike [`Self::refused`], this includes
    /// markers, which are checked separately.
    fn first_refused(&mut self, of: &GroupKind) -> Option<Place> {
        let mut places = Vec::new();
        for (origin, reason) in self.rejections(of) {
            let place = self.place(&origin);
            let is_certain = match Refused::new(place.clone(), reason, Vec::new) {
                Some(it) => self.is_error(&it),
                // The type may not be finished.
                None => reason != Reason::Type,
            };
            places.extend(Some(place).filter(|_| is_certain));
        }
        places
            .into_iter()
            .min_by(|one, other| (&one.file.path, one.span.start).cmp(&(&other.file.path, other.span.start)))
    }

    /// The places in the project that controller-gen may reject when it generates the CRD of a kind, with the reasons. Their files are read.
    fn rejections(&mut self, of: &GroupKind) -> Vec<(Origin, Reason)> {
        let all = self.generator.refused_of((&of.group, &of.kind)).into_iter();
        let all: Vec<_> = all.filter_map(|it| Some((it.origin?, it.reason))).collect();
        let mut found = all;
        found.retain(|(origin, _)| self.is_own(&origin.file) && self.read(origin).is_some());
        found
    }

    /// Whether this version of controller-gen fails because of a type.
    fn is_error(&self, refused: &Refused) -> bool {
        self.rejects_unexported || !refused.what.is_unexported()
    }

    /// Whether a file belongs to the module, and not to one of its dependencies.
    fn is_own(&self, file: &Path) -> bool {
        let below = file.strip_prefix(self.modules.root());
        below.is_ok_and(|it| !it.starts_with("vendor"))
    }

    /// The place of a kind without a CRD: the declaration of its type.
    pub(in crate::sources) fn without_crd(&mut self, of: &GroupKind) -> Option<Manifest> {
        let declared = if of.group.is_empty() {
            self.without_group().get(&of.kind)?.first()?.clone()
        } else {
            self.generator.declaration(&of.group, &of.kind)?
        };
        self.read(&declared)?;
        let mut writing = Writing::default();
        writing.from(&self.place(&declared), None, |_| {});
        let file = format!("{}_{}.yaml", of.group, of.kind.to_lowercase());
        Some(writing.finish(self.modules.root().join(file).into()))
    }

    /// The CRD of a kind, if all of its types are known.
    fn known(&mut self, of: &GroupKind) -> Option<Rc<Generated>> {
        self.generated(of).filter(|it| !it.is_in_part)
    }

    fn generated(&mut self, of: &GroupKind) -> Option<Rc<Generated>> {
        if let Some(made) = self.made.get(of) {
            return made.clone();
        }
        let made = self.generator.crd(&of.group, &of.kind).map(|crd| {
            Rc::new(Generated {
                is_in_part: crd.object.has_unknown(),
                crd,
                value: OnceCell::new(),
            })
        });
        self.made.insert(of.clone(), made.clone());
        made
    }

    /// The CRD of a kind as this version of controller-gen generates it. The version belongs to the release.
    fn other(&mut self, of: &GroupKind, (release, version): (Release, &str)) -> Option<Rc<Unsettled>> {
        let key = (of.clone(), version.to_owned());
        if let Some(known) = self.others.get(&key) {
            return known.clone();
        }
        let options = Options {
            release,
            ..self.options.clone()
        };
        let of_module = (self.modules, self.packages);
        let made = Unsettled::new(of_module, of, (&options, version)).map(Rc::new);
        self.others.insert(key, made.clone());
        made
    }

    /// Compares the CRD that the types generate with the updated CRD in `made`. It is used if the types only have other fields. If anything else
    /// differs, a script changed the CRD after it was generated, so the generated CRD is not what the project applies to the cluster.
    ///
    /// What the types do not say, because some of them are not on this machine, is taken from `made`. Rules that read new fields without a known type
    /// are left open.
    pub(in crate::sources) fn newer(&mut self, made: &Made, crd: &KnownCrd) -> Newer {
        let put = made.manifest();
        let Some((whole, known)) = self
            .generated(&crd.defines)
            .zip(serde_json::from_str::<Value>(&put.text).ok())
        else {
            return Newer::default();
        };
        let is_in_part = whole.is_in_part;
        let completed = if is_in_part {
            self.completed(&whole.crd, put)
                .and_then(|it| Some((serde_json::from_str(&it.text).ok()?, it)))
        } else {
            None
        };
        let value = match &completed {
            Some((value, _)) => value,
            None if is_in_part => {
                return Newer {
                    is_in_part,
                    ..Newer::default()
                };
            }
            None => whole.value(),
        };
        let may_be = has_other_fields(&known, value);
        let is_whole = may_be && is_newer(&known, value);
        let made = &whole.crd.object;
        let manifest = if !may_be {
            None
        } else if !is_whole {
            let open = Fields::new(made, &known).read_by_rules(put, &known);
            (!open.is_empty()).then(|| Manifest::clone(put).leaving_open(open))
        } else if let Some((value, manifest)) = completed {
            let open = Fields::not_described(made, &known).read_by_rules(&manifest, &value);
            Some(manifest.leaving_open(open))
        } else {
            self.manifest(&whole.crd, crd.path.clone())
        };
        Newer {
            is_whole: is_whole && manifest.is_some(),
            manifest,
            may_be,
            is_in_part,
        }
    }

    /// A generated CRD, with what its types do not say from the CRD of the repository.
    fn completed(&mut self, crd: &Crd, put: &Manifest) -> Option<Manifest> {
        let tree = put.tree()?;
        let json = read_json(&tree).ok()?;
        let known = Known {
            manifest: put,
            tree: &tree,
        };
        self.written(crd, (put.path.clone(), Some((known, json.root()?))))
    }

    /// The differences that show that a CRD is older than its types. `None` if it is not older, or if a script may have made the differences. If
    /// controller-gen fails at the types, a CRD without differences is the one from before the error. `root` is the folder of the project.
    pub(in crate::sources) fn stale(&mut self, crd: &KnownCrd, (root, files): (&Path, &dyn Files)) -> Option<Stale> {
        let text = crd.text(files).filter(|it| it.is_readable && !it.is_inside)?;
        let value = read_json_of(&text.tree, text.root).ok()?.root()?.to_value();
        let compare = |made: &Part, declared: &Origin| stale::differences(&value, made, (declared, root));
        let known = self.known(&crd.defines)?;
        let mut found = compare(&known.crd.object, &known.crd.declared.first()?.1);
        let refused = self.first_refused(&crd.defines);
        if found.is_empty() && refused.is_none() || stale::header(&text.source.text, &value).is_none() {
            return None;
        }
        let (release, version) = stale::release_of(&value)?;
        if release != self.options.release || self.generator.has_choices() {
            // Another release of controller-gen, or just another run, may generate a different CRD from the same types, so compare again with the
            // same release.
            let made = self.other(&crd.defines, (release, version))?;
            found = compare(&made.settled(&value), made.declared()?);
        }
        let mut older = Vec::new();
        for Difference { path, from, what } in found {
            let Some(target) = find(&text.tree, &change::steps(&path)) else {
                continue;
            };
            self.read(&from)?;
            older.push(Older {
                place: self.place(&from),
                at: target.key_span(&text.tree),
                path,
                what,
            });
        }
        // Because of one invalid marker, controller-gen leaves out the whole package: its versions would be missing.
        let refused = refused.or_else(|| {
            if older.is_empty() {
                return None;
            }
            let unreadable = self.generator.unreadable(&crd.defines.group);
            let own = unreadable.into_iter().find(|it| self.is_own(&it.file))?;
            self.read(&own)?;
            Some(self.place(&own))
        });
        let kind_path = change::Path::root().child("spec").child("names").child("kind");
        let kind = find(&text.tree, &change::steps(&kind_path));
        if let (true, Some(place), Some(kind)) = (older.is_empty(), &refused, kind) {
            older.push(Older {
                place: place.clone(),
                at: kind.key_span(&text.tree),
                path: kind_path,
                what: What::Stuck,
            });
        }
        let crd = text.source.clone();
        (!older.is_empty()).then_some(Stale { crd, older, refused })
    }

    fn manifest(&mut self, crd: &Crd, path: Arc<Path>) -> Option<Manifest> {
        self.written(crd, (path, None))
    }

    /// Writes a CRD. `known` has the CRD of the repository, for the parts that are not completely known.
    fn written(&mut self, crd: &Crd, (path, known): (Arc<Path>, Option<(Known<'_>, &Json<'_>)>)) -> Option<Manifest> {
        // The place for parts that come neither from a field nor from a marker: the declaration of the kind.
        let (_, declared) = crd.declared.first()?;
        self.read(declared)?;
        self.read_all(&crd.object)?;
        let texts = Texts {
            texts: &self.texts,
            known: known.map(|it| it.0),
        };
        let mut writing = Writing::default();
        writing.from(&texts.place(declared), None, |to| {
            texts.write(&crd.object, known.map(|it| it.1), to);
        });
        Some(writing.finish(path))
    }

    /// Reads the files from which a part comes.
    fn read_all(&mut self, part: &Part) -> Option<()> {
        part.from.as_ref().map_or(Some(()), |it| self.read(it))?;
        match &part.node {
            Node::Map(members) => members.iter().try_for_each(|it| self.read_all(&it.1)),
            Node::List(items) => items.iter().try_for_each(|it| self.read_all(it)),
            Node::Value(_) => Some(()),
        }
    }

    /// The place of an origin whose file was read.
    fn place(&self, origin: &Origin) -> Place {
        let texts = &self.texts;
        Texts { texts, known: None }.place(origin)
    }

    fn read(&mut self, origin: &Origin) -> Option<()> {
        if !self.texts.contains_key(&origin.file) {
            let types = self.modules.types(&origin.file)?;
            let file = Arc::new(SourceText::new(origin.file.clone(), types.text.clone()));
            self.texts.insert(origin.file.clone(), file);
        }
        Some(())
    }
}
