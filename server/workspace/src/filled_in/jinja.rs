//! Documentation that puts manifests between `{% raw %}` and `{% endraw %}`, which Jinja removes. The text between them is the manifest.

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
