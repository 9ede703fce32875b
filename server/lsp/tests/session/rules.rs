//! Errors in rules: each one is reported at the exact character.

use crd_analyzer_fixtures::styles::rules_with_a_mistake;
use serde_json::{Value, json};

use crate::client::{Client, list, pulling, pushed};

#[tokio::test]
async fn a_mistake_is_marked_at_its_characters_however_the_rule_is_written() {
    for (encoding, which) in [("utf-8", 0), ("utf-16", 1), ("utf-32", 2)] {
        let mut capabilities = pulling();
        capabilities["general"] = json!({ "positionEncodings": [encoding] });
        let mut client = Client::start(capabilities).await;
        for (n, styled) in rules_with_a_mistake().into_iter().enumerate() {
            let uri = format!("file:///widgets-{n}.yaml");
            client.open(&uri, 1, &styled.text).await;
            let items = list(client.pull(&uri, None).await["items"].take());
            let (line, columns) = styled.columns();
            let place = |column: usize| json!({ "line": line, "character": column });
            let expected = json!({ "start": place(columns[which].start), "end": place(columns[which].end) });
            assert_eq!(items.len(), 1, "{}: {items:#?}", styled.name);
            assert_eq!(items[0]["code"], "undefined-field", "{}: {items:#?}", styled.name);
            assert_eq!(
                items[0]["range"], expected,
                "{} in {encoding}: {}",
                styled.name, styled.text
            );
        }
        client.finish().await;
    }
}

/// A CRD with these properties of `spec`.
fn definition(properties: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: widgets.example.com}}
spec:
  group: example.com
  names: {{kind: Widget, plural: widgets}}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
{properties}"
    )
}

/// The codes of the diagnostics, each with whether the API server reports it only after other errors are fixed.
async fn shown(properties: &str) -> Vec<(String, bool)> {
    let mut client = Client::start(pulling()).await;
    client.open("file:///a.yaml", 1, &definition(properties)).await;
    let items = list(client.pull("file:///a.yaml", None).await["items"].take());
    client.finish().await;
    let of = |it: &Value| {
        let later = it["message"]
            .as_str()
            .is_some_and(|it| it.contains("after fixing the errors before it"));
        (it["code"].as_str().unwrap_or_default().to_owned(), later)
    };
    items.iter().map(of).collect()
}

#[tokio::test]
async fn rules_that_the_server_does_not_get_to_are_examined_and_marked() {
    let rule = "              a: {type: integer, x-kubernetes-validations: [{rule: self.x > 1}]}\n";
    assert_eq!(shown(rule).await, [("rule-type-error".to_owned(), false)]);
    // Earlier errors that keep the API server from checking rules: a schema that is not structural, a bad default, an error in the schema itself.
    for earlier in [
        "              b: {description: no type}\n",
        "              b: {type: integer, default: text}\n",
    ] {
        let found = shown(&format!("{rule}{earlier}")).await;
        assert!(
            found.contains(&("rule-type-error".to_owned(), true)),
            "{earlier}: {found:?}"
        );
        assert!(found.iter().any(|it| !it.1), "{earlier}: {found:?}");
    }
    let at_node = "              a: {type: integer, format: 3x, minimum: 3, exclusiveMinimum: true, maxLength: -1, \
                   x-kubernetes-validations: [{rule: self.x > 1}, {rule: self >}]}\n";
    let found = shown(at_node).await;
    assert!(found.iter().any(|it| it.0 == "rule-type-error"), "{found:?}");
    assert!(found.iter().any(|it| it.0 == "rule-syntax"), "{found:?}");
}

#[tokio::test]
async fn defaults_are_judged_by_rules() {
    let found = shown(
        "              a: {type: integer, default: 1, x-kubernetes-validations: [{rule: self > 2, message: 'too small'}]}\n",
    );
    assert_eq!(found.await, [("rule-failed".to_owned(), false)]);
    let found = shown(
        "              a:
                type: object
                default: {b: 1, c: 2}
                x-kubernetes-validations: [{rule: self.b > self.c}]
                properties: {b: {type: integer}, c: {type: integer}}
",
    );
    assert_eq!(found.await, [("rule-failed".to_owned(), false)]);
}

/// A CRD with a rule that reads an optional field.
const HAZARD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties: {a: {type: integer}}
            x-kubernetes-validations:
            - rule: self.a > 1
";

#[tokio::test]
async fn hazards_come_after_the_verdict() {
    const URI: &str = "file:///hazard.yaml";
    let mut client = Client::start(pushed()).await;
    client.open(URI, 1, HAZARD).await;
    assert_eq!(client.published(URI, 1).await.len(), 0, "the verdict does not wait");
    let found = client.published(URI, 1).await;
    assert_eq!(found[0]["code"], "optional-field-read");
    let message = found[0]["message"].as_str().expect("a message");
    assert!(message.starts_with("this rule fails when `a` is not set"), "{message}");
    // Known hazards are shown immediately.
    client.change(URI, 2, &[([0, 0, 0, 0], "# changed\n")]).await;
    assert_eq!(client.published(URI, 2).await.len(), 1);
    client.finish().await;
}
