//! Applies the markers of a kind that are not about its schema: `pkg/crd/markers/crd.go` of controller-gen.

use std::{collections::BTreeMap, rc::Rc, sync::Arc};

use crd_analyzer_gosource::literal::Literal;
use serde_json::json;

use crate::{
    node::{Node, Origin, Part},
    packages::{Marker, Markers},
    plural,
    schema::{Said, Schema},
    values,
    written::{Map, Writing, part},
};

/// The parts of a kind's version outside its schema, during generation.
pub(crate) struct Version {
    pub(crate) name: String,
    pub(crate) schema: Schema,
    pub(crate) markers: Markers,
    pub(crate) origin: Origin,
    /// The place where the package sets the group.
    pub(crate) group: Option<Origin>,
    /// The place where the package sets the name of the version.
    pub(crate) named: Option<Origin>,
    /// If the version is not served: the place of the marker that says so.
    pub(crate) unserved: Option<Origin>,
    pub(crate) is_stored: bool,
    pub(crate) is_skipped: bool,
    /// The place of the marker that deprecates the version, and the warning.
    pub(crate) deprecated: Option<(Origin, Option<Said>)>,
    pub(crate) columns: Vec<Part>,
    pub(crate) fields: Vec<Part>,
    pub(crate) has_subresources: bool,
    pub(crate) status: Option<Origin>,
    pub(crate) scale: Option<Part>,
}

/// The names of a kind.
pub(crate) struct Names {
    pub(crate) kind: String,
    pub(crate) plural: Said,
    pub(crate) singular: Said,
    pub(crate) short: Vec<Part>,
    pub(crate) categories: Vec<Part>,
    pub(crate) scope: Said,
}

impl Names {
    pub(crate) fn of(kind: &str) -> Self {
        Self {
            kind: kind.to_owned(),
            plural: Said::made(plural::of(kind)),
            singular: Said::made(kind.to_lowercase()),
            short: Vec::new(),
            categories: Vec::new(),
            scope: Said::made("Namespaced"),
        }
    }

    pub(crate) fn set(&mut self, marker: &Marker) -> bool {
        let Some(values) = &marker.values else { return false };
        let said = |name: &str| {
            let literal = values.get(name)?;
            values::text(literal).filter(|it| !it.is_empty())?;
            Some(said(marker, literal))
        };
        let texts = |name: &str| {
            let literals = values.texts(name).into_iter();
            literals.map(|(text, literal)| part_of(marker, text, literal)).collect()
        };
        if let Some(plural) = said("path") {
            self.plural = plural;
        }
        if let Some(singular) = said("singular") {
            self.singular = singular;
        }
        self.short = texts("shortName");
        self.categories = texts("categories");
        self.scope = said("scope").unwrap_or_else(|| Said::made("Namespaced"));
        true
    }
}

/// The value of a marker's argument, with its origin.
fn said(marker: &Marker, literal: &Arc<Literal>) -> Said {
    Said {
        value: values::to_json(literal),
        from: Some(marker.given(literal)),
    }
}

fn part_of(marker: &Marker, text: &str, literal: &Literal) -> Part {
    Part {
        from: Some(marker.given(&Arc::new(literal.clone()))),
        ..Part::value(text)
    }
}

/// Adds annotations or labels, each written as `name=value`.
pub(crate) fn add_texts(marker: &Marker, name: &str, to: &mut BTreeMap<String, Part>) -> bool {
    let Some(values) = &marker.values else { return false };
    values.texts(name).into_iter().all(|(text, _)| {
        let pair = text.split_once('=');
        if let Some((key, value)) = pair {
            let part = Part {
                from: Some(marker.origin.clone()),
                ..Part::value(value)
            };
            to.insert(key.to_owned(), part);
        }
        pair.is_some()
    })
}

impl Version {
    /// Applies a marker of the kind's type. Returns whether controller-gen accepts it.
    pub(crate) fn set(&mut self, name: &str, marker: &Marker) -> bool {
        let Some(values) = &marker.values else { return false };
        let field = |key: &str, argument: &str| {
            let literal = values.get(argument)?;
            let said = said(marker, literal);
            let is_empty = said.value == json!("") || said.value == json!(0);
            let is_needed = ["name", "type", "jsonPath"].contains(&key);
            (is_needed || !is_empty).then(|| (key.to_owned(), part(said)))
        };
        let object = |fields: &[(&str, &str)]| Part {
            from: Some(marker.origin.clone()),
            ..Part::made(Node::Map(fields.iter().filter_map(|it| field(it.0, it.1)).collect()))
        };
        // Without a group, versions have no name. controller-gen takes that for an old CRD without versions.
        let is_named = !self.name.is_empty();
        match name {
            "kubebuilder:storageversion" => self.is_stored |= is_named,
            "kubebuilder:skipversion" if is_named => self.is_skipped = true,
            "kubebuilder:skipversion" => return false,
            "kubebuilder:unservedversion" => self.unserved = Some(marker.origin.clone()),
            "kubebuilder:deprecatedversion" if is_named => {
                let warning = values.get("warning").map(|it| said(marker, it));
                self.deprecated = Some((marker.origin.clone(), warning));
            }
            "kubebuilder:subresource:status" => self.status = Some(marker.origin.clone()),
            "kubebuilder:subresource:scale" => {
                self.scale = Some(object(&[
                    ("specReplicasPath", "specpath"),
                    ("statusReplicasPath", "statuspath"),
                    ("labelSelectorPath", "selectorpath"),
                ]));
            }
            "kubebuilder:printcolumn" => {
                self.has_subresources = true;
                self.columns.push(object(&[
                    ("name", "name"),
                    ("type", "type"),
                    ("format", "format"),
                    ("description", "description"),
                    ("priority", "priority"),
                    ("jsonPath", "JSONPath"),
                ]));
            }
            "kubebuilder:selectablefield" => self.fields.push(object(&[("jsonPath", "JSONPath")])),
            _ => {}
        }
        true
    }

    pub(crate) fn object(mut self, writing: &mut Writing<'_>) -> Part {
        let mut members = Map::default();
        if let Some(properties) = &mut self.schema.properties
            && let Some(metadata) = properties.get_mut("metadata")
        {
            // Metadata is only an object in the CRD, because the API server has its own schema for it.
            metadata.of = Rc::new(Schema::of_type("object"));
        }
        let name = Part {
            from: self.named,
            ..Part::value(self.name)
        };
        members.add("name", name);
        let served = Part {
            from: self.unserved.clone(),
            ..Part::value(self.unserved.is_none())
        };
        members.add("served", served);
        members.add("storage", Part::value(self.is_stored));
        if let Some((origin, warning)) = self.deprecated {
            let is = Part {
                from: Some(origin),
                ..Part::value(true)
            };
            members.add("deprecated", is);
            if let Some(warning) = warning {
                members.add("deprecationWarning", part(warning));
            }
        }
        if !self.columns.is_empty() {
            members.add("additionalPrinterColumns", Part::made(Node::List(self.columns)));
        }
        if !self.fields.is_empty() {
            members.add("selectableFields", Part::made(Node::List(self.fields)));
        }
        let schema = Part {
            from: Some(self.origin),
            ..writing.schema(&self.schema)
        };
        let mut openapi = Map::default();
        openapi.add("openAPIV3Schema", schema);
        members.add("schema", openapi.part());
        if self.has_subresources || self.status.is_some() || self.scale.is_some() {
            let mut subresources = Map::default();
            if let Some(scale) = self.scale {
                subresources.add("scale", scale);
            }
            if let Some(origin) = self.status {
                let status = Part {
                    from: Some(origin),
                    ..Map::default().part()
                };
                subresources.add("status", status);
            }
            members.add("subresources", subresources.part());
        }
        members.part()
    }
}
