//! The rule compiler that the server has.

use std::rc::Rc;

use crd_analyzer_schema::rules::{self, ExpressionSet, NodeTypes as SchemaTypes, Part};
use crd_analyzer_schema::structural::Structural;
use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion, ValidationRule};

use super::cel::{CompileError, CompiledRule, NodeTypes, RuleCompiler, Types};
use super::options::Preexisting;

/// Compiles and prices rules as a server of one minor does.
#[derive(Clone, Copy, Debug)]
pub struct CelCompiler {
    version: KubernetesVersion,
}

impl CelCompiler {
    /// The compiler of this minor.
    pub const fn new(version: KubernetesVersion) -> Self {
        Self { version }
    }
}

impl RuleCompiler for CelCompiler {
    fn types<'s>(&'s self, schema: &'s JsonSchemaProps, is_resource_root: bool) -> Result<Types<'s>, String> {
        let structural = Structural::new(schema).map_err(|error| error.to_string())?;
        let types = SchemaTypes::new(structural, is_resource_root, self.version);
        let types = types.ok_or("unable to convert structural schema to CEL declarations")?;
        Ok(node(types, self.version))
    }
}

struct Node<'s> {
    types: SchemaTypes<'s>,
    version: KubernetesVersion,
}

fn node(types: SchemaTypes<'_>, version: KubernetesVersion) -> Types<'_> {
    Rc::new(Node { types, version })
}

impl<'s> NodeTypes<'s> for Node<'s> {
    fn property(&self, name: &str) -> Option<Types<'s>> {
        Some(node(self.types.property(name)?, self.version))
    }

    fn items(&self) -> Option<Types<'s>> {
        Some(node(self.types.items()?, self.version))
    }

    fn values(&self) -> Option<Types<'s>> {
        Some(node(self.types.values()?, self.version))
    }

    fn compile(&self, rules: &'s [ValidationRule], preexisting: &Preexisting<'_>) -> Result<Vec<CompiledRule>, String> {
        let set_of = |part: Part, expression: &str| {
            let is_stored = match part {
                Part::Rule => preexisting.has_rule(expression),
                Part::MessageExpression => preexisting.has_message_expression(expression),
            };
            if is_stored {
                ExpressionSet::Stored
            } else {
                ExpressionSet::New
            }
        };
        let compiled = rules::compile(&self.types, rules, self.version, set_of);
        Ok(compiled.into_iter().map(compiled_rule).collect())
    }
}

fn compiled_rule(compiled: rules::CompiledRule) -> CompiledRule {
    CompiledRule {
        error: compiled.error.map(compile_error),
        max_cost: compiled.rule.map_or(0, |rule| rule.max_cost),
        max_cardinality: compiled.max_cardinality,
        uses_old_self: compiled.uses_old_self,
        message_expression: compiled
            .message
            .map(|message| message.map(|message| message.max_cost).map_err(compile_error)),
    }
}

fn compile_error(error: rules::CompileError) -> CompileError {
    CompileError {
        is_required: false,
        crashes: error.crashes,
        detail: error.detail,
        code: error.code,
        inner: error.problems.into_iter().next().map(|problem| problem.bytes),
    }
}
