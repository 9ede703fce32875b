//! Builds Flux Kustomizations that are built by other Kustomizations. A Kustomization, the parent, may patch the Kustomizations in its folder, its
//! children, and substitute variables in them. Flux then applies the changed children instead of the written ones.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_budget::Unfinished;
use crd_analyzer_kustomize::{
    Built, BuiltKustomization, Files, FluxKustomization, Node, Place, Sources, Value, references,
};

use super::{
    flux_manifests::{Around, Manifests},
    graph::has_kustomization,
    objects::key as document_of,
    run::{BuiltFolder, Run},
};
use crate::{
    builds::flux::{Asked, At, Building, Flux, is_kustomization, is_switched_off},
    filled_in::variables::{Substituted, Variables, substitute},
};

/// The maximum number of levels of parents. Kustomizations below are applied as they are written.
const MOST_LEVELS: usize = 10;

/// The maximum number of files and folders to visit in the search for children.
const MOST_LOOKS: usize = 2_000_000;

/// A Kustomization: the place where it is written and, if a parent changes it, the address of the changed version.
pub(super) type Key = (At, usize);

/// The key of a Kustomization.
pub(super) fn key(it: &Building<'_>) -> Key {
    let node = it.built().map_or(0, |it| Arc::as_ptr(&it.0.node) as usize);
    (it.at().clone(), node)
}

/// A child as its parent builds it: the index of the written Kustomization, the built object, and its index among the built objects.
struct Child {
    written: usize,
    node: Arc<Node>,
    number: usize,
    /// Whether the parent builds the child without changes.
    is_as_written: bool,
}

/// A Kustomization and the children that it builds.
struct Family {
    kustomization: Arc<FluxKustomization>,
    children: Vec<Child>,
    asked: Arc<BTreeSet<Arc<Path>>>,
}

/// The builds of the Kustomizations that have children.
#[derive(Default)]
pub(super) struct Children {
    /// The families. Each entry also keeps the built version of the parent alive, so that the address in the key is not reused.
    families: HashMap<Key, (Option<Arc<Node>>, Option<Family>)>,
    /// The builds of the parents that change objects, by parent.
    pub(super) builds: HashMap<Key, BuiltFolder>,
    /// The files that these builds tried to read.
    pub(super) asked: BTreeSet<Arc<Path>>,
    /// The Kustomizations for which the budget of the run is too small.
    pub(super) unfinished: BTreeSet<Place>,
}

/// All versions of a written Kustomization that Flux applies.
type Instead = Vec<Applied>;

/// A version of a Kustomization that Flux applies. `None` is the written one.
type Applied = Option<(BuiltKustomization, Asked)>;

impl Children {
    /// Builds the Kustomizations that have children, level by level from the top. Returns them together with the Kustomizations that Flux applies.
    pub(super) fn of(
        written: &Flux,
        (manifests, around): (&Manifests<'_>, &Around<'_>),
        (run, sources): (&mut Run, &mut Sources),
    ) -> (Self, Flux) {
        let mut all = Self::default();
        let mut flux = written.clone();
        if written.building().nth(1).is_none() {
            return (all, flux);
        }
        let places = written.written();
        let files: HashSet<&Path> = written.files().collect();
        let mut below = Below {
            files: &files,
            manifests,
            named: HashMap::new(),
            holding: HashMap::new(),
            left: MOST_LOOKS,
        };
        let mut known: BTreeMap<usize, Instead> = BTreeMap::new();
        for _ in 0..MOST_LEVELS {
            let mut now: BTreeMap<usize, Instead> = BTreeMap::new();
            for it in flux.building() {
                let Some(around) = around(it.file()).filter(|files| below.holds(it.folder(), *files)) else {
                    continue;
                };
                let key = key(&it);
                if !all.families.contains_key(&key) {
                    let family = all.family(&it, (manifests, around), (run, sources), &places);
                    let node = it.built().map(|it| it.0.node.clone());
                    all.families.insert(key.clone(), (node, family));
                }
                let Some((_, Some(family))) = all.families.get(&key) else {
                    continue;
                };
                let variables = flux.variables_of(Some(it.number), it.folder());
                for child in &family.children {
                    let of_child = now.entry(child.written).or_default();
                    let before = known.get(&child.written);
                    match family.applied(child, &it, variables.as_deref(), before, run) {
                        Err(_) => {
                            all.unfinished.insert(child.node.place);
                        }
                        Ok(applied) if !of_child.contains(&applied) => of_child.push(applied),
                        Ok(_) => {}
                    }
                }
            }
            now.retain(|_, it| !it.is_empty());
            if now == known {
                break;
            }
            flux = written.with_built(&now, sources);
            known = now;
        }
        (all, flux)
    }

    /// Builds a Kustomization to find its children.
    fn family(
        &mut self,
        it: &Building<'_>,
        (manifests, files): (&Manifests<'_>, &dyn Files),
        (run, sources): (&mut Run, &mut Sources),
        places: &HashMap<&At, usize>,
    ) -> Option<Family> {
        let kustomization = manifests.kustomization(it, files)?;
        let mut children = Vec::new();
        let see = |run: &mut Run, (objects, sources): (&[Built], &Sources)| {
            for (number, built) in objects.iter().enumerate().filter(|it| is_kustomization(&it.1.node)) {
                let Some((file, document, item)) = document_of(sources, built.origin) else {
                    continue;
                };
                let at = At {
                    file,
                    document: document as u32,
                    item,
                };
                let size = sources.tree(built.origin).0.document_span().range().len();
                if let Some(written) = places.get(&at)
                    && run.compares(built, size)
                {
                    let is_as_written = run.is_as_written(sources, built);
                    children.push(Child {
                        written: *written,
                        node: Arc::new(built.node.clone()),
                        number,
                        is_as_written,
                    });
                }
            }
        };
        let built = run.build_and_see(files, it.folder(), (sources, Some(&kustomization)), see);
        let asked: BTreeSet<Arc<Path>> = built.build.files.iter().cloned().collect();
        self.asked.extend(asked.iter().cloned());
        if it.is_patching() {
            self.builds.insert(key(it), built);
        } else {
            run.forget(&built);
        }
        Some(Family {
            kustomization: Arc::new(kustomization),
            children,
            asked: Arc::new(asked),
        })
    }
}

impl Family {
    /// The version of a child that Flux applies. `before` has the versions from the previous round, in which less was known about the parents.
    ///
    /// # Errors
    /// If the budget of the run is too small. Then Flux is assumed to apply the other versions of the child or, if it has none, the written one.
    fn applied(
        &self,
        child: &Child,
        by: &Building<'_>,
        variables: Option<&Variables>,
        before: Option<&Instead>,
        run: &mut Run,
    ) -> Result<Applied, Unfinished> {
        let mut node = child.node.clone();
        if let Some(variables) = variables
            && !is_switched_off(&node)
        {
            let mut changed = Node::clone(&node);
            if put_in(&mut changed, variables) {
                node = Arc::new(changed);
            }
        }
        if child.is_as_written && Arc::ptr_eq(&node, &child.node) {
            return Ok(None);
        }
        // Reuse a version from the previous round. This also ends the search if a Kustomization builds itself.
        let is_same = |it: &&(BuiltKustomization, Asked)| *it.0.node == *node;
        if let Some(same) = before.and_then(|it| it.iter().flatten().find(is_same)) {
            return Ok(Some(same.clone()));
        }
        if !run.keeps(&node) {
            return Err(Unfinished::Bytes);
        }
        let mut asked: Asked = by.built().map(|it| it.1.clone()).unwrap_or_default();
        asked.push(self.asked.clone());
        let built = BuiltKustomization {
            node,
            folder: by.folder().into(),
            by: self.kustomization.clone(),
            number: child.number,
        };
        Ok(Some((built, asked)))
    }
}

/// Substitutes variables in the strings of an object. Returns whether it contained known variables.
fn put_in(node: &mut Node, variables: &Variables) -> bool {
    match &mut node.value {
        Value::String(text) => {
            let substituted = substitute(text, false, Some(variables));
            let Some(Substituted::Text(now) | Substituted::Written(now) | Substituted::Either(now)) = substituted
            else {
                return false;
            };
            *text = now.into();
            true
        }
        Value::List(items) => items.iter_mut().fold(false, |found, it| put_in(it, variables) | found),
        Value::Map(entries) => {
            let values = entries.iter_mut().map(|it| &mut it.value);
            values.fold(false, |found, it| put_in(it, variables) | found)
        }
        _ => false,
    }
}

/// The search for folders that contain Kustomizations.
struct Below<'a> {
    /// The files in which Kustomizations are written.
    files: &'a HashSet<&'a Path>,
    manifests: &'a Manifests<'a>,
    /// The files and folders that the kustomization of each folder names.
    named: HashMap<PathBuf, Arc<[PathBuf]>>,
    /// Whether the build of a folder may contain Kustomizations, for the folders searched so far.
    holding: HashMap<PathBuf, bool>,
    /// How many more files and folders may be visited.
    left: usize,
}

impl Below<'_> {
    /// Whether the build of a folder may contain other Kustomizations.
    fn holds(&mut self, folder: &Path, files: &dyn Files) -> bool {
        if let Some(known) = self.holding.get(folder) {
            return *known;
        }
        let found = self.search(folder, files);
        self.holding.insert(folder.to_owned(), found);
        found
    }

    fn search(&mut self, folder: &Path, files: &dyn Files) -> bool {
        let mut seen: HashSet<PathBuf> = HashSet::new();
        let mut queue: Vec<PathBuf> = Vec::new();
        if has_kustomization(files, folder) {
            queue.push(folder.to_owned());
        } else {
            queue.extend(self.manifests.resources_of(folder).iter().map(|it| folder.join(it)));
        }
        while let Some(path) = queue.pop() {
            if self.files.contains(path.as_path()) {
                return true;
            }
            if self.left == 0 || seen.contains(&path) {
                continue;
            }
            self.left -= 1;
            queue.extend(self.named(&path, files).iter().cloned());
            seen.insert(path);
        }
        false
    }

    /// The files and folders that the kustomization of a folder names.
    fn named(&mut self, folder: &Path, files: &dyn Files) -> Arc<[PathBuf]> {
        if let Some(known) = self.named.get(folder) {
            return known.clone();
        }
        let found: Arc<[PathBuf]> = if files.is_folder(folder) {
            references(files, folder).unwrap_or_default().into_iter().collect()
        } else {
            Arc::default()
        };
        self.named.insert(folder.to_owned(), found.clone());
        found
    }
}
