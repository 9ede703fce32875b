//! The fields of a version: a section for each object, with a table of its fields.

use crd_analyzer_reference::{FieldReference, KindReference, Message, Rule, VersionReference, kubernetes_type};

use super::{Anchors, Block, Row, Span, add_rules, code, introduced, listed, ours, when};

/// The fields to document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shown {
    /// The number of levels: 1 for the fields of the resource itself. `None` for all levels.
    pub(crate) depth: Option<usize>,
    /// Whether the fields of Kubernetes' own types are listed.
    pub(crate) all_types: bool,
}

/// A field and the documented fields inside it.
struct Node<'a> {
    field: &'a FieldReference,
    anchor: String,
    /// The documented fields directly inside the field, by number.
    inside: Vec<usize>,
    /// The reason why fields inside the field are not documented.
    omitted: Option<Omitted>,
}

enum Omitted {
    /// The fields belong to a Kubernetes type. Contains the name of the type and the address of its documentation.
    Known(&'static str, &'static str),
    /// The fields are too deep. Contains the number of fields at any depth.
    Deep(usize),
}

/// Adds the table of a version's fields, and the sections of the objects inside.
pub(super) fn add<'a>(
    blocks: &mut Vec<Block<'a>>,
    (kind, version): (&KindReference, &'a VersionReference),
    shown: Shown,
    anchors: &mut Anchors,
) {
    let prefix = format!("{}-{}", kind.name, version.name);
    let nodes = nodes(&version.fields, &prefix, shown, anchors);
    let top: Vec<usize> = (0..nodes.len()).filter(|it| nodes[*it].field.depth == 0).collect();
    if !top.is_empty() {
        let heading = vec![
            ours("Fields beside "),
            code("apiVersion"),
            ours(", "),
            code("kind"),
            ours(" and "),
            code("metadata"),
            ours(":"),
        ];
        blocks.extend([Block::Paragraph(heading), table(&nodes, &top)]);
    }
    let mut hidden_below = None;
    for node in &nodes {
        if hidden_below.is_some_and(|depth| node.field.depth > depth) {
            continue;
        }
        hidden_below = node.omitted.is_some().then_some(node.field.depth);
        if !node.inside.is_empty() {
            blocks.push(Block::Heading {
                level: 3,
                anchor: node.anchor.clone(),
                text: vec![code(&*node.field.path)],
            });
            add_object(blocks, node.field);
            blocks.push(table(&nodes, &node.inside));
        }
    }
}

fn nodes<'a>(fields: &'a [FieldReference], prefix: &str, shown: Shown, anchors: &mut Anchors) -> Vec<Node<'a>> {
    let node = |field: &'a FieldReference| Node {
        field,
        anchor: anchors.take(&format!("{prefix}-{}", field.path.replace("[*]", ""))),
        inside: Vec::new(),
        omitted: None,
    };
    let mut nodes: Vec<Node<'_>> = fields.iter().map(node).collect();
    // For each field, the end of the fields inside it.
    let mut ends = vec![fields.len(); fields.len()];
    let mut around: Vec<usize> = Vec::new();
    for (n, field) in fields.iter().enumerate() {
        for closed in around.drain(field.depth.min(around.len())..) {
            ends[closed] = n;
        }
        if let Some(parent) = around.last() {
            nodes[*parent].inside.push(n);
        }
        around.push(n);
    }
    for (n, node) in nodes.iter_mut().enumerate() {
        let below = &fields[n + 1..ends[n]];
        if below.is_empty() {
            continue;
        }
        let names: Vec<&str> = node.inside.iter().map(|it| fields[*it].name.as_str()).collect();
        // The rules inside the field are not part of the Kubernetes type, and would be lost.
        let known = kubernetes_type(&names).filter(|_| !shown.all_types && below.iter().all(|it| it.rules.is_empty()));
        node.omitted = if let Some((name, address)) = known {
            Some(Omitted::Known(name, address))
        } else if shown.depth.is_some_and(|most| node.field.depth + 1 >= most) {
            Some(Omitted::Deep(below.len()))
        } else {
            None
        };
        if node.omitted.is_some() {
            node.inside.clear();
        }
    }
    nodes
}

fn table<'a>(nodes: &[Node<'a>], of: &[usize]) -> Block<'a> {
    let rows = of.iter().map(|n| {
        let node = &nodes[*n];
        let has_section = !node.inside.is_empty();
        let (anchor, name) = if has_section {
            let target = format!("#{}", node.anchor);
            let name = node.field.name.clone();
            (None, Span::Link { target, name })
        } else {
            (Some(node.anchor.clone()), code(&*node.field.name))
        };
        let said = if has_section {
            let lines = node.field.description.as_deref().map(first_sentence);
            let spans = lines.into_iter().flatten().flat_map(|it| [ours(" "), Span::Theirs(it)]);
            spans.skip(1).collect()
        } else {
            whole(node)
        };
        let cells = [vec![name], type_of(node.field, Span::Break), said];
        Row { anchor, cells }
    });
    Block::Table(rows.collect())
}

/// The type of a field, whether it is required, and its default.
fn type_of<'a>(field: &'a FieldReference, between: Span<'a>) -> Vec<Span<'a>> {
    let mut text = vec![code(&*field.type_name)];
    if field.is_required {
        text.extend([between.clone(), ours("required")]);
    }
    if let Some(default) = &field.default {
        text.extend([between, ours("default "), code(&**default)]);
    }
    text
}

/// All information about a field without a section.
fn whole<'a>(node: &Node<'a>) -> Vec<Span<'a>> {
    let field = node.field;
    let mut parts: Vec<Vec<Span<'_>>> = Vec::new();
    parts.extend(field.description.as_deref().map(paragraphs));
    match &node.omitted {
        None => {}
        Some(Omitted::Known(name, address)) => parts.push(vec![
            ours("Its fields are those of "),
            Span::Link {
                target: (*address).to_owned(),
                name: (*name).to_owned(),
            },
            ours(" in Kubernetes."),
        ]),
        Some(Omitted::Deep(1)) => parts.push(vec![ours("1 field inside is not listed.")]),
        Some(Omitted::Deep(count)) => parts.push(vec![ours(format!("{count} fields inside are not listed."))]),
    }
    if let Some(url) = &field.external_docs {
        parts.push(vec![ours("See "), code(&**url)]);
    }
    parts.extend(facts(field));
    parts.extend(field.rules.iter().map(in_a_line));
    let mut text = Vec::new();
    for part in parts {
        text.extend((!text.is_empty()).then_some(Span::Break));
        text.extend(part);
    }
    text
}

/// A description in a cell: lines of a paragraph are joined, and paragraphs and list items start on a new line.
fn paragraphs(text: &str) -> Vec<Span<'_>> {
    let mut spans: Vec<Span<'_>> = Vec::new();
    let mut is_new = true;
    for line in text.lines() {
        let line = line.trim();
        let is_item = line.starts_with(['-', '*', '+', '#']);
        if line.is_empty() {
            is_new = true;
            continue;
        }
        if !spans.is_empty() {
            spans.push(if is_new || is_item { Span::Break } else { ours(" ") });
        }
        spans.push(Span::Theirs(line));
        is_new = false;
    }
    spans
}

/// A rule in a cell.
fn in_a_line(rule: &Rule) -> Vec<Span<'_>> {
    let mut text = introduced(rule);
    if matches!(rule.message, Some(Message::Text(_))) {
        text.push(ours(":"));
    }
    text.extend([ours(" "), code(rule.expression.trim())]);
    text.extend(when(rule));
    text
}

/// The lines up to the end of the first sentence or paragraph.
fn first_sentence(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in text.trim_start().lines().map(str::trim) {
        // A blank line or an item of a list ends a paragraph.
        if line.is_empty() || !found.is_empty() && line.starts_with(['-', '*', '+']) {
            break;
        }
        let mut ends = line.match_indices(". ").map(|it| it.0);
        if let Some(end) = ends.find(|end| !is_abbreviated(&line[..*end])) {
            found.push(&line[..=end]);
            break;
        }
        found.push(line);
        if line.strip_suffix('.').is_some_and(|it| !is_abbreviated(it)) {
            break;
        }
    }
    found
}

/// Whether a text before a dot ends with an abbreviation.
fn is_abbreviated(text: &str) -> bool {
    ["e.g", "i.e", "etc", "vs"].iter().any(|it| text.ends_with(it))
}

/// Adds the text that a section contains about its object.
fn add_object<'a>(blocks: &mut Vec<Block<'a>>, field: &'a FieldReference) {
    blocks.push(Block::Paragraph(type_of(field, ours(", "))));
    if let Some(description) = &field.description {
        blocks.push(Block::Description(description));
    }
    if let Some(url) = &field.external_docs {
        blocks.push(Block::Paragraph(vec![ours("See "), code(&**url)]));
    }
    let facts: Vec<_> = facts(field).collect();
    if !facts.is_empty() {
        blocks.push(Block::List(facts));
    }
    add_rules(blocks, &field.rules);
}

/// The allowed values of a field, and the other constraints on them.
fn facts(field: &FieldReference) -> impl Iterator<Item = Vec<Span<'_>>> {
    let values = (!field.values.is_empty()).then(|| {
        let mut values = vec![ours("One of ")];
        values.extend(listed(field.values.iter().map(|it| code(&**it))));
        values
    });
    let constraints = field.constraints.iter().map(|it| {
        let mut fact = Vec::new();
        if !it.scope.is_whole() {
            fact.push(ours(format!("{}: ", it.scope)));
        }
        fact.extend([code(&*it.keyword), ours(": "), code(&*it.value)]);
        fact
    });
    values.into_iter().chain(constraints)
}

#[cfg(test)]
mod tests {
    use super::first_sentence;

    #[test]
    fn a_row_has_the_first_sentence() {
        for (text, first) in [
            ("", &[][..]),
            ("One. Two.", &["One."]),
            ("  One, e.g. a\nb. Two.", &["One, e.g. a", "b."]),
            ("One, e.g.\na.\nTwo.", &["One, e.g.", "a."]),
            ("No end\n\nTwo.", &["No end"]),
            ("Values are:\n- One.", &["Values are:"]),
        ] {
            assert_eq!(first_sentence(text), first);
        }
    }
}
