//! What the files of a chart say about its values: the defaults in `values.yaml`, and what `values.schema.json` allows.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use crd_analyzer_budget::{self as budget, Limits};
use crd_analyzer_diagnostic::meant::is_slip;
use crd_analyzer_schema::depth;
use crd_analyzer_syntax::{
    json::{Json, JsonValue, KeptJson},
    read,
    tree::{Span, Tree},
};
use serde_json::Value;

use super::computed::Computed;
use crate::documents::source::SourceText;

/// The file with the default values.
pub(super) const DEFAULTS: &str = "values.yaml";

/// The file with the JSON Schema of the values. Helm renders nothing for values that it does not allow.
const SCHEMA: &str = "values.schema.json";

/// The names of the files of a chart that say something about its values.
pub const FILES: [&str; 2] = [DEFAULTS, SCHEMA];

/// The folder of a chart with its templates.
const TEMPLATES: &str = "templates";

/// The maximum number of references that lead to each other.
const MOST_REFERENCES: usize = 16;

/// The maximum number of names with which one is compared.
const MOST_COMPARED: usize = 200;

/// The number of values of an enumeration from which nothing is known of their types.
const MOST_VALUES: usize = 17;

/// The length of a string, in bytes, from which nothing is known of it.
const LONG: usize = 100;

/// The maximum size of a file with defaults, in bytes, in which words are searched.
const MOST_TEXT: usize = 1 << 20;

/// The maximum length of names, in bytes, and the maximum number of names in a path.
const LONGEST: usize = 80;
pub(super) const MOST_NAMES: usize = 8;

/// The values of one chart.
#[derive(Debug)]
pub(crate) struct Values {
    /// The folder of the chart.
    folder: PathBuf,
    pub(super) defaults: Option<File>,
    pub(super) schema: Option<File>,
}

/// A file about values.
#[derive(Debug)]
pub(super) struct File {
    pub(super) source: Arc<SourceText>,
    /// The value in it, with its tree. `None` if it cannot be parsed.
    parsed: OnceLock<Option<(Arc<Tree>, KeptJson)>>,
    /// The words in it, also those in comments.
    words: OnceLock<HashSet<Box<str>>>,
}

impl File {
    pub(super) fn parsed(&self) -> Option<(&Tree, &Json<'_>)> {
        let text = &self.source.text;
        let read = || {
            let tree = Arc::new(read(text, Span::new(0, text.len() as u32)).ok()?);
            let json = KeptJson::read(tree.clone()).ok()?;
            (json.get().depth() <= depth::limit()).then_some((tree, json))
        };
        let parsed = self
            .parsed
            .get_or_init(|| budget::within(Limits::file(text.len()), read).0);
        let (tree, json) = parsed.as_ref()?;
        Some((tree, json.get().root()?))
    }

    /// Whether a word is in the text, or may be, because the text is large.
    fn has(&self, word: &str) -> bool {
        if self.source.text.len() > MOST_TEXT {
            return true;
        }
        let words = self.words.get_or_init(|| {
            let text = &self.source.text;
            let words = text.split(|it: char| !(it.is_alphanumeric() || it == '_'));
            words.filter(|it| it.len() <= LONGEST).map(Into::into).collect()
        });
        words.contains(word)
    }
}

/// Whether a file of a chart says something about its values.
pub fn is_about_values(path: &Path) -> bool {
    let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
    FILES.contains(&name) && !path.parent().is_some_and(|it| it.ends_with(TEMPLATES))
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
            parsed: OnceLock::new(),
            words: OnceLock::new(),
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
        let (_, root) = self.schema.as_ref()?.parsed()?;
        let (last, above) = path.split_last()?;
        let object = above.iter().try_fold(root, |at, name| property(root, at, name))?;
        let object = resolved(root, object)?;
        let mut all = of_schema(resolved(root, property(root, object, last)?)?)?;
        let mut required = object.get("required").and_then(Json::items).into_iter().flatten();
        if !required.any(|it| it.as_str() == Some(last)) {
            all.push(Computed::Exactly(Value::Null));
        }
        Some(all)
    }

    /// The place of the schema for a path below `.Values`.
    pub(crate) fn place(&self, path: &[String]) -> Option<(Arc<SourceText>, Span)> {
        let file = self.schema.as_ref()?;
        let (tree, root) = file.parsed()?;
        let (last, above) = path.split_last()?;
        let object = above.iter().try_fold(root, |at, name| property(root, at, name))?;
        let member = resolved(root, object)?.get("properties")?.member(last)?;
        Some((file.source.clone(), tree.span(member.key_node)))
    }

    /// Whether the chart has a default for a path below `.Values`.
    pub(super) fn has(&self, path: &[&str]) -> bool {
        let parsed = self.defaults.as_ref().and_then(File::parsed);
        parsed.is_some_and(|(_, root)| path.iter().try_fold(root, |at, name| at.get(name)).is_some())
    }

    /// The value that was probably meant by a path below `.Values`, if the chart does not have it.
    pub(super) fn meant(&self, path: &[&str]) -> Option<Meant> {
        let file = self.defaults.as_ref()?;
        let (tree, mut at) = file.parsed()?;
        // A schema that cannot be read may have any value.
        let root = match &self.schema {
            Some(schema) => Some(schema.parsed()?.1),
            None => None,
        };
        let mut schema = root;
        for (depth, name) in path.iter().enumerate() {
            let fields = at.members()?;
            let of_schema = root.zip(schema).and_then(|(root, at)| property(root, at, name));
            if let Some(field) = at.get(name) {
                (at, schema) = (field, of_schema);
                continue;
            }
            let mut near = fields.iter().take(MOST_COMPARED).filter(|it| is_slip(&it.key, name));
            let meant = near.next().filter(|_| near.next().is_none())?;
            // A value in a comment is left out on purpose.
            if of_schema.is_some() || file.has(name) {
                return None;
            }
            return Some(Meant {
                depth,
                name: meant.key.to_string(),
                place: (file.source.clone(), tree.span(meant.key_node)),
            });
        }
        None
    }
}

/// The value that was meant by a path.
pub(super) struct Meant {
    /// The index of the wrong name in the path.
    pub(super) depth: usize,
    /// The right name.
    pub(super) name: String,
    /// The place of the value.
    pub(super) place: (Arc<SourceText>, Span),
}

/// The schema of a property.
pub(super) fn property<'j, 't>(root: &'j Json<'t>, schema: &'j Json<'t>, name: &str) -> Option<&'j Json<'t>> {
    resolved(root, schema)?.get("properties")?.get(name)
}

/// The schema to which a reference leads. `None` if it leads out of the file.
pub(super) fn resolved<'j, 't>(root: &'j Json<'t>, schema: &'j Json<'t>) -> Option<&'j Json<'t>> {
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
fn of_schema(schema: &Json<'_>) -> Option<Vec<Computed>> {
    if let Some(value) = schema.get("const") {
        return Some(vec![exactly(value)]);
    }
    if let Some(values) = schema.get("enum").and_then(Json::items) {
        return Some(values.iter().take(MOST_VALUES).map(exactly).collect());
    }
    let types = schema.get("type")?;
    let types = types.items().unwrap_or(std::slice::from_ref(types));
    let mut all = Vec::new();
    for name in types.iter().take(MOST_VALUES) {
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
fn exactly(value: &Json<'_>) -> Computed {
    match &value.value {
        JsonValue::Int(number) if number.abs() < 1_000_000 => Computed::Exactly(Value::from(*number)),
        JsonValue::Int(_) | JsonValue::Uint(_) | JsonValue::Float(_) => Computed::Number,
        JsonValue::Object(_) => Computed::Map,
        JsonValue::Array(_) => Computed::List,
        JsonValue::Null => Computed::Exactly(Value::Null),
        JsonValue::Bool(flag) => Computed::Exactly(Value::Bool(*flag)),
        JsonValue::String(text) if text.len() >= LONG => Computed::Text,
        JsonValue::String(text) => Computed::Exactly(Value::from(text.as_ref())),
    }
}

/// The path below `.Values` that a word of a template names, and whether it starts at the root whatever `.` is.
pub(super) fn path_of(word: &str) -> Option<(Vec<&str>, bool)> {
    let is_of_root = word.starts_with('$');
    let path = word.strip_prefix('$').unwrap_or(word).strip_prefix(".Values.")?;
    let names: Vec<&str> = path.split('.').take(MOST_NAMES + 1).collect();
    let is_name = |it: &&str| {
        !it.is_empty() && it.len() <= LONGEST && it.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_')
    };
    (names.len() <= MOST_NAMES && names.iter().all(is_name)).then_some((names, is_of_root))
}
