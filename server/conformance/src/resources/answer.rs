//! Our answers, in the oracle's format.

use std::sync::Arc;

use crd_analyzer_apiextensions::decode::WrittenType;
use crd_analyzer_apiextensions::strategy::Stored as StoredCrd;
use crd_analyzer_resource::{Definition, NotServed, Question, ResourceVerdict, ServedVersion, Stored, judge};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::json::JsonDoc;
use crd_analyzer_syntax::read_json;
use crd_analyzer_syntax::split::{Document, read_document, split};
use serde_json::{Value, json};

/// Answers requests like an API server of one Kubernetes version.
pub(crate) struct Answerer {
    version: KubernetesVersion,
    /// The CRDs of the last request.
    known: Option<(Arc<str>, Vec<Definition>)>,
}

impl Answerer {
    pub(crate) fn new(version: KubernetesVersion) -> Self {
        Self { version, known: None }
    }

    /// The answers to a request, one per document.
    pub(crate) fn answer(
        &mut self,
        crd: &Arc<str>,
        id: &str,
        text: &str,
        old: Option<&str>,
        status: bool,
    ) -> Vec<Value> {
        if self.known.as_ref().is_none_or(|(known, _)| known != crd) {
            self.known = Some((Arc::clone(crd), definitions(crd, self.version)));
        }
        let definitions = self.known.as_ref().map_or(&[][..], |(_, definitions)| definitions);
        let text: Arc<str> = text.into();
        let old: Option<Arc<str>> = old.map(Into::into);
        let documents = split(&text).documents;
        let answers = documents.iter().filter_map(|document| {
            let only = documents.len() == 1;
            let mut answer = one(definitions, &text, *document, old.as_ref(), status, only)?;
            answer["cr"] = json!(id);
            answer["doc"] = json!(document.index);
            Some(answer)
        });
        answers.collect()
    }
}

/// All CRDs of a file.
pub(crate) fn definitions(text: &Arc<str>, version: KubernetesVersion) -> Vec<Definition> {
    let documents = split(text).documents.into_iter();
    let read = documents.filter_map(|document| {
        let tree = read_document(text, document, &[]).ok()?;
        let json = read_json(&tree).ok()?;
        let head = WrittenType::of_document(text, document.span, Some(&json));
        let stored = head.is_crd().then(|| StoredCrd::establish(&json, version))??;
        Some(Definition::new(stored, version))
    });
    read.collect()
}

/// The `apiVersion` and kind in a document.
pub(crate) fn head_of(text: &Arc<str>, document: Document, json: Option<&JsonDoc<'_>>) -> WrittenType {
    WrittenType::of_document(text, document.span, json)
}

fn one(
    definitions: &[Definition],
    text: &Arc<str>,
    document: Document,
    old: Option<&Arc<str>>,
    status: bool,
    only: bool,
) -> Option<Value> {
    let tree = read_document(text, document, &[]);
    let json = tree.as_ref().ok().and_then(|tree| read_json(tree).ok());
    let head = head_of(text, document, json.as_ref());
    let mut missing = NotServed::OtherKind(String::new());
    let mut served = None;
    for definition in definitions {
        match definition.serving(&head.api_version, &head.kind) {
            Ok(version) => {
                served = Some(version);
                break;
            }
            Err(NotServed::OtherKind(why)) => missing = NotServed::OtherKind(why),
            Err(other) => {
                missing = other;
                break;
            }
        }
    }
    let failed = |why: String| Some(json!({"decode_error": why, "name": head.name, "accepted": false}));
    let Some(version) = served else {
        return match missing {
            NotServed::OtherKind(_) if !only => None,
            other => failed(other.to_string()),
        };
    };
    let Some(json) = json else {
        return failed("unreadable".to_owned());
    };
    let stored = match old.map(|old| establish(version, old)) {
        None => None,
        Some(Ok(stored)) => Some(stored),
        // The API server decodes the object in the request first.
        Some(Err(why)) => {
            let mut answer = listed(&judge(version, &json, Question::Create));
            if answer["decode_error"].is_null() {
                answer["decode_error"] = json!(why);
            }
            for part in ["errors", "warnings"] {
                answer[part] = json!([]);
            }
            answer["accepted"] = json!(false);
            answer["name"] = json!(head.name);
            return Some(answer);
        }
    };
    let question = match &stored {
        None => Question::Create,
        Some(stored) if status => Question::UpdateStatus(stored),
        Some(stored) => Question::Update(stored),
    };
    let verdict = judge(version, &json, question);
    let mut answer = listed(&verdict);
    answer["name"] = json!(head.name);
    Some(answer)
}

fn establish(version: ServedVersion<'_>, text: &Arc<str>) -> Result<Stored, String> {
    let unreadable = || "old object cannot be read".to_owned();
    let document = *split(text).documents.first().ok_or_else(unreadable)?;
    let tree = read_document(text, document, &[]).map_err(|error| error.message)?;
    let json = read_json(&tree).map_err(|error| error.message)?;
    Stored::establish(version, &json).map_err(|error| format!("old object: {}", error.text))
}

fn listed(verdict: &ResourceVerdict) -> Value {
    let errors = verdict.errors.iter().map(|it| {
        json!({
            "type": it.error.kind.reason(), "field": it.error.path.to_string(), "detail": it.error.detail,
            "bad_value": it.error.bad_value, "decider": it.decider.as_ref().map(|it| it.path.to_string()),
        })
    });
    json!({
        "decode_error": verdict.decode_error.as_ref().map(|it| &it.text),
        "strict": verdict.strict.iter().map(|it| &it.text).collect::<Vec<_>>(),
        "errors": errors.collect::<Vec<_>>(),
        "other_error": verdict.other_error,
        "warnings": verdict.warnings.iter().map(|it| &it.text).collect::<Vec<_>>(),
        "accepted": verdict.is_accepted(),
        "object": verdict.object,
        "cel_cost": verdict.cel_cost,
        "unjudged": verdict.unjudged.is_some(),
    })
}
