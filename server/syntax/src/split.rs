//! Splits a file into documents, like the API server's clients do before they parse the file.
//!
//! By the rules of `k8s.io/apimachinery/pkg/util/yaml` (`YAMLReader`), every line that starts with `---` is a separator, even inside a scalar. The
//! split comes before the YAML parser, so the lines of a document are counted from its own start.
//!
//! A text that starts with `{` may be JSON (`YAMLOrJSONDecoder`): consecutive values without separators. After one value, the rest may be YAML; after
//! several values, the rest must be JSON. If the first value is not JSON, the whole text is YAML.
//!
//! One detail is not reproduced: the clients drop the CR of a CR LF. So for CR CR LF, the YAML parser of the clients gets one line break, and ours
//! gets two.

use std::sync::Arc;

use crate::json_stream::{next_value, skip_blanks};
use crate::reader::{self, Defect, Encoding, Problem, ReadError};
use crate::tree::{Span, Tree};

/// A document of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Document {
    /// The index of the document among all documents of the file, from 0. Documents without content count too.
    pub index: u32,
    /// The span of the document. A preceding separator only belongs to it if nothing comes before that separator.
    pub span: Span,
    /// Whether the last line of the document has no line break. The clients add a line break in this case.
    pub(crate) unterminated: bool,
    pub(crate) encoding: Encoding,
}

impl Document {
    /// The only document of a file of the given length.
    pub fn of_length(bytes: u32) -> Self {
        Self {
            index: 0,
            span: Span::new(0, bytes),
            unterminated: false,
            encoding: Encoding::Utf8,
        }
    }
}

/// The documents with content in a file, and the error that stopped the split early, if any.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Documents {
    /// The documents in file order.
    pub documents: Vec<Document>,
    /// The error of a separator line with other text on it (`--- x`), or of other text after several JSON values. The text after it is not read.
    pub error: Option<ReadError>,
}

/// Splits a file into documents.
pub fn split(text: &str) -> Documents {
    let start = if text.starts_with('\u{FEFF}') {
        '\u{FEFF}'.len_utf8()
    } else {
        0
    };
    let mut found = Documents::default();
    let rest = if text.as_bytes().get(skip_blanks(text.as_bytes(), start)) == Some(&b'{') {
        found.add_json(text, start)
    } else {
        Some(start)
    };
    if let Some(rest) = rest {
        found.add_yaml(text, rest);
    }
    found
}

impl Documents {
    /// Adds the JSON values at the start of a text. Returns the start of the YAML after them, if any.
    fn add_json(&mut self, text: &str, start: usize) -> Option<usize> {
        let bytes = text.as_bytes();
        let mut end = start;
        while let Some(next) = next_value(bytes, end) {
            match (next, self.documents.len()) {
                (Ok(value_end), count) => {
                    let begin = if count == 0 { start } else { skip_blanks(bytes, end) };
                    self.documents.push(Document {
                        index: count as u32,
                        span: Span::new(begin as u32, value_end as u32),
                        unterminated: false,
                        encoding: Encoding::Utf8,
                    });
                    end = value_end;
                }
                // Blanks up to the end of the line belong to the value. The decoder looks four bytes ahead, and gives up if fewer bytes are left.
                (Err(_), 0 | 1) if bytes.len() - line_end(bytes, end) >= 4 => {
                    let line = line_end(bytes, end);
                    return Some(line + usize::from(bytes[line] == b'\n'));
                }
                (Err(error), _) => {
                    let at = text.floor_char_boundary(error.at);
                    let problem = Problem::Json(error.words.into());
                    self.error = Some(ReadError {
                        message: problem.server_words().into_owned(),
                        problem,
                        span: Span::new(at as u32, text.ceil_char_boundary(at + 1).min(text.len()) as u32),
                        context: None,
                    });
                    return None;
                }
            }
        }
        // Only blanks follow the last value.
        if let [only] = self.documents.as_mut_slice() {
            only.span.end = bytes.len() as u32;
        }
        None
    }

    /// Adds the YAML documents from `start` on.
    fn add_yaml(&mut self, text: &str, start: usize) {
        let found = self;
        let bytes = text.as_bytes();
        let mut index = found.documents.len() as u32;
        let mut begin = start;
        for separator in separators(bytes, start) {
            let line_end = memchr::memchr(b'\n', &bytes[separator..]).map_or(bytes.len(), |it| separator + it);
            let rest = text[separator + 3..line_end].trim();
            if !rest.is_empty() && !rest.starts_with('#') {
                let at = line_end - text[separator + 3..line_end].trim_start().len();
                let problem = Problem::Separator(rest.into());
                found.error = Some(ReadError {
                    message: problem.server_words().into_owned(),
                    problem,
                    span: Span::new(at as u32, (at + rest.len()) as u32),
                    context: None,
                });
                return;
            }
            if separator > begin {
                found.add(text, index, Span::new(begin as u32, separator as u32));
                index += 1;
                begin = bytes.len().min(line_end + 1);
            }
            // If nothing precedes it, the separator is the first line of the document.
        }
        if begin < bytes.len() {
            found.add(text, index, Span::new(begin as u32, bytes.len() as u32));
        }
    }

    fn add(&mut self, text: &str, index: u32, span: Span) {
        let body = &text[span.range()];
        if has_content(body) {
            let unterminated = !body.ends_with('\n');
            self.documents.push(Document {
                index,
                span,
                unterminated,
                encoding: Encoding::Utf8WithLineFeeds,
            });
        }
    }
}

/// The first byte from `at` that is not blank, or the line break before it.
fn line_end(bytes: &[u8], at: usize) -> usize {
    let blank = &bytes[at..skip_blanks(bytes, at)];
    at + memchr::memchr(b'\n', blank).unwrap_or(blank.len())
}

/// The starts of the lines that start with `---`.
fn separators(bytes: &[u8], start: usize) -> impl Iterator<Item = usize> + '_ {
    let first = bytes[start..].starts_with(b"---").then_some(start);
    first
        .into_iter()
        .chain(memchr::memmem::find_iter(&bytes[start..], b"\n---").map(move |it| start + it + 1))
}

/// Whether the text contains anything besides blank lines, comments and separators.
pub(crate) fn has_content(body: &str) -> bool {
    body.split('\n')
        .map(str::trim)
        .any(|it| !it.is_empty() && !it.starts_with('#') && !it.starts_with("---"))
}

/// Parses a document of a file as YAML.
///
/// `defects` contains the errors in the file's bytes (see [`crate::source::Source`]). It is empty if the file was never decoded from bytes.
pub fn read_document(text: &Arc<str>, document: Document, defects: &[Defect]) -> Result<Tree, ReadError> {
    let end = text.len() as u32;
    if !document.unterminated {
        return reader::read_decoded(text, document.span, defects, document.encoding);
    }
    let padded: Arc<str> = [text, "\n"].concat().into();
    let clamp = |it: Span| Span::new(it.start.min(end), it.end.min(end));
    match reader::read_decoded(
        &padded,
        Span::new(document.span.start, end + 1),
        defects,
        document.encoding,
    ) {
        Ok(mut tree) => {
            tree.limit = end;
            Ok(tree)
        }
        Err(mut error) => {
            error.span = clamp(error.span);
            if let Some(context) = &mut error.context {
                context.span = clamp(context.span);
            }
            Err(error)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(u32, &str)]) {
        let found = split(text);
        let found: Vec<_> = found
            .documents
            .iter()
            .map(|it| (it.index, &text[it.span.range()]))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn cuts_at_separators() {
        check("a: 1\n---\nb: 2\n", &[(0, "a: 1\n"), (1, "b: 2\n")]);
        check("---\na: 1\n--- # next\nb: 2", &[(0, "---\na: 1\n"), (1, "b: 2")]);
        check("a: 1\r\n---\r\nb: 2\r\n", &[(0, "a: 1\r\n"), (1, "b: 2\r\n")]);
        check("a: |\n---\nb", &[(0, "a: |\n"), (1, "b")]);
    }

    #[test]
    fn documents_without_content_are_counted() {
        check("# nothing\n---\n\n---\na: 1\n", &[(2, "a: 1\n")]);
        check("---\n---\na: 1\n", &[(1, "a: 1\n")]);
        check("", &[]);
    }

    #[test]
    fn a_brace_may_begin_json() {
        check("\u{FEFF}{}", &[(0, "{}")]);
        check(" \n{\"a\": 1}\n\n", &[(0, " \n{\"a\": 1}\n\n")]);
        check("{\"a\": 1}{\"b\":\n2}\n", &[(0, "{\"a\": 1}"), (1, "{\"b\":\n2}")]);
        // After one JSON value, the rest is YAML.
        check(
            "{\"a\": 1}\n---\n{\"b\": 2}\n",
            &[(0, "{\"a\": 1}"), (1, "---\n{\"b\": 2}\n")],
        );
        check("{\"a\": 1} # x\n---\nb: 2", &[(0, "{\"a\": 1}"), (2, "b: 2")]);
        check(
            "{\"a\": 1}---\nb: 2\n---\nc: 3\n",
            &[(0, "{\"a\": 1}"), (1, "---\nb: 2\n"), (2, "c: 3\n")],
        );
        check("{\"a\": 1}\nb: 2\n", &[(0, "{\"a\": 1}"), (1, "b: 2\n")]);
        check("{\"a\": 1}\n---\n", &[(0, "{\"a\": 1}")]);
        // These texts are not JSON at all.
        check("{a: 1}\n---\n{b: 2}\n", &[(0, "{a: 1}\n"), (1, "{b: 2}\n")]);
        check(
            "{\n  a: 1\n}\n---\nb: 2\n---\n",
            &[(0, "{\n  a: 1\n}\n"), (1, "b: 2\n")],
        );
    }

    #[test]
    fn behind_several_values_of_json_only_json_is_read() {
        let text = "{\"a\": 1}\n{\"b\": 1}\n---\nc: 2\n";
        let found = split(text);
        assert_eq!(found.documents.len(), 2);
        let error = found.error.expect("an error");
        assert_eq!(error.message, "invalid character '-' in numeric literal");
        assert_eq!(&text[error.span.start as usize..], "--\nc: 2\n");
    }

    #[test]
    fn a_separator_with_more_on_its_line_stops_the_cut() {
        let text = "a: 1\n--- b\nc: 2\n";
        let found = split(text);
        assert!(found.documents.is_empty());
        let error = found.error.expect("an error");
        assert_eq!(error.message, "invalid Yaml document separator: b");
        assert_eq!(&text[error.span.range()], "b");
    }

    #[test]
    fn a_missing_last_line_break_is_part_of_a_value() {
        let text: Arc<str> = "a: |\n  x".into();
        let found = split(&text);
        let tree = read_document(&text, found.documents[0], &[]).expect("YAML");
        let root = tree.root().expect("a root");
        let value = tree.get(root, "a").expect("a value");
        assert_eq!(tree.scalar(value), "x\n");
        assert_eq!(tree.span(value), Span::new(3, 8));
    }
}
