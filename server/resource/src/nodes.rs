//! The paths of a schema's nodes.

use std::collections::HashMap;

use crd_analyzer_schema::JsonSchemaProps;
use crd_analyzer_schema::field::{Path, Segment};

/// The nodes of a schema by their addresses, each with its parent node and the steps from the parent. Only valid as long as the schema does not move.
#[derive(Debug)]
pub(crate) struct Nodes {
    root: usize,
    known: HashMap<usize, Above>,
}

#[derive(Debug)]
struct Above {
    node: usize,
    keyword: &'static str,
    below: Option<Below>,
}

#[derive(Debug)]
enum Below {
    Index(usize),
    Key(Box<str>),
}

fn address(schema: &JsonSchemaProps) -> usize {
    std::ptr::from_ref(schema) as usize
}

impl Nodes {
    pub(crate) fn new(root: &JsonSchemaProps) -> Self {
        let mut known = HashMap::new();
        note(root, &mut known);
        Self {
            root: address(root),
            known,
        }
    }

    /// The path from the root to one of the nodes.
    pub(crate) fn path(&self, target: &JsonSchemaProps) -> Option<Path> {
        let mut steps = Vec::new();
        let mut at = address(target);
        while at != self.root {
            let above = self.known.get(&at)?;
            steps.extend(above.below.as_ref().map(|it| match it {
                Below::Index(index) => Segment::Index(*index),
                Below::Key(name) => Segment::Key(name.to_string()),
            }));
            steps.push(Segment::Field(above.keyword.to_owned()));
            at = above.node;
        }
        Some(steps.into_iter().rev().collect())
    }
}

fn note(schema: &JsonSchemaProps, known: &mut HashMap<usize, Above>) {
    let node = address(schema);
    let mut enter = |schema: &JsonSchemaProps, keyword: &'static str, below: Option<Below>| {
        known.insert(address(schema), Above { node, keyword, below });
        note(schema, known);
    };
    for (keyword, clauses) in schema.clauses() {
        for (n, clause) in clauses.iter().enumerate() {
            enter(clause, keyword, Some(Below::Index(n)));
        }
    }
    if let Some(not) = &schema.not {
        enter(not, "not", None);
    }
    for (name, property) in &schema.properties {
        enter(property, "properties", Some(Below::Key(name.as_str().into())));
    }
    if let Some(values) = schema
        .additional_properties
        .as_deref()
        .and_then(|it| it.schema.as_deref())
    {
        enter(values, "additionalProperties", None);
    }
    if let Some(items) = schema.items.as_deref().and_then(|it| it.schema.as_deref()) {
        enter(items, "items", None);
    }
}
