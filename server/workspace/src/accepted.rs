//! The CRDs of a text as API servers of several minor versions would store them.

use crd_analyzer_apiextensions::{strategy::Received, types::CustomResourceDefinition, validation::CelCompiler};

pub use crate::crd_documents::{CrdAnswers, Unanswered};
use crate::{
    crd_documents::{self, unanswered},
    versions::VersionSet,
};

/// The CRDs of a text, those documents that say that they are one; `None` where the API server rejects one.
pub fn accepted(bytes: Vec<u8>, versions: VersionSet) -> Vec<CrdAnswers<Option<CustomResourceDefinition>>> {
    let (_, documents) = crd_documents::each(bytes, versions, false, |_, json, version| {
        let received = Received::new(json, version).map_err(|verdict| unanswered(&verdict))?;
        let verdict = received.judge(None, Some(&CelCompiler::new(version)));
        if verdict.unjudged.is_some() {
            return Err(unanswered(&verdict));
        }
        let is_accepted = verdict.is_accepted();
        Ok(verdict.definition.filter(|_| is_accepted).map(|it| it.internal))
    });
    documents
}
