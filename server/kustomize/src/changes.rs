//! The objects that kustomizations change, by their kinds. If a build fails, the other objects are still known as they are written.

use std::{collections::BTreeSet, sync::Arc};

use memchr::memmem;

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
        self.is_all |= others.is_all || self.kinds.len() > MOST_KINDS;
    }

    /// Records a patch. `text` has the patch, if it can be read.
    pub(crate) fn add_patch(&mut self, target: Option<&Selector>, text: Option<&str>) {
        let is_name = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_alphanumeric());
        // The kind of a target is a pattern. The kinds of the items of a list are not at the start of a line.
        let known = match (target, text) {
            (Some(target), _) => Some(vec![&*target.id.gvk.kind]).filter(|it| is_name(it[0])),
            (None, Some(text)) => kinds_in(text).filter(|it| it.iter().all(|it| is_name(it) && !it.ends_with("List"))),
            (None, None) => None,
        };
        match known.filter(|it| self.kinds.len() + it.len() <= MOST_KINDS) {
            Some(kinds) => self.kinds.extend(kinds.into_iter().map(Arc::from)),
            None => self.is_all = true,
        }
    }
}

/// The maximum number of kinds to remember. If there are more, all objects may be changed.
const MOST_KINDS: usize = 100;

/// The kinds at the start of lines. `None` if there are none, or too many.
fn kinds_in(text: &str) -> Option<Vec<&str>> {
    let first = text.starts_with("kind:").then_some(0);
    let others = memmem::find_iter(text.as_bytes(), "\nkind:").map(|it| it + 1);
    let mut starts = first.into_iter().chain(others);
    let kinds = starts.by_ref().take(MOST_KINDS).map(|at| kind_at(&text[at..]));
    let found: Vec<&str> = kinds.collect();
    (!found.is_empty() && starts.next().is_none()).then_some(found)
}

/// The kind in a line `kind: Widget # a comment`, which begins the text.
fn kind_at(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default();
    let kind = line.split_once(" #").map_or(line, |it| it.0);
    kind.trim_start_matches("kind:").trim().trim_matches(['"', '\''])
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
        check(Some("kind: WidgetList\nitems: []\n"), &all);
        let many: Vec<String> = (0..=MOST_KINDS).map(|it| format!("---\nkind: K{it}\n")).collect();
        check(Some(&many.concat()), &all);
        check(None, &all);
        assert!(Changes::default().is_empty());
    }
}
