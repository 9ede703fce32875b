//! The places in a test file that name fields: the objects that tests send or expect, and the paths of fields.

use crd_analyzer_syntax::tree::{NodeId, Tree};

use crate::model::{Body, Suite};

/// The nodes of a test file's tree that name fields.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Written {
    /// Objects that are written as mappings.
    pub objects: Vec<NodeId>,
    /// Objects that are written as YAML in a string.
    pub texts: Vec<NodeId>,
    /// Strings with the path of a field, such as `spec.hosts[0].name`.
    pub paths: Vec<NodeId>,
}

/// The keys of a test in crd-analyzer's format that have an object, or two of them as `from` and `to`.
const SENT: [&str; 3] = ["create", "update", "updateStatus"];

/// The keys of a test in openshift/api's format that have the text of an object.
const TEXTS: [&str; 3] = ["initial", "updated", "expected"];

impl Suite {
    /// The tree of the file. Its node numbers are those of [`Suite::written`].
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The places in the file that name fields of the tested objects.
    pub fn written(&self) -> Written {
        let mut written = Written::default();
        for case in &self.cases {
            match case.body {
                Body::Own(_) => written.own(&self.tree, case.node),
                Body::Create(_) | Body::Update(_) | Body::Unreadable(_) => {
                    let texts = TEXTS.iter().filter_map(|it| self.tree.get(case.node, it));
                    written.texts.extend(texts.filter(|it| self.tree.is_scalar(*it)));
                }
            }
        }
        written
    }
}

impl Written {
    /// Adds what a test in crd-analyzer's format names.
    fn own(&mut self, tree: &Tree, case: NodeId) {
        for key in SENT {
            let Some(sent) = tree.get(case, key) else { continue };
            if key == SENT[0] {
                self.objects.push(sent);
            } else {
                self.objects
                    .extend(["from", "to"].iter().filter_map(|it| tree.get(sent, it)));
            }
        }
        let Some(expect) = tree.get(case, "expect") else { return };
        self.objects.extend(tree.get(expect, "stored"));
        if let Some(rejected) = tree.get(expect, "rejected") {
            self.paths
                .extend(tree.items(rejected).filter_map(|it| tree.get(it, "field")));
        }
        if let Some(pruned) = tree.get(expect, "pruned") {
            self.paths.extend(tree.items(pruned));
        }
        if let Some(defaulted) = tree.get(expect, "defaulted") {
            self.paths.extend(tree.entries(defaulted).map(|it| it.key));
        }
        self.paths.retain(|it| tree.is_scalar(*it));
    }
}
