//! The keys of the entries that a block prints, if all of them are written in it.

use super::{
    actions::{Action, Kind, commands},
    lines::{Lines, indent},
};

/// The keys of entries, and the column at which they are written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Keys {
    pub(super) column: usize,
    pub(super) names: Vec<String>,
}

impl Keys {
    /// The keys of all entries that a block may print. `actions` are those of the block. `None` if the block may print anything else.
    pub(super) fn of(text: &str, actions: &[Action], lines: &Lines) -> Option<Self> {
        let (first, last) = (actions.first()?, actions.last()?);
        let mut found: Option<Self> = None;
        let mut at = first.span.end;
        let mut next = actions[1..].iter().peekable();
        for line in text[first.span.end..last.span.start].split_inclusive('\n') {
            let start = at;
            at += line.len();
            let written = start + line.len() - line.trim_start().len();
            // The first action that ends in this line or later.
            while next.next_if(|it| it.span.end <= start).is_some() {}
            let action = next.peek().filter(|it| it.span.start <= written);
            if line.trim().is_empty() || action.is_some_and(|it| it.span.start < start) {
                continue;
            }
            if action.is_some() || line.trim_start().starts_with('#') {
                // Actions in lines of their own are checked below.
                if action.is_some_and(|it| !lines.is_alone(&it.span)) {
                    return None;
                }
                continue;
            }
            let keys = found.get_or_insert_with(|| Self {
                column: indent(line),
                names: Vec::new(),
            });
            if indent(line) < keys.column || line.trim_start_matches(' ').starts_with('\t') {
                return None;
            }
            if indent(line) == keys.column {
                match key(line.trim()) {
                    Some(key) => keys.names.push(key.to_owned()),
                    // The items of the list above.
                    None if !keys.names.is_empty() && line.trim_start().starts_with("- ") => {}
                    None => return None,
                }
            }
        }
        let keys = found?;
        let is_deeper = |it: &Action| {
            let commands = commands(it.code(text));
            let last = commands.as_ref().and_then(|it| it.last()?.split_once("indent "));
            last.is_some_and(|it| it.1.trim().parse::<usize>().is_ok_and(|it| it > keys.column))
        };
        let is_simple = |it: &Action| match it.kind {
            Kind::Define => false,
            Kind::Value => !lines.is_alone(&it.span) || is_deeper(it),
            Kind::Begin | Kind::Else | Kind::End | Kind::Nothing => {
                !it.trims_after(text)
                    || !text[it.span.end..]
                        .split('\n')
                        .next()
                        .is_some_and(|it| it.trim().is_empty())
            }
        };
        actions.iter().all(is_simple).then_some(keys)
    }
}

/// The key in a line that starts an entry.
fn key(line: &str) -> Option<&str> {
    let (key, rest) = line.split_once(':')?;
    let quote = key.chars().next().filter(|it| matches!(it, '"' | '\''));
    let name = match quote {
        Some(quote) => key[1..].strip_suffix(quote)?,
        None => key,
    };
    let is_plain = !name.is_empty()
        && name
            .bytes()
            .all(|it| it.is_ascii_alphanumeric() || b"-_./$".contains(&it));
    (is_plain && (rest.is_empty() || rest.starts_with(' '))).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filled_in::fill::actions::actions;

    #[track_caller]
    fn check(text: &str, expected: Option<(usize, &[&str])>) {
        let actions = actions(text).expect("the actions are closed");
        let found = Keys::of(text, &actions, &Lines::of(text, &actions));
        let expected = expected.map(|(column, names)| Keys {
            column,
            names: names.iter().map(|it| (*it).to_owned()).collect(),
        });
        assert_eq!(found, expected, "of {text:?}");
    }

    #[test]
    fn the_keys_of_all_branches() {
        check(
            "  {{- if .x }}\n  a: 1\n  \"b\":\n    {{- toYaml .x | nindent 4 }}\n  # c: 1\n  {{- else if .y }}\n  d:\n  - e: 1\n  {{- end }}",
            Some((2, &["a", "b", "d"])),
        );
        check(
            "{{ with .x }}\n  {{ if .y }}\n  a: {{ if .z -}} 1 {{- else }}2{{ end }}\n{{/* b:\nc: 1 */}}\n  {{ end }}\n{{ end }}",
            Some((2, &["a"])),
        );
    }

    #[test]
    fn blocks_that_may_print_something_else() {
        for inside in [
            "a: 1\n{{ toYaml .x }}",
            "a: 1\n{{ toYaml .x | nindent 0 }}",
            "a: 1\n{{ include \"x\" . }}",
            "a: 1\n{{ .x }}: 1",
            "- a: 1",
            "  a: 1\nb: 1",
            "a: 1\nb",
            "a: 1\n{{ if .x -}}\nb: 1\n{{ end }}",
            "a b: 1",
            "# a",
            "",
        ] {
            check(&format!("{{{{ if .x }}}}\n{inside}\n{{{{ end }}}}"), None);
        }
    }
}
