//! Finds the kinds that Go files declare, as controller-gen does (`FindKubeKinds` in `pkg/crd/gen.go` of `sigs.k8s.io/controller-tools`).

use std::path::Path;

use crate::{
    check::types::{Declared, Member, Shape, Types},
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
    let Shape::Struct(members) = &declared.shape else {
        return false;
    };
    let is_skipped = declared.markers.iter().any(|it| it.name == "kubebuilder:skipversion");
    let embeds = |name: &str| members.iter().any(|it| is_of_meta(types, it, name));
    !is_skipped && !declared.is_generic && embeds("TypeMeta") && embeds("ObjectMeta")
}

/// Whether a struct member embeds the wanted metadata type of Kubernetes.
fn is_of_meta(types: &Types, member: &Member, wanted: &str) -> bool {
    match &member.shape {
        Shape::Selected { package, name } => {
            let path = types.imports.get(package).map(String::as_str);
            member.name.is_none() && name == wanted && path == Some(META)
        }
        _ => false,
    }
}
