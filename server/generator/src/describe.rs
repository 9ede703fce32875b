//! Shortens descriptions (`maxDescLen`): `TruncateDescription` of controller-gen's `pkg/crd/desc_visitor.go`.

use crd_analyzer_gosource::check::catalog::Release;

/// The first release that shortens descriptions at word boundaries.
const CUTS_WORDS: Release = Release(17);

/// Shortens a description to at most `most` bytes, if possible at the end of a sentence.
pub(crate) fn cut(text: &str, most: i64, release: Release) -> String {
    let Ok(most) = usize::try_from(most) else {
        return text.to_owned();
    };
    if text.len() <= most || most == 0 {
        return if most == 0 { String::new() } else { text.to_owned() };
    }
    let mut end = most;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let cut = &text[..end];
    let last = |is: fn(char) -> bool| cut.char_indices().rev().find(|it| is(it.1)).filter(|it| it.0 > 0);
    if let Some((at, _)) = last(ends_sentence) {
        return cut[..=at].to_owned();
    }
    if release < CUTS_WORDS {
        return cut.to_owned();
    }
    match last(char::is_whitespace) {
        Some((at, _)) => format!("{}...", &cut[..at]),
        None => format!("{cut}..."),
    }
}

/// Whether Unicode defines the character as the end of a sentence. Covers only characters in common use.
fn ends_sentence(sign: char) -> bool {
    matches!(
        sign,
        '!' | '.'
            | '?'
            | '\u{589}'
            | '\u{61E}'
            | '\u{61F}'
            | '\u{6D4}'
            | '\u{3002}'
            | '\u{FF01}'
            | '\u{FF0E}'
            | '\u{FF1F}'
            | '\u{FF61}'
    )
}
