//! A schema with all data that the validation of resources needs.

use std::sync::OnceLock;

use crd_analyzer_schema::defaulting::prune_defaults;
use crd_analyzer_schema::rules::run;
use crd_analyzer_schema::structural::Structural;
use crd_analyzer_schema::validation::Patterns;
use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion};

use crate::nodes::Nodes;

/// A schema, its patterns and its rules.
#[derive(Debug)]
pub(crate) struct Compiled {
    schema: JsonSchemaProps,
    kubernetes: KubernetesVersion,
    patterns: Patterns,
    rules: OnceLock<run::Validator>,
    nodes: OnceLock<Nodes>,
}

impl Compiled {
    /// Prepares a schema. The error is the reason why the API server cannot serve the schema.
    pub(super) fn new(mut schema: JsonSchemaProps, kubernetes: KubernetesVersion) -> Result<Self, String> {
        Structural::new(&schema).map_err(|error| error.to_string())?;
        prune_defaults(&mut schema, kubernetes).map_err(|error| error.to_string())?;
        Ok(Self {
            schema,
            kubernetes,
            patterns: Patterns::default(),
            rules: OnceLock::new(),
            nodes: OnceLock::new(),
        })
    }

    pub(crate) fn schema(&self) -> &JsonSchemaProps {
        &self.schema
    }

    pub(crate) fn structural(&self) -> Structural<'_> {
        Structural::assume(&self.schema)
    }

    pub(crate) fn patterns(&self) -> &Patterns {
        &self.patterns
    }

    /// The paths of the schema's nodes, computed for the first error in a resource. The schema must not move after that.
    pub(crate) fn nodes(&self) -> &Nodes {
        self.nodes.get_or_init(|| Nodes::new(&self.schema))
    }

    /// The rules, compiled on first use.
    pub(crate) fn rules(&self) -> &run::Validator {
        self.rules
            .get_or_init(|| run::Validator::new(self.structural(), true, self.kubernetes))
    }
}
