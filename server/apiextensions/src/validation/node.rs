//! Validation of every node of a schema (`ValidateCustomResourceDefinitionOpenAPISchema`).

use crd_analyzer_schema::field::{Error, Path, Trail};
use crd_analyzer_schema::{JsonSchemaProps, depth};

use super::cel::CelContext;
use super::keywords::validate_list_and_map_keywords;
use super::limits::MAX_ERRORS;
use super::rules::validate_rules;
use super::standard::{ForbiddenDefaults, Standard, validate_standard};
use super::walk::NodeWalk;
use crate::codes;

impl NodeWalk<'_> {
    /// Walks the whole schema; `path` is its path.
    pub(super) fn root(&mut self, schema: &JsonSchemaProps, path: &Path) {
        let standard = Standard::at_root(self.options.require_valid_property_type);
        // If the schema need not be structural, the API server never compiles its rules, so the schema has no hidden errors either.
        let compiler = self
            .options
            .compiler
            .filter(|_| self.question.require_structural_schema);
        let context = compiler.map(|compiler| CelContext::root(compiler, schema));
        self.node(schema, &Trail::new(path), standard, true, context.as_ref());
    }

    fn node<'s>(
        &mut self,
        schema: &'s JsonSchemaProps,
        at: &Trail<'_>,
        standard: Standard<'_>,
        is_root: bool,
        cel: Option<&CelContext<'_, 's>>,
    ) {
        if self.depth > depth::MAX || self.schema_errors.len() > MAX_ERRORS {
            return;
        }
        self.depth += 1;
        let errors_above = self.schema_errors.len();
        validate_standard(schema, at, standard, &mut self.schema_errors);
        if schema.unique_items {
            self.schema_errors.push(Error::forbidden(
                codes::UNIQUE_ITEMS,
                at.child("uniqueItems").path(),
                "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
            ));
        }
        self.additional_properties(schema, at, standard, cel);
        self.properties(schema, at, standard, is_root, cel);
        self.clauses(schema, at, standard);
        self.items(schema, at, standard, cel);
        for (name, dependency) in &schema.dependencies {
            if let Some(schema) = &dependency.schema {
                self.node(schema, &at.child("dependencies").key(name), standard, false, None);
            }
        }
        validate_list_and_map_keywords(schema, at, self.options, &mut self.schema_errors);
        validate_rules(self, schema, at, standard, errors_above, cel);
        self.depth -= 1;
    }

    fn additional_properties<'s>(
        &mut self,
        schema: &'s JsonSchemaProps,
        at: &Trail<'_>,
        standard: Standard<'_>,
        cel: Option<&CelContext<'_, 's>>,
    ) {
        let Some(additional) = schema.additional_properties.as_deref() else {
            return;
        };
        let at = at.child("additionalProperties");
        if !schema.properties.is_empty() && (!additional.allows || additional.schema.is_some()) {
            self.schema_errors.push(Error::forbidden(
                codes::PROPERTIES_AND_ADDITIONAL_PROPERTIES,
                at.path(),
                "additionalProperties and properties are mutual exclusive",
            ));
        }
        if let Some(values) = &additional.schema {
            let standard = if standard.inside_resource_meta {
                standard.with_forbidden_defaults(ForbiddenDefaults::InAdditionalPropertiesOfMetadata)
            } else {
                standard
            };
            let context = cel.map(|it| it.additional_properties(values));
            self.node(values, &at, standard, false, context.as_ref());
        }
    }

    fn properties<'s>(
        &mut self,
        schema: &'s JsonSchemaProps,
        at: &Trail<'_>,
        standard: Standard<'_>,
        is_root: bool,
        cel: Option<&CelContext<'_, 's>>,
    ) {
        let is_resource = is_root || schema.x_embedded_resource;
        let properties = at.child("properties");
        let mut standard = standard;
        if !matches!(schema.x_map_type.as_deref(), None | Some("granular" | "atomic")) {
            standard = standard.with_uncorrelatable(at);
        }
        for (name, property) in &schema.properties {
            let mut standard = standard;
            if is_resource && matches!(name.as_str(), "metadata" | "kind" | "apiVersion") {
                standard.inside_resource_meta = true;
                if is_root {
                    standard = standard.with_forbidden_defaults(ForbiddenDefaults::InTopLevel(name));
                }
            }
            let context = cel.map(|it| it.property(name, property));
            self.node(property, &properties.key(name), standard, false, context.as_ref());
        }
    }

    /// Walks the schemas in `allOf`, `anyOf`, `oneOf` and `not`, whose rules are never compiled.
    fn clauses(&mut self, schema: &JsonSchemaProps, at: &Trail<'_>, standard: Standard<'_>) {
        if let Some(not) = &schema.not {
            self.node(not, &at.child("not"), standard, false, None);
        }
        let lists = [
            ("allOf", &schema.all_of),
            ("oneOf", &schema.one_of),
            ("anyOf", &schema.any_of),
        ];
        for (keyword, schemas) in lists {
            let at = at.child(keyword);
            for (i, schema) in schemas.iter().enumerate() {
                self.node(schema, &at.index(i), standard, false, None);
            }
        }
        for (name, definition) in &schema.definitions {
            self.node(definition, &at.child("definitions").key(name), standard, false, None);
        }
    }

    fn items<'s>(
        &mut self,
        schema: &'s JsonSchemaProps,
        at: &Trail<'_>,
        standard: Standard<'_>,
        cel: Option<&CelContext<'_, 's>>,
    ) {
        let Some(items) = schema.items.as_deref() else {
            return;
        };
        // Only the items of a list of type `map` can be correlated with their old values on update.
        let standard = if schema.x_list_type.as_deref() == Some("map") {
            standard
        } else {
            standard.with_uncorrelatable(at)
        };
        let at = at.child("items");
        if let Some(item) = &items.schema {
            let context = cel.map(|it| it.items(item));
            self.node(item, &at, standard, false, context.as_ref());
        }
        for (i, item) in items.json_schemas.iter().enumerate() {
            let context = cel.map(|it| it.items(item));
            self.node(item, &at.index(i), standard, false, context.as_ref());
        }
    }
}
