//! The object around a default (`surroundingobject.go` of the package).
//!
//! Metadata can only be validated in whole resources. So a default deep inside a schema is wrapped in a resource that contains only this default.

use serde_json::{Map, Value};

/// The steps from a resource down to a schema inside it, kept on the stack of the walk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surrounding<'a> {
    up: Option<&'a Surrounding<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    Root,
    Field(&'a str),
    Item,
}

impl Surrounding<'_> {
    /// The resource itself (`NewRootObjectFunc`).
    pub(super) const ROOT: Self = Self {
        up: None,
        step: Step::Root,
    };

    /// The field `name` of this object (`Child`).
    pub(super) const fn field<'b>(&'b self, name: &'b str) -> Surrounding<'b> {
        Surrounding {
            up: Some(self),
            step: Step::Field(name),
        }
    }

    /// The items of this list (`Index`).
    pub(super) const fn item(&self) -> Surrounding<'_> {
        Surrounding {
            up: Some(self),
            step: Step::Item,
        }
    }

    /// A resource that contains only `value`, at this path; `None` if the result would not be an object.
    pub(super) fn wrap(&self, value: Value) -> Option<Map<String, Value>> {
        let mut value = value;
        let mut at = self;
        loop {
            value = match at.step {
                Step::Root => break,
                Step::Field(name) => Value::Object(Map::from_iter([(name.to_owned(), value)])),
                Step::Item => Value::Array(vec![value]),
            };
            at = at.up?;
        }
        match value {
            Value::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The value at this path in a resource that [`wrap`](Self::wrap) returned; `None` if the value no longer exists.
    pub(super) fn unwrap(&self, resource: Value) -> Option<Value> {
        let Some(up) = self.up else {
            return Some(resource);
        };
        match (self.step, up.unwrap(resource)?) {
            (Step::Field(name), Value::Object(mut fields)) => fields.remove(name),
            (Step::Item, Value::Array(items)) => items.into_iter().next(),
            _ => None,
        }
    }
}
