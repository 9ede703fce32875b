//! Fields of types that a manifest lacks or does not describe, and the rules that read them.

use std::collections::HashSet;

use crd_analyzer_cel::types::escape;
use crd_analyzer_generator::node::{Node, Part};
use crd_analyzer_syntax::{paths::find, tree::Span};
use serde_json::Value;

use super::texts::{are_all, is_same_type};
use crate::sources::{
    change::{self, Path, Segment},
    manifest::Manifest,
};

/// The keyword for validation rules.
const RULES: &str = "x-kubernetes-validations";

/// The fields of types whose schemas are not known. Their paths begin at the CRD, and each property in them is a [`Segment::Key`].
pub(super) struct Fields {
    paths: Vec<Path>,
    /// Whether the manifest has the new fields of known types.
    has_new: bool,
}

impl Fields {
    /// The fields of a generated CRD that neither the types nor the CRD of the repository describe.
    pub(super) fn not_described(made: &Part, known: &Value) -> Self {
        Self::of(made, known, true)
    }

    /// The fields of a generated CRD that the CRD of the repository lacks.
    pub(super) fn new(made: &Part, known: &Value) -> Self {
        Self::of(made, known, false)
    }

    fn of(made: &Part, known: &Value, has_new: bool) -> Self {
        let mut fields = Self {
            paths: Vec::new(),
            has_new,
        };
        fields.add(made, Some(known), &mut Path::root());
        fields
    }

    fn add(&mut self, made: &Part, known: Option<&Value>, at: &mut Path) {
        match &made.node {
            Node::Map(members) => {
                let r#type = |it: &&Value| is_same_type(members, it.get("type").and_then(Value::as_str));
                let known = known.filter(|it| !made.is_unknown || r#type(it));
                if made.is_unknown {
                    let names = known.map(|it| it.get("properties").and_then(Value::as_object));
                    let names = names.map(|it| it.into_iter().flatten().map(|it| it.0.as_str()));
                    if names.is_none_or(|it| are_all(it, members)) {
                        self.paths.push(at.clone());
                        return;
                    }
                }
                for (key, member) in members {
                    match &member.node {
                        Node::Map(fields) if key == "properties" => {
                            let known = known.and_then(|it| it.get(key));
                            at.push(Segment::Field(key.clone()));
                            for (name, field) in fields {
                                at.push(Segment::Key(name.clone()));
                                match known.and_then(|it| it.get(name)) {
                                    None if !self.has_new => self.paths.push(at.clone()),
                                    known => self.add(field, known, at),
                                }
                                at.pop();
                            }
                            at.pop();
                        }
                        _ => {
                            at.push(Segment::Field(key.clone()));
                            self.add(member, known.and_then(|it| it.get(key)), at);
                            at.pop();
                        }
                    }
                }
            }
            Node::List(items) => {
                for (n, item) in items.iter().enumerate() {
                    at.push(Segment::Index(n));
                    self.add(item, known.and_then(|it| it.get(n)), at);
                    at.pop();
                }
            }
            Node::Value(_) => {}
        }
    }

    /// The spans of the rules in a manifest that read one of these fields. `value` is the content of the manifest.
    pub(super) fn read_by_rules(&self, manifest: &Manifest, value: &Value) -> Vec<Span> {
        let mut rules = Vec::new();
        for path in &self.paths {
            let (mut at, mut of) = (Path::root(), value);
            let segments = path.segments();
            for (n, segment) in segments.iter().enumerate() {
                rules.extend(reading(of, &segments[n..]).map(|it| at.child(RULES).index(it)));
                let below = match segment {
                    Segment::Field(name) | Segment::Key(name) => of.get(name),
                    Segment::Index(index) => of.get(*index),
                };
                let Some(below) = below else { break };
                at.push(segment.clone());
                of = below;
            }
        }
        if rules.is_empty() {
            return Vec::new();
        }
        let Some(tree) = manifest.tree() else {
            return Vec::new();
        };
        let span = |it: &Path| Some(tree.span(find(&tree, &change::steps(it))?.node));
        rules.iter().filter_map(span).collect()
    }
}

/// The indices of the rules of a schema that name all properties on the way to a field.
fn reading<'v>(schema: &'v Value, way: &'v [Segment]) -> impl Iterator<Item = usize> + 'v {
    let names = way.iter().filter_map(|it| match it {
        Segment::Key(name) => Some(escape(name).map_or_else(String::new, Into::into)),
        _ => None,
    });
    let names: Vec<String> = names.collect();
    let rules = schema.get(RULES).and_then(Value::as_array).into_iter().flatten();
    rules.enumerate().filter_map(move |(n, rule)| {
        let texts = ["rule", "messageExpression", "fieldPath"].into_iter();
        let texts = texts.filter_map(|it| rule.get(it)?.as_str());
        let words: HashSet<&str> = texts
            .flat_map(|it| it.split(|it: char| !(it.is_alphanumeric() || it == '_')))
            .collect();
        names.iter().all(|it| words.contains(it.as_str())).then_some(n)
    })
}
