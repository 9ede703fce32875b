//! Our predictions of the API server's answers.

use std::sync::Arc;

use crd_analyzer_resource::{Question as RequestKind, ServedVersion, Stored, judge};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::{
    read_json,
    split::{read_document, split},
};
use crd_analyzer_workspace::{
    config::versions::VersionSet,
    findings::finding::ServerSays,
    judging::analysis::{Old, Question, Update, analyze},
};
use serde_json::Value;

use super::{MINOR, Request};
use crate::resources::answer::{definitions, head_of};

/// One cause of a rejection.
#[derive(Clone, Debug)]
pub(super) struct Cause {
    pub(super) reason: &'static str,
    pub(super) words: &'static str,
    pub(super) field: String,
    pub(super) value: String,
    pub(super) detail: String,
}

impl Cause {
    /// The message as the API server prints it.
    pub(super) fn message(&self) -> String {
        let parts = [self.words, &self.value, &self.detail];
        let said: Vec<&str> = parts.into_iter().filter(|it| !it.is_empty()).collect();
        said.join(": ")
    }
}

/// Our prediction of the API server's answer.
#[derive(Clone, Debug, Default)]
pub(super) struct Answer {
    pub(super) kind: String,
    pub(super) group: String,
    pub(super) name: String,
    pub(super) decode_error: Option<String>,
    pub(super) strict: Vec<String>,
    pub(super) causes: Vec<Cause>,
    pub(super) other_error: Option<String>,
    pub(super) warnings: Vec<String>,
    /// The stored object; not predicted for CRDs.
    pub(super) stored: Option<Value>,
}

impl Answer {
    /// Whether the object is stored if the client does not request strict field validation.
    pub(super) fn is_accepted(&self) -> bool {
        self.decode_error.is_none() && self.causes.is_empty() && self.other_error.is_none()
    }
}

/// Our answer to a request; `None` if it is not supported.
pub(super) fn answer(request: &Request) -> Option<Answer> {
    match &request.crd {
        None => definition(request),
        Some(crd) => resource(request, crd),
    }
}

fn definition(request: &Request) -> Option<Answer> {
    let question = Question {
        named: true,
        update: Update {
            old: request.old.as_ref().map(|old| Old {
                text: old.as_bytes(),
                is_paired: true,
            }),
            ..Update::default()
        },
        ..Question::new(VersionSet::one(KubernetesVersion::minor(MINOR)))
    };
    let report = analyze(request.text.clone().into_bytes(), &question);
    let [document] = report.documents.as_slice() else {
        return None;
    };
    let (_, verdict) = document.verdicts.first()?;
    let text = |it: &crd_analyzer_workspace::findings::finding::Finding| it.server.as_ref().map(ServerSays::message);
    let causes = verdict.errors.iter().filter_map(|it| match &it.server {
        Some(ServerSays::Cause {
            reason,
            words,
            field,
            detail,
            bad_value,
        }) => Some(Cause {
            reason,
            words,
            field: field.clone(),
            value: bad_value.clone(),
            detail: detail.clone(),
        }),
        _ => None,
    });
    Some(Answer {
        kind: "CustomResourceDefinition".to_owned(),
        group: "apiextensions.k8s.io".to_owned(),
        name: document.name.clone(),
        decode_error: verdict.decode_error.as_ref().and_then(text),
        strict: verdict.strict.iter().filter_map(text).collect(),
        causes: causes.collect(),
        other_error: verdict.other_error.as_ref().and_then(text),
        warnings: verdict.warnings.iter().filter_map(text).collect(),
        stored: None,
    })
}

fn resource(request: &Request, crd: &Arc<str>) -> Option<Answer> {
    let definitions = definitions(crd, KubernetesVersion::minor(MINOR));
    let text: Arc<str> = request.text.as_str().into();
    let document = *split(&text).documents.first()?;
    let tree = read_document(&text, document, &[]).ok()?;
    let json = read_json(&tree).ok()?;
    let head = head_of(&text, document, Some(&json));
    let served = definitions
        .iter()
        .find_map(|it| it.serving(&head.api_version, &head.kind).ok())?;
    let stored = match &request.old {
        None => None,
        Some(old) => {
            let old: Arc<str> = old.as_str().into();
            let document = *split(&old).documents.first()?;
            let tree = read_document(&old, document, &[]).ok()?;
            Some(Stored::establish(served, &read_json(&tree).ok()?).ok()?)
        }
    };
    let verdict = judge(
        served,
        &json,
        match &stored {
            None => RequestKind::Create,
            Some(stored) if request.status => RequestKind::UpdateStatus(stored),
            Some(stored) => RequestKind::Update(stored),
        },
    );
    if verdict.unjudged.is_some() {
        return None;
    }
    let causes = verdict.errors.iter().map(|it| Cause {
        reason: it.error.kind.reason(),
        words: it.error.kind.words(),
        field: it.error.path.to_string(),
        value: it.error.bad_value.clone(),
        detail: it.error.detail.clone(),
    });
    Some(Answer {
        group: head.api_version.split('/').next().unwrap_or_default().to_owned(),
        kind: head.kind,
        name: head.name,
        decode_error: verdict.decode_error.map(|it| it.text),
        strict: verdict.strict.into_iter().map(|it| it.text).collect(),
        causes: causes.collect(),
        other_error: verdict.other_error,
        warnings: verdict.warnings.into_iter().map(|it| it.text).collect(),
        stored: verdict.stored.and_then(|it| read_back(served, &Value::Object(it))),
    })
}

/// The object as the API server reads it back from storage. Reading adds the defaults of a dropped status, which storage does not keep.
fn read_back(served: ServedVersion<'_>, stored: &Value) -> Option<Value> {
    let text: Arc<str> = stored.to_string().into();
    let document = *split(&text).documents.first()?;
    let tree = read_document(&text, document, &[]).ok()?;
    let read = judge(served, &read_json(&tree).ok()?, RequestKind::Create).object?;
    Some(Value::Object(read))
}
