//! Manifests in Jinja templates.
//!
//! Documentation puts manifests between `{% raw %}` and `{% endraw %}`, which Jinja removes. The text between them is the manifest.
//!
//! Ansible and makejinja print manifests from templates. Their statements become actions of Helm with the same meaning for YAML.

/// The marks of an expression, a statement and a comment, each with its end.
struct Marks {
    expression: [&'static str; 2],
    statement: [&'static str; 2],
    comment: [&'static str; 2],
}

const USUAL: Marks = Marks {
    expression: ["{{", "}}"],
    statement: ["{%", "%}"],
    comment: ["{#", "#}"],
};

/// What makejinja is often set up to use, so that YAML reads statements as comments: `name: #{ cluster }#`.
const IN_COMMENTS: Marks = Marks {
    expression: ["#{", "}#"],
    statement: ["#%", "%#"],
    comment: ["#|", "|#"],
};

/// Replaces the statements of a template with actions of Helm. All other text keeps its offset. `None` if the text has neither statements nor
/// expressions in comments, or if Helm has no action for a statement.
pub(crate) fn as_actions(text: &str) -> Option<String> {
    let is_in = |marks: &[&str; 2]| text.find(marks[0]).is_some_and(|it| text[it..].contains(marks[1]));
    let marks = if is_in(&IN_COMMENTS.expression) || is_in(&IN_COMMENTS.statement) {
        &IN_COMMENTS
    } else if is_in(&USUAL.statement) {
        &USUAL
    } else {
        return None;
    };
    let first = &marks.statement[0][..1];
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(first) {
        let kinds = [&marks.expression, &marks.statement, &marks.comment];
        let Some([begin, end]) = kinds.into_iter().find(|it| rest[at..].starts_with(it[0])) else {
            written.push_str(&rest[..=at]);
            rest = &rest[at + first.len()..];
            continue;
        };
        written.push_str(&rest[..at]);
        let (inside, after) = rest[at + begin.len()..].split_once(end)?;
        if *begin == marks.comment[0] {
            blank(&mut written, &rest[at..rest.len() - after.len()]);
        } else {
            let code = if *begin == marks.statement[0] {
                action(inside)?
            } else {
                inside.to_owned()
            };
            written.extend(["{{", &code, "}}"]);
        }
        rest = after;
    }
    written.push_str(rest);
    Some(written)
}

/// The code of the action with the meaning of a statement, with the same number of bytes.
fn action(statement: &str) -> Option<String> {
    let begin = statement.len() - statement.trim_start_matches(['-', '+', ' ']).len();
    let word = statement[begin..].split(|it: char| !it.is_ascii_alphabetic()).next()?;
    let name = match word {
        "if" | "else" => word,
        "elif" => "else",
        // Whether a part is repeated or conditional, it may be missing.
        "for" => "if",
        "endif" | "endfor" => "end",
        "set" if statement.contains('=') => "/**/",
        "import" | "from" => "/**/",
        "include" => "include",
        _ => return None,
    };
    let mut code = String::with_capacity(statement.len());
    // `+` is a mark of Jinja only.
    code.push_str(&statement[..begin].replace('+', " "));
    code.push_str(name);
    if name != "/**/" && name.len() <= word.len() {
        code.extend(std::iter::repeat_n(' ', word.len() - name.len()));
        code.push_str(&statement[begin + word.len()..]);
        return Some(code);
    }
    let left = statement.len().checked_sub(code.len())?;
    code.extend(std::iter::repeat_n(' ', left));
    Some(code)
}

/// Writes a text with blanks instead of its characters, except for line breaks.
fn blank(written: &mut String, text: &str) {
    for it in text.chars() {
        let blank = if matches!(it, '\n' | '\r') { it } else { ' ' };
        written.extend(std::iter::repeat_n(blank, it.len_utf8()));
    }
}

/// The text with the lines that start and end raw text replaced, so that offsets stay the same. `None` if the text has no such lines, or if the text
/// has other Jinja statements.
pub(crate) fn without_raw(text: &str) -> Option<String> {
    if !text.contains("{%") {
        return None;
    }
    let mut kept = String::with_capacity(text.len());
    let mut is_raw = false;
    for line in text.split_inclusive('\n') {
        let Some(mark) = mark(line) else {
            // Another Jinja statement may add or remove lines.
            if line.contains("{%") {
                return None;
            }
            kept.push_str(line);
            continue;
        };
        if is_raw == (mark == "raw") {
            return None;
        }
        is_raw = !is_raw;
        let ends = line.len() - line.trim_end_matches(['\r', '\n']).len();
        kept.extend(std::iter::repeat_n(' ', line.len() - ends));
        kept.push_str(&line[line.len() - ends..]);
    }
    Some(kept)
}

/// The statement on a line of its own, which is `raw` or `endraw`.
fn mark(line: &str) -> Option<&str> {
    let inside = line.trim().strip_prefix("{%")?.strip_suffix("%}")?;
    let name = inside.trim_matches(['-', '+', ' ']);
    matches!(name, "raw" | "endraw").then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_become_actions() {
        for (text, expected) in [
            ("a: #{ b }#\n", Some("a: {{ b }}\n")),
            (
                "#% if b %#\nc: 2\n#% endif %#\n",
                Some("{{ if b }}\nc: 2\n{{ end   }}\n"),
            ),
            (
                "{%- for a in b -%}\n- {{ a }}\n{% endfor %}\n",
                Some("{{- if  a in b -}}\n- {{ a }}\n{{ end    }}\n"),
            ),
            (
                "a: {% if b %}1{% elif c %}2{% else %}3{% endif %}\n",
                Some("a: {{ if b }}1{{ else c }}2{{ else }}3{{ end   }}\n"),
            ),
            ("{% set a = 'é' %}{# x\né #}\n", Some("{{ /**/         }}    \n     \n")),
            ("{% include 'a' %}\n", Some("{{ include 'a' }}\n")),
            ("{% macro a() %}{% endmacro %}\n", None),
            ("a: 1 # the {b}\n", None),
            ("a: '{{ b }}'\n", None),
            ("{% if\n", None),
        ] {
            let actions = as_actions(text);
            assert_eq!(actions.as_deref(), expected, "{text}");
            assert!(actions.is_none_or(|it| it.len() == text.len()), "{text}");
        }
    }

    #[test]
    fn raw_lines_become_spaces() {
        for (text, expected) in [
            ("{% raw %}\na: 1\n{% endraw %}", Some("         \na: 1\n            ")),
            ("{%- raw -%}\r\na: '{{ b }}'\n", Some("           \r\na: '{{ b }}'\n")),
            ("a: 1\n{% if b %}\nc: 1\n{% endif %}\n", None),
            ("{% raw %}\n{% raw %}\n", None),
            ("{% endraw %}\n", None),
            ("a: b {% raw %}\n", None),
            ("a: 1\n", None),
        ] {
            assert_eq!(without_raw(text).as_deref(), expected, "{text}");
        }
    }
}
