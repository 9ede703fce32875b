//! SARIF results for existing objects.

use std::collections::BTreeMap;

use crd_analyzer_compat::{Fate, Policy, Verdict};
use serde::Serialize;

use super::{JudgedObject, JudgedObjects, objects::said};
use crate::output::{
    fingerprint::{self, Fingerprints},
    sarif::{
        model::{Level, Location, Message, SarifResult},
        physical,
    },
};

/// The properties of a result that SARIF does not define.
#[derive(Serialize)]
pub(super) struct Properties<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) crd: Option<&'a str>,
    /// The source of an object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) from: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) version: Option<&'a str>,
    #[serde(flatten)]
    pub(super) answers: Option<Answers>,
}

impl<'a> Properties<'a> {
    fn of_object(from: &'a str, version: &'a str) -> Self {
        Self {
            crd: None,
            from: Some(from),
            version: Some(version),
            answers: None,
        }
    }
}

/// The rules of a run and their indexes, in the order of their first results.
#[derive(Default)]
pub(super) struct Rules(pub(super) BTreeMap<&'static str, usize>);

impl Rules {
    /// The index of a rule. Adds the rule if it is new.
    pub(super) fn number(&mut self, id: &'static str) -> usize {
        let next = self.0.len();
        *self.0.entry(id).or_insert(next)
    }
}

#[derive(Serialize)]
pub(super) struct Answers {
    pub(super) stored: &'static str,
    pub(super) writers: &'static str,
    pub(super) readers: &'static str,
}

/// The rules with their descriptions.
pub(super) const RULES: [(&str, &str); 5] = [
    (
        "object-refused",
        "the API server rejects every update of a stored object",
    ),
    (
        "object-unserved",
        "the API server does not serve the version or kind of a stored object",
    ),
    ("object-pruned", "the API server drops fields of a stored object"),
    (
        "object-tolerated",
        "the API server tolerates a value of a stored object until it changes",
    ),
    ("object-defaulted", "the API server fills in fields of a stored object"),
];

const fn rule(fate: Fate) -> &'static str {
    match fate {
        Fate::Refused => RULES[0].0,
        Fate::Unserved => RULES[1].0,
        Fate::Pruned => RULES[2].0,
        Fate::Tolerated => RULES[3].0,
        Fate::Defaulted => RULES[4].0,
    }
}

/// A SARIF result for each effect on an object.
pub(super) fn results<'a>(
    judged: &'a JudgedObjects,
    policy: Policy,
    rules: &mut Rules,
    prints: &mut Fingerprints,
) -> Vec<SarifResult<Properties<'a>>> {
    let mut found = Vec::new();
    for object in &judged.objects {
        let Ok(happenings) = &object.fate else { continue };
        for (n, happening) in happenings.iter().enumerate() {
            let id = rule(happening.fate);
            let title = object.title();
            let place = happening.place.to_string();
            let parts = [id, &object.label, &title, &place];
            found.push(SarifResult {
                rule_id: id,
                rule_index: rules.number(id),
                level: match policy.judge_fate(happening.fate, &object.version) {
                    Verdict::Breaks => Level::Error,
                    Verdict::Unknown => Level::Warning,
                    Verdict::Compatible => Level::Note,
                },
                message: Message::new(&format!("{title}: {}", said(happening))),
                locations: location(object, n).into_iter().collect(),
                related_locations: Vec::new(),
                partial_fingerprints: BTreeMap::from([(fingerprint::NAME, prints.of_parts(&parts))]),
                suppressions: Vec::new(),
                fixes: Vec::new(),
                properties: Properties::of_object(&object.label, &object.version),
            });
        }
    }
    found
}

fn location(object: &JudgedObject, happening: usize) -> Option<Location> {
    let text = object.text.as_ref()?;
    Some(Location {
        id: None,
        physical: physical(&object.label, &text.lines, &text.text, *text.places.get(happening)?),
        message: None,
    })
}
