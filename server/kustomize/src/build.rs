//! Builds a kustomization (`sigs.k8s.io/kustomize/api/internal/target/kusttarget.go`).

mod bases;
mod keys;
mod objects;
mod openapi_file;
mod plugins;
mod transformers;

use std::{
    collections::HashMap,
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_budget::{self as budget, Limits};

use keys::{check_keys, check_merges};
use objects::{check, objects};

use crate::{
    absent::{paths_like, unread},
    bases::Accumulated,
    built::{Build, Built, Unread, is_remote},
    changes::Changes,
    configuration,
    flux::{self, FluxKustomization},
    generate,
    kustomization::{FILE_NAMES, Kustomization, Text},
    names,
    node::{Node, Place},
    problem::{Problem, ProblemKind, Result},
    resource::Resources,
    shapes,
    sources::{Files, Sources, end_of, joined, missing, name},
    spec::{Config, default_config},
    spend,
    targets::Targets,
    vars,
};

/// Builds the kustomization of a folder, an absolute path, within limits (see [`LIMITS`](crate::LIMITS)).
pub fn build(files: &dyn Files, folder: &Path, (limits, sources): (Limits, &mut Sources)) -> Build {
    build_with(files, folder, (limits, sources), None)
}

/// Like [`build()`], with the changes of a Flux Kustomization.
pub fn build_with(
    files: &dyn Files,
    folder: &Path,
    (limits, sources): (Limits, &mut Sources),
    flux: Option<&FluxKustomization>,
) -> Build {
    let mut building = Building {
        files,
        sources,
        texts: HashMap::new(),
        unread: Vec::new(),
        folders: Vec::new(),
        resources: Vec::new(),
        taken: Vec::new(),
        patches: Vec::new(),
        outside: Vec::new(),
        targets: Targets::default(),
        open: Vec::new(),
        unread_before: Vec::new(),
        unread_at_load: 0,
        changes: Changes::default(),
        is_component: false,
        names_objects: false,
        misread: Vec::new(),
        blocked: None,
        root: None,
        flux: None,
        has_empty_files: false,
        has_openapi: false,
    };
    let ((built, left), ended) = budget::within(limits, || (building.run(folder, flux), budget::left()));
    // Report an unsupported field first, because later problems may be a consequence of it.
    let built = building.blocked.take().map_or(built, Err);
    let built = match ended.unfinished {
        Some(unfinished) => Err(spend::too_large(unfinished)),
        None => built,
    };
    let objects = built.map_err(|problem| match building.root {
        Some(root) => problem.at(root),
        None => problem,
    });
    Build {
        objects,
        files: building.texts.into_keys().collect(),
        unread: building.unread,
        folders: building.folders,
        resources: building.resources,
        taken: building.taken,
        patches: building.patches,
        outside: building.outside,
        targets: building.targets,
        changes: building.changes,
        is_component: building.is_component,
        names_objects: building.names_objects,
        misread: building.misread,
        left,
    }
}

struct Building<'f> {
    files: &'f dyn Files,
    sources: &'f mut Sources,
    /// The files that the build read or tried to read, each with its text if it exists.
    texts: HashMap<Arc<Path>, Option<Arc<str>>>,
    unread: Vec<(Unread, Place)>,
    folders: Vec<(PathBuf, Range<usize>)>,
    resources: Vec<PathBuf>,
    taken: Vec<Place>,
    patches: Vec<PathBuf>,
    outside: Vec<(String, Place)>,
    targets: Targets,
    changes: Changes,
    /// The folders of the kustomizations that are being read, outermost first.
    open: Vec<PathBuf>,
    /// For each folder in `open`: how many inputs were unread before its kustomization. A Component changes the objects of the kustomization that
    /// names it.
    unread_before: Vec<usize>,
    /// How many inputs were unread before the last kustomization was loaded.
    unread_at_load: usize,
    /// Whether the outermost kustomization is a Component.
    is_component: bool,
    /// See [`Build::names_objects`].
    names_objects: bool,
    /// See [`Build::misread`].
    misread: Vec<PathBuf>,
    /// The first field that crd-analyzer does not support and that may change objects.
    blocked: Option<Problem>,
    /// The root node of the outermost kustomization.
    root: Option<Place>,
    /// The Flux Kustomization that builds the folder.
    flux: Option<Node>,
    /// Whether a file of resources has no object. A program may write the objects later, as `flux bootstrap` does.
    has_empty_files: bool,
    /// Whether the outermost kustomization names an OpenAPI file. If so, the OpenAPI files of its bases have no effect.
    has_openapi: bool,
}

/// The work units for each kustomization, in addition to its content.
const A_KUSTOMIZATION: usize = 5_000;

/// The memory for a stored path, in bytes, in addition to its text.
const A_PATH: usize = 100;

/// The maximum number of inputs of a build that are not read before missing ones get no suggestions.
const MOST_SUGGESTED: usize = 10;

/// The memory for a problem with a file that cannot be read, in bytes, including its path and message.
const A_PROBLEM: usize = 1 << 10;
/// The work units for a transformer that looks at an object.
const A_LOOK: usize = 50;

/// The maximum number of files outside the folders of kustomizations that a build lists.
const MOST_OUTSIDE: usize = 100;

/// The maximum depth of nested kustomizations.
const MOST_OPEN: usize = 100;

impl Building<'_> {
    fn run(&mut self, folder: &Path, flux: Option<&FluxKustomization>) -> Result<Vec<Built>> {
        let kustomization = match flux {
            None => self.load(folder, None)?,
            Some(flux) => self.load_with(folder, flux)?,
        };
        self.is_component = kustomization.is_component;
        self.names_objects = kustomization.names_objects();
        match &kustomization.openapi {
            None => self.run_with(folder, &kustomization),
            Some(path) => match self.openapi(folder, path)? {
                Some(file) => file.within(|| self.run_with(folder, &kustomization)),
                None => self.run_with(folder, &kustomization),
            },
        }
    }

    fn run_with(&mut self, folder: &Path, kustomization: &Kustomization) -> Result<Vec<Built>> {
        let mut found = self.accumulate(folder, kustomization, Accumulated::default())?;
        let resources = &mut found.resources;
        generate::add_hashes(resources)?;
        names::fix(resources, &found.config.name_references)?;
        vars::resolve(resources, &found.vars, &found.config.var_references)?;
        resources.list().iter().try_for_each(|it| check(&it.node))?;
        let local = "config.kubernetes.io/local-config";
        resources
            .list_mut()
            .retain(|it| it.annotation(local).is_none_or(|it| *it == *"false"));
        let (sources, flux) = (&*self.sources, self.flux.as_ref());
        resources
            .list()
            .iter()
            .try_for_each(|it| check_keys(sources, &it.node))?;
        check_order(kustomization)?;
        let list = std::mem::take(resources.list_mut());
        let built = list.into_iter().map(|mut resource| {
            resource.make_texts("annotations");
            if let Some(flux) = flux {
                flux::set_metadata(flux, &mut resource)?;
            }
            if sources.has_dates() {
                // Dates in annotations stay as they are, because annotations are strings.
                let texts = resource.node.at(&["metadata", "annotations"]).cloned();
                sources.print_dates(&mut resource.node);
                if let (Some(texts), Some(metadata)) = (texts, resource.node.get_mut("metadata")) {
                    metadata.set("annotations", texts.place, texts);
                }
            }
            resource.node.reread();
            Ok(Built {
                node: resource.node,
                origin: resource.origin,
            })
        });
        built.collect()
    }

    /// Whether objects of the kustomization that is being read may be missing because one of its inputs was not read.
    fn is_open(&self) -> bool {
        let before = self.unread_before.last().copied().unwrap_or(0);
        self.unread.len() > before
    }

    /// The text of a file. Each file is read once.
    fn text(&mut self, path: &Path) -> Result<Option<Arc<str>>> {
        if let Some(known) = self.texts.get(path) {
            return Ok(known.clone());
        }
        spend::bytes(path.as_os_str().len() + A_PATH)?;
        let text = self.sources.text(self.files, path)?;
        self.texts.insert(path.into(), text.clone());
        Ok(text)
    }

    /// The text of the file that the kustomization of a folder names with a path.
    fn text_in(&mut self, folder: &Path, file: &Path, (path, place): (&str, Place)) -> Result<Option<Arc<str>>> {
        let text = self.text(file)?;
        if text.is_some() && !file.starts_with(folder) && self.outside.len() < MOST_OUTSIDE {
            spend::bytes(path.len() + A_PATH)?;
            self.outside.push((path.to_owned(), place));
        }
        Ok(text)
    }

    /// The documents of a file that are not empty. `None` if the file does not exist.
    fn read_file(&mut self, path: &Path) -> Result<Option<Vec<Node>>> {
        let text = self.text(path)?;
        text.map(|it| self.sources.read_file(path, &it)).transpose()
    }

    /// The kustomization of a folder that Flux builds, with the changes that the Flux Kustomization makes.
    fn load_with(&mut self, folder: &Path, flux: &FluxKustomization) -> Result<Kustomization> {
        let object = match &flux.built {
            Some(built) => spend::copied(&built.node)?,
            None => self.written(flux)?,
        };
        self.root = Some(object.place);
        let mut has_own = false;
        for name in FILE_NAMES {
            has_own |= self.text(&folder.join(name))?.is_some();
        }
        let mut kustomization = if has_own {
            self.load(folder, Some(object.place))?
        } else {
            self.folders.push((folder.to_owned(), 0..0));
            flux.generated(&object)
        };
        flux::add(&object, &mut kustomization).map_err(|it| it.at(object.place))?;
        self.flux = Some(object);
        Ok(kustomization)
    }

    /// The Flux Kustomization as its file contains it.
    fn written(&mut self, flux: &FluxKustomization) -> Result<Node> {
        let documents = self.read_file(&flux.file)?.unwrap_or_default();
        let is_it = |it: &&Node| self.sources.document(it.place).1 == flux.document;
        let document = documents.iter().find(is_it);
        document.and_then(|it| flux.object(it)).cloned().ok_or_else(|| {
            let message = format!("`{}` has no Kustomization", name(&flux.file));
            Problem::new(ProblemKind::Missing, None, message)
        })
    }

    fn load(&mut self, folder: &Path, named: Option<Place>) -> Result<Kustomization> {
        self.unread_at_load = self.unread.len();
        let mut found: Vec<PathBuf> = Vec::new();
        for name in FILE_NAMES {
            let path = folder.join(name);
            if self.text(&path)?.is_some() {
                found.push(path);
            }
        }
        let path = match found.as_slice() {
            [path] => path.clone(),
            [] => {
                let message = format!("the folder `{}` has no kustomization", name(folder));
                let kind = missing(self.files, &folder.join(FILE_NAMES[0]));
                return Err(Problem::new(kind, named, message));
            }
            _ => {
                let message = format!("the folder `{}` has several kustomizations", name(folder));
                let first = self.read_file(&found[0]).ok().flatten();
                let first = first.and_then(|it| it.first().map(|it| it.place));
                return Err(Problem::fails(named.or(first), message));
            }
        };
        spend::work(A_KUSTOMIZATION)?;
        let resources = self.resources.len();
        self.folders.push((folder.to_owned(), resources..resources));
        // Until the kustomization is read, it is unknown which files it names.
        self.misread.push(folder.to_owned());
        let documents = self.read_file(&path)?.unwrap_or_default();
        let mut documents = documents.into_iter();
        let Some(first) = documents.next() else {
            return Err(Problem::fails(named, format!("`{}` is empty", name(&path))));
        };
        self.root.get_or_insert(first.place);
        let kustomization = Kustomization::decode(&first).map_err(|it| it.at(first.place))?;
        shapes::check(&first)?;
        self.misread.pop();
        self.note_unsupported(&kustomization);
        self.note_changes(folder, &kustomization)?;
        Ok(kustomization)
    }

    fn accumulate(
        &mut self,
        folder: &Path,
        kustomization: &Kustomization,
        mut found: Accumulated,
    ) -> Result<Accumulated> {
        if self.open.len() >= MOST_OPEN {
            return Err(Problem::new(
                ProblemKind::TooLarge,
                None,
                "kustomizations are nested too deep",
            ));
        }
        let before = match self.unread_before.last() {
            Some(outer) if kustomization.is_component => *outer,
            _ => self.unread_at_load,
        };
        self.open.push(folder.to_owned());
        self.unread_before.push(before);
        // The index of this kustomization's folder, which was added last.
        let own = self.folders.len().saturating_sub(1);
        for path in &kustomization.resources {
            let read = self.resource(folder, path, &mut found);
            let resources = self.resources.len();
            if let Some((_, taken)) = self.folders.get_mut(own) {
                taken.end = resources;
            }
            read?;
        }
        let mut config = default_config();
        if let Some(first) = kustomization.configurations.first() {
            let mut own = Config::default();
            for path in &kustomization.configurations {
                let more = self.configuration(folder, path).map_err(|it| it.at(path.place))?;
                own.merge(more).map_err(|it| it.at(path.place))?;
            }
            config.merge(own).map_err(|it| it.at(first.place))?;
        }
        found.config.merge(config)?;
        for generator in &kustomization.generators {
            let general = kustomization.generator_options.as_ref();
            if let Some(made) = self.generated(folder, generator, general)? {
                generate::absorb(&mut found.resources, made, self.is_open())?;
            }
        }
        self.run_generators(folder, &kustomization.plugins.generators, &mut found.resources)?;
        for path in &kustomization.components {
            let component = joined(folder, &path.text);
            if !self.files.is_folder(&component) {
                // A component may change all objects.
                self.changes.add_all();
                let is_file = self.text(&component)?.is_some();
                let refused = || self.files.refusal(&component);
                let problem = || {
                    if refused().is_some() {
                        unread(self.files, folder, &path.text, path.place)
                    } else if is_remote(&path.text) {
                        let why = format!("the component `{}` is remote", end_of(&path.text));
                        Problem::new(ProblemKind::NotSupported, path.place, why)
                    } else if is_file {
                        let why = format!("the component `{}` is a file, and not a folder", path.text);
                        Problem::fails(path.place, why)
                    } else {
                        let why = format!("the component `{}` does not exist", path.text);
                        let problem = Problem::new(missing(self.files, &component), path.place, why);
                        let like = paths_like(self.files, folder, &path.text);
                        problem.of_unknown(&path.text, like.unwrap_or_default())
                    }
                };
                self.blocked.get_or_insert_with(problem);
                continue;
            }
            found = self.directory(&component, path, true, found)?;
            let resources = self.resources.len();
            if let Some((_, taken)) = self.folders.get_mut(own) {
                taken.end = resources;
            }
        }
        self.transform(folder, kustomization, &mut found)?;
        self.validate(folder, &kustomization.plugins.validators, &mut found.resources)?;
        vars::note(&mut found.resources, &mut found.vars, &kustomization.vars)?;
        self.open.pop();
        self.unread_before.pop();
        Ok(found)
    }

    fn resource(&mut self, folder: &Path, path: &Text, found: &mut Accumulated) -> Result<()> {
        let file = joined(folder, &path.text);
        let is_folder = self.files.is_folder(&file);
        if !is_folder && let Some(text) = self.text_in(folder, &file, (&path.text, path.place))? {
            let read = self.sources.read_file(&file, &text);
            // All open kustomizations include the file, so the path is stored for each.
            spend::bytes((file.as_os_str().len() + A_PATH) * self.open.len())?;
            self.resources.push(file);
            let nodes = read.map_err(|it| it.at(path.place))?;
            nodes.iter().try_for_each(|it| check_merges(self.sources, it))?;
            let nodes = nodes.into_iter().map(|it| self.newer(it)).collect();
            let found_here = objects(nodes).map_err(|it| it.at(path.place))?;
            self.has_empty_files |= found_here.is_empty();
            let mut all = Resources::default();
            for resource in found_here {
                self.taken.push(resource.origin);
                all.add(resource)?;
            }
            return found.resources.add_all(all, (&path.text, path.place));
        }
        if !is_folder {
            return self.absent(folder, &file, path);
        }
        let inner = self.directory(&file, path, false, Accumulated::default())?;
        merge(found, inner, path)
    }

    /// Records a path that a kustomization names but that is not read: a remote base, a missing file, or a file that `files` refuses to read.
    fn absent(&mut self, folder: &Path, file: &Path, path: &Text) -> Result<()> {
        spend::bytes(path.text.len() + A_PROBLEM)?;
        // A kustomization with many missing files is not misspelt.
        let like = || match self.unread.len() {
            0..MOST_SUGGESTED => paths_like(self.files, folder, &path.text).unwrap_or_default(),
            _ => Vec::new(),
        };
        let unread = match self.files.refusal(file) {
            Some(why) => Unread::Refused(path.text.to_string(), why),
            None => Unread::of(&path.text, || self.files.is_made(file), like),
        };
        self.unread.push((unread, path.place));
        Ok(())
    }

    fn directory(
        &mut self,
        folder: &Path,
        named: &Text,
        is_component: bool,
        found: Accumulated,
    ) -> Result<Accumulated> {
        if self.open.iter().any(|it| it == folder) {
            return Err(Problem::fails(named.place, format!("`{}` is a cycle", named.text)));
        }
        if is_component {
            return self.inner(folder, named, is_component, found);
        }
        self.shared(folder, |it| it.inner(folder, named, is_component, found))
    }

    fn inner(&mut self, folder: &Path, named: &Text, is_component: bool, found: Accumulated) -> Result<Accumulated> {
        let kustomization = self.load(folder, Some(named.place))?;
        self.check_openapi_of_base(folder, &kustomization)?;
        if kustomization.is_component != is_component {
            let message = if is_component {
                format!("`{}` is not a Component: name it under `resources`", named.text)
            } else {
                format!("`{}` is a Component: name it under `components`", named.text)
            };
            return Err(Problem::fails(named.place, message));
        }
        if is_component {
            let inner = self.accumulate(folder, &kustomization, found)?;
            let mut outer = Accumulated::default();
            merge(&mut outer, inner, named)?;
            return Ok(outer);
        }
        self.accumulate(folder, &kustomization, Accumulated::default())
    }

    fn configuration(&mut self, folder: &Path, path: &Text) -> Result<Config> {
        let file = joined(folder, &path.text);
        let Some(read) = self.read_file(&file)? else {
            return Err(unread(self.files, folder, &path.text, path.place));
        };
        match read.first() {
            Some(root) => configuration::decode(root),
            None => Ok(Config::default()),
        }
    }

    fn newer(&mut self, mut node: Node) -> Node {
        self.sources.make_newer(&mut node);
        node
    }
}

/// The orders in which kustomize can sort objects.
const ORDERS: [&str; 2] = ["fifo", "legacy"];

/// Checks the order of the objects (`SortOrderTransformer`), which does not matter otherwise.
fn check_order(kustomization: &Kustomization) -> Result<()> {
    match &kustomization.sort_order {
        Some(order) if !ORDERS.contains(&&*order.text) => {
            let message = "`order` in `sortOptions` must be `fifo` or `legacy`";
            Err(Problem::fails(order.place, message).of_unknown(&order.text, ORDERS))
        }
        _ => Ok(()),
    }
}

/// Adds the result of a kustomization to the kustomization that names it (`MergeAccumulator`).
fn merge(outer: &mut Accumulated, inner: Accumulated, named: &Text) -> Result<()> {
    outer.resources.add_all(inner.resources, (&named.text, named.place))?;
    outer.config.merge(inner.config)?;
    inner.vars.into_iter().try_for_each(|it| vars::add(&mut outer.vars, it))
}
