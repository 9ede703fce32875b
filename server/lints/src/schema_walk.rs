//! A single walk over all schemas of a CRD.

use crd_analyzer_goregexp::Extent;
use crd_analyzer_schema::{
    JsonSchemaProps, KubernetesVersion,
    field::Trail,
    structural::{AdditionalProperties, Structural},
};

use crate::{Crd, Found, Lint, Sink, patterns::Patterns};

/// The maximum depth. Lints do not check schemas that are nested deeper.
const MAX_DEPTH: usize = 100;

/// A schema and its surroundings.
#[derive(Clone, Copy, Debug)]
pub struct SchemaAt<'a> {
    /// The keywords of the schema.
    pub props: &'a JsonSchemaProps,
    /// The structural schema of the same values: the schema itself, or the schema around a junctor such as `anyOf`.
    pub structural: Structural<'a>,
    /// Whether the schema is in a junctor such as `anyOf`.
    pub in_junctor: bool,
    /// Whether the values of the schema are resources, which always have `apiVersion`, `kind` and `metadata`.
    pub is_resource: bool,
    /// Whether unknown fields are kept in the whole object.
    pub keeps_unknown_fields: bool,
    /// The Kubernetes version of the API server that checks values.
    pub version: KubernetesVersion,
    /// The path in the internal form of the CRD.
    pub at: &'a Trail<'a>,
    patterns: &'a Patterns,
}

impl SchemaAt<'_> {
    /// Whether a pattern matches all, some or no strings.
    pub fn extent(&self, pattern: &str) -> Extent {
        self.patterns.extent(pattern)
    }
}

/// A lint of individual schemas, with its check.
type SchemaLint<'l> = (&'l Lint, fn(&SchemaAt<'_>, &mut Sink<'_, '_>));

/// Adds the findings in individual schemas, up to `most` findings of lints that are on by default. The second list is for lints that are off by
/// default.
pub(crate) fn find<'l>(
    crd: &Crd<'_>,
    version: KubernetesVersion,
    lints: &[SchemaLint<'l>],
    most: usize,
    (usual, rare): (&mut Vec<Found<'l>>, &mut Vec<Found<'l>>),
) {
    let patterns = Patterns::default();
    for (schema, of) in crd.schemas() {
        let mut walk = Walk {
            version,
            lints,
            most,
            keeps_unknown_fields: of.keeps_unknown_fields,
            patterns: &patterns,
            usual,
            rare,
        };
        walk.schema(schema, true, &Trail::new(&of.schema_path), 0);
    }
}

struct Walk<'w, 'l> {
    version: KubernetesVersion,
    lints: &'w [SchemaLint<'l>],
    most: usize,
    keeps_unknown_fields: bool,
    patterns: &'w Patterns,
    usual: &'w mut Vec<Found<'l>>,
    rare: &'w mut Vec<Found<'l>>,
}

impl Walk<'_, '_> {
    fn schema(&mut self, schema: Structural<'_>, is_resource: bool, at: &Trail<'_>, depth: usize) {
        if depth > MAX_DEPTH || self.usual.len() >= self.most {
            return;
        }
        let props = schema.props();
        self.ask(props, schema, (false, is_resource), at);
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

    /// Visits a schema in `allOf`, `anyOf`, `oneOf` or `not`. `outer` is the structural schema of the same values.
    fn junctor(
        &mut self,
        junctor: &JsonSchemaProps,
        outer: Structural<'_>,
        is_resource: bool,
        at: &Trail<'_>,
        depth: usize,
    ) {
        if depth > MAX_DEPTH || self.usual.len() >= self.most {
            return;
        }
        self.ask(junctor, outer, (true, is_resource), at);
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

    /// Runs all checks on a schema.
    fn ask(
        &mut self,
        props: &JsonSchemaProps,
        structural: Structural<'_>,
        (in_junctor, is_resource): (bool, bool),
        at: &Trail<'_>,
    ) {
        let schema = SchemaAt {
            props,
            structural,
            in_junctor,
            is_resource,
            keeps_unknown_fields: self.keeps_unknown_fields,
            version: self.version,
            at,
            patterns: self.patterns,
        };
        for &(lint, check) in self.lints {
            let found = if lint.is_off { &mut *self.rare } else { &mut *self.usual };
            if found.len() < self.most || !lint.is_off {
                check(&schema, &mut Sink::new(lint, found));
            }
        }
    }
}
