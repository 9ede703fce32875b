//! Which of several CRDs of a kind checks a resource.
//!
//! First how the CRD came to be known: `--crd`, the repository, the configuration, a cluster. Then one in the resource's own file, and one of the
//! release that the resource belongs to. Then what the CRD is to the repository ([`Standing`]), how near it lies, and the newest release.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashSet},
    ops::Bound,
    path::Path,
    sync::Arc,
};

use super::{ByPath, Fingerprint, KnownCrd, Object, Origin};
use crate::roles::{Place, Standing, Version};

/// The CRD that counts for an object.
#[derive(Clone, Debug)]
pub struct Found {
    /// The best one.
    pub definition: Arc<KnownCrd>,
    /// Others of the same rank that define the kind in other words: nothing says which of them is in the cluster. Not more than a few.
    pub equals: Vec<Arc<KnownCrd>>,
    /// Others of lower ranks, the best first; not more than a few.
    pub others: Vec<Arc<KnownCrd>>,
    /// Why it is the best one.
    pub chosen: Chosen,
}

/// Why one of several CRDs checks a resource.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Chosen {
    /// It is the only one.
    Only,
    /// The user or the configuration named it, or no file of the repository has one.
    Origin,
    /// The resource's file has it.
    SameFile,
    /// The resource belongs to the same release.
    SameRelease,
    /// The others are copies, or serve another purpose.
    Standing,
    /// It is nearer.
    Nearest,
    /// It is newer.
    Newest,
    /// Nothing but the order of names, or of the documents in a file.
    Order,
}

/// How many CRDs of a kind are compared. Of more, these are the nearest.
const MOST_COMPARED: usize = 256;

/// How many others are named, and may be asked about a resource.
const MOST_OTHERS: usize = 4;

/// How many of the same rank may be asked about a resource.
const MOST_EQUALS: usize = 16;

/// The file of an object.
pub(super) struct Near<'a> {
    path: &'a Path,
    folder: &'a Path,
    place: Place,
}

impl<'a> Near<'a> {
    pub(super) fn new(path: &'a Path, place: Place) -> Self {
        Self {
            path,
            folder: path.parent().unwrap_or(path),
            place,
        }
    }
}

/// What CRDs are compared by, the best first. CRDs of one rank are equal: the rest of the order is arbitrary.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Rank {
    origin: Origin,
    is_other_file: bool,
    is_other_release: bool,
    standing: Standing,
    /// The folders that are common to the object and to the CRD, or to all releases of the CRD.
    common: Reverse<usize>,
    version: Reverse<Option<Version>>,
}

impl Rank {
    fn of(it: &KnownCrd, near: &Near<'_>) -> Self {
        let place = &*it.place;
        let is_whole = place.standing < Standing::Unserved;
        let release = place.release.as_deref();
        let is_same_release = is_whole
            && place.version.is_some()
            && match release {
                Some(release) => near.folder.starts_with(release),
                None => near.place.version == place.version && near.folder == it.path.parent().unwrap_or(&it.path),
            };
        Self {
            origin: it.origin,
            is_other_file: !(is_whole && *it.path == *near.path),
            is_other_release: !is_same_release,
            standing: place.standing,
            common: Reverse(common(&place.container, near.folder)),
            version: Reverse(place.version.clone()),
        }
    }

    /// Why the first of two ranks is better.
    fn reason(&self, other: &Self) -> Chosen {
        if self.origin != other.origin {
            Chosen::Origin
        } else if self.is_other_file != other.is_other_file {
            Chosen::SameFile
        } else if self.is_other_release != other.is_other_release {
            Chosen::SameRelease
        } else if self.standing != other.standing {
            Chosen::Standing
        } else if self.common != other.common {
            Chosen::Nearest
        } else if self.version != other.version {
            Chosen::Newest
        } else {
            Chosen::Order
        }
    }
}

/// How many folders two paths begin with.
fn common(one: &Path, other: &Path) -> usize {
    one.components()
        .zip(other.components())
        .take_while(|(one, other)| one == other)
        .count()
}

/// The best of the CRDs of a kind, with others.
pub(super) fn choose(by_origin: &BTreeMap<Origin, ByPath>, near: &Near<'_>) -> Option<Found> {
    let mut compared: Vec<(Rank, usize, &Arc<KnownCrd>)> = Vec::new();
    for by_path in by_origin.values() {
        for it in nearest(by_path, near.path) {
            if it.place.standing != Standing::Assertion {
                compared.push((Rank::of(it, near), it.path.components().count(), it));
            }
        }
    }
    // The sort is stable: those of one rank and depth stay sorted by name, and of two in one file the later comes first, which is what an API
    // server has in the end.
    compared.sort_by(|one, other| (&one.0, one.1).cmp(&(&other.0, other.1)));
    let (rank, _, definition) = compared.first()?;
    let mut found = Found {
        definition: (*definition).clone(),
        equals: Vec::new(),
        others: Vec::new(),
        chosen: Chosen::Only,
    };
    let mut seen: HashSet<Fingerprint> = HashSet::from([definition.fingerprint]);
    for (of, _, other) in &compared[1..] {
        if !seen.insert(other.fingerprint) {
            continue;
        }
        if found.chosen == Chosen::Only {
            found.chosen = rank.reason(of);
        }
        // Who names a CRD means no other one. A cluster rarely has what is being written: that is why one writes.
        let counts = other.origin != Origin::Cluster && (rank.origin != Origin::Given || other.origin == Origin::Given);
        if of == rank && found.equals.len() < MOST_EQUALS {
            found.equals.push((*other).clone());
        } else if counts && found.others.len() < MOST_OTHERS {
            found.others.push((*other).clone());
        }
    }
    Some(found)
}

/// The CRDs of a kind; of very many the nearest ones.
fn nearest<'a>(by_path: &'a ByPath, near: &'a Path) -> Vec<&'a Arc<KnownCrd>> {
    let of_file = |it: &'a Vec<Arc<KnownCrd>>| it.iter().rev();
    if by_path.len() <= MOST_COMPARED {
        return by_path.values().flat_map(of_file).collect();
    }
    let mut found: BTreeMap<&Arc<Path>, &Vec<Arc<KnownCrd>>> = BTreeMap::new();
    // What lies below none of the folders of `near`, as CRDs of a cluster may, lies below nothing.
    for folder in near.ancestors().chain([Path::new("")]) {
        let below = by_path.range::<Path, _>((Bound::Included(folder), Bound::Unbounded));
        let below = below.take_while(|(path, _)| path.starts_with(folder));
        let room = MOST_COMPARED - found.len();
        found.extend(below.take(room));
        if found.len() >= MOST_COMPARED {
            break;
        }
    }
    found.into_values().flat_map(of_file).collect()
}

impl Found {
    /// All CRDs of the kind that are known here but for the best one.
    pub fn all_others(&self) -> impl Iterator<Item = &Arc<KnownCrd>> {
        self.equals.iter().chain(&self.others)
    }
}

/// What the text of a CRD says of it, wherever it lies.
pub(super) fn of_text(object: &Object) -> Standing {
    if object.lacks.is_part() {
        Standing::Part
    } else if object.written.unserved().is_some() {
        Standing::Unserved
    } else {
        Standing::Built
    }
}
