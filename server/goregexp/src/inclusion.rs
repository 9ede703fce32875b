//! Checks whether every string that satisfies some conditions also satisfies another condition, by walking the automata of all conditions in
//! parallel.

use std::collections::HashSet;

use crd_analyzer_budget as budget;
use regex_automata::dfa::{Automaton as _, StartKind, dense};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::util::primitives::StateID;
use regex_automata::util::start;
use regex_automata::{Anchored, MatchKind};
use regex_syntax::hir::{Dot, Hir, Look, Repetition};

use crate::{parser, translate};

/// The maximum size of an automaton, in bytes.
const MAX_BYTES: usize = 1 << 20;
/// The maximum number of combined states to visit.
const MAX_STATES: usize = 30_000;
/// The maximum length in a length condition, in characters.
const MAX_LENGTH: u32 = 256;

/// A condition on strings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Texts<'p> {
    /// The pattern matches anywhere in the string, like [`GoRegex::is_match`](crate::GoRegex::is_match).
    Matching(&'p str),
    /// The minimum and maximum number of characters. Without a maximum, the second value is `None`.
    OfLength(u32, Option<u32>),
}

/// The result is unknown: an automaton is too large, or a pattern does not compile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotDecided;

/// The shortest string that satisfies all conditions in `known`, but not `asked`; `None` if no such string exists.
///
/// ```
/// use crd_analyzer_goregexp::{Texts, missed};
///
/// let letters = Texts::Matching("^[a-z]+$");
/// assert_eq!(missed(&[letters], Texts::OfLength(1, None)), Ok(None));
/// assert_eq!(missed(&[letters], Texts::Matching("^a")), Ok(Some("b".to_owned())));
/// ```
pub fn missed(known: &[Texts<'_>], asked: Texts<'_>) -> Result<Option<String>, NotDecided> {
    let any = Hir::repetition(Repetition {
        min: 0,
        max: None,
        greedy: true,
        sub: Box::new(Hir::dot(Dot::AnyChar)),
    });
    // This automaton excludes invalid UTF-8. It is anchored, and it reaches a dead state as soon as the bytes are not valid UTF-8.
    let text = automaton(&Hir::concat(vec![any, Hir::look(Look::End)]), Anchored::Yes)?;
    let mut automata = vec![automaton(&hir(asked)?, Anchored::No)?, text];
    for it in known {
        automata.push(automaton(&hir(*it)?, Anchored::No)?);
    }
    Walk { automata }.find()
}

fn hir(texts: Texts<'_>) -> Result<Hir, NotDecided> {
    match texts {
        Texts::Matching(pattern) => {
            let tree = parser::parse(pattern).map_err(|_| NotDecided)?;
            let hir = translate::hir(&tree, tree.root);
            // Between the bytes of a character, this assertion is true for an automaton, but not in Go.
            let has_no_boundary = hir.properties().look_set().contains(Look::WordAsciiNegate);
            if has_no_boundary { Err(NotDecided) } else { Ok(hir) }
        }
        Texts::OfLength(least, most) => {
            if least > MAX_LENGTH || most.is_some_and(|it| it > MAX_LENGTH) {
                return Err(NotDecided);
            }
            let counted = Hir::repetition(Repetition {
                min: least,
                max: most,
                greedy: true,
                sub: Box::new(Hir::dot(Dot::AnyChar)),
            });
            Ok(Hir::concat(vec![Hir::look(Look::Start), counted, Hir::look(Look::End)]))
        }
    }
}

struct Automaton {
    dfa: dense::DFA<Vec<u32>>,
    start: StateID,
}

fn automaton(hir: &Hir, anchored: Anchored) -> Result<Automaton, NotDecided> {
    budget::work(MAX_BYTES as u64 / 4).map_err(|_| NotDecided)?;
    let nfa = thompson::Compiler::new()
        .configure(
            thompson::Config::new()
                .nfa_size_limit(Some(MAX_BYTES))
                .which_captures(WhichCaptures::None),
        )
        .build_from_hir(hir)
        .map_err(|_| NotDecided)?;
    let dfa = dense::Builder::new()
        .configure(
            dense::Config::new()
                .start_kind(StartKind::Both)
                .match_kind(MatchKind::All)
                .dfa_size_limit(Some(MAX_BYTES))
                .determinize_size_limit(Some(MAX_BYTES)),
        )
        .build_from_nfa(&nfa)
        .map_err(|_| NotDecided)?;
    let start = dfa
        .start_state(&start::Config::new().anchored(anchored))
        .map_err(|_| NotDecided)?;
    Ok(Automaton { dfa, start })
}

/// The state of an automaton; `None` if the automaton has already matched.
type State = Option<StateID>;

/// A walk through automata. The first automaton is that of `asked`, the second is that of valid UTF-8, and the others are those of `known`.
struct Walk {
    automata: Vec<Automaton>,
}

impl Walk {
    fn find(&self) -> Result<Option<String>, NotDecided> {
        let bytes = self.bytes();
        let first: Vec<State> = self.automata.iter().map(|it| self.reached(it, it.start)).collect();
        // Each combined state, with the index of the previous state and the byte between the two.
        let mut places: Vec<(Vec<State>, usize, u8)> = vec![(first.clone(), 0, 0)];
        let mut seen = HashSet::from([first]);
        let mut at = 0;
        while at < places.len() {
            let states = places[at].0.clone();
            if self.is_missed(&states) {
                return Ok(Some(text(&places, at)));
            }
            for byte in &bytes {
                budget::work(self.automata.len() as u64).map_err(|_| NotDecided)?;
                let Some(next) = self.after(&states, *byte) else {
                    continue;
                };
                if seen.insert(next.clone()) {
                    if places.len() == MAX_STATES {
                        return Err(NotDecided);
                    }
                    places.push((next, at, *byte));
                }
            }
            at += 1;
        }
        Ok(None)
    }

    /// One byte of each class of bytes that no automaton distinguishes, letters first.
    fn bytes(&self) -> Vec<u8> {
        let mut all: Vec<u8> = (0..=u8::MAX).collect();
        all.sort_by_key(|it| {
            (
                !it.is_ascii_lowercase(),
                !it.is_ascii_alphanumeric(),
                !it.is_ascii_graphic(),
                *it,
            )
        });
        let mut classes = HashSet::new();
        all.retain(|byte| {
            let class: Vec<u8> = self
                .automata
                .iter()
                .map(|it| it.dfa.byte_classes().get(*byte))
                .collect();
            classes.insert(class)
        });
        all
    }

    fn reached(&self, automaton: &Automaton, state: StateID) -> State {
        let is_text = std::ptr::eq(automaton, &raw const self.automata[1]);
        // The automaton of valid UTF-8 only matches at the end of the string, so its match must not end the walk.
        (is_text || !automaton.dfa.is_match_state(state)).then_some(state)
    }

    /// The states after a byte. `None` if no string that starts with the bytes so far can be missed.
    fn after(&self, states: &[State], byte: u8) -> Option<Vec<State>> {
        let mut next = Vec::with_capacity(states.len());
        for (n, (automaton, state)) in self.automata.iter().zip(states).enumerate() {
            let state = state.map(|it| automaton.dfa.next_state(it, byte));
            if state.is_some_and(|it| n > 0 && automaton.dfa.is_dead_state(it)) {
                return None;
            }
            let state = state.and_then(|it| self.reached(automaton, it));
            if n == 0 && state.is_none() {
                return None;
            }
            next.push(state);
        }
        Some(next)
    }

    fn is_missed(&self, states: &[State]) -> bool {
        let mut fits = self.automata.iter().zip(states).map(|(automaton, state)| {
            state.is_none_or(|it| automaton.dfa.is_match_state(automaton.dfa.next_eoi_state(it)))
        });
        fits.next() == Some(false) && fits.all(|it| it)
    }
}

fn text(places: &[(Vec<State>, usize, u8)], at: usize) -> String {
    let mut bytes = Vec::new();
    let mut at = at;
    while at > 0 {
        bytes.push(places[at].2);
        at = places[at].1;
    }
    bytes.reverse();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GoRegex;

    #[track_caller]
    fn check(known: &[Texts<'_>], asked: Texts<'_>, expected: Option<&str>) {
        assert_eq!(
            missed(known, asked),
            Ok(expected.map(str::to_owned)),
            "{known:?} in {asked:?}"
        );
    }

    #[test]
    fn inclusion() {
        use Texts::{Matching, OfLength};
        check(&[Matching("^[a-z]+$")], Matching("^[a-zA-Z]+$"), None);
        check(&[Matching("^[a-z]*$")], Matching("^[a-z]+$"), Some(""));
        check(&[OfLength(1, None)], Matching(".+"), Some("\n"));
        check(&[OfLength(1, None)], Matching("(?s).+"), None);
        check(&[Matching("^a{2,4}$")], OfLength(2, Some(4)), None);
        check(&[Matching("^a{2,5}$")], OfLength(2, Some(4)), Some("aaaaa"));
        check(
            &[Matching("^é+$"), OfLength(0, Some(3))],
            Matching("^(é|éé|ééé)$"),
            None,
        );
        check(&[], Matching("(?s).*"), None);
        check(&[], Matching("a"), Some(""));
        check(&[Matching("a"), Matching("b")], Matching("a.*b|b.*a"), Some("a\nb"));
        check(&[Matching(r"\bfoo\b")], Matching("foo"), None);
        check(&[Matching("(?i)k")], Matching("[kK\u{212a}]"), None);
        check(&[Matching("[^a]")], Matching("[^ab]"), Some("b"));
        check(&[Matching("^$")], Matching("^(a|)$"), None);
        assert_eq!(missed(&[], Matching(r"\B")), Err(NotDecided));
        assert_eq!(
            missed(&[Matching("[a-z]{1000}[a-z]{1000}")], Matching("^[0-9]{1000}$")),
            Err(NotDecided)
        );
    }

    #[test]
    fn what_is_missed_shows_it() {
        let pieces = ["a", "^", "$", "b*", ".", "ä", "\\b", "[^a]{2}"];
        let patterns: Vec<String> = (0..pieces.len() * pieces.len())
            .map(|n| format!("{}{}", pieces[n % pieces.len()], pieces[n / pieces.len()]))
            .filter(|it| GoRegex::new(it).is_ok())
            .collect();
        let texts = [
            "", "a", "b", "ab", "ba", "ä", "aä", "\n", "a\n", "bb", "cc", "a b", "äa\n", "aa",
        ];
        for (n, known) in patterns.iter().enumerate() {
            for asked in patterns.iter().skip(n % 7).step_by(7) {
                let matches = |pattern: &str, text: &str| GoRegex::new(pattern).unwrap().is_match(text) == Ok(true);
                match missed(&[Texts::Matching(known)], Texts::Matching(asked)) {
                    Ok(Some(text)) => assert!(
                        matches(known, &text) && !matches(asked, &text),
                        "{known:?} in {asked:?}: {text:?}"
                    ),
                    Ok(None) => {
                        for text in texts {
                            assert!(
                                !matches(known, text) || matches(asked, text),
                                "{known:?} in {asked:?}: {text:?}"
                            );
                        }
                    }
                    Err(NotDecided) => {}
                }
            }
        }
    }
}
