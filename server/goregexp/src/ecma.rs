//! Conversion of patterns to JavaScript (ECMA-262), for tools that read JSON Schema.

use std::fmt::Write as _;

use crate::{
    parser,
    tree::{Id, MAX_RUNE, Node, Op, Rune, Tree, flags},
};

/// The pattern that matches the same strings in JavaScript (with the flag `u`, as validators compile it), in Python and in most other
/// engines. `None` if every such pattern is much longer, or if the pattern is invalid in Go.
///
/// ```
/// use crd_analyzer_goregexp::ecma;
///
/// assert_eq!(ecma(r"^[a-z]+\.\d$").as_deref(), Some(r"^[a-z]+\.[0-9]$"));
/// assert_eq!(ecma("a.b").as_deref(), Some(r"a[^\n]b"));
/// assert_eq!(ecma("(?i)abc"), None);
/// ```
pub fn ecma(pattern: &str) -> Option<String> {
    let tree = parser::parse(pattern).ok()?;
    let mut out = String::with_capacity(pattern.len());
    write(&tree, tree.root, &mut out)?;
    Some(out)
}

/// The maximum number of ranges in a class. Larger classes are Unicode tables, which are too long for a schema.
const MOST_RANGES: usize = 50;

fn write(tree: &Tree, id: Id, out: &mut String) -> Option<()> {
    let node = tree.node(id);
    match node.op {
        Op::EmptyMatch => out.push_str("(?:)"),
        Op::Literal if node.flags & flags::FOLD_CASE == 0 => {
            for rune in &node.runes {
                literal(*rune, out)?;
            }
        }
        Op::CharClass => class(node, out)?,
        // JavaScript's `.` also excludes other line breaks.
        Op::AnyCharNotNl => out.push_str(r"[^\n]"),
        Op::AnyChar => out.push_str(r"[\s\S]"),
        Op::BeginText => out.push('^'),
        Op::EndText => out.push('$'),
        Op::WordBoundary => out.push_str(r"\b"),
        Op::NoWordBoundary => out.push_str(r"\B"),
        Op::Capture => {
            out.push_str("(?:");
            write(tree, *node.subs.first()?, out)?;
            out.push(')');
        }
        Op::Star | Op::Plus | Op::Quest | Op::Repeat => {
            repeated(tree, *node.subs.first()?, out)?;
            quantifier(node, out);
        }
        Op::Concat => {
            for sub in &node.subs {
                let is_wider = tree.node(*sub).op == Op::Alternate;
                group(tree, *sub, is_wider, out)?;
            }
        }
        Op::Alternate => {
            for (n, sub) in node.subs.iter().enumerate() {
                if n > 0 {
                    out.push('|');
                }
                write(tree, *sub, out)?;
            }
        }
        _ => return None,
    }
    Some(())
}

fn group(tree: &Tree, id: Id, is_needed: bool, out: &mut String) -> Option<()> {
    if !is_needed {
        return write(tree, id, out);
    }
    out.push_str("(?:");
    write(tree, id, out)?;
    out.push(')');
    Some(())
}

/// Writes the operand of a quantifier.
fn repeated(tree: &Tree, id: Id, out: &mut String) -> Option<()> {
    let node = tree.node(id);
    let is_one = match node.op {
        Op::Literal => node.runes.len() == 1,
        Op::CharClass | Op::AnyCharNotNl | Op::AnyChar | Op::Capture => true,
        _ => false,
    };
    group(tree, id, !is_one, out)
}

fn quantifier(node: &Node, out: &mut String) {
    match (node.op, node.min, node.max) {
        (Op::Star, ..) => out.push('*'),
        (Op::Plus, ..) => out.push('+'),
        (Op::Quest, ..) => out.push('?'),
        (_, min, -1) => {
            let _ = write!(out, "{{{min},}}");
        }
        (_, min, max) if min == max => {
            let _ = write!(out, "{{{min}}}");
        }
        (_, min, max) => {
            let _ = write!(out, "{{{min},{max}}}");
        }
    }
    if node.flags & flags::NON_GREEDY != 0 {
        out.push('?');
    }
}

fn literal(rune: Rune, out: &mut String) -> Option<()> {
    let char = char::from_u32(rune as u32)?;
    if r"\^$.*+?()[]{}|/".contains(char) {
        out.push('\\');
    }
    plain(char, out);
    Some(())
}

fn plain(char: char, out: &mut String) {
    match char {
        '\n' => out.push_str(r"\n"),
        '\t' => out.push_str(r"\t"),
        '\r' => out.push_str(r"\r"),
        control if (control as u32) < 0x20 || control as u32 == 0x7f => {
            let _ = write!(out, r"\x{:02x}", control as u32);
        }
        other => out.push(other),
    }
}

/// Writes a class. A class that includes the last code point is written as a negated class, because this is shorter, and equivalent in most engines.
fn class(node: &Node, out: &mut String) -> Option<()> {
    let pairs: Vec<(Rune, Rune)> = node.runes.chunks_exact(2).map(|it| (it[0], it[1])).collect();
    if pairs.len() > MOST_RANGES {
        return None;
    }
    let is_negated = pairs.last()?.1 == MAX_RUNE;
    let shown = if is_negated { complement(&pairs) } else { pairs };
    if shown.is_empty() {
        out.push_str(r"[\s\S]");
        return Some(());
    }
    out.push_str(if is_negated { "[^" } else { "[" });
    for (low, high) in shown {
        member(low, out)?;
        if high > low {
            if high > low + 1 {
                out.push('-');
            }
            member(high, out)?;
        }
    }
    out.push(']');
    Some(())
}

fn member(rune: Rune, out: &mut String) -> Option<()> {
    let char = char::from_u32(rune as u32)?;
    if r"\]^-[".contains(char) {
        out.push('\\');
    }
    plain(char, out);
    Some(())
}

/// The code points between sorted ranges. The last range ends at the last code point.
fn complement(pairs: &[(Rune, Rune)]) -> Vec<(Rune, Rune)> {
    let mut next = 0;
    let mut found = Vec::new();
    for (low, high) in pairs {
        if *low > next {
            found.push((next, low - 1));
        }
        next = high + 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_matches_the_same() {
        for (pattern, written) in [
            ("^(a|b)*$", Some("^(?:[ab])*$")),
            ("^(foo|bar)?$", Some("^(?:foo|bar)?$")),
            ("a{2,3}?b{4,}c{5}", Some("a{2,3}?b{4,}c{5}")),
            (r"[^/\s]", Some(r"[^\t\n\x0c\r /]")),
            (r"\w\-\_[\-x]", Some(r"[0-9A-Z_a-z]-_[\-x]")),
            (r"\Aab\z", Some("^ab$")),
            ("(?m)^a$", None),
            (r"\pL", None),
            (r"[^\x00-\x{10FFFF}]", None),
            ("(?s).", Some(r"[\s\S]")),
            ("", Some("(?:)")),
            ("a|", Some("a|(?:)")),
            ("(", None),
            ("é{2}😀", Some("é{2}😀")),
            ("x/y", Some(r"x\/y")),
        ] {
            assert_eq!(ecma(pattern).as_deref(), written, "{pattern}");
        }
    }
}
