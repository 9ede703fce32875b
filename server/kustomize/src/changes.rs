//! The objects that kustomizations change, by their kinds. If a build fails, the other objects are still known as they are written.

use std::{collections::BTreeSet, sync::Arc};

use crate::selector::Selector;

/// The kinds of objects that a build changes in more than the name, the namespace, labels and annotations.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Changes {
    kinds: BTreeSet<Arc<str>>,
    is_all: bool,
}

impl Changes {
    /// Whether no object is changed.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty() && !self.is_all
    }

    /// Whether objects of a kind may be changed.
    pub fn may_be_of(&self, kind: &str) -> bool {
        self.is_all || self.kinds.contains(kind)
    }

    /// Records that all objects may be changed.
    pub(crate) fn add_all(&mut self) {
        self.is_all = true;
    }

    /// Records that the objects of another build are changed.
    pub(crate) fn add(&mut self, others: &Self) {
        self.kinds.extend(others.kinds.iter().cloned());
        self.is_all |= others.is_all;
    }

    /// Records a patch. `text` has the patch, if it can be read.
    pub(crate) fn add_patch(&mut self, target: Option<&Selector>, text: Option<&str>) {
        // The kind of a target is a pattern.
        let is_name = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_alphanumeric());
        match target {
            Some(target) if is_name(&target.id.gvk.kind) => {
                self.kinds.insert(target.id.gvk.kind.clone());
            }
            Some(_) => self.is_all = true,
            None => {
                let kinds: Option<Vec<&str>> = text.map(|it| it.lines().filter_map(kind_in).collect());
                match kinds.filter(|it| !it.is_empty() && it.iter().all(|it| is_name(it))) {
                    Some(kinds) => self.kinds.extend(kinds.into_iter().map(Arc::from)),
                    None => self.is_all = true,
                }
            }
        }
    }
}

/// The kind in a line of an object.
fn kind_in(line: &str) -> Option<&str> {
    let kind = line.strip_prefix("kind:")?;
    let kind = kind.split_once(" #").map_or(kind, |it| it.0);
    let kind = kind.trim().trim_matches(['"', '\'']);
    // The kinds of the items are not at the start of a line.
    Some(if kind.ends_with("List") { "" } else { kind })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: Option<&str>, expected: &[&str]) {
        let mut changes = Changes::default();
        changes.add_patch(None, text);
        let of_all = ["CustomResourceDefinition", "Deployment", "Widget"];
        let found: Vec<_> = of_all.into_iter().filter(|it| changes.may_be_of(it)).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn patches_name_the_kinds_that_they_change() {
        let all = ["CustomResourceDefinition", "Deployment", "Widget"];
        check(Some("apiVersion: apps/v1\nkind: Deployment # a\n"), &["Deployment"]);
        check(
            Some("kind: \"Widget\"\n---\nkind: Deployment\n"),
            &["Deployment", "Widget"],
        );
        check(Some("{\"kind\": \"Widget\"}\n"), &all);
        check(Some("- op: remove\n  path: /spec\n"), &all);
        check(Some("kind: *a\n"), &all);
        check(None, &all);
        assert!(Changes::default().is_empty());
    }
}
