//! What a server would say if a text replaced what a revision has: beside the verdict on the text alone.

use std::collections::HashMap;

use crd_analyzer_apiextensions::decode::WrittenType;
use crd_analyzer_syntax::{
    paths::{self, Step},
    split::split,
    tree::{NodeId, Span, Tree},
};

use crate::{
    analysis::{Old, Question, analyze},
    finding::{Class, Finding, Related, Severity},
    report::{DocumentReport, FileReport, Subject},
    resource::Previous,
    text::Text,
};

/// So many values that differ are named for one finding.
const MAX_NAMED: usize = 3;
/// Longer values are not named, in bytes.
const MAX_VALUE: usize = 60;
/// Differences are looked for so deep.
const MAX_DEPTH: usize = 20;

/// What a revision has in place of a text.
#[derive(Clone, Copy, Debug)]
pub struct Revision<'a> {
    /// How people call it: `HEAD`.
    pub name: &'a str,
    /// The text there.
    pub text: &'a [u8],
}

/// Adds to a report on `text` what the server would refuse besides if it replaced what a revision has, as hints: that the object is stored as
/// it is there is only supposed. `question`: what the report answers.
pub fn add_update(report: &mut FileReport, question: &Question<'_>, revision: &Revision<'_>) {
    if revision.text == report.text.as_bytes() {
        return;
    }
    let question = Question {
        old: Some(Old {
            text: revision.text,
            is_paired: false,
        }),
        hazards: crate::hazards::Search::Off,
        wants_costs: false,
        ..*question
    };
    let updated = analyze(report.text.as_bytes().to_vec(), &question);
    let mut sides: Option<Sides> = None;
    for (now, then) in report.documents.iter_mut().zip(&updated.documents) {
        if (now.index, now.item) != (then.index, then.item) {
            return;
        }
        let mut values_at: HashMap<(u32, u32), Vec<Related>> = HashMap::new();
        for ((_, verdict), (_, updated)) in now.verdicts.iter_mut().zip(&then.verdicts) {
            let refusals = updated.errors.iter().chain(&updated.other_error);
            let is_new = |it: &&Finding| {
                let mut known = verdict.findings();
                !known.any(|known| (known.code, known.span, &known.server) == (it.code, it.span, &it.server))
            };
            let added: Vec<Finding> = refusals.filter(is_new).cloned().collect();
            for mut finding in added {
                let values = values_at.entry((finding.span.start, finding.span.end));
                let values = values.or_insert_with(|| {
                    let sides = sides.get_or_insert_with(|| Sides::new(&report.text, revision));
                    sides.values(then, finding.span)
                });
                finding.related.splice(0..0, values.iter().cloned());
                verdict.hints.push(Finding {
                    class: Class::Hint,
                    severity: Severity::Warning,
                    notes: [
                        vec![format!("so the server answers an update of what {} has", revision.name)],
                        finding.notes,
                    ]
                    .concat(),
                    ..finding
                });
            }
        }
    }
}

/// The text as it is, and as a revision has it.
struct Sides<'a> {
    now: Text,
    then: Text,
    name: &'a str,
}

impl<'a> Sides<'a> {
    fn new(text: &str, revision: &Revision<'a>) -> Self {
        Self {
            now: Text::decode(text.as_bytes().to_vec()),
            then: Text::decode(revision.text.to_vec()),
            name: revision.name,
        }
    }

    /// The values at a place that the revision has otherwise, with what they are there.
    fn values(&self, document: &DocumentReport, place: Span) -> Vec<Related> {
        let found = self.find(document, place);
        found.unwrap_or_default()
    }

    fn find(&self, document: &DocumentReport, place: Span) -> Option<Vec<Related>> {
        let cut = split(&self.now.content);
        let tree = self.now.read(*cut.documents.get(document.index)?).ok()?;
        let at = paths::at(&tree, place.start)?;
        let skipped = if document.item.is_some() { 2 } else { 0 };
        let written = WrittenType {
            api_version: document.api_version.clone(),
            kind: document.kind.clone(),
            name: document.name.clone(),
        };
        let (steps_above, steps) = at.path.split_at_checked(skipped)?;
        let root = paths::find_from(&tree, tree.resolve(tree.root()?), steps_above);
        let previous = Previous::new(&self.then, false);
        let namespace = [Step::key("metadata"), Step::key("namespace")];
        let namespace = paths::find_from(&tree, root.node, &namespace);
        let namespace = namespace
            .is_found()
            .then(|| tree.scalar(tree.resolve(namespace.node)).into_owned());
        let (old_tree, old_root) = match document.subject {
            Subject::Resource => previous.object(&written, namespace.as_deref())?,
            Subject::Definition | Subject::PartialDefinition => previous.definition(&written)?,
        };
        let old = paths::find_from(old_tree, old_root, steps);
        let now = paths::find_from(&tree, root.node, steps);
        let mut differences = Differences {
            tree: &tree,
            old: old_tree,
            name: self.name,
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

struct Differences<'a> {
    tree: &'a Tree,
    old: &'a Tree,
    name: &'a str,
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

    /// What is written for an old value, if it is short.
    fn value(&self, node: NodeId) -> Option<&str> {
        let text = self.old.source(node);
        (text.len() <= MAX_VALUE && !text.contains('\n')).then_some(text)
    }

    fn between(&mut self, now: NodeId, old: NodeId, place: Span, depth: usize) {
        let (now, old) = (self.tree.resolve(now), self.old.resolve(old));
        if depth > MAX_DEPTH || self.tree.source(now) == self.old.source(old) {
            return;
        }
        if self.tree.is_scalar(now) || self.old.is_scalar(old) {
            if let Some(value) = self.value(old) {
                let message = format!("was {value} in {}", self.name);
                self.say(place, message);
            }
            return;
        }
        let entries: Vec<_> = self.tree.entries(now).collect();
        for entry in &entries {
            let place = self.tree.span(entry.key);
            let value = self.tree.resolve(entry.value);
            let place = if self.tree.is_scalar(value) {
                self.tree.span(value)
            } else {
                place
            };
            match self.old.get(old, &self.tree.scalar(entry.key)) {
                Some(before) => self.between(entry.value, before, place, depth + 1),
                None => self.say(place, format!("not there in {}", self.name)),
            }
        }
        for entry in self.old.entries(old) {
            let key = self.old.scalar(entry.key);
            if self.tree.get(now, &key).is_none()
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
