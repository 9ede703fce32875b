//! Generates short strings that match a pattern.

use regex_syntax::hir::{Class, ClassUnicodeRange, Hir, HirKind};

/// A string that matches the pattern, if it is easy to generate. Callers must validate the string, because this function parses Go patterns with
/// Rust's syntax.
pub(crate) fn matching(pattern: &str) -> Option<String> {
    if pattern.len() > MAX_PATTERN {
        return None;
    }
    let parsed = regex_syntax::Parser::new().parse(pattern).ok()?;
    let mut text = String::new();
    write(&parsed, &mut text, 0)?;
    Some(text)
}

/// The maximum length of a pattern in bytes. A limit is needed because a class of three bytes can mean thousands of ranges.
const MAX_PATTERN: usize = 1_000;
/// The maximum length of a generated string.
const MAX_LENGTH: usize = 256;
/// The maximum nesting depth of a pattern.
const MAX_DEPTH: usize = 50;

fn write(hir: &Hir, text: &mut String, depth: usize) -> Option<()> {
    if depth > MAX_DEPTH || text.len() > MAX_LENGTH {
        return None;
    }
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.push_str(std::str::from_utf8(&literal.0).ok()?),
        HirKind::Class(class) => text.push(member(class)?),
        HirKind::Repetition(repeated) => {
            for _ in 0..repeated.min.min(MAX_LENGTH as u32 + 1) {
                write(&repeated.sub, text, depth + 1)?;
            }
        }
        HirKind::Capture(capture) => write(&capture.sub, text, depth + 1)?,
        HirKind::Concat(parts) => parts.iter().try_for_each(|it| write(it, text, depth + 1))?,
        HirKind::Alternation(choices) => {
            let before = text.len();
            for choice in choices {
                if write(choice, text, depth + 1).is_some() {
                    return Some(());
                }
                text.truncate(before);
            }
            return None;
        }
    }
    Some(())
}

/// A readable character of a class.
fn member(class: &Class) -> Option<char> {
    let Class::Unicode(class) = class else { return None };
    let has = |c: &char| class.iter().any(|it| it.start() <= *c && *c <= it.end());
    let preferred = ('a'..='z').chain('0'..='9').chain('A'..='Z').chain("-._/".chars());
    preferred
        .into_iter()
        .find(has)
        .or_else(|| class.iter().map(ClassUnicodeRange::start).find(|it| !it.is_control()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, text: &str) {
        assert_eq!(matching(pattern).as_deref(), Some(text));
    }

    #[test]
    fn patterns_of_people_have_short_texts() {
        check("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "a");
        check(r"^(\d+)(m|Gi)?$", "0");
        check("^sha256:[a-f0-9]{4}$", "sha256:aaaa");
        check("^(http|https)://.+$", "http://a");
        check("^[^/]+/[^/]+$", "a/a");
        assert_eq!(matching("("), None);
    }
}
