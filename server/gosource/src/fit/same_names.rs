//! Finds fields of a struct that have the same JSON name (`dominantField` in Go's `encoding/json`, `structToSchema` in controller-gen).

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use super::scope::Scope;
use crate::check::{
    Finding, Problem, Same,
    types::{Member, Shape, Types},
};

/// The maximum depth of embedded structs.
const MAX_DEPTH: usize = 32;

/// The maximum number of fields of embedded structs to look at for one file. Further embedded structs are not compared.
pub(super) const MOST_PROMOTED: usize = 50_000;

/// Finds the fields of a struct whose JSON name another field of the struct has, too. Fields of embedded structs are included if their types are in the
/// same package. `left` is the number of these that may still be looked at.
pub(super) fn find(scope: &Scope<'_>, types: &Types, members: &[Member], left: &mut usize, found: &mut Vec<Finding>) {
    let mut own: HashMap<&str, Range<usize>> = HashMap::new();
    for member in members.iter().filter(|it| it.is_property()) {
        let Some(name) = member.json.as_deref().filter(|it| !it.is_empty()) else {
            continue;
        };
        let span = place(member);
        // One tag may belong to several fields.
        let twice = (member.names.len() > 1).then(|| member.names[0].clone());
        let first = own.get(name).cloned().or(twice);
        own.entry(name).or_insert_with(|| span.clone());
        if let Some(first) = first {
            found.push(finding(span, name, Same::Beside { first }));
        }
    }
    let mut embedded: HashMap<String, (usize, Range<usize>)> = HashMap::new();
    for member in members.iter().filter(|it| is_embedded(it)) {
        let of = types.text.get(member.of.clone()).unwrap_or_default();
        for (name, depth) in promoted(scope, &member.shape, left) {
            if let Some(at) = own.get(name.as_str()) {
                let within = of.trim_start_matches('*').to_owned();
                found.push(finding(at.clone(), &name, Same::Inside { within }));
                continue;
            }
            match embedded.get(&name) {
                Some((other, first)) if *other == depth => {
                    let first = first.clone();
                    found.push(finding(member.of.clone(), &name, Same::Embedded { first }));
                }
                Some((other, _)) if *other < depth => {}
                _ => {
                    embedded.insert(name, (depth, member.of.clone()));
                }
            }
        }
    }
}

fn finding(span: Range<usize>, name: &str, same: Same) -> Finding {
    Finding {
        span,
        problem: Problem::SameName {
            name: name.to_owned(),
            same,
        },
    }
}

/// Whether the fields of a member's type are fields of the struct.
fn is_embedded(member: &Member) -> bool {
    member.name.is_none() && member.json.as_deref() == Some("") && !member.is_left_out
}

/// The place of a field's JSON name, or else of the field.
fn place(member: &Member) -> Range<usize> {
    let name = member.json_name.as_ref().or(member.names.first());
    name.unwrap_or(&member.of).clone()
}

/// The JSON names of the fields of an embedded type, each with the number of structs around it, in the order of the names.
fn promoted(scope: &Scope<'_>, shape: &Shape, left: &mut usize) -> Vec<(String, usize)> {
    let mut found: HashMap<&str, usize> = HashMap::new();
    let mut seen: HashSet<&str> = HashSet::new();
    let mut waiting = vec![(shape, 1)];
    while let Some((shape, depth)) = waiting.pop() {
        let name = match shape {
            Shape::Name(name) => name,
            Shape::Pointer(of) => {
                waiting.push((of, depth));
                continue;
            }
            _ => continue,
        };
        let is_new = depth < MAX_DEPTH && seen.insert(name);
        let Some((_, declared)) = scope.declared(name).filter(|_| is_new) else {
            continue;
        };
        let Shape::Struct(members) = &declared.shape else {
            // A name of another type has its fields, but not its methods.
            waiting.push((&declared.shape, depth));
            continue;
        };
        *left = left.saturating_sub(members.len());
        if *left == 0 {
            return Vec::new();
        }
        for member in members {
            if is_embedded(member) {
                waiting.push((&member.shape, depth + 1));
            } else if let Some(name) = member
                .json
                .as_deref()
                .filter(|it| !it.is_empty() && member.is_property())
            {
                let known = found.entry(name).or_insert(depth);
                *known = depth.min(*known);
            }
        }
    }
    let mut found: Vec<(String, usize)> = found
        .into_iter()
        .map(|(name, depth)| (name.to_owned(), depth))
        .collect();
    found.sort_unstable();
    found
}
