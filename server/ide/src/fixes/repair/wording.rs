//! Quick fixes for misspelt, repeated or useless keys and values.

use std::borrow::Cow;

use crd_analyzer_apiextensions::{
    api::{self, FieldType, Values},
    codes,
};
use crd_analyzer_syntax::{
    paths::Step,
    tree::{NodeId, NodeKind, ScalarStyle, Span, Tree},
};
use crd_analyzer_workspace::{
    judging::{misplaced::lost_schema, mixed_objects::second_object},
    words::meant::meant,
};

use super::{
    super::edits::{put, remove_entry, set_scalar},
    At, Repair, misplaced, typing, values,
};
use crate::{schema, write};

/// A field with at most this many values gets a fix for each of them.
const MOST_VALUES: usize = 6;

/// If a key is repeated, removes all but the last, which is the one that applies.
pub(super) fn duplicate_key(at: &At<'_>, found: &mut Vec<Repair>) {
    let tree = at.tree;
    let Some((own, mapping)) = at.entry.zip(at.mapping()) else {
        return;
    };
    // The document contains two objects, and both need these keys.
    if let Some(second) = second_object(tree) {
        let start = tree.span(second).start;
        let line = tree.text()[..start as usize].rfind('\n').map_or(0, |it| it as u32 + 1);
        if line == start {
            let edit = put(Span::new(start, start), "---\n");
            found.push(Repair::new("Write `---` between the two objects", vec![edit]).safe());
        }
        return;
    }
    let name = tree.scalar(own.key);
    let same: Vec<_> = tree.entries(mapping).filter(|it| tree.scalar(it.key) == name).collect();
    let Some((last, before)) = same.split_last() else {
        return;
    };
    let edits: Option<Vec<_>> = before.iter().map(|it| remove_entry(tree, mapping, *it)).collect();
    if let Some(edits) = edits.filter(|it| !it.is_empty()) {
        let title = format!("Remove the {name} that has no effect");
        let value = tree.source(last.value);
        let is_same = before.iter().all(|it| tree.source(it.value) == value);
        let repair = Repair::new(title, edits);
        // If the repeated values are the same, removing one loses nothing.
        found.push(if is_same { repair.safe() } else { repair.drops() });
    }
    if before.len() == 1
        && let Some(edit) = remove_entry(tree, mapping, *last)
    {
        found.push(Repair::new(format!("Keep the first {name}"), vec![edit]));
    }
}

/// Changes the word at a finding to the one that is meant.
pub(super) fn meant_word(at: &At<'_>) -> Option<Repair> {
    let wanted = at.problem.meant.as_deref()?;
    let is_marked = |it: &NodeId| at.tree.span(*it) == at.problem.span;
    let word = at.entry.map(|it| it.key).into_iter().chain([at.node]).find(is_marked)?;
    let title = format!("Change {} to {wanted}", at.tree.scalar(word));
    Repair::one(title, set_scalar(at.tree, word, wanted)).map(Repair::safe)
}

/// Renames a key of the object that is `apiVersion` or `kind` except for upper and lower case.
pub(super) fn miscased(at: &At<'_>) -> Option<Repair> {
    let tree = at.tree;
    let root = at.document.root?;
    let is_missing = |it: &&str| tree.entry(root, it).is_none();
    let (key, wanted) = ["apiVersion", "kind"]
        .into_iter()
        .filter(is_missing)
        .find_map(|wanted| {
            let mut keys = tree.entries(root).map(|it| it.key);
            let key = keys.find(|it| tree.scalar(*it).eq_ignore_ascii_case(wanted))?;
            Some((key, wanted))
        })?;
    let title = format!("Change {} to {wanted}", tree.scalar(key));
    Repair::one(title, set_scalar(tree, key, wanted)).map(Repair::safe)
}

/// Fixes for an unknown field: rename it to a similar field, or remove it.
pub(super) fn unknown_field(at: &At<'_>, found: &mut Vec<Repair>) {
    let tree = at.tree;
    let Some((own, mapping)) = at.entry.zip(at.mapping()) else {
        return;
    };
    let name = tree.scalar(own.key);
    let mut path: Vec<Step<'_>> = crd_analyzer_syntax::paths::path_of(tree, mapping);
    let structure = loop {
        if let Some(at) = schema::api_at(tree, &path) {
            break match at.ty {
                FieldType::Object(it) => Some(*it),
                FieldType::SchemaOrBool | FieldType::SchemaOrList | FieldType::SchemaOrNames => Some(&api::SCHEMA),
                _ => None,
            };
        }
        if path.pop().is_none() {
            break None;
        }
    };
    if structure.is_some_and(|it| std::ptr::eq(it, &raw const api::SCHEMA))
        && let Some(repair) = misplaced::in_schema(at)
    {
        found.push(repair);
    } else if let Some(structure) = structure {
        let is_free = |it: &&str| tree.entry(mapping, it).is_none();
        let free = structure.fields.iter().map(|it| it.name).filter(is_free);
        let other = || api::field_known_as(&name, structure).filter(is_free);
        if let Some(near) = meant(&name, free).or_else(other) {
            let edit = set_scalar(tree, own.key, near);
            let mut repair = Repair::one(format!("Change {name} to {near}"), edit);
            // The value of the unknown field was never validated. After the rename, an error in it would appear.
            let field = structure.fields.iter().find(|it| it.name == near);
            let of_value = field.and_then(|it| values::value_of(tree, own.value, it));
            if let Some((repair, (_, edit))) = repair.as_mut().zip(of_value) {
                repair.edits.push(edit);
            }
            // Before, the API server silently dropped this field. After the rename, it may accept other resources.
            let is_error = at.problem.code == codes::UNKNOWN_FIELD;
            found.extend(repair.map(|it| if is_error { it.safe() } else { it }));
        }
    }
    // Without the key, the lines after it would belong to the schema around them.
    if !lost_schema(tree, mapping, own) {
        let edit = remove_entry(tree, mapping, own);
        found.extend(Repair::one(format!("Remove {name}"), edit));
    }
}

/// Quotes the values of labels and annotations that are not strings.
pub(super) fn quoted_metadata(at: &At<'_>) -> Option<Repair> {
    let tree = at.tree;
    let around = std::iter::once(at.node).chain(tree.ancestors(at.node));
    let metadata = around.into_iter().find(|it| {
        let entry = tree.entry_of(*it);
        entry.is_some_and(|entry| entry.value == *it && tree.scalar(entry.key) == "metadata")
    })?;
    let maps = ["labels", "annotations"]
        .into_iter()
        .filter_map(|it| schema::child(tree, metadata, it));
    let values = maps.flat_map(|it| tree.entries(it)).map(|it| it.value);
    let is_other = |it: &NodeId| {
        let ty = tree.is_scalar(*it).then(|| typing::type_of(tree, *it)).flatten();
        matches!(ty, Some("integer" | "number" | "boolean"))
    };
    let edits: Vec<_> = values
        .filter(is_other)
        .map(|it| put(tree.span(it), format!("\"{}\"", tree.source(it))))
        .collect();
    (!edits.is_empty()).then(|| Repair::new("Quote the values of labels and annotations", edits).safe())
}

/// Changes a value that is not allowed to a similar one that is.
pub(super) fn known_value(at: &At<'_>, found: &mut Vec<Repair>) {
    if !at.tree.is_scalar(at.node) || at.tree.is_absent(at.node) {
        return;
    }
    // Fields of custom resources may have names of fields of CRDs.
    if !schema::has_api_fields(at.tree, &at.path) {
        return;
    }
    let Some(field) = schema::api_at(at.tree, &at.path).and_then(|it| it.field) else {
        return;
    };
    let (Values::Closed(values) | Values::Open(values)) = &field.values else {
        return;
    };
    let written = at.tree.scalar(at.node);
    let near = meant(&written, values.iter().map(|it| it.text));
    let is_closed = matches!(field.values, Values::Closed(_));
    let offered: Vec<&str> = match near {
        Some(near) => vec![near],
        None if is_closed && values.len() <= MOST_VALUES => values.iter().map(|it| it.text).collect(),
        None => Vec::new(),
    };
    for value in offered {
        let edit = set_scalar(at.tree, at.node, value);
        let repair = Repair::one(format!("Change {written} to {value}"), edit);
        let is_certain = is_closed && near.is_some();
        found.extend(repair.map(|it| if is_certain { it.safe() } else { it }));
    }
}

/// Fixes for a value of the wrong type: add or remove quotes, or add brackets.
pub(super) fn other_type(at: &At<'_>, found: &mut Vec<Repair>) {
    typing::required_flag(at, found);
    let field = schema::api_at(at.tree, &at.path);
    found.extend(field.and_then(|it| values::only_part(at.tree, at.node, it.ty)));
    let edit = field.and_then(|it| values::typed(at.tree, at.node, it.ty));
    found.extend(edit.map(|(title, edit)| Repair::new(title, vec![edit]).safe()));
}

/// Removes a comment. If nothing else is on its line, removes the line.
pub(super) fn without_comment(tree: &Tree, comment: Span) -> Repair {
    let text = tree.text();
    let before = &text[..comment.start as usize];
    let start = before.trim_end_matches(' ').len();
    let is_alone = before[..start].is_empty() || before[..start].ends_with('\n');
    let rest = &text[comment.end as usize..];
    let end = match rest.find('\n') {
        Some(at) if is_alone => comment.end as usize + at + 1,
        _ => comment.end as usize,
    };
    let edit = put(Span::new(start as u32, end as u32), "");
    Repair::new("Remove the comment", vec![edit]).safe()
}

/// Puts a message on one line.
pub(super) fn one_line(at: &At<'_>, found: &mut Vec<Repair>) {
    let tree = at.tree;
    if !tree.is_scalar(at.node) {
        return;
    }
    let words: Vec<_> = tree.scalar(at.node).split_whitespace().map(ToOwned::to_owned).collect();
    let line = words.join(" ");
    let Some(written) = write::plain_or_quoted(&line).filter(|_| !line.is_empty()) else {
        return;
    };
    let source = tree.source(at.node);
    let tail = if source.ends_with('\n') { "\n" } else { "" };
    let edit = put(tree.span(at.node), format!("{written}{tail}"));
    found.push(Repair::new("Put the message on one line", vec![edit]));
}

/// Puts a rule on one line, because a rule with several lines needs a message.
pub(super) fn fold(at: &At<'_>, found: &mut Vec<Repair>) {
    let tree = at.tree;
    let around = std::iter::once(at.node).chain(tree.ancestors(at.node));
    let rule = around.into_iter().find_map(|it| schema::child(tree, it, "rule"));
    let Some(rule) = rule else { return };
    if tree.kind(rule) != NodeKind::Scalar(ScalarStyle::Literal) {
        return;
    }
    let text: Cow<'_, str> = tree.scalar(rule);
    let span = tree.span(rule);
    let header = tree.source(rule).lines().next().unwrap_or_default();
    // A comment extends to the end of its line.
    if text.contains("//") || header.trim() != "|" && header.trim() != "|-" {
        return;
    }
    let source = tree.source(rule);
    let break_at = source.find('\n').unwrap_or(source.len());
    let content = &source[break_at..];
    let first = content.lines().find(|it| !it.trim().is_empty()).unwrap_or_default();
    let indentation = &first[..first.len() - first.trim_start().len()];
    // In a folded scalar, more indented lines would keep their line breaks.
    let end = if source[..break_at].ends_with('\r') {
        "\r\n"
    } else {
        "\n"
    };
    let lines = content.lines().map(str::trim).filter(|it| !it.is_empty());
    let folded = lines.fold(String::new(), |folded, line| folded + end + indentation + line);
    let tail = if source.ends_with('\n') { end } else { "" };
    let edit = put(span, format!(">-{folded}{tail}"));
    found.push(Repair::new("Fold the rule into one line", vec![edit]));
}
