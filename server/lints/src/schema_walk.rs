//! A walk over all schemas of a CRD, once.

use crd_analyzer_schema::{
    JsonSchemaProps, KubernetesVersion,
    field::Trail,
    structural::{AdditionalProperties, Structural},
};

use crate::{
    Lint, bounds, enums, list_types,
    patterns::Patterns,
    required,
    versions::{self, Version},
};

/// Schemas nested deeper are left alone.
const MAX_DEPTH: usize = 100;

/// What is wrong with single schemas, until there are `most` findings. `with_lists`: also lists without a type, behind all others.
pub(crate) fn find(
    versions: &[Version<'_>],
    version: KubernetesVersion,
    with_lists: bool,
    most: usize,
    found: &mut Vec<Lint>,
) {
    let (mut lists, mut patterns) = (Vec::new(), Patterns::default());
    for (schema, of) in versions::schemas(versions) {
        let mut walk = Walk {
            version,
            most,
            keeps_unknown_fields: of.keeps_unknown_fields,
            patterns: &mut patterns,
            found,
            lists: with_lists.then_some(&mut lists),
        };
        walk.schema(schema, true, &Trail::new(&of.schema_path), 0);
    }
    found.append(&mut lists);
}

struct Walk<'w> {
    version: KubernetesVersion,
    most: usize,
    keeps_unknown_fields: bool,
    patterns: &'w mut Patterns,
    found: &'w mut Vec<Lint>,
    /// Lists without a type, if they are told.
    lists: Option<&'w mut Vec<Lint>>,
}

impl Walk<'_> {
    fn schema(&mut self, schema: Structural<'_>, is_resource: bool, at: &Trail<'_>, depth: usize) {
        if depth > MAX_DEPTH || self.found.len() >= self.most {
            return;
        }
        let props = schema.props();
        if !props.required.is_empty() && !self.keeps_unknown_fields {
            required::find(props, schema, is_resource, false, at, self.found);
        }
        if let Some(lists) = self.lists.as_deref_mut().filter(|it| it.len() < self.most) {
            lists.extend(list_types::find(schema, at));
        }
        self.values(props, at);
        if let Some(rare) = props.rare.get() {
            for (keyword, schemas) in rare.clauses() {
                for (n, junctor) in schemas.iter().enumerate() {
                    let below = at.child(keyword);
                    self.junctor(junctor, schema, is_resource, &below.index(n), depth + 1);
                }
            }
            if let Some(not) = rare.not.as_deref() {
                self.junctor(not, schema, is_resource, &at.child("not"), depth + 1);
            }
        }
        if let Some(items) = schema.items() {
            self.schema(items, items.is_embedded_resource(), &at.child("items"), depth + 1);
        }
        if let Some(values) = schema.additional_properties().and_then(AdditionalProperties::schema) {
            let at = at.child("additionalProperties");
            self.schema(values, values.is_embedded_resource(), &at, depth + 1);
        }
        let properties = at.child("properties");
        for (name, property) in schema.properties() {
            self.schema(
                property,
                property.is_embedded_resource(),
                &properties.key(name),
                depth + 1,
            );
        }
    }

    /// A schema of `anyOf` and the like, with the schema of the same values outside of it.
    fn junctor(
        &mut self,
        junctor: &JsonSchemaProps,
        outer: Structural<'_>,
        is_resource: bool,
        at: &Trail<'_>,
        depth: usize,
    ) {
        if depth > MAX_DEPTH || self.found.len() >= self.most {
            return;
        }
        if !junctor.required.is_empty() && !self.keeps_unknown_fields {
            required::find(junctor, outer, is_resource, true, at, self.found);
        }
        self.values(junctor, at);
        let properties = at.child("properties");
        for (name, property) in &junctor.properties {
            if let Some(outer) = outer.field(name) {
                let is_resource = outer.is_embedded_resource();
                self.junctor(property, outer, is_resource, &properties.key(name), depth + 1);
            }
        }
        if let Some(rare) = junctor.rare.get() {
            for (keyword, schemas) in rare.clauses() {
                for (n, inner) in schemas.iter().enumerate() {
                    let below = at.child(keyword);
                    self.junctor(inner, outer, is_resource, &below.index(n), depth + 1);
                }
            }
        }
    }

    fn values(&mut self, schema: &JsonSchemaProps, at: &Trail<'_>) {
        let Some(rare) = schema.rare.get() else { return };
        bounds::find(rare, at, self.found);
        if !rare.pattern.is_empty() {
            self.found.extend(self.patterns.find(&rare.pattern, at));
        }
        if !rare.r#enum.is_empty() {
            enums::find(schema, at, self.version, self.found);
        }
    }
}
