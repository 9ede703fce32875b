//! Counts what people write next in the corpus: the key after a key, the value for the existing keys, and the type for the name of a property. Writes
//! the table that completion uses for ranking.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    sync::Arc,
};

use crd_analyzer_apiextensions::api::FieldType;
use crd_analyzer_ide::{file::File as Parsed, schema};
use crd_analyzer_syntax::{
    paths::{Step, nearest_key, path_of},
    tree::{NodeId, NodeKind, Tree},
};

use crate::completion::corpus::Corpus;
use crd_analyzer_conformance::peers;

/// Count habits in the corpus.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Take files up to this size in bytes.
    #[arg(long, default_value_t = 200_000)]
    max_size: usize,
}

/// The maximum count per project. It is limited because one project may repeat the same text a thousand times.
const MOST_OF_ONE: usize = 20;
/// The minimum number of projects for a name that authors choose. Rarer names are not worth proposing.
const LEAST_PROJECTS: usize = 3;
/// The key of property types in the table.
const TYPE_OF: &str = "type-of";
/// The minimum count of a habit.
const LEAST: usize = 5;
/// The maximum number of words in a line of the table.
const WORDS: usize = 8;

/// The counts of each next word in each project. The key is the place and the previous key.
#[derive(Default)]
struct Counts(BTreeMap<(String, String), BTreeMap<String, BTreeMap<String, usize>>>);

impl Counts {
    fn add(&mut self, place: (&str, &str), next: &str, project: &str) {
        let words = self.0.entry((place.0.to_owned(), place.1.to_owned())).or_default();
        let projects = words.entry(next.to_owned()).or_default();
        *projects.entry(project.to_owned()).or_default() += 1;
    }

    fn table(&self) -> String {
        let mut table = String::from(
            "# What follows what in CRDs: a struct of the API (or one of its fields), the key before, and how often each word came next.\n\
             # In resources: `/` and the key of the mapping, the key before. `type-of`: the name of a property, and its types.\n\
             # Written by `cargo xtask habits`.\n",
        );
        for ((place, before), words) in &self.0 {
            let count = |it: &BTreeMap<String, usize>| it.values().map(|it| (*it).min(MOST_OF_ONE)).sum::<usize>();
            let mut counted: Vec<_> = words.iter().map(|(word, it)| (count(it), word)).collect();
            counted.retain(|it| it.0 >= LEAST);
            if is_by_name(place) {
                counted.retain(|it| words[it.1].len() >= LEAST_PROJECTS);
            }
            counted.sort_by_key(|it| (std::cmp::Reverse(it.0), it.1));
            counted.truncate(WORDS);
            if counted.is_empty() {
                continue;
            }
            let _ = write!(table, "{place} {before}:");
            for (count, word) in counted {
                let _ = write!(table, " {word} {count}");
            }
            table.push('\n');
        }
        table
    }
}

/// Whether a line of the table is about names that CRD authors choose, instead of fields of the API.
fn is_by_name(place: &str) -> bool {
    place.starts_with('/') || place == TYPE_OF
}

pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    let corpus = Corpus::load(args.max_size)?;
    let mut counts = Counts::default();
    for file in corpus.definitions.iter().chain(&corpus.objects) {
        let project = file.path.parent().and_then(|it| it.file_name());
        let project = project.map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
        let parsed = Parsed::new(file.text.clone(), Arc::default());
        for document in parsed.documents().filter(|it| !it.is_broken) {
            let tree = document.tree;
            for node in tree.nodes().filter(|it| matches!(tree.kind(*it), NodeKind::Mapping(_))) {
                if document.is_crd() {
                    count(&mut counts, tree, node, &project);
                } else {
                    count_in_resource(&mut counts, tree, node, &project);
                }
            }
        }
    }
    let path = peers::root().join("server/ide/src/completion/habits.txt");
    std::fs::write(&path, counts.table())?;
    println!("{}", path.display());
    Ok(true)
}

/// Counts the keys of a mapping in a custom resource.
fn count_in_resource(counts: &mut Counts, tree: &Tree, mapping: NodeId, project: &str) {
    let path = path_of(tree, mapping);
    // Metadata has a fixed schema, so it is not counted.
    if matches!(path.first(), None | Some(Step::Index(_)))
        || matches!(path.first(), Some(Step::Key(key)) if key == "metadata")
    {
        return;
    }
    let parent = nearest_key(&path).map(|it| format!("/{it}"));
    let Some(parent) = parent.filter(|it| is_word(it)) else {
        return;
    };
    let mut before = "-".to_owned();
    for entry in tree.entries(mapping) {
        let key = tree.scalar(entry.key).into_owned();
        if !is_word(&key) {
            return;
        }
        counts.add((&parent, &before), &key, project);
        before = key;
    }
}

/// Whether the table can store a word.
fn is_word(text: &str) -> bool {
    !text.is_empty() && !text.contains([' ', ':', '\n', '#'])
}

/// Counts the entries of a mapping.
fn count(counts: &mut Counts, tree: &Tree, mapping: NodeId, project: &str) {
    let path = path_of(tree, mapping);
    let Some(at) = schema::api_at(tree, &path).filter(|it| !matches!(it.ty, FieldType::Map(_))) else {
        return;
    };
    let Some(structure) = at.ty.structure() else { return };
    let mut before = "-".to_owned();
    let mut seen = BTreeSet::new();
    for entry in tree.entries(mapping) {
        let key = tree.scalar(entry.key).into_owned();
        let Some(field) = structure.field(&key) else { continue };
        if !seen.insert(key.clone()) {
            continue;
        }
        counts.add((structure.name, &before), &key, project);
        let value = tree.resolve(entry.value);
        if let (true, "JSONSchemaProps", [.., Step::Key(properties), Step::Key(name)]) =
            (key == "type" && tree.is_scalar(value), structure.name, path.as_slice())
            && properties == "properties"
            && is_word(name)
        {
            counts.add((TYPE_OF, name), &tree.scalar(value), project);
        }
        let known = field.values.known();
        if tree.is_scalar(value) && known.iter().any(|it| it.text == tree.scalar(value)) {
            let place = format!("{}.{key}", structure.name);
            counts.add((&place, &before), &tree.scalar(value), project);
        }
        // The keyword after a type depends on the type.
        before = if key == "type" && tree.is_scalar(value) {
            format!("type={}", tree.scalar(value))
        } else {
            key
        };
    }
}
