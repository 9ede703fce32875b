//! Checks objects against both CRDs.

use std::sync::Arc;

use crd_analyzer_budget as budget;
use crd_analyzer_resource::{ChangeKind, Question, ResourceVerdict, ServedVersion, Stored, judge_known};
use crd_analyzer_schema::{field::Path, unknown::Known};
use crd_analyzer_syntax::tree::Span;
use crd_analyzer_syntax::{read, read_json};
use serde_json::{Map, Value};

use crate::answer::{Direction, Effect};

/// The work units for parsing a byte of an object.
const WORK_PER_BYTE: u64 = 40;

/// A create or update request.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Write {
    pub(crate) object: Value,
    pub(crate) old: Option<Value>,
}

impl Write {
    pub(crate) const fn create(object: Value) -> Self {
        Self { object, old: None }
    }
}

/// The two sides of a direction: the version that accepted an object, and the version that checks it now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sides<'d> {
    pub(crate) direction: Direction,
    /// The version that accepted the object.
    pub(crate) from: ServedVersion<'d>,
    /// The version that checks the object now.
    pub(crate) to: ServedVersion<'d>,
}

/// The effect of the other CRD on a write.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Outcome {
    pub(crate) effect: Effect,
    /// The write that demonstrates the effect: the original write, or a write derived from it.
    pub(crate) shown: Write,
    pub(crate) is_status: bool,
    /// The reasons for the rejection.
    pub(crate) causes: Vec<Cause>,
    /// The fields of the object that are lost or changed.
    pub(crate) changed: Vec<Changed>,
    /// The API server's message.
    pub(crate) words: String,
    /// The number of worse effects that the same write has.
    pub(crate) rank: usize,
}

/// A field of an object that is lost or changed.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Changed {
    pub(crate) place: Path,
    /// The API server's message about the field; may be empty.
    pub(crate) words: String,
}

/// A reason for a rejection.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Cause {
    /// The schema keyword that rejects the object.
    pub(crate) decider: Path,
    /// The field of the object.
    pub(crate) place: Path,
    /// The API server's message.
    pub(crate) words: String,
}

/// Checks an object. `None` if the object cannot be converted to a document.
pub(crate) fn ask(version: ServedVersion<'_>, object: &Value, question: Question<'_>) -> Option<ResourceVerdict> {
    ask_known(version, (object, Known::ALL), question)
}

/// Like [`ask`], for an object with unknown parts.
pub(crate) fn ask_known(
    version: ServedVersion<'_>,
    (object, known): (&Value, Known<'_>),
    question: Question<'_>,
) -> Option<ResourceVerdict> {
    with_document(object, |json| judge_known(version, json, known, question))
}

fn with_document<T>(object: &Value, then: impl FnOnce(&crd_analyzer_syntax::json::JsonDoc<'_>) -> T) -> Option<T> {
    let text: Arc<str> = object.to_string().into();
    budget::work(text.len() as u64 * WORK_PER_BYTE).ok()?;
    let tree = read(&text, Span::new(0, text.len() as u32)).ok()?;
    let json = read_json(&tree).ok()?;
    Some(then(&json))
}

/// The stored object after a create request.
pub(crate) fn establish(version: ServedVersion<'_>, object: &Value) -> Option<Stored> {
    establish_known(version, (object, Known::ALL))
}

/// Like [`establish`], for an object with unknown parts.
pub(crate) fn establish_known(version: ServedVersion<'_>, (object, known): (&Value, Known<'_>)) -> Option<Stored> {
    with_document(object, |json| Stored::establish_known(version, json, known).ok())?
}

/// The result of a write.
struct Answered {
    verdict: ResourceVerdict,
    /// Whether the status was rejected, instead of the rest of the object.
    is_status: bool,
}

/// Runs a write. If the status is a subresource, the status of a new object is sent in a second request.
fn write(version: ServedVersion<'_>, write: &Write) -> Option<Answered> {
    let Some(old) = &write.old else {
        let verdict = ask(version, &write.object, Question::Create)?;
        if verdict.is_accepted() && version.has_status() && write.object.get("status").is_some() {
            let of_status = ask_status(version, &write.object)?;
            if !of_status.is_accepted() {
                return Some(Answered {
                    verdict: of_status,
                    is_status: true,
                });
            }
        }
        return Some(Answered {
            verdict,
            is_status: false,
        });
    };
    let stored = establish(version, old)?;
    let verdict = ask(version, &write.object, Question::Update(&stored))?;
    Some(Answered {
        verdict,
        is_status: false,
    })
}

pub(crate) fn ask_status(version: ServedVersion<'_>, object: &Value) -> Option<ResourceVerdict> {
    ask_status_known(version, (object, Known::ALL))
}

/// Like [`ask_status`], for an object with unknown parts.
pub(crate) fn ask_status_known(
    version: ServedVersion<'_>,
    (object, known): (&Value, Known<'_>),
) -> Option<ResourceVerdict> {
    if known.field("metadata").is_all() {
        let stored = establish_known(version, (&without_status(object), known))?;
        return ask_known(version, (object, known), Question::UpdateStatus(&stored));
    }
    // The update takes the metadata of the stored object, which is valid.
    let mut settled = object.clone();
    settled["metadata"] = serde_json::json!({"name": "unknown"});
    let unknown = known.unknown().map(|it| it.clone().without("metadata"));
    ask_status_known(version, (&settled, unknown.as_ref().into()))
}

pub(crate) fn without_status(object: &Value) -> Value {
    let mut object = object.clone();
    if let Value::Object(fields) = &mut object {
        fields.remove("status");
    }
    object
}

impl Sides<'_> {
    /// Whether an object, or both objects of an update, are accepted with strict field validation.
    pub(crate) fn accepts(&self, it: &Write) -> bool {
        self.accepted(it).is_some()
    }

    fn accepted(&self, it: &Write) -> Option<ResourceVerdict> {
        if let Some(old) = &it.old {
            let before = write(self.from, &Write::create(old.clone()))?;
            if !before.verdict.is_accepted_strictly() {
                return None;
            }
        }
        let answered = write(self.from, it)?;
        (answered.verdict.is_accepted_strictly() && !budget::is_stopped()).then_some(answered.verdict)
    }

    /// The worst effect of the other CRD on a write that the accepting side accepts. `None` without an effect, or if the accepting side rejects the
    /// write.
    pub(crate) fn outcome(&self, it: &Write) -> Option<Outcome> {
        self.outcomes(it).into_iter().next()
    }

    /// All effects of the other CRD on a write that the accepting side accepts, worst first. Several changes can each have an effect of their own.
    pub(crate) fn outcomes(&self, it: &Write) -> Vec<Outcome> {
        let found = self.accepted(it).and_then(|accepted| match self.direction {
            Direction::Stored => self.stored(it, accepted),
            Direction::Writers => self.written(it, accepted),
            Direction::Readers => self.read(it),
        });
        let mut found = found.filter(|_| !budget::is_stopped()).unwrap_or_default();
        found.iter_mut().enumerate().for_each(|(rank, it)| it.rank = rank);
        found
    }

    /// The outcomes of reading an object and writing it back.
    fn stored(&self, it: &Write, accepted: ResourceVerdict) -> Option<Vec<Outcome>> {
        if it.old.is_some() {
            return None;
        }
        let stored = as_client_sends(accepted.object?, &it.object);
        let mut of_stored = self.written_back(&stored)?;
        if stored == it.object || of_stored.is_empty() {
            return Some(of_stored);
        }
        // The object as sent is shorter. It is used if it demonstrates the same effect.
        let of_sent = self.written_back(&it.object).unwrap_or_default();
        for outcome in &mut of_stored {
            let is_same = |it: &&Outcome| it.effect == outcome.effect && it.changed == outcome.changed;
            if let Some(same) = of_sent.iter().find(is_same).cloned() {
                *outcome = same;
            }
        }
        Some(of_stored)
    }

    fn written_back(&self, object: &Value) -> Option<Vec<Outcome>> {
        let shown = Write {
            object: object.clone(),
            old: Some(object.clone()),
        };
        let Some(stored) = establish(self.to, object) else {
            let verdict = ask(self.to, object, Question::Create)?;
            return Some(Vec::from_iter(refused(&verdict, shown, false)));
        };
        let verdict = ask(self.to, object, Question::Update(&stored))?;
        let mut found = Vec::from_iter(refused(&verdict, shown.clone(), false));
        if found.is_empty() && self.to.has_status() && object.get("status").is_some() {
            let verdict = ask(self.to, object, Question::UpdateStatus(&stored))?;
            found.extend(refused(&verdict, shown, true));
        }
        let shown = Write::create(object.clone());
        let of_kind = |wanted: &[ChangeKind]| {
            let changes = verdict.changes.iter().filter(|it| wanted.contains(&it.kind));
            let places = changes.map(|it| it.path.clone()).filter(|it| !is_metadata(it));
            places.collect::<Vec<_>>()
        };
        let pruned = of_kind(&[ChangeKind::Pruned, ChangeKind::Rewritten]);
        let defaulted = of_kind(&[ChangeKind::Defaulted]);
        found.extend(changed(Effect::Pruned, &shown, pruned, &verdict));
        found.extend(changed(Effect::Defaulted, &shown, defaulted, &verdict));
        Some(found)
    }

    /// The outcomes of sending an object to the other side. An unknown field is an error even if the object is rejected for another reason.
    fn written(&self, it: &Write, accepted: ResourceVerdict) -> Option<Vec<Outcome>> {
        let answered = self.answered(it)?;
        let verdict = &answered.verdict;
        let mut found = Vec::from_iter(Self::refused_write(it, &answered));
        if let (Some(before), Some(after)) = (accepted.object, verdict.object.as_ref()) {
            let mut difference = Difference::default();
            difference.objects(&before, after, &mut Path::root());
            let Difference { dropped, other, nulls } = difference;
            let (unknown, dropped) = dropped.into_iter().partition(|it| unknown_words(verdict, it).is_some());
            found.extend(changed(Effect::Pruned, it, unknown, verdict));
            found.extend(changed(Effect::Defaulted, it, [dropped, other].concat(), verdict));
            found.extend(changed(Effect::NullKept, it, nulls, verdict));
        }
        Some(found)
    }

    /// The outcomes for a client that was written for the other side and reads an object.
    fn read(&self, it: &Write) -> Option<Vec<Outcome>> {
        let answered = self.answered(it)?;
        let mut found = Vec::from_iter(Self::refused_write(it, &answered));
        let dropped = answered
            .verdict
            .changes
            .iter()
            .filter(|it| it.kind == ChangeKind::Pruned);
        // Dropped nulls are ignored.
        let dropped = dropped.filter(|change| at(&it.object, &change.path).is_some_and(|it| !it.is_null()));
        let places: Vec<Path> = dropped
            .map(|it| it.path.clone())
            .filter(|it| !is_metadata(it))
            .collect();
        found.extend(changed(Effect::Pruned, it, places, &answered.verdict));
        Some(found)
    }

    /// The other side's result. If the status subresource is new, clients cannot have sent a status to `/status`.
    fn answered(&self, it: &Write) -> Option<Answered> {
        let answered = write(self.to, it)?;
        (!answered.is_status || self.from.has_status()).then_some(answered)
    }

    fn refused_write(it: &Write, answered: &Answered) -> Option<Outcome> {
        let shown = if answered.is_status {
            Write {
                object: it.object.clone(),
                old: Some(without_status(&it.object)),
            }
        } else {
            it.clone()
        };
        refused(&answered.verdict, shown, answered.is_status)
    }

    /// The message with which one side rejects an update of the status that the other side accepts.
    pub(crate) fn refuses_status(&self, it: &Write) -> Option<String> {
        let old = it.old.as_ref()?;
        let ask = |version: ServedVersion<'_>| {
            let stored = establish(version, old)?;
            ask(version, &it.object, Question::UpdateStatus(&stored))
        };
        if !ask(self.from)?.is_accepted() {
            return None;
        }
        refused(&ask(self.to)?, it.clone(), true).map(|it| it.words)
    }
}

/// The API server's message if a version rejects a new object or its status.
pub(crate) fn refusal(version: ServedVersion<'_>, object: &Value) -> Option<String> {
    let create = Write::create(object.clone());
    let answered = write(version, &create)?;
    refused(&answered.verdict, create, answered.is_status).map(|it| it.words)
}

fn refused(verdict: &ResourceVerdict, shown: Write, is_status: bool) -> Option<Outcome> {
    if verdict.is_accepted() || verdict.unjudged.is_some() {
        return None;
    }
    let causes = verdict.errors.iter().filter_map(|it| {
        Some(Cause {
            decider: it.decider.as_ref()?.path.clone(),
            place: it.error.path.clone(),
            words: it.error.to_string(),
        })
    });
    let words = match (&verdict.decode_error, verdict.errors.first()) {
        (Some(error), _) => error.text.clone(),
        (None, Some(first)) => first.error.to_string(),
        (None, None) => verdict.other_error.clone().unwrap_or_default(),
    };
    Some(Outcome {
        effect: Effect::Refused,
        shown,
        is_status,
        causes: causes.collect(),
        changed: Vec::new(),
        words,
        rank: 0,
    })
}

/// The outcome that some fields of an object are lost or changed.
fn changed(effect: Effect, shown: &Write, places: Vec<Path>, verdict: &ResourceVerdict) -> Option<Outcome> {
    let told = places.into_iter().map(|place| Changed {
        words: unknown_words(verdict, &place).unwrap_or_default().to_owned(),
        place,
    });
    let changed: Vec<Changed> = told.collect();
    let words = changed.first()?.words.clone();
    Some(Outcome {
        effect,
        shown: shown.clone(),
        is_status: false,
        causes: Vec::new(),
        changed,
        words,
        rank: 0,
    })
}

/// The API server's message about an unknown field.
fn unknown_words<'v>(verdict: &'v ResourceVerdict, place: &Path) -> Option<&'v str> {
    let dotted = place.to_string();
    let mut unknown = verdict.strict.iter().filter(|it| it.path == dotted);
    unknown.next().map(|it| it.text.as_str())
}

/// The stored object, with the metadata that the client sent.
pub(crate) fn as_client_sends(mut stored: Map<String, Value>, sent: &Value) -> Value {
    if let Some(metadata) = sent.get("metadata") {
        stored.insert("metadata".to_owned(), metadata.clone());
    }
    Value::Object(stored)
}

pub(crate) fn is_metadata(place: &Path) -> bool {
    use crd_analyzer_schema::field::Segment;
    matches!(place.segments().first(), Some(Segment::Field(name)) if name == "metadata")
}

/// The value at a field path.
fn at<'v>(object: &'v Value, place: &Path) -> Option<&'v Value> {
    use crd_analyzer_schema::field::Segment;
    place.segments().iter().try_fold(object, |at, segment| match segment {
        Segment::Field(name) | Segment::Key(name) => at.get(name),
        Segment::Index(n) => at.get(*n),
    })
}

/// The fields in which two stored objects differ.
#[derive(Default)]
struct Difference {
    dropped: Vec<Path>,
    other: Vec<Path>,
    nulls: Vec<Path>,
}

impl Difference {
    fn objects(&mut self, before: &Map<String, Value>, after: &Map<String, Value>, at: &mut Path) {
        use crd_analyzer_schema::field::Segment;
        let is_root = at.segments().is_empty();
        let names = before.keys().chain(after.keys().filter(|it| !before.contains_key(*it)));
        for name in names.filter(|it| !is_root || *it != "metadata") {
            at.push(Segment::Field(name.clone()));
            match (before.get(name), after.get(name)) {
                (Some(before), Some(after)) => self.values(before, after, at),
                (Some(_), None) => self.dropped.push(at.clone()),
                (None, Some(Value::Null)) => self.nulls.push(at.clone()),
                (None, _) => self.other.push(at.clone()),
            }
            at.pop();
        }
    }

    fn values(&mut self, before: &Value, after: &Value, at: &mut Path) {
        use crd_analyzer_schema::field::Segment;
        match (before, after) {
            (Value::Object(before), Value::Object(after)) => self.objects(before, after, at),
            (Value::Array(before), Value::Array(after)) if before.len() == after.len() => {
                for (n, (before, after)) in before.iter().zip(after).enumerate() {
                    at.push(Segment::Index(n));
                    self.values(before, after, at);
                    at.pop();
                }
            }
            (before, after) if before == after => {}
            (_, Value::Null) => self.nulls.push(at.clone()),
            _ => self.other.push(at.clone()),
        }
    }
}
