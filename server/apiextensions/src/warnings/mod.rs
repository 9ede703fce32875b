//! The warnings for an accepted CRD (`pkg/registry/customresourcedefinition`, `strategy.go`).

mod formats;
mod walk;

use std::collections::{BTreeMap, HashSet};

use crd_analyzer_schema::field::{Path, Trail};
use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion, go};

pub use formats::is_recognized;

use crate::codes;
use crate::types::Spec;

/// The first Kubernetes version that warns about unrecognized formats.
const FORMATS_SINCE: KubernetesVersion = KubernetesVersion::minor(34);
/// The first Kubernetes version that warns about sets of objects and lists.
const SETS_SINCE: KubernetesVersion = KubernetesVersion::minor(37);

/// The maximum number of paths kept for the warnings of one kind.
const MAX_PATHS: usize = 1000;

/// A `Warning` header in the API server's response.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Warning {
    /// The API server's message. The API server sends equal messages only once.
    pub text: String,
    /// The diagnostic code.
    pub code: &'static str,
    /// The paths of the keywords that the message is about, in the internal form. Only the first paths of a CRD are kept, so the list may be empty.
    pub paths: Vec<Path>,
}

/// The API server's warnings when it stores a new CRD.
pub fn on_create(spec: &Spec, version: KubernetesVersion) -> Vec<Warning> {
    let (mut warnings, sets) = collect(spec, version);
    warnings.extend(sets);
    warnings
}

/// The API server's warnings when it stores a changed CRD: those that it did not return for the old CRD.
pub fn on_update(spec: &Spec, old: &Spec, version: KubernetesVersion) -> Vec<Warning> {
    let before: HashSet<String> = on_create(old, version).into_iter().map(|it| it.text).collect();
    let mut warnings = on_create(spec, version);
    warnings.retain(|it| !before.contains(&it.text));
    warnings
}

fn collect(spec: &Spec, version: KubernetesVersion) -> (Vec<Warning>, Vec<Warning>) {
    let mut formats = Texts::default();
    let mut sets = Texts::default();
    if version >= FORMATS_SINCE {
        for (schema, base) in schemas(spec) {
            walk::each(schema, &Trail::new(&base), &mut |schema, at| {
                look(schema, at, version, &mut formats, &mut sets);
            });
        }
    }
    (
        formats.warnings(codes::UNRECOGNIZED_FORMAT),
        sets.warnings(codes::SET_OF_OBJECTS),
    )
}

fn look(schema: &JsonSchemaProps, at: &Trail<'_>, version: KubernetesVersion, formats: &mut Texts, sets: &mut Texts) {
    if !schema.format.is_empty() && !is_recognized(&schema.format, &schema.r#type, version) {
        formats.add(
            format!("unrecognized format {}", go::quote(&schema.format)),
            at,
            "format",
        );
    }
    if version >= SETS_SINCE && schema.x_list_type.as_deref() == Some("set") {
        let items = schema
            .items
            .as_ref()
            .and_then(|it| it.schema.as_ref())
            .map_or("", |it| it.r#type.as_str());
        if matches!(items, "object" | "array") {
            let text = format!(
                "x-kubernetes-list-type: set for items of type {} is not supported by server-side apply or CEL \
                 validation rules",
                go::quote(items)
            );
            sets.add(text, at, "x-kubernetes-list-type");
        }
    }
}

/// All schemas of a CRD with their paths.
fn schemas(spec: &Spec) -> impl Iterator<Item = (&JsonSchemaProps, Path)> {
    let shared = spec.validation.iter().map(|it| (it, Path::of(["spec", "validation"])));
    let versions = spec.versions.iter().enumerate().filter_map(|(index, it)| {
        Some((
            it.schema.as_ref()?,
            Path::of(["spec", "versions"]).index(index).child("schema"),
        ))
    });
    shared
        .chain(versions)
        .filter_map(|(it, path)| Some((it.open_api_v3_schema.as_ref()?, path.child("openAPIV3Schema"))))
}

/// Messages with the paths that they are about. Each message occurs once.
#[derive(Default)]
struct Texts {
    paths: BTreeMap<String, Vec<Path>>,
    /// The number of paths kept so far.
    kept: usize,
}

impl Texts {
    fn add(&mut self, text: String, at: &Trail<'_>, keyword: &str) {
        let paths = self.paths.entry(text).or_default();
        if self.kept < MAX_PATHS {
            self.kept += 1;
            paths.push(at.child(keyword).path());
        }
    }

    fn warnings(self, code: &'static str) -> Vec<Warning> {
        self.paths
            .into_iter()
            .map(|(text, paths)| Warning { text, code, paths })
            .collect()
    }
}
