//! The table row for Markdown: YAML blocks with whole objects, as in documentation.

use std::{ops::Range, path::Path, sync::Arc};

use crd_analyzer_syntax::split::{read_document, split};

use super::Row;
use crate::{
    documents::text::Text,
    findings::report::{FileReport, Unchecked},
    judging::{
        analysis::analyze_text,
        hazards,
        question::{Question, Wants},
    },
    roles::{self, Use},
};

/// The table row for Markdown.
pub(super) const ROW: Row = Row {
    name: "Markdown",
    is_of: roles::is_markdown,
    report,
    silence: |_| {},
    may_be_made: |_, _| false,
    may_be_name: |_, _| false,
    may_have_made: |_| false,
    unit: |_, _, _| None,
};

/// The languages of blocks that are checked.
const LANGUAGES: [&str; 2] = ["yaml", "yml"];

/// A code block between two fences.
struct Block {
    /// The index of the line with the opening fence.
    opens: usize,
    /// The indices of the lines between the fences.
    lines: Range<usize>,
    /// The indentation of the block, in bytes.
    indent: usize,
}

/// Checks the objects in the code blocks of a text. They are examples, so missing fields are not reported, and blocks that cannot be parsed are only
/// counted.
fn report(text: &Arc<str>, _: &Path, question: &Question<'_>) -> FileReport {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut shown = Vec::new();
    let mut unread = 0;
    for block in blocks(&lines) {
        let inside = &lines[block.lines.clone()];
        if !shows_object(inside, block.indent) {
            continue;
        }
        let content: Arc<str> = inside.concat().into();
        let mut documents = split(&content).documents.into_iter();
        if documents.all(|it| read_document(&content, it, &[]).is_ok()) {
            shown.push(block);
        } else {
            unread += 1;
        }
    }
    let mut report = FileReport::empty(text.clone());
    if !shown.is_empty() {
        let question = Question {
            uses: question.uses.with(Use::Part),
            named: false,
            wants: Wants {
                unchecked: false,
                hazards: hazards::Search::Off,
                ..question.wants
            },
            ..*question
        };
        let manifests = Text::whole(manifests(&lines, &shown).into());
        report = FileReport {
            text: text.clone(),
            ..analyze_text(&manifests, &question).0
        };
    }
    report.unchecked.extend(std::iter::repeat_n(Unchecked::NotYaml, unread));
    report
}

/// The YAML blocks among the lines of a text.
fn blocks(lines: &[&str]) -> Vec<Block> {
    let mut found = Vec::new();
    // The character and the length of the fence that is open, and its block if the block's language is checked.
    let mut open: Option<(char, usize, Option<Block>)> = None;
    for (number, line) in lines.iter().enumerate() {
        let written = line.trim_start_matches([' ', '\t']);
        let mark = written.chars().next().filter(|it| matches!(it, '`' | '~'));
        let length = mark.map_or(0, |mark| written.chars().take_while(|it| *it == mark).count());
        let rest = written.get(length..).unwrap_or_default().trim();
        match (&mut open, mark) {
            (None, Some(mark)) if length >= 3 && !rest.contains('`') => {
                let language = rest.split([' ', '{', ',', '\t']).next().unwrap_or_default();
                let is_read = LANGUAGES.iter().any(|it| language.eq_ignore_ascii_case(it));
                let block = Block {
                    opens: number,
                    lines: number + 1..lines.len(),
                    indent: line.len() - written.len(),
                };
                open = Some((mark, length, is_read.then_some(block)));
            }
            (Some((opened, least, block)), Some(mark)) if mark == *opened && length >= *least && rest.is_empty() => {
                if let Some(block) = block.take() {
                    found.push(Block {
                        lines: block.lines.start..number,
                        ..block
                    });
                }
                open = None;
            }
            _ => {}
        }
    }
    // A block that is not closed continues to the end of the text.
    found.extend(open.and_then(|it| it.2));
    found
}

/// Whether lines have the fields that every Kubernetes object has.
fn shows_object(lines: &[&str], indent: usize) -> bool {
    ["apiVersion:", "kind:"].iter().all(|key| {
        lines
            .iter()
            .any(|it| it.get(indent..).is_some_and(|it| it.starts_with(key)))
    })
}

/// The blocks as documents of one text, with the same offsets. Other lines become comments.
fn manifests(lines: &[&str], blocks: &[Block]) -> String {
    let mut text = String::with_capacity(lines.iter().map(|it| it.len()).sum());
    let mut blocks = blocks.iter().peekable();
    for (number, line) in lines.iter().enumerate() {
        blocks.next_if(|it| it.lines.end <= number && it.opens < number);
        let block = blocks.peek();
        if block.is_some_and(|it| it.lines.contains(&number)) {
            text.push_str(line);
            continue;
        }
        let content = line.trim_end_matches(['\n', '\r']);
        let is_opened = block.is_some_and(|it| it.opens == number);
        let mark = if is_opened { "---" } else { "#" };
        let mark = mark.get(..content.len()).unwrap_or(mark);
        text.push_str(mark);
        text.extend(std::iter::repeat_n(' ', content.len() - mark.len()));
        text.push_str(&line[content.len()..]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_stay_where_they_are() {
        let text = "# Wídgets\n\n```yaml title=\"a\"\napiVersion: a\nkind: B\n```\nprose {\r\n- a list\n\n  ~~~yml\n  kind: C\n  ```\n  ~~~\n```go\nkind: D\n```\n```yaml\nkind: E\n";
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let found = blocks(&lines);
        let made = manifests(&lines, &found);
        assert_eq!(
            made,
            "#         \n\n---              \napiVersion: a\nkind: B\n#  \n#      \r\n#       \n\n---     \n  kind: C\n  ```\n#    \n#    \n#      \n#  \n---    \nkind: E\n"
        );
        assert_eq!(made.len(), text.len());
    }
}
