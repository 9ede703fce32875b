//! Renames a property in test files of its CRD.

use std::{ops::Range, sync::Arc};

use crd_analyzer_syntax::{
    read,
    tree::{NodeId, Span, Tree},
};

use super::Resources;
use crate::{fixes::TextEdit, property::Target, schema::SchemaStep, write};

/// The nodes of a test file that name fields of objects.
#[derive(Clone, Copy, Debug)]
pub struct InTests<'a> {
    /// The tree of the file.
    pub tree: &'a Tree,
    /// Objects that are written as mappings.
    pub objects: &'a [NodeId],
    /// Objects that are written as YAML in a string.
    pub texts: &'a [NodeId],
    /// Strings with the path of a field.
    pub paths: &'a [NodeId],
}

impl Resources {
    /// The edits of a test file whose CRD has the property.
    ///
    /// # Errors
    /// If an object already has a field with the new name, or if the name cannot be written there.
    pub fn of_tests(&self, tests: InTests<'_>, new_name: &str) -> Result<Vec<TextEdit>, String> {
        let tree = tests.tree;
        let mut edits = Vec::new();
        for object in tests.objects.iter().map(|it| tree.resolve(*it)) {
            if self.may_concern(tree, object) {
                edits.extend(self.of_resource(tree, object, new_name)?);
            }
        }
        let refused = || format!("`{new_name}` cannot be written in a test");
        for text in tests.texts {
            let inner: Arc<str> = tree.scalar(*text).into();
            let Ok(inner) = read(&inner, Span::new(0, inner.len() as u32)) else {
                continue;
            };
            let object = inner.root().map(|it| inner.resolve(it));
            let Some(object) = object.filter(|it| self.may_concern(&inner, *it)) else {
                continue;
            };
            for edit in self.of_resource(&inner, object, new_name)? {
                edits.push(TextEdit {
                    span: tree.source_map(*text).span(edit.span.range()),
                    new_text: write::piece(tree, *text, &edit.new_text).ok_or_else(refused)?,
                });
            }
        }
        for path in tests.paths {
            if let Some(name) = name_in(&tree.scalar(*path), &self.target) {
                edits.push(TextEdit {
                    span: tree.source_map(*path).span(name),
                    new_text: write::piece(tree, *path, new_name).ok_or_else(refused)?,
                });
            }
        }
        edits.sort_by_key(|it| it.span.start);
        edits.dedup();
        Ok(edits)
    }

    /// Whether an object of a test may have the property. Objects of tests need not say their kind.
    fn may_concern(&self, tree: &Tree, object: NodeId) -> bool {
        let says = |key| tree.get(object, key).is_some();
        !(says("apiVersion") && says("kind")) || self.concerns(tree, object)
    }
}

/// The bytes of the property's name in the path of the property, or of a field in it. `None` if the path leads elsewhere.
fn name_in(path: &str, target: &Target) -> Option<Range<usize>> {
    let name = SchemaStep::Property(target.name.clone());
    let mut found = 0..0;
    for step in target.object.iter().chain([&name]) {
        let rest = &path[found.end..];
        let (start, length) = match step {
            SchemaStep::Property(name) => {
                let dot = usize::from(found.end > 0);
                let rest = if dot == 1 { rest.strip_prefix('.')? } else { rest };
                let after = rest.strip_prefix(name.as_str())?;
                (after.is_empty() || after.starts_with(['.', '['])).then_some((dot, name.len()))?
            }
            SchemaStep::Items | SchemaStep::Values => (0, rest.strip_prefix('[')?.find(']')? + 2),
        };
        let start = found.end + start;
        found = start..start + length;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_a_property_and_those_in_it() {
        let property = |name: &str| SchemaStep::Property(name.to_owned());
        let target = Target {
            object: vec![property("spec"), property("hosts"), SchemaStep::Items],
            name: "name".to_owned(),
        };
        let found = |path: &str| name_in(path, &target).map(|it| (it.start, path[it].to_owned()));
        assert_eq!(found("spec.hosts[10].name"), Some((15, "name".to_owned())));
        assert_eq!(found("spec.hosts[0].name.first[2]"), Some((14, "name".to_owned())));
        for other in [
            "",
            "spec",
            "spec.hosts[0]",
            "spec.hosts.name",
            "spec.hosts[0].names",
            "status.hosts[0].name",
            "spec.hosts[0",
            "hosts[0].name",
        ] {
            assert_eq!(found(other), None, "{other}");
        }
        let top = Target {
            object: Vec::new(),
            name: "spec".to_owned(),
        };
        assert_eq!(name_in("spec.hosts", &top), Some(0..4));
        assert_eq!(name_in("specs", &top), None);
    }
}
