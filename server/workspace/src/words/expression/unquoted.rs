//! Names in expressions that were meant as text.

use crd_analyzer_cel::{
    ast::Source,
    parser::{TokenClass, WrittenToken, tokens},
};

use super::slips::is_searched;

/// Where an expression has a name that is not declared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unquoted<'t> {
    /// The names from `self` to the value with which the name is compared, such as `spec` and `mode`.
    pub compared: Vec<&'t str>,
}

/// How a name is compared with a field of `self`, if it is: `self.mode == Fast`, `self.mode in [Fast]`.
pub fn unquoted<'t>(text: &'t str, name: &str) -> Option<Unquoted<'t>> {
    if !is_searched(text) {
        return None;
    }
    let mut all = tokens(&Source::new(text));
    all.retain(|it| it.class != TokenClass::Comment);
    let word = |at: usize| all.get(at).map_or("", |it| it.text(text).trim_end());
    let class = |at: usize| all.get(at).map(|it| it.class);
    let is_equality = |at: usize| matches!(word(at), "==" | "!=");
    let found = (0..all.len()).filter(|at| word(*at) == name && class(*at) == Some(TokenClass::Identifier));
    for at in found {
        let is_alone = class(at.wrapping_sub(1)) != Some(TokenClass::Dot)
            && class(at + 1) != Some(TokenClass::Dot)
            && !matches!(word(at + 1), "(" | "[" | "{");
        if !is_alone {
            continue;
        }
        let compared = if at > 0 && is_equality(at - 1) {
            before(&all, text, at - 1)
        } else if is_equality(at + 1) {
            after(&all, text, at + 2)
        } else {
            // An item of a list after `in`.
            let is_item = |it: &usize| {
                matches!(
                    class(*it),
                    Some(TokenClass::Identifier | TokenClass::String | TokenClass::Comma)
                )
            };
            let items = (0..at).rev().take_while(is_item).count();
            let open = at.checked_sub(items + 1).filter(|it| word(*it) == "[");
            let is_in = open.and_then(|it| it.checked_sub(1));
            is_in
                .filter(|it| class(*it) == Some(TokenClass::In))
                .and_then(|it| before(&all, text, it))
        };
        if let Some(compared) = compared {
            return Some(Unquoted { compared });
        }
    }
    None
}

/// The fields that end before a token, if they begin with `self`.
fn before<'t>(tokens: &[WrittenToken], text: &'t str, end: usize) -> Option<Vec<&'t str>> {
    let is_part = |it: &&WrittenToken| matches!(it.class, TokenClass::Identifier | TokenClass::Dot);
    let count = tokens[..end].iter().rev().take_while(is_part).count();
    path(&tokens[end - count..end], text)
}

/// The fields that begin at a token, if they begin with `self`.
fn after<'t>(tokens: &[WrittenToken], text: &'t str, start: usize) -> Option<Vec<&'t str>> {
    let rest = tokens.get(start..)?;
    let is_part = |it: &&WrittenToken| matches!(it.class, TokenClass::Identifier | TokenClass::Dot);
    let count = rest.iter().take_while(is_part).count();
    path(&rest[..count], text)
}

fn path<'t>(tokens: &[WrittenToken], text: &'t str) -> Option<Vec<&'t str>> {
    let (first, rest) = tokens.split_first()?;
    if !matches!(first.text(text), "self" | "oldSelf") {
        return None;
    }
    let mut names = Vec::new();
    for step in rest.chunks(2) {
        match step {
            [dot, name] if dot.class == TokenClass::Dot => names.push(name.text(text)),
            _ => return None,
        }
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_compared() {
        for (text, compared) in [
            ("self.mode == Fast", Some(vec!["mode"])),
            ("Fast != self.a.b && c", Some(vec!["a", "b"])),
            ("self == Fast", Some(vec![])),
            ("self.mode in [Slow, Fast]", Some(vec!["mode"])),
            ("self.mode in ['Slow', Fast]", Some(vec!["mode"])),
            ("self.mode == Fast.x", None),
            ("self.mode == Fast()", None),
            ("self.list[0] == Fast", None),
            ("Fast > 1", None),
            ("f(Fast)", None),
        ] {
            assert_eq!(unquoted(text, "Fast").map(|it| it.compared), compared, "{text}");
        }
    }
}
