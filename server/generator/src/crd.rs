//! Generates CRDs from kinds: `pkg/crd/gen.go` and `spec.go` of controller-gen.

use std::collections::{BTreeMap, BTreeSet};

use crd_analyzer_gosource::check::comments::Target;
use serde_json::json;

use crate::{
    Options,
    flatten::Flattener,
    ids::{PackageId, TypeId},
    kinds::{WITHOUT_GROUP, by_group, group_version, group_version_origins, is_internal, is_kind, kinds},
    node::{Node, Origin, Part},
    packages::{Found, Sources, markers},
    refused::{Reason, Refused},
    types::{Maker, origin_of},
    version::{Names, Version, add_texts},
    writable::unwritable,
    written::{Map, Writing, part},
};

/// The annotation in which controller-gen writes its version.
const ANNOTATION: &str = "controller-gen.kubebuilder.io/version";

/// The name of the file of a CRD without a group and a name.
const EMPTY: &str = "_.yaml";

/// The CRDs generated from some packages, with errors.
#[derive(Debug)]
pub struct Generated {
    /// The CRDs, by group and kind.
    pub crds: Vec<Crd>,
    /// The errors that controller-gen would report.
    pub refused: Vec<Refused>,
    /// The types whose source files are not on this machine. Schemas that contain these types are incomplete.
    pub missing: Vec<String>,
    /// Whether the work limit was reached, so that something is missing from the result.
    pub is_over: bool,
    /// Whether the output of controller-gen may differ each time that it runs, see [`settled`](crate::settled()).
    pub has_choices: bool,
}

/// A generated CRD.
#[derive(Debug)]
pub struct Crd {
    /// The group.
    pub group: String,
    /// The kind.
    pub kind: String,
    /// The plural name, as it is used in URLs.
    pub plural: String,
    /// The name of the file that controller-gen writes.
    pub file: String,
    /// The content of the CRD.
    pub object: Part,
    /// The declaration of the kind's type for each version, by version name.
    pub declared: Vec<(String, Origin)>,
    /// Whether controller-gen rejects a type, marker or text that the CRD depends on. If so, parts of the CRD may be missing.
    pub is_refused: bool,
}

/// Generates CRDs one by one. Types that several CRDs use are processed once.
pub struct Generator<'s> {
    pub(crate) flattener: Flattener<'s>,
    pub(crate) packages: Vec<PackageId>,
    pub(crate) of_group: BTreeMap<String, Vec<PackageId>>,
    tool: Option<String>,
}

impl<'s> Generator<'s> {
    /// Creates a generator for the kinds in the packages with these import paths. `tool` is the version for the annotation, such as `v0.21.0`.
    /// Without it, CRDs get no annotation.
    pub fn new(roots: &[String], sources: &'s dyn Sources, options: &Options, tool: Option<&str>) -> Self {
        let mut maker = Maker::new(sources, options);
        let mut packages: Vec<PackageId> = roots.iter().map(|it| maker.packages.load(it)).collect();
        packages.sort_unstable();
        packages.dedup();
        Self {
            of_group: by_group(&maker, &packages),
            flattener: Flattener::new(maker),
            packages,
            tool: tool.map(str::to_owned),
        }
    }

    /// The groups and kinds, sorted.
    pub fn kinds(&mut self) -> BTreeSet<(String, String)> {
        kinds(&mut self.flattener.maker, &self.packages)
    }

    /// Whether the kind is also declared as an internal type, so that controller-gen is not used for it.
    pub fn is_internal(&self, group: &str, kind: &str) -> bool {
        let packages = self.of_group.get(group).map_or(&[][..], Vec::as_slice);
        is_internal(&self.flattener.maker, packages, kind)
    }

    /// Generates the CRD of a kind. `None` if no version of the kind exists.
    pub fn crd(&mut self, group: &str, kind: &str) -> Option<Crd> {
        let packages = self.of_group.get(group).map_or(&[][..], Vec::as_slice);
        crd(&mut self.flattener, (group, kind), packages, self.tool.as_deref())
    }

    /// Adds the packages whose types were needed so far to those of their groups. controller-gen looks for the versions of a kind in all packages that
    /// it has loaded.
    fn add_loaded(&mut self) {
        let maker = &self.flattener.maker;
        let loaded: BTreeSet<PackageId> = maker.schemata.keys().map(|it| it.package).collect();
        let loaded: Vec<PackageId> = loaded.into_iter().filter(|it| !self.packages.contains(it)).collect();
        for (group, packages) in by_group(maker, &loaded) {
            let of_group = self.of_group.entry(group).or_default();
            of_group.extend(
                packages
                    .into_iter()
                    .filter(|it| !of_group.contains(it))
                    .collect::<Vec<_>>(),
            );
        }
    }

    /// Whether controller-gen's output for the CRDs so far may differ each time that it runs, see [`settled`](crate::settled()).
    pub fn has_choices(&self) -> bool {
        self.flattener.maker.has_choices
    }

    /// The types that were not found so far, each after the import path of its package. They are in the order of the searches, and may repeat.
    pub fn missing(&self) -> &[String] {
        &self.flattener.maker.missing
    }

    /// The names of types or packages that may be written at a place of a file instead of an undefined one.
    pub fn names_at(&mut self, place: &Origin) -> Vec<String> {
        self.flattener.maker.packages.names_at(&place.file, &place.span)
    }

    /// The markers that controller-gen cannot parse in the packages of a group. Because of one of them, it leaves out all types of the package, even
    /// if the options are not strict.
    pub fn unreadable(&self, group: &str) -> Vec<Origin> {
        let maker = &self.flattener.maker;
        let packages = self.of_group.get(group).into_iter().flatten();
        let packages = packages.filter_map(|it| maker.packages.get(*it));
        packages.flat_map(|it| it.unreadable(maker.options.reading())).collect()
    }

    /// The errors that controller-gen would report for the CRDs so far.
    pub fn refused(&self) -> &[Refused] {
        &self.flattener.maker.refused
    }
}

/// Generates the CRDs of all kinds in packages. The arguments are those of [`Generator::new`].
pub fn generate(roots: &[String], sources: &dyn Sources, options: &Options, tool: Option<&str>) -> Generated {
    let mut generator = Generator::new(roots, sources, options, tool);
    let kinds = generator.kinds();
    let mut crds: Vec<Crd> = nameless(&mut generator.flattener.maker, &generator.packages, tool)
        .into_iter()
        .collect();
    for (group, kind) in kinds {
        generator.add_loaded();
        let crd = generator.crd(&group, &kind);
        // If controller-gen crashes, it has already written the CRDs before the crash.
        if generator.refused().iter().any(|it| it.reason == Reason::Crash) {
            break;
        }
        let Some(mut crd) = crd else {
            if crds.iter().all(|it| it.file != EMPTY) {
                crds.push(empty(tool));
            }
            continue;
        };
        let declared = crd.declared.first().map(|it| &it.1);
        let unwritable = unwritable(&crd.object, declared).filter(|_| options.is_strict).cloned();
        if unwritable.is_some() {
            generator.flattener.maker.refuse(unwritable, Reason::Text);
            crd.is_refused = true;
            crds.push(crd);
            break;
        }
        crds.push(crd);
    }
    let refused = generator.refused_types();
    let unusable = generator.flattener.maker.packages.unusable();
    for crd in &mut crds {
        let of = (crd.group.as_str(), crd.kind.as_str());
        crd.is_refused |= refused
            .iter()
            .any(|(package, names)| generator.reaches_in(of, *package, names));
        // The CRD lacks the versions of these packages.
        let of_group = generator.of_group.get(&crd.group);
        crd.is_refused |= of_group.into_iter().flatten().any(|it| unusable.contains(it));
    }
    let mut maker = generator.flattener.maker;
    for origin in std::mem::take(&mut maker.packages.refused) {
        maker.refuse(origin, Reason::Marker);
    }
    maker.missing.sort_unstable();
    maker.missing.dedup();
    Generated {
        crds,
        refused: maker.refused,
        missing: maker.missing,
        is_over: maker.is_over,
        has_choices: maker.has_choices,
    }
}

impl std::fmt::Debug for Generator<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Generator({} packages)", self.packages.len())
    }
}

/// The CRD that the first supported releases write for all kinds in packages that set no group.
fn nameless(maker: &mut Maker<'_>, roots: &[PackageId], tool: Option<&str>) -> Option<Crd> {
    if maker.options.release >= WITHOUT_GROUP {
        return None;
    }
    let found = roots.iter().find_map(|id| {
        let package = maker.packages.get(*id)?;
        let is_without = !package.is_skipped && group_version(&package, maker.options.release).is_none();
        let names = package.names();
        let mut names = names.into_iter().filter(|_| is_without);
        names.find(|it| {
            let found = package.find(it);
            found.is_some_and(|it| is_kind(maker, (*id, &it.file.types), &it.declared.shape))
        })?;
        Some(())
    });
    found?;
    Some(empty(tool))
}

/// What controller-gen writes for a kind without versions, because it leaves out each of them.
fn empty(tool: Option<&str>) -> Crd {
    let annotations = tool.map(|it| (ANNOTATION.to_owned(), Part::value(it)));
    let empty = json!({"group": "", "names": {"kind": "", "plural": ""}, "scope": "", "versions": null});
    let mut object = head();
    let mut metadata = Map::default();
    if let Some(annotation) = annotations {
        metadata.add("annotations", Part::made(Node::Map(vec![annotation])));
    }
    object.add("metadata", metadata.part());
    object.add("spec", Part::value(empty));
    Crd {
        group: String::new(),
        kind: String::new(),
        plural: String::new(),
        file: EMPTY.to_owned(),
        object: object.part(),
        declared: Vec::new(),
        is_refused: false,
    }
}

fn crd(
    flattener: &mut Flattener<'_>,
    (group, kind): (&str, &str),
    packages: &[PackageId],
    tool: Option<&str>,
) -> Option<Crd> {
    let mut versions: Vec<Version> = versions(flattener, kind, packages);
    versions.sort_by(|one, other| one.name.cmp(&other.name));
    let mut names = Names::of(kind);
    let mut annotations: BTreeMap<String, Part> = BTreeMap::new();
    let mut labels: BTreeMap<String, Part> = BTreeMap::new();
    for version in &mut versions {
        let markers = std::mem::take(&mut version.markers);
        for (name, all) in &markers {
            for marker in all {
                let is_taken = match *name {
                    "kubebuilder:resource" => names.set(marker),
                    "kubebuilder:metadata" => add_texts(marker, "annotations", &mut annotations),
                    name => version.set(name, marker),
                };
                if !is_taken {
                    flattener.maker.refuse(marker.origin.clone(), Reason::Marker);
                } else if *name == "kubebuilder:metadata" && !add_texts(marker, "labels", &mut labels) {
                    // controller-gen checks only annotations before it splits them.
                    flattener.maker.refuse(marker.origin.clone(), Reason::Crash);
                }
            }
        }
    }
    versions.retain(|it| !it.is_skipped);
    if versions.is_empty() {
        return None;
    }
    if let [only] = versions.as_mut_slice() {
        only.is_stored = true;
    }
    if !versions.iter().any(|it| it.is_stored) {
        let origin = versions.first().map(|it| it.origin.clone());
        flattener.maker.refuse(origin, Reason::Versions);
    }
    let unserved: Option<Vec<&Origin>> = versions.iter().map(|it| it.unserved.as_ref()).collect();
    if let Some(marker) = unserved.and_then(|it| it.last().copied().cloned()) {
        flattener.maker.refuse(marker, Reason::Unserved);
    }
    if let Some(tool) = tool {
        annotations.insert(ANNOTATION.to_owned(), Part::value(tool));
    }
    let declared = versions.iter().map(|it| (it.name.clone(), it.origin.clone())).collect();
    let plural = names.plural.value.as_str().unwrap_or_default().to_owned();
    let mut writing = Writing::new(&flattener.maker.options);
    let object = object((group, &plural), (names, versions), (annotations, labels), &mut writing);
    let is_over = writing.is_over();
    flattener.maker.is_over |= is_over;
    Some(Crd {
        group: group.to_owned(),
        kind: kind.to_owned(),
        file: format!("{group}_{plural}.yaml"),
        plural,
        object,
        declared,
        is_refused: false,
    })
}

/// The versions of a kind with their schemas. `packages` has the packages of the kind's group.
fn versions(flattener: &mut Flattener<'_>, kind: &str, packages: &[PackageId]) -> Vec<Version> {
    let release = flattener.maker.options.release;
    let mut found = Vec::new();
    for id in packages.iter().copied() {
        let Some(package) = flattener.maker.packages.get(id) else {
            continue;
        };
        let Some((_, name)) = group_version(&package, release) else {
            continue;
        };
        let Some(Found { file, declared }) = package.find(kind) else {
            continue;
        };
        let [group, named] = group_version_origins(&package);
        let origin = origin_of(&file.path, declared.name.clone());
        let of_kind = TypeId {
            package: id,
            name: kind.into(),
        };
        let schema = flattener.flattened(&of_kind, origin.clone());
        found.push(Version {
            name,
            schema: (*schema).clone(),
            markers: markers(file, &declared.markers, Target::Type, flattener.maker.options.reading()),
            group,
            named,
            origin,
            unserved: None,
            is_stored: false,
            is_skipped: false,
            deprecated: None,
            columns: Vec::new(),
            fields: Vec::new(),
            has_subresources: false,
            status: None,
            scale: None,
        });
    }
    found
}

fn head() -> Map {
    let mut object = Map::default();
    object.add("apiVersion", Part::value("apiextensions.k8s.io/v1"));
    object.add("kind", Part::value("CustomResourceDefinition"));
    object
}

fn object(
    (group, plural): (&str, &str),
    (names, versions): (Names, Vec<Version>),
    (annotations, labels): (BTreeMap<String, Part>, BTreeMap<String, Part>),
    writing: &mut Writing<'_>,
) -> Part {
    let mut object = head();
    let mut metadata = Map::default();
    for (key, texts) in [("annotations", annotations), ("labels", labels)] {
        if !texts.is_empty() {
            metadata.add(key, Part::made(Node::Map(texts.into_iter().collect())));
        }
    }
    let name = Part {
        from: names.plural.from.clone().map(|it| Origin { written: None, ..it }),
        ..Part::value(format!("{plural}.{group}"))
    };
    metadata.add("name", name);
    object.add("metadata", metadata.part());
    let mut spec = Map::default();
    let group = Part {
        from: versions.iter().find_map(|it| it.group.clone()),
        ..Part::value(group)
    };
    spec.add("group", group);
    let mut named = Map::default();
    named.add("kind", Part::value(names.kind.clone()));
    named.add("listKind", Part::value(format!("{}List", names.kind)));
    named.add("plural", part(names.plural));
    named.add("singular", part(names.singular));
    for (key, texts) in [("shortNames", names.short), ("categories", names.categories)] {
        if !texts.is_empty() {
            named.add(key, Part::made(Node::List(texts)));
        }
    }
    spec.add("names", named.part());
    if let Some(preserves) = writing.options.preserves_unknown_fields {
        spec.add("preserveUnknownFields", Part::value(preserves));
    }
    spec.add("scope", part(names.scope));
    let versions = versions.into_iter().map(|it| it.object(writing)).collect();
    spec.add("versions", Part::made(Node::List(versions)));
    object.add("spec", spec.part());
    object.part()
}
