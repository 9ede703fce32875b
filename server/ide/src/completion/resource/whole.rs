//! Snippets for whole resources in a document without content.

use crd_analyzer_apiextensions::types::compare_version_names;

use super::{super::Context, Item, ItemKind, View, required};

/// The maximum number of kinds whose CRDs are read for a list. If there are more, only those that start with the typed text are offered.
const MOST_KINDS: usize = 40;

/// Whether there are more kinds than a list shows. If so, the list depends on the typed text.
pub(in super::super) fn are_many(context: &Context<'_, '_>) -> bool {
    context.request.definitions.kinds().len() > MOST_KINDS
}

/// A snippet for a resource of each known kind, with its name and required fields.
pub(super) fn resources(context: &Context<'_, '_>) -> Vec<Item> {
    if !context.request.snippets || !context.writer.can_have_lines() {
        return Vec::new();
    }
    let definitions = context.request.definitions;
    let mut kinds = definitions.kinds();
    if kinds.len() > MOST_KINDS {
        let typed = context.typed().to_lowercase();
        kinds.retain(|it| !typed.is_empty() && it.kind.to_lowercase().starts_with(&typed));
    }
    kinds.sort_by(|one, other| (&one.kind, &one.group).cmp(&(&other.kind, &other.group)));
    kinds.dedup();
    kinds.truncate(MOST_KINDS);
    let step = context.writer.layout().indent;
    let known = kinds
        .into_iter()
        .filter_map(|kind| Some((definitions.find(&kind)?, kind)));
    known
        .filter_map(|(definition, kind)| {
            let version = definition
                .versions()
                .into_iter()
                .max_by(|a, b| compare_version_names(a, b))?;
            let root = definition.schema(&version)?;
            let schema = &definition.tree;
            let view = View::root(schema, schema.resolve(root.node));
            let mut lines = vec![
                (0, format!("apiVersion: {}/{version}", kind.group)),
                (0, format!("kind: {}", kind.kind)),
                (0, "metadata:".to_owned()),
                (step, format!("name: ${{1:{}}}", kind.kind.to_lowercase())),
            ];
            lines.extend(required::spec(context, &view, 1));
            let mut item = Item::new(format!("{} …", kind.kind), ItemKind::Snippet);
            item.detail = Some(format!("{}/{version}", kind.group));
            item.documentation = Some("A resource with its name and its required fields.".into());
            context.writer.lines(&mut item, &lines);
            Some(item)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stable_versions_come_before_new_ones() {
        let mut versions = ["v1beta2", "v1", "v2alpha1", "v1beta1", "v10"];
        versions.sort_by(|a, b| compare_version_names(b, a));
        assert_eq!(versions, ["v10", "v1", "v1beta2", "v1beta1", "v2alpha1"]);
    }
}
