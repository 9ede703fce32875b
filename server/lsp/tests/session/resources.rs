//! Custom resources and their CRDs.

use std::path::Path;

use serde_json::{Value, json};

use crate::client::{Client, list, pulling, pushed};

pub(crate) const DEFINITION: &str = "\
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
    additionalPrinterColumns:
    - {name: Size, type: integer, jsonPath: .spec.size}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: integer, maximum: 9}
              color: {type: string, default: red}
";

pub(crate) const RESOURCE: &str = "\
apiVersion: example.com/v1
kind: Widget
metadata: {name: one}
spec:
  size: 10
";

const CRD: &str = "file:///repo/crds/widgets.yaml";
const CR: &str = "file:///repo/samples/one.yaml";

#[tokio::test]
async fn a_lens_leads_from_a_resource_to_its_effective_object() {
    let mut capabilities = pushed();
    capabilities["textDocument"]["codeLens"] = json!({});
    for announces in [true, false] {
        let options = json!({ "client": { "showEffectiveObject": announces } });
        let mut client =
            Client::start_with(json!({ "capabilities": capabilities, "initializationOptions": options })).await;
        let ask = json!({ "textDocument": { "uri": CR } });
        let other = RESOURCE.replace("Widget", "Gadget");
        client
            .open(CR, 1, &format!("# two\n{RESOURCE}---\n{other}---\n{RESOURCE}"))
            .await;
        let before = client.request("textDocument/codeLens", ask.clone()).await;
        assert_eq!(before, Value::Null, "the CRD is not known yet");
        client.open(CRD, 1, DEFINITION).await;
        let found = client.request("textDocument/codeLens", ask.clone()).await;
        if announces {
            let found = list(found);
            let lines: Vec<_> = found.iter().map(|it| &it["range"]["start"]["line"]).collect();
            assert_eq!(
                lines,
                [&json!(1), &json!(13)],
                "a lens for each resource of a known CRD"
            );
            let command = &found[1]["command"];
            assert_eq!(command["command"], "crd-analyzer.showEffectiveObject");
            assert_eq!(command["arguments"], json!([{ "uri": CR, "line": 13 }]));
            // Typing below the lenses does not move or remove them.
            client.change(CR, 2, &[([5, 0, 5, 0], "  unfini\n")]).await;
            let typed = list(client.request("textDocument/codeLens", ask).await);
            assert_eq!((typed.len(), &typed[0]), (2, &found[0]));
        } else {
            assert_eq!(found, Value::Null);
        }
        client.finish_with_lists().await;
    }
}

/// The line and column of the value of `maximum` in the CRD.
const MAXIMUM: [u64; 2] = [21, 45];

pub(crate) fn codes(list: &[Value]) -> Vec<&str> {
    list.iter().map(|it| it["code"].as_str().unwrap_or_default()).collect()
}

#[tokio::test]
async fn the_outline_of_a_known_resource_has_its_fields() {
    let mut capabilities = pushed();
    capabilities["textDocument"]["documentSymbol"] = json!({ "hierarchicalDocumentSymbolSupport": true });
    let mut client = Client::start(capabilities).await;
    let ask = json!({ "textDocument": { "uri": CR } });
    client.open(CR, 1, RESOURCE).await;
    let unknown = client.request("textDocument/documentSymbol", ask.clone()).await;
    assert_eq!(unknown, Value::Null, "somebody else's object");
    client.open(CRD, 1, DEFINITION).await;
    let mut diagnostics = client.published(CR, 1).await;
    if diagnostics.is_empty() {
        diagnostics = client.published(CR, 1).await;
    }
    assert_eq!(codes(&diagnostics), ["number-too-large"]);
    let found = list(client.request("textDocument/documentSymbol", ask).await);
    assert_eq!(
        (&found[0]["name"], &found[0]["detail"]),
        (&json!("one"), &json!("Widget"))
    );
    let children = found[0]["children"].as_array().expect("fields");
    let names: Vec<_> = children.iter().map(|it| it["name"].as_str().expect("a name")).collect();
    assert_eq!(names, ["apiVersion", "kind", "metadata", "spec"]);
    assert_eq!(children[3]["children"][0]["detail"], "10");
    client.finish_with_lists().await;
}

#[tokio::test]
async fn findings_follow_the_definition_as_it_is_typed() {
    let mut client = Client::start(pushed()).await;
    client.open(CR, 1, RESOURCE).await;
    assert_eq!(client.published(CR, 1).await.len(), 0, "nothing is known yet");
    client.open(CRD, 1, DEFINITION).await;
    assert_eq!(client.published(CRD, 1).await.len(), 0);
    let found = client.published(CR, 1).await;
    assert_eq!(codes(&found), ["number-too-large"]);
    let related = &found[0]["relatedInformation"][1];
    assert_eq!(related["location"]["uri"], CRD);
    let [line, column] = MAXIMUM;
    assert_eq!(
        related["location"]["range"]["start"],
        json!({ "line": line, "character": column })
    );
    // The CRD's unsaved text applies.
    client.change(CRD, 2, &[([line, column, line, column + 1], "10")]).await;
    assert_eq!(client.published(CRD, 2).await.len(), 0);
    assert_eq!(client.published(CR, 1).await.len(), 0);
    // While the CRD is broken, its last readable text applies.
    client.change(CRD, 3, &[([22, 0, 22, 0], "  bad: [\n")]).await;
    assert_eq!(codes(&client.published(CRD, 3).await), ["invalid-yaml"]);
    client.change(CR, 2, &[([4, 8, 4, 10], "11")]).await;
    let mut found = client.published(CR, 2).await;
    if found.is_empty() {
        found = client.published(CR, 2).await;
    }
    assert_eq!(codes(&found), ["number-too-large"]);
    client
        .notify("textDocument/didClose", json!({ "textDocument": { "uri": CRD } }))
        .await;
    assert_eq!(client.published_without_version(CRD).await.len(), 0);
    assert_eq!(client.published(CR, 2).await.len(), 0, "no definition any more");
    client.finish_with_lists().await;
}

#[tokio::test]
async fn only_resources_of_the_definition_are_checked_again() {
    let mut client = Client::start(pushed()).await;
    let other = DEFINITION.replace("Widget", "Gadget").replace("widgets", "gadgets");
    let (other_crd, other_cr) = ("file:///repo/crds/gadgets.yaml", "file:///repo/samples/other.yaml");
    for (uri, text) in [(CRD, DEFINITION.to_owned()), (other_crd, other)] {
        client.open(uri, 1, &text).await;
        client.published(uri, 1).await;
    }
    client.open(other_cr, 1, &RESOURCE.replace("Widget", "Gadget")).await;
    assert_eq!(client.published(other_cr, 1).await.len(), 1);
    client.open(CR, 1, RESOURCE).await;
    assert_eq!(client.published(CR, 1).await.len(), 1);
    client.forget_published();
    let [line, column] = MAXIMUM;
    client.change(CRD, 2, &[([line, column, line, column + 1], "10")]).await;
    assert_eq!(client.published(CRD, 2).await.len(), 0);
    assert_eq!(client.published(CR, 1).await.len(), 0);
    assert!(client.other_versions().is_empty(), "the other resource is left alone");
    client.finish().await;
}

#[tokio::test]
async fn clients_that_pull_are_asked_to() {
    let mut client = Client::start(pulling()).await;
    client.open(CRD, 1, DEFINITION).await;
    client.open(CR, 1, RESOURCE).await;
    assert_eq!(
        codes(&list(client.pull(CR, None).await["items"].take())),
        ["number-too-large"]
    );
    let [line, column] = MAXIMUM;
    client.change(CRD, 2, &[([line, column, line, column + 1], "10")]).await;
    client.until_asked("workspace/diagnostic/refresh").await;
    assert_eq!(list(client.pull(CR, None).await["items"].take()).len(), 0);
    client.finish().await;
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

#[tokio::test]
async fn definitions_on_disk_count_and_are_watched() {
    let folder = tempfile::tempdir().expect("a folder");
    let (crds, elsewhere) = (folder.path().join("repo/crds"), folder.path().join("elsewhere"));
    // The workspace is a subfolder of a repository.
    std::fs::create_dir(folder.path().join(".git")).expect("made");
    std::fs::create_dir_all(&crds).expect("made");
    std::fs::create_dir_all(&elsewhere).expect("made");
    let gadget = DEFINITION.replace("Widget", "Gadget").replace("widgets", "gadgets");
    std::fs::write(elsewhere.join("gadgets.yaml"), gadget).expect("written");
    std::fs::write(folder.path().join("repo/.crd-analyzer.yaml"), "crds: [../elsewhere]\n").expect("written");
    let crd = crds.join("widgets.yaml");
    std::fs::write(&crd, DEFINITION).expect("written");
    let folders = json!([{ "uri": uri(&folder.path().join("repo")), "name": "repo" }]);
    let mut client = Client::start_with(json!({ "capabilities": pushed(), "workspaceFolders": folders })).await;
    let cr = uri(&folder.path().join("repo/one.yaml"));
    client.open(&cr, 1, RESOURCE).await;
    let mut found = client.published(&cr, 1).await;
    while found.is_empty() {
        found = client.published(&cr, 1).await;
    }
    let related = &found[0]["relatedInformation"][1]["location"];
    assert_eq!(related["uri"], uri(&crd));
    let configured = uri(&folder.path().join("repo/two.yaml"));
    client.open(&configured, 1, &RESOURCE.replace("Widget", "Gadget")).await;
    assert_eq!(codes(&client.published(&configured, 1).await), ["number-too-large"]);
    std::fs::write(&crd, DEFINITION.replace("maximum: 9", "maximum: 99")).expect("written");
    let changes = json!({ "changes": [{ "uri": uri(&crd), "type": 2 }] });
    client.notify("workspace/didChangeWatchedFiles", changes).await;
    // A list for an earlier state may still arrive first.
    while !client.published(&cr, 1).await.is_empty() {}
    client.finish_with_lists().await;
}

/// Starts a session with the CRD and the resource open.
async fn both(capabilities: Value) -> Client {
    let mut client = Client::start(capabilities).await;
    client.open(CRD, 1, DEFINITION).await;
    client.open(CR, 1, RESOURCE).await;
    client
}

fn at(uri: &str, line: u64, character: u64) -> Value {
    json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character } })
}

/// The file, line and column of a location.
fn place(location: &Value) -> (String, u64, u64) {
    let start = &location["range"]["start"];
    let number = |it: &Value| it.as_u64().expect("a number");
    let uri = location["uri"].as_str().expect("a file").to_owned();
    (uri, number(&start["line"]), number(&start["character"]))
}

#[tokio::test]
async fn definitions_of_fields_are_their_schemas() {
    let mut client = both(pulling()).await;
    for (line, character, expected) in [
        (1, 8, (5, 16)),  // the kind
        (0, 14, (8, 10)), // the version
        (4, 4, (21, 14)), // a field
        (4, 9, (21, 14)), // its value
        (3, 1, (18, 10)), // an object
    ] {
        let found = client.request("textDocument/definition", at(CR, line, character)).await;
        assert_eq!(
            place(&found),
            (CRD.to_owned(), expected.0, expected.1),
            "{line}:{character}"
        );
    }
    // For an unknown field, "go to definition" opens the schema of its parent.
    client.change(CR, 2, &[([5, 0, 5, 0], "  unknown: 1\n")]).await;
    let found = client.request("textDocument/definition", at(CR, 5, 4)).await;
    assert_eq!(place(&found), (CRD.to_owned(), 18, 10));
    client.finish().await;
}

#[tokio::test]
async fn references_of_a_property_are_in_resources_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let closed = folder.path().join("closed.yaml");
    std::fs::write(&closed, RESOURCE.replace("one", "two")).expect("written");
    std::fs::write(folder.path().join("other.yaml"), RESOURCE.replace("Widget", "Other")).expect("written");
    let folders = json!([{ "uri": uri(folder.path()), "name": "it" }]);
    let mut client = Client::start_with(json!({ "capabilities": pushed(), "workspaceFolders": folders })).await;
    client.open(CRD, 1, DEFINITION).await;
    client.open(CR, 1, RESOURCE).await;
    // The resource may get its diagnostic before the scan of the folder ends. The closed file has one reference for each name.
    let mut found = Vec::new();
    let begin = std::time::Instant::now();
    while found.len() < 3 {
        assert!(begin.elapsed().as_secs() < 60, "only {found:?}");
        let mut params = at(CRD, 21, 15);
        params["context"] = json!({ "includeDeclaration": true });
        found = list(client.request("textDocument/references", params).await);
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        if found.len() == 3 && found.iter().all(|it| it["uri"] != uri(&closed)) {
            found.clear();
        }
    }
    let places: Vec<_> = found.iter().map(place).collect();
    assert!(places.contains(&(CRD.to_owned(), 21, 14)), "{places:?}");
    assert!(places.contains(&(CR.to_owned(), 4, 2)), "{places:?}");
    assert!(places.contains(&(uri(&closed), 4, 2)), "{places:?}");
    let mut params = at(CRD, 5, 17);
    params["context"] = json!({ "includeDeclaration": false });
    let kinds = list(client.request("textDocument/references", params).await);
    assert_eq!(kinds.len(), 2, "{kinds:?}");
    client.finish_with_lists().await;
}

#[tokio::test]
async fn hovers_over_resources_tell_of_their_schema_and_columns() {
    let mut client = both(pulling()).await;
    let text = |answer: Value| answer["contents"]["value"].as_str().unwrap_or_default().to_owned();
    let name = text(client.request("textDocument/hover", at(CR, 2, 18)).await);
    assert!(
        name.contains("kubectl get widgets") && name.contains("Size") && name.contains("10"),
        "{name}"
    );
    assert!(name.contains("Age") && name.contains("<none>"), "{name}");
    let field = text(client.request("textDocument/hover", at(CR, 4, 4)).await);
    assert!(field.contains("integer") && field.contains('9'), "{field}");
    client.finish().await;
}

#[tokio::test]
async fn the_effective_object_can_be_asked_for() {
    let mut client = both(pulling()).await;
    let found = client.request("crd-analyzer/effectiveObject", at(CR, 4, 4)).await;
    assert_eq!(found["title"], "Widget one");
    let text = found["text"].as_str().expect("a text");
    assert!(text.contains("\n  color: red  # defaulted\n"), "{text}");
    let line = text.lines().position(|it| it.contains("color")).expect("a line");
    assert_eq!(found["marks"], json!([{ "line": line, "kind": "defaulted" }]));
    let none = client.request("crd-analyzer/effectiveObject", at(CRD, 4, 4)).await;
    assert_eq!(none, Value::Null);
    client.finish().await;
}

#[tokio::test]
async fn items_of_lists_are_resources_too() {
    const LIST: &str = "file:///repo/samples/list.yaml";
    let item = RESOURCE.trim_end().replace('\n', "\n  ");
    let text = format!("apiVersion: v1\nkind: List\nitems:\n- {item}\n");
    let mut client = both(pulling()).await;
    client.open(LIST, 1, &text).await;
    // The list item has the same text as the resource, three lines further down and two columns to the right.
    let found = client.request("textDocument/definition", at(LIST, 7, 5)).await;
    assert_eq!(place(&found), (CRD.to_owned(), 21, 14));
    let hover = client.request("textDocument/hover", at(LIST, 7, 5)).await;
    let hover = hover["contents"]["value"].as_str().expect("a hover");
    assert!(hover.contains("integer") && hover.contains('9'), "{hover}");
    for (line, character, expected) in [(21, 15, (7, 4)), (5, 17, (4, 8))] {
        let mut params = at(CRD, line, character);
        params["context"] = json!({ "includeDeclaration": false });
        let found = list(client.request("textDocument/references", params).await);
        let places: Vec<_> = found.iter().map(place).collect();
        assert!(
            places.contains(&(LIST.to_owned(), expected.0, expected.1)),
            "{places:?}"
        );
        assert!(places.iter().any(|it| it.0 == CR), "{places:?}");
    }
    let mut params = at(CRD, 21, 15);
    params["newName"] = json!("length");
    let edit = client.request("textDocument/rename", params).await;
    assert!(edit.to_string().contains(LIST), "{edit}");
    client.finish().await;
}

#[tokio::test]
async fn objects_in_objects_are_resources_too() {
    const WORK: &str = "file:///repo/deploy/work.yaml";
    for (around, indent) in [
        (
            "apiVersion: work.open-cluster-management.io/v1\nkind: ManifestWork\nspec:\n  workload:\n    manifests:\n    - ",
            6,
        ),
        (
            "apiVersion: template.openshift.io/v1\nkind: Template\nmetadata: {name: t}\nparameters: []\nobjects:\n- ",
            2,
        ),
        (
            "apiVersion: chainsaw.kyverno.io/v1alpha1\nkind: Test\nspec:\n  try:\n  - create:\n      resource:\n        ",
            8,
        ),
    ] {
        let first = around.matches('\n').count() as u64;
        let item = RESOURCE.trim_end().replace('\n', &format!("\n{}", " ".repeat(indent)));
        let text = format!("{around}{item}\n{}co", " ".repeat(indent + 2));
        let mut client = Client::start(pushed()).await;
        client.open(CRD, 1, DEFINITION).await;
        client.open(WORK, 1, &format!("{around}{item}\n")).await;
        let found = client.published(WORK, 1).await;
        assert!(codes(&found).contains(&"number-too-large"), "{found:?}");
        let line = first + 4;
        let column = indent as u64 + 3;
        let found = client.request("textDocument/definition", at(WORK, line, column)).await;
        assert_eq!(place(&found), (CRD.to_owned(), 21, 14));
        let hover = client.request("textDocument/hover", at(WORK, line, column)).await;
        let hover = hover["contents"]["value"].as_str().expect("a hover");
        assert!(hover.contains("integer") && hover.contains('9'), "{hover}");
        client
            .change(
                WORK,
                2,
                &[([line + 1, 0, line + 1, 0], &text[text.len() - indent - 4..])],
            )
            .await;
        let offered = client
            .request("textDocument/completion", at(WORK, line + 1, indent as u64 + 4))
            .await;
        assert!(offered.to_string().contains("\"label\":\"color\""), "{offered}");
        client.finish_with_lists().await;
    }
}

#[tokio::test]
async fn an_error_hides_no_warning_of_a_resource() {
    let mut client = Client::start(pushed()).await;
    client.open(CRD, 1, DEFINITION).await;
    let warned = |list: &[Value]| codes(list).contains(&"unqualified-finalizer");
    let accepted = RESOURCE
        .replace("{name: one}", "{name: one, finalizers: [mine]}")
        .replace("10", "1");
    client.open(CR, 1, &accepted).await;
    assert!(warned(&client.published(CR, 1).await));
    client.change(CR, 2, &[([4, 9, 4, 9], "0")]).await;
    let refused = client.published(CR, 2).await;
    assert!(codes(&refused).contains(&"number-too-large"), "{refused:?}");
    assert!(warned(&refused), "{refused:?}");
    client.finish_with_lists().await;
}

/// A broken rule is an error of the CRD: nothing in a resource could fix it.
#[tokio::test]
async fn a_rule_that_does_not_compile_is_no_mistake_of_the_resource() {
    let mut client = Client::start(pulling()).await;
    let rules = "x-kubernetes-validations: [{rule: self.sise < 5}]\n            properties:";
    let broken = DEFINITION.replace(
        "properties:\n              size",
        &format!("{rules}\n              size"),
    );
    client.open(CRD, 1, &broken).await;
    client.open(CR, 1, &RESOURCE.replace("10", "3")).await;
    let found = client.pull(CR, None).await["items"].take();
    assert_eq!(found[0]["code"], "unusable-crd", "{found}");
    assert_eq!(found.as_array().map(Vec::len), Some(1), "{found}");
    let related = found[0]["relatedInformation"].as_array().expect("other places");
    assert_eq!(related[0]["message"], "help: correct the CRD first");
    let is_crd = |it: &Value| it["location"]["uri"] == CRD && it["message"] == "the CRD";
    assert!(related.iter().any(is_crd), "{related:?}");
    client.finish().await;
}
