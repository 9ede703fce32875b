//! The effects of the status and scale subresources on objects.

use crd_analyzer_apiextensions::types::SubresourceScale;
use crd_analyzer_resource::{Question, ResourceVerdict};
use crd_analyzer_schema::field::{Path, Segment};
use crd_analyzer_schema::validation::Numbers;
use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion};
use serde_json::{Value, json};

use crate::answer::{Answer, Direction, Effect, Witness};
use crate::pair::Pair;
use crate::replay::{Write, ask};
use crate::rules::RANGES_SINCE;
use crate::scope::{Scope, has_resources_below};
use crate::steps::{self, Step};

/// The reason why the answer about a status is unknown.
pub(crate) const NOT_TRIED: &str =
    "the API server now drops a status that is sent with an object: clients must send it to `/status`";

/// The step to the status of an object.
fn status() -> [Step; 1] {
    [Step::Property("status".to_owned())]
}

/// The effect on a status that clients send with an object: NEW drops the status (`customResourceStrategy.PrepareForCreate`).
pub(crate) fn status_as_sent(pair: &Pair<'_>) -> Answer {
    let maker = pair.maker(Direction::Writers);
    let Some(node) = steps::at(maker.root, &status()) else {
        // `pruning.Prune`
        let is_closed = maker.root.additional_properties.is_none()
            && maker.root.x_preserve_unknown_fields != Some(true)
            && maker.root.r#type == "object";
        return if is_closed {
            Answer::compatible("no object has a status")
        } else {
            Answer::unknown(NOT_TRIED)
        };
    };
    let object = maker.smallest(node).and_then(|it| maker.around(&status(), it));
    let Some(Value::Object(fields)) = object else {
        return Answer::unknown(NOT_TRIED);
    };
    let sent = Write::create(pair.object(fields));
    let is_stored_before = pair.sides(Direction::Writers).accepts(&sent);
    let now = ask(pair.new, &sent.object, Question::Create).filter(ResourceVerdict::is_accepted);
    let is_dropped = now
        .and_then(|it| it.stored)
        .is_some_and(|it| !it.contains_key("status"));
    if !is_stored_before || !is_dropped {
        return Answer::unknown(NOT_TRIED);
    }
    Answer::Breaks {
        effect: Effect::Pruned,
        witness: Witness {
            object: sent.object,
            old_object: None,
            is_status: false,
            words: String::new(),
        },
    }
}

/// OLD's answer to a status that NEW accepted at `/status`. The same schema validates a status at `/status` (`statusStrategy.ValidateUpdate`) and in
/// the object, unless the schema of the whole object constrains the status. Embedded resources are only validated in the object
/// (`schemaobjectmeta.Validate`).
pub(crate) fn status_as_read(pair: &Pair<'_>) -> Answer {
    let embeds = |it: &JsonSchemaProps| steps::at(it, &status()).is_some_and(has_resources_below);
    if roots(pair).any(|it| looks_at_status(it) || embeds(it)) {
        return Answer::unknown("NEW validates a status only when it is sent to `/status`");
    }
    Answer::compatible("the same schema validates a status that is sent to `/status`")
}

/// OLD's answer to objects that NEW accepted with their status. OLD drops the status of a new object before it validates the rest.
pub(crate) fn status_in_objects(pair: &Pair<'_>) -> Answer {
    if roots(pair).any(looks_at_status) {
        return Answer::unknown("OLD drops a status that is sent with an object, and its schema validates the status");
    }
    Answer::compatible("readers find the status at the same place")
}

fn roots<'p>(pair: &Pair<'p>) -> impl Iterator<Item = &'p JsonSchemaProps> {
    [pair.old_maker.root, pair.new_maker.root].into_iter()
}

/// Whether the schema of the whole object constrains its status.
fn looks_at_status(root: &JsonSchemaProps) -> bool {
    let scope = Scope::of(root, &[]);
    scope.has_rules || scope.counts_fields || root.required.iter().any(|it| it == "status")
}

/// The required value at the end of a path of the scale subresource.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Replicas,
    Selector,
}

/// The answer of the checking side's scale subresource (`ValidateScaleSpec`, `ValidateScaleStatus`). Ratcheting never applies to this answer.
pub(crate) fn scale(
    pair: &Pair<'_>,
    direction: Direction,
    from: Option<&SubresourceScale>,
    to: Option<&SubresourceScale>,
) -> Answer {
    let Some(to) = to else {
        return if direction == Direction::Writers {
            Answer::unknown("crd-analyzer does not compare what clients write to `/scale`")
        } else {
            Answer::compatible("the scale subresource does not validate objects")
        };
    };
    let known: Vec<_> = from.into_iter().flat_map(paths).collect();
    let root = pair.maker(direction).root;
    let open: Vec<_> = paths(to)
        .into_iter()
        .filter(|it| !known.contains(it))
        .filter(|(path, target)| !fits(root, &way(path), *target, pair.kubernetes()))
        .collect();
    if open.is_empty() {
        return Answer::compatible("the schema accepts only values that the scale subresource accepts, too");
    }
    let mut tried = open
        .iter()
        .filter_map(|(path, target)| refused(pair, direction, &way(path), *target));
    tried.next().unwrap_or_else(|| {
        Answer::unknown("crd-analyzer found no value that the scale subresource rejects, and no proof that none exists")
    })
}

fn paths(scale: &SubresourceScale) -> Vec<(String, Target)> {
    let mut found = vec![
        (scale.spec_replicas_path.clone(), Target::Replicas),
        (scale.status_replicas_path.clone(), Target::Replicas),
    ];
    found.extend(scale.label_selector_path.clone().map(|it| (it, Target::Selector)));
    found
}

fn way(path: &str) -> Vec<Step> {
    let names = path.strip_prefix('.').unwrap_or(path).split('.');
    names.map(|it| Step::Property(it.to_owned())).collect()
}

/// Whether every value that the schema accepts at the end of a path is valid for the scale subresource.
fn fits(root: &JsonSchemaProps, way: &[Step], target: Target, kubernetes: KubernetesVersion) -> bool {
    let is_closed =
        |it: &JsonSchemaProps| it.r#type == "object" && it.additional_properties.is_none() && !it.x_embedded_resource;
    let scope = Scope::of(root, way);
    for n in 0..way.len() {
        let Some(node) = steps::at(root, &way[..n]) else {
            return false;
        };
        if !is_closed(node) || scope.keeps_unknown || scope.is_metadata {
            return false;
        }
        // `pruning.Prune` drops the property from every object.
        if steps::at(root, &way[..=n]).is_none() {
            return true;
        }
    }
    let Some(node) = steps::at(root, way) else { return false };
    match target {
        Target::Selector => node.r#type == "string" && node.format.is_empty() && !node.x_int_or_string,
        Target::Replicas => {
            // Both kubectl and the storage format numbers like Go: `1.0` becomes `1`.
            let span = Numbers::new(node, kubernetes).span().stored();
            let is_right = span.ints.is_none_or(|it| it.0 >= 0 && it.1 <= i64::from(i32::MAX));
            node.r#type == "integer" && is_right && kubernetes >= RANGES_SINCE
        }
    }
}

/// An object that the scale subresource rejects.
fn refused(pair: &Pair<'_>, direction: Direction, way: &[Step], target: Target) -> Option<Answer> {
    let maker = pair.maker(direction);
    let node = steps::at(maker.root, way)?;
    let values = match target {
        Target::Selector => vec![json!(1), json!([]), json!({}), json!(true)],
        Target::Replicas => vec![
            json!(-1),
            json!(i64::from(i32::MAX) + 1),
            json!(i64::MIN),
            json!("a"),
            json!([]),
            json!(1.5),
        ],
    };
    let is_of_scale = |it: &Path| it.segments().contains(&Segment::Field("scale".to_owned()));
    values
        .into_iter()
        .filter(|it| maker.accepts(node, it))
        .find_map(|value| {
            let Value::Object(fields) = maker.around(way, value)? else {
                return None;
            };
            let outcome = pair.sides(direction).outcome(&Write::create(pair.object(fields)))?;
            let cause = outcome.causes.iter().find(|it| is_of_scale(&it.decider))?;
            Some(Answer::Breaks {
                effect: Effect::Refused,
                witness: Witness {
                    words: cause.words.clone(),
                    object: outcome.shown.object,
                    old_object: outcome.shown.old,
                    is_status: outcome.is_status,
                },
            })
        })
}
