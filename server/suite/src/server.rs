//! An API server of one Kubernetes version with one CRD. It takes requests as values, and gives answers in the form in which a client shows them.

use std::collections::BTreeSet;
use std::sync::Arc;

use crd_analyzer_apiextensions::{
    strategy::{Stored as StoredCrd, judge_create, judge_update},
    validation::CelCompiler,
};
use crd_analyzer_budget as budget;
use crd_analyzer_compat::Subject;
use crd_analyzer_resource::{
    ChangeKind, Definition, Question, ResourceVerdict, ServedVersion, Stored, StrictErrorKind, Unjudged, judge_traced,
};
use crd_analyzer_schema::{KubernetesVersion, field, field::Segment, go, unknown::Known};
use crd_analyzer_syntax::{
    json::JsonDoc,
    read, read_json,
    tree::{Span, Tree},
};
use serde_json::{Map, Value};

use crate::{
    errors::{Cause, aggregate, invalid},
    yaml,
};

/// An API server in which a CRD is installed.
pub(crate) struct Server {
    definition: Definition,
}

impl Server {
    /// Installs a CRD, or updates the CRD `replaces` to it. The error is the reason why the API server rejects the CRD.
    pub(crate) fn install(value: &Value, replaces: Option<&Value>, version: KubernetesVersion) -> Result<Self, String> {
        let compiler = CelCompiler::new(version);
        let stored = replaces.map(|old| {
            with_document(old, |json| StoredCrd::establish(json, version))
                .ok()
                .flatten()
                .ok_or_else(|| "it cannot be read as a CRD".to_owned())
        });
        let stored = stored.transpose()?;
        with_document(value, |json| {
            let verdict = match &stored {
                None => judge_create(json, version, Some(&compiler)),
                Some(old) => judge_update(json, old, version, Some(&compiler)),
            };
            if let Some(error) = &verdict.decode_error {
                return Err(error.text.clone());
            }
            if !verdict.errors.is_empty() {
                return Err(aggregate(verdict.errors.iter().map(ToString::to_string)));
            }
            if let Some(why) = verdict.other_error {
                return Err(why);
            }
            if let (Some(unfinished), true) = (verdict.unfinished, verdict.unjudged.is_some()) {
                budget::miss(unfinished);
            }
            if verdict.unjudged.is_some() {
                return Err("crd-analyzer could not finish the check".to_owned());
            }
            let stored = StoredCrd::establish(json, version).ok_or("it cannot be read as a CRD")?;
            Ok(Self {
                definition: Definition::new(stored, version),
            })
        })?
    }

    /// The Kubernetes version.
    pub(crate) fn kubernetes(&self) -> KubernetesVersion {
        self.definition.kubernetes()
    }

    fn serving(&self, object: &Value) -> Result<ServedVersion<'_>, String> {
        let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
        self.definition
            .serving(text("apiVersion"), text("kind"))
            .map_err(|it| it.to_string())
    }

    /// Creates an object.
    pub(crate) fn create(&self, object: &Value) -> Answer {
        self.ask(object, Question::Create)
    }

    /// Replaces an object.
    pub(crate) fn update(&self, stored: &Stored, object: &Value) -> Answer {
        self.ask(object, Question::Update(stored))
    }

    /// Replaces the status of an object.
    pub(crate) fn update_status(&self, stored: &Stored, object: &Value) -> Answer {
        self.ask(object, Question::UpdateStatus(stored))
    }

    /// The object as a client gets it under this CRD. The object may have been stored under another CRD.
    pub(crate) fn get(&self, object: &Map<String, Value>) -> Result<Stored, String> {
        let object = Value::Object(object.clone());
        let served = self.serving(&object)?;
        with_document(&object, |json| Stored::establish(served, json))?.map_err(|it| it.text)
    }

    fn ask(&self, object: &Value, question: Question<'_>) -> Answer {
        let answer = self.serving(object).and_then(|served| {
            with_document(object, |json| {
                let verdict = judge_traced(served, json, Known::ALL, question);
                Answer::of(&verdict, object, &self.definition)
            })
        });
        answer.unwrap_or_else(Answer::refused)
    }
}

/// The answer that a client gets.
#[derive(Clone, Default, Debug)]
pub(crate) struct Answer {
    /// The rejection, if the API server rejects the object.
    pub(crate) refusal: Option<Refusal>,
    /// The errors from strict field validation. A client that requests it gets only these errors.
    pub(crate) strict: Vec<String>,
    pub(crate) warnings: Vec<String>,
    /// The paths of pruned fields.
    pub(crate) pruned: Vec<String>,
    /// The paths of fields to which the API server adds a default, with the defaults.
    pub(crate) defaulted: Vec<(String, Value)>,
    /// The stored object.
    pub(crate) stored: Option<Map<String, Value>>,
    /// The paths in the CRD of the rules that were evaluated.
    pub(crate) ran: Vec<String>,
}

/// A rejection.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    /// The whole message of the rejection.
    pub(crate) message: String,
    /// The causes of the rejection. Empty if the API server reports none.
    pub(crate) causes: Vec<Cause>,
}

impl Answer {
    fn refused(message: String) -> Self {
        Self {
            refusal: Some(Refusal {
                message,
                causes: Vec::new(),
            }),
            ..Self::default()
        }
    }

    fn of(verdict: &ResourceVerdict, sent: &Value, definition: &Definition) -> Self {
        if verdict.unjudged == Some(Unjudged::NotFinished)
            && let Some(unfinished) = verdict.unfinished.first()
        {
            budget::miss(unfinished.why);
        }
        let strict: Vec<String> = verdict.strict.iter().map(|it| it.text.clone()).collect();
        let plain = |message: &str| {
            Some(Refusal {
                message: message.to_owned(),
                causes: Vec::new(),
            })
        };
        let refusal = if let Some(error) = &verdict.decode_error {
            plain(&error.text)
        } else if !verdict.errors.is_empty() {
            let causes: Vec<Cause> = verdict.errors.iter().map(Cause::of).collect();
            let kind = format!("{}.{}", definition.kind(), definition.group());
            let name = name_of(verdict.object.as_ref(), sent);
            Some(Refusal {
                message: invalid(&kind, &go::quote(&name), &causes),
                causes,
            })
        } else if let Some(why) = &verdict.other_error {
            plain(why)
        } else if verdict.unjudged.is_some() {
            plain("crd-analyzer does not follow values that are nested so deeply")
        } else {
            None
        };
        let of_kind = |kind| verdict.changes.iter().filter(move |it| it.kind == kind);
        let unknown = verdict
            .strict
            .iter()
            .filter(|it| it.kind == StrictErrorKind::UnknownField)
            .map(|it| it.path.clone());
        let pruned: BTreeSet<String> = of_kind(ChangeKind::Pruned)
            .map(|it| path_of(&it.path))
            .chain(unknown)
            .collect();
        let object = verdict.object.as_ref().map(|it| Value::Object(it.clone()));
        let defaulted = of_kind(ChangeKind::Defaulted).filter_map(|it| {
            let value = object.as_ref().and_then(|object| at(object, &it.path))?;
            Some((path_of(&it.path), value.clone()))
        });
        // The API server's own types write a timestamp in `metadata` even if it is not set, which is not a default.
        let defaulted = defaulted.filter(|(path, _)| path != "metadata" && !path.starts_with("metadata."));
        Self {
            refusal,
            warnings: verdict.warnings.iter().map(|it| it.text.clone()).collect(),
            pruned: pruned
                .into_iter()
                .filter(|it| !it.starts_with("metadata.creationTimestamp"))
                .collect(),
            defaulted: defaulted.collect(),
            stored: verdict.stored.clone(),
            ran: verdict.ran.iter().map(|it| it.path.to_string()).collect(),
            strict,
        }
    }

    /// The rejection that a client gets if it requests strict field validation.
    pub(crate) fn strict_refusal(&self) -> Option<Refusal> {
        if self.strict.is_empty() || self.refusal.as_ref().is_some_and(|it| it.causes.is_empty()) {
            return self.refusal.clone();
        }
        let causes = self.strict.iter().map(|it| Cause::strict(it));
        Some(Refusal {
            message: format!("strict decoding error: {}", self.strict.join(", ")),
            causes: causes.collect(),
        })
    }
}

/// A path as text. It does not distinguish fields from map keys, because that would need the schema.
fn path_of(path: &field::Path) -> String {
    path.to_string()
}

fn at<'v>(value: &'v Value, path: &field::Path) -> Option<&'v Value> {
    path.segments().iter().try_fold(value, |it, segment| match segment {
        Segment::Field(name) | Segment::Key(name) => it.get(name),
        Segment::Index(index) => it.get(index),
    })
}

fn name_of(object: Option<&Map<String, Value>>, sent: &Value) -> String {
    let metadata = object
        .and_then(|it| it.get("metadata"))
        .or_else(|| sent.get("metadata"));
    let text = |name: &str| metadata.and_then(|it| it.get(name)?.as_str()).unwrap_or_default();
    if text("name").is_empty() && !text("generateName").is_empty() {
        // The API server would generate a random suffix.
        format!("{}00000", text("generateName"))
    } else {
        text("name").to_owned()
    }
}

/// A CRD in the form for the search for examples. `None` if it cannot be decoded.
pub(crate) fn subject(value: &Value, version: KubernetesVersion) -> Option<Subject> {
    let stored = with_document(value, |json| StoredCrd::establish(json, version)).ok()??;
    Some(Subject::new(stored, version))
}

/// Calls `take` with a value that was converted to a document, as if it had been sent.
fn with_document<T>(value: &Value, take: impl FnOnce(&JsonDoc<'_>) -> T) -> Result<T, String> {
    let text: Arc<str> = yaml::json(value).into();
    let tree: Tree = read(&text, Span::new(0, text.len() as u32)).map_err(|it| it.message)?;
    let json = read_json(&tree).map_err(|it| it.message)?;
    Ok(take(&json))
}
