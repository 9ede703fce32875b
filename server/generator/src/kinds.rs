//! Finds the types that are Kubernetes kinds: `FindKubeKinds` of controller-gen's `pkg/crd/gen.go`.

use std::collections::{BTreeMap, BTreeSet};

use crd_analyzer_gosource::check::{
    catalog::Release,
    types::{Declared, Shape, Types},
};

use crate::{
    ids::PackageId,
    known::META,
    node::Origin,
    packages::{Marker, Meaning, Package},
    types::Maker,
    values,
};

/// The first release that generates CRDs for packages without a group.
pub(crate) const WITHOUT_GROUP: Release = Release(19);

/// The marker of a package that sets its group.
pub(crate) const GROUP: &str = "groupName";

/// The marker of a package that sets the name of its version.
const VERSION: &str = "versionName";

/// The begin of the names of kubebuilder's own markers.
const OWN: &str = "kubebuilder:";

/// The group and the version of a package.
pub(crate) fn group_version(package: &Package, release: Release) -> Option<(String, String)> {
    let said = |name: &str| {
        let marker = package.markers.get(name)?.first()?;
        let value = marker.values.as_ref()?.one().and_then(|it| values::text(it));
        Some(value.unwrap_or_default().to_owned())
    };
    match said(GROUP) {
        Some(group) => Some((group, said(VERSION).unwrap_or_else(|| package.name.clone()))),
        None => (release >= WITHOUT_GROUP).then(Default::default),
    }
}

/// The places of the group and of the version's name in a package's markers.
pub(crate) fn group_version_origins(package: &Package) -> [Option<Origin>; 2] {
    [GROUP, VERSION].map(|name| {
        let marker: &Marker = package.markers.get(name)?.first()?;
        Some(marker.given(marker.values.as_ref()?.one()?))
    })
}

/// The packages of each group.
pub(crate) fn by_group(maker: &Maker<'_>, roots: &[PackageId]) -> BTreeMap<String, Vec<PackageId>> {
    let mut of_group: BTreeMap<String, Vec<PackageId>> = BTreeMap::new();
    for id in roots {
        let package = maker.packages.get(*id).filter(|it| !it.is_skipped);
        if let Some((group, _)) = package.and_then(|it| group_version(&it, maker.options.release)) {
            of_group.entry(group).or_default().push(*id);
        }
    }
    of_group
}

/// The groups and kinds in packages. A kind is a type that embeds Kubernetes' `TypeMeta` and `ObjectMeta`.
pub(crate) fn kinds(maker: &mut Maker<'_>, roots: &[PackageId]) -> BTreeSet<(String, String)> {
    let mut kinds = BTreeSet::new();
    for id in roots {
        let Some(package) = maker.packages.get(*id).filter(|it| !it.is_skipped) else {
            continue;
        };
        let Some((group, _)) = group_version(&package, maker.options.release) else {
            continue;
        };
        for name in package.names() {
            if let Some(found) = package.find(name)
                && is_kind(maker, (*id, &found.file.types), &found.declared.shape)
            {
                kinds.insert((group.clone(), name.to_owned()));
            }
        }
    }
    kinds
}

pub(crate) fn is_kind(maker: &mut Maker<'_>, at: (PackageId, &Types), shape: &Shape) -> bool {
    let Shape::Struct(members) = shape else { return false };
    let (mut has_object, mut has_type) = (false, false);
    for member in members.iter().filter(|it| it.name.is_none()) {
        // Look at other names only if they can be metadata types, because looking up a name loads its package.
        let (Shape::Selected { name, .. } | Shape::Name(name)) = &member.shape else {
            continue;
        };
        if matches!(name.as_str(), "ObjectMeta" | "TypeMeta")
            && let Meaning::Declared(id, name) = maker.packages.meaning(at, &member.shape)
            && *maker.packages.path(id) == *META
        {
            has_object |= name == "ObjectMeta";
            has_type |= name == "TypeMeta";
        }
    }
    has_object && has_type
}

/// Whether one of the packages declares the kind as an internal type, which is never sent to an API server: its metadata has no JSON tags, and
/// kubebuilder is not told about it. controller-gen fails for such a type.
pub(crate) fn is_internal(maker: &Maker<'_>, packages: &[PackageId], kind: &str) -> bool {
    packages.iter().any(|id| {
        let package = maker.packages.get(*id);
        let Some(found) = package.as_ref().and_then(|it| it.find(kind)) else {
            return false;
        };
        let Shape::Struct(members) = &found.declared.shape else {
            return false;
        };
        let is_metadata = |shape: &Shape| match shape {
            Shape::Selected { name, .. } | Shape::Name(name) => matches!(name.as_str(), "ObjectMeta" | "TypeMeta"),
            _ => false,
        };
        let mut metadata = members.iter().filter(|it| it.name.is_none() && is_metadata(&it.shape));
        metadata.any(|it| it.tag.is_none()) && !is_marked(found.declared)
    })
}

/// Whether a type has markers of kubebuilder, so that somebody wants a CRD of the kind.
pub(crate) fn is_marked(declared: &Declared) -> bool {
    declared.markers.iter().any(|it| it.name.starts_with(OWN))
}
