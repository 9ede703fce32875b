//! The previous revision of a file, and the old object that each new object replaces.

use std::{collections::HashMap, sync::OnceLock};

use crd_analyzer_apiextensions::decode::WrittenType;
use crd_analyzer_syntax::{
    ReadError,
    paths::{Step, find_from},
    tree::{NodeId, Tree},
};

use crate::{
    documents::text::Text,
    index::objects::{self, Object, group_kind},
};

/// The previous revision of a file.
pub(crate) struct Previous {
    text: Text,
    objects: Vec<Object>,
    by_name: HashMap<(String, String, String), Same>,
    trees: HashMap<u32, OnceLock<Result<Tree, ReadError>>>,
    /// Whether the user paired the two files. If so, an object whose name is not found replaces the first object.
    is_paired: bool,
}

/// The indices of the objects that have the same kind and name.
#[derive(Default)]
struct Same {
    all: Vec<usize>,
    /// The index of the first object in each namespace, computed if there are several objects.
    by_namespace: OnceLock<HashMap<Option<String>, usize>>,
}

fn name_of(written: &WrittenType) -> (String, String, String) {
    let kind = group_kind(written).unwrap_or_default();
    (kind.group, kind.kind, written.name.clone())
}

impl Previous {
    pub(crate) fn new(text: Text, is_paired: bool) -> Self {
        let objects = objects::read(&text);
        let mut by_name: HashMap<_, Same> = HashMap::new();
        let mut trees = HashMap::new();
        for (n, object) in objects.iter().enumerate() {
            by_name.entry(name_of(&object.written)).or_default().all.push(n);
            trees.entry(object.document.index).or_insert_with(OnceLock::new);
        }
        Self {
            text,
            objects,
            by_name,
            trees,
            is_paired,
        }
    }

    pub(crate) fn text(&self) -> &Text {
        &self.text
    }

    /// The tree of the document that contains an object.
    pub(crate) fn read(&self, object: &Object) -> Option<Result<&Tree, &ReadError>> {
        let cell = self.trees.get(&object.document.index)?;
        Some(cell.get_or_init(|| self.text.read(object.document)).as_ref())
    }

    /// The tree of the document that contains an object, and the object's node.
    pub(crate) fn tree(&self, object: &Object) -> Option<(&Tree, NodeId)> {
        let tree = self.read(object)?.ok()?;
        Some((tree, object.node(tree)?))
    }

    /// The object with the same kind, name and namespace, which `new` replaces.
    pub(crate) fn of(&self, new: &WrittenType, namespace: Option<&str>) -> Option<&Object> {
        let same = self.by_name.get(&name_of(new));
        let all = same.map(|it| it.all.as_slice()).unwrap_or_default();
        match (all, same) {
            ([one], _) => self.objects.get(*one),
            ([], _) | (_, None) => self.objects.first().filter(|_| self.is_paired),
            (several, Some(same)) => {
                let by_namespace = same.by_namespace.get_or_init(|| self.by_namespace(several));
                self.objects.get(*by_namespace.get(&namespace.map(str::to_owned))?)
            }
        }
    }

    fn by_namespace(&self, objects: &[usize]) -> HashMap<Option<String>, usize> {
        let mut found = HashMap::new();
        for at in objects {
            let place = self.tree(&self.objects[*at]);
            let namespace = place.and_then(|(tree, node)| namespace_of(tree, node));
            found.entry(namespace).or_insert(*at);
        }
        found
    }

    /// The tree and node of the old object that a new object with this kind, name and namespace replaces.
    pub(crate) fn object(&self, new: &WrittenType, namespace: Option<&str>) -> Option<(&Tree, NodeId)> {
        self.tree(self.of(new, namespace)?)
    }

    /// The old CRD that a new CRD with this name replaces.
    pub(crate) fn definition(&self, new: &WrittenType) -> Option<(&Tree, NodeId)> {
        let only = || {
            let mut all = self.objects.iter().filter(|it| it.written.is_crd());
            let first = all.next();
            first.filter(|_| self.is_paired || all.next().is_none())
        };
        let named = self
            .by_name
            .get(&name_of(new))
            .and_then(|it| self.objects.get(*it.all.first()?));
        self.tree(named.or_else(only)?)
    }

    /// Whether it is an error if this CRD replaces no other. This is so if the files are paired, or if the old file has a CRD with this name that
    /// cannot be read.
    pub(crate) fn must_replace(&self, new: &WrittenType) -> bool {
        self.is_paired || self.by_name.contains_key(&name_of(new))
    }
}

fn namespace_of(tree: &Tree, node: NodeId) -> Option<String> {
    let place = find_from(tree, node, &[Step::key("metadata"), Step::key("namespace")]);
    let value = tree.resolve(place.node);
    (place.is_found() && tree.is_scalar(value)).then(|| tree.scalar(value).into_owned())
}
