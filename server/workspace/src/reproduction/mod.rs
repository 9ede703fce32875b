//! Creates a small, anonymous reproduction of a diagnostic for a bug report. It is a text with CRDs and one object, for which the same code is
//! reported at the same field.

mod anonymous;
mod places;
mod reduce;
#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_apiextensions::kind::CRD;
use crd_analyzer_schema::depth;
use crd_analyzer_syntax::{
    json::read_json,
    paths::{Step, display},
    split::{read_document, split},
};
use serde_json::{Map, Value};

pub use self::{
    anonymous::Replaced,
    places::{Located, located},
};
use crate::{
    codes::OFF_BY_DEFAULT,
    config::versions::VersionSet,
    config::{Config, Level},
    findings::report::FileReport,
    index::{Catalog, MemoryFiles, NewFile, Origin, objects_of},
    judging::analysis::{Around, Question, Wants, analyze},
    judging::hazards::{Memory, Search},
    judging::lints::Lints,
    resource::effective::yaml,
    roles::Uses,
};

/// The path under which a reproduction is checked. It does not suggest any role of the file.
const PATH: &str = "/reproduction.yaml";

/// The maximum number of texts to try. It is not a time limit, so that results are the same on every machine.
const MOST_TRIED: usize = 4_000;

/// The maximum total size, in bytes, of the texts to try.
const MOST_BYTES: usize = 96 << 20;

/// The diagnostic to reproduce.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    /// The code of the diagnostic.
    pub code: &'static str,
    /// The index of the diagnostic's document.
    pub document: usize,
    /// The field at which the diagnostic is reported.
    pub path: Vec<Step<'static>>,
}

impl Target {
    /// The path in the notation for users.
    pub fn shown_path(&self) -> String {
        match display(&self.path) {
            path if path.is_empty() => "the whole object".to_owned(),
            path => path,
        }
    }
}

/// Documents for which a diagnostic is reported.
#[derive(Clone, Debug)]
pub struct Reproduction {
    /// The documents, each an object.
    pub documents: Vec<Value>,
    /// The diagnostic that is reported for them.
    pub target: Target,
    /// The Kubernetes version that reports it.
    pub versions: VersionSet,
}

/// The reason why no reproduction can be created.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Impossible {
    /// The diagnostic is not reported for the file and its CRD alone.
    #[error(
        "the diagnostic depends on how the YAML is written, or on other files than the CRD: a kustomization, Go types, a git revision"
    )]
    Elsewhere,
    /// The documents are nested more deeply than the API server allows.
    #[error("the documents are nested too deeply")]
    Deep,
}

/// The documents of a text as values, by index, without comments, anchors and quotes. Leaves out documents that cannot be parsed.
pub fn documents_of(text: &Arc<str>) -> BTreeMap<u32, Value> {
    let mut found = BTreeMap::new();
    for document in split(text).documents {
        let Ok(tree) = read_document(text, document, &[]) else {
            continue;
        };
        if let Ok(json) = read_json(&tree)
            && let Some(root) = json.root()
        {
            found.insert(document.index, root.to_value());
        }
    }
    found
}

impl Reproduction {
    /// Makes the documents small and anonymous without losing the diagnostic.
    ///
    /// # Errors
    /// If the diagnostic is not reported for the original documents.
    pub fn shrink(&mut self) -> Result<Replaced, Impossible> {
        if self.documents.iter().any(|it| depth_of(it) > depth::ALWAYS) {
            return Err(Impossible::Deep);
        }
        for document in &mut self.documents {
            if !document.is_object() {
                *document = Value::Object(Map::new());
            }
        }
        let mut trial = Trial::new(self);
        if !trial.holds(self) {
            return Err(Impossible::Elsewhere);
        }
        reduce::focus(self, &mut trial);
        self.use_one_version(&mut trial);
        reduce::reduce(self, &mut trial);
        let replaced = anonymous::replace(self, &mut trial);
        // Reduce again, because some names are no longer referenced after the replacement.
        reduce::reduce(self, &mut trial);
        Ok(replaced)
    }

    fn use_one_version(&mut self, trial: &mut Trial) {
        for version in self.versions.iter().rev().filter(|_| self.versions.count() > 1) {
            let one = Self {
                versions: VersionSet::one(version),
                ..self.clone()
            };
            if trial.holds(&one) {
                *self = one;
                return;
            }
        }
    }

    /// The documents as YAML.
    pub fn text(&self) -> String {
        text_of(&self.documents)
    }

    /// The diagnostics of the documents, one per line.
    pub fn reported(&self) -> Vec<String> {
        let (report, config) = (report(self, true), config(self.target.code));
        let all = report.documents.iter().flat_map(|it| it.merged_findings(&config));
        let line = |finding: crate::findings::finding::Finding| {
            format!("{}[{}]: {}", finding.severity.word(), finding.code, finding.headline)
        };
        all.map(|it| line(it.finding)).collect()
    }

    /// The options with which `crd-analyzer check` reports the diagnostic.
    pub fn options(&self) -> String {
        let mut options = format!("--no-config --kubernetes-version {}", self.versions.newest());
        if OFF_BY_DEFAULT.contains(&self.target.code) {
            let _ = write!(options, " --select {}", self.target.code);
        }
        options
    }
}

fn is_crd(document: &Value) -> bool {
    document["kind"].as_str() == Some(CRD.name)
}

fn depth_of(value: &Value) -> usize {
    // The recursion is limited, because the parser that created the values limits their depth.
    match value {
        Value::Object(object) => 1 + object.values().map(depth_of).max().unwrap_or(0),
        Value::Array(items) => 1 + items.iter().map(depth_of).max().unwrap_or(0),
        _ => 0,
    }
}

fn text_of(documents: &[Value]) -> String {
    let mut text = String::new();
    for (n, document) in documents.iter().enumerate() {
        if n > 0 {
            text.push_str("---\n");
        }
        match document {
            Value::Object(object) if !object.is_empty() => {
                for line in yaml(object) {
                    text.push_str(&line);
                    text.push('\n');
                }
            }
            _ => text.push_str("{}\n"),
        }
    }
    text
}

/// A configuration that only turns on the given code, if it is off by default.
fn config(code: &str) -> Config {
    let rules = OFF_BY_DEFAULT.contains(&code).then(|| (code.to_owned(), Level::Hint));
    Config {
        rules: rules.into_iter().collect(),
        ..Config::default()
    }
}

/// The report that `crd-analyzer check` has on the text.
fn report(of: &Reproduction, has_hazards: bool) -> FileReport {
    let text: Arc<str> = of.text().into();
    let path = Path::new(PATH);
    let catalog = Catalog::new(MemoryFiles([(PathBuf::from(PATH), text.to_string())].into()));
    catalog.change(|index| {
        index.set(&NewFile {
            path,
            origin: Origin::Workspace,
            text: &text,
            objects: &objects_of(&text),
            keep_text: false,
        })
    });
    let config = config(of.target.code);
    let hazards = Memory::of_one_run();
    let question = Question {
        path: Some(path),
        around: Around::crds(&catalog),
        named: true,
        uses: Uses::COMPLETED,
        wants: Wants {
            hazards: if has_hazards {
                Search::All(&hazards)
            } else {
                Search::Off
            },
            lints: Lints::of(&config),
            effective: false,
            ..Wants::default()
        },
        ..Question::new(of.versions)
    };
    analyze(text.as_bytes().to_vec(), &question)
}

/// Like [`report()`], but searches for hazards only if the diagnostic is a hazard, because the search is slow.
fn tried(of: &Reproduction) -> FileReport {
    let is_hazard = crd_analyzer_hazards::codes::ALL.iter().any(|it| it.0 == of.target.code);
    report(of, is_hazard)
}

/// Tries whether changed documents still have the diagnostic and no new one.
struct Trial {
    /// The codes that may be reported.
    allowed: BTreeSet<&'static str>,
    /// The words in the diagnostic's text. They may be names of properties.
    words: BTreeSet<String>,
    tried: usize,
    bytes: usize,
}

impl Trial {
    fn new(of: &Reproduction) -> Self {
        let found = located(&tried(of), &config(of.target.code));
        let said = found.iter().filter(|it| it.code == of.target.code);
        let words = said.flat_map(|it| {
            it.headline
                .split(|it: char| !it.is_alphanumeric() && it != '_' && it != '-')
        });
        Self {
            words: words.map(str::to_owned).collect(),
            allowed: found.into_iter().map(|it| it.code).collect(),
            tried: 0,
            bytes: 0,
        }
    }

    fn holds(&mut self, of: &Reproduction) -> bool {
        if self.tried >= MOST_TRIED || self.bytes >= MOST_BYTES {
            return false;
        }
        self.tried += 1;
        let report = tried(of);
        self.bytes += report.text.len();
        let found = located(&report, &config(of.target.code));
        let is_target = |it: &Located| {
            it.code == of.target.code && it.document as usize == of.target.document && it.path == of.target.path
        };
        found.iter().any(is_target) && found.iter().all(|it| self.allowed.contains(it.code))
    }
}
