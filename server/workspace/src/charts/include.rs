//! Actions that print a template of the chart at a known indentation.

use crate::filled_in::fill::actions::commands;

/// An action such as `include "labels" . | nindent 4`.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Include<'t> {
    /// The name of the template.
    pub(super) name: &'t str,
    /// The number of blanks that the action inserts before each line.
    pub(super) indent: usize,
    /// Whether the action prints a line break first.
    pub(super) breaks_line: bool,
}

/// The largest indentation that is read. Manifests are not indented more deeply.
const MOST_INDENT: usize = 200;

/// The include that the code of an action is. `None` if the name or the indentation is computed, or if the action does anything else with the text.
pub(super) fn include(code: &str) -> Option<Include<'_>> {
    let mut commands = commands(code)?;
    let mut indentation = None;
    if commands.len() == 2 {
        indentation = Some(indented(commands.pop()?)?);
    }
    let mut call = commands.pop().filter(|_| commands.is_empty())?;
    // `nindent 4 (include "labels" .)`
    if indentation.is_none()
        && let Some((before, inner)) = call.split_once('(')
        && let Some(found) = indented(before)
    {
        indentation = Some(found);
        call = inner.strip_suffix(')')?.trim();
    }
    let (function, arguments) = call.split_once(char::is_whitespace)?;
    let is_printed = function == "include" || function == "template" && indentation.is_none();
    let name = string(arguments.trim_start()).filter(|_| is_printed)?;
    let (indent, breaks_line) = indentation.unwrap_or_default();
    Some(Include {
        name,
        indent,
        breaks_line,
    })
}

/// The number in `indent 4` or `nindent 4`, and whether it is `nindent`.
fn indented(command: &str) -> Option<(usize, bool)> {
    let (function, number) = command.split_once(char::is_whitespace)?;
    let number = number.trim().parse().ok().filter(|it| *it <= MOST_INDENT)?;
    match function {
        "indent" => Some((number, false)),
        "nindent" => Some((number, true)),
        _ => None,
    }
}

/// The string at the start of a text. `None` if there is none, or if it has escapes.
fn string(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|it| matches!(it, '"' | '`'))?;
    let (name, rest) = text[1..].split_once(quote)?;
    let is_alone = rest.is_empty() || rest.starts_with(char::is_whitespace);
    (is_alone && !name.contains('\\')).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(code: &str, expected: Option<(&str, usize, bool)>) {
        let found = include(code).map(|it| (it.name, it.indent, it.breaks_line));
        assert_eq!(found, expected, "of {code:?}");
    }

    #[test]
    fn includes_with_a_constant_indentation() {
        check("include \"a.b\" . | nindent 4", Some(("a.b", 4, true)));
        check(
            "include `a` (dict \"b\" \"c|d\" \"e\" $) |indent 0",
            Some(("a", 0, false)),
        );
        check("nindent 8 (include \"a\" $)", Some(("a", 8, true)));
        check("template \"a\" .", Some(("a", 0, false)));
        check("template \"a\"", Some(("a", 0, false)));
    }

    #[test]
    fn everything_else_is_unknown() {
        for code in [
            "include .name . | nindent 4",
            "include (print \"a\" .b) . | nindent 4",
            "include \"a\" . | nindent .indent",
            "include \"a\" . | nindent 4 | quote",
            "include \"a\" . | trim | nindent 4",
            "include \"a\" . | nindent 201",
            "include \"a\" . | nindent -1",
            "include \"a\\\"b\" . | nindent 4",
            "include \"a\"\"b\" .",
            "include \"a\" (dict | nindent 4",
            "include \"a\" . ) | nindent 4",
            "template \"a\" . | nindent 4",
            "toYaml .a | nindent 4",
            "include",
            "include \"a",
            "",
        ] {
            check(code, None);
        }
    }
}
