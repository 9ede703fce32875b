//! What the files of a chart say about its values: the defaults in `values.yaml`, and what `values.schema.json` allows.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use crd_analyzer_budget::{self as budget, Limits};
use crd_analyzer_schema::depth;
use crd_analyzer_syntax::{
    json::{Json, read_json},
    read,
    tree::{Span, Tree},
};
use serde_json::Value;

use super::computed::Computed;
use crate::documents::source::SourceText;

/// The file with the default values.
const DEFAULTS: &str = "values.yaml";

/// The file with the JSON Schema of the values. Helm renders nothing for values that it does not allow.
const SCHEMA: &str = "values.schema.json";

/// The names of the files of a chart that say something about its values.
pub const FILES: [&str; 2] = [DEFAULTS, SCHEMA];

/// The folder of a chart with its templates.
const TEMPLATES: &str = "templates";

/// The maximum number of references that lead to each other.
const MOST_REFERENCES: usize = 16;

/// The values of one chart.
#[derive(Debug)]
pub(crate) struct Values {
    /// The folder of the chart.
    folder: PathBuf,
    defaults: Option<File>,
    schema: Option<File>,
}

/// A file about values.
#[derive(Debug)]
struct File {
    source: Arc<SourceText>,
    /// The value in it. `None` if it cannot be parsed.
    value: OnceLock<Option<Value>>,
}

impl File {
    fn value(&self) -> Option<&Value> {
        self.value
            .get_or_init(|| with_json(&self.source.text, |_, json| Some(json.to_value())))
            .as_ref()
    }
}

/// Whether a file of a chart says something about its values.
pub(super) fn is_about_values(path: &Path) -> bool {
    let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
    FILES.contains(&name) && !path.parent().is_some_and(|it| it.ends_with(TEMPLATES))
}

/// What is made of the tree and the value of a text. `None` if the text cannot be parsed.
fn with_json<T>(text: &Arc<str>, make: impl FnOnce(&Tree, &Json<'_>) -> Option<T>) -> Option<T> {
    let parsed = budget::within(Limits::file(text.len()), || {
        let tree = read(text, Span::new(0, text.len() as u32)).ok()?;
        let json = read_json(&tree).ok()?;
        let root = json.root().filter(|_| json.depth() <= depth::limit())?;
        make(&tree, root)
    });
    parsed.0
}

impl Values {
    /// Adds a file about values to those of its folder.
    pub(super) fn add(all: &mut Vec<Self>, path: Arc<Path>, text: Arc<str>) {
        let Some(folder) = path.parent().map(Path::to_owned) else {
            return;
        };
        let at = all.iter().position(|it| it.folder == folder).unwrap_or(all.len());
        if at == all.len() {
            all.push(Self {
                folder,
                defaults: None,
                schema: None,
            });
        }
        let is_schema = path.ends_with(SCHEMA);
        let file = Some(File {
            source: Arc::new(SourceText::new(path, text)),
            value: OnceLock::new(),
        });
        if is_schema {
            all[at].schema = file;
        } else {
            all[at].defaults = file;
        }
    }

    /// The files that say something about the values.
    pub(super) fn files(&self) -> impl Iterator<Item = &Arc<SourceText>> {
        [&self.defaults, &self.schema]
            .into_iter()
            .flatten()
            .map(|it| &it.source)
    }

    /// Whether a template belongs to the chart of these values. Templates of a chart in it have other values.
    pub(super) fn are_of(&self, template: &Path) -> bool {
        let inside = template.strip_prefix(&self.folder);
        inside.is_ok_and(|it| it.starts_with(TEMPLATES))
    }

    /// The values that Helm accepts at a path below `.Values`. If the value may be missing, `null` is one of them. `None` if the schema does not
    /// decide.
    pub(super) fn allowed(&self, path: &[&str]) -> Option<Vec<Computed>> {
        let root = self.schema.as_ref()?.value()?;
        let (last, above) = path.split_last()?;
        let object = above.iter().try_fold(root, |at, name| property(root, at, name))?;
        let object = resolved(root, object)?;
        let mut all = of_schema(resolved(root, property(root, object, last)?)?)?;
        let mut required = object.get("required").and_then(Value::as_array).into_iter().flatten();
        if !required.any(|it| it == last) {
            all.push(Computed::Exactly(Value::Null));
        }
        Some(all)
    }

    /// The place of the schema for a path below `.Values`.
    pub(crate) fn place(&self, path: &[String]) -> Option<(Arc<SourceText>, Span)> {
        let source = &self.schema.as_ref()?.source;
        let span = with_json(&source.text, |tree, root| {
            let mut at = root;
            let mut place = None;
            for name in path {
                let member = followed(root, at)?.get("properties")?.member(name)?;
                place = Some(tree.span(member.key_node));
                at = &member.value;
            }
            place
        })?;
        Some((source.clone(), span))
    }
}

/// The schema of a property.
fn property<'s>(root: &'s Value, schema: &'s Value, name: &str) -> Option<&'s Value> {
    resolved(root, schema)?.get("properties")?.get(name)
}

/// The schema to which a reference leads. `None` if it leads out of the file.
fn resolved<'s>(root: &'s Value, schema: &'s Value) -> Option<&'s Value> {
    let mut at = schema;
    for _ in 0..MOST_REFERENCES {
        let Some(reference) = at.get("$ref") else {
            return Some(at);
        };
        at = root.pointer(reference.as_str()?.strip_prefix('#')?)?;
    }
    None
}

/// Like [`resolved`], with places.
fn followed<'j, 't>(root: &'j Json<'t>, schema: &'j Json<'t>) -> Option<&'j Json<'t>> {
    let mut at = schema;
    for _ in 0..MOST_REFERENCES {
        let Some(reference) = at.get("$ref") else {
            return Some(at);
        };
        let pointer = reference.as_str()?.strip_prefix("#/")?;
        at = pointer.split('/').try_fold(root, |at, name| at.get(name))?;
    }
    None
}

/// The values that a schema allows. `None` if they may be any.
fn of_schema(schema: &Value) -> Option<Vec<Computed>> {
    if let Some(value) = schema.get("const") {
        return Some(vec![exactly(value)]);
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return Some(values.iter().map(exactly).collect());
    }
    let types: Vec<&Value> = match schema.get("type")? {
        Value::Array(types) => types.iter().collect(),
        one => vec![one],
    };
    let mut all = Vec::new();
    for name in types {
        match name.as_str()? {
            "boolean" => all.extend([true, false].map(|it| Computed::Exactly(Value::Bool(it)))),
            "integer" => all.push(Computed::Integer),
            "number" => all.push(Computed::Number),
            "string" => all.push(Computed::Text),
            "object" => all.push(Computed::Map),
            "array" => all.push(Computed::List),
            "null" => all.push(Computed::Exactly(Value::Null)),
            _ => return None,
        }
    }
    Some(all)
}

/// A value of an enumeration. Go prints large numbers and fractions in another form.
fn exactly(value: &Value) -> Computed {
    match value {
        Value::Number(number) if number.as_i64().is_none_or(|it| it.abs() >= 1_000_000) => Computed::Number,
        Value::Object(_) => Computed::Map,
        Value::Array(_) => Computed::List,
        _ => Computed::Exactly(value.clone()),
    }
}

/// The path below `.Values` that a word of a template names, and whether it starts at the root whatever `.` is.
pub(super) fn path_of(word: &str) -> Option<(Vec<&str>, bool)> {
    let is_of_root = word.starts_with('$');
    let path = word.strip_prefix('$').unwrap_or(word).strip_prefix(".Values.")?;
    let names: Vec<&str> = path.split('.').collect();
    let is_name = |it: &&str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_');
    names.iter().all(is_name).then_some((names, is_of_root))
}
