//! The OpenAPI file that a kustomization names in `openapi`. It replaces the built-in schemas of Kubernetes' own kinds
//! (`sigs.k8s.io/kustomize/kyaml/openapi`).
//!
//! kustomize has one global schema at a time. In this crate, each build has its own: [`OpenApi::within`] sets it for the current thread.

use std::{cell::RefCell, collections::HashMap, rc::Rc, sync::Arc};

use crd_analyzer_syntax::{
    json::Json,
    read_json,
    split::{read_document, split},
};
use serde_json::{Map, Value};

use crate::facts::ListMerge;

/// The maximum number of references to follow one after the other.
const MOST_REFERENCES: usize = 100;

/// The maximum depth of nested schemas.
const MOST_DEPTH: usize = 200;

/// The schema of a value.
#[derive(Debug, Default)]
pub(crate) struct Schema {
    /// The name of the definition to which the schema refers.
    reference: Option<String>,
    properties: HashMap<String, Schema>,
    /// The schema of the values of a map.
    values: Option<Box<Schema>>,
    /// The schema of the items, if the value is certainly a list.
    items: Option<Box<Schema>>,
    merge: Option<ListMerge<String>>,
}

/// An OpenAPI file.
#[derive(Debug, Default)]
pub(crate) struct OpenApi {
    definitions: HashMap<String, Schema>,
    /// The names of definitions, by the `apiVersion` and `kind` of the objects that they describe.
    kinds: HashMap<(String, String), String>,
    /// Whether each kind is namespaced, according to the paths in the file.
    namespaced: HashMap<(String, String), bool>,
}

thread_local! {
    static CURRENT: RefCell<Option<Rc<OpenApi>>> = const { RefCell::new(None) };
}

impl OpenApi {
    /// Parses an OpenAPI file: as JSON if it starts with a brace, otherwise as YAML. The error is the reason why it cannot be parsed.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let value = if text.starts_with('{') {
            serde_json::from_str(text).map_err(|it| it.to_string())?
        } else {
            yaml(text)?
        };
        let Value::Object(root) = value else {
            return Err("it is not an object".to_owned());
        };
        let mut found = Self::default();
        if let Some(Value::Object(definitions)) = root.get("definitions") {
            for (name, schema) in definitions {
                for kind in kinds(schema.get(KINDS)) {
                    found.kinds.insert(kind, name.clone());
                }
                found.definitions.insert(name.clone(), Schema::read(schema, 0));
            }
        }
        if let Some(Value::Object(paths)) = root.get("paths") {
            for (path, item) in paths {
                let kind = item.get("get").and_then(|it| kind(it.get(KINDS)?));
                let Some(kind) = kind else { continue };
                let is_namespaced = path.contains("namespaces/{namespace}");
                *found.namespaced.entry(kind).or_default() |= is_namespaced;
            }
        }
        Ok(found)
    }

    /// Calls a function while this is the current thread's OpenAPI file.
    pub(crate) fn within<T>(self, run: impl FnOnce() -> T) -> T {
        /// Restores the thread's previous OpenAPI file when it is dropped, even if the function panics.
        struct Outer(Option<Rc<OpenApi>>);
        impl Drop for Outer {
            fn drop(&mut self) {
                CURRENT.set(self.0.take());
            }
        }
        let _outer = Outer(CURRENT.replace(Some(Rc::new(self))));
        run()
    }

    /// The OpenAPI file of the current thread, if one is set.
    pub(crate) fn current() -> Option<Rc<Self>> {
        CURRENT.with_borrow(Clone::clone)
    }

    /// Whether a kind is cluster-scoped, which means that the file has paths for the kind, but none of them is in a namespace.
    pub(crate) fn is_cluster_scoped(&self, api_version: &str, kind: &str) -> bool {
        let name = (api_version.to_owned(), kind.to_owned());
        self.namespaced.get(&name) == Some(&false)
    }

    /// The schema of a kind.
    pub(crate) fn of_kind(&self, api_version: &str, kind: &str) -> Option<&Schema> {
        let name = (api_version.to_owned(), kind.to_owned());
        self.definitions.get(self.kinds.get(&name)?)
    }

    /// Follows the reference in a schema. `None` if its target does not exist.
    fn resolved<'s>(&'s self, mut schema: &'s Schema) -> Option<&'s Schema> {
        for _ in 0..MOST_REFERENCES {
            let Some(name) = &schema.reference else {
                return Some(schema);
            };
            schema = self.definitions.get(name)?;
        }
        None
    }

    /// The schema of a field.
    pub(crate) fn field<'s>(&'s self, schema: &'s Schema, name: &str) -> Option<&'s Schema> {
        let field = schema.properties.get(name).or(schema.values.as_deref())?;
        self.resolved(field)
    }

    /// The schema of the items of a list.
    pub(crate) fn items<'s>(&'s self, schema: &'s Schema) -> Option<&'s Schema> {
        self.resolved(schema.items.as_deref()?)
    }
}

const KINDS: &str = "x-kubernetes-group-version-kind";

/// The `apiVersion` and `kind` of each entry in a list of kinds.
fn kinds(list: Option<&Value>) -> impl Iterator<Item = (String, String)> {
    let list = list.and_then(Value::as_array).into_iter().flatten();
    list.filter_map(kind)
}

fn kind(of: &Value) -> Option<(String, String)> {
    let text = |name: &str| of.get(name).and_then(Value::as_str);
    let version = text("version")?;
    let api_version = match text("group") {
        None | Some("") => version.to_owned(),
        Some(group) => format!("{group}/{version}"),
    };
    Some((api_version, text("kind")?.to_owned()))
}

fn yaml(text: &str) -> Result<Value, String> {
    let text: Arc<str> = text.into();
    let found = split(&text);
    let document = found.documents.first().ok_or("it is empty")?;
    let tree = read_document(&text, *document, &[]).map_err(|it| it.to_string())?;
    let json = read_json(&tree).map_err(|it| it.to_string())?;
    json.root().map(Json::to_value).ok_or_else(|| "it is empty".to_owned())
}

impl Schema {
    fn read(value: &Value, depth: usize) -> Self {
        let Value::Object(keywords) = value else {
            return Self::default();
        };
        if depth > MOST_DEPTH {
            return Self::default();
        }
        let below = |name: &str| {
            let schema = keywords.get(name).filter(|it| it.is_object());
            schema.map(|it| Box::new(Self::read(it, depth + 1)))
        };
        let properties = keywords.get("properties").and_then(Value::as_object);
        let properties = properties.into_iter().flatten();
        let reference = keywords.get("$ref").and_then(Value::as_str);
        let is_list = match keywords.get("type") {
            Some(Value::String(name)) => name == "array",
            Some(Value::Array(names)) => names.len() == 1 && names[0] == "array",
            _ => false,
        };
        Self {
            // Only references to definitions can be followed.
            reference: reference.map(|it| it.strip_prefix("#/definitions/").unwrap_or_default().to_owned()),
            properties: properties
                .map(|(name, it)| (name.clone(), Self::read(it, depth + 1)))
                .collect(),
            values: below("additionalProperties"),
            items: below("items").filter(|_| is_list),
            merge: merge(keywords),
        }
    }

    /// How to merge a list with this schema.
    pub(crate) fn merge(&self) -> Option<&ListMerge<String>> {
        self.merge.as_ref()
    }
}

/// How to merge a list, according to the keywords of its schema (`PatchStrategyAndKeyList`).
fn merge(keywords: &Map<String, Value>) -> Option<ListMerge<String>> {
    let strategy = keywords.get("x-kubernetes-patch-strategy")?.as_str()?;
    if !strategy.split(',').any(|it| it == "merge") {
        return None;
    }
    let text = |it: &Value| it.as_str().map(str::to_owned);
    let listed = keywords.get("x-kubernetes-list-map-keys").and_then(Value::as_array);
    let keys: Vec<String> = match listed {
        Some(keys) => keys.iter().filter_map(text).collect(),
        None => keywords
            .get("x-kubernetes-patch-merge-key")
            .and_then(text)
            .into_iter()
            .collect(),
    };
    Some(if keys.is_empty() {
        ListMerge::Set
    } else {
        ListMerge::Keys(keys)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "\
definitions:
  a.Widget:
    x-kubernetes-group-version-kind: [{group: example.com, version: v1, kind: Widget}]
    properties:
      spec: {$ref: '#/definitions/a.Spec'}
      other: {$ref: '#/definitions/b.None'}
  a.Spec:
    additionalProperties:
      type: array
      items: {type: object}
      x-kubernetes-patch-strategy: 'replace,merge'
      x-kubernetes-patch-merge-key: name
paths:
  /apis/example.com/v1/widgets:
    get: {x-kubernetes-group-version-kind: {group: example.com, version: v1, kind: Widget}}
  '/apis/example.com/v1/gadgets':
    get: {x-kubernetes-group-version-kind: {group: example.com, version: v1, kind: Gadget}}
  '/apis/example.com/v1/namespaces/{namespace}/gadgets':
    get: {x-kubernetes-group-version-kind: {group: example.com, version: v1, kind: Gadget}}
";

    #[test]
    fn what_a_file_says() {
        let file = OpenApi::read(FILE).expect("a file");
        let widget = file.of_kind("example.com/v1", "Widget").expect("a kind");
        let spec = file.field(widget, "spec").expect("a field");
        let list = file.field(spec, "anything").expect("a value");
        assert_eq!(list.merge(), Some(&ListMerge::Keys(vec!["name".to_owned()])));
        assert!(file.items(list).is_some() && file.items(spec).is_none());
        assert!(file.field(widget, "other").is_none(), "it refers to nothing");
        assert!(file.of_kind("v1", "Pod").is_none());
        assert!(file.is_cluster_scoped("example.com/v1", "Widget"));
        assert!(!file.is_cluster_scoped("example.com/v1", "Gadget"));
        assert!(!file.is_cluster_scoped("v1", "Node"));
    }

    #[test]
    fn what_is_no_file_is_said() {
        for text in ["", "[]", "{", "a: [", "- a"] {
            assert!(OpenApi::read(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_file_is_that_of_the_thread_only_within() {
        let file = OpenApi::read("{}").expect("a file");
        assert!(OpenApi::current().is_none());
        assert!(file.within(|| OpenApi::current().is_some()));
        assert!(OpenApi::current().is_none());
    }
}
