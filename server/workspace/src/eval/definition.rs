//! The inputs for trying expressions, parsed from text: CRDs, schemas and values.

use std::sync::Arc;

use crd_analyzer_apiextensions::decode::decode_schema;
use crd_analyzer_apiextensions::strategy::judge_create;
use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion, depth};
use crd_analyzer_syntax::read_json;
use crd_analyzer_syntax::tree::Tree;
use serde_json::Value;

use crate::{documents::head, documents::text::Text};

/// The parts of a CRD that are needed to try expressions.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The value of `metadata.name`.
    pub name: String,
    /// The value of `spec.group`.
    pub group: String,
    /// The value of `spec.names.kind`.
    pub kind: String,
    /// The versions of the CRD.
    pub versions: Vec<CrdVersion>,
}

/// A version of a CRD.
#[derive(Clone, Debug)]
pub struct CrdVersion {
    /// The name of the version.
    pub name: String,
    /// Whether objects are stored in this version.
    pub is_storage: bool,
    /// The schema of the version, if it has one.
    pub schema: Option<Arc<JsonSchemaProps>>,
}

impl Definition {
    /// Reads the CRDs in a text.
    pub fn read(bytes: Vec<u8>, version: KubernetesVersion) -> Result<Vec<Self>, String> {
        let source = Text::decode(bytes);
        let cut = source.documents();
        if let Some(error) = &cut.error {
            return Err(error.message.clone());
        }
        let mut found = Vec::new();
        for &document in &cut.documents {
            if !head::read(&source, document).is_crd() {
                continue;
            }
            let tree = source.read(document).map_err(|error| error.message)?;
            found.push(Self::of(&tree, version)?);
        }
        Ok(found)
    }

    fn of(tree: &Tree, version: KubernetesVersion) -> Result<Self, String> {
        let json = read_json(tree).map_err(|error| error.message)?;
        let verdict = judge_create(&json, version, None);
        if let Some(error) = verdict.decode_error {
            return Err(error.text);
        }
        let definition = verdict.definition.ok_or("nested too deeply to be read")?.internal;
        let shared = definition
            .spec
            .validation
            .and_then(|it| it.open_api_v3_schema)
            .map(Arc::new);
        let versions = definition.spec.versions.into_iter().map(|it| CrdVersion {
            name: it.name,
            is_storage: it.storage,
            schema: match it.schema.and_then(|it| it.open_api_v3_schema) {
                Some(own) => Some(Arc::new(own)),
                None => shared.clone(),
            },
        });
        Ok(Self {
            name: definition.metadata.name,
            group: definition.spec.group,
            kind: definition.spec.names.kind,
            versions: versions.collect(),
        })
    }

    /// The version with the given name. Without a name, the version of the given object; without an object, the storage version.
    pub fn version(&self, name: Option<&str>, object: Option<&Value>) -> Result<&CrdVersion, String> {
        let named = |name: &str| self.versions.iter().find(|it| it.name == name);
        if let Some(name) = name {
            return named(name).ok_or_else(|| {
                let known: Vec<_> = self.versions.iter().map(|it| it.name.as_str()).collect();
                format!("{} has no version {name}: it has {}", self.name, known.join(", "))
            });
        }
        let of_object = object.and_then(|it| it.get("apiVersion")?.as_str()?.split_once('/'));
        of_object
            .and_then(|(_, version)| named(version))
            .or_else(|| self.versions.iter().find(|it| it.is_storage))
            .or_else(|| self.versions.first())
            .ok_or_else(|| format!("{} has no version", self.name))
    }

    /// Whether a value has the group and kind of this CRD.
    pub fn defines(&self, value: &Value) -> bool {
        let api_version = value.get("apiVersion").and_then(Value::as_str);
        let group = api_version.and_then(|it| it.split_once('/')).map(|it| it.0);
        group == Some(self.group.as_str()) && value.get("kind").and_then(Value::as_str) == Some(self.kind.as_str())
    }
}

/// Reads the values in a text, which are its non-empty YAML or JSON documents.
pub fn read_value(bytes: Vec<u8>) -> Result<Vec<Value>, String> {
    let source = Text::decode(bytes);
    let cut = source.documents();
    if let Some(error) = &cut.error {
        return Err(error.message.clone());
    }
    let mut values = Vec::new();
    for &document in &cut.documents {
        let tree = source.read(document).map_err(|error| error.message)?;
        let json = read_json(&tree).map_err(|error| error.message)?;
        let limit = depth::limit();
        if json.depth() > limit {
            return Err(format!("nested deeper than {limit} levels"));
        }
        values.extend(json.root().map(crd_analyzer_syntax::json::Json::to_value));
    }
    Ok(values)
}

/// Reads a schema in the form that v1 CRDs use, in YAML or JSON.
pub fn read_schema(bytes: Vec<u8>, version: KubernetesVersion) -> Result<JsonSchemaProps, String> {
    let source = Text::decode(bytes);
    let Some(&document) = source.documents().documents.first() else {
        return Err("the file has no schema".to_owned());
    };
    let tree = source.read(document).map_err(|error| error.message)?;
    let json = read_json(&tree).map_err(|error| error.message)?;
    let root = json.root().ok_or("the file has no schema")?;
    if root.members().is_none() {
        return Err("a schema is an object".to_owned());
    }
    decode_schema(root, version).map_err(|failure| failure.cause.to_string())
}
