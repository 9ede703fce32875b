//! Field specs: the fields that a transformer changes, by kind (`sigs.k8s.io/kustomize/api/types/fieldspec.go`, `filters/fieldspec`).

use crate::{
    facts::facts,
    id::Gvk,
    node::{Node, Place, Value},
    problem::{Problem, Result},
};

/// A field of some kinds.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct FieldSpec {
    /// The kinds.
    pub(crate) gvk: Gvk,
    /// The field: names separated by `/`, those of lists may end in `[]`.
    pub(crate) path: String,
    /// The field is made where it is missing.
    pub(crate) create: bool,
}

/// Who refers to objects of a kind by name.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct NameReference {
    /// The kind that is referred to.
    pub(crate) target: Gvk,
    /// The fields that hold its name.
    pub(crate) referrers: Vec<FieldSpec>,
}

/// The fields that transformers change (`TransformerConfig`).
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Config {
    pub(crate) name_prefix: Vec<FieldSpec>,
    pub(crate) name_suffix: Vec<FieldSpec>,
    pub(crate) namespace: Vec<FieldSpec>,
    pub(crate) common_labels: Vec<FieldSpec>,
    pub(crate) labels: Vec<FieldSpec>,
    pub(crate) template_labels: Vec<FieldSpec>,
    pub(crate) volume_claim_template_labels: Vec<FieldSpec>,
    pub(crate) common_annotations: Vec<FieldSpec>,
    pub(crate) var_references: Vec<FieldSpec>,
    pub(crate) images: Vec<FieldSpec>,
    pub(crate) replicas: Vec<FieldSpec>,
    pub(crate) name_references: Vec<NameReference>,
}

/// The names of the lists in a configuration, without that of the name references.
pub(crate) const LISTS: [&str; 11] = [
    "namePrefix",
    "nameSuffix",
    "namespace",
    "commonLabels",
    "labels",
    "templateLabels",
    "volumeClaimTemplateLabels",
    "commonAnnotations",
    "varReference",
    "images",
    "replicas",
];

impl Config {
    /// The list of this name.
    pub(crate) fn list_mut(&mut self, name: &str) -> Option<&mut Vec<FieldSpec>> {
        Some(match name {
            "namePrefix" => &mut self.name_prefix,
            "nameSuffix" => &mut self.name_suffix,
            "namespace" => &mut self.namespace,
            "commonLabels" => &mut self.common_labels,
            "labels" => &mut self.labels,
            "templateLabels" => &mut self.template_labels,
            "volumeClaimTemplateLabels" => &mut self.volume_claim_template_labels,
            "commonAnnotations" => &mut self.common_annotations,
            "varReference" => &mut self.var_references,
            "images" => &mut self.images,
            "replicas" => &mut self.replicas,
            _ => return None,
        })
    }

    /// Adds another configuration.
    pub(crate) fn merge(&mut self, mut other: Self) -> Result<()> {
        for name in LISTS {
            let more = other.list_mut(name).map(std::mem::take).unwrap_or_default();
            if let Some(list) = self.list_mut(name) {
                merge_specs(list, more)?;
            }
        }
        for more in other.name_references {
            match self.name_references.iter_mut().find(|it| it.target == more.target) {
                Some(known) => merge_specs(&mut known.referrers, more.referrers)?,
                None => self.name_references.push(more),
            }
        }
        Ok(())
    }
}

/// What kustomize changes unless a configuration says more (`MakeDefaultConfig`).
pub(crate) fn default_config() -> Config {
    let word = |text: &str| if text == "-" { String::new() } else { text.to_owned() };
    let gvk = |group: &str, version: &str, kind: &str| Gvk {
        group: word(group),
        version: word(version),
        kind: word(kind),
    };
    let mut config = Config::default();
    for words in &facts().specs {
        match words[..] {
            ["reference", group, version, kind] => config.name_references.push(NameReference {
                target: gvk(group, version, kind),
                referrers: Vec::new(),
            }),
            [list, group, version, kind, path, create] => {
                let spec = FieldSpec {
                    gvk: gvk(group, version, kind),
                    path: path.to_owned(),
                    create: create == "true",
                };
                let specs = if list == "nameReference" {
                    config.name_references.last_mut().map(|it| &mut it.referrers)
                } else {
                    config.list_mut(list)
                };
                if let Some(specs) = specs {
                    specs.push(spec);
                }
            }
            _ => {}
        }
    }
    config
}

/// Adds those that are not there yet (`FsSlice.MergeAll`).
pub(crate) fn merge_specs(list: &mut Vec<FieldSpec>, more: Vec<FieldSpec>) -> Result<()> {
    for spec in more {
        let known = list
            .iter()
            .find(|it| it.gvk.is_selected(&spec.gvk) && it.path == spec.path);
        match known {
            None => list.push(spec),
            Some(known) if known.create == spec.create => {}
            Some(_) => {
                let message = format!("the field specs for `{}` contradict each other in `create`", spec.path);
                return Err(Problem::fails(None, message));
            }
        }
    }
    Ok(())
}

/// What is made where a field is missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Create {
    Scalar,
    Map,
}

/// A change of the values that a field spec leads to.
pub(crate) struct Change<'a> {
    /// What is made where the spec says so.
    pub(crate) create: Option<Create>,
    /// The place of what is made.
    pub(crate) place: Place,
    pub(crate) set: &'a mut dyn FnMut(&mut Node) -> Result<()>,
}

impl Change<'_> {
    /// Changes what the specs lead to in an object of this kind.
    pub(crate) fn apply_all(&mut self, object: &mut Node, gvk: &Gvk, specs: &[FieldSpec]) -> Result<()> {
        specs.iter().try_for_each(|it| self.apply(object, gvk, it))
    }

    /// The same for one spec.
    pub(crate) fn apply(&mut self, object: &mut Node, gvk: &Gvk, spec: &FieldSpec) -> Result<()> {
        if !gvk.is_selected(&spec.gvk) {
            return Ok(());
        }
        let path = split_path(&spec.path, '/');
        self.descend(object, &path, spec)
    }

    fn descend(&mut self, node: &mut Node, path: &[String], spec: &FieldSpec) -> Result<()> {
        let Some((first, rest)) = path.split_first() else {
            return (self.set)(node);
        };
        match &mut node.value {
            Value::Null { .. } => Ok(()),
            Value::List(items) => items.iter_mut().try_for_each(|it| self.descend(it, path, spec)),
            Value::Map(_) => {
                let name = first.strip_suffix("[]").unwrap_or(first);
                let is_list = name != first;
                let made = if !spec.create || is_list {
                    None
                } else if rest.is_empty() {
                    self.create
                } else {
                    self.create.and(Some(Create::Map))
                };
                if node.get(name).is_none() {
                    let value = match made {
                        None => return Ok(()),
                        Some(Create::Scalar) => Value::Null { is_written: false },
                        Some(Create::Map) => Value::Map(Vec::new()),
                    };
                    node.set(name, self.place, Node::new(self.place, value));
                }
                let Some(field) = node.get_mut(name) else { return Ok(()) };
                if field.is_null() {
                    match made {
                        _ if is_list => field.value = Value::List(Vec::new()),
                        None => {}
                        Some(Create::Map) => *field = Node::empty_map(self.place),
                        Some(Create::Scalar) => {}
                    }
                }
                self.descend(field, rest, spec)
            }
            _ => {
                let message = format!(
                    "`{}` leads through a value that is neither a list nor an object",
                    spec.path
                );
                Err(Problem::fails(node.place, message))
            }
        }
    }
}

/// `PathSplitter`: the parts of a path, whose delimiter is written with a backslash inside them.
pub(crate) fn split_path(path: &str, delimiter: char) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut pieces = path.split(delimiter).peekable();
    if path.contains(delimiter) && pieces.peek() == Some(&"") {
        pieces.next();
    }
    for piece in pieces {
        match parts.last_mut() {
            Some(last) if last.ends_with('\\') => {
                last.pop();
                last.push(delimiter);
                last.push_str(piece);
            }
            _ => parts.push(piece.to_owned()),
        }
    }
    parts
}

/// `SmarterPathSplitter`: the same for paths with points, in which `[a.b]` is one part.
pub(crate) fn split_field_path(path: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut split = split_path(path, '.').into_iter();
    while let Some(mut part) = split.next() {
        if part.starts_with('[') && !part.ends_with(']') {
            for more in split.by_ref() {
                part.push('.');
                part.push_str(&more);
                if part.ends_with(']') {
                    break;
                }
            }
            if !part.contains('=') {
                let inner = part.trim_matches(['[', ']']).to_owned();
                part = inner;
            }
        }
        parts.push(part);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        assert_eq!(split_path("/a/b\\/c/d", '/'), ["a", "b/c", "d"]);
        assert_eq!(split_path("a", '/'), ["a"]);
        assert_eq!(
            split_field_path("spec.[name=a.b].x.[c.d]"),
            ["spec", "[name=a.b]", "x", "c.d"]
        );
    }
}
