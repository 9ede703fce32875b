//! Documentation of the fields of a CRD: the output of `explain` for each field, and the reference documentation.

use crd_analyzer_publish::published;
use crd_analyzer_reference::{
    Depth, Subject, all_fields, beyond, constraints, explain, find, reference_of, rules_about, rules_of,
};
use crd_analyzer_workspace::{config::versions::VersionSet, resource::accepted::accepted};

use super::crd;
use crate::{
    Target,
    input::{Input, input},
};

pub(super) const TARGET: Target = Target {
    name: "reference",
    run,
    seeds: |cases| cases.definitions.iter().map(|it| input(&[0], &[it])).collect(),
    words: crd::TARGET.words,
};

/// The maximum number of fields to explain in an input. More fields would be slow.
const MOST_FIELDS: usize = 100;

fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let kubernetes = input.version();
    let answers = accepted(input.part().to_vec(), VersionSet::one(kubernetes), true);
    let definitions = answers.into_iter().flat_map(|it| it.answers);
    for definition in definitions.filter_map(|it| it.1.ok().flatten()) {
        let documented = reference_of(&definition, kubernetes);
        let versions = published(&definition, kubernetes);
        assert_eq!(documented.versions.len(), versions.len());
        for (version, documented) in std::iter::zip(&versions, &documented.versions) {
            let schema = &version.v3;
            let subject = Subject {
                group: &definition.spec.group,
                version: &version.name,
                kind: &definition.spec.names.kind,
                schema,
            };
            let fields = all_fields(schema);
            assert!(documented.fields.len() <= fields.len(), "{documented:?}");
            for (path, field) in fields.iter().take(MOST_FIELDS) {
                assert_eq!(find(schema, path), Some(field.schema), "at {path:?}");
                let _ = (
                    rules_of(field.schema),
                    constraints(field.schema),
                    rules_about(schema, path),
                );
                let _ = beyond(schema, path, Depth::Recursive(2));
                if let Ok(printed) = explain(&subject, path, Depth::Fields) {
                    assert!(printed.contains(path.last().copied().unwrap_or_default()), "{printed}");
                }
            }
            let _ = explain(&subject, &[] as &[&str], Depth::Recursive(0));
        }
    }
}
