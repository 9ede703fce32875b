//! What an update of a resource is answered, and what a changed definition does to objects that are stored already.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use crd_analyzer_apiextensions::decode::WrittenType;
use crd_analyzer_resource::{self as server, DecodeError, Question, ServedVersion, Stored};
use crd_analyzer_syntax::{
    ReadError,
    json::{JsonDoc, read_json_of},
    paths::{Step, find_from},
    read, read_json,
    tree::{NodeId, Span, Tree},
};
use serde_json::Value;

use super::{One, locate::Locate};
use crate::{
    codes,
    finding::{Class, Finding, Severity},
    index::objects::{self, Object, group_kind},
    report::Verdict,
    text::Text,
};

/// The previous revision of a file.
pub(crate) struct Previous<'a> {
    text: &'a Text,
    objects: Vec<Object>,
    by_name: HashMap<(String, String, String), Vec<usize>>,
    trees: HashMap<u32, OnceLock<Result<Tree, ReadError>>>,
    /// The user said which text replaces which: an object whose name is not found replaces the first one.
    is_paired: bool,
}

fn name_of(written: &WrittenType) -> (String, String, String) {
    let kind = group_kind(written).unwrap_or_default();
    (kind.group, kind.kind, written.name.clone())
}

impl<'a> Previous<'a> {
    pub(crate) fn new(text: &'a Text, is_paired: bool) -> Self {
        let objects = objects::read(text);
        let mut by_name: HashMap<_, Vec<usize>> = HashMap::new();
        let mut trees = HashMap::new();
        for (n, object) in objects.iter().enumerate() {
            by_name.entry(name_of(&object.written)).or_default().push(n);
            trees.entry(object.document.index).or_insert_with(OnceLock::new);
        }
        Self {
            text,
            objects,
            by_name,
            trees,
            is_paired,
        }
    }

    fn read(&self, object: &Object) -> Option<Result<&Tree, &ReadError>> {
        let cell = self.trees.get(&object.document.index)?;
        Some(cell.get_or_init(|| self.text.read(object.document)).as_ref())
    }

    fn tree(&self, object: &Object) -> Option<(&Tree, NodeId)> {
        let tree = self.read(object)?.ok()?;
        let root = tree.resolve(tree.root()?);
        match object.item {
            None => Some((tree, root)),
            Some(item) => {
                let place = find_from(tree, root, &[Step::key("items"), Step::Index(item)]);
                place.is_found().then(|| (tree, tree.resolve(place.node)))
            }
        }
    }

    /// The object that `new` replaces: of the same kind, name and namespace.
    pub(crate) fn of(&self, new: &WrittenType, namespace: Option<&str>) -> Option<&Object> {
        let same = self.by_name.get(&name_of(new)).map(Vec::as_slice).unwrap_or_default();
        match same {
            [] if self.is_paired => self.objects.first(),
            [] => None,
            [one] => self.objects.get(*one),
            several => several.iter().map(|it| &self.objects[*it]).find(|it| {
                self.tree(it)
                    .and_then(|(tree, node)| namespace_of(tree, node))
                    .as_deref()
                    == namespace
            }),
        }
    }

    /// The object that one of this kind, name and namespace replaces, where it is.
    pub(crate) fn object(&self, new: &WrittenType, namespace: Option<&str>) -> Option<(&Tree, NodeId)> {
        self.tree(self.of(new, namespace)?)
    }

    /// The definition that one of this name replaces.
    pub(crate) fn definition(&self, new: &WrittenType) -> Option<(&Tree, NodeId)> {
        let only = || {
            let mut all = self.objects.iter().filter(|it| it.written.is_definition());
            let first = all.next();
            first.filter(|_| self.is_paired || all.next().is_none())
        };
        let named = self
            .by_name
            .get(&name_of(new))
            .and_then(|it| self.objects.get(*it.first()?));
        self.tree(named.or_else(only)?)
    }

    /// Whether a definition that has none to replace cannot be new: the user says that it replaces one.
    pub(crate) fn must_replace(&self, new: &WrittenType) -> bool {
        self.is_paired || self.by_name.contains_key(&name_of(new))
    }
}

fn namespace_of(tree: &Tree, node: NodeId) -> Option<String> {
    let place = find_from(tree, node, &[Step::key("metadata"), Step::key("namespace")]);
    let value = tree.resolve(place.node);
    (place.is_found() && tree.is_scalar(value)).then(|| tree.scalar(value).into_owned())
}

/// The stored object, and the text that it was read from.
struct Before {
    stored: Stored,
    /// The object as it is stored, as a request that changes nothing sends it.
    sent: Arc<str>,
    /// The definition is not what it was when the object was stored.
    definition_changed: bool,
}

pub(super) fn judge(one: &One<'_>, previous: &Previous<'_>, served: ServedVersion<'_>, locate: &Locate<'_>) -> Verdict {
    let namespace = one
        .json
        .root()
        .and_then(|it| it.get("metadata")?.get("namespace")?.as_str());
    let Some(old) = previous.of(&one.asked.object.written, namespace) else {
        // New: there is nothing that it replaces.
        return locate.verdict(&server::judge(served, one.json, Question::Create));
    };
    let before = match before(one, previous, old, served) {
        Ok(before) => before,
        Err(why) => return without_previous(one, &why, served, locate),
    };
    let answer = server::judge(served, one.json, Question::Update(&before.stored));
    let mut verdict = locate.verdict(&answer);
    if before.definition_changed {
        verdict.hints.extend(unchanged(&before, &answer, served, locate));
    }
    verdict
}

fn before(one: &One<'_>, previous: &Previous<'_>, old: &Object, served: ServedVersion<'_>) -> Result<Before, String> {
    let wanted = &one.asked.kind.kind;
    if let Some(Err(error)) = previous.read(old) {
        return Err(DecodeError::of_read_error(wanted, error).text);
    }
    let unreadable = || "it is no YAML that JSON can be made of".to_owned();
    let (tree, node) = previous.tree(old).ok_or_else(unreadable)?;
    let json = read_json_of(tree, node).map_err(|it| DecodeError::of_convert_error(wanted, &it, one.version).text)?;
    let definitions = one.asked.definitions;
    let found = &one.asked.found.definition;
    let old_definition = definitions.previous(found);
    let definition_changed = old_definition
        .as_ref()
        .is_some_and(|it| it.fingerprint != found.fingerprint);
    // What was stored has the defaults of its time, and not what was dropped then.
    let as_stored = old_definition
        .filter(|_| definition_changed)
        .and_then(|it| it.serve(definitions.files(), one.version).ok())
        .and_then(|(definition, _)| {
            let served = definition.serving(&old.written.api_version, &old.written.kind).ok()?;
            let answer = server::judge(served, &json, Question::Create);
            answer.stored.or(answer.object)
        });
    let establish = |json: &JsonDoc<'_>| Stored::establish(served, json).map_err(|it| it.text);
    match as_stored {
        None => Ok(Before {
            stored: establish(&json)?,
            sent: json.write(tree).into(),
            definition_changed,
        }),
        Some(object) => {
            let sent: Arc<str> = Value::Object(object).to_string().into();
            let tree = read_whole(&sent).ok_or_else(unreadable)?;
            let json = read_json(&tree).map_err(|it| it.message)?;
            Ok(Before {
                stored: establish(&json)?,
                sent: sent.clone(),
                definition_changed,
            })
        }
    }
}

fn read_whole(text: &Arc<str>) -> Option<Tree> {
    read(text, Span::new(0, text.len() as u32)).ok()
}

/// What becomes of the object as it is stored when somebody updates it and changes nothing, under a definition that has changed.
fn unchanged(before: &Before, own: &server::Verdict, served: ServedVersion<'_>, locate: &Locate<'_>) -> Vec<Finding> {
    let Some(tree) = read_whole(&before.sent) else {
        return Vec::new();
    };
    let Ok(json) = read_json(&tree) else {
        return Vec::new();
    };
    let said = |it: &server::Finding| own.errors.iter().any(|own| own.error == it.error);
    let hint = |code, severity, note: &str, it: &server::Finding| {
        let found = locate.error(it);
        Finding {
            class: Class::Hint,
            severity,
            code,
            message: format!("the object as it is stored is no longer valid: {}", found.message),
            notes: vec![note.to_owned()],
            ..found
        }
    };
    let again = server::judge(served, &json, Question::Update(&before.stored));
    let is_cause = |it: &&server::Finding| it.error.code != server::codes::UNCHECKED_RULES && !said(it);
    let refused: Vec<_> = again.errors.iter().filter(is_cause).collect();
    if !refused.is_empty() {
        let note = "the definition has changed, and no update of the object passes that leaves this as it is";
        let refused = refused.into_iter();
        return refused
            .map(|it| hint(codes::STORED_OBJECT_REFUSED, Severity::Warning, note, it))
            .collect();
    }
    let anew = server::judge(served, &json, Question::Create);
    let note = "the definition has changed; the server tolerates this until the value changes";
    anew.errors
        .iter()
        .filter(is_cause)
        .map(|it| hint(codes::STORED_OBJECT_INVALID, Severity::Information, note, it))
        .collect()
}

/// The answer where the object that is replaced cannot be read; the new one is read before.
fn without_previous(one: &One<'_>, why: &str, served: ServedVersion<'_>, locate: &Locate<'_>) -> Verdict {
    let answer = server::judge(served, one.json, Question::Create);
    if answer.decode_error.is_some() {
        return locate.verdict(&answer);
    }
    let read = server::Verdict {
        strict: answer.strict,
        changes: answer.changes,
        object: answer.object,
        ..server::Verdict::default()
    };
    let mut finding = Finding::new(
        Class::Error,
        codes::UNREADABLE_PREVIOUS_REVISION,
        one.at("kind"),
        "the previous revision cannot be read as a resource of this kind",
    );
    finding.server = Some(crate::finding::ServerSays::Decode(format!("old object: {why}")));
    Verdict {
        decode_error: Some(finding),
        ..locate.verdict(&read)
    }
}
