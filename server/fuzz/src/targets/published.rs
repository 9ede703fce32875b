//! Results that are generated from an accepted CRD: OpenAPI, JSON Schemas, the schema file for kustomize, and the example in the documentation.

use std::{path::Path, sync::Arc};

use crd_analyzer_publish::{
    OpenApi, Types, UnknownFields, json_schemas, kustomize_schemas, merge_for_kustomize, metadata_schemas, published,
};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_suite::{
    definition::{self, Found},
    init,
};
use crd_analyzer_workspace::{
    config::versions::VersionSet,
    index::Catalog,
    judging::analysis::{Around, Question, analyze},
    resource::accepted::accepted,
};
use serde_json::{Map, Value};

use super::{crd, resource::catalog};
use crate::{
    Target,
    input::{Input, input},
};

pub(super) const TARGET: Target = Target {
    name: "published",
    run,
    seeds: |cases| cases.definitions.iter().map(|it| input(&[0], &[it])).collect(),
    words: crd::TARGET.words,
};

fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let kubernetes = input.version();
    let text = input.part();
    let examples = Examples::of(text, kubernetes);
    let documents = accepted(text.to_vec(), VersionSet::one(kubernetes), true);
    // If the file contains several CRDs, the example may belong to another CRD.
    let is_one = documents.len() == 1;
    for document in documents {
        let answers = document.answers.into_iter();
        for definition in answers.filter_map(|it| it.1.ok().flatten()) {
            let all = published(&definition, kubernetes);
            for edition in [OpenApi::V2, OpenApi::V3] {
                let document = crd_analyzer_publish::document(all.iter(), edition);
                for reference in references(&document) {
                    // These schemas are in the API server's own document.
                    let name = reference.rsplit_once('/').map_or(reference, |it| it.1);
                    assert!(metadata_schemas().contains_key(name), "{reference} leads nowhere");
                }
            }
            for (unknown, types) in [
                (UnknownFields::Ignored, Types::Lists),
                (UnknownFields::Refused, Types::Single),
            ] {
                let schemas = json_schemas(&definition, unknown, types);
                let versions = all.iter().map(|it| &it.version);
                assert!(schemas.iter().map(|it| &it.version).eq(versions));
            }
            let schemas = kustomize_schemas(&definition, kubernetes);
            let mut file = Map::new();
            merge_for_kustomize(&mut file, &schemas);
            let once = file.clone();
            merge_for_kustomize(&mut file, &schemas);
            assert_eq!(file, once, "it says the same twice");
            for version in all.iter().filter(|_| is_one) {
                examples.check(&document.name, &version.version);
            }
        }
    }
}

/// Checks that the API server accepts the examples in the documentation.
struct Examples {
    kubernetes: KubernetesVersion,
    definitions: Vec<Found>,
    catalog: Catalog,
}

impl Examples {
    fn of(text: &[u8], kubernetes: KubernetesVersion) -> Self {
        let written: Arc<str> = String::from_utf8_lossy(text).into();
        Self {
            kubernetes,
            definitions: definition::definitions("crd.yaml", &written),
            catalog: catalog(text),
        }
    }

    fn check(&self, name: &str, version: &str) {
        let found = self.definitions.iter().find(|it| it.name == name);
        let example = found.and_then(|it| init::example(it, version, self.kubernetes).ok());
        let Some(example) = example else { return };
        let question = Question {
            path: Some(Path::new("/resource.yaml")),
            around: Around::crds(&self.catalog),
            ..Question::new(VersionSet::one(self.kubernetes))
        };
        let report = analyze(example.clone().into_bytes(), &question);
        for (_, verdict) in report.documents.iter().flat_map(|it| &it.verdicts) {
            assert!(!verdict.is_known() || verdict.accepted(), "{example} is rejected");
        }
    }
}

/// All references in a value.
fn references(value: &Value) -> Vec<&str> {
    let mut found = Vec::new();
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(fields) => {
                // A property may be named `$ref`, and an enum value may contain a field with this name.
                let reference = fields.get("$ref").filter(|_| fields.len() == 1);
                found.extend(reference.and_then(Value::as_str).filter(|it| it.starts_with("#/")));
                open.extend(
                    fields
                        .iter()
                        .filter(|it| !["enum", "default", "example"].contains(&it.0.as_str()))
                        .map(|it| it.1),
                );
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    found
}
