//! Generates random objects around changes that are reported as compatible, independently of the proofs.

use std::path::Path;
use std::sync::Arc;

use crd_analyzer_compat::{Answer, Change, Direction};
use crd_analyzer_resource::{Question, Stored, judge};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_schema::field::{Path as FieldPath, Segment};
use crd_analyzer_syntax::tree::Span;
use crd_analyzer_syntax::{read, read_json};
use fastrand::Rng;
use serde_json::Value;

use super::replay::{Answers, ask, request, without_metadata};
use super::{Args, Pair, Tally, small};
use crate::resources::answer;
use crate::resources::generate::Definition;

/// An object generated around a change.
struct Made<'a> {
    pair: usize,
    change: &'a Change,
    direction: Direction,
    /// Whether all changes are compatible in this direction.
    is_all: bool,
    object: Value,
}

impl Made<'_> {
    fn sides<'p>(&self, pair: &'p Pair) -> (&'p Arc<str>, &'p Arc<str>) {
        match self.direction {
            Direction::Readers => (&pair.new, &pair.old),
            _ => (&pair.old, &pair.new),
        }
    }
}

fn is_compatible(change: &Change, direction: Direction) -> bool {
    matches!(change.answer(direction), Answer::Compatible { .. })
}

/// The objects that contradict `compat`: one side accepts them, and the other rejects or changes them, although all changes of the keyword that
/// causes this are reported as compatible.
pub(super) fn wrong(
    oracle: &Path,
    kubernetes: KubernetesVersion,
    pairs: &[Pair],
    compared: &[Vec<Change>],
    args: &Args,
    rng: &mut Rng,
    tally: &mut Tally,
) -> anyhow::Result<Vec<String>> {
    let mut made = Vec::new();
    for (n, (pair, changes)) in pairs.iter().zip(compared).enumerate() {
        let constants = args.small.map(|_| small::constants(pair)).unwrap_or_default();
        make((n, pair), changes, args.tries, &constants, rng, &mut made);
    }
    tally.made += made.len();
    let first: Vec<String> = made
        .iter()
        .enumerate()
        .map(|(n, it)| request(&n.to_string(), it.sides(&pairs[it.pair]).0, &it.object, None, false))
        .collect();
    let before = ask(oracle, &first)?;
    let statuses = statuses(oracle, pairs, &made, &before)?;
    let mut second = Vec::new();
    for (n, it) in made.iter_mut().enumerate() {
        let Some(from) = before.get(&n.to_string()).filter(|it| it["accepted_strict"] == true) else {
            continue;
        };
        if statuses
            .get(&n.to_string())
            .is_some_and(|it| it["accepted"] != true && it["other_error"] != NO_SUBRESOURCE)
        {
            continue;
        }
        tally.accepted += 1;
        if it.direction == Direction::Stored {
            let metadata = it.object["metadata"].clone();
            it.object = from["object"].clone();
            it.object["metadata"] = metadata;
        }
        let old = (it.direction == Direction::Stored).then_some(&it.object);
        second.push(request(
            &n.to_string(),
            it.sides(&pairs[it.pair]).1,
            &it.object,
            old,
            false,
        ));
    }
    let after = ask(oracle, &second)?;
    // If OLD itself rejects an unchanged update, the change does not break the object. Rules that use the old value can cause this.
    let same = made.iter().enumerate().filter(|(n, it)| {
        let is_refused = after.get(&n.to_string()).is_some_and(|it| it["accepted"] != true);
        it.direction == Direction::Stored && is_refused
    });
    let same: Vec<String> = same
        .map(|(n, it)| {
            request(
                &n.to_string(),
                it.sides(&pairs[it.pair]).0,
                &it.object,
                Some(&it.object),
                false,
            )
        })
        .collect();
    let same = ask(oracle, &same)?;
    let mut wrong = Vec::new();
    for (n, it) in made.iter().enumerate() {
        let name = n.to_string();
        let (Some(from), Some(to)) = (before.get(&name), after.get(&name)) else {
            continue;
        };
        if to["crd_accepted"] == false || from["crd_accepted"] == false {
            continue;
        }
        if same.get(&name).is_some_and(|it| it["accepted"] != true) {
            continue;
        }
        let is_refused = to["accepted"] != true;
        let has_unknown = to["unknown"].as_array().is_some_and(|it| !it.is_empty());
        let is_other = it.direction != Direction::Readers && without_metadata(Some(from)) != without_metadata(Some(to));
        if !(is_refused || has_unknown || is_other) {
            continue;
        }
        let changes = &compared[it.pair];
        let blamed = if it.is_all {
            Some(format!("{} {}", it.change.code, it.change.path()))
        } else if is_refused {
            blamed(kubernetes, it.sides(&pairs[it.pair]).1, changes, it)
        } else {
            None
        };
        if let Some(blamed) = blamed {
            let why = if is_refused {
                format!("{} {}", to["errors"], to["decode_error"])
            } else {
                "another object is stored".to_owned()
            };
            wrong.push(format!(
                "{} {blamed} {} compatible: {why}: {}",
                pairs[it.pair].id, it.direction, it.object
            ));
        }
    }
    Ok(wrong)
}

/// The API server's answer if the status subresource is not enabled.
const NO_SUBRESOURCE: &str = "the server could not find the requested resource";

/// Also sends the status to the status subresource, because the main endpoint then drops it.
fn statuses(oracle: &Path, pairs: &[Pair], made: &[Made<'_>], before: &Answers) -> anyhow::Result<Answers> {
    let mut asked = Vec::new();
    for (n, it) in made.iter().enumerate() {
        let name = n.to_string();
        let is_accepted = before.get(&name).is_some_and(|it| it["accepted_strict"] == true);
        if !is_accepted || it.object.get("status").is_none() {
            continue;
        }
        let mut old = it.object.clone();
        if let Value::Object(fields) = &mut old {
            fields.remove("status");
        }
        asked.push(request(
            &name,
            it.sides(&pairs[it.pair]).0,
            &it.object,
            Some(&old),
            true,
        ));
    }
    ask(oracle, &asked)
}

/// Generates objects for a pair. `constants` are values to insert at random places, and may be empty.
fn make<'a>(
    (n, pair): (usize, &Pair),
    changes: &'a [Change],
    tries: usize,
    constants: &[Value],
    rng: &mut Rng,
    made: &mut Vec<Made<'a>>,
) {
    for direction in Direction::ALL {
        let from = match direction {
            Direction::Readers => &pair.new,
            _ => &pair.old,
        };
        let Some(definition) = Definition::read(from) else {
            continue;
        };
        let is_of_version = |it: &&Change| it.version.as_deref().is_none_or(|name| name == definition.version());
        let compatible: Vec<&Change> = changes
            .iter()
            .filter(is_of_version)
            // Objects of a removed version are read in another version.
            .filter(|it| is_compatible(it, direction) && !["served-changed", "version-removed"].contains(&it.code))
            .collect();
        if compatible.is_empty() {
            continue;
        }
        let is_all = changes
            .iter()
            .filter(is_of_version)
            .all(|it| is_compatible(it, direction));
        let count = tries.div_ceil(compatible.len()).max(2);
        for change in compatible {
            let path = match direction {
                Direction::Readers => change.new_path.as_ref().or(change.old_path.as_ref()),
                _ => change.old_path.as_ref().or(change.new_path.as_ref()),
            };
            let steps: &[Segment] = path.map(FieldPath::segments).unwrap_or_default();
            for _ in 0..count {
                let mut object = definition.instance(rng);
                definition.lead(&mut object, steps, rng);
                if !constants.is_empty() {
                    small::stir(&mut object, constants, rng);
                }
                made.push(Made {
                    pair: n,
                    change,
                    direction,
                    is_all,
                    object,
                });
            }
        }
    }
}

/// The change that is reported as compatible although it makes the other side reject an object.
fn blamed(kubernetes: KubernetesVersion, to: &Arc<str>, changes: &[Change], it: &Made<'_>) -> Option<String> {
    let definitions = answer::definitions(to, kubernetes);
    let text = |name: &str| it.object[name].as_str().unwrap_or_default();
    let served = definitions.first()?.serving(text("apiVersion"), text("kind")).ok()?;
    let written: Arc<str> = it.object.to_string().into();
    let tree = read(&written, Span::new(0, written.len() as u32)).ok()?;
    let json = read_json(&tree).ok()?;
    let stored = Stored::establish(served, &json).ok()?;
    let question = match it.direction {
        Direction::Stored => Question::Update(&stored),
        _ => Question::Create,
    };
    let verdict = judge(served, &json, question);
    let deciders: Vec<&FieldPath> = verdict
        .errors
        .iter()
        .filter_map(|it| Some(&it.decider.as_ref()?.path))
        .collect();
    let is_blamed = |change: &&Change| {
        let path = match it.direction {
            Direction::Readers => change.old_path.as_ref(),
            _ => change.new_path.as_ref(),
        };
        is_compatible(change, it.direction) && path.is_some_and(|path| deciders.contains(&path))
    };
    // Changes of `required` are left out, because their errors have the same path as errors of other keywords.
    let change = changes
        .iter()
        .filter(|it| !it.code.starts_with("required"))
        .find(is_blamed)?;
    Some(format!("{} {}", change.code, change.path()))
}
