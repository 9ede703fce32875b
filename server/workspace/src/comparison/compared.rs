//! The CRDs in a text, prepared for a comparison with those in another text.

use crd_analyzer_apiextensions::{
    strategy::{Received, Stored, judge_update},
    validation::CelCompiler,
};
use crd_analyzer_compat::Subject;
use crd_analyzer_schema::{KubernetesVersion, field::Path};
use crd_analyzer_syntax::{
    json::read_json_of,
    paths::Finder,
    tree::{NodeId, Span, Tree},
};

pub use crate::documents::crd_documents::{CrdAnswers, Unanswered};
use crate::{
    config::versions::VersionSet,
    documents::crd_documents::{self, unanswered},
    documents::spans,
};

/// A CRD to compare with another one.
#[derive(Debug)]
pub struct ComparedCrd {
    /// The CRD.
    pub subject: Subject,
    pub(crate) stored: Stored,
    pub(crate) tree: Tree,
    /// The root node of the CRD in the tree.
    pub(crate) node: NodeId,
    pub(crate) kubernetes: KubernetesVersion,
}

/// The text, and the CRDs in it. `named` means that the user named the file, so that a document without a kind is read, too.
pub fn compared(
    bytes: Vec<u8>,
    named: bool,
    kubernetes: KubernetesVersion,
) -> (std::sync::Arc<str>, Vec<CrdAnswers<ComparedCrd>>) {
    crd_documents::each(bytes, VersionSet::one(kubernetes), named, |tree, json, kubernetes| {
        Received::new(json, kubernetes).map_err(|verdict| unanswered(&verdict))?;
        let stored = Stored::establish(json, kubernetes)
            .ok_or_else(|| Unanswered::Undecodable("the document cannot be read as a CRD".to_owned()))?;
        let node = json.root().map(|it| it.node);
        let node = node.ok_or_else(|| Unanswered::Undecodable("the document is empty".to_owned()))?;
        Ok(ComparedCrd {
            subject: Subject::new(stored.clone(), kubernetes),
            stored,
            tree: tree.clone(),
            node,
            kubernetes,
        })
    })
}

impl ComparedCrd {
    /// The names of its versions.
    pub fn version_names(&self) -> impl Iterator<Item = &str> {
        let versions = &self.stored.definition().spec.versions;
        versions.iter().map(|it| it.name.as_str())
    }

    /// Keeps only one version and calls it `name`, so that its objects can be compared with those of `name`. `None` if the CRD does not have the
    /// version.
    pub fn only_version(self, version: &str, name: &str) -> Option<Self> {
        let stored = self.stored.with_only_version(version, name)?;
        Some(Self {
            subject: Subject::new(stored.clone(), self.kubernetes),
            stored,
            ..self
        })
    }

    /// Creates a finder for the spans of fields in the text.
    pub fn spans(&self) -> FieldSpans<'_> {
        FieldSpans {
            tree: &self.tree,
            node: self.node,
            finder: Finder::new(&self.tree),
        }
    }

    /// The reason why the API server rejects this CRD as an update of `old`. `None` if it accepts the update.
    pub fn refusal_as_update(&self, old: &Self) -> Option<String> {
        let json = read_json_of(&self.tree, self.node).ok()?;
        let compiler = CelCompiler::new(self.kubernetes);
        let verdict = judge_update(&json, &old.stored, self.kubernetes, Some(&compiler));
        if verdict.is_accepted() {
            return None;
        }
        let first = verdict.errors.first();
        Some(first.map_or_else(|| "the API server rejects the update".to_owned(), ToString::to_string))
    }
}

/// Finds the spans of fields in a CRD's text. Searches are cached, so thousands of changes below one mapping need only one walk over it.
#[derive(Debug)]
pub struct FieldSpans<'c> {
    tree: &'c Tree,
    node: NodeId,
    finder: Finder<'c>,
}

impl FieldSpans<'_> {
    /// The span of a field's key and value in the text. If the field is missing, the span of the key that would contain it.
    pub fn span(&self, path: &Path) -> Option<Span> {
        let found = self.finder.find_from(self.node, &spans::steps(path.segments()));
        let key = found.key_span(self.tree);
        // If the value comes from an alias or a merge key, it is written elsewhere, so use only the key.
        let value = found.value_span(self.tree);
        Some(if found.is_found() && key.start <= value.start {
            key.join(value)
        } else {
            key
        })
    }
}
