//! Chooses the CRD that a resource is checked against if there are several for its kind.
//!
//! CRDs are compared by these criteria, in this order: the origin (`--crd`, the repository, the configuration, a cluster), whether the CRD is in the
//! resource's own file, whether it belongs to the same release, its role in the repository ([`Standing`]), its distance, and its release.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashSet},
    ops::Bound,
    path::Path,
    sync::Arc,
};

use super::{ByPath, Fingerprint, KnownCrd, Object, Origin};
use crate::roles::{Place, Standing, Version, is_template};

/// The CRD that applies to an object.
#[derive(Clone, Debug)]
pub struct Found {
    /// The best CRD.
    pub definition: Arc<KnownCrd>,
    /// A few different CRDs of the same rank. It is unknown which of them is in the cluster.
    pub equals: Vec<Arc<KnownCrd>>,
    /// A few CRDs of lower rank, the best one first.
    pub others: Vec<Arc<KnownCrd>>,
    /// The reason why the best CRD was chosen.
    pub chosen: Chosen,
}

/// The reason why one of several CRDs was chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Chosen {
    /// No other CRD is known.
    Only,
    /// The user or the configuration named the CRD, or the repository does not have one.
    Origin,
    /// The CRD is in the resource's own file.
    SameFile,
    /// The CRD belongs to the same release as the resource.
    SameRelease,
    /// The other CRDs are copies or have another purpose.
    Standing,
    /// The CRD is nearer to the resource than the others.
    Nearest,
    /// The CRD is newer than the others.
    Newest,
    /// The CRDs are equally good, and this one is first in the order of file names or of documents in a file.
    Order,
}

/// The maximum number of CRDs of a kind to compare. If there are more, only the nearest are compared.
const MOST_COMPARED: usize = 256;

/// The maximum number of other CRDs to name in a message and to check a resource against.
const MOST_OTHERS: usize = 4;

/// The maximum number of CRDs of the same rank to check a resource against.
const MOST_EQUALS: usize = 16;

/// The file of the object for which a CRD is chosen.
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

/// The rank of a CRD; the best is first. CRDs of the same rank are equally good.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Rank {
    origin: Origin,
    is_other_file: bool,
    is_other_release: bool,
    standing: Standing,
    /// Whether the CRD is in a template. If one of two packages is a Helm chart with templates, less is known about its CRD.
    is_template: bool,
    /// The number of parent folders that the object has in common with the CRD. If there are several releases, with all of them.
    common: Reverse<usize>,
    version: Reverse<Option<Version>>,
}

impl Rank {
    fn of(it: &KnownCrd, near: &Near<'_>) -> Self {
        let place = &*it.place;
        let is_whole = place.standing < Standing::Unserved;
        let release = place.release.as_deref();
        // An old release may have a CRD that no API server accepts today: its objects are not those of the newer CRDs.
        let is_same_release = (is_whole || place.standing == Standing::Unserved)
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
            is_template: is_template(&it.path),
            common: Reverse(common(&place.container, near.folder)),
            version: Reverse(place.version.clone()),
        }
    }

    /// The reason why this rank is better than another.
    fn reason(&self, other: &Self) -> Chosen {
        if self.origin != other.origin {
            Chosen::Origin
        } else if self.is_other_file != other.is_other_file {
            Chosen::SameFile
        } else if self.is_other_release != other.is_other_release {
            Chosen::SameRelease
        } else if (self.standing, self.is_template) != (other.standing, other.is_template) {
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

/// The number of folders at the start of two paths that are the same.
fn common(one: &Path, other: &Path) -> usize {
    one.components()
        .zip(other.components())
        .take_while(|(one, other)| one == other)
        .count()
}

/// Chooses the best CRD of a kind, and a few others.
pub(super) fn choose(by_origin: &BTreeMap<Origin, ByPath>, near: &Near<'_>) -> Option<Found> {
    let mut compared: Vec<(Rank, usize, &Arc<KnownCrd>)> = Vec::new();
    for by_path in by_origin.values() {
        for it in nearest(by_path, near.path) {
            if it.place.standing != Standing::Assertion && may_be_of_tests(it, near) {
                compared.push((Rank::of(it, near), it.path.components().count(), it));
            }
        }
    }
    // The sort is stable: CRDs of the same rank and depth stay sorted by name. If two are in one file, the later one comes first, because the API
    // server ends up with it.
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
        // If the user gave a CRD explicitly, others are not alternatives. The CRD in a cluster rarely matches work in progress, so it is not an
        // alternative either.
        let counts = other.origin != Origin::Cluster && (rank.origin != Origin::Given || other.origin == Origin::Given);
        if of == rank && found.equals.len() < MOST_EQUALS {
            found.equals.push((*other).clone());
        } else if counts && found.others.len() < MOST_OTHERS {
            found.others.push((*other).clone());
        }
    }
    Some(found)
}

/// Whether a CRD of tests may be meant for an object. If the user did not name it, it is meant for these tests alone.
fn may_be_of_tests(crd: &KnownCrd, near: &Near<'_>) -> bool {
    let tested = crd
        .place
        .tested
        .as_ref()
        .filter(|_| crd.place.standing == Standing::Test);
    crd.origin != Origin::Workspace || tested.is_none_or(|it| near.folder.starts_with(it))
}

/// The CRDs of a kind. If there are too many, only the nearest ones.
fn nearest<'a>(by_path: &'a ByPath, near: &'a Path) -> Vec<&'a Arc<KnownCrd>> {
    let of_file = |it: &'a Vec<Arc<KnownCrd>>| it.iter().rev();
    if by_path.len() <= MOST_COMPARED {
        return by_path.values().flat_map(of_file).collect();
    }
    let mut found: BTreeMap<&Arc<Path>, &Vec<Arc<KnownCrd>>> = BTreeMap::new();
    // The empty path finds files that have no folder in common with `near`, such as the CRDs of a cluster.
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
    /// All known CRDs of the kind except the best one.
    pub fn all_others(&self) -> impl Iterator<Item = &Arc<KnownCrd>> {
        self.equals.iter().chain(&self.others)
    }
}

/// The role of a CRD according to its text alone.
pub(super) fn of_text(object: &Object) -> Standing {
    if object.lacks.is_part() {
        Standing::Part
    } else if object.written.unserved().is_some() {
        Standing::Unserved
    } else {
        Standing::Built
    }
}
