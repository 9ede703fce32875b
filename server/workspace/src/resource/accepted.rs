//! The CRDs of a text as API servers of several Kubernetes versions would store them.

use std::collections::HashSet;

use crd_analyzer_apiextensions::{strategy, types::CustomResourceDefinition, validation::CelCompiler};

use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::read_json_of;

pub use crate::documents::crd_documents::{CrdAnswers, Unanswered};
use crate::index::{CrdText, objects_of};
use crate::{
    config::versions::VersionSet,
    documents::crd_documents::{self, unanswered},
};

/// The CRDs of a text. `None` for each CRD that the API server rejects. Leaves out parts of CRDs, such as patches, unless the user named the file.
pub fn accepted(
    bytes: Vec<u8>,
    versions: VersionSet,
    is_named: bool,
) -> Vec<CrdAnswers<Option<CustomResourceDefinition>>> {
    let (text, mut documents) = crd_documents::each(bytes, versions, false, |_, json, version| {
        let received = strategy::Received::new(json, version).map_err(|verdict| unanswered(&verdict))?;
        let verdict = received.judge(None, Some(&CelCompiler::new(version)));
        if verdict.unjudged.is_some() {
            return Err(unanswered(&verdict));
        }
        let is_accepted = verdict.is_accepted();
        Ok(verdict.definition.filter(|_| is_accepted).map(|it| it.internal))
    });
    if !is_named {
        let objects = objects_of(&text);
        let parts = objects.iter().filter(|it| it.inside.is_none() && it.lacks.is_part());
        let parts: HashSet<usize> = parts.map(|it| it.document.index as usize).collect();
        documents.retain(|it| it.index.is_none_or(|it| !parts.contains(&it)));
    }
    documents
}

/// A CRD as an API server receives it, and whether the API server accepts it.
#[derive(Clone, PartialEq, Debug)]
pub struct Received {
    /// The CRD with defaults, in the form that the API server validates.
    pub definition: CustomResourceDefinition,
    /// Whether the API server accepts it.
    pub is_accepted: bool,
}

/// A CRD as the API server of this Kubernetes version receives it. `None` if the text cannot be decoded as a CRD.
pub fn received(text: &CrdText, version: KubernetesVersion) -> Option<Received> {
    let json = read_json_of(&text.tree, text.root).ok()?;
    let verdict = strategy::Received::new(&json, version)
        .ok()?
        .judge(None, Some(&CelCompiler::new(version)));
    let is_accepted = verdict.is_accepted();
    Some(Received {
        definition: verdict.definition?.internal,
        is_accepted,
    })
}
