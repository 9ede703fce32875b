//! Functions for parsing suite files. They collect errors with their positions, and then continue.

use std::collections::HashSet;

use crd_analyzer_budget as budget;
use crd_analyzer_syntax::{
    json::{Duplicate, Json},
    paths::lookup,
    read_json_of,
    tree::{Entry, NodeId, NodeKind, Span, Tree},
};
use crd_analyzer_workspace::{config::versions::VersionSet, words::meant};
use serde_json::Value;

use crate::{
    model::{At, Problem},
    size,
};

/// The syntax tree of a suite, and the errors found so far.
pub(crate) struct Reader<'t> {
    pub(crate) tree: &'t Tree,
    pub(crate) problems: Vec<Problem>,
    /// Warnings. The suite can run despite them.
    pub(crate) warnings: Vec<Problem>,
    /// Whether the file has the format of another tool, whose parser is lenient: it ignores unknown keys and case, uses the last of several equal
    /// keys, and converts any scalar to a string.
    is_lenient: bool,
}

impl<'t> Reader<'t> {
    pub(crate) fn new(tree: &'t Tree) -> Self {
        Self {
            tree,
            problems: Vec::new(),
            warnings: Vec::new(),
            is_lenient: false,
        }
    }

    pub(crate) fn lenient(tree: &'t Tree) -> Self {
        Self {
            is_lenient: true,
            ..Self::new(tree)
        }
    }

    pub(crate) fn problem(&mut self, span: Span, message: impl Into<String>) {
        self.problems.push(Problem::new(span, message));
    }

    /// Adds a problem. If the format is lenient, the problem is only a warning.
    pub(crate) fn minor(&mut self, span: Span, message: impl Into<String>) {
        let problem = Problem::new(span, message);
        if self.is_lenient {
            self.warnings.push(problem);
        } else {
            self.problems.push(problem);
        }
    }

    /// The span to report for a node. It is the whole scalar, or the first line of a collection.
    pub(crate) fn span(&self, node: NodeId) -> Span {
        first_line(self.tree, node)
    }

    /// Checks that a node is a mapping with only these keys, and keys that start with `x-`.
    pub(crate) fn mapping(&mut self, node: NodeId, what: &str, keys: &[&str]) -> Option<NodeId> {
        let tree = self.tree;
        let node = tree.resolve(node);
        if !matches!(tree.kind(node), NodeKind::Mapping(_)) {
            let message = format!("{what} must be a mapping with {}", listed(keys));
            self.problem(self.span(node), message);
            return None;
        }
        let mut seen: HashSet<String> = HashSet::new();
        for Entry { key, .. } in tree.entries(node) {
            let span = tree.span(key);
            let name = tree.scalar(key).into_owned();
            let is_other_case = || self.is_lenient && keys.iter().any(|it| it.eq_ignore_ascii_case(&name));
            if seen.contains(&name) {
                self.minor(span, format!("the key `{name}` is written twice"));
            } else if !is_other_case() && !keys.contains(&name.as_str()) && !name.starts_with("x-") && name != "<<" {
                let meant = meant::meant(&name, keys.iter().copied());
                let meant = meant.map_or_else(
                    || format!("; there is {}", listed(keys)),
                    |it| format!("; did you mean `{it}`?"),
                );
                self.minor(span, format!("{what} has no `{name}`{meant}"));
            }
            seen.insert(name);
        }
        Some(node)
    }

    /// The value of a key, through merge keys. `None` if the value is missing, as in `key:`.
    pub(crate) fn get(&self, mapping: NodeId, key: &str) -> Option<NodeId> {
        let other_case = || {
            let mut entries = self.tree.entries(mapping).filter(|_| self.is_lenient);
            entries.find(|it| self.tree.scalar(it.key).eq_ignore_ascii_case(key))
        };
        let entry = lookup(self.tree, mapping, key).or_else(other_case)?;
        let value = self.tree.resolve(entry.value);
        let is_null = self.tree.is_scalar(value) && matches!(self.json(value), Ok(Value::Null));
        (!is_null).then_some(value)
    }

    /// The value of a key that is required.
    pub(crate) fn need(&mut self, mapping: NodeId, key: &str, missing: &str) -> Option<NodeId> {
        let found = self.get(mapping, key);
        if found.is_none() {
            self.problem(self.span(mapping), missing);
        }
        found
    }

    /// The items of a list.
    pub(crate) fn list(&mut self, node: NodeId, what: &str) -> Vec<NodeId> {
        let node = self.tree.resolve(node);
        if !matches!(self.tree.kind(node), NodeKind::Sequence(_)) {
            self.problem(self.span(node), format!("{what} must be a list"));
        }
        self.tree.items(node).map(|it| self.tree.resolve(it)).collect()
    }

    /// The string in a scalar. Adds an error if the scalar is not a string.
    pub(crate) fn text(&mut self, node: NodeId, what: &str) -> Option<At<String>> {
        let at = self.value(node)?;
        let value = match at.value {
            Value::String(value) => value,
            scalar @ (Value::Number(_) | Value::Bool(_)) if self.is_lenient => scalar.to_string(),
            _ => {
                self.problem(at.span, format!("{what} must be a string"));
                return None;
            }
        };
        Some(At {
            value,
            node: at.node,
            span: at.span,
        })
    }

    /// A value, converted as a client converts it.
    pub(crate) fn value(&mut self, node: NodeId) -> Option<At<Value>> {
        let node = self.tree.resolve(node);
        match self.json(node) {
            Ok(value) => {
                // If the limit is exceeded, the code that set the budget reports that.
                budget::bytes(size::of(&value).bytes).ok()?;
                Some(At {
                    value,
                    node,
                    span: self.span(node),
                })
            }
            Err(problem) => {
                self.problems.push(problem);
                None
            }
        }
    }

    fn json(&self, node: NodeId) -> Result<Value, Problem> {
        let doc = read_json_of(self.tree, node).map_err(|it| Problem::new(it.span, it.message))?;
        if doc.depth() > crd_analyzer_schema::depth::limit() {
            return Err(Problem::new(self.span(node), "values are nested too deeply"));
        }
        // A key may override a key from a merge.
        let is_twice = |it: &&Duplicate| self.tree.parent(it.first) == self.tree.parent(it.second);
        if let Some(twice) = doc.duplicates().iter().find(is_twice).filter(|_| !self.is_lenient) {
            return Err(Problem::new(
                self.tree.span(twice.second),
                "this key is written twice in one mapping",
            ));
        }
        Ok(doc.root().map_or(Value::Null, Json::to_value))
    }

    /// An object that is written as a mapping.
    pub(crate) fn object(&mut self, node: NodeId, what: &str) -> Option<At<Value>> {
        let at = self.value(node)?;
        if !at.value.is_object() {
            self.problem(at.span, format!("{what} must be an object"));
            return None;
        }
        Some(at)
    }

    /// An object that is written as YAML in a string.
    pub(crate) fn object_in_text(&mut self, node: NodeId, what: &str) -> Option<At<Value>> {
        let tree = self.tree;
        let text = self.text(node, what)?;
        let (at, span) = (text.node, text.span);
        let map = tree.source_map(at);
        let place = |inner: Span| map.span(inner.range());
        match read_object(&text.value) {
            Ok(value) if value.is_object() => {
                budget::bytes(size::of(&value).bytes).ok()?;
                Some(At { value, node: at, span })
            }
            Ok(_) => {
                self.problem(span, format!("{what} must be the text of an object"));
                None
            }
            Err(problem) => {
                self.problem(place(problem.span), format!("{what}: {}", problem.message));
                None
            }
        }
    }

    /// The Kubernetes versions to which a test applies.
    pub(crate) fn versions(&mut self, mapping: NodeId) -> Option<VersionSet> {
        let node = self.get(mapping, "kubernetesVersions")?;
        let span = self.tree.span(node);
        // Use the text as it is written, because the number 1.30 would lose its 0.
        let written = self.tree.scalar(node).into_owned();
        match written.parse() {
            Ok(versions) if self.tree.is_scalar(node) => Some(versions),
            Ok(_) => None,
            Err(error) => {
                self.problem(span, error.to_string());
                None
            }
        }
    }
}

/// Parses an object in the same way as a client: if keys are repeated, the last one applies.
pub(crate) fn read_object(text: &str) -> Result<Value, Problem> {
    let text: std::sync::Arc<str> = text.into();
    let whole = Span::new(0, text.len() as u32);
    let tree = crd_analyzer_syntax::read(&text, whole).map_err(|it| Problem::new(it.span, it.message))?;
    let doc = crd_analyzer_syntax::read_json(&tree).map_err(|it| Problem::new(it.span, it.message))?;
    if doc.depth() > crd_analyzer_schema::depth::limit() {
        return Err(Problem::new(whole, "values are nested too deeply"));
    }
    Ok(doc.root().map_or(Value::Null, Json::to_value))
}

/// The span of the first line of a node.
pub(crate) fn first_line(tree: &Tree, node: NodeId) -> Span {
    let span = tree.span(node);
    let text = &tree.text()[span.range()];
    let end = text.find('\n').map_or(text.len(), |it| text[..it].trim_end().len());
    Span::new(span.start, span.start + end as u32)
}

fn listed(keys: &[&str]) -> String {
    let quoted: Vec<String> = keys.iter().map(|it| format!("`{it}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}
