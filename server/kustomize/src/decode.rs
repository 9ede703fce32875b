//! Decodes a kustomization file as strictly as kustomize does (`types.Kustomization`, `Unmarshal`).

use std::sync::Arc;

use crate::{
    id::{Gvk, ResId},
    kustomization::{
        FieldOptions, Generator, GeneratorOptions, Image, Kustomization, Label, Patch, Replacement, ReplacementSource,
        ReplacementTarget, Replica, Text, Var,
    },
    node::{Node, Place, Value},
    problem::{Problem, Result},
    selector::Selector,
    spec::FieldSpec,
};

/// How to treat fields that kustomize does not know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unknowns {
    /// Unknown fields are an error, as in kustomizations.
    Refused,
    /// Unknown fields are ignored, as in the objects and files that a kustomization names.
    Ignored,
}

impl Kustomization {
    /// Decodes a kustomization file.
    pub(crate) fn decode(root: &Node) -> Result<Self> {
        let mut found = Self::default();
        let fields = Fields::of(root)?;
        if fields
            .entries
            .iter()
            .all(|(key, ..)| ["apiVersion", "kind"].contains(key))
        {
            return Err(Problem::fails(root.place, "the kustomization is empty"));
        }
        let (mut bases, mut image_tags, mut secrets) = (Vec::new(), Vec::new(), Vec::new());
        let mut head = (None, None);
        for (written, key_place, node) in &fields.entries {
            let key = KNOWN
                .iter()
                .find(|it| it.eq_ignore_ascii_case(written))
                .copied()
                .ok_or_else(|| {
                    let message = format!("a kustomization has no field `{written}`");
                    Problem::fails(*key_place, message).of_unknown(written, KNOWN)
                })?;
            match key {
                "apiVersion" => head.0 = text(node)?,
                "kind" => head.1 = text(node)?,
                "namePrefix" => found.name_prefix = text(node)?,
                "nameSuffix" => found.name_suffix = text(node)?,
                "namespace" => found.namespace = text(node)?,
                "commonLabels" => found.common_labels = texts(node)?,
                "commonAnnotations" => found.common_annotations = texts(node)?,
                "labels" => found.labels = list(node, |it| label(it, Unknowns::Refused))?,
                "patchesStrategicMerge" => found.patches_strategic_merge = list_of_texts(node)?,
                "patchesJson6902" => found.patches_json = list(node, |it| patch(it, Unknowns::Refused))?,
                "patches" => found.patches = list(node, |it| patch(it, Unknowns::Refused))?,
                "images" => found.images = list(node, |it| image(it, Unknowns::Refused))?,
                "imageTags" => image_tags = list(node, |it| image(it, Unknowns::Refused))?,
                "replacements" => found.replacements = list(node, |it| replacement(it, Unknowns::Refused))?,
                "replicas" => found.replicas = list(node, |it| replica(it, Unknowns::Refused))?,
                "vars" => found.vars = list(node, var)?,
                "resources" => found.resources = list_of_texts(node)?,
                "bases" => bases = list_of_texts(node)?,
                "components" => found.components = list_of_texts(node)?,
                "configMapGenerator" => found.generators = list(node, |it| generator(it, false, Unknowns::Refused))?,
                "secretGenerator" => secrets = list(node, |it| generator(it, true, Unknowns::Refused))?,
                "generatorOptions" => found.generator_options = options(node, Unknowns::Refused)?,
                "configurations" => found.configurations = list_of_texts(node)?,
                "generators" => found.plugins.generators = list_of_texts(node)?,
                "transformers" => found.plugins.transformers = list_of_texts(node)?,
                "validators" => found.plugins.validators = list_of_texts(node)?,
                "openapi" => found.openapi = openapi(node)?,
                "crds" | "helmCharts" | "helmChartInflationGenerator" if !node.is_empty() => {
                    found.unsupported.push((key, node.place));
                }
                _ => {}
            }
        }
        found.is_component = head.1.as_ref().is_some_and(|it| *it.text == *"Component");
        if let Some(kind) = head.1.filter(|it| !(it.text.is_empty() || KINDS.contains(&&*it.text))) {
            let message = format!("kind `{}` is neither Kustomization nor Component", kind.text);
            return Err(Problem::fails(kind.place, message).of_unknown(&kind.text, KINDS));
        }
        let version = if found.is_component {
            "kustomize.config.k8s.io/v1alpha1"
        } else {
            "kustomize.config.k8s.io/v1beta1"
        };
        if let Some(written) = head.0.filter(|it| !["", version].contains(&&*it.text)) {
            return Err(Problem::fails(
                written.place,
                format!("the apiVersion must be `{version}`"),
            ));
        }
        found.resources.extend(bases);
        found.images.extend(image_tags);
        found.generators.append(&mut secrets);
        Ok(found)
    }
}

impl Kustomization {
    /// Whether the kustomization names or generates objects, or has unsupported fields that may do so.
    pub(crate) fn names_objects(&self) -> bool {
        let plugins = &self.plugins.generators;
        let makes = !(self.generators.is_empty() && self.unsupported.is_empty() && plugins.is_empty());
        makes || !(self.resources.is_empty() && self.components.is_empty())
    }
}

/// The path in `openapi`. Setting both a path and a version is an error.
fn openapi(node: &Node) -> Result<Option<Text>> {
    let Some(path) = node.get("path") else {
        return Ok(None);
    };
    if node.get("version").is_some() {
        let message = "`openapi` has both `path` and `version`: keep one";
        return Err(Problem::fails(node.place, message));
    }
    text(path)
}

const KINDS: [&str; 2] = ["Kustomization", "Component"];

const KNOWN: [&str; 34] = [
    "apiVersion",
    "kind",
    "metadata",
    "openapi",
    "namePrefix",
    "nameSuffix",
    "namespace",
    "commonLabels",
    "labels",
    "commonAnnotations",
    "patchesStrategicMerge",
    "patchesJson6902",
    "patches",
    "images",
    "imageTags",
    "replacements",
    "replicas",
    "vars",
    "sortOptions",
    "resources",
    "components",
    "crds",
    "bases",
    "configMapGenerator",
    "secretGenerator",
    "helmGlobals",
    "helmCharts",
    "helmChartInflationGenerator",
    "generatorOptions",
    "configurations",
    "generators",
    "transformers",
    "validators",
    "buildMetadata",
];

/// The fields of an object. As in Go, keys are found in upper and lower case.
pub(crate) struct Fields<'n> {
    /// The fields, each with the place of its key.
    entries: Vec<(&'n str, Place, &'n Node)>,
    pub(crate) place: Place,
}

impl<'n> Fields<'n> {
    pub(crate) fn of(node: &'n Node) -> Result<Self> {
        match &node.value {
            Value::Map(entries) => Ok(Self {
                entries: entries.iter().map(|it| (&*it.key, it.key_place, &it.value)).collect(),
                place: node.place,
            }),
            Value::Null { .. } => Ok(Self {
                entries: Vec::new(),
                place: node.place,
            }),
            _ => Err(wrong(node, "an object")),
        }
    }

    /// The fields of an object, if all of them are in `known` or unknown ones are ignored.
    fn known(node: &'n Node, known: &'static [&'static str], unknowns: Unknowns) -> Result<Self> {
        let fields = Self::of(node)?;
        if unknowns == Unknowns::Ignored {
            return Ok(fields);
        }
        match fields
            .entries
            .iter()
            .find(|it| !known.iter().any(|known| known.eq_ignore_ascii_case(it.0)))
        {
            Some((key, place, _)) => {
                let message = format!("`{key}` is not a field here");
                Err(Problem::fails(*place, message).of_unknown(key, known.iter().copied()))
            }
            None => Ok(fields),
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&'n Node> {
        self.entries
            .iter()
            .rfind(|it| it.0.eq_ignore_ascii_case(key))
            .map(|it| it.2)
    }

    pub(crate) fn text(&self, key: &str) -> Result<Option<Text>> {
        self.get(key).map_or(Ok(None), text)
    }

    pub(crate) fn string(&self, key: &str) -> Result<Arc<str>> {
        Ok(self.text(key)?.map(|it| it.text).unwrap_or_default())
    }

    pub(crate) fn flag(&self, key: &str) -> Result<bool> {
        match self.get(key).map(|it| (&it.value, it)) {
            None | Some((Value::Null { .. }, _)) => Ok(false),
            Some((Value::Bool(value), _)) => Ok(*value),
            Some((_, node)) => Err(wrong(node, "a boolean")),
        }
    }

    pub(crate) fn integer(&self, key: &str) -> Result<i64> {
        match self.get(key).map(|it| (&it.value, it)) {
            None | Some((Value::Null { .. }, _)) => Ok(0),
            Some((Value::Int(value), _)) => Ok(*value),
            Some((_, node)) => Err(wrong(node, "an integer")),
        }
    }

    pub(crate) fn list<T>(&self, key: &str, item: impl Fn(&Node) -> Result<T>) -> Result<Vec<T>> {
        self.get(key).map_or(Ok(Vec::new()), |it| list(it, item))
    }

    fn id(&self) -> Result<ResId> {
        Ok(ResId {
            gvk: Gvk {
                group: self.string("group")?,
                version: self.string("version")?,
                kind: self.string("kind")?,
            },
            name: self.string("name")?,
            namespace: self.string("namespace")?,
        })
    }
}

fn wrong(node: &Node, expected: &str) -> Problem {
    Problem::fails(node.place, format!("the value must be {expected}"))
}

pub(crate) fn text(node: &Node) -> Result<Option<Text>> {
    match &node.value {
        Value::String(text) => Ok(Some(Text {
            text: text.clone(),
            place: node.place,
        })),
        Value::Null { .. } => Ok(None),
        _ => Err(wrong(node, "a string")),
    }
}

pub(crate) fn list<T>(node: &Node, item: impl Fn(&Node) -> Result<T>) -> Result<Vec<T>> {
    match &node.value {
        Value::List(items) => items.iter().map(item).collect(),
        Value::Null { .. } => Ok(Vec::new()),
        _ => Err(wrong(node, "a list")),
    }
}

pub(crate) fn list_of_texts(node: &Node) -> Result<Vec<Text>> {
    let empty = |place| Text { text: "".into(), place };
    list(node, |it| Ok(text(it)?.unwrap_or_else(|| empty(it.place))))
}

pub(crate) fn texts(node: &Node) -> Result<Vec<(Text, Text)>> {
    match &node.value {
        Value::Map(entries) => entries
            .iter()
            .map(|it| {
                let key = Text {
                    text: it.key.clone(),
                    place: it.key_place,
                };
                let empty = Text {
                    text: "".into(),
                    place: it.value.place,
                };
                Ok((key, text(&it.value)?.unwrap_or(empty)))
            })
            .collect(),
        Value::Null { .. } => Ok(Vec::new()),
        _ => Err(wrong(node, "an object")),
    }
}

pub(crate) fn selector(node: &Node, unknowns: Unknowns) -> Result<Option<Selector>> {
    if node.is_null() {
        return Ok(None);
    }
    let fields = Fields::known(
        node,
        &[
            "group",
            "version",
            "kind",
            "name",
            "namespace",
            "labelSelector",
            "annotationSelector",
        ],
        unknowns,
    )?;
    Ok(Some(Selector {
        place: fields.place,
        id: fields.id()?,
        labels: fields.string("labelSelector")?,
        annotations: fields.string("annotationSelector")?,
    }))
}

pub(crate) fn patch(node: &Node, unknowns: Unknowns) -> Result<Patch> {
    let fields = Fields::known(node, &["path", "patch", "target", "options"], unknowns)?;
    let options = fields
        .get("options")
        .map(|it| Fields::known(it, &["allowNameChange", "allowKindChange"], unknowns));
    let options = options.transpose()?;
    let flag = |key: &str| options.as_ref().map_or(Ok(false), |it| it.flag(key));
    Ok(Patch {
        place: fields.place,
        path: fields.text("path")?.filter(|it| !it.text.is_empty()),
        text: fields.text("patch")?.filter(|it| !it.text.trim().is_empty()),
        target: fields.get("target").map_or(Ok(None), |it| selector(it, unknowns))?,
        allow_name_change: flag("allowNameChange")?,
        allow_kind_change: flag("allowKindChange")?,
    })
}

/// A field spec, from a transformer configuration or an entry of `labels`.
pub(crate) fn field_spec(node: &Node, unknowns: Unknowns) -> Result<FieldSpec> {
    let fields = Fields::known(node, &["group", "version", "kind", "path", "create"], unknowns)?;
    Ok(FieldSpec {
        gvk: fields.id()?.gvk,
        path: fields.string("path")?,
        create: fields.flag("create")?,
    })
}

fn label(node: &Node, unknowns: Unknowns) -> Result<Label> {
    const FIELDS: &[&str] = &[
        "pairs",
        "includeSelectors",
        "includeTemplates",
        "includeVolumeClaimTemplates",
        "fields",
    ];
    let fields = Fields::known(node, FIELDS, unknowns)?;
    Ok(Label {
        pairs: fields.get("pairs").map_or(Ok(Vec::new()), texts)?,
        include_selectors: fields.flag("includeSelectors")?,
        include_templates: fields.flag("includeTemplates")?,
        include_volume_claim_templates: fields.flag("includeVolumeClaimTemplates")?,
        fields: fields.list("fields", |it| field_spec(it, unknowns))?,
    })
}

pub(crate) fn image(node: &Node, unknowns: Unknowns) -> Result<Image> {
    let fields = Fields::known(node, &["name", "newName", "newTag", "tagSuffix", "digest"], unknowns)?;
    Ok(Image {
        place: fields.place,
        name: fields.string("name")?,
        new_name: fields.string("newName")?,
        new_tag: fields.string("newTag")?,
        tag_suffix: fields.string("tagSuffix")?,
        digest: fields.string("digest")?,
    })
}

pub(crate) fn replica(node: &Node, unknowns: Unknowns) -> Result<Replica> {
    let fields = Fields::known(node, &["name", "count"], unknowns)?;
    Ok(Replica {
        place: fields.get("count").map_or(fields.place, |it| it.place),
        name: fields.string("name")?,
        count: fields.integer("count")?,
    })
}

fn options(node: &Node, unknowns: Unknowns) -> Result<Option<GeneratorOptions>> {
    const FIELDS: &[&str] = &["labels", "annotations", "disableNameSuffixHash", "immutable"];
    if node.is_null() {
        return Ok(None);
    }
    let fields = Fields::known(node, FIELDS, unknowns)?;
    Ok(Some(GeneratorOptions {
        labels: fields.get("labels").map_or(Ok(Vec::new()), texts)?,
        annotations: fields.get("annotations").map_or(Ok(Vec::new()), texts)?,
        disable_name_suffix_hash: fields.flag("disableNameSuffixHash")?,
        immutable: fields.flag("immutable")?,
    }))
}

const OF_SECRETS: &[&str] = &[
    "name",
    "namespace",
    "behavior",
    "env",
    "envs",
    "literals",
    "files",
    "options",
    "type",
];

/// The fields of a Secret generator without the last one, because ConfigMaps have no type.
const OF_CONFIG_MAPS: &[&str] = match OF_SECRETS {
    [fields @ .., _] => fields,
    [] => &[],
};

pub(crate) fn generator(node: &Node, is_secret: bool, unknowns: Unknowns) -> Result<Generator> {
    let fields = Fields::known(node, if is_secret { OF_SECRETS } else { OF_CONFIG_MAPS }, unknowns)?;
    let texts = |key: &str| fields.get(key).map_or(Ok(Vec::new()), list_of_texts);
    let mut envs = texts("envs")?;
    // Only in kustomizations does kustomize add `env` to `envs`.
    if unknowns == Unknowns::Refused {
        envs.extend(fields.text("env")?.filter(|it| !it.text.is_empty()));
    }
    Ok(Generator {
        place: fields.place,
        is_secret,
        name: fields.text("name")?,
        namespace: fields.text("namespace")?.filter(|it| !it.text.is_empty()),
        behavior: fields.string("behavior")?,
        kind: fields.string("type")?,
        envs,
        literals: texts("literals")?,
        files: texts("files")?,
        options: fields.get("options").map_or(Ok(None), |it| options(it, unknowns))?,
    })
}

fn field_options(node: &Node, unknowns: Unknowns) -> Result<Option<FieldOptions>> {
    if node.is_null() {
        return Ok(None);
    }
    let fields = Fields::known(node, &["delimiter", "index", "encoding", "create"], unknowns)?;
    Ok(Some(FieldOptions {
        delimiter: fields.string("delimiter")?,
        index: fields.integer("index")?,
        create: fields.flag("create")?,
    }))
}

/// A replacement, from a kustomization or from a file of its own.
pub(crate) fn replacement(node: &Node, unknowns: Unknowns) -> Result<Replacement> {
    let fields = Fields::known(node, &["path", "source", "targets", "sourceValue"], unknowns)?;
    let source = fields.get("source").filter(|it| !it.is_null()).map(|it| {
        const FIELDS: &[&str] = &["group", "version", "kind", "name", "namespace", "fieldPath", "options"];
        let fields = Fields::known(it, FIELDS, unknowns)?;
        Ok(ReplacementSource {
            place: fields.place,
            id: fields.id()?,
            field_path: fields.string("fieldPath")?,
            options: fields
                .get("options")
                .map_or(Ok(None), |it| field_options(it, unknowns))?,
        })
    });
    let target = |it: &Node| {
        let fields = Fields::known(it, &["select", "reject", "fieldPaths", "options"], unknowns)?;
        let reject = fields.list("reject", |it| selector(it, unknowns))?;
        Ok(ReplacementTarget {
            place: fields.place,
            select: fields.get("select").map_or(Ok(None), |it| selector(it, unknowns))?,
            reject: reject.into_iter().flatten().collect(),
            field_paths: fields.get("fieldPaths").map_or(Ok(Vec::new()), list_of_texts)?,
            options: fields
                .get("options")
                .map_or(Ok(None), |it| field_options(it, unknowns))?,
        })
    };
    let targets = fields.get("targets").filter(|it| !it.is_null());
    Ok(Replacement {
        place: fields.place,
        path: fields.text("path")?.filter(|it| !it.text.is_empty()),
        source: source.transpose()?,
        source_value: fields.text("sourceValue")?,
        targets: targets.map(|it| list(it, target)).transpose()?,
    })
}

fn var(node: &Node) -> Result<Var> {
    let fields = Fields::known(node, &["name", "objref", "fieldref"], Unknowns::Refused)?;
    let object = fields.get("objref").map_or(Ok(None), |it| {
        let fields = Fields::known(
            it,
            &["apiVersion", "group", "version", "kind", "name", "namespace"],
            Unknowns::Refused,
        )?;
        let mut id = fields.id()?;
        let api_version = fields.string("apiVersion")?;
        if !api_version.is_empty() {
            id.gvk = Gvk::of(&api_version, id.gvk.kind);
        }
        Ok(Some(id))
    })?;
    let field = fields.get("fieldref").map_or(Ok(None), |it| {
        let fields = Fields::known(it, &["fieldPath"], Unknowns::Refused)?;
        fields.text("fieldPath")
    })?;
    Ok(Var {
        place: fields.place,
        name: fields.string("name")?,
        object: object.unwrap_or_default(),
        field_path: field
            .map(|it| it.text)
            .filter(|it| !it.is_empty())
            .unwrap_or_else(|| "metadata.name".into()),
    })
}
