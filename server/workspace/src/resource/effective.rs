//! The effective object: a resource after the API server has decoded, defaulted and pruned it. Also its text, with marks for the changes.

use std::collections::{BTreeMap, BTreeSet};

use crd_analyzer_resource::{self as server, ChangeKind, StrictErrorKind};
use crd_analyzer_schema::{
    field::{Path, Segment},
    unknown::{self, Known},
};
use crd_analyzer_syntax::json::JsonDoc;
use serde_json::{Map, Value};

use crate::documents::source::BuiltPlace;

/// An object after the API server has decoded it.
#[derive(Clone, PartialEq, Debug)]
pub struct Effective {
    /// The object, defaulted and pruned.
    pub object: Map<String, Value>,
    /// Whether the object differs from the one that was sent.
    pub is_changed: bool,
    /// The changes, sorted by path.
    pub changes: Vec<Change>,
    /// The paths of the fields that the API server drops because the schema does not specify them.
    pub unknown: Vec<String>,
    /// The paths of the values that are unknown, because a template or a variable sets them. They are null in `object`.
    pub unset: BTreeSet<Path>,
    /// What builds the object, in Markdown, if it is not the object as it is written: a folder with a kustomization, or a Flux Kustomization.
    pub build: Option<String>,
    /// The total cost of all rules, even of those that the API server would not evaluate.
    pub cel_cost: Option<u64>,
}

/// A change that the API server makes to the object.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    /// The path of the change. For a pruned field, its path in the object as sent.
    pub path: Path,
    /// The kind of change.
    pub kind: ChangeKind,
    /// The value that was sent.
    pub before: Option<Value>,
}

impl Effective {
    /// An object with the changes that were made to it.
    pub fn of_changes(object: Map<String, Value>, changes: Vec<Change>) -> Self {
        Self {
            object,
            is_changed: !changes.is_empty(),
            changes,
            unknown: Vec::new(),
            unset: BTreeSet::new(),
            build: None,
            cel_cost: None,
        }
    }

    /// The effective object. `None` if the API server cannot decode the resource. `known` says which parts of it are known.
    pub(crate) fn of(answer: &server::ResourceVerdict, json: &JsonDoc<'_>, known: Known<'_>) -> Option<Self> {
        let mut object = answer.object.clone()?;
        let mut sent = json.root()?.to_value();
        let mut unset = BTreeSet::new();
        if !known.is_all() {
            let mut shown = Value::Object(object);
            for value in [&mut shown, &mut sent] {
                unset.extend(unknown::without_unknown(value, known));
            }
            object = shown.as_object().cloned().unwrap_or_default();
        }
        let of_known = answer.changes.iter().filter(|it| known.at(it.path.segments()).is_all());
        let changes = of_known.map(|it| Change {
            path: it.path.clone(),
            kind: it.kind,
            before: at(&sent, &it.path).cloned(),
        });
        let unknown = answer
            .strict
            .iter()
            .filter(|it| it.kind == StrictErrorKind::UnknownField)
            .map(|it| it.path.clone());
        Some(Self {
            is_changed: !is_same(&sent, &object),
            object,
            changes: changes.collect(),
            unknown: unknown.collect(),
            unset,
            build: None,
            cel_cost: answer.cel_cost,
        })
    }
}

/// Whether the object equals the one that was sent. A null timestamp, as in [`without_null_timestamp`], is ignored.
fn is_same(sent: &Value, object: &Map<String, Value>) -> bool {
    let Value::Object(sent) = sent else {
        return false;
    };
    let is_same = |(key, value): (&String, &Value)| match sent.get(key) {
        Some(was) if key == "metadata" => {
            was == value || without_null_timestamp(was.clone()) == without_null_timestamp(value.clone())
        }
        was => was == Some(value),
    };
    sent.len() == object.len() && object.iter().all(is_same)
}

/// Removes a null timestamp from metadata. The API server's Go types write null for a missing timestamp, so it is not a real change.
fn without_null_timestamp(mut metadata: Value) -> Value {
    if let Value::Object(metadata) = &mut metadata
        && metadata.get("creationTimestamp").is_none_or(Value::is_null)
    {
        metadata.remove("creationTimestamp");
    }
    metadata
}

fn at<'v>(value: &'v Value, path: &Path) -> Option<&'v Value> {
    path.segments().iter().try_fold(value, |it, segment| match segment {
        Segment::Field(name) | Segment::Key(name) => it.get(name),
        Segment::Index(index) => it.get(index),
    })
}

/// A line in the text of an effective object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The text of the line, which is YAML or a comment about a dropped field.
    pub text: String,
    /// The change of the value on the line.
    pub mark: Option<ChangeKind>,
    /// The place that set the value, if a kustomization builds the object.
    pub decided: Option<BuiltPlace>,
}

/// The object as YAML, line by line. Lines with defaulted or rewritten values are marked, and dropped fields are shown as comments.
pub fn annotated(effective: &Effective) -> Vec<Line> {
    annotated_by(effective, &|_| None)
}

/// Like [`annotated`], and each line has the place that set its value.
pub(crate) fn annotated_by(effective: &Effective, decided: &dyn Fn(&Path) -> Option<BuiltPlace>) -> Vec<Line> {
    let mut writer = Writer {
        decided,
        changes: effective.changes.iter().map(|it| (&it.path, it)).collect(),
        dropped: BTreeMap::new(),
        unset: &effective.unset,
        lines: Vec::new(),
        path: Path::root(),
    };
    for change in effective.changes.iter().filter(|it| it.kind == ChangeKind::Pruned) {
        let (Some(last), Some(around)) = (change.path.segments().last(), change.path.segments().split_last()) else {
            continue;
        };
        if let Segment::Field(name) | Segment::Key(name) = last {
            let parent: Path = around.1.iter().cloned().collect();
            writer.dropped.entry(parent).or_default().push((name, change));
        }
    }
    writer.object(&effective.object, 0, "", None);
    writer.lines
}

/// An object as YAML, line by line.
pub fn yaml(object: &Map<String, Value>) -> Vec<String> {
    let effective = Effective::of_changes(object.clone(), Vec::new());
    annotated(&effective).into_iter().map(|it| it.text).collect()
}

struct Writer<'e> {
    decided: &'e dyn Fn(&Path) -> Option<BuiltPlace>,
    changes: BTreeMap<&'e Path, &'e Change>,
    /// The dropped fields, by the path of the object that contained them.
    dropped: BTreeMap<Path, Vec<(&'e String, &'e Change)>>,
    unset: &'e BTreeSet<Path>,
    lines: Vec<Line>,
    path: Path,
}

const INDENT: usize = 2;

/// The maximum indentation, in columns. Deeper values are written on one line, without marks. Otherwise the size of the text would grow with the
/// square of the depth.
const DEEPEST: usize = 200;

impl Writer<'_> {
    /// The change at the current path. If there is none, the change around it.
    fn mark(&self, around: Option<ChangeKind>) -> Option<ChangeKind> {
        let own = self.changes.get(&self.path).map(|it| it.kind);
        own.filter(|it| *it != ChangeKind::Pruned).or(around)
    }

    fn line(&mut self, text: String, mark: Option<ChangeKind>) {
        let text = match mark {
            Some(ChangeKind::Defaulted) => format!("{text}  # defaulted"),
            Some(ChangeKind::Rewritten) => format!("{text}  # rewritten"),
            _ => text,
        };
        let decided = (self.decided)(&self.path).filter(|_| mark != Some(ChangeKind::Pruned));
        self.lines.push(Line { text, mark, decided });
    }

    /// Writes the entries of an object. The first line starts with `first` and not with its indentation.
    fn object(&mut self, object: &Map<String, Value>, indent: usize, first: &str, mark: Option<ChangeKind>) {
        let mut start = first.to_owned();
        let mut dropped = self.dropped.remove(&self.path).unwrap_or_default();
        dropped.sort_by_key(|it| it.0);
        let mut dropped = dropped.into_iter().peekable();
        let pad = " ".repeat(indent);
        for (key, value) in object {
            while let Some((name, change)) = dropped.next_if(|(name, _)| *name < key) {
                self.lost(&pad, name, change);
            }
            self.path.push(Segment::Field(key.clone()));
            let mark = self.mark(mark);
            let start = if start.is_empty() {
                pad.clone()
            } else {
                std::mem::take(&mut start)
            };
            self.value(
                value,
                indent,
                &format!("{start}{}:", scalar(&Value::String(key.clone()))),
                mark,
            );
            self.path.pop();
        }
        for (name, change) in dropped {
            self.lost(&pad, name, change);
        }
    }

    fn lost(&mut self, pad: &str, name: &str, change: &Change) {
        let before = change.before.as_ref().map(Value::to_string).unwrap_or_default();
        self.line(format!("{pad}# dropped: {name}: {before}"), Some(ChangeKind::Pruned));
    }

    /// Writes a value after `start`, which is `key:` or `-` with its indentation.
    fn value(&mut self, value: &Value, indent: usize, start: &str, mark: Option<ChangeKind>) {
        match value {
            Value::Null if self.unset.contains(&self.path) => self.line(format!("{start} # unknown"), None),
            _ if indent >= DEEPEST => self.line(format!("{start} {value}"), mark),
            Value::Object(object) if !object.is_empty() || self.dropped.contains_key(&self.path) => {
                let empty = if object.is_empty() { " {}" } else { "" };
                self.line(format!("{start}{empty}"), mark);
                self.object(object, indent + INDENT, "", mark);
            }
            Value::Array(items) if !items.is_empty() => {
                self.line(start.to_owned(), mark);
                let pad = " ".repeat(indent);
                for (index, item) in items.iter().enumerate() {
                    self.path.push(Segment::Index(index));
                    let mark = self.mark(mark);
                    match item {
                        Value::Object(object) if !object.is_empty() => {
                            self.object(object, indent + INDENT, &format!("{pad}- "), mark);
                        }
                        other => self.value(other, indent + INDENT, &format!("{pad}-"), mark),
                    }
                    self.path.pop();
                }
            }
            other => self.line(format!("{start} {}", scalar(other)), mark),
        }
    }
}

/// A scalar on one line, or an empty collection.
fn scalar(value: &Value) -> String {
    match value {
        // YAML 1.1 reads many words as other types than strings. JSON strings are valid YAML, so quote each string that is not clearly a word.
        Value::String(text) if is_plain(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Whether a string can be written without quotes in every version of YAML.
fn is_plain(text: &str) -> bool {
    const WORDS: [&str; 12] = [
        "y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf", "none",
    ];
    let starts = text.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_' || it == '/');
    let chars = text
        .chars()
        .all(|it| it.is_ascii_alphanumeric() || "_-./ ".contains(it));
    starts && chars && !text.ends_with(' ') && !WORDS.contains(&text.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_nests_deep_is_on_one_line() {
        let nested = (0..120).fold(json!(["end", "y"]), |inner, _| json!({"a": inner}));
        let object = json!({"spec": nested}).as_object().cloned().unwrap();
        let lines = yaml(&object);
        assert!(lines.iter().all(|it| it.len() < 2 * DEEPEST + 400));
        let read: Value = serde_yaml::from_str(&lines.join("\n")).unwrap();
        assert_eq!(read, Value::Object(object));
    }
}
