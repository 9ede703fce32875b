//! The content of a kustomization file (`sigs.k8s.io/kustomize/api/types`).

use std::sync::Arc;

use crate::{
    id::ResId,
    node::Place,
    selector::Selector,
    spec::{FieldSpec, Specs},
};

/// The file names that kustomize looks for, in order (`sigs.k8s.io/kustomize/api/konfig`).
pub const FILE_NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// A string and its place.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Text {
    pub(crate) text: Arc<str>,
    pub(crate) place: Place,
}

/// Whether an entry of a list contains objects or patches itself. Otherwise, it is a path.
pub(crate) fn is_inline(entry: &str) -> bool {
    entry.contains('\n') || entry.trim_start().starts_with('{')
}

/// A patch of `patches` or `patchesJson6902`.
#[derive(Clone, Debug)]
pub(crate) struct Patch {
    pub(crate) place: Place,
    pub(crate) path: Option<Text>,
    pub(crate) text: Option<Text>,
    pub(crate) target: Option<Selector>,
    pub(crate) allow_name_change: bool,
    pub(crate) allow_kind_change: bool,
}

/// An entry of `labels`.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    pub(crate) pairs: Vec<(Text, Text)>,
    pub(crate) include_selectors: bool,
    pub(crate) include_templates: bool,
    pub(crate) include_volume_claim_templates: bool,
    pub(crate) fields: Vec<FieldSpec>,
}

/// An entry of `images`.
#[derive(Clone, Debug)]
pub(crate) struct Image {
    pub(crate) place: Place,
    pub(crate) name: Arc<str>,
    pub(crate) new_name: Arc<str>,
    pub(crate) new_tag: Arc<str>,
    pub(crate) tag_suffix: Arc<str>,
    pub(crate) digest: Arc<str>,
}

/// An entry of `replicas`.
#[derive(Clone, Debug)]
pub(crate) struct Replica {
    pub(crate) place: Place,
    pub(crate) name: Arc<str>,
    pub(crate) count: i64,
}

/// Options of generators.
#[derive(Clone, Default, Debug)]
pub(crate) struct GeneratorOptions {
    pub(crate) labels: Vec<(Text, Text)>,
    pub(crate) annotations: Vec<(Text, Text)>,
    pub(crate) disable_name_suffix_hash: bool,
    pub(crate) immutable: bool,
}

/// An entry of `configMapGenerator` or `secretGenerator`.
#[derive(Clone, Debug)]
pub(crate) struct Generator {
    pub(crate) place: Place,
    pub(crate) is_secret: bool,
    pub(crate) name: Option<Text>,
    pub(crate) namespace: Option<Text>,
    pub(crate) behavior: Arc<str>,
    pub(crate) kind: Arc<str>,
    pub(crate) envs: Vec<Text>,
    pub(crate) literals: Vec<Text>,
    pub(crate) files: Vec<Text>,
    pub(crate) options: Option<GeneratorOptions>,
}

/// How a field is read or written by a replacement.
#[derive(Clone, Default, Debug)]
pub(crate) struct FieldOptions {
    pub(crate) delimiter: Arc<str>,
    pub(crate) index: i64,
    pub(crate) create: bool,
}

/// The source of a replacement's value.
#[derive(Clone, Debug)]
pub(crate) struct ReplacementSource {
    pub(crate) place: Place,
    pub(crate) id: ResId,
    pub(crate) field_path: Arc<str>,
    pub(crate) options: Option<FieldOptions>,
}

/// The target of a replacement.
#[derive(Clone, Debug)]
pub(crate) struct ReplacementTarget {
    pub(crate) place: Place,
    pub(crate) select: Option<Selector>,
    pub(crate) reject: Vec<Selector>,
    pub(crate) field_paths: Vec<Text>,
    pub(crate) options: Option<FieldOptions>,
}

/// An entry of `replacements`.
#[derive(Clone, Debug)]
pub(crate) struct Replacement {
    pub(crate) place: Place,
    pub(crate) path: Option<Text>,
    pub(crate) source: Option<ReplacementSource>,
    pub(crate) source_value: Option<Text>,
    pub(crate) targets: Option<Vec<ReplacementTarget>>,
}

/// An entry of `vars`.
#[derive(Clone, Debug)]
pub(crate) struct Var {
    pub(crate) place: Place,
    pub(crate) name: Arc<str>,
    pub(crate) object: ResId,
    pub(crate) field_path: Arc<str>,
}

/// Whose namespace a transformer sets among the subjects of a role binding.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Subjects {
    /// Those that are named `default`.
    #[default]
    Default,
    /// All service accounts.
    All,
    /// None.
    None,
}

/// What sets the namespaces of objects.
#[derive(Clone, Debug)]
pub(crate) struct Namespace {
    pub(crate) text: Text,
    /// Only where none is written.
    pub(crate) unset_only: bool,
    pub(crate) subjects: Subjects,
}

/// A target of a `ValueAddTransformer`.
#[derive(Clone, Debug)]
pub(crate) struct ValueTarget {
    pub(crate) place: Place,
    pub(crate) select: Option<Selector>,
    pub(crate) field_path: Arc<str>,
    /// The position in a path of a file that the value is put at, counted from 1. 0: it replaces all.
    pub(crate) position: usize,
}

/// What changes objects: a field of a kustomization, or an object that `transformers` names.
#[derive(Clone, Debug)]
pub(crate) enum Transformer {
    /// `PatchTransformer`, an entry of `patches`.
    Patch(Box<Patch>),
    /// `PatchJson6902Transformer`, an entry of `patchesJson6902`.
    JsonPatch(Box<Patch>),
    /// `PatchStrategicMergeTransformer`, or `patchesStrategicMerge`: paths or texts, a text beside them, and what names them.
    MergePatches(Vec<Text>, Option<Text>, Place),
    /// `NamespaceTransformer`
    Namespace(Namespace, Specs),
    /// `LabelTransformer` or `AnnotationsTransformer`.
    Entries(Vec<(Text, Text)>, Specs),
    /// `PrefixTransformer`, `SuffixTransformer` or both in one: the text, whether it is a prefix, and where it goes.
    Affix(Text, bool, Specs),
    /// `ImageTagTransformer`
    Image(Image, Specs),
    /// `ReplicaCountTransformer`
    Replicas(Replica, Specs),
    /// `ReplacementTransformer`
    Replacement(Box<Replacement>),
    /// `ValueAddTransformer`
    Value(Text, Vec<ValueTarget>),
    /// `HashTransformer`
    Hashes,
}

/// What `generators`, `transformers` and `validators` list.
#[derive(Clone, Default, Debug)]
pub(crate) struct Plugins {
    pub(crate) generators: Vec<Text>,
    pub(crate) transformers: Vec<Text>,
    pub(crate) validators: Vec<Text>,
}

/// A kustomization file.
#[derive(Clone, Default, Debug)]
pub(crate) struct Kustomization {
    pub(crate) is_component: bool,
    pub(crate) name_prefix: Option<Text>,
    pub(crate) name_suffix: Option<Text>,
    pub(crate) namespace: Option<Text>,
    pub(crate) common_labels: Vec<(Text, Text)>,
    pub(crate) labels: Vec<Label>,
    pub(crate) common_annotations: Vec<(Text, Text)>,
    pub(crate) patches_strategic_merge: Vec<Text>,
    pub(crate) patches_json: Vec<Patch>,
    pub(crate) patches: Vec<Patch>,
    pub(crate) images: Vec<Image>,
    pub(crate) replacements: Vec<Replacement>,
    pub(crate) replicas: Vec<Replica>,
    pub(crate) vars: Vec<Var>,
    pub(crate) resources: Vec<Text>,
    pub(crate) components: Vec<Text>,
    pub(crate) generators: Vec<Generator>,
    pub(crate) generator_options: Option<GeneratorOptions>,
    pub(crate) configurations: Vec<Text>,
    /// The texts, files or folders with objects that make, change and look at objects.
    pub(crate) plugins: Plugins,
    /// The OpenAPI file that determines how lists are merged.
    pub(crate) openapi: Option<Text>,
    /// Fields that need a program, a plugin or a schema of the user.
    pub(crate) unsupported: Vec<(&'static str, Place)>,
}
