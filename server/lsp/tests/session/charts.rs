//! Templates of Helm charts: the server checks what they include.

use std::path::Path;

use serde_json::{Value, json};

use crate::{
    chaos::position,
    client::{Client, pushed},
};

const CRD: &str = "\
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
          spec: {type: object, required: [size], properties: {size: {type: integer}}}
";

const TEMPLATE: &str = "\
apiVersion: example.com/v1
kind: Widget
metadata:
  name: a
spec:
  {{- include \"spec\" . | nindent 2 }}
";

/// Writes a file into a folder.
fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    std::fs::write(path, text).expect("written");
}

/// The parameters of a request about a byte offset of a file.
fn at(uri: &str, text: &str, offset: usize) -> Value {
    json!({ "textDocument": { "uri": uri }, "position": position(text, offset, "utf-16") })
}

/// The codes and lines of diagnostics, with the lines of their related places in helper files.
fn told(list: &[Value]) -> Vec<(&str, u64, Vec<u64>)> {
    let line = |it: &Value| it["range"]["start"]["line"].as_u64().expect("a line");
    let is_helper = |it: &&Value| {
        it["location"]["uri"]
            .as_str()
            .is_some_and(|it| it.contains("_helpers."))
    };
    let related = |it: &Value| {
        let places = it["relatedInformation"].as_array().into_iter().flatten();
        places.filter(is_helper).map(|it| line(&it["location"])).collect()
    };
    let told = |it: &'_ Value| (line(it), related(it));
    list.iter()
        .map(|it| (it["code"].as_str().expect("a code"), told(it).0, told(it).1))
        .collect()
}

#[tokio::test]
async fn what_a_template_includes_is_checked() {
    let folder = tempfile::tempdir().expect("a folder");
    let helpers = |size: &str| format!("{{{{- define \"spec\" -}}}}\nsize: {size}\n{{{{- end }}}}\n");
    let write = |path: &str, text: &str| write(folder.path(), path, text);
    write("crd.yaml", CRD);
    write("chart/Chart.yaml", "name: chart\n");
    write("chart/templates/_helpers.tpl", &helpers("a"));
    write("chart/templates/a.yaml", TEMPLATE);
    let uri = |path: &str| format!("file://{}", folder.path().join(path).display());
    let params = json!({ "capabilities": pushed(), "workspaceFolders": [{ "uri": uri(""), "name": "it" }] });
    let mut client = Client::start_with(params).await;
    let (template, file) = (uri("chart/templates/a.yaml"), uri("chart/templates/_helpers.tpl"));
    client.open(&template, 1, TEMPLATE).await;
    let list = client.published_when(&template, |it| !it.is_empty()).await;
    assert_eq!(told(&list), [("wrong-type", 5, vec![1])]);
    client.open(&file, 1, &helpers("a")).await;
    let list = client.published_when(&file, |it| !it.is_empty()).await;
    assert_eq!(told(&list), [("wrong-type", 1, vec![1])]);
    // Changes count before they are saved, until the file is closed.
    client.change(&file, 2, &[([1, 6, 1, 7], "3")]).await;
    client.published_when(&template, <[Value]>::is_empty).await;
    client
        .notify("textDocument/didClose", json!({ "textDocument": { "uri": file } }))
        .await;
    let list = client.published_when(&template, |it| !it.is_empty()).await;
    assert_eq!(told(&list), [("wrong-type", 5, vec![1])]);
    write("chart/templates/_helpers.tpl", &helpers("3"));
    let change = json!({ "changes": [{ "uri": file, "type": 2 }] });
    client.notify("workspace/didChangeWatchedFiles", change).await;
    client.published_when(&template, <[Value]>::is_empty).await;
    client.finish_with_lists().await;
}

#[tokio::test]
async fn the_schema_of_the_values_counts_before_it_is_saved() {
    let folder = tempfile::tempdir().expect("a folder");
    let schema =
        |name: &str| format!("{{\"properties\": {{\"size\": {{\"type\": \"{name}\"}}}}, \"required\": [\"size\"]}}\n");
    let template = TEMPLATE.replace("{{- include \"spec\" . | nindent 2 }}", "size: {{ .Values.size }}");
    let write = |path: &str, text: &str| write(folder.path(), path, text);
    write("crd.yaml", CRD);
    write("chart/Chart.yaml", "name: chart\n");
    write("chart/values.schema.json", &schema("boolean"));
    write("chart/templates/a.yaml", &template);
    let uri = |path: &str| format!("file://{}", folder.path().join(path).display());
    let params = json!({ "capabilities": pushed(), "workspaceFolders": [{ "uri": uri(""), "name": "it" }] });
    let mut client = Client::start_with(params).await;
    let (template_uri, file) = (uri("chart/templates/a.yaml"), uri("chart/values.schema.json"));
    client.open(&template_uri, 1, &template).await;
    let list = client.published_when(&template_uri, |it| !it.is_empty()).await;
    assert_eq!(told(&list), [("wrong-type", 5, vec![])]);
    client.open(&file, 1, &schema("boolean")).await;
    client.change(&file, 2, &[([0, 34, 0, 41], "integer")]).await;
    client.published_when(&template_uri, <[Value]>::is_empty).await;
    client
        .notify("textDocument/didClose", json!({ "textDocument": { "uri": file } }))
        .await;
    client.published_when(&template_uri, |it| !it.is_empty()).await;
    client.finish_with_lists().await;
}

/// After `.Values.`, the names in `values.yaml` are offered, and their hover and definition lead there.
#[tokio::test]
async fn values_of_a_chart_are_completed_and_explained() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |path: &str, text: &str| write(folder.path(), path, text);
    let template = TEMPLATE.replace(
        "{{- include \"spec\" . | nindent 2 }}",
        "size: {{ .Values.widget. }}\n  b: {{ .Values.widget.size }}",
    );
    write("crd.yaml", CRD);
    write("chart/Chart.yaml", "name: chart\n");
    write(
        "chart/values.yaml",
        "widget:\n  # -- How big.\n  size: 3\n  color: red\n",
    );
    write("chart/templates/a.yaml", &template);
    let uri = |path: &str| format!("file://{}", folder.path().join(path).display());
    let params = json!({ "capabilities": pushed(), "workspaceFolders": [{ "uri": uri(""), "name": "it" }] });
    let mut client = Client::start_with(params).await;
    let at = uri("chart/templates/a.yaml");
    client.open(&at, 1, &template).await;
    let position = |line: u32, character: u32| json!({ "textDocument": { "uri": at }, "position": { "line": line, "character": character } });
    let list = client.request("textDocument/completion", position(5, 26)).await;
    let items = list["items"].as_array().expect("a list").iter();
    let items: Vec<_> = items.map(|it| (it["label"].as_str(), it["detail"].as_str())).collect();
    assert_eq!(
        items,
        [(Some("size"), Some("integer, 3")), (Some("color"), Some("string, red"))]
    );
    let hover = client.request("textDocument/hover", position(6, 25)).await;
    let expected = ".Values.widget.size: integer\n\nHow big.\n\ndefault in values.yaml:\n\n3";
    assert_eq!(hover["contents"]["value"], expected);
    let place = client.request("textDocument/definition", position(6, 25)).await;
    assert_eq!(
        (&place["uri"], &place["range"]["start"]["line"]),
        (&json!(uri("chart/values.yaml")), &json!(2))
    );
    // Names that are not saved count, too.
    let values = uri("chart/values.yaml");
    client.open(&values, 1, "widget:\n  length: 1\n").await;
    let list = client.request("textDocument/completion", position(5, 26)).await;
    assert_eq!(list["items"][0]["label"], "length");
    client.finish_with_lists().await;
}

/// Fields of the CRD are offered and explained beside actions and in blocks, and are renamed there.
#[tokio::test]
async fn fields_are_known_in_a_template() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |path: &str, text: &str| write(folder.path(), path, text);
    let crd = CRD.replace(
        "size: {type: integer}",
        "size: {type: integer}, items: {type: array, items: {type: object, properties: {color: {type: string}}}}",
    );
    let template = "\
apiVersion: example.com/v1
kind: Widget
metadata:
  name: {{ include \"name\" . }}
  labels:
    {{- include \"labels\" . | nindent 4 }}
spec:
  {{- with .Values.more }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  {{- if .Values.big }}
  siz
  {{- else }}
  size: {{ .Values.size }}
  {{- end }}
  items:
  {{- range .Values.items }}
  - col
  {{- end }}
";
    write("crd.yaml", &crd);
    write("chart/Chart.yaml", "name: chart\n");
    write("chart/values.yaml", "size: 1\n");
    write("chart/templates/a.yaml", template);
    let uri = |path: &str| format!("file://{}", folder.path().join(path).display());
    let params = json!({ "capabilities": pushed(), "workspaceFolders": [{ "uri": uri(""), "name": "it" }] });
    let mut client = Client::start_with(params).await;
    let template_uri = uri("chart/templates/a.yaml");
    client.open(&template_uri, 1, template).await;
    let after = |needle: &str| {
        at(
            &template_uri,
            template,
            template.find(needle).expect("a needle") + needle.len(),
        )
    };
    for (needle, expected) in [("  siz", "size"), ("- col", "color")] {
        let list = client.request("textDocument/completion", after(needle)).await;
        let items = list["items"].as_array().expect("a list").iter();
        let labels: Vec<_> = items.map(|it| it["label"].as_str().expect("a label")).collect();
        assert!(labels.contains(&expected), "{needle}: {labels:?}");
    }
    let hover = client.request("textDocument/hover", after("  size")).await;
    let words = hover["contents"]["value"].as_str().expect("a hover");
    assert!(words.starts_with("spec.size: integer"), "{words}");
    // In an action, there are no fields.
    let list = client.request("textDocument/completion", after("toYaml . |")).await;
    assert_eq!(list, Value::Null);
    // What another block prints is there, and a block may not be closed yet.
    let begun = "apiVersion: example.com/v1\nkind: Widget\nspec:\n  {{- with .Values.a }}\n  items: []\n  {{- end }}\n  {{- if .Values.b }}\n  \n";
    let other = uri("chart/templates/b.yaml");
    client.open(&other, 1, begun).await;
    let position = json!({ "textDocument": { "uri": other }, "position": { "line": 7, "character": 2 } });
    let list = client.request("textDocument/completion", position).await;
    let items = list["items"].as_array().expect("a list").iter();
    let labels: Vec<_> = items.map(|it| it["label"].as_str().expect("a label")).collect();
    assert!(labels.contains(&"size") && !labels.contains(&"items"), "{labels:?}");
    let mut rename = at(&uri("crd.yaml"), &crd, crd.find("color: {type").expect("a property"));
    rename["newName"] = json!("tint");
    client
        .change(
            &template_uri,
            2,
            &[([17, 4, 17, 7], "color: red"), ([11, 2, 11, 5], "size: 2")],
        )
        .await;
    client.open(&uri("crd.yaml"), 1, &crd).await;
    let found = client.request("textDocument/rename", rename).await;
    let edits = &found["changes"][&template_uri];
    assert_eq!(edits.as_array().map(Vec::len), Some(1), "{found}");
    assert_eq!(edits[0]["newText"], "tint");
    assert_eq!(edits[0]["range"]["start"], json!({ "line": 17, "character": 4 }));
    client.finish_with_lists().await;
}

#[tokio::test]
async fn an_unfinished_action_hides_no_errors() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |path: &str, text: &str| write(folder.path(), path, text);
    let template = TEMPLATE.replace("{{- include \"spec\" . | nindent 2 }}", "size: a");
    write("crd.yaml", CRD);
    write("chart/Chart.yaml", "name: chart\n");
    write("chart/templates/a.yaml", &template);
    let uri = |path: &str| format!("file://{}", folder.path().join(path).display());
    let params = json!({ "capabilities": pushed(), "workspaceFolders": [{ "uri": uri(""), "name": "it" }] });
    let mut client = Client::start_with(params).await;
    let uri = uri("chart/templates/a.yaml");
    client.open(&uri, 1, &template).await;
    let list = client.published_when(&uri, |it| !it.is_empty()).await;
    assert_eq!(told(&list), [("wrong-type", 5, vec![])]);
    client.change(&uri, 2, &[([3, 9, 3, 9], " # {{ .Values.a")]).await;
    let list = client.published(&uri, 2).await;
    assert_eq!(told(&list), [("wrong-type", 5, vec![])]);
    let list = client.published_when(&uri, |it| told(it)[0].0 == "helm-failure").await;
    assert_eq!(told(&list), [("helm-failure", 4, vec![]), ("wrong-type", 5, vec![])]);
    client.finish_with_lists().await;
}
