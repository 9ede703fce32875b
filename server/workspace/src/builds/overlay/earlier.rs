//! The objects that kustomizations built from the earlier files, for checking whether they may be updated to the new ones.

use std::{
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_kustomize::{Built, BuiltKustomization, Files, FluxKustomization, Node, Sources};

use super::{graph::has_kustomization, objects::is_judged, projection::Projection, run::Run};
use crate::builds::flux::is_kustomization;

/// The identity of an object within a build.
#[derive(PartialEq, Eq, Hash)]
struct Id {
    group: String,
    kind: String,
    namespace: String,
    name: String,
}

impl Id {
    fn of(object: &Node) -> Self {
        let text = |path: &[&str]| object.at(path).and_then(Node::as_str).unwrap_or_default().to_owned();
        let version = text(&["apiVersion"]);
        Self {
            group: version.split_once('/').map_or("", |it| it.0).to_owned(),
            kind: text(&["kind"]),
            namespace: text(&["metadata", "namespace"]),
            name: text(&["metadata", "name"]),
        }
    }
}

/// A folder with a kustomization, or a folder that Flux builds.
pub(super) type Folder<'a> = (&'a Path, Option<&'a FluxKustomization>);

/// The objects of an earlier build, by identity.
type Objects = HashMap<Id, Object>;

/// An object of an earlier build, and its text.
struct Object {
    text: Arc<str>,
    is_as_written: bool,
}

/// The Kustomizations that a Kustomization built, each with its index among the built objects.
type Kustomizations = HashMap<Id, (usize, Arc<Node>)>;

/// The earlier files and the objects that their kustomizations built.
pub(super) struct Earlier<'f> {
    files: &'f dyn Files,
    /// The objects of each folder that was built so far, with or without Flux. `None` if nothing was built in the folder.
    builds: HashMap<(PathBuf, Option<FluxKustomization>), Option<Objects>>,
    /// The Flux Kustomizations that a parent built, by the folder of the parent and the parent. `None` if nothing was built there.
    kustomizations: HashMap<(PathBuf, FluxKustomization), Option<Kustomizations>>,
    /// The folders whose earlier kustomization could not be built.
    pub(super) failed: BTreeSet<PathBuf>,
    sources: Sources,
    run: Run,
}

impl<'f> Earlier<'f> {
    pub(super) fn new(files: &'f dyn Files) -> Self {
        Self {
            files,
            builds: HashMap::new(),
            kustomizations: HashMap::new(),
            failed: BTreeSet::new(),
            sources: Sources::default(),
            run: Run::default(),
        }
    }

    /// Whether the kustomization of the folder, which now uses an object unchanged, changed the object in the earlier files.
    pub(super) fn was_changed(&mut self, folder: Folder<'_>, object: &Node) -> bool {
        let built = self.of(folder).and_then(|it| it.get(&Id::of(object)));
        built.is_some_and(|it| !it.is_as_written)
    }

    /// The earlier text of an object as built. If nothing was built in the folder, the text in the earlier file at `origin`. `None` if the object is
    /// new.
    pub(super) fn text(&mut self, folder: Folder<'_>, object: &Node, origin: &Path) -> Option<Arc<str>> {
        match self.of(folder) {
            Some(objects) => objects.get(&Id::of(object)).map(|it| it.text.clone()),
            None => self.files.read(origin),
        }
    }

    fn of(&mut self, (folder, flux): Folder<'_>) -> Option<&Objects> {
        let key = (folder.to_owned(), flux.cloned());
        if !self.builds.contains_key(&key) {
            let built = self.build((folder, flux));
            self.builds.insert(key.clone(), built);
        }
        self.builds.get(&key).and_then(Option::as_ref)
    }

    /// The earlier version of a Flux Kustomization. `None` if its file did not exist, or if its parent did not build it.
    fn earlier(&mut self, folder: &Path, flux: &FluxKustomization) -> Option<FluxKustomization> {
        self.files.read(&flux.file)?;
        let is_there = |it: &&String| {
            let path = folder.join(it);
            self.files.is_folder(&path) || self.files.read(&path).is_some()
        };
        let resources = flux.resources.iter().filter(is_there).cloned().collect();
        let built = match &flux.built {
            None => None,
            Some(now) => Some(self.built_before(now)?),
        };
        Some(FluxKustomization {
            resources,
            built,
            ..flux.clone()
        })
    }

    /// The earlier version of a Kustomization that its parent builds.
    fn built_before(&mut self, now: &BuiltKustomization) -> Option<BuiltKustomization> {
        let key = (now.folder.to_path_buf(), (*now.by).clone());
        if !self.kustomizations.contains_key(&key) {
            let built = self.build_kustomizations(&key);
            self.kustomizations.insert(key.clone(), built);
        }
        let (number, node) = self.kustomizations.get(&key)?.as_ref()?.get(&Id::of(&now.node))?;
        Some(BuiltKustomization {
            node: node.clone(),
            number: *number,
            ..now.clone()
        })
    }

    fn build_kustomizations(&mut self, (folder, by): &(PathBuf, FluxKustomization)) -> Option<Kustomizations> {
        let by = self.earlier(folder, by)?;
        let mut found = Kustomizations::new();
        let see = |run: &mut Run, (objects, _): (&[Built], &Sources)| {
            for (number, built) in objects.iter().enumerate().filter(|it| is_kustomization(&it.1.node)) {
                if run.keeps(&built.node) {
                    found.insert(Id::of(&built.node), (number, Arc::new(built.node.clone())));
                }
            }
        };
        let flux = (&mut self.sources, Some(&by));
        let built = self.run.build_and_see(self.files, folder, flux, see);
        self.run.forget(&built);
        Some(found)
    }

    fn build(&mut self, (folder, flux): Folder<'_>) -> Option<Objects> {
        let has_own = has_kustomization(self.files, folder);
        let flux = flux.and_then(|it| self.earlier(folder, it));
        if !has_own && flux.as_ref().is_none_or(|it| it.resources.is_empty()) {
            return None;
        }
        let built = self
            .run
            .build(self.files, folder, (&mut self.sources, flux.as_ref()))
            .build;
        let Ok(objects) = built.objects else {
            self.failed.insert(folder.to_owned());
            return None;
        };
        let mut made = Objects::new();
        for built in objects.into_iter().filter(|it| is_judged(&it.node)) {
            let written = self.sources.tree(built.origin).0.document_span().range().len();
            if !(self.run.compares(&built, written) && self.run.judges(&built)) {
                // The earlier built object is unknown, so the caller uses the written one.
                self.failed.insert(folder.to_owned());
                return None;
            }
            let object = Object {
                text: Projection::new(&built.node, &self.sources).text.into(),
                is_as_written: self.run.is_as_written(&self.sources, &built),
            };
            made.insert(Id::of(&built.node), object);
        }
        Some(made)
    }
}
