//! Syntax errors in words for people. The server's are those of its parser generator.

/// What a syntax error means; `None` if the server's words are plain enough. `message` is the server's first message about an expression,
/// without its place.
pub fn in_plain_words(message: &str) -> Option<String> {
    let said = message.strip_prefix("Syntax error: ")?;
    if let Some(text) = said.strip_prefix("token recognition error at: ") {
        return Some(of_text(unquoted(text)));
    }
    if let Some(rest) = said.strip_prefix("missing ") {
        let (what, before) = rest.split_once(" at ")?;
        return Some(match unquoted(before) {
            "<EOF>" => format!("{} is missing at the end", token(what)),
            before => format!("{} is missing before `{before}`", token(what)),
        });
    }
    if let Some(input) = said.strip_prefix("no viable alternative at input ") {
        let input = unquoted(input);
        return Some(if input.ends_with('.') {
            "a name is missing after `.`".to_owned()
        } else {
            format!("`{input}` is not how an expression goes on")
        });
    }
    let rest = ["mismatched input ", "extraneous input "]
        .into_iter()
        .find_map(|it| said.strip_prefix(it))?;
    let (input, expected) = rest.rsplit_once(" expecting ")?;
    let input = unquoted(input);
    let is_end = input == "<EOF>";
    if expected == "<EOF>" {
        return Some(format!(
            "`{input}` comes after the end of the expression: an operator is missing before it"
        ));
    }
    if expected.contains("IDENTIFIER") && expected.contains("NUM_INT") {
        return Some(if is_end {
            "the expression ends where a value is missing".to_owned()
        } else {
            format!("a value is missing before `{input}`")
        });
    }
    let expected = expected.trim_start_matches('{').trim_end_matches('}');
    let expected: Vec<String> = split(expected).into_iter().map(token).collect();
    let expected = expected.join(" or ");
    Some(if is_end {
        format!("{expected} is missing at the end")
    } else {
        format!("`{input}` stands where {expected} is expected")
    })
}

/// Characters that are part of no token.
fn of_text(text: &str) -> String {
    let string = text.trim_start_matches(['r', 'R', 'b', 'B']);
    if string.starts_with(['"', '\'']) {
        let escaped = string.rfind('\\').map(|at| &string[at..]);
        return match escaped.filter(|it| it.chars().count() == 2) {
            Some(escape) => format!("a string has no such escape: `{escape}` (a backslash is written `\\\\`)"),
            None if string.contains('\n') => "a string does not go over lines, unless in three quotes".to_owned(),
            None => "a string is not closed".to_owned(),
        };
    }
    match text.trim_end() {
        "=" => "`=` is no operator: `==` compares".to_owned(),
        "&" => "`&` is no operator: `&&` is the logical and".to_owned(),
        "|" => "`|` is no operator: `||` is the logical or".to_owned(),
        text => format!("`{text}` is not part of the language"),
    }
}

/// The name of a token for people.
fn token(name: &str) -> String {
    match name {
        "IDENTIFIER" => "a name".to_owned(),
        "ESC_IDENTIFIER" => "a name in backticks".to_owned(),
        name => format!("`{}`", unquoted(name)),
    }
}

fn unquoted(text: &str) -> &str {
    let inner = text.strip_prefix('\'').and_then(|it| it.strip_suffix('\''));
    inner.unwrap_or(text)
}

/// Splits `'a', 'b'`: a comma may be in quotes.
fn split(list: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = list;
    while !rest.is_empty() {
        let from = usize::from(rest.starts_with("','")) * 3;
        let end = rest[from..].find(", ").map_or(rest.len(), |at| from + at);
        parts.push(&rest[..end]);
        rest = rest[end..].trim_start_matches(", ");
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KubernetesVersion;
    use crate::ast::Source;
    use crate::parser::{ParseOptions, parse};

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let version = KubernetesVersion::NEWEST;
        let parsed = parse(&Source::new(text), &ParseOptions::kubernetes(version, version));
        let issues = parsed.issues.sorted();
        let message = &issues.first().expect("a syntax error").message;
        assert_eq!(in_plain_words(message).as_deref(), Some(expected), "of {message}");
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
        check("self.all(x y, 3)", "`y` stands where `)` is expected");
        check("a = 3", "`=` is no operator: `==` compares");
        check("a & b", "`&` is no operator: `&&` is the logical and");
        check("'abc", "a string is not closed");
        check(
            r#"a == "b\d+""#,
            r"a string has no such escape: `\d` (a backslash is written `\\`)",
        );
        check("self.", "a name is missing after `.`");
        check("a # b", "`#` is not part of the language");
    }
}
