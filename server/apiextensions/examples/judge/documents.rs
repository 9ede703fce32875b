//! The documents of a file and their answers.

use std::sync::Arc;

use crd_analyzer_apiextensions::decode::WrittenType;
use crd_analyzer_apiextensions::strategy::{CrdVerdict, Stored, judge_create, judge_update};
use crd_analyzer_apiextensions::validation::CelCompiler;
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::read_json;
use crd_analyzer_syntax::source::Source;
use crd_analyzer_syntax::split::{read_document, split};

/// The answer for one document.
pub(crate) struct Answer {
    pub(crate) index: u32,
    pub(crate) name: String,
    pub(crate) verdict: CrdVerdict,
}

/// The answers for all CRDs of a file. Fails if the file cannot be split into documents.
pub(crate) fn answers(bytes: &[u8], old: Option<&Stored>, version: KubernetesVersion) -> Result<Vec<Answer>, String> {
    let source = Source::decode(bytes.to_vec());
    let text: Arc<str> = source.text.into();
    let documents = split(&text);
    if let Some(error) = documents.error {
        return Err(error.message);
    }
    let compiler = CelCompiler::new(version);
    let mut answers = Vec::new();
    for document in documents.documents {
        let tree = read_document(&text, document, &source.defects);
        let json = tree.as_ref().ok().map(read_json);
        let whole = json.as_ref().and_then(|it| it.as_ref().ok());
        let written = WrittenType::of_document(&text, document.span, whole);
        if !written.kind.is_empty() && !written.is_crd() {
            continue;
        }
        let verdict = CrdVerdict::of_unserved(&written, document.span).unwrap_or_else(|| match (&tree, &json) {
            (Err(error), _) => CrdVerdict::of_read_error(error),
            (Ok(_), Some(Err(error))) => CrdVerdict::of_convert_error(error, version),
            (Ok(_), Some(Ok(json))) => match old {
                Some(old) => judge_update(json, old, version, Some(&compiler)),
                None => judge_create(json, version, Some(&compiler)),
            },
            (Ok(_), None) => CrdVerdict::default(),
        });
        answers.push(Answer {
            index: document.index,
            name: written.name,
            verdict,
        });
    }
    Ok(answers)
}

/// The stored form of the first CRD in a file.
pub(crate) fn stored(bytes: &[u8], version: KubernetesVersion) -> Result<Stored, String> {
    let source = Source::decode(bytes.to_vec());
    let text: Arc<str> = source.text.into();
    let documents = split(&text);
    if let Some(error) = documents.error {
        return Err(error.message);
    }
    for document in documents.documents {
        let tree = read_document(&text, document, &source.defects);
        let json = tree.as_ref().ok().and_then(|it| read_json(it).ok());
        if WrittenType::of_document(&text, document.span, json.as_ref()).is_crd() {
            return json
                .and_then(|it| Stored::establish(&it, version))
                .ok_or_else(|| "old object does not decode".to_owned());
        }
    }
    Err("EOF".to_owned())
}
