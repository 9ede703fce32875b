//! Walks over schemas and values of the maximum depth that the decoders accept, on the stack of an ordinary thread.

use serde_json::json;

use crate::KubernetesVersion;
use crate::defaulting::{
    Options, RuleOutcome, RuleRun, Rules, has_unpruned_defaults, prune_nulls, set_defaults, validate_defaults,
};
use crate::field::Path;
use crate::json_schema::{JsonSchemaProps, RareKeywords, SchemaOrArray};
use crate::list_type::validate_list_sets_and_maps;
use crate::objectmeta::{self, CoerceOptions, coerce};
use crate::pruning::prune_and_track;
use crate::structural::{Structural, validate};
use crate::unknown::Known;

/// The maximum depth of the schema of a CRD.
const SCHEMA_DEPTH: usize = 400;
/// The maximum depth of a value.
const VALUE_DEPTH: usize = 1000;

struct NoRules;

impl Rules for NoRules {
    fn run(&mut self, run: &RuleRun<'_>) -> RuleOutcome {
        RuleOutcome {
            errors: Vec::new(),
            remaining: run.budget,
        }
    }
}

fn deep(wrap: impl Fn(JsonSchemaProps) -> JsonSchemaProps) -> JsonSchemaProps {
    let leaf = JsonSchemaProps {
        default: Some(json!({})),
        r#type: "object".to_owned(),
        ..JsonSchemaProps::default()
    };
    (0..SCHEMA_DEPTH).fold(leaf, |schema, _| wrap(schema))
}

#[test]
fn no_walk_overflows_the_stack() {
    let version = KubernetesVersion::NEWEST;
    let path = Path::root();
    let in_properties = deep(|schema| JsonSchemaProps {
        r#type: "object".to_owned(),
        properties: vec![("a".to_owned(), schema)],
        x_embedded_resource: true,
        ..JsonSchemaProps::default()
    });
    let in_items = deep(|schema| JsonSchemaProps {
        items: Some(Box::new(SchemaOrArray {
            schema: Some(Box::new(schema)),
            json_schemas: Vec::new(),
        })),
        ..JsonSchemaProps::default()
    });
    let in_junctors = deep(|schema| JsonSchemaProps {
        rare: RareKeywords {
            not: Some(Box::new(schema)),
            ..RareKeywords::default()
        }
        .into(),
        ..JsonSchemaProps::default()
    });
    let value = (0..VALUE_DEPTH).fold(json!(null), |value, n| {
        if n % 2 == 0 {
            json!({"a": value})
        } else {
            json!([value])
        }
    });
    for props in [in_properties, in_items, in_junctors] {
        let schema = Structural::new(&props).expect("no keyword is forbidden");
        validate(schema, &path, version);
        let options = Options {
            is_resource_root: true,
            require_pruned: true,
            version,
        };
        validate_defaults(schema, &path, options, &mut NoRules);
        let _ = has_unpruned_defaults(schema, version);
        let mut object = value.clone();
        prune_nulls(&mut object, Some(schema));
        set_defaults(&mut object, Known::ALL, Some(schema));
        let _ = coerce(
            &mut object,
            Known::ALL,
            Some(schema),
            true,
            &path,
            CoerceOptions::default(),
            version,
        );
        objectmeta::validate(&object, Known::ALL, Some(schema), true, &path, version);
        validate_list_sets_and_maps(
            object.as_object().unwrap_or(&serde_json::Map::new()),
            Known::ALL,
            schema,
            &path,
            version,
        );
        prune_and_track(&mut object, Some(schema), true);
        prune_and_track(&mut value.clone(), None, false);
    }
    // Rendering a value of this depth in a message is recursive too.
    assert!(crate::field::render::json(&value).len() > VALUE_DEPTH);
    assert!(crate::field::render::go_literal(&value).len() > VALUE_DEPTH);
}
