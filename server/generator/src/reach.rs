//! Finds out on which types the CRD of a kind depends, and what controller-gen rejects of them.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    path::{Path, PathBuf},
    rc::Rc,
};

use crd_analyzer_gosource::check::types::{Declared, Shape, Types};

use crate::{
    crd::Generator,
    ids::{PackageId, TypeId},
    known,
    node::Origin,
    refused::Refused,
    types::Maker,
};

/// The types on which the CRD of a kind may depend, whether or not their packages declare them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reach {
    /// The names of the types, by the folder of their package.
    types: HashMap<PathBuf, HashSet<String>>,
    /// Whether the CRD may also depend on any other type.
    is_uncertain: bool,
}

impl Reach {
    /// Whether the CRD may depend on one of these types of the package in a folder.
    pub fn has(&self, folder: &Path, names: &HashSet<String>) -> bool {
        let is_of = |reached: &HashSet<String>| names.iter().any(|it| reached.contains(it));
        self.is_uncertain || self.types.get(folder).is_some_and(is_of)
    }
}

impl Generator<'_> {
    /// The types on which the CRD of a kind may depend.
    pub fn reach(&mut self, of: (&str, &str)) -> Reach {
        let mut found: Vec<TypeId> = Vec::new();
        let is_uncertain = self.search(of, |it| {
            found.push(it.clone());
            false
        });
        let packages = &self.flattener.maker.packages;
        let mut types: HashMap<PathBuf, HashSet<String>> = HashMap::new();
        for it in found {
            if let Some(folder) = packages.folder(it.package) {
                types.entry(folder).or_default().insert(it.name.as_ref().to_owned());
            }
        }
        Reach { types, is_uncertain }
    }

    /// The errors so far in types on which the CRD of a kind may depend. Leaves out types with syntax errors, because somebody may be typing them.
    pub fn refused_of(&mut self, of: (&str, &str)) -> Vec<Refused> {
        let all = self.refused().to_vec();
        if all.is_empty() {
            return all;
        }
        let mut reached: HashSet<TypeId> = HashSet::new();
        let is_uncertain = self.search(of, |it| {
            reached.insert(it.clone());
            false
        });
        let maker = &self.flattener.maker;
        let is_of = |it: &Refused| {
            let Some((package, names)) = it.origin.as_ref().and_then(|it| types_at(maker, it)) else {
                return false;
            };
            let found = maker.packages.get(package);
            let has_error = |name: &String| found.as_ref()?.find(name).map(|it| it.declared.has_error);
            if names.iter().any(|it| has_error(it) == Some(true)) {
                return false;
            }
            let is_reached = |name: &String| {
                let name = name.as_str().into();
                reached.contains(&TypeId { package, name })
            };
            is_uncertain || names.iter().any(is_reached)
        };
        all.into_iter().filter(is_of).collect()
    }

    /// The types for which controller-gen has reported errors so far, by package.
    pub(crate) fn refused_types(&self) -> Vec<(PackageId, HashSet<String>)> {
        let maker = &self.flattener.maker;
        let origins = maker.refused.iter().filter_map(|it| it.origin.as_ref());
        origins.filter_map(|it| types_at(maker, it)).collect()
    }

    /// Whether the CRD of a kind may depend on types with these names in a package. If it is uncertain, returns `true`.
    pub(crate) fn reaches_in(&mut self, of: (&str, &str), package: PackageId, names: &HashSet<String>) -> bool {
        self.search(of, |it| it.package == package && names.contains(&*it.name))
    }

    /// Visits the types on which the CRD of a kind may depend, until `is_it` returns `true`. Returns whether it did, or whether the CRD may depend on
    /// any other type.
    fn search(&mut self, (group, kind): (&str, &str), mut is_it: impl FnMut(&TypeId) -> bool) -> bool {
        let mut search = Search::default();
        for id in self.of_group.get(group).cloned().unwrap_or_default() {
            search.add(id, kind);
        }
        while let Some(id) = search.waiting.pop_front() {
            if is_it(&id) {
                return true;
            }
            let packages = &self.flattener.maker.packages;
            // For these types, nobody looks at the source.
            let path = packages.path(id.package);
            if known::schema(&path, &id.name, false).is_some() || known::is_alone(&path) {
                continue;
            }
            let read = packages.get(id.package);
            let Some(found) = read.as_ref().and_then(|it| it.find(&id.name)) else {
                continue;
            };
            // A dot import may bring names from other packages into the file.
            if found
                .file
                .types
                .imported
                .iter()
                .any(|it| it.name.as_deref() == Some("."))
            {
                return true;
            }
            self.add_below(&mut search, (id.package, &found.file.types), &found.declared.shape);
        }
        false
    }

    fn add_below(&mut self, search: &mut Search, at: (PackageId, &Types), shape: &Shape) {
        match shape {
            Shape::Name(name) => search.add(at.0, name),
            Shape::Selected { package, name } => {
                if let Some(id) = self.flattener.maker.packages.imported(at.1, package) {
                    search.add(id, name);
                }
            }
            Shape::Pointer(of) | Shape::Slice(of) | Shape::Array(of) => self.add_below(search, at, of),
            Shape::Map { key, value } => {
                self.add_below(search, at, key);
                self.add_below(search, at, value);
            }
            Shape::Struct(members) => {
                for member in members {
                    self.add_below(search, at, &member.shape);
                }
            }
            Shape::Interface | Shape::Other => {}
        }
    }
}

/// The package of a place, and its types that are declared there.
fn types_at(maker: &Maker<'_>, origin: &Origin) -> Option<(PackageId, HashSet<String>)> {
    let (id, file) = maker.packages.file(&origin.file)?;
    let around = |declared: &Declared| {
        let markers = declared.markers.iter().map(|it| it.span.start);
        let start = markers.chain([declared.start]).min().unwrap_or(declared.start);
        start <= origin.span.start && origin.span.start < declared.of.end
    };
    let names = file.declared.iter().filter(|it| around(it.1)).map(|it| it.0.clone());
    Some((id, names.collect()))
}

#[derive(Default)]
struct Search {
    seen: HashSet<TypeId>,
    waiting: VecDeque<TypeId>,
}

impl Search {
    fn add(&mut self, package: PackageId, name: &str) {
        let name: Rc<str> = name.into();
        let id = TypeId { package, name };
        if self.seen.insert(id.clone()) {
            self.waiting.push_back(id);
        }
    }
}
