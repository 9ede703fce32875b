//! Placeholders in braces at the start of a longer value, such as `image: {username}/widget:latest`. YAML reads the brace as the start of a mapping and
//! refuses the rest, so something must replace the placeholder first.

use std::ops::Range;

use super::{Filled, Filling, Place, Places};

/// The text with these placeholders replaced. `None` if it has none.
pub(crate) fn fill_braces(text: &str) -> Option<Filled> {
    let mut filling: Option<Filling> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if let Some(range) = placeholder(line) {
            let filling = match &mut filling {
                Some(filling) => filling,
                none => none.insert(Filling {
                    bytes: text.as_bytes().to_vec(),
                    places: Places::new(text)?,
                }),
            };
            filling.put(start + range.start..start + range.end, Place::Value);
        }
        start += line.len();
    }
    let mut filling = filling?;
    filling.places.sort();
    Some(Filled {
        text: String::from_utf8(filling.bytes).ok()?,
        places: filling.places,
    })
}

/// The placeholder with which the value on a line starts, if more text follows it directly.
fn placeholder(line: &str) -> Option<Range<usize>> {
    let at = line.find('{')?;
    let is_value = line[..at].trim_end().ends_with([':', '-']) && line[..at].ends_with(' ');
    let (word, after) = line[at + 1..].split_once('}')?;
    let is_word = word.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_')
        && word
            .bytes()
            .all(|it| it.is_ascii_alphanumeric() || it == b'_' || it == b'-');
    let goes_on = after.starts_with(|it: char| !it.is_whitespace() && !matches!(it, ',' | '}' | ']' | ':'));
    (is_value && is_word && goes_on).then(|| at..at + "{}".len() + word.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_begin_a_value_that_goes_on() {
        for (line, expected) in [
            ("image: {user}/a:latest\n", Some("{user}")),
            ("- cidr: {IPv6}/128", Some("{IPv6}")),
            ("- {a_b}-c\n", Some("{a_b}")),
            ("a: {b}\n", None),
            ("a: {b} c\n", None),
            ("a: {b}, c\n", None),
            ("a: [{b}]\n", None),
            ("a: {{b}}/c\n", None),
            ("a: x{b}/c\n", None),
            ("a: {b: c}/d\n", None),
            ("a:{b}/c\n", None),
            ("a: {1}/c\n", None),
        ] {
            assert_eq!(placeholder(line).map(|it| &line[it]), expected, "{line}");
        }
    }

    #[test]
    fn what_follows_them_stays() {
        let text = "a: 1\nb: {name}/c\n";
        let filled = fill_braces(text).expect("it has a placeholder");
        assert_eq!(filled.text.replace(filled.places.filler(), "@"), "a: 1\nb: @xxx/c\n");
        assert!(fill_braces("a: {b}\n").is_none());
    }
}
