//! The indentation of a new line in a manifest after the user has pressed Enter.

use crd_analyzer_syntax::tree::{CollectionStyle, NodeId, NodeKind, ScalarStyle, Span, Tree};

use crate::manifest::is_manifest;

/// The number of columns of one indentation level.
const LEVEL: usize = 2;

/// The indentation that a blank line should have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Indentation {
    /// The span of the line's current indentation.
    pub span: Span,
    /// The number of columns that it should have.
    pub columns: usize,
}

/// The indentation for the blank line at an offset, if the line above determines it:
/// - After a key without a value, the line is indented by one more level, or to the column of an existing value.
/// - After the first key of a list item, the line is indented to the column of that key.
///
/// `None` if the line is not blank, already has that indentation, or continues a scalar.
pub fn indentation(tree: &Tree, offset: u32) -> Option<Indentation> {
    if !is_manifest(tree) {
        return None;
    }
    let text = tree.text();
    let offset = text.floor_char_boundary(offset as usize);
    let line_of = |offset: usize| {
        let start = text[..offset].rfind('\n').map_or(0, |it| it + 1);
        let end = text[offset..].find('\n').map_or(text.len(), |it| offset + it);
        start..end
    };
    let line = line_of(offset);
    let above = line_of(line.start.checked_sub(1)?);
    let blanks = text[line.clone()].trim_end_matches('\r');
    let written = &text[above.clone()];
    if blanks.bytes().any(|it| it != b' ') || written.trim().is_empty() {
        return None;
    }
    let indent = written.len() - written.trim_start_matches(' ').len();
    let mut content = indent;
    while written[content..].starts_with("- ") {
        let rest = &written[content + 2..];
        content += 2 + rest.len() - rest.trim_start_matches(' ').len();
    }
    let key = key_at(tree, (above.start + content) as u32)?;
    let columns = match below(tree, key, above.start..above.end)? {
        Below::Deeper => content + LEVEL,
        Below::At(column) => column,
        Below::Beside if content > indent => content,
        Below::Beside => return None,
    };
    let span = Span::new(line.start as u32, (line.start + blanks.len()) as u32);
    (columns != blanks.len()).then_some(Indentation { span, columns })
}

/// The key of a block mapping that begins at an offset.
fn key_at(tree: &Tree, offset: u32) -> Option<NodeId> {
    let node = tree.last_from(offset)?;
    let mapping = tree.parent(node)?;
    let is_block = matches!(tree.kind(mapping), NodeKind::Mapping(CollectionStyle::Block));
    (is_block && tree.is_key(node) && tree.full_span(node).start == offset).then_some(node)
}

/// What to write on the line below a key.
enum Below {
    /// The value of the key, one level deeper than the key.
    Deeper,
    /// The value of the key, in the column of its existing lines.
    At(usize),
    /// The next key, in the same column.
    Beside,
}

/// Determines what to write on the line below a key.
fn below(tree: &Tree, key: NodeId, line: std::ops::Range<usize>) -> Option<Below> {
    let value = tree.entry_of(key)?.value;
    let span = tree.full_span(value);
    let start = span.start as usize;
    if tree.is_absent(value) || span.is_empty() {
        return Some(Below::Deeper);
    }
    if start > line.end {
        let text = tree.text();
        let column = start - text[..start].rfind('\n').map_or(0, |it| it + 1);
        let is_block = matches!(
            tree.kind(value),
            NodeKind::Mapping(CollectionStyle::Block) | NodeKind::Sequence(CollectionStyle::Block)
        );
        return is_block.then_some(Below::At(column));
    }
    match tree.kind(value) {
        NodeKind::Scalar(ScalarStyle::Literal | ScalarStyle::Folded) => {
            // The first line of the scalar determines its indentation.
            let is_begun = tree.scalar(value).trim().is_empty();
            is_begun.then_some(Below::Deeper)
        }
        // A multi-line scalar or a list in brackets continues below.
        _ => (span.end as usize <= line.end).then_some(Below::Beside),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crd_analyzer_syntax::edit;

    const HEAD: &str = "apiVersion: example.com/v1\nkind: Widget\n";

    /// Checks the column that the line of `$0` should have. `None` means that the line does not change.
    #[track_caller]
    fn check(lines: &str, expected: Option<usize>) {
        let text = format!("{HEAD}{lines}");
        let offset = text.find("$0").expect("a cursor") as u32;
        let text = text.replace("$0", "");
        let tree = edit::read(text.as_str(), Span::new(0, text.len() as u32)).tree;
        assert_eq!(indentation(&tree, offset).map(|it| it.columns), expected, "of {text:?}");
    }

    #[test]
    fn a_key_without_a_value_indents_the_next_line() {
        check("spec:\n$0\n", Some(2));
        check("spec: # why\n$0\n", Some(2));
        check("spec:\n  $0\n", None);
        check("spec:\n  hosts:\n  $0\n", Some(4));
        check("spec:\n  text: |\n  $0\n", Some(4));
        check("spec:\n- name:\n  $0\n", Some(4));
        check("spec:\n  \"a b\":\n  $0\nstatus: {}\n", Some(4));
    }

    #[test]
    fn what_is_there_already_tells_the_column() {
        check("spec:\n$0\n    size: 1\n", Some(4));
        check("spec:\n  hosts:\n    $0\n  - a\n", Some(2));
    }

    #[test]
    fn the_keys_of_an_item_are_below_each_other() {
        check("rules:\n- rule: self.x\n$0\n", Some(2));
        check("rules:\n- rule: self.x\n  $0\n", None);
        check("rules:\n  - rule: 'self.x'\n  $0\n", Some(4));
        check("rules:\n- - name: a\n  $0\n", Some(4));
    }

    #[test]
    fn elsewhere_the_line_stays() {
        for lines in [
            "spec:\n  size: 1\n$0\n",
            "spec:\n- a\n$0\n",
            "spec:\n  text: |\n    one\n$0\n",
            "spec:\n  text: |\n    key:\n$0\n    two\n",
            "spec:\n  text: 'one\n$0\n    two'\n",
            "spec: {\n$0\n",
            "spec: {a:\n$0\n}\n",
            "# spec:\n$0\n",
            "spec:\n  size$0\n",
            "spec:\n\n$0\n",
        ] {
            check(lines, None);
        }
        let other = edit::read("a:\n\n", Span::new(0, 4)).tree;
        assert_eq!(indentation(&other, 3), None, "no manifest");
    }
}
