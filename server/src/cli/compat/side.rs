//! The CRDs on one side of a comparison. Of several CRDs with one name, the best one is compared, and parts of CRDs are left out.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_io::{git, print::tell, repository, roots};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::lines::LineIndex;
use crd_analyzer_workspace::{
    comparison::compared::{ComparedCrd, Unanswered, compared},
    index::{Index, KnownCrd, NewFile, Origin, objects},
};

use super::of_revision;
use crate::{
    cli::UsageError,
    input::{self, Collected, Input, Reading, Source},
    output::compat::Side,
};

/// The CRDs on one side of the comparison, by name.
#[derive(Default)]
pub(super) struct Crds {
    pub(super) known: BTreeMap<String, Crd>,
    /// Whether a file could not be read.
    pub(super) is_incomplete: bool,
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
                input.unreadable(&why).tell();
                found.is_incomplete = true;
            }
            Err(error) if error.is::<UsageError>() => return Err(error),
            Err(error) => {
                input.unreadable(&error).tell();
                found.is_incomplete = true;
            }
        }
    }
    let best = Best::of(&files);
    for File { input, path, bytes } in files {
        found.add_chosen(&input, bytes, kubernetes, |name, document| {
            best.left_out(&input, &path, name, document)
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
    unreadable.iter().for_each(input::Unreadable::tell);
    found.is_incomplete |= !unreadable.is_empty();
    Ok(inputs)
}

/// The best CRD for each name, by the roles of the files in their repository.
struct Best {
    by_name: HashMap<String, (Arc<KnownCrd>, String)>,
    /// The documents that are not only parts of CRDs, by file and index.
    whole: HashSet<(Arc<Path>, usize)>,
}

impl Best {
    fn of(files: &[File]) -> Self {
        let mut index = Index::default();
        let here = std::env::current_dir().unwrap_or_default();
        let root = git::root_around(&here).or_else(|| roots::repository(&here));
        index.set_repositories(vec![repository::describe(&root.unwrap_or(here))]);
        for file in files.iter().filter(|it| !it.input.named) {
            let (text, objects) = objects(file.bytes.clone());
            index.set(&NewFile {
                path: &file.path,
                origin: Origin::Workspace,
                text: &text,
                objects: &objects,
                keep_text: false,
            });
        }
        let labels: HashMap<&Path, &str> = files.iter().map(|it| (&*it.path, &*it.input.label)).collect();
        let labeled = |it: Arc<KnownCrd>| (it.name.clone(), (it.clone(), labels[&*it.path].to_owned()));
        let wholes = index.definitions().filter(|it| it.is_whole());
        Self {
            whole: wholes.map(|it| (it.path.clone(), it.document_index())).collect(),
            by_name: index.best_crds().into_iter().map(labeled).collect(),
        }
    }

    /// Whether a document is left out, and why. A file that the command line names is compared as it is.
    fn left_out(&self, input: &Input, path: &Path, name: &str, document: Option<usize>) -> Option<LeftOut> {
        let document = document.filter(|_| !input.named)?;
        let label = input.label.clone();
        let mut copy_of = None;
        if self.whole.contains(&(path.into(), document)) {
            let (best, of) = self.by_name.get(name)?;
            if *best.path == *path && best.document_index() == document {
                return None;
            }
            copy_of = Some(of.clone());
        }
        Some(LeftOut { label, copy_of })
    }
}

impl Crds {
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
                        input.unreadable(&anyhow::anyhow!(why)).tell();
                        self.is_incomplete = true;
                    }
                }
            }
        }
    }
}
