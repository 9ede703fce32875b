//! Compilation and cost estimates of rules, and the resulting errors (`cel_validation.go`).
//!
//! The caller passes the compiler. This module selects the rules to compile, with their types and cardinality, and words the errors about costs.
//! Without a compiler, this module skips rules.

use std::cell::OnceCell;
use std::sync::Arc;

use crd_analyzer_schema::JsonSchemaProps;
use crd_analyzer_schema::field::{Cause, Error, Path};
use crd_analyzer_schema::rules::{CompiledRule, DeclType};

use super::compiler::{CelCompiler, Types};
use super::limits::TOTAL_COST_LIMIT;
use crate::codes;

/// The compiled rules of a node.
#[derive(Clone, Copy, Debug)]
pub struct CompiledRules<'v> {
    /// The type of the node's values.
    pub ty: &'v Arc<DeclType>,
    /// The results, one per rule, in the order of the rules.
    pub rules: &'v [CompiledRule],
}

impl CompiledSchema {
    /// The nodes with rules that were checked, with their paths in the internal form.
    pub fn nodes(&self) -> impl Iterator<Item = (&Path, CompiledRules<'_>)> {
        self.nodes.iter().filter_map(|it| {
            let (ty, rules) = (it.ty.as_ref()?, it.compiled.as_ref().ok()?);
            Some((&it.path, CompiledRules { ty, rules }))
        })
    }
}

/// The results for the rules of one schema.
#[derive(Clone, Debug)]
pub struct CompiledSchema {
    /// The path of the schema in the internal form.
    pub(super) path: Path,
    /// The reason why the API server compiles no rules of the schema, if any.
    pub(super) not_checked: Option<String>,
    /// The nodes with rules, each after the nodes inside it.
    pub(super) nodes: Vec<CompiledNode>,
}

/// The results for the rules of one node of a schema.
#[derive(Clone, Debug)]
pub(super) struct CompiledNode {
    /// The path of the node in the internal form.
    pub(super) path: Path,
    /// The type of the node's values, if expressions can access these values.
    pub(super) ty: Option<Arc<DeclType>>,
    /// One result per rule, in the order of the rules, or the error that kept the API server from compiling the rules. If the API server crashes,
    /// there is just one result.
    pub(super) compiled: Result<Vec<CompiledRule>, String>,
}

/// The step from the types of the parent node to the types of a node.
#[derive(Clone, Copy)]
enum Accessor<'s> {
    Root,
    Property(&'s str),
    Items,
    Values,
}

/// A node of a schema, with the information that its rules need (`CELSchemaContext`).
pub(super) struct CelContext<'p, 's> {
    compiler: &'s CelCompiler,
    parent: Option<&'p CelContext<'p, 's>>,
    accessor: Accessor<'s>,
    schema: &'s JsonSchemaProps,
    /// Whether the node or a node above it has rules.
    has_rules_above: bool,
    /// The maximum number of values of this schema in one object; `None` if unbounded.
    max_cardinality: Option<u64>,
    types: OnceCell<Result<Types<'s>, String>>,
}

impl<'s> CelContext<'_, 's> {
    /// The root of a schema (`RootCELContext`).
    pub(super) fn root(compiler: &'s CelCompiler, schema: &'s JsonSchemaProps) -> Self {
        Self {
            compiler,
            parent: None,
            accessor: Accessor::Root,
            schema,
            has_rules_above: !schema.x_validations.is_empty(),
            max_cardinality: Some(1),
            types: OnceCell::new(),
        }
    }

    /// The context of the property `name` (`ChildPropertyContext`).
    pub(super) fn property<'a>(&'a self, name: &'s str, schema: &'s JsonSchemaProps) -> CelContext<'a, 's> {
        self.child(Accessor::Property(name), schema)
    }

    /// The context of the items (`ChildItemsContext`).
    pub(super) fn items<'a>(&'a self, schema: &'s JsonSchemaProps) -> CelContext<'a, 's> {
        self.child(Accessor::Items, schema)
    }

    /// The context of the values of a map (`ChildAdditionalPropertiesContext`).
    pub(super) fn additional_properties<'a>(&'a self, schema: &'s JsonSchemaProps) -> CelContext<'a, 's> {
        self.child(Accessor::Values, schema)
    }

    fn child<'a>(&'a self, accessor: Accessor<'s>, schema: &'s JsonSchemaProps) -> CelContext<'a, 's> {
        let own = self.max_cardinality.zip(max_elements(self.schema));
        CelContext {
            compiler: self.compiler,
            parent: Some(self),
            accessor,
            schema,
            has_rules_above: self.has_rules_above || !schema.x_validations.is_empty(),
            max_cardinality: own.map(|(above, here)| above.saturating_mul(here)),
            types: OnceCell::new(),
        }
    }

    /// The maximum number of values of this schema in one object; `None` if unbounded.
    pub(super) fn max_cardinality(&self) -> Option<u64> {
        self.max_cardinality
    }

    /// The types of the node, created on first use (`CELSchemaContext.TypeInfo`); `None` if the node is not covered by a rule.
    pub(super) fn types(&self) -> Option<&Result<Types<'s>, String>> {
        if !self.has_rules_above {
            return None;
        }
        Some(self.types.get_or_init(|| self.make_types()))
    }

    fn make_types(&self) -> Result<Types<'s>, String> {
        if let Some(parent) = self.parent.and_then(|it| it.types()) {
            let parent = parent.as_ref().map_err(Clone::clone)?;
            let types = match self.accessor {
                Accessor::Root => None,
                Accessor::Property(name) => parent.property(name),
                Accessor::Items => parent.items(),
                Accessor::Values => parent.values(),
            };
            if let Some(types) = types {
                return Ok(types);
            }
        }
        let is_resource_root = self.parent.is_none() || self.schema.x_embedded_resource;
        self.compiler.types(self.schema, is_resource_root)
    }
}

/// The maximum number of child values in one value of this schema (`extractMaxElements`); `None` if unbounded.
pub fn max_elements(schema: &JsonSchemaProps) -> Option<u64> {
    let bound = |max: Option<i64>| max.map(|max| max.max(0) as u64);
    match schema.r#type.as_str() {
        "object" if schema.additional_properties.is_some() => bound(schema.max_properties),
        "array" => bound(schema.max_items),
        _ => Some(1),
    }
}

/// The total estimated cost of all rules of a schema (`TotalCost`).
#[derive(Clone, Debug, Default)]
pub(super) struct TotalCost {
    total: u64,
    /// The most expensive rules with at least a hundredth of the limit, at most four, in descending order of cost.
    most_expensive: Vec<(Path, u64)>,
}

impl TotalCost {
    pub(super) fn observe(&mut self, path: impl FnOnce() -> Path, cost: u64) {
        self.total = self.total.saturating_add(cost);
        if cost >= TOTAL_COST_LIMIT / 100 {
            self.most_expensive.push((path(), cost));
            self.most_expensive.sort_by_key(|&(_, cost)| std::cmp::Reverse(cost));
            self.most_expensive.truncate(4);
        }
    }
}

#[cfg(test)]
impl TotalCost {
    /// The total, and the costs of the most expensive rules.
    pub(super) fn parts(self) -> (u64, Vec<u64>) {
        let most_expensive = self.most_expensive.into_iter().map(|(_, cost)| cost).collect();
        (self.total, most_expensive)
    }
}

/// The errors for the schema at `path` if the total cost of its rules exceeds the limit.
pub(super) fn total_cost_errors(cost: TotalCost, path: &Path) -> Vec<Error> {
    if cost.total <= TOTAL_COST_LIMIT {
        return Vec::new();
    }
    let code = codes::TOTAL_RULE_COST_OVER_LIMIT;
    let share = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
    let shares = cost.most_expensive.into_iter();
    let mut errors: Vec<Error> = shares.map(|(path, _)| Error::forbidden(code, path, share)).collect();
    let name = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
    let detail = over_limit(name, cost.total, TOTAL_COST_LIMIT);
    let (cost, limit) = (cost.total, TOTAL_COST_LIMIT);
    errors.push(Error::forbidden(code, path.clone(), detail).because(Cause::Cost { cost, limit }));
    errors
}

/// The message about a cost over its limit (`getCostErrorMessage`).
pub(super) fn over_limit(name: &str, cost: u64, limit: u64) -> String {
    let factor = cost as f64 / limit as f64;
    let factor = if factor > 100.0 {
        "more than 100x".to_owned()
    } else if factor < 1.5 {
        format!("{factor:.6}x")
    } else {
        format!("{factor:.1}x")
    };
    format!(
        "{name} exceeds budget by factor of {factor} (try simplifying the rule, or adding maxItems, maxProperties, and \
         maxLength where arrays, maps, and strings are declared)"
    )
}

/// The API server's message for a node without types.
pub(super) fn no_types(error: &str) -> String {
    format!("internal error: failed to construct type information for x-kubernetes-validations rules: {error}")
}
