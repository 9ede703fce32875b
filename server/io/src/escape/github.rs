//! Escapes text in workflow commands of GitHub Actions (`actions/toolkit`, `command.ts`), such as `::error file=a.yaml,line=1::text`.

use super::text;

/// Escapes the message of a command.
pub fn data(message: &str) -> String {
    percent(&text(message), &[])
}

/// Escapes the value of a command's property.
pub fn property(value: &str) -> String {
    percent(&text(value), &[(':', "%3A"), (',', "%2C")])
}

fn percent(text: &str, more: &[(char, &str)]) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '%' => out.push_str("%25"),
            '\r' => out.push_str("%0D"),
            '\n' => out.push_str("%0A"),
            c => match more.iter().find(|it| it.0 == c) {
                Some((_, escaped)) => out.push_str(escaped),
                None => out.push(c),
            },
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::escape::{is_hidden, samples};

    /// Decodes a text in the same way as GitHub's runner.
    fn read(text: &str) -> String {
        let pairs = [("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")];
        pairs
            .into_iter()
            .fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
    }

    #[test]
    fn commands_are_escaped_as_github_reads_them() {
        assert_eq!(data("50 %, a:b\nnext\u{1b}"), "50 %25, a:b%0Anext\\u{1b}");
        assert_eq!(property("a:b,c%\n.yaml"), "a%3Ab%2Cc%25%0A.yaml");
    }

    #[test]
    fn random_text_comes_back() {
        for sample in samples::random(20_000) {
            for escaped in [data(&sample), property(&sample)] {
                assert!(
                    !escaped.contains(|c| is_hidden(c) && c != '\t'),
                    "{sample:?} gives {escaped:?}"
                );
                assert_eq!(read(&escaped), text(&sample), "{escaped:?}");
            }
            assert!(!property(&sample).contains([':', ',']));
        }
    }
}
