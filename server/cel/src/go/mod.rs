//! What Go does that shows: how it writes texts into messages, and how it sorts.

mod is_print;
mod quote;
mod sort;
mod verbs;

pub use is_print::is_print;
pub use quote::quote;
pub(crate) use sort::sorted;
pub(crate) use verbs::format_without_arguments;

#[cfg(test)]
mod tests {
    use super::quote;

    #[track_caller]
    fn check(text: &str, quoted: &str) {
        assert_eq!(quote(text), quoted);
    }

    #[test]
    fn quotes_as_go_does() {
        check("a.b[0]", r#""a.b[0]""#);
        check("a\"\\\n\u{7}\u{1}\u{7f}", r#""a\"\\\n\a\x01\x7f""#);
        check(
            "é\u{a0}\u{200b}世\u{e000}\u{1f600}\u{10ffff}",
            "\"é\\u00a0\\u200b世\\ue000😀\\U0010ffff\"",
        );
    }
}
