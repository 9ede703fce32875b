//! Types, numbers and lists in messages.

use crate::meant::TYPES;

/// The maximum number of characters of a value in messages.
pub const MAX_VALUE: usize = 24;

/// Truncates a path to a number of characters. The end, which tells it from similar paths, is kept.
pub fn clip_path(path: &str, max: usize) -> String {
    let path = path.split(['\n', '\r']).collect::<Vec<_>>().join(" ");
    let length = path.chars().count();
    if length <= max {
        return path;
    }
    let end: String = path.chars().skip(length + 1 - max).collect();
    let whole = end.find('/').filter(|it| *it + 1 < end.len());
    format!("…{}", &end[whole.unwrap_or(0)..])
}

/// The clauses that a headline can do without: labels say the same.
const CLAUSES: [&str; 1] = [", but the value is "];

/// Truncates a headline to a number of characters. Leaves out a whole clause rather than a part of it.
pub fn clip_headline(text: &str, max: usize) -> String {
    if text.char_indices().nth(max).is_some() {
        let clause = CLAUSES.iter().find_map(|it| text.split_once(it));
        if let Some((said, _)) = clause.filter(|it| it.0.char_indices().nth(max).is_none()) {
            return clip(said, max);
        }
    }
    clip(text, max)
}

/// Truncates a string to a number of characters. Closes backquotes and quotes that the cut leaves open.
pub fn clip(text: &str, max: usize) -> String {
    // A headline must not have line breaks.
    let text = text.split(['\n', '\r']).collect::<Vec<_>>().join(" ");
    if text.char_indices().nth(max).is_none() {
        return text;
    }
    let cut: String = text.chars().take(max - 1).collect();
    let is_open = |mark: char| cut.matches(mark).count() % 2 == 1;
    let end = match (is_open('`'), is_open('"')) {
        (true, true) => "…\"`",
        (true, false) => "…`",
        (false, _) => "…",
    };
    let kept = max.saturating_sub(end.chars().count());
    let kept: String = cut.chars().take(kept).collect();
    // Closing marks are only added if the removed characters contain no such marks.
    let is_same = |it: &char| kept.matches(*it).count() == cut.matches(*it).count();
    if ['`', '"'].iter().all(is_same) {
        kept + end
    } else {
        cut + "…"
    }
}

/// A string in backquotes, truncated if it is long.
pub fn code(text: &str) -> String {
    format!("`{}`", clip(text, MAX_VALUE + 12))
}

/// The name of an OpenAPI type with its article.
pub fn a_type(name: &str) -> String {
    match name {
        "array" => "a list".to_owned(),
        "object" => "an object".to_owned(),
        "integer" => "an integer".to_owned(),
        "boolean" => "`true` or `false`".to_owned(),
        "string" => "a string".to_owned(),
        "number" => "a number".to_owned(),
        "integer or string" => "an integer or a string".to_owned(),
        other => format!("of type {}", code(other)),
    }
}

/// Whether [`a_type`] supports the type.
pub fn is_type(name: &str) -> bool {
    TYPES.contains(&name) || name == "integer or string"
}

/// An example value of this type.
pub fn placeholder(r#type: &str) -> &'static str {
    match r#type {
        "array" => "[]",
        "object" => "{}",
        "boolean" => "true",
        "integer" | "number" => "1",
        "string" => "\"…\"",
        _ => "…",
    }
}

/// `a`, `b` or `c`. Only the first words are listed if there are many.
pub fn either<S: AsRef<str>>(words: &[S]) -> String {
    const MAX: usize = 8;
    // People copy these words, so they are shown in full if possible.
    const MAX_WORD: usize = 100;
    let shown = words
        .iter()
        .take(MAX)
        .map(|it| format!("`{}`", clip(it.as_ref(), MAX_WORD)));
    let mut shown: Vec<String> = shown.collect();
    if words.len() > MAX {
        shown.push(format!("{} more", words.len() - MAX));
    }
    joined(&shown, "or")
}

/// Joins words with commas, and with a conjunction before the last word.
pub fn joined<S: AsRef<str>>(words: &[S], conjunction: &str) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match words.split_last() {
        None => String::new(),
        Some((only, [])) => (*only).to_owned(),
        Some((last, rest)) => format!("{} {conjunction} {last}", rest.join(", ")),
    }
}

/// A count with its noun: 1 item, 2 items.
pub fn counted(n: i64, one: &str, many: &str) -> String {
    if n == 1 {
        format!("1 {one}")
    } else {
        format!("{n} {many}")
    }
}

/// Formats a number without a needless fraction.
pub fn number(number: f64) -> String {
    crd_analyzer_schema::go::plain_float(number)
}

/// A number or a boolean in quotes, as it is written without quotes. `None` if the string is not a value of the type, or if YAML reads it as another
/// value without quotes: `0x10` and `1_000` are not decimal.
pub fn without_quotes(quoted: &str, r#type: &str) -> Option<String> {
    let text = quoted.trim();
    if r#type == "boolean" {
        return matches!(text, "true" | "false").then(|| text.to_owned());
    }
    let is_number = match r#type {
        "integer" => text.parse::<i64>().is_ok(),
        "number" => text.parse::<f64>().is_ok_and(f64::is_finite),
        _ => false,
    };
    if !is_number {
        return None;
    }
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    // YAML reads a number that begins with zero as octal.
    let whole = digits.trim_start_matches('0');
    let zero = if whole.starts_with(|c: char| c.is_ascii_digit()) {
        ""
    } else {
        "0"
    };
    Some(format!("{sign}{zero}{whole}"))
}

/// The boolean that was meant by a word: a misspelt one, or the word of another language.
pub fn meant_boolean(written: &str) -> Option<&'static str> {
    match written.trim().to_ascii_lowercase().as_str() {
        "true" | "yes" | "y" | "on" | "enabled" => Some("true"),
        "false" | "no" | "n" | "off" | "disabled" => Some("false"),
        // Shorter words are similar to too many others.
        word if word.len() >= 4 => match crate::meant::meant(word, ["true", "false"]) {
            Some("true") => Some("true"),
            Some(_) => Some("false"),
            None => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_headline_loses_a_whole_clause() {
        let long = "`spec.size` must be a number, but the value is the string `\"three\"`";
        assert_eq!(clip_headline(long, 40), "`spec.size` must be a number");
        assert_eq!(clip_headline(long, 200), long);
        assert_eq!(clip_headline(long, 20), "`spec.size` must be…");
        assert_eq!(clip_headline("one, two and three", 10), "one, two …");
    }

    #[test]
    fn numbers_without_quotes_keep_their_value() {
        for (quoted, r#type, expected) in [
            ("3", "integer", Some("3")),
            ("010", "integer", Some("10")),
            ("-007", "integer", Some("-7")),
            ("000", "integer", Some("0")),
            ("+5", "integer", Some("5")),
            (" 5", "integer", Some("5")),
            ("0x10", "integer", None),
            ("0o10", "integer", None),
            ("1_000", "integer", None),
            ("1e3", "integer", None),
            ("1.5", "integer", None),
            ("1e3", "number", Some("1e3")),
            ("00.50", "number", Some("0.50")),
            (".5", "number", Some("0.5")),
            ("inf", "number", None),
            ("nan", "number", None),
            ("true", "boolean", Some("true")),
            ("True", "boolean", None),
        ] {
            assert_eq!(without_quotes(quoted, r#type).as_deref(), expected, "{quoted}");
        }
    }

    #[test]
    fn booleans_that_were_meant() {
        for (written, expected) in [
            ("flase", Some("false")),
            ("ture", Some("true")),
            ("True", Some("true")),
            ("no", Some("false")),
            ("maybe", None),
            ("t", None),
        ] {
            assert_eq!(meant_boolean(written), expected, "{written}");
        }
    }

    #[test]
    fn paths_keep_their_end() {
        for (path, expected) in [
            ("../../components/a/", "../../components/a/"),
            ("../../components/aes-efs-x/", "…/components/aes-efs-x/"),
            ("../../../../../../components/aes/", "…/../../components/aes/"),
            ("a-very-long-name-of-a-single-file.yaml", "…me-of-a-single-file.yaml"),
        ] {
            assert_eq!(clip_path(path, 25), expected, "{path}");
        }
    }

    #[test]
    fn long_texts_are_cut_and_stay_one_line() {
        assert_eq!(clip("abc", 3), "abc");
        assert_eq!(clip("äbcd", 3), "äb…");
        assert_eq!(clip("a\nb", 9), "a b");
        assert_eq!(clip("not `\"abcdefgh\"`", 12), "not `\"abc…\"`");
        assert_eq!(clip("not `abcdefgh`", 12), "not `abcde…`");
        assert_eq!(clip("not `a` at all", 12), "not `a` at …");
    }

    #[test]
    fn lists_read_as_sentences() {
        assert_eq!(either(&["a"]), "`a`");
        assert_eq!(either(&["a", "b", "c"]), "`a`, `b` or `c`");
        let many: Vec<String> = (0..10).map(|it| it.to_string()).collect();
        assert!(either(&many).ends_with("`7` or 2 more"), "{}", either(&many));
    }
}
