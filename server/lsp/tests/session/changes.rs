//! Lenses, diagnostics and fixes for changes of a CRD that break something since a revision.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    client::{Client, list, pulling, pushed},
    update::{repository_of, uri},
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
          size: {type: integer, maximum: 100} # units
          mode: {type: string, enum: [a, b]}
";

/// The lines of the two properties and of the version's name.
const SIZE: u64 = 15;
const MODE: u64 = 16;
const VERSION: u64 = 8;

/// The columns of `100`.
const BOUND: [u64; 4] = [SIZE, 41, SIZE, 44];

fn capabilities(mut base: Value) -> Value {
    base["textDocument"]["codeLens"] = json!({});
    base["workspace"]["codeLens"] = json!({ "refreshSupport": true });
    base["window"]["showDocument"] = json!({ "support": true });
    let kinds = json!({ "codeActionKind": { "valueSet": ["quickfix"] } });
    base["textDocument"]["codeAction"] = json!({ "codeActionLiteralSupport": kinds });
    base
}

async fn start(folder: &TempDir, settings: Value) -> (Client, String) {
    let mut client = Client::start_with(json!({
        "capabilities": capabilities(pushed()),
        "initializationOptions": settings,
    }))
    .await;
    let crd = uri(folder, "crd.yaml");
    client.open(&crd, 1, CRD).await;
    client.published(&crd, 1).await;
    (client, crd)
}

/// Waits for a list of diagnostics with `count` items for a version of the document.
async fn found(client: &mut Client, uri: &str, version: i32, count: usize) -> Vec<Value> {
    loop {
        let list = client.published(uri, version).await;
        if list.len() == count {
            return list;
        }
    }
}

async fn lenses(client: &mut Client, uri: &str) -> Vec<Value> {
    let params = json!({ "textDocument": { "uri": uri } });
    match client.request("textDocument/codeLens", params).await {
        Value::Null => Vec::new(),
        lenses => list(lenses),
    }
}

async fn fixes(client: &mut Client, uri: &str, line: u64, column: u64) -> Vec<Value> {
    let place = json!({ "line": line, "character": column });
    let params = json!({
        "textDocument": { "uri": uri },
        "range": { "start": place, "end": place },
        "context": { "diagnostics": [] },
    });
    list(client.request("textDocument/codeAction", params).await)
}

#[tokio::test]
async fn a_change_that_breaks_writers_is_marked_with_its_witness() {
    let folder = repository_of(&[("crd.yaml", CRD)]);
    let (mut client, crd) = start(&folder, Value::Null).await;
    client.change(&crd, 2, &[(BOUND, "10")]).await;
    let list = found(&mut client, &crd, 2, 1).await;
    assert_eq!(list[0]["code"], "breaking-change");
    assert_eq!(
        list[0]["severity"], 3,
        "that somebody has the revision is only supposed"
    );
    assert_eq!(
        list[0]["message"],
        "`maximum` changed from 100 to 10 at `size`: this breaks writers"
    );
    assert_eq!(list[0]["range"]["start"], json!({ "line": SIZE, "character": 41 }));
    let related = list[0]["relatedInformation"].as_array().expect("other places");
    let notes: Vec<&str> = related.iter().filter_map(|it| it["message"].as_str()).collect();
    assert!(notes[1].contains(r#"now rejects `{"size":99}`"#), "{notes:?}");
    assert_eq!(notes[2], "note: compared with HEAD");
    // The lens appears once the user stops typing.
    client.until_asked("workspace/codeLens/refresh").await;
    let lenses = lenses(&mut client, &crd).await;
    assert_eq!(lenses.len(), 1, "{lenses:?}");
    assert_eq!(lenses[0]["range"]["start"]["line"], VERSION);
    assert_eq!(lenses[0]["command"]["title"], "1 change since HEAD: 1 breaks writers");
    // A click shows the change.
    let command = lenses[0]["command"].clone();
    let click = json!({ "command": command["command"], "arguments": command["arguments"] });
    client.request("workspace/executeCommand", click).await;
    let shown = client.until_asked("window/showDocument").await;
    assert_eq!(shown["uri"], crd);
    assert_eq!(shown["selection"], list[0]["range"]);
    // A fix restores the limit, and changes nothing else.
    let fixes = fixes(&mut client, &crd, SIZE, 42).await;
    let titles: Vec<&str> = fixes.iter().filter_map(|it| it["title"].as_str()).collect();
    assert_eq!(titles[0], "Restore `maximum` to `100`", "{titles:?}");
    let edits = &fixes[0]["edit"]["changes"][&crd];
    let range = json!({
        "start": { "line": SIZE, "character": 41 }, "end": { "line": SIZE, "character": 43 },
    });
    assert_eq!(*edits, json!([{ "range": range, "newText": "100" }]));
    // The old text has no diagnostics.
    client.change(&crd, 3, &[([SIZE, 41, SIZE, 43], "100")]).await;
    found(&mut client, &crd, 3, 0).await;
    client.until_asked("workspace/codeLens/refresh").await;
    assert_eq!(self::lenses(&mut client, &crd).await, Vec::<Value>::new());
    client.finish_with_lists().await;
}

#[tokio::test]
async fn what_changed_is_named_and_errors_come_first() {
    let rule =
        |text: &str| format!("{{type: integer, x-kubernetes-validations: [{{message: too large, rule: '{text}'}}]}}");
    let with = |text: &str| CRD.replace("{type: integer, maximum: 100}", &rule(text));
    let folder = repository_of(&[("crd.yaml", &with("self < 5"))]);
    let (mut client, crd) = start(&folder, Value::Null).await;
    let mut version = 1;
    for (text, expected) in [
        (
            with("self < 4").replace("[a, b]", "[a]"),
            [
                "a validation rule was edited at `size`: this breaks writers",
                "`\"b\"` was removed from `enum` at `mode`: this breaks writers",
            ]
            .as_slice(),
        ),
        // The error is about the problem in the rule, not about the fact that the rule has changed.
        (
            with("self < maximum"),
            &["`maximum` is neither a variable nor a function"],
        ),
        (
            with("self < 5").replace("{type: string,", "{type: strng,"),
            &["`strng` is not a type, did you mean `string`?"],
        ),
    ] {
        version += 1;
        let document = json!({ "uri": crd, "version": version });
        let params = json!({ "textDocument": document, "contentChanges": [{ "text": text }] });
        client.notify("textDocument/didChange", params).await;
        loop {
            let list = client.published(&crd, version).await;
            let told: Vec<_> = list.iter().filter(|it| it["code"] != "impossible-enum-value").collect();
            if told
                .iter()
                .map(|it| it["message"].as_str().expect("a message"))
                .eq(expected.iter().copied())
            {
                break;
            }
        }
        if version == 2 {
            let column = with("self < 4")
                .lines()
                .nth(SIZE as usize)
                .and_then(|it| it.find("self"))
                .expect("a rule");
            let fixes = fixes(&mut client, &crd, SIZE, column as u64).await;
            assert_eq!(fixes[0]["title"], "Restore the rule to `self < 5`");
        }
    }
    client.finish_with_lists().await;
}

#[tokio::test]
async fn nothing_is_lost_while_somebody_types() {
    let folder = repository_of(&[("crd.yaml", CRD)]);
    let (mut client, crd) = start(&folder, Value::Null).await;
    client.change(&crd, 2, &[(BOUND, "10")]).await;
    found(&mut client, &crd, 2, 1).await;
    client.until_asked("workspace/codeLens/refresh").await;
    let before = lenses(&mut client, &crd).await;
    assert_eq!(before.len(), 1);
    // Type a comment above, one character at a time. After each character, the diagnostic must be in the list, and move down with the new line.
    let typed = "# a line\n";
    for (n, key) in typed.char_indices() {
        let version = 3 + n as i32;
        let at = [0, n as u64, 0, n as u64];
        client.change(&crd, version, &[(at, &key.to_string())]).await;
        let list = client.published(&crd, version).await;
        assert_eq!(list.len(), 1, "after {:?}", &typed[..=n]);
    }
    let last = 2 + typed.len() as i32;
    let after = lenses(&mut client, &crd).await;
    assert_eq!(after.len(), 1);
    assert_eq!(after[0]["range"]["start"]["line"], VERSION + 1);
    // Make a second change, which must be found, too.
    let removed = [MODE + 1, 38, MODE + 1, 41];
    client.change(&crd, last + 1, &[(removed, "")]).await;
    let list = found(&mut client, &crd, last + 1, 2).await;
    let lines: Vec<&Value> = list.iter().map(|it| &it["range"]["start"]["line"]).collect();
    assert_eq!(lines, [SIZE + 1, MODE + 1]);
    let fixes = fixes(&mut client, &crd, MODE + 1, 32).await;
    let titles: Vec<&str> = fixes.iter().filter_map(|it| it["title"].as_str()).collect();
    assert_eq!(titles[0], "Allow `a` again", "{titles:?}");
    client.finish_with_lists().await;
}

#[tokio::test]
async fn a_text_that_cannot_be_read_keeps_what_was_found() {
    let folder = repository_of(&[("crd.yaml", CRD)]);
    let (mut client, crd) = start(&folder, Value::Null).await;
    client.change(&crd, 2, &[(BOUND, "10")]).await;
    found(&mut client, &crd, 2, 1).await;
    // Make the text unreadable, and then readable again.
    client.change(&crd, 3, &[([3, 0, 3, 0], "}\n")]).await;
    let broken = client.published(&crd, 3).await;
    assert!(!broken.is_empty());
    client.change(&crd, 4, &[([3, 0, 4, 0], "")]).await;
    let list = client.published(&crd, 4).await;
    assert_eq!(list.len(), 1, "{list:?}");
    assert_eq!(list[0]["range"]["start"], json!({ "line": SIZE, "character": 41 }));
    client.finish_with_lists().await;
}

#[tokio::test]
async fn the_policy_decides_and_can_be_off() {
    let folder = repository_of(&[("crd.yaml", CRD)]);
    let hazard = "properties:\n          other: {type: string, default: x}";
    for (policy, expected) in [("off", None), ("writers", Some(0)), ("strict", Some(1))] {
        let (mut client, crd) = start(&folder, json!({ "compatPolicy": policy })).await;
        client.change(&crd, 2, &[([14, 8, 14, 19], hazard)]).await;
        let Some(count) = expected else {
            assert_eq!(client.published(&crd, 2).await.len(), 0);
            assert_eq!(lenses(&mut client, &crd).await, Vec::<Value>::new());
            client.finish_with_lists().await;
            continue;
        };
        client.until_asked("workspace/codeLens/refresh").await;
        let lenses = lenses(&mut client, &crd).await;
        let title = lenses[0]["command"]["title"].as_str().expect("a title");
        if count == 0 {
            assert_eq!(title, "1 change since HEAD: none breaks stored objects or writers");
            assert!(lenses[0]["command"]["command"] == "", "there is nothing to lead to");
        } else {
            assert_eq!(
                title,
                "1 change since HEAD: 1 breaks stored objects and writers and readers"
            );
            found(&mut client, &crd, 2, 1).await;
        }
        client.finish_with_lists().await;
    }
}

#[tokio::test]
async fn who_asks_for_diagnostics_is_told_to_ask_again() {
    let folder = repository_of(&[("crd.yaml", CRD)]);
    let mut client = Client::start(capabilities(pulling())).await;
    let crd = uri(&folder, "crd.yaml");
    client.open(&crd, 1, &CRD.replace("maximum: 100", "maximum: 10")).await;
    loop {
        let report = client.pull(&crd, None).await;
        if list(report["items"].clone())
            .iter()
            .any(|it| it["code"] == "breaking-change")
        {
            break;
        }
        client.until_asked("workspace/diagnostic/refresh").await;
    }
    client.finish().await;
}

#[tokio::test]
async fn comments_and_configuration_silence_changes() {
    let config = "rules: {breaking-change: warning}\n";
    let folder = repository_of(&[("crd.yaml", CRD), (".crd-analyzer.yaml", config)]);
    let (mut client, crd) = start(&folder, Value::Null).await;
    client.change(&crd, 2, &[(BOUND, "10")]).await;
    let list = found(&mut client, &crd, 2, 1).await;
    assert_eq!(list[0]["severity"], 2);
    let comment = "# crd-analyzer: ignore[breaking-change] nobody has more";
    client.change(&crd, 3, &[([SIZE, 45, SIZE, 52], comment)]).await;
    // The suppression comment is never reported as unused, whether or not the changes are known yet.
    assert_eq!(client.published(&crd, 3).await.len(), 0);
    client.change(&crd, 4, &[([MODE, 38, MODE, 41], "")]).await;
    let list = found(&mut client, &crd, 4, 1).await;
    assert_eq!(list[0]["range"]["start"]["line"], MODE);
    client.finish_with_lists().await;
}
