//! Suppresses a finding with a comment at the end of its line.

use crd_analyzer_syntax::{
    lines::LineIndex,
    read_json,
    tree::{NodeKind, ScalarStyle, Span, Tree},
};
use crd_analyzer_workspace::{
    codes,
    findings::suppress::{self, Form},
};

use super::{Fix, FixKind, Problem, TextEdit};

/// Codes about suppression comments and about whole files. No comment can suppress them.
pub(crate) const NOT_IGNORED: [&str; 4] = [
    codes::MALFORMED_SUPPRESSION,
    codes::UNUSED_SUPPRESSION,
    codes::SUPPRESSION_WITHOUT_REASON,
    codes::TEMPLATE,
];

/// The positions at which a document can have comments.
pub(super) struct Ignorer {
    /// The ranges in which no comment can start, sorted and without overlaps. `None` if the document cannot have comments.
    closed: Option<Vec<Closed>>,
}

/// A range in which no comment can begin.
struct Closed {
    span: Span,
    /// Whether the range includes its end.
    with_end: bool,
}

impl Ignorer {
    pub(super) fn new(tree: &Tree) -> Self {
        let text = tree.text();
        // A suppression applies only if the whole document can be parsed. JSON has no comments.
        let is_json = text[tree.document_span().range()].trim_start().starts_with('{');
        if is_json || read_json(tree).is_err() {
            return Self { closed: None };
        }
        let comments = tree.comments().iter().map(|span| Closed {
            span: *span,
            with_end: true,
        });
        let mut closed: Vec<_> = comments.collect();
        for node in tree.nodes() {
            let NodeKind::Scalar(style) = tree.kind(node) else {
                continue;
            };
            let span = tree.span(node);
            let with_end = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
            if with_end || text[span.range()].contains(['\n', '\r']) {
                closed.push(Closed { span, with_end });
            }
        }
        closed.sort_by_key(|it| it.span.start);
        Self { closed: Some(closed) }
    }

    /// The fix that adds a comment for a problem, if its line can have one.
    pub(super) fn fix(&self, text: &str, lines: &LineIndex, problem: Problem) -> Option<Fix> {
        if NOT_IGNORED.contains(&problem.code) || self.closed.is_none() {
            return None;
        }
        let number = lines.line_of(problem.span.start);
        let (start, end) = (lines.line_start(number) as usize, lines.line_end(text, number) as usize);
        let line = text.get(start..end)?;
        let is_marker = ["---", "...", "%"].iter().any(|it| line.starts_with(it));
        if is_marker || line.trim().is_empty() || !self.takes_comment(end as u32) {
            return None;
        }
        let span = Span::new(end as u32, end as u32);
        let code = problem.code;
        Some(Fix {
            title: format!("Ignore {code} here"),
            kind: FixKind::Ignore,
            problem,
            edits: vec![TextEdit {
                span,
                new_text: format!(" {}", suppress::comment(Form::Yaml, code)),
            }],
            preferred: false,
            changes: Vec::new(),
            drops: false,
        })
    }

    /// Whether a comment can be appended to the line that ends here.
    fn takes_comment(&self, line_end: u32) -> bool {
        let Some(closed) = &self.closed else {
            return false;
        };
        let next = closed.partition_point(|it| it.span.start < line_end);
        let before = next.checked_sub(1).map(|it| &closed[it]);
        before.is_none_or(|it| it.span.end < line_end || it.span.end == line_end && !it.with_end)
    }
}
