//! Splits concatenated JSON values like Go's `json.Decoder` (`encoding/json`, `scanner.go`).

/// The maximum nesting depth of an accepted value.
const MAX_DEPTH: usize = 10_000;

/// The reason why a text is not JSON, and the offset of the error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NoJson {
    pub(crate) at: usize,
    pub(crate) words: String,
}

/// The tokens that may come next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Value,
    /// A value, or the end of a list.
    FirstItem,
    /// A key, or the end of an object.
    FirstKey,
    Key,
    Colon,
    /// The token after a value.
    After,
}

/// The end of the next value from `at`, after any blanks. `None` if only blanks are left.
pub(crate) fn next_value(bytes: &[u8], at: usize) -> Option<Result<usize, NoJson>> {
    let at = skip_blanks(bytes, at);
    (at < bytes.len()).then(|| value(bytes, at))
}

/// The position of the first byte from `at` that is not a blank.
pub(crate) fn skip_blanks(bytes: &[u8], at: usize) -> usize {
    let is_blank = |it: &u8| matches!(it, b' ' | b'\t' | b'\r' | b'\n');
    at + bytes[at..].iter().take_while(|it| is_blank(it)).count()
}

fn value(bytes: &[u8], mut at: usize) -> Result<usize, NoJson> {
    let mut open: Vec<u8> = Vec::new();
    let mut next = Next::Value;
    loop {
        if next == Next::After && open.is_empty() {
            return Ok(at);
        }
        at = skip_blanks(bytes, at);
        let byte = *bytes.get(at).ok_or_else(|| end(bytes))?;
        match (next, byte) {
            (Next::FirstItem, b']') | (Next::FirstKey, b'}') => {
                open.pop();
                at += 1;
                next = Next::After;
            }
            (Next::Value | Next::FirstItem, b'{' | b'[') => {
                if open.len() == MAX_DEPTH {
                    return Err(NoJson {
                        at,
                        words: "exceeded max depth".to_owned(),
                    });
                }
                open.push(byte);
                at += 1;
                next = if byte == b'{' { Next::FirstKey } else { Next::FirstItem };
            }
            (Next::Value | Next::FirstItem, _) => {
                at = scalar(bytes, at)?;
                next = Next::After;
            }
            (Next::FirstKey | Next::Key, b'"') => {
                at = string(bytes, at)?;
                next = Next::Colon;
            }
            (Next::FirstKey | Next::Key, _) => {
                return Err(unexpected(bytes, at, "looking for beginning of object key string"));
            }
            (Next::Colon, b':') => {
                at += 1;
                next = Next::Value;
            }
            (Next::Colon, _) => return Err(unexpected(bytes, at, "after object key")),
            (Next::After, b',') => {
                at += 1;
                next = if open.last() == Some(&b'{') {
                    Next::Key
                } else {
                    Next::Value
                };
            }
            (Next::After, b'}' | b']') if open.last().is_some_and(|it| it + 2 == byte) => {
                open.pop();
                at += 1;
            }
            (Next::After, _) if open.last() == Some(&b'{') => {
                return Err(unexpected(bytes, at, "after object key:value pair"));
            }
            (Next::After, _) => return Err(unexpected(bytes, at, "after array element")),
        }
    }
}

fn scalar(bytes: &[u8], at: usize) -> Result<usize, NoJson> {
    match bytes[at] {
        b'"' => string(bytes, at),
        b'-' | b'0'..=b'9' => number(bytes, at),
        b't' => literal(bytes, at, "true"),
        b'f' => literal(bytes, at, "false"),
        b'n' => literal(bytes, at, "null"),
        _ => Err(unexpected(bytes, at, "looking for beginning of value")),
    }
}

fn literal(bytes: &[u8], start: usize, word: &str) -> Result<usize, NoJson> {
    for (n, expected) in word.bytes().enumerate() {
        if bytes.get(start + n) != Some(&expected) {
            let context = format!("in literal {word} (expecting '{}')", char::from(expected));
            return Err(unexpected(bytes, start + n, &context));
        }
    }
    Ok(start + word.len())
}

fn string(bytes: &[u8], start: usize) -> Result<usize, NoJson> {
    let mut at = start + 1;
    loop {
        match bytes.get(at) {
            Some(b'"') => return Ok(at + 1),
            Some(b'\\') => {
                at += 1;
                match bytes.get(at) {
                    Some(b'b' | b'f' | b'n' | b'r' | b't' | b'\\' | b'/' | b'"') => {}
                    Some(b'u') => {
                        for _ in 0..4 {
                            at += 1;
                            if !bytes.get(at).is_some_and(u8::is_ascii_hexdigit) {
                                return Err(unexpected(bytes, at, "in \\u hexadecimal character escape"));
                            }
                        }
                    }
                    _ => return Err(unexpected(bytes, at, "in string escape code")),
                }
                at += 1;
            }
            None | Some(0..0x20) => return Err(unexpected(bytes, at, "in string literal")),
            Some(_) => at += 1,
        }
    }
}

fn number(bytes: &[u8], start: usize) -> Result<usize, NoJson> {
    let digits = |at: usize| at + bytes[at..].iter().take_while(|it| it.is_ascii_digit()).count();
    let some_digits = |at: usize, context: &str| match digits(at) {
        end if end > at => Ok(end),
        _ => Err(unexpected(bytes, at, context)),
    };
    let mut at = start + usize::from(bytes[start] == b'-');
    at = if bytes.get(at) == Some(&b'0') {
        at + 1
    } else {
        some_digits(at, "in numeric literal")?
    };
    if bytes.get(at) == Some(&b'.') {
        at = some_digits(at + 1, "after decimal point in numeric literal")?;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        at = some_digits(at + 1 + sign, "in exponent of numeric literal")?;
    }
    Ok(at)
}

fn end(bytes: &[u8]) -> NoJson {
    NoJson {
        at: bytes.len(),
        words: "unexpected EOF".to_owned(),
    }
}

fn unexpected(bytes: &[u8], at: usize, context: &str) -> NoJson {
    let Some(byte) = bytes.get(at) else { return end(bytes) };
    let shown = match byte {
        b'\'' => "\\'".to_owned(),
        b'"' => "\"".to_owned(),
        b'\n' => "\\n".to_owned(),
        b'\r' => "\\r".to_owned(),
        b'\t' => "\\t".to_owned(),
        0..0x20 | 0x7F => format!("\\x{byte:02x}"),
        b'\\' => "\\\\".to_owned(),
        _ => char::from(*byte).to_string(),
    };
    NoJson {
        at,
        words: format!("invalid character '{shown}' {context}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the number of values at the start of a text, and the error after these values.
    #[track_caller]
    fn check(text: &str, count: usize, error: &str) {
        let (mut at, mut found, mut words) = (0, 0, String::new());
        while let Some(next) = next_value(text.as_bytes(), at) {
            match next {
                Ok(end) => {
                    at = end;
                    found += 1;
                }
                Err(why) => {
                    words = why.words;
                    break;
                }
            }
        }
        assert_eq!((found, words.as_str()), (count, error), "{text}");
    }

    #[test]
    fn reads_as_go_does() {
        check(
            r#" {"a": [1, -0.5e+7, true, null, {}, []], "é": "\u12aF\n\ud800"} "#,
            1,
            "",
        );
        check(r#"{"a":1}{"b":2} 5"#, 3, "");
        check(
            r"{a: 1}",
            0,
            "invalid character 'a' looking for beginning of object key string",
        );
        check(
            r#"{"a":1,}"#,
            0,
            "invalid character '}' looking for beginning of object key string",
        );
        check(r#"{"a" 1}"#, 0, "invalid character '1' after object key");
        check(
            r#"{"a":1 "b"}"#,
            0,
            "invalid character '\"' after object key:value pair",
        );
        check(r#"{"a":[1 2]}"#, 0, "invalid character '2' after array element");
        check(r#"{"a":[1}"#, 0, "invalid character '}' after array element");
        check("{\"a\n\":1}", 0, "invalid character '\\n' in string literal");
        check(r#"{"\a":1}"#, 0, "invalid character 'a' in string escape code");
        check(
            r#"{"\u12x":1}"#,
            0,
            "invalid character 'x' in \\u hexadecimal character escape",
        );
        check("{} {}\n---", 2, "invalid character '-' in numeric literal");
        check("{}\n...", 1, "invalid character '.' looking for beginning of value");
        check("{} tru", 1, "unexpected EOF");
        check("{} trux", 1, "invalid character 'x' in literal true (expecting 'e')");
        check(
            "{} 1.x",
            1,
            "invalid character 'x' after decimal point in numeric literal",
        );
        check("{} 1e", 1, "unexpected EOF");
        check(&"[".repeat(10_001), 0, "exceeded max depth");
    }
}
