//! Formats answers as text.

use serde_json::Value;

use crate::answer::{Answer, Direction, Effect, Witness};

/// The maximum number of characters of an object in a message.
const MOST_OF_AN_OBJECT: usize = 400;

impl Direction {
    /// The affected objects or clients, as text.
    pub const fn whom(self) -> &'static str {
        match self {
            Self::Stored => "stored objects",
            Self::Writers => "writers",
            Self::Readers => "readers",
        }
    }
}

/// An object without the fields that every object has, truncated if it is long.
pub fn shown_object(object: &Value) -> String {
    let mut object = object.clone();
    if let Value::Object(fields) = &mut object {
        fields.remove("apiVersion");
        fields.remove("kind");
        if fields
            .get("metadata")
            .and_then(Value::as_object)
            .is_some_and(|it| it.keys().all(|it| it == "name"))
        {
            fields.remove("metadata");
        }
    }
    let text = object.to_string();
    match text.char_indices().nth(MOST_OF_AN_OBJECT) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

/// One paragraph about an effect and the affected objects or clients, with the object that demonstrates the effect.
pub fn paragraph(direction: Direction, answer: &Answer) -> String {
    let whom = direction.whom();
    match answer {
        Answer::Compatible { reason, .. } | Answer::Unknown { reason } => format!("{whom}: {reason}"),
        Answer::Breaks { effect, witness } => {
            let told = format!("{whom}: {} {}", happens(direction, *effect), shown_write(witness));
            if witness.words.is_empty() {
                told
            } else {
                format!("{told}: {}", witness.words)
            }
        }
    }
}

fn happens(direction: Direction, effect: Effect) -> &'static str {
    let is_backward = direction.is_backward();
    match effect {
        Effect::Refused if is_backward => "the API server rejected before the change",
        Effect::Refused => "the API server now rejects",
        Effect::Unserved if is_backward => "the API server did not serve before the change",
        Effect::Unserved => "the API server no longer serves",
        Effect::Pruned if is_backward => "the API server dropped a part before the change of",
        Effect::Pruned => "the API server now drops a part of",
        Effect::Defaulted if is_backward => "the API server stored other values before the change for",
        Effect::Defaulted => "the API server now stores other values for",
        Effect::NullKept => "the API server now stores a null for",
        Effect::Unselectable => "a field selector no longer finds",
    }
}

fn shown_write(witness: &Witness) -> String {
    let object = shown_object(&witness.object);
    let what = if witness.is_status {
        "the status update"
    } else {
        "the update"
    };
    match &witness.old_object {
        Some(old) if *old == witness.object => format!("`{object}`, written back as it is"),
        Some(old) => format!("{what} of `{}` to `{object}`", shown_object(old)),
        None => format!("`{object}`"),
    }
}
