//! The API server's decoding of documents that are not valid CRDs, before any validation.
//!
//! Each line of `decode.jsonl` contains a document and the API servers' answer. The answer applies from the Kubernetes version `k8s` up to the
//! version in the next line with the same text.

use std::sync::Arc;

use crd_analyzer_apiextensions::strategy::judge_create;
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::json::read_json;
use crd_analyzer_syntax::tree::Span;
use serde_json::Value;

const TABLE: &str = include_str!("decode.jsonl");

#[test]
fn decodes_as_the_server_does() {
    let rows: Vec<Value> = TABLE
        .lines()
        .map(|it| serde_json::from_str(it).expect("each line is JSON"))
        .collect();
    let mut wrong = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let text = row["text"].as_str().expect("each row has a text");
        let first = row["k8s"].as_u64().expect("each row has a minor") as u8;
        let next = rows
            .get(at + 1)
            .filter(|it| it["text"] == row["text"])
            .and_then(|it| it["k8s"].as_u64());
        let last = next.map_or(KubernetesVersion::NEWEST.number(), |it| it as u8 - 1);
        let tree = crd_analyzer_syntax::read(&Arc::from(text), Span::new(0, text.len() as u32)).expect("it is YAML");
        let json = read_json(&tree).expect("it is JSON");
        for minor in first..=last {
            let verdict = judge_create(&json, KubernetesVersion::minor(minor), None);
            let decode_error = verdict.decode_error.as_ref().map(|it| it.text.as_str());
            let strict: Vec<&str> = verdict.strict.iter().map(|it| it.text.as_str()).collect();
            let expected = row["strict"].as_array().into_iter().flatten().filter_map(Value::as_str);
            if decode_error != row["decode_error"].as_str() || !strict.iter().copied().eq(expected) {
                wrong.push(format!("{row}\n  1.{minor}: {decode_error:?} {strict:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
