//! The answers for one change of a schema: a proof, or a witness found by search.

use crd_analyzer_budget::{self as budget, Limits};
use crd_analyzer_hazards::smallest;
use crd_analyzer_resource::Question as Asked;
use crd_analyzer_schema::ValidationRule;
use crd_analyzer_schema::field::Path;
use crd_analyzer_schema::structural::lookup;
use crd_analyzer_schema::validation::Validator;
use serde_json::{Map, Value, json};

use crate::answer::{Answer, Direction, Effect, Example, Witness};
use crate::diff::{Difference, Kind, Side};
use crate::implied::Accepted;
use crate::pair::Pair;
use crate::pool;
use crate::proof::{Question, default_of};
use crate::replay::{Outcome, Write, ask};
use crate::rules;
use crate::scope::{Scope, is_seen_unchanged};
use crate::steps::{self, Step};

/// The work limit for finding a witness, for one change in one direction.
const SEARCH: Limits = Limits {
    work: 12_000_000,
    ..Limits::NONE
};
/// The fixed work units of an answer. `WORK_PER_SIBLING` units are added for each sibling of the properties on the path to the change.
const ANSWER: u64 = 10_000;
const WORK_PER_SIBLING: u64 = 400;
/// The maximum number of objects that are tried for one change in one direction.
const MAX_TRIED: usize = 90;
/// The maximum number of rejected objects to repair by changing the values that rules reject.
const MAX_MENDED: usize = 6;

/// The search for the answers for one change.
pub(crate) struct Search<'a, 'd> {
    pub(crate) pair: &'a Pair<'d>,
    pub(crate) difference: &'a Difference,
    /// All changes at the node of this change and below it.
    pub(crate) within: &'a [Difference],
    /// Whether this is the only change in the schema.
    pub(crate) is_only: bool,
}

impl<'a, 'd> Search<'a, 'd> {
    /// Creates the search for a change that is the only one in the schema.
    pub(crate) const fn only(pair: &'a Pair<'d>, difference: &'a Difference) -> Self {
        Self {
            pair,
            difference,
            within: std::slice::from_ref(difference),
            is_only: true,
        }
    }

    /// A request that demonstrates the change.
    pub(crate) fn demonstration(&self, direction: Direction) -> Option<Example> {
        let outcome = budget::within(SEARCH, || self.witness(direction)).0?;
        Some(Example {
            object: outcome.shown.object,
            old: outcome.shown.old,
            is_status: outcome.is_status,
        })
    }

    pub(crate) fn answers(&self) -> [Answer; 3] {
        let mut writers = self.answer(Direction::Writers);
        let mut stored = self.answer(Direction::Stored);
        let readers = self.answer(Direction::Readers);
        if let (Answer::Compatible { tolerated, reason }, Answer::Breaks { effect: Effect::Refused, witness }) =
            (&mut stored, &mut writers)
            && witness.old_object.is_none()
            && !witness.is_status
            // A default is stored and a null is dropped, so these values are never just tolerated.
            && self.difference.kind != Kind::Default
            && (self.difference.kind != Kind::Nullable || self.difference.steps.last() == Some(&Step::Items))
            // Another change may be the cause of a rejection.
            && self.pair.sides(Direction::Stored).outcome(&Write::create(witness.object.clone())).is_none()
        {
            *tolerated = Some(self.tolerated(witness));
            "the API server validates only values that an update changes".clone_into(reason);
        }
        [stored, writers, readers]
    }

    fn answer(&self, direction: Direction) -> Answer {
        let roots = [self.pair.old_maker.root, self.pair.new_maker.root];
        let width: usize = roots
            .into_iter()
            .map(|it| steps::width(it, &self.difference.steps))
            .sum();
        if budget::work(ANSWER + WORK_PER_SIBLING * width as u64).is_err() {
            return Answer::unknown("not finished: there are too many changes");
        }
        if let Some(reason) = self.proof(direction) {
            return Answer::compatible(reason);
        }
        let (found, ended) = budget::within(SEARCH, || self.witness(direction));
        match found {
            Some(outcome) => Answer::Breaks {
                effect: outcome.effect,
                witness: Witness {
                    object: outcome.shown.object,
                    old_object: outcome.shown.old,
                    is_status: outcome.is_status,
                    words: outcome.words,
                },
            },
            None if ended.unfinished.is_some() => {
                Answer::unknown("no proof, and the search for a witness did not finish")
            }
            None => Answer::unknown("no proof, and no witness was found"),
        }
    }

    fn proof(&self, direction: Direction) -> Option<String> {
        let (from_root, to_root) = (self.pair.maker(direction).root, self.pair.to_root(direction));
        let steps = &self.difference.steps;
        let question = Question {
            direction,
            difference: self.difference,
            from: steps::at(from_root, steps)?,
            to: steps::at(to_root, steps)?,
            from_root,
            to_root,
            kubernetes: self.pair.kubernetes(),
            has_status: self.pair.old.has_status() || self.pair.new.has_status(),
        };
        if let Some(reason) = question.proof() {
            return Some(reason);
        }
        self.rule_proof(direction, &question)
    }

    /// The reason why a rule that exists only on the checking side is harmless.
    fn rule_proof(&self, direction: Direction, question: &Question<'_>) -> Option<String> {
        let rule = self.rule_in_to(direction)?;
        let steps = &self.difference.steps;
        let (from, to, kubernetes) = (question.from, question.to, question.kubernetes);
        if !self.pair.is_cheap(direction) {
            return None;
        }
        let is_resource = steps.is_empty() || from.x_embedded_resource || to.x_embedded_resource;
        let (scope, of_to) = (Scope::of(question.from_root, steps), Scope::of(question.to_root, steps));
        let known = if scope.keeps_unknown || scope.is_resource || scope.is_metadata || of_to.is_metadata {
            from.clone()
        } else {
            rules::with_new_fields(from, to)
        };
        let facts = rules::facts(&known, is_resource, kubernetes, rule)
            .filter(|_| rules::can_read(rule, &known, to, is_resource, kubernetes));
        if facts.is_some_and(|it| it.is_always) {
            let accepting = direction.accepting();
            return Some(format!("the rule holds for every value that {accepting} accepts"));
        }
        if self.holds_without_new(direction, question, rule) {
            return Some("the rule looks only at properties that no object has, and holds without them".to_owned());
        }
        let is_written_back = direction == Direction::Stored && !steps.is_empty() && facts.is_some();
        if is_written_back && rules::holds_unchanged(rule, from, to, kubernetes) {
            return Some("the rule holds for unchanged values".to_owned());
        }
        let is_below_status = steps
            .first()
            .is_none_or(|it| *it == Step::Property("status".to_owned()));
        let is_free = !is_below_status || !question.has_status;
        let is_tolerated = direction == Direction::Stored
            && !rules::looks_back(rule)
            && is_free
            && facts.is_some_and(|it| !it.may_fail)
            && is_seen_unchanged(question.from_root, question.to_root, steps);
        is_tolerated.then(|| "the API server tolerates unchanged values that violate the rule".to_owned())
    }

    /// Whether a rule reads only properties that do not occur in any object, and holds for one tested object.
    fn holds_without_new(&self, direction: Direction, question: &Question<'_>, rule: &ValidationRule) -> bool {
        let steps = &self.difference.steps;
        let (from, to) = (question.from, question.to);
        let is_closed = from.additional_properties.is_none()
            && to.additional_properties.is_none()
            && !Scope::of(question.from_root, steps).keeps_unknown
            && !steps.is_empty()
            && !from.x_embedded_resource
            && !to.x_embedded_resource
            && !Scope::of(question.to_root, steps).is_metadata;
        let is_new = |name: &str| lookup(&from.properties, name).is_none();
        let has_default = to
            .properties
            .iter()
            .any(|(name, it)| is_new(name) && default_of(it).is_some());
        if !is_closed || has_default || !rules::reads_only_new(to, from, false, question.kubernetes, rule) {
            return false;
        }
        let maker = self.pair.maker(direction);
        let node = steps::at(maker.root, steps);
        let object = node
            .and_then(|it| maker.smallest(it))
            .and_then(|it| maker.around(steps, it));
        let Some(Value::Object(fields)) = object else {
            return false;
        };
        let sides = self.pair.sides(direction);
        let write = Write::create(self.pair.object(fields));
        let accepted = |version| ask(version, &write.object, Asked::Create).is_some_and(|it| it.is_accepted_strictly());
        accepted(sides.from) && accepted(sides.to)
    }

    /// The rule, if it exists only on the checking side.
    fn rule_in_to(&self, direction: Direction) -> Option<&'d ValidationRule> {
        let Kind::Rule(n) = self.difference.kind else {
            return None;
        };
        let is_in_to = (self.difference.side == Side::Old) == direction.is_backward();
        let node = steps::at(self.pair.to_root(direction), &self.difference.steps)?;
        node.x_validations.get(n).filter(|_| is_in_to)
    }

    fn witness(&self, direction: Direction) -> Option<Outcome> {
        let found = self.first(direction, |_| true)?;
        let mut found = self.shrunk(direction, found);
        found.words = self.words(direction, &found);
        Some(found)
    }

    /// The first write that demonstrates the change and for which `fits` returns true. A write on which another change has a worse effect is the last
    /// choice.
    fn first(&self, direction: Direction, fits: impl Fn(&Outcome) -> bool) -> Option<Outcome> {
        let sides = self.pair.sides(direction);
        let mut mended = 0;
        let mut last = None;
        for (write, kept) in self.writes(direction).into_iter().take(MAX_TRIED) {
            if budget::is_stopped() {
                break;
            }
            let shows = |write: &Write| {
                let mut outcomes = sides.outcomes(write).into_iter();
                outcomes.find(|it| self.is_about(direction, it) && fits(it))
            };
            let mut shown = shows(&write);
            if shown.is_none() && mended < MAX_MENDED && write.old.is_none() && !sides.accepts(&write) {
                mended += 1;
                let better = self.pair.mended(direction, write.object, &kept).map(Write::create);
                shown = better.and_then(|it| shows(&it));
            }
            match shown {
                Some(outcome) if outcome.rank == 0 => return Some(outcome),
                Some(outcome) if last.is_none() => last = Some(outcome),
                _ => {}
            }
        }
        last
    }

    /// The writes to try, smallest first, with the path to the value that demonstrates the change.
    fn writes(&self, direction: Direction) -> Vec<(Write, Vec<Step>)> {
        let maker = self.pair.maker(direction);
        let to_root = self.pair.to_root(direction);
        let steps = &self.difference.steps;
        let mut found = Vec::new();
        let (Some(from), Some(to)) = (steps::at(maker.root, steps), steps::at(to_root, steps)) else {
            return found;
        };
        let whole = |steps: &[Step], value: &Value| match maker.around(steps, value.clone()) {
            Some(Value::Object(fields)) => Some(self.pair.object(fields)),
            _ => None,
        };
        if let Some(rule) = self.rule_in_to(direction) {
            let is_resource = steps.is_empty() || from.x_embedded_resource;
            for shown in rules::refused(from, is_resource, self.pair.kubernetes(), rule) {
                let Some(object) = whole(steps, &shown.sent) else {
                    continue;
                };
                let old = shown.old.as_ref().and_then(|it| whole(steps, it));
                found.push((Write { object, old }, steps.clone()));
            }
            // An update from one ordinary value to another can only be rejected by a transition rule of the checking side.
            let look_back = rules::looks_back(rule) && direction != Direction::Stored;
            if look_back {
                let values = pool::of_node(maker, from, to);
                for pair in values.windows(2).take(8) {
                    if let (Some(old), Some(object)) = (whole(steps, &pair[0]), whole(steps, &pair[1])) {
                        found.push((Write { object, old: Some(old) }, steps.clone()));
                    }
                }
            }
        }
        // Without the property, the default is set, which demonstrates the change.
        if let (Kind::Default, Some((Step::Property(name), above))) = (&self.difference.kind, steps.split_last()) {
            let node = steps::at(maker.root, above);
            let without = node.and_then(|it| maker.object(it, Map::new(), 0));
            let mut without: Vec<Value> = without.into_iter().collect();
            for value in &mut without {
                if let Value::Object(fields) = value {
                    fields.remove(name);
                }
            }
            without.push(json!({}));
            for value in without {
                found.extend(whole(above, &value).map(|it| (Write::create(it), above.to_vec())));
            }
        }
        let mut candidates = pool::candidates(&self.difference.kind, maker, from, to);
        if self.difference.kind == Kind::Pattern {
            let accepted = Accepted {
                nodes: steps::all_at(maker.root, steps),
                kubernetes: self.pair.kubernetes(),
                is_stored: false,
            };
            let mismatch = accepted.mismatch(&to.pattern).map(Value::from);
            candidates.extend(mismatch.map(|value| pool::Candidate { value, below: None }));
        }
        // Values that the other node itself rejects come first.
        let other = self.other_validator(direction);
        let is_kept =
            |it: &pool::Candidate| it.below.is_none() && other.validate_node(to, &Path::root(), &it.value).is_empty();
        let is_odd = |it: &Value| it.is_null() || it.as_str().is_some_and(str::is_empty);
        // A list is accepted as a string with a format, but would be a confusing example.
        let is_foreign = |it: &Value| it.is_array() && from.r#type == "string";
        candidates.sort_by_cached_key(|it| {
            let value = &it.value;
            (is_kept(it), is_foreign(value), is_odd(value), value.to_string().len())
        });
        // If the node has rules, the other candidates probably violate them. So first try values that the rules accept.
        let beyond = match self.difference.kind {
            Kind::Bound(keyword) => rules::beyond(from, to, keyword, self.pair.kubernetes()),
            _ => Vec::new(),
        };
        let beyond = beyond.into_iter().map(|value| pool::Candidate { value, below: None });
        for candidate in beyond.chain(candidates) {
            let mut way = steps.clone();
            way.extend(candidate.below.clone());
            found.extend(whole(&way, &candidate.value).map(|it| (Write::create(it), way)));
        }
        found
    }

    fn other_validator(&self, direction: Direction) -> &Validator<'d> {
        let other = if direction.is_backward() {
            &self.pair.old_maker
        } else {
            &self.pair.new_maker
        };
        &other.validator
    }

    fn shrunk(&self, direction: Direction, outcome: Outcome) -> Outcome {
        let sides = self.pair.sides(direction);
        let effect = outcome.effect;
        let asked = match direction {
            // The update is derived from the object.
            Direction::Stored => Write::create(outcome.shown.object.clone()),
            _ if outcome.is_status => Write::create(outcome.shown.object.clone()),
            _ => outcome.shown.clone(),
        };
        let again = |write: &Write| {
            let mut outcomes = sides.outcomes(write).into_iter();
            let found = outcomes.find(|it| it.effect == effect)?;
            let is_same = found.is_status == outcome.is_status
                // The smaller write must not cause more errors.
                && found.causes.len() <= outcome.causes.len()
                && found.rank <= outcome.rank;
            (is_same && self.is_about(direction, &found)).then_some(found)
        };
        let object = smallest(asked.object, &mut |it| {
            let old = asked.old.clone();
            again(&Write {
                object: it.clone(),
                old,
            })
            .is_some()
        });
        let old = asked.old.map(|old| {
            smallest(old, &mut |it| {
                again(&Write {
                    object: object.clone(),
                    old: Some(it.clone()),
                })
                .is_some()
            })
        });
        again(&Write { object, old }).unwrap_or(outcome)
    }

    /// An update that changes a tolerated value, or the original object if no second value is found.
    fn tolerated(&self, witness: &Witness) -> Witness {
        let sides = self.pair.sides(Direction::Writers);
        let update = |object: &Value| {
            let write = Write {
                object: object.clone(),
                old: Some(witness.object.clone()),
            };
            let outcome = sides.outcome(&write)?;
            let is_refused = outcome.effect == Effect::Refused && !outcome.is_status;
            (is_refused && self.is_about(Direction::Writers, &outcome)).then_some(outcome)
        };
        let (found, _) = budget::within(SEARCH, || {
            let another = |outcome: &Outcome| {
                outcome.effect == Effect::Refused
                    && !outcome.is_status
                    && outcome.shown.old.is_none()
                    && outcome.shown.object != witness.object
                    && update(&outcome.shown.object).is_some()
            };
            let outcome = self.first(Direction::Writers, another)?;
            let outcome = update(&outcome.shown.object)?;
            Some(Witness {
                words: self.words(Direction::Writers, &outcome),
                object: outcome.shown.object,
                old_object: outcome.shown.old,
                is_status: false,
            })
        });
        found.unwrap_or_else(|| witness.clone())
    }
}
