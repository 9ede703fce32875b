//! The warnings of an accepted CRD (`pkg/registry/customresourcedefinition`, `strategy.go`).

mod formats;
mod walk;

use std::collections::{BTreeMap, HashSet};

use crd_analyzer_schema::field::{Path, Trail};
use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion, go};

pub use formats::is_recognized;

use crate::codes;
use crate::types::Spec;

/// Unrecognized formats are warned about since this Kubernetes version.
const FORMATS_SINCE: KubernetesVersion = KubernetesVersion::minor(34);
/// Sets of objects and lists are warned about since this Kubernetes version.
const SETS_SINCE: KubernetesVersion = KubernetesVersion::minor(37);

/// Most places kept for the warnings of one rule.
const MAX_PATHS: usize = 1000;

/// A `Warning` header of the API server's answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Warning {
    /// The API server's words. The API server sends each text once.
    pub text: String,
    /// Which of our diagnostic codes this is.
    pub code: &'static str,
    /// The keywords that the text speaks of, in the internal form. Of a CRD with very many of them only the first
    /// ones are kept, so that there may be none.
    pub paths: Vec<Path>,
}

/// What the API server warns about when it stores a new CRD.
pub fn on_create(spec: &Spec, version: KubernetesVersion) -> Vec<Warning> {
    let (mut warnings, sets) = collect(spec, version);
    warnings.extend(sets);
    warnings
}

/// What the API server warns about when it stores a changed CRD: what is new.
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

/// All schemas of a CRD and where they are.
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

/// Texts and what they speak of, each text once.
#[derive(Default)]
struct Texts {
    paths: BTreeMap<String, Vec<Path>>,
    /// How many paths are kept.
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
