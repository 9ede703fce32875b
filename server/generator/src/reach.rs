//! Finds out on which types the CRD of a kind depends.

use std::{
    collections::{HashSet, VecDeque},
    rc::Rc,
};

use crd_analyzer_gosource::check::types::{Declared, Shape, Types};

use crate::{
    crd::Generator,
    ids::{PackageId, TypeId},
};

impl Generator<'_> {
    /// Whether the CRD of a kind may depend on types with these names in a package, whether or not the package declares them. If it is uncertain,
    /// returns `true`.
    pub fn reaches(&mut self, (group, kind): (&str, &str), package: &str, names: &HashSet<String>) -> bool {
        // The kind may be declared in any package.
        let package = self.flattener.maker.packages.load(package);
        names.contains(kind) || self.reaches_in((group, kind), package, names)
    }

    /// The types for which controller-gen has reported errors so far, by package.
    pub(crate) fn refused_types(&self) -> Vec<(PackageId, HashSet<String>)> {
        let maker = &self.flattener.maker;
        let mut found: Vec<(PackageId, HashSet<String>)> = Vec::new();
        for origin in maker.refused.iter().filter_map(|it| it.origin.as_ref()) {
            let Some((id, file)) = maker.packages.file(&origin.file) else {
                continue;
            };
            let around = |declared: &Declared| {
                let markers = declared.markers.iter().map(|it| it.span.start);
                let start = markers.chain([declared.start]).min().unwrap_or(declared.start);
                start <= origin.span.start && origin.span.start < declared.of.end
            };
            let names = file.declared.iter().filter(|it| around(it.1)).map(|it| it.0.clone());
            found.push((id, names.collect()));
        }
        found
    }

    pub(crate) fn reaches_in(
        &mut self,
        (group, kind): (&str, &str),
        edited: PackageId,
        names: &HashSet<String>,
    ) -> bool {
        let mut search = Search {
            edited,
            names,
            seen: HashSet::new(),
            waiting: VecDeque::new(),
        };
        for id in self.of_group.get(group).cloned().unwrap_or_default() {
            search.add(id, kind);
        }
        while let Some(TypeId { package, name }) = search.waiting.pop_front() {
            if package == edited && names.contains(&*name) {
                return true;
            }
            let read = self.flattener.maker.packages.get(package);
            let Some(found) = read.as_ref().and_then(|it| it.find(&name)) else {
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
            self.add_below(&mut search, (package, &found.file.types), &found.declared.shape);
        }
        false
    }

    fn add_below(&mut self, search: &mut Search<'_>, at: (PackageId, &Types), shape: &Shape) {
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

struct Search<'n> {
    edited: PackageId,
    names: &'n HashSet<String>,
    seen: HashSet<TypeId>,
    waiting: VecDeque<TypeId>,
}

impl Search<'_> {
    fn add(&mut self, package: PackageId, name: &str) {
        let name: Rc<str> = name.into();
        let id = TypeId { package, name };
        if self.seen.insert(id.clone()) {
            // Look at such a type first, because the search ends there.
            if package == self.edited && self.names.contains(&*id.name) {
                self.waiting.push_front(id);
            } else {
                self.waiting.push_back(id);
            }
        }
    }
}
