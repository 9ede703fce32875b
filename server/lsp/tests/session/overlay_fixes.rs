//! Quick fixes for files that kustomizations build.

use serde_json::json;

use crate::{
    client::{list, pushed},
    overlays::{Editor, HEAD, NAMES_BASE, folder},
};

#[tokio::test]
async fn wrong_names_in_overlays_have_fixes() {
    let kustomization = "resources: [../base]\npatches:\n- target: {kind: Widget}\n  path: patch.yaml\n- target: {kind: Widget}\n  patch: |-\n    - op: add\n      path: /spec/sice\n      value: 4\n";
    let patch = "- {op: add, path: /spec/size, value: 3}\n- {op: add, path: /spec/colour, value: red}\n";
    let of_other = HEAD.replace("name: a", "name: \"aa\"");
    let tree = folder(&[
        ("prod/kustomization.yaml", kustomization),
        ("prod/patch.yaml", patch),
        ("test/kustomization.yaml", NAMES_BASE),
        ("test/patch.yaml", &of_other),
        ("stage/kustomization.yaml", "resorces: [../base]\n"),
    ]);
    let mut capabilities = pushed();
    capabilities["textDocument"]["codeAction"] =
        json!({ "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["quickfix"] } } });
    let mut editor = Editor::start(capabilities, tree).await;
    for (path, code, range, title) in [
        (
            "prod/patch.yaml",
            "unknown-field",
            [1, 24, 30],
            "Change colour to color",
        ),
        (
            "prod/kustomization.yaml",
            "unknown-field",
            [7, 18, 22],
            "Change sice to size",
        ),
        ("test/patch.yaml", "kustomize-failure", [3, 8, 12], "Change aa to a"),
        (
            "stage/kustomization.yaml",
            "kustomize-failure",
            [0, 0, 8],
            "Change resorces to resources",
        ),
    ] {
        editor.open(path).await;
        let found = editor.until(path, 1, &[(code, range[0])]).await;
        let [line, start, end] = range;
        let expected = json!({
            "start": { "line": line, "character": start },
            "end": { "line": line, "character": end },
        });
        assert_eq!(found[0]["range"], expected);
        let params = json!({
            "textDocument": { "uri": editor.uri(path) }, "range": expected, "context": { "diagnostics": [] },
        });
        let actions = list(editor.client.request("textDocument/codeAction", params).await);
        let first = actions.first().expect("a fix");
        assert_eq!(first["title"], title);
        assert_eq!(first["edit"].to_string().matches("newText").count(), 1);
    }
    editor.client.finish_with_lists().await;
}
