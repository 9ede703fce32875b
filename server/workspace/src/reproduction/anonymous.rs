//! Makes a reproduction anonymous: replaces names, values and descriptions if the diagnostic stays the same. Equal strings get the same replacement.

use std::collections::{BTreeMap, BTreeSet};

use crd_analyzer_syntax::paths::Step;
use serde_json::Value;

use super::{Reproduction, Trial, is_crd};

/// The numbers of replaced strings, and the strings that were kept.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Replaced {
    /// The number of replaced names of groups, kinds, resources, labels and other keys that the user chose.
    pub names: usize,
    /// The number of replaced strings in resources, and of descriptions.
    pub values: usize,
    /// The strings that were kept because the diagnostic depends on them.
    pub kept: Vec<String>,
}

/// Replaces all strings on which the diagnostic does not depend.
pub(super) fn replace(of: &mut Reproduction, trial: &mut Trial) -> Replaced {
    let mut replaced = Replaced::default();
    kinds(of, trial, &mut replaced);
    let declared = Declared::of(&of.documents);
    let found = Strings::of(of, &declared);
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for key in found.keys {
        let new = format!("key-{}", names.len() + 1);
        if try_one(of, trial, &declared, What::Keys, &key, &[new]) {
            names.insert(key, String::new());
        } else {
            replaced.kept.push(key);
        }
    }
    replaced.names += names.len();
    for (number, value) in found.values.iter().enumerate() {
        let new = [format!("value-{}", number + 1), masked(value)];
        if try_one(of, trial, &declared, What::Values, value, &new) {
            replaced.values += 1;
        } else if new[1] != *value {
            replaced.kept.push(value.clone());
        }
    }
    replaced.kept.sort();
    replaced.kept.dedup();
    replaced
}

/// Masks the letters and digits of a string, so that only its form remains.
fn masked(text: &str) -> String {
    let mask = |it: char| match it {
        'a'..='z' => 'x',
        'A'..='Z' => 'X',
        '0'..='9' => '1',
        other if other.is_ascii() => other,
        _ => 'x',
    };
    text.chars().map(mask).collect()
}

/// Replaces the names of the CRDs, and all references to them.
fn kinds(of: &mut Reproduction, trial: &mut Trial, replaced: &mut Replaced) {
    let crds: Vec<Value> = of.documents.iter().filter(|it| is_crd(it)).cloned().collect();
    for (n, crd) in crds.iter().enumerate() {
        let number = n + 1;
        let name = |key: &str| crd["spec"]["names"][key].as_str().unwrap_or_default().to_owned();
        let (kind, plural) = (format!("Kind{number}"), format!("kind{number}s"));
        let group = crd["spec"]["group"].as_str().unwrap_or_default().to_owned();
        let new_group = format!("group{number}.example.com");
        let of_kind = [
            (name("kind"), kind.clone()),
            (name("listKind"), format!("{kind}List")),
            (name("plural"), plural),
            (name("singular"), kind.to_ascii_lowercase()),
        ];
        for names in [vec![(group, new_group)], of_kind.to_vec()] {
            let names: BTreeMap<String, String> = names.into_iter().filter(|it| !it.0.is_empty()).collect();
            let mut new = of.clone();
            new.documents.iter_mut().for_each(|it| rename(it, &names));
            if new.documents == of.documents {
                continue;
            }
            if trial.holds(&new) {
                *of = new;
                replaced.names += names.len();
            } else {
                replaced.kept.extend(names.into_keys());
            }
        }
    }
}

/// Renames the groups and kinds in a document.
fn rename(document: &mut Value, names: &BTreeMap<String, String>) {
    let new = |old: &str| names.get(old).cloned();
    let replace = |place: &mut Value| {
        if let Some(new) = place.as_str().and_then(new) {
            *place = new.into();
        }
    };
    if !is_crd(document) {
        if let Some(version) = document.get_mut("apiVersion")
            && let Some((group, rest)) = version.as_str().and_then(|it| it.split_once('/'))
            && let Some(group) = new(group)
        {
            *version = format!("{group}/{rest}").into();
        }
        if let Some(kind) = document.get_mut("kind") {
            replace(kind);
        }
        return;
    }
    if let Some(name) = document.pointer_mut("/metadata/name")
        && let Some((plural, group)) = name.as_str().and_then(|it| it.split_once('.'))
    {
        let (plural, group) = (
            new(plural).unwrap_or_else(|| plural.to_owned()),
            new(group).unwrap_or_else(|| group.to_owned()),
        );
        *name = format!("{plural}.{group}").into();
    }
    if let Some(group) = document.pointer_mut("/spec/group") {
        replace(group);
    }
    if let Some(Value::Object(all)) = document.pointer_mut("/spec/names") {
        all.values_mut().for_each(replace);
    }
}

/// The strings that a schema declares and that a resource may contain.
struct Declared {
    /// The names of properties.
    properties: BTreeSet<String>,
    /// The strings of `enum` and `default`.
    values: BTreeSet<String>,
}

/// Fields that every object may have.
const OF_EVERY_OBJECT: [&str; 14] = [
    "apiVersion",
    "kind",
    "metadata",
    "spec",
    "status",
    "name",
    "namespace",
    "generateName",
    "labels",
    "annotations",
    "finalizers",
    "ownerReferences",
    "items",
    "scale",
];

impl Declared {
    fn of(documents: &[Value]) -> Self {
        let mut declared = Self {
            properties: OF_EVERY_OBJECT.into_iter().map(str::to_owned).collect(),
            values: BTreeSet::new(),
        };
        documents.iter().filter(|it| is_crd(it)).for_each(|it| declared.add(it));
        declared
    }

    fn add(&mut self, schema: &Value) {
        match schema {
            Value::Object(object) => {
                for (key, value) in object {
                    match (key.as_str(), value) {
                        ("properties", Value::Object(properties)) => self.properties.extend(properties.keys().cloned()),
                        ("enum" | "default", value) => self.add_values(value),
                        _ => {}
                    }
                    self.add(value);
                }
            }
            Value::Array(items) => items.iter().for_each(|it| self.add(it)),
            _ => {}
        }
    }

    fn add_values(&mut self, value: &Value) {
        match value {
            Value::String(text) => drop(self.values.insert(text.clone())),
            Value::Array(items) => items.iter().for_each(|it| self.add_values(it)),
            Value::Object(object) => {
                self.properties.extend(object.keys().cloned());
                object.values().for_each(|it| self.add_values(it));
            }
            _ => {}
        }
    }
}

/// The kind of a string that may be replaced.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Keys,
    Values,
}

/// The strings that may be replaced.
#[derive(Default)]
struct Strings {
    keys: BTreeSet<String>,
    values: BTreeSet<String>,
}

impl Strings {
    fn of(of: &Reproduction, declared: &Declared) -> Self {
        let mut found = Self::default();
        let mut documents = of.documents.clone();
        for document in &mut documents {
            visit(document, declared, &mut |what, text| {
                let all = if what == What::Keys {
                    &mut found.keys
                } else {
                    &mut found.values
                };
                all.insert(text.clone());
            });
        }
        // Keep the names on the path of the diagnostic.
        for step in &of.target.path {
            if let Step::Key(key) = step {
                found.keys.remove(&**key);
            }
        }
        found
    }
}

/// Fields of a CRD whose strings are for human readers, or are names chosen by the user.
const FOR_PEOPLE: [&str; 7] = [
    "description",
    "title",
    "message",
    "example",
    "externalDocs",
    "clientConfig",
    "deprecationWarning",
];

/// Calls `take` for each string in a document that may be replaced.
fn visit(document: &mut Value, declared: &Declared, take: &mut dyn FnMut(What, &mut String)) {
    if !is_crd(document) {
        return in_resource(document, declared, take);
    }
    if let Some(metadata) = document.get_mut("metadata").and_then(Value::as_object_mut) {
        for (_, value) in metadata.iter_mut().filter(|it| it.0 != "name") {
            in_resource(value, declared, take);
        }
    }
    if let Some(spec) = document.get_mut("spec") {
        in_crd(spec, declared, take);
    }
}

fn in_crd(value: &mut Value, declared: &Declared, take: &mut dyn FnMut(What, &mut String)) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                // A property may have the same name as such a field. Its value is then a schema, which is an object.
                let is_for_people =
                    FOR_PEOPLE.contains(&key.as_str()) && (value.is_string() || value.get("type").is_none());
                if is_for_people || key == "shortNames" || key == "categories" {
                    in_resource(value, declared, take);
                } else {
                    in_crd(value, declared, take);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|it| in_crd(it, declared, take)),
        _ => {}
    }
}

fn in_resource(value: &mut Value, declared: &Declared, take: &mut dyn FnMut(What, &mut String)) {
    match value {
        Value::String(text) if !declared.values.contains(text) => take(What::Values, text),
        Value::Array(items) => items.iter_mut().for_each(|it| in_resource(it, declared, take)),
        Value::Object(object) => {
            for (mut key, mut value) in std::mem::take(object) {
                if key != "apiVersion" && key != "kind" {
                    in_resource(&mut value, declared, take);
                }
                if !declared.properties.contains(&key) {
                    take(What::Keys, &mut key);
                }
                object.insert(key, value);
            }
        }
        _ => {}
    }
}

/// Tries replacements for a string in order, and uses the first one with which the diagnostic stays the same. Returns whether there was one.
fn try_one(
    of: &mut Reproduction,
    trial: &mut Trial,
    declared: &Declared,
    what: What,
    old: &str,
    replacements: &[String],
) -> bool {
    replacements.iter().any(|replacement| {
        let mut new = of.clone();
        for document in &mut new.documents {
            visit(document, declared, &mut |of, text| {
                if of == what && text == old {
                    text.clone_from(replacement);
                }
            });
        }
        let holds = replacement != old && trial.holds(&new);
        if holds {
            *of = new;
        }
        holds
    })
}
