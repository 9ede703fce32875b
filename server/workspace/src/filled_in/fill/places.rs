//! The places in a text that the author has not written.

use std::ops::Range;

use crd_analyzer_syntax::tree::Span;

/// The private use area of the Basic Multilingual Plane. Manifests do not contain these characters.
const PRIVATE: Range<u32> = 0xE000..0xF900;

/// The type of a value that an action prints, as YAML reads it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Typed {
    String,
    Integer,
    /// A number that may be an integer.
    Number,
    Boolean,
    Object,
    List,
}

impl Typed {
    /// The type that also has the values of another type.
    pub(crate) fn with(self, other: Self) -> Option<Self> {
        match (self, other) {
            _ if self == other => Some(self),
            (Self::Integer | Self::Number, Self::Integer | Self::Number) => Some(Self::Number),
            _ => None,
        }
    }
}

/// An action that prints values of a type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Written {
    /// The text in which the place of the action is: the action, or its line if nothing else is on the line.
    lines: Range<usize>,
    is_alone: bool,
    pub(crate) typed: Typed,
}

impl Written {
    pub(crate) fn new(text: &str, action: Range<usize>, typed: Typed) -> Self {
        let start = text[..action.start].rfind('\n').map_or(0, |it| it + 1);
        let end = text[action.end..].find('\n').map_or(text.len(), |it| action.end + it);
        let is_alone = text[start..action.start].trim().is_empty() && text[action.end..end].trim().is_empty();
        Self {
            lines: if is_alone { start..end } else { action },
            is_alone,
            typed,
        }
    }
}

/// The values that may appear at a filled-in place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// One value or key, or a part of one.
    Value,
    /// One value of this type, if Helm fills in the place.
    Typed(Typed),
    /// Entries of an object. [`Places::fields`] has their keys.
    Fields(usize),
    /// Any number of items of a list.
    Items,
    /// The value of a key, or entries beside that key.
    ValueOrEntries,
    /// Any number of items of a list, or entries beside the key of the list.
    ItemsOrEntries,
    /// More entries of the object, or items of the list, that starts here. The range is empty.
    More,
}

/// The filled-in places of a text.
#[derive(Debug)]
pub(crate) struct Places {
    /// The character with which each place starts. The original text does not contain it, not even escaped. So a filled-in key never equals one of
    /// the author's keys, and no key is lost.
    filler: String,
    /// The ranges of the places. They do not overlap, and are sorted once all are added.
    all: Vec<(Range<usize>, Place)>,
    /// The keys of entries that may appear, by [`Place::Fields`].
    fields: Vec<Vec<String>>,
    /// Whether a text in quotes stays in quotes, because Helm fills in the places.
    pub(crate) keeps_quotes: bool,
}

impl Places {
    /// Creates an empty set of places for a text. `None` if the text uses all characters that could be the filler.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let mut is_used = vec![false; PRIVATE.len()];
        let mut found = |code: u32| {
            if PRIVATE.contains(&code) {
                is_used[(code - PRIVATE.start) as usize] = true;
            }
        };
        for written in text.chars().filter(|it| !it.is_ascii()) {
            found(u32::from(written));
        }
        // YAML and JSON escape a character by the four hexadecimal digits of its code.
        let (mut code, mut digits) = (0, 0);
        for byte in text.bytes() {
            let Some(digit) = char::from(byte).to_digit(16) else {
                digits = 0;
                continue;
            };
            code = (code << 4 | digit) & 0xFFFF;
            digits += 1;
            if digits >= 4 {
                found(code);
            }
        }
        let free = is_used.iter().rposition(|it| !it)?;
        let filler = char::from_u32(PRIVATE.start + free as u32)?.to_string();
        Some(Self {
            filler,
            all: Vec::new(),
            fields: Vec::new(),
            keeps_quotes: false,
        })
    }

    pub(super) fn push(&mut self, range: Range<usize>, place: Place) {
        self.all.push((range, place));
    }

    /// Keeps the places for which a function returns true.
    pub(super) fn retain(&mut self, mut is_kept: impl FnMut(&Range<usize>, Place) -> bool) {
        self.all.retain(|it| is_kept(&it.0, it.1));
    }

    /// The number of a place for entries with these keys.
    pub(super) fn of_fields(&mut self, keys: Vec<String>) -> usize {
        self.fields.push(keys);
        self.fields.len() - 1
    }

    /// The keys of the entries that may appear at a place.
    pub(crate) fn fields(&self, place: usize) -> &[String] {
        self.fields.get(place).map_or(&[], Vec::as_slice)
    }

    pub(super) fn sort(&mut self) {
        self.all.sort_unstable_by_key(|it| (it.0.start, it.0.end));
    }

    pub(super) fn filler(&self) -> &str {
        &self.filler
    }

    /// Records the types of values that actions print. They are sorted by start, and places, too. Returns the range of the place of each, if the value is
    /// one.
    pub(crate) fn take_types<'w>(
        &mut self,
        actions: impl IntoIterator<Item = &'w Written>,
    ) -> Vec<Option<Range<usize>>> {
        let mut places = self.all.iter_mut().peekable();
        let found = actions.into_iter().map(|action| {
            let is_before = |it: &(Range<usize>, Place)| it.0.start < action.lines.start || it.1 == Place::More;
            while places.next_if(|it| is_before(it)).is_some() {}
            let place = places.peek_mut()?;
            // The place may lack the first character of the action.
            let is_it = place.0.end == action.lines.end || action.is_alone && place.0.end <= action.lines.end;
            if !is_it || place.1 != Place::Value {
                return None;
            }
            place.1 = Place::Typed(action.typed);
            Some(place.0.clone())
        });
        found.collect()
    }

    /// Whether a parsed string contains a filled-in place.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        text.contains(&self.filler)
    }

    /// The filled-in place in a scalar. If the scalar also has other text, it is a single value.
    pub(crate) fn at(&self, span: Span) -> Option<Place> {
        let span = span.range();
        let first = self.all.partition_point(|it| it.0.end <= span.start);
        let (range, place) = self.all.get(first).filter(|it| it.0.start < span.end)?;
        Some(if *range == span { *place } else { Place::Value })
    }

    /// Whether an action prints more entries or items into the object or list that starts at an offset.
    pub(crate) fn adds_to(&self, start: u32) -> bool {
        let start = start as usize;
        let first = self.all.partition_point(|it| it.0.end < start);
        let mut at = self.all[first..].iter().take_while(|it| it.0.start <= start);
        at.any(|it| it.1 == Place::More && it.0.start == start)
    }

    /// Whether anything in a value is filled in.
    pub(crate) fn are_in(&self, span: Span) -> bool {
        self.at(span).is_some() || self.adds_to(span.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_author_has_written_the_filler() {
        let filler = |text: &str| Places::new(text).map(|it| it.filler);
        assert_eq!(filler("a: {{ .b }}").as_deref(), Some("\u{F8FF}"));
        assert_eq!(filler("a: \u{F8FF}").as_deref(), Some("\u{F8FE}"));
        let escaped = r#"a: "\uf8Ff", b: "\U0000F8FE""#;
        assert_eq!(filler(escaped).as_deref(), Some("\u{F8FD}"));
        let all: String = PRIVATE.filter_map(char::from_u32).collect();
        assert_eq!(filler(&all), None);
    }
}
