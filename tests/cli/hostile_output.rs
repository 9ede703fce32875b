//! Hostile characters in files, names and arguments. The output must contain no control characters and no commands.

use crate::{Outcome, Sandbox, definition};

/// Characters with a special meaning in output formats.
const SPECIAL: &str = "50 %, a:b %0A::c # TODO d \u{1f600} \\ <&>]]>";

/// A text that moves the cursor, changes the text direction, hides text, and starts a new line with a CI command.
const HOSTILE: &str = "a\u{1b}[2J\u{9b}31mb\u{202e}c\u{2066}d\u{200b}e\u{e0041}f\n::error file=x::g\r##[error]h";

/// The same characters in a double-quoted YAML scalar.
const QUOTED: &str = r#""a\u001b[2J\u009b31mb\u202ec\u2066d\u200be\U000E0041f\n::error file=x::g\r##[error]h""#;

/// The same characters without escapes, as far as YAML allows them.
const RAW: &str = "'a\u{202e}b\u{2066}c\u{200b}d\u{2028}e ##[error]f ::error::g'";

/// Whether a character is invisible. Line breaks in the output are allowed.
fn is_hidden(c: char) -> bool {
    c.is_control() && c != '\n'
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{e0000}'..='\u{e007f}')
        || matches!(c, '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// Checks that an output is harmless. `ours` is the prefix of CI commands that are intended.
#[track_caller]
fn harmless(outcome: &Outcome, ours: Option<&str>) {
    for text in [&outcome.stdout, &outcome.stderr] {
        assert!(!text.contains(is_hidden), "{text:?}");
        assert!(!text.contains("##["), "{text}");
        for line in text.lines() {
            let command = line.trim_start().strip_prefix("::").filter(|it| !it.starts_with(':'));
            assert!(
                command.is_none() || ours.is_some_and(|it| line.starts_with(it)),
                "{line}"
            );
        }
    }
}

fn sandbox() -> Sandbox {
    let spec = format!(
        "              type: object
              required: [{QUOTED}]
              properties:
                {QUOTED}: {{type: strnig, enum: [{QUOTED}], default: 7}}
                name:
                  type: string
                  description: {QUOTED}
                  pattern: {QUOTED}
                  x-kubernetes-validations:
                    - {{rule: 'self != '{RAW}' && self.', message: {QUOTED}}}
                    - {{rule: {QUOTED}, message: {RAW}}}
"
    );
    let good = definition(&format!(
        "              type: object
              properties:
                name:
                  type: string
                  enum: [{QUOTED}]
                  x-kubernetes-validations:
                    - {{rule: 'self == \"x\"', message: {QUOTED}}}
"
    ));
    let resource = format!(
        "apiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: {QUOTED}, labels: {{{QUOTED}: {QUOTED}}}}}\n\
         spec:\n  name: {QUOTED}\n  {QUOTED}: {RAW}\n"
    );
    let suite = format!(
        "crd: good.yaml\ntests:\n  - name: {QUOTED}\n    create: {{spec: {{name: {QUOTED}}}}}\n    expect: {{rejected: {QUOTED}}}\n  \
         - name: {RAW}\n    create: {{spec: {{name: x}}}}\n    expect: {{defaulted: {{spec.name: {QUOTED}}}}}\n  - {QUOTED}: 1\n    name: b\n"
    );
    let named = suite
        .replace("  - \"a\\u001b", "  # - \"a\\u001b")
        .replace("\n    name: b", "");
    Sandbox::new(&[
        ("bad.yaml", &definition(&spec)),
        ("good.yaml", &good),
        ("resource.yaml", &resource),
        ("broken.yaml", &format!("kind: [{RAW}\n\"a\\e: b")),
        ("wrong.test.yaml", &suite),
        ("named.test.yaml", &named),
        (".crd-analyzer.yaml", "rules: {}\n"),
    ])
}

#[test]
fn every_output_of_a_check_can_only_be_read() {
    let sandbox = sandbox();
    for color in ["never", "auto"] {
        for format in [
            "text", "concise", "json", "jsonl", "github", "gitlab", "sarif", "junit", "tap",
        ] {
            for more in [
                &["--verbose"][..],
                &["--show", "effective"],
                &["--kubernetes-version", "all"],
            ] {
                let mut args = vec!["check", ".", "-o", format, "--color", color];
                args.extend(more);
                let outcome = sandbox.run(&args);
                assert_eq!(outcome.code, Some(1), "{outcome:#?}");
                harmless(&outcome, (format == "github").then_some("::"));
                assert!(outcome.stdout.len() > 1_000, "{}", outcome.stdout);
            }
        }
    }
}

#[test]
fn json_has_the_same_values() {
    let sandbox = sandbox();
    let found = sandbox.run(&["check", "resource.yaml", "--crd", "good.yaml", "-o", "jsonl"]);
    harmless(&found, None);
    assert_eq!(found.json()[0]["name"], HOSTILE);
}

#[test]
fn github_gets_one_command_a_finding() {
    let sandbox = sandbox();
    let found = sandbox.run(&["check", "resource.yaml", "--crd", "good.yaml", "-o", "github"]);
    harmless(&found, Some("::"));
    let jsonl = sandbox.run(&["check", "resource.yaml", "--crd", "good.yaml", "-o", "jsonl"]);
    let line = &jsonl.json()[0];
    let lists = ["errors", "strict", "warnings", "hints"].map(|it| line[it].as_array().map_or(0, Vec::len));
    let commands = found
        .stdout
        .lines()
        .filter(|it| it.starts_with("::error file=resource.yaml,line="));
    assert!(
        commands.count() >= lists[1] && lists[1] > 0,
        "{lists:?} {}",
        found.stdout
    );
    assert!(found.stdout.lines().all(|it| it.starts_with("::")), "{}", found.stdout);
}

#[test]
fn the_other_commands_print_what_can_be_read() {
    let sandbox = sandbox();
    for args in [
        &["cost", ".", "--kubernetes-version", "1.36"][..],
        &["cost", ".", "-o", "jsonl"],
        &["eval", "--crd", "good.yaml", "--value", "resource.yaml"],
        &[
            "eval",
            "--crd",
            "good.yaml",
            "--value",
            "resource.yaml",
            "--explain",
            "-o",
            "jsonl",
        ],
        &["eval", "self.spec.name", "--value", "resource.yaml", "--explain"],
        &["eval", "self.spec.x", "--value", "resource.yaml"],
        &["eval", HOSTILE],
        &["eval", "self", "--path", HOSTILE, "--value", "{}"],
        &["eval", "self", "--value", HOSTILE],
        &["eval", "self", "--schema", HOSTILE],
        &["explain", HOSTILE],
        &["check", HOSTILE],
        &["check", "good.yaml", "--old-ref", HOSTILE],
        &["check", "good.yaml", "--crd", HOSTILE],
        &["check", "good.yaml", "--config", HOSTILE],
        &["check", "good.yaml", "--kubernetes-version", HOSTILE],
        &["check", "good.yaml", "--no-config", "--output", HOSTILE],
        &["test", "named.test.yaml"],
        &["test", "wrong.test.yaml"],
        &["test", "named.test.yaml", "-o", "tap"],
        &["test", "named.test.yaml", "-o", "jsonl"],
        &["test", "named.test.yaml", "-o", "junit"],
        &["test", "named.test.yaml", "--run", HOSTILE],
        &["test", "named.test.yaml", "--run", "(\n::error::\u{1b}"],
        &["test", "--init", HOSTILE],
        &["test", "named.test.yaml", "--update"],
        &[HOSTILE],
        &["::error::x"],
        &["check", "--no-such\n::error::x"],
    ] {
        let outcome = sandbox.run(args);
        harmless(&outcome, None);
        assert!(
            !outcome.stdout.is_empty() || !outcome.stderr.is_empty(),
            "{args:?} says nothing"
        );
    }
}

#[test]
fn fields_are_explained_in_what_can_be_read() {
    let sandbox = sandbox();
    for args in [
        &["explain", "widget"][..],
        &["explain", "widget.spec"],
        &["explain", "widget.spec.name"],
        &["explain", "widget", "--recursive"],
        &["explain", &format!("widget.spec.{HOSTILE}")],
        &["explain", "widget", "--api-version", HOSTILE],
        &["explain", "widget", "--api-version", &format!("example.com/{HOSTILE}")],
        &["explain", "widget", "--crd", HOSTILE],
    ] {
        let args = [
            args,
            if args.contains(&"--crd") {
                &[]
            } else {
                &["--crd", "bad.yaml"]
            },
        ]
        .concat();
        let mut outcome = sandbox.run(&args);
        // Tabs separate columns, as in the output of kubectl.
        outcome.stdout = outcome.stdout.replace('\t', " ");
        harmless(&outcome, None);
        assert!(
            !outcome.stdout.is_empty() || !outcome.stderr.is_empty(),
            "{args:?} says nothing"
        );
    }
    let found = sandbox.run(&["explain", "widget.spec.name", "--crd", "bad.yaml"]);
    found.expect(0, &["\\u{1b}[2J", "\\u{202e}c"]);
}

#[test]
fn documentation_can_only_be_read() {
    let crd = definition(&format!(
        "              type: object
              description: {QUOTED}
              properties:
                {QUOTED}:
                  type: string
                  description: {QUOTED}
                  enum: [{QUOTED}]
                  default: {QUOTED}
                  externalDocs: {{url: {QUOTED}}}
                  x-kubernetes-validations:
                    - {{rule: 'self != \"\\u202e\"', message: {RAW}}}
"
    ));
    let sandbox = Sandbox::new(&[("crd.yaml", &crd)]);
    for format in ["markdown", "html"] {
        let found = sandbox.run(&["docs", "crd.yaml", "--format", format]);
        assert_eq!(found.code, Some(0), "{found:?}");
        harmless(&found, None);
        assert!(found.stdout.contains("\\u{202e}"), "{}", found.stdout);
        let folder = sandbox.run(&["docs", "crd.yaml", "--format", format, "--output-dir", "out"]);
        assert_eq!(folder.code, Some(0), "{folder:?}");
    }
    for name in [
        "README.md",
        "index.html",
        "widgets.example.com.md",
        "widgets.example.com.html",
    ] {
        let text = std::fs::read_to_string(sandbox.path().join("out").join(name)).expect("it was written");
        assert!(!text.contains(is_hidden) && !text.contains("##["), "{text:?}");
    }
}

#[test]
fn changes_are_sarif_that_can_only_be_read() {
    let of = |most: u8| {
        definition(&format!(
            "              type: object\n              properties: {{{QUOTED}: {{type: string, maxLength: {most}, enum: [{QUOTED}, b]}}}}\n"
        ))
    };
    let exceptions = format!("exceptions: [{{change: max-length-changed, reason: {QUOTED}}}]");
    let sandbox = Sandbox::new(&[
        ("old.yaml", &of(90)),
        ("new.yaml", &of(1)),
        ("exceptions.yaml", &exceptions),
    ]);
    let found = sandbox.run(&[
        "compat",
        "old.yaml",
        "new.yaml",
        "-o",
        "sarif",
        "--exceptions",
        "exceptions.yaml",
    ]);
    harmless(&found, None);
    found.expect(0, &["\"ruleId\":\"max-length-changed\"", "u{202e}c"]);
}

#[test]
fn answers_to_a_list_of_evaluations_are_escaped_and_keep_their_values() {
    let schema = serde_json::json!({ "type": "object", "properties": { "a": { "type": "string" } } });
    let requests = [
        serde_json::json!({ "id": HOSTILE, "schema": schema, "rule": "self.a", "self": { "a": HOSTILE } }),
        serde_json::json!({ "id": "message", "schema": schema, "rule": "false", "messageExpression": "self.a", "self": { "a": HOSTILE } }),
        serde_json::json!({ "id": "rule", "schema": schema, "rule": HOSTILE, "self": {} }),
    ];
    let list: String = requests
        .iter()
        .map(|it| format!("{it}\n"))
        .chain(["{\"a\": \u{9b}##[error]\n".to_owned()])
        .collect();
    let sandbox = Sandbox::new(&[("list.jsonl", &list)]);
    let found = sandbox.run(&["eval", "--list", "list.jsonl"]);
    harmless(&found, None);
    let answers = found.json();
    assert_eq!(
        (answers.len(), &answers[0]["id"]),
        (4, &serde_json::json!(HOSTILE)),
        "{answers:?}"
    );
}

#[test]
fn configuration_is_quoted_as_it_can_be_read() {
    for config in [
        format!("rules: {{{QUOTED}: off}}"),
        format!("{QUOTED}: 1"),
        format!("rules: {{a: {QUOTED}}}"),
        RAW.to_owned(),
    ] {
        let sandbox = Sandbox::new(&[(".crd-analyzer.yaml", &config), ("a.yaml", "a: b")]);
        harmless(&sandbox.run(&["check", "."]), None);
    }
}

#[test]
#[cfg(unix)]
fn names_of_files_can_only_be_read() {
    let name = format!("{}.yaml", HOSTILE.replace('/', "_"));
    let sandbox = Sandbox::new(&[
        (
            &name,
            &definition("              type: integer\n              default: \"3\"\n"),
        ),
        ("x.test.yaml", "tests: 1"),
    ]);
    let suite = sandbox.path().join(name.replace(".yaml", ".test.yaml"));
    std::fs::rename(sandbox.path().join("x.test.yaml"), suite).expect("it can be renamed");
    for args in [
        &["check", "."][..],
        &["check", ".", "-o", "jsonl"],
        &["check", ".", "-o", "github"],
        &["check", ".", "--fix", "--diff"],
        &["check", ".", "--fix"],
        &["test", "."],
        &["test", ".", "-o", "tap"],
        &["test", ".", "-o", "junit"],
    ] {
        let outcome = sandbox.run(args);
        harmless(&outcome, args.contains(&"github").then_some("::"));
        let all = format!("{}{}", outcome.stdout, outcome.stderr);
        let shown = if args.contains(&"jsonl") {
            "\\u009b31mb\\u202ec"
        } else {
            "\\u{9b}31mb\\u{202e}c"
        };
        let shown = if args.contains(&"tap") {
            shown.replace('\\', "\\\\")
        } else {
            shown.to_owned()
        };
        assert!(all.contains(&shown), "{args:?}: {all}");
    }
}

/// A resource that violates a rule with this message, in a file with the same characters in its name.
fn special() -> (Sandbox, String) {
    let crd = definition(&format!(
        "              type: object\n              properties: {{name: {{type: string}}}}\n              x-kubernetes-validations: [{{rule: self.name != 'a', message: {}}}]\n",
        serde_json::Value::from(SPECIAL)
    ));
    let name = "50 %, a:b # TODO \u{1f600}.yaml";
    let resource = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: todo}\nspec: {name: a}\n";
    (
        Sandbox::new(&[("crds/crd.yaml", &crd), (name, resource)]),
        name.to_owned(),
    )
}

#[test]
fn github_reads_what_was_said() {
    let (sandbox, name) = special();
    let found = sandbox.run(&["check", &name, "--crd", "crds", "-o", "github"]);
    assert_eq!(found.code, Some(1), "{found:?}");
    let line = found.stdout.lines().next().expect("a command");
    let (properties, message) = line
        .strip_prefix("::error ")
        .and_then(|it| it.split_once("::"))
        .expect("a command");
    // Decodes a command in the same way as github.com/actions/runner.
    let read = |text: &str, more: &[(&str, &str)]| {
        let text = more
            .iter()
            .fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
        text.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")
    };
    let file = properties
        .split(',')
        .find_map(|it| it.strip_prefix("file="))
        .expect("a file");
    assert_eq!(read(file, &[("%3A", ":"), ("%2C", ",")]), name);
    let message = read(message, &[]);
    assert!(message.contains(SPECIAL), "{message}");
}

#[test]
fn tap_reads_names_and_no_directives() {
    let (sandbox, _) = special();
    sandbox.write(
        "x\ny # SKIP.yaml",
        "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: b}\nspec: {name: b}\n",
    );
    let found = sandbox.run(&["check", ".", "-o", "tap"]);
    assert_eq!(found.code, Some(1), "{found:?}");
    let tests: Vec<&str> = found
        .stdout
        .lines()
        .filter(|it| it.starts_with("ok ") || it.starts_with("not ok "))
        .collect();
    assert_eq!(tests.len(), 3, "{}", found.stdout);
    assert!(found.stdout.contains("\n1..3\n"), "{}", found.stdout);
    let directive = regex::Regex::new(r"(^|[^\\])(\\\\)*#").expect("it compiles");
    for test in &tests {
        assert!(!directive.is_match(test), "{test}");
    }
    let failed: Vec<_> = tests.iter().filter(|it| it.starts_with("not ok ")).collect();
    assert_eq!(failed.len(), 1, "{tests:?}");
    assert!(failed[0].contains(r"a:b \# TODO"), "{failed:?}");
    // The YAML blocks must be valid.
    let mut blocks = found
        .stdout
        .split("  ---\n")
        .skip(1)
        .map(|it| it.split("  ...\n").next().expect("a block"));
    let block = blocks.next().expect("a block");
    let block = block.trim_start().strip_prefix("diagnostics: ").expect("diagnostics");
    let read: serde_json::Value = serde_json::from_str(block).expect("YAML that is JSON");
    assert!(
        read[0]["message"].as_str().is_some_and(|it| it.contains(SPECIAL)),
        "{read}"
    );
}

#[test]
fn junit_of_a_check_is_xml() {
    let (sandbox, name) = special();
    let invisible = r#""a\uFFFE\uFFFF\u0001\U0001F600""#;
    let text = format!(
        "apiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: {invisible}}}\nspec: {{name: a, {invisible}: 1}}\n"
    );
    sandbox.write("invisible.yaml", text);
    let found = sandbox.run(&["check", ".", "-o", "junit"]);
    assert_eq!(found.code, Some(1), "{found:?}");
    harmless(&found, None);
    // These characters are the production `Char` of XML 1.0.
    let is_allowed =
        |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    assert!(found.stdout.chars().all(is_allowed), "{:?}", found.stdout);
    let mut reader = quick_xml::Reader::from_str(&found.stdout);
    let (mut open, mut files, mut messages) = (0_i32, Vec::new(), Vec::new());
    loop {
        let event = reader.read_event().expect("well-formed");
        let tag = match &event {
            quick_xml::events::Event::Eof => break,
            quick_xml::events::Event::Start(tag) => {
                open += 1;
                tag
            }
            quick_xml::events::Event::Empty(tag) => tag,
            quick_xml::events::Event::End(_) => {
                open -= 1;
                continue;
            }
            _ => continue,
        };
        for attribute in tag.attributes() {
            let attribute = attribute.expect("an attribute, once");
            let value = attribute
                .normalized_value(quick_xml::XmlVersion::Explicit1_0)
                .expect("known entities")
                .into_owned();
            match attribute.key.as_ref() {
                b"file" => files.push(value),
                b"message" => messages.push(value),
                _ => {}
            }
        }
    }
    assert_eq!(open, 0, "{}", found.stdout);
    assert!(files.contains(&name), "{files:?}");
    assert!(messages.iter().any(|it| it.contains(SPECIAL)), "{messages:?}");
}

#[test]
fn junit_is_well_formed() {
    let suite = "tests:\n  - {name: \"a\\uFFFE\\uFFFF\\u0001\\U0001F600 <&>]]>\", create: 7}\n  - {name: b\u{fffd}, creat: 8}\n";
    let sandbox = Sandbox::new(&[("a.test.yaml", suite)]);
    let outcome = sandbox.run(&["test", ".", "-o", "junit"]);
    harmless(&outcome, None);
    let mut reader = quick_xml::Reader::from_str(&outcome.stdout);
    let mut open = 0_i32;
    loop {
        match reader.read_event().expect("well-formed") {
            quick_xml::events::Event::Eof => break,
            quick_xml::events::Event::Start(_) => open += 1,
            quick_xml::events::Event::End(_) => open -= 1,
            _ => {}
        }
    }
    assert_eq!(open, 0, "{}", outcome.stdout);
}
