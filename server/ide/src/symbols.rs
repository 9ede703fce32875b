//! The outline of a document: versions, properties, rules.

use crd_analyzer_apiextensions::kind::CRD;
use crd_analyzer_syntax::tree::{NodeId, NodeKind, Span, Tree};
use crd_analyzer_workspace::kinds::OutlineList;

use crate::{
    cel::RULES,
    file::Document,
    hover::{describe, one_line},
    schema::{self, child, text},
};

/// A symbol of the outline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// The name.
    pub name: String,
    /// A short description; may be empty.
    pub detail: String,
    /// The kind of symbol.
    pub kind: SymbolKind,
    /// The whole span of the symbol.
    pub span: Span,
    /// The span of its name, within `span`.
    pub selection: Span,
    /// The symbols inside it.
    pub children: Vec<Symbol>,
}

/// The kind of a symbol.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SymbolKind {
    /// A CRD.
    Definition,
    /// A custom resource.
    Resource,
    /// A version of a CRD.
    Version,
    /// A property that is an object or a map.
    Object,
    /// A property that is a list.
    List,
    /// A property with another type.
    Field,
    /// A validation rule.
    Rule,
}

/// The maximum depth of schemas in the outline.
const MAX_DEPTH: usize = 100;

/// The outline of a CRD, or of an object whose kind is in the table; `None` for other objects.
pub fn symbols(document: &Document<'_>) -> Option<Symbol> {
    (document.kind().outline)(document)
}

pub(crate) fn of_row(document: &Document<'_>) -> Option<Symbol> {
    let lists = document.row()?.outline.iter();
    Some(Symbol {
        children: lists.filter_map(|it| outline_list(document, it)).collect(),
        ..resource_symbols(document)?
    })
}

pub(crate) fn of_crd(document: &Document<'_>) -> Option<Symbol> {
    let tree = document.tree;
    let root = document.root?;
    let name = child(tree, root, "metadata").and_then(|it| child(tree, it, "name"));
    let kind = child(tree, root, "spec")
        .and_then(|it| child(tree, it, "names"))
        .and_then(|it| text(tree, it, "kind"));
    let span = tree.span(root);
    let selection = name
        .map(|it| tree.span(it))
        .filter(|it| !it.is_empty() && is_in(*it, span));
    Some(Symbol {
        name: name
            .map(|it| tree.scalar(it).into_owned())
            .filter(|it| !it.is_empty())
            .unwrap_or_else(|| CRD.name.to_owned()),
        detail: kind.unwrap_or_default().into_owned(),
        kind: SymbolKind::Definition,
        span,
        selection: selection.unwrap_or(Span::new(span.start, span.start)),
        children: versions(document),
    })
}

/// The symbols of a CRD's versions. Versions often have the same rules, and editors list symbols without the ones around them: with several versions,
/// the name of a rule contains its version.
fn versions(document: &Document<'_>) -> Vec<Symbol> {
    let all = schema::versions(document);
    let mut symbols: Vec<Symbol> = all.iter().map(|it| version(document.tree, it)).collect();
    if symbols.len() > 1 {
        for symbol in &mut symbols {
            name_rules(&mut symbol.children, &symbol.name);
        }
    }
    symbols
}

fn name_rules(symbols: &mut [Symbol], version: &str) {
    for symbol in symbols {
        if symbol.kind == SymbolKind::Rule {
            symbol.name = format!("{} ({version})", symbol.name);
        }
        name_rules(&mut symbol.children, version);
    }
}

/// The outline of a custom resource with a known CRD.
pub fn resource_symbols(document: &Document<'_>) -> Option<Symbol> {
    let tree = document.tree;
    let root = document.root?;
    let kind = text(tree, root, "kind")?;
    let name = child(tree, root, "metadata").and_then(|it| child(tree, it, "name"));
    let span = tree.span(root);
    let selection = name.or_else(|| child(tree, root, "kind")).map(|it| tree.span(it));
    let selection = selection.filter(|it| !it.is_empty() && is_in(*it, span));
    Some(Symbol {
        name: name
            .map(|it| tree.scalar(it).into_owned())
            .filter(|it| !it.trim().is_empty())
            .unwrap_or_else(|| kind.clone().into_owned()),
        detail: kind.into_owned(),
        kind: SymbolKind::Resource,
        span,
        selection: selection.unwrap_or(Span::new(span.start, span.start)),
        children: fields(tree, root, 0),
    })
}

/// The symbols for a list in an object. Each item has the most descriptive name that the item offers.
fn outline_list(document: &Document<'_>, list: &OutlineList) -> Option<Symbol> {
    let tree = document.tree;
    let [outer, inner] = list.path;
    let entry = schema::entry(tree, child(tree, document.root?, outer)?, inner)?;
    let named = |item: NodeId| {
        let mut names = list.names.iter().filter_map(|it| child(tree, item, it));
        let name = names.find(|it| tree.is_scalar(*it) && !tree.scalar(*it).trim().is_empty())?;
        let span = tree.full_span(item);
        let selection = Some(tree.full_span(name)).filter(|it| is_in(*it, span));
        Some(Symbol {
            name: one_line(&tree.scalar(name), 80),
            detail: text(tree, item, list.detail)
                .map(|it| one_line(&it, 80))
                .unwrap_or_default(),
            kind: SymbolKind::Rule,
            span,
            selection: selection.unwrap_or(Span::new(span.start, span.start)),
            children: Vec::new(),
        })
    };
    let items = tree.items(tree.resolve(entry.value)).map(|it| tree.resolve(it));
    Some(Symbol {
        children: items.filter_map(named).collect(),
        ..field(tree, entry, MAX_DEPTH)
    })
}

/// The symbols for the fields of a mapping, or for the items of a list.
fn fields(tree: &Tree, node: NodeId, depth: usize) -> Vec<Symbol> {
    if depth > MAX_DEPTH {
        return Vec::new();
    }
    match tree.kind(node) {
        NodeKind::Mapping(_) => tree.entries(node).map(|it| field(tree, it, depth)).collect(),
        NodeKind::Sequence(_) => {
            let items = tree.items(node).enumerate();
            items
                .filter_map(|(number, it)| list_item(tree, number, it, depth))
                .collect()
        }
        _ => Vec::new(),
    }
}

fn kind_of(tree: &Tree, value: NodeId) -> SymbolKind {
    match tree.kind(value) {
        NodeKind::Mapping(_) => SymbolKind::Object,
        NodeKind::Sequence(_) => SymbolKind::List,
        _ => SymbolKind::Field,
    }
}

fn field(tree: &Tree, entry: crd_analyzer_syntax::tree::Entry, depth: usize) -> Symbol {
    let key = tree.full_span(entry.key);
    let name = tree.scalar(entry.key);
    let is_value = tree.is_scalar(entry.value) && !tree.is_absent(entry.value);
    Symbol {
        name: if name.trim().is_empty() {
            "\"\"".to_owned()
        } else {
            name.into_owned()
        },
        detail: if is_value {
            one_line(&tree.scalar(entry.value), 60)
        } else {
            String::new()
        },
        kind: kind_of(tree, entry.value),
        span: key.join(tree.full_span(entry.value)),
        selection: key,
        children: fields(tree, entry.value, depth + 1),
    }
}

/// The symbol for an item that is an object, with its name if it has one. Scalars are left out, because the text shows them.
fn list_item(tree: &Tree, number: usize, item: NodeId, depth: usize) -> Option<Symbol> {
    if tree.is_scalar(item) {
        return None;
    }
    let span = tree.full_span(item);
    let name = child(tree, item, "name").filter(|it| tree.is_scalar(*it) && !tree.scalar(*it).trim().is_empty());
    let selection = name.map(|it| tree.span(it)).filter(|it| is_in(*it, span));
    Some(Symbol {
        name: name.map_or_else(|| number.to_string(), |it| tree.scalar(it).into_owned()),
        detail: String::new(),
        kind: kind_of(tree, item),
        span,
        selection: selection.unwrap_or(Span::new(span.start, span.start)),
        children: fields(tree, item, depth + 1),
    })
}

fn is_in(inner: Span, outer: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

fn version(tree: &Tree, version: &schema::Version<'_>) -> Symbol {
    let item = tree.resolve(version.item);
    let span = tree.full_span(version.item);
    let name = child(tree, item, "name")
        .map(|it| tree.span(it))
        .filter(|it| is_in(*it, span));
    let mut words = Vec::new();
    if schema::is_true(tree, item, "storage") {
        words.push("stored");
    }
    if !schema::is_true(tree, item, "served") {
        words.push("not served");
    }
    Symbol {
        name: if version.name.is_empty() {
            "version".to_owned()
        } else {
            version.name.clone().into_owned()
        },
        detail: words.join(", "),
        kind: SymbolKind::Version,
        span,
        selection: name.unwrap_or(Span::new(span.start, span.start)),
        // A schema that an alias refers to is elsewhere in the text.
        children: version
            .schema
            .filter(|it| is_in(tree.span(*it), span))
            .map_or_else(Vec::new, |it| parts(tree, it, 0)),
    }
}

/// The properties and rules of a schema. For a list or map, those of its items or values.
fn parts(tree: &Tree, node: NodeId, depth: usize) -> Vec<Symbol> {
    if depth > MAX_DEPTH || !schema::is_mapping(tree, node) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for entry in tree.entries(node) {
        match &*tree.scalar(entry.key) {
            "properties" => found.extend(tree.entries(entry.value).map(|it| property(tree, it, depth))),
            RULES => found.extend(tree.items(entry.value).filter_map(|it| rule(tree, it))),
            "items" | "additionalProperties" => found.extend(parts(tree, entry.value, depth + 1)),
            _ => {}
        }
    }
    found
}

fn property(tree: &Tree, entry: crd_analyzer_syntax::tree::Entry, depth: usize) -> Symbol {
    let key = tree.full_span(entry.key);
    let name = tree.scalar(entry.key);
    let detail = describe(tree, tree.resolve(entry.value));
    let kind = match detail.split_whitespace().next() {
        Some("object" | "map" | "embedded") => SymbolKind::Object,
        Some("list") => SymbolKind::List,
        _ => SymbolKind::Field,
    };
    Symbol {
        // Clients reject symbols with blank names.
        name: if name.trim().is_empty() {
            "\"\"".to_owned()
        } else {
            name.into_owned()
        },
        detail,
        kind,
        span: key.join(tree.full_span(entry.value)),
        selection: key,
        children: parts(tree, entry.value, depth + 1),
    }
}

fn rule(tree: &Tree, item: NodeId) -> Option<Symbol> {
    let rule = tree.get(item, "rule")?;
    let name = one_line(&tree.scalar(rule), 80);
    let span = tree.full_span(item);
    Some(Symbol {
        name: if name.is_empty() { "rule".to_owned() } else { name },
        detail: text(tree, item, "message")
            .map(|it| one_line(&it, 80))
            .unwrap_or_default(),
        kind: SymbolKind::Rule,
        span,
        selection: tree.full_span(rule),
        children: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::file::File;

    const TEXT: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  names: {kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: &s
        type: object
        properties:
          a:
            type: array
            items: {type: object, properties: {b: {type: string, format: date}}}
          ' ': {type: object}
        x-kubernetes-validations:
        - message: m
          rule: self.a.size() >
            1
  - {served: false, schema: {openAPIV3Schema: *s}}
";

    fn show(symbol: &Symbol, depth: usize, lines: &mut Vec<String>) {
        assert!(is_in(symbol.selection, symbol.span), "{symbol:?}");
        lines.push(format!(
            "{}{} {:?} ({}) {:?}",
            "  ".repeat(depth),
            symbol.name,
            symbol.kind,
            symbol.detail,
            &TEXT[symbol.selection.range()]
        ));
        for child in &symbol.children {
            assert!(is_in(child.span, symbol.span), "{child:?} in {symbol:?}");
            show(child, depth + 1, lines);
        }
    }

    #[test]
    fn a_definition_has_versions_properties_and_rules() {
        let file = File::new(TEXT, Arc::default());
        let document = file.documents().next().expect("a document");
        let mut lines = Vec::new();
        show(&symbols(&document).expect("symbols"), 0, &mut lines);
        assert_eq!(
            lines,
            [
                "widgets.example.com Definition (Widget) \"widgets.example.com\"",
                "  v1 Version (stored) \"v1\"",
                "    a List (list of object) \"a\"",
                "      b Field (string (date)) \"b\"",
                "    \"\" Object (object) \"' '\"",
                "    self.a.size() > 1 (v1) Rule (m) \"self.a.size() >\\n            1\"",
                "  version Version (not served) \"\"",
            ]
        );
        let list = format!("kind: List\nitems:\n- {}", TEXT.replace('\n', "\n  "));
        let list = File::new(list, Arc::default());
        let names: Vec<_> = list.objects().filter_map(|it| symbols(&it)).map(|it| it.name).collect();
        assert_eq!(names, ["widgets.example.com"]);
        let other = File::new("kind: Pod\n", Arc::default());
        assert_eq!(symbols(&other.documents().next().expect("a document")), None);
    }
}
