//! An object during a build (`sigs.k8s.io/kustomize/api/resource`).

use std::{collections::HashMap, sync::Arc};

use crate::{
    id::{Gvk, Key, ResId},
    merge,
    node::{Node, Place},
    problem::{Problem, Result},
    spend,
};

/// How a generated object is combined with an existing object of the same name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Behavior {
    #[default]
    Create,
    Merge,
    Replace,
}

/// The fields of an object's identity that a patch is allowed to change.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Allowed {
    pub(crate) name: bool,
    pub(crate) kind: bool,
}

/// The work units for each node that is searched for shared nodes.
const A_VISIT: usize = 20;

/// An object in a build, and its earlier ids.
#[derive(Clone, Debug)]
pub(crate) struct Resource {
    pub(crate) node: Node,
    /// The place where the whole object was written or generated.
    pub(crate) origin: Place,
    /// The earlier names, namespaces and kinds of the object, oldest first.
    previous: Vec<(Arc<str>, Arc<str>, Arc<str>)>,
    pub(crate) prefixes: Vec<Arc<str>>,
    pub(crate) suffixes: Vec<Arc<str>>,
    pub(crate) behavior: Behavior,
    /// Whether a generator has created the object.
    pub(crate) is_generated: bool,
    /// Whether a hash of the object's content is appended to its name.
    pub(crate) needs_hash: bool,
    /// The names of the vars that read the object.
    pub(crate) vars: Vec<Arc<str>>,
    /// Whether the object was deleted.
    pub(crate) is_gone: bool,
    /// The number of groups of shared nodes in the object.
    pub(crate) shared: u32,
}

impl Resource {
    pub(crate) fn new(node: Node) -> Self {
        Self {
            origin: node.place,
            node,
            previous: Vec::new(),
            prefixes: Vec::new(),
            suffixes: Vec::new(),
            behavior: Behavior::Create,
            is_generated: false,
            needs_hash: false,
            vars: Vec::new(),
            is_gone: false,
            shared: 0,
        }
    }

    fn field(&self, path: &[&str]) -> Arc<str> {
        self.node
            .at(path)
            .filter(|it| !it.is_empty())
            .map(Node::shared_text)
            .unwrap_or_default()
    }

    pub(crate) fn name(&self) -> Arc<str> {
        self.field(&["metadata", "name"])
    }

    pub(crate) fn namespace(&self) -> Arc<str> {
        self.field(&["metadata", "namespace"])
    }

    pub(crate) fn kind(&self) -> Arc<str> {
        self.field(&["kind"])
    }

    pub(crate) fn gvk(&self) -> Gvk {
        Gvk::of(&self.field(&["apiVersion"]), self.kind())
    }

    /// The current id (kustomize's `CurId`).
    pub(crate) fn id(&self) -> ResId {
        ResId {
            gvk: self.gvk(),
            name: self.name(),
            namespace: self.namespace(),
        }
    }

    fn previous_id((name, namespace, kind): &(Arc<str>, Arc<str>, Arc<str>), now: &Gvk) -> ResId {
        ResId {
            gvk: Gvk {
                kind: kind.clone(),
                ..now.clone()
            },
            name: name.clone(),
            namespace: namespace.clone(),
        }
    }

    /// The earlier ids (kustomize's `PrevIds`).
    pub(crate) fn previous_ids(&self) -> Vec<ResId> {
        let gvk = self.gvk();
        self.previous.iter().map(|it| Self::previous_id(it, &gvk)).collect()
    }

    /// The original id (kustomize's `OrgId`).
    pub(crate) fn first_id(&self) -> ResId {
        match self.previous.first() {
            Some(first) => Self::previous_id(first, &self.gvk()),
            None => self.id(),
        }
    }

    /// All ids: the earlier ones and the current one.
    pub(crate) fn all_ids(&self) -> Vec<ResId> {
        let mut ids = self.previous_ids();
        ids.push(self.id());
        ids
    }

    /// The number of ids that [`Self::all_ids`] returns.
    pub(crate) fn ids(&self) -> usize {
        self.previous.len() + 1
    }

    /// Whether the object has this name or had it earlier.
    fn has_name(&self, name: &str) -> bool {
        self.previous.iter().any(|it| *it.0 == *name) || *self.name() == *name
    }

    /// Records the current id before it changes.
    pub(crate) fn store_id(&mut self) {
        let id = self.id();
        let namespace = match id.effective_namespace() {
            it if *it == *id.namespace => id.namespace.clone(),
            other => other.into(),
        };
        self.previous.push((id.name, namespace, id.gvk.kind));
    }

    /// Takes over the earlier ids of an object that this one replaces.
    pub(crate) fn take_history(&mut self, old: &Self) {
        self.previous.clone_from(&old.previous);
        self.prefixes.clone_from(&old.prefixes);
        self.suffixes.clone_from(&old.suffixes);
        self.vars.clone_from(&old.vars);
    }

    /// The data that kustomize stores about the object in annotations: its earlier ids, and the prefixes and suffixes of its name.
    pub(crate) fn notes(&self) -> String {
        format!("{:?} {:?} {:?}", self.previous, self.prefixes, self.suffixes)
    }

    /// Whether kustomize stores data about the object in annotations, so that the object has annotations.
    pub(crate) fn has_notes(&self) -> bool {
        !(self.previous.is_empty() && self.prefixes.is_empty() && self.suffixes.is_empty()) || self.is_generated
    }

    /// If kustomize stores data about the object in annotations, creates the field `annotations`, because transformers that look for it find it.
    pub(crate) fn show_notes(&mut self) {
        let place = self.node.place;
        if self.has_notes()
            && let Some(metadata) = self.metadata()
            && metadata.get("annotations").is_none_or(Node::is_null)
        {
            metadata.set("annotations", place, Node::empty_map(place));
        }
    }

    /// The entries of the object's labels or annotations (`GetLabels`, `GetAnnotations`).
    pub(crate) fn texts(&self, field: &str) -> Vec<(Arc<str>, Arc<str>)> {
        let entries = self
            .node
            .at(&["metadata", field])
            .map(Node::entries)
            .unwrap_or_default();
        entries
            .iter()
            .map(|it| (it.key.clone(), it.value.shared_text()))
            .collect()
    }

    pub(crate) fn annotation(&self, key: &str) -> Option<Arc<str>> {
        self.node
            .at(&["metadata", "annotations"])?
            .get(key)
            .map(Node::shared_text)
    }

    /// Converts the values of labels or annotations to strings, as kustomize does when it writes them.
    pub(crate) fn make_texts(&mut self, field: &str) {
        let Some(metadata) = self.node.get_mut("metadata") else {
            return;
        };
        let Some(texts) = metadata.get_mut(field) else { return };
        if texts.is_empty() || texts.is_scalar() {
            metadata.remove(field);
            return;
        }
        for entry in texts.entries_mut().into_iter().flatten() {
            let text = entry.value.shared_text();
            entry.value = Node::string(entry.value.place, text);
        }
    }

    pub(crate) fn metadata(&mut self) -> Option<&mut Node> {
        let place = self.node.place;
        if self.node.get("metadata").is_none_or(Node::is_null) {
            self.node.set("metadata", place, Node::empty_map(place));
        }
        self.node.get_mut("metadata")
    }

    pub(crate) fn set_name(&mut self, name: Arc<str>) {
        let Some(metadata) = self.metadata() else { return };
        let place = metadata.get("name").map_or(metadata.place, |it| it.place);
        metadata.set("name", place, Node::string(place, name));
    }

    pub(crate) fn set_namespace(&mut self, namespace: Arc<str>) {
        let Some(metadata) = self.metadata() else { return };
        if namespace.is_empty() {
            metadata.remove("namespace");
            return;
        }
        let place = metadata.get("namespace").map_or(metadata.place, |it| it.place);
        metadata.set("namespace", place, Node::string(place, namespace));
    }

    pub(crate) fn set_kind(&mut self, kind: Arc<str>) {
        let place = self.node.get("kind").map_or(self.node.place, |it| it.place);
        self.node.set("kind", place, Node::string(place, kind));
    }

    /// Calls a function that changes the object, and keeps shared nodes equal.
    pub(crate) fn change(&mut self, change: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        if self.shared == 0 {
            return change(self);
        }
        spend::work(self.node.size() * A_VISIT)?;
        let mut before: HashMap<u32, Node> = HashMap::new();
        self.node.each_shared(&mut |it| {
            before.insert(it.shared, it.clone());
        });
        change(self)?;
        let mut after: HashMap<u32, Node> = HashMap::new();
        self.node.each_shared(&mut |it| {
            if before.get(&it.shared).is_some_and(|old| old != it) {
                after.insert(it.shared, it.clone());
            }
        });
        self.node.each_shared(&mut |it| {
            if let Some(new) = after.get(&it.shared) {
                *it = new.clone();
            }
        });
        Ok(())
    }

    /// Makes shared nodes independent of each other.
    pub(crate) fn unshare(&mut self) {
        self.shared = 0;
        self.node.each_shared(&mut |it| it.shared = 0);
    }

    /// Applies a strategic merge patch (`ApplySmPatch`).
    pub(crate) fn patch(&mut self, patch: &Node, allowed: Allowed) -> Result<()> {
        self.change(|it| it.merge(patch, allowed))
    }

    fn merge(&mut self, patch: &Node, allowed: Allowed) -> Result<()> {
        let id = self.id();
        // These fields keep their places if the patch does not change them.
        let head = (
            self.node.get("kind").cloned(),
            self.node.at(&["metadata", "name"]).cloned(),
            self.node.at(&["metadata", "namespace"]).cloned(),
        );
        if allowed.name || allowed.kind {
            self.store_id();
        }
        let place = self.node.place;
        let object = std::mem::replace(&mut self.node, Node::empty_map(place));
        let merged = merge::merge(patch, object)?;
        let Some(merged) = merged.filter(|it| !it.is_empty()) else {
            self.is_gone = true;
            return Ok(());
        };
        self.node = merged;
        if !allowed.kind {
            match head.0 {
                Some(kind) => self.node.set("kind", place, kind),
                None => self.set_kind(id.gvk.kind),
            }
        }
        if !allowed.name {
            match (head.1, self.metadata()) {
                (Some(name), Some(metadata)) => metadata.set("name", place, name),
                _ => self.set_name(id.name),
            }
        }
        match (head.2, self.metadata()) {
            (Some(namespace), Some(metadata)) if !id.namespace.is_empty() => {
                metadata.set("namespace", place, namespace);
            }
            _ => self.set_namespace(id.namespace),
        }
        Ok(())
    }
}

/// The objects of a build, in order (kustomize's `resWrangler`).
#[derive(Clone, Default, Debug)]
pub(crate) struct Resources {
    list: Vec<Resource>,
    /// The index of each object by its key. Dropped when an object changes.
    known: Option<HashMap<Key, usize>>,
}

/// The work units for comparing an id.
const A_LOOK: usize = 3;
/// The work units for creating an id.
pub(crate) const AN_ID: usize = 40;

impl Resources {
    pub(crate) fn list(&self) -> &[Resource] {
        &self.list
    }

    /// The objects, for changing them.
    pub(crate) fn list_mut(&mut self) -> &mut Vec<Resource> {
        self.known = None;
        &mut self.list
    }

    pub(crate) fn get_mut(&mut self, at: usize) -> Option<&mut Resource> {
        self.list_mut().get_mut(at)
    }

    /// The index of each object by its key. If several objects have the same key, the first index.
    fn by_key(&self) -> Result<HashMap<Key, usize>> {
        spend::work(self.list.len() * AN_ID)?;
        let mut known = HashMap::with_capacity(self.list.len());
        for (n, resource) in self.list.iter().enumerate().filter(|it| !it.1.is_gone) {
            known.entry(resource.id().key()).or_insert(n);
        }
        Ok(known)
    }

    /// The number of objects with each key.
    pub(crate) fn counted(&self) -> Result<HashMap<Key, usize>> {
        spend::work(self.list.len() * AN_ID)?;
        let mut counted = HashMap::with_capacity(self.list.len());
        for resource in &self.list {
            *counted.entry(resource.id().key()).or_default() += 1;
        }
        Ok(counted)
    }

    /// Adds an object. Fails if another object has the same id.
    pub(crate) fn add(&mut self, resource: Resource) -> Result<()> {
        let origin = resource.origin;
        let twice = |id| Err(Problem::fails(origin, format!("{id} is built twice")));
        self.add_new(resource)?.map_or(Ok(()), twice)
    }

    /// Adds an object unless another object has the same id. Returns this id.
    fn add_new(&mut self, resource: Resource) -> Result<Option<ResId>> {
        spend::work(AN_ID)?;
        let id = resource.id();
        let mut known = match self.known.take() {
            Some(known) => known,
            None => self.by_key()?,
        };
        if known.insert(id.key(), self.list.len()).is_some() {
            return Ok(Some(id));
        }
        self.known = Some(known);
        self.list.push(resource);
        Ok(None)
    }

    /// Adds the objects of a file or folder that a kustomization names. `place` is the place of the name.
    pub(crate) fn add_all(&mut self, more: Self, (named, place): (&str, Place)) -> Result<()> {
        for resource in more.list {
            if let Some(id) = self.add_new(resource)? {
                let message = format!("{id} is built twice: `{named}` adds it again");
                return Err(Problem::fails(place, message));
            }
        }
        Ok(())
    }

    /// The objects that have or had an id with this name for which `matches` returns true.
    pub(crate) fn by_any_id(&self, name: &str, matches: impl Fn(&ResId) -> bool) -> Result<Vec<usize>> {
        let mut found = Vec::new();
        for (n, resource) in self.list.iter().enumerate().filter(|it| !it.1.is_gone) {
            spend::work(resource.ids() * A_LOOK)?;
            if !resource.has_name(name) {
                continue;
            }
            spend::work(resource.ids() * AN_ID)?;
            if resource.all_ids().iter().any(&matches) {
                found.push(n);
            }
        }
        Ok(found)
    }

    /// The objects that have or had this id.
    pub(crate) fn same(&self, id: &ResId) -> Result<Vec<usize>> {
        self.by_any_id(&id.name, |it| it.is_same(id))
    }

    pub(crate) fn drop_gone(&mut self) {
        if self.list.iter().any(|it| it.is_gone) {
            self.list_mut().retain(|it| !it.is_gone);
        }
    }

    /// Fails if two objects have the same id.
    pub(crate) fn check_ids(&self) -> Result<()> {
        spend::work(self.list.len() * AN_ID)?;
        let mut known = std::collections::HashSet::with_capacity(self.list.len());
        for resource in &self.list {
            let id = resource.id();
            if !known.insert(id.key()) {
                return Err(Problem::fails(resource.origin, format!("two objects both become {id}")));
            }
        }
        Ok(())
    }
}
