//! The types that the rules of a schema can use. They are computed from the schema's text on first use and cached.

use std::{
    collections::{HashMap, VecDeque},
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Arc, Mutex, PoisonError},
};

use crd_analyzer_apiextensions::decode::decode_schema;
use crd_analyzer_cel::types::DeclType;
use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion, cel_types::decl_type, structural::Structural};
use crd_analyzer_syntax::{
    read_json_of,
    tree::{NodeId, Tree},
};

use super::{RULES, path_text};
use crate::{file::Document, schema};

/// The schema and type that the rules of one schema can use.
#[derive(Debug)]
pub struct Scope {
    /// The schema.
    pub schema: JsonSchemaProps,
    /// The type of `self`.
    pub ty: Arc<DeclType>,
}

/// The cached scopes of one file.
#[derive(Debug, Default)]
pub struct Scopes {
    kept: Mutex<Kept>,
}

/// The maximum number of scopes that are cached for a file.
const MOST: usize = 256;

#[derive(Debug, Default)]
struct Kept {
    /// The scopes by the fingerprint of their input.
    by_text: HashMap<u64, Arc<Scope>>,
    /// The fingerprints, oldest first.
    order: VecDeque<u64>,
    /// The last valid scope, by document and path.
    last: HashMap<(usize, String), Arc<Scope>>,
}

impl Scopes {
    /// The scope of a schema. If the current text of the schema is not valid, the last valid scope.
    pub fn of(&self, document: &Document<'_>, node: NodeId, version: KubernetesVersion) -> Option<Arc<Scope>> {
        let tree = document.tree;
        let name = fingerprint(tree, node, version);
        if let Some(known) = self.lock().by_text.get(&name) {
            return Some(known.clone());
        }
        let place = || (document.index, path_text(tree, node));
        let Some(made) = make(tree, node, version).map(Arc::new) else {
            return self.lock().last.get(&place()).cloned();
        };
        let mut kept = self.lock();
        if kept.by_text.insert(name, made.clone()).is_none() {
            kept.order.push_back(name);
        }
        if kept.order.len() > MOST
            && let Some(oldest) = kept.order.pop_front()
        {
            kept.by_text.remove(&oldest);
        }
        if kept.last.len() > MOST {
            kept.last.clear();
        }
        kept.last.insert(place(), made.clone());
        Some(made)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A fingerprint of the scope's input: the schema without its own rules, because the user is editing those.
fn fingerprint(tree: &Tree, node: NodeId, version: KubernetesVersion) -> u64 {
    let mut hasher = DefaultHasher::new();
    (version.number(), is_resource_root(tree, node)).hash(&mut hasher);
    let has_aliases = tree.all_properties().iter().any(|(_, it)| it.anchor.is_some());
    if has_aliases {
        tree.text()[tree.document_span().range()].hash(&mut hasher);
    }
    for entry in tree.entries(node) {
        if tree.scalar(entry.key) != RULES {
            (tree.source(entry.key), tree.source(entry.value)).hash(&mut hasher);
        }
    }
    hasher.finish()
}

fn make(tree: &Tree, node: NodeId, version: KubernetesVersion) -> Option<Scope> {
    let json = read_json_of(tree, node).ok()?;
    let schema = decode_schema(json.root()?, version).ok()?;
    let ty = decl_type(Structural::assume(&schema), is_resource_root(tree, node), version)?;
    Some(Scope { schema, ty })
}

/// Whether a schema is the root schema of a resource, which has `metadata`.
fn is_resource_root(tree: &Tree, node: NodeId) -> bool {
    let entry = tree.entry_of(node);
    let is_root = entry.is_some_and(|it| tree.scalar(it.key) == "openAPIV3Schema")
        && tree.parent(node).is_some_and(|it| !schema::is_map_of_schemas(tree, it));
    is_root || schema::is_true(tree, node, "x-kubernetes-embedded-resource")
}
