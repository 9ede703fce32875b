//! Quick fixes for breaking changes of a CRD since a revision: they restore the changed part from the revision.

use std::sync::Arc;

use crd_analyzer_schema::field::{Path, Segment};
use crd_analyzer_syntax::{
    paths::find_from,
    tree::{NodeId, NodeKind, Tree},
};
use crd_analyzer_workspace::{
    comparison::revision::Revision,
    comparison::since_revision::{Comparison, FoundChange, KnownChanges},
    documents::spans::steps,
    findings::report::FileReport,
};

use super::{Fix, FixKind, Problem, TextEdit, apply, check, counts, edits};
use crate::file::{Document, File};

/// The maximum number of comparisons for one request.
const MAX_COMPARED: usize = 8;

/// The maximum length, in bytes, of an old value that a title repeats.
const MAX_SHOWN: usize = 40;

/// The comparison of a text with an earlier revision.
#[derive(Clone, Copy, Debug)]
pub struct ComparedText<'a> {
    /// The revision.
    pub revision: &'a Revision,
    /// The settings of the comparison.
    pub by: Comparison,
    /// The changes that the comparison found.
    pub known: &'a KnownChanges,
}

/// The fixes for breaking changes among `problems`. Each fix restores a part of a CRD from the revision. Each was applied and compared: that change
/// is gone, and neither another change nor a new finding appears. `judge` returns the report on a text, or `None` when the time is up. Returns the
/// fixes found so far when `goes_on` returns false.
pub fn restorations(
    text: &Arc<str>,
    problems: impl IntoIterator<Item = Problem>,
    compared: ComparedText<'_>,
    judge: &dyn Fn(&str) -> Option<FileReport>,
    goes_on: &dyn Fn() -> bool,
) -> Vec<Fix> {
    let file = File::new(text.clone(), Arc::default());
    let mut before = None;
    let mut left = MAX_COMPARED;
    let mut found = Vec::new();
    let problems: Vec<Problem> = problems.into_iter().collect();
    for change in compared.known.changes() {
        let problem = Problem::from(&change.finding);
        let candidate = problems
            .contains(&problem)
            .then(|| restoration(&file, change, compared.revision))
            .flatten();
        let Some((title, edits)) = candidate else { continue };
        if left == 0 || !goes_on() {
            break;
        }
        left -= 1;
        let Some(edited) = apply(text, &edits) else { continue };
        let none = KnownChanges::default();
        let Some(after) = KnownChanges::find(&edited, compared.revision, compared.by, &none, goes_on) else {
            break;
        };
        let is_same = |it: &FoundChange| key(it) == key(change);
        let is_new = |it: &FoundChange| !compared.known.changes().any(|known| key(known) == key(it));
        if after.changes().any(|it| is_same(it) || is_new(it)) {
            continue;
        }
        if before.is_none() {
            before = judge(text).map(|it| counts(&it));
        }
        let (Some(before), Some(report)) = (&before, judge(&edited)) else {
            break;
        };
        if check::brings_nothing(before, &counts(&report), &report) {
            found.push(Fix {
                title,
                kind: FixKind::Repair,
                problem,
                edits,
                preferred: false,
                changes: Vec::new(),
                drops: false,
            });
        }
    }
    found
}

/// A key that identifies the same change in another text.
fn key(found: &FoundChange) -> (&'static str, &'static str, Option<&str>, Path, &str) {
    let change = &found.change;
    let what = match change.code {
        "enum-changed" => "",
        _ => change.what.as_str(),
    };
    let version = change.version.as_deref();
    (found.finding.code, change.code, version, change.path(), what)
}

/// A CRD and its tree.
#[derive(Clone, Copy)]
struct Crd<'t> {
    tree: &'t Tree,
    node: NodeId,
}

impl Crd<'_> {
    /// The node at a path, if it exists.
    fn at(self, path: &[Segment]) -> Option<NodeId> {
        let found = find_from(self.tree, self.node, &steps(path));
        (found.is_found() && !edits::is_alias(self.tree, found.node)).then_some(found.node)
    }
}

/// The title and the edits that undo a change. `None` if there are several ways to undo it.
fn restoration(file: &File, found: &FoundChange, revision: &Revision) -> Option<(String, Vec<TextEdit>)> {
    let document: Document<'_> = file.document_at(found.finding.span.start)?;
    let (tree, node) = (document.tree, document.root?);
    let metadata = tree.get(node, "metadata")?;
    let name = tree.get(metadata, "name").map(|it| tree.scalar(it))?;
    let (old_tree, old_node) = revision.crd(&name)?;
    let (new, old) = (
        Crd { tree, node },
        Crd {
            tree: old_tree,
            node: old_node,
        },
    );
    let change = &found.change;
    let new_path = change.new_path.as_ref().map(Path::segments);
    let old_path = change.old_path.as_ref().map(Path::segments);
    match change.code {
        "property-removed" => property(new, old, old_path?, change.version.as_deref()?),
        "required-added" => required(new, new_path?, &change.what),
        "rule-added" => rule(new, old, new_path?, None),
        "rule-changed" => rule(new, old, new_path?, old_path),
        "enum-changed" => values(new, old, new_path?, old_path?),
        _ => keyword(new, old, new_path?, old_path?),
    }
}

/// Restores a changed keyword, removes an added one, or adds a removed one.
fn keyword(new: Crd<'_>, old: Crd<'_>, new_path: &[Segment], old_path: &[Segment]) -> Option<(String, Vec<TextEdit>)> {
    let (Segment::Field(name), around) = new_path.split_last()? else {
        return None;
    };
    let (_, old_around) = old_path.split_last()?;
    let (mapping, old_mapping) = (new.at(around)?, old.at(old_around)?);
    match (old.tree.entry(old_mapping, name), new.tree.entry(mapping, name)) {
        (Some(before), Some(now)) => {
            let source = one_line(old.tree, before.value)?;
            let now = new.tree.full_span(now.value);
            let is_one_line = !new.tree.text()[now.range()].contains(['\n', '\r']);
            let edit = is_one_line.then(|| edits::put(now, source))?;
            Some((format!("Restore `{name}` to {}", shown(source)), vec![edit]))
        }
        (None, Some(now)) => {
            let edit = edits::remove_entry(new.tree, mapping, now)?;
            Some((format!("Remove `{name}`, as before"), vec![edit]))
        }
        (Some(before), None) => {
            let edit = edits::insert_like(new.tree, mapping, old.tree, old_mapping, before)?;
            Some((format!("Restore `{name}`"), vec![edit]))
        }
        (None, None) => None,
    }
}

/// Adds removed values to `enum`.
fn values(new: Crd<'_>, old: Crd<'_>, new_path: &[Segment], old_path: &[Segment]) -> Option<(String, Vec<TextEdit>)> {
    let (Some(now), Some(before)) = (new.at(new_path), old.at(old_path)) else {
        return keyword(new, old, new_path, old_path);
    };
    let items = |crd: Crd<'_>, list| -> Option<Vec<(String, String)>> {
        let items = crd.tree.items(list).map(|it| {
            let source = one_line(crd.tree, it)?.to_owned();
            Some((crd.tree.scalar(crd.tree.resolve(it)).into_owned(), source))
        });
        items.collect()
    };
    let known = items(new, now)?;
    let gone = items(old, before)?;
    let gone: Vec<String> = gone
        .into_iter()
        .filter(|it| !known.iter().any(|known| known.0 == it.0))
        .map(|it| it.1)
        .collect();
    let edit = edits::add_as_written(new.tree, now, &gone)?;
    Some((format!("Allow {} again", shown(&gone.join(", "))), vec![edit]))
}

/// Removes a name from `required`.
fn required(new: Crd<'_>, path: &[Segment], name: &str) -> Option<(String, Vec<TextEdit>)> {
    let list = new.at(path)?;
    let tree = new.tree;
    let item = tree.items(list).find(|it| tree.scalar(tree.resolve(*it)) == name)?;
    let edit = without_item(new, path, item)?;
    Some((format!("Do not require `{name}`"), vec![edit]))
}

/// Restores an edited rule, or removes an added one. `before` is the rule's path in the revision.
fn rule(new: Crd<'_>, old: Crd<'_>, path: &[Segment], before: Option<&[Segment]>) -> Option<(String, Vec<TextEdit>)> {
    let (Segment::Index(n), list_path) = path.split_last()? else {
        return None;
    };
    let (tree, list) = (new.tree, new.at(list_path)?);
    let item = tree.items(list).nth(*n)?;
    let text = |crd: Crd<'_>, item: NodeId| {
        let rule = crd.tree.get(crd.tree.resolve(item), "rule")?;
        Some((rule, crd.tree.scalar(rule).into_owned()))
    };
    let (rule, _) = text(new, item)?;
    let old_rule = before.and_then(|it| text(old, old.at(it)?));
    if let Some((before, words)) = old_rule
        && let (Some(source), Some(_)) = (one_line(old.tree, before), one_line(tree, rule))
    {
        let edit = edits::put(tree.full_span(rule), source);
        return Some((format!("Restore the rule to {}", shown(&words)), vec![edit]));
    }
    if before.is_some() {
        return None;
    }
    let edit = without_item(new, list_path, item)?;
    Some(("Remove the new rule".to_owned(), vec![edit]))
}

/// Removes an item of the list at a path. If the list becomes empty, removes the list.
fn without_item(crd: Crd<'_>, list_path: &[Segment], item: NodeId) -> Option<TextEdit> {
    let (tree, list) = (crd.tree, crd.at(list_path)?);
    if tree.items(list).nth(1).is_some() {
        return edits::remove_item(tree, list, item);
    }
    let mapping = crd.at(list_path.split_last()?.1)?;
    let entry = tree.entries(mapping).find(|it| tree.resolve(it.value) == list)?;
    edits::remove_entry(tree, mapping, entry)
}

/// Adds a removed property, with everything below it.
fn property(new: Crd<'_>, old: Crd<'_>, old_path: &[Segment], version: &str) -> Option<(String, Vec<TextEdit>)> {
    let (Segment::Key(name), old_around) = old_path.split_last()? else {
        return None;
    };
    // The version may have a different index in the list now.
    let versions = [Segment::Field("spec".to_owned()), Segment::Field("versions".to_owned())];
    let list = new.at(&versions)?;
    let is_it = |it: NodeId| {
        let name = new.tree.get(new.tree.resolve(it), "name");
        name.is_some_and(|it| new.tree.scalar(it) == version)
    };
    let position = new.tree.items(list).position(is_it)?;
    let mut around = versions.to_vec();
    around.push(Segment::Index(position));
    around.extend_from_slice(old_around.get(3..)?);
    let (mapping, old_mapping) = (new.at(&around)?, old.at(old_around)?);
    let before = old.tree.entry(old_mapping, name)?;
    let edit = edits::insert_like(new.tree, mapping, old.tree, old_mapping, before)?;
    Some((format!("Restore the property `{name}`"), vec![edit]))
}

/// The source text of a value, if it is on one line and means the same at another place.
fn one_line(tree: &Tree, value: NodeId) -> Option<&str> {
    let is_plain = matches!(tree.kind(value), NodeKind::Scalar(_)) && !tree.is_absent(value);
    let source = tree.source(value);
    (is_plain && tree.anchor(value).is_none() && !source.contains(['\n', '\r'])).then_some(source)
}

/// A value, shortened for a title.
fn shown(source: &str) -> String {
    if source.chars().count() <= MAX_SHOWN {
        return format!("`{source}`");
    }
    let short: String = source.chars().take(MAX_SHOWN).collect();
    format!("`{short}…`")
}

#[cfg(test)]
mod tests;
