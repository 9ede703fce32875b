//! Blank lines at the start of block scalars. YAML does not allow them to be longer than the indentation of the text, and replaced actions are.

use std::ops::Range;

use super::lines::{Shape, indent};

/// The lines that are too long, each from the column of the text to its end.
pub(super) fn long_blank_lines(filled: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    // The blank lines since the header of a block scalar, and the column that its text must pass.
    let mut begun: Option<(usize, Vec<Range<usize>>)> = None;
    let mut text_column = None;
    let mut start = 0;
    for line in filled.split('\n') {
        let range = start..start + line.trim_end_matches('\r').len();
        start += line.len() + 1;
        if filled[range.clone()].bytes().all(|it| it == b' ') {
            if let Some((_, blank)) = &mut begun {
                blank.push(range);
            }
            continue;
        }
        let column = indent(line);
        if let Some((above, blank)) = begun.take()
            && above < column
        {
            found.extend(
                blank
                    .into_iter()
                    .filter(|it| it.len() > column)
                    .map(|it| it.start + column..it.end),
            );
            text_column = Some(column);
        }
        if text_column.is_some_and(|it| it <= column) {
            continue;
        }
        text_column = None;
        begun = Shape::of_line(line)
            .and_then(Shape::text_column)
            .map(|it| (it, Vec::new()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::long_blank_lines;

    #[test]
    fn only_spaces_are_blank() {
        assert_eq!(long_blank_lines("a: |\n     \n  b\n").first(), Some(&(7..10)));
        assert!(long_blank_lines("a: |\n \n  b\n     \n  c\n").is_empty());
        for other in ["\u{a0}\u{a0}", "\t\t\t\t"] {
            assert!(long_blank_lines(&format!("a: |\n{other}\n  b\n")).is_empty());
        }
    }
}
