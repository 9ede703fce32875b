//! Which of the changes of a schema is the cause of an outcome, according to the API server's answer.

use crd_analyzer_schema::field::{Path, Segment};

use crate::answer::{Direction, Effect};
use crate::diff::{Difference, Kind};
use crate::replay::{Cause, Changed, Outcome};
use crate::search::Search;
use crate::steps::{self, Step};

impl Search<'_, '_> {
    /// Whether this change is the cause of an outcome.
    pub(crate) fn is_about(&self, direction: Direction, outcome: &Outcome) -> bool {
        self.is_only
            || if outcome.effect == Effect::Refused {
                self.cause(direction, outcome).is_some()
            } else {
                self.changed(outcome).is_some()
            }
    }

    /// The API server's message about this change in an outcome.
    pub(crate) fn words(&self, direction: Direction, outcome: &Outcome) -> String {
        let of_cause = self.cause(direction, outcome).map(|it| &it.words);
        let of_field = || self.changed(outcome).map(|it| &it.words);
        of_cause.or_else(of_field).unwrap_or(&outcome.words).clone()
    }

    /// The field that this change drops or sets. If another change is nearer to a field, that change drops or sets the field.
    fn changed<'o>(&self, outcome: &'o Outcome) -> Option<&'o Changed> {
        let mine = deciding_way(self.difference)?;
        let is_mine = |it: &&Changed| {
            let nearer = |other: &Vec<Step>| other.len() > mine.len() && is_within(&it.place, other);
            is_within(&it.place, &mine) && !self.others().filter_map(deciding_way).any(|it| nearer(&it))
        };
        outcome.changed.iter().find(is_mine)
    }

    /// The cause of a rejection that belongs to this change.
    fn cause<'o>(&self, direction: Direction, outcome: &'o Outcome) -> Option<&'o Cause> {
        let root = self.pair.sides(direction).to.schema_path();
        let is_mine = |cause: &&Cause| {
            let Some(keyword) = steps::of_path(&root, &cause.decider) else {
                return false;
            };
            let decides = |it: &Difference| decides(it, &keyword, &cause.place);
            let is_nearer = |it: &&Difference| !decides_all_below(it) || it.steps.len() > self.difference.steps.len();
            decides(self.difference)
                && !(decides_all_below(self.difference) && self.others().filter(is_nearer).any(decides))
        };
        outcome.causes.iter().find(is_mine)
    }

    /// The other changes at the node of this change and below it.
    fn others(&self) -> impl Iterator<Item = &Difference> {
        self.within.iter().filter(|it| !std::ptr::eq(*it, self.difference))
    }
}

/// The steps to the values that a change drops or sets. `None` if the change only decides which values are rejected.
fn deciding_way(difference: &Difference) -> Option<Vec<Step>> {
    let mut way = difference.steps.clone();
    match &difference.kind {
        Kind::Property(name) => way.push(Step::Property(name.clone())),
        Kind::Type
        | Kind::Nullable
        | Kind::Default
        | Kind::Values
        | Kind::Items
        | Kind::Preserve
        | Kind::Embedded
        | Kind::Other => {}
        Kind::Format
        | Kind::Enum
        | Kind::Bound(_)
        | Kind::Pattern
        | Kind::MultipleOf
        | Kind::Required(_)
        | Kind::Junctor(_)
        | Kind::Rule(_)
        | Kind::RuleMessage(_)
        | Kind::ListType
        | Kind::MapType
        | Kind::UniqueItems => return None,
    }
    Some(way)
}

fn is_within(place: &Path, way: &[Step]) -> bool {
    place.segments().len() >= way.len() && steps::meets(place, way)
}

/// Whether a change decides about everything below its node that no other change decides about.
const fn decides_all_below(difference: &Difference) -> bool {
    matches!(
        difference.kind,
        Kind::Type | Kind::Preserve | Kind::Values | Kind::Items | Kind::Embedded
    )
}

/// Whether a change has the keyword that rejects the value at `place`. The keyword is given by the steps to its node, and by its path there.
fn decides(difference: &Difference, (node, keyword): &(Vec<Step>, &[Segment]), place: &Path) -> bool {
    let steps = &difference.steps;
    let name_of = |it: &Segment| match it {
        Segment::Field(name) | Segment::Key(name) => Some(name.clone()),
        Segment::Index(_) => None,
    };
    if difference.kind == Kind::Default {
        // A value may be missing because its default was removed.
        let is_around = node.len() < steps.len() && steps.starts_with(node);
        return is_around && place.segments().len() == steps.len() && steps::meets(place, steps);
    }
    if decides_all_below(difference) {
        return node.starts_with(steps);
    }
    if let Kind::Property(name) = &difference.kind {
        let below = node.strip_prefix(steps.as_slice());
        return below.and_then(<[Step]>::first) == Some(&Step::Property(name.clone()));
    }
    let first = keyword.first().and_then(name_of).unwrap_or_default();
    let first = first.as_str();
    node == steps
        && match &difference.kind {
            Kind::Rule(n) => first == "x-kubernetes-validations" && keyword.get(1) == Some(&Segment::Index(*n)),
            Kind::Required(name) => {
                first == "required" && place.segments().last().and_then(name_of).as_ref() == Some(name)
            }
            Kind::Bound(bound) => match *bound {
                "exclusiveMaximum" => first == "maximum",
                "exclusiveMinimum" => first == "minimum",
                bound => first == bound,
            },
            Kind::Junctor(junctor) => first == *junctor,
            Kind::Enum => first == "enum",
            Kind::Pattern => first == "pattern",
            Kind::MultipleOf => first == "multipleOf",
            Kind::Format => ["format", "type"].contains(&first),
            Kind::Nullable => ["type", "enum"].contains(&first),
            Kind::ListType => first.starts_with("x-kubernetes-list"),
            _ => false,
        }
}
