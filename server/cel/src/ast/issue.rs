//! Problems with an expression, and how `cel-go` prints them.

use super::source::{Location, Source};
use super::syntax_error::SyntaxError;

/// One problem (`cel-go` `common.Error`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Issue {
    /// Where.
    pub location: Location,
    /// What is wrong.
    pub kind: IssueKind,
    /// The same in the words of `cel-go`, without position.
    pub message: String,
    /// The expression it is about, 0 where there is none.
    pub id: i64,
}

/// What is wrong with an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum IssueKind {
    /// The text is not an expression.
    Syntax(SyntaxError),
    /// A name is not declared.
    UndeclaredReference {
        /// The name of a variable, function or type.
        name: String,
    },
    /// An object has no such field.
    UndefinedField {
        /// The name of the field as the expression writes it.
        field: String,
        /// The name of the object's type.
        of: String,
    },
    /// No overload of a function takes operands of these types.
    NoMatchingOverload {
        /// The name of the function; the name of an operator has underscores for its operands.
        function: String,
        /// The types of the operands: `string.(int)`.
        operands: String,
    },
    /// An expression gives a value of a type that is not allowed where it stands.
    WrongResult {
        /// The type of the value.
        found: String,
    },
    /// Anything else.
    Other,
}

impl IssueKind {
    /// What is wrong in words for people, if the API server's words are those of its parser generator.
    pub fn plain_words(&self) -> Option<String> {
        match self {
            Self::Syntax(error) => Some(error.plain_words()),
            _ => None,
        }
    }
}

/// The longest line (bytes) of the expression that a message repeats.
const MAX_SNIPPET: usize = 16_384;

/// More problems than this are only counted.
const MAX_REPORTED: usize = 100;

impl Issue {
    /// The message with its place and the line it is on, as the server prints it.
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

/// The problems of one expression (`cel-go` `common.Errors`): the first hundred, and how many there were.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Issues {
    issues: Vec<Issue>,
    count: usize,
}

impl Issues {
    /// None yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a problem with the expression `id` (0 where there is none).
    pub fn report(&mut self, id: i64, location: Location, message: impl Into<String>) {
        self.report_as(IssueKind::Other, id, location, message);
    }

    /// The same of a problem of a known kind.
    pub fn report_as(&mut self, kind: IssueKind, id: i64, location: Location, message: impl Into<String>) {
        self.count += 1;
        if self.count <= MAX_REPORTED {
            self.issues.push(Issue {
                location,
                kind,
                message: message.into(),
                id,
            });
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many were reported, with those that were not kept.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Those that were kept, in the order in which they were found.
    pub fn iter(&self) -> std::slice::Iter<'_, Issue> {
        self.issues.iter()
    }

    /// Those that were kept, by their place (the order in which they are printed).
    pub fn sorted(&self) -> Vec<&Issue> {
        let mut sorted: Vec<_> = self.issues.iter().collect();
        sorted.sort_by_key(|i| i.location);
        sorted
    }

    /// All of them as the server prints them, one after the other in the order of their places.
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
