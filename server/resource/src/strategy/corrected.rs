//! The object with its wrong values marked as unknown. The API server does not run rules on an object with errors. Rules that read a wrong value have
//! no meaningful result, because the value will change.

use crd_analyzer_schema::field::{ErrorType, Segment};
use crd_analyzer_schema::unknown::{Known, Unknown};
use serde_json::{Map, Value};

use crate::verdict::RejectionCause;

/// An object whose wrong values are marked as unknown.
pub(super) struct Corrected {
    pub(super) value: Value,
    pub(super) unknown: Unknown,
}

/// Marks values of a wrong type, and missing values, as unknown. `None` if the object has no such values.
///
/// A value that is too long or not in an `enum` stays: it has the right type, so rules on it have a result.
pub(super) fn corrected(new: &Value, known: Known<'_>, errors: &[RejectionCause]) -> Option<Corrected> {
    let mut corrected: Option<Corrected> = None;
    for error in errors.iter().map(|it| &it.error) {
        let path = error.place().segments();
        let is_there = match error.kind {
            ErrorType::TypeInvalid => lookup(new, path).is_some(),
            ErrorType::Required => missing_in(new, path).is_some(),
            _ => false,
        };
        if !is_there {
            continue;
        }
        let before = corrected.take();
        let (mut value, unknown) = match before {
            Some(before) => (before.value, Some(before.unknown)),
            None => (new.clone(), known.unknown().cloned()),
        };
        if error.kind == ErrorType::Required
            && let Some((name, parent)) = path.split_last()
            && let (Segment::Field(name) | Segment::Key(name), Some(Value::Object(parent))) =
                (name, lookup_mut(&mut value, parent))
        {
            parent.entry(name.clone()).or_insert(Value::Null);
        }
        corrected = Some(Corrected {
            value,
            unknown: Unknown::at(unknown, path),
        });
    }
    corrected
}

fn lookup<'v>(value: &'v Value, path: &[Segment]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, segment| match segment {
        Segment::Field(name) | Segment::Key(name) => value.get(name),
        Segment::Index(index) => value.get(index),
    })
}

fn lookup_mut<'v>(value: &'v mut Value, path: &[Segment]) -> Option<&'v mut Value> {
    path.iter().try_fold(value, |value, segment| match segment {
        Segment::Field(name) | Segment::Key(name) => value.get_mut(name),
        Segment::Index(index) => value.get_mut(index),
    })
}

/// The object at the parent of a path, if that object lacks the last field of the path.
fn missing_in<'v>(value: &'v Value, path: &[Segment]) -> Option<&'v Map<String, Value>> {
    let (Segment::Field(name) | Segment::Key(name), parent) = path.split_last()? else {
        return None;
    };
    let parent = lookup(value, parent)?.as_object()?;
    (!parent.contains_key(name)).then_some(parent)
}

#[cfg(test)]
mod tests {
    use crd_analyzer_schema::field::{Error, Path};
    use serde_json::json;

    use super::*;

    fn of(errors: Vec<Error>) -> Option<Corrected> {
        let causes = errors.into_iter().map(|error| RejectionCause {
            error,
            decider: None,
            reads: Vec::new(),
        });
        let causes: Vec<RejectionCause> = causes.collect();
        corrected(&json!({"spec": {"a": "x", "list": [{"b": 1}]}}), Known::ALL, &causes)
    }

    #[test]
    fn what_is_wrong_or_missing_may_be_any_value() {
        let spec = Path::of(["spec"]);
        let error = |kind, path| Error::new(kind, "", path, "", "");
        assert!(of(vec![error(ErrorType::NotSupported, spec.child("a"))]).is_none());
        assert!(
            of(vec![error(ErrorType::Required, spec.child("a"))]).is_none(),
            "it is there"
        );
        let item = spec.child("list").index(0);
        let found = of(vec![
            error(ErrorType::TypeInvalid, spec.child("a")),
            error(ErrorType::Required, item.child("c")),
            error(ErrorType::Required, spec.child("none").child("c")),
        ]);
        let found = found.expect("something is not known");
        assert_eq!(found.value, json!({"spec": {"a": "x", "list": [{"b": 1, "c": null}]}}));
        let known = Known::from(Some(&found.unknown)).field("spec");
        let item = known.field("list").item(0);
        assert!(known.field("a").is_nothing() && item.field("c").is_nothing() && item.field("b").is_all());
    }
}
