//! Replays witnesses with the oracle.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use crd_analyzer_compat::{Answer, Direction, Effect, Witness};
use serde_json::{Value, json};

use super::{Claim, Pair, Tally};
use crate::peers;

/// The oracle's answers, by request name.
pub(super) type Answers = BTreeMap<String, Value>;

/// A request to the oracle about an object.
pub(super) fn request(id: &str, crd: &Arc<str>, object: &Value, old: Option<&Value>, is_status: bool) -> String {
    let mut request = json!({"id": id, "crd_text": &**crd, "text": object.to_string()});
    if let Some(old) = old {
        request["old_text"] = json!(old.to_string());
    }
    if is_status {
        request["status"] = json!(true);
    }
    request.to_string()
}

/// Sends requests to the oracle and returns its answers by name.
pub(super) fn ask(oracle: &Path, requests: &[String]) -> anyhow::Result<Answers> {
    let mut command = Command::new(oracle);
    command.args(["cr", "-object", "always", "-list", "-"]);
    let answers = peers::ask_lines(&mut command, requests)?;
    let named = answers
        .into_iter()
        .map(|it| (it["cr"].as_str().unwrap_or_default().to_owned(), it));
    Ok(named.collect())
}

/// The requests about one witness. Each name ends with the kind of the request.
fn requests(id: &str, from: &Arc<str>, to: &Arc<str>, direction: Direction, answer: &Answer) -> Vec<String> {
    let Some(Witness {
        object,
        old_object,
        is_status,
        ..
    }) = answer.witness()
    else {
        return Vec::new();
    };
    let name = |what: &str| format!("{id} {what}");
    let old = old_object.as_ref();
    let mut found = vec![request(&name("from"), from, object, None, false)];
    if let Some(old) = old {
        found.push(request(&name("from old"), from, old, None, false));
        found.push(request(&name("from update"), from, object, Some(old), *is_status));
    }
    found.push(request(&name("to"), to, object, None, false));
    if direction == Direction::Stored {
        found.push(request(&name("to same"), to, object, Some(object), *is_status));
    }
    if let Some(old) = old {
        found.push(request(&name("to update"), to, object, Some(old), *is_status));
        found.push(request(&name("to old same"), to, old, Some(old), false));
    }
    found
}

fn is_accepted(answer: Option<&Value>) -> bool {
    answer.is_some_and(|it| it["accepted"] == true)
}

fn is_accepted_strictly(answer: Option<&Value>) -> bool {
    answer.is_some_and(|it| it["accepted_strict"] == true)
}

/// An object without the fields that the API server adds.
pub(super) fn without_metadata(answer: Option<&Value>) -> Value {
    let mut object = answer.map(|it| it["object"].clone()).unwrap_or_default();
    if let Value::Object(fields) = &mut object {
        fields.remove("metadata");
    }
    object
}

/// The problem with a claim, if any.
fn judge(id: &str, direction: Direction, answer: &Answer, answers: &Answers) -> Option<String> {
    let get = |what: &str| answers.get(&format!("{id} {what}"));
    let witness = answer.witness()?;
    let no = |what: &str| Some(format!("{what}: {}", witness.object));
    let is_update = witness.old_object.is_some();
    let is_written_back = witness.old_object.as_ref() == Some(&witness.object);
    let is_accepted_before = is_accepted_strictly(get("from"))
        && (!is_update || is_written_back || is_accepted_strictly(get("from old")) && is_accepted(get("from update")));
    if !is_accepted_before {
        return no("the one side does not accept the witness");
    }
    let Answer::Breaks { effect, .. } = answer else {
        // In this case, the claim is that the change is tolerated.
        if is_update {
            if is_accepted(get("to update")) {
                return no("the update is accepted");
            }
            return (!is_accepted(get("to old same"))).then(|| "what does not change is refused".to_owned());
        }
        if is_accepted(get("to")) {
            return no("the object is accepted");
        }
        return (!is_accepted(get("to same"))).then(|| "what does not change is refused".to_owned());
    };
    let to = get("to");
    let is_same = || without_metadata(get("from")) == without_metadata(to);
    let has_unknown = to.is_some_and(|it| it["unknown"].as_array().is_some_and(|it| !it.is_empty()));
    let is_right = match (effect, direction) {
        (Effect::Refused, Direction::Stored) => !is_accepted(get("to same")),
        (Effect::Refused, _) if is_update => !is_accepted(get("to update")),
        (Effect::Refused, _) => !is_accepted(to),
        (Effect::Unserved, _) => to.is_some_and(|it| !it["decode_error"].is_null()),
        (Effect::Pruned, Direction::Readers) => has_unknown || !is_same(),
        (Effect::Pruned, _) => has_unknown || !is_same(),
        (Effect::Defaulted | Effect::NullKept, _) => !is_same(),
        (Effect::Unselectable, _) => true,
    };
    if is_right {
        None
    } else {
        no(&format!("it is not {effect}"))
    }
}

/// The claims that are not confirmed by their witness.
pub(super) fn wrong(
    oracle: &Path,
    pairs: &[Pair],
    claims: &[Claim<'_>],
    tally: &mut Tally,
) -> anyhow::Result<Vec<String>> {
    let with_witness: Vec<(String, &Claim<'_>)> = claims
        .iter()
        .enumerate()
        .filter(|it| it.1.answer.witness().is_some())
        .map(|(n, claim)| (n.to_string(), claim))
        .collect();
    let mut asked = Vec::new();
    for (id, claim) in &with_witness {
        let pair = &pairs[claim.pair];
        let (from, to) = match claim.direction {
            Direction::Readers => (&pair.new, &pair.old),
            _ => (&pair.old, &pair.new),
        };
        asked.extend(requests(id, from, to, claim.direction, claim.answer));
    }
    let answers = ask(oracle, &asked)?;
    let mut wrong = Vec::new();
    let mut refused: std::collections::BTreeSet<usize> = std::collections::BTreeSet::new();
    for (id, claim) in &with_witness {
        let mut of_claim = answers.iter().filter(|it| it.0.split(' ').next() == Some(id.as_str()));
        if of_claim.any(|it| it.1["crd_accepted"] == false && it.1["decode_error"].is_null()) {
            refused.insert(claim.pair);
            continue;
        }
        let effect = match claim.answer {
            Answer::Breaks { effect, .. } => Some(*effect),
            _ => None,
        };
        // The oracle prints objects before it drops a status that belongs to a subresource, so the change is not visible.
        if claim.change.code == "status-changed" && effect == Some(Effect::Pruned) {
            tally.unprinted += 1;
            continue;
        }
        if effect == Some(Effect::Unselectable) {
            tally.unprinted += 1;
        } else {
            tally.replayed += 1;
        }
        wrong.extend(wrong_claim(pairs, claim, id, &answers));
    }
    tally.refused += refused.len();
    Ok(wrong)
}

fn wrong_claim(pairs: &[Pair], claim: &Claim<'_>, id: &str, answers: &Answers) -> Option<String> {
    let why = judge(id, claim.direction, claim.answer, answers)?;
    Some(format!(
        "{} {} {} {} {}: {why}",
        pairs[claim.pair].id,
        claim.change.code,
        claim.change.path(),
        claim.direction,
        claim.answer.name()
    ))
}
