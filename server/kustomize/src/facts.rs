//! The facts about Kubernetes' own kinds that kustomize knows. They come from a table that kustomize's own code printed
//! (`tests/conformance/kustomize`).

use std::{
    collections::{HashMap, HashSet},
    sync::OnceLock,
};

/// How kustomize merges a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ListMerge<K = &'static str> {
    /// The list of the patch replaces the existing list.
    Replace,
    /// The list is a set of scalars.
    Set,
    /// Items with the same values in these fields are merged.
    Keys(Vec<K>),
}

/// A field of an OpenAPI definition.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// The definition of the field's value, or of its items or values. `None` if it contains no lists that are merged.
    pub(crate) child: Option<&'static str>,
    pub(crate) merge: ListMerge,
}

/// The parsed table.
pub(crate) struct Facts {
    cluster_scoped: HashMap<&'static str, HashSet<&'static str>>,
    kinds: HashMap<&'static str, HashMap<&'static str, &'static str>>,
    fields: HashMap<&'static str, HashMap<&'static str, Field>>,
    /// The lines with field specs. Each has the name of a list, group, version and kind, then the path and whether the field is created. Lines of
    /// references have no path.
    pub(crate) specs: Vec<Vec<&'static str>>,
}

impl Facts {
    /// Whether a kind is known to be cluster-scoped.
    pub(crate) fn is_cluster_scoped(&self, api_version: &str, kind: &str) -> bool {
        self.cluster_scoped.get(api_version).is_some_and(|it| it.contains(kind))
    }

    /// The OpenAPI definition of a kind. `None` if it contains no lists that are merged.
    pub(crate) fn definition(&self, api_version: &str, kind: &str) -> Option<&'static str> {
        self.kinds.get(api_version)?.get(kind).copied()
    }

    pub(crate) fn field(&self, definition: &str, field: &str) -> Option<&Field> {
        self.fields.get(definition)?.get(field)
    }
}

/// The table, parsed on first use.
pub(crate) fn facts() -> &'static Facts {
    static FACTS: OnceLock<Facts> = OnceLock::new();
    FACTS.get_or_init(|| read(include_str!("facts.txt")))
}

fn read(text: &'static str) -> Facts {
    let mut facts = Facts {
        cluster_scoped: HashMap::new(),
        kinds: HashMap::new(),
        fields: HashMap::new(),
        specs: Vec::new(),
    };
    for line in text.lines() {
        let words: Vec<&'static str> = line.split(' ').collect();
        match words[..] {
            ["cluster", api_version, kind] => {
                facts.cluster_scoped.entry(api_version).or_default().insert(kind);
            }
            ["kind", api_version, kind, definition] => {
                facts.kinds.entry(api_version).or_default().insert(kind, definition);
            }
            ["field", definition, field, child, keys] => {
                let merge = match keys {
                    "-" => ListMerge::Replace,
                    "*" => ListMerge::Set,
                    keys => ListMerge::Keys(keys.split(',').collect()),
                };
                let child = (child != "-").then_some(child);
                facts
                    .fields
                    .entry(definition)
                    .or_default()
                    .insert(field, Field { child, merge });
            }
            _ => facts.specs.push(words),
        }
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_table_says() {
        let facts = facts();
        assert!(facts.is_cluster_scoped("apiextensions.k8s.io/v1", "CustomResourceDefinition"));
        assert!(!facts.is_cluster_scoped("v1", "Pod"));
        let pod = facts.definition("v1", "Pod").unwrap();
        let spec = facts.field(pod, "spec").unwrap().child.unwrap();
        let containers = facts.field(spec, "containers").unwrap();
        assert_eq!(containers.merge, ListMerge::Keys(vec!["name"]));
        assert_eq!(facts.definition("example.com/v1", "Pod"), None);
        assert!(facts.specs.iter().any(|it| it[0] == "namePrefix"));
    }
}
