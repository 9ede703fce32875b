//! Properties that are lost because the storage version lacks them.

use crd_analyzer_diagnostic::{
    Words,
    name::shown,
    text::{code, joined},
};
use crd_analyzer_schema::{
    field::Path,
    structural::{AdditionalProperties, Structural},
};

use crate::{Cause, Check, Crd, Lint, Sink, Told};

pub(super) const LINT: Lint = Lint::new(
    "properties-lost-in-storage",
    "A version has properties that the storage version loses, because the conversion strategy is `None`.",
    include_str!("../../codes/properties-lost-in-storage.md"),
    Check::Crd(check),
)
.no_fix("Only the author knows whether to add the properties to the storage version or to convert with a webhook.")
.needs(&["spec", "conversion"])
.group("stored");

/// The maximum number of properties that the message names.
const MOST_NAMED: usize = 3;
/// The maximum depth of schemas to compare.
const MAX_DEPTH: usize = 100;

/// The storage version lacks some properties of this version.
#[derive(Debug)]
struct PropertiesLostInStorage {
    version: String,
    storage: String,
    /// The paths of these properties.
    properties: Vec<String>,
}

/// Finds versions with properties that the storage version lacks, in a CRD without a conversion webhook.
fn check(crd: &Crd<'_>, sink: &mut Sink<'_, '_>) {
    let versions = &crd.versions;
    let converts = crd.spec.conversion.as_ref().is_some_and(|it| it.strategy == "Webhook");
    let storage = versions.iter().find(|it| it.storage);
    let Some((storage, stored)) = storage.and_then(|it| Some((it, it.schema?))).filter(|_| !converts) else {
        return;
    };
    if storage.keeps_unknown_fields {
        return;
    }
    for version in versions.iter().filter(|it| it.served && !it.storage) {
        let Some(schema) = version.schema.filter(|_| version.schema_path != storage.schema_path) else {
            continue;
        };
        let mut properties = Vec::new();
        lost(schema, stored, "", 0, &mut properties);
        if !properties.is_empty() {
            let cause = PropertiesLostInStorage {
                version: version.name.to_owned(),
                storage: storage.name.to_owned(),
                properties,
            };
            sink.add(version.path.child("name"), cause);
        }
    }
}

/// Adds the properties of `schema` that `stored` prunes. Their paths start with `at`.
fn lost(schema: Structural<'_>, stored: Structural<'_>, at: &str, depth: usize, properties: &mut Vec<String>) {
    if depth > MAX_DEPTH || stored.preserves_unknown_fields() || stored.is_embedded_resource() {
        return;
    }
    if let (Some(items), Some(stored)) = (schema.items(), stored.items()) {
        lost(items, stored, &format!("{at}[*]"), depth + 1, properties);
    }
    let values = |it: Structural<'_>| it.additional_properties().is_some();
    if let (Some(one), Some(other)) = (
        schema.additional_properties().and_then(AdditionalProperties::schema),
        stored.additional_properties().and_then(AdditionalProperties::schema),
    ) {
        lost(one, other, &format!("{at}.*"), depth + 1, properties);
    }
    for (name, property) in schema.properties() {
        if properties.len() >= MOST_NAMED {
            return;
        }
        let below = || {
            if at.is_empty() {
                name.to_owned()
            } else {
                format!("{at}.{name}")
            }
        };
        match stored.property(name) {
            Some(stored) => lost(property, stored, &below(), depth + 1, properties),
            None if depth == 0 && matches!(name, "apiVersion" | "kind" | "metadata") => {}
            None if values(stored) => {}
            None => properties.push(below()),
        }
    }
}

impl Cause for PropertiesLostInStorage {
    fn tell(&self, _: &Path) -> Told {
        let storage = code(&self.storage);
        let names: Vec<String> = self.properties.iter().map(|it| shown(it)).collect();
        Words::new(format!(
            "the storage version {storage} loses properties of {}",
            code(&self.version)
        ))
        .label("this version has properties that the storage version does not have")
        .help(format!(
            "add {} to version {storage}, or convert with a webhook",
            joined(&names, "and")
        ))
        .note("with the conversion strategy `None`, only `apiVersion` changes when an object is stored")
        .into()
    }
}
