//! Decodes the plugins in `generators`, `transformers` and `validators` that are built into kustomize. They are objects with `apiVersion: builtin`
//! (`sigs.k8s.io/kustomize/api/internal/builtins`).

use std::{path::Path, sync::Arc};

use crate::{
    decode::{self, Decoder, Fields},
    kustomization::{Generator, Namespace, Patch, Subjects, Text, Transformer, ValueTarget},
    node::Node,
    problem::{Problem, Result},
    resource::Resource,
    sources::name,
    spec::Specs,
};

/// The `apiVersion` of built-in plugins.
const BUILTIN: &str = "builtin";

/// A built-in generator.
pub(crate) enum Making {
    /// `ConfigMapGenerator` or `SecretGenerator`.
    Map(Box<Generator>),
    /// `IAMPolicyGenerator`, which creates one object.
    Account(Box<Resource>),
}

/// The kind and the fields of a plugin, if it is built in.
fn builtin(object: &Node) -> Option<(&str, Fields<'_>)> {
    let text = |name| object.get(name).and_then(Node::as_str);
    let fields = Fields::of(object, Decoder::Named).ok()?;
    (text("apiVersion") == Some(BUILTIN)).then(|| (text("kind").unwrap_or_default(), fields))
}

impl Making {
    /// Decodes a generator. `None` if the plugin is an external program.
    ///
    /// # Errors
    /// If kustomize cannot decode the object either.
    pub(crate) fn of(object: &Node) -> Result<Option<Self>> {
        let Some((kind, fields)) = builtin(object) else {
            return Ok(None);
        };
        let is_secret = match kind {
            "ConfigMapGenerator" => false,
            "SecretGenerator" => true,
            "IAMPolicyGenerator" => return account(&fields).map(|it| Some(Self::Account(Box::new(it)))),
            _ => return not_of(object, kind, "a generator", &TRANSFORMERS),
        };
        let mut generator = decode::generator(object, is_secret, Decoder::Named)?;
        let metadata = |name: &str| {
            object
                .at(&["metadata", name])
                .map_or(Ok(None), |it| decode::text(it, Decoder::Named))
        };
        if generator.name.as_ref().is_none_or(|it| it.text.is_empty()) {
            generator.name = metadata("name")?;
        }
        if generator.namespace.is_none() {
            generator.namespace = metadata("namespace")?.filter(|it| !it.text.is_empty());
        }
        Ok(Some(Self::Map(Box::new(generator))))
    }
}

/// The kinds of built-in plugins that only change objects.
const TRANSFORMERS: [&str; 14] = [
    "AnnotationsTransformer",
    "HashTransformer",
    "ImageTagTransformer",
    "LabelTransformer",
    "NamespaceTransformer",
    "PatchJson6902Transformer",
    "PatchStrategicMergeTransformer",
    "PatchTransformer",
    "PrefixSuffixTransformer",
    "PrefixTransformer",
    "SuffixTransformer",
    "ReplacementTransformer",
    "ReplicaCountTransformer",
    "ValueAddTransformer",
];

/// The kinds of built-in plugins that only create objects.
const GENERATORS: [&str; 4] = [
    "ConfigMapGenerator",
    "HelmChartInflationGenerator",
    "IAMPolicyGenerator",
    "SecretGenerator",
];

/// The result for a built-in plugin that crd-analyzer does not run. `None` if it could be the wanted kind of plugin. An error if it is of another
/// kind, or does not exist.
fn not_of<T>(object: &Node, kind: &str, wanted: &str, others: &[&'static str]) -> Result<Option<T>> {
    let place = object.get("kind").map_or(object.place, |it| it.place);
    if others.contains(&kind) {
        return Err(Problem::fails(place, format!("the plugin `{kind}` is not {wanted}")));
    }
    if TRANSFORMERS.contains(&kind) || GENERATORS.contains(&kind) {
        return Ok(None);
    }
    Err(Problem::fails(
        place,
        format!("kustomize has no builtin plugin `{kind}`"),
    ))
}

/// The service account that an `IAMPolicyGenerator` creates.
fn account(fields: &Fields<'_>) -> Result<Resource> {
    let inner = |key: &str| {
        fields
            .get(key)
            .map_or(Ok(None), |it| Fields::of(it, Decoder::Named).map(Some))
    };
    let (kubernetes, cloud) = (inner("kubernetesService")?, inner("serviceAccount")?);
    let of = |fields: &Option<Fields<'_>>, key: &str| fields.as_ref().map_or(Ok("".into()), |it| it.string(key));
    if *fields.string("cloud")? != *"gke" {
        let message = format!("cloud provider {} not supported yet", fields.string("cloud")?);
        return Err(Problem::fails(fields.place, message));
    }
    let place = fields.place;
    let text = |text: String| Node::string(place, text);
    let mut annotations = Node::empty_map(place);
    let address = format!(
        "{}@{}.iam.gserviceaccount.com",
        of(&cloud, "name")?,
        of(&cloud, "projectId")?
    );
    annotations.set("iam.gke.io/gcp-service-account", place, text(address));
    let mut metadata = Node::empty_map(place);
    metadata.set("annotations", place, annotations);
    metadata.set("name", place, Node::plain(place, &of(&kubernetes, "name")?));
    let namespace = of(&kubernetes, "namespace")?;
    if !namespace.is_empty() {
        metadata.set("namespace", place, Node::plain(place, &namespace));
    }
    let mut made = Node::empty_map(place);
    made.set("apiVersion", place, text("v1".to_owned()));
    made.set("kind", place, text("ServiceAccount".to_owned()));
    made.set("metadata", place, metadata);
    Ok(Resource::new(made))
}

impl Transformer {
    /// The transformers of a plugin that the kustomization in `folder` names, in order. `None` if the plugin is an external program, or if
    /// crd-analyzer does not support it.
    ///
    /// # Errors
    /// If kustomize cannot decode the object either.
    pub(crate) fn of(object: &Node, folder: &Path) -> Result<Option<Vec<Self>>> {
        let Some((kind, fields)) = builtin(object) else {
            return Ok(None);
        };
        let ignored = Decoder::Named;
        let specs = || -> Result<Specs> {
            let specs = fields.list("fieldSpecs", |it| decode::field_spec(it, ignored))?;
            Ok(Arc::new(specs))
        };
        let empty = Node::empty_map(fields.place);
        Ok(Some(match kind {
            "PatchTransformer" => vec![Self::Patch(Box::new(decode::patch(object, ignored)?))],
            "PatchJson6902Transformer" => vec![Self::JsonPatch(Box::new(json_patch(&fields)?))],
            "PatchStrategicMergeTransformer" => {
                let paths = fields.list_of_texts("paths")?;
                let text = fields.text("patches")?.filter(|it| !it.text.is_empty());
                vec![Self::MergePatches(paths, text, fields.place)]
            }
            "NamespaceTransformer" => namespace(object, &fields, &specs()?)?.into_iter().collect(),
            "LabelTransformer" => vec![Self::Entries(fields.texts("labels")?, specs()?)],
            "AnnotationsTransformer" => vec![Self::Entries(fields.texts("annotations")?, specs()?)],
            "PrefixTransformer" => affixes(object, &[("prefix", true)], &specs()?)?,
            "SuffixTransformer" => affixes(object, &[("suffix", false)], &specs()?)?,
            "PrefixSuffixTransformer" => affixes(object, &[("prefix", true), ("suffix", false)], &specs()?)?,
            "ImageTagTransformer" => {
                let image = fields.get("imageTag").unwrap_or(&empty);
                vec![Self::Image(decode::image(image, ignored)?, specs()?)]
            }
            "ReplicaCountTransformer" => {
                let replica = fields.get("replica").unwrap_or(&empty);
                vec![Self::Replicas(decode::replica(replica, ignored)?, specs()?)]
            }
            "ReplacementTransformer" => {
                let replacements = fields.list("replacements", |it| decode::replacement(it, ignored))?;
                replacements
                    .into_iter()
                    .map(|it| Self::Replacement(Box::new(it)))
                    .collect()
            }
            "ValueAddTransformer" => return value(&fields, folder),
            "HashTransformer" => vec![Self::Hashes],
            kind => return not_of(object, kind, "a transformer", &GENERATORS),
        }))
    }
}

fn json_patch(fields: &Fields<'_>) -> Result<Patch> {
    let text = |key: &str| Ok(fields.text(key)?.filter(|it| !it.text.is_empty()));
    let target = fields
        .get("target")
        .map_or(Ok(None), |it| decode::selector(it, Decoder::Named));
    Ok(Patch {
        place: fields.place,
        path: text("path")?,
        text: text("jsonOp")?,
        target: target?,
        allow_name_change: false,
        allow_kind_change: false,
    })
}

fn namespace(object: &Node, fields: &Fields<'_>, specs: &Specs) -> Result<Option<Transformer>> {
    let subjects = match &*fields.string("setRoleBindingSubjects")? {
        "" | "defaultOnly" => Subjects::Default,
        "allServiceAccounts" => Subjects::All,
        "none" => Subjects::None,
        other => {
            let place = fields.get("setRoleBindingSubjects").map_or(fields.place, |it| it.place);
            let message = format!("invalid value `{other}` for `setRoleBindingSubjects`");
            return Err(Problem::fails(place, message).of_unknown(other, SUBJECTS));
        }
    };
    let unset_only = fields.flag("unsetOnly")?;
    let text = object
        .at(&["metadata", "namespace"])
        .map_or(Ok(None), |it| decode::text(it, Decoder::Named))?
        .filter(|it| !it.text.is_empty());
    Ok(text.map(|text| {
        let namespace = Namespace {
            text,
            unset_only,
            subjects,
        };
        Transformer::Namespace(namespace, specs.clone())
    }))
}

const SUBJECTS: [&str; 3] = ["defaultOnly", "none", "allServiceAccounts"];

/// The transformers for prefixes and suffixes. Their keys must be in lower case, and their values may be any scalars.
fn affixes(object: &Node, wanted: &[(&str, bool)], specs: &Specs) -> Result<Vec<Transformer>> {
    if object.get("fieldSpecs").is_none_or(Node::is_null) {
        return Err(Problem::fails(object.place, "fieldSpecs is not expected to be nil"));
    }
    let mut found = Vec::new();
    for (name, is_prefix) in wanted {
        let Some(affix) = object.get(name) else { continue };
        if !affix.is_scalar() {
            return Err(Problem::fails(affix.place, "the value must be a string"));
        }
        let text = Text {
            text: affix.shared_text(),
            place: affix.place,
        };
        if !affix.is_null() && !text.text.is_empty() {
            found.push(Transformer::Affix(text, *is_prefix, specs.clone()));
        }
    }
    Ok(found)
}

/// The transformer of a `ValueAddTransformer`, whose value is the name of the folder unless it has its own. `None` if its targets are in a file.
fn value(fields: &Fields<'_>, folder: &Path) -> Result<Option<Vec<Transformer>>> {
    if !fields.string("targetFilePath")?.is_empty() {
        return Ok(None);
    }
    let own = fields.text("value")?;
    let own = own.as_ref().map(|it| (it.text.trim(), it.place));
    let text = match own.filter(|it| !it.0.is_empty()) {
        Some((text, place)) => Text {
            text: text.into(),
            place,
        },
        None => Text {
            text: name(folder).into(),
            place: fields.place,
        },
    };
    let targets = fields.list("targets", |it| {
        let fields = Fields::of(it, Decoder::Named)?;
        let select = fields
            .get("selector")
            .map_or(Ok(None), |it| decode::selector(it, Decoder::Named))?;
        let field_path = fields.string("fieldPath")?;
        if field_path.is_empty() {
            return Err(Problem::fails(fields.place, "fieldPath cannot be empty"));
        }
        let position = fields.integer("filePathPosition")?;
        let Ok(position) = usize::try_from(position) else {
            let message = format!("value of FilePathPosition ({position}) cannot be negative");
            return Err(Problem::fails(fields.place, message));
        };
        Ok(ValueTarget {
            place: fields.place,
            select,
            field_path,
            position,
        })
    })?;
    if targets.is_empty() {
        return Err(Problem::fails(fields.place, "must specify at least one target"));
    }
    Ok(Some(vec![Transformer::Value(text, targets)]))
}
