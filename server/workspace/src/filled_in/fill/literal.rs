//! Lines of a template whose structure no action can change.

use std::ops::Range;

use super::{
    actions::{Action, Kind, actions},
    lines::indent,
};

/// Functions that may print several lines.
const PRINTS_LINES: [&str; 8] = [
    "include", "indent", "nindent", "template", "toJson", "toToml", "toYaml", "tpl",
];

/// Whether no action of a template decides what is at a place. The author wrote its line up to there, and the lines above it up to the first one that is
/// not indented deeper.
pub(crate) fn is_literal(text: &str, place: Range<usize>) -> bool {
    actions(text).is_some_and(|actions| {
        Literal {
            text,
            actions: &actions,
        }
        .holds(place)
    })
}

/// Whether a range of a template has only actions that print a value, and none that decides which text is printed.
pub(crate) fn has_no_blocks(text: &str, range: Range<usize>) -> bool {
    actions(text).is_some_and(|all| {
        let mut all = all.iter();
        all.all(|it| it.span.end <= range.start || range.end <= it.span.start || is_plain(text, it))
    })
}

struct Literal<'t> {
    text: &'t str,
    actions: &'t [Action],
}

impl Literal<'_> {
    fn holds(&self, place: Range<usize>) -> bool {
        let line = self.line(place.start);
        // What an action prints comes too late to change the text before it, and a value only continues it.
        let is_after =
            |it: &Action| place.end <= it.span.start || place.start < it.span.start && it.kind == Kind::Value;
        if !self.actions_on(&line).iter().all(is_after) {
            return false;
        }
        self.is_below_literal(line.start, indent(&self.text[line]))
    }

    /// Whether the lines above an offset are literal, up to the first one that starts at or before a column.
    fn is_below_literal(&self, mut end: usize, column: usize) -> bool {
        // The number of blocks that end below the line. If there are none, the line is printed whenever the lines below are.
        let mut depth = 0_usize;
        while let Some(last) = end.checked_sub(1) {
            let line = self.line(last);
            end = line.start;
            let on_line = self.actions_on(&line);
            let written = self.text[line.clone()].trim();
            if on_line.is_empty() {
                if written.starts_with("---") {
                    return true;
                }
                if written.is_empty() || written.starts_with('#') || indent(&self.text[line.clone()]) > column {
                    continue;
                }
                return depth == 0 && self.has_own_indent(&line);
            }
            let has_text = self.has_text(&line, on_line);
            if on_line[0].span.start < line.start {
                if has_text || on_line.len() > 1 {
                    return false;
                }
                // The action goes on for several lines, and its first line decides.
                continue;
            }
            for action in on_line.iter().rev() {
                match action.kind {
                    Kind::End => depth += 1,
                    Kind::Begin | Kind::Define => depth = depth.saturating_sub(1),
                    // The lines above are printed instead of the lines below.
                    Kind::Else if depth == 0 => return false,
                    Kind::Else | Kind::Value | Kind::Nothing => {}
                }
            }
            if on_line.last().is_some_and(|it| self.joins(it, &line))
                || !on_line.iter().all(|it| self.prints_deeper(it, column, has_text))
            {
                return false;
            }
            if has_text && indent(&self.text[line.clone()]) <= column {
                let is_same = indent(&self.text[line.clone()]) == column;
                return depth == 0
                    && on_line.iter().all(|it| is_same || is_plain(self.text, it))
                    && self.has_own_indent(&line);
            }
        }
        depth == 0
    }

    /// Whether an action prints no line that starts at or before a column. If its line has other text, the action prints a part of that line.
    fn prints_deeper(&self, action: &Action, column: usize, has_text: bool) -> bool {
        if action.kind != Kind::Value {
            return true;
        }
        match action.code(self.text).rsplit_once("indent ") {
            Some((_, after)) => {
                let digits = after.trim_end_matches(|it: char| !it.is_ascii_digit());
                digits.parse::<usize>().is_ok_and(|it| it > column)
            }
            None => has_text,
        }
    }

    /// Whether an action removes the line break after it and the indentation of the next line.
    fn joins(&self, action: &Action, line: &Range<usize>) -> bool {
        let rest = &self.text[action.span.end.min(line.end)..line.end];
        action.trims_after(self.text) && rest.trim().is_empty()
    }

    /// Whether the line above does not remove the indentation of a line.
    fn has_own_indent(&self, line: &Range<usize>) -> bool {
        let Some(last) = line.start.checked_sub(1) else {
            return true;
        };
        let above = self.line(last);
        let on_line = self.actions_on(&above);
        indent(&self.text[line.clone()]) == 0 || !on_line.last().is_some_and(|it| self.joins(it, &above))
    }

    /// Whether a line has text besides actions and comments.
    fn has_text(&self, line: &Range<usize>, on_line: &[Action]) -> bool {
        let mut at = line.start;
        for action in on_line {
            let between = self.text[at..action.span.start.max(at)].trim();
            if !between.is_empty() {
                return !between.starts_with('#');
            }
            at = action.span.end.min(line.end).max(at);
        }
        let rest = self.text[at..line.end].trim();
        !(rest.is_empty() || rest.starts_with('#'))
    }

    /// The line that contains an offset, without its line break.
    fn line(&self, offset: usize) -> Range<usize> {
        let start = self.text[..offset].rfind('\n').map_or(0, |it| it + 1);
        let end = self.text[offset..].find('\n').map_or(self.text.len(), |it| offset + it);
        start..end
    }

    /// The actions that a line touches.
    fn actions_on(&self, line: &Range<usize>) -> &[Action] {
        let first = self.actions.partition_point(|it| it.span.end <= line.start);
        let last = self.actions.partition_point(|it| it.span.start < line.end);
        &self.actions[first..last.max(first)]
    }
}

/// Whether an action prints a single value, as `.Values.name` does. A template that it includes may print anything.
fn is_plain(text: &str, action: &Action) -> bool {
    let code = action.code(text);
    let mut words = code.split(|it: char| !it.is_ascii_alphanumeric());
    action.kind == Kind::Nothing || action.kind == Kind::Value && !words.any(|it| PRINTS_LINES.contains(&it))
}

#[cfg(test)]
mod tests {
    use super::is_literal;

    /// Checks whether the line with `@` is literal.
    #[track_caller]
    fn check(text: &str, expected: bool) {
        let at = text.find('@').expect("the text has a place");
        assert_eq!(is_literal(text, at..at + 1), expected, "{text:?}");
    }

    #[test]
    fn lines_between_literal_lines_are_literal() {
        check("a: 1\n @b: 1\n", true);
        check("a: {{ .x }}\n @b: 1\n", true);
        check("a:\n  b: {{ include \"x\" . }}\n  @c: {{ .y }}\n", true);
        check("a:\n  {{- if .x }}\n  b: 1\n   @c: 1\n  {{- end }}\n", true);
        check("a:\n  {{- if .x }}\n  b: 1\n  {{- end }}\n @c: 1\n", true);
        check("a:\n  {{- toYaml .x | nindent 4 }}\n  @c: 1\n", true);
        check("---\n{{/* of\nx */}}\n@a\n", true);
        check("a:\n  b: {{- toYaml .x | nindent 4 }}\n  @c: 1\n", true);
    }

    #[test]
    fn lines_that_depend_on_an_action_are_not_literal() {
        for text in [
            "a: 1\n{{ @x }}\n",
            "a: 1\n{{ .x }}b: @\n",
            "a:\n  {{- include \"x\" . | nindent 2 }}\n   @b: 1\n",
            "a:\n  {{ include \"x\" . }}\n    b: 1\n   @c: 1\n",
            "a: {{ include \"x\" . }}\n  @b: 1\n",
            "a: {{ toYaml .x | nindent 2 }}\n    b: 1\n  @c: 1\n",
            "a:\n{{ if .x }}\n  b: 1\n{{ end }}\n  @c: 1\n",
            "{{ if .x }}\na: 1\n{{ else }}\n @c: 1\n{{ end }}\n",
            "a:\n  {{ with .x -}}\n     b: 1\n      @c: 1\n{{ end }}\n",
            "a:\n  {{ with .x -}}\n      @c: 1\n{{ end }}\n",
        ] {
            check(text, false);
        }
    }
}
