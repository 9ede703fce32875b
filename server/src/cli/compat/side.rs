//! The CRDs on one side of a comparison. Of several CRDs with one name, the best one is compared, and parts of CRDs are left out.

use std::{
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_io::{git, print::tell, repository, roots};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::lines::LineIndex;
use crd_analyzer_workspace::{
    comparison::compared::{ComparedCrd, Unanswered, compared},
    index::{Catalog, KnownCrd, MemoryFiles, Origin, may_decide},
};

use super::of_revision;
use crate::{
    cli::{UsageError, definitions::Deciding},
    input::{self, Collected, Input, Reading, Source, Unreadable},
    output::compat::Side,
};

/// The CRDs on one side of the comparison, by name.
#[derive(Default)]
pub(super) struct Crds {
    pub(super) known: BTreeMap<String, Crd>,
    /// The files that could not be read. They are reported after both sides were read, so that the order is the same in each run.
    pub(super) unreadable: Vec<Unreadable>,
    /// A file that the command line names, and that contains objects but no CRD.
    pub(super) without_crd: Option<String>,
    /// The files with documents that are not compared, with the reason for each.
    pub(super) left_out: Vec<LeftOut>,
}

/// A document that is not compared.
pub(super) struct LeftOut {
    /// The file with the document.
    pub(super) label: String,
    /// The file with the CRD of the same name that is compared. `None` if the document is only a part of a CRD.
    pub(super) copy_of: Option<String>,
}

/// A CRD and its location.
pub(super) struct Crd {
    pub(super) compared: ComparedCrd,
    pub(super) label: String,
    pub(super) text: Arc<str>,
    pub(super) lines: Arc<LineIndex>,
}

impl Crd {
    pub(super) fn side(&self) -> Side<'_> {
        Side {
            spans: self.compared.spans(),
            label: &self.label,
            text: &self.text,
            lines: &self.lines,
        }
    }
}

/// A file that was read.
struct File {
    input: Input,
    /// Its path in the repository, from which its role follows.
    path: PathBuf,
    bytes: Vec<u8>,
}

/// The CRDs of a path argument.
pub(super) fn crds(written: &str, kubernetes: KubernetesVersion) -> anyhow::Result<Crds> {
    let mut found = Crds::default();
    let mut files = Vec::new();
    for input in inputs(written, &mut found)? {
        match input::read(&input.source) {
            // Most files of a repository have no CRD, and need not stay in memory.
            Ok(Some(bytes)) if !input.named && !may_decide(&bytes) => {}
            Ok(Some(bytes)) => files.push(File {
                path: match &input.source {
                    Source::Git { path, .. } => path.clone(),
                    _ => input.place()?,
                },
                input,
                bytes,
            }),
            Ok(None) => {
                let why = anyhow::anyhow!("the revision does not have the file");
                found.unreadable.push(input.unreadable(&why));
            }
            Err(error) if error.is::<UsageError>() => return Err(error),
            Err(error) => {
                found.unreadable.push(input.unreadable(&error));
            }
        }
    }
    let wholes = Wholes::of(&files);
    for mut file in files {
        let bytes = std::mem::take(&mut file.bytes);
        found.add_chosen(&file.input, bytes, kubernetes, |name, document| {
            wholes.left_out(&file, name, document)
        });
    }
    Ok(found)
}

/// The files of a path argument.
fn inputs(written: &str, found: &mut Crds) -> anyhow::Result<Vec<Input>> {
    let Collected { inputs, unreadable, .. } = match of_revision(written)? {
        Some((revision, path)) => {
            let reading = Reading {
                revision: Some(&revision),
                ..Reading::default()
            };
            let mut collected = input::collect(std::slice::from_ref(&path), &reading)?;
            for input in &mut collected.inputs {
                let below = Path::new(&input.label).strip_prefix(&path).map(Path::to_owned);
                input.label = match below {
                    Ok(below) if !below.as_os_str().is_empty() => format!("{written}/{}", below.display()),
                    _ => written.to_owned(),
                };
            }
            collected
        }
        None => input::collect(&[PathBuf::from(written)], &Reading::default())?,
    };
    found.unreadable.extend(unreadable);
    Ok(inputs)
}

/// The documents that are not only parts of CRDs, by file, index and name of the CRD. Each has the name of the file with the best CRD of its name, by the
/// roles of the files in their repository. `None` if the document itself is the best.
struct Wholes(HashMap<(Arc<Path>, usize, String), Option<String>>);

impl Wholes {
    fn of(files: &[File]) -> Self {
        let mut found = files.iter().filter(|it| !it.input.named).peekable();
        if found.peek().is_none() {
            return Self(HashMap::new());
        }
        let catalog = Catalog::new(MemoryFiles::default());
        let here = std::env::current_dir().unwrap_or_default();
        let root = git::root_around(&here).or_else(|| roots::repository(&here));
        let repository = repository::describe(&root.unwrap_or(here));
        catalog.change(|index| index.set_repositories(vec![repository]));
        let mut labels = HashMap::new();
        for file in found {
            labels.insert(&*file.path, &file.input.label);
            if let Some(deciding) = Deciding::of(file.bytes.clone()) {
                deciding.put_into(&catalog, &file.path, Origin::Workspace);
            }
        }
        let place = |it: &KnownCrd| (it.path.clone(), it.document_index(), it.name.clone());
        catalog.with(|index| {
            let best = index.best_crds();
            let best: HashMap<&str, &Arc<KnownCrd>> = best.iter().map(|it| (&*it.name, it)).collect();
            let wholes = index.definitions().filter(|it| it.is_whole());
            let wholes = wholes.map(|it| {
                let best = best.get(&*it.name).filter(|best| place(best) != place(it));
                (place(it), best.map(|it| labels[&*it.path].clone()))
            });
            Self(wholes.collect())
        })
    }

    /// Whether a document is left out, and why. A file that the command line names is compared as it is.
    fn left_out(&self, file: &File, name: &str, document: Option<usize>) -> Option<LeftOut> {
        let document = document.filter(|_| !file.input.named)?;
        let label = file.input.label.clone();
        match self.0.get(&(file.path.as_path().into(), document, name.to_owned())) {
            Some(None) => None,
            found => Some(LeftOut {
                label,
                copy_of: found.cloned().flatten(),
            }),
        }
    }
}

impl Crds {
    /// Whether a file could not be read.
    pub(super) fn is_incomplete(&self) -> bool {
        !self.unreadable.is_empty()
    }

    /// Says which documents are not compared.
    pub(super) fn tell_left_out(&self) {
        let (parts, copies): (Vec<_>, Vec<_>) = self.left_out.iter().partition(|it| it.copy_of.is_none());
        match &*parts {
            [] => {}
            [one] => tell(format_args!(
                "note: {} is only a part of a CRD, and is not compared",
                one.label
            )),
            [first, ..] => tell(format_args!(
                "note: {} parts of CRDs are not compared, such as {}",
                parts.len(),
                first.label
            )),
        }
        let first = copies.first().and_then(|it| Some((&it.label, it.copy_of.as_ref()?)));
        if let Some((copy, of)) = first {
            let copies = match copies.len() {
                1 => "a copy of a CRD is not compared:".to_owned(),
                n => format!("{n} copies of CRDs are not compared, such as"),
            };
            tell(format_args!("note: {copies} {copy} ({of} is compared)"));
        }
    }

    /// Adds all CRDs of a file.
    pub(super) fn add(&mut self, input: &Input, bytes: Vec<u8>, kubernetes: KubernetesVersion) {
        self.add_chosen(input, bytes, kubernetes, |_, _| None);
    }

    /// Adds the CRDs of a file for which `left_out` has no reason. It takes the name of a CRD and the index of its document.
    fn add_chosen(
        &mut self,
        input: &Input,
        bytes: Vec<u8>,
        kubernetes: KubernetesVersion,
        left_out: impl Fn(&str, Option<usize>) -> Option<LeftOut>,
    ) {
        let (text, documents) = compared(bytes, false, kubernetes);
        if documents.is_empty() && input.named && !text.trim().is_empty() {
            self.without_crd = Some(input.label.clone());
        }
        let lines = Arc::new(LineIndex::new(&text));
        for document in documents {
            // A CRD that cannot be read may be the best one.
            let left_out = left_out(&document.name, document.index);
            if let Some(left_out) = left_out.filter(|_| document.answers.iter().all(|it| it.1.is_ok())) {
                self.left_out.push(left_out);
                continue;
            }
            for (_, answer) in document.answers {
                match answer {
                    Ok(crd) => {
                        let crd = Crd {
                            compared: crd,
                            label: input.label.clone(),
                            text: Arc::clone(&text),
                            lines: Arc::clone(&lines),
                        };
                        self.known.insert(document.name.clone(), crd);
                    }
                    Err(Unanswered::Undecodable(why) | Unanswered::Unjudged(why)) => {
                        self.unreadable.push(input.unreadable(&anyhow::anyhow!(why)));
                    }
                }
            }
        }
    }
}
