//! Paths to a node of a schema, as users write them. They follow the value (`spec.hosts[*].name`), or the schema as the API server prints it
//! (`spec.validation.openAPIV3Schema.properties[spec]`).

use crd_analyzer_schema::field::{Path, Segment};
use crd_analyzer_schema::rules::SchemaStep;
use crd_analyzer_schema::structural::{AdditionalProperties, Structural};
use serde_json::Value;

use crate::words::meant::meant;

/// A parsed path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodePath {
    steps: Vec<Step>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Step {
    /// A field of an object, or a key of a map.
    Name(String),
    /// Any item of a list, or any value of a map.
    Any,
    /// One item of a list.
    Index(usize),
    /// A step in a schema.
    Schema(SchemaStep),
}

/// A node of a schema.
#[derive(Clone, Debug)]
pub struct Node<'s> {
    /// The node.
    pub schema: Structural<'s>,
    /// Whether the node describes custom or embedded resources.
    pub is_resource_root: bool,
    /// The path from the root of the schema to the node.
    pub steps: Vec<SchemaStep>,
    /// The item or key that the path selects at each step. `None` selects all.
    only: Vec<Option<Segment>>,
}

impl Node<'_> {
    /// Whether the path selects the value at this path of an object.
    pub fn is_at(&self, path: &Path) -> bool {
        let segments = path.segments();
        segments.len() == self.only.len()
            && self
                .only
                .iter()
                .zip(segments)
                .all(|(only, it)| only.as_ref().is_none_or(|only| only == it))
    }
}

impl std::str::FromStr for NodePath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let of_schema = text
            .split_once("openAPIV3Schema")
            .map(|(_, rest)| rest)
            .or_else(|| text.starts_with("properties[").then_some(text));
        let plain = ["$", "self"].into_iter().find_map(|it| {
            let rest = text.strip_prefix(it)?;
            (rest.is_empty() || rest.starts_with(['.', '['])).then_some(rest)
        });
        let parts = parts(of_schema.or(plain).unwrap_or(text))?;
        let steps = if of_schema.is_some() {
            schema_steps(parts)?
        } else {
            parts
        };
        Ok(Self { steps })
    }
}

/// Splits a path at dots and brackets.
fn parts(text: &str) -> Result<Vec<Step>, String> {
    let mut steps = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(inside) = rest.strip_prefix('[') {
            let (inner, after) = bracket(inside).ok_or_else(|| format!("`[` is not closed in `{text}`"))?;
            steps.push(inner);
            rest = after;
            continue;
        }
        rest = rest.strip_prefix('.').unwrap_or(rest);
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        match &rest[..end] {
            "" if rest.is_empty() && steps.is_empty() => {}
            "" if rest.starts_with('[') => {}
            "" => return Err(format!("a name is missing in `{text}`")),
            "*" => steps.push(Step::Any),
            name => steps.push(Step::Name(name.to_owned())),
        }
        rest = &rest[end..];
    }
    Ok(steps)
}

/// The step in brackets, and the text after the brackets.
fn bracket(text: &str) -> Option<(Step, &str)> {
    if let Some(quote) = text.chars().next().filter(|it| ['"', '\''].contains(it)) {
        let (name, rest) = text[1..].split_once(quote)?;
        return Some((Step::Name(name.to_owned()), rest.strip_prefix(']')?));
    }
    let (inner, rest) = text.split_once(']')?;
    let step = match inner.trim() {
        "" | "*" => Step::Any,
        inner => match inner.parse() {
            Ok(index) => Step::Index(index),
            Err(_) => Step::Name(inner.to_owned()),
        },
    };
    Some((step, rest))
}

/// Converts the parts of a path to steps in a schema, up to a rule.
fn schema_steps(parts: Vec<Step>) -> Result<Vec<Step>, String> {
    let mut steps = Vec::new();
    let mut parts = parts.into_iter();
    while let Some(part) = parts.next() {
        let Step::Name(keyword) = part else {
            return Err("a keyword of a schema is missing before `[`".to_owned());
        };
        steps.push(Step::Schema(match keyword.as_str() {
            "properties" => match parts.next() {
                Some(Step::Name(name)) => SchemaStep::Property(name),
                Some(Step::Index(index)) => SchemaStep::Property(index.to_string()),
                _ => {
                    return Err("write the name of a property after `properties`, as in `properties[spec]`".to_owned());
                }
            },
            "items" => SchemaStep::Items,
            "additionalProperties" => SchemaStep::Values,
            "x-kubernetes-validations" => break,
            other => return Err(format!("`{other}` does not lead to a schema that can have rules")),
        }));
    }
    Ok(steps)
}

impl NodePath {
    /// Whether the path is the root.
    pub fn is_root(&self) -> bool {
        self.steps.is_empty()
    }

    /// The first value that the path selects in an object, without a schema.
    pub fn value_in<'v>(&self, object: &'v Value) -> Option<&'v Value> {
        self.steps.iter().try_fold(object, |value, step| match step {
            Step::Name(name) | Step::Schema(SchemaStep::Property(name)) => value.get(name),
            Step::Index(index) => value.get(index),
            Step::Any | Step::Schema(_) => match value {
                Value::Array(items) => items.first(),
                Value::Object(members) => members.values().next(),
                _ => None,
            },
        })
    }

    /// Follows the path from the root of a schema.
    pub fn find<'s>(&self, root: Structural<'s>) -> Result<Node<'s>, String> {
        let mut node = Node {
            schema: root,
            is_resource_root: true,
            steps: Vec::new(),
            only: Vec::new(),
        };
        let mut way = String::new();
        for step in &self.steps {
            let (taken, only) = take(node.schema, step).map_err(|why| {
                let here = if way.is_empty() { "the root" } else { &way };
                format!("{here} {why}")
            })?;
            node.schema = super::below(node.schema, &taken).unwrap_or(node.schema);
            node.is_resource_root = node.schema.is_embedded_resource();
            match &taken {
                SchemaStep::Property(name) if way.is_empty() => way.push_str(name),
                SchemaStep::Property(name) => {
                    way.push('.');
                    way.push_str(name);
                }
                SchemaStep::Items | SchemaStep::Values => way.push_str("[*]"),
            }
            node.steps.push(taken);
            node.only.push(only);
        }
        Ok(node)
    }
}

fn take(schema: Structural<'_>, step: &Step) -> Result<(SchemaStep, Option<Segment>), String> {
    let values = schema.additional_properties().and_then(AdditionalProperties::schema);
    match step {
        Step::Schema(step) => match super::below(schema, step) {
            Some(_) => Ok((step.clone(), None)),
            None => match step {
                SchemaStep::Property(name) => Err(no_property(schema, name)),
                SchemaStep::Items => Err("has no items".to_owned()),
                SchemaStep::Values => Err("has no additionalProperties".to_owned()),
            },
        },
        Step::Name(name) if schema.property(name).is_some() => Ok((SchemaStep::Property(name.clone()), None)),
        Step::Name(name) if values.is_some() => Ok((SchemaStep::Values, Some(Segment::Key(name.clone())))),
        Step::Index(index) if schema.items().is_some() => Ok((SchemaStep::Items, Some(Segment::Index(*index)))),
        Step::Index(index) if values.is_some() => Ok((SchemaStep::Values, Some(Segment::Key(index.to_string())))),
        Step::Any if schema.items().is_some() => Ok((SchemaStep::Items, None)),
        Step::Any if values.is_some() => Ok((SchemaStep::Values, None)),
        Step::Name(_) if schema.items().is_some() => Err("is a list: `[*]` means each of its items".to_owned()),
        Step::Name(name) => Err(no_property(schema, name)),
        Step::Any | Step::Index(_) => Err("is neither a list nor a map".to_owned()),
    }
}

fn no_property(schema: Structural<'_>, name: &str) -> String {
    let known: Vec<&str> = schema.properties().map(|it| it.0).collect();
    if known.is_empty() {
        return format!("has no property `{name}`: its schema has no properties");
    }
    if let Some(near) = meant(name, known.iter().copied()) {
        format!("has no property `{name}`; did you mean `{near}`?")
    } else {
        let more = if known.len() > 8 { ", …" } else { "" };
        format!(
            "has no property `{name}`: it has {}{more}",
            known[..known.len().min(8)].join(", ")
        )
    }
}
