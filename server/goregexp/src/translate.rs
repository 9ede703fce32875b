//! Translates a parsed pattern to the engine's representation. Classes are already expanded, so the result does not depend on the Unicode version or
//! the syntax of the engine.

use regex_syntax::hir::{Capture, Class, ClassUnicode, ClassUnicodeRange, Dot, Hir, Look, Repetition};

use crate::tree::{Id, Op, Rune, Tree, flags};
use crate::unicode::simple_fold;

/// Translates the tree at `id`. Its depth is limited by the parser.
pub(crate) fn hir(tree: &Tree, id: Id) -> Hir {
    let node = tree.node(id);
    let sub = || Box::new(node.subs.first().map_or_else(Hir::empty, |&sub| hir(tree, sub)));
    let repetition = |min: u32, max: Option<u32>| {
        Hir::repetition(Repetition {
            min,
            max,
            greedy: node.flags & flags::NON_GREEDY == 0,
            sub: sub(),
        })
    };
    match node.op {
        Op::NoMatch | Op::LeftParen | Op::VerticalBar => Hir::fail(),
        Op::EmptyMatch => Hir::empty(),
        Op::Literal => literal(&node.runes, node.flags & flags::FOLD_CASE != 0),
        Op::CharClass => class(node.runes.chunks_exact(2).map(|pair| (pair[0], pair[1]))),
        Op::AnyCharNotNl => Hir::dot(Dot::AnyCharExceptLF),
        Op::AnyChar => Hir::dot(Dot::AnyChar),
        Op::BeginLine => Hir::look(Look::StartLF),
        Op::EndLine => Hir::look(Look::EndLF),
        Op::BeginText => Hir::look(Look::Start),
        Op::EndText => Hir::look(Look::End),
        Op::WordBoundary => Hir::look(Look::WordAscii),
        Op::NoWordBoundary => Hir::look(Look::WordAsciiNegate),
        Op::Capture => Hir::capture(Capture {
            index: node.cap,
            name: None,
            sub: sub(),
        }),
        Op::Star => repetition(0, None),
        Op::Plus => repetition(1, None),
        Op::Quest => repetition(0, Some(1)),
        Op::Repeat => repetition(node.min as u32, u32::try_from(node.max).ok()),
        Op::Concat => Hir::concat(node.subs.iter().map(|&sub| hir(tree, sub)).collect()),
        Op::Alternate => Hir::alternation(node.subs.iter().map(|&sub| hir(tree, sub)).collect()),
    }
}

fn literal(runes: &[Rune], fold: bool) -> Hir {
    let mut parts = Vec::new();
    let mut text = String::new();
    for &rune in runes {
        if fold && simple_fold(rune) != rune {
            if !text.is_empty() {
                parts.push(Hir::literal(std::mem::take(&mut text).into_bytes()));
            }
            let mut cases = vec![(rune, rune)];
            let mut next = simple_fold(rune);
            while next != rune {
                cases.push((next, next));
                next = simple_fold(next);
            }
            parts.push(class(cases.into_iter()));
        } else {
            match char::from_u32(rune as u32) {
                Some(c) => text.push(c),
                // The character is a surrogate, which does not occur in strings.
                None => return Hir::fail(),
            }
        }
    }
    if !text.is_empty() {
        parts.push(Hir::literal(text.into_bytes()));
    }
    Hir::concat(parts)
}

fn class(ranges: impl Iterator<Item = (Rune, Rune)>) -> Hir {
    const LAST_BEFORE_SURROGATES: Rune = 0xD7FF;
    const FIRST_AFTER_SURROGATES: Rune = 0xE000;
    let mut class = ClassUnicode::empty();
    let mut add = |lo: Rune, hi: Rune| {
        if let (Some(lo), Some(hi)) = (char::from_u32(lo as u32), char::from_u32(hi as u32))
            && lo <= hi
        {
            class.push(ClassUnicodeRange::new(lo, hi));
        }
    };
    for (lo, hi) in ranges {
        if hi <= LAST_BEFORE_SURROGATES || lo >= FIRST_AFTER_SURROGATES {
            add(lo, hi);
        } else {
            if lo <= LAST_BEFORE_SURROGATES {
                add(lo, LAST_BEFORE_SURROGATES);
            }
            if hi >= FIRST_AFTER_SURROGATES {
                add(FIRST_AFTER_SURROGATES, hi);
            }
        }
    }
    Hir::class(Class::Unicode(class))
}
