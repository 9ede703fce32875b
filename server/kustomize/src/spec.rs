//! Field specs, which name the fields that a transformer changes, and the kinds that have them (`sigs.k8s.io/kustomize/api/types/fieldspec.go`,
//! `filters/fieldspec`).

use std::sync::{Arc, OnceLock};

use crd_analyzer_budget as budget;

use crate::{
    facts::facts,
    id::Gvk,
    node::{Node, Place, Value},
    problem::{Problem, Result},
    spend,
};

/// A field that a transformer changes, in some kinds.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct FieldSpec {
    /// The kinds that have the field.
    pub(crate) gvk: Gvk,
    /// The path of the field: names separated by `/`. The names of lists may end with `[]`.
    pub(crate) path: Arc<str>,
    /// Whether to create the field if it is missing.
    pub(crate) create: bool,
}

/// The fields that refer to objects of a kind by their name.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct NameReference {
    /// The kind of the objects to which the fields refer.
    pub(crate) target: Gvk,
    /// The fields that contain the name of such an object.
    pub(crate) referrers: Vec<FieldSpec>,
}

/// A list of field specs. Kustomizations without their own configuration share it.
pub(crate) type Specs = Arc<Vec<FieldSpec>>;

/// The fields that each transformer changes (`TransformerConfig`).
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Config {
    pub(crate) name_prefix: Specs,
    pub(crate) name_suffix: Specs,
    pub(crate) namespace: Specs,
    pub(crate) common_labels: Specs,
    pub(crate) labels: Specs,
    pub(crate) template_labels: Specs,
    pub(crate) volume_claim_template_labels: Specs,
    pub(crate) common_annotations: Specs,
    pub(crate) var_references: Specs,
    pub(crate) images: Specs,
    pub(crate) replicas: Specs,
    pub(crate) name_references: Arc<Vec<NameReference>>,
}

/// The names of the lists in a transformer configuration, except the one with name references.
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
    /// The list with the given name.
    pub(crate) fn list_mut(&mut self, name: &str) -> Option<&mut Specs> {
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

    /// Adds another configuration (`TransformerConfig.Merge`). Conflicts depend on the order, so it is the one of kustomize.
    pub(crate) fn merge(&mut self, mut other: Self) -> Result<()> {
        let mut default = default_config();
        for name in LISTS {
            let more = other.list_mut(name).map(std::mem::take).unwrap_or_default();
            let has_no_conflicts = default.list_mut(name).is_some_and(|it| Arc::ptr_eq(it, &more));
            match self.list_mut(name) {
                Some(list) if has_no_conflicts && list.is_empty() => *list = more,
                Some(list) if !(more.is_empty() || has_no_conflicts && Arc::ptr_eq(list, &more)) => {
                    let list = Arc::make_mut(list);
                    merge_specs(list, &more)?;
                    list.sort_by_cached_key(|it| it.gvk.order());
                }
                _ => {}
            }
        }
        let is_same = Arc::ptr_eq(&self.name_references, &other.name_references);
        if self.name_references.is_empty() && Arc::ptr_eq(&other.name_references, &default.name_references) {
            self.name_references = other.name_references;
        } else if !(is_same && Arc::ptr_eq(&self.name_references, &default.name_references)) {
            let known = Arc::make_mut(&mut self.name_references);
            for it in other.name_references.iter() {
                merge_reference(known, it)?;
            }
            known.sort_by_cached_key(|it| it.target.order());
        }
        Ok(())
    }

    /// The configuration in a file (`makeTransformerConfigFromBytes`), which may contradict itself until it is merged.
    pub(crate) fn of_file(lists: Vec<(&'static str, Vec<FieldSpec>)>, mut references: Vec<NameReference>) -> Self {
        let mut config = Self::default();
        for (name, mut specs) in lists {
            specs.sort_by_cached_key(|it| it.gvk.order());
            if let Some(list) = config.list_mut(name) {
                *list = Arc::new(specs);
            }
        }
        references.sort_by_cached_key(|it| it.target.order());
        config.name_references = Arc::new(references);
        config
    }

    /// Adds a field spec to a list.
    pub(crate) fn add(&mut self, list: &str, spec: FieldSpec) -> Result<()> {
        match self.list_mut(list) {
            Some(list) => merge_specs(Arc::make_mut(list), &[spec]),
            None => Ok(()),
        }
    }

    /// Adds the fields that refer to objects of a kind.
    pub(crate) fn add_reference(&mut self, reference: &NameReference) -> Result<()> {
        merge_reference(Arc::make_mut(&mut self.name_references), reference)
    }
}

fn merge_reference(known: &mut Vec<NameReference>, more: &NameReference) -> Result<()> {
    spend::work(known.len())?;
    if let Some(known) = known.iter_mut().find(|it| it.target == more.target) {
        merge_specs(&mut known.referrers, &more.referrers)
    } else {
        known.push(more.clone());
        Ok(())
    }
}

/// The default configuration (`MakeDefaultConfig`).
pub(crate) fn default_config() -> Config {
    static DEFAULT: OnceLock<Config> = OnceLock::new();
    let made = || budget::apart(read_default).unwrap_or_default();
    DEFAULT.get_or_init(made).clone()
}

/// Parses the default configuration. The table has no conflicts, so this succeeds.
fn read_default() -> Result<Config> {
    let word = |text: &str| Arc::from(if text == "-" { "" } else { text });
    let gvk = |group: &str, version: &str, kind: &str| Gvk {
        group: word(group),
        version: word(version),
        kind: word(kind),
    };
    let mut config = Config::default();
    let mut target = Gvk::default();
    for words in &facts().specs {
        match words[..] {
            ["reference", group, version, kind] => {
                target = gvk(group, version, kind);
                config.add_reference(&NameReference {
                    target: target.clone(),
                    referrers: Vec::new(),
                })?;
            }
            [list, group, version, kind, path, create] => {
                let spec = FieldSpec {
                    gvk: gvk(group, version, kind),
                    path: path.into(),
                    create: create == "true",
                };
                if list == "nameReference" {
                    config.add_reference(&NameReference {
                        target: target.clone(),
                        referrers: vec![spec],
                    })?;
                } else {
                    config.add(list, spec)?;
                }
            }
            _ => {}
        }
    }
    Ok(config)
}

/// Adds the field specs that are not in the list yet (`FsSlice.MergeAll`).
pub(crate) fn merge_specs(list: &mut Vec<FieldSpec>, more: &[FieldSpec]) -> Result<()> {
    for spec in more {
        spend::work(list.len())?;
        let known = list
            .iter()
            .find(|it| it.gvk.is_selected(&spec.gvk) && it.path == spec.path);
        match known {
            None => list.push(spec.clone()),
            Some(known) if known.create == spec.create => {}
            Some(_) => {
                let message = format!("the field specs for `{}` contradict each other in `create`", spec.path);
                return Err(Problem::fails(None, message));
            }
        }
    }
    Ok(())
}

/// The value to create for a missing field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Create {
    Scalar,
    Map,
}

/// The work units for applying a field spec to an object.
const A_SPEC: usize = 10;

/// A change to make to the fields of field specs.
pub(crate) struct Change<'a> {
    /// The value to create for a missing field, if the field spec allows it.
    pub(crate) create: Option<Create>,
    /// The place of created values.
    pub(crate) place: Place,
    pub(crate) set: &'a mut dyn FnMut(&mut Node) -> Result<()>,
}

impl Change<'_> {
    /// Changes the fields that the specs name in an object of this kind.
    pub(crate) fn apply_all(&mut self, object: &mut Node, gvk: &Gvk, specs: &[FieldSpec]) -> Result<()> {
        specs.iter().try_for_each(|it| self.apply(object, gvk, it))
    }

    /// Changes the field that one spec names.
    pub(crate) fn apply(&mut self, object: &mut Node, gvk: &Gvk, spec: &FieldSpec) -> Result<()> {
        if !gvk.is_selected(&spec.gvk) {
            return Ok(());
        }
        spend::work(A_SPEC)?;
        spend::text(spec.path.len())?;
        let path = split_path(&spec.path, '/');
        self.descend(object, &path, spec)
    }

    fn descend(&mut self, node: &mut Node, path: &[String], spec: &FieldSpec) -> Result<()> {
        let Some((first, rest)) = path.split_first() else {
            return (self.set)(node);
        };
        spend::work(1 + node.entries().len() / 4)?;
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
                    spend::nodes(1)?;
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
                        // kustomize makes it a string with the same text, such as `null`.
                        Some(Create::Scalar) if !field.text().is_empty() => {
                            field.value = Value::String(field.shared_text());
                        }
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

/// Splits a path at a delimiter (`PathSplitter`). A backslash before a delimiter makes it part of a name.
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

/// Splits a dotted path, in which `[a.b]` is one part (`SmarterPathSplitter`).
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
