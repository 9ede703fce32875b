//! The compiler for rules.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use crd_analyzer_schema::cel_types::{decl_type, escape, items_type, property_type, values_type};
use crd_analyzer_schema::rules::{
    self, CompileError, CompiledRule, DeclType, Effort, ExpressionSet, Occurrence, Part, SuggestedBounds,
};
use crd_analyzer_schema::structural::Structural;
use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion, ValidationRule};

use super::preexisting::Preexisting;
use crate::codes;

/// Compiles rules and estimates their costs like an API server of one Kubernetes version. A compiler is used for a single CRD, because it caches
/// results.
#[derive(Debug)]
pub struct CelCompiler {
    version: KubernetesVersion,
    /// The compiled rules of new CRDs, by their first rule. Versions of a CRD usually have the same rules on the same types, and a schema may contain
    /// the schema of a well-known type several times.
    remembered: RefCell<HashMap<String, Vec<Remembered>>>,
}

/// The rules of a node and their results.
#[derive(Debug)]
struct Remembered {
    ty: Arc<DeclType>,
    rules: Vec<ValidationRule>,
    compiled: Vec<CompiledRule>,
}

/// The maximum number of cached nodes with the same first rule.
const MAX_REMEMBERED: usize = 4;

impl CelCompiler {
    /// Creates a compiler for this Kubernetes version.
    pub fn new(version: KubernetesVersion) -> Self {
        Self {
            version,
            remembered: RefCell::default(),
        }
    }

    /// Compiles the rules of a node as new rules.
    fn compile_new(&self, ty: &Arc<DeclType>, rules: &[ValidationRule]) -> Vec<CompiledRule> {
        let first = rules.first().map_or("", |it| it.rule.as_str());
        let mut remembered = self.remembered.borrow_mut();
        let known = remembered.get(first).map_or(&[][..], Vec::as_slice);
        let same = known.iter().find(|it| it.rules == rules && it.ty == *ty);
        if let Some(same) = same {
            return same.compiled.clone();
        }
        let compiled = rules::compile(ty, rules, self.version, |_, _| ExpressionSet::New);
        if known.len() < MAX_REMEMBERED {
            remembered.entry(first.to_owned()).or_default().push(Remembered {
                ty: Arc::clone(ty),
                rules: rules.to_vec(),
                compiled: compiled.clone(),
            });
        }
        compiled
    }

    /// The types of a schema, or the error if the schema has no types (`defaultConverter`). `is_resource_root` is set for the root and for an
    /// embedded resource.
    pub(super) fn types<'s>(
        &'s self,
        schema: &'s JsonSchemaProps,
        is_resource_root: bool,
    ) -> Result<Types<'s>, String> {
        let structural = Structural::new(schema).map_err(|error| error.to_string())?;
        let ty = decl_type(structural, is_resource_root, self.version);
        let ty = ty.ok_or("unable to convert structural schema to CEL declarations")?;
        Ok(Rc::new(Node {
            schema: structural,
            ty: Typed::Type(ty),
            compiler: self,
        }))
    }
}

/// The CEL types of one node of a schema.
pub(super) type Types<'s> = Rc<Node<'s>>;

/// A node of a schema with its CEL type. It gives access to the types of the nodes inside it, and compiles the node's rules. If a schema is a list
/// and a map at once, the API server confuses the element types of the two, and finally finds none.
pub(super) struct Node<'s> {
    schema: Structural<'s>,
    ty: Typed,
    compiler: &'s CelCompiler,
}

enum Typed {
    Type(Arc<DeclType>),
    /// A missing element type. The rules of this node do not compile.
    Untyped,
    /// A node inside an untyped node. The API server crashes when it looks up types.
    Crash,
}

impl<'s> Node<'s> {
    fn below(&self, schema: Structural<'s>, ty: Typed) -> Types<'s> {
        Rc::new(Self {
            schema,
            ty,
            compiler: self.compiler,
        })
    }

    /// The types of the items or values.
    fn element(
        &self,
        schema: Structural<'s>,
        below: impl for<'t> Fn(Structural<'_>, &'t DeclType) -> Option<&'t Arc<DeclType>>,
    ) -> Types<'s> {
        let ty = match &self.ty {
            Typed::Type(above) => below(self.schema, above).map_or(Typed::Untyped, |it| Typed::Type(Arc::clone(it))),
            Typed::Untyped | Typed::Crash => Typed::Crash,
        };
        self.below(schema, ty)
    }
}

impl<'s> Node<'s> {
    /// The types of a property, if an expression can access the property (`propertyTypeInfoAccessor`).
    pub(super) fn property(&self, name: &str) -> Option<Types<'s>> {
        let schema = self.schema.property(name)?;
        let ty = match &self.ty {
            Typed::Type(above) => Typed::Type(Arc::clone(property_type(self.schema, above, name)?)),
            Typed::Untyped | Typed::Crash => {
                escape(name)?;
                Typed::Crash
            }
        };
        Some(self.below(schema, ty))
    }

    /// The types of the items of a list (`itemsTypeInfoAccessor`).
    pub(super) fn items(&self) -> Option<Types<'s>> {
        let schema = self.schema.items()?;
        Some(self.element(schema, items_type))
    }

    /// The types of the values of a map (`additionalItemsTypeInfoAccessor`).
    pub(super) fn values(&self) -> Option<Types<'s>> {
        let schema = self.schema.additional_properties()?.schema()?;
        Some(self.element(schema, values_type))
    }

    /// Compiles the node's rules and estimates their costs (`cel.Compile`). Returns one result per rule, in the order of the rules, or the error that
    /// kept the API server from compiling the rules.
    pub(super) fn compile(
        &self,
        rules: &[ValidationRule],
        preexisting: &Preexisting<'_>,
    ) -> Result<Vec<CompiledRule>, String> {
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
        let ty = match &self.ty {
            Typed::Type(ty) => ty,
            Typed::Untyped => return Err("failed to convert to declType for CEL validation rules".to_owned()),
            Typed::Crash => return Ok(vec![crash()]),
        };
        if preexisting.is_empty() {
            return Ok(self.compiler.compile_new(ty, rules));
        }
        Ok(rules::compile(ty, rules, self.compiler.version, set_of))
    }

    /// The declared type of the node's values, if expressions can access these values.
    pub(super) fn decl_type(&self) -> Option<Arc<DeclType>> {
        match &self.ty {
            Typed::Type(ty) => Some(Arc::clone(ty)),
            Typed::Untyped | Typed::Crash => None,
        }
    }

    /// The ways to bring an expression of the node's rule below a limit by adding missing limits to the schema: see
    /// [`crd_analyzer_schema::rules::suggest_bounds`]. Empty if the expression does not compile.
    pub(super) fn suggest_bounds(
        &self,
        rule: &ValidationRule,
        part: Part,
        occurrence: Occurrence,
        limit: u64,
        effort: &Effort,
    ) -> Vec<SuggestedBounds> {
        let Typed::Type(ty) = &self.ty else {
            return Vec::new();
        };
        if !effort.spend(expression_size(rule)) {
            return Vec::new();
        }
        let rule = std::slice::from_ref(rule);
        let compiled = rules::compile(ty, rule, self.compiler.version, |_, _| ExpressionSet::New);
        let compiled = compiled.into_iter().next();
        let expression = match part {
            Part::Rule => compiled.and_then(|it| it.rule),
            Part::MessageExpression => compiled.and_then(|it| it.message?.ok()),
        };
        let Some(expression) = expression else {
            return Vec::new();
        };
        rules::suggest_bounds(
            self.schema,
            ty,
            &expression,
            self.compiler.version,
            occurrence,
            limit,
            effort,
        )
    }
}

/// The effort of compiling a rule's expressions, in units of [`Effort`].
pub(super) fn expression_size(rule: &ValidationRule) -> usize {
    rule.rule.len() + rule.message_expression.len()
}

fn crash() -> CompiledRule {
    let error = CompileError {
        detail: "the API server crashes when it looks for the types of this rule: a schema above is a list and a map at once"
            .to_owned(),
        crashes: true,
        uses_old_self: false,
        code: codes::SERVER_PANIC,
        problems: Vec::new(),
    };
    CompiledRule {
        error: Some(error),
        ..CompiledRule::default()
    }
}
