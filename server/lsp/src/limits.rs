//! The maximum sizes of an answer. Editors keep and draw everything that they receive. Hand-written files never reach these limits.

use std::borrow::Cow;

/// The maximum number of diagnostics in a document. If some are omitted, one more diagnostic says how many.
pub(crate) const DIAGNOSTICS: usize = 1_000;

/// The maximum number of related places of a diagnostic.
pub(crate) const RELATED: usize = 50;

/// The maximum length of a text for people in bytes: a message, a note, the documentation of a property.
pub(crate) const TEXT_BYTES: usize = 8 << 10;

/// The maximum number of places, symbols, lenses, hints, links or items in an answer.
pub(crate) const ANSWERS: usize = 5_000;

/// The maximum number of semantic tokens in an answer. Even a CRD with as many rules as the API server accepts has fewer.
pub(crate) const TOKENS: usize = 100_000;

/// Cuts a text for people to [`TEXT_BYTES`].
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
