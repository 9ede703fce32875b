//! Finds the types in a package for which controller-gen generates schemas, which are those that kinds refer to. controller-gen ignores the markers
//! of all other types.

use std::collections::HashSet;

use super::scope::{Scope, typed};
use crate::check::{
    catalog::Release,
    types::{Declared, Set, Shape, Types},
};

/// The first release that generates CRDs for a package without a group marker.
const GROUPLESS: Release = Release(19);

/// The names of the types to which kinds of the same package certainly refer.
pub(super) fn reached(scope: &Scope<'_>) -> HashSet<String> {
    let mut reach = Reach {
        scope,
        found: HashSet::new(),
        waiting: Vec::new(),
    };
    let needs_group = scope.release < GROUPLESS;
    if scope.files().any(|it| it.is_skipped) || needs_group && !scope.files().any(|it| it.has_group) {
        return reach.found;
    }
    for file in scope.files() {
        let kinds = file.declared.iter().filter(|it| is_kind(file, it.1));
        reach.waiting.extend(kinds.map(|it| it.0.clone()));
    }
    while let Some(name) = reach.waiting.pop() {
        reach.name(&name);
    }
    reach.found
}

/// Whether controller-gen generates a CRD for a type.
fn is_kind(file: &Types, declared: &Declared) -> bool {
    let Shape::Struct(members) = &declared.shape else {
        return false;
    };
    let embeds = |wanted: &str| {
        let embedded = members.iter().filter(|it| it.name.is_none());
        embedded.into_iter().any(|it| Scope::is_meta(file, &it.shape, wanted))
    };
    !declared.is_generic && !declared.is_alias && embeds("TypeMeta") && embeds("ObjectMeta")
}

struct Reach<'a> {
    scope: &'a Scope<'a>,
    found: HashSet<String>,
    waiting: Vec<String>,
}

impl Reach<'_> {
    fn name(&mut self, name: &str) {
        let Some((file, declared)) = self.scope.declared(name) else {
            return;
        };
        if declared.is_generic || !self.found.insert(name.to_owned()) {
            return;
        }
        if declared.is_alias {
            return self.shape(&declared.shape);
        }
        let methods = self.scope.methods(name, file, declared);
        let is_typed = typed(file, &declared.markers).is_some();
        if !methods.lets_read(self.scope.release, is_typed) {
            return;
        }
        match &declared.shape {
            Shape::Struct(members) => {
                let properties = members.iter().filter(|it| it.is_property());
                for member in properties {
                    let is_schemaless = |it: &Set| it.name == "kubebuilder:validation:Schemaless";
                    if !member.markers.iter().any(is_schemaless) {
                        self.shape(&member.shape);
                    }
                }
            }
            other => self.shape(other),
        }
    }

    fn shape(&mut self, shape: &Shape) {
        match shape {
            Shape::Name(name) => self.waiting.push(name.clone()),
            Shape::Pointer(of) | Shape::Slice(of) | Shape::Array(of) | Shape::Map { value: of, .. } => self.shape(of),
            Shape::Selected { .. } | Shape::Struct(_) | Shape::Interface | Shape::Other => {}
        }
    }
}
