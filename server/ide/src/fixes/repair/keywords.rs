//! Quick fixes for keywords of a schema that contradict each other, and for rules without effect.

use crd_analyzer_syntax::tree::{NodeId, NodeKind};

use super::{
    super::edits::{Value, put, remove_entry, remove_item, set_scalar},
    At, Repair,
};
use crate::schema::{child, text};

/// Fixes for a schema with a keyword that does not apply to the schema's type.
pub(super) fn of_other_type(at: &At<'_>, keyword: &str, ty: &str, found: &mut Vec<Repair>) {
    let Some(schema) = at.schema() else { return };
    if ty == "object" {
        let edit = child(at.tree, schema, "type").and_then(|it| set_scalar(at.tree, it, ty));
        found.extend(Repair::one(format!("Set type: {ty}"), edit));
    }
    found.extend(Repair::one(format!("Remove {keyword}"), at.remove(schema, keyword)));
}

/// Replaces a list of schemas in `items` with a single one.
pub(super) fn single_items(at: &At<'_>, found: &mut Vec<Repair>) {
    let tree = at.tree;
    let list = at.schema().and_then(|it| child(tree, it, "items"));
    let list = list.filter(|it| matches!(tree.kind(*it), NodeKind::Sequence(_)));
    let Some(list) = list else { return };
    let items: Vec<_> = tree.items(list).collect();
    let [only] = items.as_slice() else { return };
    let source = tree.source(*only);
    if !source.contains('\n') {
        found.push(Repair::new(
            "Use this schema for all items",
            vec![put(tree.span(list), source)],
        ));
    }
}

/// Marks the objects in a set as atomic, because set items are replaced as a whole.
pub(super) fn atomic_items(at: &At<'_>, found: &mut Vec<Repair>) {
    let tree = at.tree;
    let around = std::iter::once(at.node).chain(tree.ancestors(at.node));
    let list = around
        .into_iter()
        .find(|it| child(tree, *it, "x-kubernetes-list-type").is_some());
    let Some(list) = list else { return };
    if let Some(items) = child(tree, list, "items") {
        let (key, value) = match text(tree, items, "type").as_deref() {
            Some("array") => ("x-kubernetes-list-type", "atomic"),
            _ => ("x-kubernetes-map-type", "atomic"),
        };
        let edit = match child(tree, items, key) {
            Some(written) => set_scalar(tree, written, value),
            None => at.insert(items, key, &Value::text_of(value)),
        };
        found.extend(Repair::one(format!("Set {key}: {value} for the items"), edit));
    }
    let edit = child(tree, list, "x-kubernetes-list-type").and_then(|it| set_scalar(tree, it, "atomic"));
    found.extend(Repair::one("Make it a list of type atomic", edit));
}

/// Fixes for a pattern that Go cannot parse. A negative lookahead at the start, which Go does not support, can become a rule.
pub(super) fn pattern(at: &At<'_>, found: &mut Vec<Repair>) {
    let tree = at.tree;
    let Some(schema) = at.schema() else { return };
    let Some(written) = child(tree, schema, "pattern") else {
        return;
    };
    let pattern = tree.scalar(written);
    if let Some((refused, rest)) = without_lookahead(&pattern)
        && child(tree, schema, crate::cel::RULES).is_none()
    {
        let quoted = refused.replace('\\', "\\\\").replace('\'', "\\'");
        let rule = format!("!self.matches('^(?:{quoted})')").replace('\'', "''");
        let rules = Value::AsWritten(format!("[{{rule: '{rule}'}}]"));
        if let (Some(edit), Some(insert)) = (
            set_scalar(tree, written, &format!("^{rest}")),
            at.insert(schema, crate::cel::RULES, &rules),
        ) {
            found.push(Repair::new("Write the condition as a rule", vec![edit, insert]));
        }
    }
    found.extend(Repair::one("Remove pattern", at.remove(schema, "pattern")));
}

/// Splits a pattern into the pattern in a `(?!…)` at its start, and the rest.
fn without_lookahead(pattern: &str) -> Option<(&str, &str)> {
    let inner = pattern.strip_prefix("^(?!")?;
    let (refused, rest) = inner.split_once(')')?;
    (!refused.contains(['(', '[', '\\'])).then_some((refused, rest))
}

/// Removes the rule that contains the finding.
pub(super) fn rule(at: &At<'_>, found: &mut Vec<Repair>) {
    let tree = at.tree;
    let around = || std::iter::once(at.node).chain(tree.ancestors(at.node));
    let is_rules = |it: &NodeId| {
        let entry = tree.entry_of(*it);
        entry.is_some_and(|entry| entry.value == *it && tree.scalar(entry.key) == crate::cel::RULES)
    };
    let all: Vec<NodeId> = around().collect();
    let Some(place) = all.iter().position(is_rules).filter(|it| *it > 0) else {
        return;
    };
    let (rule, list) = (all[place - 1], all[place]);
    let edit = remove_item(tree, list, rule).or_else(|| {
        let entry = tree.entry_of(list)?;
        remove_entry(tree, tree.parent(entry.key)?, entry)
    });
    found.extend(Repair::one("Remove the rule", edit));
}

/// Removes the list item that contains the finding.
pub(super) fn item(at: &At<'_>, found: &mut Vec<Repair>) {
    let tree = at.tree;
    let around = std::iter::once(at.node).chain(tree.ancestors(at.node));
    let item = around.into_iter().find_map(|it| {
        let list = tree.parent(it)?;
        matches!(tree.kind(list), NodeKind::Sequence(_)).then_some((list, it))
    });
    if let Some((list, item)) = item {
        found.extend(Repair::one("Remove the item", remove_item(tree, list, item)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lookahead_is_taken_off_the_beginning() {
        assert_eq!(without_lookahead("^(?!kube-).*$"), Some(("kube-", ".*$")));
        assert_eq!(without_lookahead("^(?!a(b)).*$"), None);
        assert_eq!(without_lookahead("^a(?!b)$"), None);
    }
}
