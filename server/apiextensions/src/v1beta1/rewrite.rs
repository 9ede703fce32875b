//! Converts a v1beta1 manifest to v1 by text edits, which keep the rest of the file, including comments.
//!
//! The changes follow from `pkg/apis/apiextensions/v1beta1` (`defaults.go`, `conversion.go`): fields that v1beta1 has once in `spec` move to every
//! version, and defaults that do not exist in v1 are written out.

use crd_analyzer_syntax::tree::{CollectionStyle, Entry, NodeId, NodeKind, Span, Tree};

use super::block::{begins_line, column, end_of_lines, entry_lines, is_block_mapping, line_start, own_lines, reindent};
use super::moved::{self, Change};
use crate::kind::CRD;

/// A replacement of a span of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextEdit {
    /// The replaced span; empty for an insertion.
    pub span: Span,
    /// The new text.
    pub text: String,
}

/// The reason why a manifest cannot be rewritten.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Obstacle {
    /// The document is not a CRD with `apiVersion: apiextensions.k8s.io/v1beta1`.
    NoCrd,
    /// `spec` or its versions have flow style (braces or brackets), or another form that cannot be moved line by line.
    Style(NodeId),
    /// Fields have to move to versions, but the CRD has no version.
    NoVersion(NodeId),
    /// An entry that has to move contains anchors or aliases.
    Anchors(NodeId),
}

/// The edits that convert a v1beta1 manifest to v1, in the order of the file and without overlaps.
///
/// The result has the same meaning and keeps comments. The result may violate the rules of v1, which are stricter for schemas.
pub fn rewrite_to_v1(tree: &Tree) -> Result<Vec<TextEdit>, Obstacle> {
    let root = tree.root().ok_or(Obstacle::NoCrd)?;
    let api_version = tree.get(root, "apiVersion").ok_or(Obstacle::NoCrd)?;
    let written = CRD.version(&tree.scalar(api_version));
    if written.is_none_or(|it| it.removed.is_none()) {
        return Err(Obstacle::NoCrd);
    }
    let mut rewriter = Rewriter {
        tree,
        edits: Vec::new(),
    };
    rewriter.replace(tree.span(api_version), CRD.served().api_version.to_owned());
    if let Some(spec) = tree.get(root, "spec").filter(|it| !tree.is_absent(*it)) {
        if !is_block_mapping(tree, spec) {
            return Err(Obstacle::Style(spec));
        }
        rewriter.spec(spec)?;
    }
    rewriter.edits.sort_by_key(|it| (it.span.start, it.span.end));
    Ok(rewriter.edits)
}

struct Rewriter<'t> {
    tree: &'t Tree,
    edits: Vec<TextEdit>,
}

/// Entries of `spec` that belong to each version in v1, with their names in a version.
const SHARED: [(&str, &str); 4] = [
    ("validation", "schema"),
    ("subresources", "subresources"),
    ("additionalPrinterColumns", "additionalPrinterColumns"),
    ("selectableFields", "selectableFields"),
];

impl Rewriter<'_> {
    fn replace(&mut self, span: Span, text: String) {
        if !(span.is_empty() && text.is_empty()) {
            self.edits.push(TextEdit { span, text });
        }
    }

    fn insert(&mut self, at: usize, text: &str) {
        if text.is_empty() {
            return;
        }
        // Add a line break to the last line if it has none.
        let glue = if at > 0 && !self.tree.text()[..at].ends_with('\n') {
            "\n"
        } else {
            ""
        };
        self.replace(Span::new(at as u32, at as u32), format!("{glue}{text}"));
    }

    /// Removes an entry that was moved, with its comments.
    fn remove_moved(&mut self, entry: Entry) {
        self.replace(entry_lines(self.tree, entry), String::new());
    }

    /// Removes an entry, but keeps the comments above it.
    fn remove(&mut self, entry: Entry) {
        self.replace(own_lines(self.tree, entry), String::new());
    }

    fn spec(&mut self, spec: NodeId) -> Result<(), Obstacle> {
        let tree = self.tree;
        let shared: Vec<(Entry, &str)> = SHARED
            .iter()
            .filter_map(|(name, new)| Some((tree.entry(spec, name)?, *new)))
            .collect();
        for (entry, _) in &shared {
            self.movable(*entry)?;
        }
        let versions = tree.get(spec, "versions").filter(|it| tree.items(*it).next().is_some());
        let version = tree.entry(spec, "version");
        let preserve = tree.entry(spec, "preserveUnknownFields");
        let preserves = preserve.is_none_or(|it| tree.scalar(it.value) != "false");
        match (versions, version) {
            (Some(versions), version) => {
                self.versions(versions, &shared, preserves)?;
                if let Some(version) = version {
                    self.remove(version);
                }
            }
            (None, Some(version)) => self.only_version(spec, version, &shared, preserves),
            (None, None) if shared.is_empty() => {}
            (None, None) => return Err(Obstacle::NoVersion(spec)),
        }
        for (entry, _) in &shared {
            self.remove_moved(*entry);
        }
        if let Some(preserve) = preserve.filter(|_| preserves) {
            self.remove(preserve);
        }
        if versions.is_some() || version.is_some() {
            self.scope(spec);
        }
        if let Some(conversion) = tree.get(spec, "conversion") {
            self.conversion(conversion)?;
        }
        Ok(())
    }

    /// Returns an error if an entry cannot be moved line by line.
    fn movable(&self, entry: Entry) -> Result<(), Obstacle> {
        let tree = self.tree;
        if !begins_line(tree, entry.key) {
            return Err(Obstacle::Style(entry.key));
        }
        let tied = tree
            .subtree(entry.value)
            .find(|it| tree.kind(*it) == NodeKind::Alias || tree.anchor(*it).is_some());
        tied.map_or(Ok(()), |it| Err(Obstacle::Anchors(it)))
    }

    /// Adds the shared entries to each version.
    fn versions(&mut self, versions: NodeId, shared: &[(Entry, &str)], preserves: bool) -> Result<(), Obstacle> {
        let tree = self.tree;
        let text = tree.text();
        if tree.kind(versions) != NodeKind::Sequence(CollectionStyle::Block) {
            return Err(Obstacle::Style(versions));
        }
        for version in tree.items(versions) {
            let own: Vec<_> = shared
                .iter()
                .filter(|(_, name)| tree.get(version, name).is_none())
                .collect();
            let schema = tree.get(version, "schema").filter(|it| !tree.is_absent(*it));
            let mut added = String::new();
            let indent = column(text, tree.full_span(version).start as usize);
            for (entry, name) in own {
                added.push_str(&self.moved(*entry, name, preserves, indent));
            }
            let has_schema = schema.is_some() || added.lines().any(|it| it.trim_start().starts_with("schema:"));
            if !has_schema {
                added.insert_str(0, &no_schema(preserves, indent));
            }
            if let Some(root) = schema.and_then(|it| tree.get(it, "openAPIV3Schema"))
                && let Some(change) = moved::add_keywords(tree, root, &root_keywords(preserves))
            {
                self.change(change);
            }
            if let Some(columns) = tree.get(version, "additionalPrinterColumns") {
                for change in moved::rename_json_path(tree, columns) {
                    self.change(change);
                }
            }
            match tree.kind(version) {
                NodeKind::Mapping(CollectionStyle::Block) => self.insert(end_of_lines(tree, version), &added),
                NodeKind::Mapping(CollectionStyle::Flow) if schema.is_none() => {
                    let entries = tree
                        .entries(version)
                        .map(|it| format!("{}: {}\n", tree.source(it.key), tree.source(it.value)));
                    let entries: String = entries.collect();
                    let lines = reindent(&(entries + &reindent(&added, indent, 0)), 0, indent);
                    self.replace(tree.span(version), lines.trim_start().trim_end().to_owned());
                }
                _ => return Err(Obstacle::Style(version)),
            }
        }
        Ok(())
    }

    /// Replaces `version` by `versions` with one item.
    fn only_version(&mut self, spec: NodeId, version: Entry, shared: &[(Entry, &str)], preserves: bool) {
        let tree = self.tree;
        let text = tree.text();
        if let Some(empty) = tree.entry(spec, "versions") {
            self.remove(empty);
        }
        let indent = column(text, tree.full_span(version.key).start as usize);
        let inner = indent + 2;
        let mut lines = format!(
            "- name: {}\n  served: true\n  storage: true\n",
            tree.source(version.value)
        );
        let mut added = String::new();
        for (entry, name) in shared {
            added.push_str(&self.moved(*entry, name, preserves, inner));
        }
        if !shared.iter().any(|(_, name)| *name == "schema") {
            added.push_str(&no_schema(preserves, inner));
        }
        lines = reindent(&format!("versions:\n{lines}"), 0, indent);
        lines.push_str(&added);
        self.replace(own_lines(tree, version), lines);
    }

    /// The lines of an entry of `spec` as part of a version.
    fn moved(&self, entry: Entry, name: &str, preserves: bool, indent: usize) -> String {
        let tree = self.tree;
        let mut changes = Vec::new();
        match name {
            "schema" => match tree
                .get(entry.value, "openAPIV3Schema")
                .filter(|it| !tree.is_absent(*it))
            {
                Some(root) => changes.extend(moved::add_keywords(tree, root, &root_keywords(preserves))),
                None => return no_schema(preserves, indent),
            },
            "additionalPrinterColumns" => changes = moved::rename_json_path(tree, entry.value),
            _ => {}
        }
        moved::lines(tree, entry, name, changes, indent)
    }

    fn change(&mut self, change: Change) {
        self.replace(Span::new(change.start as u32, change.end as u32), change.text);
    }

    /// Adds the default scope of v1beta1.
    fn scope(&mut self, spec: NodeId) {
        let tree = self.tree;
        let text = tree.text();
        match tree.entry(spec, "scope") {
            None => {
                let start = tree.full_span(spec).start as usize;
                let line = reindent("scope: Namespaced\n", 0, column(text, start));
                self.insert(line_start(text, start), &line);
            }
            Some(scope) if tree.is_absent(scope.value) => {
                let end = tree.span(scope.key).end + ":".len() as u32;
                self.replace(Span::new(end, end), " Namespaced".to_owned());
            }
            Some(scope) if tree.scalar(scope.value).is_empty() => {
                self.replace(tree.span(scope.value), "Namespaced".to_owned());
            }
            Some(_) => {}
        }
    }

    /// Moves the webhook's fields into `webhook`.
    fn conversion(&mut self, conversion: NodeId) -> Result<(), Obstacle> {
        let tree = self.tree;
        let text = tree.text();
        let config = tree.entry(conversion, "webhookClientConfig");
        let versions = tree.entry(conversion, "conversionReviewVersions");
        let calls = tree
            .get(conversion, "strategy")
            .is_some_and(|it| tree.scalar(it) == "Webhook");
        if config.is_none() && versions.is_none() {
            return Ok(());
        }
        if !is_block_mapping(tree, conversion) {
            return Err(Obstacle::Style(conversion));
        }
        let indent = column(text, tree.full_span(conversion).start as usize);
        let mut lines = String::new();
        for (entry, name) in [(config, "clientConfig"), (versions, "conversionReviewVersions")]
            .into_iter()
            .filter_map(|(it, name)| Some((it?, name)))
        {
            self.movable(entry)?;
            lines.push_str(&moved::lines(tree, entry, name, Vec::new(), indent + 2));
            self.remove_moved(entry);
        }
        if versions.is_none() && calls {
            lines.push_str(&reindent("conversionReviewVersions: [v1beta1]\n", 0, indent + 2));
        }
        let header = reindent("webhook:\n", 0, indent);
        self.insert(end_of_lines(tree, conversion), &(header + &lines));
        Ok(())
    }
}

/// The keywords that the root of a schema needs in v1.
fn root_keywords(preserves: bool) -> Vec<(&'static str, &'static str)> {
    let mut keywords = vec![("type", "object")];
    if preserves {
        keywords.push(("x-kubernetes-preserve-unknown-fields", "true"));
    }
    keywords
}

/// The schema for a version that has none.
fn no_schema(preserves: bool, indent: usize) -> String {
    let mut lines = "schema:\n  openAPIV3Schema:\n".to_owned();
    for (name, value) in root_keywords(preserves) {
        lines.push_str("    ");
        lines.push_str(name);
        lines.push_str(": ");
        lines.push_str(value);
        lines.push('\n');
    }
    reindent(&lines, 0, indent)
}
