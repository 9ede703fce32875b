//! Marks in templates, by which a place is found in what Helm renders: comments of YAML, which change no value.

/// The mark with a number.
pub(super) fn mark(number: usize) -> String {
    format!("# @@{number}@@")
}

/// Marks places of a text: `end` is the offset at which a place ends. Returns the text and which places could be marked.
pub(super) fn marked(text: &str, places: &[(usize, usize)]) -> (String, Vec<usize>) {
    let mut found: Vec<(usize, usize)> = places
        .iter()
        .filter_map(|(number, end)| Some((offset(text, *end)?, *number)))
        .collect();
    let numbers = found.iter().map(|it| it.1).collect();
    found.sort_unstable();
    let mut made = String::with_capacity(text.len() + 32 * found.len());
    let mut at = 0;
    for (offset, number) in found {
        made.push_str(&text[at..offset]);
        made.push(' ');
        made.push_str(&mark(number));
        at = offset;
    }
    made.push_str(&text[at..]);
    (made, numbers)
}

/// Where a mark is written for a place that ends at an offset: at the end of the line, or of the branch of a block within the line. `None` if the mark
/// could change what the line prints.
fn offset(text: &str, end: usize) -> Option<usize> {
    let rest = text.get(end..)?;
    let of_line = rest.split('\n').next().unwrap_or_default();
    let line_end = end + of_line.trim_end().len();
    let branch = ["{{ else", "{{else", "{{- else", "{{ end", "{{end", "{{- end"];
    let branch = branch.iter().filter_map(|it| of_line.find(it)).min();
    if let Some(branch) = branch.filter(|it| !of_line[..*it].contains("{{")) {
        // Everything after the mark is a part of the comment, so nothing may follow the block.
        let is_last = of_line.trim_end().ends_with("}}") && !of_line[..branch].contains(['"', '\'']);
        return is_last.then_some(end + branch);
    }
    let line_start = text[..end].rfind('\n').map_or(0, |it| it + 1);
    let line = &text[line_start..line_end];
    (!line.ends_with("-}}")).then_some(line_end)
}

#[cfg(test)]
mod tests {
    use super::marked;

    #[track_caller]
    fn check(text: &str, place: &str, expected: Option<&str>) {
        let end = text.find(place).expect("the place is there") + place.len();
        let (made, numbers) = marked(text, &[(7, end)]);
        assert_eq!(Some(&*made).filter(|_| !numbers.is_empty()), expected, "of {text:?}");
    }

    #[test]
    fn places_are_marked_where_the_mark_changes_nothing() {
        check("a: 1\nb: 2\n", "1", Some("a: 1 # @@7@@\nb: 2\n"));
        check("a: \"{{ .x }}\"\n", "a", Some("a: \"{{ .x }}\" # @@7@@\n"));
        let inline = "a: {{ if .x }}1{{ else }}2{{ end }}\n";
        check(inline, "1", Some("a: {{ if .x }}1 # @@7@@{{ else }}2{{ end }}\n"));
        check(inline, "2", Some("a: {{ if .x }}1{{ else }}2 # @@7@@{{ end }}\n"));
        check("a: {{ if .x }}1{{ end }}2\n", "1", None);
        check("a: {{ .x -}}\nb: 1\n", "a", None);
    }
}
