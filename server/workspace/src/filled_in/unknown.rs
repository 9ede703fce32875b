//! The unknown values of a resource: something fills them in before the resource is sent.

use std::{borrow::Cow, path::Path};

use crd_analyzer_budget::Limits;
use crd_analyzer_schema::{
    depth,
    unknown::{Parts, Unknown},
};
use crd_analyzer_syntax::{
    json::{Json, JsonDoc, JsonValue, Member},
    tree::{NodeId, NodeKind, ScalarStyle, Tree},
};

use crate::{
    builds::flux,
    documents::skeleton,
    filled_in::fill::{Place, Places, Typed},
    filled_in::patch,
    filled_in::placeholders,
    filled_in::scalar::resolved,
    filled_in::variables::{Substituted, Variables, substitute},
    filled_in::{written, ytt},
    index::{
        Lacks,
        objects::{Inside, Object},
    },
    judging::merged,
    roles::{self, SetByScripts, Use, Uses},
    wrappers::{Mark, Values},
};

/// The text in a value that a script or a person sets. An empty name would count as missing.
const SET_LATER: &str = "unknown";

/// The limits for substituting variables in one object. The API server accepts objects of less than a fifth of this size.
pub(crate) const LIMITS: Limits = Limits {
    bytes: 16 << 20,
    ..Limits::NONE
};

/// How an object is completed before it is sent to the API server.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Completed<'a> {
    /// What tools do with the object.
    pub(crate) uses: Uses<'a>,
    /// Whether `${NAME}` is substituted.
    pub(crate) is_substituted: bool,
    /// The marks in values that are filled in.
    pub(crate) marks: &'static [Mark],
    /// The variables that Flux substitutes.
    pub(crate) variables: Option<&'a Variables>,
    /// The places at which the actions of a template were filled in.
    pub(crate) filled: Option<&'a Places>,
}

/// The result of completing an object.
#[derive(Default, Debug)]
pub(crate) struct Outcome {
    /// Whether something completes the object, or has completed it already.
    pub(crate) is_completed: bool,
    /// The values of the object that are unknown.
    pub(crate) unknown: Option<Unknown>,
}

impl<'a> Completed<'a> {
    /// How an object is completed, judging by its place in its document and by what tools do with the file at a path.
    pub(crate) fn of(object: &Object, uses: Uses<'a>, path: Option<&Path>) -> Self {
        let inside = object.inside.as_ref();
        let of_wrapper = inside.map(Inside::uses).unwrap_or_default();
        let is_of_patches = uses.has(Use::Completed) && path.is_some_and(roles::is_patch);
        let is_patch = is_of_patches || uses.has(Use::PatchesOfTest) && object.written.kind != "Kustomization";
        Self {
            uses: uses.and(of_wrapper).with_if(Use::Part, is_patch),
            marks: match inside.map(|it| it.values) {
                Some(Values::FilledIn(mark)) => std::slice::from_ref(mark),
                // Examples in documentation use dots for values that they leave out.
                _ if path.is_some_and(roles::is_markdown) => const { &[Mark::any("..."), Mark::any("…")] },
                _ => &[],
            },
            ..Self::default()
        }
    }
}

impl Completed<'_> {
    /// Substitutes known values in the JSON of a resource, and removes entries with unknown keys. Returns which of the remaining values are unknown.
    pub(crate) fn apply(mut self, json: &mut JsonDoc<'_>, tree: &Tree) -> Outcome {
        if self.has(Use::Completed) {
            merged::forget_overrides(tree, json);
        }
        let text = written(tree, json);
        let has_parentheses = text.contains('(');
        self.uses = self
            .uses
            .with_if(Use::Assertion, has_parentheses && has_expression_keys(json));
        let is_encrypted = self.is_substituted && text.contains(ENCRYPTED) && take_sops(json);
        let has_ytt = self.has(Use::Completed) && text.contains("#@");
        let is_of_ytt = has_ytt && ytt::fills_in(text);
        let is_part = self.has(Use::Part)
            || self.has(Use::Assertion)
            || patch::has_directive(tree, json)
            || has_ytt && ytt::merges(text);
        let has_actions = self.is_substituted && placeholders::has_action_of_chart(text);
        self.is_substituted &= text.contains("${") && !json.root().is_some_and(is_left_alone);
        let has_marks = self.marks.iter().any(|it| text.contains(it.text));
        let has_bindings = has_binding(text);
        if !has_parentheses {
            self.uses = self.uses.without(Use::Expressions);
        }
        let mut names = if self.has(Use::Placeholders) {
            placeholders::names(json)
        } else {
            Vec::new()
        };
        let version = json.root().and_then(|it| it.get("apiVersion"));
        let version = version.filter(|it| it.as_str().is_some_and(|it| self.set_version(it)));
        names.extend(version.map(|it| it.node));
        let is_skeleton = self.has(Use::Placeholders) && skeleton::is_skeleton(json);
        if !placeholders::may_be_in(text) {
            self.uses = self.uses.without(Use::Placeholders);
        }
        let is_written_in = is_encrypted
            || has_bindings
            || self.has(Use::Expressions)
            || self.filled.is_some()
            || self.is_substituted
            || has_actions
            || is_of_ytt
            || has_marks
            || self.has(Use::Placeholders)
            || is_skeleton
            || self.uses.scripts().is_some()
            || !names.is_empty();
        if !(is_part || is_written_in) || json.depth() > depth::limit() {
            return Outcome::default();
        }
        let mut completion = Completion {
            completed: Self {
                uses: self.uses.with_if(Use::Part, is_part),
                ..self
            },
            tree,
            is_encrypted,
            has_actions,
            is_of_ytt,
            is_skeleton,
            names,
            has_known: false,
            has_entries: false,
            is_added_to: false,
        };
        if self.filled.is_some() || is_of_ytt {
            // Two actions may be filled in with the same text although they print different keys.
            json.forget_duplicates();
        }
        let unknown = json.root_mut().and_then(|root| completion.value(root));
        Outcome {
            is_completed: is_part || completion.has_known || unknown.is_some(),
            unknown,
        }
    }

    /// Whether scripts set an object's version, which is `written` in the file.
    fn set_version(&self, written: &str) -> bool {
        let group = written.split_once('/').map_or("", |it| it.0);
        self.uses.scripts().is_some_and(|it| it.set_version_of(group))
    }

    /// Whether tools do this with the object.
    pub(crate) fn has(&self, it: Use) -> bool {
        self.uses.has(it)
    }
}

/// Substitutes the values of Flux variables in a stored object. Unknown variables stay as written.
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
        has_actions: false,
        is_of_ytt: false,
        is_skeleton: false,
        names: Vec::new(),
        has_known: false,
        has_entries: false,
        is_added_to: false,
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
    /// Whether the object contains values that SOPS has encrypted.
    is_encrypted: bool,
    /// Whether the object has actions that only Helm or a similar program fills in.
    has_actions: bool,
    /// Whether ytt fills in empty values of the object.
    is_of_ytt: bool,
    /// Whether the object is a skeleton, in which an empty value may be any value.
    is_skeleton: bool,
    /// The names and versions that are placeholders.
    names: Vec<NodeId>,
    /// Whether any known value was substituted.
    has_known: bool,
    /// Whether the value that was completed last may become entries of the object that contains it.
    has_entries: bool,
    /// Whether a script adds keys to the value that is completed next.
    is_added_to: bool,
}

/// What a string becomes when it is completed.
enum Text {
    /// The whole string is known.
    Known(JsonValue<'static>),
    /// The string becomes one unknown value.
    Unknown,
    /// The string becomes a value of a known type.
    Typed(Typed),
    /// The string becomes any number of items.
    Items,
    /// The string becomes entries that may have these keys.
    Fields(Vec<String>),
}

impl Completion<'_> {
    /// Completes a value. Returns which of its parts are unknown.
    fn value(&mut self, json: &mut Json<'_>) -> Option<Unknown> {
        let node = json.node;
        let gets_more = std::mem::take(&mut self.is_added_to);
        if self.is_skeleton && skeleton::is_empty(json) {
            return Some(Unknown::value());
        }
        if self.completed.has(Use::Placeholders) && placeholders::is_in_brackets(json) {
            json.value = JsonValue::String(Cow::Borrowed(SET_LATER));
            return Some(Unknown::value());
        }
        if self.is_of_ytt && matches!(json.value, JsonValue::Null) {
            json.value = JsonValue::String(Cow::Borrowed(SET_LATER));
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
                Some(Text::Unknown | Text::Fields(_)) => return Some(Unknown::value()),
                Some(Text::Typed(typed)) => {
                    if let Some(value) = example(typed) {
                        json.value = value;
                    }
                    return Some(Unknown::typed());
                }
                Some(Text::Items) => return Some(Unknown::items()),
            },
            // The printed items come first, so that the numbers of the others are not known.
            JsonValue::Array(_) if self.is_added_to_at(node) => return Some(Unknown::value()),
            JsonValue::Array(items) => {
                for (n, item) in items.iter_mut().enumerate() {
                    parts.item(n, self.value(item));
                }
            }
            JsonValue::Object(members) => {
                let mut kept = Vec::with_capacity(members.len());
                let mut others = Vec::new();
                for mut member in members.drain(..) {
                    if let Some(set) = self.completed.uses.scripts() {
                        if matches!(member.value.value, JsonValue::Null) && set.set_value_of(&member.key) {
                            member.value.value = JsonValue::String(Cow::Borrowed(SET_LATER));
                            kept.push((member, Some(Unknown::value())));
                            continue;
                        }
                        self.is_added_to = is_added_to(&member, set);
                    }
                    if self.completed.has(Use::Part) && patch::is_directive(&member.key) {
                        continue;
                    }
                    // Complete the value of an unknown key as well, because parts of the value may be known.
                    let unknown = self.value(&mut member.value);
                    if std::mem::take(&mut self.has_entries) {
                        parts.more();
                    }
                    match self.key(&member) {
                        None => {}
                        Some(Text::Known(JsonValue::String(key))) => member.key = Cow::Owned(key.into_owned()),
                        Some(Text::Fields(keys)) => {
                            others.push(keys);
                            continue;
                        }
                        Some(_) => {
                            parts.more();
                            continue;
                        }
                    }
                    kept.push((member, unknown));
                }
                // The entries of an object must be sorted by key, and no key may be repeated.
                kept.sort_by(|a, b| a.0.key.cmp(&b.0.key));
                kept.dedup_by(|a, b| a.0.key == b.0.key);
                for (member, unknown) in kept {
                    parts.field(&member.key, unknown);
                    members.push(member);
                }
                let may_be_null = members.is_empty() && !others.is_empty();
                if self.completed.has(Use::Part) || gets_more || may_be_null || self.is_added_to_at(node) {
                    // Without any entry, the value is null, which may have a default.
                    parts.more();
                }
                for keys in others {
                    parts.more_of(keys);
                }
            }
            JsonValue::Null | JsonValue::Bool(_) | JsonValue::Int(_) | JsonValue::Uint(_) | JsonValue::Float(_) => {}
        }
        parts.whole()
    }

    /// What a key becomes when it is completed.
    fn key(&self, member: &Member<'_>) -> Option<Text> {
        if self.completed.has(Use::Assertion) && is_expression_key(&member.key) {
            return Some(Text::Unknown);
        }
        if self.completed.uses.scripts().is_some_and(|it| it.rename(&member.key)) {
            return Some(Text::Unknown);
        }
        self.filled(member.key_node).or_else(|| self.text(&member.key, false))
    }

    /// What a string value becomes when it is completed.
    fn written(&mut self, written: &str, node: NodeId) -> Option<Text> {
        let is_plain = self.tree.kind(node) == NodeKind::Scalar(ScalarStyle::Plain);
        let place = self.place(node);
        self.has_entries |= matches!(place, Some(Place::ValueOrEntries | Place::ItemsOrEntries));
        let set = self.completed.uses.scripts();
        if set.is_some_and(|it| it.replace_in(written) || it.substitute() && placeholders::has_variable(written)) {
            return Some(Text::Unknown);
        }
        if self.names.contains(&node) || self.completed.has(Use::Placeholders) && placeholders::is_placeholder(written)
        {
            return Some(Text::Unknown);
        }
        self.filled(node).or_else(|| self.text(written, is_plain))
    }

    /// What a scalar becomes that contains an action of a template.
    fn filled(&self, node: NodeId) -> Option<Text> {
        let place = self.place(node)?;
        let keeps_quotes = self.completed.filled.is_some_and(|it| it.keeps_quotes);
        let is_quoted = || {
            let style = self.tree.kind(node);
            let quotes = [ScalarStyle::SingleQuoted, ScalarStyle::DoubleQuoted];
            quotes.into_iter().any(|it| style == NodeKind::Scalar(it))
        };
        Some(match place {
            Place::Value | Place::Typed(_) if keeps_quotes && is_quoted() => Text::Typed(Typed::String),
            Place::Typed(typed) if keeps_quotes => Text::Typed(typed),
            Place::Value | Place::Typed(_) | Place::ValueOrEntries | Place::More => Text::Unknown,
            Place::Items | Place::ItemsOrEntries => Text::Items,
            Place::Fields(place) => {
                let keys = self.completed.filled.map(|it| it.fields(place));
                Text::Fields(keys.unwrap_or_default().to_vec())
            }
        })
    }

    fn place(&self, node: NodeId) -> Option<Place> {
        self.completed.filled?.at(self.tree.span(node))
    }

    /// Whether an action of a template prints more entries or items into an object or list.
    fn is_added_to_at(&self, node: NodeId) -> bool {
        let start = self.tree.span(node).start;
        self.completed.filled.is_some_and(|it| it.adds_to(start))
    }

    /// What a string becomes when it is completed. `is_plain` means that it is written without quotes.
    fn text(&self, written: &str, is_plain: bool) -> Option<Text> {
        let completed = self.completed;
        if self.is_encrypted && written.starts_with(ENCRYPTED) {
            return Some(Text::Unknown);
        }
        if written.starts_with('(') && written.ends_with(')') {
            // Test tools fill in bindings in any file, such as `($namespace)` or `(to_number($version))`.
            let is_unknown = completed.has(Use::Assertion) || completed.has(Use::Expressions) || has_binding(written);
            return is_unknown.then_some(Text::Unknown);
        }
        if let Some(mark) = completed.marks.iter().find(|it| written.contains(it.text)) {
            let is_any = (mark.is_any)(written);
            return Some(if is_any {
                Text::Unknown
            } else {
                Text::Typed(Typed::String)
            });
        }
        if self.has_actions && placeholders::has_action_of_chart(written) {
            return Some(Text::Unknown);
        }
        if completed.is_substituted && completed.variables.is_none() && placeholders::is_variable(written) {
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

/// A value of a type. `None` if it is the type of the text that was filled in.
fn example(typed: Typed) -> Option<JsonValue<'static>> {
    match typed {
        Typed::String => None,
        // Where an integer is accepted, a number may be one.
        Typed::Integer | Typed::Number => Some(JsonValue::Int(1)),
        Typed::Boolean => Some(JsonValue::Bool(true)),
        Typed::Object => Some(JsonValue::Object(Vec::new())),
        Typed::List => Some(JsonValue::Array(Vec::new())),
    }
}

/// Whether scripts add a key that an object lacks.
fn is_added_to(member: &Member<'_>, set: &SetByScripts) -> bool {
    let is_object = matches!(member.value.value, JsonValue::Object(_));
    is_object && set.added_to(&member.key).any(|it| member.value.get(it).is_none())
}

/// The start of each value that SOPS has encrypted.
const ENCRYPTED: &str = "ENC[";

/// Removes the fields that SOPS adds when it encrypts an object. SOPS removes them again before the object is applied. Returns whether there were
/// any.
fn take_sops(json: &mut JsonDoc<'_>) -> bool {
    let Some(JsonValue::Object(members)) = json.root_mut().map(|it| &mut it.value) else {
        return false;
    };
    let before = members.len();
    members.retain(|it| !(it.key == "sops" && it.value.get("mac").is_some()));
    members.len() < before
}

/// Whether a string names a chainsaw binding in parentheses.
fn has_binding(text: &str) -> bool {
    let mut after = text.split('$').skip(1);
    text.contains('(') && after.any(|it| it.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// Whether a key is a chainsaw expression: `(conditions[?type == 'Ready'])`, `~.key`, `key->binding`.
fn is_expression_key(key: &str) -> bool {
    key.starts_with('(') && (key.ends_with(')') || key.contains(")->")) || key.starts_with('~') || key.contains("->")
}

/// Whether an object has keys that occur only in chainsaw assertions.
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

/// Whether a CRD only states what a test tool expects of another CRD.
pub(crate) fn asserts_definition(uses: Uses<'_>, tree: &Tree, json: &JsonDoc<'_>) -> bool {
    let lacks = || {
        json.root()
            .is_some_and(|it| !Lacks::of_definition(tree, it.node).is_whole())
    };
    uses.has(Use::Completed)
        && (uses.has(Use::Assertion) && lacks() || patch::may_be(json) && has_expression_keys(json))
}

/// Whether an object tells Flux not to substitute variables in it.
fn is_left_alone(object: &Json<'_>) -> bool {
    let metadata = object.get("metadata");
    ["labels", "annotations"].iter().any(|it| {
        let value = metadata.and_then(|at| at.get(it)).and_then(|at| at.get(flux::SWITCH));
        value.and_then(|it| it.as_str()) == Some("disabled")
    })
}
