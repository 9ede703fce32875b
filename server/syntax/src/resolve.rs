//! Resolves the type of a scalar by the rules of YAML 1.1, as implemented in go-yaml v2 (`resolve.go`).

use std::borrow::Cow;

mod number;
mod timestamp;

pub(crate) use timestamp::is_timestamp;

/// The prefix for which `!!` is an abbreviation.
pub(crate) const TAG_PREFIX: &str = "tag:yaml.org,2002:";

/// The value to which go-yaml resolves a scalar.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Resolved {
    Null,
    Bool(bool),
    Int(i64),
    /// An integer that does not fit into an `int64`.
    Uint(u64),
    Float(f64),
    /// A string, whose value is the text itself. Timestamps are strings too, because go-yaml keeps their text.
    Text,
}

impl Resolved {
    /// The short tag of the type, as in messages.
    fn tag(self) -> &'static str {
        match self {
            Self::Null => "!!null",
            Self::Bool(_) => "!!bool",
            Self::Int(_) | Self::Uint(_) => "!!int",
            Self::Float(_) => "!!float",
            Self::Text => "!!str",
        }
    }
}

/// Resolves a plain scalar without a tag.
pub(crate) fn plain(text: &str) -> Resolved {
    match text.as_bytes().first() {
        None => Resolved::Null,
        Some(b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~') => word(text),
        Some(b'.') => match text {
            ".nan" | ".NaN" | ".NAN" => Resolved::Float(f64::NAN),
            ".inf" | ".Inf" | ".INF" => Resolved::Float(f64::INFINITY),
            _ => number::float_with_point(text).map_or(Resolved::Text, Resolved::Float),
        },
        Some(b'+' | b'-' | b'0'..=b'9') => match text {
            "+.inf" | "+.Inf" | "+.INF" => Resolved::Float(f64::INFINITY),
            "-.inf" | "-.Inf" | "-.INF" => Resolved::Float(f64::NEG_INFINITY),
            // A timestamp is never a number, so it stays a string.
            _ => number::number(text),
        },
        _ => Resolved::Text,
    }
}

fn word(text: &str) -> Resolved {
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => Resolved::Bool(true),
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => Resolved::Bool(false),
        "~" | "null" | "Null" | "NULL" => Resolved::Null,
        _ => Resolved::Text,
    }
}

/// Resolves a scalar with a tag, in any style. The handle of `tag` is already resolved. The error message does not contain the prefix `yaml: `.
pub(crate) fn tagged(tag: &str, text: &str) -> Result<Resolved, String> {
    let Some(short) = tag.strip_prefix(TAG_PREFIX) else {
        return Ok(Resolved::Text);
    };
    if !matches!(short, "bool" | "int" | "float" | "null" | "timestamp") {
        return Ok(Resolved::Text);
    }
    let is_time = short == "timestamp" && timestamp::is_timestamp(text);
    let resolved = if is_time { Resolved::Text } else { plain(text) };
    match (short, resolved) {
        ("timestamp", _) if is_time => Ok(resolved),
        ("bool", Resolved::Bool(_))
        | ("int", Resolved::Int(_) | Resolved::Uint(_))
        | ("float", Resolved::Float(_))
        | ("null", Resolved::Null) => Ok(resolved),
        ("float", Resolved::Int(value)) => Ok(Resolved::Float(value as f64)),
        _ => Err(format!("cannot decode {} `{text}` as a !!{short}", resolved.tag())),
    }
}

/// Decodes base64 like Go's `base64.StdEncoding`: line breaks are skipped, and padding is required. `None` if the text is invalid.
pub(crate) fn base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let mut quantum = 0_u32;
    let mut digits = 0;
    let mut padding = 0;
    for byte in text.bytes().filter(|it| !matches!(it, b'\r' | b'\n')) {
        if byte == b'=' {
            padding += 1;
            if digits < 2 || digits + padding > 4 {
                return None;
            }
            continue;
        }
        if padding > 0 {
            return None;
        }
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        quantum = (quantum << 6) | u32::from(digit);
        digits += 1;
        if digits == 4 {
            bytes.extend_from_slice(&quantum.to_be_bytes()[1..]);
            quantum = 0;
            digits = 0;
        }
    }
    match (digits, padding) {
        (0, 0) => {}
        (2, 2) => bytes.push((quantum >> 4) as u8),
        (3, 1) => bytes.extend_from_slice(&((quantum >> 2) as u16).to_be_bytes()),
        _ => return None,
    }
    Some(bytes)
}

/// Converts bytes to the string that Go's JSON encoder writes for them, in which U+FFFD replaces each byte that is not UTF-8.
pub(crate) fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    let mut text = match std::str::from_utf8(bytes) {
        Ok(text) => return Cow::Borrowed(text),
        Err(_) => String::with_capacity(bytes.len()),
    };
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '\u{FFFD}'));
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Resolved) {
        assert_eq!(plain(text), expected, "{text}");
    }

    #[test]
    fn reads_words_of_yaml_1_1() {
        for text in ["y", "Y", "yes", "On", "TRUE"] {
            check(text, Resolved::Bool(true));
        }
        for text in ["n", "no", "OFF", "False"] {
            check(text, Resolved::Bool(false));
        }
        for text in ["", "~", "null", "NULL"] {
            check(text, Resolved::Null);
        }
        for text in ["yES", "nUll", "=", "<<", "tru"] {
            check(text, Resolved::Text);
        }
    }

    #[test]
    fn reads_numbers_of_every_base() {
        check("0777", Resolved::Int(511));
        check("0o7", Resolved::Int(7));
        check("0x_1F", Resolved::Int(31));
        check("-0b11", Resolved::Int(-3));
        check("0b-101", Resolved::Int(-5));
        check("1_000", Resolved::Int(1000));
        check("+12", Resolved::Int(12));
        check("0", Resolved::Int(0));
        check("08", Resolved::Float(8.0));
        check("18446744073709551615", Resolved::Uint(u64::MAX));
        check("18446744073709551616", Resolved::Float(18_446_744_073_709_551_616.0));
        check("1e3", Resolved::Float(1000.0));
        check("1.", Resolved::Float(1.0));
        check(".5_0", Resolved::Float(0.5));
        check("1:30", Resolved::Text);
        check("1e400", Resolved::Text);
        check("2001-12-14", Resolved::Text);
        check("0x", Resolved::Text);
        check("1.2.3", Resolved::Text);
        check("-", Resolved::Text);
        check(".", Resolved::Text);
    }

    #[test]
    fn tags_must_fit() {
        assert_eq!(tagged("tag:yaml.org,2002:float", "1"), Ok(Resolved::Float(1.0)));
        assert_eq!(tagged("tag:yaml.org,2002:str", "1"), Ok(Resolved::Text));
        assert_eq!(tagged("!local", "1"), Ok(Resolved::Text));
        assert_eq!(
            tagged("tag:yaml.org,2002:int", "x"),
            Err("cannot decode !!str `x` as a !!int".to_owned())
        );
        assert_eq!(tagged("tag:yaml.org,2002:timestamp", "2001-12-14"), Ok(Resolved::Text));
        assert_eq!(
            tagged("tag:yaml.org,2002:timestamp", "2001-13-14"),
            Err("cannot decode !!str `2001-13-14` as a !!timestamp".to_owned())
        );
    }

    #[test]
    fn base64_needs_padding() {
        assert_eq!(base64("aGk="), Some(b"hi".to_vec()));
        assert_eq!(base64("aGk\n="), Some(b"hi".to_vec()));
        assert_eq!(base64("aGk"), None);
        assert_eq!(base64("a==="), None);
    }
}
