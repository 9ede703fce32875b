//! The rule compiler that the server has.

use std::rc::Rc;

use crd_analyzer_schema::celtypes::escape;
use crd_analyzer_schema::rules::{self, Effort, ExpressionSet, Fit, NodeTypes as SchemaTypes, Occurrence, Part};
use crd_analyzer_schema::structural::Structural;
use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion, ValidationRule};

use super::cel::{CompileError, CompiledRule, NodeTypes, RuleCompiler, Types};
use super::options::Preexisting;
use crate::codes;

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
        Ok(Rc::new(Node {
            schema: structural,
            types: Typed::Types(types),
            version: self.version,
        }))
    }
}

/// A node below one with types. Where a schema is a list and a map at once, the server takes the element type of one for
/// that of the other, and sooner or later has none.
struct Node<'s> {
    schema: Structural<'s>,
    types: Typed<'s>,
    version: KubernetesVersion,
}

enum Typed<'s> {
    Types(SchemaTypes<'s>),
    /// The element type of a type that has none: the rules of this node do not compile.
    Untyped,
    /// Below that the server crashes when it looks for types.
    Crash,
}

impl<'s> Node<'s> {
    fn below(&self, schema: Structural<'s>, types: Typed<'s>) -> Types<'s> {
        Rc::new(Self {
            schema,
            types,
            version: self.version,
        })
    }

    /// The types of items or values.
    fn element(
        &self,
        schema: Structural<'s>,
        types: impl Fn(&SchemaTypes<'s>) -> Option<SchemaTypes<'s>>,
    ) -> Types<'s> {
        let types = match &self.types {
            Typed::Types(above) => types(above).map_or(Typed::Untyped, Typed::Types),
            Typed::Untyped | Typed::Crash => Typed::Crash,
        };
        self.below(schema, types)
    }
}

impl<'s> NodeTypes<'s> for Node<'s> {
    fn property(&self, name: &str) -> Option<Types<'s>> {
        let schema = self.schema.property(name)?;
        let types = match &self.types {
            Typed::Types(above) => Typed::Types(above.property(name)?),
            Typed::Untyped | Typed::Crash => {
                escape(name)?;
                Typed::Crash
            }
        };
        Some(self.below(schema, types))
    }

    fn items(&self) -> Option<Types<'s>> {
        let schema = self.schema.items()?;
        Some(self.element(schema, SchemaTypes::items))
    }

    fn values(&self) -> Option<Types<'s>> {
        let schema = self.schema.additional_properties()?.schema()?;
        Some(self.element(schema, SchemaTypes::values))
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
        let types = match &self.types {
            Typed::Types(types) => types,
            Typed::Untyped => return Err("failed to convert to declType for CEL validation rules".to_owned()),
            Typed::Crash => return Ok(vec![crash()]),
        };
        let compiled = rules::compile(types, rules, self.version, set_of);
        Ok(compiled.into_iter().map(compiled_rule).collect())
    }

    fn fits(
        &self,
        rule: &'s ValidationRule,
        part: Part,
        occurrence: Occurrence,
        limit: u64,
        effort: &Effort,
    ) -> Vec<Fit> {
        let Typed::Types(types) = &self.types else {
            return Vec::new();
        };
        if !effort.spend(expression_size(rule)) {
            return Vec::new();
        }
        let compiled = rules::compile(types, std::slice::from_ref(rule), self.version, |_, _| {
            ExpressionSet::New
        });
        let compiled = compiled.into_iter().next();
        let expression = match part {
            Part::Rule => compiled.and_then(|it| it.rule),
            Part::MessageExpression => compiled.and_then(|it| it.message?.ok()),
        };
        let Some(expression) = expression else {
            return Vec::new();
        };
        rules::fit(types, &expression, self.version, occurrence, limit, effort)
    }
}

/// What compiling the expressions of a rule takes, in parts of an [`Effort`].
pub(super) fn expression_size(rule: &ValidationRule) -> usize {
    rule.rule.len() + rule.message_expression.len()
}

fn crash() -> CompiledRule {
    let error = CompileError {
        is_required: false,
        crashes: true,
        detail: "the API server crashes when it looks for the types of this rule: a schema above is a list and a map at once"
            .to_owned(),
        code: codes::SERVER_PANIC,
        inner: None,
    };
    CompiledRule {
        error: Some(error),
        ..CompiledRule::default()
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
