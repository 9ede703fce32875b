//! The literals of a repository that can be broken, and what becomes of them.

use std::{collections::BTreeMap, sync::Arc};

use crd_analyzer_syntax::{
    split::{read_document, split},
    tree::{NodeId, NodeKind, Tree},
};
use fastrand::Rng;
use serde_json::Value;

use super::schemas::{Schemas, items, properties};

/// A file of a repository with a breakage.
pub(super) struct Breakage {
    pub(super) file: String,
    /// The text with the breakage.
    pub(super) text: String,
    /// The line that is broken, counted from 1.
    pub(super) line: usize,
    /// What the file is to its repository.
    pub(super) role: &'static str,
    pub(super) kind: &'static str,
    /// The line before and after.
    pub(super) change: (String, String),
}

/// Parts of paths of files that are wrong on purpose, state what a test expects, or are not complete.
const NOT_TRIED: [&str; 6] = ["invalid", "assert", "error", "expected", "testdata", "golden"];

/// A file while its places are searched.
struct Searched<'a> {
    file: &'a str,
    text: &'a str,
    role: &'static str,
    /// Whether other files may complete the objects.
    is_part: bool,
    found: Vec<Breakage>,
}

/// One breakage of each literal of the files.
pub(super) fn breakages(files: &BTreeMap<String, String>, schemas: &Schemas, random: &mut Rng) -> Vec<Breakage> {
    let patches: String = files
        .iter()
        .filter(|it| it.0.ends_with("kustomization.yaml"))
        .map(|it| it.1.as_str())
        .collect();
    let mut all = Vec::new();
    for (file, text) in files {
        let ending = file.rsplit('.').next().unwrap_or_default();
        let is_yaml = ["yaml", "yml"].contains(&ending);
        if !is_yaml || file.starts_with("crds/") || NOT_TRIED.iter().any(|it| file.contains(it)) {
            continue;
        }
        let role = role(file, text, files, &patches);
        let mut searched = Searched {
            file,
            text,
            role,
            is_part: role == "patch",
            found: Vec::new(),
        };
        let readable: Arc<str> = without_actions(text).into();
        for document in &split(&readable).documents {
            let Ok(tree) = read_document(&readable, *document, &[]) else {
                continue;
            };
            searched.document(&tree, schemas, random);
        }
        all.extend(searched.found);
    }
    all
}

fn role(file: &str, text: &str, files: &BTreeMap<String, String>, kustomizations: &str) -> &'static str {
    let chart = file.split_once("templates/").map(|it| format!("{}Chart.yaml", it.0));
    let name = file.rsplit('/').next().unwrap_or_default();
    let is_patch = kustomizations.lines().any(|line| {
        let line = line.trim_start_matches(['-', ' ']);
        line.strip_prefix("path:").is_some_and(|it| it.trim().ends_with(name))
    });
    if chart.is_some_and(|it| files.contains_key(&it)) {
        "template"
    } else if is_patch || file.contains("patch") {
        "patch"
    } else if file.contains("overlays/") {
        "overlay"
    } else if file.contains("sample") || file.contains("example") || file.contains("docs/") {
        "sample"
    } else if text.contains("toolkit.fluxcd.io/") {
        "object for Flux"
    } else if file.contains("test") || file.contains("e2e") {
        "test data"
    } else {
        "base"
    }
}

/// The text with its actions replaced by text of the same length.
fn without_actions(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((action, after)) = after.split_once("}}") else {
            break;
        };
        made.push_str(before);
        let is_alone = made.rsplit('\n').next().unwrap_or_default().trim().is_empty()
            && after.split('\n').next().unwrap_or_default().trim().is_empty();
        let filler = if is_alone { ' ' } else { 'x' };
        for it in "{{".chars().chain(action.chars()).chain("}}".chars()) {
            for _ in 0..it.len_utf8() {
                made.push(if it == '\n' { '\n' } else { filler });
            }
        }
        rest = after;
    }
    made.push_str(rest);
    made
}

impl Searched<'_> {
    fn document(&mut self, tree: &Tree, schemas: &Schemas, random: &mut Rng) {
        let Some(root) = tree.root() else { return };
        let text_of = |name: &str| tree.get(root, name).map(|it| tree.scalar(it).into_owned());
        let (Some(version), Some(kind)) = (text_of("apiVersion"), text_of("kind")) else {
            return;
        };
        let schemas = schemas.spec(&version, &kind);
        if let Some(spec) = tree
            .get(root, "spec")
            .filter(|_| !schemas.is_empty() && !tree.has_aliases())
        {
            self.value(tree, spec, &schemas, random);
        }
    }

    /// Searches a value. All of the schemas are for it.
    fn value(&mut self, tree: &Tree, node: NodeId, schemas: &[&Value], random: &mut Rng) {
        let is_open = |it: &&Value| {
            [
                "x-kubernetes-preserve-unknown-fields",
                "additionalProperties",
                "anyOf",
                "oneOf",
                "x-kubernetes-embedded-resource",
            ]
            .iter()
            .any(|key| it.get(key).is_some())
        };
        if schemas.iter().any(is_open) {
            return;
        }
        match tree.kind(node) {
            NodeKind::Mapping(_) => {
                for entry in tree.entries(node) {
                    let name = tree.scalar(entry.key);
                    let Some(of) = properties(schemas, &name) else { continue };
                    if tree.is_scalar(entry.value) {
                        self.scalar(tree, (entry.key, entry.value), (schemas, &of), random);
                    } else {
                        self.value(tree, entry.value, &of, random);
                    }
                }
            }
            NodeKind::Sequence(_) => {
                let Some(of) = items(schemas) else { return };
                for item in tree.items(node) {
                    self.value(tree, item, &of, random);
                }
            }
            _ => {}
        }
    }

    /// Breaks an entry with a scalar, in one way of those that are possible.
    fn scalar(
        &mut self,
        tree: &Tree,
        (key, value): (NodeId, NodeId),
        (parents, schemas): (&[&Value], &[&Value]),
        random: &mut Rng,
    ) {
        let (key_span, span) = (tree.span(key).range(), tree.span(value).range());
        let line_start = self.text[..key_span.start].rfind('\n').map_or(0, |it| it + 1);
        let line_end = self.text[line_start..]
            .find('\n')
            .map_or(self.text.len(), |it| line_start + it);
        let line = &self.text[line_start..line_end];
        let is_literal = !line.contains(['{', '}', '$', '&', '*', '<', '|', '>', '(']) && span.end <= line_end;
        if !is_literal || span.is_empty() {
            return;
        }
        let name = tree.scalar(key).into_owned();
        let all = |is: &dyn Fn(&Value) -> bool| schemas.iter().all(|it| is(it));
        let is_type = |name: &'static str| all(&move |it| it["type"] == name);
        let mut ways: Vec<(&'static str, String)> = Vec::new();
        let replaced = |new: &str| [&self.text[line_start..span.start], new, &self.text[span.end..line_end]].concat();
        let renamed = [
            &self.text[line_start..key_span.start],
            &name,
            "x",
            &self.text[key_span.end..line_end],
        ]
        .concat();
        ways.push(("renamed field", renamed));
        if is_type("integer") || is_type("boolean") {
            ways.push(("wrong type", replaced("\"zzz\"")));
        } else if is_type("string") {
            ways.push(("wrong type", replaced("[zzz]")));
        }
        if all(&|it| it.get("enum").is_some()) && is_type("string") {
            ways.push(("not in the enum", replaced("zzzBad")));
        }
        let most = schemas
            .iter()
            .map(|it| it["maximum"].as_i64())
            .collect::<Option<Vec<_>>>();
        if let Some(most) = most.and_then(|it| it.into_iter().max()).filter(|_| is_type("integer")) {
            ways.push(("too large", replaced(&most.saturating_add(1).to_string())));
        }
        let is_required = |it: &&Value| {
            it["required"]
                .as_array()
                .is_some_and(|it| it.iter().any(|it| *it == *name))
        };
        // Without its only entry, the object is null, and the API server drops it.
        let has_others = tree.parent(key).is_some_and(|it| tree.entries(it).nth(1).is_some());
        let is_entry_alone = !line.trim_start().starts_with('-') && has_others;
        let has_no_default = all(&|it| it.get("default").is_none());
        if parents.iter().all(is_required) && is_entry_alone && has_no_default && !self.is_part {
            let column = line.len() - line.trim_start().len();
            ways.push(("missing field", format!("{}# removed", " ".repeat(column))));
        }
        let (kind, broken) = ways.swap_remove(random.usize(..ways.len()));
        self.found.push(Breakage {
            file: self.file.to_owned(),
            text: [&self.text[..line_start], &broken, &self.text[line_end..]].concat(),
            line: self.text[..line_start].matches('\n').count() + 1,
            role: self.role,
            kind,
            change: (line.to_owned(), broken),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CRD: &str = "kind: CustomResourceDefinition\nspec:\n  group: example.com\n  names: {kind: Widget}\n  versions:\n  - name: v1\n    \
         schema:\n      openAPIV3Schema:\n        properties:\n          spec:\n            required: [size]\n            properties:\n              \
         size: {type: integer, maximum: 5}\n              open: {additionalProperties: {type: string}}\n";

    /// Checks the lines that are broken in a template.
    #[track_caller]
    fn check(template: &str, expected: &[(usize, &str)]) {
        let files = [
            ("crd.yaml", CRD),
            ("a/Chart.yaml", ""),
            ("a/templates/w.yaml", template),
        ];
        let files: BTreeMap<String, String> = files.map(|it| (it.0.to_owned(), it.1.to_owned())).into();
        let schemas = Schemas::of(files.values());
        let found = breakages(&files, &schemas, &mut Rng::with_seed(1));
        let lines: Vec<(usize, &str)> = found.iter().map(|it| (it.line, it.role)).collect();
        assert_eq!(lines, expected, "of {template:?}");
        for it in &found {
            assert_ne!(it.change.0, it.change.1);
            assert_eq!(it.text.lines().nth(it.line - 1), Some(&*it.change.1));
        }
    }

    #[test]
    fn literals_with_a_schema_are_broken() {
        let head = "apiVersion: example.com/v1\nkind: Widget\nspec:\n";
        check(&format!("{head}  size: 3\n"), &[(4, "template")]);
        check(&format!("{head}  {{{{ x }}}}\n  size: 3 # é\n"), &[(5, "template")]);
        // The value is not literal, may be anything, or has no schema.
        check(&format!("{head}  size: {{{{ x }}}}\n"), &[]);
        check(&format!("{head}  open: {{a: b}}\n  other: 1\n"), &[]);
        check("apiVersion: example.com/v2\nkind: Widget\nspec:\n  size: 3\n", &[]);
    }
}
