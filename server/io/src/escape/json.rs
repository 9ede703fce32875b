//! Escapes serialized JSON.

use std::{borrow::Cow, fmt::Write as _};

use super::{Piece, is_harmless, pieces};

/// Escapes the invisible characters in serialized JSON, for example as `\u009b`. Keeps its line breaks. The value stays the same, because such
/// characters occur only in strings.
pub fn json(serialized: &str) -> Cow<'_, str> {
    if is_harmless(serialized) {
        return Cow::Borrowed(serialized);
    }
    let mut out = String::with_capacity(serialized.len() + 16);
    // Keep line breaks, which are the only invisible characters outside of strings.
    for piece in pieces(serialized, |c| c == '\n') {
        match piece {
            Piece::Plain(plain) => out.push_str(plain),
            Piece::Hidden(c, _) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::escape::{is_hidden, samples};

    #[test]
    fn the_value_stays() {
        for sample in samples::random(20_000) {
            let value = serde_json::json!({ &*sample: [&sample, 1] });
            for serialized in [value.to_string(), format!("{value:#}")] {
                let escaped = json(&serialized);
                assert!(
                    !escaped.contains(|c| is_hidden(c) && c != '\n') && !escaped.contains("##["),
                    "{escaped}"
                );
                let back: serde_json::Value = serde_json::from_str(&escaped).unwrap();
                assert_eq!(back, value, "{escaped}");
            }
        }
    }
}
