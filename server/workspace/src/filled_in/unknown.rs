//! What is not known of a resource, because something completes it before it is sent.

use std::{borrow::Cow, sync::Arc};

use crd_analyzer_budget::Limits;
use crd_analyzer_schema::{
    depth,
    unknown::{Parts, Unknown},
};
use crd_analyzer_syntax::{
    json::{Json, JsonDoc, JsonValue, Member},
    read, read_json,
    tree::{NodeId, NodeKind, ScalarStyle, Span, Tree},
};

use crate::{
    builds::flux,
    documents::skeleton,
    filled_in::fill::{Place, Places},
    filled_in::patch,
    filled_in::placeholders,
    filled_in::variables::{Substituted, Variables, substitute},
    filled_in::written,
    index::Lacks,
    judging::question::Question,
    roles::is_assertion,
};

/// What the values of variables may take in one object. The API server takes no object that is a fifth as long.
pub(crate) const LIMITS: Limits = Limits {
    bytes: 16 << 20,
    ..Limits::NONE
};

/// What completes a text.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Completed<'a> {
    /// It is merged into something: whatever is missing may be there.
    pub(crate) is_part: bool,
    /// It states what has to be true of an object, in the language of a test tool.
    pub(crate) is_assertion: bool,
    /// `${NAME}` is substituted.
    pub(crate) is_substituted: bool,
    /// Marks of values that something fills in.
    pub(crate) marks: &'static [&'static str],
    /// What is in parentheses is an expression of chainsaw.
    pub(crate) has_expressions: bool,
    /// What Flux substitutes.
    pub(crate) variables: Option<&'a Variables>,
    /// Where actions of a template are filled in.
    pub(crate) filled: Option<&'a Places>,
    /// The file may have placeholders, which people or programs replace.
    pub(crate) has_placeholders: bool,
    /// A script puts in the version.
    pub(crate) replaces_version: bool,
}

/// What came of completing an object.
#[derive(Default, Debug)]
pub(crate) struct Outcome {
    /// Something completes it, or did.
    pub(crate) is_completed: bool,
    /// What is not known of it.
    pub(crate) unknown: Option<Unknown>,
}

impl Completed<'_> {
    /// Puts what is substituted into the JSON of a resource, takes out the entries whose keys are not known, and finds out what is not known
    /// of the rest.
    pub(crate) fn apply(mut self, json: &mut JsonDoc<'_>, tree: &Tree) -> Outcome {
        let text = written(tree, json);
        self.is_assertion |= text.contains('(') && has_expression_keys(json);
        let is_encrypted = self.is_substituted && text.contains(ENCRYPTED) && take_sops(json);
        let is_part = self.is_part || self.is_assertion || patch::has_directive(tree, json);
        self.is_substituted &= text.contains("${") && !json.root().is_some_and(is_left_alone);
        let has_marks = self.marks.iter().any(|it| text.contains(it));
        let has_bindings = has_binding(text);
        self.has_expressions &= text.contains('(');
        let mut names = if self.has_placeholders {
            placeholders::names(json)
        } else {
            Vec::new()
        };
        if self.replaces_version {
            names.extend(json.root().and_then(|it| Some(it.get("apiVersion")?.node)));
        }
        let is_skeleton = self.has_placeholders && skeleton::is_skeleton(json);
        self.has_placeholders &= placeholders::may_be_in(text);
        let is_written_in = is_encrypted
            || has_bindings
            || self.has_expressions
            || self.filled.is_some()
            || self.is_substituted
            || has_marks
            || self.has_placeholders
            || is_skeleton
            || !names.is_empty();
        if !(is_part || is_written_in) || json.depth() > depth::limit() {
            return Outcome::default();
        }
        let mut completion = Completion {
            completed: Self { is_part, ..self },
            tree,
            is_encrypted,
            is_skeleton,
            names,
            has_known: false,
            has_entries: false,
        };
        if self.filled.is_some() {
            // Two actions may be filled in alike, and stand for different keys.
            json.forget_duplicates();
        }
        let unknown = json.root_mut().and_then(|root| completion.value(root));
        Outcome {
            is_completed: is_part || completion.has_known || unknown.is_some(),
            unknown,
        }
    }
}

/// Puts in what Flux substitutes, in an object that is stored. What is not known stays as it is written.
pub(crate) fn substitute_known(json: &mut JsonDoc<'_>, tree: &Tree, variables: &Variables) {
    if !written(tree, json).contains("${") || json.depth() > depth::limit() || json.root().is_some_and(is_left_alone) {
        return;
    }
    let completed = Completed {
        is_substituted: true,
        variables: Some(variables),
        ..Completed::default()
    };
    let completion = Completion {
        completed,
        tree,
        is_encrypted: false,
        is_skeleton: false,
        names: Vec::new(),
        has_known: false,
        has_entries: false,
    };
    let mut open = Vec::from_iter(json.root_mut());
    while let Some(json) = open.pop() {
        let is_plain = tree.kind(json.node) == NodeKind::Scalar(ScalarStyle::Plain);
        if let JsonValue::String(written) = &json.value
            && let Some(Text::Known(value)) = completion.text(written, is_plain)
        {
            json.value = value;
            continue;
        }
        match &mut json.value {
            JsonValue::Array(items) => open.extend(items.iter_mut()),
            JsonValue::Object(members) => open.extend(members.iter_mut().map(|it| &mut it.value)),
            _ => {}
        }
    }
}

struct Completion<'t> {
    completed: Completed<'t>,
    tree: &'t Tree,
    /// SOPS has encrypted values.
    is_encrypted: bool,
    /// Empty values stand for any.
    is_skeleton: bool,
    /// The names and versions that stand for others.
    names: Vec<NodeId>,
    /// A value was put in.
    has_known: bool,
    /// What was completed last may stand for entries of the object around it.
    has_entries: bool,
}

/// What becomes of a text.
enum Text {
    /// All of it is known.
    Known(JsonValue<'static>),
    /// One value that is not known.
    Unknown,
    /// Any number of items.
    Items,
}

impl Completion<'_> {
    /// Completes a value, and returns what is not known of it.
    fn value(&mut self, json: &mut Json<'_>) -> Option<Unknown> {
        let node = json.node;
        if self.is_skeleton && skeleton::is_empty(json) {
            return Some(Unknown::value());
        }
        if self.completed.has_placeholders && placeholders::is_mapping(json) {
            json.value = JsonValue::String(Cow::Borrowed(""));
            return Some(Unknown::value());
        }
        let mut parts = Parts::default();
        match &mut json.value {
            JsonValue::String(written) => match self.written(written, node) {
                None => {}
                Some(Text::Known(value)) => {
                    self.has_known = true;
                    json.value = value;
                }
                Some(Text::Unknown) => return Some(Unknown::value()),
                Some(Text::Items) => return Some(Unknown::items()),
            },
            JsonValue::Array(items) => {
                for (n, item) in items.iter_mut().enumerate() {
                    parts.item(n, self.value(item));
                }
            }
            JsonValue::Object(members) => {
                let mut kept = Vec::with_capacity(members.len());
                for mut member in members.drain(..) {
                    if self.completed.is_part && patch::is_directive(&member.key) {
                        continue;
                    }
                    // What is below a key that is not known is completed too: something may be known there.
                    let unknown = self.value(&mut member.value);
                    if std::mem::take(&mut self.has_entries) {
                        parts.more();
                    }
                    match self.key(&member) {
                        None => {}
                        Some(Text::Known(JsonValue::String(key))) => member.key = Cow::Owned(key.into_owned()),
                        Some(_) => {
                            parts.more();
                            continue;
                        }
                    }
                    kept.push((member, unknown));
                }
                // Objects are sorted and have each key once.
                kept.sort_by(|a, b| a.0.key.cmp(&b.0.key));
                kept.dedup_by(|a, b| a.0.key == b.0.key);
                for (member, unknown) in kept {
                    parts.field(&member.key, unknown);
                    members.push(member);
                }
                if self.completed.is_part {
                    parts.more();
                }
            }
            JsonValue::Null | JsonValue::Bool(_) | JsonValue::Int(_) | JsonValue::Uint(_) | JsonValue::Float(_) => {}
        }
        parts.whole()
    }

    /// What becomes of a key.
    fn key(&self, member: &Member<'_>) -> Option<Text> {
        if self.completed.is_assertion && is_expression_key(&member.key) {
            return Some(Text::Unknown);
        }
        self.filled(member.key_node).or_else(|| self.text(&member.key, false))
    }

    /// What becomes of a text that is a value.
    fn written(&mut self, written: &str, node: NodeId) -> Option<Text> {
        let is_plain = self.tree.kind(node) == NodeKind::Scalar(ScalarStyle::Plain);
        let place = self.place(node);
        self.has_entries |= matches!(place, Some(Place::ValueOrEntries | Place::ItemsOrEntries));
        if self.names.contains(&node) || self.completed.has_placeholders && placeholders::is_placeholder(written) {
            return Some(Text::Unknown);
        }
        self.filled(node).or_else(|| self.text(written, is_plain))
    }

    /// What becomes of a scalar because an action of a template is in it.
    fn filled(&self, node: NodeId) -> Option<Text> {
        Some(match self.place(node)? {
            Place::Value | Place::ValueOrEntries => Text::Unknown,
            Place::Items | Place::ItemsOrEntries => Text::Items,
        })
    }

    fn place(&self, node: NodeId) -> Option<Place> {
        self.completed.filled?.at(self.tree.span(node))
    }

    /// `is_plain`: it is written without quotes.
    fn text(&self, written: &str, is_plain: bool) -> Option<Text> {
        let completed = self.completed;
        if self.is_encrypted && written.starts_with(ENCRYPTED) {
            return Some(Text::Unknown);
        }
        if written.starts_with('(') && written.ends_with(')') {
            // A test tool puts in what a binding has, in whatever file: `($namespace)`, `(to_number($version))`.
            let is_unknown = completed.is_assertion || completed.has_expressions || has_binding(written);
            return is_unknown.then_some(Text::Unknown);
        }
        if completed.marks.iter().any(|it| written.contains(it)) {
            return Some(Text::Unknown);
        }
        if completed.is_substituted && written.contains("${") {
            return Some(match substitute(written, is_plain, completed.variables)? {
                Substituted::Unknown => Text::Unknown,
                Substituted::Text(text) => Text::Known(JsonValue::String(text.into())),
                Substituted::Written(text) => resolved(&text).map_or(Text::Unknown, Text::Known),
                Substituted::Either(text) => match resolved(&text) {
                    Some(JsonValue::String(same)) if same == text => Text::Known(JsonValue::String(same)),
                    _ => Text::Unknown,
                },
            });
        }
        None
    }
}

/// What a value begins with that SOPS has encrypted.
const ENCRYPTED: &str = "ENC[";

/// Takes out what SOPS adds to an object that it encrypts, and takes away again before the object is applied. Whether there is any.
fn take_sops(json: &mut JsonDoc<'_>) -> bool {
    let Some(JsonValue::Object(members)) = json.root_mut().map(|it| &mut it.value) else {
        return false;
    };
    let before = members.len();
    members.retain(|it| !(it.key == "sops" && it.value.get("mac").is_some()));
    members.len() < before
}

/// Whether a text names a binding of chainsaw in parentheses.
fn has_binding(text: &str) -> bool {
    let mut after = text.split('$').skip(1);
    text.contains('(') && after.any(|it| it.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// Whether a key is an expression of chainsaw: `(conditions[?type == 'Ready'])`, `~.key`, `key->binding`.
fn is_expression_key(key: &str) -> bool {
    key.starts_with('(') && (key.ends_with(')') || key.contains(")->")) || key.starts_with('~') || key.contains("->")
}

/// Whether an object has keys that only assertions of chainsaw have.
fn has_expression_keys(json: &JsonDoc<'_>) -> bool {
    let mut open = Vec::from_iter(json.root());
    while let Some(json) = open.pop() {
        let members = json.members().unwrap_or_default();
        let mut keys = members.iter().map(|it| &*it.key);
        if keys.any(|it| it.starts_with('(') && (it.ends_with(')') || it.contains(")->"))) {
            return true;
        }
        open.extend(members.iter().map(|it| &it.value));
        open.extend::<&[Json<'_>]>(json.items().unwrap_or_default());
    }
    false
}

/// Whether a CRD only states what has to be true of one, for a test tool.
pub(crate) fn asserts_definition(question: &Question<'_>, tree: &Tree, json: &JsonDoc<'_>) -> bool {
    let is_named = || question.path.is_some_and(is_assertion);
    let lacks = || {
        json.root()
            .is_some_and(|it| !Lacks::of_definition(tree, it.node).is_whole())
    };
    question.is_completed && (is_named() && lacks() || patch::may_be(json) && has_expression_keys(json))
}

/// Whether an object tells Flux to substitute nothing in it.
fn is_left_alone(object: &Json<'_>) -> bool {
    let metadata = object.get("metadata");
    ["labels", "annotations"].iter().any(|it| {
        let value = metadata.and_then(|at| at.get(it)).and_then(|at| at.get(flux::SWITCH));
        value.and_then(|it| it.as_str()) == Some("disabled")
    })
}

/// The value that YAML reads from a text without quotes; `None` if that is not a scalar.
fn resolved(text: &str) -> Option<JsonValue<'static>> {
    let source: Arc<str> = text.into();
    let tree = read(&source, Span::new(0, source.len() as u32)).ok()?;
    let json = read_json(&tree).ok()?;
    Some(match json.root().map(|it| &it.value) {
        Some(JsonValue::String(text)) => JsonValue::String(text.as_ref().to_owned().into()),
        Some(JsonValue::Bool(flag)) => JsonValue::Bool(*flag),
        Some(JsonValue::Int(int)) => JsonValue::Int(*int),
        Some(JsonValue::Uint(int)) => JsonValue::Uint(*int),
        Some(JsonValue::Float(float)) => JsonValue::Float(*float),
        Some(JsonValue::Null) | None => JsonValue::Null,
        Some(_) => return None,
    })
}
