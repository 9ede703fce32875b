//! Validating defaults (`validation.go` of the package).

use crd_analyzer_cel::KubernetesVersion;
use serde_json::Value;

use super::surrounding::Surrounding;
use crate::codes;
use crate::field::{Cause, Error, Path, Trail, render};
use crate::json_schema::JsonSchemaProps;
use crate::objectmeta::{self, CoerceOptions, coerce};
use crate::pruning::{prune, prune_and_track};
use crate::rules::{self, run::RUNTIME_BUDGET};
use crate::structural::Structural;
use crate::unknown::Known;
use crate::validation::Validator;

/// Runs the rules of schemas (`pkg/apiserver/schema/cel`).
pub trait Rules {
    /// Runs the rules of a schema and of its subschemas over a default (`Validator.Validate`).
    ///
    /// Only called for schemas with rules, twice for each schema: with the default as the old value, and without an old value.
    fn run(&mut self, run: &RuleRun<'_>) -> RuleOutcome;
}

/// One run of a schema's rules over the schema's default.
#[derive(Clone, Copy, Debug)]
pub struct RuleRun<'a> {
    /// The default.
    pub value: &'a Value,
    /// The old value: the default itself in the first run, none in the second.
    pub old: Option<&'a Value>,
    /// The schema that declares the default.
    pub schema: Structural<'a>,
    /// Whether the schema describes a resource.
    pub is_resource_root: bool,
    /// The path of the default.
    pub path: &'a Path,
    /// The cost limit of the rules, in cost units.
    pub budget: i64,
}

/// The result of a [`RuleRun`].
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RuleOutcome {
    /// The errors of failed rules.
    pub errors: Vec<Error>,
    /// The remaining budget, in cost units; negative if the rules exceeded it.
    pub remaining: i64,
}

/// Runs the rules of one schema over its defaults, as an API server of the given Kubernetes version does.
#[derive(Debug)]
pub struct RunRules {
    version: KubernetesVersion,
    /// The path of the default that was validated last, and the compiled rules for it.
    last: Option<(Path, rules::run::Validator)>,
}

impl RunRules {
    /// Creates a runner for this Kubernetes version.
    pub const fn new(version: KubernetesVersion) -> Self {
        Self { version, last: None }
    }
}

impl Rules for RunRules {
    fn run(&mut self, run: &RuleRun<'_>) -> RuleOutcome {
        let last = self.last.take().filter(|(path, _)| path == run.path);
        let new = || rules::run::Validator::new(run.schema, run.is_resource_root, self.version);
        let (_, validator) = self.last.insert(last.unwrap_or_else(|| (run.path.clone(), new())));
        let (errors, remaining) = validator.validate(run.path, run.value, run.old, run.budget);
        RuleOutcome { errors, remaining }
    }
}

/// Options for [`validate_defaults`].
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Whether the schema describes a resource, which has `apiVersion`, `kind` and `metadata` even if the schema omits them.
    pub is_resource_root: bool,
    /// Whether defaults must not contain unknown fields.
    pub require_pruned: bool,
    /// The Kubernetes version of the API server.
    pub version: KubernetesVersion,
}

/// Returns the errors in the defaults of a structural schema (`ValidateDefaults`).
///
/// Defaults below `additionalProperties` are not validated. Validation ends when the rules' cost budget is used up.
pub fn validate_defaults(schema: Structural<'_>, path: &Path, options: Options, rules: &mut dyn Rules) -> Vec<Error> {
    let mut judge = Judge {
        options,
        root: schema,
        validator: Validator::of_structural(schema.props(), options.version),
        is_lossy: None,
        rules,
        budget: RUNTIME_BUDGET,
        errors: Vec::new(),
    };
    let is_resource = options.is_resource_root || schema.is_embedded_resource();
    let inside = Inside {
        root: schema,
        meta: false,
    };
    // The result only says whether the budget lasted to the end, which is irrelevant here.
    let _ = judge.schema(schema, is_resource, inside, &Surrounding::ROOT, &Trail::new(path));
    judge.errors
}

/// The resource that contains a schema.
#[derive(Clone, Copy)]
struct Inside<'s> {
    root: Structural<'s>,
    /// Whether the schema describes `apiVersion`, `kind` or `metadata`, or a part of them.
    meta: bool,
}

/// The cost budget of the rules is used up.
struct Exhausted;

struct Judge<'r, 's> {
    options: Options,
    root: Structural<'s>,
    validator: Validator<'s>,
    /// Whether the structural form of the root lacks a keyword that validates values; computed on first use.
    is_lossy: Option<bool>,
    rules: &'r mut dyn Rules,
    budget: i64,
    errors: Vec<Error>,
}

impl<'s> Judge<'_, 's> {
    fn schema(
        &mut self,
        schema: Structural<'s>,
        is_resource: bool,
        inside: Inside<'s>,
        around: &Surrounding<'_>,
        at: &Trail<'_>,
    ) -> Result<(), Exhausted> {
        let (inside, around) = if is_resource {
            (
                Inside {
                    root: schema,
                    meta: false,
                },
                &Surrounding::ROOT,
            )
        } else {
            (inside, around)
        };
        if let Some(default) = schema.default_value() {
            let at = at.child("default");
            if inside.meta {
                self.default_in_metadata(default, schema, inside, around, &at)?;
            } else {
                self.default(default, schema, is_resource, inside, &at)?;
            }
        }
        if let Some(items) = schema.items() {
            self.schema(
                items,
                items.is_embedded_resource(),
                inside,
                &around.item(),
                &at.child("items"),
            )?;
        }
        if schema.has_no_properties() {
            return Ok(());
        }
        let at = at.child("properties");
        for (name, property) in schema.properties() {
            let is_meta = is_resource && matches!(name, "metadata" | "apiVersion" | "kind");
            let inside = Inside {
                meta: inside.meta || is_meta,
                ..inside
            };
            let is_embedded = property.is_embedded_resource();
            self.schema(property, is_embedded, inside, &around.field(name), &at.key(name))?;
        }
        Ok(())
    }

    fn default(
        &mut self,
        default: &Value,
        schema: Structural<'s>,
        is_resource: bool,
        inside: Inside<'s>,
        at: &Trail<'_>,
    ) -> Result<(), Exhausted> {
        let version = self.options.version;
        if !(default.is_object() || default.is_array()) {
            // Scalars contain neither unknown fields nor metadata.
            return self.values_and_rules(default, schema, inside, at);
        }
        let path = at.path();
        let mut has_unknown = false;
        if self.options.require_pruned {
            let mut pruned = default.clone();
            prune(&mut pruned, Some(schema), is_resource);
            has_unknown = pruned != *default;
        }
        let mut coerced = default.clone();
        let outcome = coerce(
            &mut coerced,
            Known::ALL,
            Some(schema),
            is_resource,
            &path,
            CoerceOptions::default(),
            version,
        );
        if has_unknown {
            // The API server coerces the default in place before it renders it.
            let bad_value = render::bad_value(&coerced, version);
            let code = codes::DEFAULT_UNKNOWN_FIELD;
            let error = Error::invalid(code, path.clone(), bad_value, "must not have unknown fields");
            let unknown = prune_and_track(&mut default.clone(), Some(schema), is_resource);
            let first = unknown.into_iter().next().unwrap_or_default();
            self.errors.push(error.because(Cause::NotFound(first)));
        }
        if let Err(error) = outcome {
            self.errors.push(error);
            return Ok(());
        }
        let errors = objectmeta::validate(&coerced, Known::ALL, Some(schema), is_resource, &path, version);
        if errors.is_empty() {
            return self.values_and_rules(&coerced, schema, inside, at);
        }
        self.errors.extend(errors);
        Ok(())
    }

    /// Checks that a default in `apiVersion`, `kind` or `metadata` results in a valid resource.
    fn default_in_metadata(
        &mut self,
        default: &Value,
        schema: Structural<'s>,
        inside: Inside<'s>,
        around: &Surrounding<'_>,
        at: &Trail<'_>,
    ) -> Result<(), Exhausted> {
        let version = self.options.version;
        // The first step from a resource into its metadata is a field, so the surrounding value is an object.
        let mut resource = around.wrap(default.clone()).unwrap_or_default();
        resource.entry("kind").or_insert_with(|| "Validation".into());
        resource.entry("apiVersion").or_insert_with(|| "validation/v1".into());
        let mut resource = Value::Object(resource);
        let root = Path::root();
        let problem = match coerce(
            &mut resource,
            Known::ALL,
            Some(inside.root),
            true,
            &root,
            CoerceOptions::default(),
            version,
        ) {
            Err(error) => Some(error.to_string()),
            Ok(_) => aggregate(&objectmeta::validate(
                &resource,
                Known::ALL,
                Some(inside.root),
                true,
                &root,
                version,
            )),
        };
        let Some(problem) = problem else {
            return self.values_and_rules(default, schema, inside, at);
        };
        self.errors.push(Error::invalid(
            codes::DEFAULT_METADATA,
            at.path(),
            render::bad_value(default, version),
            format!("must result in valid metadata: {problem}"),
        ));
        Ok(())
    }

    fn value_errors(&mut self, default: &Value, schema: Structural<'s>, at: &Trail<'_>) -> Vec<Error> {
        let version = self.options.version;
        let root = self.root;
        // The dropped keywords validate only objects and lists.
        let has_fields = default.is_object() || default.is_array();
        if has_fields && *self.is_lossy.get_or_insert_with(|| root.is_lossy()) {
            let schema = schema.to_json_schema(version);
            return Validator::of_structural(&schema, version).validate(&at.path(), default);
        }
        // Nearly all defaults are valid, so the path is only computed after an error.
        let is_good = self
            .validator
            .validate_node(schema.props(), &Path::root(), default)
            .is_empty();
        if is_good {
            return Vec::new();
        }
        self.validator.validate_node(schema.props(), &at.path(), default)
    }

    fn values_and_rules(
        &mut self,
        default: &Value,
        schema: Structural<'s>,
        inside: Inside<'s>,
        at: &Trail<'_>,
    ) -> Result<(), Exhausted> {
        let errors = self.value_errors(default, schema, at);
        if !errors.is_empty() {
            self.errors.extend(errors);
            return Ok(());
        }
        if !has_rules(schema.props()) {
            return Ok(());
        }
        let path = at.path();
        let run = RuleRun {
            value: default,
            old: Some(default),
            schema,
            is_resource_root: schema.is(inside.root),
            path: &path,
            budget: self.budget,
        };
        let first = self.rules.run(&run);
        let mut remaining = first.remaining;
        if first.errors.is_empty() {
            // Rules with `optionalOldSelf` run with or without an old value; the default must be valid in both cases.
            let second = self.rules.run(&RuleRun { old: None, ..run });
            self.errors.extend(second.errors);
            remaining = remaining.min(second.remaining);
        } else {
            self.errors.extend(first.errors);
        }
        self.budget = remaining;
        if remaining < 0 { Err(Exhausted) } else { Ok(()) }
    }
}

/// The errors as one message (`field.ErrorList.ToAggregate`); `None` without errors.
fn aggregate(errors: &[Error]) -> Option<String> {
    let mut texts: Vec<String> = Vec::new();
    for error in errors {
        let text = error.to_string();
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    match texts.as_slice() {
        [] => None,
        [text] => Some(text.clone()),
        _ => Some(format!("[{}]", texts.join(", "))),
    }
}

/// Whether a schema or one of its subschemas has rules (`hasXValidations`).
fn has_rules(schema: &JsonSchemaProps) -> bool {
    !schema.x_validations.is_empty()
        || schema.properties.iter().any(|(_, property)| has_rules(property))
        || schema.items.iter().filter_map(|it| it.schema.as_deref()).any(has_rules)
        || schema
            .additional_properties
            .iter()
            .filter_map(|it| it.schema.as_deref())
            .any(has_rules)
}
