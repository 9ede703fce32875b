//! Finds kinds for which controller-gen writes no usable CRD, although their markers ask for one.

use crate::{
    crd::Generator,
    kinds::{GROUP, is_kind, is_marked},
    node::Origin,
    types::origin_of,
};

/// The marker of a kind that leaves out a version.
const SKIPPED: &str = "kubebuilder:skipversion";

impl Generator<'_> {
    /// Whether markers of kubebuilder at the declaration of a kind show that controller-gen is meant to generate its CRD.
    pub fn is_marked(&self, group: &str, kind: &str) -> bool {
        let maker = &self.flattener.maker;
        let packages = self.of_group.get(group).into_iter().flatten();
        packages
            .filter_map(|it| maker.packages.get(*it))
            .any(|it| it.find(kind).is_some_and(|it| is_marked(it.declared)))
    }

    /// The first declaration of a kind in a package that sets a group.
    pub fn declaration(&self, group: &str, kind: &str) -> Option<Origin> {
        let maker = &self.flattener.maker;
        self.of_group.get(group)?.iter().find_map(|id| {
            let package = maker.packages.get(*id)?;
            let found = package.find(kind)?;
            Some(origin_of(&found.file.path, found.declared.name.clone()))
        })
    }

    /// The marker that leaves out a kind's only version, so that the kind has no CRD. `None` if a version is left.
    pub fn skipped(&self, group: &str, kind: &str) -> Option<Origin> {
        let maker = &self.flattener.maker;
        let mut last = None;
        for id in self.of_group.get(group)? {
            let Some(package) = maker.packages.get(*id) else {
                continue;
            };
            let Some(found) = package.find(kind) else { continue };
            let marker = found.declared.markers.iter().find(|it| it.name == SKIPPED)?;
            last = Some(origin_of(&found.file.path, marker.span.clone()));
        }
        last
    }

    /// The kinds for which somebody wants a CRD, in packages that set no group, and the places of their declarations. Where a package may have a
    /// misspelled marker for its group, that marker is the mistake.
    pub fn without_group(&mut self) -> Vec<(String, Origin)> {
        let mut found = Vec::new();
        for id in self.packages.clone() {
            let Some(package) = self.flattener.maker.packages.get(id) else {
                continue;
            };
            let is_without = !package.is_skipped && !package.markers.contains_key(GROUP);
            let names = package.names().into_iter().filter(|_| is_without);
            let mut marked = names
                .filter_map(|name| Some((name, package.find(name)?)))
                .filter(|it| is_marked(it.1.declared))
                .peekable();
            if marked.peek().is_none() || package.files.iter().any(|it| may_set_group(&it.types.text)) {
                continue;
            }
            for (name, of_name) in marked {
                let at = (id, &*of_name.file.types);
                if is_kind(&mut self.flattener.maker, at, &of_name.declared.shape) {
                    let origin = origin_of(&of_name.file.path, of_name.declared.name.clone());
                    found.push((name.to_owned(), origin));
                }
            }
        }
        found
    }
}

/// Whether a file has something like a marker for the group of its package.
fn may_set_group(text: &str) -> bool {
    text.lines().any(|it| {
        let comment = it.trim_start().strip_prefix("//").map(str::trim_start);
        comment.is_some_and(|it| it.get(..10).is_some_and(|it| it.eq_ignore_ascii_case("+groupName")))
    })
}
