//! `required` entries that name a missing property.

use crd_analyzer_diagnostic::{
    Change, Proposal, Value, Words,
    meant::meant,
    name::{SchemaPlace, parent, shown},
};
use crd_analyzer_schema::field::Path;

use crate::{Cause, Check, Lint, SchemaAt, Sink, Told};

pub(super) const LINT: Lint = Lint::new(
    "undefined-required-property",
    "`required` names a property that the schema does not have.",
    include_str!("../../codes/undefined-required-property.md"),
    Check::Schema(check),
)
.told_once()
.safe_fix()
.group("required");

/// `required` names a property that does not exist.
#[derive(Debug)]
struct UndefinedRequiredProperty {
    name: String,
    /// All names in `required`.
    listed: Vec<String>,
    /// The properties that exist.
    known: Vec<String>,
    /// Whether the schema is in a junctor such as `anyOf`, so that some objects may be valid.
    in_junctor: bool,
}

/// Finds required properties that are missing in the schema although the API server prunes unknown fields. No object can be valid then.
fn check(schema: &SchemaAt<'_>, sink: &mut Sink<'_, '_>) {
    let (required, has) = (&schema.props.required, schema.structural);
    if required.is_empty() || schema.keeps_unknown_fields {
        return;
    }
    // In these cases, unknown fields are kept, or `required` has no effect.
    let is_open = has.preserves_unknown_fields() || has.additional_properties().is_some();
    if is_open || has.r#type() != "object" {
        return;
    }
    for (n, name) in required.iter().enumerate() {
        let is_given = schema.is_resource && matches!(name.as_str(), "apiVersion" | "kind" | "metadata");
        if is_given || has.property(name).is_some() {
            continue;
        }
        let cause = UndefinedRequiredProperty {
            name: name.clone(),
            listed: required.clone(),
            known: has.properties().map(|it| it.0.to_owned()).collect(),
            in_junctor: schema.in_junctor,
        };
        sink.add(schema.at.child("required").path().index(n), cause);
    }
}

impl Cause for UndefinedRequiredProperty {
    fn tell(&self, place: &Path) -> Told {
        let name = &self.name;
        let list = parent(place);
        let schema = SchemaPlace::of(&parent(&list)).unwrap_or_default();
        let words = Words::new(format!(
            "`required` names {}, which is not a property of {}",
            shown(name),
            schema.name()
        ));
        let near = meant(name, self.known.iter().map(String::as_str));
        let words = match near {
            Some(near) => words.did_you_mean(name, near),
            None => words.label("no such property").help(format!(
                "add {} to `properties`, or remove it from `required`",
                shown(name)
            )),
        };
        let note = "the API server removes properties that the schema does not have";
        let words = words.note(if self.in_junctor {
            format!("{note}, so no value satisfies this")
        } else {
            format!("{note}, so it rejects every object")
        });
        let change = |near: &str| {
            let change = Change::Set(place.clone(), Value::text_of(near));
            Proposal::new(format!("Change {name} to {near}"), change).safe()
        };
        let is_new = |near: &&str| self.listed.iter().all(|it| it != near);
        let useless = if self.listed.len() == 1 { list } else { place.clone() };
        Told::from(words)
            .propose(near.filter(is_new).map(change))
            .propose(Proposal::new(
                format!("Remove {name} from required"),
                Change::Remove(useless),
            ))
    }
}
