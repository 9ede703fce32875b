//! Detects Go templates (Helm charts, kustomize generators): files that are not YAML until they are rendered.

use std::sync::Arc;

use crate::edit;
use crate::tree::{NodeId, NodeKind, ScalarStyle, Span, Tree};

/// The first action of a Go template (`{{ … }}`) in the document at `span` of `text`, at a position where the braces cannot be part of YAML text.
///
/// `{{` inside a quoted or block scalar, inside plain text (`a: x{{y}}`) or in a comment is ordinary text. In a possible flow mapping (`{{a: 1}:
/// b}`), it is YAML. A document with an action is only reported as a template, without other errors.
pub fn first_action(text: &Arc<str>, span: Span) -> Option<Span> {
    // Descriptions often have braces inside of lines, so the text is parsed only if an action is possible.
    let found = braces(text, span).find(|it| begins_token(text, *it))?;
    let reading = edit::read(text, span);
    action_in(&reading.tree, reading.is_broken, found)
}

/// The offsets of `{{` in a document.
fn braces(text: &str, document: Span) -> impl Iterator<Item = u32> {
    let found = text[document.range()].match_indices("{{");
    found.map(move |it| document.start + it.0 as u32)
}

/// Like [`first_action`], for a tree of the tolerant parser. `from` is the offset of the first braces.
fn action_in(tree: &Tree, is_broken: bool, from: u32) -> Option<Span> {
    let text = tree.text();
    let end = tree.document_span().end;
    // A line may have very many braces, so the next line break and the next closing braces are not searched for each.
    let (mut line_ends, mut closes) = (Next::new("\n"), Next::new("}}"));
    let mut all = braces(text, Span::new(from, end)).filter(|it| begins_token(text, *it) && !is_text(tree, *it));
    all.find_map(|start| {
        let line_end = line_ends.after(text, start, end).unwrap_or(end);
        let close = closes.after(text, start, line_end).map(|it| it + 2);
        let action = Span::new(start, close.unwrap_or(line_end));
        (is_broken || is_action(&text[action.range()])).then_some(action)
    })
}

/// Finds the next place of a text for offsets in ascending order, in one pass.
struct Next {
    wanted: &'static str,
    /// The last place that was found. The end of the text if there was none.
    found: Option<usize>,
}

impl Next {
    fn new(wanted: &'static str) -> Self {
        Self { wanted, found: None }
    }

    /// The next place at or after `start`, if it ends by `end`.
    fn after(&mut self, text: &str, start: u32, end: u32) -> Option<u32> {
        let start = start as usize;
        let found = self.found.filter(|it| *it >= start).unwrap_or_else(|| {
            let found = text[start..].find(self.wanted);
            found.map_or(text.len(), |it| start + it)
        });
        self.found = Some(found);
        (found + self.wanted.len() <= end as usize).then_some(found as u32)
    }
}

/// Whether a value, key or item could start at the offset, judging by the text before the offset on the same line. In a text with errors, braces in
/// the middle of a sentence are part of the sentence.
fn begins_token(text: &str, offset: u32) -> bool {
    let before = text[..offset as usize].trim_end_matches(|it: char| it != '\n' && it.is_whitespace());
    before.is_empty() || before.ends_with(['\n', ':', '-', ',', '[', '{', '?'])
}

/// Whether the offset is inside a scalar or comment, where braces are ordinary text. Plain scalars cannot start with braces.
fn is_text(tree: &Tree, offset: u32) -> bool {
    let comments = tree.comments();
    let next = comments.partition_point(|it| it.end <= offset);
    if comments.get(next).is_some_and(|it| it.start <= offset) {
        return true;
    }
    // This finds the innermost node that contains the byte, which is the last node that starts at or before it. The nodes are numbered in their order.
    let (mut low, mut high) = (0, tree.len() as u32);
    while low < high {
        let middle = u32::midpoint(low, high);
        if tree.span(NodeId(middle)).start <= offset {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    let Some(node) = low.checked_sub(1).map(NodeId) else {
        return false;
    };
    let span = tree.span(node);
    match tree.kind(node) {
        NodeKind::Scalar(ScalarStyle::Plain) => span.start < offset && offset < span.end,
        NodeKind::Scalar(_) => offset < span.end,
        _ => false,
    }
}

/// Whether the text from `{{` on looks like a template action rather than nested flow mappings.
fn is_action(text: &str) -> bool {
    let Some(inner) = text.strip_prefix("{{").and_then(|it| it.strip_suffix("}}")) else {
        return false;
    };
    let inner = inner.strip_prefix('-').unwrap_or(inner);
    let inner = inner.strip_suffix('-').unwrap_or(inner).trim();
    let first = inner.split_ascii_whitespace().next().unwrap_or_default();
    !first.is_empty() && !inner.contains(": ") && !inner.contains(['{', '}'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        let source: Arc<str> = text.into();
        let found = first_action(&source, Span::new(0, source.len() as u32));
        assert_eq!(found.map(|it| &text[it.range()]), expected, "of {text:?}");
    }

    #[test]
    fn templates() {
        for (text, expected) in [
            (
                "{{- if .Values.crds }}\napiVersion: v1\n{{- end }}\n",
                "{{- if .Values.crds }}",
            ),
            ("metadata:\n  name: {{ .Release.Name }}\n", "{{ .Release.Name }}"),
            (
                "a:\n  {{- toYaml .Values.x | nindent 2 }}\nb: 1\n",
                "{{- toYaml .Values.x | nindent 2 }}",
            ),
            ("a: 1\n{{ include \"x\" . }}: b\n", "{{ include \"x\" . }}"),
            ("- {{ .x }}\n", "{{ .x }}"),
            ("a: '{{x}}' # {{y}}\nb: {{ z }}\n", "{{ z }}"),
            ("a: {{", "{{"),
        ] {
            check(text, Some(expected));
        }
    }

    #[test]
    fn text_with_braces() {
        for text in [
            "a: \"{{ .x }}\"\n",
            "a: '{{ .x }}'\n",
            "a: |\n  {{ .x }}\n  b: {{ y }}\nb: 1\n",
            "a: see {{ .x }}\n",
            "# {{ .x }}\na: 1\n",
            "a: \"see {{ .x }}\nb: [\n",
            "a: {b: {{c: 1}: 2}}\n",
            "a: {{b: 1}: 2}\n",
            "a: 1\n",
            "",
        ] {
            check(text, None);
        }
    }
}
