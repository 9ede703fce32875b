//! Finds the types that are Kubernetes kinds: `FindKubeKinds` of controller-gen's `pkg/crd/gen.go`.

use std::collections::{BTreeMap, BTreeSet};

use crd_analyzer_gosource::check::{
    catalog::Release,
    types::{Shape, Types},
};

use crate::{
    ids::PackageId,
    known::META,
    packages::{Meaning, Package},
    types::Maker,
    values,
};

/// The first release that generates CRDs for packages without a group.
pub(crate) const WITHOUT_GROUP: Release = Release(19);

/// The group and the version of a package.
pub(crate) fn group_version(package: &Package, release: Release) -> Option<(String, String)> {
    let said = |name: &str| {
        let marker = package.markers.get(name)?.first()?;
        let value = marker.values.as_ref()?.one().and_then(|it| values::text(it));
        Some(value.unwrap_or_default().to_owned())
    };
    match said("groupName") {
        Some(group) => Some((group, said("versionName").unwrap_or_else(|| package.name.clone()))),
        None => (release >= WITHOUT_GROUP).then(Default::default),
    }
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

/// Whether one of the packages declares the kind as an internal type, which is never sent to an API server: its metadata has no JSON tags.
/// controller-gen fails for such a type.
pub(crate) fn is_internal(maker: &Maker<'_>, packages: &[PackageId], kind: &str) -> bool {
    packages.iter().any(|id| {
        let package = maker.packages.get(*id);
        let found = package.as_ref().and_then(|it| it.find(kind));
        let Some(Shape::Struct(members)) = found.map(|it| &it.declared.shape) else {
            return false;
        };
        let is_metadata = |shape: &Shape| match shape {
            Shape::Selected { name, .. } | Shape::Name(name) => matches!(name.as_str(), "ObjectMeta" | "TypeMeta"),
            _ => false,
        };
        members
            .iter()
            .any(|it| it.name.is_none() && it.tag.is_none() && is_metadata(&it.shape))
    })
}
