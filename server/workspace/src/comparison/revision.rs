//! The API server's answer to an update of a file's git revision to its current text, in addition to the verdict on the current text alone.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use crd_analyzer_apiextensions::decode::WrittenType;
use crd_analyzer_apiextensions::kind::CRD;
use crd_analyzer_schema::field::Path;
use crd_analyzer_syntax::{
    paths::{self, Step},
    read_json_of,
    tree::{NodeId, Span, Tree},
};
use serde_json::Value;

use crate::{
    comparison::previous::Previous,
    documents::{spans, text::Text},
    findings::finding::{Class, Finding, Related, Severity},
    findings::report::DocumentVerdict,
};

/// The maximum number of places in a verdict at which to search for changed values.
const MAX_PLACES: usize = 100;
/// The maximum number of bytes of values to compare for one place. Nested aliases can expand to more bytes than any text contains.
const MAX_COMPARED: usize = 16 << 20;
/// The maximum number of changed values that a finding names.
const MAX_NAMED: usize = 3;
/// The maximum number of values to compare that a rule has read.
const MAX_READ: usize = 20;
/// The maximum length, in bytes, of a value that a finding names.
const MAX_VALUE: usize = 60;
/// The maximum depth at which to search for differences.
const MAX_DEPTH: usize = 20;

/// The start of the first note of a hint about an update.
const OF_UPDATE: &str = "this is the API server's answer to an update of the object in";

/// Whether the finding is a hint that [`Revision::add`] has added.
pub(crate) fn is_about_update(finding: &Finding) -> bool {
    finding.class == Class::Hint && finding.notes.first().is_some_and(|it| it.starts_with(OF_UPDATE))
}

/// The text of a file in a git revision. It is parsed once for all later versions that are compared with it.
pub struct Revision {
    /// The name of the revision, for example `HEAD`.
    name: String,
    previous: Previous,
}

impl std::fmt::Debug for Revision {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Revision")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Revision {
    /// Creates the revision with this name from the file's text in it.
    pub fn new(name: &str, text: &[u8]) -> Self {
        Self {
            name: name.to_owned(),
            previous: Previous::new(Text::decode(text.to_vec()), false),
        }
    }

    /// Whether the file has the same text as in the revision, so that nothing would be updated.
    pub fn is(&self, text: &str) -> bool {
        self.text() == text
    }

    /// The text in the revision.
    pub fn text(&self) -> &str {
        &self.previous.text().content
    }

    /// Whether a CRD, written in JSON, equals the CRD of the same name in the revision.
    pub(crate) fn has_same_crd(&self, json: &str) -> bool {
        let values = || {
            let new: Value = serde_json::from_str(json).ok()?;
            let text = |it: &Value| it.as_str().unwrap_or_default().to_owned();
            let written = WrittenType {
                api_version: text(&new["apiVersion"]),
                kind: text(&new["kind"]),
                name: text(&new["metadata"]["name"]),
            };
            let (old_tree, old_node) = self.previous.definition(&written)?;
            let old = read_json_of(old_tree, old_node).ok()?.root()?.to_value();
            Some(written.is_crd() && new == old)
        };
        values() == Some(true)
    }

    /// The name of the revision.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The CRD with this name, or else the only one.
    pub fn crd(&self, name: &str) -> Option<(&Tree, NodeId)> {
        let written = WrittenType {
            api_version: CRD.served().api_version.to_owned(),
            kind: CRD.name.to_owned(),
            name: name.to_owned(),
        };
        self.previous.definition(&written)
    }

    pub(crate) fn previous(&self) -> &Previous {
        &self.previous
    }

    /// Adds hints to the verdict on a text: the additional errors that the API server reports if the text replaces the revision. They are only hints,
    /// because it is an assumption that the stored objects are those of the revision.
    ///
    /// `at` is the object that both verdicts are about.
    pub(crate) fn add(&self, verdict: &mut DocumentVerdict, updated: &DocumentVerdict, at: &Compared<'_>) {
        let refusals = updated.errors.iter().chain(&updated.other_error);
        let known: HashSet<_> = verdict.findings().map(|it| (it.code, it.span, &it.server)).collect();
        let is_new = |it: &&Finding| !known.contains(&(it.code, it.span, &it.server));
        let added: Vec<Finding> = refusals.filter(is_new).cloned().collect();
        let mut values_at: HashMap<(u32, u32), Vec<Related>> = HashMap::new();
        for mut finding in added {
            let is_looked_up = values_at.len() < MAX_PLACES;
            let values = values_at.entry((finding.span.start, finding.span.end));
            let values = values.or_insert_with(|| {
                let values = is_looked_up.then(|| self.values(at, finding.span));
                values.flatten().unwrap_or_default()
            });
            finding.related.splice(0..0, values.iter().cloned());
            let reads = finding.basis.take().map(|it| it.reads).unwrap_or_default();
            if is_looked_up {
                self.mark_changed(&mut finding, values.len(), &reads, at);
            }
            verdict.hints.push(Finding {
                class: Class::Hint,
                severity: Severity::Warning,
                notes: [vec![format!("{OF_UPDATE} {}", self.name)], finding.notes].concat(),
                ..finding
            });
        }
    }

    /// If the finding is about a rule that read a changed value, marks that value, because that is the line to edit. The rule itself applies to the
    /// whole object that contains the value. `of_whole` is the number of changed values of that object, which are listed first.
    fn mark_changed(&self, finding: &mut Finding, of_whole: usize, reads: &[Path], at: &Compared<'_>) {
        let mut changed: Vec<Related> = Vec::new();
        for path in reads.iter().take(MAX_READ) {
            let found = paths::find_from(at.tree, at.node, &spans::steps(path.segments()));
            if !found.is_found() || found.node == at.node {
                continue;
            }
            let place = spans::spot(at.tree, found.key, found.node);
            for value in self.values(at, place).unwrap_or_default() {
                if changed.len() < MAX_NAMED && !changed.contains(&value) {
                    changed.push(value);
                }
            }
        }
        let Some(first) = changed.first().map(|it| it.span) else {
            return;
        };
        if first == finding.span {
            return;
        }
        let whole = std::mem::replace(&mut finding.span, first);
        finding.label = Some("the rule reads this value".to_owned());
        finding.related.splice(0..of_whole, changed);
        finding.related.push(Related {
            span: whole,
            message: "the rule is about this value".to_owned(),
            file: None,
        });
    }

    /// The values at a place that differ from the revision, each with its old value.
    fn values(&self, at: &Compared<'_>, place: Span) -> Option<Vec<Related>> {
        let written = at.written;
        let path = paths::at(at.tree, place.start)?.path;
        // If the object is inside another object, the path starts with the path of the object.
        let (_, steps) = path.split_at_checked(paths::path_of(at.tree, at.node).len())?;
        let namespace = [Step::key("metadata"), Step::key("namespace")];
        let namespace = paths::find_from(at.tree, at.node, &namespace);
        let namespace = namespace
            .is_found()
            .then(|| at.tree.scalar(at.tree.resolve(namespace.node)).into_owned());
        let (old_tree, old_root) = if written.is_crd() {
            self.previous.definition(written)?
        } else {
            self.previous.object(written, namespace.as_deref())?
        };
        let old = paths::find_from(old_tree, old_root, steps);
        let now = paths::find_from(at.tree, at.node, steps);
        let mut differences = Differences {
            tree: at.tree,
            old: old_tree,
            name: &self.name,
            left: MAX_COMPARED,
            found: Vec::new(),
        };
        if old.is_found() {
            differences.between(now.node, old.node, place, 0);
        } else {
            differences.say(place, format!("not there in {}", self.name));
        }
        Some(differences.found)
    }
}

/// An object to compare with a revision.
pub(crate) struct Compared<'a> {
    /// The kind and name of the object, as written.
    pub(crate) written: &'a WrittenType,
    pub(crate) tree: &'a Tree,
    /// The root node of the object in the tree.
    pub(crate) node: NodeId,
}

struct Differences<'a> {
    tree: &'a Tree,
    old: &'a Tree,
    name: &'a str,
    /// The number of bytes that may still be compared.
    left: usize,
    found: Vec<Related>,
}

impl Differences<'_> {
    fn say(&mut self, span: Span, message: String) {
        if self.found.len() < MAX_NAMED {
            self.found.push(Related {
                span,
                message,
                file: None,
            });
        }
    }

    /// The source text of an old value, if it is short.
    fn value(&self, node: NodeId) -> Option<&str> {
        let text = self.old.source(node);
        (text.len() <= MAX_VALUE && !text.contains('\n')).then_some(text)
    }

    fn are_equal(&self, now: NodeId, old: NodeId) -> bool {
        if !(self.tree.is_scalar(now) && self.old.is_scalar(old)) {
            return false;
        }
        let (now, old) = (read_json_of(self.tree, now), read_json_of(self.old, old));
        let values = now.as_ref().ok().zip(old.as_ref().ok());
        let roots = values.and_then(|(now, old)| now.root().zip(old.root()));
        roots.is_some_and(|(now, old)| now.to_value() == old.to_value())
    }

    fn between(&mut self, now: NodeId, old: NodeId, place: Span, depth: usize) {
        let (now, old) = (self.tree.resolve(now), self.old.resolve(old));
        let is_over = self.found.len() >= MAX_NAMED || self.left == 0 || depth > MAX_DEPTH;
        self.left = self
            .left
            .saturating_sub(self.tree.source(now).len() + self.old.source(old).len() + 1);
        if is_over || self.tree.source(now) == self.old.source(old) {
            return;
        }
        if self.tree.is_scalar(now) || self.old.is_scalar(old) {
            // If the values are equal, only their notation differs, for example their quotes.
            if self.are_equal(now, old) {
                return;
            }
            if let Some(value) = self.value(old) {
                let message = format!("was {value} in {}", self.name);
                self.say(place, message);
            }
            return;
        }
        let (keys, old_keys) = (by_key(self.tree, now), by_key(self.old, old));
        for entry in self.tree.entries(now) {
            let place = self.tree.span(entry.key);
            let value = self.tree.resolve(entry.value);
            let place = if self.tree.is_scalar(value) {
                self.tree.span(value)
            } else {
                place
            };
            match old_keys.get(&*self.tree.scalar(entry.key)) {
                Some(before) => self.between(entry.value, *before, place, depth + 1),
                None => self.say(place, format!("not there in {}", self.name)),
            }
        }
        for entry in self.old.entries(old) {
            let key = self.old.scalar(entry.key);
            if !keys.contains_key(&*key)
                && let Some(value) = self.value(entry.value)
            {
                let message = format!("{key} was {value} in {}", self.name);
                self.say(place, message);
            }
        }
        let (items, old_items): (Vec<_>, Vec<_>) = (self.tree.items(now).collect(), self.old.items(old).collect());
        if items.len() == old_items.len() {
            for (item, old) in items.into_iter().zip(old_items) {
                let place = self.tree.span(item);
                self.between(item, old, place, depth + 1);
            }
        }
    }
}

/// The values of a mapping by key. If a key is repeated, its last value.
fn by_key(tree: &Tree, mapping: NodeId) -> HashMap<Cow<'_, str>, NodeId> {
    let entries = tree.entries(mapping).filter(|it| tree.is_scalar(it.key));
    entries.map(|it| (tree.scalar(it.key), it.value)).collect()
}
