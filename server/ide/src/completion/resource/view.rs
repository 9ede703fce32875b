//! The schema of a value, combined with the schemas in its `anyOf` and similar keywords.

use std::borrow::Cow;

use crate::markdown::Documentation;
use crd_analyzer_syntax::{
    paths::Step,
    tree::{NodeId, NodeKind, Tree},
};

use super::{super::nav, Shape, display};
use crate::completion::rank::Expected;

/// The schemas that apply to a value.
#[derive(Clone, Debug)]
pub(crate) struct View<'d> {
    /// The syntax tree of the CRD's file.
    pub(crate) tree: &'d Tree,
    /// The schema that declares the value, followed by those that only restrict it.
    schemas: Vec<NodeId>,
    /// Whether the value is a whole object.
    is_resource: bool,
}

/// The maximum number of schemas in nested `anyOf` and similar keywords.
const MAX_SCHEMAS: usize = 64;

impl<'d> View<'d> {
    /// The view of a whole object.
    pub(crate) fn root(tree: &'d Tree, schema: NodeId) -> Self {
        Self {
            is_resource: true,
            ..Self::of(tree, vec![schema])
        }
    }

    /// The view of a value in an object.
    pub(crate) fn value(tree: &'d Tree, schema: NodeId) -> Self {
        Self::of(tree, vec![schema])
    }

    /// The view for the given schemas and the schemas in their `anyOf` and similar keywords.
    fn of(tree: &'d Tree, schemas: Vec<NodeId>) -> Self {
        let mut view = Self {
            tree,
            is_resource: schemas
                .first()
                .is_some_and(|it| nav::is_true(tree, *it, "x-kubernetes-embedded-resource")),
            schemas,
        };
        let mut at = 0;
        while let Some(schema) = view.schemas.get(at).copied() {
            for keyword in ["allOf", "anyOf", "oneOf"] {
                let clauses = nav::child(tree, schema, keyword)
                    .into_iter()
                    .flat_map(|it| tree.items(it));
                let room = MAX_SCHEMAS.saturating_sub(view.schemas.len());
                let clauses: Vec<_> = clauses.take(room).map(|it| tree.resolve(it)).collect();
                view.schemas.extend(clauses);
            }
            at += 1;
        }
        view
    }

    /// The view of the value at a relative path. `None` if the schema does not say anything about the value.
    pub(crate) fn follow(self, path: &[Step<'_>]) -> Option<Self> {
        let mut view = self;
        for step in path {
            let found = match step {
                Step::Key(key) => view.field(key),
                Step::Index(_) => view.item(),
            };
            view = found?;
        }
        Some(view)
    }

    fn field(&self, key: &str) -> Option<Self> {
        let tree = self.tree;
        let mut found = Vec::new();
        for schema in &self.schemas {
            let own = nav::child(tree, *schema, "properties").and_then(|it| nav::child(tree, it, key));
            let other = || nav::child(tree, *schema, "additionalProperties").filter(|it| nav::is_mapping(tree, *it));
            found.extend(own.or_else(other));
        }
        (!found.is_empty()).then(|| Self::of(tree, found))
    }

    /// The view of the items of a list.
    pub(crate) fn item(&self) -> Option<Self> {
        let found: Vec<_> = self
            .schemas
            .iter()
            .filter_map(|it| nav::child(self.tree, *it, "items"))
            .collect();
        (!found.is_empty()).then(|| Self::of(self.tree, found))
    }

    /// Whether completion offers something after the key of the value.
    pub(crate) fn is_followed(&self) -> bool {
        match self.ty() {
            Some("boolean") => true,
            Some("object") => !self.fields().is_empty(),
            Some("array") => self.item().is_some_and(|it| it.is_followed()),
            _ => !self.enum_values().is_empty() || self.default_value().is_some(),
        }
    }

    /// Whether the schema is a map of quantities, in the form in which Kubernetes generates it.
    pub(crate) fn is_map_of_quantities(&self) -> bool {
        let values = nav::child(self.tree, self.main(), "additionalProperties");
        values.is_some_and(|it| {
            nav::is_true(self.tree, it, "x-kubernetes-int-or-string")
                && nav::text(self.tree, it, "pattern").is_some_and(|it| it.contains("[KMGTPE]i"))
        })
    }

    /// The schema that declares the value.
    pub(crate) fn main(&self) -> NodeId {
        self.schemas[0]
    }

    pub(crate) fn has(&self, keyword: &str) -> bool {
        nav::child(self.tree, self.main(), keyword).is_some()
    }

    pub(crate) fn is_true(&self, keyword: &str) -> bool {
        nav::is_true(self.tree, self.main(), keyword)
    }

    /// Whether the value is a whole object, with `apiVersion` and `kind`.
    pub(crate) fn is_resource(&self) -> bool {
        self.is_resource
    }

    /// The declared fields with their views.
    pub(crate) fn fields(&self) -> Vec<(Cow<'d, str>, Self)> {
        let tree = self.tree;
        let mut found: Vec<(Cow<'d, str>, Self)> = Vec::new();
        let properties = nav::child(tree, self.main(), "properties");
        for (name, schema) in properties.into_iter().flat_map(|it| nav::entries(tree, it)) {
            found.push((name, Self::of(tree, vec![schema])));
        }
        if self.is_resource {
            for name in ["apiVersion", "kind", "metadata"] {
                if !found.iter().any(|it| it.0 == name) {
                    found.push((
                        name.into(),
                        Self {
                            tree,
                            schemas: vec![self.main()],
                            is_resource: false,
                        },
                    ));
                }
            }
        }
        found
    }

    /// The fields that are required in any case. A `required` in an `anyOf` or `oneOf` is only one of several alternatives.
    pub(crate) fn required(&self) -> Vec<Cow<'d, str>> {
        let tree = self.tree;
        let all_of = nav::child(tree, self.main(), "allOf")
            .into_iter()
            .flat_map(|it| tree.items(it));
        let schemas = std::iter::once(self.main()).chain(all_of.map(|it| tree.resolve(it)));
        let lists = schemas.filter_map(|it| nav::child(tree, it, "required"));
        lists.flat_map(|it| nav::texts(tree, it)).collect()
    }

    /// The value of a keyword of the schema.
    pub(crate) fn text(&self, keyword: &str) -> Option<Cow<'d, str>> {
        nav::text(self.tree, self.main(), keyword)
    }

    pub(crate) fn ty(&self) -> Option<&'static str> {
        let text = nav::text(self.tree, self.main(), "type")?;
        ["object", "array", "string", "integer", "number", "boolean"]
            .into_iter()
            .find(|it| *it == text)
    }

    /// Whether YAML must parse the value as a string.
    pub(crate) fn is_string(&self) -> bool {
        self.ty() == Some("string")
    }

    /// Whether the value may be an integer or a string.
    pub(crate) fn is_int_or_string(&self) -> bool {
        nav::is_true(self.tree, self.main(), "x-kubernetes-int-or-string")
    }

    pub(crate) fn enum_values(&self) -> Vec<NodeId> {
        let tree = self.tree;
        let lists = self.schemas.iter().filter_map(|it| nav::child(tree, *it, "enum"));
        let values = lists.flat_map(|it| tree.items(it)).map(|it| tree.resolve(it));
        values.filter(|it| tree.is_scalar(*it)).collect()
    }

    pub(crate) fn default_value(&self) -> Option<NodeId> {
        nav::child(self.tree, self.main(), "default")
    }

    /// A short form of the default.
    pub(crate) fn default_text(&self) -> Option<String> {
        let default = self.default_value()?;
        let text = if self.tree.is_scalar(default) {
            self.tree.scalar(default).into_owned()
        } else {
            self.tree
                .source(default)
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
        };
        (text.chars().count() <= 40).then_some(text)
    }

    /// A short form of the type.
    pub(crate) fn display(&self) -> String {
        display(self.tree, self.main())
    }

    pub(crate) fn documentation(&self) -> Option<Documentation> {
        let description = nav::text(self.tree, self.main(), "description")?;
        Some(Documentation::Theirs(description.into_owned()))
    }

    pub(in crate::completion) fn shape(&self) -> Shape {
        match self.ty() {
            Some("object") => Shape::Mapping,
            Some("array") if self.item().is_some_and(|it| it.ty() == Some("object")) => Shape::ListOfMappings,
            Some("array") => Shape::List,
            Some("string") => Shape::Text,
            _ => Shape::Scalar,
        }
    }

    /// The expected form of the field's value.
    pub(in crate::completion) fn expected(&self) -> Expected<'d> {
        match self.ty() {
            Some("object") => Expected::Mapping,
            Some("array") => Expected::List,
            Some("boolean") => Expected::Boolean,
            Some("integer" | "number") => Expected::Number,
            Some("string") => Expected::Text,
            _ => Expected::Anything,
        }
    }

    /// The penalty of a field for its name. In a whole object, some fields come first, and others are set by the API server.
    pub(crate) fn penalty_of(&self, name: &str) -> i32 {
        match name {
            "status" if self.ty() == Some("object") => 600,
            "apiVersion" => -3,
            "kind" => -2,
            "metadata" => -1,
            _ => 0,
        }
    }

    /// The bonus of a field of a whole object for its name. People write `kind` and the name before required fields.
    pub(crate) fn head_penalty(&self, name: &str) -> i32 {
        match name {
            "apiVersion" | "kind" | "metadata" if self.is_resource => -2_000,
            _ => 0,
        }
    }

    /// The values of an `enum` as strings.
    pub(crate) fn enum_texts(&self) -> Vec<String> {
        let is_string = self.is_string();
        let values = self.enum_values();
        values
            .into_iter()
            .map(|it| crate::completion::schema_values::written(self.tree, it, is_string))
            .collect()
    }

    /// The keys that identify the items of a list.
    pub(crate) fn list_map_keys(&self) -> Vec<Cow<'d, str>> {
        let keys = nav::child(self.tree, self.main(), "x-kubernetes-list-map-keys");
        let keys = keys.filter(|it| matches!(self.tree.kind(*it), NodeKind::Sequence(_)));
        keys.into_iter().flat_map(|it| nav::texts(self.tree, it)).collect()
    }
}
