//! A chart with the values that it is rendered with, and what crd-analyzer says of its templates and of rendered objects.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_workspace::{
    charts::{
        chart::{self, Chart},
        values,
    },
    config::versions::VersionSet,
    findings::finding::{Class, Finding},
    findings::report::DocumentVerdict,
    index::{Catalog, MemoryFiles, NewFile, Origin, objects},
    judging::analysis::{Around, Question, Wants, analyze},
    roles::Uses,
};
use serde_json::{Value, json};

/// A chart, its CRDs, and values to render it with.
#[derive(Clone)]
pub(super) struct Case {
    pub(super) name: String,
    /// The files by path relative to the chart.
    pub(super) files: BTreeMap<String, String>,
    pub(super) crds: Arc<Catalog>,
    pub(super) values: Vec<Value>,
}

/// An error that crd-analyzer reports in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Told {
    pub(super) file: String,
    /// The line, counted from 0.
    pub(super) line: usize,
    /// The offset in the file at which the error's place ends.
    pub(super) end: usize,
    pub(super) code: &'static str,
    /// Whether the error is about an object around its place.
    pub(super) is_around: bool,
    pub(super) headline: String,
}

/// A document that was rendered.
#[derive(Debug)]
pub(super) struct Rendered {
    pub(super) text: String,
    pub(super) is_accepted: bool,
    /// The errors, each with its line in the document.
    pub(super) errors: Vec<(usize, &'static str)>,
}

/// The folder in which a chart is checked.
const FOLDER: &str = "/chart";

/// A catalog with CRDs.
pub(super) fn catalog(texts: impl IntoIterator<Item = String>) -> Catalog {
    let texts = texts.into_iter().enumerate();
    let texts: Vec<_> = texts
        .map(|(n, text)| (PathBuf::from(format!("/crds/{n}.yaml")), objects(text.into_bytes())))
        .collect();
    let files = texts.iter().map(|(path, (text, _))| (path.clone(), text.to_string()));
    let catalog = Catalog::new(MemoryFiles(files.collect()));
    catalog.change(|index| {
        for (path, (text, objects)) in &texts {
            index.set(&NewFile {
                path,
                origin: Origin::Workspace,
                text,
                objects,
                keep_text: false,
            });
        }
    });
    catalog
}

struct Charts(Arc<Chart>);

impl chart::Charts for Charts {
    fn of(&self, _: &Path) -> Option<Arc<Chart>> {
        Some(self.0.clone())
    }

    fn shows(&self, _: &Path) -> bool {
        true
    }
}

impl Case {
    pub(super) fn request(&self) -> String {
        json!({"id": self.name, "files": self.files, "values": self.values}).to_string()
    }

    /// The same chart with another text of a file.
    pub(super) fn with(&self, name: String, file: &str, text: String) -> Self {
        let mut changed = self.clone();
        changed.name = name;
        changed.files.insert(file.to_owned(), text);
        changed
    }

    /// The errors that crd-analyzer reports in templates.
    pub(super) fn told(&self) -> Vec<Told> {
        let files = self.files.iter().filter(|it| is_template(it.0));
        let files: Vec<(&String, PathBuf, &String)> = files
            .map(|(path, text)| (path, Path::new(FOLDER).join(path), text))
            .collect();
        let about_values = self.files.iter().filter(|it| is_about_values(it.0));
        let about_values = about_values.map(|(path, text)| (Path::new(FOLDER).join(path), text));
        let texts = files.iter().map(|it| (it.1.clone(), it.2)).chain(about_values);
        let texts = texts.map(|(path, text)| (Arc::from(path), Arc::from(&**text)));
        let charts = Charts(Arc::new(Chart::new(texts)));
        let mut told = Vec::new();
        for (file, path, text) in &files {
            let question = Question {
                path: Some(path),
                uses: Uses::COMPLETED,
                around: Around {
                    charts: Some(&charts),
                    ..Around::crds(&*self.crds)
                },
                wants: Wants {
                    effective: false,
                    ..Wants::default()
                },
                ..Question::new(VersionSet::default())
            };
            let report = analyze(text.as_bytes().to_vec(), &question);
            let verdicts = report.documents.iter().flat_map(|it| &it.verdicts);
            let of_documents = verdicts.flat_map(|it| it.1.findings());
            let all = of_documents.chain(&report.findings);
            for it in all.filter(|it| it.class == Class::Error && !it.repeats && !it.suppressed) {
                let error = Told {
                    file: (*file).clone(),
                    line: line_of(text, it),
                    end: it.span.end as usize,
                    code: it.code,
                    is_around: it.label.as_deref() == Some("if this is printed"),
                    headline: it.headline.clone(),
                };
                if !told.contains(&error) {
                    told.push(error);
                }
            }
        }
        told
    }

    /// The documents in a text that Helm rendered, as far as their CRDs are known.
    pub(super) fn rendered(&self, text: &str) -> Vec<Rendered> {
        let question = Question {
            around: Around::crds(&*self.crds),
            wants: Wants {
                effective: false,
                ..Wants::default()
            },
            ..Question::new(VersionSet::default())
        };
        let report = analyze(text.as_bytes().to_vec(), &question);
        let documents = report.documents.iter();
        let rendered = documents.map(|document| {
            let span = document.span.range();
            let verdicts = || document.verdicts.iter().map(|it| &it.1);
            let first = text[..span.start].matches('\n').count();
            let findings = verdicts().flat_map(DocumentVerdict::findings);
            let errors = findings.filter(|it| matches!(it.class, Class::Error | Class::LaterError));
            Rendered {
                text: text[span].to_owned(),
                is_accepted: verdicts().all(DocumentVerdict::accepted_strict),
                errors: errors
                    .map(|it| (line_of(text, it).saturating_sub(first), it.code))
                    .collect(),
            }
        });
        rendered.collect()
    }
}

/// Whether a file is a template of a chart, or of a chart in it.
pub(super) fn is_template(path: &str) -> bool {
    path.split('/').any(|it| it == "templates") && !path.ends_with("NOTES.txt") && !path.contains("/tests/")
}

/// Whether a file says something about the values of a chart, or of a chart in it.
fn is_about_values(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    values::FILES.contains(&name) && !is_template(path)
}

fn line_of(text: &str, finding: &Finding) -> usize {
    text[..finding.span.start as usize].matches('\n').count()
}
