//! Files of kustomizations that are not YAML while the user types.

use serde_json::Value;

use crate::{
    client::pushed,
    overlays::{Editor, HEAD, codes, folder},
};

/// The lists for a file that arrive after an edit: until one has this code, and in the time after it.
async fn lists_after(editor: &mut Editor, path: &str, edit: ([u64; 4], &str), code: &str) -> Vec<Vec<Value>> {
    let uri = editor.uri(path);
    editor.client.change(&uri, 2, &[edit]).await;
    let mut all: Vec<Vec<Value>> = Vec::new();
    while !all.last().is_some_and(|it| codes(it).iter().any(|it| it.0 == code)) {
        all.push(editor.client.published(&uri, 2).await);
    }
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    editor.open("crd.yaml").await;
    editor.until("crd.yaml", 1, &[]).await;
    all.extend(editor.others(path));
    all
}

#[tokio::test]
async fn a_text_that_is_not_yaml_is_one_error_after_a_pause() {
    let text = format!("{HEAD}  size: 3\n");
    for (edit, line) in [
        // `name: a: b`, and an item beside fields.
        (([3, 9, 3, 9], ": b"), 3),
        (([3, 0, 3, 0], "- x\n"), 4),
        (([5, 9, 5, 9], ": b"), 5),
    ] {
        let tree = folder(&[]);
        std::fs::write(tree.path().join("base/widget.yaml"), &text).expect("written");
        let mut editor = Editor::start(pushed(), tree).await;
        editor.open("base/widget.yaml").await;
        editor.until("base/widget.yaml", 1, &[]).await;
        let lists = lists_after(&mut editor, "base/widget.yaml", edit, "invalid-yaml").await;
        let (last, before) = lists.split_last().expect("a list");
        assert_eq!(codes(last), [("invalid-yaml", line)], "{lists:#?}");
        let is_right = |it: &Vec<Value>| it.is_empty() || codes(it) == codes(last);
        assert!(before.iter().all(is_right), "{lists:#?}");
        assert!(lists[0].is_empty(), "{lists:#?}");
        editor.client.finish_with_lists().await;
    }
}
