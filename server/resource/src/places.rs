//! Maps the API server's paths to the author's document.

use crd_analyzer_schema::field::{Path, Segment};
use crd_analyzer_syntax::json::{Json, Member};
use crd_analyzer_syntax::tree::NodeId;

/// The location of a path in a document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LocatedField {
    /// The key, if the field is in a mapping. If the field is missing, this is the key of the closest surrounding field that exists.
    pub key: Option<NodeId>,
    /// The value. If the field is missing, this is the value of the closest surrounding field that exists.
    pub value: NodeId,
    /// Whether the field itself is missing.
    pub missing: bool,
}

/// Follows a path until a step does not exist in the document. Works for paths of resources and, in CRDs, for paths of [`Decider`](crate::Decider)s.
pub fn find(json: &Json<'_>, path: &Path) -> LocatedField {
    let mut place = LocatedField {
        key: None,
        value: json.node,
        missing: false,
    };
    let mut at = json;
    for segment in path.segments() {
        let step = match segment {
            Segment::Index(index) => at.items().and_then(|items| items.get(*index)).map(|it| (None, it)),
            Segment::Field(name) | Segment::Key(name) => match at.member(name) {
                Some(member) => Some((Some(member.key_node), &member.value)),
                // Some of the API server's names consist of several steps.
                None => dotted(at, name).and_then(|steps| match steps.last()? {
                    Step::Member(member) => Some((Some(member.key_node), &member.value)),
                    Step::Item(_, item) => Some((None, *item)),
                }),
            },
        };
        let Some((key, value)) = step else {
            place.missing = true;
            break;
        };
        place.key = key;
        place.value = value.node;
        at = value;
    }
    place
}

/// The key at the end of a dotted path (`spec.ports[0].nme`), or the item if the path ends with an index.
pub fn find_dotted(json: &Json<'_>, path: &str) -> Option<NodeId> {
    let steps = dotted(json, path)?;
    match steps.last()? {
        Step::Member(member) => Some(member.key_node),
        Step::Item(_, item) => Some(item.node),
    }
}

/// A dotted path as segments of the document. Empty if the document does not contain it.
pub fn path_of_dotted(json: &Json<'_>, path: &str) -> Path {
    let steps = dotted(json, path).unwrap_or_default();
    let segments = steps.into_iter().map(|step| match step {
        Step::Member(member) => Segment::Field(member.key.clone().into_owned()),
        Step::Item(index, _) => Segment::Index(index),
    });
    segments.collect()
}

/// The maximum number of steps in the search for the meaning of a path. A path can have several meanings, because names may contain dots and
/// brackets.
const MAX_TRIES: usize = 1_000;

#[derive(Clone, Copy)]
enum Step<'a, 't> {
    Member(&'a Member<'t>),
    Item(usize, &'a Json<'t>),
}

/// Splits a dotted path into steps that exist in the document.
fn dotted<'a, 't>(json: &'a Json<'t>, path: &str) -> Option<Vec<Step<'a, 't>>> {
    let mut steps = Vec::new();
    let mut tries = 0;
    walk(json, path, &mut steps, &mut tries).then_some(steps)
}

fn walk<'a, 't>(at: &'a Json<'t>, rest: &str, steps: &mut Vec<Step<'a, 't>>, tries: &mut usize) -> bool {
    *tries += 1;
    if *tries > MAX_TRIES {
        return false;
    }
    if rest.is_empty() {
        return !steps.is_empty();
    }
    if let Some(inside) = rest.strip_prefix('[') {
        if let Some(items) = at.items() {
            let Some((index, rest)) = inside.split_once(']') else {
                return false;
            };
            let Some((index, item)) = index.parse().ok().and_then(|n: usize| Some((n, items.get(n)?))) else {
                return false;
            };
            return enter(Step::Item(index, item), item, rest, steps, tries);
        }
        // A key in brackets is a key of `additionalProperties`.
        for (end, _) in inside.match_indices(']') {
            if let Some(member) = at.member(&inside[..end])
                && enter(Step::Member(member), &member.value, &inside[end + 1..], steps, tries)
            {
                return true;
            }
        }
    }
    let rest = match (rest.strip_prefix('.'), steps.is_empty()) {
        (Some(rest), _) => rest,
        (None, true) => rest,
        (None, false) => return false,
    };
    let ends = rest.match_indices(['.', '[']).map(|(end, _)| end);
    for end in ends.chain([rest.len()]) {
        if let Some(member) = at.member(&rest[..end])
            && enter(Step::Member(member), &member.value, &rest[end..], steps, tries)
        {
            return true;
        }
    }
    false
}

fn enter<'a, 't>(
    step: Step<'a, 't>,
    at: &'a Json<'t>,
    rest: &str,
    steps: &mut Vec<Step<'a, 't>>,
    tries: &mut usize,
) -> bool {
    steps.push(step);
    let found = walk(at, rest, steps, tries);
    if !found {
        steps.pop();
    }
    found
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crd_analyzer_schema::field::Path;
    use crd_analyzer_syntax::tree::Span;
    use crd_analyzer_syntax::{read, read_json};

    use super::{find, find_dotted, path_of_dotted};

    const TEXT: &str = "a: {b.c: [{d: 1}], 'e[0]': 2}\nf: {x/y: {g: 3}}\n";

    /// Checks the key at the end of a dotted path, and the path as segments.
    #[track_caller]
    fn check(path: &str, key: &str, steps: &str) {
        let text: Arc<str> = TEXT.into();
        let tree = read(&text, Span::new(0, text.len() as u32)).expect("it reads");
        let json = read_json(&tree).expect("it converts");
        let root = json.root().expect("it is not empty");
        let node = find_dotted(root, path).expect("the path leads somewhere");
        assert_eq!(&text[tree.span(node).range()], key);
        assert_eq!(path_of_dotted(root, path).to_string(), steps);
    }

    #[test]
    fn dotted_paths_are_read_by_what_is_there() {
        check("a", "a", "a");
        check("a.b.c", "b.c", "a.b.c");
        check("a.b.c[0].d", "d", "a.b.c[0].d");
        check("a.e[0]", "'e[0]'", "a.e[0]");
        check("f[x/y].g", "g", "f.x/y.g");
        check("a.b.c[0]", "{d: 1}", "a.b.c[0]");
    }

    #[test]
    fn a_path_is_followed_as_far_as_the_document_goes() {
        let text: Arc<str> = TEXT.into();
        let tree = read(&text, Span::new(0, text.len() as u32)).expect("it reads");
        let json = read_json(&tree).expect("it converts");
        let root = json.root().expect("it is not empty");
        let place = find(root, &Path::of(["f"]).key("x/y").child("missing"));
        assert!(place.missing);
        assert_eq!(place.key.map(|it| &text[tree.span(it).range()]), Some("x/y"));
        // A single name of the API server consists of several steps.
        let place = find(root, &Path::of(["f", "x/y.g"]));
        assert!(!place.missing);
        assert_eq!(&text[tree.span(place.value).range()], "3");
    }
}
