//! One version of both CRDs: checks objects against either CRD, and makes objects that one CRD accepts.

use std::cell::OnceCell;
use std::collections::HashSet;

use crd_analyzer_apiextensions::validation::{SchemaCosts, schema_costs};
use crd_analyzer_resource::{Question as Asked, RejectionCause, ServedVersion};
use crd_analyzer_schema::field::{Path, Segment};
use crd_analyzer_schema::rules::run::{PER_CALL_LIMIT, RUNTIME_BUDGET};
use crd_analyzer_schema::validation::Validator;
use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion};
use serde_json::{Map, Value, json};

use crate::answer::Direction;
use crate::make::Maker;
use crate::replay::{Sides, Write, ask};
use crate::rules;
use crate::steps::{self, Step};
use crate::subject::Subject;

/// The maximum number of objects to change in the search for one that is accepted.
const MAX_CHANGED: usize = 12;

/// A version that both CRDs serve.
pub(crate) struct Pair<'d> {
    pub(crate) name: String,
    old_subject: &'d Subject,
    new_subject: &'d Subject,
    pub(crate) old: ServedVersion<'d>,
    pub(crate) new: ServedVersion<'d>,
    pub(crate) old_maker: Maker<'d>,
    pub(crate) new_maker: Maker<'d>,
    api_version: String,
    kind: String,
    /// For OLD and for NEW: whether all rules together always stay below the API server's cost budget for an object.
    is_cheap: [OnceCell<bool>; 2],
}

impl<'d> Pair<'d> {
    pub(crate) fn new(old_subject: &'d Subject, new_subject: &'d Subject, name: &str) -> Option<Self> {
        let (old, new) = (old_subject.served(name)?, new_subject.served(name)?);
        let maker = |version: ServedVersion<'d>| {
            let schema = version.schema()?;
            Some(Maker::new(schema, Validator::new(schema, new_subject.kubernetes())))
        };
        Some(Self {
            name: name.to_owned(),
            old_subject,
            new_subject,
            old,
            new,
            old_maker: maker(old)?,
            new_maker: maker(new)?,
            api_version: new_subject.api_version(name),
            kind: new_subject.spec().names.kind.clone(),
            is_cheap: [OnceCell::new(), OnceCell::new()],
        })
    }

    pub(crate) fn sides(&self, direction: Direction) -> Sides<'d> {
        let (from, to) = if direction.is_backward() {
            (self.new, self.old)
        } else {
            (self.old, self.new)
        };
        Sides { direction, from, to }
    }

    pub(crate) fn maker(&self, direction: Direction) -> &Maker<'d> {
        if direction.is_backward() {
            &self.new_maker
        } else {
            &self.old_maker
        }
    }

    pub(crate) fn to_root(&self, direction: Direction) -> &'d JsonSchemaProps {
        if direction.is_backward() {
            self.old_maker.root
        } else {
            self.new_maker.root
        }
    }

    /// Builds an object with these fields.
    pub(crate) fn object(&self, fields: Map<String, Value>) -> Value {
        let mut object = Map::new();
        object.insert("apiVersion".to_owned(), self.api_version.clone().into());
        object.insert("kind".to_owned(), self.kind.clone().into());
        let mut metadata = fields.get("metadata").cloned().unwrap_or_else(|| json!({}));
        if let Value::Object(metadata) = &mut metadata
            && !metadata.contains_key("name")
        {
            metadata.insert("name".to_owned(), "example".into());
        }
        for (name, value) in fields {
            if !["apiVersion", "kind", "metadata"].contains(&name.as_str()) {
                object.insert(name, value);
            }
        }
        object.insert("metadata".to_owned(), metadata);
        Value::Object(object)
    }

    /// Whether all rules of the checking side together always stay below the API server's cost budget.
    pub(crate) fn is_cheap(&self, direction: Direction) -> bool {
        let (subject, known) = if direction.is_backward() {
            (self.old_subject, &self.is_cheap[0])
        } else {
            (self.new_subject, &self.is_cheap[1])
        };
        *known.get_or_init(|| {
            let definition = subject.definition();
            let costs = schema_costs(definition, &[], &[], self.new_subject.kubernetes());
            let costs = costs.iter().filter(|it| it.versions.contains(&self.name));
            let most = RUNTIME_BUDGET.unsigned_abs();
            let is_small = |it: &SchemaCosts| {
                it.total <= most
                    && it
                        .rules
                        .iter()
                        .all(|it| it.error.is_none() && it.expr_cost <= PER_CALL_LIMIT)
            };
            costs.into_iter().all(is_small)
        })
    }

    /// Whether both CRDs treat the status and the scale of the version alike.
    pub(crate) fn has_same_subresources(&self) -> bool {
        self.old.has_status() == self.new.has_status() && self.old.scale() == self.new.scale()
    }

    /// The Kubernetes version of the API server.
    pub(crate) fn kubernetes(&self) -> KubernetesVersion {
        self.new_subject.kubernetes()
    }

    /// The smallest object that a side accepts, as a create request.
    pub(crate) fn example(&self, direction: Direction) -> Option<Value> {
        let maker = self.maker(direction);
        let Value::Object(fields) = maker.smallest(maker.root)? else {
            return None;
        };
        self.mended(direction, self.object(fields), &[])
    }

    /// The message with which NEW rejects an update of the status that OLD accepts.
    pub(crate) fn refused_status(&self, it: &Write) -> Option<String> {
        self.sides(Direction::Writers).refuses_status(it)
    }

    /// Changes an object until the side that must accept it does so. The value at `kept` stays unchanged.
    ///
    /// If a rule fails, the value that it validates is replaced by one that all rules of its node accept. The new value may violate rules of nodes
    /// below, which are repaired in the next round. Objects with the fewest errors are changed first.
    pub(crate) fn mended(&self, direction: Direction, object: Value, kept: &[Step]) -> Option<Value> {
        let sides = self.sides(direction);
        let mut seen: HashSet<String> = HashSet::from([object.to_string()]);
        let verdict = ask(sides.from, &object, Asked::Create)?;
        if verdict.is_accepted_strictly() {
            return Some(object);
        }
        let mut waiting = vec![(verdict.errors, object)];
        for _ in 0..MAX_CHANGED {
            let fewest = (0..waiting.len()).min_by_key(|n| waiting[*n].0.len())?;
            let (errors, object) = waiting.remove(fewest);
            for mended in self.with_a_rule_mended(direction, &errors, &object, kept) {
                if !seen.insert(mended.to_string()) {
                    continue;
                }
                let verdict = ask(sides.from, &mended, Asked::Create)?;
                if verdict.is_accepted_strictly() {
                    return Some(mended);
                }
                waiting.push((verdict.errors, mended));
            }
        }
        None
    }

    /// Copies of an object in which a failing rule gets other values. They repair the first rule for which such values are found.
    fn with_a_rule_mended(
        &self,
        direction: Direction,
        errors: &[RejectionCause],
        object: &Value,
        kept: &[Step],
    ) -> Vec<Value> {
        let root = self.sides(direction).from.schema_path();
        let mut broken = errors.iter().filter_map(|it| {
            let decider = it.decider.as_ref().filter(|it| it.rule.is_some())?;
            Some((steps::of_path(&root, &decider.path)?.0, &it.error.path))
        });
        let mended = |(steps, place): (Vec<Step>, &Path)| {
            let node = steps::at(self.maker(direction).root, &steps)?;
            let is_root = steps.is_empty() || node.x_embedded_resource;
            let at = Some(value_place(place, &steps)).filter(|it| it.segments().len() == steps.len())?;
            let below = kept.strip_prefix(steps.as_slice()).unwrap_or(&[]);
            let kept = below.first();
            let mut object = object.clone();
            let target = value_at(&mut object, &at)?;
            let accepted = |steps: &[Step]| {
                let value = steps.iter().try_fold(&*target, |at, step| steps::child(at, step));
                let with = value.map_or((&[][..], &Value::Null), |it| (steps, it));
                rules::accepted_with(node, with, is_root, self.new_subject.kubernetes())
            };
            let fixes = accepted(kept.map_or(&[], std::slice::from_ref));
            // The rules may need other values beside the kept one, deep inside the child.
            let deeper = if fixes.is_empty() && below.len() > 1 {
                accepted(below)
            } else {
                Vec::new()
            };
            let ways = fixes.iter().flat_map(|fix| [(fix, true), (fix, false)]);
            let mended = ways.filter_map(|(fix, keeps_others)| {
                let mut mended = object.clone();
                let target = value_at(&mut mended, &at)?;
                if keeps_others {
                    merge(target, fix, kept.is_some());
                } else {
                    replace(target, fix, kept);
                }
                (mended != object).then_some(mended)
            });
            let with_deeper = deeper.iter().flat_map(|fix| {
                let with = |change: fn(&mut Value, &Value)| {
                    let mut mended = object.clone();
                    change(value_at(&mut mended, &at)?, fix);
                    (mended != object).then_some(mended)
                };
                [
                    with(|target, fix| merge(target, fix, false)),
                    with(|target, fix| replace(target, fix, None)),
                ]
            });
            let mended: Vec<Value> = mended.chain(with_deeper.flatten()).collect();
            Some(mended).filter(|it| !it.is_empty())
        };
        broken.find_map(mended).unwrap_or_default()
    }
}

/// The path of a node's value. Errors of rules may name a field inside this value.
fn value_place(place: &Path, steps: &[Step]) -> Path {
    place.segments().iter().take(steps.len()).cloned().collect()
}

fn value_at<'v>(object: &'v mut Value, place: &Path) -> Option<&'v mut Value> {
    place.segments().iter().try_fold(object, |at, segment| match segment {
        Segment::Field(name) | Segment::Key(name) => at.get_mut(name),
        Segment::Index(n) => at.get_mut(*n),
    })
}

/// Replaces `target` by `fix`, but keeps `apiVersion`, `kind` and the child at the step `kept`.
fn replace(target: &mut Value, fix: &Value, kept: Option<&Step>) {
    let before = std::mem::replace(target, fix.clone());
    match (target, before) {
        (Value::Object(target), Value::Object(before)) => {
            for (name, value) in before {
                let is_head = ["apiVersion", "kind"].contains(&name.as_str());
                let is_kept = match kept {
                    Some(Step::Property(kept)) => *kept == name,
                    Some(Step::Values) => true,
                    _ => false,
                };
                if is_kept || is_head && target.contains_key(&name) {
                    target.insert(name, value);
                }
            }
        }
        (Value::Array(target), Value::Array(before)) if kept == Some(&Step::Items) => *target = before,
        _ => {}
    }
}

/// Copies the fields of `fix` into `target`. If `keeps` is set, existing fields are not overwritten.
fn merge(target: &mut Value, fix: &Value, keeps: bool) {
    match (target, fix) {
        (Value::Object(target), Value::Object(fix)) => {
            for (name, value) in fix {
                if ["apiVersion", "kind"].contains(&name.as_str()) && target.contains_key(name) {
                    continue;
                }
                match target.get_mut(name) {
                    Some(known) => merge(known, value, keeps),
                    None => {
                        target.insert(name.clone(), value.clone());
                    }
                }
            }
        }
        (target, fix) if !keeps => *target = fix.clone(),
        _ => {}
    }
}
