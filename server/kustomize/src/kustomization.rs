//! The content of a kustomization file (`sigs.k8s.io/kustomize/api/types`).

use std::sync::Arc;

use crate::{
    id::ResId,
    node::Place,
    selector::{Field, Selector},
    spec::{FieldSpec, Specs},
};

/// The possible names of a kustomization file, in the order in which kustomize looks for them (`sigs.k8s.io/kustomize/api/konfig`).
pub const FILE_NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// A string and its place.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Text {
    pub(crate) text: Arc<str>,
    pub(crate) place: Place,
}

/// Whether an entry of a list is inline text with objects or patches. If not, it is a path.
pub(crate) fn is_inline(entry: &str) -> bool {
    entry.contains('\n') || entry.trim_start().starts_with('{')
}

/// An entry of `patches` or `patchesJson6902`.
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
    pub(crate) name_place: Place,
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

/// How a replacement reads or writes a field.
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
    /// The places of the fields of `id`.
    pub(crate) fields: Vec<(Field, Place)>,
    pub(crate) id: ResId,
    /// The path of the field. Without a path, it is empty, and its place is that of the source.
    pub(crate) field_path: Text,
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

/// The subjects of a role binding whose namespace a transformer sets.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Subjects {
    /// The transformer sets the namespace of subjects with the name `default`.
    #[default]
    Default,
    /// The transformer sets the namespace of all service accounts.
    All,
    /// The transformer sets no namespace of a subject.
    None,
}

/// The settings of a transformer that sets namespaces.
#[derive(Clone, Debug)]
pub(crate) struct Namespace {
    pub(crate) text: Text,
    /// Whether to set the namespace only where none is set yet.
    pub(crate) unset_only: bool,
    pub(crate) subjects: Subjects,
}

/// A target of a `ValueAddTransformer`.
#[derive(Clone, Debug)]
pub(crate) struct ValueTarget {
    pub(crate) place: Place,
    pub(crate) select: Option<Selector>,
    pub(crate) field_path: Arc<str>,
    /// The position at which the value is inserted into a file path, counted from 1. With 0, the value replaces the whole field.
    pub(crate) position: usize,
}

/// A transformer, which changes objects. It comes from a field of a kustomization or from an object in `transformers`.
#[derive(Clone, Debug)]
pub(crate) enum Transformer {
    /// `PatchTransformer`, or an entry of `patches`.
    Patch(Box<Patch>),
    /// `PatchJson6902Transformer`, or an entry of `patchesJson6902`.
    JsonPatch(Box<Patch>),
    /// `PatchStrategicMergeTransformer`, or `patchesStrategicMerge`: paths or inline patches, one more text with patches, and the place that names
    /// them.
    MergePatches(Vec<Text>, Option<Text>, Place),
    /// `NamespaceTransformer`, or the field `namespace`.
    Namespace(Namespace, Specs),
    /// `LabelTransformer` or `AnnotationsTransformer`, or the corresponding fields.
    Entries(Vec<(Text, Text)>, Specs),
    /// `PrefixTransformer` or `SuffixTransformer`: the text, whether it is a prefix, and the fields to change.
    Affix(Text, bool, Specs),
    /// `ImageTagTransformer`, or an entry of `images`.
    Image(Image, Specs),
    /// `ReplicaCountTransformer`, or an entry of `replicas`.
    Replicas(Replica, Specs),
    /// `ReplacementTransformer`, or an entry of `replacements`.
    Replacement(Box<Replacement>),
    /// `ValueAddTransformer`: the value and its targets.
    Value(Text, Vec<ValueTarget>),
    /// `HashTransformer`, which adds hashes to names.
    Hashes,
}

/// The lists in `generators`, `transformers` and `validators`.
#[derive(Clone, Default, Debug)]
pub(crate) struct Plugins {
    pub(crate) generators: Vec<Text>,
    pub(crate) transformers: Vec<Text>,
    pub(crate) validators: Vec<Text>,
}

/// The content of a kustomization file.
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
    /// The plugins that generate, change and validate objects. An entry is inline text, a file or a folder.
    pub(crate) plugins: Plugins,
    /// The order in `sortOptions`, which counts only in the outermost kustomization. Empty if it is missing there.
    pub(crate) sort_order: Option<Text>,
    /// The OpenAPI file that determines how lists are merged.
    pub(crate) openapi: Option<Text>,
    /// The fields that need a program, a plugin or a schema of the user, with their places.
    pub(crate) unsupported: Vec<(&'static str, Place)>,
}
