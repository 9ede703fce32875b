//! Turns comments into descriptions: `extractDoc` of controller-gen's `pkg/markers/zip.go`, based on `CommentGroup.Text` of Go's `go/ast`.

/// The text of comments, without markers.
pub(crate) fn of(comments: &str) -> String {
    let all: Vec<&str> = split(comments).into_iter().filter(|it| !is_marker(it)).collect();
    let is_block = all.iter().any(|it| it.starts_with("/*"));
    let mut described: Vec<&str> = Vec::new();
    let mut is_code = false;
    for line in &lines(&all) {
        let line = if is_block { line.trim() } else { line };
        if line.starts_with("```") || line.starts_with("~~~") {
            is_code = !is_code;
        }
        if !is_code {
            if line.starts_with("TODO") {
                continue;
            }
            if line.starts_with("---") {
                break;
            }
        }
        described.push(line);
    }
    described.join("\n")
}

/// Splits a group of comments into single comments.
fn split(mut text: &str) -> Vec<&str> {
    let mut all = Vec::new();
    loop {
        text = text.trim_start();
        let end = if text.starts_with("/*") {
            text.get(2..).and_then(|it| it.find("*/")).map(|it| it + 4)
        } else if text.starts_with("//") {
            text.find('\n')
        } else {
            return all;
        };
        let (comment, rest) = text.split_at(end.unwrap_or(text.len()));
        all.push(comment.strip_suffix('\r').unwrap_or(comment));
        text = rest;
    }
}

fn is_marker(comment: &str) -> bool {
    comment.strip_prefix("//").is_some_and(|it| it.trim().starts_with('+'))
}

/// The lines of comments without the comment signs. Consecutive blank lines become one.
fn lines<'c>(comments: &[&'c str]) -> Vec<&'c str> {
    let mut lines: Vec<&str> = Vec::new();
    for comment in comments {
        let inside = if let Some(inside) = comment.strip_prefix("//") {
            match inside.strip_prefix(' ') {
                Some(inside) => inside,
                None if is_directive(inside) => continue,
                None => inside,
            }
        } else {
            let inside = comment.strip_prefix("/*").unwrap_or(comment);
            inside.strip_suffix("*/").unwrap_or(inside)
        };
        for line in inside.split('\n') {
            let line = line.trim_end_matches([' ', '\t', '\n', '\r']);
            if !line.is_empty() || lines.last().is_some_and(|it| !it.is_empty()) {
                lines.push(line);
            }
        }
    }
    // If the last line is blank, remove it.
    if lines.last().is_some_and(|it| it.is_empty()) {
        lines.pop();
    }
    lines
}

/// Whether a comment is a directive for a tool, such as `//go:generate`.
fn is_directive(inside: &str) -> bool {
    if ["line ", "extern ", "export "].iter().any(|it| inside.starts_with(it)) {
        return true;
    }
    let Some(colon) = inside.find(':').filter(|it| *it > 0 && it + 1 < inside.len()) else {
        return false;
    };
    let is_of_name = |it: &u8| it.is_ascii_lowercase() || it.is_ascii_digit();
    let bytes = inside.as_bytes();
    bytes[..colon].iter().all(is_of_name) && is_of_name(&bytes[colon + 1])
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn comments_become_descriptions() {
        for (written, described) in [
            ("// One.\n// Two.", "One.\nTwo."),
            ("// One.\n//\n//\n// Two.\n//", "One.\n\nTwo."),
            ("// One.\n// +optional\n// Two.", "One.\nTwo."),
            ("//go:generate x\n// One.", "One."),
            ("//nolint:all\n//  Indented.", " Indented."),
            ("// One.\n// TODO: two.\n// Three.\n// ---\n// Four.", "One.\nThree."),
            ("// ```\n// TODO\n// ---\n// ```\n// TODO", "```\nTODO\n---\n```"),
            ("/* One.\n   Two.\n*/", "One.\nTwo."),
            ("//\n// One.", "One."),
            ("// +optional", ""),
        ] {
            assert_eq!(of(written), described, "{written}");
        }
    }
}
