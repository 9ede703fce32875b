//! The rule compiler that the API server has.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use crd_analyzer_schema::cel_types::escape;
use crd_analyzer_schema::rules::{
    self, DeclType, Effort, ExpressionSet, NodeTypes as SchemaTypes, Occurrence, Part, SuggestedBounds,
};
use crd_analyzer_schema::structural::Structural;
use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion, ValidationRule};

use super::cel::{CompileError, CompiledRule, NodeTypes, RuleCompiler, Runnable, Types};
use super::preexisting::Preexisting;
use crate::codes;

/// Compiles and prices rules as an API server of one Kubernetes version does. It is for one CRD: it remembers what it compiled.
#[derive(Debug)]
pub struct CelCompiler {
    version: KubernetesVersion,
    /// The rules of new CRDs that were compiled. The versions of a CRD mostly have the same rules on the same types, and so
    /// have schemas of well-known types that it holds several times.
    remembered: RefCell<HashMap<String, Vec<Remembered>>>,
}

/// The rules of a node, and what they compiled to.
#[derive(Debug)]
struct Remembered {
    types: Arc<DeclType>,
    rules: Vec<ValidationRule>,
    compiled: Vec<CompiledRule>,
}

/// Nodes with the same first rule that are remembered.
const MAX_REMEMBERED: usize = 4;

impl CelCompiler {
    /// The compiler of this Kubernetes version.
    pub fn new(version: KubernetesVersion) -> Self {
        Self {
            version,
            remembered: RefCell::default(),
        }
    }

    /// The rules of a node, compiled as new ones.
    fn compile_new(&self, types: &SchemaTypes<'_>, rules: &[ValidationRule]) -> Vec<CompiledRule> {
        let first = rules.first().map_or("", |it| it.rule.as_str());
        let mut remembered = self.remembered.borrow_mut();
        let known = remembered.get(first).map_or(&[][..], Vec::as_slice);
        let same = known
            .iter()
            .find(|it| it.rules == rules && it.types == *types.decl_type());
        if let Some(same) = same {
            return same.compiled.clone();
        }
        let compiled = rules::compile(types, rules, self.version, |_, _| ExpressionSet::New);
        let compiled: Vec<CompiledRule> = compiled.into_iter().map(compiled_rule).collect();
        if known.len() < MAX_REMEMBERED {
            remembered.entry(first.to_owned()).or_default().push(Remembered {
                types: Arc::clone(types.decl_type()),
                rules: rules.to_vec(),
                compiled: compiled.clone(),
            });
        }
        compiled
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
            compiler: self,
        }))
    }
}

/// A node below one with types. Where a schema is a list and a map at once, the API server takes the element type of one for
/// that of the other, and sooner or later has none.
struct Node<'s> {
    schema: Structural<'s>,
    types: Typed<'s>,
    compiler: &'s CelCompiler,
}

enum Typed<'s> {
    Types(SchemaTypes<'s>),
    /// The element type of a type that has none: the rules of this node do not compile.
    Untyped,
    /// Below that the API server crashes when it looks for types.
    Crash,
}

impl<'s> Node<'s> {
    fn below(&self, schema: Structural<'s>, types: Typed<'s>) -> Types<'s> {
        Rc::new(Self {
            schema,
            types,
            compiler: self.compiler,
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
        if preexisting.is_empty() {
            return Ok(self.compiler.compile_new(types, rules));
        }
        let compiled = rules::compile(types, rules, self.compiler.version, set_of);
        Ok(compiled.into_iter().map(compiled_rule).collect())
    }

    fn decl_type(&self) -> Option<Arc<DeclType>> {
        match &self.types {
            Typed::Types(types) => Some(types.decl_type().clone()),
            Typed::Untyped | Typed::Crash => None,
        }
    }

    fn suggest_bounds(
        &self,
        rule: &'s ValidationRule,
        part: Part,
        occurrence: Occurrence,
        limit: u64,
        effort: &Effort,
    ) -> Vec<SuggestedBounds> {
        let Typed::Types(types) = &self.types else {
            return Vec::new();
        };
        if !effort.spend(expression_size(rule)) {
            return Vec::new();
        }
        let rule = std::slice::from_ref(rule);
        let compiled = rules::compile(types, rule, self.compiler.version, |_, _| ExpressionSet::New);
        let compiled = compiled.into_iter().next();
        let expression = match part {
            Part::Rule => compiled.and_then(|it| it.rule),
            Part::MessageExpression => compiled.and_then(|it| it.message?.ok()),
        };
        let Some(expression) = expression else {
            return Vec::new();
        };
        rules::suggest_bounds(types, &expression, self.compiler.version, occurrence, limit, effort)
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
        cause: None,
    };
    CompiledRule {
        error: Some(error),
        ..CompiledRule::default()
    }
}

fn compiled_rule(compiled: rules::CompiledRule) -> CompiledRule {
    CompiledRule {
        error: compiled.error.map(compile_error),
        max_cost: compiled.rule.as_ref().map_or(0, |rule| rule.max_cost),
        expression: compiled.rule.map(Runnable),
        max_cardinality: compiled.max_cardinality,
        uses_old_self: compiled.uses_old_self,
        message_expression: compiled
            .message
            .map(|message| message.map(|message| message.max_cost).map_err(compile_error)),
        unreached_message_error: compiled.unreached_message_error.map(compile_error),
    }
}

fn compile_error(error: rules::CompileError) -> CompileError {
    CompileError {
        is_required: false,
        crashes: error.crashes,
        cause: error.cause().map(Box::new),
        detail: error.detail,
        code: error.code,
        inner: error.problems.into_iter().next().map(|problem| problem.bytes),
    }
}
