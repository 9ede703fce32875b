//! Templates of Helm charts as YAML: each action is replaced by a placeholder of the same length, so that every place stays where it is.
//!
//! An action in a value makes the value unknown. An action that fills whole lines becomes one unknown entry, and so does a conditional
//! block. The rest is the author's own text, and is judged.

use std::ops::Range;

/// The character that placeholders begin with. No manifest has it.
pub(crate) const PLACEHOLDER: char = '\u{F8FF}';

/// Deepest nesting of blocks that is followed.
const MAX_DEPTH: usize = 64;

/// An action `{{ … }}`.
struct Action {
    span: Range<usize>,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It prints something.
    Value,
    /// `if`, `with`, `range`: what follows is there sometimes.
    Begin,
    /// `define`, `block`: what follows is used elsewhere.
    Define,
    Else,
    End,
    /// A comment or an assignment, which print nothing.
    Nothing,
}

/// The text with its actions filled in, of the same length; `None` if it has none, or its blocks do not fit together.
pub(crate) fn fill(text: &str) -> Option<String> {
    let actions = actions(text)?;
    if actions.is_empty() {
        return None;
    }
    let mut filled = text.as_bytes().to_vec();
    let mut blocks = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for (n, action) in actions.iter().enumerate() {
        match action.kind {
            Kind::Begin | Kind::Define => open.push(n),
            Kind::End => blocks.push((open.pop()?, n)),
            _ => {}
        }
        if open.len() > MAX_DEPTH {
            return None;
        }
    }
    if !open.is_empty() {
        return None;
    }
    blocks.sort_unstable();
    let mut left_out: Vec<Range<usize>> = Vec::new();
    let mut replaced: Vec<(Range<usize>, bool)> = Vec::new();
    for &(first, last) in &blocks {
        let (begin, end) = (&actions[first], &actions[last]);
        if left_out
            .iter()
            .any(|it| it.start <= begin.span.start && end.span.end <= it.end)
        {
            continue;
        }
        let whole = lines_of(text, begin.span.start..end.span.end);
        let inside = &text[begin.span.end..end.span.start];
        if begin.kind == Kind::Define {
            left_out.push(whole);
        } else if is_alone(text, &begin.span) && is_alone(text, &end.span) {
            // A block around whole documents is where they are kept or left out: they are judged as if they were there.
            let has_document = inside
                .lines()
                .any(|it| it.starts_with("apiVersion:") || it.starts_with("kind:"));
            if has_document {
                let other = actions[first..last]
                    .iter()
                    .find(|it| it.kind == Kind::Else && depth(&actions, it, first) == 1);
                left_out.extend(other.map(|it| it.span.start..end.span.start));
                continue;
            }
            left_out.push(whole.clone());
            replaced.push((whole, true));
        } else {
            // Within a line: the value is not known.
            let value = begin.span.start..end.span.end;
            left_out.push(value.clone());
            replaced.push((value, false));
        }
    }
    for range in &left_out {
        blank(&mut filled, range.clone());
    }
    for action in &actions {
        if left_out
            .iter()
            .any(|it| it.start <= action.span.start && action.span.end <= it.end)
        {
            continue;
        }
        if action.kind != Kind::Value {
            blank(&mut filled, action.span.clone());
        } else if is_alone(text, &action.span) {
            blank(&mut filled, action.span.clone());
            replaced.push((lines_of(text, action.span.clone()), true));
        } else {
            put(&mut filled, action.span.clone());
        }
    }
    replaced.sort_unstable_by_key(|it| it.0.start);
    for (range, is_lines) in replaced {
        if is_lines {
            more(text, &mut filled, range);
        } else if text[range.clone()].contains('\n') {
            return None;
        } else {
            put(&mut filled, range);
        }
    }
    String::from_utf8(filled).ok()
}

/// How many blocks from `first` on an action is in.
fn depth(actions: &[Action], action: &Action, first: usize) -> i32 {
    let before = actions[first..]
        .iter()
        .take_while(|it| it.span.start < action.span.start);
    before
        .map(|it| match it.kind {
            Kind::Begin | Kind::Define => 1,
            Kind::End => -1,
            _ => 0,
        })
        .sum()
}

/// All actions, in order; `None` if one is not closed.
fn actions(text: &str) -> Option<Vec<Action>> {
    let mut actions = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find("{{") {
        let start = at + found;
        let inner = start + 2;
        let end = end_of(text, inner)?;
        let code = text[inner..end - 2]
            .trim_start_matches('-')
            .trim_end_matches('-')
            .trim();
        let word = code
            .split(|c: char| !c.is_ascii_alphanumeric())
            .next()
            .unwrap_or_default();
        let is_assignment = code.starts_with('$') && (code.contains(":=") || code.contains(" = "));
        let kind = match word {
            "if" | "with" | "range" => Kind::Begin,
            "define" | "block" => Kind::Define,
            "else" => Kind::Else,
            "end" => Kind::End,
            _ if code.starts_with("/*") || is_assignment || code.is_empty() => Kind::Nothing,
            _ => Kind::Value,
        };
        actions.push(Action { span: start..end, kind });
        at = end;
    }
    Some(actions)
}

/// Where an action ends whose text begins at `at`: texts in quotes may hold braces.
fn end_of(text: &str, at: usize) -> Option<usize> {
    let code = text[at..].trim_start_matches('-').trim_start();
    if code.starts_with("/*") {
        return text[at..]
            .find("*/")
            .and_then(|it| Some(at + it + text[at + it..].find("}}")? + 2));
    }
    let bytes = text.as_bytes();
    let mut quote = 0;
    let mut n = at;
    while n < bytes.len() {
        match bytes[n] {
            b'\\' if quote == b'"' => n += 1,
            byte @ (b'"' | b'`') if quote == 0 => quote = byte,
            byte if quote == byte => quote = 0,
            b'}' if quote == 0 && bytes.get(n + 1) == Some(&b'}') => return Some(n + 2),
            _ => {}
        }
        n += 1;
    }
    None
}

/// Whether nothing else is on the lines of an action.
fn is_alone(text: &str, span: &Range<usize>) -> bool {
    let lines = lines_of(text, span.clone());
    text[lines.start..span.start].trim().is_empty() && text[span.end..lines.end].trim().is_empty()
}

/// The whole lines of a range, without the last line break.
fn lines_of(text: &str, range: Range<usize>) -> Range<usize> {
    let start = text[..range.start].rfind('\n').map_or(0, |it| it + 1);
    let end = text[range.end..].find('\n').map_or(text.len(), |it| range.end + it);
    start..end
}

fn blank(filled: &mut [u8], range: Range<usize>) {
    for byte in &mut filled[range] {
        if *byte != b'\n' && *byte != b'\r' {
            *byte = b' ';
        }
    }
}

/// Puts a placeholder of this length, which begins a plain text or continues any.
fn put(filled: &mut [u8], range: Range<usize>) {
    let mut mark = [0; 4];
    let mark = PLACEHOLDER.encode_utf8(&mut mark).as_bytes();
    let place = &mut filled[range];
    place.fill(b'x');
    if place.len() >= mark.len() {
        place[..mark.len()].copy_from_slice(mark);
    }
}

/// Writes an unknown entry, item or value into blank lines, as the lines around them need it.
fn more(text: &str, filled: &mut [u8], lines: Range<usize>) {
    let Some(column) = column_of(text, &lines) else { return };
    let now = String::from_utf8_lossy(filled).into_owned();
    let before = now[..lines.start]
        .lines()
        .rev()
        .find(|it| !it.trim().is_empty() && indent(it) <= column);
    let after = now[lines.end..].lines().find(|it| !it.trim().is_empty());
    let (is_item, is_value) = match (before, after) {
        (Some(before), _) if indent(before) == column && !before.starts_with("---") => {
            (before.trim_start().starts_with("- "), false)
        }
        // An item's first entry is on its line.
        (Some(before), _) if before.trim_start().starts_with("- ") && indent(before) + 2 == column => (false, false),
        (_, Some(after)) if indent(after) == column && !after.starts_with("---") => {
            (after.trim_start().starts_with("- "), false)
        }
        (Some(before), _) if before.trim_end().ends_with(':') => (false, true),
        _ => return,
    };
    let entry = match (is_item, is_value) {
        (true, _) => format!("- {PLACEHOLDER}*"),
        (_, true) => PLACEHOLDER.to_string(),
        _ => format!("{PLACEHOLDER}: "),
    };
    let mut at = lines.start;
    for line in text[lines].split_inclusive('\n') {
        let room = line.trim_end_matches(['\n', '\r']).len();
        if room >= column + entry.len() {
            filled[at + column..at + column + entry.len()].copy_from_slice(entry.as_bytes());
            return;
        }
        at += line.len();
    }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The column where the printed lines begin: the argument of `nindent`, or the column of the first line of a block.
fn column_of(text: &str, lines: &Range<usize>) -> Option<usize> {
    let written = &text[lines.clone()];
    let first = written.lines().next()?;
    if let Some(at) = first
        .find("indent ")
        .filter(|_| !first.contains("{{- if") && !first.contains("{{- with"))
    {
        let digits: String = first[at + "indent ".len()..]
            .chars()
            .take_while(char::is_ascii_digit)
            .collect();
        return digits.parse().ok();
    }
    let content = written
        .lines()
        .find(|it| !it.trim().is_empty() && !it.trim_start().starts_with("{{"));
    if let Some(line) = content {
        return Some(indent(line));
    }
    let inner = written.find("indent ").and_then(|at| {
        let digits: String = written[at + "indent ".len()..]
            .chars()
            .take_while(char::is_ascii_digit)
            .collect();
        digits.parse().ok()
    });
    inner.or_else(|| Some(indent(first)))
}

#[cfg(test)]
mod tests {
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let filled = super::fill(text).map(|it| {
            assert_eq!(it.len(), text.len(), "of {text:?}");
            it.replace(super::PLACEHOLDER, "@")
        });
        assert_eq!(filled.as_deref(), Some(expected), "of {text:?}");
    }

    #[test]
    fn values() {
        check("name: {{ .x }}-tls\n", "name: @xxxxx-tls\n");
        check(
            "name: \"{{ .x | default \"a\" }}\"\n",
            &format!("name: \"@{}\"\n", "x".repeat(22 - 3)),
        );
        check(
            "a: {{ if .x }}1{{ else }}2{{ end }}\n",
            &format!("a: @{}\n", "x".repeat(32 - 3)),
        );
    }

    #[test]
    fn lines() {
        check("{{- $x := 1 }}\na: 1\n", "              \na: 1\n");
        check(
            "a:\n  b: 1\n  {{- toYaml .x | nindent 2 }}\nc: 1\n",
            &format!("a:\n  b: 1\n  @: {}\nc: 1\n", " ".repeat(28 - 5)),
        );
        check(
            "a:\n  {{- toYaml .x | nindent 2 }}\n",
            &format!("a:\n  @{}\n", " ".repeat(28 - 3)),
        );
        check(
            "a:\n- b\n{{ toYaml .x }}\n",
            &format!("a:\n- b\n- @*{}\n", " ".repeat(15 - 6)),
        );
    }

    #[test]
    fn blocks() {
        let text = "{{- if .on }}\napiVersion: v1\nspec:\n  {{- if .a }}\n  a: 1\n  {{- end }}\n  b: 2\n{{- end }}\n";
        let expected = "             \napiVersion: v1\nspec:\n  @:        \n      \n            \n  b: 2\n          \n";
        check(text, expected);
        assert_eq!(super::fill("{{ if .x }}\n"), None, "a block that is not closed");
        assert_eq!(super::fill("a: 1\n"), None);
    }
}
