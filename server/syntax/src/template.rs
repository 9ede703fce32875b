//! Detects Go templates (Helm charts, kustomize generators): files that are not YAML until they are rendered.

use std::sync::Arc;

use crate::edit;
use crate::tree::{NodeKind, ScalarStyle, Span, Tree};

/// The first action of a Go template (`{{ … }}`) in the document at `span` of `text`, at a position where the braces cannot be part of YAML text.
///
/// `{{` inside a quoted or block scalar, inside plain text (`a: x{{y}}`) or in a comment is ordinary text. In a possible flow mapping (`{{a: 1}:
/// b}`), it is YAML. A document with an action is only reported as a template, without other errors.
pub fn first_action(text: &Arc<str>, span: Span) -> Option<Span> {
    // This cheap check is enough for nearly all files.
    let found = text[span.range()].find("{{")?;
    let reading = edit::read(text, span);
    action_in(&reading.tree, reading.is_broken, found as u32 + span.start)
}

/// Like [`first_action`], for a tree of the tolerant parser.
fn action_in(tree: &Tree, is_broken: bool, from: u32) -> Option<Span> {
    let text = tree.text();
    let end = tree.document_span().end;
    let mut at = from;
    while let Some(found) = text[at as usize..end as usize].find("{{") {
        let start = at + found as u32;
        let line_end = text[start as usize..end as usize]
            .find('\n')
            .map_or(end, |it| start + it as u32);
        let close = text[start as usize..line_end as usize]
            .find("}}")
            .map(|it| start + it as u32 + 2);
        let action = &text[start as usize..close.unwrap_or(line_end) as usize];
        if begins_token(text, start) && !is_text(tree, start) && (is_broken || is_action(action)) {
            return Some(Span::new(start, close.unwrap_or(line_end)));
        }
        at = start + 2;
    }
    None
}

/// Whether a value, key or item could start at the offset, judging by the text before the offset on the same line. In a text with errors, braces in
/// the middle of a sentence are part of the sentence.
fn begins_token(text: &str, offset: u32) -> bool {
    let line = text[..offset as usize].rfind('\n').map_or(0, |it| it + 1);
    let before = text[line..offset as usize].trim_end();
    before.is_empty() || before.ends_with([':', '-', ',', '[', '{', '?'])
}

/// Whether the offset is inside a scalar or comment, where braces are ordinary text. Plain scalars cannot start with braces.
fn is_text(tree: &Tree, offset: u32) -> bool {
    let comments = tree.comments();
    let next = comments.partition_point(|it| it.end <= offset);
    if comments.get(next).is_some_and(|it| it.start <= offset) {
        return true;
    }
    // This finds the innermost node that contains the byte, which is the last node that starts at or before it.
    let mut low = 0;
    let mut high = tree.len();
    while low < high {
        let middle = usize::midpoint(low, high);
        if tree.nodes().nth(middle).is_some_and(|it| tree.span(it).start <= offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    let Some(node) = low.checked_sub(1).and_then(|it| tree.nodes().nth(it)) else {
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
