//! Strings as Go quotes them (`strconv.Quote`, the verb `%q`).

use super::is_print;

/// `text` in double quotes, with what does not print escaped.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        push_escaped(&mut out, c);
    }
    out.push('"');
    out
}

fn push_escaped(out: &mut String, c: char) {
    match c {
        '"' | '\\' => {
            out.push('\\');
            out.push(c);
        }
        _ if is_print(c) => out.push(c),
        '\x07' => out.push_str("\\a"),
        '\x08' => out.push_str("\\b"),
        '\x0c' => out.push_str("\\f"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\x0b' => out.push_str("\\v"),
        _ => {
            let code = c as u32;
            let (letter, digits) = match code {
                0..0x20 | 0x7f => ('x', 2),
                0x80..0x1_0000 => ('u', 4),
                _ => ('U', 8),
            };
            out.push('\\');
            out.push(letter);
            for digit in (0..digits).rev() {
                out.push(char::from_digit(code >> (4 * digit) & 0xf, 16).unwrap_or('0'));
            }
        }
    }
}
