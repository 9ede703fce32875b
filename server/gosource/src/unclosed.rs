//! Struct tags without their last backquote. Go's raw strings may span lines, so all text up to the next tag would belong to the string, and the
//! parser would read the rest of the file the wrong way round.

use std::{borrow::Cow, ops::Range};

/// The text with blanks in the place of the struct tags that are not closed on their line. All offsets stay the same.
pub(crate) fn without_tags(text: &str) -> Cow<'_, str> {
    let mut tags = tags(text).peekable();
    if tags.peek().is_none() {
        return Cow::Borrowed(text);
    }
    let mut left = String::with_capacity(text.len());
    for tag in tags {
        left.push_str(&text[left.len()..tag.start]);
        left.extend(std::iter::repeat_n(' ', tag.len()));
    }
    left.push_str(&text[left.len()..]);
    Cow::Owned(left)
}

/// The first struct tag that is not closed on its line, from its backquote to the end of the line.
pub(crate) fn first(text: &str) -> Option<Range<usize>> {
    tags(text).next()
}

fn tags(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut end = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let begin = end;
        end += line.len();
        let (before, tag) = line.trim_end_matches(['\n', '\r']).split_once('`')?;
        let is_open = tag.starts_with("json:\"") && !tag.contains('`');
        let is_code = !before.contains('"') && !before.contains("//");
        let start = begin + before.len();
        (is_open && is_code).then(|| start..start + 1 + tag.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_without_their_last_backquote() {
        let text = "type A struct {\n\tB string `json:\"b\"\n\tC string `json:\"c\"`\n\tD int `json:\"d\"\r\n}\n";
        let left = without_tags(text);
        assert_eq!(left.len(), text.len());
        assert_eq!(
            left.split_whitespace().collect::<Vec<_>>().join(" "),
            "type A struct { B string C string `json:\"c\"` D int }"
        );
        assert_eq!(first(text).map(|it| &text[it]), Some("`json:\"b\""));
    }

    #[test]
    fn other_text_stays() {
        for text in [
            "\tA string `json:\"a\"` // of `b\n",
            "// A string `json:\"a\"\n",
            "var a = `\n{`json:\"a\"`\n`\n",
            "var a = \"`json:\\\"a\"\n",
        ] {
            assert_eq!(without_tags(text), text);
        }
    }
}
