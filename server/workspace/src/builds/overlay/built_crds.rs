//! CRDs that a kustomization changes. Resources in the same build are checked against the changed CRDs.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use crd_analyzer_apiextensions::kind::CRD;
use crd_analyzer_kustomize::{Built, Node, Place, Sources};
use crd_analyzer_syntax::{read_json_of, tree::Span};
use serde_json::Value;

use super::{objects::key, projection::Projection};
use crate::{
    findings::finding::Related,
    index::{Chosen, Definitions, Files, Found, GroupKind, KnownCrd, Origin, Resource, definitions_in},
};

/// The CRDs that a build changes and that resources in the same build use.
#[derive(Default)]
pub(super) struct BuiltCrds(HashMap<GroupKind, BuiltCrd>);

/// A CRD that is different after the build than in its file.
pub(super) struct BuiltCrd {
    node: Node,
    /// The CRD's own file.
    origin: PathBuf,
    /// The old text of the CRD, if updates are checked.
    old: Option<Arc<str>>,
    made: OnceLock<Made>,
}

/// The built CRD's text, and the CRD as an index would hold it.
struct Made {
    projection: Projection,
    known: Option<Arc<KnownCrd>>,
}

impl BuiltCrd {
    /// A path for the built text at which no file exists. Spans in this text are mapped to real files before they are reported.
    fn path(&self) -> PathBuf {
        self.origin.join("as built")
    }

    fn made(&self, sources: &Sources) -> &Made {
        self.made.get_or_init(|| {
            let projection = Projection::new(&self.node, sources);
            let text = projection.text.clone().into_bytes();
            let mut known = definitions_in(text, &self.path(), Origin::Workspace);
            Made {
                projection,
                known: known.pop(),
            }
        })
    }

    /// The place that set a part of the built text.
    pub(super) fn place(&self, span: Span, sources: &Sources) -> Option<CrdPlace> {
        let (place, span) = self.made(sources).projection.origin(span, sources)?;
        Some(CrdPlace {
            place,
            span,
            is_changed: **sources.document(place).0 != self.origin,
        })
    }
}

impl BuiltCrds {
    /// Finds the changed CRDs among the objects of a build.
    pub(super) fn new(sources: &Sources, objects: &[Built]) -> Self {
        let mut crds = HashMap::new();
        let defining: Vec<(GroupKind, &Built)> =
            objects.iter().filter_map(|it| Some((defined(&it.node)?, it))).collect();
        if defining.is_empty() {
            return Self(crds);
        }
        let kinds: HashSet<GroupKind> = objects.iter().filter_map(|it| kind_of(&it.node)).collect();
        for (kind, built) in defining.into_iter().filter(|it| kinds.contains(&it.0)) {
            if let Some((origin, ..)) = key(sources, built.origin)
                && !is_same(sources, built)
            {
                let crd = BuiltCrd {
                    node: built.node.clone(),
                    origin,
                    old: None,
                    made: OnceLock::new(),
                };
                crds.insert(kind, crd);
            }
        }
        Self(crds)
    }

    /// Whether the build changes no CRD.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the build changes the CRD that applies to an object.
    pub(super) fn has_that_of(&self, object: &Node) -> bool {
        !self.0.is_empty() && kind_of(object).is_some_and(|it| self.0.contains_key(&it))
    }

    /// Sets the old text of each CRD. `old` returns it for a CRD and its file.
    pub(super) fn replace(&mut self, mut old: impl FnMut(&Node, &Path) -> Option<Arc<str>>) {
        for crd in self.0.values_mut() {
            crd.old = old(&crd.node, &crd.origin);
        }
    }

    /// The CRD that contains a related place.
    pub(super) fn pointed_into(&self, related: &Related) -> Option<&BuiltCrd> {
        let file = related.file.as_ref().filter(|_| !self.0.is_empty())?;
        self.0.values().find(|it| it.path() == *file.path)
    }
}

/// The place that set a part of a CRD.
pub(super) struct CrdPlace {
    pub(super) place: Place,
    pub(super) span: Span,
    /// Whether the place is outside the CRD's own file.
    pub(super) is_changed: bool,
}

fn text<'n>(object: &'n Node, path: &[&str]) -> Option<&'n str> {
    object.at(path).and_then(Node::as_str)
}

/// The group and kind of an object.
fn kind_of(object: &Node) -> Option<GroupKind> {
    let (group, _) = text(object, &["apiVersion"])?.split_once('/')?;
    Some(GroupKind {
        group: group.to_owned(),
        kind: text(object, &["kind"])?.to_owned(),
    })
}

/// The kind that an object defines, if the object is a CRD.
pub(super) fn defined(object: &Node) -> Option<GroupKind> {
    let kind = kind_of(object)?;
    if kind.group != CRD.group || kind.kind != CRD.name {
        return None;
    }
    Some(GroupKind {
        group: text(object, &["spec", "group"])?.to_owned(),
        kind: text(object, &["spec", "names", "kind"])?.to_owned(),
    })
}

/// The part of a CRD that affects its resources. The conversion webhook is left out, because it does not affect how they are checked.
pub(super) fn spec(mut crd: Value) -> Value {
    let mut spec = crd.get_mut("spec").map(Value::take).unwrap_or_default();
    if let Some(spec) = spec.as_object_mut() {
        spec.remove("conversion");
    }
    spec
}

/// The part that [`spec`] returns, for the CRD that is written at a place.
pub(super) fn written_spec(sources: &Sources, origin: Place) -> Option<Value> {
    let (tree, node) = sources.tree(origin);
    let written = read_json_of(tree, node).ok()?;
    Some(spec(written.root()?.to_value()))
}

/// Whether the built CRD affects resources in the same way as the CRD in the file.
fn is_same(sources: &Sources, built: &Built) -> bool {
    written_spec(sources, built.origin).is_some_and(|it| it == spec(built.node.to_json()))
}

/// The CRDs that apply to the resources in one build.
pub(super) struct CrdsOfBuild<'a> {
    pub(super) crds: &'a BuiltCrds,
    pub(super) sources: &'a Sources,
    /// The source of the CRDs that the build does not change.
    pub(super) others: &'a dyn Definitions,
}

impl Definitions for CrdsOfBuild<'_> {
    fn find(&self, kind: &GroupKind, near: &Path) -> Option<Found> {
        let found = self.others.find(kind, near);
        let Some(crd) = self.crds.0.get(kind) else { return found };
        // A CRD on the command line takes precedence.
        let is_named = |it: &Found| it.definition.origin == Origin::Given && *it.definition.path != *crd.origin;
        if found.as_ref().is_some_and(is_named) {
            return found;
        }
        let known = crd.made(self.sources).known.clone();
        known.map_or(found, |definition| {
            Some(Found {
                definition,
                equals: Vec::new(),
                others: Vec::new(),
                chosen: Chosen::Only,
            })
        })
    }

    fn meant(&self, kind: &GroupKind) -> Option<GroupKind> {
        self.others.meant(kind)
    }

    fn elsewhere(&self, kind: &GroupKind) -> Option<GroupKind> {
        self.others.elsewhere(kind)
    }

    fn whole(&self, name: &str, path: &Path) -> Option<Arc<KnownCrd>> {
        self.others.whole(name, path)
    }

    fn webhook(&self, resource: &Resource<'_>) -> Option<Arc<str>> {
        self.others.webhook(resource)
    }

    fn files(&self) -> &dyn Files {
        self.others.files()
    }

    fn previous(&self, definition: &KnownCrd) -> Option<Arc<KnownCrd>> {
        let crd = self.crds.0.get(&definition.defines);
        let Some(crd) = crd.filter(|it| it.path() == *definition.path) else {
            return self.others.previous(definition);
        };
        let old = definitions_in(crd.old.as_ref()?.as_bytes().to_vec(), &crd.path(), definition.origin);
        old.into_iter().rev().find(|it| it.defines == definition.defines)
    }
}
