//! The values of variables, computed once for each Flux Kustomization.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use crd_analyzer_budget::{self as budget, Limits, Unfinished};

use super::{ConfigMap, Flux, Kustomization, artifacts, file_name};
use crate::filled_in::variables::{Values, Variables};

/// The limits for computing all values.
const LIMITS: Limits = Limits {
    work: 100_000_000,
    bytes: 32 << 20,
    ..Limits::NONE
};

/// The limits for finding the variables on which the Kustomizations of some folders agree.
const AGREEING: Limits = Limits {
    work: 5_000_000,
    bytes: 4 << 20,
    ..Limits::NONE
};

/// The work units that a variable costs.
const A_VALUE: u64 = 20;

/// The memory that a variable costs, in bytes, without its strings, which are shared.
const VALUE_BYTES: u64 = 64;

/// Facts derived from all Kustomizations, computed on first use. Two caches compare as equal, because their content depends only on the
/// Kustomizations.
#[derive(Default, Debug)]
pub(super) struct Cache(OnceLock<Known>);

impl Cache {
    pub(super) fn get_or_init(&self, make: impl FnOnce() -> Known) -> &Known {
        self.0.get_or_init(make)
    }
}

impl Clone for Cache {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Cache {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Cache {}

/// Facts derived from all Kustomizations.
#[derive(Debug)]
pub(super) struct Known {
    /// The indices of the Kustomizations that build this repository.
    pub(super) here: Vec<usize>,
    /// The Kustomizations that build artifacts, see [`artifacts::resolved`].
    pub(super) resolved: HashMap<usize, Kustomization>,
    /// The folders of the Kustomizations that substitute variables or change objects.
    pub(super) folders: HashSet<PathBuf>,
    /// For each folder that is built with variables, an index into `of_folder`. The entry there has the variables on which all Kustomizations of the
    /// folder agree.
    by_folder: HashMap<PathBuf, usize>,
    of_folder: Vec<Arc<Variables>>,
    /// The variables of each Kustomization that substitutes any, by the index of the Kustomization.
    pub(super) of_one: HashMap<usize, Arc<Variables>>,
    /// The variables on which several folders agree, by the folders' indices.
    of_several: Mutex<HashMap<Vec<usize>, Arc<Variables>>>,
}

/// The values of one or several objects, and whether all these objects are known.
type Given = (Arc<Values>, bool);

impl Known {
    pub(super) fn new(flux: &Flux) -> Self {
        budget::apart(|| budget::within(LIMITS, || Self::find(flux)).0)
    }

    fn find(flux: &Flux) -> Self {
        let resolved = artifacts::resolved(&flux.kustomizations, &flux.artifacts);
        let all = || {
            flux.kustomizations
                .iter()
                .enumerate()
                .map(|(n, it)| resolved.get(&n).unwrap_or(it))
        };
        let here = flux.here(all());
        let mut values = Computing::new(&flux.config_maps);
        let mut of_one = HashMap::new();
        let is_here: HashSet<usize> = here.iter().copied().collect();
        let mut by_folder: HashMap<PathBuf, usize> = HashMap::new();
        let mut of_folder: Vec<Variables> = Vec::new();
        for (n, kustomization) in all().enumerate() {
            if !kustomization.is_substituting {
                continue;
            }
            let by = named(&kustomization.name, &kustomization.at.file) + &values.sources_of(kustomization);
            let found = values.of(kustomization);
            let is_unfinished = found.is_err();
            let (values, is_complete) = found.unwrap_or_default();
            let variables = Variables {
                values,
                is_complete,
                is_unfinished,
                by: BTreeSet::from([by]),
                more: 0,
            };
            if is_here.contains(&n) {
                if let Some(at) = by_folder.get(&kustomization.folder) {
                    agree(&mut of_folder[*at], &variables);
                } else {
                    by_folder.insert(kustomization.folder.clone(), of_folder.len());
                    of_folder.push(variables.clone());
                }
            }
            of_one.insert(n, Arc::new(variables));
        }
        let counts = |it: &&Kustomization| it.is_substituting || it.is_patching;
        let folders = all().enumerate().filter(|it| is_here.contains(&it.0) && counts(&it.1));
        Self {
            folders: folders.map(|it| it.1.folder.clone()).collect(),
            here,
            resolved,
            by_folder,
            of_folder: of_folder.into_iter().map(Arc::new).collect(),
            of_one,
            of_several: Mutex::default(),
        }
    }

    /// The variables of the Kustomizations that build any of these paths.
    pub(super) fn variables(&self, places: &[&Path]) -> Option<Arc<Variables>> {
        if self.by_folder.is_empty() {
            return None;
        }
        let above = places.iter().flat_map(|it| it.ancestors());
        let numbers: BTreeSet<usize> = above.filter_map(|it| self.by_folder.get(it)).copied().collect();
        let numbers = Vec::from_iter(numbers);
        let (first, others) = numbers.split_first()?;
        let first = &self.of_folder[*first];
        if others.is_empty() {
            return Some(first.clone());
        }
        let lock = || self.of_several.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&numbers) {
            return Some(known.clone());
        }
        let find = || {
            let mut agreed = Variables::clone(first);
            for other in others {
                agree(&mut agreed, &self.of_folder[*other]);
            }
            agreed
        };
        let agreed = Arc::new(budget::apart(|| budget::within(AGREEING, find).0));
        lock().insert(numbers, agreed.clone());
        Some(agreed)
    }
}

/// Adds the variables of `other`. Those whose values differ are unknown, also those that only one of both defines.
fn agree(known: &mut Variables, other: &Variables) {
    known.is_unfinished |= other.is_unfinished || budget::work(1).is_err();
    known.is_complete &= other.is_complete;
    if !Arc::ptr_eq(&known.values, &other.values) && agree_on_values(known, &other.values).is_err() {
        known.is_unfinished = true;
        known.values = Arc::default();
    }
    known.more += other.more;
    for by in &other.by {
        if known.by.len() < MOST_NAMED {
            known.by.insert(by.clone());
        } else {
            known.more += 1;
        }
    }
}

fn agree_on_values(known: &mut Variables, others: &Values) -> Result<(), Unfinished> {
    budget::work(A_VALUE * known.values.len().max(others.len()) as u64)?;
    if *known.values == *others {
        return Ok(());
    }
    // The values are copied if others share them, and the names of the other values are added.
    let is_shared = Arc::strong_count(&known.values) > 1;
    let copied = if is_shared { known.values.len() } else { 0 };
    let added = others.keys().filter(|it| !known.values.contains_key(*it)).count();
    budget::bytes(VALUE_BYTES * (copied + added) as u64)?;
    let values = Arc::make_mut(&mut known.values);
    for (name, value) in values.iter_mut() {
        if others.get(name) != Some(value) {
            *value = None;
        }
    }
    for name in others.keys() {
        values.entry(name.clone()).or_insert(None);
    }
    Ok(())
}

/// The maximum number of Kustomizations that a message names as the source of variables.
const MOST_NAMED: usize = 10;

/// The maximum number of ConfigMaps that a message names for a Kustomization.
const MOST_SOURCES: usize = 3;

/// The name of an object and its file, for a message.
fn named(name: &str, file: &Path) -> String {
    format!("`{name}` ({})", file_name(file))
}

/// The namespace of a Kustomization, and the kinds and names of the objects from which it takes variables.
type SourcesOf<'f> = (&'f str, &'f [(String, String)]);

/// Computes the values of Kustomizations.
struct Computing<'f> {
    config_maps: HashMap<&'f str, Vec<&'f ConfigMap>>,
    /// The combined data of all ConfigMaps with the same name, by the namespace that refers to them.
    joined: HashMap<(&'f str, &'f str), Option<Arc<Values>>>,
    /// The combined values of several objects, by the namespace and the objects.
    known: HashMap<SourcesOf<'f>, Given>,
}

impl<'f> Computing<'f> {
    fn new(config_maps: &'f [ConfigMap]) -> Self {
        let mut by_name: HashMap<&str, Vec<&ConfigMap>> = HashMap::new();
        for config_map in config_maps {
            by_name.entry(&config_map.name).or_default().push(config_map);
        }
        Self {
            config_maps: by_name,
            joined: HashMap::new(),
            known: HashMap::new(),
        }
    }

    /// The ConfigMaps with variables of a Kustomization, for a message.
    fn sources_of(&self, of: &Kustomization) -> String {
        let maps = of.from.iter().filter(|it| it.0 == "ConfigMap");
        let found = maps.filter_map(|(_, name)| self.config_maps.get(&**name)?.first());
        let names = found
            .take(MOST_SOURCES)
            .map(|it| [", ConfigMap ", &named(&it.name, &it.file)].concat());
        names.collect()
    }

    fn of(&mut self, of: &'f Kustomization) -> Result<Given, Unfinished> {
        budget::work(A_VALUE)?;
        let (given, is_complete) = self.given((&of.namespace, &of.from))?;
        if given.is_empty() {
            return Ok((of.inline.clone(), is_complete));
        }
        if of.inline.is_empty() {
            return Ok((given, is_complete));
        }
        spend(given.len() + of.inline.len())?;
        let mut values = Values::clone(&given);
        values.extend(of.inline.iter().map(|(name, value)| (name.clone(), value.clone())));
        Ok((Arc::new(values), is_complete))
    }

    /// The values from ConfigMaps. The last ConfigMap takes precedence.
    fn given(&mut self, key: SourcesOf<'f>) -> Result<Given, Unfinished> {
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let (namespace, from) = key;
        let mut values = Values::new();
        let mut is_complete = true;
        for (kind, name) in from {
            budget::work(A_VALUE)?;
            let found = if kind == "ConfigMap" {
                self.joined(namespace, name)?
            } else {
                None
            };
            let Some(found) = found else {
                // This object is unknown, and it may set the same variables.
                is_complete = false;
                for value in values.values_mut() {
                    *value = None;
                }
                continue;
            };
            spend(found.len())?;
            values.extend(found.iter().map(|(name, value)| (name.clone(), value.clone())));
        }
        let given = (Arc::new(values), is_complete);
        self.known.insert(key, given.clone());
        Ok(given)
    }

    /// The values of all ConfigMaps with a name. Where they disagree, a value is unknown.
    fn joined(&mut self, namespace: &'f str, name: &'f str) -> Result<Option<Arc<Values>>, Unfinished> {
        if let Some(known) = self.joined.get(&(namespace, name)) {
            return Ok(known.clone());
        }
        let named = self.config_maps.get(name).map(Vec::as_slice).unwrap_or_default();
        budget::work(named.len() as u64)?;
        let is_it = |it: &&&ConfigMap| it.namespace == namespace || it.namespace.is_empty() || namespace.is_empty();
        let mut joined: Option<Values> = None;
        for config_map in named.iter().filter(is_it) {
            let joined = joined.get_or_insert_default();
            spend(config_map.data.len())?;
            for (name, value) in &*config_map.data {
                let bytes = value.as_ref().map_or(0, |it| it.len() as u64);
                budget::work(bytes / budget::BYTES_PER_WORK)?;
                // A patch for a ConfigMap looks like a ConfigMap itself, so a value is certain only if all of them agree.
                match joined.get_mut(name) {
                    None => {
                        joined.insert(name.clone(), value.clone());
                    }
                    Some(known) if known == value => {}
                    Some(known) => *known = None,
                }
            }
        }
        let joined = joined.map(Arc::new);
        self.joined.insert((namespace, name), joined.clone());
        Ok(joined)
    }
}

/// Spends work and memory for the given number of variables.
fn spend(values: usize) -> Result<(), Unfinished> {
    budget::work(A_VALUE * values as u64)?;
    budget::bytes(VALUE_BYTES * values as u64)
}
