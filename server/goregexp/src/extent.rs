//! Determines whether a pattern obviously matches all strings or no string.

use crate::{
    error::GoRegexError,
    parser,
    tree::{Id, Op, Tree},
};

/// The set of strings that a pattern matches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// The pattern matches all strings.
    Everything,
    /// The pattern matches no string.
    Nothing,
    /// The pattern matches some strings, or the set is unknown.
    Some,
}

/// Determines the set of strings that a pattern matches anywhere. If the pattern is invalid, the error is the same as in Go.
///
/// ```
/// use crd_analyzer_goregexp::{Extent, extent};
///
/// // Every string contains zero letters.
/// assert_eq!(extent("[a-z]*"), Ok(Extent::Everything));
/// assert_eq!(extent("^[a-z]*$"), Ok(Extent::Some));
/// assert_eq!(extent("a^b"), Ok(Extent::Nothing));
/// ```
pub fn extent(pattern: &str) -> Result<Extent, GoRegexError> {
    let tree = parser::parse(pattern)?;
    Ok(if matches_nothing(&tree, tree.root) {
        Extent::Nothing
    } else if is_empty_at(&tree, tree.root, Side::Begin) || is_empty_at(&tree, tree.root, Side::End) {
        Extent::Everything
    } else {
        Extent::Some
    })
}

/// A position that exists in every string.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Begin,
    End,
}

/// Whether a node matches the empty string at this side, in every string.
fn is_empty_at(tree: &Tree, id: Id, side: Side) -> bool {
    let node = tree.node(id);
    let mut subs = node.subs.iter();
    match node.op {
        Op::EmptyMatch | Op::Star | Op::Quest => true,
        Op::BeginText | Op::BeginLine => side == Side::Begin,
        Op::EndText | Op::EndLine => side == Side::End,
        Op::Repeat if node.min == 0 => true,
        Op::Capture | Op::Plus | Op::Repeat | Op::Concat => subs.all(|it| is_empty_at(tree, *it, side)),
        Op::Alternate => subs.any(|it| is_empty_at(tree, *it, side)),
        Op::Literal => node.runes.is_empty(),
        _ => false,
    }
}

/// Whether a node has no match in any string.
fn matches_nothing(tree: &Tree, id: Id) -> bool {
    let node = tree.node(id);
    let mut subs = node.subs.iter();
    match node.op {
        Op::NoMatch => true,
        Op::CharClass => node.runes.is_empty(),
        Op::Capture | Op::Plus => subs.any(|it| matches_nothing(tree, *it)),
        Op::Repeat if node.min > 0 => subs.any(|it| matches_nothing(tree, *it)),
        Op::Alternate => !node.subs.is_empty() && subs.all(|it| matches_nothing(tree, *it)),
        Op::Concat => {
            let consumes = |ids: &[Id]| ids.iter().any(|it| consumes(tree, *it));
            let is_out_of_place = |(at, id): (usize, &Id)| match tree.node(*id).op {
                Op::BeginText => consumes(&node.subs[..at]),
                Op::EndText => consumes(&node.subs[at + 1..]),
                _ => matches_nothing(tree, *id),
            };
            subs.enumerate().any(is_out_of_place)
        }
        _ => false,
    }
}

/// Whether every match of a node contains at least one character.
fn consumes(tree: &Tree, id: Id) -> bool {
    let node = tree.node(id);
    let mut subs = node.subs.iter();
    match node.op {
        Op::Literal => !node.runes.is_empty(),
        Op::CharClass | Op::AnyChar | Op::AnyCharNotNl => true,
        Op::Capture | Op::Plus | Op::Concat => subs.any(|it| consumes(tree, *it)),
        Op::Repeat if node.min > 0 => subs.any(|it| consumes(tree, *it)),
        Op::Alternate => !node.subs.is_empty() && subs.all(|it| consumes(tree, *it)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GoRegex;

    #[track_caller]
    fn check(pattern: &str, expected: Extent) {
        assert_eq!(extent(pattern), Ok(expected), "{pattern}");
        let regex = GoRegex::new(pattern).expect("Go accepts this");
        for text in ["", "a", "ab", "\n", "a\nb", "é", "-", "b\n"] {
            let matches = regex.is_match(text).expect("small");
            assert!(matches || expected != Extent::Everything, "{pattern} in {text:?}");
            assert!(!matches || expected != Extent::Nothing, "{pattern} in {text:?}");
        }
    }

    #[test]
    fn patterns_that_reject_nothing() {
        for pattern in [
            "",
            ".*",
            "[a-z]*",
            "^",
            "$",
            "^a*",
            "a?$",
            "(^x?|b)",
            "^(a{0,3})",
            "(?m)^",
            "a|b*",
        ] {
            check(pattern, Extent::Everything);
        }
    }

    #[test]
    fn patterns_that_reject_everything() {
        for pattern in ["a^b", "a$b", "$a", "a^", "[^\\x00-\\x{10FFFF}]", "a+^b*"] {
            check(pattern, Extent::Nothing);
        }
    }

    #[test]
    fn patterns_that_reject_something() {
        for pattern in [
            "^.*$",
            "^[a-z]*$",
            "a",
            "^$",
            "(?m)a$\\nb",
            "\\b",
            "\\B",
            "a*^b",
            "$a*",
            "^a|b$",
            ".+",
        ] {
            let _ = extent(pattern).expect("Go accepts this");
            assert_ne!(extent(pattern), Ok(Extent::Nothing), "{pattern}");
        }
        check("^.*$", Extent::Some);
        check("^[a-z]*$", Extent::Some);
        check("^$", Extent::Some);
    }
}
