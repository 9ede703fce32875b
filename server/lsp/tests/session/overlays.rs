//! Files that kustomizations and Flux build: the server shows the diagnostics of the built objects.

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, list, pulling, pushed};

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
          spec: {type: object, required: [size], properties: {size: {type: integer}, color: {type: string}}}
";

pub(crate) const HEAD: &str = "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: a\nspec:\n";
const BASE: &str = "  color: red\n";
pub(crate) const NAMES_BASE: &str = "resources: [../base]\npatches: [path: patch.yaml]\n";

/// Creates a folder with a CRD, a base without a required field, and the given files.
pub(crate) fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let base = format!("{HEAD}{BASE}");
    let all = [
        ("crd.yaml", CRD),
        ("base/kustomization.yaml", "resources: [widget.yaml]\n"),
        ("base/widget.yaml", base.as_str()),
    ];
    for (path, text) in all.iter().chain(files) {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("written");
    }
    folder
}

fn uri(folder: &Path, path: &str) -> String {
    format!("file://{}", folder.join(path).display())
}

/// A session in a folder.
pub(crate) struct Editor {
    pub(crate) client: Client,
    folder: TempDir,
}

impl Editor {
    pub(crate) async fn start(capabilities: Value, folder: TempDir) -> Self {
        let folders = json!([{ "uri": uri(folder.path(), ""), "name": "it" }]);
        let params = json!({ "capabilities": capabilities, "workspaceFolders": folders });
        let client = Client::start_with(params).await;
        Self { client, folder }
    }

    pub(crate) fn uri(&self, path: &str) -> String {
        uri(self.folder.path(), path)
    }

    pub(crate) async fn open(&mut self, path: &str) {
        let text = std::fs::read_to_string(self.folder.path().join(path)).expect("a file");
        self.client.open(&self.uri(path), 1, &text).await;
    }

    /// Reads the lists for a version of a file until one has exactly these codes and lines.
    pub(crate) async fn until(&mut self, path: &str, version: i32, expected: &[(&str, u64)]) -> Vec<Value> {
        loop {
            let list = self.client.published(&self.uri(path), version).await;
            if codes(&list) == expected {
                return list;
            }
        }
    }

    /// The lists for a file that arrived later and have not been read. Call it once another document is known to be analyzed.
    pub(crate) fn others(&mut self, path: &str) -> Vec<Vec<Value>> {
        let uri = self.uri(path);
        let lists = self.client.waiting("textDocument/publishDiagnostics");
        let of_file = lists.into_iter().filter(|it| it["uri"] == uri);
        of_file.map(|mut it| list(it["diagnostics"].take())).collect()
    }
}

/// The code and the line of each diagnostic.
pub(crate) fn codes(list: &[Value]) -> Vec<(&str, u64)> {
    let code = |it: &'_ Value| it["range"]["start"]["line"].as_u64().expect("a line");
    list.iter()
        .map(|it| (it["code"].as_str().expect("a code"), code(it)))
        .collect()
}

#[tokio::test]
async fn what_a_patch_adds_is_not_missing() {
    let patch = format!("{HEAD}  size: 3\n");
    let tree = folder(&[
        ("prod/kustomization.yaml", NAMES_BASE),
        ("prod/patch.yaml", &patch),
        ("alone.yaml", &format!("{HEAD}{BASE}")),
    ]);
    let mut editor = Editor::start(pushed(), tree).await;
    // A file outside any kustomization is checked as written. Its diagnostics show that the workspace has been scanned.
    editor.open("alone.yaml").await;
    editor.until("alone.yaml", 1, &[("missing-property", 4)]).await;
    editor.open("base/widget.yaml").await;
    editor.until("base/widget.yaml", 1, &[]).await;
    // Typing a character must not show an error in between.
    let uri = editor.uri("base/widget.yaml");
    editor.client.change(&uri, 2, &[([5, 12, 5, 12], "d")]).await;
    editor.until("base/widget.yaml", 2, &[]).await;
    editor.client.change(&uri, 3, &[([5, 9, 5, 13], "[]")]).await;
    editor.until("base/widget.yaml", 3, &[("wrong-type", 5)]).await;
    let seen = editor.others("base/widget.yaml");
    assert!(seen.iter().all(Vec::is_empty), "{seen:?}");
    editor.client.finish_with_lists().await;
}

/// The first diagnostics after a keystroke have its errors, and lack the errors that it corrects. They do not wait for the next build.
#[tokio::test]
async fn an_error_is_shown_where_it_is_typed() {
    let patch = format!("{HEAD}  size: 3\n");
    let tree = folder(&[("prod/kustomization.yaml", NAMES_BASE), ("prod/patch.yaml", &patch)]);
    let mut editor = Editor::start(pushed(), tree).await;
    editor.open("prod/patch.yaml").await;
    editor.until("prod/patch.yaml", 1, &[]).await;
    editor.open("base/widget.yaml").await;
    editor.until("base/widget.yaml", 1, &[]).await;
    let uri = editor.uri("base/widget.yaml");
    for (version, text) in [(2, "[]"), (4, "{}")] {
        editor
            .client
            .change(
                &uri,
                version,
                &[([5, 9, 5, 9 + if version == 2 { 3 } else { 4 }], text)],
            )
            .await;
        let first = editor.client.published(&uri, version).await;
        assert_eq!(codes(&first), [("wrong-type", 5)]);
        editor
            .client
            .change(&uri, version + 1, &[([5, 9, 5, 11], "blue")])
            .await;
        let first = editor.client.published(&uri, version + 1).await;
        assert_eq!(codes(&first), []);
    }
    editor.client.finish_with_lists().await;
}

#[tokio::test]
async fn a_wrong_value_is_shown_in_the_patch() {
    let patch = format!("{HEAD}  size: big\n");
    let tree = folder(&[("prod/kustomization.yaml", NAMES_BASE), ("prod/patch.yaml", &patch)]);
    let mut editor = Editor::start(pushed(), tree).await;
    editor.open("base/widget.yaml").await;
    editor.open("prod/patch.yaml").await;
    let found = editor.until("prod/patch.yaml", 1, &[("wrong-type", 5)]).await;
    assert_eq!(found[0]["range"]["start"]["character"], 8);
    editor.until("base/widget.yaml", 1, &[]).await;
    editor.client.finish_with_lists().await;
}

#[tokio::test]
async fn unsaved_edits_of_a_patch_count_for_the_base() {
    let patch = format!("{HEAD}  size: 3\n");
    let tree = folder(&[("prod/kustomization.yaml", NAMES_BASE), ("prod/patch.yaml", &patch)]);
    let mut editor = Editor::start(pushed(), tree).await;
    editor.open("base/widget.yaml").await;
    editor.until("base/widget.yaml", 1, &[]).await;
    editor.open("prod/patch.yaml").await;
    let patch = editor.uri("prod/patch.yaml");
    editor.client.change(&patch, 2, &[([5, 2, 5, 9], "color: blue")]).await;
    let found = editor.until("base/widget.yaml", 1, &[("missing-property", 4)]).await;
    let said = found[0]["relatedInformation"].to_string();
    assert!(said.contains("kustomize builds it like this for `../prod`"), "{said}");
    editor.client.change(&patch, 3, &[([5, 2, 5, 13], "size: 4")]).await;
    editor.until("base/widget.yaml", 1, &[]).await;
    // Open a kustomization without the base.
    let kustomization = editor.uri("prod/kustomization.yaml");
    editor.client.open(&kustomization, 1, "resources: []\n").await;
    editor.until("base/widget.yaml", 1, &[("missing-property", 4)]).await;
    // When the kustomization is closed, the file on disk applies again.
    let closed = json!({ "textDocument": { "uri": kustomization } });
    editor.client.notify("textDocument/didClose", closed).await;
    editor.until("base/widget.yaml", 1, &[]).await;
    editor.client.finish_with_lists().await;
}

#[tokio::test]
async fn who_asks_for_diagnostics_is_told_to_ask_again() {
    let patch = format!("{HEAD}  size: 3\n");
    let tree = folder(&[("prod/kustomization.yaml", NAMES_BASE), ("prod/patch.yaml", &patch)]);
    let mut editor = Editor::start(pulling(), tree).await;
    editor.open("base/widget.yaml").await;
    editor.open("prod/patch.yaml").await;
    let (base, patch) = (editor.uri("base/widget.yaml"), editor.uri("prod/patch.yaml"));
    until_pulled(&mut editor.client, &base, &[]).await;
    editor.client.change(&patch, 2, &[([5, 2, 5, 9], "color: blue")]).await;
    until_pulled(&mut editor.client, &base, &[("missing-property", 4)]).await;
    editor.client.finish_with_lists().await;
}

async fn until_pulled(client: &mut Client, uri: &str, expected: &[(&str, u64)]) {
    loop {
        let found = list(client.pull(uri, None).await["items"].take());
        if codes(&found) == expected {
            return;
        }
        client.until_asked("workspace/diagnostic/refresh").await;
    }
}

#[tokio::test]
async fn a_new_crd_counts_for_what_is_built() {
    let patch = format!("{HEAD}  size: big\n");
    let tree = folder(&[("prod/kustomization.yaml", NAMES_BASE), ("prod/patch.yaml", &patch)]);
    let mut editor = Editor::start(pushed(), tree).await;
    editor.open("prod/patch.yaml").await;
    editor.until("prod/patch.yaml", 1, &[("wrong-type", 5)]).await;
    let crd = editor.uri("crd.yaml");
    let text = CRD.replace("size: {type: integer}", "size: {type: string}");
    editor.client.open(&crd, 1, &text).await;
    editor.until("prod/patch.yaml", 1, &[]).await;
    editor.client.finish_with_lists().await;
}

#[tokio::test]
async fn values_of_flux_count() {
    let flux = |size: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: apps}}\nspec: {{path: ./apps, postBuild: {{substitute: {{SIZE: {size}}}}}}}\n"
        )
    };
    let widget = format!("{HEAD}  size: ${{SIZE}}\n");
    let tree = folder(&[("clusters/apps.yaml", &flux("big")), ("apps/widget.yaml", &widget)]);
    let mut editor = Editor::start(pushed(), tree).await;
    editor.open("apps/widget.yaml").await;
    editor.until("apps/widget.yaml", 1, &[("wrong-type", 5)]).await;
    let kustomization = editor.uri("clusters/apps.yaml");
    editor.client.open(&kustomization, 1, &flux("\"3\"")).await;
    editor.until("apps/widget.yaml", 1, &[]).await;
    editor.client.finish_with_lists().await;
}

#[tokio::test]
async fn a_variable_that_flux_does_not_know_is_an_error() {
    let flux = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps, namespace: flux-system}\nspec: {path: ./apps, sourceRef: {kind: GitRepository, name: flux-system}, postBuild: {substitute: {SIZE: \"3\"}}}\n";
    let widget = |name: &str| format!("{HEAD}  size: ${{{name}}}\n");
    let tree = folder(&[("clusters/apps.yaml", flux), ("apps/widget.yaml", &widget("SIZE"))]);
    let mut editor = Editor::start(pushed(), tree).await;
    editor.open("apps/widget.yaml").await;
    editor.until("apps/widget.yaml", 1, &[]).await;
    let uri = editor.uri("apps/widget.yaml");
    editor.client.change(&uri, 2, &[([5, 14, 5, 14], "S")]).await;
    editor.until("apps/widget.yaml", 2, &[("kustomize-failure", 5)]).await;
    editor.client.finish_with_lists().await;
}

#[tokio::test]
async fn nothing_outside_of_the_workspace_is_read() {
    let patch = format!("{HEAD}  size: big\n");
    let tree = folder(&[("prod/kustomization.yaml", NAMES_BASE), ("prod/patch.yaml", &patch)]);
    std::fs::write(tree.path().join("prod/crd.yaml"), CRD).expect("written");
    let folders = json!([{ "uri": uri(tree.path(), "prod"), "name": "it" }]);
    let params = json!({ "capabilities": pushed(), "workspaceFolders": folders });
    let client = Client::start_with(params).await;
    let mut editor = Editor { client, folder: tree };
    // The base is outside the workspace, so the kustomization is not built, and the patch is checked as written.
    editor.open("prod/kustomization.yaml").await;
    let found = editor
        .until("prod/kustomization.yaml", 1, &[("kustomize-not-built", 0)])
        .await;
    assert!(
        found[0]["message"]
            .as_str()
            .expect("a text")
            .contains("`../base` is not read: it is not in the repository"),
        "{found:?}"
    );
    editor.open("prod/patch.yaml").await;
    editor.until("prod/patch.yaml", 1, &[("wrong-type", 5)]).await;
    editor.client.finish_with_lists().await;
}

#[tokio::test]
async fn patches_of_flux_count() {
    let flux = |size: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: apps}}\nspec:\n  path: ./apps\n  patches:\n  - target: {{kind: Widget}}\n    patch: |\n      - {{op: add, path: /spec/size, value: {size}}}\n"
        )
    };
    let widget = format!("{HEAD}{BASE}");
    let tree = folder(&[("clusters/apps.yaml", &flux("3")), ("apps/widget.yaml", &widget)]);
    let mut editor = Editor::start(pushed(), tree).await;
    editor.open("apps/widget.yaml").await;
    editor.until("apps/widget.yaml", 1, &[]).await;
    let kustomization = editor.uri("clusters/apps.yaml");
    editor.client.open(&kustomization, 1, &flux("big")).await;
    editor.until("clusters/apps.yaml", 1, &[("wrong-type", 8)]).await;
    editor.client.change(&kustomization, 2, &[([5, 0, 9, 0], "")]).await;
    editor.until("apps/widget.yaml", 1, &[("missing-property", 4)]).await;
    editor.client.finish_with_lists().await;
}

#[tokio::test]
async fn a_patched_crd_counts_for_what_is_built_with_it() {
    let names =
        "resources: [../base, ../crd.yaml]\npatches:\n- {path: patch.yaml, target: {kind: CustomResourceDefinition}}\n";
    let patch = "- op: add\n  path: /spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/color/maxLength\n  value: 2\n";
    let widget = format!("{HEAD}{BASE}  size: 3\n");
    let tree = folder(&[
        ("prod/kustomization.yaml", names),
        ("prod/patch.yaml", patch),
        ("base/widget.yaml", &widget),
    ]);
    let mut editor = Editor::start(pushed(), tree).await;
    editor.open("base/widget.yaml").await;
    let found = editor.until("base/widget.yaml", 1, &[("string-too-long", 5)]).await;
    let decides = &found[0]["relatedInformation"][1]["location"];
    assert_eq!(decides["uri"], editor.uri("prod/patch.yaml"), "{found:?}");
    assert_eq!(decides["range"]["start"]["line"], 2, "{found:?}");
    // The unsaved text of an open patch is used as well.
    editor.open("prod/patch.yaml").await;
    let uri = editor.uri("prod/patch.yaml");
    editor.client.change(&uri, 2, &[([2, 9, 2, 10], "3")]).await;
    editor.until("base/widget.yaml", 1, &[]).await;
    editor.client.finish_with_lists().await;
}

#[tokio::test]
async fn a_crd_as_it_is_built_checks_resources_elsewhere() {
    const ADDS: &str =
        "- {op: add, path: /spec/versions/0/schema/openAPIV3Schema/properties/extra, value: {type: integer}}";
    let kustomization = format!(
        "resources: [../crd.yaml]\npatches:\n- target: {{kind: CustomResourceDefinition}}\n  patch: |\n    {ADDS}\n"
    );
    let widget = format!("{HEAD}  size: 3\nextra: much\n");
    let tree = folder(&[
        ("crd/kustomization.yaml", &kustomization),
        ("elsewhere/widget.yaml", &widget),
    ]);
    let mut editor = Editor::start(pushed(), tree).await;
    editor.open("elsewhere/widget.yaml").await;
    let found = editor.until("elsewhere/widget.yaml", 1, &[("wrong-type", 6)]).await;
    let place_in = |found: &[Value]| {
        let places = found[0]["relatedInformation"].as_array().expect("a list");
        let mut places = places.iter();
        let is_set = |it: &&Value| it["message"].as_str().is_some_and(|it| it.contains("is set here"));
        places.find(is_set).unwrap_or_else(|| panic!("{found:?}")).clone()
    };
    let place = place_in(&found);
    assert_eq!(place["location"]["uri"], editor.uri("crd/kustomization.yaml"));
    assert_eq!(place["message"], "`type` is set here, as kustomize builds it in `crd`");
    // Without the patch, the field is unknown. With the patch, the type from the patch applies.
    let uri = editor.uri("crd/kustomization.yaml");
    editor.client.open(&uri, 1, "resources: [../crd.yaml]\n").await;
    editor.until("elsewhere/widget.yaml", 1, &[("unknown-field", 6)]).await;
    editor
        .client
        .change(
            &uri,
            2,
            &[([1, 0, 1, 0], kustomization.split_once('\n').expect("lines").1)],
        )
        .await;
    let found = editor.until("elsewhere/widget.yaml", 1, &[("wrong-type", 6)]).await;
    let line = |found: &[Value]| place_in(found)["location"]["range"]["start"]["line"].as_u64();
    assert_eq!(line(&found), Some(4));
    // The built CRD is the same, but the location of its patch has moved.
    editor.client.change(&uri, 3, &[([0, 0, 0, 0], "# A comment.\n")]).await;
    let found = editor.until("elsewhere/widget.yaml", 1, &[("wrong-type", 6)]).await;
    assert_eq!(line(&found), Some(5));
    editor.client.finish_with_lists().await;
}

/// A folder with a CRD that has a rule about two fields, and a base that satisfies the rule.
fn ruled(files: &[(&str, &str)]) -> TempDir {
    let rule = "x-kubernetes-validations: [{rule: self.size < 10}], type: object, required: [size]";
    let crd = CRD.replace("type: object, required: [size]", rule);
    let base = format!("{HEAD}  size: 5\n{BASE}");
    let mut all = vec![("crd.yaml", crd.as_str()), ("base/widget.yaml", base.as_str())];
    all.extend(files);
    folder(&all)
}

#[tokio::test]
async fn one_mistake_of_several_overlays_is_one_diagnostic() {
    let patch = format!("{HEAD}  color: blue\n");
    let wrong = format!("{HEAD}  size: big\n");
    let tree = folder(&[
        ("base/widget.yaml", &wrong),
        // One kustomization uses the base unchanged, and two change it.
        ("plain/kustomization.yaml", "resources: [../base]\n"),
        ("prod/kustomization.yaml", NAMES_BASE),
        ("prod/patch.yaml", &patch),
        ("staging/kustomization.yaml", NAMES_BASE),
        ("staging/patch.yaml", &patch),
    ]);
    let mut editor = Editor::start(pushed(), tree).await;
    editor.open("prod/patch.yaml").await;
    editor.open("staging/patch.yaml").await;
    editor.open("base/widget.yaml").await;
    editor.until("base/widget.yaml", 1, &[("wrong-type", 5)]).await;
    for patch in ["prod/patch.yaml", "staging/patch.yaml"] {
        editor.until(patch, 1, &[]).await;
    }
    editor.client.finish_with_lists().await;
}

#[tokio::test]
async fn a_patch_is_marked_while_its_base_is_closed() {
    let patch = format!("{HEAD}  color: blue\n  size: 15\n");
    let removes = format!("{HEAD}  size: null\n");
    let tree = ruled(&[
        ("prod/kustomization.yaml", NAMES_BASE),
        ("prod/patch.yaml", &patch),
        ("staging/kustomization.yaml", NAMES_BASE),
        ("staging/patch.yaml", &removes),
    ]);
    let mut editor = Editor::start(pushed(), tree).await;
    editor.open("prod/patch.yaml").await;
    let found = editor.until("prod/patch.yaml", 1, &[("rule-failed", 6)]).await;
    assert_eq!(found[0]["range"]["start"]["character"], 8);
    editor.open("staging/patch.yaml").await;
    editor.until("staging/patch.yaml", 1, &[("missing-property", 5)]).await;
    // Typing in the patch changes the result.
    let uri = editor.uri("prod/patch.yaml");
    editor.client.change(&uri, 2, &[([6, 8, 6, 10], "9")]).await;
    editor.until("prod/patch.yaml", 2, &[]).await;
    editor.client.change(&uri, 3, &[([6, 8, 6, 9], "10")]).await;
    editor.until("prod/patch.yaml", 3, &[("rule-failed", 6)]).await;
    editor.client.finish_with_lists().await;
}

#[tokio::test]
async fn a_base_is_not_marked_while_its_patch_is_closed() {
    let patch = format!("{HEAD}  size: 15\n");
    let tree = ruled(&[
        ("prod/kustomization.yaml", NAMES_BASE),
        ("prod/patch.yaml", &patch),
        ("alone.yaml", &format!("{HEAD}  size: 15\n")),
    ]);
    let mut editor = Editor::start(pushed(), tree).await;
    editor.open("alone.yaml").await;
    editor.until("alone.yaml", 1, &[("rule-failed", 4)]).await;
    editor.open("base/widget.yaml").await;
    editor.until("base/widget.yaml", 1, &[]).await;
    // After a change of the base, the patch is still wrong. It gets its diagnostic when it is opened.
    let uri = editor.uri("base/widget.yaml");
    editor.client.change(&uri, 2, &[([5, 8, 5, 9], "6")]).await;
    editor.until("base/widget.yaml", 2, &[]).await;
    editor.open("prod/patch.yaml").await;
    editor.until("prod/patch.yaml", 1, &[("rule-failed", 5)]).await;
    let seen = editor.others("base/widget.yaml");
    assert!(seen.iter().all(Vec::is_empty), "{seen:?}");
    editor.client.finish_with_lists().await;
}

/// The API server stores the result of an overlay. A patch alone is not an object, and each overlay builds a different object.
#[tokio::test]
async fn the_effective_object_is_what_an_overlay_builds() {
    let crd = CRD.replace(
        "size: {type: integer}",
        "size: {type: integer}, least: {type: integer, default: 1}",
    );
    let patch = |size: u32| format!("{HEAD}  size: {size}\n");
    let base = format!("{HEAD}  color: red\n  least: 2\n");
    let tree = folder(&[
        ("crd.yaml", &crd),
        ("base/widget.yaml", &base),
        ("prod/kustomization.yaml", NAMES_BASE),
        ("prod/patch.yaml", &patch(3)),
        ("staging/kustomization.yaml", NAMES_BASE),
        ("staging/patch.yaml", &patch(5)),
        ("alone.yaml", &format!("{HEAD}  color: blue\n")),
    ]);
    let mut editor = Editor::start(pushed(), tree).await;
    editor.open("alone.yaml").await;
    editor.until("alone.yaml", 1, &[("missing-property", 4)]).await;
    editor.open("base/widget.yaml").await;
    editor.open("prod/patch.yaml").await;
    editor.until("base/widget.yaml", 1, &[]).await;
    editor.until("prod/patch.yaml", 1, &[]).await;
    let text = |size: u32, file: &str| format!("{HEAD}  color: red\n  least: 2\n  size: {size}  # {file}\n");
    let ask = async |editor: &mut Editor, path: &str, overlay: Value| {
        let params = json!({ "textDocument": { "uri": editor.uri(path) }, "overlay": overlay });
        editor.client.request("crd-analyzer/effectiveObject", params).await
    };
    // The built object has the fields that the base sets.
    let found = ask(&mut editor, "prod/patch.yaml", Value::Null).await;
    assert_eq!(found["text"], text(3, "prod/patch.yaml"));
    assert_eq!((&found["overlay"], &found["overlays"]), (&json!("."), &json!(["."])));
    let place = &found["places"][0];
    assert_eq!(place["location"]["uri"], editor.uri("prod/patch.yaml"));
    assert_eq!(
        place["location"]["range"]["start"],
        json!({ "line": 5, "character": 8 })
    );
    // For the base, the user can choose an overlay.
    let found = ask(&mut editor, "base/widget.yaml", Value::Null).await;
    assert_eq!(found["overlays"], json!(["../prod", "../staging", "as written"]));
    assert_eq!(found["text"], text(3, "prod/patch.yaml"));
    let found = ask(&mut editor, "base/widget.yaml", json!("../staging")).await;
    assert_eq!(found["text"], text(5, "staging/patch.yaml"));
    let found = ask(&mut editor, "base/widget.yaml", json!("as written")).await;
    assert_eq!((&found["text"], &found["overlay"]), (&json!(base), &Value::Null));
    // Unsaved edits of the patch are included.
    let patch = editor.uri("prod/patch.yaml");
    editor.client.change(&patch, 2, &[([5, 8, 5, 9], "4")]).await;
    let found = ask(&mut editor, "base/widget.yaml", json!("../prod")).await;
    assert_eq!(found["text"], text(4, "prod/patch.yaml"));
    // If nothing builds a file, the user has no overlays to choose from.
    let found = ask(&mut editor, "alone.yaml", Value::Null).await;
    assert_eq!((&found["overlay"], &found["overlays"]), (&Value::Null, &json!([])));
    editor.client.finish_with_lists().await;
}

/// In a base, the hover of a value names the overlays that change it, and where.
#[tokio::test]
async fn the_hover_of_a_base_names_the_overlays_that_change_a_value() {
    let base = "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: a\nspec:\n  color: red\n  size: 2\n  hosts:\n  - name: x\n    port: 1\n  - \
                name: y\n    port: 2\n";
    let tree = folder(&[
        ("base/widget.yaml", base),
        ("prod/kustomization.yaml", NAMES_BASE),
        ("prod/patch.yaml", &format!("{HEAD}  color: null\n  size: 3\n")),
        (
            "dev/kustomization.yaml",
            "resources: [../base]\nnamePrefix: dev-\npatches:\n- target: {kind: Widget}\n  patch: |\n    - {op: remove, path: /spec/hosts/0}\n    \
             - {op: replace, path: /spec/hosts/0/port, value: 5}\n",
        ),
        ("same/kustomization.yaml", NAMES_BASE),
        ("same/patch.yaml", &format!("{HEAD}  color: red\n  other: 1\n")),
    ]);
    let mut capabilities = pushed();
    capabilities["textDocument"]["hover"] = json!({ "contentFormat": ["plaintext"] });
    let mut editor = Editor::start(capabilities, tree).await;
    editor.open("base/widget.yaml").await;
    let mut hover = async |line: u32, character: u32| {
        let params = json!({
            "textDocument": { "uri": editor.uri("base/widget.yaml") },
            "position": { "line": line, "character": character },
        });
        let answer = editor.client.request("textDocument/hover", params).await;
        let text = answer["contents"]["value"].as_str().unwrap_or_default().to_owned();
        let of_overlays = text.split("Overlays change this value:").nth(1);
        of_overlays.map(|it| it.trim().to_owned()).unwrap_or_default()
    };
    let prefix = "- ../dev: dev-a, by dev/kustomization.yaml:2";
    assert_eq!(hover(3, 9).await, prefix, "the name of the object");
    assert_eq!(hover(5, 10).await, "- ../prod: removed, by prod/patch.yaml:6");
    assert_eq!(hover(6, 3).await, "- ../prod: 3, by prod/patch.yaml:7");
    // The item has another index in the built list.
    assert_eq!(hover(11, 11).await, "- ../dev: 5, by dev/kustomization.yaml:7");
    assert_eq!(hover(9, 11).await, "- ../dev: removed, by dev/kustomization.yaml:6");
    assert_eq!(hover(10, 11).await, "", "no overlay changes it");
    let hosts = hover(7, 3).await;
    assert_eq!(hosts, "- ../dev: other content, by dev/kustomization.yaml:7");
    editor.client.finish_with_lists().await;
}
