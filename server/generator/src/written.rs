//! Writes schemas into a CRD.

use std::{rc::Rc, sync::Arc};

use crd_analyzer_budget as budget;
use crd_analyzer_gosource::literal;

use crate::{
    Options, describe,
    node::{Node, Origin, Part},
    schema::{Keyword, Property, Rule, Said, Schema, Values},
};

/// An object that is being generated.
#[derive(Default)]
pub(crate) struct Map(Vec<(String, Part)>);

impl Map {
    pub(crate) fn add(&mut self, key: &str, part: Part) {
        self.0.push((key.to_owned(), part));
    }

    pub(crate) fn part(self) -> Part {
        Part::made(Node::Map(self.0))
    }
}

pub(crate) fn part(said: Said) -> Part {
    Part {
        from: said.from,
        ..Part::value(said.value)
    }
}

/// The maximum size of the schemas in a CRD, in bytes. Types that contain each other may produce huge schemas. The API server accepts only much
/// smaller CRDs.
const MAX_BYTES: u64 = 64 << 20;

/// The size to count for each schema, in bytes, without its strings.
const A_SCHEMA: u64 = 400;

/// The size to count for each value, in bytes, without its string.
const A_VALUE: u64 = 100;

/// The state of writing schemas into a CRD.
pub(crate) struct Writing<'o> {
    pub(crate) options: &'o Options,
    /// The number of bytes that may still be written.
    left: u64,
}

impl<'o> Writing<'o> {
    pub(crate) fn new(options: &'o Options) -> Self {
        Self {
            options,
            left: MAX_BYTES,
        }
    }

    /// Whether the size limit was reached.
    pub(crate) fn is_over(&self) -> bool {
        self.left == 0
    }

    pub(crate) fn schema(&mut self, of: &Schema) -> Part {
        let size = size(of);
        let rest = self.left.checked_sub(size).filter(|_| budget::bytes(size).is_ok());
        self.left = rest.unwrap_or(0);
        if self.left == 0 {
            return Part {
                is_unknown: true,
                ..Map::default().part()
            };
        }
        let options = self.options;
        let mut members = Map::default();
        let description = match options.max_description {
            Some(most) => describe::cut(&of.description, most, options.release),
            None => of.description.clone(),
        };
        if !description.is_empty() {
            members.add("description", Part::value(description));
        }
        if let Some(of_type) = &of.r#type {
            members.add("type", part(of_type.clone()));
        }
        for (keyword, said) in &of.values {
            members.add(keyword.name(), value(*keyword, said));
        }
        if !of.required.is_empty() {
            let names = of.required.iter().map(|(name, from)| Part {
                from: from.clone(),
                ..Part::value(&**name)
            });
            members.add("required", Part::made(Node::List(names.collect())));
        }
        if let Some(items) = &of.items {
            members.add("items", self.schema(items));
        }
        for (key, all) in [("allOf", &of.all_of), ("anyOf", &of.any_of)] {
            if !all.is_empty() {
                let all = all.iter().map(|it| self.schema(it)).collect();
                members.add(key, Part::made(Node::List(all)));
            }
        }
        if let Some(properties) = of.properties.as_ref().filter(|it| !it.is_empty()) {
            let property = |(name, it): (&Rc<str>, &Property)| {
                let part = Part {
                    from: it.from.clone(),
                    ..self.schema(&it.of)
                };
                (name.to_string(), part)
            };
            members.add(
                "properties",
                Part::made(Node::Map(properties.iter().map(property).collect())),
            );
        }
        match &of.additional {
            Some(Values::Any) => members.add("additionalProperties", Part::value(true)),
            Some(Values::Of(of)) => members.add("additionalProperties", self.schema(of)),
            None => {}
        }
        if !of.rules.is_empty() {
            let rules = of.rules.iter().map(rule).collect();
            members.add("x-kubernetes-validations", Part::made(Node::List(rules)));
        }
        Part {
            is_unknown: of.is_unknown,
            ..members.part()
        }
    }
}

/// The size of a schema in bytes, without the schemas in it.
fn size(of: &Schema) -> u64 {
    let rules = of
        .rules
        .iter()
        .flat_map(|it| &it.fields)
        .map(|it| bytes_of(&it.1.value));
    let values = of.values.values().map(|it| bytes_of(&it.value));
    let names = of.required.iter().map(|it| A_VALUE + it.0.len() as u64);
    A_SCHEMA + of.description.len() as u64 + rules.chain(values).chain(names).sum::<u64>()
}

fn bytes_of(value: &serde_json::Value) -> u64 {
    A_VALUE
        + match value {
            serde_json::Value::String(text) => text.len() as u64,
            serde_json::Value::Array(items) => items.iter().map(bytes_of).sum(),
            serde_json::Value::Object(members) => members.iter().map(|(key, it)| key.len() as u64 + bytes_of(it)).sum(),
            _ => 0,
        }
}

/// The value of a keyword. If it is a list, each item has an origin of its own.
fn value(keyword: Keyword, of: &Said) -> Part {
    let literal = of.from.as_ref().and_then(|it| it.written.as_deref());
    if keyword == Keyword::Enum
        && let (serde_json::Value::Array(values), Some(origin)) = (&of.value, &of.from)
    {
        let items = literal.map(|it| match &it.value {
            literal::Value::List(items) => items.as_slice(),
            _ => &[],
        });
        let items = items.unwrap_or_default();
        let parts = values.iter().enumerate().map(|(n, value)| Part {
            from: items.get(n).map(|it| Origin {
                written: Some(Arc::new(it.clone())),
                ..origin.clone()
            }),
            ..Part::value(value.clone())
        });
        return Part {
            from: Some(Origin {
                written: None,
                ..origin.clone()
            }),
            ..Part::made(Node::List(parts.collect()))
        };
    }
    part(of.clone())
}

fn rule(of: &Rule) -> Part {
    let fields = of
        .fields
        .iter()
        .map(|(name, said)| ((*name).to_owned(), part(said.clone())));
    Part {
        from: of.from.clone(),
        ..Part::made(Node::Map(fields.collect()))
    }
}
