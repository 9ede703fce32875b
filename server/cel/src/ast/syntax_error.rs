//! Syntax errors, in the words of the API server's parser generator (ANTLR) and in plain words.

use super::TokenKind;

/// The reason why a text is not an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SyntaxError {
    /// Characters that are part of no token.
    Unrecognized {
        /// The characters.
        text: String,
    },
    /// One token is missing between two others.
    Missing {
        /// The tokens that can fill the gap.
        expected: Vec<TokenKind>,
        /// The token after the gap.
        before: Input,
    },
    /// No alternative of a grammar rule matches.
    NoAlternative {
        /// The input up to and including the token that does not match.
        input: Input,
    },
    /// The parser expected another token than the one that it found.
    Mismatched {
        /// The token.
        found: Input,
        /// The tokens that are accepted instead.
        expected: Vec<TokenKind>,
    },
    /// There is one token too many.
    Extraneous {
        /// The token.
        found: Input,
        /// The tokens that are accepted instead.
        expected: Vec<TokenKind>,
    },
}

/// A part of an expression, in one line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// The end of the expression.
    End,
    /// Source text, with line breaks and tabs escaped.
    Text(String),
}

impl Input {
    /// Escapes a part of the expression.
    pub(crate) fn text(text: &str) -> Self {
        Self::Text(text.replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r"))
    }

    /// The source text; empty for the end of the expression.
    pub fn as_text(&self) -> &str {
        match self {
            Self::End => "",
            Self::Text(text) => text,
        }
    }

    fn in_quotes(&self) -> String {
        match self {
            Self::End => "'<EOF>'".to_owned(),
            Self::Text(text) => format!("'{text}'"),
        }
    }
}

impl SyntaxError {
    /// The message of `cel-go`.
    pub fn server_words(&self) -> String {
        let what = match self {
            Self::Unrecognized { text } => format!("token recognition error at: '{text}'"),
            Self::Missing { expected, before } => format!("missing {} at {}", names(expected), before.in_quotes()),
            Self::NoAlternative { input } => format!("no viable alternative at input {}", input.in_quotes()),
            Self::Mismatched { found, expected } => {
                format!("mismatched input {} expecting {}", found.in_quotes(), names(expected))
            }
            Self::Extraneous { found, expected } => {
                format!("extraneous input {} expecting {}", found.in_quotes(), names(expected))
            }
        };
        format!("Syntax error: {what}")
    }

    /// The problem in plain words.
    pub fn plain_words(&self) -> String {
        match self {
            Self::Unrecognized { text } => unrecognized(text),
            Self::Missing { expected, before } => match before {
                Input::End => format!("{} is missing at the end", either(expected)),
                Input::Text(before) => format!("{} is missing before `{before}`", either(expected)),
            },
            Self::NoAlternative { input } => match input {
                Input::Text(input) if input.ends_with('.') => "a name is missing after `.`".to_owned(),
                Input::Text(input) => format!("the expression cannot go on like this: `{input}`"),
                Input::End => VALUE_AT_THE_END.to_owned(),
            },
            Self::Mismatched { found, expected } | Self::Extraneous { found, expected } => unexpected(found, expected),
        }
    }
}

const VALUE_AT_THE_END: &str = "the expression ends where a value is missing";

fn unexpected(found: &Input, expected: &[TokenKind]) -> String {
    let begins_value = expected.contains(&TokenKind::Identifier) && expected.contains(&TokenKind::Int);
    match found {
        Input::Text(found) if *expected == [TokenKind::Eof] => {
            format!("`{found}` comes after the end of the expression: an operator is missing before it")
        }
        Input::Text(found) if begins_value => format!("a value is missing before `{found}`"),
        Input::Text(found) => format!("{} is expected here, not `{found}`", either(expected)),
        Input::End if begins_value => VALUE_AT_THE_END.to_owned(),
        Input::End => format!("{} is missing at the end", either(expected)),
    }
}

/// The message for characters that are part of no token.
fn unrecognized(text: &str) -> String {
    let string = text.trim_start_matches(['r', 'R', 'b', 'B']);
    if string.starts_with(['"', '\'']) {
        let escaped = string.rfind('\\').map(|at| &string[at..]);
        return match escaped.filter(|it| it.chars().count() == 2) {
            Some(escape) => format!("`{escape}` is not an escape of strings: a backslash is written `\\\\`"),
            None if string.contains('\n') => "a string cannot contain a line break, except in three quotes".to_owned(),
            None => "a string is not closed".to_owned(),
        };
    }
    match text.trim_end() {
        "=" => "`=` is not an operator: `==` compares".to_owned(),
        "&" => "`&` is not an operator: `&&` is the logical and".to_owned(),
        "|" => "`|` is not an operator: `||` is the logical or".to_owned(),
        text => format!("`{text}` is not part of the language"),
    }
}

/// The list of tokens in `cel-go`'s words.
fn names(tokens: &[TokenKind]) -> String {
    match tokens {
        [token] => token.name().to_owned(),
        tokens => {
            let names: Vec<_> = tokens.iter().map(|it| it.name()).collect();
            format!("{{{}}}", names.join(", "))
        }
    }
}

/// The list of tokens in plain words.
fn either(tokens: &[TokenKind]) -> String {
    let names: Vec<_> = tokens.iter().map(|it| name(*it)).collect();
    names.join(" or ")
}

fn name(token: TokenKind) -> String {
    match token {
        TokenKind::Identifier => "a name".to_owned(),
        TokenKind::EscIdentifier => "a name in backticks".to_owned(),
        token => format!("`{}`", token.name().trim_matches('\'')),
    }
}

#[cfg(test)]
mod tests {
    use crate::KubernetesVersion;
    use crate::ast::{IssueKind, Source};
    use crate::parser::{ParseOptions, parse};

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let version = KubernetesVersion::NEWEST;
        let parsed = parse(&Source::new(text), &ParseOptions::kubernetes(version, version));
        let issues = parsed.issues.sorted();
        let issue = issues.first().expect("an issue");
        match &issue.kind {
            IssueKind::Syntax(error) => assert_eq!(error.plain_words(), expected, "of {}", issue.message),
            other => panic!("{other:?} is not a syntax error"),
        }
    }

    #[test]
    fn syntax_errors_say_what_is_missing() {
        check("self <", "the expression ends where a value is missing");
        check("self < (3", "`)` is missing at the end");
        check("size(1,)", "a value is missing before `)`");
        check(
            "a b",
            "`b` comes after the end of the expression: an operator is missing before it",
        );
        check("[1,2", "`]` or `,` is missing at the end");
        check("self.all(x y, 3)", "`)` is expected here, not `y`");
        check("a = 3", "`=` is not an operator: `==` compares");
        check("a & b", "`&` is not an operator: `&&` is the logical and");
        check("'abc", "a string is not closed");
        check(
            r#"a == "b\d+""#,
            r"`\d` is not an escape of strings: a backslash is written `\\`",
        );
        check("self.", "a name is missing after `.`");
        check("a # b", "`#` is not part of the language");
    }
}
