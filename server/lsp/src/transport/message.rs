//! Decides whether a message reaches the session, is ignored, or is answered with an error.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, ErrorCode, Request, Response};

use super::REFUSED;

/// The largest integer that a floating-point number represents exactly.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// The decision about a message.
pub(super) enum Reading {
    /// The message reaches the session.
    Accepted,
    /// The message does not reach the session, and the client does not expect an answer. The string is the reason.
    Ignored(&'static str),
    Refused(Refusal),
}

/// The answer to a message that does not reach the session.
pub(super) struct Refusal {
    /// The ID of the request. Null if the ID is missing or invalid.
    id: Value,
    pub(super) error: Error,
}

/// The messages that the library accepts. Any other message would make the library end the session.
#[derive(Deserialize)]
#[serde(untagged)]
enum Message {
    Response(#[allow(dead_code, reason = "only the form counts")] Response),
    Request(#[allow(dead_code, reason = "only the form counts")] Request),
}

/// The fields that are needed to answer a message. Values of other fields may be nested to any depth.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Outline {
    jsonrpc: Part,
    id: Part,
    method: Part,
    result: Part,
    error: Part,
}

/// The value of a field in [`Outline`].
#[derive(Default)]
enum Part {
    #[default]
    Absent,
    Integer(i64),
    Real(f64),
    Text(String),
    Other,
}

impl Refusal {
    pub(super) fn invalid(why: impl Into<String>) -> Self {
        Self::of(&Outline::default(), ErrorCode::InvalidRequest, why)
    }

    /// The answer to a message whose declared length is too large.
    pub(super) fn too_short(body: &[u8]) -> Self {
        let outline = serde_json::from_slice(body).unwrap_or_default();
        let why = "a header is inside the message: its Content-Length is too large";
        Self::of(&outline, ErrorCode::InvalidRequest, why)
    }

    fn of(outline: &Outline, code: ErrorCode, why: impl Into<String>) -> Self {
        // A response also has an ID, but the client does not wait for an answer to it.
        let id = if outline.method.is_absent() {
            Value::Null
        } else {
            outline.id.given_back()
        };
        let error = Error {
            code,
            message: why.into().into(),
            data: None,
        };
        Self { id, error }
    }

    /// A request with the ID of the rejected message. The session answers it with the error.
    pub(super) fn request(&self) -> String {
        json!({ "jsonrpc": "2.0", "id": self.id, "method": REFUSED, "params": self.error }).to_string()
    }
}

/// Checks a message against JSON-RPC 2.0 and LSP 3.17 ("Base Protocol").
pub(super) fn read(body: &[u8]) -> Reading {
    let parse_error = |outline: &Outline| {
        let error = Error::parse_error();
        Reading::Refused(Refusal::of(outline, error.code, error.message))
    };
    // serde also accepts a list for a struct, so check for an object first.
    if !body.trim_ascii_start().starts_with(b"{") {
        let is_json = str::from_utf8(body).is_ok() && serde_json::from_slice::<IgnoredAny>(body).is_ok();
        return if is_json {
            Reading::Refused(Refusal::invalid(
                "a message must be one object; batches are not supported",
            ))
        } else {
            parse_error(&Outline::default())
        };
    }
    let outline: Outline = match serde_json::from_slice(body) {
        Ok(outline) => outline,
        Err(error) if error.is_data() => return Reading::Refused(Refusal::invalid(error.to_string())),
        Err(_) => return parse_error(&Outline::default()),
    };
    if str::from_utf8(body).is_err() {
        return parse_error(&outline);
    }
    let has_outcome = !outline.result.is_absent() || !outline.error.is_absent();
    let message = serde_json::from_slice::<Message>(body);
    if outline.method.is_absent() && has_outcome {
        return match message {
            Ok(Message::Response(_)) => Reading::Accepted,
            _ => Reading::Ignored("a response that cannot be read"),
        };
    }
    let refuse = |code, why: &str| Reading::Refused(Refusal::of(&outline, code, why));
    let invalid = |why: &str| refuse(ErrorCode::InvalidRequest, why);
    if !matches!(&outline.jsonrpc, Part::Text(it) if it == "2.0") {
        return invalid("`jsonrpc` must be \"2.0\"");
    }
    let Part::Text(method) = &outline.method else {
        return invalid("`method` must be a string");
    };
    if has_outcome {
        return invalid("a request has neither `result` nor `error`");
    }
    match outline.id {
        Part::Real(_) | Part::Other => return invalid("`id` must be an integer of 64 bits or a string"),
        Part::Absent if method == "shutdown" => return Reading::Ignored("`shutdown` without an id"),
        Part::Absent => {}
        Part::Integer(_) | Part::Text(_) if method == "exit" => return invalid("`exit` has no id"),
        Part::Integer(_) | Part::Text(_) if method.starts_with("$/") || method == REFUSED => {
            return refuse(ErrorCode::MethodNotFound, ErrorCode::MethodNotFound.description());
        }
        Part::Integer(_) | Part::Text(_) => {}
    }
    match message {
        Ok(Message::Request(_)) => Reading::Accepted,
        Ok(Message::Response(_)) => invalid("neither a request nor a response"),
        // The message is valid JSON, but exceeds serde's limits on numbers or nesting.
        Err(_) => match serde_json::from_slice::<Value>(body) {
            Err(error) => invalid(&error.to_string()),
            Ok(_) => invalid("not a request"),
        },
    }
}

impl Part {
    const fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// The value to send back as the ID of an answer.
    fn given_back(&self) -> Value {
        match self {
            Self::Integer(id) => json!(id),
            Self::Text(id) => json!(id),
            #[allow(clippy::cast_possible_truncation, reason = "it has no fraction, and is in range")]
            Self::Real(id) if id.fract() == 0.0 && id.abs() <= MAX_EXACT => json!(*id as i64),
            Self::Real(_) | Self::Other | Self::Absent => Value::Null,
        }
    }
}

impl<'de> Deserialize<'de> for Part {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PartVisitor)
    }
}

struct PartVisitor;

impl<'de> Visitor<'de> for PartVisitor {
    type Value = Part;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Part, E> {
        Ok(Part::Other)
    }

    fn visit_i64<E>(self, value: i64) -> Result<Part, E> {
        Ok(Part::Integer(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Part, E> {
        Ok(i64::try_from(value).map_or(Part::Other, Part::Integer))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Part, E> {
        Ok(Part::Real(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Part, E> {
        Ok(Part::Text(value.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Part, E> {
        Ok(Part::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Part, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Part::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Part, A::Error> {
        while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Part::Other)
    }
}
