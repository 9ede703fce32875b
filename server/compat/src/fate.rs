//! The fate of a stored object when its CRD changes.

use std::collections::HashSet;

use crd_analyzer_apiextensions::api::{OBJECT_META, Presence};
use crd_analyzer_budget::{self as budget, Limits};
use crd_analyzer_resource::{ChangeKind, Question, RejectionCause, ResourceVerdict, ServedVersion};
use crd_analyzer_schema::{
    field::{Path, Segment},
    unknown::Known,
};
use serde_json::{Map, Value};

use crate::{
    replay::{as_client_sends, ask, ask_known, ask_status, ask_status_known, establish, is_metadata},
    subject::Subject,
};

/// The fate of a stored object or of a part of it, from worst to best.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Fate {
    /// The API server rejects every update, even if it leaves the value unchanged.
    Refused,
    /// The API server does not serve the version or kind.
    Unserved,
    /// The API server drops the field.
    Pruned,
    /// The API server accepts the value until an update changes it.
    Tolerated,
    /// The API server sets a value, or another value than before.
    Defaulted,
}

impl Fate {
    /// All fates, worst first.
    pub const ALL: [Self; 5] = [
        Self::Refused,
        Self::Unserved,
        Self::Pruned,
        Self::Tolerated,
        Self::Defaulted,
    ];

    /// The lower-case name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Unserved => "unserved",
            Self::Pruned => "pruned",
            Self::Tolerated => "tolerated",
            Self::Defaulted => "defaulted",
        }
    }
}

/// One effect on an object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Happening {
    /// The fate of the field.
    pub fate: Fate,
    /// The field.
    pub place: Path,
    /// Whether the effect only concerns updates of the status.
    pub is_status: bool,
    /// The API server's message, or the value that the API server sets; may be empty.
    pub words: String,
    /// The message without the value. It shows whether OLD reports the same problem.
    reason: String,
}

/// The reason why the fate of an object is unknown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotStored {
    /// OLD rejects the object, so no API server stores it. The string is the API server's message.
    Refused(String),
    /// OLD does not serve the object's version. The string is the API server's message.
    Unserved(String),
    /// The check exceeded its budget.
    Unfinished,
}

/// The effects of NEW on an object that OLD accepted, worst first. NEW is `None` if the CRD was removed. Empty if the object stays unchanged.
pub fn fate_of(old: &Subject, new: Option<&Subject>, object: &Value) -> Result<Vec<Happening>, NotStored> {
    fate_of_known(old, new, (object, Known::ALL))
}

/// Like [`fate_of`], for an object with unknown parts. Effects that depend on these parts are left out.
pub fn fate_of_known(
    old: &Subject,
    new: Option<&Subject>,
    (object, known): (&Value, Known<'_>),
) -> Result<Vec<Happening>, NotStored> {
    budget::within(Limits::DOCUMENT, || {
        let found = of_sent(old, new, (&as_sent(object), known));
        if budget::is_stopped() {
            Err(NotStored::Unfinished)
        } else {
            found
        }
    })
    .0
}

/// The object without the metadata fields that the API server sets.
fn as_sent(object: &Value) -> Value {
    let is_of_server = |name: &str| {
        let field = OBJECT_META.fields.iter().find(|it| it.name == name);
        field.is_some_and(|it| it.presence == Presence::Server)
    };
    let mut object = object.clone();
    if let Some(Value::Object(metadata)) = object.get_mut("metadata") {
        metadata.retain(|name, _| !is_of_server(name));
    }
    object
}

/// An object, and which parts of it are known.
type Object<'a> = (&'a Value, Known<'a>);

fn of_sent(old: &Subject, new: Option<&Subject>, (object, parts): Object<'_>) -> Result<Vec<Happening>, NotStored> {
    let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
    let version = text("apiVersion").split_once('/').map_or("", |it| it.1);
    let unserved = || {
        let (kind, version) = (text("kind"), text("apiVersion"));
        format!("no matches for kind \"{kind}\" in version \"{version}\"")
    };
    let before = old.served(version).ok_or_else(|| NotStored::Unserved(unserved()))?;
    let stored = stored(before, (object, parts))?;
    let new = new.filter(|it| it.defines_same(old));
    let Some(now) = new.and_then(|it| it.served(version)) else {
        return Ok(vec![Happening {
            fate: Fate::Unserved,
            place: Path::root(),
            is_status: false,
            words: unserved(),
            reason: String::new(),
        }]);
    };
    // Effects that already occur under OLD are left out.
    let known = written_back(before, (&stored, parts))?;
    let mut found = written_back(now, (&stored, parts))?;
    let is_same = |a: &Happening, b: &Happening| (a.fate, &a.place, &a.reason) == (b.fate, &b.place, &b.reason);
    found.retain(|it| !known.iter().any(|before| is_same(before, it)));
    if found.iter().all(|it| it.fate != Fate::Refused) {
        found.extend(of_new(before, now, (object, parts), &found));
    }
    found.retain(|it| is_certain(it, parts));
    found.sort_by_key(|it| it.fate);
    Ok(found)
}

/// Whether an effect occurs whatever the unknown parts of the object are. The errors among the effects do.
fn is_certain(happening: &Happening, known: Known<'_>) -> bool {
    let path = happening.place.segments();
    match happening.fate {
        Fate::Refused | Fate::Unserved | Fate::Tolerated => true,
        // The field is there, whatever its value is, unless something around it is not known.
        Fate::Pruned => (0..path.len()).all(|it| !known.at(&path[..it]).is_nothing()),
        Fate::Defaulted => known.at(path).is_all(),
    }
}

/// The object as the API server stores it after OLD accepted it.
fn stored(version: ServedVersion<'_>, (object, known): Object<'_>) -> Result<Value, NotStored> {
    let created = ask_known(version, (object, known), Question::Create).ok_or(NotStored::Unfinished)?;
    if created.unjudged.is_some() {
        return Err(NotStored::Unfinished);
    }
    if !created.is_accepted() {
        return Err(NotStored::Refused(words_of(&created)));
    }
    if version.has_status() && object.get("status").is_some() {
        let of_status = ask_status_known(version, (object, known)).ok_or(NotStored::Unfinished)?;
        if !of_status.is_accepted() {
            return Err(NotStored::Refused(words_of(&of_status)));
        }
    }
    let stored = created.object.ok_or(NotStored::Unfinished)?;
    Ok(as_client_sends(stored, object))
}

/// The effects on the object when it is read and written back unchanged.
fn written_back(version: ServedVersion<'_>, (object, known): Object<'_>) -> Result<Vec<Happening>, NotStored> {
    if !known.is_all() {
        return written_back_in_part(version, (object, known));
    }
    let Some(stored) = establish(version, object) else {
        let verdict = ask(version, object, Question::Create).ok_or(NotStored::Unfinished)?;
        return Ok(causes(&verdict, Fate::Refused, false));
    };
    let updated = ask(version, object, Question::Update(&stored)).ok_or(NotStored::Unfinished)?;
    if updated.unjudged.is_some() {
        return Err(NotStored::Unfinished);
    }
    let mut found = causes(&updated, Fate::Refused, false);
    let status = if version.has_status() && object.get("status").is_some() {
        ask(version, object, Question::UpdateStatus(&stored))
    } else {
        None
    };
    if let Some(verdict) = &status {
        found.extend(causes(verdict, Fate::Refused, true));
    }
    found.extend(changes(&updated));
    if updated.is_accepted() {
        let created = ask(version, object, Question::Create).ok_or(NotStored::Unfinished)?;
        found.extend(causes(&created, Fate::Tolerated, false));
        if status.is_some_and(|it| it.is_accepted())
            && let Some(anew) = ask_status(version, object)
        {
            found.extend(causes(&anew, Fate::Tolerated, true));
        }
    }
    Ok(found)
}

/// Like [`written_back`], for an object with unknown parts.
///
/// A creation shows the errors that the known parts have. Whether an update tolerates them depends on what is the same before and after the update,
/// and that is the whole object, with any values in its unknown parts. So the update is asked with the values that stand for them.
fn written_back_in_part(version: ServedVersion<'_>, (object, known): Object<'_>) -> Result<Vec<Happening>, NotStored> {
    let created = ask_known(version, (object, known), Question::Create).ok_or(NotStored::Unfinished)?;
    if created.unjudged.is_some() {
        return Err(NotStored::Unfinished);
    }
    let stored = establish(version, object);
    // `None` if the values that stand for the unknown ones cannot be decoded.
    let updated = |question: Option<Question<'_>>| {
        let answer = ask(version, object, question?)?;
        (answer.decode_error.is_none() && answer.unjudged.is_none()).then_some(answer)
    };
    let mut found = Vec::new();
    if let Some(updated) = updated(stored.as_ref().map(Question::Update)) {
        let certain = causes(&created, Fate::Tolerated, false);
        found.extend(told_apart(certain, &causes(&updated, Fate::Refused, false)));
    }
    if version.has_status() && object.get("status").is_some() {
        let created = ask_status_known(version, (object, known)).ok_or(NotStored::Unfinished)?;
        if let Some(updated) = updated(stored.as_ref().map(Question::UpdateStatus)) {
            let certain = causes(&created, Fate::Tolerated, true);
            found.extend(told_apart(certain, &causes(&updated, Fate::Refused, true)));
        }
    }
    found.extend(changes(&created));
    Ok(found)
}

/// The errors of a new object, with the fate that they have in an update. If the update is rejected for one of them, only such errors.
fn told_apart(mut certain: Vec<Happening>, updated: &[Happening]) -> Vec<Happening> {
    let updated: HashSet<(&Path, &str)> = updated.iter().map(|it| (&it.place, &*it.reason)).collect();
    for it in &mut certain {
        if updated.contains(&(&it.place, &*it.reason)) {
            it.fate = Fate::Refused;
        }
    }
    if certain.iter().any(|it| it.fate == Fate::Refused) {
        certain.retain(|it| it.fate == Fate::Refused);
    }
    certain
}

/// The changes that the API server makes to an object.
fn changes(verdict: &ResourceVerdict) -> impl Iterator<Item = Happening> {
    let changes = verdict.changes.iter().filter(|it| !is_metadata(&it.path));
    changes.map(|change| {
        let (fate, words) = match change.kind {
            ChangeKind::Pruned | ChangeKind::Rewritten => (Fate::Pruned, String::new()),
            ChangeKind::Defaulted => (Fate::Defaulted, value_words(verdict.object.as_ref(), &change.path)),
        };
        Happening {
            fate,
            place: change.path.clone(),
            is_status: false,
            reason: words.clone(),
            words,
        }
    })
}

/// The defaults of a new object that differ from the previous ones.
fn of_new(
    before: ServedVersion<'_>,
    now: ServedVersion<'_>,
    (object, parts): Object<'_>,
    known: &[Happening],
) -> Vec<Happening> {
    let created = |version| ask_known(version, (object, parts), Question::Create).and_then(|it| it.object);
    let (Some(before), Some(after)) = (created(before), created(now)) else {
        return Vec::new();
    };
    let changes = crd_analyzer_resource::differences(&before, &after).into_iter();
    let is_known = |path: &Path| {
        let changed = known.iter().filter(|it| it.fate != Fate::Tolerated);
        let mut places = changed.map(|it| &it.place);
        places.any(|it| begins_with(path, it) || begins_with(it, path))
    };
    // A value from the object itself is not a default.
    let is_default = |path: &Path| !is_metadata(path) && value_words(object.as_object(), path).is_empty();
    let others = changes.filter(|it| is_default(&it.path) && !is_known(&it.path));
    let told = others.map(|it| {
        let value = value_words(Some(&after), &it.path);
        let words = if value.is_empty() {
            "a new object does not get the field".to_owned()
        } else {
            format!("a new object gets {value}")
        };
        Happening {
            fate: Fate::Defaulted,
            place: it.path,
            is_status: false,
            reason: words.clone(),
            words,
        }
    });
    told.collect()
}

fn begins_with(path: &Path, start: &Path) -> bool {
    !start.segments().is_empty() && path.segments().starts_with(start.segments())
}

/// The reasons why an object is rejected; empty if it is accepted.
fn causes(verdict: &ResourceVerdict, fate: Fate, is_status: bool) -> Vec<Happening> {
    let happening = |place: Path, words: String, reason: String| Happening {
        fate,
        place,
        is_status,
        words,
        reason,
    };
    if let Some(error) = &verdict.decode_error {
        return vec![happening(Path::root(), error.text.clone(), error.text.clone())];
    }
    // Unchecked rules are only a consequence of the other errors.
    let is_cause = |it: &&RejectionCause| it.error.code != crd_analyzer_resource::codes::UNCHECKED_RULES;
    let errors = verdict.errors.iter().filter(is_cause);
    let mut found: Vec<_> = errors
        .map(|it| {
            let reason = format!("{:?} {}", it.error.kind, it.error.detail);
            happening(it.error.path.clone(), it.error.to_string(), reason)
        })
        .collect();
    let other = verdict.other_error.iter();
    found.extend(other.map(|it| happening(Path::root(), it.clone(), it.clone())));
    found
}

fn words_of(verdict: &ResourceVerdict) -> String {
    let first = causes(verdict, Fate::Refused, false).into_iter().next();
    first.map(|it| it.words).unwrap_or_default()
}

/// The value at a position, if it is short.
fn value_words(object: Option<&Map<String, Value>>, place: &Path) -> String {
    const MOST: usize = 60;
    let Some((Segment::Field(first) | Segment::Key(first), rest)) = place.segments().split_first() else {
        return String::new();
    };
    let value = object.and_then(|it| it.get(first)).and_then(|value| {
        rest.iter().try_fold(value, |at, segment| match segment {
            Segment::Field(name) | Segment::Key(name) => at.get(name),
            Segment::Index(n) => at.get(*n),
        })
    });
    let text = value.map(Value::to_string).unwrap_or_default();
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}
