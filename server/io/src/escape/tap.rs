//! Escapes text for the Test Anything Protocol, version 14.

use super::line;

/// Escapes the description of a test. Without escaping, `#` would start a directive, and `\` is the escape character.
pub fn description(text: &str) -> String {
    line(text).replace('\\', "\\\\").replace('#', "\\#")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::escape::{is_hidden, samples};

    /// Parses a line in the same way as a test harness: the unescaped description, and the directive.
    fn read(line: &str) -> (String, Option<String>) {
        let mut out = String::new();
        let mut chars = line.chars();
        while let Some(c) = chars.next() {
            match c {
                '\\' => out.extend(chars.next()),
                '#' => return (out, Some(chars.collect())),
                c => out.push(c),
            }
        }
        (out, None)
    }

    #[test]
    fn random_text_comes_back() {
        assert_eq!(description("a # SKIP \\ b\n"), "a \\# SKIP \\\\ b\\\\n");
        for sample in samples::random(20_000) {
            let escaped = description(&sample);
            assert!(!escaped.contains(is_hidden), "{sample:?} gives {escaped:?}");
            assert_eq!(read(&escaped), (line(&sample).into_owned(), None), "{escaped:?}");
        }
    }
}
