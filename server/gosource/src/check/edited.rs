//! Finds the types in a Go file that an edit only moved and did not change.

use std::{collections::HashSet, ops::Range};

use super::types::{Declared, Member, Set, Shape, Types};

/// The effect of an edit on the types that a file declares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edited {
    /// The names of the types that are new, removed, or declared differently.
    pub changed: HashSet<String>,
    /// The declarations of the other types, as ranges of the text before the edit, in order. Each has the number of bytes by which it moved.
    kept: Vec<(Range<usize>, isize)>,
}

impl Edited {
    /// The difference between two texts of a file. `None` if something other than types has changed, such as imports, constants, or markers of the
    /// package.
    pub fn between(before: &Types, after: &Types) -> Option<Self> {
        let markers = |of: &Types| -> Vec<(&'static str, String)> {
            let text = |it: &Set| of.text.get(it.span.clone()).unwrap_or_default().to_owned();
            of.markers.iter().map(|it| (it.name, text(it))).collect()
        };
        let constants = |of: &Types| -> Vec<(String, Option<String>)> {
            let value = |it: &Range<usize>| of.text.get(it.clone()).map(str::to_owned);
            let constants = of.constants.iter();
            constants
                .map(|it| (it.of.clone(), it.value.as_ref().and_then(value)))
                .collect()
        };
        let is_same = before.package == after.package
            && before.imported == after.imported
            && before.imports == after.imports
            && before.marshals == after.marshals
            && (before.is_skipped, before.has_group) == (after.is_skipped, after.has_group)
            && markers(before) == markers(after)
            && constants(before) == constants(after);
        if !is_same {
            return None;
        }
        let mut changed = HashSet::new();
        let mut kept = Vec::new();
        for (name, declared) in &before.declared {
            match after
                .declared
                .get(name)
                .and_then(|it| moved(before, declared, after, it))
            {
                Some(by) => kept.push((whole(declared), by)),
                None => drop(changed.insert(name.clone())),
            }
        }
        let new = after.declared.keys().filter(|it| !before.declared.contains_key(*it));
        changed.extend(new.cloned());
        kept.sort_unstable_by_key(|it| it.0.start);
        Some(Self { changed, kept })
    }

    /// The edit of a file whose earlier text is unknown.
    pub fn of_new(after: &Types) -> Self {
        Self {
            changed: after.declared.keys().cloned().collect(),
            kept: Vec::new(),
        }
    }

    /// The new position of a piece of the earlier text. `None` if it is not part of a declaration that only moved.
    pub fn moved(&self, span: &Range<usize>) -> Option<Range<usize>> {
        let before = self.kept.partition_point(|it| it.0.start <= span.start);
        let (around, by) = self.kept.get(before.checked_sub(1)?)?;
        (span.end <= around.end).then(|| shifted(span, *by))
    }
}

/// The number of bytes by which a declaration has moved. `None` if it has changed in another way.
fn moved(before: &Types, one: &Declared, after: &Types, other: &Declared) -> Option<isize> {
    let by = other.start.cast_signed() - one.start.cast_signed();
    let (from, to) = (whole(one), whole(other));
    let is_same =
        from.len() == to.len() && before.text.get(from) == after.text.get(to) && shifted_declared(one, by) == *other;
    is_same.then_some(by)
}

/// The range of a declaration with its documentation and its markers.
fn whole(declared: &Declared) -> Range<usize> {
    let documentation = declared.documentation.iter().map(|it| it.start);
    let markers = declared.markers.iter().map(|it| it.span.start);
    let start = documentation.chain(markers).min().unwrap_or(declared.start);
    start.min(declared.start)..declared.of.end
}

fn shifted(span: &Range<usize>, by: isize) -> Range<usize> {
    span.start.saturating_add_signed(by)..span.end.saturating_add_signed(by)
}

fn shifted_sets(sets: &[Set], by: isize) -> Vec<Set> {
    let shifted = |it: &Set| Set {
        name: it.name,
        span: shifted(&it.span, by),
        arguments: shifted(&it.arguments, by),
    };
    sets.iter().map(shifted).collect()
}

fn shifted_declared(it: &Declared, by: isize) -> Declared {
    Declared {
        start: it.start.saturating_add_signed(by),
        name: shifted(&it.name, by),
        is_alias: it.is_alias,
        is_generic: it.is_generic,
        has_error: it.has_error,
        documentation: it.documentation.as_ref().map(|it| shifted(it, by)),
        markers: shifted_sets(&it.markers, by),
        of: shifted(&it.of, by),
        shape: shifted_shape(&it.shape, by),
    }
}

fn shifted_shape(shape: &Shape, by: isize) -> Shape {
    let below = |it: &Shape| Box::new(shifted_shape(it, by));
    match shape {
        Shape::Pointer(of) => Shape::Pointer(below(of)),
        Shape::Slice(of) => Shape::Slice(below(of)),
        Shape::Array(of) => Shape::Array(below(of)),
        Shape::Map { key, value } => Shape::Map {
            key: below(key),
            value: below(value),
        },
        Shape::Struct(members) => Shape::Struct(members.iter().map(|it| shifted_member(it, by)).collect()),
        other => other.clone(),
    }
}

fn shifted_member(it: &Member, by: isize) -> Member {
    Member {
        start: it.start.saturating_add_signed(by),
        names: it.names.iter().map(|it| shifted(it, by)).collect(),
        documentation: it.documentation.as_ref().map(|it| shifted(it, by)),
        markers: shifted_sets(&it.markers, by),
        of: shifted(&it.of, by),
        shape: shifted_shape(&it.shape, by),
        name: it.name.clone(),
        tag: it.tag.clone(),
        json: it.json.clone(),
        json_name: it.json_name.as_ref().map(|it| shifted(it, by)),
        is_left_out: it.is_left_out,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::read_types;

    const BEFORE: &str = "\
// +groupName=a
package v1

// A is one.
// +kubebuilder:validation:MinLength=1
type A string

type B struct {
\t// +optional
\tA []A `json:\"a\"`
}

type C int
";

    /// The names of the types that change if the text becomes `after`, sorted.
    fn changed(after: &str) -> Option<Vec<String>> {
        let edited = Edited::between(&read_types(BEFORE), &read_types(after))?;
        let mut names: Vec<String> = edited.changed.into_iter().collect();
        names.sort();
        Some(names)
    }

    #[test]
    fn types_that_only_moved_are_kept() {
        let with = |from: &str, to: &str| changed(&BEFORE.replace(from, to));
        assert_eq!(with("", ""), Some(vec![]));
        assert_eq!(with("package v1\n", "package v1\n\n\n"), Some(vec![]));
        assert_eq!(with("MinLength=1", "MinLength=12"), Some(vec!["A".to_owned()]));
        assert_eq!(with("A is one", "A is two"), Some(vec!["A".to_owned()]));
        assert_eq!(with("+optional", "+required"), Some(vec!["B".to_owned()]));
        assert_eq!(with("[]A", "[]C"), Some(vec!["B".to_owned()]));
        assert_eq!(with("type C int\n", ""), Some(vec!["C".to_owned()]));
        assert_eq!(with("type C", "type D"), Some(vec!["C".to_owned(), "D".to_owned()]));
        // Changes of something other than types.
        for (from, to) in [
            ("+groupName=a", "+groupName=b"),
            ("package v1\n", "package v1\n\nimport \"a/b\"\n"),
            ("type C int\n", "type C int\n\nconst D C = 1\n"),
            ("type C int\n", "type C int\n\nfunc (C) MarshalText() ([]byte, error)\n"),
        ] {
            assert_eq!(with(from, to), None, "{to}");
        }
    }

    #[test]
    fn places_move_with_their_types() {
        let after = BEFORE.replace("A is one", "A is longer").replace("type C", "\ntype C");
        let edited = Edited::between(&read_types(BEFORE), &read_types(&after)).expect("an edit of types");
        let at = |text: &str, word: &str| {
            let start = text.find(word).expect("the word");
            start..start + word.len()
        };
        for word in ["+optional", "[]A", "type C".trim_start_matches("type ")] {
            assert_eq!(edited.moved(&at(BEFORE, word)), Some(at(&after, word)), "{word}");
        }
        assert_eq!(edited.moved(&at(BEFORE, "+kubebuilder")), None);
        assert_eq!(edited.moved(&at(BEFORE, "package")), None);
    }
}
