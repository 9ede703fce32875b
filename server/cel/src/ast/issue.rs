//! Problems with an expression, and how `cel-go` prints them.

use super::issue_kind::IssueKind;
use super::source::{Location, Source};

/// One problem (`cel-go` `common.Error`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Issue {
    /// The position of the problem.
    pub location: Location,
    /// The kind of the problem.
    pub kind: IssueKind,
    /// The message of `cel-go`, without the position.
    pub message: String,
    /// The id of the expression that the problem is about, 0 if there is none.
    pub id: i64,
}

/// The longest source line (in bytes) that a message quotes.
const MAX_SNIPPET: usize = 16_384;

/// The number of problems that are kept. Further problems are only counted.
const MAX_REPORTED: usize = 100;

impl Issue {
    /// The message with its position and source line, as the API server prints it.
    pub fn display(&self, source: &Source) -> String {
        let Location { line, column } = self.location;
        let mut text = format!(
            "ERROR: {}:{}:{}: {}",
            source.description(),
            line,
            column + 1,
            self.message
        );
        if let Some(snippet) = source.snippet(line).filter(|s| s.len() <= MAX_SNIPPET) {
            text.push_str("\n | ");
            text.extend(snippet.chars().map(|c| if c == '\t' { ' ' } else { c }));
            text.push_str("\n | ");
            let mut chars = snippet.chars();
            for _ in 0..column {
                match chars.next() {
                    Some(c) => text.push(if c.is_ascii() { '.' } else { '\u{ff0e}' }),
                    None => break,
                }
            }
            text.push(if chars.next().is_none_or(|c| c.is_ascii()) {
                '^'
            } else {
                '\u{ff3e}'
            });
        }
        text
    }
}

/// The problems of one expression (`cel-go` `common.Errors`): the first hundred, and the total number.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Issues {
    issues: Vec<Issue>,
    count: usize,
}

impl Issues {
    /// Creates an empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a problem of the expression `id` (0 if there is none).
    pub fn report(&mut self, kind: IssueKind, id: i64, location: Location) {
        let message = kind.server_words();
        self.report_worded(kind, id, location, message);
    }

    /// Like [`Self::report`], for problems where the API server replaces the message of `cel-go`.
    pub fn report_worded(&mut self, kind: IssueKind, id: i64, location: Location, message: String) {
        self.count += 1;
        if self.count <= MAX_REPORTED {
            self.issues.push(Issue {
                location,
                kind,
                message,
                id,
            });
        }
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The number of reported problems, including those that were not kept.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The kept problems, in the order in which they were found.
    pub fn iter(&self) -> std::slice::Iter<'_, Issue> {
        self.issues.iter()
    }

    /// The kept problems, sorted by position (the order in which the API server prints them).
    pub fn sorted(&self) -> Vec<&Issue> {
        let mut sorted: Vec<_> = self.issues.iter().collect();
        sorted.sort_by_key(|i| i.location);
        sorted
    }

    /// All kept problems as the API server prints them, sorted by position.
    pub fn display(&self, source: &Source) -> String {
        let mut lines: Vec<_> = self.sorted().into_iter().map(|i| i.display(source)).collect();
        if self.count > MAX_REPORTED {
            lines.push(format!("{} more errors were truncated", self.count - MAX_REPORTED));
        }
        lines.join("\n")
    }
}

impl<'a> IntoIterator for &'a Issues {
    type Item = &'a Issue;
    type IntoIter = std::slice::Iter<'a, Issue>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
