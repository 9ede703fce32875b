//! An object after a kustomization has built it and the API server has stored it.

use std::path::Path;

use crd_analyzer_schema::{KubernetesVersion, field};
use crd_analyzer_syntax::{
    paths::Finder,
    read,
    tree::{Span, Tree},
};

use super::{
    By, Object, Overlays,
    projection::{Written, documents_of},
};
use crate::{
    documents::{
        source::{BuiltFrom, BuiltPlace},
        spans,
    },
    judging::question::{Question, Wants},
    paths::relative,
    resource::{Line, annotated_by},
};

/// A build that has an object which a document contains or changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BuildOf {
    /// The name of the build: a Flux Kustomization, or the folder relative to the file's own folder.
    pub name: String,
    /// Whether the document contains the object itself, and does not only change it.
    pub is_origin: bool,
    pub(super) object: usize,
}

/// An object as the API server stores it after a build.
#[derive(Clone, Debug)]
pub struct Stored {
    /// The Kubernetes version of the API server.
    pub kubernetes: KubernetesVersion,
    /// The kind of the object.
    pub kind: String,
    /// The name of the object.
    pub name: String,
    /// The object's text, line by line.
    pub lines: Vec<Line>,
    /// The object's own file.
    pub origin: Box<Path>,
}

impl Overlays {
    /// The builds of the objects that a document contains or changes. `at` is the index of the document, and the index of an item if the document is
    /// a list.
    pub fn builds_of(&self, path: &Path, at: (usize, Option<usize>)) -> Vec<BuildOf> {
        let folder = path.parent().unwrap_or(path);
        let mut found: Vec<BuildOf> = Vec::new();
        for &object in self.by_file.get(path).into_iter().flatten() {
            let built = &self.objects[object];
            let is_origin = built.origin.0 == path && (built.origin.1, built.origin.2) == at;
            if built.is_left_out || !is_origin && (built.origin.0 == path || !self.decides(built, path, at.0)) {
                continue;
            }
            let mut folder = relative(&self.folders[built.build], folder);
            if folder.is_empty() {
                ".".clone_into(&mut folder);
            }
            let mut name = match &self.patching[built.build] {
                Some(By { name, .. }) => format!("{name} ({folder})"),
                None => folder,
            };
            // A patch may change several objects of one build.
            if found.iter().any(|it| it.name == name) {
                let text = |keys: &[&str]| built.node.at(keys).and_then(|it| it.as_str()).unwrap_or_default();
                name = format!("{name}: {} {}", text(&["kind"]), text(&["metadata", "name"]));
            }
            found.push(BuildOf {
                name,
                is_origin,
                object,
            });
        }
        found
    }

    /// Whether a document of a file sets a part of an object.
    fn decides(&self, object: &Object, path: &Path, index: usize) -> bool {
        documents_of(&object.node).into_iter().any(|document| {
            let (of, at) = self.sources.path_of(document);
            **of == *path && at as usize == index
        })
    }

    /// A built object as the API server stores it. Each line says which file set it. `None` if the object cannot be read as a custom resource.
    pub fn stored(&self, build: &BuildOf, question: &Question<'_>) -> Option<Stored> {
        let object = &self.objects[build.object];
        let question = Question {
            wants: Wants {
                effective: true,
                ..question.wants
            },
            ..*question
        };
        let judged = self.judge(object, &question);
        let document = judged.documents.first()?;
        let (version, verdict) = document.verdicts.last()?;
        let effective = verdict.resource.as_deref()?;
        let text = judged.projection.text.as_str().into();
        let tree = read(&text, Span::new(0, text.len() as u32)).ok()?;
        let places = judged.projection.places(&self.sources, &mut Written::new());
        let from = BuiltFrom {
            path: self.sources.document(object.origin_place).0.clone(),
            folder: build.name.clone(),
            places,
        };
        let finder = Finder::new(&tree);
        let decided = |path: &field::Path| decided(&tree, &finder, &from, path);
        Some(Stored {
            kubernetes: *version,
            kind: document.kind.clone(),
            name: document.name.clone(),
            lines: annotated_by(effective, &decided),
            origin: object.origin.0.as_path().into(),
        })
    }
}

/// The place that set the value at a path of a built object. For a collection, the place of its key.
fn decided(tree: &Tree, finder: &Finder<'_>, from: &BuiltFrom, path: &field::Path) -> Option<BuiltPlace> {
    // In a patch, these fields only identify the object to change.
    if let [field::Segment::Field(name)] = path.segments()
        && ["apiVersion", "kind"].contains(&name.as_str())
    {
        return None;
    }
    let found = finder.find_from(tree.root()?, &spans::steps(path.segments()));
    if !found.is_found() {
        return None;
    }
    let span = match found.key {
        Some(key) if !tree.is_scalar(found.node) => tree.span(key),
        _ => spans::first_line(tree.text(), tree.span(found.node)),
    };
    from.place(span).cloned()
}
