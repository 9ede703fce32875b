//! Words for errors of the CEL parser.

use crd_analyzer_cel::ast::{Limit, LiteralProblem, MacroProblem, SyntaxError, TokenKind, Unsupported};

use crate::words::{Words, text::code};

/// The operator that was meant by a word or character that is not one.
pub fn meant_operator(written: &str) -> Option<&'static str> {
    Some(match written {
        "and" | "&" => "&&",
        "or" | "|" => "||",
        "not" => "!",
        "=" => "==",
        _ => return None,
    })
}

/// Words for a syntax error. `text` is the whole expression, if it is known.
pub(super) fn syntax(error: &SyntaxError, text: Option<&str>) -> Words {
    let words = Words::new(error.plain_words());
    let (found, expected) = match error {
        SyntaxError::Unrecognized { text } => return words.help(unrecognized(text)),
        SyntaxError::Missing { expected, .. } => ("", expected.as_slice()),
        SyntaxError::NoAlternative { .. } => ("", &[][..]),
        SyntaxError::Mismatched { found, expected } | SyntaxError::Extraneous { found, expected } => {
            (found.as_text(), expected.as_slice())
        }
    };
    match (found, expected) {
        _ if let Some(operator) = meant_operator(found) => {
            words
                .label("not an operator")
                .help(format!("change {} to {}", code(found), code(operator)))
        }
        // The parser reads `not` as a variable, and reports the word after it.
        _ if text.is_some_and(|it| !found.is_empty() && is_after_not(it, found)) => {
            words.label("after `not`").help("change `not` to `!`")
        }
        (_, [token]) if *token != TokenKind::Eof => {
            let token = token.name().trim_matches('\'').to_owned();
            words
                .label(format!("{} is missing", code(&token)))
                .help(format!("add {}", code(&token)))
        }
        (_, expected) if expected.contains(&TokenKind::Identifier) => words
            .label("a value is missing")
            .help("write a value here, such as `self.replicas` or `0`"),
        ("", _) => words
            .label("the expression is not complete")
            .help("complete the expression"),
        (found, _) => words
            .label("not expected here")
            .help(format!("remove {}, or write an operator before it", code(found))),
    }
}

/// Whether a text has a word after the word `not`.
fn is_after_not(text: &str, word: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find("not ") {
        let is_word = !rest[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        rest = &rest[at + 4..];
        if is_word && rest.trim_start().starts_with(word) {
            return true;
        }
    }
    false
}

fn unrecognized(text: &str) -> &'static str {
    match text.trim_end() {
        "=" => "change `=` to `==`",
        "&" => "change `&` to `&&`",
        "|" => "change `|` to `||`",
        text if text.contains('\\') => "write a backslash twice (`\\\\`), or put `r` before the string",
        text if text.contains(['"', '\'']) => "close the string with the quote that begins it",
        _ => "remove this character, or put the text in quotes",
    }
}

/// Words for an expression that exceeds a size limit of the API server.
pub(super) fn limit(limit: &Limit) -> Words {
    let shorter = "write a shorter expression, or split it into several rules";
    match limit {
        Limit::Length { length, limit } => Words::new(format!(
            "the expression has {length} characters, but at most {limit} are allowed"
        ))
        .label("too long")
        .help(shorter),
        Limit::GrammarDepth(_) | Limit::TreeDepth | Limit::CheckedDepth => {
            Words::new("the expression is nested too deeply")
                .label("nested too deeply")
                .help("split the expression into several rules, or remove parentheses")
        }
        Limit::Expansion => Words::new("the expression is too large after its macros are expanded")
            .label("too large")
            .help("nest fewer `all`, `exists`, `map` and `filter` in each other, or split the rule"),
        Limit::SyntaxErrors(_) | Limit::Recoveries(_) | Limit::RecoveryTokens(_) => {
            Words::new("the expression has so many syntax errors that the parser stops here")
                .label("parsed up to here")
                .help("first fix the syntax errors before this place")
        }
    }
}

pub(super) fn incomplete() -> Words {
    Words::new("the expression is not complete")
        .label("a part is missing")
        .help("complete the expression")
}

/// Words for an invalid literal.
pub(super) fn literal(problem: LiteralProblem) -> Words {
    let number = |headline: &str, help: &str| Words::new(headline).label("out of range").help(help);
    match problem {
        LiteralProblem::Int => number(
            "this number does not fit into an `int` of 64 bits",
            "use a number from -9223372036854775808 to 9223372036854775807",
        ),
        LiteralProblem::Uint => number(
            "this number does not fit into a `uint` of 64 bits",
            "use a number up to 18446744073709551615u",
        ),
        LiteralProblem::Double => number(
            "this number does not fit into a `double` of 64 bits",
            "use a number up to 1.79e308",
        ),
        LiteralProblem::Escape => Words::new("this string has an escape sequence that CEL does not have")
            .label("not an escape sequence")
            .help("write a backslash twice (`\\\\`), or put `r` before the string"),
        LiteralProblem::OctalEscape => Words::new("an octal escape sequence has exactly three digits")
            .label("fewer than three digits")
            .help("write three octal digits, as in `\\101`, or put `r` before the string"),
        LiteralProblem::LastBackslash => Words::new("this string ends with a single backslash")
            .label("a character is missing")
            .help("write the backslash twice (`\\\\`)"),
        LiteralProblem::CodePoint => Words::new("this escape sequence names a character that does not exist")
            .label("not a character")
            .help("use a code point up to U+10FFFF that is not a surrogate"),
    }
}

/// Words for a part of the language that the API server does not enable.
pub(super) fn unsupported(what: Unsupported) -> Words {
    let syntax = match what {
        Unsupported::OptionalField => "`.?`",
        Unsupported::OptionalIndex => "`[?`",
        Unsupported::OptionalEntry => "`?` before an element",
        Unsupported::Backticks => {
            return Words::new("this Kubernetes version does not allow names in backticks")
                .label("needs Kubernetes 1.37")
                .help("escape the name instead: `a-b` is written `a__dash__b`");
        }
        Unsupported::EmptyBackticks | Unsupported::Name => {
            return Words::new("the name of a field is missing")
                .label("a name is missing")
                .help("write the name of the field");
        }
    };
    Words::new(format!("{syntax} is not allowed in this expression"))
        .label("not allowed here")
        .help("test the field with `has(…)`, and read it without `?`")
}

pub(super) fn reserved(name: &str) -> Words {
    let shown = code(name);
    Words::new(format!("{shown} is a reserved word of CEL, so it cannot be a name"))
        .label("reserved")
        .help(format!(
            "use another name; a property of this name is written `self.__{name}__`"
        ))
}

/// Words for a macro that cannot be expanded.
pub(super) fn macro_call(problem: &MacroProblem) -> Words {
    match problem {
        MacroProblem::NotAName { of } => {
            let call = match *of {
                "optMap" | "optFlatMap" => format!("self.?name.{of}(it, …)"),
                _ => format!("self.items.{of}(it, …)"),
            };
            Words::new(format!(
                "the first argument of `{of}` names a variable, so it must be a plain name"
            ))
            .label("not a name")
            .help(format!("write a name here, as in `{call}`"))
        }
        MacroProblem::NotAField => Words::new("`has()` accepts only a field, such as `has(self.name)`")
            .label("not a field")
            .help("end the argument with a field: `has(self.name)`"),
        MacroProblem::Accumulator => Words::new("this name is taken by the comprehension itself")
            .label("a taken name")
            .help("give the variable another name, such as `it`"),
        MacroProblem::RepeatedName { name } => {
            let shown = code(name);
            Words::new(format!("both variables have the name {shown}"))
                .label("the same name again")
                .help(format!("give one of the variables named {shown} another name"))
        }
        MacroProblem::SortTarget => Words::new("`sortBy` sorts a list, and this is not a list")
            .label("not a list")
            .help("call `sortBy` on a list, as in `self.items.sortBy(it, it.name)`"),
    }
}
