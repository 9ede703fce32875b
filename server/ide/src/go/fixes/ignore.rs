//! Suppresses problems of a marker with a comment above it.

use std::collections::HashSet;

use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::findings::suppress::{self, Form};

use super::repair::Line;
use crate::fixes::{Fix, FixKind, MAX_FIXES, NOT_IGNORED, Problem, TextEdit};

/// The suppression comments for problems that touch a range. For several problems with the same code on a line, one comment suffices.
pub(in crate::go) fn ignores(text: &str, problems: impl IntoIterator<Item = Problem>, range: Span) -> Vec<Fix> {
    let is_asked = |it: &Problem| it.span.start <= range.end && range.start <= it.span.end;
    let can_be = |it: &Problem| !NOT_IGNORED.contains(&it.code);
    let asked = problems.into_iter().filter(|it| is_asked(it) && can_be(it));
    let mut seen = HashSet::new();
    let fixes = asked.filter_map(|problem| {
        let Line { start, end, .. } = Line::around(text, problem.span.start as usize)?;
        if !seen.insert((problem.code, start)) {
            return None;
        }
        let line = &text[start..];
        let indentation = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
        Some(Fix {
            title: format!("Ignore {} here", problem.code),
            kind: FixKind::Ignore,
            edits: vec![TextEdit {
                span: Span::new(start as u32, start as u32),
                new_text: format!("{indentation}{}{end}", suppress::comment(Form::Go, problem.code)),
            }],
            problem,
            preferred: false,
            changes: Vec::new(),
            drops: false,
        })
    });
    fixes.take(MAX_FIXES).collect()
}
