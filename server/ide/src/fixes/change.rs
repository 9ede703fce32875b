//! Converts a change of an object to an edit of its text.
//!
//! The paths of a change start at the root of the checked object. In the text, that object may be an item of a list, or the text may contain only a
//! part of it. So the paths are used relative to the finding: up from the finding's field to the parent that it has in common with the changed field,
//! and down from there.

use crd_analyzer_diagnostic::{Change, Value};
use crd_analyzer_schema::field::{Path, Segment};
use crd_analyzer_syntax::{
    paths::{self, PathTarget, Step},
    tree::Tree,
};

use super::{
    TextEdit,
    edits::{flow, insert_entry, put, remove_entry, remove_item, set_scalar},
};

/// The edit for a change, and the same change with the path of its field in the tree. `found` is the path of the finding's field in the tree, `place`
/// the path of the same field in the checked object. `None` if the text has another form than the change expects.
pub(super) fn edit(tree: &Tree, found: &[Step<'_>], place: &Path, change: &Change) -> Option<(TextEdit, Change)> {
    let field = change.path().segments();
    let (way, target) = find(tree, found, place.segments(), field)?;
    let (node, missing) = (tree.resolve(target.node), target.missing);
    let edit = match change {
        Change::Set(_, value) if missing > 0 => {
            let (first, rest) = field[field.len() - missing..].split_first()?;
            let value = rest.iter().rev().try_fold(value.clone(), |value, step| {
                let key = name(step)?;
                Some(Value::entry(key, value))
            })?;
            insert_entry(tree, node, name(first)?, &value)
        }
        _ if missing > 0 => None,
        Change::Set(_, Value::Text(text)) => tree.is_scalar(node).then(|| set_scalar(tree, node, text))?,
        Change::Set(_, value) => {
            let is_written = tree.is_scalar(node) && !tree.is_absent(node);
            is_written.then_some(())?;
            Some(put(tree.span(node), flow(value, false)?))
        }
        Change::Remove(_) => {
            let around = tree.parent(target.key.unwrap_or(target.node))?;
            match target.key {
                Some(key) => remove_entry(tree, around, tree.entry_of(key)?),
                None => remove_item(tree, around, target.node),
            }
        }
        Change::Rename(_, name) => set_scalar(tree, target.key?, name),
        Change::Splice(_, bytes, text) => {
            let has_them = tree.is_scalar(node) && tree.scalar(node).get(bytes.clone()).is_some();
            has_them.then(|| put(tree.source_map(node).span(bytes.clone()), text))
        }
    };
    Some((edit?, change.clone().at(path(&way))))
}

/// Converts a path in a tree to a path in an object.
pub(crate) fn path(way: &[Step<'_>]) -> Path {
    let segments = way.iter().map(|step| match step {
        Step::Key(key) => Segment::Field(key.clone().into_owned()),
        Step::Index(index) => Segment::Index(*index),
    });
    segments.collect()
}

/// The path to a field and its node. If the field does not exist, the part of the path that exists.
fn find<'s>(
    tree: &Tree,
    found: &[Step<'s>],
    place: &[Segment],
    field: &'s [Segment],
) -> Option<(Vec<Step<'s>>, PathTarget)> {
    let shared = place.iter().zip(field).take_while(|(one, other)| is_same(one, other));
    let shared = shared.count();
    // The finding may be at a part of its field.
    let down = &place[shared.min(place.len().checked_sub(1)?)..];
    let is_it = |end: &usize| {
        let steps = found[..*end].iter().rev().zip(down.iter().rev());
        steps.into_iter().all(|(step, segment)| leads(step, segment))
    };
    let end = (down.len()..=found.len()).rev().find(is_it)?;
    let object = &found[..end.checked_sub(place.len() - shared)?];
    let steps = field[shared..].iter().map(|segment| match segment {
        Segment::Field(name) | Segment::Key(name) => Step::key(name),
        Segment::Index(index) => Step::Index(*index),
    });
    let way: Vec<Step<'s>> = object.iter().cloned().chain(steps).collect();
    let target = paths::find(tree, &way)?;
    (target.missing <= field.len() - shared).then_some((way, target))
}

fn leads(step: &Step<'_>, segment: &Segment) -> bool {
    match (step, segment) {
        (Step::Key(key), _) => name(segment) == Some(key),
        (Step::Index(one), Segment::Index(other)) => one == other,
        (Step::Index(_), _) => false,
    }
}

fn is_same(one: &Segment, other: &Segment) -> bool {
    match (one, other) {
        (Segment::Index(one), Segment::Index(other)) => one == other,
        _ => name(one).is_some() && name(one) == name(other),
    }
}

/// The name of a step; `None` for an index.
fn name(segment: &Segment) -> Option<&str> {
    match segment {
        Segment::Field(name) | Segment::Key(name) => Some(name),
        Segment::Index(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crd_analyzer_syntax::{read, tree::Span};

    use super::{super::apply, *};

    const TEXT: &str = "a: {list: [x, y]}\nb:\n- name: \"o\\u006ee\" # said\n  size: 1\nc: {name: two}\n";

    /// Parses a path of names and numbers separated by dots.
    fn path(text: &str) -> Path {
        let segment = |it: &str| {
            it.parse()
                .map_or_else(|_| Segment::Field(it.to_owned()), Segment::Index)
        };
        text.split('.').map(segment).collect()
    }

    /// Applies a change to the object in the test text. `place` is the path of the finding.
    fn changed(place: &str, change: &Change) -> Option<String> {
        let text: Arc<str> = TEXT.into();
        let tree = read(&text, Span::new(0, text.len() as u32)).expect("YAML");
        let found: Vec<Step<'_>> = place
            .split('.')
            .map(|it| it.parse().map_or_else(|_| Step::key(it), Step::Index))
            .collect();
        apply(&text, &[edit(&tree, &found, &path(place), change)?.0])
    }

    #[track_caller]
    fn check(place: &str, change: &Change, old: &str, new: &str) {
        assert!(TEXT.contains(old), "{old:?}");
        assert_eq!(changed(place, change), Some(TEXT.replacen(old, new, 1)));
    }

    #[test]
    fn fields_are_set_removed_renamed_and_spliced() {
        let text = |it: &str| Value::text_of(it);
        check(
            "b.0.name",
            &Change::Set(path("b.0.name"), text("new")),
            "\"o\\u006ee\"",
            "\"new\"",
        );
        check(
            "b.0.name",
            &Change::Set(path("b.0.size"), Value::Bool(true)),
            "size: 1",
            "size: true",
        );
        check("b.0.name", &Change::Remove(path("b.0.size")), "  size: 1\n", "");
        check("b.0.name", &Change::Remove(path("a.list.1")), "[x, y]", "[x]");
        check(
            "b.0.name",
            &Change::Rename(path("c.name"), "title".to_owned()),
            "c: {name",
            "c: {title",
        );
        // The range counts bytes of the decoded value, not of its source text.
        let splice = Change::Splice(path("b.0.name"), 1..3, "ld".to_owned());
        check("b.0.name", &splice, "\"o\\u006ee\"", "\"old\"");
    }

    #[test]
    fn what_is_missing_is_added_with_the_objects_around_it() {
        let set = |at: &str| Change::Set(path(at), Value::Map(Vec::new()));
        check(
            "c.name",
            &set("c.sub.status"),
            "{name: two",
            "{sub: {status: {}}, name: two",
        );
        check("b.0.name", &set("b.0.sub"), "- name:", "- sub: {}\n  name:");
        assert_eq!(changed("c.name", &set("c.sub.0")), None, "an item");
        assert_eq!(changed("c.name", &Change::Remove(path("c.sub"))), None);
        assert_eq!(changed("c.name", &Change::Rename(path("c.sub"), "x".to_owned())), None);
        assert_eq!(
            changed("c.name", &Change::Splice(path("c.name"), 2..9, String::new())),
            None
        );
    }

    #[test]
    fn the_way_is_relative_to_the_finding() {
        let text: Arc<str> = TEXT.into();
        let tree = read(&text, Span::new(0, text.len() as u32)).expect("YAML");
        let remove = Change::Remove(path("spec.versions.0.size"));
        let place = path("spec.versions.0.name");
        let found = [Step::key("b"), Step::Index(0), Step::key("name")];
        let edit = |found: &[Step<'_>]| edit(&tree, found, &place, &remove);
        let (edited, change) = edit(&found).expect("an edit");
        assert_eq!(change, Change::Remove(path("b.0.size")));
        let edited = apply(&text, &[edited]);
        assert_eq!(edited, Some(TEXT.replace("  size: 1\n", "")));
        // A finding that is deeper in the field is treated like one at the field.
        let deeper = [&found[..], &[Step::Index(0)]].concat();
        assert_eq!(edit(&deeper), edit(&found));
        assert_eq!(edit(&found[..2]), None, "another place");
        assert_eq!(edit(&[]), None);
    }
}
