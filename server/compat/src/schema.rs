//! Changes of the schemas of versions that both CRDs serve.

use crd_analyzer_resource::ServedVersion;
use crd_analyzer_schema::JsonSchemaProps;
use crd_analyzer_schema::field::Path;
use crd_analyzer_schema::structural::lookup;

use crate::answer::Answer;
use crate::change::{Change, PROPERTY_ADDED, PROPERTY_REMOVED};
use crate::diff::{Difference, Differences, Kind, Side};
use crate::pair::Pair;
use crate::search::Search;
use crate::steps;
use crate::subject::Subject;

/// The changes of all schemas; `None` if `goes_on` returned false.
pub(crate) fn changes(old: &Subject, new: &Subject, goes_on: &dyn Fn() -> bool) -> Option<Vec<Change>> {
    let mut changes = Vec::new();
    for pair in new.versions().filter_map(|it| Pair::new(old, new, &it.1.name)) {
        changes.extend(changes_of(&pair, goes_on)?);
    }
    Some(changes)
}

fn changes_of(pair: &Pair<'_>, goes_on: &dyn Fn() -> bool) -> Option<Vec<Change>> {
    let differences = Differences::of(pair.old_maker.root, pair.new_maker.root);
    let is_only = differences.found.len() == 1 && pair.has_same_subresources();
    let mut changes = Vec::new();
    let mut found = Vec::new();
    if differences.described > 0 {
        let reason = "it does not affect validation";
        changes.push(Change {
            code: "description-changed",
            version: Some(pair.name.clone()),
            old_path: Some(pair.old.schema_path()),
            new_path: Some(pair.new.schema_path()),
            told: None,
            what: match differences.described {
                1 => "1 place".to_owned(),
                places => format!("{places} places"),
            },
            answers: [reason; 3].map(Answer::compatible),
        });
    }
    for (n, difference) in differences.found.iter().enumerate() {
        if !goes_on() {
            return None;
        }
        let answers = Search {
            pair,
            difference,
            within: differences.within(n),
            is_only,
        }
        .answers();
        found.push(Some(change(pair, difference, answers)));
    }
    for &(new, old) in &differences.edited_rules {
        if let (Some(is), Some(was)) = (found[new].take(), found[old].take()) {
            found[new] = Some(edited(is, was));
        }
    }
    changes.extend(found.into_iter().flatten());
    Some(changes)
}

/// Merges a removed rule and its replacement into one change. In each direction, the merged change has the worse of the two answers.
fn edited(new: Change, old: Change) -> Change {
    let [mut answers, others] = [new.answers, old.answers];
    for (answer, other) in answers.iter_mut().zip(others) {
        if answer.rank() < other.rank() {
            *answer = other;
        }
    }
    Change {
        code: "rule-changed",
        old_path: old.old_path,
        what: format!("{} → {}", old.what, new.what),
        answers,
        ..new
    }
}

fn change(pair: &Pair<'_>, difference: &Difference, answers: [Answer; 3]) -> Change {
    let place = |version: ServedVersion<'_>, root: &JsonSchemaProps| {
        let node = steps::path_of(&version.schema_path(), &difference.steps);
        place_of(node, difference, steps::at(root, &difference.steps))
    };
    let (is_old, is_new) = match (&difference.kind, difference.side) {
        (Kind::Property(_) | Kind::Rule(_), Side::Old) => (true, false),
        (Kind::Property(_) | Kind::Rule(_), Side::New) => (false, true),
        _ => (true, true),
    };
    Change {
        code: code_of(difference),
        version: Some(pair.name.clone()),
        old_path: is_old.then(|| place(pair.old, pair.old_maker.root)),
        new_path: is_new.then(|| place(pair.new, pair.new_maker.root)),
        what: difference.what.clone(),
        told: difference.told.clone(),
        answers,
    }
}

fn place_of(node: Path, difference: &Difference, schema: Option<&JsonSchemaProps>) -> Path {
    match &difference.kind {
        Kind::Type if schema.is_some_and(|it| it.x_int_or_string) => node.child("x-kubernetes-int-or-string"),
        Kind::Type => node.child("type"),
        Kind::Format => node.child("format"),
        Kind::Nullable => node.child("nullable"),
        Kind::Enum => node.child("enum"),
        Kind::Bound(keyword) | Kind::Junctor(keyword) => node.child(keyword),
        Kind::Pattern => node.child("pattern"),
        Kind::MultipleOf => node.child("multipleOf"),
        Kind::Required(_) => node.child("required"),
        Kind::Property(name) => {
            let is_here = schema.is_none_or(|it| lookup(&it.properties, name).is_some());
            if is_here {
                node.child("properties").key(name)
            } else {
                node.child("properties")
            }
        }
        Kind::Default => node.child("default"),
        Kind::Values => node.child("additionalProperties"),
        Kind::Items => node.child("items"),
        Kind::Rule(n) | Kind::RuleMessage(n) => node.child("x-kubernetes-validations").index(*n),
        Kind::ListType => node.child("x-kubernetes-list-type"),
        Kind::MapType => node.child("x-kubernetes-map-type"),
        Kind::Preserve => node.child("x-kubernetes-preserve-unknown-fields"),
        Kind::Embedded => node.child("x-kubernetes-embedded-resource"),
        Kind::UniqueItems => node.child("uniqueItems"),
        Kind::Other => node,
    }
}

fn code_of(difference: &Difference) -> &'static str {
    match (&difference.kind, difference.side) {
        (Kind::Type, _) => "type-changed",
        (Kind::Format, _) => "format-changed",
        (Kind::Nullable, _) => "nullable-changed",
        (Kind::Enum, _) => "enum-changed",
        (Kind::Bound(keyword), _) => match *keyword {
            "maximum" => "maximum-changed",
            "minimum" => "minimum-changed",
            "exclusiveMaximum" => "exclusive-maximum-changed",
            "exclusiveMinimum" => "exclusive-minimum-changed",
            "maxLength" => "max-length-changed",
            "minLength" => "min-length-changed",
            "maxItems" => "max-items-changed",
            "minItems" => "min-items-changed",
            "maxProperties" => "max-properties-changed",
            _ => "min-properties-changed",
        },
        (Kind::Pattern, _) => "pattern-changed",
        (Kind::MultipleOf, _) => "multiple-of-changed",
        (Kind::Required(_), Side::Old) => "required-removed",
        (Kind::Required(_), _) => "required-added",
        (Kind::Property(_), Side::Old) => PROPERTY_REMOVED,
        (Kind::Property(_), _) => PROPERTY_ADDED,
        (Kind::Default, _) => "default-changed",
        (Kind::Values, _) => "additional-properties-changed",
        (Kind::Items, _) => "items-changed",
        (Kind::Junctor(keyword), _) => match *keyword {
            "allOf" => "all-of-changed",
            "anyOf" => "any-of-changed",
            "oneOf" => "one-of-changed",
            _ => "not-changed",
        },
        (Kind::Rule(_), Side::Old) => "rule-removed",
        (Kind::Rule(_), _) => "rule-added",
        (Kind::RuleMessage(_), _) => "rule-message-changed",
        (Kind::ListType, _) => "list-type-changed",
        (Kind::MapType, _) => "map-type-changed",
        (Kind::Preserve, _) => "preserve-unknown-fields-changed",
        (Kind::Embedded, _) => "embedded-resource-changed",
        (Kind::UniqueItems, _) => "unique-items-changed",
        (Kind::Other, _) => "other-keyword-changed",
    }
}
