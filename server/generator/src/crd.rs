//! Kinds become CRDs: `pkg/crd/gen.go`, `spec.go` and `markers/crd.go` of controller-gen.

use std::{
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

use crd_analyzer_budget as budget;
use crd_analyzer_gosource::{
    check::{
        catalog::Release,
        comments::Target,
        types::{Shape, Types},
    },
    literal::Literal,
};
use serde_json::json;

use crate::{
    Options, describe,
    flatten::Flattener,
    known::META,
    node::{Node, Origin, Part},
    packages::{Found, Marker, Markers, Meaning, Package, PackageId, Sources, markers},
    plural,
    schema::{Keyword, Property, Rule, Said, Schema, TypeId, Values},
    types::{Maker, Reason, Refused, origin_of},
    values,
};

/// The first release that makes CRDs of kinds whose package names no group.
const WITHOUT_GROUP: Release = Release(19);

/// The annotation by which controller-gen says what it is.
const ANNOTATION: &str = "controller-gen.kubebuilder.io/version";

/// What is made of packages.
#[derive(Debug)]
pub struct Generated {
    /// The CRDs, by group and kind.
    pub crds: Vec<Crd>,
    /// What controller-gen refuses.
    pub refused: Vec<Refused>,
    /// Types that are not on this machine. What is made of them is not known.
    pub missing: Vec<String>,
    /// It was more than may be done, so that something is missing.
    pub is_over: bool,
}

/// A CRD.
#[derive(Debug)]
pub struct Crd {
    /// The group.
    pub group: String,
    /// The kind.
    pub kind: String,
    /// The name in addresses.
    pub plural: String,
    /// The name of the file that controller-gen writes it to.
    pub file: String,
    /// The CRD.
    pub object: Part,
    /// Where the type of the kind is declared, for each version by its name.
    pub declared: Vec<(String, Origin)>,
}

/// A version of a kind while it is made.
struct Version {
    name: String,
    schema: Schema,
    markers: Markers,
    origin: Option<Origin>,
    is_served: bool,
    is_stored: bool,
    is_skipped: bool,
    /// Whether it is said to be old, and with which words.
    deprecated: Option<(Origin, Option<Said>)>,
    columns: Vec<Part>,
    fields: Vec<Part>,
    has_subresources: bool,
    status: Option<Origin>,
    scale: Option<Part>,
}

/// Makes CRDs, one after the other. What they have in common is made once.
pub struct Generator<'s> {
    flattener: Flattener<'s>,
    packages: Vec<PackageId>,
    of_group: BTreeMap<String, Vec<PackageId>>,
    tool: Option<String>,
}

impl<'s> Generator<'s> {
    /// Of the kinds in packages, which are named by their import paths. `tool`: what the annotation says, such as `v0.21.0`; there is none without it.
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

    /// The CRD of a kind. `None`: it has no version.
    pub fn crd(&mut self, group: &str, kind: &str) -> Option<Crd> {
        let packages = self.of_group.get(group).map_or(&[][..], Vec::as_slice);
        crd(&mut self.flattener, (group, kind), packages, self.tool.as_deref())
    }

    /// What controller-gen refuses of what has been made.
    pub fn refused(&self) -> &[Refused] {
        &self.flattener.maker.refused
    }
}

/// Makes the CRDs of all kinds in packages, as [`Generator::new`] describes them.
pub fn generate(roots: &[String], sources: &dyn Sources, options: &Options, tool: Option<&str>) -> Generated {
    let mut generator = Generator::new(roots, sources, options, tool);
    let kinds = generator.kinds();
    let mut crds: Vec<Crd> = nameless(&mut generator.flattener.maker, &generator.packages, tool)
        .into_iter()
        .collect();
    for (group, kind) in kinds {
        let crd = generator.crd(&group, &kind);
        // What was written before stays.
        if generator.refused().iter().any(|it| it.reason == Reason::Crash) {
            break;
        }
        crds.extend(crd);
    }
    let mut maker = generator.flattener.maker;
    for origin in std::mem::take(&mut maker.packages.refused) {
        maker.refuse(Some(origin), Reason::Marker);
    }
    maker.missing.sort_unstable();
    maker.missing.dedup();
    Generated {
        crds,
        refused: maker.refused,
        missing: maker.missing,
        is_over: maker.is_over,
    }
}

impl std::fmt::Debug for Generator<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Generator({} packages)", self.packages.len())
    }
}

/// What the first releases write of all kinds whose packages name no group.
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
    let annotations = tool.map(|it| (ANNOTATION.to_owned(), Part::value(it)));
    let empty = json!({"group": "", "names": {"kind": "", "plural": ""}, "scope": "", "versions": null});
    let mut object = Map::default();
    object.add("apiVersion", Part::value("apiextensions.k8s.io/v1"));
    object.add("kind", Part::value("CustomResourceDefinition"));
    let mut metadata = Map::default();
    if let Some(annotation) = annotations {
        metadata.add("annotations", Part::made(Node::Map(vec![annotation])));
    }
    object.add("metadata", metadata.part());
    object.add("spec", Part::value(empty));
    Some(Crd {
        group: String::new(),
        kind: String::new(),
        plural: String::new(),
        file: "_.yaml".to_owned(),
        object: object.part(),
        declared: Vec::new(),
    })
}

/// The group and the version of a package.
fn group_version(package: &Package, release: Release) -> Option<(String, String)> {
    let said = |name: &str| {
        let marker = package.markers.get(name)?.first()?;
        let value = marker.values.as_ref()?.one().and_then(|it| values::text(it));
        Some(value.unwrap_or_default().to_owned())
    };
    match said("groupName") {
        Some(group) => Some((group, said("versionName").unwrap_or_else(|| package.name.clone()))),
        None => (release >= WITHOUT_GROUP).then(Default::default),
    }
}

/// The packages of each group.
fn by_group(maker: &Maker<'_>, roots: &[PackageId]) -> BTreeMap<String, Vec<PackageId>> {
    let mut of_group: BTreeMap<String, Vec<PackageId>> = BTreeMap::new();
    for id in roots {
        let package = maker.packages.get(*id).filter(|it| !it.is_skipped);
        if let Some((group, _)) = package.and_then(|it| group_version(&it, maker.options.release)) {
            of_group.entry(group).or_default().push(*id);
        }
    }
    of_group
}

/// The kinds of packages: types that have the metadata of Kubernetes' objects.
fn kinds(maker: &mut Maker<'_>, roots: &[PackageId]) -> BTreeSet<(String, String)> {
    let mut kinds = BTreeSet::new();
    for id in roots {
        let Some(package) = maker.packages.get(*id).filter(|it| !it.is_skipped) else {
            continue;
        };
        let Some((group, _)) = group_version(&package, maker.options.release) else {
            continue;
        };
        for name in package.names() {
            if let Some(found) = package.find(name)
                && is_kind(maker, (*id, &found.file.types), &found.declared.shape)
            {
                kinds.insert((group.clone(), name.to_owned()));
            }
        }
    }
    kinds
}

fn is_kind(maker: &mut Maker<'_>, at: (PackageId, &Types), shape: &Shape) -> bool {
    let Shape::Struct(members) = shape else { return false };
    let (mut has_object, mut has_type) = (false, false);
    for member in members.iter().filter(|it| it.name.is_none()) {
        let is_name = matches!(&member.shape, Shape::Selected { name, .. } | Shape::Name(name)
            if name == "ObjectMeta" || name == "TypeMeta");
        if !is_name {
            continue;
        }
        let (path, name) = match &member.shape {
            Shape::Selected { package, name } => {
                let id = maker.packages.imported(at.1, package);
                (id.map(|it| maker.packages.path(it)), name)
            }
            Shape::Name(name) => match maker.packages.local(at, name) {
                Meaning::Declared(id, _) => (Some(maker.packages.path(id)), name),
                _ => (None, name),
            },
            _ => continue,
        };
        if path.as_deref() == Some(META) {
            has_object |= name == "ObjectMeta";
            has_type |= name == "TypeMeta";
        }
    }
    has_object && has_type
}

fn crd(
    flattener: &mut Flattener<'_>,
    (group, kind): (&str, &str),
    packages: &[PackageId],
    tool: Option<&str>,
) -> Option<Crd> {
    let mut versions: Vec<Version> = versions(flattener, kind, packages);
    versions.sort_by(|one, other| one.name.cmp(&other.name));
    let mut names = Names {
        plural: plural::of(kind).into(),
        singular: kind.to_lowercase().into(),
        ..Names::of(kind)
    };
    let mut annotations: BTreeMap<String, Part> = BTreeMap::new();
    let mut labels: BTreeMap<String, Part> = BTreeMap::new();
    for number in 0..versions.len() {
        let version = &mut versions[number];
        let markers = std::mem::take(&mut version.markers);
        let mut is_refused = None;
        for (name, all) in &markers {
            for marker in all {
                let is_taken = match *name {
                    "kubebuilder:resource" => names.set(marker),
                    "kubebuilder:metadata" => {
                        add_texts(marker, "annotations", &mut annotations) && add_texts(marker, "labels", &mut labels)
                    }
                    name => version.set(name, marker),
                };
                if !is_taken {
                    is_refused = Some(marker.origin.clone());
                }
            }
        }
        if is_refused.is_some() {
            flattener.maker.refuse(is_refused, Reason::Marker);
        }
    }
    versions.retain(|it| !it.is_skipped);
    if versions.is_empty() {
        return None;
    }
    if let [only] = versions.as_mut_slice() {
        only.is_stored = true;
    }
    if !versions.iter().any(|it| it.is_stored) || !versions.iter().any(|it| it.is_served) {
        let origin = versions.first().and_then(|it| it.origin.clone());
        flattener.maker.refuse(origin, Reason::Versions);
    }
    if let Some(tool) = tool {
        annotations.insert(ANNOTATION.to_owned(), Part::value(tool));
    }
    let declared = versions
        .iter()
        .filter_map(|it| Some((it.name.clone(), it.origin.clone()?)));
    let declared = declared.collect();
    let plural = names.plural.value.as_str().unwrap_or_default().to_owned();
    let mut writing = Writing {
        options: &flattener.maker.options,
        left: MAX_SCHEMAS,
    };
    let object = object((group, &plural), (names, versions), (annotations, labels), &mut writing);
    let is_over = writing.left == 0;
    flattener.maker.is_over |= is_over;
    Some(Crd {
        group: group.to_owned(),
        kind: kind.to_owned(),
        file: format!("{group}_{plural}.yaml"),
        plural,
        object,
        declared,
    })
}

/// The versions of a kind, with their schemas. `packages`: those of its group.
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
        let schema = flattener.flattened(&TypeId {
            package: id,
            name: kind.into(),
        });
        found.push(Version {
            name,
            schema: (*schema).clone(),
            markers: markers(file, &declared.markers, Target::Type, flattener.maker.options.reading()),
            origin: origin_of(&file.path, declared.name.clone()),
            is_served: true,
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

/// The names of a kind.
struct Names {
    kind: String,
    plural: Said,
    singular: Said,
    short: Vec<Part>,
    categories: Vec<Part>,
    scope: Said,
}

impl From<String> for Said {
    fn from(text: String) -> Self {
        Self::made(text)
    }
}

impl Names {
    fn of(kind: &str) -> Self {
        Self {
            kind: kind.to_owned(),
            plural: Said::made(""),
            singular: Said::made(""),
            short: Vec::new(),
            categories: Vec::new(),
            scope: Said::made("Namespaced"),
        }
    }

    fn set(&mut self, marker: &Marker) -> bool {
        let Some(values) = &marker.values else { return false };
        let said = |name: &str| {
            let literal = values.get(name)?;
            values::text(literal).filter(|it| !it.is_empty())?;
            Some(said(marker, literal))
        };
        let texts = |name: &str| {
            let literals = values.texts(name).into_iter();
            literals.map(|(text, literal)| part_of(marker, text, literal)).collect()
        };
        if let Some(plural) = said("path") {
            self.plural = plural;
        }
        if let Some(singular) = said("singular") {
            self.singular = singular;
        }
        self.short = texts("shortName");
        self.categories = texts("categories");
        self.scope = said("scope").unwrap_or_else(|| Said::made("Namespaced"));
        true
    }
}

/// What a marker gives an argument.
fn said(marker: &Marker, literal: &std::sync::Arc<Literal>) -> Said {
    Said {
        value: values::to_json(literal),
        from: Some(Origin {
            written: Some(literal.clone()),
            ..marker.origin.clone()
        }),
    }
}

fn part_of(marker: &Marker, text: &str, literal: &Literal) -> Part {
    Part {
        from: Some(Origin {
            written: Some(std::sync::Arc::new(literal.clone())),
            ..marker.origin.clone()
        }),
        ..Part::value(text)
    }
}

/// Annotations or labels, each written as `name=value`.
fn add_texts(marker: &Marker, name: &str, to: &mut BTreeMap<String, Part>) -> bool {
    let Some(values) = &marker.values else { return false };
    values.texts(name).into_iter().all(|(text, _)| {
        let pair = text.split_once('=');
        if let Some((key, value)) = pair {
            let part = Part {
                from: Some(marker.origin.clone()),
                ..Part::value(value)
            };
            to.insert(key.to_owned(), part);
        }
        pair.is_some()
    })
}

impl Version {
    /// Changes the version by a marker of its type.
    fn set(&mut self, name: &str, marker: &Marker) -> bool {
        let Some(values) = &marker.values else { return false };
        let field = |key: &str, argument: &str| {
            let literal = values.get(argument)?;
            let said = said(marker, literal);
            let is_empty = said.value == json!("") || said.value == json!(0);
            let is_needed = ["name", "type", "jsonPath"].contains(&key);
            (is_needed || !is_empty).then(|| (key.to_owned(), part(said)))
        };
        let object = |fields: &[(&str, &str)]| Part {
            from: Some(marker.origin.clone()),
            ..Part::made(Node::Map(fields.iter().filter_map(|it| field(it.0, it.1)).collect()))
        };
        match name {
            "kubebuilder:storageversion" => self.is_stored = true,
            "kubebuilder:skipversion" => self.is_skipped = true,
            "kubebuilder:unservedversion" => self.is_served = false,
            "kubebuilder:deprecatedversion" => {
                let warning = values.get("warning").map(|it| said(marker, it));
                self.deprecated = Some((marker.origin.clone(), warning));
            }
            "kubebuilder:subresource:status" => self.status = Some(marker.origin.clone()),
            "kubebuilder:subresource:scale" => {
                self.scale = Some(object(&[
                    ("specReplicasPath", "specpath"),
                    ("statusReplicasPath", "statuspath"),
                    ("labelSelectorPath", "selectorpath"),
                ]));
            }
            "kubebuilder:printcolumn" => {
                self.has_subresources = true;
                self.columns.push(object(&[
                    ("name", "name"),
                    ("type", "type"),
                    ("format", "format"),
                    ("description", "description"),
                    ("priority", "priority"),
                    ("jsonPath", "JSONPath"),
                ]));
            }
            "kubebuilder:selectablefield" => self.fields.push(object(&[("jsonPath", "JSONPath")])),
            _ => {}
        }
        true
    }

    fn object(mut self, writing: &mut Writing<'_>) -> Part {
        let mut members = Map::default();
        let about = self.origin.clone();
        if let Some(properties) = &mut self.schema.properties
            && let Some(metadata) = properties.get_mut("metadata")
        {
            // The server knows it.
            metadata.of = Rc::new(Schema::of_type("object"));
        }
        members.add("name", Part::value(self.name));
        members.add("served", Part::value(self.is_served));
        members.add("storage", Part::value(self.is_stored));
        if let Some((origin, warning)) = self.deprecated {
            let is = Part {
                from: Some(origin),
                ..Part::value(true)
            };
            members.add("deprecated", is);
            if let Some(warning) = warning {
                members.add("deprecationWarning", part(warning));
            }
        }
        if !self.columns.is_empty() {
            members.add("additionalPrinterColumns", Part::made(Node::List(self.columns)));
        }
        if !self.fields.is_empty() {
            members.add("selectableFields", Part::made(Node::List(self.fields)));
        }
        let schema = Part {
            from: about,
            ..writing.schema(&self.schema)
        };
        let mut openapi = Map::default();
        openapi.add("openAPIV3Schema", schema);
        members.add("schema", openapi.part());
        if self.has_subresources || self.status.is_some() || self.scale.is_some() {
            let mut subresources = Map::default();
            if let Some(scale) = self.scale {
                subresources.add("scale", scale);
            }
            if let Some(origin) = self.status {
                let status = Part {
                    from: Some(origin),
                    ..Map::default().part()
                };
                subresources.add("status", status);
            }
            members.add("subresources", subresources.part());
        }
        members.part()
    }
}

/// An object while it is made.
#[derive(Default)]
struct Map(Vec<(String, Part)>);

impl Map {
    fn add(&mut self, key: &str, part: Part) {
        self.0.push((key.to_owned(), part));
    }

    fn part(self) -> Part {
        Part::made(Node::Map(self.0))
    }
}

fn part(said: Said) -> Part {
    Part {
        from: said.from,
        ..Part::value(said.value)
    }
}

fn object(
    (group, plural): (&str, &str),
    (names, versions): (Names, Vec<Version>),
    (annotations, labels): (BTreeMap<String, Part>, BTreeMap<String, Part>),
    writing: &mut Writing<'_>,
) -> Part {
    let mut object = Map::default();
    object.add("apiVersion", Part::value("apiextensions.k8s.io/v1"));
    object.add("kind", Part::value("CustomResourceDefinition"));
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
    spec.add("group", Part::value(group));
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

/// Schemas of a CRD that are written: types that are parts of each other may make very many, and no API server takes a CRD with more.
const MAX_SCHEMAS: usize = 500_000;

/// Bytes of a schema that is written.
const A_SCHEMA: u64 = 400;

/// Writes schemas, as they are in a CRD.
struct Writing<'o> {
    options: &'o Options,
    /// Schemas that may still be written.
    left: usize,
}

impl Writing<'_> {
    fn schema(&mut self, of: &Schema) -> Part {
        let rest = self.left.checked_sub(1).filter(|_| budget::bytes(A_SCHEMA).is_ok());
        self.left = rest.unwrap_or(0);
        if self.left == 0 {
            return Part {
                is_unknown: true,
                ..Map::default().part()
            };
        }
        let options = self.options;
        let mut members = Map::default();
        let description = match options.max_description {
            Some(most) => describe::cut(&of.description, most, options.release),
            None => of.description.clone(),
        };
        if !description.is_empty() {
            members.add("description", Part::value(description));
        }
        if let Some(of_type) = &of.r#type {
            members.add("type", part(of_type.clone()));
        }
        for (keyword, said) in &of.values {
            members.add(keyword.name(), value(*keyword, said));
        }
        if !of.required.is_empty() {
            let names = of.required.iter().map(|(name, from)| Part {
                from: from.clone(),
                ..Part::value(&**name)
            });
            members.add("required", Part::made(Node::List(names.collect())));
        }
        if let Some(items) = &of.items {
            members.add("items", self.schema(items));
        }
        for (key, all) in [("allOf", &of.all_of), ("anyOf", &of.any_of)] {
            if !all.is_empty() {
                let all = all.iter().map(|it| self.schema(it)).collect();
                members.add(key, Part::made(Node::List(all)));
            }
        }
        if let Some(properties) = of.properties.as_ref().filter(|it| !it.is_empty()) {
            let property = |(name, it): (&Rc<str>, &Property)| {
                let part = Part {
                    from: it.from.clone(),
                    ..self.schema(&it.of)
                };
                (name.to_string(), part)
            };
            members.add(
                "properties",
                Part::made(Node::Map(properties.iter().map(property).collect())),
            );
        }
        match &of.additional {
            Some(Values::Any) => members.add("additionalProperties", Part::value(true)),
            Some(Values::Of(of)) => members.add("additionalProperties", self.schema(of)),
            None => {}
        }
        if !of.rules.is_empty() {
            let rules = of.rules.iter().map(rule).collect();
            members.add("x-kubernetes-validations", Part::made(Node::List(rules)));
        }
        Part {
            is_unknown: of.is_unknown,
            ..members.part()
        }
    }
}

/// The value of a keyword: of lists each item has its own place.
fn value(keyword: Keyword, of: &Said) -> Part {
    let literal = of.from.as_ref().and_then(|it| it.written.as_deref());
    if keyword == Keyword::Enum
        && let (serde_json::Value::Array(values), Some(origin)) = (&of.value, &of.from)
    {
        let items = literal.map(|it| match &it.value {
            crd_analyzer_gosource::literal::Value::List(items) => items.as_slice(),
            _ => &[],
        });
        let items = items.unwrap_or_default();
        let parts = values.iter().enumerate().map(|(n, value)| Part {
            from: items.get(n).map(|it| Origin {
                written: Some(std::sync::Arc::new(it.clone())),
                ..origin.clone()
            }),
            ..Part::value(value.clone())
        });
        return Part {
            from: Some(Origin {
                written: None,
                ..origin.clone()
            }),
            ..Part::made(Node::List(parts.collect()))
        };
    }
    part(of.clone())
}

fn rule(of: &Rule) -> Part {
    let fields = of
        .fields
        .iter()
        .map(|(name, said)| ((*name).to_owned(), part(said.clone())));
    Part {
        from: of.from.clone(),
        ..Part::made(Node::Map(fields.collect()))
    }
}
