//! Which documents are ours to say something about.

use crd_analyzer_syntax::tree::Tree;

/// Whether a document is a Kubernetes object, as far as its first keys tell. Other YAML is other servers' business.
pub(crate) fn is_manifest(tree: &Tree) -> bool {
    tree.root()
        .is_some_and(|root| ["apiVersion", "kind"].iter().all(|it| tree.get(root, it).is_some()))
}
