//! Generates ConfigMaps and Secrets (`sigs.k8s.io/kustomize/api/internal/generators`, `hasher`).

use std::{collections::HashMap, sync::Arc};

use crd_analyzer_budget::Unfinished;

use crate::{
    digest::{base64_lines, sha256},
    kustomization::{Generator, GeneratorOptions, Text},
    node::{Entry, Node, Place, Value},
    problem::{Problem, ProblemKind, Result},
    resource::{Behavior, Resource, Resources},
    spend,
};

/// A function that returns the text of a file, for the path in the generator and the place of the path.
type ReadText<'a> = dyn FnMut(&str, Place) -> Result<Arc<str>> + 'a;

/// Creates the object of a generator.
pub(crate) fn generate(
    generator: &Generator,
    general: Option<&GeneratorOptions>,
    read: &mut ReadText<'_>,
) -> Result<Resource> {
    let place = generator.place;
    let Some(name) = generator.name.as_ref().filter(|it| !it.text.is_empty()) else {
        return Err(Problem::fails(place, "a generator needs a `name`"));
    };
    let kind = if generator.is_secret { "Secret" } else { "ConfigMap" };
    let mut node = Node::empty_map(place);
    node.set("apiVersion", place, Node::string(place, "v1"));
    node.set("kind", place, Node::string(place, kind));
    let mut metadata = Node::empty_map(place);
    metadata.set("name", name.place, Node::string(name.place, name.text.clone()));
    if let Some(namespace) = &generator.namespace {
        metadata.set(
            "namespace",
            namespace.place,
            Node::string(namespace.place, namespace.text.clone()),
        );
    }
    let options = merged(generator.options.as_ref(), general);
    for (field, pairs) in [("labels", &options.labels), ("annotations", &options.annotations)] {
        if !pairs.is_empty() {
            let mut map = Node::empty_map(place);
            for (key, value) in pairs {
                map.set(
                    key.text.clone(),
                    key.place,
                    Node::string(value.place, value.text.clone()),
                );
            }
            metadata.set(field, place, map);
        }
    }
    node.set("metadata", place, metadata);
    if generator.is_secret {
        let of: Arc<str> = if generator.kind.is_empty() {
            "Opaque".into()
        } else {
            generator.kind.clone()
        };
        node.set("type", place, Node::string(place, of));
    }
    let mut pairs = pairs(generator, read)?;
    spend::nodes(pairs.len())?;
    pairs.sort_by(|a, b| a.0.cmp(&b.0));
    if let Some(twice) = pairs.windows(2).find(|it| it[0].0 == it[1].0) {
        return Err(Problem::fails(
            twice[1].2,
            format!("the key `{}` is set twice", twice[1].0),
        ));
    }
    if generator.is_secret || !pairs.is_empty() {
        node.set("data", place, Node::empty_map(place));
    }
    if let Some(data) = node.get_mut("data").and_then(Node::entries_mut) {
        for (key, value, place) in pairs {
            let value = if generator.is_secret {
                spend::bytes(value.len() / 2 * 3)?;
                base64_lines(value.as_bytes()).into()
            } else {
                value
            };
            data.push(Entry {
                key,
                key_place: place,
                value: Node::string(place, value),
            });
        }
    }
    if options.immutable {
        node.set("immutable", place, Node::new(place, Value::Bool(true)));
    }
    let mut resource = Resource::new(node);
    resource.is_generated = true;
    resource.needs_hash = !options.disable_name_suffix_hash;
    resource.behavior = match &*generator.behavior {
        "merge" => Behavior::Merge,
        "replace" => Behavior::Replace,
        _ => Behavior::Create,
    };
    Ok(resource)
}

/// Combines the options of a generator with those of the kustomization (`MergeGlobalOptionsIntoLocal`).
fn merged(own: Option<&GeneratorOptions>, general: Option<&GeneratorOptions>) -> GeneratorOptions {
    let mut options = own.cloned().unwrap_or_default();
    if let Some(general) = general {
        let add = |pairs: &mut Vec<(Text, Text)>, more: &[(Text, Text)]| {
            for pair in more {
                if !pairs.iter().any(|it| it.0.text == pair.0.text) {
                    pairs.push(pair.clone());
                }
            }
        };
        add(&mut options.labels, &general.labels);
        add(&mut options.annotations, &general.annotations);
        options.disable_name_suffix_hash |= general.disable_name_suffix_hash;
        options.immutable |= general.immutable;
    }
    options
}

type Pair = (Arc<str>, Arc<str>, Place);

fn pairs(generator: &Generator, read: &mut ReadText<'_>) -> Result<Vec<Pair>> {
    let mut pairs = Vec::new();
    for env in &generator.envs {
        let text = read(&env.text, env.place)?;
        // The lines of the file become values, so count its size.
        spend::bytes(text.len())?;
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
        for line in text.lines() {
            let line = line.trim_start();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (key, value) = line.split_once('=').unwrap_or((line, ""));
            spend::nodes(1)?;
            pairs.push((key.into(), value.into(), env.place));
        }
    }
    for literal in &generator.literals {
        let Some((key, value)) = literal.text.split_once('=').filter(|it| !it.0.is_empty()) else {
            return Err(Problem::fails(literal.place, "write a literal as `KEY=VALUE`"));
        };
        let quote = value.chars().next().filter(|it| matches!(it, '"' | '\''));
        let inner = quote.and_then(|it| value.strip_prefix(it)?.strip_suffix(it));
        spend::bytes(literal.text.len())?;
        pairs.push((key.into(), inner.unwrap_or(value).into(), literal.place));
    }
    for file in &generator.files {
        let (key, path) = match file.text.matches('=').count() {
            0 => (file.text.rsplit('/').next().unwrap_or_default(), &*file.text),
            1 => file.text.split_once('=').unwrap_or_default(),
            _ => ("", ""),
        };
        if key.is_empty() || path.is_empty() {
            return Err(Problem::fails(file.place, "write a file as `PATH` or `KEY=PATH`"));
        }
        let text = read(path, file.place)?;
        pairs.push((key.into(), text, file.place));
    }
    Ok(pairs)
}

/// Adds a generated object, or merges it into an existing object with the same id (`appendReplaceOrMerge`).
pub(crate) fn absorb(resources: &mut Resources, mut made: Resource, is_open: bool) -> Result<()> {
    let id = made.id();
    let found = resources.same(&id)?;
    let place = made.origin;
    match (found.as_slice(), made.behavior) {
        ([], Behavior::Create) => resources.add(made),
        // The existing object may be in an input that was not read.
        ([], _) if is_open => Ok(()),
        ([], _) => Err(Problem::fails(
            place,
            format!("{id}, to merge with or to replace, does not exist"),
        )),
        ([_], Behavior::Create) => {
            let message = format!("{id} already exists: set `behavior: merge` or `behavior: replace`");
            Err(Problem::fails(place, message))
        }
        ([n], behavior) => {
            spend::nodes(resources.list()[*n].node.size())?;
            let old = resources.list()[*n].clone();
            let merge = |made: &mut Node, old: &Node, field: &str| {
                let Some(old) = old.get(field).filter(|it| !it.entries().is_empty()) else {
                    return;
                };
                let mut both = old.clone();
                let Some(entries) = both.entries_mut() else { return };
                let mut known: HashMap<Arc<str>, usize> = HashMap::new();
                for (n, entry) in entries.iter().enumerate() {
                    known.entry(entry.key.clone()).or_insert(n);
                }
                for entry in made.get(field).map(Node::entries).unwrap_or_default() {
                    if let Some(n) = known.get(&entry.key) {
                        entries[*n].value = entry.value.clone();
                    } else {
                        known.insert(entry.key.clone(), entries.len());
                        entries.push(entry.clone());
                    }
                }
                made.set(field, place, both);
            };
            if behavior == Behavior::Merge {
                if *made.kind() == *"Secret" && old.node.get("stringData").is_some() {
                    let message = "crd-analyzer does not build a merge with a Secret that has `stringData`";
                    return Err(Problem::new(ProblemKind::NotSupported, place, message));
                }
                merge(&mut made.node, &old.node, "data");
                merge(&mut made.node, &old.node, "binaryData");
            }
            if let (Some(metadata), Some(old)) = (made.node.get_mut("metadata"), old.node.get("metadata")) {
                merge(metadata, old, "labels");
                merge(metadata, old, "annotations");
            }
            made.make_texts("labels");
            made.make_texts("annotations");
            made.set_name(old.name());
            made.set_namespace(old.namespace());
            made.take_history(&old);
            made.needs_hash &= old.needs_hash;
            made.is_generated &= old.is_generated;
            // If the object was found by an earlier name or kind, it must still have the same id.
            let id = made.id();
            if !old.id().is_same(&id) {
                return Err(Problem::fails(place, format!("{id}, to replace, does not exist")));
            }
            resources.list_mut()[*n] = made;
            Ok(())
        }
        _ => Err(Problem::fails(place, format!("several objects are {id}"))),
    }
}

/// Adds a hash of the content to the name of each object that needs one.
pub(crate) fn add_hashes(resources: &mut Resources) -> Result<()> {
    for resource in resources.list_mut().iter_mut().filter(|it| it.needs_hash) {
        room_for_text(&resource.node)?;
        let text = encoded(&resource.node)?;
        let hash: String = sha256(text.as_bytes())
            .chars()
            .take(10)
            .map(|it| match it {
                '0' => 'g',
                '1' => 'h',
                '3' => 'k',
                'a' => 'm',
                'e' => 't',
                other => other,
            })
            .collect();
        resource.store_id();
        let name = format!("{}-{hash}", resource.name());
        resource.set_name(name.into());
    }
    Ok(())
}

/// The maximum length of a text to hash, in bytes. The API server accepts only objects of less than half of that.
const LONGEST: u64 = 8 << 20;

/// Fails if the text to hash would be too long. The text exists only temporarily, in a few copies.
fn room_for_text(node: &Node) -> Result<()> {
    let bytes = node.written_bytes();
    if bytes > LONGEST {
        return Err(spend::too_large(Unfinished::Bytes));
    }
    spend::work(bytes as usize * A_BYTE)
}

/// The work units for each byte that is hashed.
const A_BYTE: usize = 4;

/// The text to hash, in the form in which Go writes JSON.
fn encoded(node: &Node) -> Result<String> {
    let kind = node.get("kind").map(Node::text).unwrap_or_default();
    // Where a map is expected, kustomize treats a list as null, and a scalar as a string.
    let value = |field: &str| match node.get(field) {
        None => "".into(),
        Some(it) if it.is_scalar() => (*it.text()).into(),
        Some(it) if matches!(it.value, Value::List(_)) => serde_json::Value::Null,
        Some(it) => it.to_json(),
    };
    let mut object = serde_json::Map::new();
    let more = match &*kind {
        "ConfigMap" => "binaryData",
        "Secret" => "stringData",
        _ => {
            let message = format!("crd-analyzer does not build the hash of a {kind}");
            return Err(Problem::new(ProblemKind::NotSupported, node.place, message));
        }
    };
    object.insert("kind".into(), (*kind).into());
    object.insert("name".into(), "".into());
    object.insert("data".into(), value("data"));
    if kind == "Secret" {
        object.insert("type".into(), value("type"));
    }
    if value(more).is_object() {
        object.insert(more.into(), value(more));
    }
    // Go sorts the keys of maps.
    let mut keys: Vec<_> = object.into_iter().collect();
    keys.sort_by(|a, b| a.0.cmp(&b.0));
    let members = keys
        .into_iter()
        .map(|(key, value)| format!("{}:{}", go_json(&key.into()), go_json(&sorted(value))));
    Ok(format!("{{{}}}", members.collect::<Vec<_>>().join(",")))
}

fn sorted(value: serde_json::Value) -> serde_json::Value {
    match value {
        serde_json::Value::Object(map) => {
            let mut entries: Vec<_> = map.into_iter().collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            serde_json::Value::Object(entries.into_iter().collect())
        }
        other => other,
    }
}

fn go_json(value: &serde_json::Value) -> String {
    let text = value.to_string();
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("\\u003c"),
            '>' => escaped.push_str("\\u003e"),
            '&' => escaped.push_str("\\u0026"),
            '\u{2028}' => escaped.push_str("\\u2028"),
            '\u{2029}' => escaped.push_str("\\u2029"),
            other => escaped.push(other),
        }
    }
    escaped
}
