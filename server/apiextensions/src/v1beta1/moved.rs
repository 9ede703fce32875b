//! The text of entries of `spec` after they move to each version.

use crd_analyzer_syntax::tree::{CollectionStyle, Entry, NodeId, NodeKind, Tree};

use super::block::{column, entry_lines, reindent};

/// A change to a part of a text.
pub(super) struct Change {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) text: String,
}

/// The lines of an entry of `spec` with `changes` applied, its key renamed to `name`, and indented for a version.
pub(super) fn lines(tree: &Tree, entry: Entry, name: &str, mut changes: Vec<Change>, indent: usize) -> String {
    let text = tree.text();
    let key = tree.full_span(entry.key);
    changes.push(Change {
        start: key.start as usize,
        end: key.end as usize,
        text: name.to_owned(),
    });
    changes.sort_by_key(|it| it.start);
    let whole = entry_lines(tree, entry);
    let mut out = String::with_capacity(whole.range().len() + 64);
    let mut at = whole.start as usize;
    for change in changes {
        out.push_str(&text[at..change.start]);
        out.push_str(&change.text);
        at = change.end;
    }
    out.push_str(&text[at..whole.end as usize]);
    reindent(&out, column(text, key.start as usize), indent)
}

/// Renames the path of printer columns, which has another key in v1.
pub(super) fn rename_json_path(tree: &Tree, columns: NodeId) -> Vec<Change> {
    let keys = tree
        .items(columns)
        .filter_map(|it| tree.entry(it, "JSONPath"))
        .map(|it| tree.span(it.key));
    keys.map(|it| Change {
        start: it.start as usize,
        end: it.end as usize,
        text: "jsonPath".to_owned(),
    })
    .collect()
}

/// Inserts missing keywords before the first keyword of a schema.
pub(super) fn add_keywords(tree: &Tree, schema: NodeId, keywords: &[(&str, &str)]) -> Option<Change> {
    let text = tree.text();
    let missing = keywords.iter().filter(|(name, _)| tree.get(schema, name).is_none());
    let first = tree.entries(schema).next();
    match (tree.kind(schema), first) {
        (NodeKind::Mapping(CollectionStyle::Block), Some(first)) => {
            let start = tree.full_span(first.key).start as usize;
            let indent = " ".repeat(column(text, start));
            let mut text = String::new();
            for (name, value) in missing {
                text.extend([*name, ": ", *value, "\n", indent.as_str()]);
            }
            Some(Change {
                start,
                end: start,
                text,
            })
        }
        (NodeKind::Mapping(CollectionStyle::Flow), first) => {
            let start = tree.span(schema).start as usize + 1;
            let added: Vec<String> = missing.map(|(name, value)| format!("{name}: {value}")).collect();
            let comma = if first.is_some() && !added.is_empty() { ", " } else { "" };
            Some(Change {
                start,
                end: start,
                text: added.join(", ") + comma,
            })
        }
        _ => None,
    }
}
