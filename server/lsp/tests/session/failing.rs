//! The number of workspace objects that fail a constraint of a CRD while somebody edits the CRD.

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, list, pushed};

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
        required: [size]
        x-kubernetes-validations:
        - rule: self.size != 7
        properties:
          size: {type: integer, maximum: 100}
          mode: {type: string, enum: [a, b]}
";

/// The lines that the tests edit.
const REQUIRED: u64 = 14;
const RULE: u64 = 16;
const SIZE: u64 = 18;
const MODE: u64 = 19;

fn widget(name: &str, size: &str) -> String {
    format!("apiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: {name}}}\nsize: {size}\nmode: a\n")
}

fn uri(folder: &Path, path: &str) -> String {
    format!("file://{}", folder.join(path).display())
}

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    std::fs::write(path, text).expect("written");
}

/// Starts a session in a folder with these files, and opens the CRD.
async fn open(files: &[(&str, &str)], is_list_shown: bool) -> (Client, TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join(".git")).expect("a folder");
    write(folder.path(), "crd.yaml", CRD);
    for (path, text) in files {
        write(folder.path(), path, text);
    }
    let mut capabilities = pushed();
    capabilities["textDocument"]["codeLens"] = json!({});
    capabilities["workspace"]["codeLens"] = json!({ "refreshSupport": true });
    capabilities["window"]["showDocument"] = json!({ "support": true });
    let folders = json!([{ "uri": uri(folder.path(), ""), "name": "it" }]);
    let options = json!({ "client": { "showFailingObjects": is_list_shown } });
    let params = json!({ "capabilities": capabilities, "workspaceFolders": folders, "initializationOptions": options });
    let mut client = Client::start_with(params).await;
    let crd = uri(folder.path(), "crd.yaml");
    client.open(&crd, 1, CRD).await;
    (client, folder, crd)
}

/// Waits until the lenses that are not about costs have the expected lines and titles.
async fn lenses(client: &mut Client, crd: &str, expected: &[(u64, &str)]) -> Vec<Value> {
    let expected: Vec<(u64, String)> = expected.iter().map(|it| (it.0, it.1.to_owned())).collect();
    loop {
        let params = json!({ "textDocument": { "uri": crd } });
        let found = client.request("textDocument/codeLens", params).await;
        let found = found.as_array().cloned().unwrap_or_default();
        let title = |it: &Value| it["command"]["title"].as_str().unwrap_or_default().to_owned();
        let about_objects: Vec<Value> = found.into_iter().filter(|it| title(it).contains("workspace")).collect();
        let line = |it: &Value| it["range"]["start"]["line"].as_u64().unwrap_or_default();
        let lines: Vec<_> = about_objects.iter().map(|it| (line(it), title(it))).collect();
        if lines == expected {
            return about_objects;
        }
        client.until_asked("workspace/codeLens/refresh").await;
    }
}

async fn run(client: &mut Client, command: &str, lens: &Value) -> Value {
    let click = json!({ "command": command, "arguments": lens["command"]["arguments"] });
    client.request("workspace/executeCommand", click).await
}

#[tokio::test]
async fn a_bound_that_is_edited_says_which_objects_fail_it() {
    let (one, two, three) = (widget("one", "3"), widget("two", "30"), widget("three", "30"));
    let both = format!("{two}---\n{three}");
    let files = [("config/one.yaml", one.as_str()), ("config/both.yaml", &both)];
    let (mut client, folder, crd) = open(&files, true).await;
    client.change(&crd, 2, &[([SIZE, 41, SIZE, 44], "10")]).await;
    let expected = [(SIZE, "2 of 3 objects in the workspace fail `maximum`")];
    let found = lenses(&mut client, &crd, &expected).await;
    assert_eq!(found[0]["command"]["command"], "crd-analyzer.showFailingObjects");
    let places = list(run(&mut client, "crd-analyzer.failingObjects", &found[0]).await);
    let size = |line: u64| {
        let range = json!({ "start": { "line": line, "character": 6 }, "end": { "line": line, "character": 8 } });
        json!({ "uri": uri(folder.path(), "config/both.yaml"), "range": range })
    };
    assert_eq!(places, [size(3), size(9)]);
    // For an open object, the text in the editor applies.
    let other = uri(folder.path(), "config/both.yaml");
    client.open(&other, 1, &both).await;
    client
        .change(&other, 2, &[([3, 6, 3, 8], "5"), ([9, 6, 9, 8], "6")])
        .await;
    let expected = [(SIZE, "all 3 objects in the workspace pass `maximum`")];
    lenses(&mut client, &crd, &expected).await;
    // A constraint that was not edited has no lens.
    client.change(&crd, 3, &[([SIZE, 41, SIZE, 43], "100")]).await;
    lenses(&mut client, &crd, &[]).await;
    client.finish_with_lists().await;
}

#[tokio::test]
async fn rules_enums_and_required_fields_are_counted_too() {
    let (one, two) = (widget("one", "7"), widget("two", "8"));
    let (mut client, _folder, crd) = open(&[("one.yaml", &one), ("two.yaml", &two)], false).await;
    // One object fails the rule, even though nothing has been edited.
    let fails = "1 of 2 objects in the workspace fails this rule";
    let found = lenses(&mut client, &crd, &[(RULE, fails)]).await;
    // For a client that cannot list objects, a click opens the first one.
    run(&mut client, "crd-analyzer.showChange", &found[0]).await;
    let shown = client.until_asked("window/showDocument").await;
    assert!(
        shown["uri"].as_str().is_some_and(|it| it.ends_with("/one.yaml")),
        "{shown}"
    );
    assert_eq!(shown["selection"]["start"], json!({ "line": 0, "character": 0 }));
    let edits = [
        ([MODE, 38, MODE, 39], "c"),
        ([RULE, 29, RULE, 30], "9"),
        ([REQUIRED, 19, REQUIRED, 23], "size, more"),
    ];
    client.change(&crd, 2, &edits).await;
    let expected = [
        (REQUIRED, "2 of 2 objects in the workspace fail `required`"),
        (RULE, "all 2 objects in the workspace pass this rule"),
        (MODE, "2 of 2 objects in the workspace fail `enum`"),
    ];
    lenses(&mut client, &crd, &expected).await;
    // While the rule has an error, it has no lens.
    client.change(&crd, 3, &[([RULE, 21, RULE, 25], "sizes")]).await;
    lenses(&mut client, &crd, &[expected[0], expected[2]]).await;
    // The same while the rule is right, but the type of what it reads is not.
    let broken = [([RULE, 21, RULE, 26], "size"), ([SIZE, 23, SIZE, 30], "int")];
    client.change(&crd, 4, &broken).await;
    lenses(&mut client, &crd, &[expected[0], expected[2]]).await;
    client.finish_with_lists().await;
}

#[tokio::test]
async fn objects_that_are_wrong_on_purpose_make_no_noise() {
    let (right, wrong) = (widget("right", "3"), widget("wrong", "300"));
    let files = [("a.yaml", right.as_str()), ("tests/invalid/b.yaml", &wrong)];
    let (mut client, _folder, crd) = open(&files, true).await;
    client.change(&crd, 2, &[([MODE, 38, MODE, 39], "c, a")]).await;
    let passed = (MODE, "all 2 objects in the workspace pass `enum`");
    lenses(&mut client, &crd, &[passed]).await;
    client.change(&crd, 3, &[([SIZE, 41, SIZE, 44], "2")]).await;
    let expected = (SIZE, "2 of 2 objects in the workspace fail `maximum` (1 in test data)");
    lenses(&mut client, &crd, &[expected, passed]).await;
    client.finish_with_lists().await;
}

#[tokio::test]
async fn objects_count_as_they_are_built() {
    let base = widget("one", "3");
    let patch = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: one}\nsize: 30\n";
    let files = [
        ("base/one.yaml", base.as_str()),
        ("base/kustomization.yaml", "resources: [one.yaml]\n"),
        ("prod/size.yaml", patch),
        (
            "prod/kustomization.yaml",
            "resources: [../base]\npatches: [{path: size.yaml}]\n",
        ),
    ];
    let (mut client, folder, crd) = open(&files, true).await;
    client.change(&crd, 2, &[([SIZE, 41, SIZE, 44], "10")]).await;
    let expected = [(SIZE, "1 of 2 objects in the workspace fails `maximum`")];
    let found = lenses(&mut client, &crd, &expected).await;
    let places = list(run(&mut client, "crd-analyzer.failingObjects", &found[0]).await);
    assert_eq!(places.len(), 1, "{places:?}");
    assert_eq!(places[0]["uri"], uri(folder.path(), "prod/size.yaml"));
    assert_eq!(places[0]["range"]["start"], json!({ "line": 3, "character": 6 }));
    client.finish_with_lists().await;
}

#[tokio::test]
async fn clients_without_lenses_see_a_hint() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "crd.yaml", CRD);
    write(folder.path(), "one.yaml", &widget("one", "3000"));
    let mut capabilities = pushed();
    capabilities["textDocument"]["inlayHint"] = json!({});
    capabilities["workspace"]["inlayHint"] = json!({ "refreshSupport": true });
    let folders = json!([{ "uri": uri(folder.path(), ""), "name": "it" }]);
    let params = json!({ "capabilities": capabilities, "workspaceFolders": folders });
    let mut client = Client::start_with(params).await;
    let crd = uri(folder.path(), "crd.yaml");
    client.open(&crd, 1, CRD).await;
    loop {
        let whole = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
        let params = json!({ "textDocument": { "uri": crd }, "range": whole });
        let hints = client.request("textDocument/inlayHint", params).await;
        let hints = hints.as_array().cloned().unwrap_or_default();
        let expected = json!("the only object in the workspace fails `maximum`");
        if let Some(hint) = hints.iter().find(|it| it["label"] == expected) {
            assert_eq!(hint["position"], json!({ "line": SIZE, "character": 45 }));
            break;
        }
        client.until_asked("workspace/inlayHint/refresh").await;
    }
    client.finish_with_lists().await;
}

/// A Go type with a limit at line 13.
const TYPES: &str = "\
package v1

import metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"

// +kubebuilder:object:root=true
type Widget struct {
	metav1.TypeMeta   `json:\",inline\"`
	metav1.ObjectMeta `json:\"metadata,omitempty\"`
	Spec WidgetSpec `json:\"spec,omitempty\"`
}

// +kubebuilder:validation:XValidation:rule=\"self.size != 7\"
type WidgetSpec struct {
	// +kubebuilder:validation:Maximum=100
	Size int64 `json:\"size\"`
}
";

/// The CRD that controller-gen generates from the type.
const GENERATED: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  annotations: {controller-gen.kubebuilder.io/version: v0.16.1}
  name: widgets.example.com
spec:
  group: example.com
  names: {kind: Widget, listKind: WidgetList, plural: widgets, singular: widget}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          apiVersion: {type: string}
          kind: {type: string}
          metadata: {type: object}
          spec:
            type: object
            required: [size]
            properties:
              size: {type: integer, format: int64, maximum: 100}
            x-kubernetes-validations:
            - rule: self.size != 7
";

#[tokio::test]
async fn limits_of_markers_are_counted_too() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join(".git")).expect("a folder");
    let widget = |name: &str, size: u64| {
        format!("apiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: {name}}}\nspec: {{size: {size}}}\n")
    };
    let files = [
        ("PROJECT", "domain: example.com\n".to_owned()),
        ("go.mod", "module example.com/it\n\ngo 1.22\n".to_owned()),
        (
            "api/v1/groupversion_info.go",
            "// +groupName=example.com\npackage v1\n".to_owned(),
        ),
        ("api/v1/widget_types.go", TYPES.to_owned()),
        ("config/crd/bases/example.com_widgets.yaml", GENERATED.to_owned()),
        ("config/one.yaml", widget("one", 3)),
        ("config/two.yaml", widget("two", 30)),
        ("config/seven.yaml", widget("seven", 7)),
    ];
    for (path, text) in &files {
        write(folder.path(), path, text);
    }
    let mut capabilities = pushed();
    capabilities["textDocument"]["codeLens"] = json!({});
    capabilities["workspace"]["codeLens"] = json!({ "refreshSupport": true });
    let folders = json!([{ "uri": uri(folder.path(), ""), "name": "it" }]);
    let options = json!({ "client": { "showFailingObjects": true } });
    let params = json!({ "capabilities": capabilities, "workspaceFolders": folders, "initializationOptions": options });
    let mut client = Client::start_with(params).await;
    let go = uri(folder.path(), "api/v1/widget_types.go");
    client.open(&go, 1, TYPES).await;
    // One object fails the rule before anything is edited.
    let rule = (11, "1 of 3 objects in the workspace fails this rule");
    lenses(&mut client, &go, &[rule]).await;
    client.change(&go, 2, &[([13, 36, 13, 39], "10")]).await;
    let found = lenses(
        &mut client,
        &go,
        &[rule, (13, "1 of 3 objects in the workspace fails `maximum`")],
    )
    .await;
    let places = list(run(&mut client, "crd-analyzer.failingObjects", &found[1]).await);
    assert_eq!(places.len(), 1, "{places:?}");
    assert_eq!(places[0]["uri"], uri(folder.path(), "config/two.yaml"));
    client.change(&go, 3, &[([13, 36, 13, 38], "50")]).await;
    lenses(
        &mut client,
        &go,
        &[rule, (13, "all 3 objects in the workspace pass `maximum`")],
    )
    .await;
    client.finish_with_lists().await;
}
