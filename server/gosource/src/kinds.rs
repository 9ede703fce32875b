//! Finds the kinds that Go files declare, as controller-gen does (`FindKubeKinds` in `pkg/crd/gen.go` of `sigs.k8s.io/controller-tools`).

use std::path::Path;

use crate::{
    check::types::{Declared, Shape, Types},
    module::Module,
};

/// The package of the types that every kind embeds.
const META: &str = "k8s.io/apimachinery/pkg/apis/meta/v1";

impl Module {
    /// The kinds that a file declares, sorted. controller-gen generates a CRD for each of them.
    pub fn kinds(&self, file: &Path) -> Vec<String> {
        let Some(package) = self.package_around(file) else {
            return Vec::new();
        };
        let (mut has_group, mut is_skipped) = (false, false);
        let mut own = None;
        for (path, types) in package.types() {
            has_group |= types.has_group;
            is_skipped |= types.is_skipped;
            own = Some(types).filter(|_| path == file).or(own);
        }
        let Some(types) = own.filter(|_| has_group && !is_skipped) else {
            return Vec::new();
        };
        let kinds = types.declared.iter().filter(|it| is_kind(types, it.1));
        let mut names: Vec<String> = kinds.map(|it| it.0.clone()).collect();
        names.sort();
        names
    }
}

fn is_kind(types: &Types, declared: &Declared) -> bool {
    let is_skipped = declared.markers.iter().any(|it| it.name == "kubebuilder:skipversion");
    !is_skipped && !declared.is_generic && embeds_meta(types, &declared.shape)
}

/// Whether a type embeds the metadata types of Kubernetes, which makes it a kind.
pub(crate) fn embeds_meta(types: &Types, shape: &Shape) -> bool {
    embeds_both(shape, |it, wanted| match it {
        Shape::Selected { package, name } => {
            name == wanted && types.imports.get(package).map(String::as_str) == Some(META)
        }
        _ => false,
    })
}

/// Whether a type may be a kind, although this file alone does not show it: an alias of a metadata type may have any name.
pub(crate) fn may_be_kind(types: &Types, declared: &Declared) -> bool {
    let is_unknown = declared.is_alias || declared.is_generic || declared.has_error;
    is_unknown
        || embeds_both(&declared.shape, |it, wanted| match it {
            Shape::Selected { name, .. } => name == wanted,
            Shape::Name(name) => name == wanted || types.declared.get(name).is_none_or(|it| it.is_alias),
            _ => false,
        })
}

fn embeds_both(shape: &Shape, is_it: impl Fn(&Shape, &str) -> bool) -> bool {
    let Shape::Struct(members) = shape else {
        return false;
    };
    let embeds = |name: &str| members.iter().any(|it| it.name.is_none() && is_it(&it.shape, name));
    embeds("TypeMeta") && embeds("ObjectMeta")
}
