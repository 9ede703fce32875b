//! One item of a list that a dash too many makes two.

use std::collections::BTreeMap;

use crd_analyzer_diagnostic::text::{clip, code};
use crd_analyzer_schema::{
    codes,
    field::{Error, Segment},
};
use crd_analyzer_syntax::json::Json;

use crate::{findings::finding::Finding, words};

/// The maximum number of errors to compare.
const MOST_ERRORS: usize = 1_000;

/// The second half of an item that a dash splits in two.
pub(super) struct ExtraDash {
    /// The place of the list.
    list: Vec<Segment>,
    /// The index of the second half.
    second: usize,
    /// Its first key.
    key: String,
}

/// The list, the index of an item and the required property that the item lacks.
fn missing(error: &Error) -> Option<(&[Segment], usize, &str)> {
    match error.place().segments() {
        [
            list @ ..,
            Segment::Index(item),
            Segment::Field(name) | Segment::Key(name),
        ] if error.code == codes::MISSING_PROPERTY => Some((list, *item, name)),
        _ => None,
    }
}

/// The list of an item, and the required fields that the item lacks.
type Lacks<'e> = (&'e [Segment], Vec<&'e str>);

/// Neighbors in lists where each has exactly what the other lacks.
pub(super) fn find<'e>(errors: impl Iterator<Item = &'e Error>, root: &Json<'_>) -> Vec<ExtraDash> {
    let mut lacks: BTreeMap<(String, usize), Lacks<'_>> = BTreeMap::new();
    for error in errors.take(MOST_ERRORS) {
        let Some((list, item, name)) = missing(error) else {
            continue;
        };
        let key = (format!("{list:?}"), item);
        lacks.entry(key).or_insert_with(|| (list, Vec::new())).1.push(name);
    }
    let mut found = Vec::new();
    for ((shown, item), (list, of_first)) in &lacks {
        let Some((_, of_second)) = lacks.get(&(shown.clone(), item + 1)) else {
            continue;
        };
        let items = words::at(root, list).and_then(Json::items).unwrap_or_default();
        let members = |at: usize| items.get(at).and_then(Json::members).unwrap_or_default();
        let (first, second) = (members(*item), members(item + 1));
        let has = |name: &str, second: bool| {
            let members = if second { members(item + 1) } else { first };
            members.iter().any(|it| it.key == name)
        };
        let is_split = of_first.iter().all(|it| has(it, true))
            && of_second.iter().all(|it| has(it, false))
            && !second.iter().any(|it| has(&it.key, false));
        if let Some(key) = second.first().filter(|_| is_split) {
            found.push(ExtraDash {
                list: list.to_vec(),
                second: item + 1,
                key: key.key.to_string(),
            });
        }
    }
    found
}

/// If an item lacks what its other half has, makes the help say to remove the dash between them.
pub(super) fn say(finding: &mut Finding, error: &Error, found: &[ExtraDash]) {
    let Some((list, item, _)) = missing(error) else {
        return;
    };
    let is_half = |it: &&ExtraDash| it.list == list && (it.second == item || it.second == item + 1);
    if let Some(it) = found.iter().find(is_half) {
        let key = code(&clip(&it.key, 40));
        finding.help = vec![format!("remove the dash before {key}: it belongs to the item above")];
    }
}
