//! Finds the patches that cause a diagnostic of a built object. A patch may set a value that a rule reads, remove a required field, or add too many
//! items. The API server reports the object or the list, which is in the base, although the base needs no change.

use std::path::Path as FilePath;

use crd_analyzer_kustomize::{Entry, Node, Place, Sources, Value};
use crd_analyzer_schema::{
    codes::{RULE_EVALUATION, RULE_FAILED},
    field::{Path, Segment},
};

use super::projection::{source, spot};
use crate::{
    builds::basis::{Basis, Decider, Does},
    findings::finding::{Finding, Related},
    words,
};

/// The maximum number of deciders that a diagnostic shows.
const MOST: usize = 5;

/// A built object for which deciders are searched.
pub(super) struct Deciding<'a> {
    pub(super) object: &'a Node,
    /// The index of the document that contains the object itself.
    pub(super) base: u32,
    pub(super) sources: &'a Sources,
}

/// The part of an object at a path.
enum Found<'a> {
    There(&'a Node),
    /// The field does not exist in this object.
    Missing(&'a Node, &'a str),
    Nowhere,
}

impl<'a> Deciding<'a> {
    fn is_base(&self, place: Place) -> bool {
        place.document == self.base
    }

    /// The places that cause a finding, except those in the object's own document. `is_of_base` returns whether the object has the finding even as
    /// written.
    pub(super) fn of(&self, finding: &Finding, basis: &Basis, is_of_base: &dyn Fn(&Finding) -> bool) -> Vec<Decider> {
        let at = self.find(&basis.path);
        // The patch that provided the whole value, if any.
        let own = match at {
            Found::There(node) | Found::Missing(node, _) => Some(node.place).filter(|it| !self.is_base(*it)),
            Found::Nowhere => None,
        };
        let mut found = match at {
            _ if is_of_rule(finding) => self.of_reads(&basis.reads),
            Found::Missing(parent, key) => removal(parent, key).into_iter().collect(),
            Found::There(node) if own.is_none() && !is_of_base(finding) => {
                let mut found = Vec::new();
                if node.is_scalar() {
                    found.extend(node.removals().iter().map(|it| adds(it.place)));
                } else {
                    self.changes(node, &mut found);
                }
                found
            }
            Found::There(_) | Found::Nowhere => Vec::new(),
        };
        if let Some(place) = own
            && (found.is_empty() || found.iter().any(|it| it.place.document == place.document))
        {
            let does = Does::Brings;
            return vec![Decider { place, does }];
        }
        found.truncate(MOST);
        found
    }

    /// The places that set the values that a rule read.
    fn of_reads(&self, reads: &'a [Path]) -> Vec<Decider> {
        let mut found = Vec::new();
        let mut collections = Vec::new();
        for path in reads {
            match self.find(path) {
                Found::There(node) if !self.is_base(node.place) => found.push(Decider {
                    place: node.place,
                    does: Does::Sets,
                }),
                Found::There(node) => collections.push(node),
                Found::Missing(parent, key) => found.extend(removal(parent, key)),
                Found::Nowhere => {}
            }
        }
        // If no decider set a single value, the rule may have read a whole collection or its size.
        if found.is_empty() {
            for node in collections {
                self.changes(node, &mut found);
            }
        }
        found
    }

    /// The first place that changed a collection or removed something from it.
    pub(super) fn changed_at(&self, node: &Node) -> Option<Place> {
        let mut found = Vec::new();
        self.changes(node, &mut found);
        found.first().map(|it| it.place)
    }

    /// Finds the outermost places that changed a collection or removed something from it.
    fn changes(&self, node: &Node, found: &mut Vec<Decider>) {
        if found.len() >= MOST {
            return;
        }
        let inside = |node: &Node, found: &mut Vec<Decider>| {
            if self.is_base(node.place) {
                self.changes(node, found);
            } else {
                found.push(adds(node.place));
            }
        };
        let has_own_key = |it: &Entry| !self.is_base(it.key_place) && self.is_written_scalar(it.key_place);
        match &node.value {
            Value::Map(entries) => {
                for entry in entries {
                    if has_own_key(entry) {
                        found.push(adds(entry.key_place));
                    } else {
                        inside(&entry.value, found);
                    }
                }
            }
            Value::List(items) => items.iter().for_each(|it| inside(it, found)),
            _ => {}
        }
        found.extend(node.removals().iter().map(|it| Decider {
            place: it.place,
            does: Does::Removes((*it.key).into()),
        }));
    }

    /// Whether a key is a scalar in its file. In a JSON patch operation, the key is only a part of a path.
    fn is_written_scalar(&self, place: Place) -> bool {
        let (tree, node) = self.sources.tree(place);
        tree.is_scalar(node)
    }

    fn find<'p: 'a>(&self, path: &'p Path) -> Found<'a> {
        let mut node = self.object;
        for segment in path.segments() {
            let next = match (segment, &node.value) {
                (Segment::Field(name) | Segment::Key(name), Value::Map(entries)) => {
                    match entries.iter().find(|it| *it.key == **name) {
                        Some(entry) => Some(&entry.value),
                        None => return Found::Missing(node, name),
                    }
                }
                (Segment::Index(index), Value::List(items)) => items.get(*index),
                _ => None,
            };
            match next {
                Some(next) => node = next,
                None => return Found::Nowhere,
            }
        }
        Found::There(node)
    }
}

fn adds(place: Place) -> Decider {
    let does = Does::Adds;
    Decider { place, does }
}

/// The last patch that removed a field from an object.
pub(super) fn removal(parent: &Node, key: &str) -> Option<Decider> {
    let removed = parent.removals().iter().rfind(|it| *it.key == *key)?;
    Some(Decider {
        place: removed.place,
        does: Does::Removes(key.into()),
    })
}

fn is_of_rule(finding: &Finding) -> bool {
    [RULE_FAILED, RULE_EVALUATION].contains(&finding.code)
}

/// Adds to a finding what its first decider does and where the others are. The finding is marked in the file at `path`. `written` is the place that
/// the API server's error refers to.
pub(super) fn tell(
    finding: &mut Finding,
    basis: &Basis,
    sources: &Sources,
    (path, written): (&FilePath, (Place, crd_analyzer_syntax::tree::Span)),
) {
    let related = |place: Place, span, message: String| {
        let (file, _) = sources.document(place);
        let is_same = **file == *path;
        Related {
            span,
            message,
            file: (!is_same).then(|| source(sources, place)),
        }
    };
    let is_rule = is_of_rule(finding);
    if let Some(first) = basis.deciders.first() {
        match &first.does {
            Does::Sets if finding.code == RULE_EVALUATION => {
                finding.label = Some("the rule ends in an error with it".to_owned());
            }
            Does::Sets => finding.label = Some("the rule fails with this value".to_owned()),
            Does::Removes(name) => {
                finding.label = Some(removes(name));
                finding.elsewhere = None;
                if !is_rule && !name.is_empty() {
                    let name = words::clip(name, 40);
                    finding.help = vec![format!("keep `{name}`: remove this from the patch")];
                }
            }
            Does::Adds if is_rule => finding.label = Some("the rule fails with this".to_owned()),
            // The decider set the value that the API server's error refers to, so the error needs no more explanation.
            Does::Brings => return,
            Does::Adds => {}
        }
    }
    for other in basis.deciders.iter().skip(1) {
        let message = match &other.does {
            Does::Sets => "the rule also reads this".to_owned(),
            Does::Adds | Does::Brings => "this is added, too".to_owned(),
            Does::Removes(name) => removes(name),
        };
        finding
            .related
            .push(related(other.place, spot(sources, other.place), message));
    }
    let name = basis.path.segments().iter().rev().find_map(|it| match it {
        Segment::Field(name) | Segment::Key(name) => Some(format!("`{}`", words::clip(name, 40))),
        Segment::Index(_) => None,
    });
    let name = name.unwrap_or_else(|| "the object".to_owned());
    let is_there = !matches!(basis.deciders.first().map(|it| &it.does), Some(Does::Removes(_))) || is_rule;
    let message = if is_there {
        format!("{name} is written here")
    } else {
        format!("{name} was in here")
    };
    finding.related.push(related(written.0, written.1, message));
}

fn removes(name: &str) -> String {
    match name {
        "" => "an item is removed here".to_owned(),
        name => format!("`{}` is removed here", words::clip(name, 40)),
    }
}
