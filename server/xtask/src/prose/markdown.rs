//! Extracts sentences from Markdown.

use super::Read;

/// The minimum number of words in a sentence. Shorter texts are names.
const WORDS: usize = 3;

/// The sentences of paragraphs, list items, headings and table cells, without code blocks.
pub(super) fn sentences(text: &str) -> Vec<Read> {
    let mut found = Vec::new();
    let (mut paragraph, mut begins) = (String::new(), 1);
    let mut fence = false;
    for (n, line) in text.lines().enumerate() {
        let line = line.trim();
        let is_fence = line.starts_with("```");
        let is_cells = line.starts_with('|');
        let begins_anew = is_fence || is_cells || line.is_empty() || line.starts_with('#') || is_item(line);
        if fence || begins_anew {
            found.extend(split(&std::mem::take(&mut paragraph), begins));
        }
        if is_fence {
            fence = !fence;
        } else if is_cells && !fence {
            found.extend(
                line.split(" | ")
                    .flat_map(|cell| split(cell.trim_matches(['|', ' ']), n + 1)),
            );
        } else if !fence && !line.is_empty() {
            if paragraph.is_empty() {
                begins = n + 1;
            } else {
                paragraph.push(' ');
            }
            paragraph.push_str(line.trim_start_matches(['#', '-', '*', ' ']));
        }
    }
    found.extend(split(&paragraph, begins));
    found
}

fn is_item(line: &str) -> bool {
    let number = line.trim_start_matches(|it: char| it.is_ascii_digit());
    line.starts_with("- ") || line.starts_with("* ") || (number.len() < line.len() && number.starts_with(". "))
}

/// The sentences of a paragraph.
pub(super) fn split(paragraph: &str, line: usize) -> Vec<Read> {
    let (mut found, mut rest) = (Vec::new(), paragraph);
    while !rest.is_empty() {
        let end = end_of_sentence(rest);
        let sentence = rest[..end].trim();
        if sentence.split_whitespace().count() >= WORDS {
            found.push(Read {
                line,
                text: sentence.to_owned(),
            });
        }
        rest = &rest[end..];
    }
    found
}

/// The end of the first sentence: after a punctuation mark followed by a space, outside of backquotes.
fn end_of_sentence(text: &str) -> usize {
    let mut is_code = false;
    let mut chars = text.char_indices().peekable();
    while let Some((at, it)) = chars.next() {
        let next = chars.peek().map(|next| next.1);
        match it {
            '`' => is_code = !is_code,
            '.' | '?' | '!' if !is_code && next.is_none_or(char::is_whitespace) => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(usize, &str)]) {
        let found = sentences(text);
        let found: Vec<(usize, &str)> = found.iter().map(|it| (it.line, it.text.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn paragraphs_are_split_into_sentences() {
        check(
            "# A page of words\n\nThe `a. b` is\nhere. It is a mark! Short one.\n",
            &[(1, "A page of words"), (3, "The `a. b` is here."), (3, "It is a mark!")],
        );
    }

    #[test]
    fn items_and_cells_are_texts_of_their_own() {
        check(
            "- the first item\n- the second item\n\n| what it is | a name |\n|-|-|\n",
            &[(1, "the first item"), (2, "the second item"), (4, "what it is")],
        );
    }

    #[test]
    fn code_is_left_out() {
        check(
            "Before the code block.\n```sh\nnot a sentence here\n```\n",
            &[(1, "Before the code block.")],
        );
    }
}
