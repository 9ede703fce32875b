//! Decodes a kustomization file as strictly as kustomize does (`types.Kustomization`, `Unmarshal`).

use std::sync::Arc;

use crd_analyzer_syntax::float_g;

use crate::{
    id::{Gvk, ResId},
    kustomization::{
        FieldOptions, Generator, GeneratorOptions, Image, Kustomization, Label, Patch, Replacement, ReplacementSource,
        ReplacementTarget, Replica, Text, Var,
    },
    node::{Node, Place, Value},
    problem::{Problem, Result},
    selector::{Field, Selector},
    spec::FieldSpec,
};

/// How kustomize decodes a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Decoder {
    /// As kustomizations: unknown fields are an error, and a string must be one.
    Kustomization,
    /// As files of `configurations`: unknown fields are an error, and other scalars become strings where a string belongs.
    Configuration,
    /// As other objects and files that a kustomization names: unknown fields are ignored, and other scalars become strings.
    Named,
}

impl Kustomization {
    /// Decodes a kustomization file.
    pub(crate) fn decode(root: &Node) -> Result<Self> {
        let mut found = Self::default();
        let decoder = Decoder::Kustomization;
        let fields = Fields::of(root, decoder)?;
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
                "apiVersion" => head.0 = text(node, decoder)?,
                "kind" => head.1 = text(node, decoder)?,
                "namePrefix" => found.name_prefix = text(node, decoder)?,
                "nameSuffix" => found.name_suffix = text(node, decoder)?,
                "namespace" => found.namespace = text(node, decoder)?,
                "commonLabels" => found.common_labels = texts(node, decoder)?,
                "commonAnnotations" => found.common_annotations = texts(node, decoder)?,
                "labels" => found.labels = list(node, |it| label(it, decoder))?,
                "patchesStrategicMerge" => found.patches_strategic_merge = list_of_texts(node, decoder)?,
                "patchesJson6902" => found.patches_json = list(node, |it| patch(it, decoder))?,
                "patches" => found.patches = list(node, |it| patch(it, decoder))?,
                "images" => found.images = list(node, |it| image(it, decoder))?,
                "imageTags" => image_tags = list(node, |it| image(it, decoder))?,
                "replacements" => found.replacements = list(node, |it| replacement(it, decoder))?,
                "replicas" => found.replicas = list(node, |it| replica(it, decoder))?,
                "vars" => found.vars = list(node, var)?,
                "resources" => found.resources = list_of_texts(node, decoder)?,
                "bases" => bases = list_of_texts(node, decoder)?,
                "components" => found.components = list_of_texts(node, decoder)?,
                "configMapGenerator" => found.generators = list(node, |it| generator(it, false, decoder))?,
                "secretGenerator" => secrets = list(node, |it| generator(it, true, decoder))?,
                "generatorOptions" => found.generator_options = options(node, decoder)?,
                "configurations" => found.configurations = list_of_texts(node, decoder)?,
                "generators" => found.plugins.generators = list_of_texts(node, decoder)?,
                "transformers" => found.plugins.transformers = list_of_texts(node, decoder)?,
                "validators" => found.plugins.validators = list_of_texts(node, decoder)?,
                "sortOptions" if !node.is_null() => {
                    let order = Fields::of(node, decoder)?.text("order")?;
                    let empty = Text {
                        text: "".into(),
                        place: *key_place,
                    };
                    found.sort_order = Some(order.unwrap_or(empty));
                }
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
    text(path, Decoder::Kustomization)
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
    decoder: Decoder,
    /// The fields, each with the place of its key.
    entries: Vec<(&'n str, Place, &'n Node)>,
    pub(crate) place: Place,
}

impl<'n> Fields<'n> {
    pub(crate) fn of(node: &'n Node, decoder: Decoder) -> Result<Self> {
        match &node.value {
            Value::Map(entries) => Ok(Self {
                decoder,
                entries: entries.iter().map(|it| (&*it.key, it.key_place, &it.value)).collect(),
                place: node.place,
            }),
            Value::Null { .. } => Ok(Self {
                decoder,
                entries: Vec::new(),
                place: node.place,
            }),
            _ => Err(wrong(node, "an object")),
        }
    }

    /// The fields of an object, if all of them are in `known` or unknown ones are ignored.
    pub(crate) fn known(node: &'n Node, known: &'static [&'static str], decoder: Decoder) -> Result<Self> {
        let fields = Self::of(node, decoder)?;
        if decoder == Decoder::Named {
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

    /// The name of each field, its place, and its value.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&'n str, Place, &'n Node)> {
        self.entries.iter().copied()
    }

    pub(crate) fn get(&self, key: &str) -> Option<&'n Node> {
        self.entries
            .iter()
            .rfind(|it| it.0.eq_ignore_ascii_case(key))
            .map(|it| it.2)
    }

    pub(crate) fn text(&self, key: &str) -> Result<Option<Text>> {
        self.get(key).map_or(Ok(None), |it| text(it, self.decoder))
    }

    pub(crate) fn texts(&self, key: &str) -> Result<Vec<(Text, Text)>> {
        self.get(key).map_or(Ok(Vec::new()), |it| texts(it, self.decoder))
    }

    pub(crate) fn list_of_texts(&self, key: &str) -> Result<Vec<Text>> {
        self.get(key)
            .map_or(Ok(Vec::new()), |it| list_of_texts(it, self.decoder))
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

pub(crate) fn wrong(node: &Node, expected: &str) -> Problem {
    Problem::fails(node.place, format!("the value must be {expected}"))
}

pub(crate) fn text(node: &Node, decoder: Decoder) -> Result<Option<Text>> {
    match &node.value {
        Value::String(text) => Ok(Some(Text {
            text: text.clone(),
            place: node.place,
        })),
        Value::Null { .. } => Ok(None),
        // `convertToJSONableObject` of sigs.k8s.io/yaml knows that a string is wanted.
        _ if decoder != Decoder::Kustomization && node.is_scalar() => Ok(Some(Text {
            text: match node.value {
                Value::Float(value) => float_g(value, false).into(),
                _ => node.shared_text(),
            },
            place: node.place,
        })),
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

pub(crate) fn list_of_texts(node: &Node, decoder: Decoder) -> Result<Vec<Text>> {
    let empty = |place| Text { text: "".into(), place };
    list(node, |it| Ok(text(it, decoder)?.unwrap_or_else(|| empty(it.place))))
}

pub(crate) fn texts(node: &Node, decoder: Decoder) -> Result<Vec<(Text, Text)>> {
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
                Ok((key, text(&it.value, decoder)?.unwrap_or(empty)))
            })
            .collect(),
        Value::Null { .. } => Ok(Vec::new()),
        _ => Err(wrong(node, "an object")),
    }
}

/// The places of the fields of an id.
fn id_places(fields: &Fields<'_>) -> Vec<(Field, Place)> {
    let place_of = |field: Field| Some((field, fields.get(field.key())?.place));
    Field::ALL.into_iter().filter_map(place_of).collect()
}

pub(crate) fn selector(node: &Node, decoder: Decoder) -> Result<Option<Selector>> {
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
        decoder,
    )?;
    Ok(Some(Selector {
        place: fields.place,
        fields: id_places(&fields),
        id: fields.id()?,
        labels: fields.string("labelSelector")?,
        annotations: fields.string("annotationSelector")?,
    }))
}

pub(crate) fn patch(node: &Node, decoder: Decoder) -> Result<Patch> {
    let fields = Fields::known(node, &["path", "patch", "target", "options"], decoder)?;
    let options = fields
        .get("options")
        .map(|it| Fields::known(it, &["allowNameChange", "allowKindChange"], decoder));
    let options = options.transpose()?;
    let flag = |key: &str| options.as_ref().map_or(Ok(false), |it| it.flag(key));
    Ok(Patch {
        place: fields.place,
        path: fields.text("path")?.filter(|it| !it.text.is_empty()),
        text: fields.text("patch")?.filter(|it| !it.text.trim().is_empty()),
        target: fields.get("target").map_or(Ok(None), |it| selector(it, decoder))?,
        allow_name_change: flag("allowNameChange")?,
        allow_kind_change: flag("allowKindChange")?,
    })
}

/// A field spec, from a transformer configuration or an entry of `labels`.
pub(crate) fn field_spec(node: &Node, decoder: Decoder) -> Result<FieldSpec> {
    let fields = Fields::known(node, &["group", "version", "kind", "path", "create"], decoder)?;
    Ok(FieldSpec {
        gvk: fields.id()?.gvk,
        path: fields.string("path")?,
        create: fields.flag("create")?,
    })
}

fn label(node: &Node, decoder: Decoder) -> Result<Label> {
    const FIELDS: &[&str] = &[
        "pairs",
        "includeSelectors",
        "includeTemplates",
        "includeVolumeClaimTemplates",
        "fields",
    ];
    let fields = Fields::known(node, FIELDS, decoder)?;
    Ok(Label {
        pairs: fields.texts("pairs")?,
        include_selectors: fields.flag("includeSelectors")?,
        include_templates: fields.flag("includeTemplates")?,
        include_volume_claim_templates: fields.flag("includeVolumeClaimTemplates")?,
        fields: fields.list("fields", |it| field_spec(it, decoder))?,
    })
}

pub(crate) fn image(node: &Node, decoder: Decoder) -> Result<Image> {
    let fields = Fields::known(node, &["name", "newName", "newTag", "tagSuffix", "digest"], decoder)?;
    Ok(Image {
        place: fields.place,
        name: fields.string("name")?,
        new_name: fields.string("newName")?,
        new_tag: fields.string("newTag")?,
        tag_suffix: fields.string("tagSuffix")?,
        digest: fields.string("digest")?,
    })
}

pub(crate) fn replica(node: &Node, decoder: Decoder) -> Result<Replica> {
    let fields = Fields::known(node, &["name", "count"], decoder)?;
    Ok(Replica {
        place: fields.get("count").map_or(fields.place, |it| it.place),
        name_place: fields.get("name").map_or(fields.place, |it| it.place),
        name: fields.string("name")?,
        count: fields.integer("count")?,
    })
}

fn options(node: &Node, decoder: Decoder) -> Result<Option<GeneratorOptions>> {
    const FIELDS: &[&str] = &["labels", "annotations", "disableNameSuffixHash", "immutable"];
    if node.is_null() {
        return Ok(None);
    }
    let fields = Fields::known(node, FIELDS, decoder)?;
    Ok(Some(GeneratorOptions {
        labels: fields.texts("labels")?,
        annotations: fields.texts("annotations")?,
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

pub(crate) fn generator(node: &Node, is_secret: bool, decoder: Decoder) -> Result<Generator> {
    let fields = Fields::known(node, if is_secret { OF_SECRETS } else { OF_CONFIG_MAPS }, decoder)?;
    let mut envs = fields.list_of_texts("envs")?;
    // Only in kustomizations does kustomize add `env` to `envs`.
    if decoder == Decoder::Kustomization {
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
        literals: fields.list_of_texts("literals")?,
        files: fields.list_of_texts("files")?,
        options: fields.get("options").map_or(Ok(None), |it| options(it, decoder))?,
    })
}

fn field_options(node: &Node, decoder: Decoder) -> Result<Option<FieldOptions>> {
    if node.is_null() {
        return Ok(None);
    }
    let fields = Fields::known(node, &["delimiter", "index", "encoding", "create"], decoder)?;
    Ok(Some(FieldOptions {
        delimiter: fields.string("delimiter")?,
        index: fields.integer("index")?,
        create: fields.flag("create")?,
    }))
}

/// A replacement, from a kustomization or from a file of its own.
pub(crate) fn replacement(node: &Node, decoder: Decoder) -> Result<Replacement> {
    let fields = Fields::known(node, &["path", "source", "targets", "sourceValue"], decoder)?;
    let source = fields.get("source").filter(|it| !it.is_null()).map(|it| {
        const FIELDS: &[&str] = &["group", "version", "kind", "name", "namespace", "fieldPath", "options"];
        let fields = Fields::known(it, FIELDS, decoder)?;
        Ok(ReplacementSource {
            place: fields.place,
            fields: id_places(&fields),
            id: fields.id()?,
            field_path: Text {
                text: fields.string("fieldPath")?,
                place: fields.get("fieldPath").map_or(fields.place, |it| it.place),
            },
            options: fields
                .get("options")
                .map_or(Ok(None), |it| field_options(it, decoder))?,
        })
    });
    let target = |it: &Node| {
        let fields = Fields::known(it, &["select", "reject", "fieldPaths", "options"], decoder)?;
        let reject = fields.list("reject", |it| selector(it, decoder))?;
        Ok(ReplacementTarget {
            place: fields.place,
            select: fields.get("select").map_or(Ok(None), |it| selector(it, decoder))?,
            reject: reject.into_iter().flatten().collect(),
            field_paths: fields.list_of_texts("fieldPaths")?,
            options: fields
                .get("options")
                .map_or(Ok(None), |it| field_options(it, decoder))?,
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
    let fields = Fields::known(node, &["name", "objref", "fieldref"], Decoder::Kustomization)?;
    let object = fields.get("objref").map_or(Ok(None), |it| {
        let fields = Fields::known(
            it,
            &["apiVersion", "group", "version", "kind", "name", "namespace"],
            Decoder::Kustomization,
        )?;
        let mut id = fields.id()?;
        let api_version = fields.string("apiVersion")?;
        if !api_version.is_empty() {
            id.gvk = Gvk::of(&api_version, id.gvk.kind);
        }
        Ok(Some(id))
    })?;
    let field = fields.get("fieldref").map_or(Ok(None), |it| {
        let fields = Fields::known(it, &["fieldPath"], Decoder::Kustomization)?;
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
