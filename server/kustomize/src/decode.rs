//! Reading a kustomization file, as strictly as kustomize does (`types.Kustomization`, `Unmarshal`).

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

impl Kustomization {
    /// Reads a kustomization file.
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
                    Problem::fails(*key_place, message).of_unknown(written, &KNOWN)
                })?;
            match key {
                "apiVersion" => head.0 = text(node)?,
                "kind" => head.1 = text(node)?,
                "namePrefix" => found.name_prefix = text(node)?,
                "nameSuffix" => found.name_suffix = text(node)?,
                "namespace" => found.namespace = text(node)?,
                "commonLabels" => found.common_labels = texts(node)?,
                "commonAnnotations" => found.common_annotations = texts(node)?,
                "labels" => found.labels = list(node, label)?,
                "patchesStrategicMerge" => found.patches_strategic_merge = list_of_texts(node)?,
                "patchesJson6902" => found.patches_json = list(node, patch)?,
                "patches" => found.patches = list(node, patch)?,
                "images" => found.images = list(node, image)?,
                "imageTags" => image_tags = list(node, image)?,
                "replacements" => found.replacements = list(node, replacement)?,
                "replicas" => found.replicas = list(node, replica)?,
                "vars" => found.vars = list(node, var)?,
                "resources" => found.resources = list_of_texts(node)?,
                "bases" => bases = list_of_texts(node)?,
                "components" => found.components = list_of_texts(node)?,
                "configMapGenerator" => found.generators = list(node, |it| generator(it, false))?,
                "secretGenerator" => secrets = list(node, |it| generator(it, true))?,
                "generatorOptions" => found.generator_options = options(node)?,
                "configurations" => found.configurations = list_of_texts(node)?,
                "transformers" => {
                    found.transformers = list_of_texts(node)?;
                    found.transformers_place = Some(node.place);
                }
                "openapi" => found.openapi = openapi(node)?,
                "crds" | "helmCharts" | "helmChartInflationGenerator" | "generators" | "validators"
                    if !node.is_empty() =>
                {
                    found.unsupported.push((key, node.place));
                }
                _ => {}
            }
        }
        found.is_component = head.1.as_ref().is_some_and(|it| *it.text == *"Component");
        if let Some(kind) = head.1.filter(|it| !(it.text.is_empty() || KINDS.contains(&&*it.text))) {
            let message = format!("kind `{}` is neither Kustomization nor Component", kind.text);
            return Err(Problem::fails(kind.place, message).of_unknown(&kind.text, &KINDS));
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
    /// Whether it names or makes objects, or has what cannot be told from here.
    pub(crate) fn names_objects(&self) -> bool {
        let makes = !(self.generators.is_empty() && self.unsupported.is_empty());
        makes || !(self.resources.is_empty() && self.components.is_empty())
    }
}

/// The path of `openapi`. Both a path and a version are one too many.
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

/// The fields of an object.
struct Fields<'n> {
    /// Each with the place of its key.
    entries: Vec<(&'n str, Place, &'n Node)>,
    place: Place,
}

impl<'n> Fields<'n> {
    fn of(node: &'n Node) -> Result<Self> {
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

    /// The same if it has no other fields than these.
    fn known(node: &'n Node, known: &'static [&'static str]) -> Result<Self> {
        let fields = Self::of(node)?;
        match fields
            .entries
            .iter()
            .find(|it| !known.iter().any(|known| known.eq_ignore_ascii_case(it.0)))
        {
            Some((key, place, _)) => {
                let message = format!("`{key}` is not a field here");
                Err(Problem::fails(*place, message).of_unknown(key, known))
            }
            None => Ok(fields),
        }
    }

    fn get(&self, key: &str) -> Option<&'n Node> {
        self.entries
            .iter()
            .rfind(|it| it.0.eq_ignore_ascii_case(key))
            .map(|it| it.2)
    }

    fn text(&self, key: &str) -> Result<Option<Text>> {
        self.get(key).map_or(Ok(None), text)
    }

    fn string(&self, key: &str) -> Result<Arc<str>> {
        Ok(self.text(key)?.map(|it| it.text).unwrap_or_default())
    }

    fn flag(&self, key: &str) -> Result<bool> {
        match self.get(key).map(|it| (&it.value, it)) {
            None | Some((Value::Null { .. }, _)) => Ok(false),
            Some((Value::Bool(value), _)) => Ok(*value),
            Some((_, node)) => Err(wrong(node, "a boolean")),
        }
    }

    fn integer(&self, key: &str) -> Result<i64> {
        match self.get(key).map(|it| (&it.value, it)) {
            None | Some((Value::Null { .. }, _)) => Ok(0),
            Some((Value::Int(value), _)) => Ok(*value),
            Some((_, node)) => Err(wrong(node, "an integer")),
        }
    }

    fn list<T>(&self, key: &str, item: impl Fn(&Node) -> Result<T>) -> Result<Vec<T>> {
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

fn texts(node: &Node) -> Result<Vec<(Text, Text)>> {
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

fn selector(node: &Node) -> Result<Option<Selector>> {
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
    )?;
    Ok(Some(Selector {
        place: fields.place,
        id: fields.id()?,
        labels: fields.string("labelSelector")?,
        annotations: fields.string("annotationSelector")?,
    }))
}

pub(crate) fn patch(node: &Node) -> Result<Patch> {
    let fields = Fields::known(node, &["path", "patch", "target", "options"])?;
    let options = fields
        .get("options")
        .map(|it| Fields::known(it, &["allowNameChange", "allowKindChange"]));
    let options = options.transpose()?;
    let flag = |key: &str| options.as_ref().map_or(Ok(false), |it| it.flag(key));
    Ok(Patch {
        place: fields.place,
        path: fields.text("path")?.filter(|it| !it.text.is_empty()),
        text: fields.text("patch")?.filter(|it| !it.text.trim().is_empty()),
        target: fields.get("target").map_or(Ok(None), selector)?,
        allow_name_change: flag("allowNameChange")?,
        allow_kind_change: flag("allowKindChange")?,
    })
}

/// The field specs of a transformer.
pub(crate) fn field_specs(object: &Node) -> Result<Vec<FieldSpec>> {
    object
        .get("fieldSpecs")
        .map_or(Ok(Vec::new()), |it| list(it, field_spec))
}

/// The texts of a field that may not be there.
pub(crate) fn texts_of(node: Option<&Node>) -> Result<Vec<(Text, Text)>> {
    node.map_or(Ok(Vec::new()), texts)
}

/// A field spec of a configuration or of `labels`.
pub(crate) fn field_spec(node: &Node) -> Result<FieldSpec> {
    let fields = Fields::of(node)?;
    Ok(FieldSpec {
        gvk: fields.id()?.gvk,
        path: fields.string("path")?,
        create: fields.flag("create")?,
    })
}

fn label(node: &Node) -> Result<Label> {
    const FIELDS: &[&str] = &[
        "pairs",
        "includeSelectors",
        "includeTemplates",
        "includeVolumeClaimTemplates",
        "fields",
    ];
    let fields = Fields::known(node, FIELDS)?;
    Ok(Label {
        pairs: fields.get("pairs").map_or(Ok(Vec::new()), texts)?,
        include_selectors: fields.flag("includeSelectors")?,
        include_templates: fields.flag("includeTemplates")?,
        include_volume_claim_templates: fields.flag("includeVolumeClaimTemplates")?,
        fields: fields.list("fields", field_spec)?,
    })
}

pub(crate) fn image(node: &Node) -> Result<Image> {
    let fields = Fields::known(node, &["name", "newName", "newTag", "tagSuffix", "digest"])?;
    Ok(Image {
        place: fields.place,
        name: fields.string("name")?,
        new_name: fields.string("newName")?,
        new_tag: fields.string("newTag")?,
        tag_suffix: fields.string("tagSuffix")?,
        digest: fields.string("digest")?,
    })
}

pub(crate) fn replica(node: &Node) -> Result<Replica> {
    let fields = Fields::known(node, &["name", "count"])?;
    Ok(Replica {
        place: fields.get("count").map_or(fields.place, |it| it.place),
        name: fields.string("name")?,
        count: fields.integer("count")?,
    })
}

fn options(node: &Node) -> Result<Option<GeneratorOptions>> {
    if node.is_null() {
        return Ok(None);
    }
    let fields = Fields::known(node, &["labels", "annotations", "disableNameSuffixHash", "immutable"])?;
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

/// Without the last one: ConfigMaps have no type.
const OF_CONFIG_MAPS: &[&str] = match OF_SECRETS {
    [fields @ .., _] => fields,
    [] => &[],
};

fn generator(node: &Node, is_secret: bool) -> Result<Generator> {
    let fields = Fields::known(node, if is_secret { OF_SECRETS } else { OF_CONFIG_MAPS })?;
    let texts = |key: &str| fields.get(key).map_or(Ok(Vec::new()), list_of_texts);
    let mut envs = texts("envs")?;
    envs.extend(fields.text("env")?.filter(|it| !it.text.is_empty()));
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
        options: fields.get("options").map_or(Ok(None), options)?,
    })
}

fn field_options(node: &Node) -> Result<Option<FieldOptions>> {
    if node.is_null() {
        return Ok(None);
    }
    let fields = Fields::known(node, &["delimiter", "index", "encoding", "create"])?;
    Ok(Some(FieldOptions {
        delimiter: fields.string("delimiter")?,
        index: fields.integer("index")?,
        create: fields.flag("create")?,
    }))
}

/// A replacement, also of a file of its own.
pub(crate) fn replacement(node: &Node) -> Result<Replacement> {
    let fields = Fields::known(node, &["path", "source", "targets", "sourceValue"])?;
    let source = fields.get("source").filter(|it| !it.is_null()).map(|it| {
        const FIELDS: &[&str] = &["group", "version", "kind", "name", "namespace", "fieldPath", "options"];
        let fields = Fields::known(it, FIELDS)?;
        Ok(ReplacementSource {
            place: fields.place,
            id: fields.id()?,
            field_path: fields.string("fieldPath")?,
            options: fields.get("options").map_or(Ok(None), field_options)?,
        })
    });
    let target = |it: &Node| {
        let fields = Fields::known(it, &["select", "reject", "fieldPaths", "options"])?;
        let reject = fields.list("reject", selector)?;
        Ok(ReplacementTarget {
            place: fields.place,
            select: fields.get("select").map_or(Ok(None), selector)?,
            reject: reject.into_iter().flatten().collect(),
            field_paths: fields.get("fieldPaths").map_or(Ok(Vec::new()), list_of_texts)?,
            options: fields.get("options").map_or(Ok(None), field_options)?,
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
    let fields = Fields::known(node, &["name", "objref", "fieldref"])?;
    let object = fields.get("objref").map_or(Ok(None), |it| {
        let fields = Fields::known(it, &["apiVersion", "group", "version", "kind", "name", "namespace"])?;
        let mut id = fields.id()?;
        let api_version = fields.string("apiVersion")?;
        if !api_version.is_empty() {
            id.gvk = Gvk::of(&api_version, id.gvk.kind);
        }
        Ok(Some(id))
    })?;
    let field = fields.get("fieldref").map_or(Ok(None), |it| {
        let fields = Fields::known(it, &["fieldPath"])?;
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
