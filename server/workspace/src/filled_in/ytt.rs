//! Templates of ytt, which are YAML: their code is in comments such as `#@ data.values.size`.

/// The start of a comment with code.
const CODE: &str = "#@ ";

/// The start of a comment that says how ytt merges an object into another one.
const OVERLAY: &str = "#@overlay/";

/// Whether ytt fills in values of an object with this text. Such a value is empty in the text: `size: #@ data.values.size`.
pub(crate) fn fills_in(text: &str) -> bool {
    text.match_indices(CODE).any(|(at, _)| {
        let line = text[..at].rsplit('\n').next().unwrap_or_default().trim_end();
        line.is_empty() || line.ends_with([':', '-'])
    })
}

/// Whether ytt merges an object with this text into another one.
pub(crate) fn merges(text: &str) -> bool {
    let mut lines = text.lines().filter(|it| it.contains(OVERLAY));
    lines.any(|it| it.trim_start().starts_with(OVERLAY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_in_comments() {
        for (text, expected) in [
            ("a: #@ data.values.a\n", true),
            ("a:\n- #@ b\n", true),
            ("#@ if b:\na: 1\n#@ end\n", true),
            ("a: b #@ c\n", false),
            ("a: \"#@ b\"\n", false),
            ("a: #@overlay/match\n", false),
        ] {
            assert_eq!(fills_in(text), expected, "{text}");
        }
        assert!(merges("a:\n  #@overlay/match missing_ok=True\n  b: 1\n"));
        assert!(!merges("a: '#@overlay/match'\n"));
    }
}
