//! The repository's own test cases, which are the initial inputs of fuzzing: rule pages, test fixtures and examples.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_cel::library::LIBRARIES;
use crd_analyzer_fixtures::{CRATES, Shape, blocks, resources};
use crd_analyzer_syntax::{
    split::{read_document, split},
    tree::{NodeKind, Tree},
};

/// The maximum size of a case, in bytes. Larger cases are slow, and mutations of them rarely change an interesting part.
const MAX_BYTES: usize = 12 << 10;

/// A custom resource, its CRD, and the object that the resource replaces.
#[derive(Debug)]
pub struct Resource {
    /// The CRD.
    pub definition: String,
    /// The object.
    pub object: String,
    /// The stored object.
    pub old: Option<String>,
}

/// The test cases by kind.
#[derive(Debug, Default)]
pub struct Cases {
    /// CRDs, and parts of CRDs.
    pub definitions: Vec<String>,
    /// Updates of CRDs: the stored CRD, then the new one.
    pub updates: Vec<(String, String)>,
    /// Custom resources.
    pub resources: Vec<Resource>,
    /// Test suites, each with its CRD.
    pub suites: Vec<(String, String)>,
    /// CEL expressions.
    pub expressions: Vec<String>,
    /// Regular expressions.
    pub patterns: Vec<String>,
}

impl Cases {
    /// Reads the cases of the repository that contains this crate.
    pub fn of_repository() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut cases = Self::default();
        for name in CRATES {
            for page in texts(&root.join("server").join(name).join("codes"), "md") {
                cases.add_page(&page);
            }
        }
        cases.definitions.extend(texts(&root.join("examples"), "crd.yaml"));
        let tests = root.join("tests/conformance");
        cases.definitions.extend(texts(&tests.join("fixtures/create"), "yaml"));
        let stored = texts(&tests.join("fixtures/update"), "old.yaml");
        cases.updates.extend(std::iter::zip(
            stored,
            texts(&tests.join("fixtures/update"), "new.yaml"),
        ));
        for file in texts(&tests.join("resources"), "yaml") {
            let (definition, objects) = resources::cases(&file);
            cases.resources.extend(objects.into_iter().map(|it| Resource {
                definition: definition.clone(),
                object: it.text,
                old: it.old,
            }));
        }
        let example = |name: &str| fs::read_to_string(root.join("examples").join(name)).unwrap_or_default();
        let definition = example("crontab.crd.yaml");
        cases.suites.push((example("crontab.test.yaml"), definition.clone()));
        cases.resources.push(Resource {
            definition,
            object: example("nightly.crontab.yaml"),
            old: None,
        });
        for line in texts(&tests.join("rules"), "txt").iter().flat_map(|it| it.lines()) {
            if !line.is_empty() && !line.starts_with(['#', '{']) && !line.starts_with("schema: ") {
                cases.expressions.push(line.to_owned());
            }
        }
        let functions = LIBRARIES.iter().flat_map(|it| it.library.functions());
        let examples = functions.flat_map(|it| it.examples);
        cases.expressions.extend(examples.map(|it| it.0.to_owned()));
        cases.collect_scalars();
        cases.tidy();
        cases
    }

    /// All cases that are YAML.
    pub fn manifests(&self) -> impl Iterator<Item = &str> {
        let definitions = self.definitions.iter().map(String::as_str);
        let updates = self.updates.iter().map(|it| it.1.as_str());
        let resources = self.resources.iter().map(|it| it.object.as_str());
        let suites = self.suites.iter().map(|it| it.0.as_str());
        definitions.chain(updates).chain(resources).chain(suites)
    }

    /// Adds the code blocks of a page. Each resource belongs to the last CRD before it.
    fn add_page(&mut self, page: &str) {
        let mut defined = String::new();
        let mut old = None;
        for block in blocks(page) {
            let text = block.fixture.text;
            match (block.shape, old.take()) {
                (Shape::Old, _) => old = Some(text),
                (Shape::Resource, old) => self.resources.push(Resource {
                    definition: defined.clone(),
                    object: text,
                    old,
                }),
                (Shape::Go, _) => {}
                (Shape::Documents, stored) => {
                    defined.clone_from(&text);
                    match stored {
                        Some(stored) => self.updates.push((stored, text)),
                        None => self.definitions.push(text),
                    }
                }
            }
        }
    }

    /// Adds the expressions and patterns in the CRDs.
    fn collect_scalars(&mut self) {
        for definition in self.definitions.iter().chain(self.updates.iter().map(|it| &it.1)) {
            let text: Arc<str> = definition.as_str().into();
            for document in split(&text).documents {
                let Ok(tree) = read_document(&text, document, &[]) else {
                    continue;
                };
                self.expressions.extend(values(&tree, &["rule", "messageExpression"]));
                self.patterns.extend(values(&tree, &["pattern"]));
            }
        }
    }

    /// Removes duplicates and large cases.
    fn tidy(&mut self) {
        for list in [&mut self.definitions, &mut self.expressions, &mut self.patterns] {
            list.retain(|it| it.len() <= MAX_BYTES);
            list.sort();
            list.dedup();
        }
        self.updates.retain(|it| it.0.len() + it.1.len() <= MAX_BYTES);
        self.resources
            .retain(|it| it.definition.len() + it.object.len() <= MAX_BYTES);
    }
}

/// The scalar values of these keys.
fn values(tree: &Tree, keys: &[&str]) -> Vec<String> {
    let mappings = tree.nodes().filter(|it| matches!(tree.kind(*it), NodeKind::Mapping(_)));
    let entries = mappings.flat_map(|it| tree.entries(it));
    let meant = entries.filter(|it| tree.is_scalar(it.key) && keys.contains(&&*tree.scalar(it.key)));
    meant
        .filter(|it| tree.is_scalar(it.value))
        .map(|it| tree.scalar(it.value).into_owned())
        .collect()
}

/// The content of the files in and below a folder whose names end with `suffix`, sorted by path.
fn texts(folder: &Path, suffix: &str) -> Vec<String> {
    let mut found = BTreeSet::new();
    let mut folders: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(suffix) {
                found.insert(path);
            }
        }
    }
    found.iter().filter_map(|it| fs::read_to_string(it).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_has_cases_of_each_sort() {
        let cases = Cases::of_repository();
        let counts = [
            cases.definitions.len(),
            cases.updates.len(),
            cases.resources.len(),
            cases.expressions.len(),
            cases.patterns.len(),
        ];
        assert!(
            std::iter::zip(counts, [300, 80, 60, 400, 10]).all(|(is, least)| is >= least),
            "{counts:?}"
        );
        assert!(cases.suites.iter().all(|it| !it.0.is_empty() && !it.1.is_empty()));
        assert!(cases.resources.iter().all(|it| !it.object.is_empty()));
    }
}
