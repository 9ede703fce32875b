//! How much one answer holds. Editors keep and draw all that they are sent, and none of these numbers is met by a text that a person wrote.

use std::borrow::Cow;

/// Diagnostics that are shown in one document. Another one says how many are not.
pub(crate) const DIAGNOSTICS: usize = 1_000;

/// Places that are named beside one diagnostic.
pub(crate) const RELATED: usize = 50;

/// Bytes of one text for a person: a message, a note, the documentation of a property.
pub(crate) const TEXT_BYTES: usize = 8 << 10;

/// Places, symbols, lenses, hints, links or items in one answer.
pub(crate) const ANSWERS: usize = 5_000;

/// Tokens in one answer: a CRD with the most rules that an API server takes has fewer.
pub(crate) const TOKENS: usize = 100_000;

/// A text for a person, cut if it is longer than [`TEXT_BYTES`].
pub(crate) fn cut(text: &str) -> Cow<'_, str> {
    if text.len() <= TEXT_BYTES {
        return Cow::Borrowed(text);
    }
    let end = text.floor_char_boundary(TEXT_BYTES);
    Cow::Owned(format!("{}…", &text[..end]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert!(matches!(cut("short"), Cow::Borrowed("short")));
        let whole = "é".repeat(TEXT_BYTES / 2);
        assert_eq!(cut(&whole), whole);
        let long = format!("x{whole}");
        let cut = cut(&long);
        assert!(cut.ends_with("é…") && cut.len() <= TEXT_BYTES + '…'.len_utf8());
    }
}
