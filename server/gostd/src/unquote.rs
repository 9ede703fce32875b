//! The values of Go's quoted strings and characters (`strconv.Unquote`, `strconv.UnquoteChar`).

/// The value of a string in double quotes or back quotes. `None` if Go refuses it (`strconv.ErrSyntax`). An escaped byte that is not a part of a
/// character becomes the replacement character.
#[must_use]
pub fn unquote(written: &str) -> Option<String> {
    let quote = written.chars().next()?;
    let inside = written.strip_prefix(quote)?.strip_suffix(quote)?;
    match quote {
        '`' => (!inside.contains('`')).then(|| inside.replace('\r', "")),
        '"' => {
            let mut bytes = Vec::with_capacity(inside.len());
            let mut rest = inside;
            while !rest.is_empty() {
                rest = take_char(rest, '"', &mut bytes)?;
            }
            Some(String::from_utf8_lossy(&bytes).into_owned())
        }
        _ => None,
    }
}

/// What follows the first character of a string in this kind of quotes, which may be escaped. `None` if Go refuses the character.
#[must_use]
pub fn unquote_char(text: &str, quote: char) -> Option<&str> {
    take_char(text, quote, &mut Vec::new())
}

/// Adds the bytes of the first character of a string in this kind of quotes, which may be escaped, and returns what follows it. `None` if Go refuses the
/// character.
pub fn take_char<'t>(text: &'t str, quote: char, bytes: &mut Vec<u8>) -> Option<&'t str> {
    let mut chars = text.chars();
    let mut push = |c: char| bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    match chars.next()? {
        '\n' => return None,
        c if c == quote => return None,
        '\\' => {}
        c => {
            push(c);
            return Some(chars.as_str());
        }
    }
    let escaped = chars.next()?;
    let (digits, radix) = match escaped {
        'x' => (2, 16),
        'u' => (4, 16),
        'U' => (8, 16),
        '0'..='7' => (3, 8),
        _ => {
            push(match escaped {
                'a' => '\x07',
                'b' => '\x08',
                'f' => '\x0c',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'v' => '\x0b',
                '\\' => '\\',
                c if c == quote => c,
                _ => return None,
            });
            return Some(chars.as_str());
        }
    };
    // An octal number begins with the escaped character itself.
    let written = if radix == 8 { &text[1..] } else { chars.as_str() };
    let number = written
        .get(..digits)
        .filter(|it| it.chars().all(|c| c.is_digit(radix)))?;
    let value = u32::from_str_radix(number, radix).ok()?;
    match escaped {
        'u' | 'U' => push(char::from_u32(value)?),
        _ => bytes.push(u8::try_from(value).ok()?),
    }
    Some(&written[digits..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings() {
        for (written, expected) in [
            ("\"\"", Some("")),
            ("\"a\\tb\\\"c\\\\\"", Some("a\tb\"c\\")),
            ("\"\\u00e9\\x41\\101\\U0001F600\"", Some("éAA😀")),
            ("\"\\xc3\\xa9\"", Some("é")),
            ("`a\\n\r`", Some("a\\n")),
            ("\"\\'\"", None),
            ("\"\\d\"", None),
            ("\"\\x4\"", None),
            ("\"\\ud800\"", None),
            ("\"\\400\"", None),
            ("\"\\+41\"", None),
            ("\"a\"b\"", None),
            ("\"\\é\"", None),
            ("'a'", None),
            ("\"", None),
            ("", None),
        ] {
            assert_eq!(unquote(written).as_deref(), expected, "{written}");
        }
    }

    #[test]
    fn characters() {
        for (text, rest) in [
            ("a'", Some("'")),
            ("\\''", Some("'")),
            ("\\x41bc'", Some("bc'")),
            ("'", None),
            ("", None),
        ] {
            assert_eq!(unquote_char(text, '\''), rest, "{text}");
        }
    }
}
