//! The values of a rule's variables.

use std::sync::Arc;

use crd_analyzer_cel::eval::Variables;
use crd_analyzer_cel::value::{Result as CelResult, Value as Cel};
use serde_json::Value;

use super::data::Data;
use super::shape::Shape;
use super::value::{resource_of, value_of};
use crate::KubernetesVersion;
use crate::rules::context::{OLD_SELF, SELF};
use crate::structural::Structural;

/// The variables of a rule, for callers that run an individual expression.
///
/// ```
/// use crd_analyzer_cel::decls::ExpressionSet;
/// use crd_analyzer_cel::value::Value;
/// use crd_analyzer_schema::cel_types::decl_type;
/// use crd_analyzer_schema::rules::compile;
/// use crd_analyzer_schema::rules::run::{Bindings, PER_CALL_LIMIT, ValueBinder};
/// use crd_analyzer_schema::structural::Structural;
/// use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion, ValidationRule};
///
/// let schema = JsonSchemaProps { r#type: "integer".to_owned(), ..JsonSchemaProps::default() };
/// let rules = [ValidationRule { rule: "self > 2".to_owned(), ..ValidationRule::default() }];
/// let version = KubernetesVersion::NEWEST;
/// let place = ValueBinder::new(Structural::assume(&schema), false, version);
/// let ty = decl_type(Structural::assume(&schema), false, version).unwrap();
/// let compiled = compile(&ty, &rules, version, |_, _| ExpressionSet::New);
/// let expression = compiled[0].rule.as_ref().unwrap();
/// let bindings = Bindings::new(place.value(&3.into()));
/// let outcome = expression.program.eval(&bindings, Some(PER_CALL_LIMIT));
/// assert!(matches!(outcome.result, Ok(Value::Bool(true))));
/// assert_eq!(outcome.cost, 2);
/// ```
#[derive(Clone, Debug)]
pub struct Bindings {
    this: CelResult,
    old: Option<CelResult>,
}

impl Bindings {
    /// Binds only `self`.
    pub fn new(this: CelResult) -> Self {
        Self { this, old: None }
    }

    /// Also binds `oldSelf`.
    #[must_use]
    pub fn with_old(self, old: Option<CelResult>) -> Self {
        Self { old, ..self }
    }

    /// Binds `oldSelf` for a rule with `optionalOldSelf`. The variable exists even without an old value.
    #[must_use]
    pub fn with_optional_old(self, old: Option<CelResult>) -> Self {
        let old = old.map_or(Cel::NONE, |old| Cel::some(old.unwrap_or_else(Cel::failure)));
        self.with_old(Some(Ok(old)))
    }
}

impl Variables for Bindings {
    fn resolve(&self, name: &str) -> Option<CelResult> {
        match name {
            SELF => Some(self.this.clone()),
            OLD_SELF => self.old.clone(),
            _ => None,
        }
    }
}

/// Converts JSON values into the CEL values that rules of one schema see.
#[derive(Clone, Debug)]
pub struct ValueBinder {
    shape: Arc<Shape>,
    is_resource_root: bool,
    version: KubernetesVersion,
}

impl ValueBinder {
    /// Creates a binder for values of a schema. If `is_resource_root` is set, the schema is that of a custom or embedded resource.
    pub fn new(schema: Structural<'_>, is_resource_root: bool, version: KubernetesVersion) -> Self {
        Self::of(Shape::new(schema), is_resource_root, version)
    }

    pub(super) fn of(shape: Arc<Shape>, is_resource_root: bool, version: KubernetesVersion) -> Self {
        Self {
            shape,
            is_resource_root,
            version,
        }
    }

    /// Converts a value for expressions. If the schema does not allow the value, the result may contain errors. An expression only fails if it reads
    /// such an error.
    pub fn value(&self, json: &Value) -> CelResult {
        self.value_of(&Data::of_known(json))
    }

    pub(super) fn value_of(&self, data: &Data) -> CelResult {
        if self.is_resource_root {
            resource_of(data, &self.shape, self.version)
        } else {
            value_of(data, &self.shape, self.version)
        }
    }
}
